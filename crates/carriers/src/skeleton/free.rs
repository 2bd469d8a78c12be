//! Joints without a tree: each one moves freely in every frame.

use super::fit::{Fit, affine};
use super::sums::Sums;

/// The sweeps of a turn.
const SWEEPS: usize = 4;

/// The sweeps until transforms fit together.
const SETTLED: usize = 16;

/// Improves the positions at rest, if wanted, and the weights, then transforms. `all` looks at all joints for each point.
pub(crate) fn turn(fit: &mut Fit<'_>, with_rest: bool, all: bool) {
    fit.improve_points(with_rest, all);
    let sums = Sums::new(fit);
    (0..SWEEPS).for_each(|_| sweep(fit, &sums));
}

/// Finds transforms that fit together, while the weights and positions at rest stay.
pub(crate) fn settle(fit: &mut Fit<'_>) {
    let sums = Sums::new(fit);
    (0..SETTLED).for_each(|_| sweep(fit, &sums));
}

/// Finds the best transforms of one joint after the other, in all frames.
fn sweep(fit: &mut Fit<'_>, sums: &Sums) {
    // It takes this many times longer than a sum for a point.
    fit.work += (20 * fit.joints.len() * fit.motion.frames) as u64;
    for joint in 0..fit.joints.len() {
        let moments = sums.moments(joint, &fit.joints);
        if moments.first().is_some_and(|moments| moments.weight() > 0.0) {
            fit.joints[joint] = moments.iter().map(affine).collect();
        }
    }
}
