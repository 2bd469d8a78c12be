//! Files in pieces.

use meshlens_wire::*;
use meshlens_wire::{Data, ErrorKind};
use std::ops::Range;

#[test]
fn bytes_are_read_from_their_piece() {
    let bytes: [u8; 32] = std::array::from_fn(|at| at as u8);
    let piece = |range: Range<usize>| Piece { offset: range.start as u64, bytes: &bytes[range] };
    let all = [piece(4..8), piece(10..16), piece(20..24)];
    let list = PieceList::new(&all, 32).unwrap();
    let data = Data::of_pieces("test", &list);
    assert_eq!(data.take(11, 5, "body").unwrap(), &bytes[11..16]);
    assert_eq!((data.rest(14), data.rest(8), data.rest(0)), (&bytes[14..16], &[][..], &[][..]));
    let wants = |offset, size| {
        let error = data.take(offset, size, "body").unwrap_err();
        match error.kind() {
            ErrorKind::Incomplete { needed, available } => (error.offset(), *needed, *available),
            kind => panic!("{kind}"),
        }
    };
    assert_eq!(wants(11, 6), (11, 17, 16));
    assert_eq!(wants(17, 2), (17, 19, 16), "what is there ends before");
    assert_eq!(wants(0, 2), (0, 2, 0));
    assert_eq!(wants(28, 4), (28, 32, 24));
    assert_eq!(data.take(28, 5, "body").unwrap_err().code(), "OUT_OF_BOUNDS");
    let chunk = data.within(14);
    assert_eq!((chunk.rest(12), chunk.take(12, 2, "body").unwrap()), (&bytes[12..14], &bytes[12..14]));
    assert_eq!(chunk.take(12, 3, "body").unwrap_err().code(), "OUT_OF_CHUNK");
    assert_eq!(data.ending_at(14).take(12, 3, "body").unwrap_err().code(), "OUT_OF_BOUNDS");
}

#[test]
fn pieces_are_sorted_separate_and_inside_the_file() {
    let piece = |offset, len| Piece { offset, bytes: &[7; 8][..len] };
    assert!(PieceList::new(&[], 0).is_some());
    assert!(PieceList::new(&[piece(0, 4), piece(5, 4)], 9).is_some());
    assert_eq!(PieceList::new(&[piece(0, 4), piece(5, 4)], 8), None, "after the file");
    assert_eq!(PieceList::new(&[piece(0, 4), piece(4, 4)], 8), None, "without a gap");
    assert_eq!(PieceList::new(&[piece(5, 2), piece(0, 4)], 8), None, "unsorted");
    assert_eq!(PieceList::new(&[piece(0, 0)], 8), None, "empty");
    let one = [piece(0, 4)];
    let list = PieceList::new(&one, 8).unwrap();
    let data = Data::of_pieces("test", &list);
    assert_eq!(data.bytes(), [7; 4]);
    assert_eq!(
        data.take(2, 4, "body").unwrap_err(),
        Data::prefix("test", &[7; 4], 8).take(2, 4, "").unwrap_err()
    );
}
