//! Whole files: every MD3 below the folder that `MESHLENS_REAL` names, or the corpus and a large generated file.
//!
//! The page cache is warm: each file has been read once. Files are opened and closed every time. "Decode" means the
//! positions and normals of every frame of every surface, to a reused buffer. Runs the benches of criterion and prints
//! a table; `-- --table` only prints the table.

use std::alloc::System;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use meshlens_benches::ratio::{Run, Table, in_turns, machine};
use meshlens_benches::{generated_md3, naive};
use meshlens_lens::{Level, PositionNormal};
use meshlens_md3::Md3;
use meshlens_source::{Source, read_into};
use meshlens_testkit::{corpus, real};
use rayon::prelude::*;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The files and their totals.
struct Set {
    files: Vec<PathBuf>,
    bytes: u64,
    vertices: u64,
    /// Keeps the generated files until the end.
    _folder: Option<tempfile::TempDir>,
}

fn set() -> Set {
    let (mut files, folder) = match real::folder() {
        Some(folder) => (real::files_below(&folder.join("md3")), None),
        None => {
            let folder = tempfile::tempdir().expect("a folder for temporary files");
            let generated = folder.path().join("generated.md3");
            std::fs::write(&generated, generated_md3(287, 4, 33, 13)).expect("room for a file");
            let mut files = vec![generated];
            for (name, bytes) in corpus::with_extension(&[".md3"]) {
                let path = folder.path().join(name.replace('/', "_"));
                std::fs::write(&path, bytes).expect("room for a file");
                files.push(path);
            }
            (files, Some(folder))
        }
    };
    // Keeps only files that parse: errors are not measured.
    files.retain(|path| Md3::parse(&std::fs::read(path).expect("a readable file")).is_ok());
    let mut set = Set { files, bytes: 0, vertices: 0, _folder: folder };
    for path in &set.files {
        let bytes = std::fs::read(path).expect("a readable file");
        set.bytes += bytes.len() as u64;
        let md3 = Md3::parse(&bytes).expect("a model");
        set.vertices += md3.surfaces().map(|s| (s.frame_count() * s.vertex_count()) as u64).sum::<u64>();
    }
    set
}

/// The buffers that a worker reuses for each file.
#[derive(Default)]
struct Kept {
    file: Vec<u8>,
    vertices: Vec<PositionNormal>,
}

/// How the bytes of a file are obtained.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Read,
    Map,
}

fn with_bytes<R>(
    way: Way,
    path: &PathBuf,
    kept: &mut Kept,
    then: impl FnOnce(&[u8], &mut Vec<PositionNormal>) -> R,
) -> R {
    match way {
        Way::Read => {
            read_into(path, &mut kept.file).expect("a readable file");
            then(&kept.file, &mut kept.vertices)
        }
        Way::Map => {
            // SAFETY: nobody writes to the files during the benches.
            let source = unsafe { Source::map(path).expect("a readable file") };
            then(&source, &mut kept.vertices)
        }
    }
}

fn check_headers(bytes: &[u8], _: &mut Vec<PositionNormal>) -> u64 {
    let md3 = Md3::parse(bytes).expect("a model");
    md3.surfaces().map(|surface| surface.vertex_count() as u64).sum()
}

fn check_indices(bytes: &[u8], _: &mut Vec<PositionNormal>) -> u64 {
    let md3 = Md3::parse(bytes).expect("a model");
    md3.surfaces().filter(|surface| surface.checked_triangles().is_ok()).count() as u64
}

/// Decodes every frame and returns the number of vertices.
fn decode(bytes: &[u8], out: &mut Vec<PositionNormal>) -> u64 {
    let md3 = Md3::parse(bytes).expect("a model");
    let mut count = 0;
    for surface in md3.surfaces() {
        if out.len() < surface.vertex_count() {
            out.resize(surface.vertex_count(), PositionNormal::default());
        }
        for frame in 0..surface.frame_count() {
            let vertices = surface.vertices(frame).expect("a frame");
            vertices.decode_into(&mut out[..vertices.len()]).expect("room");
            count += vertices.len() as u64;
        }
        black_box(&mut *out);
    }
    count
}

fn naive(bytes: &[u8], _: &mut Vec<PositionNormal>) -> u64 {
    let model = naive::load(bytes);
    model.surfaces.iter().flat_map(|surface| &surface.frames).map(|frame| black_box(frame).len() as u64).sum()
}

type Work = fn(&[u8], &mut Vec<PositionNormal>) -> u64;

fn one_by_one(set: &Set, way: Way, work: Work, kept: &mut Kept) -> u64 {
    set.files.iter().map(|path| with_bytes(way, path, kept, work)).sum()
}

fn on_all_cores(set: &Set, way: Way, work: Work) -> u64 {
    let sums = set.files.par_iter().map_init(Kept::default, |kept, path| with_bytes(way, path, kept, work));
    sums.sum()
}

const ROWS: [(&str, Way, Work, bool); 10] = [
    ("map, check headers", Way::Map, check_headers, false),
    ("map, check every index", Way::Map, check_indices, false),
    ("map, decode every frame", Way::Map, decode, false),
    ("read, check every index", Way::Read, check_indices, false),
    ("read, decode every frame", Way::Read, decode, false),
    ("map, check headers, all cores", Way::Map, check_headers, true),
    ("map, decode every frame, all cores", Way::Map, decode, true),
    ("read, decode every frame, all cores", Way::Read, decode, true),
    ("naive loader, read", Way::Read, naive, false),
    ("naive loader, read, all cores", Way::Read, naive, true),
];

fn run(set: &Set, (_, way, work, all): (&str, Way, Work, bool), kept: &mut Kept) -> u64 {
    if all { on_all_cores(set, way, work) } else { one_by_one(set, way, work, kept) }
}

