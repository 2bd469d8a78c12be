//! Models of schedules: the threads of a streamer in orders that `shuttle` chooses, switching threads at locks, waits
//! and messages. Run with
//!
//!     RUSTFLAGS="--cfg shuttle" cargo test -p meshlens-stream --test shuttle --target-dir target/shuttle
//!
//! Without this flag, this test program is empty.
#![cfg(shuttle)]

use std::collections::HashMap;
use std::sync::Arc;

use meshlens_source::Source;
use meshlens_stream::backend::{Backend, MappedBackend, Read};
use meshlens_stream::{Error, Part, Priority, Request, State, Streamer, StreamerOptions};
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::sync::Mutex;
use shuttle::{Config, Runner, thread};

/// The number of schedules of each model.
fn schedules() -> usize {
    std::env::var("MESHLENS_STREAM_SCHEDULES").ok().and_then(|count| count.parse().ok()).unwrap_or(200)
}

/// Runs a model under random schedules, and under schedules with few thread switches.
fn check(model: fn()) {
    let config = || {
        let mut config = Config::new();
        // Decoding has blocks of vertices on its stack.
        config.stack_size = 1 << 20;
        config
    };
    Runner::new(RandomScheduler::new(schedules()), config()).run(model);
    Runner::new(PctScheduler::new(3, schedules()), config()).run(model);
}

fn model() -> Vec<u8> {
    use meshlens_md3::write;
    let mut model = write::Model::new("model").unwrap();
    model.frames = vec![write::Frame::named("frame").unwrap(); 2];
    let mut surface = write::Surface::new("surface").unwrap();
    surface.texcoords = vec![[0.0; 2]; 3];
    surface.triangles.push([0, 1, 2]);
    for _ in 0..2 {
        surface.add_frame(&[[0.0; 3]; 3], &[[0.0, 0.0, 1.0]; 3]).unwrap();
    }
    model.surfaces.push(surface);
    model.write().unwrap()
}

/// Answers each read on a separate thread.
struct Threads(HashMap<String, Vec<u8>>);

impl Backend for Threads {
    fn begin(&self, mut read: Read) {
        let Some(file) = self.0.get(&**read.file()).cloned() else { return };
        thread::spawn(move || {
            let range = read.range();
            let (start, end) = (range.start as usize, (range.end as usize).min(file.len()));
            read.buffer()[..end - start].copy_from_slice(&file[start..end]);
            read.finish(end - start, file.len() as u64, None);
        });
    }

    fn max_reads(&self) -> usize {
        2
    }
}

fn streamer() -> (Streamer, Arc<Threads>) {
    let files = [("a".to_owned(), model()), ("b".to_owned(), model())];
    let options = StreamerOptions { memory: 64 << 10, ..StreamerOptions::default() };
    (Streamer::new(options).unwrap(), Arc::new(Threads(files.into())))
}

#[test]
fn requests_from_two_threads_end() {
    check(|| {
        let (streamer, backend) = streamer();
        let streamer = Arc::new(streamer);
        let threads: Vec<_> = ["a", "b"]
            .into_iter()
            .map(|name| {
                let (streamer, backend) = (streamer.clone(), backend.clone());
                thread::spawn(move || {
                    let streamed = streamer.open(backend, [name]);
                    let part = Part::Frame { mesh: 0, frame: 1 };
                    let first = streamer.request(&streamed, part, Priority::NORMAL);
                    let second = streamer.request(&streamed, part, Priority::HIGHEST);
                    first.set_priority(Priority::LOWEST);
                    for handle in [first, second] {
                        assert!(handle.wait().unwrap().model().unwrap().has(part));
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

#[test]
fn a_request_that_is_cancelled_ends_either_way() {
    check(|| {
        let (streamer, backend) = streamer();
        let streamed = streamer.open(backend, ["a"]);
        let seen = Arc::new(Mutex::new(0));
        let counter = seen.clone();
        let request = Request::new(Part::Whole).then(move |_| *counter.lock().unwrap() += 1);
        let handle = streamer.request(&streamed, request, Priority::NORMAL);
        let other = streamer.request(&streamed, Part::Whole, Priority::NORMAL);
        handle.cancel();
        let state = handle.state();
        let outcome = handle.wait();
        match outcome {
            Ok(_) => assert_eq!((state, *seen.lock().unwrap()), (State::Ready, 1)),
            Err(failed) => {
                assert_eq!(state, State::Cancelled);
                assert!(matches!(failed.error(), Error::Cancelled));
            }
        }
        assert!(other.wait().is_ok(), "the other request is not touched");
    });
}

#[test]
fn everything_ends_when_the_streamer_is_dropped() {
    check(|| {
        let (streamer, backend) = streamer();
        let handles = ["a", "b", "missing"].map(|name| {
            let streamed = streamer.open(backend.clone(), [name]);
            streamer.request(&streamed, Part::Mesh { mesh: 0, frame: 0 }, Priority::NORMAL)
        });
        drop(streamer);
        for handle in handles {
            let outcome = handle.wait();
            let ended = outcome
                .as_ref()
                .err()
                .is_none_or(|failed| matches!(failed.error(), Error::Closed | Error::NoAnswer { .. }));
            assert!(ended, "{outcome:?}");
        }
    });
}

#[test]
fn released_memory_starts_a_waiting_request() {
    check(|| {
        let (_, backend) = streamer();
        // The budget is enough for one of the two files.
        let options = StreamerOptions { memory: 8 << 10, ..StreamerOptions::default() };
        let streamer = Streamer::new(options).unwrap();
        let [a, b] = ["a", "b"].map(|name| streamer.open(backend.clone(), [name]));
        let first = streamer.request(&a, Part::Whole, Priority::NORMAL);
        let second = streamer.request(&b, Part::Whole, Priority::NORMAL);
        drop(first.wait().unwrap());
        drop(second.wait().unwrap());
        assert!(streamer.statistics().memory_peak <= 8 << 10);
    });
}

/// The threads of this backend run the scheduler, too.
#[test]
fn threads_that_have_read_take_turns_with_the_scheduler() {
    check(|| {
        let backend = Arc::new(MappedBackend::new(2).unwrap());
        for name in ["a", "b"] {
            backend.insert(name, Source::from_vec(model()));
        }
        let streamer = Streamer::new(StreamerOptions::default()).unwrap();
        let models = ["a", "b"].map(|name| streamer.open(backend.clone(), [name]));
        let parts = [Part::Bounds, Part::Whole, Part::Mesh { mesh: 0, frame: 1 }];
        let ask = |part| models.each_ref().map(|model| streamer.request(model, part, Priority::NORMAL));
        let handles = parts.map(ask);
        for handle in handles.into_iter().flatten() {
            assert!(handle.wait().is_ok());
        }
        streamer.shut_down();
    });
}
