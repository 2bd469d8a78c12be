//! The bones as a hierarchy: their parents, and their transforms at a frame.

use alloc::vec::Vec;

use glam::Mat4;
use meshlens_wire::{Checks, Data, ErrorKind, Expected, Place, Result, parents_first};

use crate::bone::{NO_ROTATION, NO_SCALING, composed};
use crate::{Bone, FORMAT, Mesh, RotationKeys, VectorKeys};

/// The bones of a model, checked to be a hierarchy without cycles (Ultimate 3D: The bone chunk).
///
/// A frame is any real number. Each bone has its own frame: BoneFrame, or the inherited frame if BoneFrame is negative.
/// If a bone has PassOnBoneFrame set, its children inherit its frame; otherwise they inherit the frame that the bone
/// inherits. Roots inherit the frame of the model.
#[derive(Clone, Debug)]
pub struct Skeleton<'a> {
    bones: Vec<Joint<'a>>,
    /// The indices of the bones, parents before children.
    order: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Joint<'a> {
    bone: Bone<'a>,
    /// The frame that this bone always shows, if it is set.
    own_frame: Option<f32>,
    /// The frame that its children inherit, unless they inherit the frame of the model.
    child_frame: Option<f32>,
    scaling: VectorKeys<'a>,
    translation: VectorKeys<'a>,
    rotation: RotationKeys<'a>,
    /// Whether scaling, translation and rotation keys are sorted.
    sorted: [bool; 3],
}

impl<'a> Joint<'a> {
    fn new(bone: Bone<'a>) -> Self {
        let (scaling, translation) = (bone.scaling_keys(), bone.translation_keys());
        let rotation = bone.rotation_keys();
        let sorted = [scaling.is_sorted(), translation.is_sorted(), rotation.is_sorted()];
        Joint { bone, own_frame: None, child_frame: None, scaling, translation, rotation, sorted }
    }

    fn parent(&self) -> Option<usize> {
        self.bone.parent().map(|parent| parent as usize)
    }
}

