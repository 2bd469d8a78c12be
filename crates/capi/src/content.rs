//! The content of an open file: its bytes, and everything that borrows from them.

use std::sync::{Arc, OnceLock};

use meshlens::scene::{Node, Scene};
use meshlens::{Document, Format, Model, Partial, Report, Summary};
#[cfg(feature = "assets")]
use meshlens_assets::Asset;
use self_cell::self_cell;

use crate::array_list::Arrays;
use crate::call::at;
use crate::companions::{Companion, apply};
use crate::files::{Files, NO_DOCUMENT, node_of};
use crate::memory::Limited;
use crate::names::Names;
use crate::result::{Failure, Result};

/// One model: the files that it is made of, and everything that borrows from them.
pub(crate) struct File {
    pub(crate) memory: Limited,
    cell: Arc<Cell>,
    /// What handles for the same content share.
    pub(crate) identity: Arc<()>,
    /// The findings about companions, or those of an import.
    pub(crate) findings: Report,
    /// The number of bytes of the model's own files, as given.
    pub(crate) bytes: u64,
}

/// The values that borrow from the bytes of a file.
pub(crate) struct Content<'a> {
    /// All bytes are loaded, unless a streamer has loaded some. `None` for an imported model.
    document: Option<Document<'a, Partial>>,
    arrays: OnceLock<Arrays<'a>>,
    model: OnceLock<ModelContent<'a>>,
}

/// A model and its names.
pub(crate) struct ModelContent<'a> {
    /// One node.
    pub(crate) scene: Scene<'a>,
    pub(crate) names: Names,
    /// The findings of making the model.
    pub(crate) losses: Report,
}

/// The format, the version and the counts of files.
pub(crate) struct Counts {
    /// `None` for a file that was imported.
    pub(crate) format: Option<Format>,
    pub(crate) version: String,
    pub(crate) summary: Summary,
    pub(crate) bytes: u64,
}

self_cell! {
    struct Cell {
        owner: Files,
        #[not_covariant]
        dependent: Content,
    }
}

/// The value, made on first use. Threads that come first at the same time each make one, and one of them is kept.
pub(crate) fn get_or_make<T>(lock: &OnceLock<T>, make: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(found) = lock.get() {
        return Ok(found);
    }
    let made = make()?;
    Ok(lock.get_or_init(|| made))
}

impl File {
    /// Parses the files and the companions, and applies the companions to the model.
    pub(crate) fn open(
        files: Files,
        format: Option<meshlens::Format>,
        companions: &[Companion],
        memory: Limited,
    ) -> Result<File> {
        let bytes = files.len();
        let cell = Cell::try_new(files, |files| {
            let document = files.document(format)?;
            Ok::<_, Failure>(Content { document, arrays: OnceLock::new(), model: OnceLock::new() })
        })?;
        let mut file = File {
            memory,
            cell: Arc::new(cell),
            identity: Arc::default(),
            findings: Report::default(),
            bytes,
        };
        if !companions.is_empty() {
            file.findings = file.with(|content| {
                let document = content.document()?;
                let mut model = Model::new(document.clone())?;
                let (findings, losses) = apply(document, &mut model, companions, &file.memory)?;
                get_or_make(&content.model, || ModelContent::new(node_of(model), losses, &file.memory))?;
                Ok::<_, Failure>(findings)
            })?;
        }
        Ok(file)
    }

    /// Another handle for the same content, with the same findings.
    pub(crate) fn share(&self) -> File {
        File {
            memory: self.memory.clone(),
            cell: Arc::clone(&self.cell),
            identity: Arc::clone(&self.identity),
            findings: self.findings.clone(),
            bytes: self.bytes,
        }
    }

    /// The asset whose model this file is, and the node of the model.
    #[cfg(feature = "assets")]
    pub(crate) fn asset(&self) -> Option<(&Asset, usize)> {
        match self.cell.borrow_owner() {
            Files::Asset(model) => Some((&model.asset, model.node)),
            _ => None,
        }
    }

