//! One surface of a mesh: its header, and the way to its geometry.

use alloc::vec::Vec;

use meshlens_wire::{Data, Limits, Name, Result};

use crate::block::BlockParts;
use crate::geometry::{GeometryHeader, GeometryParts};
use crate::layout::Version;
use crate::locate::{BoundingVolume, read_bound};
use crate::reader::{Budget, Reader};
use crate::{Block, FORMAT, Geometry};

/// Where a surface's parts lie: plain data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceParts {
    /// Of its name.
    pub(crate) offset: u64,
    pub(crate) bound: u64,
    pub(crate) header: GeometryHeader,
    /// Vertices of target 0, as the header says (ms14).
    pub(crate) vertices: u32,
    pub(crate) geometry: GeometryParts,
}

/// The blocks of a surface of ms14: its geometry, its edges and tree, and the offset the file gives for the first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SurfaceBlocks {
    pub(crate) geometry: BlockParts,
    pub(crate) edges: BlockParts,
    /// Of the entry in the table of offsets at the end.
    pub(crate) entry: u64,
}

/// One surface of a mesh: triangles of one material (UNIGINE: MESH File Format, "Header information for each surface").
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    data: Data<'a>,
    parts: SurfaceParts,
    blocks: Option<SurfaceBlocks>,
    index: usize,
}

impl<'a> Surface<'a> {
    pub(crate) const fn new(
        data: Data<'a>,
        parts: SurfaceParts,
        blocks: Option<SurfaceBlocks>,
        index: usize,
    ) -> Self {
        Surface { data, parts, blocks, index }
    }

    /// The surface's number in the mesh.
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Absolute offset of its header, which begins with its name.
    pub const fn offset(&self) -> u64 {
        self.parts.offset
    }

    /// The version of the file.
    pub const fn version(&self) -> Version {
        self.parts.header.version
    }

    fn after_name(&self) -> Option<(Name<'a>, Reader<'a>)> {
        let mut reader = Reader::at(self.data, self.parts.offset).ok()?;
        let name = reader.string("surface name").ok()?;
        Some((name, reader))
    }

    /// The name. Several surfaces of one mesh may share one.
    pub fn name(&self) -> Name<'a> {
        self.after_name().map(|(name, _)| name).unwrap_or_default()
    }

    /// The light map's texture coordinate set and resolution mode (ms12 and later).
    pub fn lightmap(&self) -> Option<[i8; 2]> {
        if !self.version().has_lightmap() {
            return None;
        }
        let (_, mut reader) = self.after_name()?;
        Some([reader.cursor.i8("light map").ok()?, reader.cursor.i8("light map").ok()?])
    }

    /// The bounding box and sphere, as stored.
    pub fn bounds(&self) -> BoundingVolume {
        read_bound(self.data, self.parts.bound)
    }

    /// Absolute offset of the bounding box and sphere.
    pub const fn bounds_offset(&self) -> u64 {
        self.parts.bound
    }

    /// How many morph targets there are; 1 in every file seen.
    pub fn target_count(&self) -> usize {
        usize::try_from(self.parts.header.target_count).unwrap_or(usize::MAX)
    }

    /// Vertices of morph target 0. Known without unpacking.
    pub fn vertex_count(&self) -> usize {
        let count = match self.blocks {
            Some(_) => self.parts.vertices,
            None => self.parts.geometry.vertices(),
        };
        usize::try_from(count).unwrap_or(usize::MAX)
    }

    /// Corners of triangles: three for each. Known without unpacking.
    pub fn corner_count(&self) -> usize {
        let count = match self.blocks {
            Some(_) => self.parts.header.index_counts[0],
            None => self.parts.geometry.corners(),
        };
        usize::try_from(count).unwrap_or(usize::MAX)
    }

    /// Triangles.
    pub fn triangle_count(&self) -> usize {
        self.corner_count() / 3
    }

    /// The block that holds the geometry (ms14).
    pub fn geometry_block(&self) -> Option<Block<'a>> {
        self.blocks.map(|blocks| Block::new(self.data, blocks.geometry, self.index))
    }

    /// The block that holds edges and the spatial tree (ms14): compact integers, given as they lie.
    pub fn edge_block(&self) -> Option<Block<'a>> {
        self.blocks.map(|blocks| Block::new(self.data, blocks.edges, self.index))
    }

    /// What the table of offsets at the end says of the geometry block, and the absolute offset of that entry (ms14).
    pub fn block_entry(&self) -> Option<(i64, u64)> {
        let entry = self.blocks?.entry;
        Some((Reader::at(self.data, entry).ok()?.cursor.i64("block offset").ok()?, entry))
    }

    /// Whether the geometry is an LZ4 block, and must be unpacked to be read.
    pub fn is_packed(&self) -> bool {
        self.blocks.is_some_and(|blocks| blocks.geometry.is_packed())
    }

    /// The geometry where it lies in the file; `None` where it [is packed](Self::is_packed).
    pub fn geometry_in_place(&self) -> Option<Geometry<'a>> {
        (!self.is_packed()).then(|| {
            Geometry::new(self.data, self.data, self.parts.header, self.parts.geometry, self.index, None)
        })
    }

    /// The geometry: where it lies in the file when it can be, and otherwise unpacked into `buffer`, whose content is
    /// replaced. All of [`Limits::DEFAULT`].
    ///
    /// # Errors
    ///
    /// As [`geometry_within`](Self::geometry_within).
    pub fn geometry<'b>(&self, buffer: &'b mut Vec<u8>) -> Result<Geometry<'b>>
    where
        'a: 'b,
    {
        self.geometry_within(buffer, &Limits::DEFAULT)
    }

    /// As [`geometry`](Self::geometry), within the caller's limits. What was unpacked is proven as the file was.
    ///
    /// # Errors
    ///
    /// Only where it is packed: more bytes than [`Limits::output`], before anything is allocated; bytes that are no LZ4
    /// block of the size they claim; tables that leave the block. The error's offset is that of the block.
    pub fn geometry_within<'b>(&self, buffer: &'b mut Vec<u8>, limits: &Limits) -> Result<Geometry<'b>>
    where
        'a: 'b,
    {
        if let Some(geometry) = self.geometry_in_place() {
            return Ok(geometry);
        }
        let block = Block::new(self.data, self.blocks.unwrap_or_default().geometry, self.index);
        block.unpack_into(buffer, limits)?;
        let data = Data::new(FORMAT, buffer);
        let mut budget = Budget::new(limits);
        let parts = Reader::at(data, 0).and_then(|mut reader| {
            GeometryParts::locate(&mut reader, self.data, &self.parts.header, &mut budget)
        });
        let parts = parts.map_err(|error| block.error(*error.kind()))?;
        Ok(Geometry::new(self.data, data, self.parts.header, parts, self.index, Some(block.offset())))
    }
}
