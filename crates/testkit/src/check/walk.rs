//! Parses and walks, without checks: libFuzzer tries many more inputs in a second than with the other checkers.

use std::hint::black_box;

use meshlens::Document;

use super::split_pair;

/// Parses a model of any format, and reads the first and the last byte of every array.
pub fn walk(bytes: &[u8]) {
    let parsed = Document::parse(bytes).or_else(|_| {
        let (geometry, frames) = split_pair(bytes);
        Document::parse_pair(geometry, frames)
    });
    let Ok(document) = parsed else { return };
    black_box(document.summary());
    for array in document.arrays() {
        let stored = array.lens.as_bytes();
        black_box((stored.first().copied(), stored.last().copied()));
    }
}
