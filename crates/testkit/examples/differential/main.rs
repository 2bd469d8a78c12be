//! Compares three readers: this one, the independent ones that made `expected/` of `MESHLENS_REAL`, and assimp, on all real MD3
//! and Unreal files and on damaged files of the corpus. Prints tables for `docs/evidence.md`, whose script `docs/evidence` runs
//! it; fails if a difference is not explained in `explained.rs`.
//!
//! The first argument is the program of `benches/c/assimp.c`, the second the number of damaged files.

mod explained;
mod mended;
mod readers;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use meshlens::Document;
use meshlens::dump::{Arrays, Dump};
use meshlens_testkit::{check, corpus, mutate, real};

use readers::{Assimp, Theirs, ours_md3, ours_unreal};

/// A mesh in a form that can be compared: for each triangle, three corners of x, y, z, u and v.
type Mesh = Vec<[[f32; 5]; 3]>;

/// The number of times that each outcome was found, with the name of an example file.
type Outcomes = BTreeMap<String, (u64, String)>;

/// The files of a model.
enum Input {
    Md3(Vec<u8>),
    /// The geometry and the frames.
    Unreal(Vec<u8>, Vec<u8>),
}

impl Input {
    /// Writes the files to `folder` under the names that assimp expects, and returns the path of the first file.
    fn write(&self, folder: &Path) -> PathBuf {
        let place = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            fs::write(&path, bytes).expect("a folder that can be written to");
            path
        };
        match self {
            Input::Md3(bytes) => place("m.md3", bytes),
            Input::Unreal(geometry, frames) => {
                place("m_a.3d", frames);
                place("m_d.3d", geometry)
            }
        }
    }

    /// Reads the files with this library and with assimp, and returns the name of the outcome.
    fn compare(&self, assimp: &mut Assimp) -> String {
        let theirs = assimp.read(&self.write(assimp.folder()));
        let ours = match self {
            Input::Md3(bytes) => ours_md3(bytes),
            Input::Unreal(geometry, frames) => ours_unreal(geometry, frames, false),
        };
        match (&ours, theirs) {
            (Ok(ours), Theirs::Imported(meshes)) if same(ours, &meshes) => "both read the same".into(),
            (Ok(_), Theirs::Imported(meshes)) => match self {
                Input::Unreal(geometry, frames)
                    if ours_unreal(geometry, frames, true).is_ok_and(|ours| same(&ours, &meshes)) =>
                {
                    "both read, with other triangles: vertex numbers that are not below the number of triangles".into()
                }
                Input::Md3(_) if has_empty_surface(self) => "both read, with other meshes: empty surfaces".into(),
                _ => "both read, and differ".into(),
            },
            (Ok(_), Theirs::Refused(message)) => format!("assimp alone refuses: {message}"),
            (Ok(_), Theirs::Crashed(signal)) => format!("assimp crashes with signal {signal} on what we read"),
            (Ok(_), other) => format!("assimp {other:?} on what we read"),
            (Err(ours), Theirs::Imported(meshes)) => {
                let without = match self {
                    Input::Md3(bytes) => ours_md3(&mended::md3(bytes)),
                    Input::Unreal(geometry, frames) => {
                        let (geometry, frames) = mended::unreal(geometry, frames);
                        ours_unreal(&geometry, &frames, false)
                    }
                };
                let same = without.is_ok_and(|without| same(&without, &meshes));
                format!("we alone refuse{}: {ours}", if same { ", for what assimp does not read" } else { "" })
            }
            (Err(_), Theirs::Refused(_)) => "both refuse".into(),
            (Err(_), Theirs::Crashed(signal)) => format!("assimp crashes with signal {signal} on what we refuse"),
            (Err(_), other) => format!("assimp {other:?} on what we refuse"),
        }
    }
}

fn has_empty_surface(input: &Input) -> bool {
    let Input::Md3(bytes) = input else { return false };
    meshlens_md3::Md3::parse(bytes).is_ok_and(|md3| {
        md3.surfaces().any(|surface| surface.triangles().is_empty() || surface.vertex_count() == 0)
    })
}

/// Whether all numbers have the same bits. A NaN equals any other NaN.
fn same(ours: &[Mesh], theirs: &[Mesh]) -> bool {
    let numbers = |meshes: &[Mesh]| {
        let bits = |number: &f32| if number.is_nan() { f32::NAN.to_bits() } else { (number + 0.0).to_bits() };
        let mesh = |mesh: &Mesh| mesh.as_flattened().as_flattened().iter().map(bits).collect::<Vec<_>>();
        meshes.iter().map(mesh).collect::<Vec<_>>()
    };
    numbers(ours) == numbers(theirs)
}

