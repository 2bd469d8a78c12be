//! The measurements. Each is the median of repeated runs, at least three, within its share of the time.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use meshlens::lens::{AnyLens, Level};

use crate::arrays::{self, Group, Output, room};
use crate::models::Model;
use crate::report::{ArrayReport, LevelRate, Rate, WholeRates, WholeReport};
use crate::team::team;

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

/// The median duration of `work`.
pub(crate) fn median<R>(slice: Duration, mut work: impl FnMut() -> R) -> Timing {
    let start = Instant::now();
    let mut seconds = Vec::new();
    while seconds.len() < 3 || start.elapsed() < slice {
        let start = Instant::now();
        std::hint::black_box(work());
        seconds.push(start.elapsed().as_secs_f64());
    }
    Timing::of(seconds)
}

/// The median time to open and parse each model from its path, in microseconds.
pub(crate) fn open(models: &[Model<'_>], password: Option<&str>, slice: Duration) -> f64 {
    let open = || {
        for model in models {
            let loaded = model.located.load(password);
            std::hint::black_box(loaded.is_ok_and(|files| files.document().is_ok()));
        }
    };
    median(slice, open).seconds / models.len() as f64 * 1e6
}

type Arrays<'a> = Vec<AnyLens<'a>>;

pub(crate) fn largest_room(arrays: &Arrays<'_>) -> usize {
    arrays.iter().map(room).max().unwrap_or(0)
}

/// The numbers of elements and of bytes of all arrays.
pub(crate) fn totals(arrays: &Arrays<'_>) -> (u64, u64) {
    let each = arrays.iter().map(|array| (array.len() as u64, array.as_bytes().len() as u64));
    each.fold((0, 0), |(elements, bytes), (more, more_bytes)| (elements + more, bytes + more_bytes))
}

fn decode(arrays: &Arrays<'_>, level: Level, slice: Duration, output: &mut Output) -> Rate {
    let timing = median(slice, || {
        for array in arrays {
            arrays::decode(array, level, output);
        }
    });
    Rate::new(timing, totals(arrays))
}

fn copy(arrays: &Arrays<'_>, slice: Duration, output: &mut Output) -> Rate {
    let timing = median(slice, || {
        for array in arrays {
            let bytes = array.as_bytes();
            let out = output.first(bytes.len());
            out.copy_from_slice(bytes);
            std::hint::black_box(out);
        }
    });
    Rate::new(timing, totals(arrays))
}

/// Measures each group, decoding array after array to the same memory.
pub(crate) fn arrays(
    groups: &[Group<'_>],
    levels: &[Level],
    slice: Duration,
) -> io::Result<Vec<ArrayReport>> {
    let report = |group: &Group<'_>| {
        let arrays: Arrays<'_> = group.arrays.clone();
        let (elements, bytes) = totals(&arrays);
        let mut output = Output::new(largest_room(&arrays))?;
        let crc32 = arrays::crc32(&arrays, Level::SCALAR, &mut output);
        let (same, different): (Vec<Level>, Vec<Level>) =
            levels.iter().partition(|level| arrays::is_scalar(&arrays, **level, &mut output));
        let rate = |level: &Level| LevelRate {
            level: level.name(),
            rate: decode(&arrays, *level, slice, &mut output),
        };
        Ok(ArrayReport {
            format: group.format,
            name: group.name,
            elements,
            bytes,
            crc32,
            kernel: !arrays.iter().all(arrays::is_copied),
            levels: same.iter().map(rate).collect(),
            different: different.iter().map(|level| level.name()).collect(),
            memcpy: copy(&arrays, slice, &mut output),
        })
    };
    groups.iter().map(report).collect()
}

/// The smallest amount of work for another core, in bytes of written memory.
const LEAST_PIECE: u64 = 256 << 10;

/// Divides arrays into pieces of similar size. There are enough pieces that workers do not wait long for the last one,
/// and each piece is large enough that the overhead of distributing it is small.
fn pieces<'p, 'a>(mut arrays: &'p [AnyLens<'a>], workers: usize) -> Vec<&'p [AnyLens<'a>]> {
    let bytes = |array: &AnyLens<'a>| room(array) as u64;
    let total: u64 = arrays.iter().map(bytes).sum();
    let size = (total / (8 * workers as u64)).max(LEAST_PIECE);
    let mut pieces = Vec::new();
    while !arrays.is_empty() {
        let mut sum = 0;
        let fits = arrays.iter().take_while(|array| {
            let is_short = sum < size;
            sum += bytes(array);
            is_short
        });
        let (piece, rest) = arrays.split_at(fits.count());
        pieces.push(piece);
        arrays = rest;
    }
    pieces
}

