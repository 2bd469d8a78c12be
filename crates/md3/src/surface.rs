//! One animated triangle mesh of a model, and its lenses.

use meshlens_lens::encoding::{F32, I32, Md3Normal, Md3NormalInverse, Md3Position, Md3Vertex, U32};
use meshlens_lens::{Bounds, Lens, lerp_directions_into, lerp_into};
use meshlens_wire::{Data, ErrorKind, Name, Place, Result, Span};
use zerocopy::FromBytes;

use crate::document::lens_at;
use crate::layout;
use crate::locate::SurfaceParts;

/// Bytes of a vertex before its normal.
const NORMAL_OFFSET: usize = 6;

/// MD3: Surface. Vertices move from frame to frame; triangles, texture coordinates and shaders do not.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    data: Data<'a>,
    parts: SurfaceParts,
    index: usize,
}

impl<'a> Surface<'a> {
    pub(crate) const fn new(data: Data<'a>, parts: SurfaceParts, index: usize) -> Self {
        Surface { data, parts, index }
    }

    fn header(&self) -> Option<&'a layout::Surface> {
        self.data.record(self.parts.offset, "surface header").ok()
    }

    /// Where the parts lie.
    pub const fn parts(&self) -> &SurfaceParts {
        &self.parts
    }

    /// The surface's number in the model.
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Absolute offset of the surface header.
    pub const fn offset(&self) -> u64 {
        self.parts.offset
    }

    /// The name that `.skin` files speak of.
    pub fn name(&self) -> Name<'a> {
        self.header().map(|header| Name::new(&header.name)).unwrap_or_default()
    }

    /// The surface's flags, whose meaning nobody documents.
    pub fn flags(&self) -> i32 {
        self.header().map(|header| header.flags.get()).unwrap_or_default()
    }

    /// Frames of vertices; the same number as the model's in every sane file.
    pub fn frame_count(&self) -> usize {
        usize::try_from(self.parts.frames).unwrap_or(usize::MAX)
    }

    /// Vertices of one frame.
    pub fn vertex_count(&self) -> usize {
        usize::try_from(self.parts.vertices_per_frame).unwrap_or(usize::MAX)
    }

    /// Triangles.
    pub fn triangle_count(&self) -> usize {
        usize::try_from(self.parts.triangles.count()).unwrap_or(usize::MAX)
    }

    /// Shaders.
    pub fn shader_count(&self) -> usize {
        usize::try_from(self.parts.shaders.count()).unwrap_or(usize::MAX)
    }

    /// Shader `index`, or `None` past the last.
    pub fn shader(&self, index: usize) -> Option<Shader<'a>> {
        let span = self.parts.shaders.slice(u64::try_from(index).ok()?, 1)?;
        let record = layout::Shader::ref_from_bytes(self.data.bind(span).ok()?).ok()?;
        Some(Shader {
            offset: span.offset(),
            name: Name::new(&record.name),
            index: record.shader_index.get(),
        })
    }

    /// The shaders, in order; the first one is the one engines use when no skin says otherwise.
    pub fn shaders(&self) -> impl Iterator<Item = Shader<'a>> + use<'a> {
        let surface = *self;
        (0..surface.shader_count()).map_while(move |index| surface.shader(index))
    }

    /// The triangles as they lie: three vertex numbers each, wound clockwise, **unchecked**. A broken file may hold
    /// negative ones, or ones past the last vertex; [`checked_triangles`](Self::checked_triangles) may not.
    pub fn triangles(&self) -> Lens<'a, I32<3>> {
        lens_at(self.data, self.parts.triangles, 0, I32::<3>)
    }

    /// The triangles, once every vertex number is known to be below [`vertex_count`](Self::vertex_count).
    /// O(triangles). The proof holds as long as the bytes do: a mapped file that another process rewrites may
    /// break it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] at the first corner that names no vertex.
    pub fn checked_triangles(&self) -> Result<Lens<'a, U32<3>>> {
        let triangles = lens_at(self.data, self.parts.triangles, 0, U32::<3>);
        let count = self.parts.vertices_per_frame;
        // One pass for the largest index; the place of the first bad one is only sought when there is one.
        if triangles.largest() < Some(count) {
            return Ok(triangles);
        }
        let corners = triangles.as_bytes().as_chunks::<4>().0;
        let bad = corners.iter().map(|corner| u32::from_le_bytes(*corner)).position(|index| index >= count);
        let bad = bad.unwrap_or_default();
        let found = corners.get(bad).map_or(0, |corner| i32::from_le_bytes(*corner));
        let offset = self.parts.triangles.offset().saturating_add((bad as u64).saturating_mul(4));
        let kind = ErrorKind::Index { what: "vertex", index: found.into(), count: count.into() };
        Err(self.data.error(offset, kind).at(Place::new("surface", self.index as u64)))
    }

    /// Texture coordinates, one per vertex: `s` to the right and `t` down from the top left corner of the texture.
    pub fn texcoords(&self) -> Lens<'a, F32<2>> {
        lens_at(self.data, self.parts.texcoords, 0, F32::<2>)
    }

    fn frame_vertices(&self, frame: usize) -> Result<Span> {
        self.parts.frame_vertices(frame).ok_or_else(|| {
            let index = i64::try_from(frame).unwrap_or(i64::MAX);
            let kind = ErrorKind::Index { what: "frame", index, count: self.parts.frames.into() };
            self.data.error(self.parts.offset, kind).at(Place::new("surface", self.index as u64))
        })
    }

    /// Positions of one frame, in model units.
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn positions(&self, frame: usize) -> Result<Lens<'a, Md3Position>> {
        Ok(lens_at(self.data, self.frame_vertices(frame)?, 0, Md3Position))
    }

    /// Normals of one frame, decoded as engines do; unit length.
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn normals(&self, frame: usize) -> Result<Lens<'a, Md3Normal>> {
        Ok(lens_at(self.data, self.frame_vertices(frame)?, NORMAL_OFFSET, Md3Normal))
    }

    /// Positions and normals of one frame, decoded in one pass.
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn vertices(&self, frame: usize) -> Result<Lens<'a, Md3Vertex>> {
        Ok(lens_at(self.data, self.frame_vertices(frame)?, 0, Md3Vertex))
    }

    /// Normals of one frame, decoded as the exact inverse of id's encoder: see [`Md3NormalInverse`].
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn normals_inverse(&self, frame: usize) -> Result<Lens<'a, Md3NormalInverse>> {
        Ok(lens_at(self.data, self.frame_vertices(frame)?, NORMAL_OFFSET, Md3NormalInverse))
    }

    /// The vertices of one frame as they lie, 8 bytes each: `i16` x, y, z in 1/64 units, zenith, azimuth.
    /// A renderer may upload these as they are.
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn vertex_bytes(&self, frame: usize) -> Result<&'a [u8]> {
        self.data.bind(self.frame_vertices(frame)?)
    }

    /// Positions between two frames, decoded and blended in one pass: `a` at `t = 0`, `b` at `t = 1`.
    ///
    /// # Errors
    ///
    /// A frame past the last, or an output that does not hold one value per vertex.
    pub fn lerp_positions_into(&self, a: usize, b: usize, t: f32, out: &mut [[f32; 3]]) -> Result<()> {
        lerp_into(self.positions(a)?, self.positions(b)?, t, out).map_err(|_| self.length_error(out.len()))
    }

    /// Normals between two frames, decoded, blended and scaled to length 1 in one pass.
    ///
    /// # Errors
    ///
    /// A frame past the last, or an output that does not hold one value per vertex.
    pub fn lerp_normals_into(&self, a: usize, b: usize, t: f32, out: &mut [[f32; 3]]) -> Result<()> {
        lerp_directions_into(self.normals(a)?, self.normals(b)?, t, out)
            .map_err(|_| self.length_error(out.len()))
    }

    fn length_error(&self, found: usize) -> meshlens_wire::Error {
        let expected = meshlens_wire::Expected::Exactly(self.parts.vertices_per_frame.into());
        let found = i64::try_from(found).unwrap_or(i64::MAX);
        let kind = ErrorKind::Value { what: "output length", expected, found };
        self.data.error(self.parts.offset, kind).at(Place::new("surface", self.index as u64))
    }

    /// The box around the vertices of one frame; `None` where there is no vertex or no such frame.
    pub fn compute_bounds(&self, frame: usize) -> Option<Bounds> {
        Bounds::around(self.positions(frame).ok()?)
    }
}

/// MD3: Shader, a material's name.
#[derive(Clone, Copy, Debug)]
pub struct Shader<'a> {
    /// Absolute offset of the record.
    pub offset: u64,
    /// A shader's name or a texture's path, with or without extension.
    pub name: Name<'a>,
    /// A number engines fill in at run time; whatever the exporter left there.
    pub index: i32,
}
