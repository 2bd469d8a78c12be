//! The writer: makes a canonical file of any version from plain arrays.
//!
//! A file is canonical if its compact integers have their shortest form and no bytes follow the last magic. A canonical
//! file of ms10 to ms13, an10 or an11 that is read and written again is the same byte for byte. This also applies to
//! ms14 if its blocks are not packed; LZ4 can pack the same bytes in many ways.

mod animation;
mod fields;
mod mend;
mod surface;

use alloc::vec::Vec;

use glam::Vec3;
use meshlens_lens::Bounds;
use meshlens_wire::{Checks, Error, Limits, Place, Result, Writer};

pub use animation::Animation;
pub use mend::MENDED;
pub use surface::{Surface, Target};

use crate::layout::{NO_PARENT, Version};
use crate::{BoundingVolume, FORMAT, File, FileKind, Parts, Transform};

/// The checks of the writer.
const CHECKS: Checks = Checks::new(FORMAT);

/// A mesh file as plain arrays. Names include their NUL, so that unusual ones are kept when a file is read and written.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The version, which must be a version of a mesh.
    pub version: Version,
    /// The bounding box and sphere; see [`recompute_bounds`](Self::recompute_bounds).
    pub bounds: BoundingVolume,
    /// The number of triangles in a node of the spatial trees; only written in ms14.
    pub tree_triangles: u32,
    /// The number of bytes that the mesh takes in memory; only written in ms14.
    pub memory_estimate: i64,
    /// Whether blocks are packed with LZ4 if that makes them smaller; only in ms14.
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
    /// The version, which must be a version of an animation.
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
    /// The index of the parent; `None` for a root.
    pub parent: Option<i16>,
    /// The bind transform, local to the parent.
    pub transform: Transform,
}

impl Bone {
    /// Makes a bone with the identity as its bind transform.
    ///
    /// # Errors
    ///
    /// Same as [`name`].
    pub fn new(text: &str, parent: Option<i16>) -> Result<Self> {
        Ok(Bone { name: name(text)?, parent, transform: Transform::IDENTITY })
    }
}

/// Encodes a name as it is stored: its bytes and a NUL.
///
/// # Errors
///
/// The name contains a NUL.
pub fn name(text: &str) -> Result<Vec<u8>> {
    if text.contains('\0') {
        return Err(CHECKS.value("name length", "a name without NUL", text.len()));
    }
    Ok([text.as_bytes(), &[0]].concat())
}

/// The smallest box around points, and the smallest sphere around its center that contains them; empty if there are none.
/// Both are finite if the points are.
fn volume(points: impl Iterator<Item = [f32; 3]> + Clone) -> BoundingVolume {
    let Some(bounds) = Bounds::around(points.clone()) else { return BoundingVolume::EMPTY };
    let center = Vec3::from(bounds.min) * 0.5 + Vec3::from(bounds.max) * 0.5;
    let radius = points.map(|point| center.distance(point.into())).fold(0.0, f32::max).min(f32::MAX);
    BoundingVolume { bounds, center: center.to_array(), radius }
}

