//! The exit status of a program and of a batch.

use std::io::{self, Write};

use crate::{Output, tell};

/// The exit status. The status of several operations is the largest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// 0: success.
    #[default]
    Fine,
    /// 1: a file is invalid, or has findings at or above the chosen level.
    Findings,
    /// 2: the arguments are wrong, or a file cannot be read or written.
    Failed,
}

impl Status {
    /// The number that the process exits with.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The number that the process exits with after all output is written. A reader that closed the output is no error; other
    /// errors are printed.
    pub fn finish(outcome: io::Result<Status>, out: &mut Output) -> u8 {
        match outcome.and_then(|status| out.flush().map(|()| status)) {
            Ok(status) => status.code(),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Status::Fine.code(),
            Err(error) => {
                tell!("cannot write the output: {error}");
                Status::Failed.code()
            }
        }
    }
}
