//! Back from glTF, and from one format to another: what comes back is what went, as exactly as the target stores it.

use super::one_node;
use glam::Vec3;
use meshlens::model::{Model, Space, export};
use meshlens::{Document, md3::Md3};
use meshlens_gltf::{Export, ImportOptions, Options, Skins, import};
use meshlens_testkit::real;

fn corpus(name: &str) -> Vec<u8> {
    std::fs::read(real::workspace_root().join("corpus").join(name)).unwrap()
}

fn glb(model: &Model<'_>) -> Vec<u8> {
    let mut glb = Vec::new();
    Export::plan(&one_node("model", model), &Options::default()).unwrap().write_glb(&mut glb).unwrap();
    glb
}

fn read(_: &str, _: usize) -> Option<Vec<u8>> {
    None
}

/// The corners of every triangle of a frame in glTF's space, sorted: whatever order vertices and parts are in.
fn soup(model: &Model<'_>, frame: usize) -> Vec<[i64; 3]> {
    let to_gltf = model.space.to(&Space::GLTF);
    let mut all = Vec::new();
    for mesh in &model.meshes {
        let positions = mesh.positions(frame).unwrap().to_vec();
        let topology = mesh.topology().unwrap();
        for vertex in topology.triangles().iter().flatten() {
            let point = topology.points().map_or(*vertex, |map| map[*vertex as usize]);
            let placed = glam::Mat4::from_cols_array_2d(&model.placement)
                .transform_point3(Vec3::from(positions[point as usize]));
            all.push(to_gltf.position(placed.to_array()).map(|axis| (f64::from(axis) * 64.0).round() as i64));
        }
    }
    all.sort_unstable();
    all
}

fn messages(losses: &meshlens::Report) -> Vec<String> {
    losses.findings().map(|finding| finding.message.clone()).collect()
}

#[test]
fn md3_comes_back_from_gltf_frame_by_frame() {
    for name in ["md3/tagged.md3", "md3/animated.md3", "md3/multi_surface.md3", "md3/static.md3"] {
        let bytes = corpus(name);
        let model = Model::parse(&bytes).unwrap();
        let (imported, _) = import(&glb(&model), &ImportOptions::new(&read)).unwrap();
        let (written, _) = export::to_md3(&imported, "model", 1.0).unwrap();
        let (again, first) = (Md3::parse(&written).unwrap(), Md3::parse(&bytes).unwrap());
        assert_eq!(again.frame_count(), first.frame_count(), "{name}");
        assert_eq!(again.surface_count(), first.surface_count());
        for (again, first) in again.surfaces().zip(first.surfaces()) {
            assert_eq!(again.name().to_text(), first.name().to_text());
            assert_eq!(again.shader(0).unwrap().name.to_text(), first.shader(0).unwrap().name.to_text());
            // Vertices are numbered as triangles first use them; corner by corner they are the same.
            let corners = |surface: &meshlens::md3::Surface<'_>, frame: usize| -> Vec<([i64; 3], [f32; 2])> {
                let positions: Vec<_> = surface.positions(frame).unwrap().iter().collect();
                let texcoords: Vec<_> = surface.texcoords().iter().collect();
                let triangles: Vec<_> = surface.checked_triangles().unwrap().iter().flatten().collect();
                let corner = |index: u32| {
                    let raw = positions[index as usize].map(|axis| (axis * 64.0) as i64);
                    (raw, texcoords[index as usize])
                };
                triangles.into_iter().map(corner).collect()
            };
            for frame in 0..first.frame_count() {
                assert_eq!(corners(&again, frame), corners(&first, frame), "{name} frame {frame}");
            }
        }
        for frame in 0..first.frame_count() {
            for (again, first) in again.tags(frame).zip(first.tags(frame)) {
                assert_eq!(again.name.to_text(), first.name.to_text());
                assert!(Vec3::from(again.origin).abs_diff_eq(first.origin.into(), 1e-4));
                for (again, first) in again.axis.iter().zip(first.axis) {
                    assert!(Vec3::from(*again).abs_diff_eq(first.into(), 1e-5));
                }
            }
        }
    }
}

