//! The first step of a parse: where each part of a mesh lies.

use alloc::vec::Vec;

use meshlens_lens::Bounds;
use meshlens_wire::{Data, Limits, Place, Result};
use zerocopy::little_endian::F32;

use crate::Skeleton;
use crate::block::BlockParts;
use crate::geometry::{GeometryHeader, GeometryParts};
use crate::layout::{Bound, Version};
use crate::reader::{Budget, LongForms, Reader, file};
use crate::skeleton::SkeletonParts;
use crate::surface::{SurfaceBlocks, SurfaceParts};
use crate::tracks::AnimationsParts;

const BOUND_SIZE: u64 = size_of::<Bound>() as u64;

/// A bounding box and sphere (UNIGINE: MESH File Format, "Bounding volume").
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoundingVolume {
    /// The box. Inside out around nothing, as in every an10 file: least corner 1e9, greatest -1e9.
    pub bounds: Bounds,
    /// The sphere's centre.
    pub center: [f32; 3],
    /// The sphere's radius; -1 around nothing.
    pub radius: f32,
}

impl BoundingVolume {
    /// What writers give where there is nothing to bound.
    pub const EMPTY: BoundingVolume =
        BoundingVolume { bounds: Bounds { min: [1e9; 3], max: [-1e9; 3] }, center: [0.0; 3], radius: -1.0 };

    /// Whether it is around nothing: the box inside out along every axis.
    pub fn is_empty(&self) -> bool {
        self.bounds.min.iter().zip(self.bounds.max).all(|(min, max)| *min > max)
    }

    /// Whether no number is NaN or infinite.
    pub fn is_finite(&self) -> bool {
        let Bounds { min, max } = self.bounds;
        self.radius.is_finite() && [min, max, self.center].as_flattened().iter().all(|v| v.is_finite())
    }
}

/// The volume at an absolute offset that was proven.
pub(crate) fn read_bound(data: Data<'_>, offset: u64) -> BoundingVolume {
    let Ok(record) = data.record::<Bound>(offset, "bounds") else { return BoundingVolume::default() };
    BoundingVolume {
        bounds: Bounds { min: record.min.map(F32::get), max: record.max.map(F32::get) },
        center: record.center.map(F32::get),
        radius: record.radius.get(),
    }
}

/// Where every part of a mesh lies: plain data, proven against the length of the file, bound to no bytes.
///
/// [`Mesh`](crate::Mesh) is this plus the bytes.
#[derive(Clone, Debug)]
pub struct Parts {
    pub(crate) version: Version,
    pub(crate) tree_triangles: u32,
    pub(crate) bound: u64,
    pub(crate) skeleton: SkeletonParts,
    pub(crate) animations: AnimationsParts,
    pub(crate) surfaces: Vec<SurfaceParts>,
    /// One for each surface of ms14, none in other versions.
    pub(crate) blocks: Vec<SurfaceBlocks>,
    /// Of the surfaces' count.
    pub(crate) surfaces_offset: u64,
    pub(crate) memory: i64,
    pub(crate) long_forms: LongForms,
    pub(crate) end: u64,
}

impl Parts {
    /// Locates the parts of a mesh of which `prefix` holds the first bytes and `file_len` is the whole length.
    ///
    /// Counts stand between the tables, and weights and frames differ in size, so this walks the whole file; it steps
    /// over everything else, and only the last table may lie behind the prefix. What lies there too early is an
    /// [`Incomplete`](meshlens_wire::ErrorKind::Incomplete), which says how many bytes to come back with. Allocates
    /// one entry per bone and per surface, and as [`FRAME_BLOCK`](crate::FRAME_BLOCK) says for animations: at most
    /// four times the file and 64 KiB.
    ///
    /// # Errors
    ///
    /// As [`Mesh::parse`](crate::Mesh::parse).
    pub fn locate(prefix: &[u8], file_len: u64, limits: &Limits) -> Result<Parts> {
        Self::locate_in(file(prefix, file_len), limits)
    }

