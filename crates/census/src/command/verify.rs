//! `meshlens census verify`: compares a table with its list of files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::args::Verify;
use crate::manifest::{self, Listed};
use crate::parquet_columns::ParquetFile;
use crate::plan::Plan;
use crate::stop::{Result, Stop};

/// A fingerprint of a set of files, independent of their order: their number, and the sum of the hashes of their keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Keys {
    count: u64,
    sum: u128,
}

impl Keys {
    fn add(&mut self, uri: &[u8], etag: Option<&[u8]>) {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(uri.len() as u64).to_le_bytes()).update(uri);
        if let Some(etag) = etag {
            hasher.update(b"+").update(etag);
        }
        let hash = hasher.finalize();
        let (start, _) = hash.as_bytes().split_at(16);
        self.sum = self.sum.wrapping_add(start.try_into().map_or(0, u128::from_le_bytes));
        self.count += 1;
    }

    fn add_listed(&mut self, rows: &[Listed]) {
        rows.iter().for_each(|row| self.add(row.uri.as_bytes(), row.etag.as_deref().map(str::as_bytes)));
    }

    /// Adds the files of a table, which are all rows except rows of entries of archives.
    fn add_table(&mut self, path: &Path) -> Result<u64> {
        let file = ParquetFile::open(path)?;
        let mut rows = 0;
        for group in 0..file.groups().len() {
            let texts = |name: &str| {
                let missing = || Stop(format!("{}: there is no column {name}", path.display()));
                file.texts(group, name)?.ok_or_else(missing)
            };
            let (uris, entries, etags) = (texts("uri")?, texts("entry")?, texts("etag")?);
            rows += uris.len() as u64;
            for ((uri, entry), etag) in uris.iter().zip(entries).zip(&etags) {
                if entry.is_none() {
                    let uri = uri.as_ref().map(|uri| uri.data()).unwrap_or_default();
                    self.add(uri, etag.as_ref().map(|etag| etag.data()));
                }
            }
        }
        Ok(rows)
    }

    /// The difference to the expected set; `None` if they are equal.
    fn differs(&self, expected: &Keys) -> Option<String> {
        if self == expected {
            return None;
        }
        Some(if self.count == expected.count {
            format!("{} files, but not those of the list", self.count)
        } else {
            format!("{} files, and the list has {}", self.count, expected.count)
        })
    }
}

pub(crate) fn run(arguments: &Verify) -> Result<u8> {
    let tables = tables(&arguments.dir)?;
    let (files, rows, faults) = match &arguments.manifest {
        Some(manifest) => compare_all(manifest, &tables)?,
        None => compare_parts(&arguments.dir, &tables)?,
    };
    faults.iter().for_each(|fault| println!("{fault}"));
    if !faults.is_empty() {
        return Ok(1);
    }
    println!("{files} files, {rows} rows: every file of the list once");
    Ok(0)
}

/// The Parquet files of a table, including its subfolders.
fn tables(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let is_hidden =
        |name: &std::ffi::OsStr| name.as_encoded_bytes().first().is_some_and(|byte| b"._".contains(byte));
    let walk = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter();
    for entry in walk.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.file_name())) {
        let entry = entry.map_err(Stop::new)?;
        if entry.path().extension().is_some_and(|extension| extension == "parquet") {
            found.push(entry.into_path());
        }
    }
    Ok(found)
}

type Compared = (u64, u64, Vec<String>);

/// Compares a table that any program has made with a list.
fn compare_all(manifest: &Path, tables: &[PathBuf]) -> Result<Compared> {
    let (mut expected, mut found, mut rows) = (Keys::default(), Keys::default(), 0);
    manifest::read(manifest, |rows| {
        expected.add_listed(&rows);
        Ok(())
    })?;
    for table in tables {
        rows += found.add_table(table)?;
    }
    Ok((found.count, rows, found.differs(&expected).into_iter().collect()))
}

/// Compares each part with its rows in the list.
fn compare_parts(folder: &Path, tables: &[PathBuf]) -> Result<Compared> {
    let plan = Plan::open(folder)?;
    let (mut files, mut rows, mut faults) = (0, 0, Vec::new());
    for part in 0..plan.parts().len() {
        let path = plan.path(part);
        if !fs::exists(&path).map_err(Stop::at(&path))? {
            faults.push(format!("{}: missing", path.display()));
            continue;
        }
        let (mut expected, mut found) = (Keys::default(), Keys::default());
        expected.add_listed(&plan.files(part)?);
        match found.add_table(&path) {
            Ok(more) => rows += more,
            // A file that cannot be read counts as a difference.
            Err(stop) => faults.push(stop.to_string()),
        }
        files += found.count;
        faults.extend(found.differs(&expected).map(|fault| format!("{}: {fault}", path.display())));
    }
    let parts: Vec<PathBuf> = (0..plan.parts().len()).map(|part| plan.path(part)).collect();
    let others = tables.iter().filter(|table| !parts.contains(table));
    faults.extend(others.map(|table| format!("{}: not a part of the census", table.display())));
    Ok((files, rows, faults))
}
