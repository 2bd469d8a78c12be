//! Joints, poses, and skinned vertices.

use std::ffi::c_char;

use meshlens::model::{Transform, world_into};

use crate::asset::{ml_asset, model_of};
use crate::call::{at, call, check_length, input, output};
use crate::error::ml_error;
use crate::model::{ML_NONE, or_none};
use crate::result::ml_result;
use crate::sized::{self, Growing};
use crate::space::ml_matrix;

/// A transform relative to a parent: scale first, then the rotation, then the translation.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ml_transform {
    /// The translation.
    pub translation: [f32; 3],
    /// The rotation x, y, z, w, of length 1.
    pub rotation: [f32; 4],
    /// The scale along the local axes.
    pub scale: [f32; 3],
}

crate::call::plain!(ml_transform: [f32; 3], [f32; 4], [f32; 3]);

impl From<&Transform> for ml_transform {
    fn from(transform: &Transform) -> Self {
        let Transform { translation, rotation, scale } = *transform;
        ml_transform { translation, rotation, scale }
    }
}

/// A joint of the skeleton.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_joint {
    /// sizeof(ml_joint), or 0 for the first version of the struct.
    pub size: usize,
    /// The name, by which animations refer to the joint.
    pub name: *const c_char,
    /// The index of the parent joint; ML_NONE for a root. It may be larger than the index of this joint.
    pub parent: usize,
    /// The transform at rest, relative to the parent.
    pub rest: ml_transform,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_joint {}

/// Writes the properties of a joint.
///
/// Cost: O(1). The first call makes the model: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such joint; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_joint(
    asset: *const ml_asset,
    index: usize,
    joint: *mut ml_joint,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        model_of(asset)?.with_model(|content| {
            let found = at(&content.model().joints, "joint", index)?;
            let written = ml_joint {
                size: 0,
                name: content.names.of(&content.names.joints, index),
                parent: or_none(found.parent),
                rest: (&found.rest).into(),
            };
            sized::write(joint, written)
        })
    })
}

/// An animation of joints. Clips play it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_animation {
    /// sizeof(ml_animation), or 0 for the first version of the struct.
    pub size: usize,
    /// The name.
    pub name: *const c_char,
    /// The number of frames.
    pub frame_count: usize,
    /// The number of joints that it moves.
    pub joint_count: usize,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_animation {}

/// Writes the properties of an animation.
///
/// Cost: O(1). The first call makes the model: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such animation; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_animation(
    asset: *const ml_asset,
    index: usize,
    animation: *mut ml_animation,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        model_of(asset)?.with_model(|content| {
            let found = at(&content.model().animations, "animation", index)?;
            let written = ml_animation {
                size: 0,
                name: content.names.of(&content.names.animations, index),
                frame_count: found.frame_count(),
                joint_count: found.joints.len(),
            };
            sized::write(animation, written)
        })
    })
}

/// Writes the pose of all joints in a clip `time` seconds after its start, or at rest if `clip` is ML_NONE, as
/// transforms relative to the parents. Joints that the clip does not move are at rest. `count` is the number of
/// elements of `pose`, which must be the number of joints.
///
/// Cost: O(joints), and the same amount of temporary memory. To find a frame, UNIGINE reads up to 64 frames before it,
/// and Ultimate 3D searches the keys of each joint.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such clip, ML_ERROR_LENGTH; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_pose(
    asset: *const ml_asset,
    clip: usize,
    time: f32,
    pose: *mut ml_transform,
    count: usize,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let file = model_of(asset)?;
        let out = output(pose, count)?;
        file.with_model(|content| {
            let model = content.model();
            check_length("joints", model.joints.len(), count)?;
            let mut found = Vec::new();
            if clip == ML_NONE {
                found.extend(model.joints.iter().map(|joint| joint.rest));
            } else {
                model.pose_into(at(&model.clips, "clip", clip)?, time, &mut found);
            }
            for (out, transform) in out.iter_mut().zip(&found) {
                *out = transform.into();
            }
            Ok(())
        })
    })
}

/// Writes the matrix of each joint in the space of the model from a pose: the product of the transforms of its
/// ancestors and its own. `count` is the number of elements of `pose` and of `world`, which must be the number of
/// joints.
///
/// Cost: O(joints).
/// Threads: any.
/// Errors: ML_ERROR_LENGTH; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_world_matrices(
    asset: *const ml_asset,
    pose: *const ml_transform,
    world: *mut ml_matrix,
    count: usize,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let file = model_of(asset)?;
        // The poses are copied before anything is written, because both arguments may be the same memory.
        let pose: Vec<Transform> = input(pose, count)?
            .iter()
            .map(|&ml_transform { translation, rotation, scale }| Transform { translation, rotation, scale })
            .collect();
        file.with_model(|content| {
            check_length("joints", content.model().joints.len(), count)?;
            let mut found = Vec::new();
            world_into(&content.model().joints, &pose, &mut found);
            for (out, matrix) in output(world, count)?.iter_mut().zip(&found) {
                *out = (*matrix).into();
            }
            Ok(())
        })
    })
}