impl Model {
    /// Makes a mesh file without surfaces.
    pub const fn new(version: Version) -> Self {
        Model {
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

    /// Sets the bounds of every surface and of the mesh to the bounds of the positions of all morph targets.
    pub fn recompute_bounds(&mut self) {
        for surface in &mut self.surfaces {
            surface.bounds = volume(surface.positions());
        }
        self.bounds = volume(self.surfaces.iter().flat_map(Surface::positions));
    }

    /// Writes the file.
    ///
    /// # Errors
    ///
    /// The version is a version of an animation; the model has parts that the version does not store; the lengths of
    /// arrays do not match; an index of a bone, position or tangent frame is out of range; parents form a cycle; or a
    /// count exceeds 2^31 - 1.
    pub fn write(&self) -> Result<Vec<u8>> {
        let version = self.version;
        if !version.is_mesh() {
            return Err(CHECKS.value("version", "a version of a mesh", 0));
        }
        if !version.has_animations() {
            CHECKS.length("animations", 0, self.animations.len())?;
        }
        let (mut out, magic) = (Writer::new(FORMAT), self.version.magic());
        out.bytes(&magic);
        if version.has_blocks() {
            out.compact_count(self.tree_triangles as usize, "triangles of a tree node")?;
        }
        fields::bounds(&mut out, &self.bounds);
        write_bones(&mut out, &self.bones)?;
        if version.has_animations() {
            write_names(&mut out, &self.animations)?;
        }
        out.compact_count(self.surfaces.len(), "surfaces")?;
        for (index, surface) in (0u64..).zip(&self.surfaces) {
            let at = |error: Error| error.at(Place::new("surface", index));
            surface.check(version, self.bones.len()).map_err(at)?;
            surface.write_header(&mut out, version).map_err(at)?;
        }
        if version.has_blocks() {
            out.i64(self.memory_estimate);
        }
        out.bytes(&magic);
        write_transforms(&mut out, &self.bones);
        write_tracks(&mut out, self.version, &self.animations, self.bones.len())?;
        if version.has_blocks() {
            self.write_blocks(&mut out)?;
        } else {
            for surface in &self.surfaces {
                surface.write_geometry(&mut out, version)?;
            }
        }
        out.bytes(&magic);
        verified(out.finish())
    }

    fn write_blocks(&self, out: &mut Writer) -> Result<()> {
        let mut offsets = Vec::with_capacity(self.surfaces.len());
        for surface in &self.surfaces {
            let mut content = Writer::new(FORMAT);
            surface.write_geometry(&mut content, self.version)?;
            offsets.push(out.offset());
            fields::block(out, content.as_bytes(), self.pack);
        }
        out.bytes(&self.version.magic());
        for surface in &self.surfaces {
            fields::block(out, &surface.edges, self.pack);
        }
        out.bytes(&self.version.magic());
        out.u64s(&offsets);
        Ok(())
    }
}

impl Anim {
    /// Makes an empty animation file.
    pub const fn new(version: Version) -> Self {
        Anim { version, bounds: BoundingVolume::EMPTY, bones: Vec::new(), animations: Vec::new() }
    }

    /// Writes the file.
    ///
    /// # Errors
    ///
    /// The version is a version of a mesh; an an11 file does not have exactly one animation without a name; records do
    /// not match the number of frames; an index of a bone is out of range; or parents form a cycle.
    pub fn write(&self) -> Result<Vec<u8>> {
        if self.version.is_mesh() {
            return Err(CHECKS.value("version", "a version of an animation", 0));
        }
        let (mut out, magic) = (Writer::new(FORMAT), self.version.magic());
        out.bytes(&magic);
        if self.version == Version::An10 {
            fields::bounds(&mut out, &self.bounds);
        }
        write_bones(&mut out, &self.bones)?;
        if self.version.has_animations() {
            write_names(&mut out, &self.animations)?;
        } else {
            match self.animations.as_slice() {
                [only] if only.name.iter().all(|byte| *byte == 0) => {}
                [only] => return Err(CHECKS.value("name length", "no name in an11", only.name.len())),
                other => CHECKS.length("animations", 1, other.len())?,
            }
        }
        out.bytes(&magic);
        write_transforms(&mut out, &self.bones);
        write_tracks(&mut out, self.version, &self.animations, self.bones.len())?;
        out.bytes(&magic);
        verified(out.finish())
    }
}

/// Parses the written file: the reader finds errors that the checks before did not find.
fn verified(bytes: Vec<u8>) -> Result<Vec<u8>> {
    let limits = Limits { count: u64::MAX, work: u64::MAX, ..Limits::DEFAULT };
    Parts::locate(&bytes, bytes.len() as u64, &limits.into())?;
    Ok(bytes)
}

fn write_bones(out: &mut Writer, bones: &[Bone]) -> Result<()> {
    out.compact_count(bones.len(), "bones")?;
    for (index, bone) in (0u64..).zip(bones) {
        if let Some(parent) = bone.parent {
            CHECKS.below("bone", parent, bones.len()).map_err(|error| error.at(Place::new("bone", index)))?;
        }
        fields::name(out, &bone.name)?;
        out.i16(bone.parent.unwrap_or(NO_PARENT));
    }
    Ok(())
}

fn write_transforms(out: &mut Writer, bones: &[Bone]) {
    for Bone { transform: Transform { position, rotation, scale }, .. } in bones {
        out.f32s(position);
        out.f32s(rotation);
        out.f32s(scale);
    }
}

fn write_names(out: &mut Writer, animations: &[Animation]) -> Result<()> {
    out.compact_count(animations.len(), "animations")?;
    animations.iter().try_for_each(|animation| fields::name(out, &animation.name))
}

fn write_tracks(out: &mut Writer, version: Version, animations: &[Animation], bones: usize) -> Result<()> {
    for (index, animation) in (0u64..).zip(animations) {
        animation.write(out, version, bones).map_err(|error| error.at(Place::new("animation", index)))?;
    }
    Ok(())
}

fn copy_bones(skeleton: crate::Skeleton<'_, '_>) -> Vec<Bone> {
    let bones = skeleton.bones().map(|bone| Bone {
        name: bone.name.raw().to_vec(),
        // The file stores it as an i16.
        parent: bone.parent.and_then(|parent| i16::try_from(parent).ok()),
        transform: bone.transform,
    });
    bones.collect()
}

impl TryFrom<&crate::Mesh<'_>> for Model {
    type Error = Error;

    /// Copies the content of a mesh as it is stored. Packed geometry is unpacked.
    ///
    /// # Errors
    ///
    /// A block that cannot be unpacked.
    fn try_from(mesh: &crate::Mesh<'_>) -> Result<Self> {
        let mut buffer = Vec::new();
        let surfaces = mesh.surfaces().map(|surface| Surface::copy(&surface, &mut buffer));
        Ok(Model {
            version: mesh.version(),
            bounds: mesh.bounds(),
            // Other versions than ms14 do not store them.
            tree_triangles: mesh.tree_triangles().unwrap_or(0),
            memory_estimate: mesh.memory_estimate().unwrap_or(0),
            surfaces: surfaces.collect::<Result<_>>()?,
            pack: mesh.surfaces().any(|surface| surface.is_packed()),
            bones: copy_bones(mesh.skeleton()),
            animations: copy_animations(mesh),
        })
    }
}

impl From<&crate::Anim<'_>> for Anim {
    /// Copies the content of an animation file as it is stored.
    fn from(anim: &crate::Anim<'_>) -> Self {
        Anim {
            version: anim.version(),
            // an11 does not store them.
            bounds: anim.bounds().unwrap_or(BoundingVolume::EMPTY),
            bones: copy_bones(anim.skeleton()),
            animations: copy_animations(anim),
        }
    }
}

fn copy_animations<K: FileKind>(file: &File<'_, K>) -> Vec<Animation> {
    file.animations().map(|animation| Animation::copy(&animation)).collect()
}
