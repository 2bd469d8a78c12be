//! A pair of files whose layout is told: triangles, and the vertices of every frame.

use meshlens_lens::encoding::{
    U16, UnrealPacked, UnrealPackedInteger, UnrealPackedUnits, UnrealWide, UnrealWideInteger,
};
use meshlens_lens::{Bounds, Encoding, Lens, lerp_into};
use meshlens_wire::{Data, ErrorKind, Expected, Limits, Result, Span};

use crate::{
    FRAMES, Frames, GEOMETRY, Geometry, IntegerPositions, LayoutRule, Mode, Parts, Positions, UnitPositions,
    VertexFormat, VertexLens,
};

/// An Unreal vertex mesh over the borrowed bytes of its two files. See the [crate] for its space and conventions.
#[derive(Clone, Copy, Debug)]
pub struct Unreal<'a> {
    geometry: Geometry<'a>,
    frames: Frames<'a>,
    parts: Parts,
}

impl<'a> Unreal<'a> {
    /// Parses a pair: the bytes of a `_d.3d` file and of its `_a.3d` file.
    ///
    /// Reads both headers and allocates nothing. Nothing proportional to triangles, vertices or frames is read,
    /// but where only the fifth [`LayoutRule`] tells the layout: that one needs every triangle.
    ///
    /// # Errors
    ///
    /// A file shorter than what its header speaks of; frames of no bytes; two files that no rule brings together
    /// ([`ErrorKind::Mismatch`] names the numbers of both). The error's [`format`](meshlens_wire::Error::format) says
    /// which of the two files its offset speaks of.
    pub fn parse(geometry: &'a [u8], frames: &'a [u8]) -> Result<Self> {
        Self::parse_with(geometry, frames, Mode::Strict, &Limits::DEFAULT)
    }

    /// As [`parse`](Self::parse), with a choice of what a frames file cut short is, and how many frames are allowed.
    pub fn parse_with(geometry: &'a [u8], frames: &'a [u8], mode: Mode, limits: &Limits) -> Result<Self> {
        let (geometry_data, frames_data) = (Data::new(GEOMETRY, geometry), Data::new(FRAMES, frames));
        let parts = Parts::locate_in(geometry_data, frames_data, mode, limits)?;
        Self::bind(parts, geometry, frames)
    }

    /// Binds parts located earlier to the bytes of both whole files.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfBounds`] when they do not hold every part.
    pub fn bind(parts: Parts, geometry: &'a [u8], frames: &'a [u8]) -> Result<Self> {
        Ok(Unreal {
            geometry: Geometry::bind(parts.geometry, geometry)?,
            frames: Frames::bind(parts.frames, frames)?,
            parts,
        })
    }

