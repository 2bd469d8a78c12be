//! One animated triangle mesh of a model, and the lenses onto its arrays.

use core::marker::PhantomData;

use crate::encoding::{F32, I32, Md3Normal, Md3NormalInverse, Md3Position, Md3Vertex, U32};
use meshlens_lens::{Bounds, Encoding, IndexBufferLayout, Lens, lerp_directions_into, lerp_into};
use meshlens_wire::{Complete, Data, Name, Place, Presence, Record, Result, Span};

use crate::layout;
use crate::locate::SurfaceParts;

/// The offset of the normal in a vertex.
pub(crate) const NORMAL_OFFSET: usize = 6;

/// One animated triangle mesh (MD3: Surface). Vertices move from frame to frame; triangles, texture coordinates and
/// shaders are the same in every frame.
///
/// In a model of [pieces](crate::Md3::bind_pieces), every method that reads bytes returns a `Result`, and the errors include
/// [`ErrorKind::Incomplete`](meshlens_wire::ErrorKind::Incomplete).
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a, P: Presence = Complete> {
    data: Data<'a>,
    parts: SurfaceParts,
    index: usize,
    presence: PhantomData<P>,
}

impl Surface<'_> {
    /// The bounding box of the vertices of one frame, or `None` if there are no vertices or the frame is out of range.
    /// O(vertices).
    pub fn compute_bounds(&self, frame: usize) -> Option<Bounds> {
        // `None` for a frame that is out of range.
        Bounds::around(self.positions(frame).ok()?)
    }
}

impl<'a, P: Presence> Surface<'a, P> {
    pub(crate) const fn new(data: Data<'a>, parts: SurfaceParts, index: usize) -> Self {
        Surface { data, parts, index, presence: PhantomData }
    }

    fn placed<T>(&self, value: P::Of<T>) -> P::Of<T> {
        P::map_err(value, |error| error.at(self.place()))
    }

