//! Reads the bytes of one file into rows.

use std::any::Any;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use bytes::Bytes;
use meshlens::import::{ImportError, ImportOptions, Importer, Roots};
use meshlens::model::{Clip, ImageSource, Model};
use meshlens::scene::Scene;
use meshlens::unreal::FileKind;
use meshlens::unreal::pairing::FileName;
use meshlens::wire::{Budget, ErrorKind};
use meshlens::{Document, Format, Partial, Report, Summary};
use meshlens_assets::{
    ArchiveFiles, AssetPath, Assets, DEFAULT_MAX_FILE_BYTES, Error as AssetError, FindOptions, LoadedFiles,
    Located, ModelFiles, OpenOptions,
};
use meshlens_gltf::Gltf;
use meshlens_source::{Archive, ArchiveLimits};

use crate::column::{Column, Columns};
use crate::fault::{Fault, asset_code};
use crate::imports::IMPORTS;
use crate::row::{LONGEST, Row, Status, Stored, cut, names};

/// The columns that need a model in addition to its document.
const OF_MODEL: [Column; 6] = {
    use Column::{Clips, Joints, Materials, Max, Min, Textures};
    [Min, Max, Materials, Textures, Clips, Joints]
};

/// The requested columns and the visitor of each model.
#[derive(Clone, Copy)]
struct Wanted<'v> {
    columns: Columns,
    visit: Option<Visit<'v>>,
}

/// The columns of findings.
const OF_FINDINGS: [Column; 6] = {
    use Column::{Details, Errors, Findings, Hints, Infos, Warnings};
    [Errors, Warnings, Infos, Hints, Findings, Details]
};

/// The extensions of glTF files.
const GLTF: [&str; 2] = ["glb", "gltf"];

/// The largest number of findings in [`Column::Details`].
const MOST_DETAILS: usize = 100;

/// A file whose bytes are in memory.
#[derive(Clone)]
pub struct Input {
    /// The name of the file: a path or a URL. Its extension determines the format if the bytes do not.
    pub uri: String,
    /// The entity tag of the object.
    pub etag: Option<String>,
    /// The content.
    pub bytes: Bytes,
    /// The search path for the files beside it: the frames of an Unreal mesh, or the buffers of a glTF file.
    pub assets: Assets,
}

