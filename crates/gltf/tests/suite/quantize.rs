//! Quantization: positions, texture coordinates and colors that an accessor can hold as integers stay integers in every
//! encoding, and a reader gets the same model.

use super::one_node;
use glam::Vec3;
use meshlens::model::{Model, PlainFrame, PlainMesh, Space, gather};
use meshlens::unreal::{Script, Triangle, Unreal, VertexEncoding, write};
use meshlens_gltf::{Export, ImportOptions, Options};

use crate::merged::import;
use meshlens_testkit::{corpus, real};
use serde_json::Value;

fn glb(model: &Model<'_>, quantize: bool) -> Vec<u8> {
    let options = Options { quantize, ..Options::default() };
    let mut written = Vec::new();
    Export::plan(&one_node("model", model), &options).unwrap().write_glb(&mut written).unwrap();
    written
}

pub(super) fn json(glb: &[u8]) -> Value {
    let len = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + len]).unwrap()
}

/// The component type of an attribute of the first primitive, and whether it is normalized.
fn stored(document: &Value, attribute: &str) -> (u64, bool) {
    let accessor = document["meshes"][0]["primitives"][0]["attributes"][attribute].as_u64().unwrap();
    let accessor = &document["accessors"][accessor as usize];
    (accessor["componentType"].as_u64().unwrap(), accessor["normalized"].as_bool().unwrap_or(false))
}

/// Position and normal of every corner of every triangle, in every frame.
fn corners(glb: &[u8]) -> Vec<(Vec3, Vec3)> {
    let (model, _) = import(glb, &ImportOptions::default(), &|_, _| None).unwrap();
    let (mut all, mut decoded, mut normals) = (Vec::new(), Vec::new(), Vec::new());
    for mesh in &model.meshes {
        let topology = mesh.topology().unwrap();
        for frame in 0..mesh.frame_count() {
            let mut positions = vec![[0.0; 3]; topology.vertex_count()];
            gather(&mesh.positions(frame).unwrap().to_vec(), topology.points(), &mut positions);
            assert!(mesh.normals_into(frame, &mut decoded).unwrap());
            normals.resize(topology.vertex_count(), [0.0; 3]);
            gather(&decoded, topology.corners(), &mut normals);
            let corner =
                |vertex: &u32| (positions[*vertex as usize].into(), normals[*vertex as usize].into());
            all.extend(topology.triangles().as_flattened().iter().map(corner));
        }
    }
    all
}

/// Asserts that a reader gets the same model with and without quantization: positions to within the precision of
/// floats, normals to within 2 degrees.
fn same(name: &str, model: &Model<'_>) {
    let (exact, quantized) = (corners(&glb(model, false)), corners(&glb(model, true)));
    assert_eq!(exact.len(), quantized.len(), "{name}");
    for ((position, normal), (found, turned)) in exact.iter().zip(&quantized) {
        let size = position.abs().max_element().max(1.0);
        assert!(found.abs_diff_eq(*position, size * 1e-5), "{name}: {found} is not {position}");
        assert!(turned.dot(*normal) > 0.999, "{name}: {turned} is not {normal}");
    }
}

/// A pyramid whose quantization steps differ between the axes.
fn pyramid(format: VertexEncoding) -> write::Files {
    let mut file = write::Model::new(format, 5);
    for (number, [a, b]) in [[0, 1], [1, 2], [2, 3], [3, 0]].into_iter().enumerate() {
        let texcoords = [[0, 0], [255, 0], [51 * number as u8, 255]];
        file.triangles.push(Triangle { vertices: [b, a, 4], texcoords, ..Triangle::default() });
    }
    for height in [40, -60] {
        let base = [[-16, -8, 0], [16, -8, 0], [16, 8, 0], [-16, 8, 0], [2, 1, height]];
        file.add_integer_frame(&base).unwrap();
    }
    file.write().unwrap()
}

