//! Every small damage to every file of the corpus and boundary values in its headers, with limits for memory and work;
//! and every input that once failed. The tests use all cores, and run alone in their process. By default they check the
//! first file of every kind of damage to every file of the corpus, one of [`SHARE`] others, and one of 8 kept inputs of
//! fuzzing; `.ci/thorough` checks all.

mod headers;

use std::collections::VecDeque;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, thread};

use meshlens::Document;
use meshlens_testkit::kept;
use meshlens_testkit::meter::{self, Heap};
use meshlens_testkit::mutate::{self, Field};
use meshlens_testkit::share::few_or_all;
use meshlens_testkit::targets::{Damage, TARGETS, Target, find};

/// Calls a function with each damaged copy of a seed of a target.
type Damaging = fn(&Target, &[u8], &mut dyn FnMut(&[u8]));

/// One of this many damaged files is checked by default.
const SHARE: u64 = 997;

const AT_RANDOM: &[(&str, Damaging)] = &[
    ("nothing changed", |_, bytes, check| check(bytes)),
    ("changes at random", |_, bytes, check| mutate::random(bytes, 60, check)),
];

const EVERY_WAY: &[(&str, Damaging)] = &[
    ("nothing changed", |_, bytes, check| check(bytes)),
    ("every prefix", |_, bytes, check| mutate::prefixes(bytes, check)),
    ("every byte", |_, bytes, check| mutate::bytes_except(bytes, &inner_elements(bytes), check)),
    ("every aligned word", |_, bytes, check| mutate::words_except(bytes, &inner_elements(bytes), check)),
    ("every two counts", |target, bytes, check| {
        if let Damage::EveryWay(shape) = target.damage {
            mutate::pairs(bytes, &chosen(mutate::fields(bytes, shape)), check);
        }
    }),
    ("something after the end", |_, bytes, check| mutate::trailing(bytes, check)),
];

/// The bytes of the elements of each array that are neither among the first two nor among the last two. All elements of
/// an array are read by the same code.
fn inner_elements(bytes: &[u8]) -> Vec<Range<usize>> {
    let Ok(document) = Document::parse(bytes) else { return Vec::new() };
    let arrays = document.arrays().filter(|array| array.lens.stride() == array.lens.format().size());
    let inner = arrays.map(|array| {
        let (range, edge) = (array.lens.byte_range(), 2 * array.lens.stride());
        range.start as usize + edge..(range.end as usize).saturating_sub(edge)
    });
    inner.filter(|range| !range.is_empty()).collect()
}

/// The fields that are changed two at a time: the first ones, and some of the others at regular intervals.
fn chosen(fields: Vec<Field>) -> Vec<Field> {
    const EACH: usize = 64;
    let (first, others) = fields.split_at(fields.len().min(EACH));
    [first.to_vec(), others.iter().copied().step_by(others.len().div_ceil(EACH).max(1)).collect()].concat()
}

struct Job {
    target: &'static Target,
    path: String,
    bytes: Vec<u8>,
    damage: (&'static str, Damaging),
    check: fn(&Target, &[u8]),
}

fn install_meter() {
    meter::install(|run| {
        let found = allocation_counter::measure(run);
        Heap { peak_bytes: found.bytes_max, allocations: found.count_total }
    });
}

#[test]
fn every_fixture_survives_every_small_damage() {
    install_meter();
    let mut jobs = Vec::new();
    for target in TARGETS {
        let seeds = (target.seeds)();
        assert!(!seeds.is_empty(), "{}: no file of the corpus is a seed", target.name);
        for (path, bytes) in seeds {
            let damages = match target.damage {
                Damage::Random => AT_RANDOM,
                Damage::EveryWay(_) | Damage::EveryByte => EVERY_WAY,
            };
            jobs.extend(damages.iter().map(|damage| Job {
                target,
                path: path.clone(),
                bytes: bytes.clone(),
                damage: *damage,
                check: |target, bytes| (target.check)(bytes),
            }));
        }
    }
    let checked = run_all(jobs);
    println!("{checked} damaged files");
    assert!(checked > few_or_all(3_000, 1_000_000), "{checked}");
}

#[test]
#[ignore = "any number of inputs: MESHLENS_TARGET=convert MESHLENS_ROUNDS=1000"]
fn one_target_survives_more_changes_at_random() {
    install_meter();
    let setting = |name: &str, usual: &str| env::var(name).unwrap_or_else(|_| usual.into());
    let target = find(&setting("MESHLENS_TARGET", "convert")).expect("a target of this name");
    let rounds = setting("MESHLENS_ROUNDS", "1000").parse().expect("a number");
    let (mut checked, mut failed) = (0, 0);
    for (_, bytes) in (target.seeds)() {
        mutate::random(&bytes, rounds, |damaged| {
            checked += 1;
            failed += u64::from(catch_unwind(AssertUnwindSafe(|| (target.check)(damaged))).is_err());
        });
    }
    assert!(failed == 0 && checked > 0, "{failed} of {checked} inputs break {}", target.name);
    println!("{checked} inputs");
}

/// Runs every job, and prints the number of checked inputs.
fn run_all(mut jobs: Vec<Job>) -> u64 {
    // The longest job comes first, so that the threads end at about the same time.
    jobs.sort_by_key(|job| std::cmp::Reverse(job.bytes.len()));
    let jobs = Mutex::new(VecDeque::from(jobs));
    let checked = AtomicU64::new(0);
    let share = few_or_all(SHARE, 1);
    let workers = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(job) = { jobs.lock().unwrap().pop_front() } {
                    let (mut inputs, mut checks) = (0, 0);
                    (job.damage.1)(job.target, &job.bytes, &mut |damaged| {
                        if inputs % share == 0 {
                            check(&job, damaged);
                            checks += 1;
                        }
                        inputs += 1;
                    });
                    checked.fetch_add(checks, Ordering::Relaxed);
                }
            });
        }
    });
    checked.into_inner()
}

/// Runs the checker, and saves the input if it panics.
fn check(job: &Job, damaged: &[u8]) {
    let outcome = catch_unwind(AssertUnwindSafe(|| (job.check)(job.target, damaged)));
    if let Err(panic) = outcome {
        let name = format!("{}-{}", job.target.name, job.path.replace('/', "-"));
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&kept, damaged).unwrap();
        eprintln!("{} with {}: kept as {}", job.path, job.damage.0, kept.display());
        resume_unwind(panic);
    }
}

#[test]
fn every_regression_passes() {
    install_meter();
    for target in TARGETS {
        for (path, bytes) in target.regressions() {
            if catch_unwind(AssertUnwindSafe(|| (target.check)(&bytes))).is_err() {
                panic!("{} breaks {} again", path.display(), target.name);
            }
        }
    }
}

#[test]
fn every_kept_fuzzing_input_passes() {
    install_meter();
    let inputs = TARGETS.iter().flat_map(|target| {
        let job = move |(path, bytes)| Job {
            target,
            path,
            bytes,
            damage: ("nothing changed", |_, bytes, check| check(bytes)),
            check: |target, bytes| (target.check)(bytes),
        };
        kept::of(target.name).into_iter().step_by(few_or_all(8, 1)).map(job)
    });
    println!("{} inputs", run_all(inputs.collect()));
}
