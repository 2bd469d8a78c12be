//! The exit status of the command and of a batch.

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

impl Status {
    /// The number that the process exits with.
    pub(crate) const fn code(self) -> u8 {
        self as u8
    }
}