#[test]
fn unreal_positions_stay_integers_in_both_layouts() {
    for format in [VertexEncoding::Packed, VertexEncoding::Wide] {
        let files = pyramid(format);
        let unreal = Unreal::parse(&files.geometry, &files.frames).unwrap();
        let mut model = Model::new(unreal.into()).unwrap();
        let document = json(&glb(&model, true));
        assert_eq!(document["extensionsRequired"], serde_json::json!(["KHR_mesh_quantization"]));
        // Signed 16-bit integers; normals and texture coordinates in normalized bytes.
        assert_eq!(stored(&document, "POSITION"), (5122, false), "{format}");
        assert_eq!(stored(&document, "NORMAL"), (5120, true), "{format}");
        assert_eq!(stored(&document, "TEXCOORD_0"), (5121, true), "{format}");
        same(&format!("{format}"), &model);
        for script in [
            "#exec MESHMAP SCALE MESHMAP=m X=0.5 Y=2 Z=1",
            "#exec MESHMAP SCALE MESHMAP=m X=0.5 Y=-2 Z=1",
            "#exec MESH ORIGIN MESH=m X=3 Y=5 Z=7 YAW=64 PITCH=32\n#exec MESHMAP SCALE MESHMAP=m X=0.1 Y=0.2 Z=0.3",
        ] {
            let text = format!(
                "#exec MESH IMPORT MESH=m ANIVFILE=m_a.3d DATAFILE=m_d.3d\n#exec MESHMAP NEW MESHMAP=m MESH=m\n{script}\n"
            );
            model.set_script(&unreal, &Script::parse(text.as_bytes()).unwrap(), "m").unwrap();
            assert_eq!(stored(&json(&glb(&model, true)), "POSITION"), (5122, false), "{format}: {script}");
            same(&format!("{format}: {script}"), &model);
        }
    }
}

#[test]
fn md3_positions_stay_integers_and_floats_stay_floats() {
    let file = |name: &str| std::fs::read(real::workspace_root().join("corpus").join(name)).unwrap();
    for (name, component) in [
        ("md3/animated.md3", 5122),
        ("unigine/box_ms10.mesh", 5126),
        ("u3d/v2_static.u3d", 5126),
        ("u3d/v1_skinned.u3d", 5126),
    ] {
        let bytes = file(name);
        let model = Model::parse(&bytes).unwrap();
        assert_eq!(stored(&json(&glb(&model, true)), "POSITION"), (component, false), "{name}");
        if model.joints.is_empty() {
            same(name, &model);
        }
    }
}

#[test]
fn colors_that_are_bytes_in_the_file_stay_bytes() {
    let mut colored = 0;
    for (name, bytes) in corpus::with_extension(&[".mesh"]) {
        let model = Model::parse(&bytes).unwrap();
        let mut colors = Vec::new();
        let Some(mesh) = model.meshes.first().filter(|mesh| mesh.colors_into(0, &mut colors).unwrap()) else {
            continue;
        };
        colored += 1;
        let written = glb(&model, true);
        assert_eq!(stored(&json(&written), "COLOR_0"), (5121, true), "{name}");
        assert_eq!(stored(&json(&glb(&model, false)), "COLOR_0"), (5126, false), "{name}");
        let (imported, _) = import(&written, &ImportOptions::default(), &|_, _| None).unwrap();
        let (mut found, topology) = (Vec::new(), mesh.topology().unwrap());
        assert!(imported.meshes[0].colors_into(0, &mut found).unwrap());
        let mut wanted = vec![[0.0; 4]; topology.vertex_count()];
        gather(&colors, topology.corners(), &mut wanted);
        assert_eq!(found, wanted, "{name}");
    }
    assert!(colored > 0, "a file has colors");
}

#[test]
fn every_set_of_colors_is_kept() {
    let set = |red: f32| vec![[red, 0.25, 1.0, 1.0]; 3];
    let frame =
        PlainFrame { positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], ..PlainFrame::default() };
    let mesh = PlainMesh {
        frames: vec![frame],
        triangles: vec![[0, 1, 2]],
        colors: vec![set(0.5), set(0.75)],
        ..PlainMesh::default()
    };
    let mut model = Model::empty(None, Space::GLTF);
    model.meshes.push(mesh.into_mesh("two sets").unwrap());
    let (imported, _) = import(&glb(&model, false), &ImportOptions::default(), &|_, _| None).unwrap();
    let mut colors = Vec::new();
    for (number, red) in [0.5, 0.75].into_iter().enumerate() {
        assert!(imported.meshes[0].colors_into(number, &mut colors).unwrap());
        assert_eq!(colors, set(red));
    }
    assert_eq!(imported.meshes[0].color_sets(), 2);
}
