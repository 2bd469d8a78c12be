//! Skins through glTF and back: bones, weights, keys, and the positions of all corners during clips.

use super::one_node;
use glam::{Quat, Vec3};
use meshlens::model::{Clip, Model, Space, Transform, export, world_into};
use meshlens::{Document, Report, unigine::Anim};
use meshlens_gltf::{Export, ImportOptions, Options, Skins};

use crate::merged::import;
use meshlens_testkit::real;

fn read(_: &str, _: usize) -> Option<Vec<u8>> {
    None
}

fn through_gltf(model: &Model<'_>) -> (Model<'static>, Vec<String>) {
    let mut glb = Vec::new();
    Export::plan(&one_node("model", model), &Options::default()).unwrap().write_glb(&mut glb).unwrap();
    let (model, losses) = import(&glb, &ImportOptions::default(), &read).unwrap();
    (model, losses.findings().map(|loss| loss.message.clone()).collect())
}

/// The pose of step `step` of a clip, or at rest.
fn pose(model: &Model<'_>, clip: Option<(&Clip, usize)>) -> Vec<Transform> {
    let mut pose: Vec<Transform> = model.joints.iter().map(|joint| joint.rest).collect();
    if let Some((clip, step)) = clip {
        model.animations[clip.animation.unwrap()].apply(clip.frame(step), &mut pose);
    }
    pose
}

/// Every corner of every triangle in glTF's space, in the order of the meshes.
fn corners(model: &Model<'_>, clip: Option<(&Clip, usize)>) -> Vec<Vec3> {
    let to_gltf = model.space.to(&Space::GLTF);
    let mut world = Vec::new();
    world_into(&model.joints, &pose(model, clip), &mut world);
    let mut all = Vec::new();
    for mesh in &model.meshes {
        let (topology, mut positions) = (mesh.topology().unwrap(), Vec::new());
        mesh.skin_vertices_into(&topology, 0, &world, &mut positions, &mut Vec::new()).unwrap();
        let triangles = topology.triangles().iter().flat_map(|triangle| to_gltf.corners(*triangle));
        all.extend(triangles.map(|vertex| Vec3::from(to_gltf.position(positions[vertex as usize]))));
    }
    all
}

/// The joints of every corner, by name, with weights in 65535ths.
fn weights(model: &Model<'_>) -> Vec<Vec<(String, i32)>> {
    let to_gltf = model.space.to(&Space::GLTF);
    let mut all = Vec::new();
    for mesh in &model.meshes {
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        assert!(mesh.influences_into(&mut joints, &mut weights).unwrap());
        let topology = mesh.topology().unwrap();
        for vertex in topology.triangles().iter().flat_map(|triangle| to_gltf.corners(*triangle)) {
            let point = topology.points().map_or(vertex, |map| map[vertex as usize]) as usize;
            let moving = joints[point].iter().zip(weights[point]).filter(|(_, weight)| *weight > 0.0);
            let mut named: Vec<(String, i32)> = moving
                .map(|(joint, weight)| {
                    (model.joints[usize::from(*joint)].name.clone(), (weight * 65535.0).round() as i32)
                })
                .collect();
            named.sort();
            all.push(named);
        }
    }
    all
}

fn near(a: &Transform, b: &Transform, rotation: f32) -> bool {
    let near = |a, b, most| Vec3::from(a).abs_diff_eq(Vec3::from(b), most);
    let [turn, other] = [a.rotation, b.rotation].map(Quat::from_array);
    near(a.translation, b.translation, 2e-5 * (1.0 + Vec3::from(b.translation).length()))
        && (turn * turn.dot(other).signum()).abs_diff_eq(other, rotation)
        && near(a.scale, b.scale, 2e-4)
}

/// The greatest distance between corners, relative to the size of the model.
fn distance(found: &[Vec3], expected: &[Vec3]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let size = expected.iter().fold(0.0f32, |size, corner| size.max(corner.abs().max_element()));
    let most = found.iter().zip(expected).fold(0.0f32, |most, (a, b)| most.max(a.distance(*b)));
    most / size.max(1e-6)
}

