//! The rates of animations, from the times of their keys.

use super::tracks::{Track, Tracks};

/// Frames per second of joints whose keys are not at whole frames of a usual rate.
pub(super) const RESAMPLED: f32 = 30.0;

/// The usual frame rates of modeling programs.
const USUAL_RATES: [f32; 7] = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 120.0];

impl Tracks {
    /// The rate of the keys; `None` if a key is not at a whole frame.
    pub(super) fn own_rate(&self) -> Option<f32> {
        let longest = self.tracks.iter().max_by_key(|track| track.times.len())?;
        let [first, second, ..] = longest.times.as_slice() else { return None };
        let rate = 1.0 / (second - first);
        // Times in a file are rounded, so the rate is rounded, too.
        let rate = if (rate - rate.round()).abs() < 1e-2 { rate.round() } else { rate };
        ((0.01..=1000.0).contains(&rate) && self.is_whole(rate)).then_some(rate)
    }

    /// The rate of the keys, or the slowest whole rate with a frame at every key.
    pub(super) fn whole_rate(&self) -> Option<f32> {
        self.own_rate().or_else(|| (1u8..=120).map(f32::from).find(|rate| self.is_whole(*rate)))
    }

    /// Whether linear blending between frames at the keys reproduces the animation exactly.
    pub(super) fn is_straight(&self) -> bool {
        self.tracks.iter().all(Track::is_straight)
    }

    /// Whether values jump at keys that are far apart, or slower than [`meshlens::model::DEFAULT_RATE`].
    pub(super) fn is_sparse_step(&self, rate: f32) -> bool {
        let is_slow = rate < meshlens::model::DEFAULT_RATE;
        self.tracks
            .iter()
            .any(|track| (track.is_step() || track.jumps()) && (is_slow || !track.is_dense(rate)))
    }

    /// The times of all keys, sorted.
    pub(super) fn key_times(&self) -> Vec<f32> {
        self.times_of(|_| true)
    }

    /// The times at which a value jumps, sorted.
    pub(super) fn jump_times(&self) -> Vec<f32> {
        let mut times = self.times_of(Track::is_step);
        let doubled = self.tracks.iter().flat_map(|track| track.times.windows(2));
        times.extend(doubled.filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]));
        times.sort_by(f32::total_cmp);
        times
    }

    fn times_of(&self, is_wanted: impl Fn(&Track) -> bool) -> Vec<f32> {
        let wanted = self.tracks.iter().filter(|track| is_wanted(track));
        let mut times: Vec<f32> = wanted.flat_map(|track| &track.times).copied().collect();
        times.sort_by(f32::total_cmp);
        times.dedup();
        times
    }

    /// Whether every key is at a whole frame.
    pub(super) fn is_whole(&self, rate: f32) -> bool {
        let whole = |time: &f32| ((time * rate) - (time * rate).round()).abs() < 0.05;
        self.tracks.iter().flat_map(|track| &track.times).all(whole)
    }

    /// The rate at which joints are sampled: the rate of the keys, or a multiple of it if there are steps, splines or keys
    /// that are far apart. [`RESAMPLED`] if the keys have no rate.
    pub(super) fn joint_rate(&self) -> f32 {
        let usual = || USUAL_RATES.into_iter().find(|rate| self.is_whole(*rate));
        let Some(rate) = self.own_rate().or_else(usual) else { return RESAMPLED };
        let longest = self.tracks.iter().max_by_key(|track| track.times.len());
        let slow = rate < meshlens::model::DEFAULT_RATE && longest.is_some_and(|track| !track.is_dense(rate));
        let is_few = rate < meshlens::model::DEFAULT_RATE;
        let coarse = self.tracks.iter().any(|track| track.is_curved() && (is_few || !track.is_dense(rate)));
        if rate < RESAMPLED && (slow || coarse) { rate * (RESAMPLED / rate).ceil() } else { rate }
    }
}
