//! One bone of a model: the meshes appended to it and its animation keys.

use core::marker::PhantomData;

use crate::encoding::{F32, IndexU16, U32};
use glam::{Mat4, Quat, Vec3};
use meshlens_lens::{Encoding, Lens, ValueLens};
use meshlens_wire::{Complete, Data, Name, Presence, Span};

use crate::header::Version;
use crate::keys::{Keys, RotationKeys, VectorKeys};
use crate::layout::{KEY_VALUE, MATRIX_ROW_SIZE};
use crate::parts::BoneParts;
use crate::text::name_at;

/// The scaling and the rotation of a bone without keys.
pub(crate) const NO_SCALING: [f32; 3] = [1.0; 3];
pub(crate) const NO_ROTATION: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// The matrix that scales, then rotates, then moves.
pub(crate) fn composed(scaling: [f32; 3], rotation: [f32; 4], translation: [f32; 3]) -> [[f32; 4]; 4] {
    let (scaling, rotation, translation) =
        (Vec3::from(scaling), Quat::from_array(rotation), Vec3::from(translation));
    Mat4::from_scale_rotation_translation(scaling, rotation, translation).to_cols_array_2d()
}

/// One bone (Ultimate 3D: The bone chunk).
#[derive(Clone, Copy, Debug)]
pub struct Bone<'a, P: Presence = Complete> {
    data: Data<'a>,
    version: Version,
    offset: u64,
    name: Span,
    index: u32,
    parent: Option<u32>,
    bone_frame: f32,
    pass_on: bool,
    meshes: Span,
    matrices: Span,
    scaling_keys: Span,
    translation_keys: Span,
    rotation_keys: Span,
    presence: PhantomData<P>,
}

impl<'a, P: Presence> Bone<'a, P> {
    pub(crate) fn new(data: Data<'a>, version: Version, parts: &BoneParts) -> Self {
        Bone {
            data,
            version,
            offset: parts.offset,
            name: parts.name,
            index: parts.index,
            parent: parts.parent,
            bone_frame: parts.bone_frame,
            pass_on: parts.pass_on,
            meshes: parts.meshes(),
            matrices: parts.matrices(),
            scaling_keys: parts.scaling_keys(),
            translation_keys: parts.translation_keys(),
            rotation_keys: parts.rotation_keys(),
            presence: PhantomData,
        }
    }

    /// The absolute offset of the chunk.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// iBone: the number by which children and weights refer to the bone. In version 1.0 it is the index in file order.
    pub const fn index(&self) -> u32 {
        self.index
    }