/// Compares bones, weights, and the keys and corners of the first, the middle and the last frame of each clip.
/// `rotation` is the tolerance of rotations, and `reach` the tolerance of corners, relative to the model's size.
fn assert_same_rig(name: &str, found: &Model<'_>, expected: &Model<'_>, rotation: f32, reach: f32) {
    let conversion = found.space.to(&expected.space);
    let convert = |transform: &Transform| Transform {
        translation: conversion.position(transform.translation),
        rotation: conversion.rotation(transform.rotation),
        scale: conversion.factors(transform.scale),
    };
    let tree = |model: &Model<'_>| -> Vec<(String, Option<usize>)> {
        model.joints.iter().map(|joint| (joint.name.clone(), joint.parent)).collect()
    };
    assert_eq!(tree(found), tree(expected), "{name}");
    for (joint, other) in found.joints.iter().zip(&expected.joints) {
        let (rest, other) = (convert(&joint.rest), other.rest);
        assert!(near(&rest, &other, rotation), "{name} {}: {rest:?} {other:?}", joint.name);
    }
    for (index, (found, expected)) in weights(found).into_iter().zip(weights(expected)).enumerate() {
        let keep = |weights: Vec<(String, i32)>| -> Vec<(String, i32)> {
            weights.into_iter().filter(|(_, weight)| *weight > 1).collect()
        };
        let (found, expected) = (keep(found), keep(expected));
        let close = found.iter().zip(&expected).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() <= 1);
        assert!(close && found.len() == expected.len(), "{name} corner {index}: {found:?} {expected:?}");
    }
    assert!(distance(&corners(found, None), &corners(expected, None)) < reach, "{name} at rest");
    assert_eq!(found.clips.len(), expected.clips.len(), "{name}");
    for (clip, other) in found.clips.iter().zip(&expected.clips) {
        assert_eq!((&clip.name, clip.count), (&other.name, other.count), "{name}");
        for step in [0, clip.count / 2, clip.count - 1] {
            let poses = pose(found, Some((clip, step))).into_iter().zip(pose(expected, Some((other, step))));
            for (index, (pose, other)) in poses.enumerate() {
                let pose = convert(&pose);
                assert!(
                    near(&pose, &other, rotation),
                    "{name} {} {step} {index}: {pose:?} {other:?}",
                    clip.name
                );
            }
            let (moved, wanted) =
                (corners(found, Some((clip, step))), corners(expected, Some((other, step))));
            let distance = distance(&moved, &wanted);
            assert!(distance < reach, "{name} {} {step}: {distance}", clip.name);
        }
    }
}

/// Files of the corpus, and the files of `MESHLENS_REAL` below a folder.
fn files(corpus: &[&str], folder: &str, end: &str) -> Vec<(String, Vec<u8>)> {
    let root = real::workspace_root().join("corpus");
    let mut paths: Vec<_> = corpus.iter().map(|name| root.join(name)).collect();
    if let Some(real) = real::folder() {
        paths.extend(real::files_below(&real.join(folder)));
    }
    let wanted = paths.into_iter().filter(|path| path.to_string_lossy().ends_with(end));
    wanted.map(|path| (path.display().to_string(), std::fs::read(&path).unwrap())).collect()
}

#[test]
fn unigine_rigs_come_back_from_gltf() {
    let anims = files(&["unigine/wave_an10.anim"], "unigine", ".anim");
    let (mut rigs, mut clips) = (0, 0);
    for (name, bytes) in
        files(&["unigine/skinned_ms10.mesh", "unigine/skinned_ms11.mesh"], "unigine", ".mesh")
    {
        let mut model = Model::parse(&bytes).unwrap();
        if model.joints.is_empty() {
            continue;
        }
        for (number, (_, bytes)) in anims.iter().enumerate() {
            let anim = Anim::parse(bytes).unwrap();
            let before = model.clone();
            // Most bones of another rig do not match.
            if model.add_anim(&anim, &format!("clip {number}")).total() > 3 {
                model = before;
            }
        }
        for (number, clip) in model.clips.iter_mut().enumerate() {
            clip.name = format!("{number} {}", clip.name);
        }
        let (imported, _) = through_gltf(&model);
        assert_same_rig(&name, &imported, &model, 1e-6, 1e-5);
        let (written, losses) = export::to_unigine(&imported, 1.0).unwrap();
        assert!(
            !losses.findings().any(|loss| loss.message.starts_with("the pose at rest")),
            "{name}: {losses:?}"
        );
        let again = Model::parse(&written).unwrap();
        // A 16-bit rotation is off by at most 4 / 32767. The errors of eight bones in a row add up.
        assert_same_rig(&name, &again, &model, 1e-4, 1e-3);
        rigs += 1;
        clips += model.clips.len();
        // The animations in a separate file play on the mesh, with 16-bit rotations.
        if !model.clips.is_empty() {
            let (written, _) = export::to_unigine_anim(&imported, 1.0).unwrap();
            let anim = Anim::parse(&written).unwrap();
            let mut still = imported.clone();
            (still.clips, still.animations) = (Vec::new(), Vec::new());
            let bytes = export::to_unigine(&still, 1.0).unwrap().0;
            let mut again = Model::parse(&bytes).unwrap();
            assert!(again.add_anim(&anim, "anim").is_empty(), "{name}");
            assert_eq!(again.clips.len(), model.clips.len());
            for (clip, other) in again.clips.iter().zip(&model.clips) {
                let last = clip.count - 1;
                let (a, b) = (corners(&again, Some((clip, last))), corners(&model, Some((other, last))));
                assert!(distance(&a, &b) < 2e-3, "{name} {}: {}", clip.name, distance(&a, &b));
            }
        }
    }
    assert!(rigs >= 2 && clips >= 4, "{rigs} rigs, {clips} clips");
}

