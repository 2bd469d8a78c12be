//! The measurements: decoding and copying the arrays of each group, and opening models.

use std::cell::RefCell;
use std::io;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use meshlens::lens::{AnyLens, Level};

use crate::args::Arguments;
use crate::arrays::{self, Group, Output, room};
use crate::machine::{self, Machine};
use crate::models::Model;
use crate::report::{ArrayReport, Build, LevelRate, Rate, Report, WholeRates, WholeReport};
use crate::team::{Team, team};
use crate::turns::{self, Run, Turns};

/// What is measured of a set of models.
pub(crate) struct Measured {
    pub(crate) open_microseconds: f64,
    pub(crate) parse_microseconds: f64,
    pub(crate) arrays: Vec<ArrayReport>,
    pub(crate) whole: WholeReport,
}

/// Opens and parses each model from its path.
fn open(models: &[Model<'_>], password: Option<&str>) {
    for model in models {
        let loaded = model.located.load(password);
        std::hint::black_box(loaded.is_ok_and(|files| files.document().is_ok()));
    }
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

/// Decodes arrays one after the other to the same memory.
fn decoding<'r>(arrays: &'r Arrays<'_>, level: Level, output: &'r RefCell<Output>) -> Run<'r> {
    Box::new(move || {
        let output = &mut output.borrow_mut();
        for array in arrays {
            arrays::decode(array, level, output);
        }
    })
}

/// Copies the bytes of arrays one after the other to the same memory.
fn copying<'r>(arrays: &'r Arrays<'_>, output: &'r RefCell<Output>) -> Run<'r> {
    Box::new(move || {
        let output = &mut output.borrow_mut();
        for array in arrays {
            let bytes = array.as_bytes();
            let out = output.first(bytes.len());
            out.copy_from_slice(bytes);
            std::hint::black_box(out);
        }
    })
}

/// The rates of functions that took turns, the last of which is the copy.
fn rates(turns: &Turns<'_>, arrays: &Arrays<'_>) -> Vec<Rate> {
    let totals = totals(arrays);
    let each = turns.timings().into_iter().zip(turns.shares());
    each.map(|(timing, share)| Rate { of_copy: Some(share.into()), ..Rate::new(timing, totals) }).collect()
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

/// The arrays to measure, and what was found before.
struct Set<'a, 'g> {
    groups: &'g [Group<'a>],
    levels: &'g [Level],
    /// The levels that decode the arrays of a group to the values of the scalar code.
    same: Vec<Vec<Level>>,
    /// The CRC-32 of the values of each group.
    crcs: Vec<u32>,
    /// Every array of every model, once.
    whole: Arrays<'a>,
}

impl<'a, 'g> Set<'a, 'g> {
    fn new(groups: &'g [Group<'a>], levels: &'g [Level], output: &mut Output) -> Set<'a, 'g> {
        let crcs = groups.iter().map(|group| arrays::crc32(&group.arrays, Level::SCALAR, output)).collect();
        let mut same = |group: &Group<'_>| {
            let is_same = |level: &&Level| arrays::is_scalar(&group.arrays, **level, output);
            levels.iter().filter(is_same).copied().collect()
        };
        let same = groups.iter().map(&mut same).collect();
        let once = groups.iter().filter(|group| !group.again);
        let whole = once.flat_map(|group| group.arrays.iter().copied()).collect();
        Set { groups, levels, same, crcs, whole }
    }

    /// The turns of all arrays, with `on_all_cores` if there are several workers, and then of each group.
    fn turns<'r>(
        &'r self,
        output: &'r RefCell<Output>,
        on_all_cores: Option<&dyn Fn(usize) -> Run<'r>>,
    ) -> Vec<Turns<'r>> {
        let mut runs: Vec<Run<'_>> = Vec::new();
        for (index, level) in self.levels.iter().enumerate() {
            runs.push(decoding(&self.whole, *level, output));
            runs.extend(on_all_cores.map(|on_all_cores| on_all_cores(index)));
        }
        runs.push(copying(&self.whole, output));
        let each = self.groups.iter().zip(&self.same).map(|(group, same)| {
            let levels = same.iter().map(|level| decoding(&group.arrays, *level, output));
            Turns::new(levels.chain([copying(&group.arrays, output)]).collect())
        });
        [Turns::new(runs)].into_iter().chain(each).collect()
    }

    fn arrays(&self, turns: &[Turns<'_>]) -> Vec<ArrayReport> {
        let report = |(index, turns): (usize, &Turns<'_>)| {
            let (Group { format, name, arrays, .. }, same) = (&self.groups[index], &self.same[index]);
            let (elements, bytes) = totals(arrays);
            let rates = rates(turns, arrays);
            let levels = same.iter().zip(&rates);
            let different = self.levels.iter().filter(|level| !same.contains(level));
            ArrayReport {
                format,
                name,
                elements,
                bytes,
                crc32: self.crcs[index],
                kernel: !arrays.iter().all(arrays::is_copied),
                levels: levels.map(|(level, rate)| LevelRate { level: level.name(), rate: *rate }).collect(),
                different: different.map(|level| level.name()).collect(),
                memcpy: rates[same.len()],
            }
        };
        turns.iter().enumerate().map(report).collect()
    }

    fn whole(&self, turns: &Turns<'_>, workers: usize) -> WholeReport {
        let (elements, bytes) = totals(&self.whole);
        let rates = rates(turns, &self.whole);
        let each = rates.chunks(workers.min(2)).zip(self.levels);
        let levels = each.map(|(rates, level)| WholeRates {
            level: level.name(),
            one_core: rates[0],
            all_cores: rates[rates.len() - 1],
        });
        WholeReport { elements, bytes, workers, levels: levels.collect(), memcpy: rates[rates.len() - 1] }
    }
}

