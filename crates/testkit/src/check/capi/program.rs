//! The bytes that choose the calls and their arguments.

use std::ffi::CStr;
use std::ptr::null_mut;

use meshlens_capi::ml_result::{ML_ERROR_INTERNAL, ML_OK};
use meshlens_capi::{ml_error, ml_result, ml_result_name};

/// Bytes of a program; zeros after their end.
pub(super) struct Program<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Program<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Program<'a> {
        Program { bytes: bytes.iter() }
    }

    /// The next call; `None` at the end of the program.
    pub(super) fn next(&mut self) -> Option<u8> {
        self.bytes.next().copied()
    }

    pub(super) fn byte(&mut self) -> u8 {
        self.next().unwrap_or(0)
    }

    /// True for about one in `of` bytes, and never after the end.
    pub(super) fn chance(&mut self, of: u8) -> bool {
        self.byte() % of == of.wrapping_sub(1)
    }

    /// Usually a small number, sometimes an impossible one.
    pub(super) fn index(&mut self) -> usize {
        match self.byte() {
            255 => usize::MAX,
            254 => usize::MAX / 2,
            253 => 1 << 31,
            byte => usize::from(byte % 8),
        }
    }

    /// The size of an output of at most `room` bytes.
    pub(super) fn size(&mut self, room: usize) -> usize {
        let size = match self.byte() {
            byte @ 0..128 => usize::from(byte),
            byte => usize::from(byte).wrapping_mul(usize::from(self.byte())),
        };
        size.min(room)
    }

    /// A number of an enumeration, or sometimes an invalid number.
    pub(super) fn number(&mut self) -> i32 {
        match self.byte() {
            255 => i32::MIN,
            254 => i32::MAX,
            byte => i32::from(byte % 36).wrapping_sub(1),
        }
    }

    /// Calls a function with the caller's error or NULL, which every call allows, and checks what it returns.
    pub(super) fn call(
        &mut self,
        call: impl FnOnce(&mut Program<'_>, *mut ml_error) -> ml_result,
    ) -> ml_result {
        let mut stored = ml_error { size: 0, code: 0, offset: 0, format: [0; 24], text: [0; 512] };
        let error = if self.chance(8) { null_mut() } else { &raw mut stored };
        let code = call(self, error);
        let text = || {
            let bytes = stored.text.iter().take_while(|byte| **byte != 0);
            String::from_utf8_lossy(&bytes.map(|byte| *byte as u8).collect::<Vec<_>>()).into_owned()
        };
        assert!(code != ML_ERROR_INTERNAL, "{}", text());
        // SAFETY: names are static.
        let name = unsafe { CStr::from_ptr(ml_result_name(code as i32)) };
        assert!(name != c"UNKNOWN");
        if !error.is_null() {
            assert_eq!(stored.code, code as i32);
            assert_eq!(stored.text.first() == Some(&0), code == ML_OK, "{}", text());
        }
        code
    }

    /// Floats of every kind.
    pub(super) fn float(&mut self) -> f32 {
        match self.byte() {
            255 => f32::NAN,
            254 => f32::INFINITY,
            253 => -1e30,
            byte => f32::from(byte) / 16.0,
        }
    }
}
