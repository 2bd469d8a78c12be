//! Poses: the state of the nodes of a scene at one time.

use std::ffi::c_char;
use std::sync::{Arc, PoisonError, RwLock};

use meshlens::scene::{NodePose, Pose};

use super::ml_scene;
use crate::animation::ml_blend;
use crate::call::{call, check_length, check_list, input, needed_text};
use crate::error::ml_error;
use crate::handle;
use crate::memory::Allocator;
use crate::result::{Failure, Result, ml_result};
use crate::space::ml_matrix;

/// The state of each node of a scene at one time: its vertex frames, and the matrices of its joints. A pose can be used
/// with every scene of the same asset or file, independent of its space and its level of detail; with a scene of another
/// one, calls return ML_ERROR_INDEX. It only changes in ml_set_pose, ml_set_frames and ml_set_joints.
pub struct ml_pose {
    pose: RwLock<Pose>,
    of: Arc<()>,
    allocator: Allocator,
}

handle::opaque!(ml_pose: allocator);

impl ml_pose {
    /// Returns an error for a scene of another asset or file.
    fn check_is_of(&self, scene: &ml_scene) -> Result<()> {
        let other = Failure::new(ml_result::ML_ERROR_INDEX, "the pose is of another scene");
        if Arc::ptr_eq(&self.of, &scene.of) { Ok(()) } else { Err(other) }
    }

    /// Reads the pose with its matrices, which the first reader after a change computes.
    fn read<R>(&self, scene: &ml_scene, then: impl FnOnce(&Pose) -> Result<R>) -> Result<R> {
        // A pose changes in one step, so a panic leaves no partial change.
        let mut pose = self.pose.read().unwrap_or_else(PoisonError::into_inner);
        if !pose.is_prepared() {
            drop(pose);
            scene.with_view(|view| {
                self.change(|pose| {
                    pose.prepare(view.scene());
                    Ok(())
                })
            })?;
            pose = self.pose.read().unwrap_or_else(PoisonError::into_inner);
        }
        then(&pose)
    }

    fn change<R>(&self, then: impl FnOnce(&mut Pose) -> Result<R>) -> Result<R> {
        then(&mut self.pose.write().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Reads the pose of a call; NULL is the scene at rest.
///
/// # Safety
///
/// `pose` is NULL or an open handle.
pub(super) unsafe fn with_pose<R>(
    scene: &ml_scene,
    pose: *const ml_pose,
    then: impl FnOnce(&Pose) -> Result<R>,
) -> Result<R> {
    if pose.is_null() {
        return then(&scene.rest_pose);
    }
    // SAFETY: guaranteed by the caller.
    let pose = unsafe { handle::get(pose)? };
    pose.check_is_of(scene)?;
    pose.read(scene, then)
}

/// A clip and a time.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_play {
    /// The name of the clip, in any case. It moves every node that has a clip with this name.
    pub clip: *const c_char,
    /// The time in seconds since the start of the clip.
    pub time: f32,
}

/// Makes a pose of a scene at rest: nodes show their first vertex frame, but legs and torso of a player the first frame of
/// LEGS_IDLE and TORSO_STAND, if there is an animation.cfg. ml_set_frames shows others. On success, `*pose` is a new handle, to
/// be closed with ml_close_pose; otherwise it is NULL.
///
/// Cost: O(joints).
/// Threads: any.
/// Errors: ML_ERROR_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_new_pose(
    scene: *const ml_scene,
    pose: *mut *mut ml_pose,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::clear(pose)?;
        let scene = handle::get(scene)?;
        let pose_at_rest = RwLock::new(scene.rest_pose.clone());
        let made = ml_pose { pose: pose_at_rest, of: scene.of.clone(), allocator: scene.memory.allocator };
        handle::open(pose, made)
    })
}

/// Closes a pose. NULL is ignored.
///
/// Cost: O(nodes).
/// Threads: any, one at a time.
/// Errors: those of ml_close.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_close_pose(pose: *mut ml_pose) -> ml_result {
    call!(std::ptr::null_mut(), handle::close(pose))
}

/// Sets a pose to what a scene shows while `count` clips play. A clip moves every node that has one with its name; if
/// several move one node, the last does. Other nodes are at rest. For example, the legs of a player play LEGS_RUN while the
/// torso plays TORSO_ATTACK.
///
/// Cost: O(joints + clips). To find a frame, UNIGINE reads up to 64 frames before it, and Ultimate 3D searches the keys of
/// each joint. Allocates nothing if the pose showed these clips before.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if the pose is of another scene, ML_ERROR_MISSING if no node has a clip with a name. The pose is
/// then unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_set_pose(
    scene: *const ml_scene,
    pose: *mut ml_pose,
    clips: *const ml_play,
    count: usize,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let (scene, pose) = (handle::get(scene)?, handle::get(pose.cast_const())?);
        pose.check_is_of(scene)?;
        check_list(clips, count, "the list of clips is NULL or not aligned")?;
        let clip = |index: usize| -> Result<(&str, f32)> {
            let clip = &*clips.wrapping_add(index);
            Ok((needed_text(clip.clip)?, clip.time))
        };
        (0..count).try_for_each(|index| clip(index).map(drop))?;
        // Every name has just been read.
        let played = (0..count).map_while(|index| clip(index).ok());
        scene.with_view(|view| pose.change(|pose| Ok(view.scene().pose_into(played, pose)?)))
    })
}

/// Shows two vertex frames on a node, and a weight of the second. Meshes with fewer frames show their last one.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_set_frames(
    pose: *mut ml_pose,
    node: usize,
    frames: ml_blend,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::get(pose.cast_const())?.change(|pose| {
            shown(pose, node)?.frames = frames.into();
            Ok(())
        })
    })
}

/// Sets the matrices of the joints of a node, as ml_get_world_matrices writes them: in the space of its model. `count` must
/// be the number of joints.
///
/// Cost: O(joints).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such node, ML_ERROR_LENGTH.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_set_joints(
    pose: *mut ml_pose,
    node: usize,
    joints: *const ml_matrix,
    count: usize,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let joints = input(joints, count)?;
        handle::get(pose.cast_const())?.change(|pose| {
            let shown = shown(pose, node)?;
            check_length("joints", shown.joints.len(), count)?;
            shown.joints.iter_mut().zip(joints).for_each(|(shown, joint)| *shown = bytemuck::cast(joint.m));
            Ok(())
        })
    })
}

fn shown(pose: &mut Pose, node: usize) -> Result<&mut NodePose> {
    let count = (0..).take_while(|node| pose.node(*node).is_some()).count();
    pose.node_mut(node).ok_or_else(|| Failure::index("node", node, count))
}
