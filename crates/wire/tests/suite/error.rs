//! The text of errors.

use meshlens_wire::*;
use meshlens_wire::{Expected, Magic};

#[test]
fn error_messages_are_sentences() {
    let kind = ErrorKind::OutOfBounds { what: "vertices", count: 4096, size: 8, end: 0x1e00 };
    let error = Error::new("md3", 0x1f40, kind).at(Place::new("surface", 2));
    assert_eq!(
        error.to_string(),
        "md3: surface 2: 4096 vertices x 8 bytes at 0x1f40 end past the file (0x1e00)"
    );
    let kind = ErrorKind::Magic { expected: "\"IDP3\"", found: Magic::new(b"RIFF\0\x01") };
    assert_eq!(
        Error::new("md3", 0, kind).to_string(),
        "md3: expected \"IDP3\", found \"RIFF\\x00\\x01\" at 0x0"
    );
    let kind = ErrorKind::Value { what: "NUM_TAGS", expected: Expected::AtLeast(0), found: -3 };
    assert_eq!(
        Error::new("md3", 80, kind).to_string(),
        "md3: NUM_TAGS: expected at least 0, found -3 at 0x50"
    );
    let kind = ErrorKind::Mismatch { what: "frame size", found: 13, with: "vertices", other: 4 };
    assert_eq!(
        Error::new("unreal", 2, kind).to_string(),
        "unreal: frame size 13 does not fit vertices 4 at 0x2"
    );
}

#[test]
fn errors_of_calls_have_no_offset() {
    let kind = ErrorKind::Value { what: "offset", expected: Expected::MultipleOf(4), found: 6 };
    let error = Error::of_call("vertex buffer", kind).at(Place::new("attribute", 1));
    assert_eq!(error.to_string(), "vertex buffer: attribute 1: offset: expected a multiple of 4, found 6");
    let kind = ErrorKind::Length { what: "elements of the output", expected: 4, found: 3 };
    let error = Error::new("md3", 0x6c, kind);
    assert_eq!(error.to_string(), "md3: elements of the output: expected 4, found 3 at 0x6c");
    assert_eq!((error.code(), error.offset()), ("LENGTH", 0x6c));
}

#[test]
fn an_error_is_small_send_and_sync() {
    fn crosses<T: Send + Sync + 'static>() {}
    crosses::<Error>();
    assert!(size_of::<Error>() <= 112, "{}", size_of::<Error>());
}
