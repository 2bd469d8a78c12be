//! The joints that move the points of a mesh.

use alloc::vec::Vec;

/// Up to four joints that move each point of a mesh, and their weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Influences {
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
    /// The largest index of a joint; `None` if a weight is negative or NaN, or if no joint moves a point.
    largest: Option<u16>,
}

impl Influences {
    /// Weights that are not positive have no effect. O(points).
    pub fn new(joints: Vec<[u16; 4]>, weights: Vec<[f32; 4]>) -> Self {
        let are_weights = |weights: &[f32; 4]| {
            weights.iter().all(|weight| *weight >= 0.0) && weights.iter().any(|weight| *weight > 0.0)
        };
        let are_plain = joints.len() == weights.len() && weights.iter().all(are_weights);
        let largest = joints.as_flattened().iter().copied().max().filter(|_| are_plain);
        Influences { joints, weights, largest }
    }

    /// The joints of each point.
    pub fn joints(&self) -> &[[u16; 4]] {
        &self.joints
    }

    /// The weights of the joints of each point.
    pub fn weights(&self) -> &[[f32; 4]] {
        &self.weights
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.joints.len().min(self.weights.len())
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline(always)]
    pub(crate) fn of(&self, point: usize) -> Option<(&[u16; 4], &[f32; 4])> {
        Some((self.joints.get(point)?, self.weights.get(point)?))
    }

    /// Whether every joint is below `matrices`, and the weights of each point are positive or 0.
    pub(crate) fn are_plain(&self, matrices: usize) -> bool {
        self.largest.is_some_and(|largest| usize::from(largest) < matrices)
    }
}

/// The joints of a mesh in a pose.
#[derive(Clone, Copy, Debug)]
pub struct Skin<'a> {
    /// The joints that move each point. Joints without a matrix have no effect.
    pub influences: &'a Influences,
    /// The matrix of each joint, column-major: from the bind pose to the pose. A matrix that is not finite may also move points
    /// that name its joint with weight 0.
    pub matrices: &'a [[[f32; 4]; 4]],
}
