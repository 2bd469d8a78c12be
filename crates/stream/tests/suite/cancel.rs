//! Requests that are cancelled, in every state.

use std::sync::mpsc::channel;

use meshlens::lens::VertexFormat;
use meshlens::model::{Semantic, VertexLayout};
use meshlens_stream::{
    Error, Part, Priority, ProbeOptions, Request, State, StreamedModel, Streamer, StreamerOptions,
};

use crate::common::{Manual, Memory, file, noted, until, wait};

const PART: Part = Part::Mesh { mesh: 0, frame: 0 };

fn layout() -> VertexLayout {
    VertexLayout::new(12).with(Semantic::Position, 0, VertexFormat::Float32x3)
}

/// A streamer whose first read ends before any vertex.
fn small_probes() -> Streamer {
    let probe = Some(ProbeOptions { read: 64, ..ProbeOptions::default() });
    Streamer::new(StreamerOptions { probe, ..StreamerOptions::default() }).unwrap()
}

/// Loads the plan of a model, but not its vertices.
fn plan(streamer: &Streamer, backend: &Manual, streamed: &StreamedModel) {
    let header = streamer.request(streamed, Part::Header, Priority::NORMAL);
    backend.serve(|| header.state().is_final());
    assert!(streamed.plan().is_some());
}

#[test]
fn a_queued_request_is_cancelled() {
    let bytes = file("md3/animated.md3");
    let backend = Manual::new(&[("a", &bytes), ("b", &bytes)], 1);
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let (a, b) = (streamer.open(backend.clone(), ["a"]), streamer.open(backend.clone(), ["b"]));
    let first = streamer.request(&a, PART, Priority::NORMAL);
    backend.wait(1);
    let request = Request::new(PART).vertices(layout(), vec![7u8; 3]);
    let second = streamer.request(&b, request, Priority::NORMAL);
    assert_eq!(second.state(), State::Queued);
    second.cancel();
    assert_eq!(second.state(), State::Cancelled, "at once");
    let failed = wait(second).unwrap_err();
    assert!(matches!(failed.error(), Error::Cancelled));
    let mut request = failed.into_request().expect("with the buffer that was handed over");
    assert_eq!(request.take_vertices::<Vec<u8>>(), Some(vec![7; 3]));
    backend.serve(|| first.state().is_final());
    assert_eq!(backend.names(), ["a"], "b is not read");
    assert!(wait(first).is_ok());
}

#[test]
fn loading() {
    let bytes = file("md3/animated.md3");
    let backend = Manual::new(&[("a", &bytes)], 4);
    let streamer = small_probes();
    let streamed = streamer.open(backend.clone(), ["a"]);
    plan(&streamer, &backend, &streamed);
    let before = backend.names().len();
    let request = Request::new(PART).vertices(layout(), vec![7u8; 3]);
    let handle = streamer.request(&streamed, request, Priority::NORMAL);
    backend.wait(before + 1);
    until("it is loading", || handle.state() == State::Loading);
    handle.cancel();
    assert_eq!(handle.state(), State::Cancelled, "at once");
    let failed = wait(handle).unwrap_err();
    assert!(matches!(failed.error(), Error::Cancelled));
    let buffer = failed.into_request().unwrap().take_vertices::<Vec<u8>>();
    assert_eq!(buffer, Some(vec![7; 3]), "it was not written to");
    let mut reads = 0;
    while let Some(read) = backend.take() {
        assert!(read.is_cancelled(), "the backend is told");
        backend.answer_to(read);
        reads += 1;
    }
    assert!(reads > 0);
    until("its memory is released", || streamer.statistics().memory_used == 0);
}

#[test]
fn a_request_is_cancelled_while_planning() {
    let bytes = file("md3/animated.md3");
    let backend = Manual::new(&[("a", &bytes)], 4);
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let streamed = streamer.open(backend.clone(), ["a"]);
    let handle = streamer.request(&streamed, PART, Priority::NORMAL);
    backend.wait(1);
    let read = backend.take().unwrap();
    assert!(!read.is_cancelled());
    assert_eq!(handle.state(), State::Queued, "there is no plan yet");
    handle.cancel();
    assert!(matches!(wait(handle).unwrap_err().error(), Error::Cancelled));
    assert!(read.is_cancelled(), "the backend is told");
    backend.answer_to(read);
    // The answer to a cancelled read is not used for the next read.
    let again = streamer.request(&streamed, PART, Priority::NORMAL);
    backend.serve(|| again.state().is_final());
    assert!(wait(again).unwrap().model().unwrap().has(PART));
}