#[test]
fn ultimate_3d_rigs_come_back_from_gltf() {
    let corpus = ["u3d/v1_skinned.u3d", "u3d/v2_skinned.u3d", "u3d/v2_skinned_once.u3d"];
    let mut rigs = 0;
    for (name, bytes) in files(&corpus, "u3d", ".u3d") {
        let Ok(model) = Model::parse(&bytes) else { continue };
        if model.joints.is_empty() || model.meshes.iter().any(|mesh| mesh.skin.is_none() || mesh.lod > 0) {
            continue;
        }
        let (imported, _) = through_gltf(&model);
        let (written, losses) = export::to_u3d(&imported, 1.0).unwrap();
        assert!(!losses.findings().any(|loss| loss.message.starts_with("joints: ")), "{name}: {losses:?}");
        let again = Model::parse(&written).unwrap();
        let findings = |bytes: &[u8]| {
            let mut report = Report::default();
            Document::parse(bytes).unwrap().validate(&mut report);
            report.total()
        };
        assert!(findings(&written) <= findings(&bytes), "{name}");
        assert_same_rig(&name, &again, &model, 1e-5, 1e-4);
        rigs += 1;
    }
    assert!(rigs >= 3, "{rigs} rigs");
}

#[test]
fn compact_joints_move_alike_in_fewer_bytes() {
    let bytes = std::fs::read(real::workspace_root().join("corpus/u3d/v2_skinned.u3d")).unwrap();
    let model = Model::parse(&bytes).unwrap();
    let usual = Options { quantize: true, ..Options::default() };
    let compact = Options { compact_joints: true, ..usual };
    let [usual, compact] = [usual, compact].map(|options| {
        let mut glb = Vec::new();
        Export::plan(&one_node("model", &model), &options).unwrap().write_glb(&mut glb).unwrap();
        glb
    });
    assert!(compact.len() < usual.len(), "{} {}", compact.len(), usual.len());
    // Normals are bytes: the accessor has the type 5120, and the extension is required.
    let [usual_json, json] = [&usual, &compact].map(|glb| super::quantize::json(glb));
    assert!(usual_json.get("extensionsRequired").is_none(), "{usual_json}");
    assert_eq!(json["extensionsRequired"], serde_json::json!(["KHR_mesh_quantization"]));
    let normal = &json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"];
    let normal = &json["accessors"][normal.as_u64().unwrap() as usize];
    assert_eq!(normal["componentType"], 5120);
    assert_eq!(normal["normalized"], true);
    // Texture coordinates are 16 bits (5123).
    let texcoord = &json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"];
    let texcoord = &json["accessors"][texcoord.as_u64().unwrap() as usize];
    assert_eq!((&texcoord["componentType"], &texcoord["normalized"]), (&5123.into(), &true.into()));
    let (usual, _) = import(&usual, &ImportOptions::default(), &read).unwrap();
    let (compact, _) = import(&compact, &ImportOptions::default(), &read).unwrap();
    // Rotations and weights are rounded to 1/32767 and 1/65535.
    assert_same_rig("compact", &compact, &usual, 1e-4, 1e-3);
    let [usual, compact] = [&usual, &compact].map(|model| {
        let mut texcoords = Vec::new();
        assert!(model.meshes[0].texcoords_into(0, &mut texcoords).unwrap());
        texcoords
    });
    for (usual, compact) in usual.as_flattened().iter().zip(compact.as_flattened()) {
        assert!((usual - compact).abs() <= 1.0 / 131_070.0 + f32::EPSILON, "{usual} {compact}");
    }
}

