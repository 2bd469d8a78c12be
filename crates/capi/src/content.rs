//! The content of an open file: its bytes, and everything that borrows from them.

use std::sync::{Arc, OnceLock};

use meshlens::scene::Scene;
use meshlens::{Document, Model, Partial, Report};
#[cfg(feature = "assets")]
use meshlens_assets::Asset;
#[cfg(feature = "streaming")]
use meshlens_stream::{FilePieces, PartialModel};
use self_cell::self_cell;

use crate::array_list::Arrays;
use crate::call::at;
use crate::companions::{Companion, apply};
use crate::file_bytes::FileBytes;
use crate::memory::Limited;
use crate::names::Names;
use crate::result::{Failure, Result};

/// One model: the files that it is made of, and everything that borrows from them.
pub(crate) struct File {
    pub(crate) memory: Limited,
    cell: Arc<Cell>,
    /// What handles for the same content share.
    pub(crate) identity: Arc<()>,
    /// The findings about companions, from validating them and from applying them to the model.
    pub(crate) findings: Report,
    pub(crate) losses: Report,
    /// The number of bytes of the model's own files, as given.
    pub(crate) bytes: u64,
}

/// The files that a document is made of.
pub(crate) enum Files {
    One(FileBytes),
    #[cfg(feature = "unreal")]
    Pair {
        geometry: FileBytes,
        frames: FileBytes,
    },
    #[cfg(feature = "unreal")]
    Half(meshlens::unreal::FileKind, FileBytes),
    #[cfg(feature = "assets")]
    Asset(AssetModel),
    #[cfg(feature = "streaming")]
    /// The parts of a model that a streamer has loaded.
    Partial(PartialModel),
}

#[cfg(feature = "assets")]
/// A model of an asset, whose bytes it shares.
pub(crate) struct AssetModel {
    pub(crate) asset: Asset,
    pub(crate) node: usize,
    /// 0 for the node itself, otherwise the number of a coarser level of detail.
    pub(crate) lod: usize,
    pub(crate) first: bytes::Bytes,
    /// The frames of an Unreal mesh.
    pub(crate) second: Option<bytes::Bytes>,
}

#[cfg(feature = "assets")]
impl AssetModel {
    fn model(&self) -> Option<&Model<'_>> {
        let node = self.asset.scene().nodes.get(self.node)?;
        match self.lod.checked_sub(1) {
            None => Some(&node.model),
            Some(lod) => node.lods.get(lod),
        }
    }
}

impl Files {
    fn slices(&self) -> [&[u8]; 2] {
        match self {
            Files::One(one) => [one.as_ref(), &[]],
            #[cfg(feature = "unreal")]
            Files::Half(_, one) => [one.as_ref(), &[]],
            #[cfg(feature = "unreal")]
            Files::Pair { geometry, frames } => [geometry.as_ref(), frames.as_ref()],
            #[cfg(feature = "assets")]
            Files::Asset(model) => [&model.first, model.second.as_deref().unwrap_or_default()],
            #[cfg(feature = "streaming")]
            Files::Partial(_) => [&[], &[]],
        }
    }

    /// The number of bytes of all files.
    fn len(&self) -> u64 {
        // The files fit in memory or on a disk, so the sum does not saturate.
        let add = |sum: u64, len: u64| sum.saturating_add(len);
        match self {
            #[cfg(feature = "streaming")]
            Files::Partial(model) => model.plan().file_lens().iter().copied().fold(0, add),
            files => files.slices().iter().map(|bytes| bytes.len() as u64).fold(0, add),
        }
    }

    /// Whether some of the bytes are in memory between `start` and `end`.
    fn overlap(&self, start: usize, end: usize) -> bool {
        let overlaps = |bytes: &[u8]| {
            let from = bytes.as_ptr().addr();
            start < from.saturating_add(bytes.len()) && from < end
        };
        #[cfg(feature = "streaming")]
        let in_pieces = |file: &FilePieces| {
            file.ranges().any(|range| file.get(range).is_some_and(|bytes| overlaps(&bytes)))
        };
        match self {
            #[cfg(feature = "streaming")]
            Files::Partial(model) => model.files().iter().any(in_pieces),
            files => files.slices().into_iter().any(overlaps),
        }
    }
}

