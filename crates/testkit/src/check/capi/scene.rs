//! The calls of a scene, which is opened, used and closed in one step.

use std::mem::zeroed;
use std::ptr::null_mut;

use super::get::get;
use super::{Machine, Program, ROOM};
use meshlens_capi::ml_result::ML_OK;
use meshlens_capi::*;

impl Machine<'_> {
    /// # Safety
    ///
    /// The handles of the machine are open.
    pub(super) unsafe fn scene(&mut self, program: &mut Program<'_>) {
        let mut axis = || program.number() % 7;
        let custom_space = ml_space { right: axis(), up: axis(), forward: axis(), winding: axis() };
        let space =
            ml_convert_opts { size: 0, space: program.number() % 13, scale: program.float(), custom_space };
        // SAFETY: the arguments fulfill the requirements of the header.
        unsafe {
            let (file, lod) = (self.file(program), program.index());
            let (mut scene, mut pose) = (null_mut(), null_mut());
            program.call(|_, error| ml_open_scene(file, &raw const space, lod, &raw mut scene, error));
            program.call(|_, error| ml_new_pose(scene, &raw mut pose, error));
            let play = ml_play { clip: c"all".as_ptr(), time: program.float() };
            program.call(|program, error| {
                ml_set_pose(scene, pose, &raw const play, usize::from(program.byte() % 2), error)
            });
            let frames = ml_blend { a: program.index(), b: program.index(), weight: program.float() };
            program.call(|program, error| ml_set_frames(pose, program.index(), frames, error));
            joints(scene, pose, program);
            self.buffers(scene, pose, program);
            assert_eq!((ml_close_pose(pose), ml_close_scene(scene)), (ML_OK, ML_OK));
        }
    }

    unsafe fn buffers(&mut self, scene: *const ml_scene, pose: *const ml_pose, program: &mut Program<'_>) {
        let mut attribute = || ml_vertex_attribute {
            attribute: program.number() % 9,
            set: program.index() as u32,
            offset: program.byte().into(),
            format: program.number(),
        };
        let attributes = [attribute(), attribute(), attribute()];
        let layout = ml_vertex_layout {
            size: 0,
            stride: program.size(256),
            attributes: attributes.as_ptr(),
            attribute_count: usize::from(program.byte() % 4),
            flags: u32::from(program.byte() % 4),
        };
        // SAFETY: the arguments fulfill the requirements of the header.
        unsafe {
            let (mesh, submesh, format) = (program.index(), program.index(), program.number() % 4);
            get!(program, ml_submesh, |to, error| ml_get_submesh(scene, mesh, submesh, to, error));
            let mut found: ml_scene_mesh = zeroed();
            ml_get_scene_mesh(scene, mesh, &raw mut found, null_mut());
            let mut size = |exact: usize| match program.chance(4) {
                true => program.size(ROOM),
                false => exact.min(ROOM),
            };
            let vertices = size(found.vertex_count.saturating_mul(layout.stride));
            let indices = size(found.index_count.saturating_mul(if format == 1 { 2 } else { 4 }));
            let out = self.out.at(0);
            program.call(|_, error| {
                ml_fill_vertex_buffer(scene, mesh, pose, &raw const layout, out, vertices, error)
            });
            self.out.finish(vertices);
            let out = self.out.at(0);
            program.call(|_, error| ml_indices(scene, mesh, format, out, indices, error));
            self.out.finish(indices);
            let mut skin = vec![ml_matrix { m: [0.0; 16] }; program.size(64)];
            let (skin, count) = (skin.as_mut_ptr(), skin.len());
            program.call(|_, error| ml_get_skin_matrices(scene, mesh, pose, skin, count, error));
        }
    }
}

/// # Safety
///
/// The scene and the pose are open, or NULL.
unsafe fn joints(scene: *const ml_scene, pose: *mut ml_pose, program: &mut Program<'_>) {
    // SAFETY: the arguments fulfill the requirements of the header.
    unsafe {
        let joints = vec![ml_matrix { m: [program.float(); 16] }; program.size(64)];
        program.call(|program, error| {
            ml_set_joints(pose, program.index(), joints.as_ptr(), joints.len(), error)
        });
        let (node, index) = (program.index(), program.index());
        get!(program, ml_scene_info, |to, error| ml_get_scene_info(scene, to, error));
        get!(program, ml_scene_clip, |to, error| ml_get_scene_clip(scene, index, to, error));
        get!(program, ml_matrix, |to, error| ml_get_node_matrix(scene, node, pose, to, error));
        get!(program, ml_matrix, |to, error| ml_get_tag_matrix(scene, node, index, pose, to, error));
        get!(program, ml_matrix, |to, error| ml_get_joint_matrix(scene, node, index, pose, to, error));
        get!(program, ml_bounds, |to, error| ml_get_scene_bounds(scene, pose, to, error));
    }
}