/// Measures opening and parsing, every group, and every array of every model on one core and on `jobs`. Each worker has its
/// own memory.
///
/// # Errors
///
/// The system does not have enough memory, or cannot start a thread.
pub(crate) fn measure(
    (models, password): (&[Model<'_>], Option<&str>),
    groups: &[Group<'_>],
    levels: &[Level],
    duration: Duration,
    jobs: usize,
) -> io::Result<Measured> {
    let largest = groups.iter().map(|group| largest_room(&group.arrays)).max().unwrap_or(0);
    let mut output = Output::new(largest)?;
    let set = Set::new(groups, levels, &mut output);
    let output = RefCell::new(output);
    let pieces = pieces(&set.whole, jobs);
    let workers = jobs.min(pieces.len()).max(1);
    let outputs =
        (0..workers).map(|_| Output::new(largest).map(Mutex::new)).collect::<io::Result<Vec<_>>>()?;
    let (next, level_of_round) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = |worker: usize| {
        let mut output = outputs[worker].lock().unwrap_or_else(PoisonError::into_inner);
        let level = levels[level_of_round.load(Ordering::Relaxed)];
        while let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
            for array in *piece {
                arrays::decode(array, level, &mut output);
            }
        }
    };
    let measure = |team: &Team<'_>| {
        let (next, level_of_round) = (&next, &level_of_round);
        let on_all_cores = |level: usize| -> Run<'_> {
            Box::new(move || {
                level_of_round.store(level, Ordering::Relaxed);
                next.store(0, Ordering::Relaxed);
                team.round();
            })
        };
        let mut all = set.turns(&output, (workers > 1).then_some(&on_all_cores));
        let open: Run<'_> = Box::new(|| open(models, password));
        let parse: Run<'_> = Box::new(|| {
            std::hint::black_box(models.iter().filter(|model| model.files.document().is_ok()).count());
        });
        all.extend([open, parse].map(|run| Turns::new(vec![run])));
        turns::run(&mut all, duration);
        let microseconds = |turns: &Turns<'_>| turns.timings()[0].seconds / models.len() as f64 * 1e6;
        let count = groups.len();
        Measured {
            arrays: set.arrays(&all[1..=count]),
            whole: set.whole(&all[0], workers),
            open_microseconds: microseconds(&all[count + 1]),
            parse_microseconds: microseconds(&all[count + 2]),
        }
    };
    team(if workers > 1 { workers } else { 0 }, &work, measure)
}

impl Report {
    /// Measures the models. `password` opens them again.
    pub(crate) fn new(
        arguments: &Arguments,
        password: Option<&str>,
        models: &[Model<'_>],
        levels: &[Level],
    ) -> io::Result<Report> {
        let all = || available_parallelism().map_or(1, NonZero::get);
        let jobs = if arguments.jobs == 0 { all() } else { arguments.jobs };
        let machine = (Machine::current(), machine::load());
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let duration = Duration::from_secs_f32(arguments.seconds);
        let measured = measure((models, password), &arrays::groups(models), levels, duration, jobs)?;
        let mut crc = crc32fast::Hasher::new();
        models.iter().flat_map(|model| model.files.bytes()).for_each(|bytes| crc.update(bytes));
        Ok(Report {
            schema: "meshlens-bench 1",
            version: env!("CARGO_PKG_VERSION"),
            commit: option_env!("MESHLENS_COMMIT"),
            build: Build {
                rustc: env!("MESHLENS_RUSTC"),
                profile: env!("MESHLENS_PROFILE"),
                opt_level: env!("MESHLENS_OPT_LEVEL"),
            },
            time,
            machine: machine.0,
            files: models.len(),
            bytes: models.iter().map(|model| model.files.len()).sum(),
            files_crc32: crc.finalize(),
            level: Level::current().name(),
            cores: jobs,
            load: machine.1,
            open_microseconds: measured.open_microseconds,
            parse_microseconds: measured.parse_microseconds,
            arrays: measured.arrays,
            whole: measured.whole,
            decoders: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use meshlens::lens::Lens;
    use meshlens::lens::encoding::F32;

    use super::*;

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
