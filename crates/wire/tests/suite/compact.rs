//! Compact integers.

use meshlens_wire::Data;
use meshlens_wire::*;

fn encode(value: i32) -> Vec<u8> {
    Compact::new(value).unwrap().as_bytes().to_vec()
}

#[test]
fn both_ends_of_every_length() {
    let cases: &[(i32, &[u8])] = &[
        (0, &[0x00]),
        (1, &[0x01]),
        (-1, &[0x41]),
        (63, &[0x3f]),
        (-63, &[0x7f]),
        (64, &[0x80, 0x01]),
        (65, &[0x81, 0x01]),
        (-64, &[0xc0, 0x01]),
        (8191, &[0xbf, 0x7f]),
        (8192, &[0x80, 0x80, 0x01]),
        (16344, &[0x98, 0xff, 0x01]),
        (1_048_575, &[0xbf, 0xff, 0x7f]),
        (1_048_576, &[0x80, 0x80, 0x80, 0x01]),
        (134_217_727, &[0xbf, 0xff, 0xff, 0x7f]),
        (134_217_728, &[0x80, 0x80, 0x80, 0x80, 0x01]),
        (i32::MAX, &[0xbf, 0xff, 0xff, 0xff, 0x0f]),
        (-i32::MAX, &[0xff, 0xff, 0xff, 0xff, 0x0f]),
    ];
    for (value, bytes) in cases {
        assert_eq!(encode(*value), *bytes, "{value}");
        let decoded = Compact::decode(bytes).unwrap();
        assert_eq!((decoded.value(), decoded.as_bytes(), decoded.is_minimal()), (*value, *bytes, true));
    }
    assert_eq!(Compact::new(i32::MIN), None);
}

#[test]
fn longer_forms_are_read_and_reported() {
    for (bytes, value) in [
        (&[0x80, 0x00][..], 0),
        (&[0x40], 0),
        (&[0xc0, 0x00], 0),
        (&[0x81, 0x80, 0x80, 0x80, 0x00], 1),
        (&[0xff, 0x80, 0x00], -63),
    ] {
        let decoded = Compact::decode(bytes).unwrap();
        assert_eq!((decoded.value(), decoded.as_bytes(), decoded.is_minimal()), (value, bytes, false));
        assert!(encode(value).len() <= bytes.len());
    }
}

#[test]
fn the_error_for_an_invalid_integer_has_its_offset() {
    let error = |bytes: &[u8]| {
        let mut cursor = Cursor::at(Data::new("test", bytes), 1).unwrap();
        let error = cursor.compact("count").unwrap_err();
        assert_eq!((error.offset(), cursor.offset()), (1, 1));
        format!("{error}")
    };
    assert_eq!(error(&[0]), "test: count of 1 bytes at 0x1 end past the file (0x1)");
    assert_eq!(error(&[0, 0x80, 0xff]), "test: count of 3 bytes at 0x1 end past the file (0x3)");
    assert_eq!(
        error(&[0, 0x80, 0x80, 0x80, 0x80, 0x80, 0]),
        "test: count: expected a compact integer of at most 5 bytes, found 551911719040 at 0x1"
    );
    assert_eq!(
        error(&[0, 0x80, 0x80, 0x80, 0x80, 0x10]),
        "test: count: expected a magnitude of at most 2147483647, found 2147483648 at 0x1"
    );
    assert_eq!(
        error(&[0, 0xc0, 0x80, 0x80, 0x80, 0x10]),
        "test: count: expected a magnitude of at most 2147483647, found -2147483648 at 0x1"
    );
}

#[test]
fn a_count_is_not_negative() {
    let mut cursor = Cursor::new("test", &[0x41, 0x07]);
    let error = cursor.compact_count("bones").unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Value { what: "bones", expected: Expected::AtLeast(0), found: -1 });
    assert_eq!((error.offset(), cursor.offset()), (0, 0));
    cursor.u8("sign").unwrap();
    assert_eq!(cursor.compact_count("bones").unwrap().0, 7);
    assert_eq!(Compact::decode(&[]), None);
}

#[test]
fn a_prefix_requests_more_bytes() {
    let error = Cursor::at(Data::prefix("test", &[0x80], 9), 0).unwrap().compact("count").unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Incomplete { needed: 2, available: 1 });
}
