//! The geometry file, `_d.3d`, without its frames file: triangles, which are the same in every frame.

use crate::encoding::{U8, U16, UnrealTexcoord};
use meshlens_lens::{Encoding, IndexBufferLayout, Lens};
use meshlens_wire::{Complete, Data, Error, ErrorKind, Place, Record, Result, Span};

use crate::layout::{self, TRIANGLE_SIZE};
use crate::locate::largest_index;
use crate::{GEOMETRY, GeometryParts, Triangle, TriangleKind, TriangleType};

/// The offsets of the fields of a triangle in its record.
pub(crate) const TYPE: usize = 6;
const COLOR: usize = 7;
/// One offset for each corner.
pub(crate) const TEXCOORDS: [usize; 3] = [8, 10, 12];
pub(crate) const TEXTURE: usize = 14;
const FLAGS: usize = 15;

/// A geometry file (`_d.3d`) that borrows its bytes: triangles as vertex indices, and how they are drawn. The vertices
/// are in the frames file. [`Unreal`](crate::Unreal) has both files.
#[derive(Clone, Copy, Debug)]
pub struct Geometry<'a> {
    data: Data<'a>,
    parts: GeometryParts,
}

impl<'a> Geometry<'a> {
    /// Parses a geometry file. Reads the header and allocates nothing.
    ///
    /// The format has no magic number: any file that has enough bytes for the count of triangles in its header is
    /// parsed without an error.
    ///
    /// # Errors
    ///
    /// The file is shorter than its header or its triangles.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let data = Data::new(GEOMETRY, bytes);
        Ok(Geometry { data, parts: GeometryParts::locate_in(data, 0)? })
    }

    /// Binds parts that were located earlier to the bytes of the whole file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfBounds`](meshlens_wire::ErrorKind::OutOfBounds) if a part is not inside `bytes`.
    pub fn bind(parts: GeometryParts, bytes: &'a [u8]) -> Result<Self> {
        let data = Data::new(GEOMETRY, bytes);
        data.record::<layout::Header>(parts.start, "header")?;
        data.bind(parts.triangles())?;
        Ok(Geometry { data, parts })
    }

    pub(crate) const fn data(&self) -> Data<'a> {
        self.data
    }

    /// Parts that were checked to be inside the file of `data`.
    pub(crate) const fn of(data: Data<'a>, parts: GeometryParts) -> Self {
        Geometry { data, parts }
    }

    /// The locations of all parts.
    pub const fn parts(&self) -> &GeometryParts {
        &self.parts
    }

    fn span(&self) -> Span {
        self.parts.triangles()
    }

    /// The number of vertices in the header of this file. The frames file may have a different number: see
    /// [`Unreal::vertex_count`](crate::Unreal::vertex_count).
    pub const fn vertex_count(&self) -> usize {
        self.parts.vertex_count()
    }

    /// The number of triangles.
    pub const fn triangle_count(&self) -> usize {
        self.parts.triangles().len()
    }

    /// The 44 bytes after the counts in the header. Readers ignore them, and many writers leave arbitrary bytes there.
    pub const fn unused_header(&self) -> &[u8] {
        &self.parts.unused
    }

    /// The number of bytes after the last triangle. Many files have some.
    pub const fn trailing_bytes(&self) -> u64 {
        if self.parts.start > 0 {
            // The frames follow.
            return 0;
        }
        // The triangles end inside the file.
        self.data.file_len() - self.parts.triangles().byte_range().end
    }

    fn field<E: Encoding>(&self, encoding: E, skip: usize) -> Lens<'a, E> {
        Lens::bind_in::<Complete>(self.data, self.span(), skip, encoding)
    }

    /// The triangles as they are stored, **unchecked**: three vertex indices each, clockwise. In a broken file they may be out
    /// of range; [`checked_triangles`](Self::checked_triangles) checks them.
    pub fn triangles(&self) -> Lens<'a, U16<3>> {
        self.field(U16::<3>, 0)
    }

    /// The triangles, after a check that every vertex index is below `vertices`. O(triangles). The check holds as long
    /// as the bytes do not change, which a mapped file does not guarantee.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`](meshlens_wire::ErrorKind::Index) at the first index that is out of range.
    pub fn checked_triangles(&self, vertices: usize) -> Result<Lens<'a, U16<3>>> {
        let triangles = self.triangles();
        triangles.check_below(vertices, "vertex").map_err(|error| self.in_triangle(error))?;
        Ok(triangles)
    }

    /// Writes the vertex indices of all triangles, whether they are visible or not, to an index buffer, in one pass:
    /// converted and reversed in winding as specified by `layout`, and checked to be below `vertices`. Returns the
    /// largest index, or `None` if there are no triangles. O(triangles).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`](meshlens_wire::ErrorKind::Index) at the first index that is out of range; the content of `out` is
    /// then unspecified. [`ErrorKind::Length`](meshlens_wire::ErrorKind::Length) if `out` has the wrong length.
    pub fn indices_into(
        &self,
        vertices: usize,
        layout: IndexBufferLayout,
        out: &mut [u8],
    ) -> Result<Option<u32>> {
        let written = self.triangles().indices_into(layout.below(vertices, "vertex"), out);
        written.map_err(|error| self.in_triangle(error))
    }

    /// An error of an index, with its triangle.
    fn in_triangle(&self, error: Error) -> Error {
        match error.kind() {
            ErrorKind::Index { .. } => {
                // The index is inside the table.
                let skip = error.offset() - self.span().offset();
                error.at(Place::new("triangle", skip / u64::from(TRIANGLE_SIZE)))
            }
            _ => error,
        }
    }

    /// The largest vertex index of all triangles, or `None` if there are no triangles. O(triangles).
    pub fn largest_index(&self) -> Option<u16> {
        largest_index(self.data, self.span()).ok()?
    }

    /// The type byte of each triangle. [`TriangleType`] decodes it.
    pub fn types(&self) -> Lens<'a, U8<1>> {
        self.field(U8::<1>, TYPE)
    }

    /// The color byte of each triangle. Engines ignore it.
    pub fn colors(&self) -> Lens<'a, U8<1>> {
        self.field(U8::<1>, COLOR)
    }

    /// The texture slot of each triangle.
    pub fn textures(&self) -> Lens<'a, U8<1>> {
        self.field(U8::<1>, TEXTURE)
    }

    /// The flags of each triangle. Engines ignore them.
    pub fn flags(&self) -> Lens<'a, U8<1>> {
        self.field(U8::<1>, FLAGS)
    }

    /// The texture coordinates of corner `corner` (0 to 2) of each triangle as bytes: U, and V down.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`](meshlens_wire::ErrorKind::Index) if `corner` is not 0, 1 or 2.
    pub fn texcoord_bytes(&self, corner: usize) -> Result<Lens<'a, U8<2>>> {
        self.corner(U8::<2>, corner)
    }

    /// The texture coordinates of corner `corner` (0 to 2) of each triangle from 0 to 1, the bytes divided by 255: U, and V
    /// down.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`](meshlens_wire::ErrorKind::Index) if `corner` is not 0, 1 or 2.
    pub fn texcoords(&self, corner: usize) -> Result<Lens<'a, UnrealTexcoord>> {
        self.corner(UnrealTexcoord, corner)
    }

    fn corner<E: Encoding>(&self, encoding: E, corner: usize) -> Result<Lens<'a, E>> {
        match TEXCOORDS.get(corner) {
            Some(skip) => Ok(self.field(encoding, *skip)),
            None => Err(self.data.index_error(self.span().offset(), "corner", corner, TEXCOORDS.len())),
        }
    }

    /// Triangle `index`, or `None` if it is out of range.
    pub fn triangle(&self, index: usize) -> Option<Triangle> {
        self.rows().get(index).map(|row| layout::Triangle::read(row).into())
    }

    /// The absolute offset of triangle `index`, even if it is out of range.
    pub const fn triangle_offset(&self, index: usize) -> u64 {
        // An offset that saturates is out of range in every file.
        let skip = (index as u64).saturating_mul(TRIANGLE_SIZE as u64);
        self.parts.triangles().offset().saturating_add(skip)
    }

    /// The triangles with all their fields, in order.
    pub fn records(&self) -> impl ExactSizeIterator<Item = Triangle> + DoubleEndedIterator + use<'a> {
        self.rows().iter().map(|row| layout::Triangle::read(row).into())
    }

    fn rows(&self) -> &'a [[u8; layout::Triangle::SIZE]] {
        // The table is proven.
        self.data.bind(self.span()).unwrap_or_default().as_chunks().0
    }

    /// The index of the first weapon triangle, or `None` if there is none. O(triangles).
    pub fn weapon_triangle(&self) -> Option<usize> {
        self.types().iter().position(|bits| TriangleType(bits).kind() == TriangleKind::Weapon)
    }
}