impl<'a> Skeleton<'a> {
    pub(crate) fn new(data: Data<'a>, all: impl ExactSizeIterator<Item = Bone<'a>>) -> Result<Self> {
        let count = all.len();
        let error = |bone: &Bone<'a>, kind: ErrorKind| {
            Err(data.error(bone.offset(), kind).at(Place::new("bone", bone.index().into())))
        };
        let mut bones = Vec::with_capacity(count);
        for (number, bone) in (0u32..).zip(all) {
            if bone.index() != number {
                let expected = Expected::Exactly(number.into());
                let kind = ErrorKind::Value { what: "iBone", expected, found: bone.index().into() };
                return error(&bone, kind);
            }
            if let Some(parent) = bone.parent().filter(|parent| *parent as usize >= count) {
                let count = count as u64;
                let kind = ErrorKind::Index { what: "parent bone", index: parent.into(), count };
                return error(&bone, kind);
            }
            bones.push(Joint::new(bone));
        }
        let order = match parents_first(count, |index| bones.get(index).and_then(Joint::parent)) {
            Ok(order) => order,
            Err(index) => match bones.get(index) {
                Some(Joint { bone, .. }) => {
                    let found = bone.parent().map_or(-1, i64::from);
                    let expected = Expected::Text("a bone that is not a descendant of this one");
                    return error(bone, ErrorKind::Value { what: "iParent", expected, found });
                }
                None => Vec::new(),
            },
        };
        let mut skeleton = Skeleton { bones, order };
        skeleton.settle_frames();
        Ok(skeleton)
    }

    /// Determines the frame of each bone.
    fn settle_frames(&mut self) {
        for index in &self.order {
            let index = *index as usize;
            let Some(joint) = self.bones.get(index) else { continue };
            let parent = joint.parent().and_then(|parent| self.bones.get(parent));
            let inherited = parent.and_then(|parent| parent.child_frame);
            let bone = joint.bone;
            let own_frame = if bone.bone_frame() >= 0.0 { Some(bone.bone_frame()) } else { inherited };
            let child_frame = if bone.passes_on_bone_frame() { own_frame } else { inherited };
            if let Some(joint) = self.bones.get_mut(index) {
                (joint.own_frame, joint.child_frame) = (own_frame, child_frame);
            }
        }
    }

    /// The number of bones.
    pub fn len(&self) -> usize {
        self.bones.len()
    }

    /// Whether there are no bones.
    pub fn is_empty(&self) -> bool {
        self.bones.is_empty()
    }

    /// Bone `index`; `None` if the index is out of range.
    pub fn bone(&self, index: usize) -> Option<&Bone<'a>> {
        self.bones.get(index).map(|joint| &joint.bone)
    }

    /// The indices of the bones, parents before their children.
    pub fn order(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.order.iter().map(|index| *index as usize)
    }

    /// The frame that bone `index` shows if the model is at `frame`. It differs from `frame` if a BoneFrame applies.
    /// `None` if the index is out of range.
    pub fn frame_of(&self, index: usize, frame: f32) -> Option<f32> {
        self.bones.get(index).map(|joint| joint.own_frame.unwrap_or(frame))
    }

    /// The scaling, rotation (a quaternion x, y, z, w) and translation of bone `index` in parent bone space if the model is
    /// at `frame`; `None` if the index is out of range. O(log keys) for sorted keys.
    pub fn transform_at(&self, index: usize, frame: f32) -> Option<([f32; 3], [f32; 4], [f32; 3])> {
        let joint = self.bones.get(index)?;
        let frame = joint.own_frame.unwrap_or(frame);
        let [scaling, translation, rotation] = joint.sorted;
        let scaling = joint.scaling.vector_at(frame, scaling).unwrap_or(NO_SCALING);
        let translation = joint.translation.vector_at(frame, translation).unwrap_or([0.0; 3]);
        let rotation = joint.rotation.rotation_at(frame, rotation).unwrap_or(NO_ROTATION);
        Some((scaling, rotation, translation))
    }

    /// The matrix from the space of bone `index` to the space of its parent bone, column-major, if the model is at `frame`;
    /// `None` if the index is out of range. O(log keys) for sorted keys.
    pub fn bone_to_parent(&self, index: usize, frame: f32) -> Option<[[f32; 4]; 4]> {
        let (scaling, rotation, translation) = self.transform_at(index, frame)?;
        Some(composed(scaling, rotation, translation))
    }

    /// Writes the matrix from bone space to world space of every bone to `out`, column-major, if the model is at
    /// `frame`.
    ///
    /// # Errors
    ///
    /// `out` does not have one matrix for each bone.
    pub fn bone_to_world_into(&self, frame: f32, out: &mut [[[f32; 4]; 4]]) -> Result<()> {
        self.check_len("elements of the output", out.len())?;
        for index in self.order() {
            let Some(local) = self.bone_to_parent(index, frame) else { continue };
            let parent = self.bones.get(index).and_then(Joint::parent).and_then(|parent| out.get(parent));
            let world = parent.map_or(local, |parent| product(parent, &local));
            if let Some(slot) = out.get_mut(index) {
                *slot = world;
            }
        }
        Ok(())
    }

    /// The matrix from mesh space to world space of the appended mesh with index `attachment` of bone `bone`.
    /// `bone_to_world` has the matrix of each bone. `None` if there is no such bone or mesh.
    pub fn mesh_to_world(
        &self,
        bone: usize,
        attachment: usize,
        bone_to_world: &[[[f32; 4]; 4]],
    ) -> Option<[[f32; 4]; 4]> {
        let mesh_to_bone = self.bone(bone)?.mesh_to_bone(attachment)?;
        Some(product(bone_to_world.get(bone)?, &mesh_to_bone))
    }

    /// Writes the matrix palette of a skinned mesh to `out`, one matrix for each bone. `bone_to_world` has the matrix
    /// of each bone. If `mesh` is appended to a bone, its matrix in the palette is the matrix from mesh space to world
    /// space; otherwise it is the bone's matrix in `bone_to_world`.
    ///
    /// # Errors
    ///
    /// `bone_to_world` or `out` does not have one matrix for each bone.
    pub fn palette_into(
        &self,
        mesh: &Mesh<'_, '_>,
        bone_to_world: &[[[f32; 4]; 4]],
        out: &mut [[[f32; 4]; 4]],
    ) -> Result<()> {
        self.check_len("matrices of bones", bone_to_world.len())?;
        self.check_len("elements of the output", out.len())?;
        for ((out, joint), to_world) in out.iter_mut().zip(&self.bones).zip(bone_to_world) {
            let attachment = joint.bone.meshes().iter().position(|index| index as usize == mesh.index());
            let mesh_to_bone = attachment.and_then(|attachment| joint.bone.mesh_to_bone(attachment));
            *out = mesh_to_bone.map_or(*to_world, |mesh_to_bone| product(to_world, &mesh_to_bone));
        }
        Ok(())
    }

    fn check_len(&self, what: &'static str, found: usize) -> Result<()> {
        Checks::new(FORMAT).length(what, self.len(), found)
    }
}

/// The matrix that applies `inner`, then `outer`.
fn product(outer: &[[f32; 4]; 4], inner: &[[f32; 4]; 4]) -> [[f32; 4]; 4] {
    (Mat4::from_cols_array_2d(outer) * Mat4::from_cols_array_2d(inner)).to_cols_array_2d()
}
