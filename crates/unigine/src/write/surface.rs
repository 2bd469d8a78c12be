//! A surface as plain arrays.

use alloc::vec::Vec;

use meshlens_lens::Encode;
use meshlens_lens::encoding::{UnigineTangent, UnigineTangentMs10};
use meshlens_wire::{Limits, Result};
use zerocopy::little_endian::I16;

use super::name;
use super::output::{Output, below, bone_number, mismatch, value};
use crate::layout::{MAX_INFLUENCES, Version};
use crate::{BoundingVolume, Indices, Influence, Tangents};

/// One surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The name, with its NUL.
    pub name: Vec<u8>,
    /// The light map's texture coordinate set and resolution mode; only written from ms12 on.
    pub lightmap: [i8; 2],
    /// The bounding box and sphere; see [`Mesh::recompute_bounds`](super::Mesh::recompute_bounds).
    pub bounds: BoundingVolume,
    /// The morph targets; the first one is the surface itself.
    pub targets: Vec<Target>,
    /// Bones and weights of each vertex, or none.
    pub weights: Vec<Influence>,
    /// Texture coordinates of set 0, one for each tangent space, or none.
    pub texcoords0: Vec<[f32; 2]>,
    /// Texture coordinates of set 1, one for each tangent space, or none.
    pub texcoords1: Vec<[f32; 2]>,
    /// Red, green, blue and alpha, one for each tangent space, or none.
    pub colors: Vec<[u8; 4]>,
    /// A vertex for each corner, three to a triangle, counter-clockwise.
    pub coordinate_indices: Vec<u32>,
    /// A tangent space for each corner.
    pub triangle_indices: Vec<u32>,
    /// The content of the block of edges and tree, unpacked; only written in ms14.
    pub edges: Vec<u8>,
}

/// One morph target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Target {
    /// The name, with its NUL.
    pub name: Vec<u8>,
    /// Absolute positions, as many in every target.
    pub positions: Vec<[f32; 3]>,
    /// Tangent spaces as they are stored: x, y, z and w in 1/32767; in ms10 the fourth is the binormal's sign, an `i8`.
    pub tangents: Vec<[i16; 4]>,
}

impl Target {
    /// Adds tangent spaces, encoded as [`UnigineTangent`] says, or in ms10 as [`UnigineTangentMs10`] does: the
    /// quaternion turns Z into the normal and X into the tangent, and the sign of w is that of the binormal.
    pub fn add_tangents(&mut self, version: Version, quaternions: &[[f32; 4]]) {
        self.tangents.extend(quaternions.iter().map(|quaternion| match version {
            Version::Ms10 => {
                let stored = UnigineTangentMs10.encode(*quaternion);
                let [x, y, z] = stored.xyz.map(I16::get);
                [x, y, z, stored.sign.into()]
            }
            _ => UnigineTangent.encode(*quaternion).map(I16::get),
        }));
    }
}

impl Surface {
    /// A surface of this name with one morph target, both without content.
    ///
    /// # Errors
    ///
    /// A name that does not fit, as [`name`] says.
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

    /// Adds a triangle of three corners, each a coordinate index and a triangle index, counter-clockwise.
    pub fn add_triangle(&mut self, corners: [[u32; 2]; 3]) {
        self.coordinate_indices.extend(corners.map(|[coordinate, _]| coordinate));
        self.triangle_indices.extend(corners.map(|[_, triangle]| triangle));
    }

