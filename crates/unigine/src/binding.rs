//! Plays an animation file on the bones of a mesh. Bones are matched by name.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use meshlens_wire::Result;

use crate::{Animation, Skeleton, Transform};

/// A map from the bones of an animation file to the bones of a mesh.
///
/// Bones are matched by name, byte for byte. If several bones of the mesh have the same name, the first one is moved.
///
/// ```
/// # use meshlens_unigine::{Anim, Mesh, Version, write};
/// # let mut model = write::Model::new(Version::Ms11);
/// # model.bones.push(write::Bone::new("root", None)?);
/// # let mesh_bytes = model.write()?;
/// # let mut file = write::Anim::new(Version::An10);
/// # file.bones.push(write::Bone::new("root", None)?);
/// # let pose = [meshlens_unigine::Transform { position: [0.0, 0.0, 2.0], ..Default::default() }];
/// # file.animations.push(write::Animation::new(Version::An10, "lift", &[0], 0x7f, &pose)?);
/// # let anim_bytes = file.write()?;
/// use meshlens_unigine::{Binding, Interpolation};
///
/// let mesh = Mesh::parse(&mesh_bytes)?;
/// let anim = Anim::parse(&anim_bytes)?;
/// let binding = Binding::by_name(mesh.skeleton(), anim.skeleton());
/// assert!(binding.mismatches().is_empty());
///
/// let mut local = vec![Default::default(); mesh.skeleton().len()];
/// let mut world = vec![[[0.0; 4]; 4]; mesh.skeleton().len()];
/// let animation = anim.animation(0).ok_or("no animation")?;
/// let mut sampler = animation.sampler();
/// mesh.skeleton().bind_pose_into(&mut local)?;
/// binding.apply_pose(&animation, sampler.sample(0.0, Interpolation::Normalized)?, &mut local)?;
/// mesh.skeleton().world_into(&local, &mut world)?;
/// assert_eq!(world[0][3], [0.0, 0.0, 2.0, 1.0]); // the translation
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Binding {
    /// The bone of the mesh for each bone of the animation file.
    bones: Vec<Option<usize>>,
    mesh_bones: usize,
    mismatches: NameMismatches,
}

/// The bones of a mesh and an animation file that do not match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NameMismatches {
    /// The indices of the bones of the animation file that the mesh does not have. Their animation is lost.
    pub missing_in_mesh: Vec<usize>,
    /// The indices of the bones of the mesh that the animation file does not have. They keep their pose.
    pub missing_in_animation: Vec<usize>,
    /// The indices of the bones of the animation file that match, but whose parent in the mesh is different.
    pub other_parent: Vec<usize>,
    /// The indices of the bones of the animation file that have the same name as an earlier bone. Both move the same
    /// bone of the mesh.
    pub same_name: Vec<usize>,
}

impl NameMismatches {
    /// Whether all bones of both files match.
    pub fn is_empty(&self) -> bool {
        *self == NameMismatches::default()
    }
}

impl Binding {
    /// Finds the bone of a mesh for each bone of an animation file. O(n log n) in the bones.
    pub fn by_name(mesh: Skeleton<'_, '_>, animation: Skeleton<'_, '_>) -> Binding {
        Self::new(
            mesh.bones().map(|bone| (bone.name.as_bytes(), bone.parent)),
            animation.bones().map(|bone| (bone.name.as_bytes(), bone.parent)),
        )
    }

    /// Like [`by_name`](Self::by_name), for bones whose names were converted to text: `mesh` gives the name and the index of the
    /// parent of each.
    pub fn by_text<'n>(
        mesh: impl IntoIterator<Item = (&'n str, Option<usize>)>,
        animation: Skeleton<'_, '_>,
    ) -> Binding {
        let mesh = mesh.into_iter().map(|(name, parent)| (Cow::Borrowed(name), parent));
        Self::new(mesh, animation.bones().map(|bone| (bone.name.to_text(), bone.parent)))
    }

    /// Matches bones, each a name and a parent.
    fn new<N: Ord>(
        mesh: impl Iterator<Item = (N, Option<usize>)>,
        animation: impl Iterator<Item = (N, Option<usize>)>,
    ) -> Binding {
        let mesh: Vec<(N, Option<usize>)> = mesh.collect();
        let mut sorted: Vec<usize> = (0..mesh.len()).collect();
        let name_of = |bone: &usize| mesh.get(*bone).map(|(name, _)| name);
        // Bones with the same name keep their order, so that the first one is found.
        sorted.sort_by(|a, b| name_of(a).cmp(&name_of(b)));
        let find = |name: &N| {
            let first = sorted.partition_point(|bone| name_of(bone) < Some(name));
            sorted.get(first).copied().filter(|bone| name_of(bone) == Some(name))
        };
        let animation: Vec<(Option<usize>, Option<usize>)> =
            animation.map(|(name, parent)| (find(&name), parent)).collect();
        let target = |bone: usize| animation.get(bone).and_then(|(on, _)| *on);

        let mut mismatches = NameMismatches::default();
        let mut is_moved = alloc::vec![false; mesh.len()];
        for (index, (on, parent)) in animation.iter().enumerate() {
            let Some(on) = *on else {
                mismatches.missing_in_mesh.push(index);
                continue;
            };
            match is_moved.get_mut(on) {
                Some(is_moved) if !*is_moved => *is_moved = true,
                _ => mismatches.same_name.push(index),
            }
            let mesh_parent = mesh.get(on).and_then(|(_, parent)| *parent);
            if mesh_parent != parent.and_then(target) {
                mismatches.other_parent.push(index);
            }
        }
        let unmoved = is_moved.iter().enumerate().filter(|(_, is_moved)| !**is_moved);
        mismatches.missing_in_animation.extend(unmoved.map(|(index, _)| index));
        let bones = animation.iter().map(|(on, _)| *on).collect();
        Binding { bones, mesh_bones: mesh.len(), mismatches }
    }

    /// The bones that do not match.
    pub const fn mismatches(&self) -> &NameMismatches {
        &self.mismatches
    }

    /// The index of the bone of the mesh that a bone of the animation file moves; `None` if the mesh does not have it
    /// or the index is out of range.
    pub fn mesh_bone(&self, animation_bone: usize) -> Option<usize> {
        self.bones.get(animation_bone).copied().flatten()
    }

    /// Copies a pose of `animation` into a pose of the mesh, local to the parents. The animation must be from the file
    /// for which this binding was made. Bones that do not match keep their transforms.
    ///
    /// # Errors
    ///
    /// [`Length`](meshlens_wire::ErrorKind::Length) if `pose` does not have one transform for each bone of the
    /// animation, or `mesh_pose` does not have one for each bone of the mesh.
    pub fn apply_pose(
        &self,
        animation: &Animation<'_, '_>,
        pose: &[Transform],
        mesh_pose: &mut [Transform],
    ) -> Result<()> {
        animation.check_length("transforms of the pose", animation.bone_count(), pose.len())?;
        animation.check_length("transforms of the mesh pose", self.mesh_bones, mesh_pose.len())?;
        for (bone, transform) in animation.bones().iter().zip(pose) {
            let on = usize::try_from(bone).ok().and_then(|bone| self.mesh_bone(bone));
            if let Some(slot) = on.and_then(|on| mesh_pose.get_mut(on)) {
                *slot = *transform;
            }
        }
        Ok(())
    }
}