#[test]
fn normals_stay_where_they_are_however_often_a_model_goes_through_gltf() {
    for name in ["md3/tagged.md3", "md3/animated.md3"] {
        let first = corpus(name);
        let mut trips = vec![first];
        for _ in 0..8 {
            let bytes = trips.last().unwrap();
            let (imported, _) = {
                let model = Model::parse(bytes).unwrap();
                import(&glb(&model), &ImportOptions::new(&read)).unwrap()
            };
            trips.push(export::to_md3(&imported, "model", 1.0).unwrap().0);
        }
        // Corner by corner, as vertices are numbered anew by the first trip.
        let normals = |bytes: &[u8]| -> Vec<Vec3> {
            let md3 = Md3::parse(bytes).unwrap();
            let mut all = Vec::new();
            for surface in md3.surfaces() {
                for frame in 0..surface.frame_count() {
                    let normals: Vec<_> = surface.normals(frame).unwrap().iter().collect();
                    let triangles = surface.checked_triangles().unwrap();
                    all.extend(triangles.iter().flatten().map(|corner| Vec3::from(normals[corner as usize])));
                }
            }
            all
        };
        let (before, after) = (normals(&trips[0]), normals(&trips[8]));
        assert_eq!(before.len(), after.len());
        for (before, after) in before.iter().zip(&after) {
            assert!(before.abs_diff_eq(*after, 1e-6), "{name}: {before} {after}");
        }
        // The first trip renumbers vertices; after it they stay byte for byte.
        let vertices = |bytes: &[u8]| -> Vec<u8> {
            let md3 = Md3::parse(bytes).unwrap();
            let frames =
                md3.surfaces().flat_map(|surface| (0..surface.frame_count()).map(move |f| (surface, f)));
            frames.flat_map(|(surface, frame)| surface.vertex_bytes(frame).unwrap().to_vec()).collect()
        };
        assert!(trips.iter().skip(1).all(|trip| vertices(trip) == vertices(&trips[1])), "{name}");
    }
}

#[test]
fn a_model_goes_to_every_format_and_keeps_its_arm() {
    let bytes = corpus("md3/tagged.md3");
    let model = Model::parse(&bytes).unwrap();
    let wanted = soup(&model, 1);

    let (written, losses) = export::to_unigine(&model, 1.0).unwrap();
    let unigine = Model::parse(&written).unwrap();
    // Frames are morph targets there.
    assert_eq!(soup(&unigine, 1), wanted);
    assert!(messages(&losses).iter().any(|line| line == "tag tag_hand"), "{losses:?}");

    let (written, losses) = export::to_u3d(&model, 1.0).unwrap();
    let u3d = Model::parse(&written).unwrap();
    for frame in 0..3 {
        assert_eq!(soup(&u3d, frame), soup(&model, frame), "floats of sixty-fourths are exact");
    }
    assert_eq!((u3d.clips[0].name.as_str(), u3d.clips[0].first, u3d.clips[0].count), ("all", 0, 3));
    assert_eq!(u3d.meshes[0].texcoords(0).unwrap().unwrap().to_vec().len(), u3d.meshes[0].point_count());
    let mut report = meshlens::Report::default();
    Document::parse(&written).unwrap().validate(&mut report);
    assert_eq!(report.total(), 0, "{report:?}");
    assert!(messages(&losses).iter().any(|line| line == "tag tag_hand"), "{losses:?}");

    let (written, losses) = export::to_unreal(&model, "figure", 1.0).unwrap();
    let file = meshlens::unreal::Unreal::parse(&written.files.geometry, &written.files.frames).unwrap();
    let mut unreal = Model::new(file.into()).unwrap();
    let script = meshlens::unreal::Script::parse(written.script.as_bytes()).unwrap();
    assert!(unreal.set_script(&file, &script, "figure").unwrap().is_empty());
    // Positions of MD3 are on a grid, which has few enough steps here.
    for frame in 0..3 {
        assert_eq!(soup(&unreal, frame), soup(&model, frame), "frame {frame}");
    }
    assert_eq!(
        (unreal.clips[0].name.as_str(), unreal.clips[0].count, unreal.clips[0].rate.get()),
        ("all", 3, 10.0)
    );
    assert!(!messages(&losses).iter().any(|line| line.contains("rounded")), "{losses:?}");

    let (written, _) = export::to_md3(&unreal, "figure", 1.0).unwrap();
    assert_eq!(soup(&Model::parse(&written).unwrap(), 0), soup(&model, 0));
}

