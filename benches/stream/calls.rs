//! The duration of each call of a frame while many requests are in flight.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use meshlens_stream::backend::{Backend, Read};
use meshlens_stream::{Handle, Part, Priority, State, Streamer, StreamerOptions};

/// Keeps all reads until it is dropped.
#[derive(Default)]
struct Silent(Mutex<Vec<Read>>);

impl Backend for Silent {
    fn begin(&self, read: Read) {
        self.0.lock().expect("no panic").push(read);
    }

    fn max_reads(&self) -> usize {
        1 << 20
    }
}

/// The timed calls. The last one is a control: a loop without calls that takes about as long as a slow request. If it
/// is interrupted, the reason is the machine.
const CALLS: [&str; 6] =
    ["set_priority", "state", "poll_completed", "request", "cancel", "(nothing for 4 us)"];

/// Times every call while `count` requests are in flight. Returns the durations of each of [`CALLS`].
fn time_calls(count: usize) -> [Vec<Duration>; CALLS.len()] {
    let options = StreamerOptions { memory: 1 << 30, ..StreamerOptions::default() };
    let streamer = Streamer::new(options).expect("threads");
    let backend: Arc<dyn Backend> = Arc::new(Silent::default());
    let models: Vec<_> =
        (0..2 * count).map(|number| streamer.open(backend.clone(), [number.to_string()])).collect();
    let request =
        |number: usize| streamer.request(&models[number], Part::Bounds, Priority(number as i32 % 100));
    let mut handles: Vec<Handle> = (0..count).map(request).collect();
    let timed = |call: &mut dyn FnMut(usize)| -> Vec<Duration> {
        let time = |number| {
            let started = Instant::now();
            call(number);
            started.elapsed()
        };
        (0..count).map(time).collect()
    };
    let set_priority = timed(&mut |number| handles[number].set_priority(Priority(number as i32)));
    let state = timed(&mut |number| assert!(!handles[number].state().is_final()));
    let poll_completed =
        timed(&mut |_| assert_eq!(streamer.poll_completed(Duration::from_micros(20)).count(), 0));
    let mut more = Vec::with_capacity(count);
    let requested = timed(&mut |number| more.push(request(count + number)));
    let cancel = timed(&mut |number| {
        handles[number].cancel();
        assert_eq!(handles[number].state(), State::Cancelled);
    });
    let nothing = timed(&mut |_| {
        let started = Instant::now();
        while started.elapsed() < Duration::from_micros(4) {
            std::hint::spin_loop();
        }
    });
    handles.clear();
    assert!(more.iter().all(|handle| !handle.state().is_final()));
    [set_priority, state, poll_completed, requested, cancel, nothing]
}

/// Prints the durations of calls. Calls that are slow in only one round were interrupted: the clock of a typical
/// machine interrupts every thread 100 to 1,000 times per second. Calls that are slow themselves are slow in every
/// round.
pub(crate) fn calls(count: usize, rounds: usize) {
    let limit = Duration::from_micros(50);
    let microseconds = |time: Duration| time.as_secs_f64() * 1e6;
    let rounds: Vec<_> = (0..rounds).map(|_| time_calls(count)).collect();
    println!("{count} calls each, with {count} requests in flight, in {} rounds; us", rounds.len());
    println!(
        "{:20} {:>7} {:>7} {:>8} {:>12} {:>19}",
        "call", "p50", "p99", "max", "calls > 50", "max of the fastest"
    );
    for (kind, name) in CALLS.iter().enumerate() {
        let mut all: Vec<Duration> = rounds.iter().flat_map(|round| round[kind].iter().copied()).collect();
        let fastest = |number: usize| rounds.iter().map(|round| round[kind][number]).min();
        let slowest = (0..count).filter_map(fastest).max().unwrap_or_default();
        all.sort_unstable();
        let at = |part: f64| microseconds(all[((all.len() - 1) as f64 * part) as usize]);
        let above = all.iter().filter(|time| **time > limit).count();
        println!(
            "{name:20} {:7.2} {:7.2} {:8.2} {:>12} {:19.2}",
            at(0.5),
            at(0.99),
            at(1.0),
            format!("{above}/{}", all.len()),
            microseconds(slowest)
        );
    }
}