    pub(crate) fn locate_in(data: Data<'_>, limits: &Limits) -> Result<Parts> {
        let mut reader = Reader::at(data, 0)?;
        let reader = &mut reader;
        let mut budget = Budget::new(limits);
        let version = reader.version(true)?;
        let tree_triangles =
            if version.has_blocks() { reader.count("triangles of a tree node")? } else { 0 };
        let bound = reader.offset();
        reader.cursor.take(BOUND_SIZE, "bounds")?;
        let mut skeleton = SkeletonParts::locate_headers(reader, limits)?;
        let mut animations = AnimationsParts::default();
        if version.has_animations() {
            animations = AnimationsParts::locate_names(reader, version, limits)?;
        }
        let surfaces_offset = reader.offset();
        let mut surfaces = surface_headers(reader, version, limits)?;
        let memory = if version.has_blocks() { reader.cursor.i64("memory")? } else { 0 };

        reader.magic(version)?;
        skeleton.locate_transforms(reader)?;
        animations.locate_tracks(reader, Skeleton::new(data, &skeleton, version), &mut budget)?;
        let mut blocks = Vec::new();
        if version.has_blocks() {
            blocks = surface_blocks(reader, &mut surfaces, &mut budget)?;
        } else {
            for (index, surface) in (0u64..).zip(&mut surfaces) {
                surface.geometry = GeometryParts::locate(reader, data, &surface.header, &mut budget)
                    .map_err(|error| error.at(Place::new("surface", index)))?;
            }
        }
        reader.magic(version)?;
        Ok(Parts {
            version,
            tree_triangles,
            bound,
            skeleton,
            animations,
            surfaces,
            blocks,
            surfaces_offset,
            memory,
            long_forms: reader.long_forms,
            end: reader.offset(),
        })
    }

    /// The version.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// Absolute end of the mesh: behind its last magic.
    pub const fn end(&self) -> u64 {
        self.end
    }
}

/// Bytes of a surface at least, header and data, with a name and morph targets of none.
const fn least_surface(version: Version) -> u32 {
    match version {
        Version::Ms10 | Version::Ms11 => 48,
        Version::Ms12 | Version::Ms13 => 50,
        _ => 86,
    }
}

fn surface_headers(reader: &mut Reader<'_>, version: Version, limits: &Limits) -> Result<Vec<SurfaceParts>> {
    let count = reader.parts("surfaces", least_surface(version), limits)?;
    let mut surfaces = Vec::new();
    surfaces.reserve_exact(usize::try_from(count).unwrap_or_default());
    for index in 0..u64::from(count) {
        let surface = surface_header(reader, version, limits);
        surfaces.push(surface.map_err(|error| error.at(Place::new("surface", index)))?);
    }
    Ok(surfaces)
}

fn surface_header(reader: &mut Reader<'_>, version: Version, limits: &Limits) -> Result<SurfaceParts> {
    let offset = reader.offset();
    reader.string("surface name")?;
    if version.has_lightmap() {
        reader.cursor.take(2, "light map")?;
    }
    let mut index_counts = [0; 2];
    if version.has_blocks() {
        index_counts = [reader.count("coordinate indices")?, reader.count("triangle indices")?];
    }
    let bound = reader.offset();
    reader.cursor.take(BOUND_SIZE, "bounds")?;
    // A name's length, and the count or counts of vertices and tangents; all but one may lie in a packed block.
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
    let header = GeometryHeader { version, targets, target_count, index_counts };
    Ok(SurfaceParts { offset, bound, header, vertices, geometry: GeometryParts::default() })
}

/// Walks the blocks of ms14, and the geometry of those that are not packed.
fn surface_blocks(
    reader: &mut Reader<'_>,
    surfaces: &mut [SurfaceParts],
    budget: &mut Budget,
) -> Result<Vec<SurfaceBlocks>> {
    let mut blocks = Vec::new();
    blocks.reserve_exact(surfaces.len());
    for (index, surface) in (0u64..).zip(surfaces.iter_mut()) {
        let block = geometry_block(reader, surface, budget);
        let geometry = block.map_err(|error| error.at(Place::new("surface", index)))?;
        blocks.push(SurfaceBlocks { geometry, ..SurfaceBlocks::default() });
    }
    reader.magic(Version::Ms14)?;
    for (index, block) in (0u64..).zip(&mut blocks) {
        let edges = BlockParts::locate(reader);
        block.edges = edges.map_err(|error| error.at(Place::new("surface", index)))?;
    }
    reader.magic(Version::Ms14)?;
    for block in &mut blocks {
        block.entry = reader.offset();
        reader.cursor.i64("block offset")?;
    }
    Ok(blocks)
}

fn geometry_block(
    reader: &mut Reader<'_>,
    surface: &mut SurfaceParts,
    budget: &mut Budget,
) -> Result<BlockParts> {
    let data = reader.data();
    let mut ahead = *reader;
    let block = BlockParts::locate(&mut ahead)?;
    if !block.is_packed() {
        // Tables must not leave the block: for them, the file ends where it does.
        let end = block.content().end;
        let here = usize::try_from(end).unwrap_or(usize::MAX).min(data.bytes().len());
        let inside = file(data.bytes().get(..here).unwrap_or_default(), end);
        let mut content = Reader::at(inside, block.content().start)?;
        content.long_forms = ahead.long_forms;
        surface.geometry = GeometryParts::locate(&mut content, data, &surface.header, budget)?;
        ahead.long_forms = content.long_forms;
    }
    *reader = ahead;
    Ok(block)
}
