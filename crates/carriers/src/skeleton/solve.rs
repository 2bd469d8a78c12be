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

/// The most sums to compute, of a joint for a point in a frame: less than ten seconds.
const MOST_WORK: u64 = 540_000_000;
/// The share of a bound that a skeleton is within before its numbers are rounded.
const GOAL: f64 = 0.98;
/// The turns after joints are added, and after joints are tied.
const ADDED: usize = 8;
const TIED: usize = 4;
/// How far outside a bound a skeleton may be after two turns, for joints that are tied.
const HOPE: f64 = 1.5;
/// How often joints are tried to be tied.
const PASSES: usize = 3;

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
    let few = motion.select(&motion.distinct_frames(count));
    let mut fit = Fit::new(&few);
    free::turn(&mut fit, false, true);
    let near = Bound { rms: bound.rms * 0.9, max: bound.max * 1.4 };
    while fit.joints.len() < most && fit.work < MOST_WORK / 2 && !near.contains(&fit.measure()) {
        let before = fit.joints.len();
        // Smaller steps end with fewer joints. Models of many joints have no time for them.
        let step = if fit.work < MOST_WORK / 4 { 16 } else { 8 };
        fit.add(bound, (before / step).clamp(1, most - before));
        for turn in 0..if before < 24 { 8 } else { 6 } {
            free::turn(&mut fit, before > 3, turn % 4 == 0);
        }
        fit.prune();
        if fit.joints.len() <= before {
            break;
        }
    }
    let mut fit = fit.expand(motion);
    free::settle(&mut fit);
    let goal = bound.times(GOAL);
    let met = grow(&mut fit, &goal, most, MOST_WORK / 4 * 3);
    let is_stopped = fit.joints.len() < most;
    let pins = tree(&fit);
    let links = tied::link(&mut fit, &pins);
    let mut solved = Solved { fit, links, met, is_stopped };
    if goal.contains(&met) {
        solved.tie(&goal);
    }
    solved
}

/// Improves free joints, and adds more until the distances are within a bound.
fn grow(fit: &mut Fit<'_>, goal: &Bound, most: usize, work: u64) -> Bound {
    let turn = |fit: &mut Fit<'_>, all: bool| free::turn(fit, true, all);
    let mut met = turns(fit, goal, ADDED, f64::INFINITY, turn);
    while fit.joints.len() < most && fit.work < work && !goal.contains(&met) {
        let before = fit.joints.len();
        fit.add(goal, (before / 10).clamp(1, most - before));
        met = turns(fit, goal, ADDED, f64::INFINITY, turn);
        fit.prune();
        if fit.joints.len() <= before {
            break;
        }
    }
    fit.prune();
    met
}

impl Solved<'_> {
    /// Ties joints to their parents while the skeleton stays within a bound, those first that slide least in all frames
    /// together. A joint that is tied needs no keys of its translation.
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
        let mut left: Vec<usize> = order.into_iter().map(|(_, joint)| joint).collect();
        // Joints that could not be tied are tried again after the others, with more turns.
        for pass in 1..=PASSES {
            let count = if pass == 1 { left.len().div_ceil(8) } else { 1 };
            left = self.tie_each(goal, left, count, pass * TIED);
        }
    }

    /// Ties joints, at first `count` together. Returns those that still slide.
    fn tie_each(&mut self, goal: &Bound, order: Vec<usize>, mut count: usize, most: usize) -> Vec<usize> {
        let (mut next, mut left) = (0, Vec::new());
        while next < order.len() && self.fit.work < MOST_WORK {
            let end = (next + count).min(order.len());
            let (mut fit, mut links) = (self.fit.clone(), self.links.clone());
            tied::tie(&mut fit, &mut links, &order[next..end]);
            let mut turn = |fit: &mut Fit<'_>, all: bool| tied::turn(fit, &mut links, all && most > TIED);
            let mut met = turns(&mut fit, goal, most, HOPE, &mut turn);
            for near in [1.25, 1.1] {
                let is_near = !goal.contains(&met) && goal.times(near).contains(&met);
                if is_near && fit.work < MOST_WORK {
                    met = turns(&mut fit, goal, most, HOPE, &mut turn);
                }
            }
            if goal.contains(&met) {
                (self.fit, self.links, self.met) = (fit, links, met);
                next = end;
                continue;
            }
            self.fit.work = fit.work;
            if count == 1 {
                left.push(order[next]);
                next += 1;
            }
            count = count.div_ceil(2);
        }
        left.extend(&order[next..]);
        left
    }
}

/// Improves a skeleton in several turns, unless it is more than `hope` times outside a bound after two of them. If only
/// single points are outside, their distances count more. Every fourth turn looks at all joints for each point.
fn turns(
    fit: &mut Fit<'_>,
    goal: &Bound,
    count: usize,
    hope: f64,
    mut turn: impl FnMut(&mut Fit<'_>, bool),
) -> Bound {
    let mut met = fit.stress(goal);
    for number in 0..count {
        if number > 0 && goal.contains(&met) {
            break;
        }
        turn(fit, number % 4 == 0);
        if number % 2 == 1 {
            met = fit.stress(goal);
            if !goal.times(hope).contains(&met) {
                break;
            }
        }
    }
    fit.measure()
}