/// The real models whose format assimp imports.
fn real_models(folder: &Path) -> Vec<(&'static str, String, Input)> {
    let below = |name: &str, ends: &str| {
        let files = real::files_below(&folder.join(name)).into_iter();
        let ends = ends.to_owned();
        files.filter(move |path| path.to_string_lossy().to_lowercase().ends_with(&ends))
    };
    let md3 = below("md3", ".md3").map(|path| ("MD3", name(&path), Input::Md3(real::read(&path))));
    let unreal = below("unreal", ".3d").filter_map(|path| {
        let file = meshlens_unreal::pairing::FileName::parse(path.file_name()?.to_str()?)?;
        let is_geometry = file.kind == meshlens_unreal::FileKind::Geometry;
        let frames = is_geometry.then(|| real::unreal_frames(&path))??;
        Some(("Unreal", name(&path), Input::Unreal(real::read(&path), frames)))
    });
    md3.chain(unreal).collect()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The number of files of a format whose values all equal those that an independent reader found, and the number of
/// files.
fn with_expected_values(folder: &Path, format: &str) -> (usize, usize) {
    let all = real::expected(folder, format);
    let count = all.len();
    let is_equal = |expected: &serde_json::Value| {
        let path = folder.join(expected["uri"].as_str()?);
        let bytes = real::read(&path);
        let dump = |document: &Document<'_>| serde_json::to_value(Dump::new(document, Arrays::Stats)).ok();
        let found = if format == "unreal" {
            let frames = real::unreal_frames(&path)?;
            dump(&meshlens_unreal::Unreal::parse(&bytes, &frames).ok()?.into())
        } else if meshlens_u3d::FileHeader::read(&bytes).is_ok_and(|header| header.is_encrypted()) {
            dump(&Document::parse(&meshlens_u3d::U3d::decrypt(&bytes, "secret").ok()?).ok()?)
        } else {
            dump(&Document::parse(&bytes).ok()?)
        };
        real::difference(expected, &found?, String::new()).is_none().then_some(())
    };
    (all.iter().filter_map(is_equal).count(), count)
}

/// Compares `count` damaged files of the corpus, on all cores.
fn damaged(program: &Path, count: usize) -> BTreeMap<&'static str, Outcomes> {
    let md3 = corpus::with_extension(&[".md3"]).into_iter().map(|(path, bytes)| ("MD3", path, bytes));
    let pairs = corpus::unreal_pairs().into_iter();
    let unreal = pairs.map(|(path, geometry, frames)| ("Unreal", path, [geometry, frames].concat()));
    let seeds: Vec<_> = md3.chain(unreal).collect();
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let rounds = count.div_ceil(seeds.len());
    let work = |worker: usize| {
        let mut assimp = Assimp::new(program, worker);
        let mut found = BTreeMap::<_, Outcomes>::new();
        for (number, (format, path, bytes)) in seeds.iter().enumerate() {
            let mut round = 0;
            mutate::random(bytes, rounds as u32, |damaged| {
                let index = number * rounds + round;
                round += 1;
                if index >= count || index % workers != worker {
                    return;
                }
                let input = if *format == "MD3" {
                    Input::Md3(damaged.to_vec())
                } else {
                    let (geometry, frames) = check::split_pair(damaged);
                    Input::Unreal(geometry.to_vec(), frames.to_vec())
                };
                count_one(found.entry(*format).or_default(), input.compare(&mut assimp), path);
            });
        }
        found
    };
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
        let mut all = BTreeMap::<_, Outcomes>::new();
        for thread in threads {
            for (format, outcomes) in thread.join().expect("a worker that ends") {
                for (outcome, (count, example)) in outcomes {
                    let known = all.entry(format).or_default().entry(outcome).or_insert((0, example));
                    known.0 += count;
                }
            }
        }
        all
    })
}

fn count_one(outcomes: &mut Outcomes, outcome: String, example: &str) {
    outcomes.entry(outcome).or_insert_with(|| (0, example.to_owned())).0 += 1;
}

/// Prints a table. Returns whether everything is explained.
fn print(title: &str, found: &BTreeMap<&'static str, Outcomes>, names_files: bool) -> bool {
    let mut is_explained = true;
    println!("\n### {title}\n\n| format | files | outcome | which is right, and why |\n|---|---:|---|---|");
    for (format, outcomes) in found {
        for (outcome, (count, example)) in outcomes {
            let why = explained::why(outcome);
            if why.is_none() {
                let example = if names_files { example.as_str() } else { "a damaged file" };
                eprintln!("not explained: {format}: {outcome} ({example})");
                is_explained = false;
            }
            println!("| {format} | {count} | {outcome} | {} |", why.unwrap_or("not explained"));
        }
    }
    is_explained
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, count] = arguments.as_slice() else {
        eprintln!("usage: differential READER-OF-ASSIMP MUTANTS");
        return ExitCode::from(2);
    };
    let (program, count) = (PathBuf::from(program), count.parse().expect("a number of damaged files"));
    let mut is_explained = true;
    if let Some(folder) = real::folder() {
        println!("\n### The independent readers, on every value of every real file\n");
        println!("| format | files | files with the same values |\n|---|---:|---:|");
        for format in ["md3", "unreal", "u3d", "unigine"] {
            let (equal, all) = with_expected_values(&folder, format);
            println!("| {format} | {all} | {equal} |");
            is_explained &= equal == all;
        }
        let mut assimp = Assimp::new(&program, usize::MAX);
        let mut found = BTreeMap::<_, Outcomes>::new();
        for (format, name, input) in real_models(&folder) {
            count_one(found.entry(format).or_default(), input.compare(&mut assimp), &name);
        }
        is_explained &= print("assimp, on every real file that it has an importer for", &found, true);
    }
    let found = damaged(&program, count);
    is_explained &= print(&format!("assimp, on {count} damaged files of the corpus"), &found, false);
    if is_explained { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
