//! One array of a document: what its elements mean, which part of the model they belong to, and where they lie.

use core::ops::Range;

use meshlens_wire::{Data, Result, Span, extent};

use crate::{AnyLens, ArrayFormat};

/// What the elements of an array are, whatever their encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Semantic {
    /// Where a vertex is.
    Position,
    /// Which way the surface faces at a vertex.
    Normal,
    /// A position and a normal, interleaved in one record.
    PositionNormal,
    /// The tangent frame of a vertex: tangent, bitangent and normal as one rotation.
    TangentFrame,
    /// The sign of the bitangent, stored apart from the tangent frame.
    BitangentSign,
    /// A place on a texture.
    Texcoord,
    /// The color of a vertex.
    Color,
    /// The joints that move a vertex.
    Joints,
    /// How much each joint moves a vertex.
    Weights,
    /// The three vertices of each triangle.
    Triangles,
    /// Vertices, three in a row for each triangle.
    Indices,
    /// Positions, three in a row for each triangle, if the format indexes positions apart from texture coordinates.
    PointIndices,
    /// The material of each triangle.
    Materials,
    /// How each triangle is drawn.
    TriangleType,
    /// Where a vertex of the geometry for shadow volumes is.
    ShadowPosition,
    /// Which way the geometry for shadow volumes faces at a vertex.
    ShadowNormal,
    /// The three vertices of each triangle of the geometry for shadow volumes.
    ShadowTriangles,
    /// The frame of each translation key of a bone.
    TranslationFrames,
    /// The translation at each translation key of a bone.
    Translations,
    /// The frame of each rotation key of a bone.
    RotationFrames,
    /// The rotation at each rotation key of a bone.
    Rotations,
    /// The frame of each scale key of a bone.
    ScaleFrames,
    /// The scale at each scale key of a bone.
    Scales,
}

impl Semantic {
    /// The name in reports: lower case, words joined by an underscore.
    pub const fn name(self) -> &'static str {
        match self {
            Semantic::Position => "positions",
            Semantic::Normal => "normals",
            Semantic::PositionNormal => "positions_normals",
            Semantic::TangentFrame => "tangent_frames",
            Semantic::BitangentSign => "bitangent_signs",
            Semantic::Texcoord => "texcoords",
            Semantic::Color => "colors",
            Semantic::Joints => "joints",
            Semantic::Weights => "weights",
            Semantic::Triangles => "triangles",
            Semantic::Indices => "indices",
            Semantic::PointIndices => "point_indices",
            Semantic::Materials => "materials",
            Semantic::TriangleType => "triangle_types",
            Semantic::ShadowPosition => "shadow_positions",
            Semantic::ShadowNormal => "shadow_normals",
            Semantic::ShadowTriangles => "shadow_triangles",
            Semantic::TranslationFrames => "translation_frames",
            Semantic::Translations => "translations",
            Semantic::RotationFrames => "rotation_frames",
            Semantic::Rotations => "rotations",
            Semantic::ScaleFrames => "scale_frames",
            Semantic::Scales => "scales",
        }
    }
}

impl core::fmt::Display for Semantic {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}

/// One array of a document. Documents list theirs with `arrays()`; what treats all arrays alike (a report, a benchmark, a
/// buffer upload) is a loop over that list and never asks for the format.
///
/// Documents make it by binding [`ArrayParts`], which say where an array lies, to the bytes of the file.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Array<'a> {
    /// What the elements are.
    pub semantic: Semantic,
    /// The index of the surface or mesh in the document.
    pub mesh: usize,
    /// The index among arrays of the same semantic and frame, such as the set of texture coordinates.
    pub set: usize,
    /// The frame or morph target. An array that holds for all frames has frame 0.
    pub frame: usize,
    /// The level of detail, 0 for the finest.
    pub lod: usize,
    /// The index of the bone that an array of animation keys moves; 0 for other arrays.
    pub bone: usize,
    /// The index of the file in which the array lies, for documents of several files; 0 for the others. Offsets are relative
    /// to that file.
    pub file: usize,
    /// Whether another array of the list covers the same bytes: the positions of records that are also listed as
    /// positions and normals.
    pub is_part: bool,
    /// The elements.
    pub lens: AnyLens<'a>,
}

