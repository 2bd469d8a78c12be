//! The validator: reports content that violates the format, that readers may reject, or that looks like a mistake.

mod bone;
mod chunk;
mod material;
mod mesh;

use core::fmt;

use meshlens_wire::{Name, Report};

use crate::{U3d, codes, layout};

/// Adds findings about a model to `report`. O(file), and O(n log n) in the number of meshes.
pub fn validate(u3d: &U3d<'_>, report: &mut Report) {
    let mut v = Validator { u3d, report };
    v.header();
    if u3d.version().is_v1() {
        v.file_v1();
    } else {
        v.chunks();
    }
    v.levels();
    v.meshes();
    v.materials();
    v.bones();
    v.actions();
}

struct Validator<'v, 'a> {
    u3d: &'v U3d<'a>,
    report: &'v mut Report,
}

impl Validator<'_, '_> {
    fn name(&mut self, name: Name<'_>, offset: u64, pointer: fmt::Arguments<'_>) {
        if !name.raw().is_ascii() {
            let message = format_args!("the name \"{name}\" is not ASCII, as strings of the format are");
            self.report.add(&codes::NAME_NOT_ASCII, offset, pointer, message);
        }
    }

    /// A boolean is 0 for false, and has its lowest bit set for true (Ultimate 3D 2.0: bool).
    fn boolean(&mut self, offset: u64, pointer: fmt::Arguments<'_>) {
        // Parsing has read this byte, so it exists.
        let found = self.u3d.data().take(offset, 1, "bool").ok().and_then(|byte| byte.first().copied());
        if let Some(found) = found
            && found != 0
            && found & 1 == 0
        {
            let message = format_args!("a boolean of {found} is neither true nor false");
            self.report.add(&codes::BOOLEAN_NEITHER, offset, pointer, message);
        }
    }

    fn header(&mut self) {
        let header = *self.u3d.header();
        // Widths of nMesh, nMeshesPerFrame, nFrame, nLOD, nMaterial, nBone.
        let widths: [u64; 6] = match header.v1 {
            Some(v1) => [2, 2, 4, v1.lod_count_width.into(), 2, 2],
            None => [4; 6],
        };
        let at = |field: usize| header.offset + widths.iter().take(field).sum::<u64>();
        let zeros = [
            (header.frames, 2, &codes::FRAME_COUNT_ZERO, "there are no frames; every model has one"),
            (header.lods, 3, &codes::LOD_COUNT_ZERO, "there are no levels of detail; every model has one"),
            (header.materials, 4, &codes::MATERIAL_COUNT_ZERO, "there are no materials; every model has one"),
        ];
        for (count, field, code, message) in zeros {
            if count == 0 {
                self.report.add(code, at(field), format_args!("/header"), format_args!("{message}"));
            }
        }
        let expected = header.expected_meshes();
        if u128::from(header.meshes) != expected {
            let message = format_args!(
                "{} meshes, but {} in a frame, {} levels of detail and {} frames make {expected}",
                header.meshes,
                header.meshes_per_frame,
                header.lods,
                if header.bones == 0 { header.frames } else { 1 },
            );
            self.report.add(&codes::MESH_COUNT_PRODUCT, at(0), format_args!("/header"), message);
        }
        let found = [
            (header.meshes, self.u3d.mesh_count(), 0, &codes::MESH_COUNT, "meshes"),
            (header.materials, self.u3d.material_count(), 4, &codes::MATERIAL_COUNT, "materials"),
            (header.bones, self.u3d.bone_count(), 5, &codes::BONE_COUNT, "bones"),
        ];
        for (announced, found, field, code, what) in found {
            if announced as usize != found {
                let message = format_args!("the header has {announced} {what}, the file {found}");
                self.report.add(code, at(field), format_args!("/header"), message);
            }
        }
        let has_skin = self.u3d.meshes().any(|mesh| mesh.skin_weight_count() > 0) || header.skin_weights > 0;
        if has_skin && header.meshes != 1 {
            let message = format_args!("{} meshes; a model with skin has one", header.meshes);
            self.report.add(&codes::SKIN_MESH_COUNT, at(0), format_args!("/header"), message);
        }
        if has_skin && header.bones == 0 {
            let message = format_args!("there are skin weights but no bones");
            self.report.add(&codes::SKIN_WITHOUT_BONES, at(5), format_args!("/header"), message);
        }
        self.boolean(header.tweening_offset, format_args!("/header/vertex_tweening"));
        if header.vertex_tweening && header.bones > 0 {
            let message = format_args!("vertices are tweened and also moved by bones");
            let (code, offset) = (&codes::TWEENING_WITH_BONES, header.tweening_offset);
            self.report.add(code, offset, format_args!("/header/vertex_tweening"), message);
        }
    }

    fn file_v1(&mut self) {
        let Some(header) = self.u3d.header().v1 else { return };
        if header.file_version != layout::V1_FILE_VERSION {
            let message = format_args!("the version is {}; the only version is 1.0", header.file_version);
            self.report.add(&codes::FILE_VERSION, 13, format_args!("/header"), message);
        }
        if header.lod_count_width != 2 {
            let message =
                format_args!("nLOD has {} bytes; in other files it has two", header.lod_count_width);
            self.report.add(&codes::LOD_COUNT_WIDTH, 25, format_args!("/header"), message);
        }
        let (end, len) = (self.u3d.parts().end, self.u3d.data().file_len());
        if end < len {
            let message = format_args!("{} bytes follow the last section", len - end);
            self.report.add(&codes::TRAILING_BYTES, end, format_args!(""), message);
        }
    }

    fn levels(&mut self) {
        let (fractions, distances) = (self.u3d.lod_fractions(), self.u3d.lod_distances());
        for (index, fraction) in (0u64..).zip(fractions) {
            if !(0.0..=1.0).contains(&fraction) {
                let offset = fractions.byte_range().start + index * 4;
                let message = format_args!("a level of detail of {fraction} is not between 0 and 1");
                self.report.add(&codes::LOD_LEVEL_RANGE, offset, format_args!("/lods/{index}"), message);
            }
        }
        let mut last = f32::NEG_INFINITY;
        for (index, distance) in (0u64..).zip(distances) {
            let offset = distances.byte_range().start + index * 4;
            let pointer = format_args!("/lods/{index}");
            if distance.is_nan() {
                let message = format_args!("a distance is not a number");
                self.report.add(&codes::LOD_DISTANCE_NAN, offset, pointer, message);
            } else if distance < last {
                let message = format_args!("a distance of {distance} follows one of {last}");
                self.report.add(&codes::LOD_DISTANCE_ORDER, offset, pointer, message);
            }
            last = distance;
        }
    }

    fn actions(&mut self) {
        let u3d = self.u3d;
        for (index, action) in u3d.actions().enumerate() {
            let pointer = format_args!("/actions/{index}");
            self.name(action.name, action.offset, pointer);
            if action.first > action.last {
                let message = format_args!("frames {} to {} are in reverse order", action.first, action.last);
                self.report.add(&codes::ACTION_BACKWARDS, action.offset, pointer, message);
            }
            if action.first.max(action.last) >= u3d.header().frames {
                let message =
                    format_args!("frames {} to {} of {}", action.first, action.last, u3d.header().frames);
                self.report.add(&codes::ACTION_FRAME_RANGE, action.offset, pointer, message);
            }
        }
    }
}