/// Where the vertices of a model are while a clip shows its step `step`, in glTF's space, sorted.
fn shown(model: &Model<'_>, clip: usize, step: usize) -> Vec<[i64; 3]> {
    let (clip, to_gltf) = (&model.clips[clip], model.space.to(&Space::GLTF));
    let (mut pose, mut world, mut all) = (Vec::new(), Vec::new(), Vec::new());
    pose.extend(model.joints.iter().map(|joint| joint.rest));
    model.animations[clip.animation.unwrap()].apply(clip.frame(step), &mut pose);
    meshlens::model::world_into(&model.joints, &pose, &mut world);
    for mesh in &model.meshes {
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        let topology = mesh.topology().unwrap();
        mesh.skin_vertices_into(&topology, 0, &world, &mut positions, &mut normals).unwrap();
        let round = |position: [f32; 3]| position.map(|axis| (f64::from(axis) * 8.0).round() as i64);
        all.extend(positions.into_iter().map(|position| round(to_gltf.position(position))));
    }
    all.sort_unstable();
    all
}

#[test]
fn joints_go_to_ultimate_3d_and_back() {
    for name in ["unigine/skinned_ms11.mesh", "u3d/v1_skinned.u3d", "u3d/v2_skinned.u3d"] {
        let bytes = corpus(name);
        let model = Model::parse(&bytes).unwrap();
        let (written, losses) = export::to_u3d(&model, 1.0).unwrap();
        let again = Model::parse(&written).unwrap();
        let mut report = meshlens::Report::default();
        Document::parse(&written).unwrap().validate(&mut report);
        assert_eq!(report.total(), 0, "{name}: {report:?}");
        let names = |model: &Model<'_>| -> Vec<(String, Option<usize>)> {
            model.joints.iter().map(|joint| (joint.name.clone(), joint.parent)).collect()
        };
        assert_eq!(names(&again), names(&model), "{name}");
        let rates = messages(&losses).iter().filter(|line| line.contains("frames per second")).count();
        assert_eq!(rates, 0, "the file has no rate, so none is lost: {losses:?}");
        let (unigine, _) = export::to_unigine(&model, 1.0).unwrap();
        let unigine = Model::parse(&unigine).unwrap();
        assert_eq!((again.clips.len(), again.meshes.len()), (model.clips.len(), 1));
        for (number, clip) in model.clips.iter().enumerate() {
            assert_eq!((&again.clips[number].name, again.clips[number].count), (&clip.name, clip.count));
            for step in 0..clip.count {
                let wanted = shown(&model, number, step);
                let close = |found: Vec<[i64; 3]>| {
                    found.len() == wanted.len()
                        && found
                            .iter()
                            .zip(&wanted)
                            .all(|(a, b)| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 3))
                };
                assert!(close(shown(&again, number, step)), "{name} {} {step}", clip.name);
                if clip.first == 0 {
                    assert!(close(shown(&unigine, clip.animation.unwrap(), step)), "{name} {step}");
                }
            }
        }
    }
}

#[test]
fn levels_of_detail_stay_in_ultimate_3d() {
    let bytes = corpus("u3d/v2_levels.u3d");
    let model = Model::parse(&bytes).unwrap();
    let (written, losses) = export::to_u3d(&model, 1.0).unwrap();
    let again = Model::parse(&written).unwrap();
    let levels = |model: &Model<'_>| -> Vec<(usize, usize)> {
        model.meshes.iter().map(|mesh| (mesh.lod, mesh.triangle_count())).collect()
    };
    assert_eq!(levels(&again), levels(&model));
    assert!(messages(&losses).iter().any(|line| line.starts_with("the distances of levels")), "{losses:?}");
    // In glTF they are there when they are asked for, and a loss otherwise.
    let scene = one_node("model", &model);
    let plain = Export::plan(&scene, &Options::default()).unwrap();
    assert!(messages(plain.losses()).iter().any(|line| line == "1 coarser levels of detail"));
    let mut written = Vec::new();
    let options = Options { levels: true, ..Options::default() };
    Export::plan(&scene, &options).unwrap().write_glb(&mut written).unwrap();
    let text = u32::from_le_bytes(written[12..16].try_into().unwrap()) as usize;
    let document: serde_json::Value = serde_json::from_slice(&written[20..20 + text]).unwrap();
    assert_eq!(document["meshes"].as_array().unwrap().len(), 4);
    assert_eq!(document["extensionsUsed"], serde_json::json!(["MSFT_lod"]));
    // MD3 has a file for each level: the finest is written.
    let (md3, losses) = export::to_md3(&model, "model", 1.0).unwrap();
    assert_eq!(Md3::parse(&md3).unwrap().surface_count(), 2);
    assert!(
        messages(&losses).iter().any(|line| line == "2 meshes of coarser levels of detail"),
        "{losses:?}"
    );
}

