//! The bytes and the strings of a document.

use meshlens_wire::{Data, Name, Span};

/// The bytes of a part of the document.
pub(crate) fn bytes_at<'a>(data: Data<'a>, span: Span) -> &'a [u8] {
    // Spans of a document lie inside its bytes, unless pieces of the file are missing.
    data.bind(span).unwrap_or(&[])
}

/// A string of the document.
pub(crate) fn name_at<'a>(data: Data<'a>, span: Span) -> Name<'a> {
    Name::new(bytes_at(data, span))
}
