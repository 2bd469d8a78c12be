//! The files of a model.

#[cfg(feature = "streaming")]
use std::sync::Arc;

use meshlens::scene::Node;
use meshlens::{Document, Format, Model, Partial, Report};
#[cfg(feature = "assets")]
use meshlens_assets::Asset;
#[cfg(feature = "streaming")]
use meshlens_stream::{FilePieces, PartialModel, StreamedScene};

#[cfg(feature = "assets")]
use crate::call::at;
use crate::file_bytes::FileBytes;
use crate::result::{Failure, Result, ml_result};

/// The failure of a call that needs a file of one of the formats.
pub(crate) const NO_DOCUMENT: Failure =
    Failure::new(ml_result::ML_ERROR_UNSUPPORTED, "an imported model has no file of one of the formats");

/// A node for a model of files that have no name for it.
pub(crate) fn node_of(model: Model<'_>) -> Node<'_> {
    Node::new(model.name.clone(), model)
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
    /// The parts of a model that a streamer has loaded, and its node in a search path.
    Partial(PartialModel, Option<Arc<StreamedNode>>),
}

#[cfg(feature = "streaming")]
/// A node of a scene that is streamed.
pub(crate) struct StreamedNode {
    pub(crate) scene: StreamedScene,
    pub(crate) node: usize,
}

#[cfg(feature = "assets")]
/// A model of an asset, whose bytes it shares.
pub(crate) struct AssetModel {
    pub(crate) asset: Asset,
    pub(crate) node: usize,
    /// 0 for the node itself, otherwise the number of a coarser level of detail.
    pub(crate) lod: usize,
    /// The file of the model, or both files of an Unreal mesh; none for an imported model.
    pub(crate) files: Vec<bytes::Bytes>,
}

#[cfg(feature = "assets")]
impl AssetModel {
    /// The node alone, and the findings of opening it.
    fn node(&self) -> Result<(Node<'_>, Report)> {
        let found = at(&self.asset.scene().nodes, "node", self.node)?;
        let (model, findings) = match self.lod.checked_sub(1) {
            None => (&found.model, self.asset.findings().clone()),
            Some(lod) => (at(&found.lods, "lod", lod)?, Report::default()),
        };
        let node = Node::new(&*found.name, model.clone());
        Ok((Node { rest_frame: found.rest_frame, transform: found.transform, ..node }, findings))
    }
}

impl Files {
    /// Parses the files. `None` for an imported model.
    pub(crate) fn document(&self, format: Option<Format>) -> Result<Option<Document<'_, Partial>>> {
        let document = match (self, self.slices()) {
            (Files::One(_), [one, _]) => match format {
                Some(format) => Document::parse_as(format, one)?,
                None => Document::parse(one)?,
            },
            #[cfg(feature = "unreal")]
            (Files::Pair { .. }, [geometry, frames]) => Document::parse_pair(geometry, frames)?,
            #[cfg(feature = "unreal")]
            (Files::Half(kind, _), [one, _]) => Document::parse_unpaired(*kind, one)?,
            #[cfg(feature = "assets")]
            (Files::Asset(model), [first, second]) => match model.files.len() {
                0 => return Ok(None),
                1 => Document::parse(first)?,
                _ => Document::parse_pair(first, second)?,
            },
            #[cfg(feature = "streaming")]
            (Files::Partial(model, _), _) => return Ok(Some(model.document()?)),
        };
        Ok(Some(document.into_partial()))
    }

    /// The node of these files and their document, and the findings of making its model.
    pub(crate) fn node<'a>(&'a self, document: Option<&Document<'a, Partial>>) -> Result<(Node<'a>, Report)> {
        match self {
            #[cfg(feature = "assets")]
            Files::Asset(model) => model.node(),
            #[cfg(feature = "streaming")]
            Files::Partial(model, Some(of)) => {
                let count = of.scene.nodes().len();
                of.scene.node(of.node, model)?.ok_or_else(|| Failure::index("node", of.node, count))
            }
            _ => Ok((node_of(Model::new(document.ok_or(NO_DOCUMENT)?.clone())?), Report::default())),
        }
    }

    fn slices(&self) -> [&[u8]; 2] {
        match self {
            Files::One(one) => [one.as_ref(), &[]],
            #[cfg(feature = "unreal")]
            Files::Half(_, one) => [one.as_ref(), &[]],
            #[cfg(feature = "unreal")]
            Files::Pair { geometry, frames } => [geometry.as_ref(), frames.as_ref()],
            #[cfg(feature = "assets")]
            Files::Asset(model) => [0, 1].map(|file| model.files.get(file).map_or(&[][..], |bytes| bytes)),
            #[cfg(feature = "streaming")]
            Files::Partial(..) => [&[], &[]],
        }
    }

    /// The number of bytes of all files.
    pub(crate) fn len(&self) -> u64 {
        // The files fit in memory or on a disk, so the sum does not saturate.
        let add = |sum: u64, len: u64| sum.saturating_add(len);
        match self {
            #[cfg(feature = "streaming")]
            Files::Partial(model, _) => model.plan().file_lens().iter().copied().fold(0, add),
            files => files.slices().iter().map(|bytes| bytes.len() as u64).fold(0, add),
        }
    }

    /// Whether some of the bytes are in memory between `start` and `end`.
    pub(crate) fn overlap(&self, start: usize, end: usize) -> bool {
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
            Files::Partial(model, _) => model.files().iter().any(in_pieces),
            files => files.slices().into_iter().any(overlaps),
        }
    }
}
