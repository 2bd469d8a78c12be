//! Streaming compared with reading whole files: the time to the bounds of 10,000 files, the throughput and the memory
//! of full loads, and the duration of each call while 10,000 requests are in flight.
//!
//! Times are medians of five runs, in which everything takes its turn, and times of calls are percentiles. With the argument
//! `calls`, only calls are timed. The files are written to the disk first, and dropped from the page cache before each "cold"
//! run (Linux). With `--test`, 100 files are read once.

mod calls;

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use meshlens_source::ArchiveWriter;
use meshlens_stream::backend::{ArchiveBackend, Backend, FileBackend, Read};
use meshlens_stream::{
    Bytes, Handle, Part, PlanTable, PlanTableBuilder, Priority, ProbeOptions, Streamer, StreamerOptions,
};
use rayon::prelude::*;

const BUDGET: usize = 64 << 20;

struct Files {
    _folder: tempfile::TempDir,
    paths: Vec<String>,
    file_len: usize,
    /// A pack of the files, by their names.
    pack: std::path::PathBuf,
    /// The corner with the largest coordinates of the bounds of frame 0, for each file.
    greatest: Vec<[f32; 3]>,
}

/// Models with 20 frames and 120 vertices, about 25 KB each, with different values.
fn files(count: usize) -> Files {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let bytes = meshlens_benches::large::generated_md3(20, 1, 11, 9);
    let pack = folder.path().join("pack.pk3");
    let mut packed = ArchiveWriter::create(&pack, false).expect("a writable folder");
    let mut table = PlanTableBuilder::default();
    let mut files =
        Files { file_len: bytes.len(), pack, paths: Vec::new(), greatest: Vec::new(), _folder: folder };
    for number in 0..count {
        let mut bytes = bytes.clone();
        // The corner with the largest coordinates, which follows the header and the corner with the smallest
        // coordinates.
        let greatest = [number as f32 + 100.0; 3];
        for (field, value) in bytes[108 + 12..108 + 24].as_chunks_mut::<4>().0.iter_mut().zip(greatest) {
            *field = value.to_le_bytes();
        }
        let path = files._folder.path().join(format!("{number}.md3"));
        std::fs::write(&path, &bytes).expect("a writable folder");
        files.paths.push(path.to_str().expect("a path that is UTF-8").to_owned());
        files.greatest.push(greatest);
        let name = format!("{number}.md3");
        packed.add(&name, &bytes).expect("a writable folder");
        table.add(&[(&name, &bytes)]).expect("a model");
    }
    packed.add(PlanTable::NAME, &table.finish()).expect("a writable folder");
    packed.finish().expect("a writable folder");
    files
}

/// Writes files to the disk: the system does not do that during a measurement.
fn write_to_disk() {
    #[cfg(target_os = "linux")]
    rustix::fs::sync();
}

/// Drops files from the page cache. Returns false if this is not possible.
fn make_cold(files: &Files) -> bool {
    #[cfg(target_os = "linux")]
    {
        files.paths.iter().map(Path::new).chain([&*files.pack]).all(|path| {
            let file = std::fs::File::open(path).expect("a readable file");
            rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed).is_ok()
        })
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = files;
        false
    }
}

fn streamer(probe: ProbeOptions) -> Streamer {
    let options =
        StreamerOptions { memory: BUDGET, probe: Some(probe), lists_completed: false, ..Default::default() };
    Streamer::new(options).expect("threads")
}

/// Opens the models at these paths, and requests a part of each.
fn request_all(streamer: &Streamer, backend: &Arc<dyn Backend>, paths: &[String], part: Part) -> Vec<Handle> {
    let open = |path: &String| streamer.open(backend.clone(), [path.as_str()]);
    let models: Vec<_> = paths.iter().map(open).collect();
    streamer.request_many(models.iter().map(|model| (model, part, Priority::NORMAL)))
}

/// Streams the bounds of all files. Returns the number of bytes read.
fn bounds_streamed(files: &Files) -> u64 {
    let streamer = streamer(ProbeOptions { read: 256, ..ProbeOptions::default() });
    let backend: Arc<dyn Backend> = Arc::new(FileBackend::new(4).expect("threads"));
    let handles = request_all(&streamer, &backend, &files.paths, Part::Bounds);
    // Who wants everything waits for the last request first, and sleeps once.
    for (handle, greatest) in handles.into_iter().zip(&files.greatest).rev() {
        let loaded = handle.wait().expect("bounds");
        assert_eq!(loaded.bounds().expect("bounds").max, *greatest);
    }
    streamer.statistics().bytes_read
}

