//! The state of a node: its transform to its parent, and the weights of its mesh.

use glam::{Mat4, Quat, Vec3};
use meshlens::model::Transform;

/// A normalized rotation. A quaternion of length 0 becomes the identity.
pub(super) fn rotation(q: [f32; 4]) -> Quat {
    let q = Quat::from_array(q);
    let length = q.length();
    if length > 1e-6 && length.is_finite() { q / length } else { Quat::IDENTITY }
}

/// A node's state at a time.
#[derive(Clone)]
pub(super) struct State {
    pub(super) translation: Vec3,
    pub(super) rotation: Quat,
    pub(super) scale: Vec3,
    pub(super) weights: Vec<f32>,
}

impl State {
    /// The transform to the parent.
    pub(super) fn matrix(&self) -> Mat4 {
        Mat4::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    pub(super) fn set_transform(&mut self, transform: &Transform) {
        (self.translation, self.scale) = (transform.translation.into(), transform.scale.into());
        self.rotation = Quat::from_array(transform.rotation);
    }

    /// The transform to the parent.
    pub(super) fn transform(&self) -> Transform {
        Transform {
            translation: self.translation.into(),
            rotation: self.rotation.into(),
            scale: self.scale.into(),
        }
    }
}
