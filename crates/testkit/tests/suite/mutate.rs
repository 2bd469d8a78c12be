//! The ways in which files are damaged.

use meshlens_testkit::mutate::{Field, bytes, bytes_except, fields, pairs, prefixes, trailing, words_except};

fn seen(damage: impl Fn(&mut dyn FnMut(&[u8]))) -> Vec<Vec<u8>> {
    let mut seen = Vec::new();
    damage(&mut |bytes| seen.push(bytes.to_vec()));
    seen
}

#[test]
fn every_prefix_and_every_byte_once() {
    assert_eq!(seen(|check| prefixes(&[7, 0], check)), [vec![], vec![7]]);
    assert_eq!(
        seen(|check| bytes(&[7, 0], check)),
        [[8, 0], [6, 0], [0, 0], [0xff, 0], [7, 1], [7, 0xff]].map(|bytes| bytes.to_vec())
    );
}

#[test]
fn bytes_in_given_ranges_are_only_inverted() {
    let found = seen(|check| bytes_except(&[7, 0, 1], &[0..1, 2..3], check));
    assert_eq!(found, [[0xf8, 0, 1], [7, 1, 1], [7, 0xff, 1], [7, 0, 0xfe]].map(|bytes| bytes.to_vec()));
}

#[test]
fn every_aligned_word_once() {
    assert_eq!(
        seen(|check| words_except(&[1, 0, 0, 0, 5, 6], &[], check)),
        [[0, 0, 0, 0], [255, 255, 255, 127], [0, 0, 0, 128], [255; 4]]
            .map(|word| [&word[..], &[5, 6]].concat())
    );
}

#[test]
fn words_in_given_ranges_are_unchanged() {
    let found = seen(|check| words_except(&[7, 0, 0, 0, 1, 0, 0, 0], &[0..2, 2..4], check));
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|bytes| bytes.starts_with(&[7, 0, 0, 0])));
}

#[test]
fn fields_are_numbers_that_change_the_shape() {
    // A count of four bytes, four bytes of content, and two counts of two bytes. Text follows in the next line.
    let file = [3, 0, 0, 0, 9, 9, 9, 9, 4, 0, 5, 0];
    let shape = |bytes: &[u8]| [&bytes[..4], &bytes[8..]].concat();
    let found = fields(&[&file[..], b"$U3D"].concat(), shape);
    assert_eq!(found, [Field { at: 0, size: 4 }, Field { at: 8, size: 2 }, Field { at: 10, size: 2 }]);
    let pairs = seen(|check| pairs(&file, &found, check));
    assert_eq!(pairs.len(), 3 * 7);
    assert!(pairs.contains(&vec![0, 0, 0, 0, 9, 9, 9, 9, 0, 0, 5, 0]));
    assert!(pairs.contains(&vec![3, 0, 0, 0, 9, 9, 9, 9, 8, 0, 2, 0]));
}

#[test]
fn bytes_are_appended() {
    let seen = seen(|check| trailing(b"ab", check));
    assert!(seen.iter().all(|bytes| bytes.len() > 2 && bytes.starts_with(b"ab")));
}
