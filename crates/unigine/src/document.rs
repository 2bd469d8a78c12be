//! A mesh whose tables are proven: bones, animations and surfaces.

use meshlens_wire::{Data, Limits, Result};

use crate::layout::Version;
use crate::locate::{BoundingVolume, read_bound};
use crate::reader::file;
use crate::{Animation, Parts, Skeleton, Surface};

/// A `.mesh` over borrowed bytes. See the [crate] for its space and conventions.
#[derive(Clone, Debug)]
pub struct Mesh<'a> {
    data: Data<'a>,
    parts: Parts,
}

impl<'a> Mesh<'a> {
    /// Parses a mesh of any version.
    ///
    /// O(file): counts stand between the tables, and weights and frames differ in size, so the file is walked once,
    /// front to back. Tables of fixed-size elements are stepped over. Allocates one entry per bone and surface, and
    /// per [`FRAME_BLOCK`](crate::FRAME_BLOCK) frames of an animation.
    ///
    /// # Errors
    ///
    /// Another magic at the start, in the middle or at the end; a negative count, or one that claims more than the bytes
    /// that are left; a string without NUL; bones whose parents do not exist or go around in a circle; more than four
    /// bones for one vertex; more parts, records or frames without bones than [`Limits::DEFAULT`] allows. The error
    /// names the field's own offset.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        Self::parse_within(bytes, &Limits::DEFAULT)
    }

    /// As [`parse`](Self::parse), within the caller's limits.
    pub fn parse_within(bytes: &'a [u8], limits: &Limits) -> Result<Self> {
        let data = file(bytes, bytes.len() as u64);
        Ok(Mesh { data, parts: Parts::locate_in(data, limits)? })
    }

    /// Binds parts located earlier to the whole file's bytes, which must be those they were located in.
    ///
    /// # Errors
    ///
    /// [`OutOfBounds`](meshlens_wire::ErrorKind::OutOfBounds) when there are fewer bytes than the mesh has.
    pub fn bind(parts: Parts, bytes: &'a [u8]) -> Result<Self> {
        let data = file(bytes, bytes.len() as u64);
        data.take(0, parts.end, "mesh")?;
        Ok(Mesh { data, parts })
    }

    /// Where every part lies.
    pub const fn parts(&self) -> &Parts {
        &self.parts
    }

    pub(crate) const fn data(&self) -> Data<'a> {
        self.data
    }

    /// The version.
    pub const fn version(&self) -> Version {
        self.parts.version
    }

    /// The bounding box and sphere of the whole mesh, as stored.
    pub fn bounds(&self) -> BoundingVolume {
        read_bound(self.data, self.parts.bound)
    }

    /// Absolute offset of the bounding box and sphere.
    pub const fn bounds_offset(&self) -> u64 {
        self.parts.bound
    }

    /// Absolute end of the mesh: behind its last magic.
    pub const fn end(&self) -> u64 {
        self.parts.end
    }

    /// Triangles in a node of the spatial trees (ms14); 0 in other versions.
    pub const fn tree_triangles(&self) -> u32 {
        self.parts.tree_triangles
    }

    /// What the writer thought the mesh takes in memory, in bytes (ms14); 0 in other versions.
    pub const fn memory_estimate(&self) -> i64 {
        self.parts.memory
    }

    /// The bones.
    pub const fn skeleton(&self) -> Skeleton<'_, 'a> {
        Skeleton::new(self.data, &self.parts.skeleton, self.parts.version)
    }

    /// How many animations there are; none in ms13 and ms14.
    pub fn animation_count(&self) -> usize {
        usize::try_from(self.parts.animations.count).unwrap_or(usize::MAX)
    }

    /// Animation `index`, or `None` past the last.
    pub fn animation(&self, index: usize) -> Option<Animation<'_, 'a>> {
        Animation::find(&self.parts.animations, self.skeleton(), index)
    }

    /// The animations, in order.
    pub fn animations(&self) -> impl Iterator<Item = Animation<'_, 'a>> + '_ {
        (0..self.animation_count()).map_while(|index| self.animation(index))
    }

    /// Number of surfaces.
    pub fn surface_count(&self) -> usize {
        self.parts.surfaces.len()
    }

    /// Surface `index`, or `None` past the last.
    pub fn surface(&self, index: usize) -> Option<Surface<'a>> {
        let parts = self.parts.surfaces.get(index)?;
        Some(Surface::new(self.data, *parts, self.parts.blocks.get(index).copied(), index))
    }

    /// The surfaces, in order.
    pub fn surfaces(&self) -> impl ExactSizeIterator<Item = Surface<'a>> + DoubleEndedIterator + '_ {
        self.parts.surfaces.iter().enumerate().map(|(index, parts)| {
            Surface::new(self.data, *parts, self.parts.blocks.get(index).copied(), index)
        })
    }

    /// The first surface of this name, byte for byte.
    pub fn find_surface(&self, name: &str) -> Option<Surface<'a>> {
        self.surfaces().find(|surface| surface.name() == name)
    }
}
