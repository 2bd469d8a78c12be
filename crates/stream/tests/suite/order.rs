//! The order of requests.

use std::time::Duration;

use meshlens_stream::backend::Read;
use meshlens_stream::{Ageing, Part, Priority, StreamedModel, Streamer, StreamerOptions};

use crate::common::{Manual, file, noted};

/// A streamer that performs one read at a time, and `count` models of one file each, whose plans are known.
fn setup(
    names: &'static [&'static str],
    options: StreamerOptions,
) -> (Streamer, std::sync::Arc<Manual>, Vec<StreamedModel>) {
    let bytes = file("md3/animated.md3");
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (*name, &bytes[..])).collect();
    let backend = Manual::new(&files, 1);
    let probe =
        meshlens_stream::ProbeOptions { read: 64, patience: 12, ..meshlens_stream::ProbeOptions::default() };
    let streamer = Streamer::new(StreamerOptions { probe: Some(probe), ..options }).unwrap();
    let models: Vec<StreamedModel> =
        names.iter().map(|name| streamer.open(backend.clone(), [*name])).collect();
    for streamed in &models {
        let known = streamer.request(streamed, Part::Header, Priority::NORMAL);
        backend.serve(|| known.state().is_final());
    }
    (streamer, backend, models)
}

const PART: Part = Part::Texcoords { mesh: 0 };

/// Blocks the backend with a read of the first model, requests the part of the others, and returns the order in which
/// they are read.
fn order(
    priorities: &[i32],
    options: StreamerOptions,
    change: impl FnOnce(&Streamer, &[meshlens_stream::Handle]),
) -> Vec<String> {
    let names: &[&str] = &["block", "a", "b", "c", "d", "e", "f", "g", "h"];
    let (streamer, backend, models) = setup(names, options);
    let before = backend.names().len();
    let block = streamer.request(&models[0], PART, Priority::HIGHEST);
    backend.wait(before + 1);
    let handles: Vec<_> = models[1..]
        .iter()
        .zip(priorities)
        .map(|(streamed, priority)| streamer.request(streamed, PART, Priority(*priority)))
        .collect();
    noted(&streamer);
    change(&streamer, &handles);
    noted(&streamer);
    backend.serve(|| block.state().is_final() && handles.iter().all(|handle| handle.state().is_final()));
    backend.names().split_off(before + 1)
}

#[test]
fn the_most_urgent_first_and_then_the_oldest() {
    let names = order(&[0, 5, -5, 5, 9, 0, 5, 9], StreamerOptions::default(), |_, _| {});
    assert_eq!(names, ["e", "h", "b", "d", "g", "a", "f", "c"]);
}

#[test]
fn a_new_priority_takes_effect_at_once() {
    let names = order(&[0, 1, 2, 3, 4, 5, 6, 7], StreamerOptions::default(), |_, handles| {
        handles[0].set_priority(Priority::HIGHEST);
        handles[7].set_priority(Priority::LOWEST);
        handles[3].set_priority(Priority(6));
    });
    // Among requests with equal priority, the first one is read first.
    assert_eq!(names, ["a", "d", "g", "f", "e", "c", "b", "h"]);
}

#[test]
fn many_priorities_change_at_once() {
    let other = Streamer::new(StreamerOptions::default()).unwrap();
    for is_other in [false, true] {
        let names = order(&[0, 1, 2, 3, 4, 5, 6, 7], StreamerOptions::default(), |own, handles| {
            let changed = [(7, Priority::LOWEST), (0, Priority(1)), (3, Priority(6)), (0, Priority::HIGHEST)];
            let changed = changed.map(|(index, priority)| (&handles[index], priority));
            if is_other { &other } else { own }.set_priorities(changed);
        });
        assert_eq!(names, ["a", "d", "g", "f", "e", "c", "b", "h"], "by another streamer: {is_other}");
    }
}

#[test]
fn a_part_has_the_priority_of_its_most_urgent_request() {
    let (streamer, backend, models) = setup(&["block", "a", "b"], StreamerOptions::default());
    let before = backend.names().len();
    let block = streamer.request(&models[0], PART, Priority::HIGHEST);
    backend.wait(before + 1);
    let low = streamer.request(&models[1], PART, Priority(1));
    let middle = streamer.request(&models[2], PART, Priority(5));
    let high = streamer.request(&models[1], PART, Priority(9));
    noted(&streamer);
    backend.serve(|| [&block, &low, &middle, &high].iter().all(|handle| handle.state().is_final()));
    assert_eq!(backend.names().split_off(before + 1), ["a", "b"]);
}

#[test]
fn old_requests_are_not_starved() {
    let ageing = Ageing { after: Duration::ZERO, turns: 3 };
    let options = StreamerOptions { ageing, ..StreamerOptions::default() };
    let names = order(&[-9, 5, 5, 5, 5, 5, 5, 5], options, |_, _| ());
    let place = names.iter().position(|name| name == "a").unwrap();
    assert!(place < 3, "{names:?}: one of three turns is for the oldest");
}

#[test]
fn plans_are_made_in_the_same_order() {
    let bytes = file("md3/animated.md3");
    let names = ["a", "b", "c"];
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (*name, &bytes[..])).collect();
    let backend = Manual::new(&files, 1);
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let models: Vec<StreamedModel> =
        names.iter().map(|name| streamer.open(backend.clone(), [*name])).collect();
    let first = streamer.request(&models[0], PART, Priority::NORMAL);
    backend.wait(1);
    let second = streamer.request(&models[1], PART, Priority(1));
    let third = streamer.request(&models[2], PART, Priority(2));
    noted(&streamer);
    backend.serve(|| [&first, &second, &third].iter().all(|handle| handle.state().is_final()));
    assert_eq!(backend.names(), ["a", "c", "b"]);
}

#[test]
fn a_read_has_the_priority_of_its_most_urgent_request() {
    let (streamer, backend, models) = setup(&["a"], StreamerOptions::default());
    let before = backend.names().len();
    let block = streamer.request(&models[0], PART, Priority(3));
    backend.wait(before + 1);
    let read = backend.take().expect("a read");
    assert_eq!(read.priority(), Priority(3));
    backend.answer_to(read);
    backend.serve(|| block.state().is_final());
    // Without a streamer, a read belongs to no request.
    let read = Read::new("a".into(), 0..1, |_| ());
    assert_eq!(read.priority(), Priority::NORMAL);
    drop(read);
}