/// Measures every array of every model, on one core and on all cores. Each worker has its own memory.
pub(crate) fn whole(
    groups: &[Group<'_>],
    levels: &[Level],
    slice: Duration,
    jobs: usize,
) -> io::Result<WholeReport> {
    let once = groups.iter().filter(|group| !group.again);
    let arrays: Arrays<'_> = once.flat_map(|group| group.arrays.iter().copied()).collect();
    let (elements, bytes) = totals(&arrays);
    let mut output = Output::new(largest_room(&arrays))?;
    let pieces = pieces(&arrays, jobs);
    let jobs = jobs.min(pieces.len());
    let outputs = (0..jobs).map(|_| Output::new(largest_room(&arrays)).map(Mutex::new));
    let outputs = outputs.collect::<io::Result<Vec<_>>>()?;
    let next = AtomicUsize::new(0);
    let on_all_cores = |level: Level| {
        let work = |worker: usize| {
            let mut output = outputs[worker].lock().unwrap_or_else(PoisonError::into_inner);
            while let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                for array in *piece {
                    arrays::decode(array, level, &mut output);
                }
            }
        };
        let mut timing = Timing { seconds: 0.0, spread: 0.0 };
        team(jobs, &work, &mut |team| {
            timing = median(slice, || {
                next.store(0, Ordering::Relaxed);
                team.round();
            });
        })?;
        io::Result::Ok(Rate::new(timing, (elements, bytes)))
    };
    let rates = |level: &Level| {
        let one_core = decode(&arrays, *level, slice, &mut output);
        let all_cores = if jobs > 1 { on_all_cores(*level)? } else { one_core };
        io::Result::Ok(WholeRates { level: level.name(), one_core, all_cores })
    };
    let levels = levels.iter().map(rates).collect::<io::Result<_>>()?;
    Ok(WholeReport {
        elements,
        bytes,
        workers: jobs.max(1),
        levels,
        memcpy: copy(&arrays, slice, &mut output),
    })
}

#[cfg(test)]
mod tests {
    use meshlens::lens::Lens;
    use meshlens::lens::encoding::F32;

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
    fn pieces_hold_every_array_once_and_are_not_small() {
        let bytes = vec![0; 4 << 20];
        let array = |len: usize| AnyLens::from(Lens::new(F32::<1>, &bytes, 0, 4, len).unwrap());
        let arrays: Vec<AnyLens<'_>> = (0..4000).map(|number| array(1 + number % 500)).collect();
        for workers in [1, 2, 64] {
            let pieces = pieces(&arrays, workers);
            assert_eq!(pieces.iter().map(|piece| piece.len()).sum::<usize>(), arrays.len());
            let size = |piece: &&[AnyLens<'_>]| piece.iter().map(|array| room(array) as u64).sum::<u64>();
            let (_, whole) = pieces.split_last().unwrap();
            assert!(whole.iter().all(|piece| size(piece) >= LEAST_PIECE), "{workers}");
            assert!(pieces.len() <= 8 * workers + 1, "{workers}");
        }
        // One large array is a single piece, and a small amount of work is not divided.
        assert_eq!(pieces(&[array(1 << 20), array(1)], 2).len(), 2);
        assert_eq!(pieces(&arrays[..10], 2).len(), 1);
        assert!(pieces(&[], 2).is_empty());
    }
}
