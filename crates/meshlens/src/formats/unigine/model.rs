//! UNIGINE as a model: surfaces are meshes that bones move, and morph targets are frames.

use alloc::sync::Arc;
use alloc::vec::Vec;

use glam::Mat4;
use meshlens_unigine::{Anim, Mesh as UnigineFile, Skeleton};
use meshlens_wire::Result;

use super::animations::transform;
use super::mesh::surface_mesh;
use crate::Format;
use crate::model::{Joint, Material, Mesh, Model, Space, Transform, world_into};

pub(super) fn model(mesh: UnigineFile<'_>) -> Result<Model<'_>> {
    let mut model = Model::empty(Some(Format::Unigine), Space::UNIGINE);
    model.joints = joints(mesh.skeleton());
    let skin = inverse_bind(&model.joints);
    for surface in mesh.surfaces() {
        // The file has no materials: engines assign them by the names of surfaces.
        let material = model.materials.len();
        let mut made = surface_mesh(&surface, model.joints.len())?;
        model.materials.push(Material::new(made.name.clone()));
        made.material = Some(material);
        made.skin.clone_from(&skin);
        model.meshes.push(made);
    }
    let count = mesh.animation_count();
    let mesh = Arc::new(mesh);
    model.add_own(&mesh, count)?;
    model.set_losses(move |losses| meshlens_unigine::losses(&mesh, losses));
    Ok(model)
}

/// One mesh, with a skin if the skeleton is loaded.
pub(super) fn mesh<'a>(file: &UnigineFile<'a>, index: usize) -> Result<Option<Mesh<'a>>> {
    let Some(surface) = file.surface(index) else { return Ok(None) };
    let mut made = surface_mesh(&surface, file.skeleton().len())?;
    if file.skeleton().transform(0).is_some() {
        made.skin = inverse_bind(&joints(file.skeleton()));
    }
    Ok(Some(made))
}

/// A skeleton and its animations, without a mesh.
pub(super) fn animation_model(anim: Anim<'_>) -> Result<Model<'_>> {
    let mut model = Model::empty(Some(Format::Unigine), Space::UNIGINE);
    model.joints = joints(anim.skeleton());
    let count = anim.animation_count();
    model.add_own(&Arc::new(anim), count)?;
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
