//! The parts of a model that can be loaded separately: their locations, their decoded sizes and their dependencies.
//!
//! [`Parts::locate_pieces`](crate::Parts::locate_pieces) finds them from the bytes between the arrays of a file.
//! [`Parts::part`](crate::Parts::part) describes each of them before any of its bytes has been read.
//!
//! ```
//! use meshlens::Parts;
//! use meshlens::part::Part;
//!
//! # let bytes = meshlens::md3::write::sample(&[0.0, 8.0])?;
//! let parts = Parts::locate(&bytes, bytes.len() as u64)?;
//! let frame = parts.part(Part::Frame { mesh: 0, frame: 1 }).ok_or("no such part")?;
//! // Three vertices of 8 bytes, each of which becomes a position and a normal.
//! assert_eq!((frame.stored_size(), frame.decoded_size()), (24, 72));
//! assert_eq!(frame.part().to_string(), "frame 1 of mesh 0");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use meshlens_lens::Bounds;
use meshlens_wire::Span;

/// A part of a model that can be loaded separately. Mesh indices are the indices of
/// [`Model::meshes`](crate::Model::meshes).
///
/// A file has only the parts for which it has content. [`Mesh`](Self::Mesh), [`Lod`](Self::Lod), [`Model`](Self::Model)
/// and [`Whole`](Self::Whole) are combinations of other parts. A combination that exists may have no bytes: the mesh of a
/// surface without vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Part {
    /// The headers: of the file, and of its fixed parts (surfaces of MD3). In UNIGINE, everything before the first
    /// table.
    Header,
    /// The bounding volume, if the file stores one (MD3: of frame 0; UNIGINE). In other formats, the positions of frame
    /// 0, from which it is computed; in Ultimate 3D, only the positions of the coarsest level of detail.
    Bounds,
    /// The names of meshes and frames; in MD3 also the bounding volumes of all frames.
    Names,
    /// Materials and the paths of textures.
    Materials,
    /// The joints: names, parents and the pose at rest. In Ultimate 3D, without their keys.
    Skeleton,
    /// The tags in every frame (MD3).
    Tags,
    /// The triangles of a mesh, and the materials of the triangles.
    Indices {
        /// The index of the mesh.
        mesh: u32,
    },
    /// All texture coordinates of a mesh.
    Texcoords {
        /// The index of the mesh.
        mesh: u32,
    },
    /// The colors of a mesh.
    Colors {
        /// The index of the mesh.
        mesh: u32,
    },
    /// The joints and weights of a mesh.
    Weights {
        /// The index of the mesh.
        mesh: u32,
    },
    /// Positions, normals and tangents of a mesh in one frame or morph target. UNIGINE meshes with several morph targets load
    /// them together.
    Frame {
        /// The index of the mesh.
        mesh: u32,
        /// The index of the frame.
        frame: u32,
    },
    /// All frames of an animation of joints.
    Clip {
        /// The index of the animation.
        clip: u32,
    },
    /// The data of a vertex buffer and an index buffer of a mesh in one frame: indices, texture coordinates, colors,
    /// weights and the frame.
    Mesh {
        /// The index of the mesh.
        mesh: u32,
        /// The index of the frame.
        frame: u32,
    },
    /// Every mesh of a level of detail in frame 0. Level 0 is the finest.
    Lod {
        /// The level of detail.
        lod: u32,
    },
    /// Everything that a [`Model`](crate::Model) needs to be drawn and moved at a level of detail: all parts except the
    /// meshes of other levels. Level 0 is the finest. A model with fewer levels uses its coarsest one.
    Model {
        /// The level of detail.
        lod: u32,
    },
    /// All bytes of all files: [`PartInfo::of_files`]. [`Parts::part`](crate::Parts::part) does not know the lengths of
    /// the files, so it returns `None` for this part.
    Whole,
}

