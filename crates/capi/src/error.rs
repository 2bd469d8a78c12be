//! The error that a call writes for its caller.

use std::ffi::c_char;
use std::fmt::{self, Write};

use crate::enums::raw;
use crate::result::{Failure, ml_result};
use crate::sized::{Growing, text_member, write_prefix};

/// The reason why a call failed, in memory of the caller. Initialize it with zeros. A call that succeeds sets `code` to
/// ML_OK and empties the text.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ml_error {
    /// sizeof(ml_error), or 0 for the first version of the struct.
    pub size: usize,
    /// The kind of error, which the call also returns.
    pub code: raw::ml_result,
    /// The absolute byte offset in the file; ML_NO_OFFSET if the error has no location in a file.
    pub offset: u64,
    /// The format that was read, such as "md3", or the output of the call, such as "vertex buffer". NUL-terminated, and
    /// may be empty.
    pub format: [c_char; 24],
    /// The error as a UTF-8 sentence, with the expected and the found value. It begins with the
    /// name of the file if the call opened several. NUL-terminated. A text that is cut ends with "...".
    pub text: [c_char; 512],
}

/// The offset of an error or a finding without a location in a file.
pub const ML_NO_OFFSET: u64 = u64::MAX;

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_error {
    const TEXTS: &'static [(usize, usize)] = &[text_member!(ml_error, format), text_member!(ml_error, text)];
}

/// A NUL-terminated text in an array of fixed size.
pub(crate) struct FixedText<'b> {
    room: &'b mut [c_char],
    len: usize,
    is_full: bool,
}

impl<'b> FixedText<'b> {
    pub(crate) fn new(room: &'b mut [c_char]) -> Self {
        FixedText { room, len: 0, is_full: false }
    }

    /// Terminates the text. If it was cut, its last characters become three dots.
    fn finish_marked(mut self) {
        const MARK: [c_char; 3] = [b'.' as c_char; 3];
        if self.is_full {
            let is_inside = |byte: &c_char| *byte as u8 & 0xc0 == 0x80;
            self.len = self.len.min(self.room.len().saturating_sub(MARK.len().saturating_add(1)));
            while self.len > 0 && self.room.get(self.len).is_some_and(is_inside) {
                self.len = self.len.saturating_sub(1);
            }
            for (slot, dot) in self.room.iter_mut().skip(self.len).zip(MARK) {
                *slot = dot;
            }
            self.len = self.len.saturating_add(MARK.len()).min(self.room.len().saturating_sub(1));
        }
        self.finish();
    }

    /// Terminates the text, which is cut between two characters.
    pub(crate) fn finish(self) {
        if let Some(end) = self.room.get_mut(self.len) {
            *end = 0;
        }
    }
}

impl Write for FixedText<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.is_full {
            return Ok(());
        }
        let room = self.room.len().saturating_sub(1).saturating_sub(self.len);
        let fits = (0..=room.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        self.is_full = fits < text.len();
        let slots = self.room.get_mut(self.len..).unwrap_or_default();
        for (slot, byte) in slots.iter_mut().zip(text.as_bytes().iter().take(fits)) {
            // A NUL would end the text early.
            *slot = if *byte == 0 { b' ' } else { *byte } as c_char;
        }
        self.len = self.len.saturating_add(fits);
        Ok(())
    }
}

/// Writes a NUL-terminated text to an array of fixed size.
pub(crate) fn write_text(room: &mut [c_char], text: impl fmt::Display) {
    let mut fixed = FixedText::new(room);
    // Writing to it does not fail.
    let _ = write!(fixed, "{text}");
    fixed.finish();
}

impl ml_error {
    /// The value for a call without an error.
    pub(crate) const NONE: ml_error =
        ml_error { size: 0, code: 0, offset: ML_NO_OFFSET, format: [0; 24], text: [0; 512] };

    /// The error of a failure.
    pub(crate) fn new(failure: &Failure) -> ml_error {
        let offset = failure.offset().unwrap_or(ML_NO_OFFSET);
        let mut written = ml_error { code: failure.code() as raw::ml_result, offset, ..ml_error::NONE };
        write_text(&mut written.format, failure.format());
        let mut text = FixedText::new(&mut written.text);
        // Writing to it does not fail.
        let _ = write!(text, "{failure}");
        text.finish_marked();
        written
    }
}

