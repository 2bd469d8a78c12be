//! The fit with joints that turn around points of their parents. Each step is exact: it finds the rotations, pivots, weights or
//! positions at rest that are best while everything else stays.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::fit::Fit;
use super::pin::Pin;
use super::rigid::Moments;
use super::tree::pivot;

/// A joint of the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// The index of the parent, which is smaller; `None` for the root.
    pub(crate) parent: Option<usize>,
    /// The point around which the joint turns, at rest.
    pub(crate) pivot: DVec3,
    /// Whether the joint also moves away from its parent.
    pub(crate) slides: bool,
}

/// Orders the joints of a fit, parents first, and moves those that do not slide to their parents.
pub(crate) fn tie(fit: &mut Fit<'_>, pins: &[Pin], slides: impl Fn(&Pin) -> bool) -> Vec<Link> {
    let children: Vec<usize> = pins.iter().map(|pin| pin.joint).collect();
    let root = (0..fit.joints.len()).find(|joint| !children.contains(joint)).unwrap_or(0);
    let mut order = vec![root];
    order.extend(&children);
    let mut numbers = vec![0u16; order.len()];
    for (new, old) in order.iter().enumerate() {
        numbers[*old] = new as u16;
    }
    fit.joints = order.iter().map(|old| fit.joints[*old].clone()).collect();
    fit.influences.iter_mut().for_each(|influences| influences.renumber(|joint| numbers[joint]));
    let centre = fit.rest.iter().sum::<DVec3>() / fit.rest.len().max(1) as f64;
    let mut links = vec![Link { parent: None, pivot: centre, slides: true }];
    links.extend(pins.iter().map(|pin| Link {
        parent: Some(usize::from(numbers[pin.parent])),
        pivot: pin.pivot,
        slides: slides(pin),
    }));
    for joint in 0..links.len() {
        attach(fit, &links, joint);
    }
    fit.move_points();
    links
}

/// Moves a joint to its parent.
fn attach(fit: &mut Fit<'_>, links: &[Link], joint: usize) {
    let Link { parent: Some(parent), pivot, slides: false } = links[joint] else { return };
    let (parents, joints) = fit.joints.split_at_mut(joint);
    for (parent, own) in parents[parent].iter().zip(&mut joints[0]) {
        own.translation += parent.transform_point3(pivot) - own.transform_point3(pivot);
    }
}

/// Whether a joint is another one or below it, for every joint.
fn below(links: &[Link], joint: usize) -> Vec<bool> {
    let mut below = vec![false; links.len()];
    for (index, link) in links.iter().enumerate() {
        below[index] = index == joint || link.parent.is_some_and(|parent| below[parent]);
    }
    below
}

/// Improves weights, then every joint, then the pivots and the positions at rest.
pub(crate) fn turn(fit: &mut Fit<'_>, links: &mut [Link]) {
    fit.weigh();
    turn_all(fit, links);
    turn_all(fit, links);
    for joint in 1..links.len() {
        if !links[joint].slides {
            shift_pivot(fit, links, joint);
        }
    }
    fit.relax();
}

/// Turns every joint, parents first.
pub(crate) fn turn_all(fit: &mut Fit<'_>, links: &[Link]) {
    for joint in 0..links.len() {
        turn_joint(fit, links, joint);
    }
}

/// Ties joints that were added to the fit to the joints that move the points around them.
pub(crate) fn tie_new(fit: &mut Fit<'_>, links: &mut Vec<Link>) {
    let tied = links.len();
    let old = fit.influences.clone();
    fit.weigh();
    for joint in tied..fit.joints.len() {
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        let mut before = vec![0.0; tied];
        for (point, influences) in fit.influences.iter().enumerate() {
            for (_, weight) in influences.iter().filter(|(other, _)| *other == joint) {
                sum += fit.rest[point] * weight;
                total += weight;
                old[point].iter().for_each(|(other, share)| before[other] += weight * share);
            }
        }
        let mut parent = 0;
        for other in 1..tied {
            if before[other] > before[parent] {
                parent = other;
            }
        }
        let near = if total > 0.0 { sum / total } else { fit.rest[0] };
        let (pivot, _) = pivot(&fit.joints[joint], &fit.joints[parent], near);
        links.push(Link { parent: Some(parent), pivot, slides: false });
        attach(fit, links, joint);
    }
    fit.move_points();
}

