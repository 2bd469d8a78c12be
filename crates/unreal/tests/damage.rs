//! Damaged files: every corpus file at every prefix, and with every byte changed.

use meshlens_testkit::{check, corpus, mutate};
use meshlens_unreal::{Geometry, Unreal};

#[test]
fn every_prefix_of_either_half() {
    for (path, geometry, frames) in corpus::unreal_pairs() {
        mutate::prefixes(&geometry, |prefix| {
            check::unreal_geometry(prefix);
            check::unreal_pair(prefix, &frames);
            let is_whole = Geometry::parse(&geometry).unwrap().trailing_bytes() > 0;
            assert!(is_whole || Unreal::parse(prefix, &frames).is_err(), "{path}: {} bytes", prefix.len());
        });
        mutate::prefixes(&frames, |prefix| {
            check::unreal_frames(prefix);
            check::unreal_pair(&geometry, prefix);
        });
    }
}

#[test]
fn every_byte_of_geometry() {
    for (_, geometry, frames) in corpus::unreal_pairs() {
        mutate::bytes(&geometry, |damaged| {
            check::unreal_geometry(damaged);
            check::unreal_pair(damaged, &frames);
        });
    }
}

#[test]
fn every_byte_of_frames() {
    for (_, geometry, frames) in corpus::unreal_pairs() {
        mutate::bytes(&frames, |damaged| {
            check::unreal_frames(damaged);
            check::unreal_pair(&geometry, damaged);
        });
    }
}

#[test]
fn every_prefix_and_byte_of_every_script() {
    for (_, bytes) in corpus::with_extension(&[".uc"]) {
        mutate::prefixes(&bytes, check::uc_script);
        mutate::bytes(&bytes, check::uc_script);
    }
}

#[test]
fn halves_given_as_each_other_are_errors() {
    for (path, geometry, frames) in corpus::unreal_pairs() {
        for (a, b) in [(&frames, &geometry), (&frames, &frames), (&geometry, &geometry)] {
            check::unreal_pair(a, b);
            assert!(Unreal::parse(a, b).is_err(), "{path}");
        }
    }
}
