//! The locations of surfaces: their headers, their geometry, and the blocks of ms14.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use alloc::vec::Vec;

use meshlens_wire::{Limits, Place, Result, SmallSpan, Span};

use crate::block::BlockParts;
use crate::bounds::BOUND_SIZE;
use crate::geometry_parts::{GeometryHeader, GeometryParts};
use crate::layout::Version;
use crate::reader::{Budget, Reader};

/// The locations of the parts of one surface.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceParts {
    offset: u64,
    bounds: SmallSpan,
    /// The offset of the header of the first morph target.
    targets: u64,
    target_count: u32,
    geometry: GeometryPlace,
}

// A file of empty surfaces has 48 bytes for each, and parsing may allocate four times the size of the file.
const _: () = assert!(size_of::<SurfaceParts>() <= 192);

/// The location of the geometry of a surface.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum GeometryPlace {
    /// In the file, so that lenses can read it.
    InFile(GeometryParts),
    /// In a block of ms14 that is packed with LZ4. Its tables are located when it is unpacked.
    Packed(PackedGeometry),
}

/// The block of a packed geometry, and the fields of the surface header about it.
#[derive(Clone, Copy, Debug)]
pub struct PackedGeometry {
    block: BlockParts,
    vertices: u32,
    pub(crate) index_counts: [u32; 2],
}

/// The locations of the blocks of ms14.
#[derive(Clone, Debug)]
pub struct Blocks {
    geometry: Vec<BlockParts>,
    edges: Vec<BlockParts>,
    offsets: Span,
}

/// The blocks of one surface of ms14.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceBlocks {
    pub(crate) geometry: BlockParts,
    pub(crate) edges: BlockParts,
    /// The entry in the table of offsets.
    pub(crate) entry: Span,
}

impl SurfaceParts {
    /// The absolute offset of the header of the surface, which begins with its name.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The bounding box and sphere, 40 bytes.
    pub const fn bounds(&self) -> Span {
        self.bounds.span()
    }

    /// The number of morph targets.
    pub const fn target_count(&self) -> u32 {
        self.target_count
    }

    /// The location of the geometry.
    pub const fn geometry(&self) -> &GeometryPlace {
        &self.geometry
    }

    pub(crate) const fn header(&self, version: Version) -> GeometryHeader {
        GeometryHeader { version, targets: self.targets, target_count: self.target_count }
    }
}

impl GeometryPlace {
    /// The number of vertices of morph target 0.
    pub const fn vertex_count(&self) -> u32 {
        match self {
            GeometryPlace::InFile(parts) => parts.vertex_count(),
            GeometryPlace::Packed(packed) => packed.vertices,
        }
    }

    /// The number of corners of all triangles.
    pub const fn corner_count(&self) -> u32 {
        match self {
            GeometryPlace::InFile(parts) => parts.corner_count(),
            GeometryPlace::Packed(PackedGeometry { index_counts: [corners, _], .. }) => *corners,
        }
    }
}

impl PackedGeometry {
    /// The lengths of the lists of coordinate indices and of triangle indices.
    pub const fn index_counts(&self) -> [u32; 2] {
        self.index_counts
    }

    /// The location of the block.
    pub const fn block(&self) -> &BlockParts {
        &self.block
    }
}

/// The smallest number of bytes of a surface, header and data, with an empty name and no morph targets.
const fn least_surface(version: Version) -> u32 {
    match version {
        Version::Ms10 | Version::Ms11 => 48,
        Version::Ms12 | Version::Ms13 => 50,
        _ => 86,
    }
}

/// The headers of the surfaces, which come before all of their data.
pub(crate) struct SurfaceHeaders {
    version: Version,
    pub(crate) count_offset: u64,
    count: u32,
    /// The offset of the first header.
    start: u64,
}

/// The header of one surface.
pub(crate) struct SurfaceHeader {
    offset: u64,
    bounds: SmallSpan,
    pub(crate) geometry: GeometryHeader,
    /// The number of vertices of morph target 0, and the lengths of both index lists. Only the header of ms14 has them.
    counts: Option<(u32, [u32; 2])>,
}

impl SurfaceHeaders {
    /// Reads the headers, and keeps their offset: they are read again in parallel to the data.
    pub(crate) fn locate(reader: &mut Reader<'_>, version: Version, limits: &Limits) -> Result<Self> {
        let count_offset = reader.offset();
        let count = reader.parts("surfaces", least_surface(version), limits)?;
        let start = reader.offset();
        for index in 0..u64::from(count) {
            SurfaceHeader::read(reader, version, limits)
                .map_err(|error| error.at(Place::new("surface", index)))?;
        }
        Ok(SurfaceHeaders { version, count_offset, count, start })
    }