    /// Where every part lies.
    pub const fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The geometry file: triangles with types, textures and texture coordinates.
    pub const fn geometry(&self) -> &Geometry<'a> {
        &self.geometry
    }

    /// The frames file. Its stride is the one that was told, not always the one its header says.
    pub const fn frames(&self) -> &Frames<'a> {
        &self.frames
    }

    /// The rule that told the layout.
    pub const fn rule(&self) -> LayoutRule {
        self.parts.rule()
    }

    /// How vertices are stored.
    pub const fn vertex_format(&self) -> VertexFormat {
        self.parts.vertex_format()
    }

    /// Vertices of one frame. Not that of the geometry file where [`LayoutRule::MistakenVertexCount`] told it.
    pub const fn vertex_count(&self) -> usize {
        self.parts.vertex_count() as usize
    }

    /// Triangles.
    pub const fn triangle_count(&self) -> usize {
        self.geometry.triangle_count()
    }

    /// Frames that are there.
    pub const fn frame_count(&self) -> usize {
        self.frames.frame_count()
    }

    /// The triangles as they lie, **unchecked**: see [`Geometry::triangles`].
    pub fn triangles(&self) -> Lens<'a, U16<3>> {
        self.geometry.triangles()
    }

    /// The triangles, once every vertex number is known to be below [`vertex_count`](Self::vertex_count): see
    /// [`Geometry::checked_triangles`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] at the first corner that names no vertex.
    pub fn checked_triangles(&self) -> Result<Lens<'a, U16<3>>> {
        self.geometry.checked_triangles(self.vertex_count())
    }

    fn vertex_span(&self, frame: usize) -> Result<Span> {
        self.parts.frame_vertices(frame).ok_or_else(|| self.frames.no_frame(frame))
    }

    fn vertex_lens<P, W>(&self, frame: usize, packed: P, wide: W) -> Result<VertexLens<'a, P, W>>
    where
        P: Encoding,
        W: Encoding,
    {
        let span = self.vertex_span(frame)?;
        let (bytes, offset, count) = (self.frames.data().bind(span)?, span.offset(), self.vertex_count());
        let stride = span.stride() as usize;
        Ok(match self.vertex_format() {
            VertexFormat::Packed => VertexLens::Packed(Lens::field(packed, bytes, offset, stride, count, 0)),
            VertexFormat::Wide => VertexLens::Wide(Lens::field(wide, bytes, offset, stride, count, 0)),
        })
    }

    /// Positions of one frame as the integers that are stored, in floats: what engines scale.
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn positions(&self, frame: usize) -> Result<Positions<'a>> {
        self.vertex_lens(frame, UnrealPacked, UnrealWide)
    }

    /// Positions of one frame as the integers that are stored.
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn integer_positions(&self, frame: usize) -> Result<IntegerPositions<'a>> {
        self.vertex_lens(frame, UnrealPackedInteger, UnrealWideInteger)
    }

    /// Positions of one frame times [`unit_scale`](Self::unit_scale).
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn unit_positions(&self, frame: usize) -> Result<UnitPositions<'a>> {
        self.vertex_lens(frame, UnrealPackedUnits, UnrealWide)
    }

    /// What brings stored integers into the units of the tools that write them (Unreal: Appendix C): 1/8, 1/8 and 1/4
    /// for packed vertices. For 16-bit ones no scale is published, and this is 1.
    pub const fn unit_scale(&self) -> [f32; 3] {
        match self.vertex_format() {
            VertexFormat::Packed => [0.125, 0.125, 0.25],
            VertexFormat::Wide => [1.0; 3],
        }
    }

    /// The vertices of one frame as they lie, 4 or 8 bytes each. A renderer may upload these as they are.
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn vertex_bytes(&self, frame: usize) -> Result<&'a [u8]> {
        self.frames.data().bind(self.vertex_span(frame)?)
    }

    /// [`positions`](Self::positions) between two frames, decoded and blended in one pass: `a` at `t = 0`, `b` at
    /// `t = 1`.
    ///
    /// # Errors
    ///
    /// A frame past the last, or an output that does not hold one value per vertex.
    pub fn lerp_positions_into(&self, a: usize, b: usize, t: f32, out: &mut [[f32; 3]]) -> Result<()> {
        let found = out.len();
        let blended = match (self.positions(a)?, self.positions(b)?) {
            (VertexLens::Packed(a), VertexLens::Packed(b)) => lerp_into(a, b, t, out),
            (VertexLens::Wide(a), VertexLens::Wide(b)) => lerp_into(a, b, t, out),
            // Both come from one document, so there is no third way.
            _ => Ok(()),
        };
        blended.map_err(|_| self.length_error(found))
    }

    pub(crate) fn length_error(&self, found: usize) -> meshlens_wire::Error {
        let expected = Expected::Exactly(self.parts.vertex_count().into());
        let found = i64::try_from(found).unwrap_or(i64::MAX);
        let kind = ErrorKind::Value { what: "output length", expected, found };
        self.frames.data().error(self.parts.frames().offset(), kind)
    }

    /// The box around the vertices of one frame, as they are stored; `None` where there is no vertex or no such
    /// frame. O(vertices).
    pub fn compute_bounds(&self, frame: usize) -> Option<Bounds> {
        Bounds::around(self.positions(frame).ok()?)
    }

    /// Where a weapon is attached in one frame: at the first weapon triangle (Unreal: Appendix A), or `None` where
    /// there is none. O(triangles).
    ///
    /// # Errors
    ///
    /// A frame past the last, or a weapon triangle that names no vertex.
    pub fn weapon_attachment(&self, frame: usize) -> Result<Option<Attachment>> {
        let positions = self.positions(frame)?;
        let Some((number, triangle)) = self
            .geometry
            .weapon_triangle()
            .and_then(|number| Some((number, self.geometry.triangle(number)?)))
        else {
            return Ok(None);
        };
        let mut corners = [[0.0; 3]; 3];
        for (corner, index) in corners.iter_mut().zip(triangle.vertices) {
            *corner = positions.get(index.into()).ok_or_else(|| {
                let count = self.vertex_count() as u64;
                let kind = ErrorKind::Index { what: "vertex", index: index.into(), count };
                meshlens_wire::Error::new(GEOMETRY, self.geometry.triangle_offset(number), kind)
            })?;
        }
        let [a, b, _] = corners;
        let mut origin = a;
        for (origin, b) in origin.iter_mut().zip(b) {
            *origin = (*origin + b) * 0.5;
        }
        Ok(Some(Attachment { triangle: number, origin, corners }))
    }
}

/// Where a weapon is attached in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// The number of the weapon triangle.
    pub triangle: usize,
    /// The midpoint of its corners 0 and 1, as [`Unreal::positions`] gives them.
    pub origin: [f32; 3],
    /// Its three corners.
    pub corners: [[f32; 3]; 3],
}
