//! The geometry of one surface: lenses onto its tables.

use crate::encoding::{F32, I8, U8, U32};
use alloc::vec::Vec;
use core::marker::PhantomData;
use meshlens_lens::{Encoding, IndexBufferLayout, IndexFormat, Lens, TangentFrame, ValueLens};
use meshlens_wire::{
    Complete, Data, Error, ErrorKind, Expected, Name, Place, Presence, Result, SmallSpan, Span,
};

use zerocopy::IntoBytes;

use crate::geometry_parts::{GeometryHeader, TargetWalk};
use crate::indices::indices;
use crate::layout::Version;
use crate::reader::Reader;
use crate::tangent::Tangents;
use crate::{GeometryParts, Weights};

/// The geometry of one surface (UNIGINE: MESH File Format, "Data on each surface geometry").
///
/// It borrows the file, or the buffer into which it was unpacked. The byte ranges of the lenses onto unpacked geometry
/// are relative to the start of that buffer.
///
/// In a mesh of [pieces](crate::File::bind_pieces), every method that reads bytes returns a `Result`, and the errors include
/// [`Incomplete`](ErrorKind::Incomplete).
#[derive(Clone, Copy, Debug)]
pub struct Geometry<'a, P: Presence = Complete> {
    /// Contains the headers of the morph targets.
    file: Data<'a>,
    /// Contains everything else.
    data: Data<'a>,
    header: GeometryHeader,
    parts: GeometryParts,
    surface: usize,
    /// The offset in errors for bytes that are not in a file.
    block: Option<u64>,
    presence: PhantomData<P>,
}

/// One morph target: absolute positions, and tangent frames. All targets have as many vertices as target 0, except in
/// broken files.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Target<'a> {
    /// The absolute offset of its header in the file.
    pub offset: u64,
    /// The name, usually empty.
    pub name: Name<'a>,
    /// The positions, in the unit of the model.
    pub positions: Lens<'a, F32<3>>,
    /// The tangent frames as quaternions, as the file stores them. From ms11 on, w has the sign of the bitangent; in ms10, w
    /// is computed from x, y and z and is never negative.
    pub tangents: ValueLens<'a, [f32; 4]>,
    /// The same tangent frames as three directions each.
    pub tangent_frames: ValueLens<'a, TangentFrame>,
    /// The signs of the bitangents, 127 or -127; `None` if the version is not ms10, the only one that stores them
    /// separately.
    pub bitangent_signs: Option<Lens<'a, I8<1>>>,
    location: TargetLocation,
}

/// Where a morph target is, for [`Geometry::target_at`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetLocation {
    header: u64,
    data: u64,
}

impl<'a> Target<'a> {
    fn read(data: Data<'a>, version: Version, walk: &mut TargetWalk<'a>) -> Result<Self> {
        let location = TargetLocation { header: walk.header.offset(), data: walk.data.offset() };
        let target = walk.step()?;
        let tangents = Tangents::bind(data, version, target.tangents)?;
        Ok(Target {
            offset: target.header,
            name: target.name,
            positions: Lens::bind(data, target.positions.span(), 0, F32)?,
            tangents: tangents.quaternions,
            tangent_frames: tangents.frames,
            bitangent_signs: tangents.signs,
            location,
        })
    }

    /// The location, with which this target is read again. O(1).
    pub const fn location(&self) -> TargetLocation {
        self.location
    }

    fn empty() -> Self {
        let Tangents { quaternions, frames, signs } = Tangents::empty();
        Target {
            offset: 0,
            name: Name::default(),
            positions: Lens::empty(F32),
            tangents: quaternions,
            tangent_frames: frames,
            bitangent_signs: signs,
            location: TargetLocation { header: 0, data: 0 },
        }
    }
}

impl<'a, P: Presence> Geometry<'a, P> {
    pub(crate) const fn new(
        file: Data<'a>,
        data: Data<'a>,
        header: GeometryHeader,
        parts: GeometryParts,
        surface: usize,
        block: Option<u64>,
    ) -> Self {
        Geometry { file, data, header, parts, surface, block, presence: PhantomData }
    }

    /// The index of the surface in its mesh.
    pub const fn surface(&self) -> usize {
        self.surface
    }

    /// Whether the geometry was unpacked into a buffer. Its byte ranges are then relative to the buffer, not to the
    /// file.
    pub const fn is_unpacked(&self) -> bool {
        self.block.is_some()
    }

