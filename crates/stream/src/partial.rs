//! Partially loaded models.

use std::collections::BTreeMap;

use bytes::Bytes;
use meshlens::lens::Bounds;
use meshlens::part::{FileRange, Part};
use meshlens::wire::ErrorKind;
use meshlens::{Document, Model, Partial};

use crate::pieces::{Discard, FilePieces, as_pieces, missing};
use crate::sync::Arc;
use crate::{Few, Plan};

/// A partially loaded model: a plan, and bytes of the files. It owns both, so it can be stored in a struct, sent to
/// another thread and dropped anywhere. Clones share the bytes.
///
/// Loaded parts can be used as in a complete model: [`document`](Self::document) borrows the bytes, and its lenses
/// refer to them.
///
/// ```
/// use meshlens_stream::{Part, PartialModel, Plan};
///
/// # let bytes = meshlens::md3::write::sample(&[0.0, 8.0])?;
/// # let read = |range: std::ops::Range<u64>| bytes[range.start as usize..range.end as usize].to_vec();
/// struct Entity {
///     model: PartialModel,
/// }
///
/// let mut entity = Entity { model: PartialModel::new(Plan::of(&[&bytes])?) };
/// let wanted = Part::Frame { mesh: 0, frame: 1 };
/// for range in entity.model.missing(wanted) {
///     entity.model.insert(range.file, range.start, read(range.range()));
/// }
/// assert!(entity.model.has(wanted) && !entity.model.has(Part::Texcoords { mesh: 0 }));
///
/// let mesh = entity.model.document()?.into_mesh(0)?.ok_or("no mesh")?;
/// assert_eq!(mesh.positions(1)?.get(2), Some([0.0, 0.0, 8.0]));
/// assert!(mesh.positions(0).is_err(), "frame 0 is not there");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PartialModel {
    plan: Plan,
    files: Few<FilePieces>,
    /// Frees the bytes, if a streamer has loaded them in parts: their memory belongs to its threads, and freeing it waits for them.
    freed_by: Option<Arc<dyn Discard>>,
}

impl Drop for PartialModel {
    fn drop(&mut self) {
        if let Some(streamer) = self.freed_by.take() {
            streamer.discard(std::mem::take(&mut self.files));
        }
    }
}

impl PartialModel {
    /// Makes a model without any bytes.
    pub fn new(plan: Plan) -> Self {
        let files = plan.file_lens().iter().map(|len| FilePieces::new(*len)).collect();
        PartialModel { plan, files, freed_by: None }
    }

    /// Makes a model with some bytes of each file, in the order of the plan. A file that is missing, or whose length
    /// differs from the plan, counts as empty.
    pub fn with_files(plan: Plan, files: Vec<FilePieces>) -> Self {
        PartialModel::of_pieces(plan, files.into())
    }

    /// Like [`with_files`](Self::with_files).
    pub(crate) fn of_pieces(plan: Plan, files: Few<FilePieces>) -> Self {
        if plan.file_lens().iter().copied().eq(files.iter().map(FilePieces::file_len)) {
            return PartialModel { plan, files, freed_by: None };
        }
        let mut model = PartialModel::new(plan);
        for (to, from) in model.files.iter_mut().zip(files) {
            if to.file_len() == from.file_len() {
                *to = from;
            }
        }
        model
    }

    /// The same model, whose bytes this streamer frees.
    pub(crate) fn freed_by(mut self, streamer: Arc<dyn Discard>) -> Self {
        self.freed_by = Some(streamer);
        self
    }

    /// The plan.
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The loaded bytes of each file.
    pub fn files(&self) -> &[FilePieces] {
        &self.files
    }

    /// Adds bytes of a file that start at absolute `offset`, like [`FilePieces::insert`]. Does nothing if the model
    /// does not have the file.
    pub fn insert(&mut self, file: usize, offset: u64, bytes: impl Into<Bytes>) {
        if let Some(pieces) = self.files.get_mut(file) {
            pieces.insert(offset, bytes);
        }
    }

