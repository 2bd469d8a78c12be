//! UNIGINE as a model: surfaces are meshes that bones move, and morph targets are frames.

use alloc::sync::Arc;
use alloc::vec::Vec;

use glam::Mat4;
use meshlens_unigine::{Anim, Mesh as UnigineFile, Skeleton};
use meshlens_wire::{ErrorKind, Partial, Result};

use super::animations::transform;
use super::mesh::surface_mesh;
use crate::Format;
use crate::formats::{losses_of, name_if_loaded};
use crate::model::{Joint, Material, Mesh, Model, Space, Transform, world_into};

pub(super) fn model(mesh: UnigineFile<'_, Partial>) -> Result<Model<'_>> {
    let mut model = Model::empty(Some(Format::Unigine), Space::UNIGINE);
    model.joints = joints(mesh.skeleton()?);
    let skin = inverse_bind(&model.joints);
    for surface in mesh.surfaces() {
        // The file has no materials: engines assign them by the names of surfaces.
        let material = model.materials.len();
        let name = surface.name()?.to_text().into_owned();
        let mut made = surface_mesh(&surface, name, model.joints.len())?;
        model.materials.push(Material::new(made.name.clone()));
        made.material = Some(material);
        made.skin.clone_from(&skin);
        model.meshes.push(made);
    }
    let mesh = Arc::new(mesh);
    model.add_own(&mesh)?;
    model.set_losses(move |losses| losses_of((*mesh).clone().complete(), losses));
    Ok(model)
}

/// One mesh, with a skin if the skeleton is loaded.
pub(super) fn mesh<'a>(file: &UnigineFile<'a, Partial>, index: usize) -> Result<Option<Mesh<'a>>> {
    let Some(surface) = file.surface(index) else { return Ok(None) };
    let mut made = surface_mesh(&surface, name_if_loaded(surface.name()), file.parts().skeleton().len())?;
    // Without the bones, the mesh has no skin.
    made.skin = match file.skeleton() {
        Err(error) if matches!(error.kind(), ErrorKind::Incomplete { .. }) => None,
        skeleton => inverse_bind(&joints(skeleton?)),
    };
    Ok(Some(made))
}

/// A skeleton and its animations, without a mesh. It rests in frame 0 of the first animation, because the bone transforms of
/// some files are not the pose at rest, but lead to its inverse (docs/formats/unigine.md).
pub(super) fn animation_model(anim: Anim<'_, Partial>) -> Result<Model<'_>> {
    let mut model = Model::empty(Some(Format::Unigine), Space::UNIGINE);
    model.joints = joints(anim.skeleton()?);
    model.add_own(&Arc::new(anim))?;
    if let Some(animation) = model.animations.first() {
        let mut rest: Vec<Transform> = model.joints.iter().map(|joint| joint.rest).collect();
        animation.apply(0, &mut rest);
        model.joints.iter_mut().zip(rest).for_each(|(joint, rest)| joint.rest = rest);
    }
    Ok(model)
}

fn joints(skeleton: Skeleton<'_, '_>) -> Vec<Joint> {
    let bones = skeleton.bones().map(|bone| Joint {
        name: bone.name.to_text().into_owned(),
        parent: bone.parent,
        rest: transform(&bone.transform),
    });
    bones.collect()
}

/// The inverse bind matrix of each joint; the identity if its matrix at rest has no inverse. `None` without joints.
fn inverse_bind(joints: &[Joint]) -> Option<Arc<[[[f32; 4]; 4]]>> {
    if joints.is_empty() {
        return None;
    }
    let pose: Vec<Transform> = joints.iter().map(|joint| joint.rest).collect();
    let mut world = Vec::new();
    world_into(joints, &pose, &mut world);
    let inverse = world.iter().map(|matrix| {
        let inverse = Mat4::from_cols_array_2d(matrix).inverse();
        if inverse.is_finite() { inverse } else { Mat4::IDENTITY }.to_cols_array_2d()
    });
    Some(inverse.collect())
}
