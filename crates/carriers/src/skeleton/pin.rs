//! The point around which a joint turns.

use glam::{DAffine3, DVec3};

use super::rigid::Moments;

/// A joint, its parent, and the point around which it turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pin {
    pub(crate) joint: usize,
    pub(crate) parent: usize,
    /// The point at rest.
    pub(crate) pivot: DVec3,
    /// How far the point of the joint and of the parent are apart: the root mean square of all frames.
    pub(crate) gap: f64,
    /// The weight of the point in the fit.
    pub(crate) strength: f64,
}

impl Pin {
    /// Adds the point to the sums of a joint of the pin.
    pub(crate) fn hold(&self, joint: usize, joints: &[Vec<DAffine3>], sums: &mut [Moments]) {
        let other = match joint {
            joint if joint == self.joint => self.parent,
            joint if joint == self.parent => self.joint,
            _ => return,
        };
        for (sums, transform) in sums.iter_mut().zip(&joints[other]) {
            sums.add(self.pivot, transform.transform_point3(self.pivot), self.strength);
        }
    }
}