/// A document like those of Blender and FBX converters: an armature with a scale and a rotation, joints in centimeters
/// below it, a mesh in the space of the armature, and three animations of the lower arm, one with keys between frames.
fn blender_arm() -> Vec<u8> {
    let mut bin: Vec<f32> = Vec::new();
    let mut accessors = Vec::new();
    let mut add = |kind: &str, width: usize, values: &[f32]| {
        accessors.push(format!(
            r#"{{"bufferView":0,"byteOffset":{},"count":{},"componentType":5126,"type":"{kind}","min":{:?},"max":{:?}}}"#,
            bin.len() * 4,
            values.len() / width,
            vec![0; width],
            vec![200; width],
        ));
        bin.extend(values);
        accessors.len() - 1
    };
    let half = 0.5f32.sqrt();
    let positions = add("VEC3", 3, &[0.0, 0.0, 0.0, 0.0, 200.0, 0.0, 10.0, 100.0, 0.0]);
    let weights = add("VEC4", 4, &[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0]);
    #[rustfmt::skip]
    let binds = add("MAT4", 16, &[
        1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -100.0, 0.0, 1.0,
    ]);
    let odd_times = add("SCALAR", 1, &[0.0, 0.37, 1.0]);
    let turns = add("VEC4", 4, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half, 0.0, 0.0, 0.0, 1.0]);
    let times = add("SCALAR", 1, &[0.0, 1.0]);
    let steps = add("VEC3", 3, &[0.0, 100.0, 0.0, 0.0, 150.0, 0.0]);
    #[rustfmt::skip]
    let spline = add("VEC3", 3, &[
        0.0, 0.0, 0.0, 0.0, 100.0, 0.0, 0.0, 80.0, 0.0,
        0.0, 0.0, 0.0, 0.0, 200.0, 0.0, 0.0, 0.0, 0.0,
    ]);
    // Blender writes a constant value as two equal keys with step interpolation.
    let still = add("VEC3", 3, &[1.0; 6]);
    let mut bytes: Vec<u8> = bin.into_iter().flat_map(f32::to_le_bytes).collect();
    let joints = bytes.len();
    bytes.extend([0, 1, 0, 0].repeat(3));
    let data = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &bytes);
    let still = [times, still];
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[3]}}],
        "nodes":[{{"name":"lower","translation":[0,100,0]}},{{"name":"upper","children":[0]}},
          {{"name":"Body","mesh":0,"skin":0}},
          {{"name":"Armature","children":[2,1],"rotation":[{half},0,0,{half}],"scale":[0.01,0.01,0.01]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":{positions},"JOINTS_0":{},"WEIGHTS_0":{weights}}}}}]}}],
        "skins":[{{"joints":[1,0],"inverseBindMatrices":{binds}}}],
        "animations":[{},{},{}],
        "accessors":[{},{{"bufferView":0,"byteOffset":{joints},"count":3,"componentType":5121,"type":"VEC4"}}],
        "bufferViews":[{{"buffer":0,"byteLength":{}}}],
        "buffers":[{{"byteLength":{},"uri":"data:application/octet-stream;base64,{data}"}}]}}"#,
        accessors.len(),
        animation("turn", "rotation", "LINEAR", [odd_times, turns], still),
        animation("step", "translation", "STEP", [times, steps], still),
        animation("spline", "translation", "CUBICSPLINE", [times, spline], still),
        accessors.join(","),
        bytes.len(),
        bytes.len(),
    )
    .into_bytes()
}

/// An animation of a node with a constant scale. Samplers are the accessors of their times and values.
fn animation(name: &str, path: &str, how: &str, sampler: [usize; 2], still: [usize; 2]) -> String {
    let ([input, output], [times, scales]) = (sampler, still);
    format!(
        r#"{{"name":"{name}","channels":[{{"sampler":0,"target":{{"node":0,"path":"{path}"}}}},
          {{"sampler":1,"target":{{"node":0,"path":"scale"}}}}],
        "samplers":[{{"input":{input},"output":{output},"interpolation":"{how}"}},
          {{"input":{times},"output":{scales},"interpolation":"STEP"}}]}}"#
    )
}

