//! The transforms of the nodes of a scene, their tags and their joints.

use std::ffi::c_char;

use meshlens::scene::{Pose, Socket, View};

use super::pose::ml_pose;
use super::{ml_scene, with_pose};
use crate::bounds::ml_bounds;
use crate::call::{call, check_index, check_place, needed_text, put};
use crate::error::ml_error;
use crate::handle;
use crate::model::ML_NONE;
use crate::result::{Failure, Result, ml_result};
use crate::space::ml_matrix;

/// Writes the first node that has a tag with this name, ignoring case, to `*node`, and the index of the tag to `*tag`. Both
/// are ML_NONE if there is no such tag.
///
/// Cost: O(tags).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_find_scene_tag(
    scene: *const ml_scene,
    name: *const c_char,
    node: *mut usize,
    tag: *mut usize,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let name = needed_text(name)?;
        check_place(node)?;
        check_place(tag)?;
        let found = handle::get(scene)?.with_view(|view| {
            let mut nodes = view.scene().nodes.iter().enumerate();
            Ok(nodes.find_map(|(index, node)| Some((index, node.model.find_tag(name)?))))
        })?;
        let (found_node, found_tag) = found.unwrap_or((ML_NONE, ML_NONE));
        put(node, found_node)?;
        put(tag, found_tag)
    })
}

/// Writes the matrix from the model of a node, as its script places it, to the space of the scene. It includes the
/// attachment, the axes and the scale. Use it for everything except vertices, such as a node of a scene graph or a
/// sound. Vertices and tags are already in the space of the scene.
///
/// Cost: O(nodes).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such node, or the pose is of another scene.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_node_matrix(
    scene: *const ml_scene,
    node: usize,
    pose: *const ml_pose,
    matrix: *mut ml_matrix,
    error: *mut ml_error,
) -> ml_result {
    call!(error, put_matrix(scene, node, pose, matrix, |view, pose| view.matrix(node, pose)))
}

/// Writes the matrix of a tag of a node in the space of the scene, such as the place of a muzzle flash.
///
/// Cost: O(nodes).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such node or tag, or the pose is of another scene.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_tag_matrix(
    scene: *const ml_scene,
    node: usize,
    tag: usize,
    pose: *const ml_pose,
    matrix: *mut ml_matrix,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        put_matrix(scene, node, pose, matrix, |view, pose| view.socket(node, Socket::Tag(tag), pose))
    })
}

/// Writes the matrix of a joint of a node in the space of the scene, without its scale.
///
/// Cost: O(nodes).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such node or joint, or the pose is of another scene.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_joint_matrix(
    scene: *const ml_scene,
    node: usize,
    joint: usize,
    pose: *const ml_pose,
    matrix: *mut ml_matrix,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        put_matrix(scene, node, pose, matrix, |view, pose| view.socket(node, Socket::Joint(joint), pose))
    })
}

/// # Safety
///
/// Handles are NULL or open, and `matrix` is NULL or points to a matrix.
unsafe fn put_matrix(
    scene: *const ml_scene,
    node: usize,
    pose: *const ml_pose,
    matrix: *mut ml_matrix,
    find: impl FnOnce(View<'_, '_>, &Pose) -> Option<[[f32; 4]; 4]>,
) -> Result<()> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let scene = handle::get(scene)?;
        let found = with_pose(scene, pose, |pose| {
            scene.with_view(|view| {
                check_index("node", node, view.scene().nodes.len())?;
                let none = "the node has no such tag or joint";
                find(view, pose).ok_or(Failure::new(ml_result::ML_ERROR_INDEX, none))
            })
        })?;
        put(matrix, found.into())
    }
}

/// Writes the bounding box of all vertices of a scene in a pose, in the space of the scene. `pose` may be NULL, which means
/// at rest.
///
/// Cost: O(vertices).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if the pose is of another scene, ML_ERROR_MISSING if there are no vertices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_scene_bounds(
    scene: *const ml_scene,
    pose: *const ml_pose,
    bounds: *mut ml_bounds,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let scene = handle::get(scene)?;
        let found = with_pose(scene, pose, |pose| scene.with_view(|view| Ok(view.bounds(pose)?)))?;
        let nothing = Failure::new(ml_result::ML_ERROR_MISSING, "there is no vertex to put a box around");
        put(bounds, found.ok_or(nothing)?.into())
    })
}
