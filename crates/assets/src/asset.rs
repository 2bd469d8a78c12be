//! Models that own the bytes that they decode from.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use meshlens::scene::{Attachment, Node, Scene};
use meshlens::wire::Reservation;
use meshlens::{Document, Format, Model, Report};
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
    nodes: Vec<NodeFile>,
    record: Record,
    /// The reserved memory, held until the asset is dropped.
    _reservation: Option<Reservation>,
}

/// Where the file of a node was found.
#[derive(Clone)]
struct NodeFile {
    path: AssetPath,
    assets: Assets,
}

/// The files that the models are decoded from.
pub(crate) struct Owner {
    pub(crate) bytes: Vec<Bytes>,
    /// The assets whose models are used, and whose bytes are in `bytes` too.
    joined: Option<[Asset; 2]>,
}

impl Owner {
    pub(crate) const fn new(bytes: Vec<Bytes>) -> Owner {
        Owner { bytes, joined: None }
    }
}

self_cell! {
    pub(crate) struct Cell {
        owner: Owner,
        #[covariant]
        dependent: Scene,
    }
}

impl Asset {
    pub(crate) fn new(
        cell: Cell,
        path: AssetPath,
        node_paths: Vec<AssetPath>,
        assets: Assets,
        record: Record,
        reservation: Option<Reservation>,
    ) -> Asset {
        let nodes = node_paths.into_iter().map(|path| NodeFile { path, assets: assets.clone() }).collect();
        Asset(Arc::new(Inner { cell, path, nodes, record, _reservation: reservation }))
    }

    /// Makes an asset of a node that is in memory: imported from glTF, or made by the caller. `path` is its
    /// file, or the root; `assets` is the search path of its textures, and `findings` are the findings of the
    /// import. The asset has no bytes.
    pub fn from_node(node: Node<'static>, path: AssetPath, assets: Assets, findings: Report) -> Asset {
        let cell = Cell::new(Owner::new(Vec::new()), |_| Scene::from(node));
        let record = Record { findings, ..Record::default() };
        Asset::new(cell, path.clone(), vec![path], assets, record, None)
    }

    /// Attaches another asset to a tag or a joint of this one, such as a weapon to a hand. Returns a new asset whose scene
    /// has the nodes of this asset, then those of the other. Neither asset changes, and no bytes are copied. The new asset
    /// has the path and the search path of this one, and the files, lookups and findings of both. O(meshes).
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let assets = meshlens_assets::Assets::new();
    /// let sarge = assets.open("models/players/sarge")?;
    /// let gun = assets.open("models/weapons2/shotgun/shotgun.md3")?;
    /// let hand = sarge.scene().find_tag("tag_weapon").ok_or("a player without hands")?;
    /// let armed = sarge.attach(&gun, hand);
    /// assert_eq!(armed.scene().nodes.len(), 4);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn attach(&self, other: &Asset, to: Attachment) -> Asset {
        let bytes = self.bytes().iter().chain(other.bytes()).cloned().collect();
        let owner = Owner { bytes, joined: Some([self.clone(), other.clone()]) };
        let cell = Cell::new(owner, |owner| {
            let [mut own, other] = owner
                .joined
                .as_ref()
                .map_or_else(Default::default, |joined| joined.each_ref().map(|asset| asset.scene().clone()));
            own.attach(other, to);
            own
        });
        let (path, nodes) = (self.0.path.clone(), [&self.0.nodes[..], &other.0.nodes].concat());
        let mut record = self.0.record.clone();
        record.append(&other.0.record);
        Asset(Arc::new(Inner { cell, path, nodes, record, _reservation: None }))
    }

    /// The model. For a player, the model of its first node, the legs.
    pub fn model(&self) -> &Model<'_> {
        // An asset has at least one node.
        &self.scene().nodes[0].model
    }

    /// The scene: one node, or the nodes of a player, each attached to a tag of an earlier node. A node has
    /// the name of its file without the extension. There is at least one node.
    pub fn scene(&self) -> &Scene<'_> {
        self.0.cell.borrow_dependent()
    }

    /// The path of the file of a node; `None` if the node is out of range. For an Unreal mesh, the path of the file that was
    /// opened.
    pub fn node_path(&self, node: usize) -> Option<&AssetPath> {
        Some(&self.0.nodes.get(node)?.path)
    }

    /// The search path that the file of a node was opened from, for its textures; `None` if the node is out of range.
    pub fn node_assets(&self, node: usize) -> Option<&Assets> {
        Some(&self.0.nodes.get(node)?.assets)
    }

    /// The path that was opened: a file, or the folder of a player.
    pub fn path(&self) -> &AssetPath {
        &self.0.path
    }

    /// The folder of the model. Names inside the files are relative to it, or to the root.
    pub fn folder(&self) -> AssetPath {
        // An asset has at least one node.
        self.0.nodes[0].path.folder()
    }

    /// The search path that the asset was opened from. Use it to find other files of the model.
    pub fn assets(&self) -> &Assets {
        // An asset has at least one node.
        &self.0.nodes[0].assets
    }

    /// The findings about the files of the asset and how they fit together.
    /// [`Document::validate`](meshlens::CompleteDocument::validate) reports findings about the content of a model's file.
    pub fn findings(&self) -> &Report {
        &self.0.record.findings
    }

    /// The files that the asset was made from, in the order in which they were read.
    pub fn files(&self) -> &[AssetFile] {
        &self.0.record.files
    }

    /// The bytes that the models decode from, decrypted if the file is encrypted: the files of each node in order, then
    /// the coarser levels of detail of each node.
    pub fn bytes(&self) -> &[Bytes] {
        &self.0.cell.borrow_owner().bytes
    }

    /// The document of each node, parsed again; `None` for a node in memory. O(headers).
    ///
    /// # Errors
    ///
    /// Same as [`Document::parse`]. The files were parsed when the asset was opened.
    pub fn documents(&self) -> meshlens::Result<Vec<Option<Document<'_>>>> {
        let files = self.node_bytes().into_iter();
        let documents = files.map(|files| match files {
            [] => Ok(None),
            [geometry, frames] => Document::parse_pair(geometry, frames).map(Some),
            [file, ..] => Document::parse(file).map(Some),
        });
        documents.collect()
    }

    /// The bytes of the files of each node; none for a node in memory.
    pub(crate) fn node_bytes(&self) -> Vec<&[Bytes]> {
        if let Some([own, other]) = &self.0.cell.borrow_owner().joined {
            return [own.node_bytes(), other.node_bytes()].concat();
        }
        let mut bytes = self.bytes();
        let files = |node: &Node<'_>| {
            let is_pair = node.model.format == Some(Format::Unreal)
                && bytes.first().is_some_and(|first| Format::detect(first).is_none());
            let count = if is_pair { 2 } else { 1 };
            let (own, rest) = bytes.split_at(count.min(bytes.len()));
            bytes = rest;
            own
        };
        self.scene().nodes.iter().map(files).collect()
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
