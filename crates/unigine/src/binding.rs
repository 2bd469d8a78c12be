//! An animation file on the bones of a mesh: by name, with a report of what does not match.

use alloc::vec::Vec;

use meshlens_wire::{Error, ErrorKind, Expected, Place, Result};

use crate::{Animation, FORMAT, Skeleton, Transform};

/// Which bone of a mesh each bone of an animation file moves.
///
/// Bones match by name, byte for byte. Where a mesh has several bones of one name, the first one moves.
///
/// ```
/// # use meshlens_unigine::{Anim, Mesh, Version, write};
/// # let mut model = write::Mesh::new(Version::Ms11);
/// # model.bones.push(write::Bone::new("root", None)?);
/// # let mesh_bytes = model.write()?;
/// # let mut file = write::Anim::new(Version::An10);
/// # file.bones.push(write::Bone::new("root", None)?);
/// # let pose = [meshlens_unigine::Transform { position: [0.0, 0.0, 2.0], ..Default::default() }];
/// # file.animations.push(write::Animation::new(Version::An10, "lift", &[0], 0x7f, &pose)?);
/// # let anim_bytes = file.write()?;
/// use meshlens_unigine::{Binding, Interpolation, Matrix};
///
/// let mesh = Mesh::parse(&mesh_bytes)?;
/// let anim = Anim::parse(&anim_bytes)?;
/// let binding = Binding::by_name(mesh.skeleton(), anim.skeleton());
/// assert!(binding.mismatches().is_empty());
///
/// let mut local = vec![Default::default(); mesh.skeleton().len()];
/// let mut world = vec![Matrix::IDENTITY; mesh.skeleton().len()];
/// let animation = anim.animation(0).expect("the file has one");
/// let mut player = animation.player();
/// mesh.skeleton().bind_pose_into(&mut local)?;
/// binding.apply_pose(&animation, player.sample(0.0, Interpolation::Normalized)?, &mut local)?;
/// mesh.skeleton().world_into(&local, &mut world)?;
/// assert_eq!(world[0].point([0.0; 3]), [0.0, 0.0, 2.0]);
/// # Ok::<(), meshlens_wire::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Binding {
    /// For each bone of the animation file the bone of the mesh.
    bones: Vec<Option<u32>>,
    mesh_bones: usize,
    mismatches: NameMismatches,
}

/// What did not match when an animation file was put on the bones of a mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameMismatches {
    /// Bones of the animation file that the mesh lacks: what they do is lost.
    pub missing_in_mesh: Vec<usize>,
    /// Bones of the mesh that the animation file lacks: they keep the pose they are given.
    pub missing_in_animation: Vec<usize>,
    /// Bones of the animation file that match, and hang on another bone there than in the mesh.
    pub other_parent: Vec<usize>,
    /// Bones of the animation file whose name one before them has, so that both move the same bone.
    pub same_name: Vec<usize>,
}

impl NameMismatches {
    /// Whether all bones of both sides match.
    pub fn is_empty(&self) -> bool {
        *self == NameMismatches::default()
    }
}

impl Binding {
    /// Finds the mesh's bone for each bone of an animation file. O(n log n) in the bones.
    pub fn by_name(mesh: Skeleton<'_, '_>, animation: Skeleton<'_, '_>) -> Binding {
        let mut names: Vec<(&[u8], usize)> =
            mesh.bones().enumerate().map(|(index, bone)| (bone.name.as_bytes(), index)).collect();
        names.sort_unstable();
        let find = |name: &[u8]| {
            let first = names.partition_point(|(other, _)| *other < name);
            names.get(first).filter(|(other, _)| *other == name).map(|(_, index)| *index)
        };
        let bones: Vec<Option<u32>> = animation
            .bones()
            .map(|bone| find(bone.name.as_bytes()).and_then(|index| u32::try_from(index).ok()))
            .collect();
        let target = |bone: usize| bones.get(bone).copied().flatten().map(|index| index as usize);

        let mut mismatches = NameMismatches::default();
        let mut is_moved = alloc::vec![false; mesh.len()];
        for (index, bone) in animation.bones().enumerate() {
            let Some(on) = target(index) else {
                mismatches.missing_in_mesh.push(index);
                continue;
            };
            match is_moved.get_mut(on) {
                Some(is_moved) if !*is_moved => *is_moved = true,
                _ => mismatches.same_name.push(index),
            }
            let parent = mesh.bone(on).and_then(|bone| bone.parent);
            if parent != bone.parent.and_then(target) {
                mismatches.other_parent.push(index);
            }
        }
        let unmoved = is_moved.iter().enumerate().filter(|(_, is_moved)| !**is_moved);
        mismatches.missing_in_animation.extend(unmoved.map(|(index, _)| index));
        Binding { bones, mesh_bones: mesh.len(), mismatches }
    }

    /// What did not match.
    pub const fn mismatches(&self) -> &NameMismatches {
        &self.mismatches
    }

    /// The mesh's bone for a bone of the animation file.
    pub fn mesh_bone(&self, animation_bone: usize) -> Option<usize> {
        self.bones.get(animation_bone).copied().flatten().map(|index| index as usize)
    }

    /// Puts a pose of `animation`, one of the file this was made for, into a pose of the mesh, local to the parents.
    /// What does not match stays as it is.
    ///
    /// # Errors
    ///
    /// A pose that does not hold one transform for each of the animation's bones, or a mesh pose that does not hold one
    /// for each bone of the mesh.
    pub fn apply_pose(
        &self,
        animation: &Animation<'_, '_>,
        pose: &[Transform],
        mesh_pose: &mut [Transform],
    ) -> Result<()> {
        check(animation, "pose length", animation.bone_count(), pose.len())?;
        check(animation, "mesh pose length", self.mesh_bones, mesh_pose.len())?;
        for (bone, transform) in animation.bones().iter().zip(pose) {
            let on = usize::try_from(bone).ok().and_then(|bone| self.mesh_bone(bone));
            if let Some(slot) = on.and_then(|on| mesh_pose.get_mut(on)) {
                *slot = *transform;
            }
        }
        Ok(())
    }
}

fn check(animation: &Animation<'_, '_>, what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    let expected = Expected::Exactly(i64::try_from(expected).unwrap_or(i64::MAX));
    let found = i64::try_from(found).unwrap_or(i64::MAX);
    let kind = ErrorKind::Value { what, expected, found };
    Err(Error::new(FORMAT, animation.offset(), kind).at(Place::new("animation", animation.index() as u64)))
}
