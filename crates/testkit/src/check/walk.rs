//! Parses and walks without checks: reads names and records, and the first and the last byte of every array. libFuzzer
//! tries many more inputs per second than with the other checkers, and AddressSanitizer checks each read.

use std::hint::black_box;

use meshlens_lens::Array;
use meshlens_md3::Md3;
use meshlens_u3d::U3d;
use meshlens_unigine::{Anim, Mesh, Skeleton};
use meshlens_unreal::Unreal;

use super::split_pair;

/// Walks an MD3 model.
pub fn md3_walk(bytes: &[u8]) {
    let Ok(md3) = Md3::parse(bytes) else { return };
    each(md3.frames().map(|frame| (frame.name, frame.is_finite())));
    for frame in 0..md3.frame_count() {
        each(md3.tags(frame).map(|tag| (tag.name, tag.origin)));
    }
    for surface in md3.surfaces() {
        black_box(surface.name());
        each(surface.shaders().map(|shader| shader.name));
    }
    arrays(md3.arrays());
}

/// Walks an Ultimate 3D model of any version.
pub fn u3d_walk(bytes: &[u8]) {
    let Ok(u3d) = U3d::parse(bytes) else { return };
    each(u3d.meshes().map(|mesh| (mesh.name(), mesh.lod_fraction(), mesh.triangle_count())));
    for material in u3d.materials() {
        each(material.textures().flat_map(|texture| texture.files().map(|file| file.relative())));
        black_box((material.name(), material.diffuse()));
    }
    each(u3d.bones().map(|bone| (bone.name(), bone.bone_to_parent(0.0), bone.mesh_to_bone(0))));
    each(u3d.actions().map(|action| action.name));
    each(u3d.sections().map(|section| section.end()));
    arrays(u3d.arrays());
}

/// Walks a pair of Unreal files in one buffer.
pub fn unreal_walk(bytes: &[u8]) {
    let (geometry, frames) = split_pair(bytes);
    let Ok(unreal) = Unreal::parse(geometry, frames) else { return };
    each(unreal.geometry().records());
    each((0..unreal.frame_count()).map(|frame| unreal.weapon_attachment(frame)));
    arrays(unreal.arrays());
}

/// Walks a `.mesh` file. Packed geometry is not unpacked.
pub fn unigine_mesh_walk(bytes: &[u8]) {
    let Ok(mesh) = Mesh::parse(bytes) else { return };
    skeleton(mesh.skeleton());
    each(mesh.surfaces().map(|surface| (surface.name(), surface.bounds().is_finite())));
    each(mesh.animations().flat_map(|animation| animation.records()));
    arrays(mesh.arrays());
}

/// Walks an `.anim` file.
pub fn unigine_anim_walk(bytes: &[u8]) {
    let Ok(anim) = Anim::parse(bytes) else { return };
    skeleton(anim.skeleton());
    each(anim.animations().flat_map(|animation| animation.records()));
    arrays(anim.arrays());
}

fn skeleton(skeleton: Skeleton<'_, '_>) {
    each(skeleton.bones().map(|bone| (bone.name, bone.parent)));
}

fn each<T>(items: impl Iterator<Item = T>) {
    items.for_each(|item| drop(black_box(item)));
}

fn arrays<'a>(arrays: impl Iterator<Item = Array<'a>>) {
    for array in arrays {
        let stored = array.lens.as_bytes();
        black_box((stored.first().copied(), stored.last().copied()));
    }
}