/// The values that borrow from the bytes of a file.
pub(crate) struct Content<'a> {
    /// All bytes are loaded, unless a streamer has loaded some.
    pub(crate) document: Document<'a, Partial>,
    arrays: OnceLock<Arrays<'a>>,
    model: OnceLock<ModelContent<'a>>,
}

/// A model and its names.
pub(crate) struct ModelContent<'a> {
    /// One node.
    pub(crate) scene: Scene<'a>,
    pub(crate) names: Names,
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
            let document = match (files, files.slices()) {
                (Files::One(_), [one, _]) => match format {
                    Some(format) => Document::parse_as(format, one)?,
                    None => Document::parse(one)?,
                },
                #[cfg(feature = "unreal")]
                (Files::Pair { .. }, [geometry, frames]) => Document::parse_pair(geometry, frames)?,
                #[cfg(feature = "unreal")]
                (Files::Half(kind, _), [one, _]) => Document::parse_unpaired(*kind, one)?,
                #[cfg(feature = "assets")]
                (Files::Asset(AssetModel { second: Some(_), .. }), [geometry, frames]) => {
                    Document::parse_pair(geometry, frames)?
                }
                #[cfg(feature = "assets")]
                (Files::Asset(_), [one, _]) => Document::parse(one)?,
                #[cfg(feature = "streaming")]
                (Files::Partial(model), _) => {
                    let document = model.document()?;
                    return Ok(Content { document, arrays: OnceLock::new(), model: OnceLock::new() });
                }
            };
            let document = document.into_partial();
            let content = Content { document, arrays: OnceLock::new(), model: OnceLock::new() };
            #[cfg(feature = "assets")]
            if let Files::Asset(model) = files
                && let Some(model) = model.model()
            {
                get_or_make(&content.model, || ModelContent::new(model.clone(), &memory))?;
            }
            Ok::<_, Failure>(content)
        })?;
        let mut file = File {
            memory,
            cell: Arc::new(cell),
            identity: Arc::default(),
            findings: Report::default(),
            losses: Report::default(),
            bytes,
        };
        if !companions.is_empty() {
            let (findings, losses) = file.with(|content| {
                let mut model = Model::new(content.document.clone())?;
                let reports = apply(&content.document, &mut model, companions, &file.memory)?;
                get_or_make(&content.model, || ModelContent::new(model, &file.memory))?;
                Ok::<_, Failure>(reports)
            })?;
            (file.findings, file.losses) = (findings, losses);
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
            losses: self.losses.clone(),
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

    pub(crate) fn with<R>(&self, then: impl for<'q> FnOnce(&Content<'q>) -> R) -> R {
        self.cell.with_dependent(|_, content| then(content))
    }

    /// The arrays, listed on first use.
    pub(crate) fn with_arrays<R>(&self, then: impl for<'q> FnOnce(&Arrays<'q>) -> Result<R>) -> Result<R> {
        self.with(|content| {
            then(get_or_make(&content.arrays, || Arrays::new(&content.document, &self.memory))?)
        })
    }

    /// The model, made on first use.
    pub(crate) fn with_model<R>(
        &self,
        then: impl for<'q> FnOnce(&ModelContent<'q>) -> Result<R>,
    ) -> Result<R> {
        self.with(|content| {
            let make = || ModelContent::new(Model::new(content.document.clone())?, &self.memory);
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

impl<'a> ModelContent<'a> {
    fn new(model: Model<'a>, memory: &Limited) -> Result<ModelContent<'a>> {
        let names = Names::new(&model, memory)?;
        model.charge_to(&memory.budget);
        Ok(ModelContent { scene: model.into(), names })
    }

    #[allow(clippy::indexing_slicing, reason = "it was made with one node")]
    pub(crate) fn model(&self) -> &Model<'a> {
        &self.scene.nodes[0].model
    }
}
