//! Requests, from a model's first bytes to its parts.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};
use std::time::Duration;

use meshlens::Document;
use meshlens_stream::{Part, Priority, ProbeOptions, Request, State, Streamer, StreamerOptions};

use crate::common::{Manual, Memory, PATIENCE, file, models, noted, slices, until, wait};

#[test]
fn every_streamed_part_equals_the_part_of_the_file() {
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    for (name, files) in models() {
        let names = ["first", "second"];
        let named: Vec<(&str, &[u8])> = names.into_iter().zip(slices(&files)).collect();
        let streamed = streamer.open(Memory::new(&named), names.into_iter().take(files.len()));
        wait(streamer.request(&streamed, Part::Header, Priority::NORMAL)).unwrap();
        let plan = streamed.plan().expect("known after the first request").clone();
        let requests: Vec<_> =
            plan.parts().map(|part| (part, streamer.request(&streamed, part, Priority::NORMAL))).collect();
        for (part, handle) in requests {
            let loaded = wait(handle).unwrap();
            let Some(model) = loaded.model() else {
                assert_eq!(part, Part::Bounds, "{name}: bounds are known without a plan");
                continue;
            };
            assert!(model.has(part), "{name}: {part}");
            for range in plan.part(part).unwrap().ranges() {
                let found = model.files()[range.file].get(range.range()).unwrap();
                assert_eq!(
                    found,
                    files[range.file][range.start as usize..range.end as usize],
                    "{name}: {part}"
                );
            }
        }
        let document = match &files[..] {
            [file] => Document::parse(file).unwrap(),
            files => Document::parse_pair(&files[0], &files[1]).unwrap(),
        };
        if plan.part(Part::Bounds).is_some() {
            assert_eq!(streamed.bounds(), document.bounds(), "{name}");
        }
    }
}

#[test]
fn bounds_come_after_the_first_read() {
    let bytes = file("md3/animated.md3");
    let backend = Manual::new(&[("a", &bytes)], 8);
    let options = StreamerOptions {
        probe: Some(ProbeOptions { read: 256, ..ProbeOptions::default() }),
        ..StreamerOptions::default()
    };
    let streamer = Streamer::new(options).unwrap();
    let streamed = streamer.open(backend.clone(), ["a"]);
    let bounds = streamer.request(&streamed, Part::Bounds, Priority::NORMAL);
    assert_eq!(backend.wait(1), [("a".into(), 0..256)]);
    backend.answer();
    let loaded = wait(bounds).unwrap();
    assert_eq!(loaded.bounds(), Document::parse(&bytes).unwrap().bounds());
    assert!(loaded.model().is_none());
    // Nothing else is requested, so nothing else is read.
    assert_eq!((backend.names().len(), streamed.plan().is_none()), (1, true));
    let again = wait(streamer.request(&streamed, Part::Bounds, Priority::NORMAL)).unwrap();
    assert_eq!((again.bounds(), backend.names().len()), (loaded.bounds(), 1));
    // What the bounds were read from is not read again.
    let header = streamer.request(&streamed, Part::Header, Priority::NORMAL);
    backend.serve(|| header.state().is_final());
    assert!(wait(header).unwrap().model().unwrap().has(Part::Header));
    let reads = backend.wait(1);
    assert_eq!(reads.iter().filter(|(_, range)| range.start < 256).count(), 1, "{reads:?}");
}

#[test]
fn a_small_file_that_was_read_for_its_bounds_is_not_read_again() {
    let bytes = file("md3/animated.md3");
    let backend = Manual::new(&[("a", &bytes)], 8);
    let options = StreamerOptions {
        probe: Some(ProbeOptions { read: 1 << 20, ..ProbeOptions::default() }),
        ..StreamerOptions::default()
    };
    let streamer = Streamer::new(options).unwrap();
    let streamed = streamer.open(backend.clone(), ["a"]);
    let bounds = streamer.request(&streamed, Part::Bounds, Priority::NORMAL);
    backend.serve(|| bounds.state().is_final());
    until("its bytes are kept", || streamer.statistics().memory_kept > 0);
    let whole = wait(streamer.request(&streamed, Part::Whole, Priority::NORMAL)).unwrap();
    assert!(whole.model().unwrap().has(Part::Whole));
    assert_eq!(backend.names().len(), 1);
}

#[test]
fn requests_for_the_same_part_share_a_read() {
    let bytes = file("md3/animated.md3");
    let backend = Manual::new(&[("a", &bytes)], 8);
    let options = StreamerOptions {
        probe: Some(ProbeOptions { read: 256, ..ProbeOptions::default() }),
        ..StreamerOptions::default()
    };
    let streamer = Streamer::new(options).unwrap();
    let streamed = streamer.open(backend.clone(), ["a"]);
    let part = Part::Frame { mesh: 0, frame: 0 };
    let first = streamer.request(&streamed, part, Priority::NORMAL);
    let second = streamer.request(&streamed, part, Priority::HIGHEST);
    backend.serve(|| first.state() == State::Ready && second.state() == State::Ready);
    let planned = streamed.plan().unwrap().part(part).unwrap().ranges()[0].range();
    let reads = backend.wait(0).into_iter().map(|(_, range)| range);
    let frames: Vec<_> = reads.filter(|range| range.contains(&(planned.end - 1))).collect();
    assert_eq!(frames.len(), 1, "{frames:?}");
    assert!(frames[0].start <= planned.start && planned.end <= frames[0].end);
    for handle in [first, second] {
        assert!(wait(handle).unwrap().model().unwrap().has(part));
    }
}

