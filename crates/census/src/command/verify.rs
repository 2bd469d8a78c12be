//! `meshlens census verify`: compares a table with its list of files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use meshlens_terminal::Output;

use crate::args::Verify;
use crate::manifest::{self, Listed};
use crate::pack;
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

    fn add_listed(&mut self, row: &Listed) {
        self.add(row.uri.as_bytes(), row.etag.as_deref().map(str::as_bytes));
    }

    /// Adds the files of a table, which are all rows except rows of entries of archives.
    fn add_table(&mut self, path: &Path) -> Result<u64> {
        let file = ParquetFile::open(path)?;
        let (columns, names) = (["uri", "entry", "etag"], file.names());
        if let Some(name) = columns.iter().find(|name| !names.contains(name)) {
            return Err(Stop(format!("{}: there is no column {name}", path.display())));
        }
        let mut rows = 0;
        for group in 0..file.groups().len() {
            file.check(group)?;
            for row in file.rows(group, columns)? {
                let [uri, entry, etag] = row?;
                rows += 1;
                if entry.text().is_none() {
                    self.add(uri.text().unwrap_or_default(), etag.text());
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
    let Compared { files, rows, faults } = match &arguments.manifest {
        Some(manifest) => compare_all(manifest, &tables)?,
        None => compare_parts(&arguments.dir, &tables)?,
    };
    let mut out = Output::new(std::io::stdout());
    let mut print = |line: &dyn std::fmt::Display| writeln!(out, "{line}").map_err(Stop::new);
    faults.iter().try_for_each(|fault| print(fault))?;
    if !faults.is_empty() {
        return Ok(1);
    }
    print(&format_args!("{files} files, {rows} rows: every file of the list once"))?;
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

/// The numbers of files and of rows, and the differences to the list.
#[derive(Default)]
pub(crate) struct Compared {
    files: u64,
    rows: u64,
    pub(crate) faults: Vec<String>,
}

/// Compares a table that any program has made with a list.
fn compare_all(manifest: &Path, tables: &[PathBuf]) -> Result<Compared> {
    let (mut expected, mut found, mut rows) = (Keys::default(), Keys::default(), 0);
    manifest::read(manifest, |rows| {
        rows.iter().for_each(|row| expected.add_listed(row));
        Ok(())
    })?;
    for table in tables {
        rows += found.add_table(table)?;
    }
    Ok(Compared { files: found.count, rows, faults: found.differs(&expected).into_iter().collect() })
}

/// Compares each part with its rows in the list.
fn compare_parts(folder: &Path, tables: &[PathBuf]) -> Result<Compared> {
    let plan = Plan::open(folder)?;
    let mut all = Compared::default();
    for part in 0..plan.parts().len() {
        let Compared { files, rows, faults } = compare_part(&plan, part)?;
        (all.files, all.rows) = (all.files + files, all.rows + rows);
        all.faults.extend(faults);
    }
    let parts: Vec<PathBuf> = (0..plan.parts().len()).map(|part| plan.path(part)).collect();
    let others = tables.iter().filter(|table| !parts.contains(table));
    all.faults.extend(others.map(|table| format!("{}: not a part of the census", table.display())));
    Ok(all)
}

/// Compares a part with its rows in the list.
pub(crate) fn compare_part(plan: &Plan, part: usize) -> Result<Compared> {
    let (path, mut compared) = (plan.path(part), Compared::default());
    let shown = path.display();
    if !fs::exists(&path).map_err(Stop::at(&path))? {
        compared.faults.push(format!("{shown}: missing"));
        return Ok(compared);
    }
    let (mut expected, mut found) = (Keys::default(), Keys::default());
    for listed in plan.files(part)? {
        expected.add_listed(&listed?);
    }
    match found.add_table(&path) {
        Ok(rows) => {
            compared.rows = rows;
            compared.faults.extend(found.differs(&expected).map(|fault| format!("{shown}: {fault}")));
            compared.faults.extend(plan.pack().and_then(|pack| pack::differs(&path, pack)));
        }
        // A file that cannot be read counts as a difference.
        Err(stop) => compared.faults.push(stop.to_string()),
    }
    compared.files = found.count;
    Ok(compared)
}
