//! The exit status, and what of a batch decides it.

use std::process::ExitCode;

/// How a command ended; of several, the greatest counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// 0: all is well.
    #[default]
    Fine,
    /// 1: a file is invalid, or has findings at or above the level asked for.
    Findings,
    /// 2: the arguments are wrong, or a file cannot be read or written.
    Failed,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}
