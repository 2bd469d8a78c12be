//! The files of one job, until they are committed.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Outcome;
use crate::failure::Failure;
use crate::hash::hash;
use crate::sink::Sink;

/// The files of game formats that a run writes, with a hash of each. A file may be beside several models, and a level of detail
/// that travels with its model may be converted itself.
#[derive(Default)]
pub(super) struct Files(Mutex<HashMap<PathBuf, u64>>);

impl Files {
    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a file. It may replace a file that is beside another model, even without `overwrite`.
    pub(super) fn write(&self, path: &Path, bytes: &[u8], overwrite: bool) -> Result<Sink, Failure> {
        let mut files = self.lock();
        let file = Sink::create(path, overwrite || files.contains_key(path))?;
        files.insert(path.to_owned(), hash(bytes));
        drop(files);
        written(file, path, bytes)
    }

    /// Writes a file beside a model. `None` if another job writes it. Adds a warning if it then has other bytes.
    pub(super) fn write_beside(
        &self,
        path: &Path,
        bytes: &[u8],
        overwrite: bool,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Sink>, Failure> {
        let mut files = self.lock();
        if let Some(known) = files.get(path) {
            if *known != hash(bytes) {
                warnings.push(format!(
                    "{}: another model has a file of this name, which is kept",
                    path.display()
                ));
            }
            return Ok(None);
        }
        if !overwrite && path.symlink_metadata().is_ok() {
            return Err(Failure::file(meshlens_source::Error::Exists { path: path.into() }));
        }
        // The model with this name may be written before this file has its name.
        let file = Sink::create(path, true)?;
        files.insert(path.to_owned(), hash(bytes));
        drop(files);
        written(file, path, bytes).map(Some)
    }
}

fn written(mut file: Sink, path: &Path, bytes: &[u8]) -> Result<Sink, Failure> {
    file.write_all(bytes).map_err(|error| Failure::output(path, &error))?;
    Ok(file)
}

/// Files that are written but not yet committed.
#[derive(Default)]
pub(super) struct Written {
    /// The output itself is the first.
    pub(super) files: Vec<Sink>,
    /// Held until a file that other jobs also write is committed.
    pub(super) turn: Option<MutexGuard<'static, ()>>,
    pub(super) outcome: Outcome,
    /// Whether an MD3 has the flags of the MD3 that it is made from.
    pub(super) keeps_flags: bool,
    /// The paths of the files beside the models.
    pub(super) beside: Vec<PathBuf>,
}

impl Written {
    /// Renames the files to their names.
    pub(super) fn commit(mut self) -> Result<Outcome, Failure> {
        // The output is renamed last: if it exists, so do the files that it refers to.
        self.files.reverse();
        let committed = Sink::commit_all(self.files);
        drop(self.turn);
        committed.map(|()| self.outcome)
    }
}
