//! A surface as plain arrays.

use alloc::vec::Vec;

use crate::encoding::{UnigineTangent, UnigineTangentMs10};
use meshlens_lens::{Encode, ValueLens};
use meshlens_wire::{Limits, Record, Result, Writer};
use zerocopy::little_endian::I16;

use super::fields;
use super::{CHECKS, name};
use crate::layout::{MAX_INFLUENCES, Version};
use crate::{BoundingVolume, Influence, index_width};

/// One surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The name, with its NUL.
    pub name: Vec<u8>,
    /// The texture coordinate set and the resolution mode of the light map; only written from ms12 on.
    pub lightmap: [i8; 2],
    /// The bounding box and sphere; see [`Model::recompute_bounds`](super::Model::recompute_bounds).
    pub bounds: BoundingVolume,
    /// The morph targets; the first one is the surface itself.
    pub targets: Vec<Target>,
    /// The bones and weights of each vertex; empty for a surface without skin.
    pub weights: Vec<Influence>,
    /// The texture coordinates of set 0, one for each tangent frame. May be empty.
    pub texcoords0: Vec<[f32; 2]>,
    /// The texture coordinates of set 1, one for each tangent frame. May be empty.
    pub texcoords1: Vec<[f32; 2]>,
    /// The colors, one for each tangent frame: red, green, blue and alpha. May be empty.
    pub colors: Vec<[u8; 4]>,
    /// The index of a position for each corner, three per triangle, counter-clockwise.
    pub coordinate_indices: Vec<u32>,
    /// The index of a tangent frame for each corner.
    pub triangle_indices: Vec<u32>,
    /// The unpacked content of the block with edges and the spatial tree; only written in ms14.
    pub edges: Vec<u8>,
}

/// One morph target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Target {
    /// The name, with its NUL.
    pub name: Vec<u8>,
    /// The absolute positions, the same number in every target.
    pub positions: Vec<[f32; 3]>,
    /// The tangent frames as they are stored: x, y, z and w as snorm integers. In ms10, the fourth number is the sign
    /// of the bitangent, an `i8`.
    pub tangents: Vec<[i16; 4]>,
}

impl Target {
    /// Adds tangent frames, encoded with [`UnigineTangent`], or with [`UnigineTangentMs10`] in ms10. The quaternion
    /// rotates Z to the normal and X to the tangent, and the sign of w is the sign of the bitangent.
    pub fn add_tangents(&mut self, version: Version, quaternions: &[[f32; 4]]) {
        self.tangents.extend(quaternions.iter().map(|quaternion| match version {
            Version::Ms10 => {
                let ([x, y, z], sign) = UnigineTangentMs10::parts(UnigineTangentMs10.encode(*quaternion));
                [x, y, z, sign.into()]
            }
            _ => UnigineTangent.encode(*quaternion).map(I16::get),
        }));
    }
}

impl Surface {
    /// Makes a surface with this name and one empty morph target.
    ///
    /// # Errors
    ///
    /// Same as [`name`].
    pub fn new(text: &str) -> Result<Self> {
        Ok(Surface {
            name: name(text)?,
            lightmap: [0; 2],
            bounds: BoundingVolume::EMPTY,
            targets: alloc::vec![Target { name: name("")?, ..Target::default() }],
            weights: Vec::new(),
            texcoords0: Vec::new(),
            texcoords1: Vec::new(),
            colors: Vec::new(),
            coordinate_indices: Vec::new(),
            triangle_indices: Vec::new(),
            edges: Vec::new(),
        })
    }

    /// Adds a triangle of three corners, counter-clockwise, each a coordinate index and a triangle index.
    pub fn add_triangle(&mut self, corners: [[u32; 2]; 3]) {
        self.coordinate_indices.extend(corners.map(|[coordinate, _]| coordinate));
        self.triangle_indices.extend(corners.map(|[_, triangle]| triangle));
    }