    /// The search path of its textures.
    #[cfg(feature = "textures")]
    pub(crate) fn assets(&self) -> Option<&meshlens_assets::Assets> {
        match self.cell.borrow_owner() {
            Files::Asset(model) => model.asset.node_assets(model.node),
            #[cfg(feature = "streaming")]
            Files::Partial(_, of) => Some(of.as_ref()?.scene.assets()),
            _ => None,
        }
    }

    /// Whether the model is one of a search path, of which a streamer has loaded the file.
    #[cfg(feature = "assets")]
    pub(crate) fn is_streamed(&self) -> bool {
        #[cfg(feature = "streaming")]
        if let Files::Partial(_, of) = self.cell.borrow_owner() {
            return of.is_some();
        }
        false
    }

    fn with<R>(&self, then: impl for<'q> FnOnce(&Content<'q>) -> R) -> R {
        self.cell.with_dependent(|_, content| then(content))
    }

    /// The arrays, listed on first use.
    pub(crate) fn with_arrays<R>(&self, then: impl for<'q> FnOnce(&Arrays<'q>) -> Result<R>) -> Result<R> {
        self.with(|content| {
            then(get_or_make(&content.arrays, || Arrays::new(content.document()?, &self.memory))?)
        })
    }

    /// The model, made on first use.
    pub(crate) fn with_model<R>(
        &self,
        then: impl for<'q> FnOnce(&ModelContent<'q>) -> Result<R>,
    ) -> Result<R> {
        self.cell.with_dependent(|files, content| {
            let make = || {
                let (node, losses) = files.node(content.document.as_ref())?;
                ModelContent::new(node, losses, &self.memory)
            };
            then(get_or_make(&content.model, make)?)
        })
    }

    /// A mesh of the model.
    pub(crate) fn with_mesh<R>(
        &self,
        mesh: usize,
        then: impl for<'q> FnOnce(&ModelContent<'q>, &meshlens::model::Mesh<'q>) -> Result<R>,
    ) -> Result<R> {
        self.with_model(|content| then(content, at(&content.model().meshes, "mesh", mesh)?))
    }

    /// The counts of the files.
    pub(crate) fn counts(&self) -> Result<Counts> {
        self.with(|content| {
            let document = content.document()?;
            let (format, version, summary) = (document.format(), document.version(), document.summary()?);
            Ok(Counts { format: Some(format), version, summary, bytes: self.bytes })
        })
    }

    /// Adds the findings about the content of the files. An imported model has those of the import.
    pub(crate) fn validate(&self, report: &mut Report) -> Result<()> {
        self.with(|content| {
            if let Some(document) = &content.document {
                document.clone().complete()?.validate(report);
            }
            Ok::<_, Failure>(())
        })?;
        report.append(self.findings.clone());
        Ok(())
    }

    /// Returns an error if an output overlaps the bytes that are read.
    pub(crate) fn check_apart(&self, out: *const u8, len: usize) -> Result<()> {
        // An output whose end saturates overlaps everything after its start.
        let (start, end) = (out.addr(), out.addr().saturating_add(len));
        if len > 0 && self.cell.borrow_owner().overlap(start, end) {
            return Err(Failure::argument("the output lies over the bytes of the file"));
        }
        Ok(())
    }
}

impl<'a> Content<'a> {
    fn document(&self) -> Result<&Document<'a, Partial>> {
        self.document.as_ref().ok_or(NO_DOCUMENT)
    }
}

impl<'a> ModelContent<'a> {
    fn new(node: Node<'a>, losses: Report, memory: &Limited) -> Result<ModelContent<'a>> {
        let names = Names::new(&node.model, memory)?;
        node.model.charge_to(&memory.budget);
        Ok(ModelContent { scene: node.into(), names, losses })
    }

    #[allow(clippy::indexing_slicing, reason = "it was made with one node")]
    pub(crate) fn model(&self) -> &Model<'a> {
        &self.scene.nodes[0].model
    }
}