/// Turns a joint, and all joints below it with it.
fn turn_joint(fit: &mut Fit<'_>, links: &[Link], joint: usize) {
    let frames = fit.motion.frames;
    let below = below(links, joint);
    let link = links[joint];
    // Where the pivot of the joint is in each frame.
    let centres: Vec<DVec3> = fit.joints[joint].iter().map(|own| own.transform_point3(link.pivot)).collect();
    let mut sums = vec![Moments::default(); frames];
    let mut shares = Vec::new();
    for point in 0..fit.rest.len() {
        let part: Vec<(usize, f64)> =
            fit.influences[point].iter().filter(|(joint, _)| below[*joint]).collect();
        let share: f64 = part.iter().map(|(_, weight)| weight).sum();
        if share <= 1e-9 {
            continue;
        }
        let (rest, copies) = (fit.rest[point], fit.motion.copies[point]);
        for frame in 0..frames {
            let own = part.iter().fold(DVec3::ZERO, |sum, (joint, weight)| {
                sum + fit.joints[*joint][frame].transform_point3(rest) * *weight
            });
            let wanted = own + fit.motion.paths[point * frames + frame] - fit.moved(point)[frame];
            let centre = centres[frame] * share;
            let (from, to) = ((own - centre) / share, (wanted - centre) / share);
            if link.slides {
                sums[frame].add(from, to, copies * share * share);
            } else {
                sums[frame].add_turn(from, to, copies * share * share);
            }
        }
        shares.push((point, part));
    }
    if shares.is_empty() {
        return;
    }
    let steps: Vec<DAffine3> = sums
        .iter()
        .zip(&centres)
        .map(|(sums, centre)| {
            let rigid = sums.rigid();
            let shift = *centre + rigid.translation - rigid.rotation * *centre;
            DAffine3::from_rotation_translation(rigid.rotation, shift)
        })
        .collect();
    for (point, part) in &shares {
        let rest = fit.rest[*point];
        for (frame, step) in steps.iter().enumerate() {
            let change = part.iter().fold(DVec3::ZERO, |sum, (joint, weight)| {
                let old = fit.joints[*joint][frame].transform_point3(rest);
                sum + (step.transform_point3(old) - old) * *weight
            });
            fit.moved_mut(*point)[frame] += change;
        }
    }
    for (joint, _) in below.iter().enumerate().filter(|(_, below)| **below) {
        for (own, step) in fit.joints[joint].iter_mut().zip(&steps) {
            *own = *step * *own;
            // Products of many rotations stay rotations.
            own.matrix3 = DMat3::from_quat(DQuat::from_mat3(&own.matrix3).normalize());
        }
    }
}

/// Finds the best pivot of a joint.
fn shift_pivot(fit: &mut Fit<'_>, links: &mut [Link], joint: usize) {
    let frames = fit.motion.frames;
    let Some(parent) = links[joint].parent else { return };
    let below = below(links, joint);
    // The change of every point below for each change of the pivot.
    let slopes: Vec<DMat3> = fit.joints[parent]
        .iter()
        .zip(&fit.joints[joint])
        .map(|(parent, own)| parent.matrix3 - own.matrix3)
        .collect();
    let (mut matrix, mut right, mut total) = (DMat3::ZERO, DVec3::ZERO, 0.0);
    let share = |fit: &Fit<'_>, point: usize| -> f64 {
        fit.influences[point].iter().filter(|(joint, _)| below[*joint]).map(|(_, weight)| weight).sum()
    };
    let mut squares = vec![0.0; frames];
    let mut errors = vec![DVec3::ZERO; frames];
    for point in 0..fit.rest.len() {
        let share = share(fit, point);
        let copies = fit.motion.copies[point];
        if share > 1e-9 {
            for frame in 0..frames {
                squares[frame] += copies * share * share;
                errors[frame] += (fit.motion.path(point)[frame] - fit.moved(point)[frame]) * (copies * share);
            }
        }
    }
    for (frame, slope) in slopes.iter().enumerate() {
        matrix += slope.transpose() * *slope * squares[frame];
        right += slope.transpose() * errors[frame];
        total += squares[frame];
    }
    let keep = 1e-3 * total + 1e-12;
    let shift = (matrix + DMat3::from_diagonal(DVec3::splat(keep))).inverse() * right;
    if !shift.is_finite() {
        return;
    }
    links[joint].pivot += shift;
    for (joint, _) in below.iter().enumerate().filter(|(_, below)| **below) {
        for (own, slope) in fit.joints[joint].iter_mut().zip(&slopes) {
            own.translation += *slope * shift;
        }
    }
    for point in 0..fit.rest.len() {
        let share = share(fit, point);
        if share > 1e-9 {
            for (moved, slope) in fit.moved_mut(point).iter_mut().zip(&slopes) {
                *moved += *slope * shift * share;
            }
        }
    }
}