    /// Positions of all morph targets.
    pub(super) fn positions(&self) -> impl Iterator<Item = [f32; 3]> + Clone + '_ {
        self.targets.iter().flat_map(|target| target.positions.iter().copied())
    }

    fn counts(&self) -> (usize, usize) {
        self.targets.first().map_or((0, 0), |first| (first.positions.len(), first.tangents.len()))
    }

    /// Refuses arrays whose lengths disagree, and numbers that name nothing.
    pub(super) fn check(&self, version: Version, bones: usize) -> Result<()> {
        let (vertices, tangents) = self.counts();
        for target in &self.targets {
            equal("vertices of a morph target", vertices, target.positions.len())?;
            equal("tangents of a morph target", tangents, target.tangents.len())?;
        }
        let optional = |what, count, found| if found == 0 { Ok(()) } else { equal(what, count, found) };
        optional("weights", vertices, self.weights.len())?;
        optional("texture coordinates", tangents, self.texcoords0.len())?;
        optional("texture coordinates", tangents, self.texcoords1.len())?;
        optional("colours", tangents, self.colors.len())?;
        equal("triangle indices", self.coordinate_indices.len(), self.triangle_indices.len())?;
        if !self.coordinate_indices.len().is_multiple_of(3) {
            return Err(value("coordinate indices", "a multiple of 3", self.coordinate_indices.len()));
        }
        self.coordinate_indices.iter().try_for_each(|index| below("vertex", (*index).into(), vertices))?;
        self.triangle_indices.iter().try_for_each(|index| below("tangent", (*index).into(), tangents))?;
        for influence in &self.weights {
            if influence.count > MAX_INFLUENCES {
                return Err(value("bones of a vertex", "at most 4", influence.count.into()));
            }
            influence.parts().try_for_each(|(bone, _)| bone_number(bone, bones))?;
        }
        if version == Version::Ms10 {
            let mut signs = self.targets.iter().flat_map(|target| &target.tangents);
            if let Some([.., sign]) = signs.find(|[.., sign]| i8::try_from(*sign).is_err()) {
                return Err(value("sign of a binormal", "an i8", usize::from(sign.unsigned_abs())));
            }
        }
        Ok(())
    }

    pub(super) fn write_header(&self, out: &mut Output) -> Result<()> {
        let version = out.version;
        out.name(&self.name)?;
        if version.has_lightmap() {
            self.lightmap.iter().for_each(|value| out.bytes(&value.to_le_bytes()));
        }
        if version.has_blocks() {
            out.count(self.coordinate_indices.len(), "coordinate indices")?;
            out.count(self.triangle_indices.len(), "triangle indices")?;
        }
        out.bounds(&self.bounds);
        out.count(self.targets.len(), "morph targets")?;
        for target in &self.targets {
            out.name(&target.name)?;
            if version.has_blocks() {
                out.count(target.positions.len(), "vertices")?;
            }
        }
        Ok(())
    }

    pub(super) fn write_geometry(&self, out: &mut Output) -> Result<()> {
        let version = out.version;
        for target in &self.targets {
            if !version.has_blocks() {
                out.count(target.positions.len(), "vertices")?;
            }
            out.floats(target.positions.as_flattened());
            out.count(target.tangents.len(), "tangents")?;
            for [x, y, z, w] in &target.tangents {
                [x, y, z].iter().for_each(|component| out.bytes(&component.to_le_bytes()));
                match version {
                    Version::Ms10 => out.bytes(&(*w as i8).to_le_bytes()),
                    _ => out.bytes(&w.to_le_bytes()),
                }
            }
        }
        out.count(self.weights.len(), "weights")?;
        for influence in &self.weights {
            out.bytes(&[influence.count]);
            for (bone, weight) in influence.parts() {
                out.bytes(&bone.to_le_bytes());
                out.bytes(&weight.to_le_bytes());
            }
        }
        for texcoords in [&self.texcoords0, &self.texcoords1] {
            out.count(texcoords.len(), "texture coordinates")?;
            out.floats(texcoords.as_flattened());
        }
        out.count(self.colors.len(), "colours")?;
        out.bytes(self.colors.as_flattened());
        let (vertices, tangents) = self.counts();
        write_indices(out, &self.coordinate_indices, vertices, "coordinate indices")?;
        write_indices(out, &self.triangle_indices, tangents, "triangle indices")
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
            lightmap: surface.lightmap().unwrap_or_default(),
            bounds: surface.bounds(),
            targets: targets.collect(),
            weights: geometry.weights().collect(),
            texcoords0: geometry.texcoords(0).iter().collect(),
            texcoords1: geometry.texcoords(1).iter().collect(),
            colors: geometry.colors().iter().collect(),
            coordinate_indices: geometry.coordinate_indices().iter().collect(),
            triangle_indices: geometry.triangle_indices().iter().collect(),
            edges,
        })
    }
}

fn equal(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(mismatch(what, expected, found)) }
}

fn stored_tangents(tangents: &Tangents<'_>) -> Vec<[i16; 4]> {
    match tangents {
        Tangents::Quaternions(lens) => {
            let raw = (0..lens.len()).filter_map(|index| lens.get_raw(index));
            raw.map(|raw| raw.map(I16::get)).collect()
        }
        Tangents::Signed { quaternions, .. } => {
            let raw = (0..quaternions.len()).filter_map(|index| quaternions.get_raw(index));
            raw.map(|raw| {
                let [x, y, z] = raw.xyz.map(I16::get);
                [x, y, z, raw.sign.into()]
            })
            .collect()
        }
    }
}

/// An index list in the width that the count of what it names asks for.
fn write_indices(out: &mut Output, indices: &[u32], count: usize, what: &'static str) -> Result<()> {
    if !out.version.has_blocks() {
        out.count(indices.len(), what)?;
    }
    let width = Indices::width(u32::try_from(count).unwrap_or(u32::MAX)) as usize;
    for index in indices {
        out.bytes(index.to_le_bytes().get(..width).unwrap_or_default());
    }
    Ok(())
}