    /// The name of the bone.
    pub fn name(&self) -> P::Of<Name<'a>> {
        name_at::<P>(self.data, self.name)
    }

    /// The number of the parent bone; `None` for a root. A model may have several roots.
    pub const fn parent(&self) -> Option<u32> {
        self.parent
    }

    /// BoneFrame: the frame that this bone always shows; usually -1. If it is negative, the bone follows the animation.
    pub const fn bone_frame(&self) -> f32 {
        self.bone_frame
    }

    /// PassOnBoneFrame: whether children inherit the frame of this bone. If not, they inherit the frame that this bone
    /// inherits.
    pub const fn passes_on_bone_frame(&self) -> bool {
        self.pass_on
    }

    /// The number of meshes appended to the bone.
    pub const fn mesh_count(&self) -> usize {
        // Each mesh has a matrix in the file, so the number is less than the number of bytes in memory.
        self.matrices.count() as usize
    }

    /// The indices of the appended meshes.
    pub fn meshes(&self) -> P::Of<ValueLens<'a, u32>> {
        self.numbers(self.meshes)
    }

    /// Mesh indices, or the frames of keys: 16 bits in version 1.0 and 32 in version 2.0.
    fn numbers(&self, span: Span) -> P::Of<ValueLens<'a, u32>> {
        match self.version {
            Version::V1 => P::map(Lens::bind_in::<P>(self.data, span, 0, IndexU16::<1>), Into::into),
            Version::V2 { .. } => P::map(Lens::bind_in::<P>(self.data, span, 0, U32::<1>), Into::into),
        }
    }

    /// The matrix from mesh space to bone space of the appended mesh with index `attachment`, column-major; `None` if the
    /// index is out of range.
    pub fn mesh_to_bone(&self, attachment: usize) -> P::Of<Option<[[f32; 4]; 4]>> {
        P::map(self.mesh_to_bone_rows(), |rows| {
            let first = attachment.checked_mul(4)?;
            let rows = rows.slice(first..first.checked_add(4)?)?;
            // The rows of a matrix for row vectors are the columns of the same matrix for column vectors.
            let mut columns = [[0.0; 4]; 4];
            rows.decode_into(&mut columns).ok()?;
            Some(columns)
        })
    }

    /// The rows of the mesh to bone space matrices as they are stored, four for each appended mesh.
    pub fn mesh_to_bone_rows(&self) -> P::Of<Lens<'a, F32<4>>> {
        // A matrix has four rows, so its size is a multiple of the size of a row.
        let rows = self.matrices.restride(MATRIX_ROW_SIZE).unwrap_or_default();
        Lens::bind_in::<P>(self.data, rows, 0, F32::<4>)
    }

    fn keys<E: Encoding>(&self, span: Span, encoding: E) -> P::Of<Keys<'a, E>> {
        let frames = P::result(self.numbers(span));
        let values = Lens::bind(self.data, span, KEY_VALUE, encoding);
        let keys = frames.and_then(|frames| Ok(Keys { frames, values: values? }));
        P::read(keys, || Keys::empty(encoding))
    }

    /// The scaling keys: one factor for each axis of bone space.
    pub fn scaling_keys(&self) -> P::Of<VectorKeys<'a>> {
        self.keys(self.scaling_keys, F32::<3>)
    }

    /// The translation keys, in parent bone space.
    pub fn translation_keys(&self) -> P::Of<VectorKeys<'a>> {
        self.keys(self.translation_keys, F32::<3>)
    }

    /// The rotation keys: quaternions x, y, z, w, in parent bone space.
    pub fn rotation_keys(&self) -> P::Of<RotationKeys<'a>> {
        self.keys(self.rotation_keys, F32::<4>)
    }

    /// The scaling at any frame, blended linearly between keys; 1 without keys. O(keys).
    pub fn scaling_at(&self, frame: f32) -> P::Of<[f32; 3]> {
        P::map(self.scaling_keys(), |keys| keys.vector_at(frame, false).unwrap_or(NO_SCALING))
    }

    /// The translation at any frame, blended linearly between keys; 0 without keys. O(keys).
    pub fn translation_at(&self, frame: f32) -> P::Of<[f32; 3]> {
        P::map(self.translation_keys(), |keys| keys.vector_at(frame, false).unwrap_or([0.0; 3]))
    }

    /// The rotation at any frame, as a quaternion x, y, z, w, blended spherically along the shorter path between keys; the
    /// identity without keys. O(keys).
    pub fn rotation_at(&self, frame: f32) -> P::Of<[f32; 4]> {
        P::map(self.rotation_keys(), |keys| keys.rotation_at(frame, false).unwrap_or(NO_ROTATION))
    }

    /// The absolute offset of PassOnBoneFrame: after the name, iParent and BoneFrame.
    pub(crate) fn pass_on_offset(&self) -> u64 {
        let parent_size = if self.version.is_v1() { 2 } else { 4 };
        self.name.byte_range().end + 1 + parent_size + 4
    }
}

impl Bone<'_> {
    /// The matrix from bone space to the space of the parent bone at any frame: scaling, then rotation, then
    /// translation. Column-major. O(keys).
    pub fn bone_to_parent(&self, frame: f32) -> [[f32; 4]; 4] {
        composed(self.scaling_at(frame), self.rotation_at(frame), self.translation_at(frame))
    }
}
