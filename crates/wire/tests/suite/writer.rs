//! Writing numbers, names, sizes and padding.

use meshlens_wire::*;

#[test]
fn numbers_are_little_endian() {
    let mut out = Writer::with_capacity("test", 64);
    out.u8(1);
    out.i8(-1);
    out.u16(0x0302);
    out.i16s(&[-2, 5]);
    out.u32s(&[0x0706_0504]);
    out.f32(1.0);
    out.bool(true);
    out.i64(-1);
    let expected = [&[1, 0xff, 2, 3, 0xfe, 0xff, 5, 0, 4, 5, 6, 7, 0, 0, 0x80, 0x3f, 1][..], &[0xff; 8]];
    assert_eq!(out.as_bytes(), expected.concat());
    assert_eq!((out.offset(), out.finish().len()), (25, 25));
}

#[test]
fn padding_ends_at_a_multiple() {
    let mut out = Writer::new("test");
    out.align(8);
    assert_eq!(out.offset(), 0);
    out.zeros(3);
    out.align(0);
    out.align(1);
    assert_eq!(out.offset(), 3);
    out.align(4);
    out.align(4);
    assert_eq!(out.as_bytes(), [0; 4]);
}

#[test]
fn numbers_that_do_not_fit_are_errors_and_not_written() {
    let mut out = Writer::new("test");
    out.count_u16(65_535, "bones").unwrap();
    assert_eq!(out.count_u16(65_536, "bones").unwrap_err().code(), "LIMIT");
    #[cfg(target_pointer_width = "64")]
    assert_eq!(out.count_u32(1 << 32, "bones").unwrap_err().code(), "LIMIT");
    out.compact_count(64, "bones").unwrap();
    let error = out.compact_count(1 << 31, "bones").unwrap_err();
    assert_eq!(error.to_string(), "test: bones: the limit is 2147483647, found 2147483648");
    let error = out.nul_terminated(b"a\0b", "name").unwrap_err();
    assert_eq!(error.to_string(), "test: name: expected text without a NUL, found 1");
    assert_eq!(out.as_bytes(), [0xff, 0xff, 0x80, 0x01]);
}

#[test]
fn sizes_count_the_following_bytes_and_can_be_nested() {
    let mut out = Writer::new("test");
    out.u8(9);
    let outer = out.sized_u32("size", |out| {
        out.u8(7);
        out.sized_u32("size", |out| out.nul_terminated(b"x", "name"))
    });
    outer.unwrap();
    assert_eq!(out.as_bytes(), [9, 7, 0, 0, 0, 7, 2, 0, 0, 0, b'x', 0]);
    let failed = out.sized_u32("size", |out| Err(out.checks().value("mask", "0", 3)));
    assert_eq!(failed.unwrap_err().to_string(), "test: mask: expected 0, found 3");
}