#[test]
fn neighbors_are_read_together() {
    let bytes = file("md3/multi_surface.md3");
    let backend = Manual::new(&[("a", &bytes)], 1);
    let options = StreamerOptions {
        probe: Some(ProbeOptions { read: 64, ..ProbeOptions::default() }),
        join_gap: 0,
        ..StreamerOptions::default()
    };
    let streamer = Streamer::new(options).unwrap();
    let streamed = streamer.open(backend.clone(), ["a"]);
    let known = streamer.request(&streamed, Part::Header, Priority::NORMAL);
    backend.serve(|| known.state().is_final());
    let plan = streamed.plan().unwrap().clone();
    // The only read is held, so that the other requests wait.
    let before = backend.names().len();
    let held = streamer.request(&streamed, Part::Bounds, Priority::HIGHEST);
    drop(held);
    let blocker = streamer.request(&streamed, Part::Tags, Priority::HIGHEST);
    let blocker = match plan.part(Part::Tags) {
        Some(_) => blocker,
        None => streamer.request(&streamed, Part::Indices { mesh: 1 }, Priority::HIGHEST),
    };
    backend.wait(before + 1);
    let frames: Vec<_> = (0..plan.located().frame_count(0) as u32)
        .map(|frame| streamer.request(&streamed, Part::Frame { mesh: 0, frame }, Priority::NORMAL))
        .collect();
    assert!(!frames.is_empty());
    noted(&streamer);
    assert!(frames.iter().all(|frame| frame.state() == State::Queued));
    backend.serve(|| blocker.state().is_final() && frames.iter().all(|frame| frame.state() == State::Ready));
    let reads: Vec<_> = backend.wait(0).into_iter().skip(before + 1).map(|(_, range)| range).collect();
    let first = plan.part(Part::Frame { mesh: 0, frame: 0 }).unwrap().ranges()[0].start;
    let last = plan.part(Part::Frame { mesh: 0, frame: frames.len() as u32 - 1 }).unwrap().ranges()[0].end;
    assert_eq!((reads.len(), &reads[0]), (1, &(first..last)), "frames lie next to each other");
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// A minimal executor, because no runtime is needed.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Arc::new(Unpark(thread::current())).into();
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

#[test]
fn handles_are_futures_without_a_runtime() {
    let bytes = file("md3/animated.md3");
    let streamer = Streamer::new(StreamerOptions { lists_completed: false, ..Default::default() }).unwrap();
    let streamed = streamer.open(Memory::new(&[("a", &bytes)]), ["a"]);
    let outcome = block_on(async {
        let texcoords = streamer.request(&streamed, Part::Texcoords { mesh: 0 }, Priority::NORMAL);
        let names = streamer.request(&streamed, Part::Names, Priority::NORMAL).await?;
        assert!(names.model().unwrap().has(Part::Names));
        texcoords.await
    });
    assert!(outcome.unwrap().model().unwrap().has(Part::Texcoords { mesh: 0 }));
    assert_eq!(streamer.poll_completed(Duration::MAX).count(), 0, "they are not listed");
}

#[test]
fn the_list_of_completed_requests_has_a_budget() {
    let bytes = file("md3/animated.md3");
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let streamed = streamer.open(Memory::new(&[("a", &bytes)]), ["a"]);
    let parts = [Part::Names, Part::Header, Part::Skeleton];
    let handles: Vec<_> =
        parts.iter().map(|part| streamer.request(&streamed, *part, Priority::NORMAL)).collect();
    until("all end", || handles.iter().all(|handle| handle.state().is_final()));
    let mut listed = Vec::new();
    until("all are listed", || {
        let before = listed.len();
        listed.extend(streamer.poll_completed(Duration::ZERO));
        assert!(listed.len() <= before + 1, "one, when there is no time");
        listed.len() == 3
    });
    listed.sort_by_key(|done| done.id);
    for (done, handle) in listed.iter().zip(&handles) {
        assert_eq!((done.id, done.part, done.state), (handle.id(), handle.part(), handle.state()));
    }
    assert_eq!(listed[2].state, State::Failed, "there is no skeleton");
}

#[test]
fn the_function_of_a_request_sees_what_was_loaded() {
    let bytes = file("md3/animated.md3");
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let streamed = streamer.open(Memory::new(&[("a", &bytes)]), ["a"]);
    let (sender, receiver) = channel();
    let request = Request::new(Part::Frame { mesh: 0, frame: 1 }).then(move |loaded| {
        let document = loaded.model().unwrap().document().unwrap();
        let mesh = document.into_mesh(0).unwrap().unwrap();
        sender.send((thread::current().name().map(String::from), mesh.positions(1).unwrap().len())).unwrap();
    });
    streamer.request(&streamed, request, Priority::NORMAL).detach();
    let (thread, vertices) = receiver.recv_timeout(PATIENCE).unwrap();
    assert_eq!(thread.as_deref(), Some("meshlens-decode"));
    assert!(vertices > 0);
}

#[test]
fn states_follow_one_another() {
    let bytes = file("md3/animated.md3");
    let backend = Manual::new(&[("a", &bytes)], 1);
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let streamed = streamer.open(backend.clone(), ["a"]);
    let (go, wait_for) = channel::<()>();
    let request = Request::new(Part::Whole).then(move |_| wait_for.recv().unwrap());
    let handle = streamer.request(&streamed, request, Priority::NORMAL);
    assert_eq!(handle.state(), State::Queued);
    backend.wait(1);
    backend.answer();
    until("it is decoding", || handle.state() == State::Decoding);
    go.send(()).unwrap();
    assert_eq!(wait(handle).unwrap().part(), Part::Whole);
}