impl Part {
    /// The kind of the part in one word, in lower case.
    pub const fn kind(self) -> &'static str {
        match self {
            Part::Header => "header",
            Part::Bounds => "bounds",
            Part::Names => "names",
            Part::Materials => "materials",
            Part::Skeleton => "skeleton",
            Part::Tags => "tags",
            Part::Indices { .. } => "indices",
            Part::Texcoords { .. } => "texcoords",
            Part::Colors { .. } => "colors",
            Part::Weights { .. } => "weights",
            Part::Frame { .. } => "frame",
            Part::Clip { .. } => "clip",
            Part::Mesh { .. } => "mesh",
            Part::Lod { .. } => "lod",
            Part::Model { .. } => "model",
            Part::Whole => "whole",
        }
    }

    /// The mesh that the part belongs to; `None` if it belongs to no single mesh.
    pub const fn mesh(self) -> Option<u32> {
        match self {
            Part::Indices { mesh }
            | Part::Texcoords { mesh }
            | Part::Colors { mesh }
            | Part::Weights { mesh }
            | Part::Frame { mesh, .. }
            | Part::Mesh { mesh, .. } => Some(mesh),
            _ => None,
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Texcoords { mesh } => write!(f, "texture coordinates of mesh {mesh}"),
            Part::Frame { mesh, frame } => write!(f, "frame {frame} of mesh {mesh}"),
            Part::Clip { clip } => write!(f, "clip {clip}"),
            Part::Mesh { mesh, frame } => write!(f, "mesh {mesh} in frame {frame}"),
            Part::Lod { lod } => write!(f, "level of detail {lod}"),
            Part::Model { lod } => write!(f, "model at level of detail {lod}"),
            Part::Whole => f.pad("all bytes"),
            part => match part.mesh() {
                Some(mesh) => write!(f, "{} of mesh {mesh}", part.kind()),
                None => f.pad(part.kind()),
            },
        }
    }
}

/// The properties of a model that are known before its parts are located, from the front of its file.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Front {
    /// The bounding box of the model in frame 0, if it is stored and its bytes are loaded.
    pub bounds: Option<Bounds>,
    /// The format.
    pub format: Option<crate::Format>,
}

/// A range of one of the files of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileRange {
    /// The index of the file: 0, or 1 for the frames file of an Unreal mesh.
    pub file: usize,
    /// The absolute offset of the first byte.
    pub start: u64,
    /// The absolute offset after the last byte.
    pub end: u64,
}

impl FileRange {
    /// A range of bytes of a file.
    pub const fn new(file: usize, range: Range<u64>) -> Self {
        FileRange { file, start: range.start, end: range.end }
    }

    /// The absolute byte range in the file.
    pub const fn range(&self) -> Range<u64> {
        self.start..self.end
    }

