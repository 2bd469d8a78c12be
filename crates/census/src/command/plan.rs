//! The plan of a census: the list of its files, divided into parts. It is made once, and never changes.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use meshlens_census::SCHEMA_VERSION;
use meshlens_source::AtomicFile;
use serde_json::{Value, json};

use crate::args::Source;
use crate::listing;
use crate::manifest::{self, Listed, Writer};
use crate::parquet_columns::ParquetFile;
use crate::part;
use crate::stop::{Result, Stop};

/// The file that exists if the table is complete.
const SUCCESS: &str = "_SUCCESS";

/// The plan of a census.
pub(crate) struct Plan {
    folder: PathBuf,
    list: ParquetFile,
    /// The number of rows of each part.
    rows: Vec<u64>,
}

/// The folder of the plan. Engines skip folders with such a name.
fn plan_folder(folder: &Path) -> PathBuf {
    folder.join("_plan")
}

impl Plan {
    /// Opens the plan of a folder.
    pub(crate) fn open(folder: &Path) -> Result<Plan> {
        let path = plan_folder(folder).join("manifest.parquet");
        let list = ParquetFile::open(&path)?;
        let rows = list.groups();
        Ok(Plan { folder: folder.into(), list, rows })
    }

    /// Opens the plan of an earlier run, or makes it. `output` describes what is written.
    ///
    /// # Errors
    ///
    /// The folder contains a census of other files, or a file cannot be written.
    pub(crate) fn make(arguments: &Source, folder: &Path, output: Value) -> Result<Plan> {
        let own = plan_folder(folder);
        let (list, about) = (own.join("manifest.parquet"), own.join("plan.json"));
        let wanted = description(arguments, output)?;
        match fs::read(&about) {
            Ok(found) => {
                let found: Value = serde_json::from_slice(&found).map_err(Stop::at(&about))?;
                if found != wanted {
                    return Err(Stop(format!(
                        "{}: the folder has another census: {found}\nNow asked for: {wanted}",
                        folder.display()
                    )));
                }
                return Plan::open(folder);
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(Stop::at(&about)(error)),
        }
        fs::create_dir_all(&own).map_err(Stop::at(&own))?;
        let mut writer = Writer::create(&list, arguments.part_rows as usize)?;
        match &arguments.manifest {
            Some(manifest) => manifest::read(manifest, |rows| writer.write(&rows))?,
            None => {
                let requests = usize::from(arguments.requests);
                listing::list(&arguments.inputs, arguments.search, requests, &mut |rows| {
                    writer.write(&rows)
                })?;
            }
        }
        writer.finish()?;
        // This file marks the list as complete.
        put(&about, format!("{wanted:#}\n").as_bytes())?;
        Plan::open(folder)
    }

    /// The number of rows of each part.
    pub(crate) fn parts(&self) -> &[u64] {
        &self.rows
    }

    /// The files of a part.
    pub(crate) fn files(&self, part: usize) -> Result<Vec<Listed>> {
        manifest::read_group(&self.list, part)
    }

    /// The file of a part.
    pub(crate) fn path(&self, part: usize) -> PathBuf {
        self.folder.join(format!("part-{part:05}.parquet"))
    }

    /// Marks the table as complete if all parts exist.
    pub(crate) fn complete(&self) -> Result<bool> {
        let is_complete = (0..self.rows.len()).all(|part| self.path(part).exists());
        if is_complete {
            put(&self.folder.join(SUCCESS), b"")?;
        }
        Ok(is_complete)
    }
}

/// The inputs that a plan depends on.
fn description(arguments: &Source, output: Value) -> Result<Value> {
    let source = match &arguments.manifest {
        Some(path) => {
            let mut hasher = blake3::Hasher::new();
            let file = fs::File::open(path).map_err(Stop::at(path))?;
            hasher.update_reader(file).map_err(Stop::at(path))?;
            json!({ "manifest": hasher.finalize().to_string() })
        }
        None => json!({ "inputs": arguments.inputs, "all": arguments.search.all }),
    };
    Ok(
        json!({ "schema": SCHEMA_VERSION, "source": source, "output": output, "part_rows": arguments.part_rows }),
    )
}

/// Writes a small file atomically.
fn put(path: &Path, content: &[u8]) -> Result<()> {
    let mut file = AtomicFile::create(path, true)?;
    file.write_all(content).map_err(Stop::at(path))?;
    file.sync()?;
    file.commit()?;
    part::sync_folder(path)
}
