//! Bones: their hierarchy, the meshes they carry, their keys.

use meshlens_wire::ErrorKind;
use meshlens_wire::Severity::{Error, Info, Warning};

use super::Validator;
use crate::{Bone, Frames};

/// How far a quaternion's length may be from 1.
const UNIT_SLACK: f32 = 0.01;

impl<'a> Validator<'_, 'a> {
    pub(super) fn bones(&mut self) {
        let u3d = self.u3d;
        let has_skin = u3d.meshes().any(|mesh| mesh.skin_weight_count() > 0);
        for (number, bone) in (0u32..).zip(u3d.bones()) {
            let pointer = format_args!("/bones/{number}");
            let offset = bone.offset();
            self.name(bone.name(), bone.parts().name.offset, pointer);
            if bone.index() != number {
                let message = format_args!("number {} where {number} is expected", bone.index());
                self.add(Error, "BONE_INDEX", offset, pointer, message);
            }
            if let Some(parent) = bone.parent().filter(|parent| *parent as usize >= u3d.bone_count()) {
                let message = format_args!("parent {parent} of {} bones", u3d.bone_count());
                self.add(Error, "PARENT_OUT_OF_RANGE", offset, pointer, message);
            }
            if bone.bone_frame().is_nan() {
                let message = format_args!("BoneFrame is not a number");
                self.add(Error, "BONE_FRAME_NAN", offset, pointer, message);
            }
            let width = u64::from(bone.parts().width);
            let pass_on = bone.parts().meshes.saturating_sub(width).saturating_sub(1);
            self.boolean(pass_on, format_args!("/bones/{number}/pass_on_bone_frame"));
            if has_skin && bone.mesh_count() != 1 {
                let message = format_args!("{} meshes; with skin, a bone has one", bone.mesh_count());
                self.add(Error, "BONE_MESH_COUNT", offset, pointer, message);
            }
            self.attachments(number, &bone);
            self.keys(number, &bone);
        }
        if let Err(error) = u3d.skeleton()
            && matches!(error.kind(), ErrorKind::Value { what: "iParent", .. })
        {
            let message = format_args!("bones hang on each other in a circle, and on no root");
            self.add(Error, "PARENT_CYCLE", error.offset(), format_args!("/bones"), message);
        }
    }

    fn attachments(&mut self, number: u32, bone: &Bone<'a>) {
        let u3d = self.u3d;
        let span = bone.parts().meshes();
        for (index, mesh) in (0u64..).zip(bone.meshes()) {
            let offset = span.offset().saturating_add(index.saturating_mul(span.stride().into()));
            let pointer = format_args!("/bones/{number}/meshes/{index}");
            match u3d.parts().meshes().get(mesh as usize) {
                None => {
                    let message = format_args!("mesh {mesh} of {}", u3d.mesh_count());
                    self.add(Error, "BONE_MESH_OUT_OF_RANGE", offset, pointer, message);
                }
                Some(parts) if parts.offset() > bone.offset() => {
                    let message = format_args!("mesh {mesh} stands behind the bone that carries it");
                    self.add(Error, "BONE_BEFORE_MESH", offset, pointer, message);
                }
                Some(_) => {}
            }
        }
        let rows = bone.mesh_to_bone_rows();
        self.finite(rows, "MATRIX_NOT_FINITE", format_args!("/bones/{number}/mesh_to_bone"));
        let is_affine = |index: usize| {
            bone.mesh_to_bone(index).is_some_and(|matrix| {
                let [a, b, c, d] = matrix.rows.map(|[_, _, _, last]| last);
                [a, b, c, d] == [0.0, 0.0, 0.0, 1.0]
            })
        };
        if let Some(index) = (0..bone.mesh_count()).find(|index| !is_affine(*index)) {
            let offset = rows.byte_range().start.saturating_add((index as u64).saturating_mul(64));
            let message = format_args!("the last column of the matrix is not 0, 0, 0, 1");
            let pointer = format_args!("/bones/{number}/mesh_to_bone/{index}");
            self.add(Warning, "MATRIX_NOT_AFFINE", offset, pointer, message);
        }
    }

    fn keys(&mut self, number: u32, bone: &Bone<'a>) {
        let (scaling, translation, rotation) =
            (bone.scaling_keys(), bone.translation_keys(), bone.rotation_keys());
        self.frames(number, bone, "scaling_keys", scaling.frames);
        self.frames(number, bone, "translation_keys", translation.frames);
        self.frames(number, bone, "rotation_keys", rotation.frames);
        let code = "KEY_NOT_FINITE";
        self.finite(scaling.values, code, format_args!("/bones/{number}/scaling_keys"));
        self.finite(translation.values, code, format_args!("/bones/{number}/translation_keys"));
        self.finite(rotation.values, code, format_args!("/bones/{number}/rotation_keys"));
        let length = |q: [f32; 4]| libm::sqrtf(q.iter().map(|value| value * value).sum());
        let is_odd = |q: [f32; 4]| (length(q) - 1.0).abs() > UNIT_SLACK;
        if let Some(index) = rotation.values.iter().position(is_odd) {
            let message = format_args!("a rotation is a quaternion whose length is not 1");
            let pointer = format_args!("/bones/{number}/rotation_keys/{index}");
            self.add(Warning, "ROTATION_NOT_UNIT", rotation.values.byte_range().start, pointer, message);
        }
    }

    fn frames(&mut self, number: u32, bone: &Bone<'_>, what: &str, frames: Frames<'_>) {
        let count = self.u3d.header().frames;
        let pointer = format_args!("/bones/{number}/{what}");
        if !frames.iter().is_sorted() {
            let message = format_args!("keys stand behind keys of later frames");
            self.add(Warning, "KEYS_UNSORTED", bone.offset(), pointer, message);
        }
        if let Some(frame) = frames.iter().find(|frame| *frame >= count) {
            let message = format_args!("a key at frame {frame} of {count}");
            self.add(Info, "KEY_FRAME_RANGE", bone.offset(), pointer, message);
        }
    }
}
