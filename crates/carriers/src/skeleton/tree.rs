//! The tree of joints: each one turns around a point of its parent.

use glam::{DAffine3, DMat3, DVec3};

use super::fit::Fit;
use super::largest;

/// A joint, its parent, and the point around which it turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pin {
    pub(crate) joint: usize,
    pub(crate) parent: usize,
    /// The point at rest.
    pub(crate) pivot: DVec3,
}

/// The point that two joints move most alike, and its gap. `near` is where it is if every point is as good.
pub(crate) fn pivot(a: &[DAffine3], b: &[DAffine3], near: DVec3) -> (DVec3, f64) {
    let (mut matrix, mut right) = (DMat3::ZERO, DVec3::ZERO);
    for (a, b) in a.iter().zip(b) {
        let (turn, shift) = (a.matrix3 - b.matrix3, a.translation - b.translation);
        matrix += turn.transpose() * turn;
        right -= turn.transpose() * shift;
    }
    let frames = a.len().max(1) as f64;
    let keep = 1e-2 * (matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z) + 1e-6 * frames;
    let solved = (matrix + DMat3::from_diagonal(DVec3::splat(keep))).inverse() * (right + near * keep);
    let pivot = if solved.is_finite() { solved } else { near };
    let squares =
        a.iter().zip(b).map(|(a, b)| a.transform_point3(pivot).distance_squared(b.transform_point3(pivot)));
    (pivot, (squares.sum::<f64>() / frames).sqrt())
}

/// The tree whose joints have the smallest gaps: a pin for each joint except the root, parents before children.
pub(crate) fn tree(fit: &Fit<'_>) -> Vec<Pin> {
    let moved = fit.moved_by();
    let weight =
        |joint: usize| moved[joint].iter().map(|(point, w)| fit.motion.copies[*point] * w * w).sum::<f64>();
    let weights: Vec<f64> = (0..moved.len()).map(weight).collect();
    let centre = |joint: usize| {
        let sum = moved[joint]
            .iter()
            .fold((DVec3::ZERO, 0.0), |(sum, total), (point, w)| (sum + fit.rest[*point] * *w, total + w));
        if sum.1 > 0.0 { sum.0 / sum.1 } else { DVec3::ZERO }
    };
    let centres: Vec<DVec3> = (0..moved.len()).map(centre).collect();
    let count = moved.len();
    // Where each pair of joints moves the same points.
    let mut shared = vec![(DVec3::ZERO, 0.0); count * count];
    for (point, influences) in fit.influences.iter().enumerate() {
        for (a, wa) in influences.iter() {
            for (b, wb) in influences.iter() {
                let sum = &mut shared[a * count + b];
                *sum = (sum.0 + fit.rest[point] * (wa * wb), sum.1 + wa * wb);
            }
        }
    }
    let root = largest(count, |joint| weights[joint]);
    let pin = |joint: usize, parent: usize| {
        let (sum, total) = shared[joint * count + parent];
        let near = if total > 0.0 { sum / total } else { centres[joint] };
        let (pivot, gap) = pivot(&fit.joints[joint], &fit.joints[parent], near);
        // A pivot far from the points of the joint is a worse one.
        let far = pivot.distance(centres[joint]);
        (gap + 0.01 * far + if total > 0.0 { 0.0 } else { 0.02 * far }, Pin { joint, parent, pivot })
    };
    let mut best: Vec<Option<(f64, Pin)>> =
        (0..count).map(|joint| (joint != root).then(|| pin(joint, root))).collect();
    let mut pins = Vec::new();
    for _ in 1..count {
        let mut next: Option<(f64, Pin)> = None;
        for found in best.iter().flatten() {
            if next.is_none_or(|next| found.0 < next.0) {
                next = Some(*found);
            }
        }
        let Some((_, pinned)) = next else { break };
        pins.push(pinned);
        best[pinned.joint] = None;
        for (joint, best) in best.iter_mut().enumerate() {
            if let Some(old) = best {
                let other = pin(joint, pinned.joint);
                if other.0 < old.0 {
                    *old = other;
                }
            }
        }
    }
    pins
}
