//! The steps of the fit, from one joint to a tree of joints within a bound.

use super::fit::{Bound, Fit};
use super::motion::Motion;
use super::pin::Pin;
use super::tied::{self, Link};
use super::tree::tree;

/// The most joints of a model.
const MOST_JOINTS: usize = 128;
/// The points for each joint, at least: more joints than that are no skeleton.
const POINTS_FOR_JOINT: usize = 6;
/// The frames from which joints are found; the others follow.
const FRAMES: usize = 96;

/// The most positions to compute, for each joint: about a minute.
const MOST_WORK: usize = 4_000_000_000;

/// A skeleton of all frames, and the distances that it has.
pub(crate) struct Solved<'m> {
    pub(crate) fit: Fit<'m>,
    pub(crate) links: Vec<Link>,
    pub(crate) met: Bound,
}

/// Finds a skeleton. Frame 0 is the one at rest. The result may be outside the bound, with as many joints as are tried.
pub(crate) fn solve<'m>(motion: &'m Motion, bound: &Bound) -> Solved<'m> {
    let most = (motion.points() / POINTS_FOR_JOINT).clamp(1, MOST_JOINTS);
    let frames = motion.distinct_frames(FRAMES);
    let few = motion.select(&frames);
    let mut fit = Fit::new(&few);
    while fit.joints.len() < most && fit.work < MOST_WORK / 2 && !bound.times(0.65).contains(&fit.measure()) {
        let before = fit.joints.len();
        fit.add(bound, (before / 8).clamp(1, most - before));
        for _ in 0..if before < 24 { 12 } else { 4 } {
            fit.turn(&[], before > 3);
        }
        fit.prune();
        if fit.joints.len() <= before {
            break;
        }
    }
    let free = fit.clone();
    // Pulls each joint to its parent, with more and more strength.
    for strength in [0.1, 0.32, 1.0, 3.2, 10.0, 30.0] {
        let mut pins = tree(&fit);
        pins.iter_mut().for_each(|pin| pin.strength *= strength);
        for _ in 0..8 {
            fit.turn(&pins, true);
        }
    }
    fit.prune();
    let tied = tie(fit, motion, &frames, bound, most, |pin| pin.gap > 4.0 * bound.rms);
    if bound.contains(&tied.met) {
        return tied;
    }
    // Joints that all slide take more bytes, and move the points better.
    let slides = tie(free, motion, &frames, bound, most, |_| true);
    if bound.contains(&slides.met) || slides.met.rms < tied.met.rms { slides } else { tied }
}

/// Ties joints to their parents, improves them, and fits them to all frames. `frames` are the frames of the fit.
fn tie<'m>(
    mut fit: Fit<'_>,
    motion: &'m Motion,
    frames: &[usize],
    bound: &Bound,
    most: usize,
    slides: impl Fn(&Pin) -> bool,
) -> Solved<'m> {
    let pins = tree(&fit);
    let mut links = tied::tie(&mut fit, &pins, slides);
    let goal = bound.times(0.9);
    finish(&mut fit, &mut links, &goal, most, [24, 10]);
    let mut fit = fit.expand(motion, &motion.nearest_frames(frames));
    let is_more = frames.len() < motion.frames;
    for _ in 0..if is_more { 4 } else { 0 } {
        tied::turn_all(&mut fit, &links);
    }
    finish(&mut fit, &mut links, &goal, most, [if is_more { 6 } else { 0 }, 6]);
    let met = fit.measure();
    Solved { fit, links, met }
}

/// Improves a skeleton, and adds joints until it is within a bound. `turns` is the number of turns before the first joint, and
/// after each.
fn finish(fit: &mut Fit<'_>, links: &mut Vec<Link>, goal: &Bound, most: usize, turns: [usize; 2]) {
    for _ in 0..turns[0] {
        tied::turn(fit, links);
    }
    while fit.joints.len() < most && fit.work < MOST_WORK && !goal.contains(&fit.measure()) {
        let before = fit.joints.len();
        fit.add(goal, (before / 10).clamp(1, most - before));
        if fit.joints.len() == before {
            return;
        }
        tied::tie_new(fit, links);
        for _ in 0..turns[1] {
            tied::turn(fit, links);
        }
    }
}
