//! Whole files: every MD3 file below the folder in `MESHLENS_REAL`, or the corpus and a large generated file.
//!
//! The page cache is warm: each file has been read once. Files are opened and closed every time. "Decode" means the
//! positions and normals of every frame of every surface, to a reused buffer. `-- --table` only prints the tables.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use criterion::{Criterion, Throughput};
use meshlens_benches::large::generated_md3;
use meshlens_benches::ratio::{Run, Table, in_turns, machine};
use meshlens_benches::{has, wants_tables};
use meshlens_lens::{Level, PositionNormal};
use meshlens_md3::Md3;
use meshlens_source::{Source, read_into};
use meshlens_testkit::{corpus, real};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The number of vertices that are decoded at a time. The output stays in the first-level cache.
const RUN: usize = 1024;

/// The files and their totals.
#[derive(Default)]
struct Set {
    /// Sorted by size, the largest first, so that no worker starts a large file last.
    files: Vec<PathBuf>,
    bytes: u64,
    frame_vertices: u64,
    vertices: u64,
    surfaces: u64,
    /// Keeps the generated files until the end.
    _folder: Option<tempfile::TempDir>,
}

fn set() -> Set {
    let mut set = Set::default();
    let files = match real::folder() {
        Some(folder) => real::files_below(&folder.join("md3")),
        None => {
            let folder = tempfile::tempdir().expect("a folder for temporary files");
            let mut files = vec![("generated.md3".to_owned(), generated_md3(287, 4, 33, 13))];
            files.extend(corpus::with_extension(&[".md3"]));
            let write = |(name, bytes): (String, Vec<u8>)| {
                let path = folder.path().join(name.replace('/', "_"));
                std::fs::write(&path, bytes).expect("room for a file");
                path
            };
            let files = files.into_iter().map(write).collect();
            set._folder = Some(folder);
            files
        }
    };
    let mut sized = Vec::new();
    for path in files {
        let bytes = std::fs::read(&path).expect("a readable file");
        // Keeps only files that parse, because errors are not measured.
        let Ok(md3) = Md3::parse(&bytes) else { continue };
        set.bytes += bytes.len() as u64;
        for surface in md3.surfaces() {
            set.frame_vertices += surface.vertex_count() as u64;
            set.vertices += (surface.frame_count() * surface.vertex_count()) as u64;
            set.surfaces += u64::from(surface.checked_triangles().is_ok());
        }
        sized.push((bytes.len(), path));
    }
    sized.sort_by(|a, b| b.cmp(a));
    set.files = sized.into_iter().map(|(_, path)| path).collect();
    set
}

/// The buffers that a worker reuses for each file.
#[derive(Default)]
struct Buffers {
    file: Vec<u8>,
    vertices: Vec<PositionNormal>,
}

/// How the bytes of a file are obtained.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Read,
    Map,
}

fn with_bytes(way: Way, path: &Path, kept: &mut Buffers, work: Work) -> u64 {
    match way {
        Way::Read => {
            read_into(path, &mut kept.file).expect("a readable file");
            work(&kept.file, &mut kept.vertices)
        }
        Way::Map => {
            // SAFETY: nobody writes to the files during the benches.
            let source = unsafe { Source::map(path).expect("a readable file") };
            work(&source, &mut kept.vertices)
        }
    }
}

type Work = fn(&[u8], &mut Vec<PositionNormal>) -> u64;

fn nothing(bytes: &[u8], _: &mut Vec<PositionNormal>) -> u64 {
    black_box(bytes).len() as u64
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
    out.resize(RUN, PositionNormal::default());
    let mut count = 0;
    for surface in md3.surfaces() {
        let mut rest = surface.all_vertices();
        count += rest.len() as u64;
        while !rest.is_empty() {
            let (run, after) = rest.split_at(rest.len().min(RUN)).expect("as many vertices");
            run.decode_into(&mut out[..run.len()]).expect("room");
            black_box(&mut *out);
            rest = after;
        }
    }
    count
}

/// Like `decode`, but one frame at a time.
fn decode_frames(bytes: &[u8], out: &mut Vec<PositionNormal>) -> u64 {
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

/// A thread pool and the buffers of each thread.
struct Workers {
    pool: ThreadPool,
    kept: Vec<Mutex<Buffers>>,
}

impl Workers {
    fn new() -> Workers {
        let pool = ThreadPoolBuilder::new().build().expect("threads");
        let kept = (0..pool.current_num_threads()).map(|_| Mutex::default()).collect();
        Workers { pool, kept }
    }

    fn run(&self, set: &Set, way: Way, work: Work) -> u64 {
        let next = AtomicUsize::new(0);
        let sums = self.pool.broadcast(|worker| {
            let mut kept = self.kept[worker.index()].lock().expect("a worker that does not panic");
            let paths = std::iter::from_fn(|| set.files.get(next.fetch_add(1, Ordering::Relaxed)));
            paths.map(|path| with_bytes(way, path, &mut kept, work)).sum::<u64>()
        });
        sums.into_iter().sum()
    }
}

/// One row of a table: a measured function and its expected result.
struct Row<'a> {
    name: &'static str,
    run: Box<dyn FnMut() -> u64 + 'a>,
    expected: u64,
}

