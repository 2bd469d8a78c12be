//! Each function of the interface next to its Rust function.

use std::ffi::CStr;
use std::hint::black_box;
use std::mem::zeroed;
use std::ptr::{null, null_mut};

use meshlens::lens::{Bounds, IndexFormat, VertexFormat};
use meshlens::model::{Blend, Semantic, Transform, VertexLayout, world_into};
use meshlens::scene::Scene;
use meshlens::{Document, Format, Model, Report};
use meshlens_capi::*;

use crate::{CScene, Calls, File, done, error};

/// Opening a file, and properties that are known without the model.
pub(crate) fn open(calls: &mut Calls, bytes: &[u8]) {
    let mut error = error();
    calls.pair(
        "ml_detect",
        0,
        // SAFETY: the pointers are to values and bytes of this function.
        |format| unsafe {
            done(ml_detect(bytes.as_ptr().cast(), bytes.len(), format, null_mut(), 0, &mut error))
        },
        |format| *format = Format::detect(bytes).map_or(0, |format| format.number().into()),
    );
    calls.pair(
        "ml_open_memory, ml_close",
        0,
        |files| {
            drop(File::open(bytes));
            *files = 1;
        },
        |files| {
            black_box(Box::new(Document::parse(bytes).expect("a model")));
            *files = 1;
        },
    );
    calls.pair(
        "ml_open_memory, ml_get_model, ml_close",
        0,
        |meshes| {
            let file = File::open(bytes);
            // SAFETY: zeros are a valid struct, and the file is open.
            unsafe {
                let mut model: ml_model = zeroed();
                done(ml_get_model(file.0, &mut model, &mut error));
                *meshes = model.mesh_count;
            }
        },
        |meshes| *meshes = Box::new(Model::parse(bytes).expect("a model")).meshes.len(),
    );
}

/// Properties of a file, and its findings.
pub(crate) fn file(calls: &mut Calls, bytes: &[u8]) {
    let (file, mut error) = (File::open(bytes), error());
    let document = Document::parse(bytes).expect("a model");
    calls.getter(
        "ml_get_file_info",
        // SAFETY: the file is open.
        |info: *mut ml_file_info, error| unsafe { ml_get_file_info(file.0, info, error) },
        |info| info.vertex_count,
        || {
            black_box(document.version());
            document.summary().vertices
        },
    );
    calls.pair(
        "ml_validate, ml_close_report",
        0,
        // SAFETY: the file is open, and the report is closed once.
        |reports| unsafe {
            let mut report = null_mut();
            done(ml_validate(file.0, 0, &mut report, &mut error));
            done(ml_close_report(report));
            *reports = 1;
        },
        |reports| {
            let mut report = Report::default();
            document.validate(&mut report);
            black_box(report);
            *reports = 1;
        },
    );
}

/// The arrays of a file.
pub(crate) fn arrays(calls: &mut Calls, bytes: &[u8]) {
    let (file, mut error) = (File::open(bytes), error());
    let document = Document::parse(bytes).expect("a model");
    let arrays: Vec<_> = document.arrays().collect();
    let of = |semantic| arrays.iter().position(|array| array.semantic == semantic).expect("an array of it");
    let positions = of(meshlens::lens::Semantic::Position);
    let triangles = of(meshlens::lens::Semantic::Triangles);
    calls.pair(
        "ml_get_array_count",
        0,
        // SAFETY: the file is open.
        |count| unsafe { done(ml_get_array_count(file.0, count, &mut error)) },
        |count| *count = arrays.len(),
    );
    let lens = arrays[positions].lens;
    calls.getter(
        "ml_get_array",
        // SAFETY: the file is open.
        |array: *mut ml_array, error| unsafe { ml_get_array(file.0, positions, array, error) },
        |array| (array.file_offset, array.count),
        || (lens.byte_range().start, lens.len()),
    );
    let size = lens.len() * lens.format().value().size();
    calls.pair(
        "ml_decode",
        vec![0u32; size / 4],
        // SAFETY: the output has `size` bytes.
        |out| unsafe {
            done(ml_decode(file.0, positions, null(), out.as_mut_ptr().cast(), size, &mut error))
        },
        |out| lens.decode_bytes_into(bytemuck::cast_slice_mut(out)).expect("room"),
    );
    let indices = arrays[triangles].lens;
    let count = 3 * indices.len();
    calls.pair(
        "ml_decode_indices",
        vec![0u32; count],
        // SAFETY: the output has `count` integers.
        |out| unsafe {
            done(ml_decode_indices(file.0, triangles, out.as_mut_ptr(), count, null_mut(), &mut error))
        },
        |out| {
            indices.widen_into(out).expect("room");
        },
    );
}

