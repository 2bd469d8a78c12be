//! The first step of a parse: locates each part of a file.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use alloc::vec::Vec;

use meshlens_wire::{Data, Limits, Pieces, Result, SmallSpan, Span};

use crate::anim_index::{AnimationNames, AnimationsParts};
use crate::bounds::BOUND_SIZE;
use crate::geometry_parts::GeometryParts;
use crate::layout::Version;
use crate::reader::{Budget, NonMinimalInts, Reader};
use crate::skeleton::{BoneHeaders, SkeletonParts};
use crate::surface_parts::{Blocks, GeometryPlace, SurfaceHeaders, SurfaceParts};
use crate::{FORMAT, Skeleton};

/// Options of parsing.
///
/// ```
/// use meshlens_unigine::{Mesh, ParseOptions, Version, write, wire::Limits};
///
/// let bytes = write::Model::new(Version::Ms11).write()?;
/// let options = ParseOptions { limits: Limits { count: 100, ..Limits::DEFAULT } };
/// assert_eq!(Mesh::parse_with(&bytes, &options)?.surface_count(), 0);
/// # Ok::<(), meshlens_unigine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParseOptions {
    /// Limits on the cost of parsing.
    pub limits: Limits,
}

impl From<Limits> for ParseOptions {
    fn from(limits: Limits) -> Self {
        ParseOptions { limits }
    }
}

/// The locations of all parts of a mesh or an animation file. Plain data, checked against the length of the file,
/// without the bytes.
///
/// [`Mesh::bind`](crate::Mesh::bind) and [`Anim::bind`](crate::Anim::bind) bind it to the bytes of the file.
#[derive(Clone, Debug)]
pub struct Parts {
    version: Version,
    bounds: Option<SmallSpan>,
    tree_triangles: Option<u32>,
    memory_estimate: Option<i64>,
    skeleton: SkeletonParts,
    animations: AnimationsParts,
    surface_count_offset: Option<u64>,
    surfaces: Vec<SurfaceParts>,
    blocks: Option<Blocks>,
    non_minimal: NonMinimalInts,
    end: u64,
}

/// The versions of all files, for errors.
const ALL_VERSIONS: &str = "\"ms10\" to \"ms14\", \"an10\" or \"an11\"";

/// Reads the fields before the bones: the triangles of a tree node, and the bounds.
fn front(reader: &mut Reader<'_>, version: Version) -> Result<(Option<u32>, Option<SmallSpan>)> {
    let (mut tree_triangles, mut bounds) = (None, None);
    if version.has_blocks() {
        tree_triangles = Some(reader.count("triangles of a tree node")?);
    }
    if version.has_bounds() {
        bounds = Some(reader.cursor.small_span(1, BOUND_SIZE, "bounds")?);
    }
    Ok((tree_triangles, bounds))
}

impl Parts {
    /// Locates the parts of a mesh or an animation file of `file_len` bytes from its first bytes, `prefix`.
    ///
    /// Counts are stored between the tables, and weights and animation records vary in size, so this walks the whole
    /// file. It skips all other tables, whose bytes need not be available. Allocates one entry for each bone and
    /// surface, and one for each [`FRAME_BLOCK`](crate::FRAME_BLOCK) frames of an animation: at most four times the
    /// size of the file plus 64 KiB.
    ///
    /// # Errors
    ///
    /// Same as [`File::parse`](crate::File::parse); [`Incomplete`](meshlens_wire::ErrorKind::Incomplete) if more of the file is
    /// needed, with the number of bytes.
    pub fn locate(prefix: &[u8], file_len: u64, options: &ParseOptions) -> Result<Parts> {
        Self::locate_in(Data::prefix(FORMAT, prefix, file_len), options, ALL_VERSIONS, |_| true)
    }

    /// Like [`locate`](Self::locate), from any pieces of the file: the headers at its front, skin weights, the records of
    /// animations, and the counts between the other tables.
    ///
    /// # Errors
    ///
    /// Same as [`locate`](Self::locate); the bytes that are needed begin at the error's offset.
    pub fn locate_pieces(pieces: &dyn Pieces, options: &ParseOptions) -> Result<Parts> {
        Self::locate_in(Data::of_pieces(FORMAT, pieces), options, ALL_VERSIONS, |_| true)
    }

