//! Uniform scales of joints at rest, moved into translations: bones of Blender and of many engines have no scale.

use alloc::vec::Vec;

use glam::{Mat4, Vec3};

use super::skeleton::{Joint, Transform, world_into};

/// Scales whose relative difference is below this are equal. It is the rounding of the coarsest encoding of keys (16
/// bits).
const TOLERANCE: f32 = 2e-5;

/// The uniform scale of each joint at rest, for writing a skeleton without these scales.
///
/// With `S` the product of the scales of a joint and its ancestors, every matrix of the joint becomes `world * 1/S`:
/// a translation is multiplied by the `S` of the parent, a scale is divided by the scale of the joint at rest, and the inverse
/// bind matrix is multiplied by `S`. Skinned positions stay the same in every pose.
///
/// ```
/// use meshlens::model::{Joint, JointScales, Transform};
///
/// let joint = |parent, scale, x| Joint {
///     name: String::new(),
///     parent,
///     rest: Transform { translation: [x, 0.0, 0.0], scale: [scale; 3], ..Transform::IDENTITY },
/// };
/// let joints = [joint(None, 0.5, 1.0), joint(Some(0), 1.0, 4.0)];
/// let scales = JointScales::at_rest(&joints);
/// let unscaled = scales.unscale(1, &joints[1].rest);
/// assert_eq!((unscaled.translation, unscaled.scale), ([2.0, 0.0, 0.0], [1.0; 3]));
/// assert_eq!(scales.unscale(0, &joints[0].rest).scale, [1.0; 3]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointScales {
    /// The scale of each joint; 1 if it is not uniform and positive.
    own: Vec<f32>,
    /// The product of the scales of each joint and its ancestors.
    total: Vec<f32>,
}

impl JointScales {
    /// The scales of joints at rest. O(joints).
    pub fn at_rest(joints: &[Joint]) -> JointScales {
        let own: Vec<f32> = joints.iter().map(|joint| uniform(joint.rest.scale).unwrap_or(1.0)).collect();
        let scaled = |own: &f32| Transform { scale: [*own; 3], ..Transform::IDENTITY };
        let pose: Vec<Transform> = own.iter().map(scaled).collect();
        let mut world = Vec::new();
        world_into(joints, &pose, &mut world);
        let total: Vec<f32> = world.iter().map(|[[x, ..], ..]| *x).collect();
        // Products that overflow or underflow are not moved.
        let sane = |total: &f32| total.is_finite() && *total > f32::MIN_POSITIVE;
        if !total.iter().all(sane) {
            return JointScales {
                own: alloc::vec![1.0; joints.len()],
                total: alloc::vec![1.0; joints.len()],
            };
        }
        JointScales { own, total }
    }

    /// The number of joints whose scale is moved. O(joints).
    pub fn count(&self) -> usize {
        self.own.iter().filter(|own| !is_one(**own)).count()
    }

    /// The transform of a joint, at rest or at a key, without the scale of the joint at rest. The scale of the result
    /// is 1, unless the scale is not uniform or differs from the scale at rest.
    pub fn unscale(&self, joint: usize, transform: &Transform) -> Transform {
        let own = self.own.get(joint).copied().unwrap_or(1.0);
        let total = self.total.get(joint).copied().unwrap_or(1.0);
        let scale = transform.scale.map(|axis| axis / own);
        Transform {
            translation: transform.translation.map(|axis| axis * (total / own)),
            rotation: transform.rotation,
            scale: if scale.into_iter().all(is_one) { [1.0; 3] } else { scale },
        }
    }

    /// The inverse bind matrix of a joint without its scale. Matrices are column-major.
    pub fn unscale_bind(&self, joint: usize, matrix: [[f32; 4]; 4]) -> [[f32; 4]; 4] {
        match self.total.get(joint).copied() {
            Some(total) if total != 1.0 => {
                let scale = Mat4::from_scale(Vec3::splat(total));
                (scale * Mat4::from_cols_array_2d(&matrix)).to_cols_array_2d()
            }
            _ => matrix,
        }
    }
}