fn benches(c: &mut Criterion, set: &Set) {
    let mut group = c.benchmark_group("files");
    group.sample_size(10).throughput(Throughput::BytesDecimal(set.bytes));
    for row in ROWS {
        let mut kept = Kept::default();
        let expected = run(set, row, &mut kept);
        assert!(
            !row.0.contains("decode") && !row.0.contains("naive") || expected == set.vertices,
            "{}",
            row.0
        );
        group.bench_function(row.0, |b| b.iter(|| assert_eq!(run(set, row, &mut kept), expected)));
    }
    #[cfg(feature = "assimp")]
    group.bench_function("assimp, first frame alone", |b| {
        b.iter(|| {
            let mut kept = Kept::default();
            one_by_one(set, Way::Read, |bytes, _| u64::from(assimp::import(bytes, 0)), &mut kept)
        });
    });
    group.finish();
}

/// Asserts that decoding does not allocate once its buffers are large enough.
fn assert_no_allocation(set: &Set) {
    let files: Vec<Vec<u8>> =
        set.files.iter().map(|path| std::fs::read(path).expect("a readable file")).collect();
    let models: Vec<Md3<'_>> = files.iter().map(|bytes| Md3::parse(bytes).expect("a model")).collect();
    let largest = models.iter().flat_map(Md3::surfaces).map(|surface| surface.vertex_count()).max();
    let mut out = vec![PositionNormal::default(); largest.unwrap_or_default()];
    let region = Region::new(ALLOCATOR);
    for surface in models.iter().flat_map(Md3::surfaces) {
        for frame in 0..surface.frame_count() {
            let vertices = surface.vertices(frame).expect("a frame");
            vertices.decode_into(&mut out[..vertices.len()]).expect("room");
        }
    }
    assert_eq!(region.change().allocations, 0);
}

fn table(set: &Set) {
    println!(
        "{}\n{} files, {:.1} MB, {:.2} million vertices of all frames, level {}\n",
        machine(),
        set.files.len(),
        set.bytes as f64 / 1e6,
        set.vertices as f64 / 1e6,
        Level::current()
    );
    let mut kept: Vec<Kept> = ROWS.iter().map(|_| Kept::default()).collect();
    let mut runs: Vec<Run<'_>> = Vec::new();
    for (row, kept) in ROWS.iter().zip(&mut kept) {
        runs.push(Box::new(|| {
            black_box(run(set, *row, kept));
        }));
    }
    let found = in_turns(1, Duration::ZERO, 15, &mut runs);
    let mut table = Table::new(&["files", "ms", "MB/s in", "Mvertices/s"]);
    for ((name, _, work, _), rate) in ROWS.iter().zip(&found.rates) {
        let seconds = 1.0 / rate;
        let decodes =
            std::ptr::fn_addr_eq(*work, decode as Work) || std::ptr::fn_addr_eq(*work, naive as Work);
        let vertices =
            if decodes { format!("{:.0}", set.vertices as f64 / seconds / 1e6) } else { String::new() };
        table.row(vec![
            name.to_string(),
            format!("{:.2}", seconds * 1e3),
            format!("{:.0}", set.bytes as f64 / seconds / 1e6),
            vertices,
        ]);
    }
    #[cfg(feature = "assimp")]
    for (name, flags) in [("assimp, first frame alone", 0), ("assimp, its default steps", assimp::DEFAULT)] {
        let start = std::time::Instant::now();
        let mut kept = Kept::default();
        let mut imported = 0;
        for path in &set.files {
            imported +=
                with_bytes(Way::Read, path, &mut kept, |bytes, _| u32::from(assimp::import(bytes, flags)));
        }
        let seconds = start.elapsed().as_secs_f64();
        table.row(vec![
            format!("{name} ({imported} files)"),
            format!("{:.2}", seconds * 1e3),
            format!("{:.0}", set.bytes as f64 / seconds / 1e6),
            String::new(),
        ]);
    }
    table.print();
}

/// The part of assimp's C interface that is used here.
#[cfg(feature = "assimp")]
mod assimp {
    use std::ffi::{c_char, c_uint, c_void};

    /// `aiProcessPreset_TargetRealtime_Fast`: tangents, joined vertices, triangles, normals, UVs, sorted by primitive.
    pub(crate) const DEFAULT: c_uint = 0x1 | 0x2 | 0x8 | 0x20 | 0x8000 | 0x40000;

    #[link(name = "assimp")]
    unsafe extern "C" {
        fn aiImportFileFromMemory(
            bytes: *const c_char,
            len: c_uint,
            flags: c_uint,
            hint: *const c_char,
        ) -> *const c_void;
        fn aiReleaseImport(scene: *const c_void);
    }

    /// Imports the bytes of an MD3 file and releases the result. Returns whether the import succeeded.
    pub(crate) fn import(bytes: &[u8], flags: c_uint) -> bool {
        // SAFETY: the bytes have the given length, the hint ends with NUL, and a scene is released once.
        unsafe {
            let scene =
                aiImportFileFromMemory(bytes.as_ptr().cast(), bytes.len() as c_uint, flags, c"md3".as_ptr());
            if scene.is_null() {
                return false;
            }
            aiReleaseImport(scene);
            true
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let set = set();
    assert_no_allocation(&set);
    if !has("--table") {
        let criterion = Criterion::default().warm_up_time(Duration::from_millis(500));
        let mut criterion = criterion.measurement_time(Duration::from_secs(1)).configure_from_args();
        benches(&mut criterion, &set);
        criterion.final_summary();
    }
    if has("--table")
        || !(has("--test") || has("--list") || arguments.iter().any(|name| !name.starts_with("--")))
    {
        table(&set);
    }
}
