//! The frames of animations. Frames are blended linearly, so animations with rotations, curves or unevenly spaced keys
//! need frames between their keys. There are enough of them to keep every vertex within [`TOLERANCE`] of its path.

use std::collections::HashMap;

use glam::Vec3;
use meshlens::Report;
use meshlens::model::{Clip, DEFAULT_RATE};

use super::baking::Baking;
use super::frames::Time;
use super::memory::NUMBER;
use super::points::Points;
use super::rates::RESAMPLED;
use super::tracks::Tracks;
use super::{Import, broken, frames};
use crate::extras::Range;
use crate::memory::ROOM;
use crate::{Error, codes};

/// The greatest distance of a vertex of blended frames from its true position, as a fraction of the size of its mesh.
pub(super) const TOLERANCE: f32 = 0.005;

/// The fastest rate of frames between keys, in frames per second. Keys may be faster.
const FASTEST: f32 = 60.0;

/// The greatest number of frames of a file with frames between keys: Quake 3 cannot load more.
const MOST_FRAMES: usize = 1024;

/// The rates that are tried, as multiples of the rate of the keys.
const MULTIPLES: [f32; 14] = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0, 96.0, 128.0];

/// How an animation becomes frames.
struct Sampled {
    /// The rate, if one was found or requested.
    rate: Option<f32>,
    /// The greatest distance of a vertex from its true position, as a fraction of the size of its mesh. `None` if it is
    /// not known.
    error: Option<f32>,
}

/// The frames of all animations of a document.
pub(super) struct Sampling<'s, 'i> {
    import: &'s Import<'i>,
    points: Points<'s>,
    cycles: HashMap<String, Range>,
    /// The number of vertices and nodes that may still be transformed to compare rates.
    work: usize,
    times: Vec<Time>,
    clips: Vec<Clip>,
}

/// The number of frames until the last key. A key that is a little later than a frame belongs to it.
pub(super) fn frame_count(animation: &Tracks, rate: f32) -> usize {
    // A float that is too large becomes the largest count, which is an error.
    ((animation.end() * rate - 0.05).max(0.0).ceil() as usize).saturating_add(1)
}