impl Input {
    /// A file without files beside it.
    pub fn new(uri: impl Into<String>, bytes: impl Into<Bytes>) -> Input {
        Input { uri: uri.into(), etag: None, bytes: bytes.into(), assets: Assets::new() }
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

/// A function that is called with the row and the scene of each model. It may set the fault and the product of the row.
pub type Visit<'v> = &'v (dyn Fn(&mut Row, &Scene<'_>) + 'v);

/// Like [`rows`], but also calls a function for each model.
pub fn rows_with(input: &Input, columns: Columns, visit: Option<Visit<'_>>) -> Vec<Row> {
    let wanted = Wanted { columns, visit };
    let start = Instant::now();
    let (uri, etag) = (input.uri.clone(), input.etag.clone());
    let mut first = Row { uri, etag, ..Row::default() };
    first.measure(&input.bytes, columns);
    let mut rows = if input.is_archive() {
        archive(input, first, wanted)
    } else {
        let row = &mut first;
        // The row of the geometry file includes the counts of both files.
        let is_frames = FileName::parse(input.name()).is_some_and(|name| name.kind == FileKind::Frames);
        let mut assets = if is_frames { Assets::new() } else { input.assets.clone() };
        assets.add_importer(Gltf);
        guard(row, |row| row.describe(&assets.locate_bytes(input.name(), input.bytes.clone())?, wanted));
        vec![first]
    };
    if let Some(first) = rows.first_mut().filter(|_| columns.has(Column::Seconds)) {
        first.seconds = Some(start.elapsed().as_secs_f64());
    }
    rows
}

/// Describes a model of which only the headers are loaded. Columns that need more are null.
///
/// # Errors
///
/// [`Incomplete`](ErrorKind::Incomplete) if other bytes are needed, and errors of the content.
pub fn headers(
    row: &mut Row,
    format: Format,
    version: String,
    document: Document<'_, Partial>,
    columns: Columns,
) -> meshlens::Result<()> {
    row.count_document(format, version, document.summary()?);
    row.list(&Model::new(document)?, columns);
    Ok(())
}

/// The row of an archive, and the rows of the models in it.
fn archive(input: &Input, mut first: Row, wanted: Wanted<'_>) -> Vec<Row> {
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
    if Format::from_extension(&extension).is_none() && !GLTF.contains(&&*extension) {
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
fn entries(archive: &Row, located: &Located, wanted: Wanted<'_>, rows: &mut Vec<Row>) {
    let columns = wanted.columns;
    let mut files = located.files().files().into_iter().map(|file| Row {
        uri: archive.uri.clone(),
        etag: archive.etag.clone(),
        entry: Some(file.path().to_string()),
        ..Row::default()
    });
    let Some(mut first) = files.next() else { return };
    let mut others: Vec<Row> = files.collect();
    let (mut loaded, mut is_described) = (None, false);
    guard(&mut first, |first| {
        let loaded = loaded.insert(located.load(None)?);
        first.measure(loaded.first(), columns);
        first.describe_loaded(located, loaded, wanted)?;
        is_described = true;
        Ok(())
    });
    for (index, row) in (1..).zip(&mut others) {
        let Some(bytes) = loaded.as_ref().and_then(|loaded| loaded.bytes().get(index)) else {
            // The message names the file that cannot be read.
            (row.status, row.code, row.message) = (first.status, first.code, first.message.clone());
            continue;
        };
        row.measure(bytes, columns);
        if is_described {
            (row.status, row.format) = (Status::Half, first.format);
        } else {
            guard(row, |row| row.describe_frames(bytes));
        }
    }
    rows.push(first);
    rows.extend(others);
}

/// Runs a call that fills a row. Errors and panics become the fault of the row.
fn guard(row: &mut Row, fill: impl FnOnce(&mut Row) -> Result<(), Fault>) {
    let outcome = catch_unwind(AssertUnwindSafe(|| fill(row)));
    match outcome.unwrap_or_else(|panic| Err(Fault::Panic(panic_text(&*panic)))) {
        Ok(()) => {}
        Err(fault) => row.set_fault(&fault),
    }
}

/// The message of a panic.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text =
        panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("no message").to_owned()
}

fn status_of(fault: &Fault) -> Status {
    match fault {
        Fault::Model(error) => status_of_model(error),
        Fault::Asset(AssetError::Parse { error, .. }) => status_of_model(error),
        // A script, whose meshes are separate files.
        Fault::Asset(AssetError::NotOneModel { .. } | AssetError::NoFiles { .. }) => Status::Other,
        Fault::Asset(
            AssetError::Read { .. }
            | AssetError::Memory { .. }
            | AssetError::NotFound { .. }
            | AssetError::Source(meshlens_source::Error::Io { .. }),
        ) => Status::Unread,
        Fault::Asset(_) | Fault::Gltf(_) | Fault::Panic(_) => Status::Invalid,
    }
}

fn status_of_model(error: &meshlens::Error) -> Status {
    match error.kind() {
        ErrorKind::Encrypted { .. } => Status::Encrypted,
        // The bytes have no known format.
        ErrorKind::Magic { .. } if error.format() == "meshlens" => Status::Other,
        _ => Status::Invalid,
    }
}

impl Row {
    /// Sets the size and the hash.
    fn measure(&mut self, bytes: &[u8], columns: Columns) {
        self.size = Some(bytes.len() as u64);
        self.hash = columns.has(Column::Hash).then(|| blake3::hash(bytes).to_string());
    }

    /// Describes files that a caller has located and loaded. Faults and panics become the fault of the row.
    pub fn fill(&mut self, located: &Located, loaded: &LoadedFiles, columns: Columns) {
        guard(self, |row| row.describe_loaded(located, loaded, Wanted { columns, visit: None }));
    }

    /// Sets the bounding box of all frames.
    pub fn set_bounds(&mut self, model: &Model<'_>) {
        let boxes = (0..model.frame_count().max(1)).filter_map(|frame| model.compute_bounds(frame));
        self.bounds = boxes.reduce(|all, one| all.union(&one));
    }

    /// Sets the clips.
    pub fn set_clips<'c>(&mut self, clips: impl Iterator<Item = &'c Clip>) {
        let cut = |clip: &Clip| Clip { name: cut(&clip.name), ..clip.clone() };
        // A file that names no clips has one of all frames, which is not in the file.
        let named = clips.filter(|clip| !(clip.is_rate_assumed && clip.name == "all"));
        self.clips = Some(named.take(LONGEST).map(cut).collect());
    }

    /// Sets the status and the fault.
    pub fn set_fault(&mut self, fault: &Fault) {
        self.fail(status_of(fault), fault.code(), &fault.to_string());
    }

    /// Loads and describes a model.
    fn describe(&mut self, located: &Located, wanted: Wanted<'_>) -> Result<(), Fault> {
        self.describe_loaded(located, &located.load(None)?, wanted)
    }

    /// Describes the frames of an Unreal mesh, without its geometry.
    fn describe_frames(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let document = Document::parse_unpaired(FileKind::Frames, bytes)?;
        self.count_document(document.format(), document.version(), document.summary());
        self.status = Status::Half;
        Ok(())
    }

    fn describe_loaded(
        &mut self,
        located: &Located,
        loaded: &LoadedFiles,
        wanted: Wanted<'_>,
    ) -> Result<(), Fault> {
        let columns = wanted.columns;
        if let Some(importer) = loaded.importer() {
            return self.describe_imported(located, loaded, &**importer, wanted);
        }
        let document = loaded.document()?;
        let summaries = loaded.documents()?.into_iter().map(|document| document.summary());
        let summary = summaries.fold(Summary::default(), Summary::and);
        self.count_document(document.format(), document.version(), summary);
        if matches!(located.files(), ModelFiles::Unpaired { .. }) {
            // It is unknown whether the other file exists, so the mesh is not validated.
            self.status = Status::Half;
            return Ok(());
        }
        if columns.has_any(&OF_FINDINGS) {
            let has_details = columns.has(Column::Details);
            let mut report = Report::with_capacity(if has_details { MOST_DETAILS } else { 0 });
            loaded.validate_all(&mut report);
            self.count(&report, has_details);
        }
        if columns.has(Column::Arrays) {
            self.arrays = Some(document.arrays().map(Stored::new).collect());
        }
        if columns.has_any(&OF_MODEL) || wanted.visit.is_some() {
            self.show(&Model::new(document)?, wanted);
        }
        Ok(())
    }

    /// Sets the properties that every document has.
    pub(crate) fn count_document(&mut self, format: Format, version: String, summary: Summary) {
        (self.format, self.version, self.summary) = (Some(format.name()), Some(version), Some(summary));
    }

    fn describe_imported(
        &mut self,
        located: &Located,
        loaded: &LoadedFiles,
        importer: &dyn Importer,
        wanted: Wanted<'_>,
    ) -> Result<(), Fault> {
        self.format = Some(importer.format());
        self.summary = Some(importer.summarize(loaded.first()).map_err(Fault::of_import)?);
        self.version = Some(importer.version().into());
        if !wanted.columns.has_any(&OF_MODEL) && wanted.visit.is_none() {
            return Ok(());
        }
        // One row is about all nodes.
        let import = ImportOptions { roots: Roots::Merged, ..ImportOptions::default() };
        let options = OpenOptions { materials: false, import, ..OpenOptions::default() };
        IMPORTS.import(
            |budget| located.import(loaded, &options, budget),
            |imported| match imported {
                Ok(asset) => {
                    self.show(asset.model(), wanted);
                    Ok(())
                }
                Err(AssetError::Import { error, missing, .. }) => {
                    let fault = Fault::of_import(ImportError::File(error));
                    if missing.is_empty() {
                        return Err(fault);
                    }
                    self.fail(Status::Incomplete, fault.code(), &fault.to_string());
                    Ok(())
                }
                Err(error) => Err(error.into()),
            },
        )
    }

    /// Sets the properties of a model, and calls the visitor.
    fn show(&mut self, model: &Model<'_>, wanted: Wanted<'_>) {
        self.list(model, wanted.columns);
        if let Some(visit) = wanted.visit {
            visit(self, &Scene::from(model.clone()));
        }
    }

    /// Sets the properties of a model.
    pub(crate) fn list(&mut self, model: &Model<'_>, columns: Columns) {
        if columns.has(Column::Min) || columns.has(Column::Max) {
            self.set_bounds(model);
        }
        if columns.has(Column::Materials) {
            self.materials = Some(names(model.materials.iter().map(|material| &*material.name)));
        }
        if columns.has(Column::Textures) {
            self.textures = Some(textures(model));
        }
        if columns.has(Column::Clips) {
            self.set_clips(model.clips.iter());
        }
        if columns.has(Column::Joints) {
            let joints = model.joints.iter().take(LONGEST);
            self.joints = Some(joints.map(|joint| (cut(&joint.name), joint.parent)).collect());
        }
    }
}

/// The distinct textures that the materials name.
fn textures(model: &Model<'_>) -> Vec<String> {
    let mut seen = HashSet::new();
    let named = model.materials.iter().flat_map(|material| {
        let image = match &material.image {
            Some(ImageSource::File(name)) => Some(&**name),
            _ => None,
        };
        [material.texture.as_deref(), image].into_iter().flatten()
    });
    names(named.filter(|name| !name.is_empty() && seen.insert(*name)))
}
