//! Models that own the bytes that they decode from.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use meshlens::scene::{Attachment, Node, Scene, Socket};
use meshlens::wire::Reservation;
use meshlens::{Model, Report};
use self_cell::self_cell;

use crate::record::Record;
use crate::{AssetFile, AssetPath, Assets, Lookup};

/// A model together with the bytes that it decodes from. It has no lifetime, can be sent to other threads and shared
/// between them, and is cheap to clone: clones share the model.
///
/// ```
/// # let bytes = meshlens::md3::write::Model::new("flag")?.write()?;
/// use meshlens_assets::{Asset, Assets};
///
/// let flag: Asset = Assets::new().open_bytes("flag.md3", bytes)?;
/// let other = flag.clone();
/// let name = std::thread::spawn(move || other.model().name.clone()).join().map_err(|_| "the thread panicked")?;
/// assert_eq!(name, "flag");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Asset(Arc<Inner>);

struct Inner {
    cell: Cell,
    path: AssetPath,
    assets: Assets,
    record: Record,
    /// The reserved memory, held until the asset is dropped.
    _reservation: Option<Reservation>,
}

/// One model of an asset: the only one, or a part of a player.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// The name of its file without the extension.
    pub name: String,
    /// The path of the file.
    pub path: AssetPath,
    /// The model, at its finest level of detail.
    pub model: Model<'a>,
    /// Coarser levels of detail, the finest of them first.
    pub levels: Vec<Model<'a>>,
    /// The attachment of the part: the index of another part, and the index of a tag of that part's model. `None` if
    /// the part is not attached.
    pub attach: Option<(usize, usize)>,
    /// The frame to show while no clip plays.
    pub rest_frame: usize,
}

/// The bytes that the models decode from.
pub(crate) struct Owner(pub(crate) Vec<Bytes>);

/// The parts, which borrow from an [`Owner`].
pub(crate) struct Parts<'a>(pub(crate) Vec<Part<'a>>);

self_cell! {
    pub(crate) struct Cell {
        owner: Owner,
        #[covariant]
        dependent: Parts,
    }
}

impl Asset {
    pub(crate) fn new(
        cell: Cell,
        path: AssetPath,
        assets: Assets,
        record: Record,
        reservation: Option<Reservation>,
    ) -> Asset {
        Asset(Arc::new(Inner { cell, path, assets, record, _reservation: reservation }))
    }

    /// The model. For a player, the model of its first part, the legs.
    pub fn model(&self) -> &Model<'_> {
        // An asset has at least one part.
        &self.parts()[0].model
    }

    /// The parts: one, or the parts of a player, each attached to a tag of an earlier part. There is at least one.
    pub fn parts(&self) -> &[Part<'_>] {
        &self.0.cell.borrow_dependent().0
    }

    /// The parts as a scene: one node for each, attached as in the game. The models share their arrays with
    /// [`parts`](Self::parts). O(meshes).
    pub fn scene(&self) -> Scene<'_> {
        let nodes = self.parts().iter().map(|part| Node {
            name: part.name.clone(),
            model: part.model.clone(),
            lods: part.levels.clone(),
            attachment: part.attach.map(|(node, tag)| Attachment { node, socket: Socket::Tag(tag) }),
            rest_frame: part.rest_frame,
        });
        Scene { nodes: nodes.collect() }
    }

    /// The path that was opened: a file, or the folder of a player.
    pub fn path(&self) -> &AssetPath {
        &self.0.path
    }

    /// The folder of the model. Names inside the files are relative to it, or to the root.
    pub fn folder(&self) -> AssetPath {
        if self.parts().len() > 1 { self.0.path.clone() } else { self.0.path.folder() }
    }

    /// The search path that the asset was opened from. Use it to find other files of the model.
    pub fn assets(&self) -> &Assets {
        &self.0.assets
    }

    /// The findings about the files of the asset and how they fit together.
    /// [`Document::validate`](meshlens::Document::validate) reports findings about the content of a model's file.
    pub fn findings(&self) -> &Report {
        &self.0.record.findings
    }

    /// The files that the asset was made from, in the order in which they were read.
    pub fn files(&self) -> &[AssetFile] {
        &self.0.record.files
    }

    /// The bytes that the models decode from, decrypted if the file is encrypted: the files of each part in order, then
    /// the coarser levels of detail of each part.
    pub fn bytes(&self) -> &[Bytes] {
        &self.0.cell.borrow_owner().0
    }

    /// Every file that was looked up, in order, found or not.
    pub fn lookups(&self) -> &[Lookup] {
        &self.0.record.lookups
    }
}

impl fmt::Debug for Asset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<&str> = self.files().iter().map(|file| file.name.as_str()).collect();
        f.debug_struct("Asset").field("path", self.path()).field("files", &files).finish_non_exhaustive()
    }
}

const _: () = {
    const fn crosses_threads<T: Send + Sync + 'static>() {}
    crosses_threads::<Asset>();
    crosses_threads::<Assets>();
};