/// Writes the outcome of a call to the caller's error, if it is not NULL, and returns the code.
///
/// # Safety
///
/// `error` is NULL or points to an `ml_error` of the caller.
pub(crate) unsafe fn report(error: *mut ml_error, outcome: Result<(), Failure>) -> ml_result {
    let code = outcome.as_ref().err().map_or(ml_result::ML_OK, Failure::code);
    if error.is_null() || !error.is_aligned() {
        return code;
    }
    let written = outcome.as_ref().err().map_or(ml_error::NONE, ml_error::new);
    // SAFETY: the caller guarantees that the pointer is NULL or points to an `ml_error`. If its size is invalid,
    // nothing is written.
    unsafe { write_prefix(error, written) };
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(room: usize, text: &str) -> Vec<u8> {
        let mut bytes = vec![b'#' as c_char; room];
        write_text(&mut bytes, text);
        bytes.iter().map(|byte| *byte as u8).collect()
    }

    #[test]
    fn texts_are_cut_between_characters_and_end_with_a_nul() {
        assert_eq!(text(5, "abcd"), b"abcd\0");
        assert_eq!(text(5, "abcde"), b"abcd\0");
        assert_eq!(text(4, "ab\u{e9}"), b"ab\0#");
        assert_eq!(text(5, "ab\u{e9}"), "ab\u{e9}\0".as_bytes());
        assert_eq!(text(4, "a\0b"), b"a b\0");
        assert_eq!(text(0, "a"), b"");
    }

    #[test]
    fn a_cut_error_ends_with_dots() {
        let text = |said: String| {
            let error = ml_error::new(&Failure::owned(ml_result::ML_ERROR_IO, said));
            let bytes = error.text.iter().map(|byte| *byte as u8).take_while(|byte| *byte != 0);
            String::from_utf8(bytes.collect()).unwrap()
        };
        assert_eq!(text("x".repeat(511)), "x".repeat(511));
        assert_eq!(text("x".repeat(512)), "x".repeat(508) + "...");
        // A character of two bytes is not cut in half.
        assert_eq!(text("\u{e9}".repeat(300)), "\u{e9}".repeat(254) + "...");
        assert_eq!(text(format!("x{}", "\u{e9}".repeat(300))), format!("x{}...", "\u{e9}".repeat(253)));
    }

    #[test]
    fn an_error_that_cannot_be_written_still_has_its_code() {
        let failure = || Err(Failure::argument("no"));
        // SAFETY: NULL is allowed, and a misaligned pointer is not written to.
        unsafe {
            assert_eq!(report(std::ptr::null_mut(), failure()), ml_result::ML_ERROR_ARGUMENT);
            assert_eq!(report(std::ptr::without_provenance_mut(3), failure()), ml_result::ML_ERROR_ARGUMENT);
        }
    }

    #[test]
    fn the_texts_of_an_error_of_any_size_are_terminated() {
        let offset = |text: &[c_char]| text.iter().position(|byte| *byte == 0);
        for size in size_of::<usize>()..=size_of::<ml_error>() {
            let mut error =
                ml_error { size, code: 7, offset: 7, format: [b'#' as _; 24], text: [b'#' as _; 512] };
            // SAFETY: the error has at least as many bytes as its size states.
            unsafe { report(&raw mut error, Err(Failure::owned(ml_result::ML_ERROR_IO, "x".repeat(600)))) };
            let room = |start: usize, len: usize| size.saturating_sub(start).min(len);
            let (format, text) =
                (std::mem::offset_of!(ml_error, format), std::mem::offset_of!(ml_error, text));
            let format = &error.format[..room(format, 24)];
            assert!(format.is_empty() || offset(format) == Some(0), "{size}");
            let text = &error.text[..room(text, 512)];
            assert!(text.is_empty() || offset(text) == Some(text.len() - 1), "{size}");
            assert!(error.text[text.len()..].iter().all(|byte| *byte == b'#' as c_char), "{size}");
        }
    }
}
