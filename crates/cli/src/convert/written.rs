//! The files of one job, until they are committed.

use std::sync::MutexGuard;

use super::Outcome;
use crate::failure::Failure;
use crate::sink::Sink;

/// Files that are written but not yet committed.
pub(super) struct Written {
    /// The output itself is the first.
    pub(super) files: Vec<Sink>,
    /// Held until a file that other jobs also write is committed.
    pub(super) turn: Option<MutexGuard<'static, ()>>,
    pub(super) outcome: Outcome,
    /// Whether an MD3 has the flags of the MD3 that it is made from.
    pub(super) keeps_flags: bool,
}

impl Written {
    /// Renames the files to their names.
    pub(super) fn commit(mut self) -> Result<Outcome, Failure> {
        // The output is renamed last: if it exists, so do the files that it refers to.
        self.files.reverse();
        let committed = Sink::commit_all(self.files);
        drop(self.turn);
        committed.map_err(Failure::file)?;
        Ok(self.outcome)
    }
}
