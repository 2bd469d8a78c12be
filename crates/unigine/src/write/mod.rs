//! The writer: plain arrays in, a canonical file of any version out.
//!
//! Canonical means: compact integers in their shortest form and nothing behind the last magic. A canonical file of ms10
//! to ms13, an10 or an11 that is read and written again is the same byte for byte; one of ms14 is where its blocks are
//! raw, since LZ4 packs the same bytes in many ways.

mod animation;
mod output;
mod surface;

use alloc::vec::Vec;

use meshlens_lens::Bounds;
use meshlens_wire::{Error, Limits, Place, Result};

pub use animation::Animation;
pub use surface::{Surface, Target};

use crate::layout::Version;
use crate::{BoundingVolume, Transform};
use output::{Output, bone_number, mismatch, value};

/// A mesh as plain arrays. Names are whole fields with their NUL, so that odd ones survive a rewrite.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// A version of a mesh.
    pub version: Version,
    /// The bounding box and sphere; see [`recompute_bounds`](Self::recompute_bounds).
    pub bounds: BoundingVolume,
    /// Triangles in a node of the spatial trees; only written in ms14.
    pub tree_triangles: u32,
    /// What the mesh takes in memory; only written in ms14.
    pub memory_estimate: i64,
    /// Pack blocks as LZ4 where that makes them smaller; only in ms14.
    pub pack: bool,
    /// The bones, in any order.
    pub bones: Vec<Bone>,
    /// The animations; ms13 and ms14 have none.
    pub animations: Vec<Animation>,
    /// The surfaces.
    pub surfaces: Vec<Surface>,
}

/// An animation file as plain arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct Anim {
    /// A version of an animation.
    pub version: Version,
    /// The bounding box and sphere, empty in every real file; only written in an10.
    pub bounds: BoundingVolume,
    /// The bones, in any order.
    pub bones: Vec<Bone>,
    /// The animations; an11 has exactly one, without a name.
    pub animations: Vec<Animation>,
}

/// One bone.
#[derive(Clone, Debug, PartialEq)]
pub struct Bone {
    /// The name, with its NUL.
    pub name: Vec<u8>,
    /// The number of the bone it hangs on; -1 for a root.
    pub parent: i16,
    /// The bind transform, local to the parent.
    pub transform: Transform,
}

impl Bone {
    /// A bone at its parent, or a root.
    ///
    /// # Errors
    ///
    /// A name that does not fit, as [`name`] says.
    pub fn new(text: &str, parent: Option<i16>) -> Result<Self> {
        Ok(Bone { name: name(text)?, parent: parent.unwrap_or(-1), transform: Transform::IDENTITY })
    }
}

/// A name as a field: its bytes and a NUL.
///
/// # Errors
///
/// A name that holds a NUL.
pub fn name(text: &str) -> Result<Vec<u8>> {
    if text.contains('\0') {
        return Err(value("name length", "a name without NUL", text.len()));
    }
    let mut field = Vec::with_capacity(text.len().saturating_add(1));
    field.extend_from_slice(text.as_bytes());
    field.push(0);
    Ok(field)
}

/// The smallest box around some points and the sphere around its centre that holds them; empty around none.
fn volume(points: impl Iterator<Item = [f32; 3]> + Clone) -> BoundingVolume {
    let Some(bounds) = Bounds::around(points.clone()) else { return BoundingVolume::EMPTY };
    let mut center = bounds.min;
    for (center, max) in center.iter_mut().zip(bounds.max) {
        *center = (*center + max) * 0.5;
    }
    let square = |point: [f32; 3]| point.iter().zip(center).map(|(p, c)| (p - c) * (p - c)).sum::<f32>();
    let radius = libm::sqrtf(points.map(square).fold(0.0, f32::max));
    BoundingVolume { bounds, center, radius }
}

