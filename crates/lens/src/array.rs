//! One array of a document: the meaning of its elements, the part of the model that it belongs to, and its location in
//! the file.

use core::ops::Range;

use meshlens_wire::{Data, Presence, Result, Span, extent};

use crate::{AnyLens, ArrayFormat};

/// The meaning of the elements of an array, independent of their encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Semantic {
    /// The positions of vertices.
    Position,
    /// The normals of vertices.
    Normal,
    /// Positions and normals, interleaved in one record.
    PositionNormal,
    /// The tangent frames of vertices: tangent, bitangent and normal as one rotation.
    TangentFrame,
    /// The tangents of vertices, along the S axis of the texture, and the signs of bitangents: four components.
    Tangent,
    /// The signs of bitangents, stored apart from the tangent frames.
    BitangentSign,
    /// Texture coordinates.
    Texcoord,
    /// The colors of vertices.
    Color,
    /// The indices of the joints that move each vertex.
    Joints,
    /// The weight of each joint of a vertex.
    Weights,
    /// Triangles: three vertex indices each.
    Triangles,
    /// Vertex indices, three for each triangle.
    Indices,
    /// Position indices, three for each triangle, in formats that index positions and texture coordinates separately.
    PointIndices,
    /// The material index of each triangle.
    Materials,
    /// The rendering type of each triangle.
    TriangleType,
    /// The vertex positions of the shadow volume geometry.
    ShadowPosition,
    /// The vertex normals of the shadow volume geometry.
    ShadowNormal,
    /// The triangles of the shadow volume geometry: three vertex indices each.
    ShadowTriangles,
    /// The frame numbers of a bone's translation keys.
    TranslationFrames,
    /// The translations of a bone's translation keys.
    Translations,
    /// The frame numbers of a bone's rotation keys.
    RotationFrames,
    /// The rotations of a bone's rotation keys.
    Rotations,
    /// The frame numbers of a bone's scale keys.
    ScaleFrames,
    /// The scales of a bone's scale keys.
    Scales,
}

/// One array of a document, with its bytes.
///
/// Every document lists its arrays with `arrays()`. Code that treats all arrays in the same way (a report, a benchmark,
/// a buffer upload) is a loop over that list, and does not depend on the file format. A document makes each array by
/// binding its [`ArrayParts`] to the bytes of the file.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Array<'a> {
    /// The meaning of the elements.
    pub semantic: Semantic,
    /// The index of the surface or mesh in the document.
    pub mesh: usize,
    /// The index among arrays of the same semantic and frame, such as the set of texture coordinates.
    pub set: usize,
    /// The frame or morph target. An array that is the same in all frames has frame 0.
    pub frame: usize,
    /// The level of detail, 0 for the finest.
    pub lod: usize,
    /// The index of the bone to which the animation keys in the array belong; 0 for other arrays.
    pub bone: usize,
    /// The index of the file that contains the array, for documents of several files; otherwise 0. Offsets are relative
    /// to that file.
    pub file: usize,
    /// Whether another array of the list covers the same bytes. Example: positions in records that are also listed as
    /// positions and normals.
    pub is_part: bool,
    /// The elements.
    pub lens: AnyLens<'a>,
}

/// The location and the encoding of one array: an [`Array`] without its bytes.
///
/// The located parts of every format list their arrays with `arrays()` before any array has been read. To read one
/// array without the rest of the file, fetch its [`byte_range`](Self::byte_range) and [bind](Self::bind) it to a
/// [part](Data::part) of the file:
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
    /// The meaning of the elements.
    pub semantic: Semantic,
    /// See [`Array::mesh`].
    pub mesh: usize,
    /// See [`Array::set`].
    pub set: usize,
    /// See [`Array::frame`].
    pub frame: usize,
    /// See [`Array::lod`].
    pub lod: usize,
    /// See [`Array::bone`].
    pub bone: usize,
    /// See [`Array::file`].
    pub file: usize,
    /// See [`Array::is_part`].
    pub is_part: bool,
    /// The records that contain the elements.
    pub span: Span,
    /// The offset of an element in its record, in bytes.
    pub skip: u32,
    /// How elements are stored.
    pub format: &'static ArrayFormat,
}

/// Methods of [`ArrayParts`] that set one field.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $field:ident, $value:ty;)*) => {
        impl ArrayParts {
            $(
                $(#[$doc])*
                #[must_use]
                pub const fn $name(self, $field: $value) -> Self {
                    ArrayParts { $field, ..self }
                }
            )*
        }
    };
}

setters! {
    /// Sets the index of the mesh.
    in_mesh: mesh, usize;
    /// Sets the index of the set.
    in_set: set, usize;
    /// Sets the index of the frame.
    in_frame: frame, usize;
    /// Sets the level of detail.
    in_lod: lod, usize;
    /// Sets the index of the bone.
    of_bone: bone, usize;
    /// Sets the index of the file.
    in_file: file, usize;
    /// Sets the offset of an element in its record, in bytes.
    skipping: skip, u32;
}

impl ArrayParts {
    /// An array whose elements are at the start of the records of `span`. Mesh, set, frame, level of detail, bone and
    /// file are 0.
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

    /// Marks the array as covered by another array of the list.
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

    /// The absolute byte range from the first byte of the first element to the last byte of the last one: the bytes
    /// that [`bind`](Self::bind) needs.
    pub const fn byte_range(&self) -> Range<u64> {
        let start = self.span.offset().saturating_add(self.skip as u64);
        match extent(self.span.count(), self.span.stride() as u64, self.format.size() as u64) {
            // If the elements are not inside the span, binding fails.
            Some(size) if size > 0 => start..start.saturating_add(size),
            _ => start..start,
        }
    }

    /// Binds the array to the bytes of its file, or to a [part](Data::part) of the file that contains its
    /// [`byte_range`](Self::byte_range). O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Incomplete`](crate::ErrorKind::Incomplete) or [`BeforeStart`](crate::ErrorKind::BeforeStart) if
    /// bytes of the array are missing; [`OutOfBounds`](crate::ErrorKind::OutOfBounds) if the array was located in a
    /// longer file.
    pub fn bind<'a>(&self, data: Data<'a>) -> Result<Array<'a>> {
        let ArrayParts { semantic, mesh, set, frame, lod, bone, file, is_part, span, skip, format } = *self;
        let lens = AnyLens::bind(data, span, skip as usize, format)?;
        Ok(Array { semantic, mesh, set, frame, lod, bone, file, is_part, lens })
    }

    /// Like [`bind`](Self::bind), for a getter of a document that is [`Complete`](crate::Complete) or
    /// [`Partial`](crate::Partial): in a complete document, the array has already been checked.
    pub fn bind_in<'a, P: Presence>(&self, data: Data<'a>) -> P::Of<Array<'a>> {
        P::read(self.bind(data), || self.empty())
    }

    /// The array without its elements.
    pub const fn empty<'a>(&self) -> Array<'a> {
        let ArrayParts { semantic, mesh, set, frame, lod, bone, file, is_part, format, .. } = *self;
        let lens = AnyLens::empty(format);
        Array { semantic, mesh, set, frame, lod, bone, file, is_part, lens }
    }
}
