//! Mends what the validator finds, without a change of positions, triangles and texture coordinates.

use alloc::vec::Vec;

use glam::Vec4;
use meshlens_wire::{Code, Used};

use super::{Anim, Bone, Model, Surface, volume};
use crate::tolerance::{BOUNDS_SLACK, ROTATION_SLACK, TANGENT_SLACK};
use crate::{BoundingVolume, codes};

/// The codes of findings that [`Model::mend`], [`Anim::mend`] and a canonical file do not have.
pub static MENDED: &[&Code] = &[
    &codes::NAME_TRAILING_BYTES,
    &codes::NAME_WITHOUT_NUL,
    &codes::COMPACT_NOT_MINIMAL,
    &codes::TRAILING_BYTES,
    &codes::BLOCK_OFFSET,
    &codes::BLOCK_TRAILING_BYTES,
    &codes::BOUNDS_NOT_FINITE,
    &codes::BOUNDS_INVERTED,
    &codes::BOUNDS_EXCEEDED,
    &codes::BONE_ROTATION_NOT_UNIT,
    &codes::TANGENT_NOT_UNIT,
    &codes::VERTEX_UNUSED,
];

/// The length of rotations that have no direction.
const SHORTEST: f32 = 1e-6;

impl Model {
    /// Mends what the validator finds and nobody sees. Names end with a NUL and have nothing after it, bounds hold the vertices,
    /// rotations of bones and tangent frames have length 1, and vertices without triangles are removed, except in ms14, whose
    /// trees of triangles are not documented. Positions, triangles, texture coordinates and weights stay as they are. O(vertices).
    ///
    /// ```
    /// use meshlens_unigine::Version;
    /// use meshlens_unigine::write::{Bone, Model};
    ///
    /// let mut model = Model::new(Version::Ms11);
    /// model.bones.push(Bone::new("root", None)?);
    /// model.bones[0].transform.rotation = [0.0, 0.0, 0.0, 2.0];
    /// model.mend();
    /// assert_eq!(model.bones[0].transform.rotation, [0.0, 0.0, 0.0, 1.0]);
    /// # Ok::<(), meshlens_unigine::Error>(())
    /// ```
    pub fn mend(&mut self) {
        mend_bones(&mut self.bones);
        self.animations.iter_mut().for_each(|animation| mend_name(&mut animation.name));
        for surface in &mut self.surfaces {
            mend_name(&mut surface.name);
            if !self.version.has_blocks() {
                surface.drop_unused();
            }
            for target in &mut surface.targets {
                mend_name(&mut target.name);
                // In ms10, the fourth number is a sign.
                if self.version != crate::Version::Ms10 {
                    target.tangents.iter_mut().for_each(mend_tangent);
                }
            }
            if is_broken(&surface.bounds) || !surface.is_in_bounds() {
                surface.bounds = volume(surface.finite_positions());
            }
        }
        if is_broken(&self.bounds) {
            self.bounds = volume(self.surfaces.iter().flat_map(Surface::finite_positions));
        }
    }
}

impl Anim {
    /// Mends what the validator finds and nobody sees: names, the rotations of bones, and broken bounds, which become empty.
    pub fn mend(&mut self) {
        mend_bones(&mut self.bones);
        self.animations.iter_mut().for_each(|animation| mend_name(&mut animation.name));
        if is_broken(&self.bounds) {
            self.bounds = BoundingVolume::EMPTY;
        }
    }
}

impl Surface {
    fn drop_unused(&mut self) {
        let (vertices, tangents) = self.counts();
        let used = Used::new(vertices, self.coordinate_indices.iter().copied());
        used.keep(&mut self.weights, 1);
        self.targets.iter_mut().for_each(|target| used.keep(&mut target.positions, 1));
        self.coordinate_indices.iter_mut().for_each(|index| *index = used.number(*index));
        let used = Used::new(tangents, self.triangle_indices.iter().copied());
        used.keep(&mut self.texcoords0, 1);
        used.keep(&mut self.texcoords1, 1);
        used.keep(&mut self.colors, 1);
        self.targets.iter_mut().for_each(|target| used.keep(&mut target.tangents, 1));
        self.triangle_indices.iter_mut().for_each(|index| *index = used.number(*index));
    }

    fn is_in_bounds(&self) -> bool {
        let bounds = self.bounds.bounds;
        let reach =
            bounds.min.into_iter().chain(bounds.max).fold(1e-3, |reach: f32, value| reach.max(value.abs()));
        self.finite_positions().all(|position| bounds.contains(position, reach * BOUNDS_SLACK))
    }

    /// Other positions stay as they are, and no bounds hold them.
    fn finite_positions(&self) -> impl Iterator<Item = [f32; 3]> + Clone + '_ {
        self.positions().filter(|position| position.iter().all(|axis| axis.is_finite()))
    }
}

/// Whether a volume has numbers that are not finite, or an inverted box.
fn is_broken(volume: &BoundingVolume) -> bool {
    let bounds = volume.bounds;
    !volume.is_finite()
        || (!volume.is_empty() && bounds.min.iter().zip(bounds.max).any(|(min, max)| *min > max))
}

fn mend_bones(bones: &mut [Bone]) {
    for bone in bones {
        mend_name(&mut bone.name);
        let rotation = Vec4::from(bone.transform.rotation);
        let length = rotation.length();
        if length.is_finite() && length > SHORTEST && (length - 1.0).abs() > ROTATION_SLACK {
            bone.transform.rotation = (rotation / length).to_array();
        }
    }
}

/// Ends a name with one NUL.
fn mend_name(name: &mut Vec<u8>) {
    let len = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    name.truncate(len);
    name.push(0);
}

fn mend_tangent(tangent: &mut [i16; 4]) {
    let most = f32::from(i16::MAX);
    let numbers = Vec4::from(tangent.map(|number| f32::from(number).max(-most)));
    let length = numbers.length() / most;
    if length > SHORTEST && (length - 1.0).abs() > TANGENT_SLACK {
        // The numbers of a unit quaternion are at most 1.
        *tangent = (numbers / length).round().to_array().map(|number| number as i16);
    }
}
