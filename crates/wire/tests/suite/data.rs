//! Tables and records of files, parts and prefixes.

use meshlens_wire::*;

#[test]
fn tables_end_at_most_at_the_end_of_the_file() {
    let data = Data::new("test", &[0; 24]);
    let span = data.span(8, 2, 8, "pairs").unwrap();
    assert_eq!(span.byte_range(), 8..24);
    assert_eq!(data.bind(span).unwrap().len(), 16);
    assert!(data.span(24, 0, 8, "pairs").is_ok());
    assert!(data.span(25, 0, 8, "pairs").is_err());
    assert!(data.span(9, 2, 8, "pairs").is_err());
    assert!(data.span(8, u64::MAX, 8, "pairs").is_err());
    assert!(data.span(u64::MAX, 1, 1, "pairs").is_err());
}

#[test]
fn a_prefix_checks_tables_and_requests_records() {
    let data = Data::prefix("test", &[0; 8], 100);
    let span = data.span(8, 4, 4, "quads").unwrap();
    let error = data.bind(span).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Incomplete { needed: 24, available: 8 });
    assert_eq!(data.record::<[u8; 4]>(4, "quad").unwrap(), [0; 4]);
    assert_eq!(data.record::<[u8; 4]>(98, "quad").unwrap_err().code(), "OUT_OF_BOUNDS");
}

#[test]
fn a_part_has_the_offsets_of_its_file() {
    let bytes: [u8; 8] = [10, 11, 12, 13, 14, 15, 16, 17];
    let data = Data::part("test", &bytes, 10, 100);
    assert_eq!((data.start(), data.available(), data.file_len()), (10, 18, 100));
    assert_eq!(data.take(12, 3, "middle").unwrap(), [12, 13, 14]);
    assert_eq!(data.take(9, 2, "early").unwrap_err().kind(), &ErrorKind::BeforeStart { start: 10 });
    let late = ErrorKind::Incomplete { needed: 19, available: 18 };
    assert_eq!(data.take(17, 2, "late").unwrap_err().kind(), &late);
    assert_eq!(data.take(99, 2, "past").unwrap_err().code(), "OUT_OF_BOUNDS");
    let chunk = data.within(15);
    assert_eq!(chunk.take(13, 2, "end").unwrap(), [13, 14]);
    assert_eq!(chunk.take(14, 2, "end").unwrap_err().code(), "OUT_OF_CHUNK");
    assert!(data.within(4).bytes().is_empty());
    let mut cursor = meshlens_wire::Cursor::at(data, 15).unwrap();
    assert_eq!((cursor.u8("byte").unwrap(), cursor.offset(), cursor.remaining()), (15, 16, 84));
    assert_eq!(cursor.u32("word").unwrap_err().kind(), &ErrorKind::Incomplete { needed: 20, available: 18 });
    let next = |offset| meshlens_wire::Cursor::at(data, offset).unwrap().u8("byte").unwrap_err();
    assert_eq!(next(9).kind(), &ErrorKind::BeforeStart { start: 10 });
    assert_eq!(next(19).kind(), &ErrorKind::Incomplete { needed: 20, available: 18 });
    assert!(meshlens_wire::Cursor::at(data, 100).is_ok() && meshlens_wire::Cursor::at(data, 101).is_err());
    assert_eq!(Data::part("test", &bytes, u64::MAX - 8, 0).file_len(), u64::MAX);
    assert!(Data::part("test", &bytes, u64::MAX - 7, 0).bytes().is_empty());
}

#[test]
fn a_field_lies_inside_its_records() {
    let bytes: [u8; 24] = std::array::from_fn(|at| at as u8);
    let data = Data::new("test", &bytes);
    let span = data.span(8, 2, 8, "pairs").unwrap();
    assert_eq!(data.bind_field(span, 6, 2, "pair").unwrap(), &bytes[14..24]);
    assert_eq!(data.bind_field(span, 2, 3, "pair").unwrap(), &bytes[10..21]);
    let error = data.bind_field(span, 7, 2, "pair").unwrap_err();
    assert_eq!(error.to_string(), "test: pair: expected at least 9, found 8 at 0x8");
    assert!(data.bind_field(span, u64::MAX, 2, "pair").is_err());
    let part = Data::part("test", &bytes[14..24], 14, 24);
    assert_eq!(part.bind_field(span, 6, 2, "pair").unwrap(), &bytes[14..24]);
    assert!(part.bind_field(span, 5, 2, "pair").is_err() && part.bind(span).is_err());
    assert_eq!(extent(0, 8, 6), Some(0));
    assert_eq!((extent(3, 8, 6), extent(3, u64::MAX, 1)), (Some(22), None));
}

#[test]
fn a_chunk_ends_before_its_file() {
    let data = Data::new("test", &[7; 24]).within(16);
    assert_eq!(data.take(8, 8, "body").unwrap(), [7; 8]);
    let error = data.take(8, 9, "body").unwrap_err();
    assert_eq!(error.to_string(), "test: body of 9 bytes at 0x8 end past their chunk (0x10)");
    assert_eq!(data.span(8, 3, 4, "words").unwrap_err().code(), "OUT_OF_CHUNK");
    assert_eq!(data.within(20).file_len(), 16, "a chunk's end cannot be widened");
    let prefix = Data::prefix("test", &[7; 4], 24).within(16);
    assert_eq!(prefix.take(2, 4, "body").unwrap_err().code(), "INCOMPLETE");
    assert_eq!(prefix.take(14, 4, "body").unwrap_err().code(), "OUT_OF_CHUNK");
}
