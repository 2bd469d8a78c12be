//! The output of an export, as the caller's function takes it.

use std::ffi::{c_int, c_void};
use std::io::{self, Write};

use crate::options::Progress;
use crate::result::Failure;

/// The output, which is passed on to the caller's function.
pub(super) struct Output {
    pub(super) write: unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> c_int,
    pub(super) user: *mut c_void,
    pub(super) progress: Progress,
    pub(super) done: u64,
    pub(super) total: u64,
    /// The reason why it stopped.
    pub(super) failure: Option<Failure>,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(failure) = self.progress.report(self.done, self.total) {
            self.failure = Some(failure);
            return Err(io::ErrorKind::Other.into());
        }
        // SAFETY: the caller guarantees that the function can be called with these arguments.
        if unsafe { (self.write)(self.user, bytes.as_ptr().cast(), bytes.len()) } != 0 {
            self.failure = Some(Failure::callback("the callback that takes the output reported an error"));
            return Err(io::ErrorKind::Other.into());
        }
        self.done = self.done.saturating_add(bytes.len() as u64);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
