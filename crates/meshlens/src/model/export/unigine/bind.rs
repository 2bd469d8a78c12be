//! The pose in which meshes are bound to their joints, for formats in which the skeleton at rest has this pose.

use alloc::vec::Vec;

use glam::{Mat4, Vec3};
use meshlens_wire::Result;

use crate::model::{Mesh, Model, Transform, joint_parents, unit_direction, world_into};

/// The joints of a model in the pose in which meshes are bound to them.
pub(super) struct Bind {
    /// The matrix of each joint in the space of the model.
    world: Vec<Mat4>,
    /// The transform of each joint, relative to its parent.
    pub(super) local: Vec<Transform>,
    /// Whether the pose differs from the pose at rest.
    pub(super) differs_from_rest: bool,
}

impl Bind {
    /// Computes the bind pose of each joint from the inverse bind matrix of the first mesh that the joint moves. Joints
    /// that move no mesh are at rest.
    ///
    /// # Errors
    ///
    /// The joints and weights of a mesh cannot be decoded.
    pub(super) fn new(model: &Model<'_>) -> Result<Bind> {
        let rest: Vec<Transform> = model.joints.iter().map(|joint| joint.rest).collect();
        let mut world = Vec::new();
        world_into(&model.joints, &rest, &mut world);
        let mut world: Vec<Mat4> = world.iter().map(Mat4::from_cols_array_2d).collect();
        let mut known = alloc::vec![false; world.len()];
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        let mut differs_from_rest = false;
        for mesh in &model.meshes {
            let Some(skin) = &mesh.skin else { continue };
            if !mesh.influences_into(&mut joints, &mut weights)? {
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
                let bound = Mat4::from_cols_array_2d(bind).inverse();
                if bound.is_finite() && !is_near(&bound, slot) {
                    *slot = bound;
                    differs_from_rest = true;
                }
            }
        }
        if !differs_from_rest {
            return Ok(Bind { world, local: rest, differs_from_rest });
        }
        let local = joint_parents(&model.joints).into_iter().enumerate().map(|(index, parent)| {
            // Every joint has a matrix. A parent that does not exist has the identity matrix.
            let own = world.get(index).copied().unwrap_or(Mat4::IDENTITY);
            let above = parent.and_then(|parent| world.get(parent)).copied();
            let above = above.unwrap_or(Mat4::IDENTITY);
            let (scale, rotation, translation) = (above.inverse() * own).to_scale_rotation_translation();
            Transform::new(translation.to_array(), rotation.to_array(), scale.to_array())
        });
        let local = local.collect();
        Ok(Bind { world, local, differs_from_rest })
    }

    /// For each point of a mesh that was bound in another pose, the matrix that moves it to this pose: the matrix of
    /// the joint with the largest weight. It is exact for points that one joint moves. `None` if no point has to move.
    pub(super) fn move_points(&self, mesh: &Mesh<'_>) -> Result<Option<Vec<Mat4>>> {
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        let Some(skin) = &mesh.skin else { return Ok(None) };
        if !mesh.influences_into(&mut joints, &mut weights)? {
            return Ok(None);
        }
        let moved: Vec<Mat4> = self
            .world
            .iter()
            .zip(skin.iter())
            .map(|(world, bind)| *world * Mat4::from_cols_array_2d(bind))
            .collect();
        let still = |(matrix, world): (&Mat4, &Mat4)| {
            !matrix.is_finite() || is_near(&(*matrix * *world), world) || is_near(matrix, &Mat4::IDENTITY)
        };
        let still: Vec<bool> = moved.iter().zip(&self.world).map(still).collect();
        let heaviest = joints.iter().zip(&weights).map(|(joints, weights)| {
            let pairs = joints.iter().zip(weights);
            let best = pairs.max_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(0, |(joint, _)| *joint);
            let best = usize::from(best);
            let matrix = moved.get(best).filter(|_| still.get(best) == Some(&false));
            matrix.copied().unwrap_or(Mat4::IDENTITY)
        });
        let all: Vec<Mat4> = heaviest.collect();
        Ok(all.iter().any(|matrix| *matrix != Mat4::IDENTITY).then_some(all))
    }
}

/// Whether two matrices are equal except for rounding, which is relative to the largest component.
fn is_near(a: &Mat4, b: &Mat4) -> bool {
    let size = b.to_cols_array().into_iter().fold(1.0f32, |size, value| size.max(value.abs()));
    a.abs_diff_eq(*b, 1e-4 * size)
}

/// Moves a position and a normal by a matrix.
pub(super) fn moved(matrix: &Mat4, position: &mut [f32; 3], normal: &mut [f32; 3]) {
    *position = matrix.transform_point3(Vec3::from(*position)).to_array();
    let turned = matrix.transform_vector3(Vec3::from(*normal)).to_array();
    *normal = unit_direction(turned).unwrap_or(*normal);
}
