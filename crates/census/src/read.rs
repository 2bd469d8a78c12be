//! Reads the bytes of one file into rows.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use meshlens::Format;
use meshlens::import::Importer;
use meshlens::unreal::FileKind;
use meshlens::unreal::pairing::FileName;
use meshlens::wire::Budget;
use meshlens_assets::{
    ArchiveFiles, AssetPath, Assets, DEFAULT_MAX_FILE_BYTES, Error as AssetError, FindOptions, Located,
};
use meshlens_gltf::Gltf;
use meshlens_source::{Archive, ArchiveLimits};

use crate::beside::{Beside, ReadBeside};
use crate::column::{Column, Columns};
use crate::describe::{Visit, Wanted, guard};
use crate::fault::asset_code;
use crate::row::{Row, Status, cut};

/// A file whose bytes are in memory.
#[derive(Clone)]
pub struct Input {
    /// The name of the file: a path or a URL. Its extension determines the format if the bytes do not.
    pub uri: String,
    /// The entity tag of the object.
    pub etag: Option<String>,
    /// The content.
    pub bytes: Bytes,
    /// Reads the files beside it that it needs: the frames of an Unreal mesh, or the buffers of a glTF file. A row depends on
    /// no others. Archives need none.
    pub beside: Option<Arc<dyn ReadBeside>>,
}

impl Input {
    /// A file without files beside it.
    pub fn new(uri: impl Into<String>, bytes: impl Into<Bytes>) -> Input {
        Input { uri: uri.into(), etag: None, bytes: bytes.into(), beside: None }
    }

    /// The last component of the name.
    fn name(&self) -> &str {
        let name = self.uri.rsplit(['/', '\\']).next().unwrap_or_default();
        if AssetPath::new(name).is_ok_and(|path| !path.is_root()) { name } else { "model" }
    }

    /// The number of bytes that the entries of an archive take, as it states, up to the most that [`rows`] takes for one
    /// model in it. 0 for other files, and for an archive that cannot be read.
    pub fn unpacked_size(&self) -> u64 {
        let sum = || {
            let archive = Archive::parse(self.bytes.clone(), self.name(), ArchiveLimits::default()).ok()?;
            Some(archive.entries().fold(0, |sum: u64, entry| sum.saturating_add(entry.size())))
        };
        let sum = if self.is_archive() { catch_unwind(AssertUnwindSafe(sum)).ok().flatten() } else { None };
        sum.unwrap_or_default().min(DEFAULT_MAX_FILE_BYTES)
    }

    fn is_archive(&self) -> bool {
        let has_extension = |extension: &str| {
            self.uri.rsplit_once('.').is_some_and(|(_, found)| found.eq_ignore_ascii_case(extension))
        };
        self.bytes.starts_with(b"PK\x03\x04") || has_extension("pk3") || has_extension("zip")
    }
}

/// Reads a file: one row, or for a PK3 or zip archive, one row that is followed by a row for each file of a model in
/// it. The first row describes the file itself. Archives inside archives are not read, and a model in an archive takes at
/// most 1 GiB.
///
/// Never panics or returns an error: if an input cannot be read, its row has the [`Status`] and the fault. O(bytes).
pub fn rows(input: &Input, columns: Columns) -> Vec<Row> {
    rows_with(input, columns, None)
}

/// Like [`rows`], but also calls a function for each model.
pub fn rows_with(input: &Input, columns: Columns, visit: Option<Visit<'_>>) -> Vec<Row> {
    let wanted = &Wanted::new(columns, visit);
    let start = Instant::now();
    let (uri, etag) = (input.uri.clone(), input.etag.clone());
    let mut first = Row { uri, etag, ..Row::default() };
    first.measure(&input.bytes, columns);
    let mut rows = if input.is_archive() {
        archive(input, first, wanted)
    } else {
        file(input, &mut first, wanted);
        vec![first]
    };
    if let Some(first) = rows.first_mut().filter(|_| columns.has(Column::Seconds)) {
        first.seconds = Some(start.elapsed().as_secs_f64());
    }
    rows
}

