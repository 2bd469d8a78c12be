//! Sums over the points of a fit, from which the best transforms of all joints follow without another look at the points.

use std::collections::BTreeMap;

use glam::{DAffine3, DMat4, DVec3, DVec4};

use super::fit::Fit;
use super::rigid::Moments;

/// A value for each axis.
pub(crate) type Axes = [DVec4; 3];

/// The rows of a transform.
pub(crate) fn rows(of: &DAffine3) -> Axes {
    let [x, y, z] = [of.matrix3.x_axis, of.matrix3.y_axis, of.matrix3.z_axis];
    let row = |axis: usize| DVec4::new(x[axis], y[axis], z[axis], of.translation[axis]);
    [row(0), row(1), row(2)]
}

/// The sums of a fit whose weights and positions at rest stay. A point is `(x, y, z, 1)`.
pub(crate) struct Sums {
    frames: usize,
    /// For each joint, the joints that move points with it, itself among them: the sums of the products of both weights
    /// and of the point with itself.
    pub(crate) shared: Vec<Vec<(usize, DMat4)>>,
    /// For each joint and frame, for each axis: the sum of the products of weight, point, and where the point is.
    wanted: Vec<Axes>,
}

impl Sums {
    pub(crate) fn new(fit: &Fit<'_>) -> Sums {
        let (joints, frames) = (fit.joints.len(), fit.motion.frames);
        let mut shared: Vec<BTreeMap<usize, DMat4>> = vec![BTreeMap::new(); joints];
        let mut wanted = vec![[DVec4::ZERO; 3]; joints * frames];
        for (point, influences) in fit.influences.iter().enumerate() {
            let rest = fit.rest[point].extend(1.0);
            let scale = fit.motion.copies[point] * fit.stress[point];
            let square = DMat4::from_cols(rest * rest.x, rest * rest.y, rest * rest.z, rest);
            for (a, wa) in influences.iter() {
                for (b, wb) in influences.iter() {
                    *shared[a].entry(b).or_insert(DMat4::ZERO) += square * (wa * wb * scale);
                }
                let weighted = rest * (wa * scale);
                let sums = &mut wanted[a * frames..][..frames];
                for (sums, at) in sums.iter_mut().zip(fit.motion.path(point)) {
                    sums[0] += weighted * at.x;
                    sums[1] += weighted * at.y;
                    sums[2] += weighted * at.z;
                }
            }
        }
        let shared = shared.into_iter().map(|with| with.into_iter().collect()).collect();
        Sums { frames, shared, wanted }
    }

    fn own(&self, joint: usize) -> DMat4 {
        let mut with = self.shared[joint].iter();
        with.find(|(other, _)| *other == joint).map_or(DMat4::ZERO, |(_, square)| *square)
    }

    /// The sums of where the points of a joint are in a frame.
    pub(crate) fn wanted(&self, joint: usize, frame: usize) -> Axes {
        self.wanted[joint * self.frames + frame]
    }

    /// The pairs of points for the transform of a joint in each frame, while the other joints stay.
    pub(crate) fn moments(&self, joint: usize, joints: &[Vec<DAffine3>]) -> Vec<Moments> {
        let own = self.own(joint);
        (0..self.frames)
            .map(|frame| {
                let mut left = self.wanted(joint, frame);
                for (other, square) in self.shared[joint].iter().filter(|(other, _)| *other != joint) {
                    for (left, row) in left.iter_mut().zip(rows(&joints[*other][frame])) {
                        *left -= *square * row;
                    }
                }
                let to = DVec3::new(left[0].w, left[1].w, left[2].w);
                Moments::new(own.w_axis.w, own.w_axis.truncate(), to, left.map(DVec4::truncate))
            })
            .collect()
    }
}
