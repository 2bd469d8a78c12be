//! One surface of a mesh: its header, and access to its geometry.

use alloc::vec::Vec;
use core::marker::PhantomData;

use meshlens_wire::{Complete, Data, Limits, Name, Place, Presence, Result};

use crate::geometry_parts::GeometryParts;
use crate::layout::Version;
use crate::reader::{Budget, Reader};
use crate::surface_parts::{GeometryPlace, SurfaceBlocks};
use crate::{Block, BoundingVolume, FORMAT, Geometry, SurfaceParts};

/// One surface of a mesh: triangles of one material (UNIGINE: MESH File Format, "Header information for each surface").
///
/// In a mesh of [pieces](crate::File::bind_pieces), every method that reads bytes returns a `Result`, and the errors include
/// [`Incomplete`](meshlens_wire::ErrorKind::Incomplete).
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a, P: Presence = Complete> {
    data: Data<'a>,
    version: Version,
    parts: SurfaceParts,
    blocks: Option<SurfaceBlocks>,
    index: usize,
    presence: PhantomData<P>,
}

impl<'a, P: Presence> Surface<'a, P> {
    pub(crate) const fn new(
        data: Data<'a>,
        version: Version,
        parts: SurfaceParts,
        blocks: Option<SurfaceBlocks>,
        index: usize,
    ) -> Self {
        Surface { data, version, parts, blocks, index, presence: PhantomData }
    }

    /// The index of the surface in the mesh.
    pub const fn index(&self) -> usize {
        self.index
    }

    /// The location of the surface.
    pub const fn parts(&self) -> &SurfaceParts {
        &self.parts
    }

    /// The absolute offset of its header, which begins with its name.
    pub const fn offset(&self) -> u64 {
        self.parts.offset()
    }

    /// The version of the file.
    pub const fn version(&self) -> Version {
        self.version
    }

    fn placed<T>(&self, value: P::Of<T>) -> P::Of<T> {
        P::map_err(value, |error| error.at(Place::new("surface", self.index as u64)))
    }

    fn after_name(&self) -> Result<(Name<'a>, Reader<'a>)> {
        let mut reader = Reader::at(self.data, self.offset())?;
        Ok((reader.string("surface name")?, reader))
    }

    /// The name. Several surfaces of one mesh may have the same.
    pub fn name(&self) -> P::Of<Name<'a>> {
        self.placed(P::read(self.after_name().map(|(name, _)| name), Name::default))
    }

    /// The texture coordinate set and the resolution mode of the light map; `None` before ms12.
    pub fn lightmap(&self) -> Option<P::Of<[i8; 2]>> {
        let read = || {
            let (_, mut reader) = self.after_name()?;
            Ok([reader.cursor.i8("light map")?, reader.cursor.i8("light map")?])
        };
        self.version.has_lightmap().then(|| self.placed(P::read(read(), Default::default)))
    }

    /// The bounding box and sphere, as stored.
    pub fn bounds(&self) -> P::Of<BoundingVolume> {
        let bounds = BoundingVolume::read(self.data, self.parts.bounds());
        self.placed(P::read(bounds, BoundingVolume::default))
    }

    /// The absolute offset of the bounding box and sphere.
    pub const fn bounds_offset(&self) -> u64 {
        self.parts.bounds().offset()
    }

    /// The number of morph targets; 1 in every known file.
    pub const fn target_count(&self) -> usize {
        self.parts.target_count() as usize
    }

    /// The number of vertices of morph target 0. O(1), without unpacking.
    pub const fn vertex_count(&self) -> usize {
        self.parts.geometry().vertex_count() as usize
    }

    /// The number of corners of all triangles, three for each triangle. O(1), without unpacking.
    pub const fn corner_count(&self) -> usize {
        self.parts.geometry().corner_count() as usize
    }

    /// The number of triangles. O(1), without unpacking.
    pub const fn triangle_count(&self) -> usize {
        self.corner_count() / 3
    }

    /// The block that contains the geometry; `None` if the version is not ms14.
    pub fn geometry_block(&self) -> Option<Block<'a, P>> {
        self.blocks.map(|blocks| Block::new(self.data, blocks.geometry, self.index))
    }

    /// The block that contains edges and the spatial tree, as compact integers; `None` if the version is not ms14.
    pub fn edge_block(&self) -> Option<Block<'a, P>> {
        self.blocks.map(|blocks| Block::new(self.data, blocks.edges, self.index))
    }

    /// The offset of the geometry block in the table at the end of the file, and the absolute offset of that entry;
    /// `None` if the version is not ms14.
    pub fn block_entry(&self) -> Option<P::Of<(i64, u64)>> {
        let entry = self.blocks?.entry.offset();
        let read = Reader::at(self.data, entry).and_then(|mut reader| reader.cursor.i64("block offset"));
        Some(self.placed(P::read(read.map(|offset| (offset, entry)), || (0, entry))))
    }

    /// Whether the geometry is packed with LZ4. It must then be unpacked before it can be read.
    pub const fn is_packed(&self) -> bool {
        matches!(self.parts.geometry(), GeometryPlace::Packed(_))
    }

    fn in_place(&self, parts: &GeometryParts) -> Geometry<'a, P> {
        Geometry::new(self.data, self.data, self.parts.header(self.version), *parts, self.index, None)
    }

    /// The geometry, read directly from the file; `None` if it [is packed](Self::is_packed).
    pub fn geometry_in_place(&self) -> Option<Geometry<'a, P>> {
        match self.parts.geometry() {
            GeometryPlace::InFile(parts) => Some(self.in_place(parts)),
            GeometryPlace::Packed(_) => None,
        }
    }

    /// The geometry. If it is packed, it is unpacked into `buffer`, whose content is replaced, within
    /// [`Limits::DEFAULT`]. Otherwise it is read directly from the file.
    ///
    /// # Errors
    ///
    /// Same as [`geometry_with`](Self::geometry_with).
    pub fn geometry<'b>(&self, buffer: &'b mut Vec<u8>) -> Result<Geometry<'b, P>>
    where
        'a: 'b,
    {
        self.geometry_with(buffer, &Limits::DEFAULT)
    }

    /// Like [`geometry`](Self::geometry), within the caller's limits. Unpacked tables are checked in the same way as
    /// tables in the file.
    ///
    /// # Errors
    ///
    /// Only for packed geometry: the unpacked bytes exceed [`Limits::output`], which is checked before anything is
    /// allocated; the bytes are not an LZ4 block of the size that the file gives; or a table ends after the block. The
    /// error has the absolute offset of the block.
    pub fn geometry_with<'b>(&self, buffer: &'b mut Vec<u8>, limits: &Limits) -> Result<Geometry<'b, P>>
    where
        'a: 'b,
    {
        let packed = match self.parts.geometry() {
            GeometryPlace::InFile(parts) => return Ok(self.in_place(parts)),
            GeometryPlace::Packed(packed) => packed,
        };
        let block = Block::<P>::new(self.data, *packed.block(), self.index);
        block.unpack_into(buffer, limits)?;
        let data = Data::new(FORMAT, buffer);
        let header = self.parts.header(self.version);
        let mut budget = Budget::new(limits);
        let parts = Reader::at(data, 0).and_then(|mut reader| {
            GeometryParts::locate(&mut reader, self.data, &header, Some(packed.index_counts), &mut budget)
        });
        let parts = parts.map_err(|error| block.error(*error.kind()))?;
        Ok(Geometry::new(self.data, data, header, parts, self.index, Some(block.offset())))
    }
}
