//! Times of several functions that run in turns, so that other load on the machine slows all of them.

use std::time::{Duration, Instant};

/// A duration that was measured several times.
#[derive(Clone, Copy)]
pub(crate) struct Timing {
    /// The median.
    pub(crate) seconds: f64,
    /// The difference between the quartiles, divided by the median.
    pub(crate) spread: f64,
}

impl Timing {
    /// Makes a timing from at least one duration.
    fn of(mut seconds: Vec<f64>) -> Timing {
        seconds.sort_by(f64::total_cmp);
        let at = |quarters: usize| seconds[(seconds.len() - 1) * quarters / 4];
        // A duration below the resolution of the clock counts as one nanosecond.
        let median = at(2).max(1e-9);
        Timing { seconds: median, spread: (at(3) - at(1)) / median }
    }
}

/// A function that is measured.
pub(crate) type Run<'r> = Box<dyn FnMut() + 'r>;

/// The functions that take turns, and their durations so far.
pub(crate) struct Turns<'r> {
    runs: Vec<Run<'r>>,
    /// How often each function runs in a turn: short work is repeated, because reading the clock takes time.
    repeats: Vec<u32>,
    seconds: Vec<Vec<f64>>,
}

/// The shortest duration that is measured.
const LEAST: f64 = 50e-6;

impl<'r> Turns<'r> {
    /// Runs each function once, to know its duration.
    pub(crate) fn new(mut runs: Vec<Run<'r>>) -> Turns<'r> {
        let repeats =
            runs.iter_mut().map(|run| (LEAST / time(run, 1).max(1e-9)).ceil().max(1.0) as u32).collect();
        let seconds = vec![Vec::new(); runs.len()];
        Turns { runs, repeats, seconds }
    }

    /// Runs each function in turn for about `slice`, once at least.
    fn take(&mut self, slice: Duration) {
        let start = Instant::now();
        loop {
            for ((run, times), seconds) in self.runs.iter_mut().zip(&self.repeats).zip(&mut self.seconds) {
                seconds.push(time(run, *times));
            }
            if start.elapsed() >= slice {
                break;
            }
        }
    }

    /// The duration of each function.
    pub(crate) fn timings(&self) -> Vec<Timing> {
        self.seconds.iter().map(|seconds| Timing::of(seconds.clone())).collect()
    }

    /// The duration of the last function divided by that of each function, in the same turn.
    pub(crate) fn shares(&self) -> Vec<Timing> {
        let last = self.seconds.last().map(Vec::as_slice).unwrap_or_default();
        let share = |seconds: &Vec<f64>| {
            let pairs = last.iter().zip(seconds);
            Timing::of(pairs.map(|(last, seconds)| last.max(1e-9) / seconds.max(1e-9)).collect())
        };
        self.seconds.iter().map(share).collect()
    }
}

fn time(run: &mut Run<'_>, times: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..times {
        run();
    }
    start.elapsed().as_secs_f64() / f64::from(times)
}

/// The number of parts in which the time of a measurement is spent. Load that comes and goes then slows some turns of every
/// function, and is seen in the spread.
const ROUNDS: u32 = 5;

/// Runs all functions for about `duration`.
pub(crate) fn run(all: &mut [Turns<'_>], duration: Duration) {
    let count: usize = all.iter().map(|turns| turns.runs.len()).sum();
    let slice = duration / (ROUNDS * count.max(1) as u32);
    for _ in 0..ROUNDS {
        for turns in &mut *all {
            turns.take(slice * turns.runs.len() as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timing_is_the_median_and_the_interquartile_range() {
        let timing = |seconds: &[f64]| {
            let timing = Timing::of(seconds.to_vec());
            (timing.seconds, timing.spread)
        };
        assert_eq!(timing(&[5.0, 1.0, 2.0, 4.0, 3.0]), (3.0, 2.0 / 3.0));
        assert_eq!(timing(&[2.0; 3]), (2.0, 0.0));
        assert_eq!(timing(&[0.0; 3]), (1e-9, 0.0));
    }

    #[test]
    fn a_share_compares_durations_of_the_same_turn() {
        let nothing = || -> Run<'_> { Box::new(|| ()) };
        let mut turns = Turns::new(vec![nothing(), nothing()]);
        // The second turn of both is ten times as slow.
        turns.seconds = vec![vec![4.0, 40.0, 4.0], vec![2.0, 20.0, 2.0]];
        assert_eq!(
            turns.shares().iter().map(|share| (share.seconds, share.spread)).collect::<Vec<_>>(),
            [(0.5, 0.0), (1.0, 0.0)]
        );
    }
}
