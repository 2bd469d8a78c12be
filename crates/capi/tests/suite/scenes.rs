//! The vertices and the indices that C gets are those of the library, byte for byte.

use std::ffi::CString;
use std::path::Path;
use std::ptr::{null, null_mut};

use meshlens::lens::VertexFormat;
use meshlens::model::{IndexFormat, Semantic, Space, VertexLayout};
use meshlens::scene::{Pose, View};
use meshlens_assets::Assets;
use meshlens_capi::*;

const OK: ml_result = ml_result::ML_OK;

/// A scene in C, with the pose that its clips make.
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
            assert_eq!(ml_close_asset(asset), OK);
            assert_eq!(ml_new_pose(scene, &raw mut pose, null_mut()), OK);
            let count = clip.is_some().into();
            assert_eq!(ml_set_pose(scene, pose, &raw const play, count, null_mut()), OK);
        }
        CScene { scene, pose }
    }

    /// The vertices of 24 bytes and the indices of a mesh.
    fn buffers(&self, mesh: usize) -> (Vec<u8>, Vec<u8>) {
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
        // SAFETY: the handles are open, zeros are a valid struct, and the outputs have the given sizes.
        unsafe {
            let mut found: ml_scene_mesh = std::mem::zeroed();
            assert_eq!(ml_get_scene_mesh(self.scene, mesh, &raw mut found, null_mut()), OK);
            let (mut vertices, mut indices) =
                (vec![0u8; 24 * found.vertex_count], vec![0u8; 4 * found.index_count]);
            let (out, size) = (vertices.as_mut_ptr().cast(), vertices.len());
            let code =
                ml_fill_vertex_buffer(self.scene, mesh, self.pose, &raw const layout, out, size, null_mut());
            assert_eq!(code, OK);
            let (out, size) = (indices.as_mut_ptr().cast(), indices.len());
            let format = ml_index_format::ML_INDEX_UINT32 as i32;
            assert_eq!(ml_indices(self.scene, mesh, format, out, size, null_mut()), OK);
            (vertices, indices)
        }
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
        mesh.interleave(pose, &layout, &mut vertices).expect("normals");
        let mut indices = vec![0; mesh.index_buffer_len(IndexFormat::Uint32)];
        mesh.write_indices(IndexFormat::Uint32, &mut indices).expect("room");
        (vertices, indices)
    });
    meshes.collect()
}

#[test]
fn c_and_rust_draw_the_same_bytes() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    // A mesh that a script mirrors.
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    for name in ["crate_d.3d", "crate_walk_a.3d"] {
        std::fs::copy(corpus.join("unreal/Models").join(name), folder.path().join(name)).expect("a file");
    }
    let script = "#exec mesh import mesh=box anivfile=crate_walk_a.3d datafile=crate_d.3d\n\
                  #exec mesh origin mesh=box x=1 y=2 z=3 yaw=32\n\
                  #exec meshmap scale meshmap=box x=-.5 y=.25 z=.125\n";
    let mirrored = folder.path().join("Box.uc");
    std::fs::write(&mirrored, script).expect("a script");
    // Meshes that a script scales and turns; a player, whose torso and head are attached; and joints.
    let models = [
        "unreal/Classes/Figure.uc",
        "unreal/Classes/Crates.uc!walk",
        "md3/player",
        "md3/animated.md3",
        "u3d/v2_skinned.u3d",
        "u3d/v2_animated.u3d",
        "unigine/skinned_ms11.mesh",
    ];
    let spaces = [
        (ml_space_id::ML_SPACE_GLTF, Space::GLTF),
        (ml_space_id::ML_SPACE_UNITY, Space::UNITY),
        (ml_space_id::ML_SPACE_BLENDER, Space::BLENDER),
    ];
    let mut mirrors = 0;
    for path in models.map(|model| corpus.join(model)).into_iter().chain([mirrored]) {
        let model = &path.to_string_lossy();
        let located = Assets::new().given(&path).expect(model).locate().expect(model);
        let asset = located.open(&meshlens_assets::OpenOptions::default()).expect(model);
        let scene = asset.scene();
        mirrors += usize::from(glam::Mat4::from_cols_array_2d(&asset.model().placement).determinant() < 0.0);
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
        }
    }
    assert_eq!(mirrors, 1);
}
