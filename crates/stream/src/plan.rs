//! Plans: the parts of a model and their locations.

use std::fmt;
use std::sync::Arc;

use meshlens::part::{Part, PartInfo};
use meshlens::wire::{PieceList, Pieces};
use meshlens::{Format, Parts};

use crate::Few;
use crate::pieces::as_pieces;

/// The location, the sizes and the dependencies of every part of a model.
///
/// A plan is a few numbers for each mesh, bone and material; it contains no bytes of the files. Clones share it.
///
/// ```
/// use meshlens_stream::{Part, Plan};
///
/// # let bytes = meshlens::md3::write::sample(&[0.0, 8.0])?;
/// let plan = Plan::of(&[&bytes])?;
/// for part in plan.parts() {
///     let part = plan.part(part).ok_or("no such part")?;
///     println!("{}: {} bytes in {} ranges", part.part(), part.stored_size(), part.ranges().len());
/// }
/// assert!(plan.part(Part::Bounds).is_some() && plan.part(Part::Skeleton).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Plan(Arc<Inner>);

struct Inner {
    parts: Parts,
    /// The length of each file.
    lens: Few<u64>,
}

impl Plan {
    pub(crate) fn new(parts: Parts, lens: Few<u64>) -> Self {
        Plan(Arc::new(Inner { parts, lens }))
    }

    /// Makes the plan of a model whose files are in memory: one file, or the two files of an Unreal mesh, geometry
    /// first.
    ///
    /// # Errors
    ///
    /// The bytes have no known format, or the parser fails.
    pub fn of(files: &[&[u8]]) -> meshlens::Result<Self> {
        let lens = files.iter().map(|bytes| bytes.len() as u64).collect();
        Ok(Plan::new(Parts::locate_pieces(&as_pieces(&whole_files(files)))?, lens))
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.0.parts.format()
    }

    /// The version of the format, as given by [`Document::version`](meshlens::FormatDocument::version).
    pub fn version(&self) -> String {
        let lists: Vec<PieceList<'_>> = self.0.lens.iter().map(|len| PieceList::empty(*len)).collect();
        // The files are as long as when the parts were located.
        self.0.parts.bind_pieces(&as_pieces(&lists)).map(|document| document.version()).unwrap_or_default()
    }

    /// The located parts, as the parser returned them.
    pub fn located(&self) -> &Parts {
        &self.0.parts
    }

    /// The length of each file in bytes.
    pub fn file_lens(&self) -> &[u64] {
        &self.0.lens
    }

    /// The number of meshes in all levels of detail.
    pub fn mesh_count(&self) -> usize {
        self.0.parts.mesh_count()
    }

    /// The number of levels of detail. O(meshes).
    pub fn lod_count(&self) -> usize {
        self.0.parts.lod_count()
    }

    /// The parts that are not combinations of others, in the order in which they are usually loaded.
    pub fn parts(&self) -> impl Iterator<Item = Part> + '_ {
        self.0.parts.parts()
    }

    /// Information about a part; `None` if the model does not have it. O(1) in most formats, and O(meshes) for
    /// combinations of parts.
    pub fn part(&self, part: Part) -> Option<PartInfo> {
        match part {
            Part::Whole => Some(PartInfo::of_files(&self.0.lens)),
            part => self.0.parts.part(part),
        }
    }
}

impl PartialEq for Plan {
    /// Whether both plans describe the same layout.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || self.0.lens == other.0.lens
                && self.format() == other.format()
                && self.parts().map(|part| self.part(part)).eq(other.parts().map(|part| other.part(part)))
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan").field("parts", &self.0.parts).field("file_lens", &self.0.lens).finish()
    }
}

/// A file with all its bytes.
#[derive(Debug)]
pub(crate) struct WholeFile<'a>(&'a [u8]);

pub(crate) fn whole_files<'a>(files: &[&'a [u8]]) -> Vec<WholeFile<'a>> {
    files.iter().map(|bytes| WholeFile(bytes)).collect()
}

impl Pieces for WholeFile<'_> {
    fn file_len(&self) -> u64 {
        self.0.len() as u64
    }

    fn piece_before(&self, _offset: u64) -> Option<meshlens::wire::Piece<'_>> {
        Some(meshlens::wire::Piece { offset: 0, bytes: self.0 })
    }
}