/// Opens the pack and all of its models, whose bounds are then known. Returns the length of the table.
fn bounds_of_pack(files: &Files) -> u64 {
    let streamer = streamer(ProbeOptions::default());
    let pack = ArchiveBackend::open(&files.pack, 2).expect("a pack");
    let table = pack.archive().find(PlanTable::NAME).map_or(0, |entry| entry.size());
    let backend: Arc<dyn Backend> = Arc::new(pack);
    for (number, greatest) in files.greatest.iter().enumerate() {
        let model = streamer.open(backend.clone(), [format!("{number}.md3")]);
        assert_eq!(model.bounds().expect("bounds").max, *greatest);
    }
    assert_eq!(streamer.statistics().reads, 0);
    table
}

/// Computes the bounds of all files, which are read completely, on all cores.
fn bounds_of_whole_files(files: &Files) -> u64 {
    let read = |(path, greatest): (&String, &[f32; 3])| {
        let bytes = std::fs::read(path).expect("a readable file");
        let md3 = meshlens::md3::Md3::parse(&bytes).expect("a model");
        assert_eq!(md3.frame(0).expect("a frame").bounds.max, *greatest);
        bytes.len() as u64
    };
    files.paths.par_iter().zip(&files.greatest).map(read).sum()
}

/// Streams all files with these names completely. Returns the number of bytes, and the peak memory use.
fn load_streamed(names: &[String], backend: impl Backend) -> (u64, usize) {
    let streamer = streamer(ProbeOptions::default());
    let backend: Arc<dyn Backend> = Arc::new(backend);
    let mut bytes = 0;
    // Results are dropped as they arrive, so that there is memory for the next ones.
    let mut waiting = Vec::new();
    let take = |handle: Handle| -> u64 {
        let loaded = handle.wait().expect("a model");
        loaded.model().expect("a model").bytes()
    };
    for names in names.chunks(128) {
        let newer = request_all(&streamer, &backend, names, Part::Whole);
        // The same for the older half of the requests in flight.
        bytes += std::mem::replace(&mut waiting, newer).into_iter().rev().map(take).sum::<u64>();
    }
    bytes += waiting.into_iter().rev().map(take).sum::<u64>();
    let peak = streamer.statistics().memory_peak;
    assert!(peak <= BUDGET, "{peak} bytes of memory");
    (bytes, peak)
}

/// Reads all files, on all cores.
fn load_by_read(files: &Files) -> u64 {
    let read = |path: &String| std::fs::read(Path::new(path)).expect("a readable file").len() as u64;
    files.paths.par_iter().map(read).sum()
}

/// Answers every read at once, from memory.
struct Memory(Bytes);

impl Backend for Memory {
    fn begin(&self, read: Read) {
        let range = read.range().start as usize..self.0.len().min(read.range().end as usize);
        read.finish_with(self.0.slice(range), self.0.len() as u64, None);
    }
}

/// The processor time of this thread and of all other threads so far. `None` on systems other than Linux.
fn thread_times() -> Option<[Duration; 2]> {
    let mut times = [Duration::ZERO; 2];
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let task = task.ok()?;
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        let is_other = task.file_name().to_str()?.parse() != Ok(std::process::id());
        times[usize::from(is_other)] += Duration::from_nanos(text.split(' ').next()?.parse().ok()?);
    }
    Some(times)
}