#[test]
fn a_rig_of_blender_is_converted_to_unigine_and_ultimate_3d() {
    let (model, losses) = import(&blender_arm(), &ImportOptions::default(), &read).unwrap();
    let losses: Vec<String> = losses.findings().map(|loss| loss.message.clone()).collect();
    // The armature does not become a joint: the root gets its rotation, and translations get its scale.
    let joints: Vec<_> = model.joints.iter().map(|joint| (joint.name.as_str(), joint.parent)).collect();
    assert_eq!(joints, [("upper", None), ("lower", Some(0))]);
    let lower = model.joints[1].rest;
    assert!(Vec3::from(lower.translation).abs_diff_eq(Vec3::Y, 1e-6), "{lower:?}");
    assert_eq!(lower.scale, [1.0; 3]);
    assert_eq!(model.joints[0].rest.scale, [1.0; 3]);
    assert!(
        losses.iter().any(|line| line.starts_with("the uniform scales of 1 joints at rest")),
        "{losses:?}"
    );
    let lines: Vec<&str> =
        losses.iter().map(String::as_str).filter(|line| line.starts_with("animation")).collect();
    assert_eq!(
        lines,
        [
            "animation turn: 1 of 5 keys lie between its frames, 30 per second",
            "animation step: 1 tracks of steps, which take a frame each"
        ]
    );
    let clips: Vec<_> =
        model.clips.iter().map(|clip| (clip.name.as_str(), clip.count, clip.rate.get())).collect();
    assert_eq!(clips, [("turn", 31, 30.0), ("step", 31, 30.0), ("spline", 31, 30.0)]);

    let written = [export::to_unigine(&model, 1.0).unwrap().0, export::to_u3d(&model, 1.0).unwrap().0];
    let [unigine, u3d] = written.each_ref().map(|bytes| Model::parse(bytes).unwrap());
    for model in [&model, &unigine, &u3d] {
        let at = |clip: &str, step: usize| corners(model, model.find_clip(clip).map(|clip| (clip, step)));
        let close = |found: Vec<Vec3>, expected: [[f32; 3]; 3]| {
            let near = found.iter().zip(expected).all(|(a, b)| a.abs_diff_eq(b.into(), 1e-3));
            assert!(near && found.len() == 3, "{:?}: {found:?} {expected:?}", model.format);
        };
        // The armature scales and rotates centimeters along Y to meters along Z.
        close(corners(model, None), [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0], [0.1, 0.0, 1.0]]);
        // A value with step interpolation stays until its next key.
        close(at("step", 29), [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0], [0.1, 0.0, 1.0]]);
        close(at("step", 30), [[0.0, 0.0, 0.0], [0.0, 0.0, 2.5], [0.1, 0.0, 1.25]]);
        // Halfway between 100 and 200, plus an eighth of the tangent of 80: the lower arm begins at 160.
        close(at("spline", 15), [[0.0, 0.0, 0.0], [0.0, 0.0, 2.6], [0.1, 0.0, 1.3]]);
        // 0.13 of 0.63 seconds on the way back from 90 degrees to 0: 71.43 degrees, by which the tip leans to -X.
        let (sine, cosine) = 71.4286f32.to_radians().sin_cos();
        close(
            at("turn", 15),
            [[0.0, 0.0, 0.0], [-sine, 0.0, 1.0 + cosine], [0.05 + 0.05 * cosine, 0.0, 1.0 + 0.05 * sine]],
        );
    }
    // Baked to vertex frames, the positions are the same.
    let baked = ImportOptions { skins: Skins::Bake, rate: Some(30.0), ..ImportOptions::default() };
    let (frames, _) = import(&blender_arm(), &baked, &read).unwrap();
    assert!(frames.joints.is_empty() && frames.frame_count() == 3 * 31);
    let spline = frames.meshes[0].positions(2 * 31 + 15).unwrap().to_vec();
    assert!(Vec3::from(spline[1]).abs_diff_eq(Vec3::new(0.0, 0.0, 2.6), 1e-4), "{spline:?}");
}
