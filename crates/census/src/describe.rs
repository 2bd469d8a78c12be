//! Describes the files of a model: counts, findings, and what the scene has that they are opened as.

use std::any::Any;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use meshlens::import::{ImportError, ImportOptions, Importer, Roots};
use meshlens::lens::Bounds;
use meshlens::model::{Clip, ImageSource, Model};
use meshlens::scene::Scene;
use meshlens::unreal::FileKind;
use meshlens::wire::ErrorKind;
use meshlens::{Document, Format, Partial, Report, Summary};
use meshlens_assets::{Error as AssetError, LoadedFiles, Located, ModelFiles, OpenOptions};

use crate::column::{Column, Columns};
use crate::fault::Fault;
use crate::imports::IMPORTS;
use crate::row::{LONGEST, Row, Status, Stored, cut, names};

/// The columns that need a scene in addition to the documents.
const OF_SCENE: [Column; 6] = {
    use Column::{Clips, Joints, Materials, Max, Min, Textures};
    [Min, Max, Materials, Textures, Clips, Joints]
};

/// The columns of findings.
const OF_FINDINGS: [Column; 6] = {
    use Column::{Details, Errors, Findings, Hints, Infos, Warnings};
    [Errors, Warnings, Infos, Hints, Findings, Details]
};

/// The largest number of findings in [`Column::Details`].
const MOST_DETAILS: usize = 100;

/// A function that is called with the row and the scene of each model. It may set the fault and the product of the row.
pub type Visit<'v> = &'v (dyn Fn(&mut Row, &Scene<'_>) + 'v);

/// The requested columns, the visitor of each model, and how models are opened.
pub(crate) struct Wanted<'v> {
    columns: Columns,
    visit: Option<Visit<'v>>,
    open: OpenOptions,
}

