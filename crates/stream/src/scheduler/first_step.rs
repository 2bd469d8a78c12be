//! The first step of a probe, on the thread that has read the bytes: no other thread has to wake for it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use meshlens::part::FileRange;

use crate::backend::Answer;
use crate::sync::thread::{self, ThreadId};
use crate::{Probe, ProbeOptions, Step};

/// What the first step needs beside the bytes.
pub(super) struct First {
    range: FileRange,
    options: ProbeOptions,
    wants_whole: bool,
    scheduler: ThreadId,
}

/// The result of the first step.
pub(crate) struct FirstStep {
    pub(super) probe: Box<Probe>,
    pub(super) step: meshlens::Result<Step>,
    /// Whether the probe has the bytes of the answer instead of a copy. They are the whole file.
    pub(super) is_shared: bool,
}

impl First {
    /// The first step of a probe whose file is read by this range. Called by the scheduler.
    pub(super) fn new(range: FileRange, options: ProbeOptions, wants_whole: bool) -> First {
        First { range, options, wants_whole, scheduler: thread::current().id() }
    }

    /// `None` if the scheduler should decide: on its own thread, or if a request for the whole file needs more bytes.
    pub(super) fn step(&self, answer: &Answer) -> Option<Box<FirstStep>> {
        let is_shared = self.wants_whole && answer.bytes.len() as u64 == answer.file_len;
        if self.wants_whole != is_shared || thread::current().id() == self.scheduler {
            return None;
        }
        let bytes = if is_shared {
            answer.bytes.clone()
        } else {
            // The buffer returns to its pool.
            let mut copy = Vec::new();
            copy.try_reserve_exact(answer.bytes.len()).ok()?;
            copy.extend_from_slice(&answer.bytes);
            copy.into()
        };
        // A panic, which no file should cause, is one of the worker then.
        let step = AssertUnwindSafe(|| {
            let first = [self.range].into_iter();
            let mut probe = Box::new(Probe::new(&[answer.file_len], self.options).begun(first));
            probe.feed(0, self.range.start, bytes);
            let step = probe.step();
            Box::new(FirstStep { probe, step, is_shared })
        });
        catch_unwind(step).ok()
    }
}
