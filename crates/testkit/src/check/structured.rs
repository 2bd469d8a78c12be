//! Models made of arbitrary numbers, by the generators of `meshlens-mutate`: valid structure with hostile content. Fuzzing raw
//! bytes hardly reaches it, because a changed count invalidates everything after it. The writer refuses a model, or it
//! reads back equal and passes the checks of all models.

use arbitrary::Unstructured;
use meshlens_md3::Md3;
use meshlens_mutate::{self as mutate, Format};
use meshlens_u3d::U3d;
use meshlens_unigine::{Anim, Mesh};
use meshlens_unreal::Unreal;

use super::{md3, u3d, unigine_anim, unigine_mesh, unreal_files};

fn made<F: Format>(format: &F, bytes: &[u8]) -> Option<F::Model> {
    format.make(&mut Unstructured::new(bytes)).ok()
}

/// An MD3 model made from `bytes`.
pub fn md3_model(bytes: &[u8]) {
    let Some(model) = made(&mutate::Md3, bytes) else { return };
    let Ok(file) = model.write() else { return };
    md3(&file);
    let read = Md3::parse(&file).expect("what was written parses");
    for surface in read.surfaces() {
        assert!(surface.frame_count() == model.frames.len() || surface.vertex_count() == 0);
    }
    let is_sane = model.surfaces.iter().all(|surface| {
        let count = surface.texcoords.len() as u32;
        surface.triangles.as_flattened().iter().all(|index| *index < count)
    });
    assert_eq!(meshlens_md3::write::Model::try_from(&read).is_ok(), is_sane);
}

/// An Ultimate 3D model made from `bytes`.
pub fn u3d_model(bytes: &[u8]) {
    let Some(model) = made(&mutate::U3d { password: None }, bytes) else { return };
    let Ok(file) = model.write() else { return };
    u3d(&file);
    // A model may not parse if it lacks sections that the header counts, or ends with an opaque material.
    let Ok(read) = U3d::parse(&file) else { return };
    assert_eq!(read.mesh_count(), model.meshes.len());
    assert_eq!(read.bone_count(), model.bones.len());
}

/// A UNIGINE mesh made from `bytes`.
pub fn unigine_mesh_model(bytes: &[u8]) {
    let Some(model) = made(&mutate::UnigineMesh, bytes) else { return };
    let Ok(file) = model.write() else { return };
    unigine_mesh(&file);
    let read = Mesh::parse(&file).expect("what was written parses");
    assert_eq!(read.surface_count(), model.surfaces.len());
    assert_eq!(read.skeleton().len(), model.bones.len());
}

/// Like [`unigine_mesh_model`], for an animation.
pub fn unigine_anim_model(bytes: &[u8]) {
    let Some(model) = made(&mutate::UnigineAnim, bytes) else { return };
    let Ok(file) = model.write() else { return };
    unigine_anim(&file);
    let read = Anim::parse(&file).expect("what was written parses");
    assert_eq!(read.animation_count(), model.animations.len());
    assert_eq!(read.skeleton().len(), model.bones.len());
}

/// An Unreal mesh made from `bytes`.
pub fn unreal_model(bytes: &[u8]) {
    let Some(model) = made(&mutate::Unreal, bytes) else { return };
    // `write` checks vertex indices, but `write_as_is` does not.
    let Ok(files) = model.write_as_is() else { return assert!(model.write().is_err()) };
    unreal_files(&files.geometry, &files.frames);
    let read = Unreal::parse(&files.geometry, &files.frames).expect("what was written parses");
    assert_eq!(read.geometry().triangle_count(), model.triangles.len());
    assert_eq!(read.frame_count(), model.frame_count());
}