    pub(crate) const fn data(&self) -> Data<'a> {
        self.data
    }

    /// The location of the parts.
    pub const fn parts(&self) -> &SurfaceParts {
        &self.parts
    }

    /// The index of the surface in the model.
    pub const fn index(&self) -> usize {
        self.index
    }

    /// The absolute offset of the surface header.
    pub const fn offset(&self) -> u64 {
        self.parts.offset()
    }

    /// The surface's name, which `.skin` files use to refer to it.
    pub fn name(&self) -> P::Of<Name<'a>> {
        // It follows the identifier.
        let name = self.data.take(self.parts.offset().saturating_add(4), 64, "name");
        self.placed(P::read(name.map(Name::new), Name::default))
    }

    pub(crate) fn header(&self) -> Result<layout::Surface> {
        self.data.record(self.parts.offset(), "surface header")
    }

    /// The surface's flags. Their meaning is not documented, and engines ignore them.
    pub fn flags(&self) -> P::Of<i32> {
        self.placed(P::read(self.header().map(|header| header.flags), i32::default))
    }

    /// The number of frames. In a valid file it equals the model's number of frames. A stored 0 stands for that number.
    pub const fn frame_count(&self) -> usize {
        self.parts.frame_count()
    }

    /// The number of vertices in each frame.
    pub const fn vertex_count(&self) -> usize {
        self.parts.vertices_per_frame()
    }

    /// The number of triangles.
    pub const fn triangle_count(&self) -> usize {
        self.parts.triangles().len()
    }

    /// The number of shaders.
    pub const fn shader_count(&self) -> usize {
        self.parts.shaders().len()
    }

    /// Shader `index`, or `None` if it is out of range.
    pub fn shader(&self, index: usize) -> Option<P::Of<Shader<'a>>> {
        let span = self.parts.shaders().slice(index as u64, 1)?;
        Some(self.shader_at(span))
    }

    /// The shaders, in order. Engines use the first one unless a skin specifies another one.
    pub fn shaders(&self) -> impl ExactSizeIterator<Item = P::Of<Shader<'a>>> + use<'a, P> {
        let surface = *self;
        self.parts.shaders().elements().map(move |span| surface.shader_at(span))
    }

    fn shader_at(&self, span: Span) -> P::Of<Shader<'a>> {
        let shader = self.data.bind(span).map(|record| {
            let (name, index) = record.split_at_checked(64).unwrap_or_default();
            Shader { offset: span.offset(), name: Name::new(name), index: i32::read(index) }
        });
        self.placed(P::read(shader, Shader::default))
    }

    /// The triangles, **unchecked**: three vertex indices each, clockwise. In a broken file the indices may be negative
    /// or out of range; [`checked_triangles`](Self::checked_triangles) checks them.
    pub fn triangles(&self) -> P::Of<Lens<'a, I32<3>>> {
        self.lens(self.parts.triangles(), I32::<3>)
    }

    /// The triangles, after a check that every vertex index is below [`vertex_count`](Self::vertex_count).
    /// O(triangles). The check is valid as long as the bytes do not change, which a mapped file does not guarantee.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`](meshlens_wire::ErrorKind::Index) at the first index that is out of range.
    pub fn checked_triangles(&self) -> Result<Lens<'a, U32<3>>> {
        let checked = P::result(self.triangles())?.check_below(self.vertex_count(), "vertex");
        checked.map_err(|error| error.at(self.place()))?;
        Lens::bind(self.data, self.parts.triangles(), 0, U32::<3>)
    }

    /// Writes the vertex indices of all triangles to an index buffer, in one pass: converted and reversed in winding as
    /// specified by `layout`, and checked to be below [`vertex_count`](Self::vertex_count). Returns the largest index,
    /// or `None` if there are no triangles. O(triangles).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`](meshlens_wire::ErrorKind::Index) at the first index that is out of range or does not fit in
    /// the format; the content of `out` is then unspecified. [`ErrorKind::Length`](meshlens_wire::ErrorKind::Length) if
    /// `out` has the wrong length.
    pub fn indices_into(&self, layout: IndexBufferLayout, out: &mut [u8]) -> Result<Option<u32>> {
        let written =
            P::result(self.triangles())?.indices_into(layout.below(self.vertex_count(), "vertex"), out);
        written.map_err(|error| error.at(self.place()))
    }

    /// The texture coordinates, one for each vertex: `s` to the right and `t` down from the top left corner of the texture.
    pub fn texcoords(&self) -> P::Of<Lens<'a, F32<2>>> {
        self.lens(self.parts.texcoords(), F32::<2>)
    }

    fn place(&self) -> Place {
        Place::new("surface", self.index as u64)
    }

    fn lens<E: Encoding>(&self, span: Span, encoding: E) -> P::Of<Lens<'a, E>> {
        self.placed(P::read(Lens::bind(self.data, span, 0, encoding), || Lens::empty(encoding)))
    }

    fn frame_vertices(&self, frame: usize) -> Result<Span> {
        self.parts.frame_vertices(frame).ok_or_else(|| {
            let error = self.data.index_error(self.parts.offset(), "frame", frame, self.frame_count());
            error.at(self.place())
        })
    }

    /// The positions of one frame, one for each vertex, in model units.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`](meshlens_wire::ErrorKind::Index) if the frame is out of range.
    pub fn positions(&self, frame: usize) -> Result<Lens<'a, Md3Position>> {
        Lens::bind(self.data, self.frame_vertices(frame)?, 0, Md3Position)
    }

    /// The normals of one frame, one for each vertex, of length 1, decoded in the same way as in engines.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`](meshlens_wire::ErrorKind::Index) if the frame is out of range.
    pub fn normals(&self, frame: usize) -> Result<Lens<'a, Md3Normal>> {
        Lens::bind(self.data, self.frame_vertices(frame)?, NORMAL_OFFSET, Md3Normal)
    }

    /// The positions and normals of one frame, decoded in one pass.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`](meshlens_wire::ErrorKind::Index) if the frame is out of range.
    pub fn vertices(&self, frame: usize) -> Result<Lens<'a, Md3Vertex>> {
        Lens::bind(self.data, self.frame_vertices(frame)?, 0, Md3Vertex)
    }

    /// The positions and normals of every frame: all vertices of frame 0, then all vertices of frame 1, and so on. Its
    /// length is [`frame_count`](Self::frame_count) times [`vertex_count`](Self::vertex_count).
    ///
    /// Models of many small frames decode faster in long runs than frame by frame.
    pub fn all_vertices(&self) -> P::Of<Lens<'a, Md3Vertex>> {
        self.lens(self.parts.vertices(), Md3Vertex)
    }

    /// The normals of one frame, decoded by the inverse of id's encoder: see [`Md3NormalInverse`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`](meshlens_wire::ErrorKind::Index) if the frame is out of range.
    pub fn normals_inverse(&self, frame: usize) -> Result<Lens<'a, Md3NormalInverse>> {
        Lens::bind(self.data, self.frame_vertices(frame)?, NORMAL_OFFSET, Md3NormalInverse)
    }

    /// The encoded vertices of one frame, 8 bytes each: `i16` x, y, z in 1/64 units, then the zenith and the azimuth of
    /// the normal. A renderer can upload these bytes and decode them in a shader.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`](meshlens_wire::ErrorKind::Index) if the frame is out of range.
    pub fn vertex_bytes(&self, frame: usize) -> Result<&'a [u8]> {
        self.data.bind(self.frame_vertices(frame)?)
    }

    /// Writes the positions between two frames to `out`, decoded and interpolated in one pass: frame `a` at `t = 0`,
    /// frame `b` at `t = 1`.
    ///
    /// # Errors
    ///
    /// A frame is out of range, or `out` does not have one value for each vertex.
    pub fn lerp_positions_into(&self, a: usize, b: usize, t: f32, out: &mut [[f32; 3]]) -> Result<()> {
        lerp_into(self.positions(a)?, self.positions(b)?, t, out).map_err(|error| error.at(self.place()))
    }

    /// Writes the normals between two frames to `out`, decoded, interpolated and normalized in one pass: frame `a` at
    /// `t = 0`, frame `b` at `t = 1`.
    ///
    /// # Errors
    ///
    /// A frame is out of range, or `out` does not have one value for each vertex.
    pub fn lerp_normals_into(&self, a: usize, b: usize, t: f32, out: &mut [[f32; 3]]) -> Result<()> {
        lerp_directions_into(self.normals(a)?, self.normals(b)?, t, out)
            .map_err(|error| error.at(self.place()))
    }
}

/// The name of a surface's material (MD3: Shader).
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Shader<'a> {
    /// The absolute offset of the record.
    pub offset: u64,
    /// The name of a shader script or the path of a texture, with or without an extension.
    pub name: Name<'a>,
    /// An index that engines assign at run time. The value in the file has no meaning.
    pub index: i32,
}
