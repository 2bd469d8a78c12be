//! The geometry file, `_d.3d`, by itself: triangles, which stay as they are in every frame.

use meshlens_lens::encoding::{U8, U16, UnrealTexcoord};
use meshlens_lens::{Encoding, Lens};
use meshlens_wire::{Data, ErrorKind, Place, Result};
use zerocopy::FromBytes;

use crate::layout::{self, HEADER_SIZE, TRIANGLE_SIZE};
use crate::locate::largest_index;
use crate::{GEOMETRY, GeometryParts, Triangle, TriangleKind, TriangleType};

/// Where the fields of a triangle lie in its record.
const TYPE: usize = 6;
const COLOR: usize = 7;
const TEXCOORDS: usize = 8;
const TEXTURE: usize = 14;
const FLAGS: usize = 15;

/// A `_d.3d` file over borrowed bytes: which vertices make triangles, and how those are drawn. The vertices
/// themselves are in the other file; [`Unreal`](crate::Unreal) is both.
#[derive(Clone, Copy, Debug)]
pub struct Geometry<'a> {
    data: Data<'a>,
    parts: GeometryParts,
}

impl<'a> Geometry<'a> {
    /// Parses a geometry file. Reads the header, allocates nothing.
    ///
    /// The format has no identifying bytes: any file that is long enough for the count in its first two bytes parses.
    ///
    /// # Errors
    ///
    /// A file shorter than its header, or than its triangles.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let data = Data::new(GEOMETRY, bytes);
        Ok(Geometry { data, parts: GeometryParts::locate_in(data)? })
    }

    /// Binds parts located earlier to the whole file's bytes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfBounds`] when `bytes` does not hold every part.
    pub fn bind(parts: GeometryParts, bytes: &'a [u8]) -> Result<Self> {
        let data = Data::new(GEOMETRY, bytes);
        data.record::<layout::Header>(0, "header")?;
        data.bind(parts.triangles)?;
        Ok(Geometry { data, parts })
    }

    /// Where every part lies.
    pub const fn parts(&self) -> &GeometryParts {
        &self.parts
    }

    /// Vertices, as this file counts them. The frames file may know better: see
    /// [`Unreal::vertex_count`](crate::Unreal::vertex_count).
    pub const fn vertex_count(&self) -> usize {
        self.parts.vertices as usize
    }

    /// Triangles.
    pub const fn triangle_count(&self) -> usize {
        self.parts.triangles.count() as usize
    }

    /// The 44 bytes of the header behind its counts, which every reader ignores and many writers fill with anything.
    pub fn unused_header(&self) -> &'a [u8] {
        self.data.take(4, HEADER_SIZE.saturating_sub(4), "header").unwrap_or_default()
    }

    /// Bytes behind the last triangle; many files have some.
    pub const fn trailing_bytes(&self) -> u64 {
        self.data.file_len().saturating_sub(self.parts.triangles.byte_range().end)
    }

    fn field<E: Encoding>(&self, encoding: E, skip: usize) -> Lens<'a, E> {
        let records = self.data.bind(self.parts.triangles).unwrap_or_default();
        let offset = self.parts.triangles.offset();
        Lens::field(encoding, records, offset, TRIANGLE_SIZE as usize, self.triangle_count(), skip)
    }

    /// The triangles as they lie: three vertex numbers each, wound clockwise, **unchecked**. A broken file may name
    /// vertices past the last one; [`checked_triangles`](Self::checked_triangles) may not.
    pub fn triangles(&self) -> Lens<'a, U16<3>> {
        self.field(U16::<3>, 0)
    }

    /// The triangles, once every vertex number is known to be below `vertices`. O(triangles). The proof holds as long
    /// as the bytes do: a mapped file that another process rewrites may break it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] at the first corner that names no vertex.
    pub fn checked_triangles(&self, vertices: usize) -> Result<Lens<'a, U16<3>>> {
        let triangles = self.triangles();
        let is_vertex = |index: u16| usize::from(index) < vertices;
        // One pass for the largest index; the place of the first bad one is only sought when there is one.
        if self.largest_index().is_none_or(is_vertex) {
            return Ok(triangles);
        }
        for (number, corners) in triangles.iter().enumerate() {
            for (corner, index) in (0u64..).zip(corners) {
                if !is_vertex(index) {
                    let offset = self.triangle_offset(number).saturating_add(corner << 1);
                    let kind =
                        ErrorKind::Index { what: "vertex", index: index.into(), count: vertices as u64 };
                    return Err(self.data.error(offset, kind).at(Place::new("triangle", number as u64)));
                }
            }
        }
        Ok(triangles)
    }

    /// The largest vertex number of all triangles, `None` where there is no triangle. O(triangles).
    pub fn largest_index(&self) -> Option<u16> {
        largest_index(self.data, self.parts.triangles).unwrap_or_default()
    }

    /// The type byte of each triangle; [`TriangleType`] says what it means.
    pub fn types(&self) -> Lens<'a, U8<1>> {
        self.field(U8::<1>, TYPE)
    }

    /// The colour byte of each triangle, which engines ignore.
    pub fn colors(&self) -> Lens<'a, U8<1>> {
        self.field(U8::<1>, COLOR)
    }

    /// The texture slot of each triangle.
    pub fn textures(&self) -> Lens<'a, U8<1>> {
        self.field(U8::<1>, TEXTURE)
    }

    /// The flags of each triangle, unused.
    pub fn flags(&self) -> Lens<'a, U8<1>> {
        self.field(U8::<1>, FLAGS)
    }

    /// U and V of corner `corner` (0 to 2) of each triangle, as bytes, V down; empty for other corners.
    pub fn texcoord_bytes(&self, corner: usize) -> Lens<'a, U8<2>> {
        self.corner(U8::<2>, corner)
    }

    /// U and V of corner `corner` (0 to 2) of each triangle, 0 to 1 (bytes divided by 255), V down; empty for other
    /// corners.
    pub fn texcoords(&self, corner: usize) -> Lens<'a, UnrealTexcoord> {
        self.corner(UnrealTexcoord, corner)
    }

    fn corner<E: Encoding>(&self, encoding: E, corner: usize) -> Lens<'a, E> {
        match corner {
            0..=2 => self.field(encoding, TEXCOORDS.saturating_add(corner << 1)),
            _ => Lens::empty(encoding),
        }
    }

    /// Triangle `index`, or `None` past the last.
    pub fn triangle(&self, index: usize) -> Option<Triangle> {
        let span = self.parts.triangles.slice(u64::try_from(index).ok()?, 1)?;
        let record = layout::Triangle::ref_from_bytes(self.data.bind(span).ok()?).ok()?;
        Some(record.into())
    }

    /// Absolute offset of triangle `index`, whether there is one or not.
    pub const fn triangle_offset(&self, index: usize) -> u64 {
        let skip = (index as u64).saturating_mul(TRIANGLE_SIZE as u64);
        self.parts.triangles.offset().saturating_add(skip)
    }

    /// The triangles with everything they hold, in order.
    pub fn records(&self) -> impl ExactSizeIterator<Item = Triangle> + DoubleEndedIterator + use<'a> {
        let records = self.data.bind(self.parts.triangles).unwrap_or_default();
        let records = <[layout::Triangle]>::ref_from_bytes(records).unwrap_or_default();
        records.iter().map(Triangle::from)
    }

    /// The number of the first weapon triangle, `None` where there is none. O(triangles).
    pub fn weapon_triangle(&self) -> Option<usize> {
        self.types().iter().position(|bits| TriangleType(bits).kind() == TriangleKind::Weapon)
    }
}