impl<'s, 'i> Sampling<'s, 'i> {
    pub(super) fn new(
        import: &'s Import<'i>,
        baking: &'s [Baking<'i>],
        tags: &'s [usize],
    ) -> Result<Self, Error> {
        let points = Points::new(import, baking, tags)?;
        let cycles = frames::cycles(import.scene);
        let work = import.options.limits.work / 2;
        Ok(Sampling { import, points, cycles, work, times: Vec::new(), clips: Vec::new() })
    }

    /// The times of the frames of all animations, each at its rate, and a clip for each animation.
    pub(super) fn times(mut self, losses: &mut Report) -> Result<(Vec<Time>, Vec<Clip>), Error> {
        for (index, animation) in self.import.scene.animations.iter().enumerate() {
            self.add(index, animation, losses)?;
        }
        if self.times.is_empty() {
            self.times.push(Time::REST);
        }
        Ok((self.times, self.clips))
    }

    fn add(&mut self, index: usize, animation: &Tracks, losses: &mut Report) -> Result<(), Error> {
        let (name, limits) = (&animation.name, self.import.options.limits);
        let asked = self.import.options.asked_rate();
        // The last key of a cycle shows its first frame again.
        let cycle = self.cycles.get(name);
        let is_cycle =
            cycle.is_some_and(|cycle| (animation.end() * cycle.rate - cycle.count as f32).abs() < 0.01);
        let sampled = match asked.or_else(|| animation.own_rate().filter(|_| is_cycle)) {
            Some(rate) => {
                let is_measured = self.fits(animation, rate) && !is_cycle;
                let error = is_measured.then(|| self.error(index, animation, rate, f32::INFINITY)).flatten();
                Sampled { rate: Some(rate), error }
            }
            None => self.choose(index, animation),
        };
        let rate = sampled.rate.unwrap_or(DEFAULT_RATE);
        let count = frame_count(animation, rate);
        let count = if is_cycle { count.saturating_sub(1).max(1) } else { count };
        if count > limits.frames.saturating_sub(self.times.len()) {
            return Err(broken(format_args!("animation {name}: more than {} frames in all", limits.frames)));
        }
        // Each frame has a name that begins with the name of the animation.
        let frame = ROOM * size_of::<Time>() + name.len() + NUMBER;
        self.import.buffers.spend(count, frame)?;
        self.import.buffers.spend(1, ROOM * size_of::<Clip>() + name.len())?;
        let clip = match sampled.rate {
            Some(rate) => Clip::new(name.clone(), self.times.len(), count, rate),
            None => Clip::without_rate(name.clone(), self.times.len(), count),
        };
        self.clips.push(Clip { loop_frames: if is_cycle { count } else { 0 }, ..clip });
        self.times.extend((0..count).map(|step| Time {
            animation: Some(index),
            time: step as f32 / rate,
            slack: 0.01 / rate,
            name: format!("{name}_{step}"),
        }));
        report(animation, rate, count, asked.is_some(), sampled.error, losses);
        Ok(())
    }

    /// Whether the limit of frames allows a rate.
    fn fits(&self, animation: &Tracks, rate: f32) -> bool {
        frame_count(animation, rate) <= self.import.options.limits.frames.saturating_sub(self.times.len())
    }

    /// The slowest rate whose frames follow the animation.
    fn choose(&mut self, index: usize, animation: &Tracks) -> Sampled {
        if animation.end() <= 0.0 {
            return Sampled { rate: animation.own_rate(), error: None };
        }
        let most = MOST_FRAMES.min(self.import.options.limits.frames).saturating_sub(self.times.len());
        let fits = |rate: &f32| frame_count(animation, *rate) <= most;
        let own = animation.own_rate().or_else(|| animation.whole_rate().filter(fits));
        if let Some(rate) = own.filter(|_| animation.is_straight()) {
            return Sampled { rate: Some(rate), error: Some(0.0) };
        }
        let base = own.or(Some(RESAMPLED).filter(fits)).unwrap_or(DEFAULT_RATE);
        // Values jump within one frame, so the frames must be short.
        let least = if animation.is_sparse_step(base) { RESAMPLED } else { 0.0 };
        let mut chosen = Sampled { rate: Some(base), error: None };
        for rate in MULTIPLES.map(|multiple| base * multiple) {
            let is_first = rate == base;
            let is_allowed =
                if is_first { self.fits(animation, rate) } else { rate <= FASTEST && fits(&rate) };
            if !is_allowed {
                break;
            }
            let error = self.error(index, animation, rate, TOLERANCE);
            chosen = Sampled { rate: Some(rate), error };
            let is_enough = match error {
                Some(error) => error <= TOLERANCE,
                // If the error is too expensive to compute, the rate of joints is used.
                None => rate >= RESAMPLED,
            };
            if is_enough && rate >= least {
                return chosen;
            }
        }
        // So far, the error was measured only up to the first value that is too large.
        if let (Some(rate), Some(_)) = (chosen.rate, chosen.error) {
            chosen.error = self.error(index, animation, rate, f32::INFINITY);
        }
        chosen
    }

    /// The greatest distance of a point from its true position between two frames at `rate`, as a fraction of the size
    /// of its mesh. Stops at the first distance greater than `enough`. Jumps are left out, because no rate reproduces
    /// them. `None` if it is too much work.
    fn error(&mut self, index: usize, animation: &Tracks, rate: f32, enough: f32) -> Option<f32> {
        let scene = self.import.scene;
        let count = frame_count(animation, rate);
        let keys = animation.key_times();
        let cost = scene.moment_cost().saturating_add(self.points.cost());
        let samples = count.saturating_mul(4).saturating_add(keys.len());
        self.work = self.work.checked_sub(cost.checked_mul(samples)?)?;
        let jumps = animation.jump_times();
        let slack = 0.01 / rate;
        let at = |time: f32, slack: f32| self.points.at(&scene.at(Some(index), time, slack));
        let mut frames = (0..count).map(|step| at(step as f32 / rate, slack));
        let mut before = frames.next()?;
        let sizes = self.points.sizes(&before);
        let mut worst = 0.0f32;
        for (step, after) in frames.enumerate() {
            let (start, end) = (step as f32 / rate, (step + 1) as f32 / rate);
            let within = |times: &[f32]| {
                let first = times.partition_point(|time| *time <= start + slack);
                first..times.partition_point(|time| *time <= end + slack).max(first)
            };
            if within(&jumps).is_empty() {
                let inner = [0.25, 0.5, 0.75].map(|part| start + part / rate);
                let keys = keys[within(&keys)].iter().filter(|key| **key < end - slack);
                for time in inner.iter().chain(keys) {
                    let blend = (time - start) * rate;
                    let distances = at(*time, 0.0).into_iter().zip(before.iter().zip(&after)).zip(&sizes);
                    for ((place, (a, b)), size) in distances {
                        let distance = Vec3::distance(a.lerp(*b, blend), place) / size;
                        // A mesh of size 0 and a distance that is not finite have no measurable error.
                        worst = if distance.is_finite() { worst.max(distance) } else { worst };
                    }
                    if worst > enough {
                        return Some(worst);
                    }
                }
            }
            before = after;
        }
        Some(worst)
    }
}

/// Lists the parts of an animation that the frames do not keep, and the rate of the frames between keys.
fn report(
    animation: &Tracks,
    rate: f32,
    count: usize,
    is_asked: bool,
    error: Option<f32>,
    losses: &mut Report,
) {
    let name = &animation.name;
    let place = format_args!("animation {name}");
    let steps = animation.tracks.iter().filter(|track| track.is_step()).count() as u64;
    let message = format_args!("animation {name}: {steps} tracks of steps, which take a frame each");
    losses.lose(&codes::STEP_LINEARIZED, steps, place, message);
    if !is_asked && animation.own_rate().is_none_or(|own| own != rate) && animation.end() > 0.0 {
        let message = format_args!(
            "animation {name}: {count} frames at {rate} per second, so that what moves between keys is kept"
        );
        losses.lose(&codes::ANIMATION_SAMPLED, 1, place, message);
    }
    if let Some(error) = error.filter(|error| *error > TOLERANCE) {
        let percent = error * 100.0;
        let message = format_args!(
            "animation {name}: at {rate} frames per second, vertices are up to {percent:.1} % of their mesh's size from their places"
        );
        losses.lose(&codes::ANIMATION_COARSE, 1, place, message);
    }
}