impl<'v> Wanted<'v> {
    pub(crate) fn new(columns: Columns, visit: Option<Visit<'v>>) -> Wanted<'v> {
        // Animations have rows of their own. If each mesh of a folder had the clips of each animation in it, the work would be
        // the product of their numbers.
        Wanted {
            columns,
            visit,
            open: OpenOptions { animations: Some(Vec::new()), ..OpenOptions::default() },
        }
    }

    pub(crate) const fn columns(&self) -> Columns {
        self.columns
    }
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
    row.list(&Scene::from(Model::new(document)?), columns);
    Ok(())
}

/// Runs a call that fills a row. Errors and panics become the fault of the row.
pub(crate) fn guard(row: &mut Row, fill: impl FnOnce(&mut Row) -> Result<(), Fault>) {
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
    pub(crate) fn measure(&mut self, bytes: &[u8], columns: Columns) {
        self.size = Some(bytes.len() as u64);
        self.hash = columns.has(Column::Hash).then(|| blake3::hash(bytes).to_string());
    }

    /// Describes files that a caller has located and loaded. `open` determines which animations are read, and the password.
    /// Faults and panics become the fault of the row.
    pub fn fill(&mut self, located: &Located, loaded: LoadedFiles, columns: Columns, open: OpenOptions) {
        guard(self, |row| row.describe(located, loaded, &Wanted { columns, visit: None, open }));
    }

    /// Sets the status and the fault.
    pub fn set_fault(&mut self, fault: &Fault) {
        self.fail(status_of(fault), fault.code(), &fault.to_string());
    }

    /// Describes the frames of an Unreal mesh, without its geometry.
    pub(crate) fn describe_frames(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let document = Document::parse_unpaired(FileKind::Frames, bytes)?;
        self.count_document(document.format(), document.version(), document.summary());
        self.status = Status::Half;
        Ok(())
    }

    /// Describes a model.
    pub(crate) fn describe(
        &mut self,
        located: &Located,
        loaded: LoadedFiles,
        wanted: &Wanted<'_>,
    ) -> Result<(), Fault> {
        let columns = wanted.columns;
        if let Some(importer) = loaded.importer() {
            return self.describe_imported(located, &loaded, &**importer, wanted);
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
        if !columns.has_any(&OF_SCENE) && wanted.visit.is_none() {
            return Ok(());
        }
        let mut bytes = loaded.bytes().to_vec().into_iter();
        // The columns have the names in the files, and products the materials of the game.
        let options = OpenOptions { materials: false, lods: false, ..wanted.open.clone() };
        let asset = located.clone().open_loaded(loaded, &options)?;
        self.list(asset.scene(), columns);
        if let Some(visit) = wanted.visit {
            let loaded =
                located.load_with(None, |_| Ok::<_, AssetError>(bytes.next().unwrap_or_default()))?;
            let options = OpenOptions { materials: true, animations: None, ..options };
            visit(self, located.clone().open_loaded(loaded, &options)?.scene());
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
        wanted: &Wanted<'_>,
    ) -> Result<(), Fault> {
        self.format = Some(importer.format());
        self.summary = Some(importer.summarize(loaded.first()).map_err(Fault::of_import)?);
        self.version = Some(importer.version().into());
        if !wanted.columns.has_any(&OF_SCENE) && wanted.visit.is_none() {
            return Ok(());
        }
        // One row is about all nodes.
        let import = ImportOptions { roots: Roots::Merged, ..ImportOptions::default() };
        let options = OpenOptions { materials: false, import, ..OpenOptions::default() };
        IMPORTS.import(
            |budget| located.import(loaded, &options, budget),
            |imported| match imported {
                Ok(asset) => {
                    self.list(asset.scene(), wanted.columns);
                    if let Some(visit) = wanted.visit {
                        visit(self, asset.scene());
                    }
                    Ok(())
                }
                Err(AssetError::Import { error, missing, unreadable, .. }) => {
                    let fault = Fault::of_import(ImportError::File(error));
                    if missing.is_empty() && unreadable.is_empty() {
                        return Err(fault);
                    }
                    self.fail(Status::Incomplete, fault.code(), &fault.to_string());
                    Ok(())
                }
                Err(error) => Err(error.into()),
            },
        )
    }

    /// Sets the properties of a scene.
    fn list(&mut self, scene: &Scene<'_>, columns: Columns) {
        let models = || scene.nodes.iter().map(|node| &node.model);
        if columns.has(Column::Min) || columns.has(Column::Max) {
            // The parts of a player have no common space.
            self.bounds = if let [node] = &scene.nodes[..] { bounds(&node.model) } else { None };
        }
        if columns.has(Column::Materials) {
            let materials = models().flat_map(|model| &model.materials);
            self.materials = Some(names(materials.map(|material| &*material.name)));
        }
        if columns.has(Column::Textures) {
            self.textures = Some(textures(models()));
        }
        if columns.has(Column::Clips) {
            let cut = |clip: &Clip| Clip { name: cut(&clip.name), ..clip.clone() };
            // A model without clips has one of all frames, which is in no file.
            let clips = models().flat_map(|model| &model.clips);
            let named = clips.filter(|clip| !(clip.is_rate_assumed && clip.name == "all"));
            self.clips = Some(named.take(LONGEST).map(cut).collect());
        }
        if columns.has(Column::Joints) {
            let joints = models().flat_map(|model| &model.joints).take(LONGEST);
            self.joints = Some(joints.map(|joint| (cut(&joint.name), joint.parent)).collect());
        }
    }
}

/// The bounding box of all frames, as a script places them. `None` without points.
fn bounds(model: &Model<'_>) -> Option<Bounds> {
    let placement = model.placement_in(&model.space);
    let around = |frame| {
        if placement.conversion().is_some() {
            return model.compute_bounds(frame);
        }
        let points = model.meshes.iter().filter_map(|mesh| mesh.positions(frame).ok());
        Bounds::around(points.flat_map(|points| points.into_iter().map(|at| placement.position(at))))
    };
    let boxes = (0..model.frame_count().max(1)).filter_map(around);
    boxes.reduce(|all, one| all.union(&one))
}

/// The distinct textures that the materials name.
fn textures<'m>(models: impl Iterator<Item = &'m Model<'m>>) -> Vec<String> {
    let mut seen = HashSet::new();
    let named = models.flat_map(|model| &model.materials).flat_map(|material| {
        let image = match &material.image {
            Some(ImageSource::File(name)) => Some(&**name),
            _ => None,
        };
        [material.texture.as_deref(), image].into_iter().flatten()
    });
    names(named.filter(|name| !name.is_empty() && seen.insert(*name)))
}