    pub(crate) const fn data(&self) -> Data<'a> {
        self.data
    }

    pub(crate) const fn version(&self) -> Version {
        self.header.version
    }

    /// The locations of the tables: in the file, or in the buffer into which they were unpacked.
    pub const fn parts(&self) -> &GeometryParts {
        &self.parts
    }

    /// An error at a byte of the geometry. For unpacked geometry, the error is at its block.
    pub(crate) fn error(&self, offset: u64, kind: ErrorKind) -> Error {
        let place = Place::new("surface", self.surface as u64);
        self.file.error(self.offset_in_file(offset), kind).at(place)
    }

    /// An error of a lens or table of the geometry, with the surface and the offset in the file.
    pub(crate) fn locate_error(&self, error: Error) -> Error {
        self.error(error.offset(), *error.kind())
    }

    /// The offset in the file of a byte of the geometry. For unpacked geometry, the offset of its block.
    pub(crate) fn offset_in_file(&self, offset: u64) -> u64 {
        self.block.unwrap_or(offset)
    }

    /// Checks that `what` has `expected` elements; it has `found`.
    pub(crate) fn check_length(&self, what: &'static str, expected: usize, found: usize) -> Result<()> {
        if expected == found {
            return Ok(());
        }
        Err(self.locate_error(self.data.length_error(self.parts.start, what, expected, found)))
    }

    /// The number of morph targets; 1 in every known file.
    pub const fn target_count(&self) -> usize {
        self.header.target_count as usize
    }

    /// The morph targets, in order. O(1) for each. In a mesh of pieces, the targets after a target that is not loaded
    /// cannot be located, so they are errors, too.
    pub fn targets(&self) -> impl ExactSizeIterator<Item = P::Of<Target<'a>>> + use<'a, P> {
        let (geometry, mut walk) = (*self, self.target_walk());
        (0..self.target_count()).map(move |_| {
            let walk = walk.as_mut().map_err(|error| *error);
            let target = walk.and_then(|walk| Target::read(geometry.data, geometry.header.version, walk));
            P::read(target.map_err(|error| geometry.locate_error(error)), Target::empty)
        })
    }

    /// The tables of the morph targets, in order.
    pub(crate) fn target_walk(&self) -> Result<TargetWalk<'a>> {
        TargetWalk::new(&self.header, self.file, Reader::at(self.data, self.parts.start)?)
    }

    /// The morph target at a location of this geometry. O(1). At a location of another geometry, it is an error or another target.
    ///
    /// # Errors
    ///
    /// The location is outside of the file, or its bytes are not loaded.
    pub fn target_at(&self, location: TargetLocation) -> Result<Target<'a>> {
        let walk =
            TargetWalk::at(self.header.version, self.file, self.data, [location.header, location.data]);
        let target = walk.and_then(|mut walk| Target::read(self.data, self.header.version, &mut walk));
        target.map_err(|error| self.locate_error(error))
    }

    /// Morph target `index`, or `None` if it is out of range. O(index). To read all of them, use
    /// [`targets`](Self::targets), and to read them in another order, [`target_at`](Self::target_at).
    pub fn target(&self, index: usize) -> Option<P::Of<Target<'a>>> {
        self.targets().nth(index)
    }

    fn lens<E: Encoding>(&self, span: Span, encoding: E) -> P::Of<Lens<'a, E>> {
        self.placed(P::read(Lens::bind(self.data, span, 0, encoding), || Lens::empty(encoding)))
    }

    fn placed<T>(&self, value: P::Of<T>) -> P::Of<T> {
        P::map_err(value, |error| self.locate_error(error))
    }

    /// The number of vertices of morph target 0: coordinate indices are below it.
    pub const fn vertex_count(&self) -> usize {
        self.parts.positions.count() as usize
    }

    /// The number of tangent frames of morph target 0: triangle indices are below it.
    pub const fn tangent_count(&self) -> usize {
        self.parts.tangents.count() as usize
    }

    /// The number of corners of all triangles.
    pub const fn corner_count(&self) -> usize {
        self.parts.coordinate_indices.count() as usize
    }

    /// The positions of morph target 0.
    pub fn positions(&self) -> P::Of<Lens<'a, F32<3>>> {
        self.lens(self.parts.positions(), F32)
    }

    fn bind_tangents(&self) -> P::Of<Tangents<'a>> {
        let tangents = Tangents::bind(self.data, self.header.version, self.parts.tangents);
        self.placed(P::read(tangents, Tangents::empty))
    }

    /// The tangent frames of morph target 0 as quaternions: see [`Target::tangents`].
    pub fn tangents(&self) -> P::Of<ValueLens<'a, [f32; 4]>> {
        P::map(self.bind_tangents(), |tangents| tangents.quaternions)
    }

    /// The tangent frames of morph target 0 as three directions each.
    pub fn tangent_frames(&self) -> P::Of<ValueLens<'a, TangentFrame>> {
        P::map(self.bind_tangents(), |tangents| tangents.frames)
    }

    /// The bones and weights of each vertex; empty if the surface has no skin.
    pub fn weights(&self) -> P::Of<Weights<'a>> {
        self.placed(P::read(Weights::new(self.data, self.parts.weights), || Weights::empty(self.data)))
    }

    /// The texture coordinates of set 0 or 1, one for each tangent frame; empty if the surface has none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] if `set` is neither 0 nor 1.
    pub fn texcoords(&self, set: usize) -> Result<Lens<'a, F32<2>>> {
        let Some(table) = self.parts.texcoords.get(set) else {
            let error = self.data.index_error(self.parts.start, "set of texture coordinates", set, 2);
            return Err(self.locate_error(error));
        };
        Lens::bind(self.data, table.span(), 0, F32).map_err(|error| self.locate_error(error))
    }

    /// The colors, one for each tangent frame: red, green, blue and alpha. Empty if the surface has none.
    pub fn colors(&self) -> P::Of<Lens<'a, U8<4>>> {
        self.lens(self.parts.colors(), U8)
    }

    /// The index of the position and the weights of each corner, three for each triangle, **unchecked**.
    /// [`checked_indices`](Self::checked_indices) checks them.
    pub fn coordinate_indices(&self) -> P::Of<ValueLens<'a, u32>> {
        self.indices(self.parts.coordinate_indices, self.parts.positions.count())
    }

    /// The index of the tangent frame, texture coordinates and color of each corner, three for each triangle,
    /// **unchecked**. [`checked_indices`](Self::checked_indices) checks them.
    pub fn triangle_indices(&self) -> P::Of<ValueLens<'a, u32>> {
        self.indices(self.parts.triangle_indices, self.parts.tangents.count())
    }

    fn indices(&self, table: SmallSpan, count: u32) -> P::Of<ValueLens<'a, u32>> {
        self.placed(P::read(indices(self.data, table, count), || Lens::empty(U32::<1>).into()))
    }

    /// The coordinate indices and the triangle indices, after a check that both lists have the same length, that it is
    /// a multiple of 3, and that every index is in range. O(corners). The check holds as long as the bytes do not
    /// change.
    ///
    /// # Errors
    ///
    /// The lists have different lengths, a length is not a multiple of 3, or an index is out of range.
    pub fn checked_indices(&self) -> Result<(ValueLens<'a, u32>, ValueLens<'a, u32>)> {
        let (coordinates, triangles) = self.index_lists()?;
        let checked = coordinates.as_any().check_below(self.vertex_count(), "vertex");
        let checked = checked.and_then(|()| triangles.as_any().check_below(self.tangent_count(), "tangent"));
        checked.map_err(|error| self.locate_error(error))?;
        Ok((coordinates, triangles))
    }

    /// Decodes and checks both lists, as [`checked_indices`](Self::checked_indices) does, each in one pass.
    pub(crate) fn checked_indices_into(
        &self,
        coordinates: &mut Vec<u32>,
        triangles: &mut Vec<u32>,
    ) -> Result<()> {
        let (of_coordinates, of_triangles) = self.index_lists()?;
        let lists = [
            (of_coordinates, coordinates, self.vertex_count(), "vertex"),
            (of_triangles, triangles, self.tangent_count(), "tangent"),
        ];
        for (indices, out, count, what) in lists {
            out.resize(indices.len(), 0);
            let layout = IndexBufferLayout::new(IndexFormat::Uint32).below(count, what);
            let written = indices.as_any().indices_into(layout, out.as_mut_slice().as_mut_bytes());
            written.map_err(|error| self.locate_error(error))?;
        }
        Ok(())
    }

    /// Coordinate and triangle indices. Both lists have the same length, three for each triangle.
    fn index_lists(&self) -> Result<(ValueLens<'a, u32>, ValueLens<'a, u32>)> {
        let (coordinates, triangles) =
            (P::result(self.coordinate_indices())?, P::result(self.triangle_indices())?);
        self.check_length("triangle indices", coordinates.len(), triangles.len())?;
        if !coordinates.len().is_multiple_of(3) {
            let found = i64::try_from(coordinates.len()).unwrap_or(i64::MAX);
            let kind =
                ErrorKind::Value { what: "coordinate indices", expected: Expected::MultipleOf(3), found };
            return Err(self.error(coordinates.byte_range().start, kind));
        }
        Ok((coordinates, triangles))
    }

    /// The absolute offset after the geometry; for unpacked geometry, the offset in the buffer.
    pub const fn end(&self) -> u64 {
        self.parts.byte_range().end
    }
}
