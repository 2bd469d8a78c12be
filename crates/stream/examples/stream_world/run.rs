//! The measurements of one way to load.

use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Files in a folder, each of which is read whole.
    Whole,
    Files,
    /// A PK3 with deflated entries.
    Archive,
    /// What `meshlens pack` writes.
    Pack,
    Http,
    S3,
}

impl Mode {
    pub(crate) const ALL: [Mode; 6] =
        [Mode::Whole, Mode::Files, Mode::Archive, Mode::Pack, Mode::Http, Mode::S3];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Mode::Whole => "files, whole",
            Mode::Files => "files",
            Mode::Archive => "archive, deflated",
            Mode::Pack => "pack",
            Mode::Http => "http at 20 ms",
            Mode::S3 => "s3 at 20 ms",
        }
    }

    pub(crate) const fn is_remote(self) -> bool {
        matches!(self, Mode::Http | Mode::S3)
    }
}

pub(crate) struct Run {
    /// The time in which all models were opened by name.
    pub(crate) opened: Duration,
    pub(crate) visible: usize,
    pub(crate) near: usize,
    pub(crate) first_bounds: Duration,
    pub(crate) near_buffers: Duration,
    pub(crate) full_detail: Duration,
    pub(crate) bytes_read: u64,
    pub(crate) bytes_wanted: u64,
    /// The longest time that the frame thread took in one frame.
    pub(crate) worst_frame: Duration,
    /// The same, without the time in which the system ran other threads instead. `None` if the system does not report
    /// it.
    pub(crate) worst_own: Option<Duration>,
    pub(crate) frames: u32,
    pub(crate) requests: u64,
    pub(crate) cancelled: u64,
    pub(crate) reads: u64,
    pub(crate) memory_peak: usize,
}
