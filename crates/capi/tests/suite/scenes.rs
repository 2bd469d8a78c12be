//! The vertices and indices from C, the streamer and glTF equal those of the library, as do the counts and findings from C.

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use meshlens::lens::VertexFormat;
use meshlens::model::{IndexFormat, Semantic, Space, VertexLayout};
use meshlens::scene::{Pose, Scene, View};
use meshlens_assets::OpenOptions;
use meshlens_capi::*;
use meshlens_gltf::{Export, ImportOptions, Options, import};
use meshlens_stream::backend::AssetsBackend;
use meshlens_stream::{LoadedScene, Priority, Streamer, StreamerOptions};
use meshlens_testkit::doors;

const OK: ml_result = ml_result::ML_OK;

/// A scene in C, with the pose of its clips.
struct CScene {
    scene: *mut ml_scene,
    pose: *mut ml_pose,
}

impl CScene {
    fn open(path: &Path, space: ml_space_id, scale: f32, clip: Option<(&str, f32)>) -> CScene {
        let path = CString::new(path.to_str().expect("UTF-8")).expect("no NUL");
        let (mut asset, mut scene, mut pose) = (null_mut(), null_mut(), null_mut());
        let nowhere = ml_space { right: 0, up: 0, forward: 0, winding: 0 };
        let space = ml_convert_opts { size: 0, space: space as i32, scale, custom_space: nowhere };
        let name = clip.map(|(name, _)| CString::new(name).expect("no NUL"));
        let name = name.as_ref().map_or(null(), |name| name.as_ptr());
        let play = ml_play { clip: name, time: clip.map_or(0.0, |(_, time)| time) };
        // SAFETY: the texts and structs are valid, and the handles are open.
        unsafe {
            assert_eq!(ml_open_path(null(), path.as_ptr(), null(), &raw mut asset, null_mut()), OK);
            assert_eq!(ml_open_scene(asset, &raw const space, 0, &raw mut scene, null_mut()), OK);
            assert_eq!(ml_close(asset), OK);
            assert_eq!(ml_new_pose(scene, &raw mut pose, null_mut()), OK);
            let count = clip.is_some().into();
            assert_eq!(ml_set_pose(scene, pose, &raw const play, count, null_mut()), OK);
        }
        CScene { scene, pose }
    }

    /// The numbers of nodes and of meshes, and the bounding box.
    fn counts(&self) -> (usize, usize, doors::Bounds) {
        // SAFETY: the handles are open, and zeros are valid structs.
        unsafe {
            let (mut info, mut bounds): (ml_scene_info, ml_bounds) = std::mem::zeroed();
            assert_eq!(ml_get_scene_info(self.scene, &raw mut info, null_mut()), OK);
            let code = ml_get_scene_bounds(self.scene, self.pose, &raw mut bounds, null_mut());
            assert_eq!(code, OK);
            (info.node_count, info.mesh_count, doors::Bounds { min: bounds.min, max: bounds.max })
        }
    }

    /// Fills a buffer of vertices of 24 bytes.
    fn fill(&self, mesh: usize, out: &mut [u8]) {
        let format = ml_vertex_format::ML_VERTEX_FORMAT_FLOAT32X3 as i32;
        let attribute = |attribute: ml_attribute, offset| ml_vertex_attribute {
            attribute: attribute as i32,
            set: 0,
            offset,
            format,
        };
        let attributes = [
            attribute(ml_attribute::ML_ATTRIBUTE_POSITION, 0),
            attribute(ml_attribute::ML_ATTRIBUTE_NORMAL, 12),
        ];
        let (stride, flags) = (24, 0);
        let attribute_count = attributes.len();
        let layout =
            ml_vertex_layout { size: 0, stride, attributes: attributes.as_ptr(), attribute_count, flags };
        let (size, out) = (out.len(), out.as_mut_ptr().cast());
        // SAFETY: the handles are open, and the output has the given size.
        let code = unsafe {
            ml_fill_vertex_buffer(self.scene, mesh, self.pose, &raw const layout, out, size, null_mut())
        };
        assert_eq!(code, OK);
    }

