//! The steps of the fit, from one joint to a tree of joints within a bound.

use super::fit::{Bound, Fit};
use super::free;
use super::motion::Motion;
use super::tied::{self, Link};
use super::tree::tree;

/// The most joints of a model.
const MOST_JOINTS: usize = 128;
/// The points for each joint, at least: more joints than that are no skeleton.
const POINTS_FOR_JOINT: usize = 6;
/// The positions from which joints are found; the others follow.
const POSITIONS: usize = 40_000;
/// The fewest and the most frames of these positions.
const FRAMES: [usize; 2] = [32, 96];

/// The most sums to compute, of a joint for a point in a frame: about ten seconds.
const MOST_WORK: usize = 400_000_000;
/// The share of a bound that a skeleton is within before its numbers are rounded.
const GOAL: f64 = 0.98;
/// The turns before the first joint is added, after each, and after joints are tied.
const FIRST: usize = 12;
const NEXT: usize = 12;
const TIED: usize = 8;

/// A skeleton of all frames, and the distances that it has.
pub(crate) struct Solved<'m> {
    pub(crate) fit: Fit<'m>,
    pub(crate) links: Vec<Link>,
    pub(crate) met: Bound,
    /// Whether more joints were not tried, because that takes long.
    pub(crate) is_stopped: bool,
}

/// The most joints of a number of points.
pub(crate) fn most_joints(points: usize) -> usize {
    (points / POINTS_FOR_JOINT).clamp(1, MOST_JOINTS)
}

/// Finds a skeleton. Frame 0 is the one at rest. The result may be outside the bound, with as many joints as are tried.
pub(crate) fn solve<'m>(motion: &'m Motion, bound: &Bound) -> Solved<'m> {
    let most = most_joints(motion.points());
    let count = (POSITIONS / motion.points().max(1)).clamp(FRAMES[0], FRAMES[1]);
    let frames = motion.distinct_frames(count);
    let few = motion.select(&frames);
    let mut fit = Fit::new(&few);
    free::turn(&mut fit, false, true);
    let near = Bound { rms: bound.rms * 0.9, max: bound.max * 1.4 };
    while fit.joints.len() < most && fit.work < MOST_WORK / 2 && !near.contains(&fit.measure()) {
        let before = fit.joints.len();
        fit.add(bound, (before / 8).clamp(1, most - before));
        for turn in 0..if before < 24 { 8 } else { 6 } {
            free::turn(&mut fit, before > 3, turn % 4 == 0);
        }
        fit.prune();
        if fit.joints.len() <= before {
            break;
        }
    }
    let mut fit = fit.expand(motion, &motion.nearest_frames(&frames));
    if frames.len() < motion.frames {
        for _ in 0..4 {
            free::turn(&mut fit, true, false);
        }
    }
    fit.prune();
    let pins = tree(&fit);
    let mut links = tied::link(&mut fit, &pins);
    let goal = bound.times(GOAL);
    let mut met = turns(&mut fit, &mut links, &goal, FIRST);
    while fit.joints.len() < most && fit.work < MOST_WORK && !goal.contains(&met) {
        let before = fit.joints.len();
        fit.add(&goal, (before / 10).clamp(1, most - before));
        if fit.joints.len() == before {
            break;
        }
        tied::link_new(&mut fit, &mut links);
        met = turns(&mut fit, &mut links, &goal, NEXT);
    }
    let is_stopped = fit.joints.len() < most;
    let mut solved = Solved { fit, links, met, is_stopped };
    if goal.contains(&met) {
        solved.tie(&goal);
    }
    solved
}

impl Solved<'_> {
    /// Ties joints to their parents while the skeleton stays within a bound, those first that slide least. A joint that is
    /// tied needs no keys of its translation.
    fn tie(&mut self, goal: &Bound) {
        let mut order: Vec<(f64, usize)> = (0..self.links.len())
            .filter_map(|joint| {
                let Link { parent: Some(parent), pivot, .. } = self.links[joint] else { return None };
                let squares = self.fit.joints[joint]
                    .iter()
                    .zip(&self.fit.joints[parent])
                    .map(|(a, b)| a.transform_point3(pivot).distance_squared(b.transform_point3(pivot)));
                Some((squares.sum(), joint))
            })
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut next = 0;
        let mut count = order.len().div_ceil(2);
        while next < order.len() && self.fit.work < MOST_WORK {
            let end = (next + count).min(order.len());
            let (mut fit, mut links) = (self.fit.clone(), self.links.clone());
            let joints: Vec<usize> = order[next..end].iter().map(|(_, joint)| *joint).collect();
            tied::tie(&mut fit, &mut links, &joints);
            let mut met = turns(&mut fit, &mut links, goal, TIED);
            if !goal.contains(&met) && goal.times(1.25).contains(&met) {
                met = turns(&mut fit, &mut links, goal, TIED);
            }
            if goal.contains(&met) {
                (self.fit, self.links, self.met) = (fit, links, met);
                next = end;
            } else {
                self.fit.work = fit.work;
                if count == 1 {
                    next += 1;
                }
                count = count.div_ceil(2);
            }
        }
    }
}

/// Improves a skeleton in several turns. If only single points are outside a bound, their distances count more.
fn turns(fit: &mut Fit<'_>, links: &mut [Link], goal: &Bound, count: usize) -> Bound {
    let mut met = fit.stress(goal);
    for turn in 0..count {
        if turn > 0 && goal.contains(&met) {
            break;
        }
        tied::turn(fit, links, turn % 4 == 0);
        if turn % 2 == 1 {
            met = fit.stress(goal);
        }
    }
    fit.measure()
}