#[test]
fn tangents_stay_in_unigine() {
    let bytes = corpus("unigine/morph.mesh");
    let model = Model::parse(&bytes).unwrap();
    let (written, losses) = export::to_unigine(&model, 1.0).unwrap();
    assert_eq!(messages(&losses), [""; 0]);
    let again = Model::parse(&written).unwrap();
    let corners = |model: &Model<'_>, frame: usize| -> Vec<[f32; 7]> {
        let (mesh, topology) = (&model.meshes[0], model.meshes[0].topology().unwrap());
        let (mut tangents, mut normals) = (Vec::new(), Vec::new());
        assert!(mesh.tangents_into(frame, &mut tangents).unwrap());
        assert!(mesh.normals_into(frame, &mut normals).unwrap());
        let corner = |vertex: u32| topology.corners().unwrap()[vertex as usize] as usize;
        let place = |corner: usize| {
            let ([x, y, z, w], [a, b, c]) = (tangents[corner], normals[corner]);
            [x, y, z, w, a, b, c]
        };
        topology.triangles().iter().flatten().map(|vertex| place(corner(*vertex))).collect()
    };
    for frame in 0..3 {
        let (found, wanted) = (corners(&again, frame), corners(&model, frame));
        assert_eq!(found.len(), wanted.len());
        for (found, wanted) in found.iter().flatten().zip(wanted.iter().flatten()) {
            assert!((found - wanted).abs() < 2e-3, "frame {frame}: {found} {wanted}");
        }
    }
}

#[test]
fn joints_are_played_into_frames() {
    let bytes = corpus("unigine/skinned_ms11.mesh");
    let model = Model::parse(&bytes).unwrap();
    let (written, losses) = export::to_md3(&model, "arm", 1.0).unwrap();
    let md3 = Md3::parse(&written).unwrap();
    assert_eq!(md3.frame_count(), 3 + 2, "two animations, one after the other");
    assert!(messages(&losses).iter().any(|line| line.starts_with("joints: ")));
    let again = Model::parse(&written).unwrap();
    let clips: Vec<_> = again.clips.iter().map(|clip| (clip.name.as_str(), clip.first, clip.count)).collect();
    assert_eq!(clips, [("wave", 0, 3), ("turn", 3, 2)]);
    // Through glTF, whose joints are played on the way back, to the same frames, with others between them: joints that
    // turn far in a frame need more.
    let baked = ImportOptions { skins: Skins::Bake, ..ImportOptions::new(&read) };
    let (imported, _) = import(&glb(&model), &baked).unwrap();
    let counts: Vec<_> = imported.clips.iter().map(|clip| (clip.first, clip.count)).collect();
    assert_eq!(counts, [(0, 5), (5, 4)]);
    for (denser, clip) in imported.clips.iter().zip(&again.clips) {
        let between = (denser.count - 1) / (clip.count - 1);
        for step in 0..clip.count {
            let found = soup(&imported, denser.first + step * between);
            for (found, wanted) in found.iter().zip(soup(&again, clip.first + step)) {
                let near = found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() <= 1);
                assert!(near, "{} {step}: {found:?} {wanted:?}", clip.name);
            }
        }
    }
    // And back to its own format, joints and all.
    let (written, _) = export::to_unigine(&model, 1.0).unwrap();
    let again = Model::parse(&written).unwrap();
    assert_eq!(again.joints.len(), 4);
    let (mut pose, mut other) = (Vec::new(), Vec::new());
    for (clip, same) in model.clips.iter().zip(&again.clips) {
        assert_eq!((&clip.name, clip.count), (&same.name, same.count));
        model.pose_into(clip, 0.15, &mut pose);
        again.pose_into(same, 0.15, &mut other);
        for (pose, other) in pose.iter().zip(&other) {
            assert!(Vec3::from(pose.translation).abs_diff_eq(other.translation.into(), 1e-3));
            let [a, b] = [pose.rotation, other.rotation].map(glam::Quat::from_array);
            assert!(a.dot(b).abs() > 0.9999);
        }
    }
}