/// The factor along all axes, if they are equal and positive.
pub(super) fn uniform(scale: [f32; 3]) -> Option<f32> {
    let scale = Vec3::from(scale);
    let (min, max) = (scale.min_element(), scale.max_element());
    let same = scale.is_finite() && min > 0.0 && max - min <= TOLERANCE * max;
    same.then_some(if scale.x == scale.y && scale.y == scale.z { scale.x } else { (min + max) * 0.5 })
}

fn is_one(scale: f32) -> bool {
    (scale - 1.0).abs() <= TOLERANCE
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;

    fn joint(parent: Option<usize>, rest: Transform) -> Joint {
        Joint { name: alloc::string::String::new(), parent, rest }
    }

    fn transform(scale: [f32; 3], angle: f32, translation: [f32; 3]) -> Transform {
        Transform { translation, rotation: Quat::from_rotation_z(angle).to_array(), scale }
    }

    #[test]
    fn removed_joint_scales_leave_points_unchanged() {
        // Children before their parents, a scale on each, and one that is not uniform.
        let joints = [
            joint(Some(1), transform([4.0; 3], 0.3, [1.0, 2.0, 3.0])),
            joint(Some(2), transform([0.5; 3], -1.1, [0.0, 5.0, 0.0])),
            joint(None, transform([10.0; 3], 0.7, [-2.0, 0.0, 1.0])),
            joint(Some(0), transform([1.0, 2.0, 1.0], 0.1, [1.0, 0.0, 0.0])),
        ];
        let scales = JointScales::at_rest(&joints);
        assert_eq!((scales.total.as_slice(), scales.count()), ([20.0, 5.0, 10.0, 20.0].as_slice(), 3));
        // A pose in which one scale changes.
        let mut pose: Vec<Transform> = joints.iter().map(|joint| joint.rest).collect();
        pose[1] = transform([0.25; 3], 0.4, [1.0, 4.0, 0.0]);
        pose[0].rotation = Quat::from_rotation_x(1.0).to_array();
        let unscaled: Vec<Transform> =
            pose.iter().enumerate().map(|(index, transform)| scales.unscale(index, transform)).collect();
        let of = |index: usize| unscaled[index].scale;
        assert_eq!([of(0), of(1), of(2)], [[1.0; 3], [0.5; 3], [1.0; 3]]);
        assert_eq!(of(3), [1.0, 2.0, 1.0]);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        world_into(&joints, &pose, &mut before);
        world_into(&joints, &unscaled, &mut after);
        let bind = Mat4::from_rotation_translation(Quat::from_rotation_y(0.2), Vec3::new(0.1, 0.2, 0.3));
        let point = Vec3::new(0.5, -0.25, 2.0);
        for (index, (before, after)) in before.iter().zip(&after).enumerate() {
            let wanted = (Mat4::from_cols_array_2d(before) * bind).transform_point3(point);
            let bind = Mat4::from_cols_array_2d(&scales.unscale_bind(index, bind.to_cols_array_2d()));
            let found = (Mat4::from_cols_array_2d(after) * bind).transform_point3(point);
            assert!(found.abs_diff_eq(wanted, 1e-4), "{index}: {found} {wanted}");
        }
    }

    #[test]
    fn only_uniform_positive_scales_are_removed() {
        assert_eq!(uniform([1.0, 1.00001, 1.0]).map(|s| s > 0.999 && s < 1.001), Some(true));
        for scale in [[1.0, 2.0, 1.0], [0.0; 3], [-1.0; 3], [f32::NAN, 1.0, 1.0], [f32::INFINITY; 3]] {
            assert_eq!(uniform(scale), None, "{scale:?}");
        }
        let tiny = joint(None, transform([1e-30; 3], 0.0, [0.0; 3]));
        let joints = [tiny.clone(), Joint { parent: Some(0), ..tiny }];
        assert_eq!(JointScales::at_rest(&joints).count(), 0, "1e-60 is no float");
    }
}
