//! The fields that both versions read with a cursor.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use meshlens_wire::{Cursor, ErrorKind, Expected, Result, Span};

/// Reads a string and steps over its NUL, which its span does not include.
pub(crate) fn text(cursor: &mut Cursor<'_>, what: &'static str) -> Result<Span> {
    let offset = cursor.offset();
    let name = cursor.nul_terminated(what)?;
    cursor.data().span(offset, name.raw().len() as u64, 1, what)
}

/// The bytes that the cursor has stepped over since `start`, as elements of `size` bytes.
pub(crate) fn since(cursor: &Cursor<'_>, start: u64, size: u32, what: &'static str) -> Result<Span> {
    // The cursor only moves forward.
    let bytes = cursor.offset().saturating_sub(start);
    cursor.data().span(start, bytes.div_euclid(size.into()), size, what)
}

/// Reads a number, which must not be larger than `most`.
pub(crate) fn small<'a, T: Into<u32>>(
    cursor: &mut Cursor<'a>,
    read: fn(&mut Cursor<'a>, &'static str) -> Result<T>,
    what: &'static str,
    most: u8,
) -> Result<u8> {
    let (data, offset) = (cursor.data(), cursor.offset());
    let found: u32 = read(cursor, what)?.into();
    u8::try_from(found).ok().filter(|value| *value <= most).ok_or_else(|| {
        let kind = ErrorKind::Value { what, expected: Expected::AtMost(most.into()), found: found.into() };
        data.error(offset, kind)
    })
}
