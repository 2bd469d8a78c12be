//! Mends what the validator finds, without a change of positions, triangles and texture coordinates.

use glam::Quat;
use meshlens_wire::Code;

use super::Model;
use crate::codes;
use crate::tolerance::UNIT_SLACK;

/// The codes of findings that [`Model::mend`] and a canonical file do not have.
pub static MENDED: &[&Code] = &[
    &codes::BOOLEAN_NEITHER,
    &codes::TRAILING_BYTES,
    &codes::LOD_COUNT_WIDTH,
    &codes::MODEL_HEADER_DUPLICATE,
    &codes::ACTION_RANGE_DUPLICATE,
    &codes::MATERIAL_INDEX,
    &codes::BONE_BEFORE_MESH,
    &codes::BONE_INDEX,
    &codes::MAX_BONE,
    &codes::ROTATION_NOT_UNIT,
    &codes::KEYS_UNSORTED,
];

/// The length of rotations that have no direction.
const SHORTEST: f32 = 1e-6;

impl Model {
    /// Mends what the validator finds and nobody sees. Rotations have length 1, as engines normalize them, keys are sorted by
    /// their frames, and meshes state the largest index of their bones. Positions, triangles, texture coordinates and weights
    /// stay as they are. O(file).
    ///
    /// ```
    /// use meshlens_u3d::Version;
    /// use meshlens_u3d::write::{Bone, Model};
    ///
    /// let mut model = Model::new(Version::V2_0_0);
    /// model.bones.push(Bone::new("root", None));
    /// model.bones[0].rotation_keys.push((0, [0.0, 0.0, 0.0, 2.0]));
    /// model.mend();
    /// assert_eq!(model.bones[0].rotation_keys, [(0, [0.0, 0.0, 0.0, 1.0])]);
    /// ```
    pub fn mend(&mut self) {
        for mesh in &mut self.meshes {
            // A vertex has one bone more than stored weights.
            let used = usize::from(mesh.skin_weight_count).saturating_add(1);
            let bones = mesh.skin_bones.iter().flat_map(|bones| bones.iter().take(used));
            mesh.max_bone = bones.copied().max().unwrap_or(mesh.max_bone);
        }
        for bone in &mut self.bones {
            bone.scaling_keys.sort_by_key(|(frame, _)| *frame);
            bone.translation_keys.sort_by_key(|(frame, _)| *frame);
            bone.rotation_keys.sort_by_key(|(frame, _)| *frame);
            for (_, rotation) in &mut bone.rotation_keys {
                let length = Quat::from_array(*rotation).length();
                if length.is_finite() && length > SHORTEST && (length - 1.0).abs() > UNIT_SLACK {
                    *rotation = rotation.map(|number| number / length);
                }
            }
        }
    }
}
