//! The measurements of one way to load.

use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Whole,
    Parts,
}

impl Mode {
    pub(crate) const ALL: [Mode; 2] = [Mode::Whole, Mode::Parts];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Mode::Whole => "whole",
            Mode::Parts => "parts",
        }
    }
}

pub(crate) struct Run {
    pub(crate) mode: Mode,
    /// The time in which all models were opened by name.
    pub(crate) opened: Duration,
    pub(crate) visible: usize,
    pub(crate) near: usize,
    pub(crate) first_bounds: Duration,
    pub(crate) near_buffers: Duration,
    pub(crate) full_detail: Duration,
    /// The times at which the bounds of each model in the first view were loaded.
    pub(crate) bounds_at: Vec<Duration>,
    /// The times at which each near model in the first view had its buffers.
    pub(crate) near_at: Vec<Duration>,
    pub(crate) bytes_read: u64,
    pub(crate) bytes_wanted: u64,
    /// The longest time that the frame thread took in one frame.
    pub(crate) worst_stall: Duration,
    /// The same, without the time in which the system ran other threads instead. `None` if the system does not report
    /// it.
    pub(crate) worst_own: Option<Duration>,
    pub(crate) frames: u32,
    pub(crate) requests: u64,
    pub(crate) cancelled: u64,
    pub(crate) reads: u64,
    pub(crate) memory_peak: usize,
}