impl Mesh {
    /// A mesh without content.
    pub const fn new(version: Version) -> Self {
        Mesh {
            version,
            bounds: BoundingVolume::EMPTY,
            tree_triangles: if version.has_blocks() { 4 } else { 0 },
            memory_estimate: 0,
            pack: true,
            bones: Vec::new(),
            animations: Vec::new(),
            surfaces: Vec::new(),
        }
    }

    /// Sets the bounds of every surface and of the mesh to those of the positions of all morph targets.
    pub fn recompute_bounds(&mut self) {
        for surface in &mut self.surfaces {
            surface.bounds = volume(surface.positions());
        }
        self.bounds = volume(self.surfaces.iter().flat_map(Surface::positions));
    }

    /// The file.
    ///
    /// # Errors
    ///
    /// A version of an animation, parts the version has no place for, arrays whose lengths disagree, numbers of bones,
    /// vertices or tangent spaces that do not exist, parents that go around in a circle, or counts past 2^31 - 1.
    pub fn write(&self) -> Result<Vec<u8>> {
        let version = self.version;
        if !version.is_mesh() {
            return Err(value("version", "a version of a mesh", 0));
        }
        if !version.has_animations() && !self.animations.is_empty() {
            return Err(mismatch("animations", 0, self.animations.len()));
        }
        let mut out = Output::new(version);
        out.magic();
        if version.has_blocks() {
            out.count(self.tree_triangles as usize, "triangles of a tree node")?;
        }
        out.bounds(&self.bounds);
        write_bones(&mut out, &self.bones)?;
        if version.has_animations() {
            write_names(&mut out, &self.animations)?;
        }
        out.count(self.surfaces.len(), "surfaces")?;
        for (index, surface) in (0u64..).zip(&self.surfaces) {
            let at = |error: Error| error.at(Place::new("surface", index));
            surface.check(version, self.bones.len()).map_err(at)?;
            surface.write_header(&mut out).map_err(at)?;
        }
        if version.has_blocks() {
            out.bytes(&self.memory_estimate.to_le_bytes());
        }
        out.magic();
        write_transforms(&mut out, &self.bones);
        write_tracks(&mut out, &self.animations, self.bones.len())?;
        if version.has_blocks() {
            self.write_blocks(&mut out)?;
        } else {
            for surface in &self.surfaces {
                surface.write_geometry(&mut out)?;
            }
        }
        out.magic();
        verified(out.finish(), |bytes, limits| crate::Mesh::parse_within(bytes, limits).map(|_| ()))
    }

    fn write_blocks(&self, out: &mut Output) -> Result<()> {
        let mut offsets = Vec::with_capacity(self.surfaces.len());
        for surface in &self.surfaces {
            let mut content = Output::new(self.version);
            surface.write_geometry(&mut content)?;
            offsets.push(out.len() as u64);
            out.block(&content.finish(), self.pack);
        }
        out.magic();
        for surface in &self.surfaces {
            out.block(&surface.edges, self.pack);
        }
        out.magic();
        for offset in offsets {
            out.bytes(&offset.to_le_bytes());
        }
        Ok(())
    }
}

impl Anim {
    /// An animation file without content.
    pub const fn new(version: Version) -> Self {
        Anim { version, bounds: BoundingVolume::EMPTY, bones: Vec::new(), animations: Vec::new() }
    }

    /// The file.
    ///
    /// # Errors
    ///
    /// A version of a mesh, an11 with another number of animations than one or a name for it, records that do not hold
    /// the frames they say, numbers of bones that do not exist, or parents that go around in a circle.
    pub fn write(&self) -> Result<Vec<u8>> {
        if self.version.is_mesh() {
            return Err(value("version", "a version of an animation", 0));
        }
        let mut out = Output::new(self.version);
        out.magic();
        if self.version == Version::An10 {
            out.bounds(&self.bounds);
        }
        write_bones(&mut out, &self.bones)?;
        if self.version.has_animations() {
            write_names(&mut out, &self.animations)?;
        } else {
            match self.animations.as_slice() {
                [only] if only.name.iter().all(|byte| *byte == 0) => {}
                [only] => return Err(value("name length", "no name in an11", only.name.len())),
                other => return Err(mismatch("animations", 1, other.len())),
            }
        }
        out.magic();
        write_transforms(&mut out, &self.bones);
        write_tracks(&mut out, &self.animations, self.bones.len())?;
        out.magic();
        verified(out.finish(), |bytes, limits| crate::Anim::parse_within(bytes, limits).map(|_| ()))
    }
}

