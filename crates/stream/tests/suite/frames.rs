//! The calls of a frame never block.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use meshlens_stream::{Handle, Part, Priority, Streamer, StreamerOptions};

use crate::common::{Memory, file, wait};

/// Threads that keep all processors busy until they are dropped.
struct Load(Arc<AtomicBool>, Vec<thread::JoinHandle<()>>);

impl Load {
    fn start() -> Load {
        let ends = Arc::new(AtomicBool::new(false));
        let busy = || {
            let ends = ends.clone();
            thread::spawn(move || while !ends.load(Ordering::Relaxed) {})
        };
        let count = thread::available_parallelism().map_or(1, usize::from) + 1;
        let threads = (0..count).map(|_| busy()).collect();
        Load(ends, threads)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        self.1.drain(..).for_each(|thread| thread.join().unwrap());
    }
}

/// The number of times that this thread has given up its processor in order to wait.
fn voluntary_switches() -> u64 {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    line.unwrap().trim().parse().unwrap()
}

/// The calls in one frame: a moving camera changes priorities, and a request that is no longer needed is cancelled.
fn frame(streamer: &Streamer, asset: &meshlens_stream::Asset, handles: &mut Vec<Handle>, number: i32) {
    let part = |number: i32| Part::Frame { mesh: 0, frame: number.rem_euclid(4) as u32 };
    for index in 0..8 {
        handles.push(streamer.request(asset, part(number + index), Priority(index)));
    }
    for (index, handle) in (0..).zip(&*handles) {
        handle.set_priority(Priority(index * number));
    }
    streamer.set_priorities(handles.iter().map(|handle| (handle, Priority(number))));
    drop(handles.pop());
    let _ = (streamer.poll_completed(Duration::from_millis(1)).count(), streamer.statistics());
    handles.retain_mut(|handle| handle.take().is_none());
}

/// The largest number of rounds of frames.
const ROUNDS: usize = 12;

#[test]
fn a_frame_does_not_wait_while_all_threads_are_busy() {
    if !cfg!(target_os = "linux") {
        return println!("skipped: only Linux counts the switches of a thread");
    }
    let bytes = file("md3/animated.md3");
    let _load = Load::start();
    // The allocator also has locks, which are held for a short time. A single round without a switch shows that the
    // streamer does not block. If a call took a lock of the streamer, nearly every round would have many switches.
    let rounds = (0..ROUNDS).map(|_| {
        let streamer = Streamer::new(StreamerOptions::default()).unwrap();
        let asset = streamer.open(Memory::new(&[("a", &bytes)]), ["a"]);
        let (mut handles, mut switches) = (Vec::new(), 0);
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            // Another thread of the engine, which wakes the scheduler repeatedly.
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    wait(streamer.request(&asset, Part::Bounds, Priority::NORMAL)).unwrap();
                }
            });
            for number in 0..600 {
                let before = voluntary_switches();
                frame(&streamer, &asset, &mut handles, number);
                switches += voluntary_switches() - before;
                // Between two frames, the streamer becomes idle and sleeps until the next call wakes it.
                wait(streamer.request(&asset, Part::Bounds, Priority::NORMAL)).unwrap();
            }
            is_over.store(true, Ordering::Relaxed);
        });
        switches
    });
    let rounds: Vec<u64> = rounds.take_while(|switches| *switches > 0).collect();
    assert!(rounds.len() < ROUNDS, "voluntary context switches of each round: {rounds:?}");
}