    /// Locates the parts of a file of a version that `is_wanted` accepts; `expected` names these versions.
    pub(crate) fn locate_in(
        data: Data<'_>,
        options: &ParseOptions,
        expected: &'static str,
        is_wanted: impl Fn(Version) -> bool,
    ) -> Result<Parts> {
        let limits = &options.limits;
        let reader = &mut Reader::at(data, 0)?;
        let mut budget = Budget::new(limits);
        let version = reader.version(expected, is_wanted)?;
        let (tree_triangles, bounds) = front(reader, version)?;
        let bones = BoneHeaders::locate(reader, limits)?;
        let names = AnimationNames::locate(reader, version, limits)?;
        let mut surface_headers = None;
        if version.is_mesh() {
            surface_headers = Some(SurfaceHeaders::locate(reader, version, limits)?);
        }
        let mut memory_estimate = None;
        if version.has_blocks() {
            memory_estimate = Some(reader.cursor.i64("memory")?);
        }

        reader.magic(version)?;
        let skeleton = SkeletonParts::locate(reader, bones)?;
        let animations =
            AnimationsParts::locate(reader, names, Skeleton::new(data, &skeleton, version), &mut budget)?;
        let (mut surfaces, mut blocks) = (Vec::new(), None);
        if let Some(headers) = &surface_headers {
            if version.has_blocks() {
                blocks = Some(Blocks::locate(reader, headers, limits, &mut budget, &mut surfaces)?);
            } else {
                headers.locate_surfaces(reader, limits, &mut surfaces, |reader, header| {
                    let parts = GeometryParts::locate(reader, data, &header.geometry, None, &mut budget)?;
                    Ok(GeometryPlace::InFile(parts))
                })?;
            }
        }
        reader.magic(version)?;
        Ok(Parts {
            version,
            bounds,
            tree_triangles,
            memory_estimate,
            skeleton,
            animations,
            surface_count_offset: surface_headers.map(|headers| headers.count_offset),
            surfaces,
            blocks,
            non_minimal: reader.non_minimal,
            end: reader.offset(),
        })
    }

    /// Locates only the bounding box and sphere, before the other parts. `None` in an11, which does not store them.
    /// Reads at most 9 bytes.
    ///
    /// # Errors
    ///
    /// The magic is wrong; [`Incomplete`](meshlens_wire::ErrorKind::Incomplete) if the first bytes of the file are
    /// missing.
    pub fn locate_bounds(pieces: &dyn Pieces) -> Result<Option<Span>> {
        let reader = &mut Reader::at(Data::of_pieces(FORMAT, pieces), 0)?;
        let version = reader.version(ALL_VERSIONS, |_| true)?;
        let (_, bounds) = front(reader, version)?;
        Ok(bounds.map(|bounds| bounds.span()))
    }

    /// The version.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// The bounding box and sphere, 40 bytes; `None` in an11.
    pub fn bounds(&self) -> Option<Span> {
        self.bounds.map(|bounds| bounds.span())
    }

    /// The number of triangles in a node of the spatial trees; `None` if the version is not ms14.
    pub const fn tree_triangles(&self) -> Option<u32> {
        self.tree_triangles
    }

    /// The number of bytes that the mesh takes in memory, as its writer estimated it; `None` if the version is not
    /// ms14.
    pub const fn memory_estimate(&self) -> Option<i64> {
        self.memory_estimate
    }

    /// The locations of the bones.
    pub const fn skeleton(&self) -> &SkeletonParts {
        &self.skeleton
    }

    /// The locations of the animations.
    pub const fn animations(&self) -> &AnimationsParts {
        &self.animations
    }

    /// The absolute offset of the number of surfaces; `None` in an animation file.
    pub const fn surface_count_offset(&self) -> Option<u64> {
        self.surface_count_offset
    }

    /// The locations of the surfaces, in file order; empty in an animation file.
    pub fn surfaces(&self) -> &[SurfaceParts] {
        &self.surfaces
    }

    /// The locations of the blocks; `None` if the version is not ms14.
    pub const fn blocks(&self) -> Option<&Blocks> {
        self.blocks.as_ref()
    }

    /// The compact integers that are not stored in their shortest form.
    pub const fn non_minimal_ints(&self) -> NonMinimalInts {
        self.non_minimal
    }

    /// The absolute offset after the last magic.
    pub const fn end(&self) -> u64 {
        self.end
    }
}