/// Where one array of a document lies and how it is encoded: an [`Array`] without its bytes. The located parts of every
/// format list theirs with `arrays()`, before any byte of an array has been read.
///
/// To read one array without the rest of the file, fetch its [`byte_range`](Self::byte_range) and
/// [bind](Self::bind) it to a [part](Data::part) of the file:
///
/// ```
/// use meshlens_lens::{ArrayParts, Described, Semantic, encoding::Scaled};
/// use meshlens_wire::Data;
///
/// // Two records of 8 bytes, at offset 100 of a file of 1000 bytes; the positions are their first 6 bytes.
/// let table = Data::prefix("test", &[], 1000).span(100, 2, 8, "vertices")?;
/// let positions = ArrayParts::new(Semantic::Position, table, Scaled::<i16, 3, 64>::FORMAT).in_mesh(2).in_frame(7);
/// assert_eq!(positions.byte_range(), 100..114);
///
/// let fetched = [64, 0, 0, 0, 0xc0, 0xff, 0, 0, 32, 0, 16, 0, 8, 0];
/// let array = positions.bind(Data::part("test", &fetched, positions.byte_range().start, 1000))?;
/// assert_eq!((array.mesh, array.frame, array.set, array.lod), (2, 7, 0, 0));
/// assert_eq!(array.semantic.to_string(), "positions");
/// assert_eq!(array.lens.get(1), Some([0.5f32, 0.25, 0.125]));
/// # Ok::<(), meshlens_lens::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ArrayParts {
    /// What the elements are.
    pub semantic: Semantic,
    /// As [`Array::mesh`].
    pub mesh: usize,
    /// As [`Array::set`].
    pub set: usize,
    /// As [`Array::frame`].
    pub frame: usize,
    /// As [`Array::lod`].
    pub lod: usize,
    /// As [`Array::bone`].
    pub bone: usize,
    /// As [`Array::file`].
    pub file: usize,
    /// As [`Array::is_part`].
    pub is_part: bool,
    /// The records that hold the elements.
    pub span: Span,
    /// The offset of an element in its record, in bytes.
    pub skip: u32,
    /// How elements are stored.
    pub format: &'static ArrayFormat,
}

impl ArrayParts {
    /// An array of the first mesh, set, frame, level of detail and file, whose elements are at the start of the records of
    /// `span`.
    pub const fn new(semantic: Semantic, span: Span, format: &'static ArrayFormat) -> Self {
        ArrayParts {
            semantic,
            mesh: 0,
            set: 0,
            frame: 0,
            lod: 0,
            bone: 0,
            file: 0,
            is_part: false,
            span,
            skip: 0,
            format,
        }
    }

    /// The same array as one of the mesh with index `mesh`.
    #[must_use]
    pub const fn in_mesh(self, mesh: usize) -> Self {
        ArrayParts { mesh, ..self }
    }

    /// The same array as the one with index `set`.
    #[must_use]
    pub const fn in_set(self, set: usize) -> Self {
        ArrayParts { set, ..self }
    }

    /// The same array as one of the frame with index `frame`.
    #[must_use]
    pub const fn in_frame(self, frame: usize) -> Self {
        ArrayParts { frame, ..self }
    }

    /// The same array as one of the level of detail with index `lod`.
    #[must_use]
    pub const fn in_lod(self, lod: usize) -> Self {
        ArrayParts { lod, ..self }
    }

    /// The same array as one of the bone with index `bone`.
    #[must_use]
    pub const fn of_bone(self, bone: usize) -> Self {
        ArrayParts { bone, ..self }
    }

    /// The same array as one of the file with index `file`.
    #[must_use]
    pub const fn in_file(self, file: usize) -> Self {
        ArrayParts { file, ..self }
    }

    /// The same array with its elements `skip` bytes into their records.
    #[must_use]
    pub const fn skipping(self, skip: u32) -> Self {
        ArrayParts { skip, ..self }
    }

    /// The same array, marked as covered by another one of the list.
    #[must_use]
    pub const fn as_part(self) -> Self {
        ArrayParts { is_part: true, ..self }
    }

    /// The number of elements. O(1).
    pub const fn len(&self) -> usize {
        self.span.len()
    }

    /// Whether there are no elements.
    pub const fn is_empty(&self) -> bool {
        self.span.is_empty()
    }

    /// The absolute byte range from the first byte of the first element to the last byte of the last one: what has to be
    /// fetched to [bind](Self::bind) the array.
    pub const fn byte_range(&self) -> Range<u64> {
        let start = self.span.offset().saturating_add(self.skip as u64);
        match extent(self.span.count(), self.span.stride() as u64, self.format.size() as u64) {
            // The elements lie inside the span, or binding fails.
            Some(size) if size > 0 => start..start.saturating_add(size),
            _ => start..start,
        }
    }

    /// The array over the bytes of its file, or of the [part](Data::part) of it that holds its
    /// [`byte_range`](Self::byte_range). O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Incomplete`](crate::ErrorKind::Incomplete) or [`BeforeStart`](crate::ErrorKind::BeforeStart) if bytes
    /// of the array are missing; [`OutOfBounds`](crate::ErrorKind::OutOfBounds) if the parts are of a longer file.
    pub fn bind<'a>(&self, data: Data<'a>) -> Result<Array<'a>> {
        let ArrayParts { semantic, mesh, set, frame, lod, bone, file, is_part, span, skip, format } = *self;
        let lens = AnyLens::bind(data, span, skip as usize, format)?;
        Ok(Array { semantic, mesh, set, frame, lod, bone, file, is_part, lens })
    }
}
