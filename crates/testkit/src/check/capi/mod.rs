//! Calls of the interface in arbitrary order with arbitrary arguments, for tests and fuzz targets.

mod calls;
mod files;
mod get;
mod program;
mod scene;
mod stream;

use std::ffi::{c_char, c_int, c_void};

use meshlens_capi::ml_result::ML_OK;
use meshlens_capi::*;
use program::Program;

/// The maximum number of calls of one program.
const MOST_CALLS: usize = 64;

/// Makes a file of the first part of `bytes`, and runs the program at their end. The last byte is the number of bytes
/// of the program, up to 255. Each step calls a function with arguments that the program chooses, including NULL,
/// misaligned pointers, impossible sizes and, in builds with debug assertions, closed handles.
///
/// # Panics
///
/// If a call returns an internal error or an unknown code, stores an error that differs from the one that it returns, or
/// writes outside of its output.
pub fn calls(bytes: &[u8]) {
    let len = bytes.last().map_or(0, |len| usize::from(*len));
    let rest = bytes.split_last().map_or(bytes, |(_, rest)| rest);
    let (file, program) = rest.split_at(rest.len().saturating_sub(len));
    let mut machine = Machine::new(file);
    let mut program = Program::new(program);
    for _ in 0..MOST_CALLS {
        let Some(call) = program.next() else { break };
        // SAFETY: pointers are NULL, misaligned or valid, and closed handles are only used if the library notices.
        unsafe { machine.step(call, &mut program) };
    }
}

/// The handles and the memory of a program.
struct Machine<'a> {
    bytes: &'a [u8],
    files: Vec<*mut ml_asset>,
    reports: Vec<*mut ml_report>,
    closed: Vec<*mut ml_asset>,
    out: Guarded,
}

/// Output memory with a margin that must not change.
struct Guarded(Vec<u8>);

const MARGIN: usize = 64;
const ROOM: usize = 1 << 14;
const PATTERN: u8 = 0xa5;

impl Guarded {
    fn new() -> Guarded {
        Guarded(vec![PATTERN; ROOM.saturating_add(2 * MARGIN)])
    }

    fn at(&mut self, offset: usize) -> *mut c_void {
        self.0.as_mut_ptr().wrapping_add(MARGIN).wrapping_add(offset).cast()
    }

    /// Checks that a call wrote at most `size` bytes, and clears them.
    fn finish(&mut self, size: usize) {
        let (front, rest) = self.0.split_at(MARGIN);
        let after = rest.split_at(size.min(rest.len())).1;
        let is_kept = |bytes: &[u8]| bytes.iter().all(|byte| *byte == PATTERN);
        assert!(is_kept(front) && is_kept(after), "a call wrote outside of its output");
        self.0.fill(PATTERN);
    }
}

impl<'a> Machine<'a> {
    fn new(bytes: &'a [u8]) -> Machine<'a> {
        let (files, reports, closed) = (Vec::new(), Vec::new(), Vec::new());
        Machine { bytes, files, reports, closed, out: Guarded::new() }
    }

    /// An open file, NULL, or a closed file.
    fn file(&self, program: &mut Program<'_>) -> *mut ml_asset {
        let choice = program.byte();
        let null = std::ptr::null_mut();
        match choice {
            250.. => null,
            240..250 if cfg!(debug_assertions) => self.closed.last().copied().unwrap_or(null),
            choice => self.files.get(choice as usize % self.files.len().max(1)).copied().unwrap_or(null),
        }
    }

    fn report(&self, program: &mut Program<'_>) -> *mut ml_report {
        let choice = program.byte() as usize;
        self.reports
            .get(choice % self.reports.len().saturating_add(1))
            .copied()
            .unwrap_or(std::ptr::null_mut())
    }
}

impl Drop for Machine<'_> {
    fn drop(&mut self) {
        // SAFETY: the handles are open, and nothing uses them.
        unsafe {
            for file in self.files.drain(..) {
                assert!(ml_close(file) == ML_OK);
            }
            for report in self.reports.drain(..) {
                assert!(ml_close_report(report) == ML_OK);
            }
        }
    }
}

/// A write callback that fails after a number of bytes, which is stored in `user`.
unsafe extern "C" fn write(user: *mut c_void, _: *const c_void, size: usize) -> c_int {
    // SAFETY: the program passes a number.
    let left = unsafe { &mut *user.cast::<usize>() };
    match left.checked_sub(size) {
        Some(rest) => {
            *left = rest;
            0
        }
        None => 1,
    }
}

/// A file system with one file: `user` is a slice.
unsafe extern "C" fn file_size(
    user: *mut c_void,
    _: *const c_char,
    size: *mut u64,
    version: *mut u64,
) -> i32 {
    // SAFETY: the program passes a slice, and the library passes pointers that can be written.
    unsafe {
        let bytes = *user.cast::<&[u8]>();
        *size = bytes.len() as u64;
        *version = 1;
    }
    0
}

unsafe extern "C" fn read_file(
    user: *mut c_void,
    _: *const c_char,
    offset: u64,
    out: *mut c_void,
    size: usize,
) -> i32 {
    // SAFETY: the program passes a slice, and the library passes memory of this size.
    unsafe {
        let bytes = *user.cast::<&[u8]>();
        let range = offset as usize..(offset as usize).saturating_add(size);
        let from = bytes.get(range).expect("the library reads inside of the file");
        out.cast::<u8>().copy_from_nonoverlapping(from.as_ptr(), size);
    }
    0
}
