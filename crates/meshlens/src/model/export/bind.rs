//! The pose that meshes are bound in, for formats whose skeleton at rest is that pose.

use alloc::vec::Vec;

use glam::{Mat4, Vec3};

use super::super::{Mesh, Model, Transform, world_into};

/// A model's joints while its meshes are bound to them: where each is, and local to its parent.
pub(super) struct Bind {
    world: Vec<Mat4>,
    /// One for each joint.
    pub(super) local: Vec<Transform>,
    /// Whether it is another pose than that at rest.
    pub(super) is_apart: bool,
}

#[allow(clippy::arithmetic_side_effects, reason = "floats")]
impl Bind {
    /// The bind matrix of the first mesh that a joint moves tells where the joint was; others are where they rest.
    pub(super) fn new(model: &Model<'_>) -> Bind {
        let rest: Vec<Transform> = model.joints.iter().map(|joint| joint.rest).collect();
        let mut world = Vec::new();
        world_into(&model.joints, &rest, &mut world);
        let mut known = alloc::vec![false; world.len()];
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        let mut is_apart = false;
        for mesh in &model.meshes {
            let Some(skin) = &mesh.skin else { continue };
            if !mesh.influences_into(&mut joints, &mut weights) {
                continue;
            }
            let moving = joints.iter().flatten().zip(weights.iter().flatten()).filter(|(_, w)| **w > 0.0);
            for joint in moving.map(|(joint, _)| usize::from(*joint)) {
                let (Some(known), Some(bind), Some(slot)) =
                    (known.get_mut(joint), skin.get(joint), world.get_mut(joint))
                else {
                    continue;
                };
                if *known {
                    continue;
                }
                *known = true;
                let bound = bind.inverse();
                if bound.is_finite() && !bound.abs_diff_eq(*slot, 1e-4) {
                    *slot = bound;
                    is_apart = true;
                }
            }
        }
        if !is_apart {
            return Bind { world, local: rest, is_apart };
        }
        let local = model.joints.iter().enumerate().map(|(index, joint)| {
            let own = world.get(index).copied().unwrap_or_default();
            let above = joint.parent.and_then(|parent| world.get(parent)).copied().unwrap_or_default();
            let (scale, rotation, translation) = (above.inverse() * own).to_scale_rotation_translation();
            Transform::new(translation.to_array(), rotation.to_array(), scale.to_array())
        });
        let local = local.collect();
        Bind { world, local, is_apart }
    }

    /// Moves points of a mesh that was bound elsewhere to where they belong in this pose: as the joint that moves each the
    /// most would. What one joint moves alone ends exactly where it did.
    /// `None` where nothing has to move.
    pub(super) fn move_points(&self, mesh: &Mesh<'_>) -> Option<Vec<Mat4>> {
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        let skin = mesh.skin.as_ref().filter(|_| mesh.influences_into(&mut joints, &mut weights))?;
        let moved: Vec<Mat4> =
            self.world.iter().zip(skin.iter()).map(|(world, bind)| *world * *bind).collect();
        let still = |matrix: &Mat4| matrix.abs_diff_eq(Mat4::IDENTITY, 1e-4) || !matrix.is_finite();
        let heaviest = joints.iter().zip(&weights).map(|(joints, weights)| {
            let pairs = joints.iter().zip(weights);
            let best = pairs.max_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(0, |(joint, _)| *joint);
            moved.get(usize::from(best)).copied().filter(|matrix| !still(matrix)).unwrap_or_default()
        });
        let all: Vec<Mat4> = heaviest.collect();
        all.iter().any(|matrix| *matrix != Mat4::IDENTITY).then_some(all)
    }
}

/// A position and a normal moved by a matrix.
pub(super) fn moved(matrix: &Mat4, position: &mut [f32; 3], normal: &mut [f32; 3]) {
    *position = matrix.transform_point3(Vec3::from(*position)).to_array();
    let turned = matrix.transform_vector3(Vec3::from(*normal)).try_normalize();
    *normal = turned.map_or(*normal, |turned| turned.to_array());
}