/// A mesh, and its triangles.
pub(crate) fn meshes(calls: &mut Calls, bytes: &[u8]) {
    let (file, mut error) = (File::open(bytes), error());
    let model = Model::parse(bytes).expect("a model");
    let mesh = &model.meshes[0];
    calls.getter(
        "ml_get_mesh",
        // SAFETY: the file is open.
        |mesh: *mut ml_mesh, error| unsafe { ml_get_mesh(file.0, 0, mesh, error) },
        |mesh| (mesh.point_count, mesh.triangle_count),
        || (mesh.point_count(), mesh.triangle_count()),
    );
    let scene = Scene::from(model.clone());
    let view = scene.view(&model.space);
    let view_mesh = view.mesh(0, 0).expect("triangles");
    let c_scene = CScene::open(&file);
    calls.getter(
        "ml_get_scene_mesh",
        // SAFETY: the scene is open.
        |mesh: *mut ml_scene_mesh, error| unsafe { ml_get_scene_mesh(c_scene.scene, 0, mesh, error) },
        |mesh| (mesh.vertex_count, mesh.index_count),
        || (view_mesh.vertex_count(), 3 * view_mesh.triangle_count()),
    );
    calls.getter(
        "ml_get_bounds",
        // SAFETY: the file is open.
        |bounds: *mut ml_bounds, error| unsafe { ml_get_bounds(file.0, 0, 0, bounds, error) },
        |bounds| (bounds.min, bounds.max),
        || {
            let bounds = Bounds::around(mesh.positions(0).expect("a frame")).expect("points");
            (bounds.min, bounds.max)
        },
    );
    calls.pair(
        "ml_indices",
        vec![0u16; 3 * view_mesh.triangle_count()],
        // SAFETY: the output has the given size.
        |out| unsafe {
            let (format, size) = (ml_index_format::ML_INDEX_UINT16 as i32, 2 * out.len());
            done(ml_indices(c_scene.scene, 0, format, out.as_mut_ptr().cast(), size, &mut error));
        },
        |out| {
            let out = bytemuck::cast_slice_mut(out);
            view_mesh.write_indices(IndexFormat::Uint16, out).expect("room");
        },
    );
}

/// The vertices of a mesh.
pub(crate) fn vertices(calls: &mut Calls, bytes: &[u8]) {
    let (file, mut error) = (File::open(bytes), error());
    let model = Model::parse(bytes).expect("a model");
    let scene = Scene::from(model.clone());
    let mesh = scene.view(&model.space).mesh(0, 0).expect("triangles");
    let c_scene = CScene::open(&file);
    let format = ml_vertex_format::ML_VERTEX_FORMAT_FLOAT32X3 as i32;
    let attribute = |attribute: ml_attribute, offset| ml_vertex_attribute {
        attribute: attribute as i32,
        set: 0,
        offset,
        format,
    };
    let attributes =
        [attribute(ml_attribute::ML_ATTRIBUTE_POSITION, 0), attribute(ml_attribute::ML_ATTRIBUTE_NORMAL, 12)];
    // SAFETY: zeros are a valid layout.
    let empty: ml_vertex_layout = unsafe { zeroed() };
    let c_layout = ml_vertex_layout {
        stride: 24,
        attributes: attributes.as_ptr(),
        attribute_count: attributes.len(),
        ..empty
    };
    let three = |semantic| (semantic, 0, VertexFormat::Float32x3);
    let layout = || VertexLayout::packed(&[three(Semantic::Position), three(Semantic::Normal)]);
    let last = mesh.mesh().frame_count() - 1;
    for (name, weight) in [("ml_fill_vertex_buffer", 0.0), ("ml_fill_vertex_buffer, two frames", 0.5)] {
        let mut pose = scene.rest_pose();
        pose.node_mut(0).expect("a node").frames = Blend { a: 0, b: last, weight };
        // SAFETY: the pose is open.
        unsafe { done(ml_set_frames(c_scene.pose, 0, ml_blend { a: 0, b: last, weight }, &mut error)) };
        calls.pair(
            name,
            vec![0u32; 6 * mesh.vertex_count()],
            // SAFETY: the output has the given size, and the layout is valid.
            |out| unsafe {
                let size = 4 * out.len();
                let out = out.as_mut_ptr().cast();
                let (scene, pose) = (c_scene.scene, c_scene.pose);
                done(ml_fill_vertex_buffer(scene, 0, pose, &c_layout, out, size, &mut error));
            },
            |out| {
                let out = bytemuck::cast_slice_mut(out);
                mesh.fill_vertex_buffer(&pose, &layout(), out).expect("room");
            },
        );
    }
}

