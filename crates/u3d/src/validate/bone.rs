//! Bones: their hierarchy, their appended meshes, their keys.

use glam::Quat;
use meshlens_lens::ValueLens;
use meshlens_wire::{ErrorKind, OutOfRange};

use super::Validator;
use crate::Bone;
use crate::codes;
use crate::layout::MATRIX_SIZE;
use crate::tolerance::UNIT_SLACK;

impl<'a> Validator<'_, 'a> {
    pub(super) fn bones(&mut self) {
        let u3d = self.u3d;
        let has_skin = u3d.meshes().any(|mesh| mesh.skin_weight_count() > 0);
        for ((number, bone), parts) in (0u32..).zip(u3d.bones()).zip(u3d.parts().bones()) {
            let pointer = format_args!("/bones/{number}");
            let offset = bone.offset();
            self.name(bone.name(), parts.name.offset(), pointer);
            if bone.index() != number {
                let message = format_args!("number {}, expected {number}", bone.index());
                self.report.add(&codes::BONE_INDEX, offset, pointer, message);
            }
            if let Some(parent) = bone.parent().filter(|parent| *parent as usize >= u3d.bone_count()) {
                let message = format_args!("{}", OutOfRange::new("parent bone", parent, u3d.bone_count()));
                self.report.add(&codes::PARENT_OUT_OF_RANGE, offset, pointer, message);
            }
            if bone.bone_frame().is_nan() {
                let message = format_args!("BoneFrame is not a number");
                self.report.add(&codes::BONE_FRAME_NAN, offset, pointer, message);
            }
            self.boolean(bone.pass_on_offset(), format_args!("/bones/{number}/pass_on_bone_frame"));
            if has_skin && bone.mesh_count() != 1 {
                let message =
                    format_args!("{} meshes; in a model with skin, a bone has one", bone.mesh_count());
                self.report.add(&codes::BONE_MESH_COUNT, offset, pointer, message);
            }
            self.attachments(number, &bone);
            self.keys(number, &bone);
        }
        if let Err(error) = u3d.skeleton()
            && matches!(error.kind(), ErrorKind::Value { what: "iParent", .. })
        {
            let message = format_args!("bones are parents of each other in a cycle");
            self.report.add(&codes::PARENT_CYCLE, error.offset(), format_args!("/bones"), message);
        }
    }

    fn attachments(&mut self, number: u32, bone: &Bone<'a>) {
        let u3d = self.u3d;
        let meshes = bone.meshes();
        for (index, mesh) in meshes.iter().enumerate() {
            let offset = meshes.as_any().offset_of(index);
            let pointer = format_args!("/bones/{number}/meshes/{index}");
            match u3d.parts().meshes().get(mesh as usize) {
                None => {
                    let message = format_args!("{}", OutOfRange::new("mesh", mesh, u3d.mesh_count()));
                    self.report.add(&codes::BONE_MESH_OUT_OF_RANGE, offset, pointer, message);
                }
                Some(parts) if parts.offset() > bone.offset() => {
                    let message = format_args!("mesh {mesh} comes after the bone it is appended to");
                    self.report.add(&codes::BONE_BEFORE_MESH, offset, pointer, message);
                }
                Some(_) => {}
            }
        }
        let rows = bone.mesh_to_bone_rows();
        self.finite(rows, &codes::MATRIX_NOT_FINITE, format_args!("/bones/{number}/mesh_to_bone"));
        let is_affine = |index: usize| {
            bone.mesh_to_bone(index).is_some_and(|matrix| matrix.map(|[.., w]| w) == [0.0, 0.0, 0.0, 1.0])
        };
        if let Some(index) = (0..bone.mesh_count()).find(|index| !is_affine(*index)) {
            let offset = rows.byte_range().start + index as u64 * u64::from(MATRIX_SIZE);
            let message = format_args!("the last column of the stored matrix is not 0, 0, 0, 1");
            let pointer = format_args!("/bones/{number}/mesh_to_bone/{index}");
            self.report.add(&codes::MATRIX_NOT_AFFINE, offset, pointer, message);
        }
    }

    fn keys(&mut self, number: u32, bone: &Bone<'a>) {
        let (scaling, translation) = (bone.scaling_keys(), bone.translation_keys());
        let rotation = bone.rotation_keys();
        self.frames(number, bone, "scaling_keys", scaling.frames);
        self.frames(number, bone, "translation_keys", translation.frames);
        self.frames(number, bone, "rotation_keys", rotation.frames);
        let code = &codes::KEY_NOT_FINITE;
        self.finite(scaling.values, code, format_args!("/bones/{number}/scaling_keys"));
        self.finite(translation.values, code, format_args!("/bones/{number}/translation_keys"));
        self.finite(rotation.values, code, format_args!("/bones/{number}/rotation_keys"));
        let is_odd = |q: [f32; 4]| (Quat::from_array(q).length() - 1.0).abs() > UNIT_SLACK;
        if let Some(index) = rotation.values.iter().position(is_odd) {
            let message = format_args!("the length of a rotation's quaternion is not 1");
            let pointer = format_args!("/bones/{number}/rotation_keys/{index}");
            self.report.add(&codes::ROTATION_NOT_UNIT, rotation.values.byte_range().start, pointer, message);
        }
    }

    fn frames(&mut self, number: u32, bone: &Bone<'_>, what: &str, frames: ValueLens<'_, u32>) {
        let count = self.u3d.header().frames;
        let pointer = format_args!("/bones/{number}/{what}");
        if !frames.iter().is_sorted() {
            let message = format_args!("keys come after keys of later frames");
            self.report.add(&codes::KEYS_UNSORTED, bone.offset(), pointer, message);
        }
        if let Some(frame) = frames.iter().find(|frame| *frame >= count) {
            let message = format_args!("a key at {}", OutOfRange::new("frame", frame, count));
            self.report.add(&codes::KEY_FRAME_RANGE, bone.offset(), pointer, message);
        }
    }
}
