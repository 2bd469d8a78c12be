//! Mends what the validator finds, without a change of positions, triangles and texture coordinates.

use alloc::vec::Vec;

use glam::Quat;
use meshlens_wire::{Code, Used};

use super::{Mesh, Model};
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
    &codes::MATERIAL_REPEATED,
    &codes::VERTEX_UNUSED,
];

/// The length of rotations that have no direction.
const SHORTEST: f32 = 1e-6;

impl Model {
    /// Mends what the validator finds and nobody sees. Rotations have length 1, as engines normalize them, keys are sorted by
    /// their frames, meshes state the largest index of their bones, a material that is equal to the one before it is joined with
    /// that, and vertices without triangles are removed if there is one frame. Positions, triangles, texture coordinates and
    /// weights stay as they are. O(file).
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
        self.join_materials();
        if self.frames <= 1 && self.meshes.iter().all(Mesh::owns_all) {
            self.meshes.iter_mut().for_each(Mesh::drop_unused);
        }
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

impl Model {
    /// Joins each material with the one before it if they are equal. Triangles are sorted by material before, as they are drawn:
    /// their order does not change when the numbers of two materials become one.
    fn join_materials(&mut self) {
        let numbers = numbers(self.materials.iter().map(|material| material.stored(self.version)));
        if numbers.last().is_none_or(|last| usize::from(*last) + 1 == self.materials.len()) {
            return;
        }
        let mut next = 0;
        let mut of_material = numbers.iter();
        self.materials.retain(|_| {
            let is_first = of_material.next() == Some(&next);
            next += u16::from(is_first);
            is_first
        });
        for (triangles, materials) in self.meshes.iter_mut().filter_map(|mesh| mesh.triangles.as_mut()) {
            let mut sorted: Vec<(u16, [u32; 3])> =
                materials.iter().copied().zip(triangles.iter().copied()).collect();
            sorted.sort_by_key(|(material, _)| *material);
            // Numbers that are out of range stay out of range.
            let number = |material: u16| numbers.get(usize::from(material)).copied().unwrap_or(material);
            (*materials, *triangles) =
                sorted.into_iter().map(|(material, triangle)| (number(material), triangle)).unzip();
        }
    }
}

/// The number of each material if those that are equal to the one before are left out. A material that cannot be written is equal
/// to none.
pub(crate) fn numbers(stored: impl Iterator<Item = Option<Vec<u8>>>) -> Vec<u16> {
    let (mut numbers, mut before, mut next) = (Vec::new(), None, 0u16);
    for stored in stored {
        if !numbers.is_empty() && (stored.is_none() || stored != before) {
            next = next.saturating_add(1);
        }
        numbers.push(next);
        before = stored;
    }
    numbers
}

impl Mesh {
    const fn owns_all(&self) -> bool {
        self.triangles.is_some() && self.texcoords.is_some()
    }

    fn drop_unused(&mut self) {
        let Some((triangles, _)) = &mut self.triangles else { return };
        let used = Used::new(self.positions.len(), triangles.as_flattened().iter().copied());
        triangles.as_flattened_mut().iter_mut().for_each(|corner| *corner = used.number(*corner));
        used.keep(&mut self.positions, 1);
        used.keep(&mut self.normals, 1);
        used.keep(&mut self.skin_weights, self.skin_weight_count.into());
        used.keep(&mut self.skin_bones, 1);
        for (set, dimension) in self.texcoords.iter_mut().flatten().zip(self.texcoord_dimensions) {
            used.keep(set, dimension.into());
        }
    }
}
