//! The first step of a probe, on the thread that has read the bytes: no other thread has to wake for it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use meshlens::Parts;
use meshlens::part::{FileRange, Front};
use meshlens::wire::{Piece, PieceList};

use crate::backend::{Answer, Receive};
use crate::pieces::FilePieces;
use crate::pool::Pool;
use crate::probe::{FrontRead, ProbeFiles, Stepped};
use crate::slab::Key;
use crate::sync::Arc;
use crate::{Few, Probe, ProbeOptions, Result, helping};

/// The largest number of bytes of an answer at once, within a turn, that the scheduler parses itself: that takes less time than
/// waking another thread.
const FEW: usize = 32 << 10;

/// Sends the answer of a read to the scheduler, after the first step of its probe.
pub(crate) struct Reply {
    pub(super) to: Arc<dyn Receive>,
    pub(super) read: Key,
    pub(super) first: Option<First>,
}

impl Reply {
    pub(crate) fn send(self, answer: Result<Answer>) {
        let step = |first: First| first.step(answer.as_ref().ok()?);
        self.to.receive(self.read, self.first.and_then(step), answer);
    }
}

/// What the first step needs beside the bytes.
pub(super) struct First {
    /// The range by which the file is read.
    pub(super) range: FileRange,
    pub(super) options: ProbeOptions,
    pub(super) wants_whole: bool,
    /// Whether the probe holds the bytes instead of a copy.
    pub(super) is_held: bool,
    /// The memory of the read.
    pub(super) memory: usize,
    /// Whether nothing but the bounds of the model is wanted.
    pub(super) is_for_bounds: bool,
}

impl First {
    /// `None` if the scheduler should decide: if there are many bytes on the thread that runs it, or if a request for the whole file
    /// needs more bytes.
    fn step(&self, answer: &Answer) -> Option<Stepped> {
        let is_part = (answer.bytes.len() as u64) < answer.file_len;
        if self.wants_whole && is_part || answer.bytes.len() > FEW && helping::is_scheduling() {
            return None;
        }
        let is_held = self.wants_whole || self.is_held;
        let copy = if is_held { None } else { Some(copied(&answer.bytes)?) };
        // A panic, which no file should cause, is one of the worker then.
        let step = AssertUnwindSafe(|| {
            // The plan of a file that is read as a whole costs no further read.
            let front = if self.is_for_bounds && is_part { self.front(answer) } else { Front::default() };
            let mut file = FilePieces::new(answer.file_len);
            copy.into_iter().for_each(|copy| file.insert(self.range.start, copy));
            let mut files = ProbeFiles::from(Few::from_buf([file]));
            if let Some(bounds) = front.bounds {
                return Stepped::Front(Box::new(FrontRead { files, bounds, format: front.format }));
            }
            if is_held {
                let memory = Pool::size_of(answer.bytes.len()).min(self.memory);
                files.hold(0, answer.bytes.clone(), memory);
            }
            let mut probe = Box::new(Probe::again(files, self.options));
            probe.stepped = Some(probe.step());
            Stepped::Probe(probe)
        });
        catch_unwind(step).ok()
    }

    /// What the first bytes of a file tell.
    fn front(&self, answer: &Answer) -> Front {
        let piece = [Piece { offset: self.range.start, bytes: &answer.bytes }];
        let pieces = PieceList::new(&piece, answer.file_len);
        pieces.and_then(|pieces| Parts::locate_front(&[&pieces]).ok()).unwrap_or_default()
    }
}

/// A copy of the bytes of an answer, whose buffer then returns to its pool. `None` if the system does not provide the memory.
pub(super) fn copied(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len()).ok()?;
    copy.extend_from_slice(bytes);
    Some(copy)
}
