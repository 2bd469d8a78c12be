//! A camera moves through a world of thousands of models. The models are loaded as the camera needs them.
//!
//!     cargo run --release -p meshlens-stream --example stream_world [-- --json] [--svg FILE] [--models N]
//!
//! Every tenth model is a player of three files; all are opened by name from a search path. The example compares two ways to
//! load, at 0, 5 and 20 ms of latency per request and 100 MB/s: whole files, and parts that are read by range. Every model in
//! view needs its bounds. A near model first needs its vertex and index buffers in frame 0, then all other frames and its
//! clips. Requests for models that leave the view are cancelled.
//!
//! The frame thread is an ordinary thread. It runs 60 times per second: it makes requests, changes priorities and takes
//! results. The stall is the longest time that this takes in one frame.
//!
//! The files are MD3 models from the writer: 50 different files of each kind, and hard links to them. Scripts of clips are few
//! bytes, and are read without the latency.

mod entity;
mod run;
mod scene;
mod timeline;
mod world;

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use meshlens_stream::backend::Throttle;

use run::{Mode, Run};
use world::World;

/// Bytes per second of the connection.
const BANDWIDTH: u64 = 100_000_000;
/// The number of requests at one time, as with HTTP/2 or a fast disk.
const REQUESTS: usize = 128;

struct Options {
    is_json: bool,
    svg: Option<PathBuf>,
    models: usize,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options { is_json: false, svg: None, models: 2000 };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match &*argument {
            "--json" => options.is_json = true,
            "--svg" => options.svg = Some(arguments.next().ok_or("--svg takes a file")?.into()),
            "--models" => options.models = arguments.next().ok_or("--models takes a number")?.parse()?,
            other => return Err(format!("{other}: the arguments are --json, --svg FILE, --models N").into()),
        }
    }
    Ok(options)
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let world = World::new(options.models)?;
    let mut latencies = Vec::new();
    for latency_ms in [0, 5, 20] {
        let latency = Duration::from_millis(latency_ms);
        let throttle = Throttle { latency, bandwidth: Some(BANDWIDTH), max_reads: REQUESTS };
        let runs = Mode::ALL.map(|mode| scene::run(&world, mode, throttle));
        let runs = runs.into_iter().collect::<Result<Vec<_>, _>>()?;
        latencies.push((latency_ms, runs));
    }
    if options.is_json {
        print_json(&world, &latencies);
    } else {
        print_text(&world, &latencies);
    }
    let svg = options.svg.unwrap_or_else(|| "target/stream_world.svg".into());
    if let Some(folder) = svg.parent() {
        std::fs::create_dir_all(folder)?;
    }
    timeline::draw(&svg, &latencies)?;
    eprintln!("timeline: {}", svg.display());
    Ok(())
}

/// The time to all bounds with whole files, divided by the time of this run.
fn speedup(runs: &[Run], run: &Run) -> f64 {
    let whole = runs.iter().find(|run| run.mode == Mode::Whole);
    whole.map_or(1.0, |whole| whole.first_bounds.as_secs_f64() / run.first_bounds.as_secs_f64())
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The number of threads that ran or waited for a processor in the last minute, on average; `None` on systems other than Linux.
fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

fn print_text(world: &World, latencies: &[(u64, Vec<Run>)]) {
    let (first, cores) = (&latencies[0].1[0], std::thread::available_parallelism().map_or(1, usize::from));
    let load = load().map(|load| format!(", load {load}")).unwrap_or_default();
    println!(
        "{} models of {} KB, opened by name in {:.0} ms, {} in view and {} near at first\n\
         {} MB/s, {REQUESTS} requests at one time; {cores} cores{load}",
        world.entities.len(),
        world.file_len() / 1000,
        ms(first.opened),
        first.visible,
        first.near,
        BANDWIDTH / 1_000_000,
    );
    println!(
        "{:>7}  {:5}  {:>8}  {:>7}  {:>7}  {:>8}  {:>5}  {:>6}  {:>8}  {:>8}",
        "latency", "mode", "bounds", "near", "full", "read", "ratio", "sooner", "stall", "own"
    );
    for (latency, runs) in latencies {
        for run in runs {
            println!(
                "{latency:>4} ms  {:5}  {:>5.0} ms  {:>4.0} ms  {:>4.0} ms  {:>5.1} MB  {:>5.3}  {:>5.1}x  {:>5} us  {:>8}",
                run.mode.name(),
                ms(run.first_bounds),
                ms(run.near_buffers),
                ms(run.full_detail),
                run.bytes_read as f64 / 1e6,
                run.bytes_read as f64 / run.bytes_wanted as f64,
                speedup(runs, run),
                run.worst_stall.as_micros(),
                run.worst_own.map_or("?".into(), |own| format!("{} us", own.as_micros())),
            );
        }
    }
    println!(
        "bounds: time to the bounds of all models in view\n\
         near: time to the vertex and index buffers of near models\n\
         full: time to all frames and clips of near models\n\
         read: bytes read in total; ratio: bytes read to bytes wanted\n\
         sooner: time to bounds with whole files, divided by the time to bounds\n\
         stall: the longest time that the frame thread took in one frame\n\
         own: the same, without the time in which the system ran other threads instead"
    );
}

fn print_json(world: &World, latencies: &[(u64, Vec<Run>)]) {
    let run_json = |runs: &[Run], run: &Run| {
        format!(
            "{{\"mode\": \"{}\", \"first_bounds_ms\": {:.2}, \"near_ms\": {:.2}, \"full_ms\": {:.2}, \
             \"bytes_read\": {}, \"bytes_wanted\": {}, \"first_bounds_speedup\": {:.2}, \"worst_stall_us\": {}, \
             \"worst_own_us\": {}, \"frames\": {}, \"requests\": {}, \"cancelled\": {}, \"reads\": {}, \
             \"memory_peak\": {}}}",
            run.mode.name(),
            ms(run.first_bounds),
            ms(run.near_buffers),
            ms(run.full_detail),
            run.bytes_read,
            run.bytes_wanted,
            speedup(runs, run),
            run.worst_stall.as_micros(),
            run.worst_own.map_or("null".into(), |own| own.as_micros().to_string()),
            run.frames,
            run.requests,
            run.cancelled,
            run.reads,
            run.memory_peak,
        )
    };
    let of_latency = |(latency, runs): &(u64, Vec<Run>)| {
        let parts = runs.iter().find(|run| run.mode == Mode::Parts).unwrap_or(&runs[0]);
        let modes: Vec<String> = runs.iter().map(|run| run_json(runs, run)).collect();
        format!(
            "{{\"latency_ms\": {latency}, \"first_bounds_speedup\": {:.2}, \"bytes_ratio\": {:.4}, \
             \"worst_stall_us\": {}, \"modes\": [{}]}}",
            speedup(runs, parts),
            parts.bytes_read as f64 / parts.bytes_wanted as f64,
            parts.worst_stall.as_micros(),
            modes.join(", "),
        )
    };
    let all: Vec<String> = latencies.iter().map(of_latency).collect();
    println!(
        "{{\"models\": {}, \"opened_ms\": {:.1}, \"load\": {}, \"file_bytes\": {}, \"bandwidth\": {BANDWIDTH}, \"requests_at_once\": {REQUESTS}, \
         \"latencies\": [{}]}}",
        world.entities.len(),
        ms(latencies[0].1[0].opened),
        load().map_or("null".into(), |load| load.to_string()),
        world.file_len(),
        all.join(", ")
    );
}