/// The rows of each table. The other rows of a table are compared with its first row.
fn tables<'a>(set: &'a Set, workers: &'a Workers) -> Vec<Vec<Row<'a>>> {
    let one = |name, way, work: Work, expected| {
        let mut kept = Buffers::default();
        let run = move || set.files.iter().map(|path| with_bytes(way, path, &mut kept, work)).sum::<u64>();
        Row { name, run: Box::new(run), expected }
    };
    let all = |name, way, work: Work, expected| {
        let run = move || workers.run(set, way, work);
        Row { name, run: Box::new(run), expected }
    };
    let headers = vec![
        one("map, check headers", Way::Map, check_headers, set.frame_vertices),
        all("map, check headers, all cores", Way::Map, check_headers, set.frame_vertices),
    ];
    let indices = vec![
        one("map, check every index", Way::Map, check_indices, set.surfaces),
        one("read, check every index", Way::Read, check_indices, set.surfaces),
    ];
    let decoded = vec![
        one("read", Way::Read, nothing, set.bytes),
        one("read, decode every frame", Way::Read, decode, set.vertices),
        one("read, decode frame by frame", Way::Read, decode_frames, set.vertices),
        one("map, decode every frame", Way::Map, decode, set.vertices),
        all("read, decode every frame, all cores", Way::Read, decode, set.vertices),
        all("map, decode every frame, all cores", Way::Map, decode, set.vertices),
    ];
    vec![headers, indices, decoded]
}

fn benches(c: &mut Criterion, set: &Set, tables: Vec<Vec<Row<'_>>>) {
    let mut group = c.benchmark_group("files");
    group.sample_size(10).throughput(Throughput::BytesDecimal(set.bytes));
    for mut row in tables.into_iter().flatten() {
        group.bench_function(row.name, |b| b.iter(|| assert_eq!((row.run)(), row.expected)));
    }
    group.finish();
}

/// Asserts that decoding does not allocate once its buffers are large enough.
fn assert_no_allocation(set: &Set) {
    let files: Vec<Vec<u8>> =
        set.files.iter().map(|path| std::fs::read(path).expect("a readable file")).collect();
    let models: Vec<Md3<'_>> = files.iter().map(|bytes| Md3::parse(bytes).expect("a model")).collect();
    let largest = models.iter().flat_map(Md3::surfaces).map(|surface| surface.vertex_count()).max();
    let mut out = vec![PositionNormal::default(); largest.unwrap_or_default()];
    let used = allocation_counter::measure(|| {
        for surface in models.iter().flat_map(Md3::surfaces) {
            for frame in 0..surface.frame_count() {
                let vertices = surface.vertices(frame).expect("a frame");
                vertices.decode_into(&mut out[..vertices.len()]).expect("room");
            }
        }
    });
    assert_eq!(used.count_total, 0);
}

fn print_tables(set: &Set, tables: Vec<Vec<Row<'_>>>) {
    println!(
        "{}\n{} files, {:.1} MB, {:.2} million vertices of all frames, level {}\n",
        machine(),
        set.files.len(),
        set.bytes as f64 / 1e6,
        set.vertices as f64 / 1e6,
        Level::current()
    );
    for mut rows in tables {
        let mut runs: Vec<Run<'_>> = Vec::new();
        for Row { run, expected, .. } in &mut rows {
            runs.push(Box::new(|| assert_eq!(run(), *expected)));
        }
        let found = in_turns(1, Duration::ZERO, 31, &mut runs);
        drop(runs);
        let mut table = Table::new(&["files", "ms", "times the first", "MB/s in", "Mvertices/s"]);
        for ((row, rate), times) in rows.iter().zip(&found.rates).zip(&found.shares) {
            let seconds = 1.0 / rate;
            let vertices = set.vertices as f64 / seconds / 1e6;
            table.row(vec![
                row.name.to_owned(),
                format!("{:.2}", seconds * 1e3),
                format!("{times:.2}"),
                format!("{:.0}", set.bytes as f64 / seconds / 1e6),
                // A row that decodes all vertices returns their number.
                if row.expected == set.vertices { format!("{vertices:.0}") } else { String::new() },
            ]);
        }
        table.print();
    }
}

fn main() {
    let (set, workers) = (set(), Workers::new());
    assert_no_allocation(&set);
    if !has("--table") {
        let criterion = Criterion::default().warm_up_time(Duration::from_millis(500));
        let mut criterion = criterion.measurement_time(Duration::from_secs(1)).configure_from_args();
        benches(&mut criterion, &set, tables(&set, &workers));
        criterion.final_summary();
    }
    if wants_tables() {
        print_tables(&set, tables(&set, &workers));
    }
}
