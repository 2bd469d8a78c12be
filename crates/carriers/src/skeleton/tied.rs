//! The fit with joints that turn around points of their parents. Each step is exact: it finds the rotations, pivots, weights or
//! positions at rest that are best while everything else stays.

use glam::{DAffine3, DMat3, DQuat, DVec3, DVec4};

use super::fit::Fit;
use super::rigid::Moments;
use super::sums::{Sums, rows};
use super::tree::{Pin, pivot};

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

/// Orders the joints of a fit, parents first. All of them slide.
pub(crate) fn link(fit: &mut Fit<'_>, pins: &[Pin]) -> Vec<Link> {
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
    fit.candidates.iter_mut().flatten().for_each(|joint| *joint = numbers[usize::from(*joint)]);
    let centre = fit.rest.iter().sum::<DVec3>() / fit.rest.len().max(1) as f64;
    let mut links = vec![Link { parent: None, pivot: centre, slides: true }];
    links.extend(pins.iter().map(|pin| Link {
        parent: Some(usize::from(numbers[pin.parent])),
        pivot: pin.pivot,
        slides: true,
    }));
    links
}

/// Ties joints to their parents: they no longer slide.
pub(crate) fn tie(fit: &mut Fit<'_>, links: &mut [Link], joints: &[usize]) {
    for joint in joints {
        let Link { parent: Some(parent), pivot: near, .. } = links[*joint] else { continue };
        let (pivot, _) = pivot(&fit.joints[*joint], &fit.joints[parent], near);
        links[*joint] = Link { pivot, slides: false, ..links[*joint] };
    }
    for joint in 0..links.len() {
        attach(fit, links, joint);
    }
}

/// Moves a joint to its parent.
fn attach(fit: &mut Fit<'_>, links: &[Link], joint: usize) {
    let Link { parent: Some(parent), pivot, slides: false } = links[joint] else { return };
    let (parents, joints) = fit.joints.split_at_mut(joint);
    for (parent, own) in parents[parent].iter().zip(&mut joints[0]) {
        own.translation += parent.transform_point3(pivot) - own.transform_point3(pivot);
    }
}

/// The joint and all joints that are tied to it or to those, and for every joint whether it is one of them. Joints that slide
/// stay where they are.
fn below(links: &[Link], joint: usize) -> (Vec<usize>, Vec<bool>) {
    let mut below = vec![false; links.len()];
    for (index, link) in links.iter().enumerate() {
        below[index] = index == joint || !link.slides && link.parent.is_some_and(|parent| below[parent]);
    }
    ((0..links.len()).filter(|joint| below[*joint]).collect(), below)
}

/// Improves the positions at rest and the weights, then every joint, and the pivots of tied joints. `all` looks at all joints
/// for each point.
pub(crate) fn turn(fit: &mut Fit<'_>, links: &mut [Link], all: bool) {
    fit.improve_points(true, all);
    let sums = Sums::new(fit);
    // It takes this many times longer than a sum for a point.
    fit.work += (100 * links.len() * fit.motion.frames) as u64;
    turn_all(fit, &sums, links);
    for joint in 1..links.len() {
        if !links[joint].slides {
            shift_pivot(fit, &sums, links, joint);
        }
    }
    turn_all(fit, &sums, links);
}

/// Turns every joint, parents first.
pub(crate) fn turn_all(fit: &mut Fit<'_>, sums: &Sums, links: &[Link]) {
    for joint in 0..links.len() {
        turn_joint(fit, sums, links, joint);
    }
}

/// The sums of the points that some joints move, in a frame.
#[derive(Default)]
struct Held {
    weight: f64,
    from: DVec3,
    /// The sum of the distances to where the points are wanted.
    apart: DVec3,
    product: [DVec3; 3],
}

/// Sums over the points of a joint and those that turn with it, relative to a centre.
fn held(
    fit: &Fit<'_>,
    sums: &Sums,
    (members, is_member): &(Vec<usize>, Vec<bool>),
    frame: usize,
    centre: DVec3,
) -> Held {
    let mut held = Held::default();
    for joint in members {
        let transform = &fit.joints[*joint][frame];
        let mut left = sums.wanted(*joint, frame);
        let mut apart = left;
        let mut weights = DVec4::ZERO;
        for (other, square) in &sums.shared[*joint] {
            let is_member = is_member[*other];
            for (axis, row) in rows(&fit.joints[*other][frame]).iter().enumerate() {
                let moved = *square * *row;
                apart[axis] -= moved;
                if is_member {
                    left[axis] -= square.w_axis * centre[axis];
                } else {
                    left[axis] -= moved;
                }
            }
            if is_member {
                weights += square.w_axis;
            }
        }
        // The sum of points as this joint moves them, relative to the centre.
        let moved =
            |sum: DVec4| transform.matrix3 * sum.truncate() + (transform.translation - centre) * sum.w;
        held.weight += weights.w;
        held.from += moved(weights);
        held.apart += DVec3::new(apart[0].w, apart[1].w, apart[2].w);
        for (product, left) in held.product.iter_mut().zip(left) {
            *product += moved(left);
        }
    }
    held
}

/// Turns a joint, and those that are tied to it with it.
fn turn_joint(fit: &mut Fit<'_>, sums: &Sums, links: &[Link], joint: usize) {
    let members = below(links, joint);
    let link = links[joint];
    for frame in 0..fit.motion.frames {
        // Where the pivot of the joint is.
        let centre = fit.joints[joint][frame].transform_point3(link.pivot);
        let Held { weight, from, apart, product } = held(fit, sums, &members, frame, centre);
        if weight <= 1e-9 {
            return;
        }
        let (from, to) = if link.slides { (from, from + apart) } else { (DVec3::ZERO, DVec3::ZERO) };
        let rigid = Moments::new(weight, from, to, product).rigid();
        let shift = centre + rigid.translation - rigid.rotation * centre;
        let step = DAffine3::from_rotation_translation(rigid.rotation, shift);
        for member in &members.0 {
            let own = &mut fit.joints[*member][frame];
            *own = step * *own;
            // Products of many rotations stay rotations.
            own.matrix3 = DMat3::from_quat(DQuat::from_mat3(&own.matrix3).normalize());
        }
    }
}

/// Finds the best pivot of a joint.
fn shift_pivot(fit: &mut Fit<'_>, sums: &Sums, links: &mut [Link], joint: usize) {
    let Some(parent) = links[joint].parent else { return };
    let members = below(links, joint);
    // The change of every point below for each change of the pivot.
    let slopes: Vec<DMat3> = fit.joints[parent]
        .iter()
        .zip(&fit.joints[joint])
        .map(|(parent, own)| parent.matrix3 - own.matrix3)
        .collect();
    let (mut matrix, mut right, mut total) = (DMat3::ZERO, DVec3::ZERO, 0.0);
    for (frame, slope) in slopes.iter().enumerate() {
        let Held { weight, apart, .. } = held(fit, sums, &members, frame, DVec3::ZERO);
        matrix += slope.transpose() * *slope * weight;
        right += slope.transpose() * apart;
        total += weight;
    }
    let keep = 1e-3 * total + 1e-12;
    let shift = (matrix + DMat3::from_diagonal(DVec3::splat(keep))).inverse() * right;
    if !shift.is_finite() {
        return;
    }
    links[joint].pivot += shift;
    for member in &members.0 {
        for (own, slope) in fit.joints[*member].iter_mut().zip(&slopes) {
            own.translation += *slope * shift;
        }
    }
}