/// A document of one triangle with an animation that moves its node.
fn small_document() -> String {
    small_document_at([0.0, 0.5, 1.0])
}

/// The same document with other times of the three keys.
fn small_document_at(times: [f32; 3]) -> String {
    let mut bin = Vec::new();
    bin.extend([0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0].into_iter().flat_map(f32::to_le_bytes));
    bin.extend(times.into_iter().flat_map(f32::to_le_bytes));
    bin.extend([0.0f32, 0.0, 0.0, 0.0, 0.0, 4.0, 8.0, 0.0, 0.0].into_iter().flat_map(f32::to_le_bytes));
    let data = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bin);
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"mesh":0,"name":"n","children":[1]}},{{"name":"tag_x","translation":[1,2,3]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
        "animations":[{{"name":"go","channels":[{{"sampler":0,"target":{{"node":0,"path":"translation"}}}}],
          "samplers":[{{"input":1,"output":2}}]}}],
        "accessors":[
          {{"bufferView":0,"count":3,"componentType":5126,"type":"VEC3","min":[0,0,0],"max":[1,2,0]}},
          {{"bufferView":0,"byteOffset":36,"count":3,"componentType":5126,"type":"SCALAR","min":[0],"max":[1]}},
          {{"bufferView":0,"byteOffset":48,"count":3,"componentType":5126,"type":"VEC3"}}],
        "bufferViews":[{{"buffer":0,"byteLength":84}}],
        "buffers":[{{"byteLength":84,"uri":"data:application/octet-stream;base64,{data}"}}]}}"#
    )
}

#[test]
fn frames_are_baked_at_the_rate_asked_for() {
    let document = small_document();
    let at =
        |rate| import(document.as_bytes(), &ImportOptions { rate, ..ImportOptions::new(&read) }).unwrap().0;
    // Keys stand half a second apart: two frames a second.
    let own = at(None);
    assert_eq!((own.frame_count(), own.clips[0].rate.get(), own.clips[0].name.as_str()), (3, 2.0, "go"));
    let corner = |model: &Model<'_>, frame| model.meshes[0].positions(frame).unwrap().get(1).unwrap();
    assert_eq!(
        [0, 1, 2].map(|frame| corner(&own, frame)),
        [[1.0, 0.0, 0.0], [1.0, 0.0, 4.0], [9.0, 0.0, 0.0]]
    );
    let double = at(Some(4.0));
    assert_eq!(double.frame_count(), 5);
    assert_eq!(corner(&double, 3), [5.0, 0.0, 2.0], "three quarters of a second in: halfway");
    // A tag below the node moves with it.
    assert_eq!(double.tag_pose(0, 3).unwrap().origin, [5.0, 2.0, 5.0]);
    // Its only triangle looks along Z, and no normals say so.
    let mut normals = Vec::new();
    assert!(double.meshes[0].normals_into(0, &mut normals).unwrap());
    assert_eq!(normals, [[0.0, 0.0, 1.0]; 3]);
}

