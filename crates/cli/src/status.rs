//! The exit status of the command and of a batch.

use std::process::ExitCode;

/// The exit status. The status of several operations is the largest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// 0: success.
    #[default]
    Fine,
    /// 1: a file is invalid, or has findings at or above the chosen level.
    Findings,
    /// 2: the arguments are wrong, or a file cannot be read or written.
    Failed,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}