    /// Adds the parts of every surface to `surfaces`. `locate` locates the geometry of the next surface.
    pub(crate) fn locate_surfaces<'a>(
        &self,
        reader: &mut Reader<'a>,
        limits: &Limits,
        surfaces: &mut Vec<SurfaceParts>,
        mut locate: impl FnMut(&mut Reader<'a>, &SurfaceHeader) -> Result<GeometryPlace>,
    ) -> Result<()> {
        let mut headers = Reader::at(reader.data(), self.start)?;
        surfaces.reserve_exact(self.count as usize);
        for index in 0..u64::from(self.count) {
            let header = SurfaceHeader::read(&mut headers, self.version, limits)?;
            let geometry = locate(reader, &header).map_err(|error| error.at(Place::new("surface", index)))?;
            let SurfaceHeader { offset, bounds, geometry: of, .. } = header;
            let GeometryHeader { targets, target_count, .. } = of;
            surfaces.push(SurfaceParts { offset, bounds, targets, target_count, geometry });
        }
        Ok(())
    }
}

impl SurfaceHeader {
    fn read(reader: &mut Reader<'_>, version: Version, limits: &Limits) -> Result<Self> {
        let offset = reader.offset();
        reader.string("surface name")?;
        if version.has_lightmap() {
            reader.cursor.take(2, "light map")?;
        }
        let mut index_counts = None;
        if version.has_blocks() {
            index_counts = Some([reader.count("coordinate indices")?, reader.count("triangle indices")?]);
        }
        let bounds = reader.cursor.small_span(1, BOUND_SIZE, "bounds")?;
        // The length of a name, and one or two numbers of vertices and tangents. All of them except one may be packed.
        let target_count = reader.parts("morph targets", 2, limits)?;
        let targets = reader.offset();
        let mut vertices = 0;
        for target in 0..target_count {
            reader.string("morph target name")?;
            if version.has_blocks() {
                let count = reader.count("vertices")?;
                vertices = if target == 0 { count } else { vertices };
            }
        }
        let counts = index_counts.map(|counts| (vertices, counts));
        let geometry = GeometryHeader { version, targets, target_count };
        Ok(SurfaceHeader { offset, bounds, geometry, counts })
    }
}

impl Blocks {
    /// Walks the blocks, and locates the geometry of those that are not packed.
    pub(crate) fn locate(
        reader: &mut Reader<'_>,
        headers: &SurfaceHeaders,
        limits: &Limits,
        budget: &mut Budget,
        surfaces: &mut Vec<SurfaceParts>,
    ) -> Result<Blocks> {
        let count = headers.count as usize;
        let [mut geometry, mut edges] = [Vec::new(), Vec::new()];
        geometry.reserve_exact(count);
        headers.locate_surfaces(reader, limits, surfaces, |reader, header| {
            let (block, place) = geometry_block(reader, header, budget)?;
            geometry.push(block);
            Ok(place)
        })?;
        reader.magic(Version::Ms14)?;
        edges.reserve_exact(count);
        for index in 0..u64::from(headers.count) {
            let block = BlockParts::locate(reader);
            edges.push(block.map_err(|error| error.at(Place::new("surface", index)))?);
        }
        reader.magic(Version::Ms14)?;
        let offsets = reader.cursor.span(headers.count.into(), 8, "block offset")?;
        Ok(Blocks { geometry, edges, offsets })
    }

    /// The block of the geometry of each surface.
    pub fn geometry(&self) -> &[BlockParts] {
        &self.geometry
    }

    /// The block of the edges and the spatial tree of each surface.
    pub fn edges(&self) -> &[BlockParts] {
        &self.edges
    }

    /// The table of the absolute offsets of the geometry blocks, an `i64` each.
    pub const fn offsets(&self) -> Span {
        self.offsets
    }

    pub(crate) fn surface(&self, index: usize) -> Option<SurfaceBlocks> {
        Some(SurfaceBlocks {
            geometry: *self.geometry.get(index)?,
            edges: *self.edges.get(index)?,
            entry: self.offsets.slice(index as u64, 1)?,
        })
    }
}

fn geometry_block(
    reader: &mut Reader<'_>,
    header: &SurfaceHeader,
    budget: &mut Budget,
) -> Result<(BlockParts, GeometryPlace)> {
    let data = reader.data();
    let mut ahead = *reader;
    let block = BlockParts::locate(&mut ahead)?;
    // The header of ms14 has the counts.
    let (vertices, index_counts) = header.counts.unwrap_or((0, [0; 2]));
    if block.is_packed() {
        *reader = ahead;
        return Ok((block, GeometryPlace::Packed(PackedGeometry { block, vertices, index_counts })));
    }
    // Tables must not end after the block, so the end of the block is treated as the end of the file.
    let range = block.content().byte_range();
    let mut content = Reader::at(data.ending_at(range.end), range.start)?;
    content.non_minimal = ahead.non_minimal;
    let parts = GeometryParts::locate(&mut content, data, &header.geometry, Some(index_counts), budget)?;
    ahead.non_minimal = content.non_minimal;
    *reader = ahead;
    Ok((block, GeometryPlace::InFile(parts)))
}
