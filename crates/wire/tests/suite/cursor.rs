//! Reading headers from front to back.

use meshlens_wire::*;

#[test]
fn numbers_are_little_endian_and_offsets_absolute() {
    let bytes = [9, 0xff, 1, 2, 0xfe, 0xff, 0xff, 0xff, 0, 0, 0x80, 0x3f];
    let mut cursor = Cursor::at(Data::new("test", &bytes), 1).unwrap();
    assert_eq!(cursor.i8("a").unwrap(), -1);
    assert_eq!(cursor.u16("b").unwrap(), 0x0201);
    assert_eq!(cursor.offset(), 4);
    let mut copy = cursor;
    assert_eq!(copy.i32("c").unwrap(), -2);
    assert_eq!(copy.f32("d").unwrap(), 1.0);
    assert_eq!(copy.remaining(), 0);
    let error = cursor.count_i32("count").unwrap_err();
    assert_eq!(
        (error.offset(), error.kind()),
        (4, &ErrorKind::Value { what: "count", expected: Expected::AtLeast(0), found: -2 })
    );
}

#[test]
fn the_error_for_a_string_without_nul_has_its_start() {
    let mut cursor = Cursor::new("test", b"one\0\0two");
    assert_eq!(cursor.nul_terminated("name").unwrap().as_bytes(), b"one");
    assert_eq!(cursor.nul_terminated("name").unwrap().as_bytes(), b"");
    let error = cursor.nul_terminated("name").unwrap_err();
    assert_eq!((error.offset(), error.code()), (5, "UNTERMINATED"));
}

#[test]
fn a_failed_read_does_not_move_the_cursor() {
    let mut cursor = Cursor::new("test", &[0xff; 4]);
    assert!(cursor.count_i32("count").is_err());
    assert_eq!((cursor.offset(), cursor.i32("number").unwrap()), (0, -1));
    let mut cursor = Cursor::new("test", &[1, 2, 3]);
    assert!(cursor.u32("word").is_err());
    assert!(cursor.take(u64::MAX, "all").is_err());
    assert!(cursor.span(u64::MAX, 4, "all").is_err());
    assert_eq!(cursor.offset(), 0);
    assert_eq!(cursor.span(1, 2, "pair").unwrap().byte_range(), 0..2);
    assert_eq!(cursor.u8("last").unwrap(), 3);
}
