//! The bytes and the strings of a document.

use meshlens_wire::{Data, Name, Presence, Span};

/// The bytes of a part of the document.
pub(crate) fn bytes_at<P: Presence>(data: Data<'_>, span: Span) -> P::Of<&[u8]> {
    P::read(data.bind(span), Default::default)
}

/// A string of the document.
pub(crate) fn name_at<P: Presence>(data: Data<'_>, span: Span) -> P::Of<Name<'_>> {
    P::map(bytes_at::<P>(data, span), Name::new)
}