    /// The buffers of a mesh: vertices of 24 bytes, and indices.
    fn buffers(&self, mesh: usize) -> (Vec<u8>, Vec<u8>) {
        // SAFETY: the handles are open, zeros are a valid struct, and the outputs have the given sizes.
        unsafe {
            let mut found: ml_scene_mesh = std::mem::zeroed();
            assert_eq!(ml_get_scene_mesh(self.scene, mesh, &raw mut found, null_mut()), OK);
            let (mut vertices, mut indices) =
                (vec![0u8; 24 * found.vertex_count], vec![0u8; 4 * found.index_count]);
            self.fill(mesh, &mut vertices);
            let (out, size) = (indices.as_mut_ptr().cast(), indices.len());
            let format = ml_index_format::ML_INDEX_UINT32 as i32;
            assert_eq!(ml_indices(self.scene, mesh, format, out, size, null_mut()), OK);
            (vertices, indices)
        }
    }
}

/// Asserts that the counts, the findings and the names of the nodes of an asset in C are those of an answer.
fn assert_files(path: &Path, answer: &doors::Answer) {
    let model = &*answer.name;
    let path = CString::new(path.to_str().expect("UTF-8")).expect("no NUL");
    let (mut asset, mut report) = (null_mut(), null_mut());
    // SAFETY: the texts are valid, zeros are valid structs, and the handles are open.
    unsafe {
        let (mut info, mut found): (ml_file_info, ml_report_info) = std::mem::zeroed();
        assert_eq!(ml_open_path(null(), path.as_ptr(), null(), &raw mut asset, null_mut()), OK);
        assert_eq!(ml_get_file_info(asset, &raw mut info, null_mut()), OK, "{model}");
        assert_eq!(ml_validate(asset, 0, &raw mut report, null_mut()), OK, "{model}");
        assert_eq!(ml_get_report_info(report, &raw mut found, null_mut()), OK);
        assert_eq!(ml_close_report(report), OK);
        // Imported formats have no number.
        let format = CStr::from_ptr(ml_format_name(info.format)).to_str().expect("UTF-8");
        assert_eq!(if info.format == 0 { "gltf" } else { format }, answer.format, "{model}");
        let counts = [
            ("frames", info.frame_count),
            ("surfaces", info.surface_count),
            ("tags", info.tag_count),
            ("triangles", info.triangle_count),
            ("vertices", info.vertex_count),
        ];
        for (name, count) in counts {
            assert_eq!(answer.counts[name], count, "{model}: {name}");
        }
        if let Some(wanted) = answer.findings {
            assert_eq!([found.errors, found.warnings, found.infos, found.hints], wanted, "{model}");
        }
        for (index, wanted) in answer.nodes.iter().enumerate() {
            let mut node: ml_asset_node = std::mem::zeroed();
            assert_eq!(ml_get_asset_node(asset, index, &raw mut node, null_mut()), OK, "{model}");
            assert_eq!(CStr::from_ptr(node.name).to_str(), Ok(&**wanted), "{model}");
        }
        assert_eq!(ml_close(asset), OK);
    }
}

impl Drop for CScene {
    fn drop(&mut self) {
        // SAFETY: the handles are open, and nothing uses them.
        unsafe { assert_eq!((ml_close_pose(self.pose), ml_close_scene(self.scene)), (OK, OK)) };
    }
}

/// The same buffers from the library.
fn buffers(view: &View<'_, '_>, pose: &Pose) -> Vec<(Vec<u8>, Vec<u8>)> {
    let layout = VertexLayout::new(24).with(Semantic::Position, 0, VertexFormat::Float32x3).with(
        Semantic::Normal,
        12,
        VertexFormat::Float32x3,
    );
    let meshes = view.meshes().map(|mesh| {
        let mesh = mesh.expect("triangles");
        let mut vertices = vec![0; mesh.buffer_len(&layout)];
        mesh.fill_vertex_buffer(pose, &layout, &mut vertices).expect("normals");
        let mut indices = vec![0; mesh.index_buffer_len(IndexFormat::Uint32)];
        mesh.write_indices(IndexFormat::Uint32, &mut indices).expect("room");
        (vertices, indices)
    });
    meshes.collect()
}

