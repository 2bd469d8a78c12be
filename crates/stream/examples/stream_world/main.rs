//! A camera moves through a world of thousands of models. The models are loaded as the camera needs them.
//!
//!     cargo run --release -p meshlens-stream --features object-store --example stream_world [-- --json] [--models N]
//!
//! Every tenth model is a player of three files; all are opened by name from a search path. The example compares sources: files,
//! read whole or in parts; a PK3 with deflated entries; a pack; and servers for HTTP and S3 on this machine, whose answers come 20 ms
//! late. Every model in view needs its bounds. A near model first needs its vertex and index buffers in frame 0, then all
//! other frames and its clips. Requests for models that leave the view are cancelled.
//!
//! The frame thread is an ordinary thread. It runs 60 times per second: it makes requests, changes priorities and takes
//! results. Each source is also measured beside two threads that never rest.
//!
//! The files are MD3 models from the writer: 50 different files of each kind, and hard links to them. Scripts of clips are few
//! bytes, and are read from the folder even if a server has the models.

mod entity;
mod run;
mod scene;
mod source;
mod world;

use std::error::Error;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use run::{Mode, Run};
use world::World;

/// The number of threads that never rest.
const BUSY: usize = 2;

struct Options {
    is_json: bool,
    models: usize,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options { is_json: false, models: 2000 };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match &*argument {
            "--json" => options.is_json = true,
            "--models" => options.models = arguments.next().ok_or("--models takes a number")?.parse()?,
            other => return Err(format!("{other}: the arguments are --json, --models N").into()),
        }
    }
    Ok(options)
}

/// A source, its run alone, and its run beside busy threads.
type Row = (Mode, Run, Run);

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let world = World::new(options.models)?;
    let mut rows: Vec<Row> = Vec::new();
    for mode in Mode::ALL {
        let Some(alone) = scene::run(&world, mode)? else {
            eprintln!("{}: needs the feature object-store", mode.name());
            continue;
        };
        if let Some(busy) = beside_busy_threads(|| scene::run(&world, mode))? {
            rows.push((mode, alone, busy));
        }
    }
    if options.is_json {
        print_json(&world, &rows);
    } else {
        print_text(&world, &rows);
    }
    Ok(())
}

fn beside_busy_threads<T>(run: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..BUSY {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    spin_loop();
                }
            });
        }
        let outcome = run();
        is_over.store(true, Ordering::Relaxed);
        outcome
    })
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The number of threads that ran or waited for a processor in the last minute, on average; `None` on systems other than Linux.
fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

fn print_text(world: &World, rows: &[Row]) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = load().map(|load| format!(", load {load}")).unwrap_or_default();
    let (visible, near) = rows.first().map_or((0, 0), |(_, run, _)| (run.visible, run.near));
    println!(
        "{} models of {} KB, {visible} in view and {near} near at first; {cores} cores{load}",
        world.entities.len(),
        world.file_len() / 1000,
    );
    println!(
        "{:17}  {:>8}  {:>8}  {:>8}  {:>8}  {:>8}  {:>6}  {:>8}  {:>8}  {:>8}",
        "source", "opened", "bounds", "near", "full", "read", "reads", "frame", "busy", "own"
    );
    for (mode, run, busy) in rows {
        println!(
            "{:17}  {:>5.0} ms  {:>5.0} ms  {:>5.0} ms  {:>5.0} ms  {:>5.1} MB  {:>6}  {:>5} us  {:>5} us  {:>8}",
            mode.name(),
            ms(run.opened),
            ms(run.first_bounds),
            ms(run.near_buffers),
            ms(run.full_detail),
            run.bytes_read as f64 / 1e6,
            run.reads,
            run.worst_frame.as_micros(),
            busy.worst_frame.as_micros(),
            busy.worst_own.map_or("?".into(), |own| format!("{} us", own.as_micros())),
        );
    }
    println!(
        "opened: time in which all models were opened by name\n\
         bounds: time to the bounds of all models in view\n\
         near: time to the vertex and index buffers of near models\n\
         full: time to all frames and clips of near models\n\
         read: bytes read in total; reads: their number\n\
         frame: the longest time that the frame thread took in one frame\n\
         busy: the same beside {BUSY} threads that never rest\n\
         own: the same, without the time in which the system ran other threads instead"
    );
}

fn print_json(world: &World, rows: &[Row]) {
    let of_run = |run: &Run| {
        format!(
            "{{\"opened_ms\": {:.1}, \"bounds_ms\": {:.2}, \"near_ms\": {:.2}, \"full_ms\": {:.2}, \"bytes_read\": {}, \
             \"bytes_wanted\": {}, \"worst_frame_us\": {}, \"worst_own_us\": {}, \"frames\": {}, \"requests\": {}, \
             \"cancelled\": {}, \"reads\": {}, \"memory_peak\": {}}}",
            ms(run.opened),
            ms(run.first_bounds),
            ms(run.near_buffers),
            ms(run.full_detail),
            run.bytes_read,
            run.bytes_wanted,
            run.worst_frame.as_micros(),
            run.worst_own.map_or("null".into(), |own| own.as_micros().to_string()),
            run.frames,
            run.requests,
            run.cancelled,
            run.reads,
            run.memory_peak,
        )
    };
    let row = |(mode, alone, busy): &Row| {
        format!(
            "{{\"source\": \"{}\", \"alone\": {}, \"busy\": {}}}",
            mode.name(),
            of_run(alone),
            of_run(busy)
        )
    };
    let rows: Vec<String> = rows.iter().map(row).collect();
    println!(
        "{{\"models\": {}, \"load\": {}, \"file_bytes\": {}, \"rows\": [{}]}}",
        world.entities.len(),
        load().map_or("null".into(), |load| load.to_string()),
        world.file_len(),
        rows.join(", ")
    );
}