/// The row of a file that is no archive.
fn file(input: &Input, row: &mut Row, wanted: &Wanted<'_>) {
    let mut assets = Assets::new();
    assets.add_importer(Gltf);
    // The row of the geometry file includes the counts of both files.
    let is_frames = FileName::parse(input.name()).is_some_and(|name| name.kind == FileKind::Frames);
    let beside = input.beside.as_ref().filter(|_| !is_frames);
    let beside = beside.map(|files| Arc::new(Beside::new(files.clone(), input.name())));
    if let Some(beside) = &beside {
        assets.mount("", beside.clone());
    }
    guard(row, |row| {
        let located = assets.locate_bytes(input.name(), input.bytes.clone())?;
        row.describe(&located, located.load(None)?, wanted)
    });
    if let Some(fault) = beside.and_then(|beside| beside.fault()).filter(|_| row.status == Status::Half) {
        row.fail(Status::Incomplete, (fault.code, None), &fault.message);
    }
}

/// The row of an archive, and the rows of the models in it.
fn archive(input: &Input, mut first: Row, wanted: &Wanted<'_>) -> Vec<Row> {
    first.format = Some("zip");
    let mut rows = Vec::new();
    guard(&mut first, |first| {
        let opened = Archive::parse(input.bytes.clone(), input.name(), ArchiveLimits::default());
        let opened = opened.map_err(AssetError::from)?;
        rows.extend(opened.replaced().filter_map(|entry| unreachable(first, entry, None)));
        let refused = opened.entries().filter_map(|entry| Some((entry.name_fault()?, entry)));
        rows.extend(refused.filter_map(|(fault, entry)| {
            unreachable(first, (entry.name(), entry.size()), Some(fault.to_string()))
        }));
        let mut assets = Assets::new();
        assets.add_importer(Gltf);
        assets.set_budget(Budget::new(DEFAULT_MAX_FILE_BYTES as usize));
        assets.mount("", ArchiveFiles::new(opened));
        let options = FindOptions { imported: true, ..FindOptions::default() };
        for found in assets.each_model(&AssetPath::root(), &options) {
            match found {
                Ok(located) => entries(first, &located, wanted, &mut rows),
                Err(error) if first.code.is_none() => {
                    first.fail(Status::Incomplete, asset_code(&error), &error.to_string());
                }
                // Only the first fault is reported.
                Err(_) => {}
            }
        }
        Ok(())
    });
    rows.insert(0, first);
    rows
}

/// The row of a model in an archive that its name does not lead to, because it is refused or a later entry has it; `None` for
/// other files.
fn unreachable(first: &Row, (name, size): (&str, u64), fault: Option<String>) -> Option<Row> {
    let extension = name.rsplit_once('.')?.1.to_ascii_lowercase();
    if Format::from_extension(&extension).is_none() && !Gltf.extensions().contains(&&*extension) {
        return None;
    }
    let mut row = Row { uri: first.uri.clone(), etag: first.etag.clone(), ..Row::default() };
    (row.entry, row.size) = (Some(cut(name)), Some(size));
    let code = if fault.is_some() { "ENTRY_REFUSED" } else { "ENTRY_REPLACED" };
    let text = fault.unwrap_or_else(|| "a later entry of the archive has this name".into());
    row.fail(Status::Unread, (code, None), &text);
    Some(row)
}

/// The rows of the files of one model in an archive.
fn entries(archive: &Row, located: &Located, wanted: &Wanted<'_>, rows: &mut Vec<Row>) {
    let mut files = located.files().files().into_iter().map(|file| Row {
        uri: archive.uri.clone(),
        etag: archive.etag.clone(),
        entry: Some(file.path().to_string()),
        ..Row::default()
    });
    let Some(mut first) = files.next() else { return };
    let mut others: Vec<Row> = files.collect();
    let (mut all, mut is_described) = (Vec::new(), false);
    guard(&mut first, |first| {
        let loaded = located.load(None)?;
        all.extend_from_slice(loaded.bytes());
        first.measure(loaded.first(), wanted.columns());
        first.describe(located, loaded, wanted)?;
        is_described = true;
        Ok(())
    });
    for (index, row) in (1..).zip(&mut others) {
        let Some(bytes) = all.get(index) else {
            // The message names the file that cannot be read.
            (row.status, row.code, row.message) = (first.status, first.code, first.message.clone());
            continue;
        };
        row.measure(bytes, wanted.columns());
        if is_described {
            (row.status, row.format) = (Status::Half, first.format);
        } else {
            guard(row, |row| row.describe_frames(bytes));
        }
    }
    rows.push(first);
    rows.extend(others);
}