    /// The positions of all morph targets.
    pub(super) fn positions(&self) -> impl Iterator<Item = [f32; 3]> + Clone + '_ {
        self.targets.iter().flat_map(|target| target.positions.iter().copied())
    }

    pub(super) fn counts(&self) -> (usize, usize) {
        self.targets.first().map_or((0, 0), |first| (first.positions.len(), first.tangents.len()))
    }

    /// Checks that the lengths of the arrays agree and that indices are in range.
    pub(super) fn check(&self, version: Version, bones: usize) -> Result<()> {
        let (vertices, tangents) = self.counts();
        for target in &self.targets {
            CHECKS.length("vertices of a morph target", vertices, target.positions.len())?;
            CHECKS.length("tangents of a morph target", tangents, target.tangents.len())?;
        }
        let optional =
            |what, count, found| if found == 0 { Ok(()) } else { CHECKS.length(what, count, found) };
        optional("weights", vertices, self.weights.len())?;
        optional("texture coordinates", tangents, self.texcoords0.len())?;
        optional("texture coordinates", tangents, self.texcoords1.len())?;
        optional("colors", tangents, self.colors.len())?;
        CHECKS.length("triangle indices", self.coordinate_indices.len(), self.triangle_indices.len())?;
        if !self.coordinate_indices.len().is_multiple_of(3) {
            return Err(CHECKS.value("coordinate indices", "a multiple of 3", self.coordinate_indices.len()));
        }
        CHECKS.all_below("vertex", self.coordinate_indices.iter().copied(), vertices)?;
        CHECKS.all_below("tangent", self.triangle_indices.iter().copied(), tangents)?;
        for influence in &self.weights {
            if influence.count > MAX_INFLUENCES {
                return Err(CHECKS.value("bones of a vertex", "at most 4", influence.count.into()));
            }
            CHECKS.all_below("bone", influence.parts().map(|(bone, _)| bone), bones)?;
        }
        if version == Version::Ms10 {
            let mut signs = self.targets.iter().flat_map(|target| &target.tangents);
            if let Some([.., sign]) = signs.find(|[.., sign]| i8::try_from(*sign).is_err()) {
                return Err(CHECKS.value("sign of a bitangent", "an i8", usize::from(sign.unsigned_abs())));
            }
        }
        Ok(())
    }

    pub(super) fn write_header(&self, out: &mut Writer, version: Version) -> Result<()> {
        fields::name(out, &self.name)?;
        if version.has_lightmap() {
            out.i8s(&self.lightmap);
        }
        if version.has_blocks() {
            out.compact_count(self.coordinate_indices.len(), "coordinate indices")?;
            out.compact_count(self.triangle_indices.len(), "triangle indices")?;
        }
        fields::bounds(out, &self.bounds);
        out.compact_count(self.targets.len(), "morph targets")?;
        for target in &self.targets {
            fields::name(out, &target.name)?;
            if version.has_blocks() {
                out.compact_count(target.positions.len(), "vertices")?;
            }
        }
        Ok(())
    }

    pub(super) fn write_geometry(&self, out: &mut Writer, version: Version) -> Result<()> {
        for target in &self.targets {
            if !version.has_blocks() {
                out.compact_count(target.positions.len(), "vertices")?;
            }
            out.f32s(target.positions.as_flattened());
            out.compact_count(target.tangents.len(), "tangents")?;
            for [x, y, z, w] in &target.tangents {
                out.i16s(&[*x, *y, *z]);
                match version {
                    // The sign fits, which has been checked.
                    Version::Ms10 => out.i8(*w as i8),
                    _ => out.i16(*w),
                }
            }
        }
        out.compact_count(self.weights.len(), "weights")?;
        for influence in &self.weights {
            out.u8(influence.count);
            for (bone, weight) in influence.parts() {
                out.i16(bone);
                out.u16(weight);
            }
        }
        for texcoords in [&self.texcoords0, &self.texcoords1] {
            out.compact_count(texcoords.len(), "texture coordinates")?;
            out.f32s(texcoords.as_flattened());
        }
        out.compact_count(self.colors.len(), "colors")?;
        out.bytes(self.colors.as_flattened());
        let (vertices, tangents) = self.counts();
        if !version.has_blocks() {
            out.compact_count(self.coordinate_indices.len(), "coordinate indices")?;
        }
        write_indices(out, &self.coordinate_indices, vertices);
        if !version.has_blocks() {
            out.compact_count(self.triangle_indices.len(), "triangle indices")?;
        }
        write_indices(out, &self.triangle_indices, tangents);
        Ok(())
    }

    /// Copies a surface out of its file.
    pub(super) fn copy(surface: &crate::Surface<'_>, buffer: &mut Vec<u8>) -> Result<Surface> {
        let mut edges = Vec::new();
        if let Some(block) = surface.edge_block() {
            block.unpack_into(&mut edges, &Limits::DEFAULT)?;
        }
        let geometry = surface.geometry(buffer)?;
        let targets = geometry.targets().map(|target| Target {
            name: target.name.raw().to_vec(),
            positions: target.positions.iter().collect(),
            tangents: stored_tangents(&target.tangents),
        });
        Ok(Surface {
            name: surface.name().raw().to_vec(),
            // Versions before ms12 do not store it.
            lightmap: surface.lightmap().unwrap_or([0; 2]),
            bounds: surface.bounds(),
            targets: targets.collect(),
            weights: geometry.weights().collect(),
            texcoords0: geometry.texcoords(0)?.iter().collect(),
            texcoords1: geometry.texcoords(1)?.iter().collect(),
            colors: geometry.colors().iter().collect(),
            coordinate_indices: geometry.coordinate_indices().iter().collect(),
            triangle_indices: geometry.triangle_indices().iter().collect(),
            edges,
        })
    }
}

/// Quaternions as stored: x, y, z and w, or the sign of the bitangent.
fn stored_tangents(tangents: &ValueLens<'_, [f32; 4]>) -> Vec<[i16; 4]> {
    if let Some(lens) = tangents.downcast::<UnigineTangentMs10>() {
        let raw = (0..lens.len()).filter_map(|index| lens.get_raw(index));
        let stored = raw.map(|raw| {
            let ([x, y, z], sign) = UnigineTangentMs10::parts(raw);
            [x, y, z, sign.into()]
        });
        return stored.collect();
    }
    let (stored, _) = tangents.as_bytes().as_chunks::<8>();
    stored.iter().map(|raw| Record::read(raw)).collect()
}

/// Writes an index list in the width that its `count` of elements needs. The indices are below it.
fn write_indices(out: &mut Writer, indices: &[u32], count: usize) {
    // A count that does not fit u32 needs the largest width.
    match index_width(u32::try_from(count).unwrap_or(u32::MAX)) {
        1 => indices.iter().for_each(|index| out.u8(*index as u8)),
        2 => indices.iter().for_each(|index| out.u16(*index as u16)),
        _ => out.u32s(indices),
    }
}
