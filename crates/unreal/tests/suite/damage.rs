//! Damaged files. `crates/testkit/tests/mutation/main.rs` applies every other small damage to every file of the corpus.

use meshlens_fixtures::{corpus, mutate};
use meshlens_unreal::{Frames, Geometry, Unreal};

#[test]
fn no_prefix_of_a_file_without_trailing_bytes_parses() {
    for (path, geometry, frames) in corpus::unreal_pairs() {
        let end = |trailing: u64, bytes: &[u8]| bytes.len() - trailing as usize;
        let geometry = &geometry[..end(Geometry::parse(&geometry).unwrap().trailing_bytes(), &geometry)];
        let unreal = Unreal::parse(geometry, &frames).unwrap();
        let frames = &frames[..end(unreal.frames().trailing_bytes(), &frames)];
        mutate::prefixes(geometry, |prefix| {
            assert!(Unreal::parse(prefix, frames).is_err(), "{path}: {} bytes of geometry", prefix.len());
        });
        mutate::prefixes(frames, |prefix| {
            assert!(Unreal::parse(geometry, prefix).is_err(), "{path}: {} bytes of frames", prefix.len());
        });
        assert!(Frames::parse(frames).is_ok());
    }
}

#[test]
fn swapped_files_are_errors() {
    for (path, geometry, frames) in corpus::unreal_pairs() {
        for (a, b) in [(&frames, &geometry), (&frames, &frames), (&geometry, &geometry)] {
            assert!(Unreal::parse(a, b).is_err(), "{path}");
        }
    }
}