/// The corners of the triangles of a scene at rest, in the space of glTF.
fn triangles(scene: &Scene<'_>) -> Vec<[[f32; 3]; 3]> {
    let mut all = Vec::new();
    for (vertices, indices) in buffers(&scene.view(&Space::GLTF), &scene.rest_pose()) {
        let floats: Vec<f32> =
            vertices.as_chunks().0.iter().map(|bytes| f32::from_ne_bytes(*bytes)).collect();
        let indices: Vec<u32> =
            indices.as_chunks().0.iter().map(|bytes| u32::from_ne_bytes(*bytes)).collect();
        let point = |vertex: u32| std::array::from_fn(|axis| floats[6 * vertex as usize + axis]);
        all.extend(indices.as_chunks::<3>().0.iter().map(|corners| corners.map(point)));
    }
    all
}

/// Whether each triangle of `a` is in `b`, with the same winding.
fn is_within(a: &[[[f32; 3]; 3]], b: &[[[f32; 3]; 3]]) -> bool {
    let size = a.as_flattened().as_flattened().iter().fold(1.0f32, |size, value| size.max(value.abs()));
    let near = |a: &[[f32; 3]; 3], b: [[f32; 3]; 3]| {
        a.as_flattened().iter().zip(b.as_flattened()).all(|(a, b)| (a - b).abs() <= 1e-4 * size)
    };
    a.iter().all(|a| {
        b.iter().any(|[d, e, f]| near(a, [*d, *e, *f]) || near(a, [*e, *f, *d]) || near(a, [*f, *d, *e]))
    })
}

/// Asserts that a scene, written as glTF and read again, has the same triangles at the same places.
fn assert_gltf(scene: &Scene<'_>, model: &str) {
    let mut glb = Vec::new();
    Export::plan(scene, &Options::default()).expect(model).write_glb(&mut glb).expect("memory");
    let options = ImportOptions { at_rest: true, ..ImportOptions::default() };
    let imported = import(&glb, &options, &|_, _| None).expect(model).0;
    let (found, wanted) = (triangles(&imported), triangles(scene));
    assert!(is_within(&found, &wanted) && is_within(&wanted, &found), "{model}");
}

#[test]
fn every_interface_returns_the_same_vertices() {
    let assets = doors::assets();
    let streamer = Streamer::new(StreamerOptions::default()).expect("threads");
    let backend = Arc::new(AssetsBackend::new(assets.clone(), 2).expect("threads"));
    let streamed = |name: &str| -> LoadedScene {
        let scene = streamer.open_scene(&backend, name, &OpenOptions::default()).expect(name);
        scene.request_all(&streamer, 0, Priority::NORMAL).wait().expect(name)
    };
    let figure = assets.open("md3/player").expect("a player");

    let spaces = [
        (ml_space_id::ML_SPACE_GLTF, Space::GLTF),
        (ml_space_id::ML_SPACE_UNITY, Space::UNITY),
        (ml_space_id::ML_SPACE_BLENDER, Space::BLENDER),
    ];
    let mut mirrors = 0;
    for answer in doors::answers() {
        let model = &*answer.name;
        let path = doors::path(model);
        let asset = assets.open(model).expect(model);
        let scene = asset.scene();
        // Imported models have no parts to stream.
        let loaded = asset.model().format.map(|_| streamed(model));
        let loaded = loaded.as_ref().map_or(scene, LoadedScene::scene);
        mirrors += usize::from(glam::Mat4::from_cols_array_2d(&asset.model().placement).determinant() < 0.0);
        let found = CScene::open(&path, ml_space_id::ML_SPACE_GLTF, 1.0, None);
        let (nodes, meshes, bounds) = found.counts();
        assert_eq!((nodes, meshes), (answer.nodes.len(), answer.meshes), "{model}");
        assert_files(&path, &answer);
        for found in [bounds, doors::Bounds::of(scene), doors::Bounds::of(loaded)] {
            answer.bounds.assert(&found, model);
        }
        let clips = scene.clips();
        let clip = clips.last().map(|clip| (clip.name, 0.13));
        let pose = scene.pose(clip.as_slice()).expect(model);
        for (id, space) in spaces {
            let found = CScene::open(&path, id, 2.5, clip);
            let wanted = buffers(&scene.view(&space).scaled(2.5), &pose);
            assert!(wanted.iter().any(|(vertices, _)| !vertices.is_empty()), "{model}");
            for (mesh, wanted) in wanted.iter().enumerate() {
                assert!(found.buffers(mesh) == *wanted, "{model}, mesh {mesh}, {space:?}");
            }
            assert!(buffers(&loaded.view(&space).scaled(2.5), &pose) == wanted, "{model}, {space:?}");
            // Each model is attached to a tag that moves it, and that mirrors it if the handedness differs.
            let [held, loaded] = [scene, loaded].map(|held| doors::in_hand(figure.scene(), held));
            let attached = |scene: &Scene<'_>| {
                let pose = scene.pose(clip.as_slice()).expect(model);
                buffers(&scene.view(&space).scaled(2.5), &pose)
            };
            assert!(attached(&held) == attached(&loaded), "{model} in a hand, {space:?}");
        }
        assert_gltf(scene, model);
        assert_gltf(&doors::in_hand(figure.scene(), scene), model);
    }
    assert_eq!(mirrors, 1);
}