#[test]
fn a_mirrored_node_keeps_its_fronts_and_strips_are_triangles() {
    let document = small_document().replace(r#""name":"n","#, r#""name":"n","scale":[-1,1,1],"#);
    let (model, _) = import(document.as_bytes(), &ImportOptions::new(&read)).unwrap();
    assert_eq!(model.meshes[0].topology().unwrap().triangles(), [[0, 2, 1]]);
    assert_eq!(model.meshes[0].positions(0).unwrap().get(1), Some([-1.0, 0.0, 0.0]));
    let mut normals = Vec::new();
    assert!(model.meshes[0].normals_into(0, &mut normals).unwrap());
    assert_eq!(normals[0], [0.0, 0.0, 1.0]);
    for (mode, count) in [(4, 1), (5, 1), (6, 1)] {
        let document =
            small_document().replace(r#""POSITION":0}}"#, &format!(r#""POSITION":0}},"mode":{mode}}}"#));
        let (model, _) = import(document.as_bytes(), &ImportOptions::new(&read)).unwrap();
        assert_eq!(model.meshes[0].triangle_count(), count);
    }
    let points = small_document().replace(r#""POSITION":0}}"#, r#""POSITION":0},"mode":0}"#);
    let (model, losses) = import(points.as_bytes(), &ImportOptions::new(&read)).unwrap();
    assert_eq!((model.meshes.len(), messages(&losses)[0].as_str()), (0, "mesh n: points or lines"));
}

#[test]
fn broken_documents_are_errors() {
    let options = ImportOptions::new(&read);
    assert!(import(b"glTF", &options).is_err());
    assert!(import(b"{}", &options).is_err());
    let missing = br#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":4,"uri":"gone.bin"}]}"#;
    assert_eq!(import(missing, &options).err().unwrap().to_string(), "gltf: gone.bin: cannot be read");
    // A header that says the file is shorter than itself.
    assert!(import(b"glTF\x02\0\0\0\x04\0\0\0", &options).is_err());
    for (from, to, says) in [
        (r#""version":"2.0""#, r#""version":"1.0""#, "/asset/version: expected version 2.0, found \"1.0\""),
        (r#""asset""#, r#""assets""#, "the document: missing field `asset` at line"),
        (r#""scene":0"#, r#""scene":1"#, "/scene: expected an index below 1, found 1"),
        (r#""scene":0"#, r#""scene":0,"scene":0"#, "the document: duplicate field `scene` at line"),
        (r#""nodes":[0]"#, r#""nodes":[2]"#, "/scenes/0/nodes/0: expected an index below 2, found 2"),
        (r#""nodes":[0]"#, r#""nodes":0"#, "/scenes/0/nodes: invalid type: integer `0`, expected a sequence"),
        (r#""mesh":0"#, r#""mesh":-1"#, "/nodes/0/mesh: invalid value: integer `-1`, expected usize at line"),
        (r#""mesh":0"#, r#""mesh":0,"skin":0"#, "/nodes/0/skin: expected an index below 0, found 0"),
        (r#"[1,2,3]"#, r#"[1,2]"#, "/nodes/1/translation: invalid length 2, expected an array of length 3"),
        (r#"[1,2,3]"#, r#"[1,2,{}]"#, "/nodes/1/translation/2: invalid type: map, expected f64"),
        (r#""name":"n""#, r#""name":null,"extras":[1]"#, ""),
        (r#""name":"n""#, r#""name":7"#, "/nodes/0/name: invalid type: integer `7`, expected a string"),
        (
            r#""POSITION":0"#,
            r#""POSITION":9"#,
            "/meshes/0/primitives/0/attributes/POSITION: expected an index below 3, found 9",
        ),
        (r#""POSITION":0"#, r#""POSITION":0,"A/B":0"#, "attributes/A~1B: expected a known attribute"),
        (r#""POSITION":0"#, r#""NORMAL":0"#, "primitives/0/attributes: the member POSITION is missing"),
        (
            r#""POSITION":0"#,
            r#""POSITION":2"#,
            "/accessors/2: expected min and max of 3 numbers each, as it has the positions of /meshes/0/primitives/0",
        ),
        (
            r#""POSITION":0}"#,
            r#""POSITION":0},"mode":7"#,
            "primitives/0/mode: expected a mode from 0 to 6, found 7",
        ),
        (
            r#""POSITION":0}"#,
            r#""POSITION":0},"indices":3"#,
            "primitives/0/indices: expected an index below 3",
        ),
        (r#""node":0,"#, r#""node":7,"#, "/animations/0/channels/0/target/node: expected an index below 2"),
        (
            r#""path":"translation""#,
            r#""path":"spin""#,
            "target/path: expected translation, rotation, scale or weights",
        ),
        (r#""sampler":0"#, r#""sampler":1"#, "channels/0/sampler: expected an index below 1, found 1"),
        (
            r#""output":2"#,
            r#""output":2,"interpolation":"EASE""#,
            "/interpolation: unknown variant `EASE`, expected one of `LINEAR`, `STEP`",
        ),
        (r#""children":[1]"#, r#""children":[1,0]"#, "/nodes: a node is its own ancestor"),
        (r#""children":[1]"#, r#""children":[1,1]"#, "/nodes/1: expected one parent"),
        (r#""byteOffset":48"#, r#""byteOffset":52"#, "/accessors/2: expected elements inside its view"),
        (r#""type":"SCALAR""#, r#""type":"VEC2""#, "/accessors/1: expected 1 components"),
        (
            r#""type":"SCALAR""#,
            r#""type":"VEC5""#,
            "/accessors/1/type: unknown variant `VEC5`, expected one of `SCALAR`, `VEC2`, `VEC3`",
        ),
        (
            r#""componentType":5126"#,
            r#""componentType":5124"#,
            "/accessors/0/componentType: expected a component",
        ),
        (r#""bufferView":0,"count":3"#, r#""bufferView":0,"count":900000000000"#, "the limit is 536870912"),
        (r#""buffer":0"#, r#""buffer":1"#, "/bufferViews/0/buffer: expected an index below 1, found 1"),
        (
            r#""buffer":0"#,
            r#""buffer":0,"byteStride":3"#,
            "/bufferViews/0/byteStride: expected 4 to 252 bytes",
        ),
        (r#""byteLength":84,"#, r#""byteLength":85,"#, "/buffers/0: expected 85 bytes, found 84"),
        // Without a length, an external file would be cut to nothing.
        (r#""byteLength":84,"#, "", "/buffers/0: missing field `byteLength`"),
    ] {
        let document = small_document();
        assert!(document.contains(from), "{from}");
        let document = document.replacen(from, to, 1);
        match import(document.as_bytes(), &options) {
            Ok(_) => assert_eq!(says, "", "{to}"),
            Err(error) => assert!(!says.is_empty() && error.to_string().contains(says), "{to}: {error}"),
        }
    }
    // A rate at which the animation has more frames than any file should.
    let many = ImportOptions { rate: Some(1e30), ..ImportOptions::new(&read) };
    let error = import(small_document().as_bytes(), &many).err().unwrap().to_string();
    assert_eq!(error, "gltf: animation go: more than 4096 frames in all");
}

#[test]
fn times_of_keys_are_finite_and_do_not_decrease() {
    for skins in [Skins::Bake, Skins::Keep] {
        let options = ImportOptions { rate: Some(4.0), skins, ..ImportOptions::new(&read) };
        for (times, found) in [
            ([0.0, f32::NAN, 1.0], "NaN at key 1"),
            ([0.0, 0.5, f32::INFINITY], "inf at key 2"),
            ([f32::NEG_INFINITY, 0.5, 1.0], "-inf at key 0"),
            ([0.0, 1.0, 0.5], "0.5 after 1 at key 2"),
        ] {
            let error = import(small_document_at(times).as_bytes(), &options).err().unwrap().to_string();
            let expected = "gltf: /accessors/1: expected times of keys that are finite and increase, found";
            assert_eq!(error, format!("{expected} {found}"));
        }
        let report = |times| messages(&import(small_document_at(times).as_bytes(), &options).unwrap().1);
        assert_eq!(report([0.0, 0.5, 1.0]), [""; 0]);
        assert_eq!(report([0.0, 1.0, 1.0]), ["animation go: 1 tracks with several keys at one time"]);
        assert_eq!(report([-0.5, 0.5, 1.0]), ["animation go: 1 tracks with keys before time 0"]);
    }
    let options = ImportOptions { rate: Some(4.0), ..ImportOptions::new(&read) };
    let x_and_z = |times| {
        let (model, _) = import(small_document_at(times).as_bytes(), &options).unwrap();
        let corner = |frame: usize| model.meshes[0].positions(frame).unwrap().get(0).unwrap();
        (0..model.frame_count()).map(|frame| [corner(frame)[0], corner(frame)[2]]).collect::<Vec<_>>()
    };
    // From (0, 0) to (0, 4) in the first half of a second; then a jump to (8, 0).
    assert_eq!(x_and_z([0.0, 0.5, 0.5]), [[0.0, 0.0], [0.0, 2.0], [8.0, 0.0]]);
    // The first key is before the first frame, which is halfway to (0, 4).
    assert_eq!(x_and_z([-0.5, 0.5, 0.5]), [[0.0, 2.0], [0.0, 3.0], [8.0, 0.0]]);
}

#[test]
fn damaged_documents_are_errors_or_models() {
    let options = ImportOptions::new(&read);
    let small = small_document();
    let mut whole = glb(&Model::parse(&corpus("unigine/skinned_ms11.mesh")).unwrap());
    for len in (0..whole.len()).step_by(97) {
        assert!(import(&whole[..len], &options).is_err());
    }
    // Every byte of the document, in turn something else; of the larger one, some.
    let mut bytes = small.clone().into_bytes();
    for at in 0..bytes.len() {
        for other in *b"90\"}-" {
            let kept = std::mem::replace(&mut bytes[at], other);
            let _ = import(&bytes, &options);
            bytes[at] = kept;
        }
    }
    let text = u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize;
    for at in (20..20 + text).filter(|at| whole[*at].is_ascii_digit()).collect::<Vec<_>>() {
        let other = if whole[at] == b'9' { b'1' } else { b'9' };
        let kept = std::mem::replace(&mut whole[at], other);
        if at % 7 == 0 {
            let _ = import(&whole, &options);
        }
        whole[at] = kept;
    }
}

#[test]
fn quantised_files_come_back_too() {
    let bytes = corpus("md3/animated.md3");
    let model = Model::parse(&bytes).unwrap();
    let mut written = Vec::new();
    let options = Options { quantize: true, ..Options::default() };
    let scene = one_node("model", &model);
    let export = Export::plan(&scene, &options).unwrap();
    export.write_glb(&mut written).unwrap();
    let (imported, _) = import(&written, &ImportOptions::new(&read)).unwrap();
    for frame in 0..5 {
        assert_eq!(soup(&imported, frame), soup(&model, frame));
    }
}

#[test]
fn a_required_extension_that_is_not_supported_is_named_with_a_remedy() {
    let required = |name: &str| {
        let document = format!(
            r#"{{"asset":{{"version":"2.0"}},"extensionsRequired":["{name}"],"extensionsUsed":["{name}"]}}"#
        );
        import(document.as_bytes(), &ImportOptions::new(&read)).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(
        required("KHR_draco_mesh_compression"),
        "gltf: the extension KHR_draco_mesh_compression is required and not supported; \
         export the file again with Draco compression off"
    );
    assert_eq!(
        required("VENDOR_other"),
        "gltf: the extension VENDOR_other is required and not supported; export the file again without it"
    );
}

#[test]
fn targets_and_properties_of_extensions_are_ignored() {
    let document = small_document()
        .replace(
            r#""target":{"node":0,"path""#,
            r#""target":{"path":"pointer"}},{"sampler":0,"target":{"node":0,"path""#,
        )
        .replace(
            r#""asset""#,
            r#""textures":[{}],"materials":[{"name":"m",
            "pbrMetallicRoughness":{"baseColorFactor":[0,0.5,1,1],"baseColorTexture":{"index":0}},
            "extensions":{"KHR_materials_unlit":{}},"alphaMode":"MASK","doubleSided":true}],"asset""#,
        );
    let (model, losses) = import(document.as_bytes(), &ImportOptions::new(&read)).unwrap();
    assert_eq!(messages(&losses), ["animation go: 1 channels that move no node"]);
    assert_eq!(model.clips[0].count, 3, "the other channel moves the node");
    let material = &model.materials[0];
    assert_eq!((material.name.as_str(), material.texture.as_deref()), ("m", None));
    assert_eq!((material.color, material.unlit, material.two_sided), ([0.0, 0.5, 1.0, 1.0], true, true));
    // An accessor without a view is zeros.
    let document = small_document().replacen(r#""bufferView":0,"count":3"#, r#""count":3"#, 1);
    let (model, _) = import(document.as_bytes(), &ImportOptions::new(&read)).unwrap();
    assert_eq!(model.meshes[0].positions(0).unwrap().to_vec(), [[0.0; 3]; 3]);
}

#[test]
fn imported_models_have_no_game_format() {
    let (model, _) = import(small_document().as_bytes(), &ImportOptions::new(&read)).unwrap();
    assert_eq!(model.format, None);
}
