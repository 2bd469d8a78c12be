//! The functions of the C interface next to the Rust functions that they call, on small models, so that the difference
//! is the cost of the interface: checks of arguments, catching panics, and writing structs.
//!
//! Every pair is compared once before it is measured. `-- --test` runs everything once, without measuring.

use std::ffi::CStr;
use std::fmt::Debug;
use std::hint::black_box;
use std::mem::zeroed;
use std::ptr::{null, null_mut};
use std::time::Duration;

use meshlens::lens::{AnyLens, IndexFormat, VertexFormat};
use meshlens::model::{Blend, Semantic, Transform, VertexLayout, world_into};
use meshlens::scene::Scene;
use meshlens::{Document, Format, Model, Report};
use meshlens_benches::ratio::{Run, Table, in_turns, machine};
use meshlens_capi::*;
use meshlens_testkit::corpus;

/// The largest number of nanoseconds that a call may take longer than the Rust function.
const GOAL: f64 = 1000.0;

/// The rows of the table.
struct Calls {
    is_test: bool,
    table: Table,
    slow: Vec<String>,
}

impl Calls {
    /// Checks that both calls write the same to an output that is `initial` before, and measures them in turns.
    fn pair<T: Clone + Debug + PartialEq>(
        &mut self,
        name: &str,
        initial: T,
        mut c: impl FnMut(&mut T),
        mut rust: impl FnMut(&mut T),
    ) {
        let (mut of_c, mut of_rust) = (initial.clone(), initial.clone());
        c(&mut of_c);
        rust(&mut of_rust);
        assert_eq!(of_c, of_rust, "{name}");
        assert_ne!(of_c, initial, "{name} writes something");
        if self.is_test {
            return;
        }
        let runs: &mut [Run<'_>] =
            &mut [Box::new(|| c(black_box(&mut of_c))), Box::new(|| rust(black_box(&mut of_rust)))];
        let found = in_turns(1, Duration::from_micros(200), 101, runs);
        let [c, rust] = [found.rates[0], found.rates[1]].map(|rate| 1e9 / rate);
        let above = c - rust;
        self.table.row(vec![name.to_owned(), format!("{c:.0}"), format!("{rust:.0}"), format!("{above:.0}")]);
        let count = 1 + name.matches(", ml_").count();
        if above > GOAL * count as f64 {
            self.slow.push(format!("{name} ({above:.0})"));
        }
    }
}

/// Panics unless the call succeeded. The error is given to each call, as programs do.
fn done(result: ml_result) {
    assert_eq!(result, ml_result::ML_OK);
}

fn bytes_of(name: &str) -> Vec<u8> {
    let found = corpus::files().into_iter().find(|(path, _)| path == name);
    found.map(|(_, bytes)| bytes).expect("a file of the corpus")
}

fn error() -> ml_error {
    // SAFETY: the struct is plain numbers, and zeros are how programs in C initialize it.
    unsafe { zeroed() }
}

/// An open file of C.
struct File(*mut ml_file);

impl File {
    fn open(bytes: &[u8]) -> File {
        let mut file = null_mut();
        // SAFETY: the bytes outlive the file, which is closed by `drop` before they are.
        unsafe { done(ml_open_memory(bytes.as_ptr().cast(), bytes.len(), null(), &mut file, &mut error())) };
        File(file)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: it is open, and nothing uses it any more.
        unsafe { done(ml_close(self.0)) };
    }
}

/// Opening, and what is known without the model.
fn open(calls: &mut Calls, bytes: &[u8]) {
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

/// The arrays of a file.
fn arrays(calls: &mut Calls, bytes: &[u8]) {
    let (file, mut error) = (File::open(bytes), error());
    let document = Document::parse(bytes).expect("a model");
    let arrays: Vec<_> = document.arrays().collect();
    let of = |semantic| arrays.iter().position(|array| array.semantic == semantic).expect("an array of it");
    let positions = of(meshlens::lens::Semantic::Position);
    let triangles = of(meshlens::lens::Semantic::Triangles);
    calls.pair(
        "ml_get_file_info",
        0,
        // SAFETY: zeros are a valid struct, and the file is open.
        |vertices| unsafe {
            let mut info: ml_file_info = zeroed();
            done(ml_get_file_info(file.0, &mut info, &mut error));
            *vertices = info.vertex_count;
        },
        |vertices| {
            black_box(document.version());
            *vertices = document.summary().vertices;
        },
    );
    calls.pair(
        "ml_get_array_count",
        0,
        // SAFETY: the file is open.
        |count| unsafe { done(ml_get_array_count(file.0, count, &mut error)) },
        |count| *count = arrays.len(),
    );
    calls.pair(
        "ml_get_array",
        (0, 0),
        // SAFETY: zeros are a valid struct, and the file is open.
        |array| unsafe {
            let mut found: ml_array = zeroed();
            done(ml_get_array(file.0, positions, &mut found, &mut error));
            *array = (found.file_offset, found.count);
        },
        |array| {
            let lens: &AnyLens<'_> = &arrays[positions].lens;
            *array = (lens.byte_range().start, lens.len());
        },
    );
    let lens = arrays[positions].lens;
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

/// A scene of a file, and a pose of it.
struct CScene {
    scene: *mut ml_scene,
    pose: *mut ml_pose,
}

impl CScene {
    fn open(file: &File) -> CScene {
        let (mut scene, mut pose) = (null_mut(), null_mut());
        // SAFETY: the file is open.
        unsafe {
            done(ml_open_file_scene(file.0, null(), 0, &raw mut scene, null_mut()));
            done(ml_new_pose(scene, &raw mut pose, null_mut()));
        }
        CScene { scene, pose }
    }
}

impl Drop for CScene {
    fn drop(&mut self) {
        // SAFETY: both are open, and nothing uses them.
        unsafe {
            done(ml_close_pose(self.pose));
            done(ml_close_scene(self.scene));
        }
    }
}

/// Drawing a mesh.
fn buffers(calls: &mut Calls, bytes: &[u8]) {
    let (file, mut error) = (File::open(bytes), error());
    let model = Model::parse(bytes).expect("a model");
    let mesh = &model.meshes[0];
    calls.pair(
        "ml_get_mesh",
        (0, 0),
        // SAFETY: zeros are a valid struct, and the file is open.
        |counts| unsafe {
            let mut found: ml_mesh = zeroed();
            done(ml_get_mesh(file.0, 0, &mut found, &mut error));
            *counts = (found.point_count, found.triangle_count);
        },
        |counts| *counts = (mesh.point_count(), mesh.triangle_count()),
    );
    let scene = Scene::from(model.clone());
    let view = scene.view(&model.space);
    let view_mesh = view.mesh(0, 0).expect("triangles");
    let c_scene = CScene::open(&file);
    calls.pair(
        "ml_get_scene_mesh",
        (0, 0),
        // SAFETY: zeros are a valid struct, and the scene is open.
        |counts| unsafe {
            let mut found: ml_scene_mesh = zeroed();
            done(ml_get_scene_mesh(c_scene.scene, 0, &mut found, &mut error));
            *counts = (found.vertex_count, found.index_count);
        },
        |counts| *counts = (view_mesh.vertex_count(), 3 * view_mesh.triangle_count()),
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
    let layout = || {
        VertexLayout::new(24).with(Semantic::Position, 0, VertexFormat::Float32x3).with(
            Semantic::Normal,
            12,
            VertexFormat::Float32x3,
        )
    };
    let last = mesh.frame_count() - 1;
    for (name, weight) in [("ml_fill_vertex_buffer", 0.0), ("ml_fill_vertex_buffer, two frames", 0.5)] {
        let mut pose = scene.rest_pose();
        pose.node_mut(0).expect("a node").frames = Blend { a: 0, b: last, weight };
        // SAFETY: the pose is open.
        unsafe { done(ml_set_frames(c_scene.pose, 0, ml_blend { a: 0, b: last, weight }, &mut error)) };
        calls.pair(
            name,
            vec![0u32; 6 * view_mesh.vertex_count()],
            // SAFETY: the output has the given size, and the layout is valid.
            |out| unsafe {
                let size = 4 * out.len();
                let out = out.as_mut_ptr().cast();
                let (scene, pose) = (c_scene.scene, c_scene.pose);
                done(ml_fill_vertex_buffer(scene, 0, pose, &c_layout, out, size, &mut error));
            },
            |out| {
                let out = bytemuck::cast_slice_mut(out);
                view_mesh.interleave(&pose, &layout(), out).expect("room");
            },
        );
    }
    calls.pair(
        "ml_get_bounds",
        ([0.0; 3], [0.0; 3]),
        // SAFETY: zeros are a valid struct, and the file is open.
        |found| unsafe {
            let mut bounds: ml_bounds = zeroed();
            done(ml_get_bounds(file.0, 0, 0, &mut bounds, &mut error));
            *found = (bounds.min, bounds.max);
        },
        |found| {
            let bounds = meshlens::lens::Bounds::around(mesh.positions(0).expect("a frame")).expect("points");
            *found = (bounds.min, bounds.max);
        },
    );
}

/// Clips of vertex frames, and tags.
fn frames(calls: &mut Calls, bytes: &[u8]) {
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
    calls.pair(
        "ml_get_tag_pose",
        ([0.0; 3], [0.0; 4]),
        // SAFETY: zeros are a valid struct, and the file is open.
        |found| unsafe {
            let mut pose: ml_tag_pose = zeroed();
            let blend = ml_blend { a: blend.a, b: blend.b, weight: blend.weight };
            done(ml_get_tag_pose(file.0, tag, blend, &mut pose, &mut error));
            *found = (pose.origin, pose.rotation);
        },
        |found| {
            let pose = model.blend_tag_pose(tag, blend).expect("a frame");
            *found = (pose.origin, pose.rotation());
        },
    );
    calls.pair(
        "ml_sample_clip",
        (usize::MAX, 0, 0.0),
        // SAFETY: zeros are a valid struct, and the file is open.
        |found| unsafe {
            let mut blend: ml_blend = zeroed();
            done(ml_sample_clip(file.0, clip, 0.05, &mut blend, &mut error));
            *found = (blend.a, blend.b, blend.weight);
        },
        |found| {
            let Blend { a, b, weight } = model.clips[clip].sample(0.05);
            *found = (a, b, weight);
        },
    );
}

/// Joints, which move a mesh.
fn joints(calls: &mut Calls, bytes: &[u8]) {
    let (file, mut error) = (File::open(bytes), error());
    let model = Model::parse(bytes).expect("a model");
    let count = model.joints.len();
    let clip = model.clips.iter().position(|clip| clip.animation.is_some()).expect("an animation");
    calls.pair(
        "ml_get_joint",
        (1, [0.0; 4]),
        // SAFETY: zeros are a valid struct, and the file is open. The name is of the file.
        |found| unsafe {
            let mut joint: ml_joint = zeroed();
            done(ml_get_joint(file.0, count - 1, &mut joint, &mut error));
            *found = (CStr::from_ptr(joint.name).to_bytes().len(), joint.rest.rotation);
        },
        |found| {
            let joint = &model.joints[count - 1];
            *found = (joint.name.len(), joint.rest.rotation);
        },
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
        |found| *found = bytemuck::cast(mesh.skin(&pose).expect("joints")[count - 1]),
    );
}

fn main() {
    let is_test = std::env::args().any(|argument| argument == "--test");
    let columns = ["call", "C ns", "Rust ns", "difference ns"];
    let mut calls = Calls { is_test, table: Table::new(&columns), slow: Vec::new() };
    let player = bytes_of("md3/player/lower.md3");
    let skinned = bytes_of("u3d/v2_skinned.u3d");
    open(&mut calls, &player);
    arrays(&mut calls, &player);
    buffers(&mut calls, &player);
    frames(&mut calls, &player);
    joints(&mut calls, &skinned);
    if is_test {
        return;
    }
    println!("\n{}\n", machine());
    calls.table.print();
    let slow = if calls.slow.is_empty() { "none".to_owned() } else { calls.slow.join(", ") };
    println!("Functions that cost more than {GOAL:.0} ns above the Rust function: {slow}.");
}