/// Clips of vertex frames, and tags.
pub(crate) fn frames(calls: &mut Calls, bytes: &[u8]) {
    let (file, mut error) = (File::open(bytes), error());
    let model = Model::parse(bytes).expect("a model");
    let name = |text: &str| std::ffi::CString::new(text).expect("a name without NUL");
    let (tag, clip) = (model.tags.len() - 1, model.clips.len() - 1);
    let tag_name = name(&model.tags[tag].name);
    calls.pair(
        "ml_find_tag",
        usize::MAX,
        // SAFETY: the name ends with NUL, and the file is open.
        |index| unsafe { done(ml_find_tag(file.0, tag_name.as_ptr(), index, &mut error)) },
        |index| *index = model.find_tag(&model.tags[tag].name).expect("it exists"),
    );
    let blend = Blend { a: 0, b: model.tag_frame_count() - 1, weight: 0.5 };
    let c_blend = ml_blend { a: blend.a, b: blend.b, weight: blend.weight };
    calls.getter(
        "ml_get_tag_pose",
        // SAFETY: the file is open.
        |pose: *mut ml_tag_pose, error| unsafe { ml_get_tag_pose(file.0, tag, c_blend, pose, error) },
        |pose| (pose.origin, pose.rotation),
        || {
            let pose = model.blend_tag_pose(tag, blend).expect("a frame");
            (pose.origin, pose.rotation())
        },
    );
    calls.getter(
        "ml_sample_clip",
        // SAFETY: the file is open.
        |blend: *mut ml_blend, error| unsafe { ml_sample_clip(file.0, clip, 0.05, blend, error) },
        |blend| Blend { a: blend.a, b: blend.b, weight: blend.weight },
        || model.clips[clip].sample(0.05),
    );
}

/// Joints that move a mesh.
pub(crate) fn joints(calls: &mut Calls, bytes: &[u8]) {
    let (file, mut error) = (File::open(bytes), error());
    let model = Model::parse(bytes).expect("a model");
    let (count, last) = (model.joints.len(), model.joints.last().expect("a joint"));
    let clip = model.clips.iter().position(|clip| clip.animation.is_some()).expect("an animation");
    calls.getter(
        "ml_get_joint",
        // SAFETY: the file is open.
        |joint: *mut ml_joint, error| unsafe { ml_get_joint(file.0, count - 1, joint, error) },
        // SAFETY: the name belongs to the file, which is open.
        |joint| (unsafe { CStr::from_ptr(joint.name) }.to_bytes().len(), joint.rest.rotation),
        || (last.name.len(), last.rest.rotation),
    );
    // SAFETY: zeros are a valid transform.
    let empty: ml_transform = unsafe { zeroed() };
    let (mut c_pose, mut pose) = (vec![empty; count], Vec::<Transform>::new());
    calls.pair(
        "ml_get_pose",
        [0.0; 4],
        // SAFETY: the pose has `count` transforms.
        |found| unsafe {
            done(ml_get_pose(file.0, clip, 0.05, c_pose.as_mut_ptr(), count, &mut error));
            *found = c_pose[count - 1].rotation;
        },
        |found| {
            model.pose_into(&model.clips[clip], 0.05, &mut pose);
            *found = pose[count - 1].rotation;
        },
    );
    let (mut c_world, mut world) = (vec![ml_matrix { m: [0.0; 16] }; count], Vec::new());
    calls.pair(
        "ml_get_world_matrices",
        [0.0; 16],
        // SAFETY: the pose and the matrices are `count` each.
        |found| unsafe {
            done(ml_get_world_matrices(file.0, c_pose.as_ptr(), c_world.as_mut_ptr(), count, &mut error));
            *found = c_world[count - 1].m;
        },
        |found| {
            world_into(&model.joints, &pose, &mut world);
            *found = bytemuck::cast(world[count - 1]);
        },
    );
    let skinned = model.meshes.iter().position(|mesh| mesh.skin.is_some()).expect("a mesh with joints");
    let scene = Scene::from(model.clone());
    let mesh = scene.view(&model.space).mesh(0, skinned).expect("triangles");
    let c_scene = CScene::open(&file);
    let pose = scene.rest_pose();
    calls.pair(
        "ml_get_skin_matrices",
        [0.0; 16],
        // SAFETY: the matrices are `count`.
        |found| unsafe {
            let out = c_world.as_mut_ptr();
            done(ml_get_skin_matrices(c_scene.scene, skinned, null(), out, count, &mut error));
            *found = c_world[count - 1].m;
        },
        |found| {
            world.clear();
            world.extend(mesh.skin(&pose).expect("joints"));
            *found = bytemuck::cast(world[count - 1]);
        },
    );
}
