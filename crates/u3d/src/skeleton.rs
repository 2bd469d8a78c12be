//! The bones as a hierarchy: which hangs on which, and where all of them are at some frame.

use alloc::vec::Vec;

use meshlens_wire::{Error, ErrorKind, Expected, Place, Result};

use crate::matrix::{lerp, slerp};
use crate::{Bone, Matrix, Mesh, U3d};

/// The bones of a model, proven to be a hierarchy without cycles (Ultimate 3D: The bone chunk).
///
/// A frame is any real number. Bone `b`'s own frame is BoneFrame where that is not negative, else the one it
/// inherits; a child inherits the own frame of a parent with PassOnBoneFrame, else what the parent inherits; roots
/// inherit the frame that is asked for.
#[derive(Clone, Debug)]
pub struct Skeleton<'a> {
    bones: Vec<Joint<'a>>,
    /// The numbers of the bones, parents before children.
    order: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Joint<'a> {
    bone: Bone<'a>,
    /// The frame this bone is always at, if there is one.
    own_frame: Option<f32>,
    /// The frame its children inherit, if it is not the one asked for.
    handed_on: Option<f32>,
    /// Whether scaling, translation and rotation keys are sorted.
    sorted: [bool; 3],
}

impl<'a> Skeleton<'a> {
    pub(crate) fn new(u3d: &U3d<'a>) -> Result<Self> {
        let data = u3d.data();
        let count = u3d.bone_count();
        let error = |bone: &Bone<'a>, kind: ErrorKind| {
            Err(data.error(bone.offset(), kind).at(Place::new("bone", bone.index().into())))
        };
        let mut bones = Vec::with_capacity(count);
        let mut children: Vec<(u32, u32)> = Vec::with_capacity(count);
        let mut order = Vec::with_capacity(count);
        for (number, bone) in (0u32..).zip(u3d.bones()) {
            if bone.index() != number {
                let expected = Expected::Exactly(number.into());
                let kind = ErrorKind::Value { what: "iBone", expected, found: bone.index().into() };
                return error(&bone, kind);
            }
            match bone.parent() {
                None => order.push(number),
                Some(parent) if (parent as usize) < count => children.push((parent, number)),
                Some(parent) => {
                    let count = count as u64;
                    let kind = ErrorKind::Index { what: "parent bone", index: parent.into(), count };
                    return error(&bone, kind);
                }
            }
            bones.push(Joint { bone, own_frame: None, handed_on: None, sorted: [false; 3] });
        }
        // From the roots down: what is never reached hangs on itself.
        children.sort_unstable();
        let mut next = 0usize;
        while let Some(parent) = order.get(next).copied() {
            let start = children.partition_point(|(of, _)| *of < parent);
            let own = children.get(start..).unwrap_or_default().iter().take_while(|(of, _)| *of == parent);
            order.extend(own.map(|(_, child)| *child));
            next = next.saturating_add(1);
        }
        if order.len() != count {
            let mut reached = alloc::vec![false; count];
            for number in &order {
                if let Some(slot) = reached.get_mut(*number as usize) {
                    *slot = true;
                }
            }
            let lost = reached.iter().position(|reached| !reached).unwrap_or_default();
            if let Some(joint) = bones.get(lost) {
                let found = joint.bone.parent().unwrap_or_default().into();
                let expected = Expected::Text("a bone that does not hang on this one");
                return error(&joint.bone, ErrorKind::Value { what: "iParent", expected, found });
            }
        }
        let mut skeleton = Skeleton { bones, order };
        skeleton.prepare();
        Ok(skeleton)
    }

    /// Settles which frame each bone is at, and which keys can be searched.
    fn prepare(&mut self) {
        for number in &self.order {
            let number = *number as usize;
            let Some(Joint { bone, .. }) = self.bones.get(number).copied() else { continue };
            let parent = bone.parent().and_then(|parent| self.bones.get(parent as usize));
            let inherited = parent.and_then(|parent| parent.handed_on);
            let own_frame = if bone.bone_frame() >= 0.0 { Some(bone.bone_frame()) } else { inherited };
            let handed_on = if bone.passes_on_bone_frame() { own_frame } else { inherited };
            let sorted = [
                bone.scaling_keys().is_sorted(),
                bone.translation_keys().is_sorted(),
                bone.rotation_keys().is_sorted(),
            ];
            if let Some(joint) = self.bones.get_mut(number) {
                *joint = Joint { bone, own_frame, handed_on, sorted };
            }
        }
    }

    /// Number of bones.
    pub fn len(&self) -> usize {
        self.bones.len()
    }

    /// Whether there is no bone.
    pub fn is_empty(&self) -> bool {
        self.bones.is_empty()
    }

    /// Bone `index`, or `None` past the last.
    pub fn bone(&self, index: usize) -> Option<&Bone<'a>> {
        self.bones.get(index).map(|joint| &joint.bone)
    }

    /// The numbers of the bones, parents before their children.
    pub fn order(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.order.iter().map(|number| *number as usize)
    }

    /// The frame bone `index` is at when the model is at `frame`: another one where BoneFrame says so. `None` past
    /// the last bone.
    pub fn frame_of(&self, index: usize, frame: f32) -> Option<f32> {
        self.bones.get(index).map(|joint| joint.own_frame.unwrap_or(frame))
    }

    /// The scaling, rotation and translation of bone `index` in its parent's space when the model is at `frame`; `None`
    /// past the last bone. O(log keys) for keys in order.
    pub fn transform_at(&self, index: usize, frame: f32) -> Option<([f32; 3], [f32; 4], [f32; 3])> {
        let joint = self.bones.get(index)?;
        let frame = joint.own_frame.unwrap_or(frame);
        let bone = &joint.bone;
        let [scaling, translation, rotation] = joint.sorted;
        let scaling = if scaling {
            bone.scaling_keys().sample_sorted(frame, lerp).unwrap_or([1.0; 3])
        } else {
            bone.scaling_at(frame)
        };
        let translation = if translation {
            bone.translation_keys().sample_sorted(frame, lerp).unwrap_or([0.0; 3])
        } else {
            bone.translation_at(frame)
        };
        let rotation = if rotation {
            bone.rotation_keys().sample_sorted(frame, slerp).unwrap_or([0.0, 0.0, 0.0, 1.0])
        } else {
            bone.rotation_at(frame)
        };
        Some((scaling, rotation, translation))
    }

    /// The bone to parent bone space matrix of bone `index` when the model is at `frame`; `None` past the last bone.
    /// O(log keys) for keys in order.
    pub fn bone_to_parent(&self, index: usize, frame: f32) -> Option<Matrix> {
        let (scaling, rotation, translation) = self.transform_at(index, frame)?;
        Some(Matrix::from_parts(scaling, rotation, translation))
    }

    /// The bone to world space matrix of every bone when the model is at `frame`: BoneToParent * ParentToWorld, down
    /// from the roots.
    ///
    /// # Errors
    ///
    /// An output that does not hold one matrix for each bone.
    pub fn bone_to_world_into(&self, frame: f32, out: &mut [Matrix]) -> Result<()> {
        if out.len() != self.len() {
            return Err(self.length_error("output length", out.len()));
        }
        for index in self.order() {
            let Some(local) = self.bone_to_parent(index, frame) else { continue };
            let parent = self.bone(index).and_then(Bone::parent).and_then(|parent| out.get(parent as usize));
            let world = parent.map_or(local, |parent| local.then(parent));
            if let Some(slot) = out.get_mut(index) {
                *slot = world;
            }
        }
        Ok(())
    }

    /// The mesh to world space matrix of appended mesh `attachment` of bone `bone`, for bones at `bone_to_world`:
    /// MeshToBone * BoneToWorld. `None` where there is no such bone or mesh.
    pub fn mesh_to_world(&self, bone: usize, attachment: usize, bone_to_world: &[Matrix]) -> Option<Matrix> {
        let mesh_to_bone = self.bone(bone)?.mesh_to_bone(attachment)?;
        Some(mesh_to_bone.then(bone_to_world.get(bone)?))
    }

    /// The matrix palette of a skinned mesh, for bones at `bone_to_world`: for each bone the mesh to world space
    /// matrix of `mesh`, or of bones that do not carry it their bone to world space matrix.
    ///
    /// # Errors
    ///
    /// An input or output that does not hold one matrix for each bone.
    pub fn palette_into(
        &self,
        mesh: &Mesh<'_, '_>,
        bone_to_world: &[Matrix],
        out: &mut [Matrix],
    ) -> Result<()> {
        for (what, found) in [("matrices of bones", bone_to_world.len()), ("output length", out.len())] {
            if found != self.len() {
                return Err(self.length_error(what, found));
            }
        }
        for ((out, joint), to_world) in out.iter_mut().zip(&self.bones).zip(bone_to_world) {
            let attachment = joint.bone.meshes().position(|number| number as usize == mesh.index());
            let mesh_to_bone = attachment.and_then(|attachment| joint.bone.mesh_to_bone(attachment));
            *out = mesh_to_bone.map_or(*to_world, |mesh_to_bone| mesh_to_bone.then(to_world));
        }
        Ok(())
    }

    fn length_error(&self, what: &'static str, found: usize) -> Error {
        let to_i64 = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
        let expected = Expected::Exactly(to_i64(self.len()));
        Error::new(crate::FORMAT, 0, ErrorKind::Value { what, expected, found: to_i64(found) })
    }
}