    /// The number of bytes.
    pub const fn len(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Whether there are no bytes.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The location of a part, its decoded size, and the other parts that it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartInfo {
    part: Part,
    ranges: Vec<FileRange>,
    decoded_size: u64,
    needs: Vec<Part>,
}

impl PartInfo {
    /// A part without content.
    pub(crate) const fn new(part: Part) -> Self {
        PartInfo { part, ranges: Vec::new(), decoded_size: 0, needs: Vec::new() }
    }

    /// The information about [`Part::Whole`] for files of these lengths.
    pub fn of_files(lens: &[u64]) -> Self {
        let whole = PartInfo::new(Part::Whole);
        lens.iter().enumerate().fold(whole, |whole, (file, len)| whole.with(file, 0..*len, *len))
    }
}

#[allow(dead_code, reason = "no format uses all of them")]
impl PartInfo {
    /// The decoded sizes in bytes of a bounding box and of a vector.
    pub(crate) const BOUNDS: u64 = size_of::<[[f32; 3]; 2]>() as u64;
    pub(crate) const VECTOR: u64 = size_of::<[f32; 3]>() as u64;

    /// Adds the bytes of a range that decode to `decoded_size` bytes.
    #[must_use]
    pub(crate) fn with(mut self, file: usize, range: Range<u64>, decoded_size: u64) -> Self {
        if !range.is_empty() {
            self.ranges.push(FileRange::new(file, range));
        }
        self.decoded_size = self.decoded_size.saturating_add(decoded_size);
        self
    }

    /// Adds the bytes of a table of the only file, whose elements decode to `element` bytes each.
    #[must_use]
    pub(crate) fn with_table(self, table: Span, element: u64) -> Self {
        self.with(0, table.byte_range(), table.count().saturating_mul(element))
    }

    /// Adds the bytes of a span of the only file, which are not decoded.
    #[must_use]
    pub(crate) fn with_bytes(self, span: Span) -> Self {
        self.with(0, span.byte_range(), span.size())
    }

    /// Adds another part that must be loaded too.
    #[must_use]
    pub(crate) fn needing(mut self, part: Part) -> Self {
        self.needs.push(part);
        self
    }

    /// Adds everything of another part.
    #[must_use]
    pub(crate) fn and(mut self, other: PartInfo) -> Self {
        if other.ranges.is_empty() {
            return self;
        }
        self.ranges.extend(other.ranges);
        self.decoded_size = self.decoded_size.saturating_add(other.decoded_size);
        self.needs.extend(other.needs);
        self
    }
}

impl PartInfo {
    /// Removes needed parts that do not exist.
    pub(crate) fn retain_needs(&mut self, exists: impl Fn(Part) -> bool) {
        self.needs.retain(|part| exists(*part));
    }

    /// Sorts the ranges and joins adjacent ones; `None` if there are no bytes.
    pub(crate) fn finish(self) -> Option<Self> {
        Some(self.sorted()).filter(|info| !info.ranges.is_empty())
    }

    /// Sorts the ranges and joins adjacent ones.
    pub(crate) fn sorted(mut self) -> Self {
        self.ranges.sort_unstable();
        self.ranges.dedup_by(|next, range| {
            let is_joined = range.file == next.file && next.start <= range.end;
            if is_joined {
                range.end = range.end.max(next.end);
            }
            is_joined
        });
        self.needs.sort_unstable();
        self.needs.dedup();
        self
    }

    /// The part.
    pub const fn part(&self) -> Part {
        self.part
    }

    /// The byte ranges of the part, sorted by file and offset. No two of them overlap or touch.
    pub fn ranges(&self) -> &[FileRange] {
        &self.ranges
    }

    /// The number of bytes of the part in its files.
    pub fn stored_size(&self) -> u64 {
        self.ranges.iter().fold(0, |sum, range| sum.saturating_add(range.len()))
    }

    /// The number of bytes of all decoded values of the part: floats of 4 bytes for positions, normals, texture
    /// coordinates and matrices, integers of 4 bytes or less for indices; text and headers as stored. For packed
    /// geometry (UNIGINE ms14), the number of bytes after unpacking.
    pub const fn decoded_size(&self) -> u64 {
        self.decoded_size
    }

    /// The other parts that this part depends on. Weights and clips depend on the skeleton.
    pub fn needs(&self) -> &[Part] {
        &self.needs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn ranges_are_joined() {
        let info = PartInfo::new(Part::Names).with(1, 0..4, 4).with(0, 8..12, 1).with(0, 0..4, 1);
        let info = info.with(0, 4..8, 1).with(0, 20..20, 1).with(0, 2..6, 1).finish().unwrap();
        assert_eq!(info.ranges(), [FileRange::new(0, 0..12), FileRange::new(1, 0..4)]);
        assert_eq!((info.stored_size(), info.decoded_size()), (16, 9));
        assert_eq!(PartInfo::new(Part::Tags).with(0, 5..5, 3).finish(), None);
    }

    #[test]
    fn parts_have_names() {
        assert_eq!(Part::Indices { mesh: 3 }.to_string(), "indices of mesh 3");
        assert_eq!(Part::Mesh { mesh: 0, frame: 2 }.to_string(), "mesh 0 in frame 2");
        assert_eq!((Part::Lod { lod: 1 }.kind(), Part::Lod { lod: 1 }.mesh()), ("lod", None));
    }
}
