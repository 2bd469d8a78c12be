//! Minimized inputs that long fuzzing runs found: `fuzz/corpora/<target>.zip`. They are seeds of their targets, and
//! `cargo test` runs them.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use zip::write::SimpleFileOptions;
use zip::{DateTime, ZipArchive, ZipWriter};

use crate::real;

/// The maximum number of bytes of the kept inputs of one target. The smallest inputs are kept.
pub const MAX_BYTES: usize = 128 << 10;

/// The folder of the archives.
pub fn folder() -> PathBuf {
    real::workspace_root().join("fuzz/corpora")
}

/// The kept inputs of the target with this name, with their names in the archive; empty if there is no archive.
///
/// # Panics
///
/// If the archive cannot be read.
pub fn of(target: &str) -> Vec<(String, Vec<u8>)> {
    let path = folder().join(format!("{target}.zip"));
    let Ok(bytes) = fs::read(&path) else { return Vec::new() };
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("an archive of kept inputs");
    let count = archive.len();
    let read = |index| {
        let mut entry = archive.by_index(index).expect("an entry");
        let mut input = Vec::new();
        entry.read_to_end(&mut input).expect("a whole entry");
        (entry.name().expect("a name in UTF-8").into_owned(), input)
    };
    (0..count).map(read).collect()
}

/// Packs the files of the folder `found`, the smallest first and except those in `known`, as the inputs of the target
/// with this name. Returns their number.
///
/// # Errors
///
/// A file cannot be read, or the archive cannot be written.
pub fn keep(target: &str, known: &BTreeSet<Vec<u8>>, found: &Path) -> io::Result<usize> {
    let mut inputs = real::files_below(found).iter().map(fs::read).collect::<io::Result<Vec<_>>>()?;
    inputs.retain(|input| !known.contains(input));
    inputs.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    inputs.dedup();
    let mut room = MAX_BYTES;
    let options = SimpleFileOptions::default().last_modified_time(DateTime::default());
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let mut count = 0;
    for input in inputs {
        let Some(left) = room.checked_sub(input.len()) else { break };
        room = left;
        archive.start_file(format!("{count:04}"), options)?;
        archive.write_all(&input)?;
        count += 1;
    }
    fs::create_dir_all(folder())?;
    fs::write(folder().join(format!("{target}.zip")), archive.finish()?.into_inner())?;
    Ok(count)
}