/// Prints what opening models and requests for bounds cost each thread if no byte has to be read: for the first requests of a
/// streamer, whose memory is new, and for later ones, which drop bytes of earlier models.
fn cost(files: &Files, rounds: usize) {
    let bytes = Bytes::from(std::fs::read(&files.paths[0]).expect("a readable file"));
    let backend: Arc<dyn Backend> = Arc::new(Memory(bytes));
    let mut least = [[f64::MAX; 2]; 2];
    // The time of a thread that ends would be missing from the second sum.
    let mut kept = Vec::new();
    for _ in 0..rounds {
        kept.push(streamer(ProbeOptions { read: 256, ..ProbeOptions::default() }));
        let Some(streamer) = kept.last() else { return };
        for round in [0, 1, 1] {
            let Some(before) = thread_times() else { return };
            request_all(streamer, &backend, &files.paths, Part::Bounds).into_iter().rev().for_each(
                |handle| {
                    assert!(handle.wait().is_ok());
                },
            );
            let Some(after) = thread_times() else { return };
            let times = [0, 1].map(|thread| (after[thread] - before[thread]).as_secs_f64());
            let times = times.map(|time| time * 1e6 / files.paths.len() as f64);
            if times.iter().sum::<f64>() < least[round].iter().sum() {
                least[round] = times;
            }
        }
    }
    for (name, [caller, others]) in ["first", "later"].iter().zip(least) {
        println!(
            "a request for bounds in memory, {name}: {:.2} us, {caller:.2} of its thread and {others:.2} of others",
            caller + others
        );
    }
}

/// Something to measure: its name, and a run that returns the number of bytes.
type Row<'r> = (&'static str, &'r dyn Fn() -> u64);

/// Measures rows in turns, and prints the median of each.
fn measure(temperature: &str, rows: &[Row<'_>], runs: usize, prepare: &dyn Fn()) {
    let mut times = vec![Vec::new(); rows.len()];
    let mut bytes = vec![0; rows.len()];
    for _ in 0..runs {
        for (index, (_, run)) in rows.iter().enumerate() {
            prepare();
            let started = Instant::now();
            bytes[index] = run();
            times[index].push(started.elapsed());
        }
    }
    for (((name, _), times), bytes) in rows.iter().zip(&mut times).zip(bytes) {
        times.sort_unstable();
        let (seconds, megabytes) = (times[times.len() / 2].as_secs_f64(), bytes as f64 / 1e6);
        println!(
            "{temperature} {name:24}  {:8.1} ms  {megabytes:8.1} MB  {:8.2} GB/s",
            seconds * 1e3,
            megabytes / seconds / 1e3
        );
    }
}

fn main() {
    let is_test = std::env::args().any(|argument| argument == "--test");
    let (count, runs) = if is_test { (100, 1) } else { (10_000, 5) };
    if std::env::args().any(|argument| argument == "calls") {
        return calls::calls(count, if is_test { 1 } else { 5 });
    }
    let files = files(count);
    write_to_disk();
    let whole = (files.file_len * count) as u64;
    let names: Vec<String> = (0..count).map(|number| format!("{number}.md3")).collect();
    println!("{count} files of {} bytes", files.file_len);
    for is_cold in [false, true] {
        let temperature = if is_cold { "cold" } else { "warm" };
        if is_cold && !make_cold(&files) {
            println!("cold: files cannot be dropped from the page cache here");
            continue;
        }
        let prepare = || {
            if is_cold {
                make_cold(&files);
            }
        };
        let peak = Cell::new(0);
        let all = |(bytes, used): (u64, usize)| {
            peak.set(peak.get().max(used));
            assert_eq!(bytes, whole);
            bytes
        };
        let streamed_bounds = || {
            let bytes = bounds_streamed(&files);
            assert!(bytes <= 256 * count as u64, "{bytes} bytes for bounds");
            bytes
        };
        let pack = || ArchiveBackend::open(&files.pack, 2).expect("a pack");
        let from_files = || FileBackend::new(16).expect("threads");
        let rows: [Row<'_>; 6] = [
            ("bounds streamed", &streamed_bounds),
            ("bounds of a pack", &|| bounds_of_pack(&files)),
            ("bounds of whole files", &|| all((bounds_of_whole_files(&files), 0))),
            ("all bytes streamed", &|| all(load_streamed(&files.paths, from_files()))),
            ("all bytes of a pack", &|| all(load_streamed(&names, pack()))),
            ("all bytes by read", &|| all((load_by_read(&files), 0))),
        ];
        measure(temperature, &rows, runs, &prepare);
        println!("at most {:.1} MB of memory for streaming", peak.get() as f64 / 1e6);
    }
    cost(&files, runs);
    calls::calls(count, if is_test { 1 } else { 5 });
}