    /// Adds the loaded bytes of another copy of the same model. Bytes are shared without a copy, unless they are
    /// adjacent to bytes that are already loaded.
    pub fn merge(&mut self, other: &PartialModel) {
        for (to, from) in self.files.iter_mut().zip(&other.files) {
            if to.file_len() == from.file_len() {
                to.merge(from);
            }
        }
    }

    /// The number of loaded bytes.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(FilePieces::len).sum()
    }

    /// Whether all bytes of a part are loaded. False if the model does not have the part.
    pub fn has(&self, part: Part) -> bool {
        let has = |range: &FileRange| self.files.get(range.file).is_some_and(|file| file.has(range.range()));
        self.plan.part(part).is_some_and(|part| part.ranges().iter().all(has))
    }

    /// The ranges of a part that are not loaded. Empty if the model does not have the part.
    pub fn missing(&self, part: Part) -> Vec<FileRange> {
        let Some(part) = self.plan.part(part) else { return Vec::new() };
        missing(&self.files, part.ranges()).collect()
    }

    /// Drops all bytes that none of these parts needs.
    pub fn keep(&mut self, parts: &[Part]) {
        let kept: Vec<FileRange> = parts
            .iter()
            .filter_map(|part| self.plan.part(*part))
            .flat_map(|part| part.ranges().to_vec())
            .collect();
        for (index, file) in self.files.iter_mut().enumerate() {
            let ranges: Vec<_> =
                kept.iter().filter(|range| range.file == index).map(FileRange::range).collect();
            file.keep(&ranges);
        }
    }

    /// The model's document over the loaded bytes. Getters of bytes that are not loaded return
    /// [`Incomplete`](ErrorKind::Incomplete). O(1), or O(surfaces).
    ///
    /// # Errors
    ///
    /// Never fails, because the files have the lengths for which the plan was made.
    pub fn document(&self) -> meshlens::Result<Document<'_, Partial>> {
        self.plan.located().bind_pieces(&as_pieces(&self.files))
    }

    /// Makes the model, once [`Part::Model`] of a level of detail or the whole file is loaded. Meshes of other levels may be
    /// missing: their getters then return [`Incomplete`](ErrorKind::Incomplete).
    ///
    /// # Errors
    ///
    /// [`Incomplete`](ErrorKind::Incomplete) if bytes are missing in every level, and the errors of [`Model::new`].
    pub fn model(&self) -> meshlens::Result<Model<'_>> {
        Model::new(self.drawable_document()?)
    }

    /// The [document](Self::document), once everything that a model needs is loaded.
    pub(crate) fn drawable_document(&self) -> meshlens::Result<Document<'_, Partial>> {
        // Only the levels of meshes: their numbers are fields of the file, and as large as it says.
        let (parts, mut missing) = (self.plan.located(), BTreeMap::new());
        for (mesh, part) in self.plan.parts().filter_map(|part| Some((part.mesh()?, part))) {
            *missing.entry(parts.lod(mesh as usize)).or_insert(0) += usize::from(!self.has(part));
        }
        let lod = missing.iter().min_by_key(|(_, missing)| **missing).map_or(0, |(lod, _)| *lod);
        match self.missing(Part::Model { lod: lod as u32 }).first() {
            None => self.document(),
            Some(missing) => {
                let kind = ErrorKind::Incomplete { needed: missing.end, available: missing.start };
                Err(meshlens::Error::new(self.plan.format().name(), missing.start, kind))
            }
        }
    }

    /// The bounding box of the model in frame 0: the stored box, or otherwise the bounding box of the positions of
    /// [`Part::Bounds`]. `None` if the model has no vertices. O(1) if the box is stored, otherwise O(vertices).
    ///
    /// # Errors
    ///
    /// [`Incomplete`](ErrorKind::Incomplete) if neither is loaded.
    pub fn bounds(&self) -> meshlens::Result<Option<Bounds>> {
        self.document()?.bounds()
    }
}

debug_fields!(self, PartialModel { format: self.plan.format(), files: self.files });