/// What is written parses: whatever the checks before it did not say, the reader's own proof does.
fn verified(bytes: Vec<u8>, parse: impl Fn(&[u8], &Limits) -> Result<()>) -> Result<Vec<u8>> {
    let limits = Limits { count: u64::MAX, work: u64::MAX, ..Limits::DEFAULT };
    parse(&bytes, &limits)?;
    Ok(bytes)
}

fn write_bones(out: &mut Output, bones: &[Bone]) -> Result<()> {
    out.count(bones.len(), "bones")?;
    for (index, bone) in (0u64..).zip(bones) {
        if bone.parent != -1 {
            bone_number(bone.parent, bones.len()).map_err(|error| error.at(Place::new("bone", index)))?;
        }
        out.name(&bone.name)?;
        out.bytes(&bone.parent.to_le_bytes());
    }
    Ok(())
}

fn write_transforms(out: &mut Output, bones: &[Bone]) {
    for Bone { transform: Transform { position, rotation, scale }, .. } in bones {
        out.floats(position);
        out.floats(rotation);
        out.floats(scale);
    }
}

fn write_names(out: &mut Output, animations: &[Animation]) -> Result<()> {
    out.count(animations.len(), "animations")?;
    animations.iter().try_for_each(|animation| out.name(&animation.name))
}

fn write_tracks(out: &mut Output, animations: &[Animation], bones: usize) -> Result<()> {
    for (index, animation) in (0u64..).zip(animations) {
        animation.write(out, bones).map_err(|error| error.at(Place::new("animation", index)))?;
    }
    Ok(())
}

fn copy_bones(skeleton: crate::Skeleton<'_, '_>) -> Vec<Bone> {
    let bones = skeleton.bones().map(|bone| Bone {
        name: bone.name.raw().to_vec(),
        parent: bone.parent.and_then(|parent| i16::try_from(parent).ok()).unwrap_or(-1),
        transform: bone.transform,
    });
    bones.collect()
}

impl TryFrom<&crate::Mesh<'_>> for Mesh {
    type Error = Error;

    /// Copies a mesh out of its file, everything as it is stored; packed geometry is unpacked.
    ///
    /// # Errors
    ///
    /// A block that cannot be unpacked.
    fn try_from(mesh: &crate::Mesh<'_>) -> Result<Self> {
        let mut buffer = Vec::new();
        let surfaces = mesh.surfaces().map(|surface| Surface::copy(&surface, &mut buffer));
        Ok(Mesh {
            version: mesh.version(),
            bounds: mesh.bounds(),
            tree_triangles: mesh.tree_triangles(),
            memory_estimate: mesh.memory_estimate(),
            surfaces: surfaces.collect::<Result<_>>()?,
            pack: mesh.surfaces().any(|surface| surface.is_packed()),
            bones: copy_bones(mesh.skeleton()),
            animations: mesh.animations().map(|animation| Animation::copy(&animation)).collect(),
        })
    }
}

impl From<&crate::Anim<'_>> for Anim {
    /// Copies an animation file's content, everything as it is stored.
    fn from(anim: &crate::Anim<'_>) -> Self {
        Anim {
            version: anim.version(),
            bounds: anim.bounds().unwrap_or(BoundingVolume::EMPTY),
            bones: copy_bones(anim.skeleton()),
            animations: anim.animations().map(|animation| Animation::copy(&animation)).collect(),
        }
    }
}
