//! The plan of a census: the list of its files, divided into parts. It is made once, and never changes. While a run
//! works, it holds a lock, so that two runs do not write one table; the runs of shards share it.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use meshlens_census::SCHEMA_VERSION;
use meshlens_source::{AtomicFile, Source, open_regular};
use meshlens_terminal::tell;
use serde_json::{Value, json};

use crate::args::{self, Pack};
use crate::manifest::{self, Listed, Writer};
use crate::parquet_columns::ParquetFile;
use crate::stop::{Result, Stop};
use crate::{listing, part, verify};

/// The file that exists if the table is complete.
const SUCCESS: &str = "_SUCCESS";
/// The largest description of a census.
const LARGEST_ABOUT: u64 = 1 << 24;

/// The plan of a census.
pub(crate) struct Plan {
    folder: PathBuf,
    list: ParquetFile,
    /// The number of rows of each part.
    rows: Vec<u64>,
    /// The pack beside each part of a table of products.
    pack: Option<Pack>,
    /// Held until the plan is dropped. `None` for a reader.
    _lock: Option<File>,
}

/// The folder of the plan, which is beside the table: polars reads every file that is in it.
fn plan_folder(folder: &Path) -> Result<PathBuf> {
    let whole = if folder.file_name().is_none() { folder.canonicalize() } else { Ok(folder.into()) };
    let mut whole = whole.map_err(Stop::at(folder))?;
    let Some(name) = whole.file_name() else {
        return Err(Stop(format!("{}: expected the name of a folder", folder.display())));
    };
    let mut name = name.to_owned();
    name.push(".plan");
    whole.set_file_name(name);
    Ok(whole)
}

impl Plan {
    /// Opens the plan of a folder.
    pub(crate) fn open(folder: &Path) -> Result<Plan> {
        let own = plan_folder(folder)?;
        let list = ParquetFile::open(&own.join("manifest.parquet"))?;
        // Readers need a file to see the columns of an empty table.
        let rows = Some(list.groups()).filter(|groups| !groups.is_empty()).unwrap_or_else(|| vec![0]);
        let about = Source::read_limited(own.join("plan.json"), LARGEST_ABOUT).ok();
        let about: Option<Value> = about.and_then(|about| serde_json::from_slice(&about).ok());
        let pack = about.as_ref().and_then(|about| about["output"]["pack"].as_str());
        let pack = [Pack::Zip, Pack::Tar]
            .into_iter()
            .find(|known| pack.is_some_and(|pack| pack == format!("{known:?}")));
        Ok(Plan { folder: folder.into(), list, rows, pack, _lock: None })
    }

    /// Opens the plan of an earlier run, or makes it. `output` describes what is written.
    ///
    /// # Errors
    ///
    /// The folder contains a census of other files, or a file cannot be written.
    pub(crate) fn make(arguments: &args::Source, folder: &Path, output: Value) -> Result<Plan> {
        let own = plan_folder(folder)?;
        let (list, about) = (own.join("manifest.parquet"), own.join("plan.json"));
        let wanted = description(arguments, output)?;
        if !about.exists() {
            refuse_others(folder, &about)?;
        }
        for made in [folder, &own] {
            fs::create_dir_all(made).map_err(Stop::at(made))?;
        }
        let lock = lock(&own.join("lock"), arguments.shard.is_some())?;
        if about.exists() {
            let found: Value = serde_json::from_slice(&Source::read_limited(&about, LARGEST_ABOUT)?)
                .map_err(Stop::at(&about))?;
            if found != wanted {
                return Err(Stop(format!(
                    "{}: the folder has another census: {found}; now asked for: {wanted}",
                    folder.display()
                )));
            }
        } else {
            let mut writer = Writer::create(&list, arguments.part_rows as usize, true)?;
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
            // This file marks the list as complete. Runs of shards make equal lists.
            put(&about, format!("{wanted:#}\n").as_bytes())?;
        }
        let plan = Plan { _lock: Some(lock), ..Plan::open(folder)? };
        let parts: Vec<PathBuf> = (0..plan.rows.len()).map(|part| plan.path(part)).collect();
        match names(folder).find(|name| is_table(name) && !parts.contains(&folder.join(name))) {
            Some(name) => Err(not_own(folder, &name)),
            None => Ok(plan),
        }
    }