#[test]
fn one_of_two_requests_is_cancelled() {
    let bytes = file("md3/animated.md3");
    let backend = Manual::new(&[("a", &bytes)], 4);
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let streamed = streamer.open(backend.clone(), ["a"]);
    let first = streamer.request(&streamed, PART, Priority::NORMAL);
    let second = streamer.request(&streamed, PART, Priority::NORMAL);
    backend.wait(1);
    let read = backend.take().unwrap();
    drop(first);
    noted(&streamer);
    assert!(!read.is_cancelled(), "somebody wants it");
    backend.answer_to(read);
    backend.serve(|| second.state().is_final());
    assert!(wait(second).is_ok());
}

#[test]
fn a_request_is_cancelled_while_decoding() {
    let bytes = file("md3/animated.md3");
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let streamed = streamer.open(Memory::new(&[("a", &bytes)]), ["a"]);
    let (go, wait_for) = channel::<()>();
    let request = Request::new(PART).vertices(layout(), Vec::new()).then(move |_| wait_for.recv().unwrap());
    let handle = streamer.request(&streamed, request, Priority::NORMAL);
    until("it is decoding", || handle.state() == State::Decoding);
    handle.cancel();
    assert_eq!(handle.state(), State::Cancelled);
    assert!(handle.take().is_none(), "a worker still has the buffer");
    go.send(()).unwrap();
    let mut request = wait(handle).unwrap_err().into_request().unwrap();
    assert!(!request.take_vertices::<Vec<u8>>().unwrap().is_empty());
}

#[test]
fn ready_and_failed_requests_cannot_be_cancelled() {
    let bytes = file("md3/animated.md3");
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let streamed = streamer.open(Memory::new(&[("a", &bytes)]), ["a"]);
    for (part, state) in [(PART, State::Ready), (Part::Skeleton, State::Failed)] {
        let handle = streamer.request(&streamed, part, Priority::NORMAL);
        until("it ends", || handle.state().is_final());
        handle.cancel();
        assert_eq!(handle.state(), state);
        assert_eq!(wait(handle).is_ok(), state == State::Ready);
    }
}

#[test]
fn a_dropped_handle_cancels_and_a_detached_one_does_not() {
    let bytes = file("md3/animated.md3");
    let backend = Manual::new(&[("a", &bytes), ("b", &bytes)], 1);
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let models = ["a", "b"].map(|name| streamer.open(backend.clone(), [name]));
    let block = streamer.request(&models[0], PART, Priority::HIGHEST);
    backend.wait(1);
    drop(streamer.request(&models[1], PART, Priority::NORMAL));
    let (sender, receiver) = channel();
    let request = Request::new(Part::Texcoords { mesh: 0 }).then(move |loaded| {
        sender.send(loaded.part()).unwrap();
    });
    streamer.request(&models[0], request, Priority::NORMAL).detach();
    let mut seen = None;
    backend.serve(|| {
        seen = seen.or(receiver.try_recv().ok());
        seen.is_some() && block.state().is_final()
    });
    assert_eq!(seen, Some(Part::Texcoords { mesh: 0 }));
    assert!(backend.names().iter().all(|name| name == "a"), "b is not read");
}

#[test]
fn a_streamer_is_dropped_with_requests_at_every_state() {
    let bytes = file("md3/animated.md3");
    let backend = Manual::new(&[("a", &bytes), ("b", &bytes), ("d", &bytes)], 2);
    let memory = Memory::new(&[("c", &bytes)]);
    let streamer = small_probes();
    let open = |name: &str| streamer.open(backend.clone(), [name]);
    let known = open("d");
    plan(&streamer, &backend, &known);
    let before = backend.names().len();
    let loading = streamer.request(&known, Part::Frame { mesh: 0, frame: 1 }, Priority::NORMAL);
    until("it is loading", || loading.state() == State::Loading);
    let planning = streamer.request(&open("a"), PART, Priority::NORMAL);
    backend.wait(before + 2);
    let request = Request::new(PART).vertices(layout(), vec![1u8]);
    let queued = streamer.request(&open("b"), request, Priority::NORMAL);
    let (go, wait_for) = channel::<()>();
    let request = Request::new(PART).then(move |_| wait_for.recv().unwrap_or_default());
    let decoding = streamer.request(&streamer.open(memory, ["c"]), request, Priority::NORMAL);
    until("it is decoding", || decoding.state() == State::Decoding);
    assert_eq!(loading.state(), State::Loading);
    assert_eq!((planning.state(), queued.state()), (State::Queued, State::Queued));
    drop(streamer);
    for handle in [loading, planning, queued, decoding] {
        let failed = wait(handle).unwrap_err();
        assert!(matches!(failed.error(), Error::Closed), "{failed}");
    }
    for name in ["d", "a"] {
        let read = backend.take().unwrap();
        assert_eq!((&**read.file(), read.is_cancelled()), (name, true));
    }
    assert!(backend.take().is_none(), "b is not read");
    drop(go);
    // The threads end and drop the backend.
    drop(known);
    until("nobody has the backend any more", || std::sync::Arc::strong_count(&backend) == 1);
}