#[test]
fn frames_after_the_first_allocate_nothing() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let assets = doors::assets();
    let mut is_skinned = HashMap::new();
    for model in
        ["md3/player", "unreal/Classes/Crates.uc!walk", "u3d/v2_skinned.u3d", "unigine/skinned_ms11.mesh"]
    {
        let asset = assets.open(model).expect(model);
        let clips = asset.scene().clips();
        let clip = (clips.last().expect(model).name, 0.13);
        let found = CScene::open(&corpus.join(model), ml_space_id::ML_SPACE_GLTF, 2.5, Some(clip));
        let mut out: Vec<Vec<u8>> = Vec::new();
        // SAFETY: the handle is open, and zeros are a valid struct.
        let count = unsafe {
            let mut info: ml_scene_info = std::mem::zeroed();
            assert_eq!(ml_get_scene_info(found.scene, &raw mut info, null_mut()), OK);
            info.mesh_count
        };
        for mesh in 0..count {
            out.push(found.buffers(mesh).0);
        }
        let view = asset.scene().view(&Space::GLTF);
        let mut skins: Vec<_> = view
            .meshes()
            .map(|mesh| {
                let mesh = mesh.expect(model);
                let joints = mesh.mesh().skin.is_some().then(|| mesh.model().joints.len());
                vec![ml_matrix { m: [0.0; 16] }; joints.unwrap_or(0)]
            })
            .collect();
        is_skinned.insert(model, skins.iter().any(|skin| !skin.is_empty()));
        let name = CString::new(clip.0).expect("no NUL");
        let play = ml_play { clip: name.as_ptr(), time: clip.1 };
        let used = allocation_counter::measure(|| {
            // SAFETY: the handles are open, and the list has one clip.
            let code = unsafe { ml_set_pose(found.scene, found.pose, &raw const play, 1, null_mut()) };
            assert_eq!(code, OK);
            for (mesh, out) in out.iter_mut().enumerate() {
                found.fill(mesh, out);
            }
            for (mesh, skin) in skins.iter_mut().enumerate().filter(|(_, skin)| !skin.is_empty()) {
                let (count, skin) = (skin.len(), skin.as_mut_ptr());
                // SAFETY: the handles are open, and the list has `count` matrices.
                let code =
                    unsafe { ml_get_skin_matrices(found.scene, mesh, found.pose, skin, count, null_mut()) };
                assert_eq!(code, OK);
            }
        });
        assert_eq!(used.count_total, 0, "{model}");
    }
    assert!(is_skinned["u3d/v2_skinned.u3d"] && is_skinned["unigine/skinned_ms11.mesh"]);
}