    /// The number of rows of each part.
    pub(crate) fn parts(&self) -> &[u64] {
        &self.rows
    }

    /// The files of a part.
    pub(crate) fn files(&self, part: usize) -> Result<impl Iterator<Item = Result<Listed>> + use<>> {
        let rows = self.rows.get(part).filter(|rows| **rows > 0);
        let read = rows.map(|_| manifest::read_group(&self.list, part)).transpose()?;
        Ok(read.into_iter().flatten())
    }

    /// The pack beside each part; `None` if there is none.
    pub(crate) fn pack(&self) -> Option<Pack> {
        self.pack
    }

    /// The file of a part.
    pub(crate) fn path(&self, part: usize) -> PathBuf {
        self.folder.join(format!("part-{part:05}.parquet"))
    }

    /// Whether a part has the rows of its files. An empty folder in its place is removed.
    pub(crate) fn is_done(&self, part: usize) -> Result<bool> {
        let path = self.path(part);
        if path.is_dir() {
            fs::remove_dir(&path).map_err(Stop::at(&path))?;
        }
        Ok(path.exists() && verify::compare_part(self, part)?.faults.is_empty())
    }

    /// Marks the table as complete, or as incomplete.
    pub(crate) fn mark(&self, is_complete: bool) -> Result<()> {
        let path = self.folder.join(SUCCESS);
        match (is_complete, fs::exists(&path).map_err(Stop::at(&path))?) {
            (true, _) => put(&path, b""),
            (false, true) => fs::remove_file(&path).map_err(Stop::at(&path)),
            (false, false) => Ok(()),
        }
    }
}

/// Fails if a new table would replace files, or have those of others among its own. `about` marks the parts of a run that
/// began in the meantime.
fn refuse_others(folder: &Path, about: &Path) -> Result<()> {
    let is_other = |name: &String| is_table(name) || name.starts_with("part-") || name == SUCCESS;
    match names(folder).find(is_other) {
        Some(name) if !about.exists() => Err(not_own(folder, &name)),
        _ => Ok(()),
    }
}

/// The names of the files of a folder; none if it does not exist.
fn names(folder: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
}

/// Whether a name is one that readers of tables take for a part.
fn is_table(name: &str) -> bool {
    name.ends_with(".parquet")
}

fn not_own(folder: &Path, name: &str) -> Stop {
    Stop(format!("{}: {name} exists, and is not a part of a census", folder.display()))
}

/// Takes the lock of a folder. It is free when the file is closed, also when the process is killed.
fn lock(path: &Path, is_shared: bool) -> Result<File> {
    let file = File::options().create(true).truncate(false).write(true).read(true).open(path);
    let file = file.map_err(Stop::at(path))?;
    let outcome = if is_shared { file.try_lock_shared() } else { file.try_lock() };
    match outcome {
        // A file system without locks.
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
            tell!("{}: two runs at once would not be noticed here: {error}", path.display());
            Ok(file)
        }
        Err(TryLockError::Error(error)) => Err(Stop::at(path)(error)),
        Err(TryLockError::WouldBlock) => {
            let text = "another run is writing this table; it would be wrong after two runs at once";
            Err(Stop(format!("{}: {text}", path.display())))
        }
        Ok(()) => Ok(file),
    }
}

/// The inputs that a plan depends on.
fn description(arguments: &args::Source, output: Value) -> Result<Value> {
    let source = match &arguments.manifest {
        Some(path) => {
            let mut hasher = blake3::Hasher::new();
            let file = open_regular(path)?;
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
