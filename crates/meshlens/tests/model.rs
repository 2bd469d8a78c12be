//! The one view over every format: what it gives is what the format gives, and left stays left.

use meshlens::md3::animation::BodyPart;
use meshlens::md3::{AnimationConfig, Md3, Skin};
use meshlens::model::{Model, Space, world_into};
use meshlens::unreal::Script;
use meshlens::{Document, unigine};
use meshlens_testkit::real;
use meshlens_testkit::shapes::Shape;

fn corpus(name: &str) -> Vec<u8> {
    std::fs::read(real::workspace_root().join("corpus").join(name)).unwrap()
}

/// How far the first frame reaches to its own left and to its own right, forward and up, in glTF's axes.
fn reach(model: &Model<'_>) -> [f32; 4] {
    let to_gltf = model.space.to(&Space::GLTF);
    let mut reach = [0.0f32; 4];
    for mesh in &model.meshes {
        for point in mesh.positions(0).unwrap().to_vec() {
            // glTF: +X is left, +Y up and +Z forward of a model.
            let [x, y, z] = to_gltf.position(model.placement.transform_point3(point.into()).to_array());
            for (reach, value) in reach.iter_mut().zip([x, -x, z, y]) {
                *reach = reach.max(value);
            }
        }
    }
    reach
}

/// The share of triangles whose front, counter-clockwise in glTF, agrees with the normals of their corners.
fn agreement(model: &Model<'_>) -> f64 {
    let to_gltf = model.space.to(&Space::GLTF);
    let (mut agree, mut all) = (0, 0);
    for mesh in &model.meshes {
        let topology = mesh.topology().unwrap();
        let positions = mesh.positions(0).unwrap().to_vec();
        let mut normals = Vec::new();
        if !mesh.normals_into(0, &mut normals).unwrap() {
            continue;
        }
        let point = |vertex: u32| topology.points().map_or(vertex, |map| map[vertex as usize]) as usize;
        let corner = |vertex: u32| topology.corners().map_or(vertex, |map| map[vertex as usize]) as usize;
        for triangle in topology.triangles() {
            let corners = to_gltf.corners(*triangle);
            let [a, b, c] =
                corners.map(|vertex| glam::Vec3::from(to_gltf.position(positions[point(vertex)])));
            let face = (b - a).cross(c - a);
            if face.length() < 1e-6 {
                continue;
            }
            let sum: glam::Vec3 = corners
                .iter()
                .map(|vertex| glam::Vec3::from(to_gltf.direction(normals[corner(*vertex)])))
                .sum();
            agree += u32::from(face.dot(sum) > 0.0);
            all += 1;
        }
    }
    f64::from(agree) / f64::from(all)
}

#[test]
fn the_one_armed_figure_of_md3_keeps_its_left_arm() {
    let bytes = corpus("md3/static.md3");
    let model = Model::parse(&bytes).unwrap();
    // Left arm 10 long, nothing beyond 3 on the right; the nose reaches 3 forward, the head is 16 up.
    assert_eq!(reach(&model), [10.0, 3.0, 3.0, 16.0]);
    assert_eq!(agreement(&model), 1.0);
}

#[test]
fn the_one_armed_figure_of_unreal_keeps_its_left_arm() {
    let files = ["figure_d.3d", "figure_a.3d"].map(|name| corpus(&format!("unreal/Models/{name}")));
    let document = Document::parse_pair(&files[0], &files[1]).unwrap();
    let mut model = Model::new(document).unwrap();
    assert_eq!(reach(&model), [10.0, 3.0, 3.0, 16.0]);
    assert_eq!(agreement(&model), 1.0);
    let weapon = model.tag_pose(0, 0).unwrap();
    assert_eq!(
        model.space.to(&Space::GLTF).position(weapon.origin.to_array()),
        [10.0, 14.0, 0.0],
        "in the left hand"
    );

    // The script turns it a quarter to the right, so that its own left is forward, and moves the ground up.
    let text = corpus("unreal/Classes/Figure.uc");
    let script = Script::parse(&text).unwrap();
    let lost = model.set_script(&script, "FIGURE").unwrap();
    assert_eq!(lost, ["notify PlayTurn of sequence Turn"]);
    let close = reach(&model).map(|value| (value * 1000.0).round() / 1000.0);
    // X and Y are stored times 8 and scaled by 0.1, Z times 4 and 0.2: all 0.8; 64 of Z is 16 units, 12.8 here.
    assert_eq!(close, [1.6, 2.4, 8.0, 0.0]);
    let clips: Vec<_> =
        model.clips.iter().map(|clip| (clip.name.as_str(), clip.first, clip.count, clip.rate)).collect();
    assert_eq!(clips, [("All", 0, 3, 30.0), ("Turn", 1, 2, 7.5)]);
    assert!(model.materials.iter().all(|material| !material.name.is_empty()));
    let weapon = model.tag_pose(0, 0).unwrap().origin;
    assert!(weapon.abs_diff_eq(glam::Vec3::new(8.0, 0.0, -1.6), 1e-4), "{weapon}");
}

#[test]
fn unreal_corners_are_welded_by_vertex_and_texture_coordinate() {
    let files = ["ring_d.3d", "ring_a.3d"].map(|name| corpus(&format!("unreal/Models/{name}")));
    let document = Document::parse_pair(&files[0], &files[1]).unwrap();
    let Document::Unreal(unreal) = document.clone() else { panic!("a pair") };
    let model = Model::new(document).unwrap();
    let mesh = &model.meshes[0];
    let topology = mesh.topology().unwrap();
    // Each vertex of the torus has one texture coordinate, but for rounding to bytes.
    assert_eq!(topology.vertex_count(), unreal.vertex_count());
    assert_eq!(topology.triangles().len(), unreal.triangle_count());
    let (points, corners) = (topology.points().unwrap(), topology.corners().unwrap());
    let mut texcoords = Vec::new();
    assert!(mesh.texcoords_into(0, &mut texcoords));
    let mut seen = std::collections::BTreeMap::new();
    for part in topology.parts() {
        let material = &model.materials[part.material.unwrap()];
        for triangle in topology.part_triangles(part) {
            // The triangle of the file with these three vertices.
            let vertices = triangle.map(|vertex| points[vertex as usize] as u16);
            let number = unreal.triangles().iter().position(|known| known == vertices).unwrap();
            let record = unreal.geometry().triangle(number).unwrap();
            assert_eq!(material.two_sided, record.triangle_type.is_two_sided());
            assert_eq!(material.unlit, record.triangle_type.is_unlit());
            for (corner, vertex) in triangle.iter().enumerate() {
                let uv = record.texcoords[corner].map(|byte| f32::from(byte) / 255.0);
                assert_eq!(texcoords[corners[*vertex as usize] as usize], uv);
            }
            *seen.entry(number).or_insert(0) += 1;
        }
    }
    assert!(seen.len() == unreal.triangle_count() && seen.values().all(|count| *count == 1));
}

/// The figure as UNIGINE has it: it looks along Y, and its left is -X.
fn unigine_figure(version: unigine::Version, pack: bool) -> Vec<u8> {
    let shape = Shape::one_armed();
    let turn = |[x, y, z]: [f32; 3]| [-y, x, z];
    let mut mesh = unigine::write::Mesh::new(version);
    mesh.pack = pack;
    let mut surface = unigine::write::Surface::new("figure").unwrap();
    surface.targets[0].positions = shape.positions.iter().map(|point| turn(*point)).collect();
    let spaces: Vec<[f32; 4]> = shape
        .normals
        .iter()
        .map(|normal| {
            let turn = glam::Quat::from_rotation_arc(glam::Vec3::Z, turn(*normal).into());
            // A w of nothing is one whose sign would be lost.
            turn.to_array()
        })
        .collect();
    surface.targets[0].add_tangents(version, &spaces);
    surface.texcoords0.clone_from(&shape.texcoords);
    for triangle in &shape.triangles {
        surface.add_triangle(triangle.map(|corner| [corner, corner]));
    }
    mesh.surfaces.push(surface);
    mesh.recompute_bounds();
    mesh.write().unwrap()
}

#[test]
fn the_one_armed_figure_of_unigine_keeps_its_left_arm() {
    for (version, pack) in [
        (unigine::Version::Ms10, false),
        (unigine::Version::Ms11, false),
        (unigine::Version::Ms14, false),
        (unigine::Version::Ms14, true),
    ] {
        let bytes = unigine_figure(version, pack);
        let model = Model::parse(&bytes).unwrap();
        assert_eq!(reach(&model), [10.0, 3.0, 3.0, 16.0]);
        assert_eq!(agreement(&model), 1.0, "{version:?} {pack}");
        let mesh = &model.meshes[0];
        let (mut normals, mut tangents) = (Vec::new(), Vec::new());
        assert!(mesh.normals_into(0, &mut normals).unwrap() && mesh.tangents_into(0, &mut tangents).unwrap());
        for (normal, tangent) in normals.iter().zip(&tangents) {
            let dot: f32 = normal.iter().zip(tangent).map(|(a, b)| a * b).sum();
            assert!(dot.abs() < 1e-3 && tangent[3].abs() == 1.0);
        }
    }
}

#[test]
fn joints_and_their_animations_are_those_of_the_file() {
    let bytes = corpus("unigine/skinned_ms11.mesh");
    let mut model = Model::parse(&bytes).unwrap();
    let names: Vec<_> = model.joints.iter().map(|joint| (joint.name.as_str(), joint.parent)).collect();
    assert_eq!(names, [("hand", Some(1)), ("forearm", Some(2)), ("upper arm", None), ("camera", None)]);
    let clips: Vec<_> = model.clips.iter().map(|clip| (clip.name.as_str(), clip.count)).collect();
    assert_eq!(clips, [("wave", 3), ("turn", 2)]);

    // At rest, skinning moves nothing.
    let rest: Vec<_> = model.joints.iter().map(|joint| joint.rest).collect();
    let (mut world, mut skinned) = (Vec::new(), Vec::new());
    world_into(&model.joints, &rest, &mut world);
    let mesh = &model.meshes[0];
    mesh.skin_positions_into(0, &world, &mut skinned).unwrap();
    for (moved, still) in skinned.iter().zip(mesh.positions(0).unwrap().to_vec()) {
        assert!(glam::Vec3::from(*moved).abs_diff_eq(still.into(), 1e-4));
    }
    // Elsewhere it does what the format's own crate does.
    let Some(Document::UnigineMesh(file)) = model.document().cloned() else { panic!("a mesh") };
    let (count, surface) = (file.skeleton().len(), file.surface(0).unwrap());
    let mut inverse = vec![Default::default(); count];
    let (mut local, mut matrices) = (vec![Default::default(); count], vec![Default::default(); count]);
    file.skeleton().inverse_bind_into(&mut inverse).unwrap();
    let animation = file.animation(0).unwrap();
    let (mut pose, mut player) = (Vec::new(), animation.player());
    for frame in 0..3 {
        model.pose_into(&model.clips[0], frame as f32 / 10.0 + 1e-6, &mut pose);
        world_into(&model.joints, &pose, &mut world);
        mesh.skin_positions_into(0, &world, &mut skinned).unwrap();

        file.skeleton().bind_pose_into(&mut local).unwrap();
        animation.apply_pose(player.next().unwrap(), &mut local).unwrap();
        file.skeleton().world_into(&local, &mut matrices).unwrap();
        let mut moves = matrices.clone();
        unigine::skin_matrices_into(&matrices, &inverse, &mut moves);
        let mut expected = vec![[0.0; 3]; mesh.point_count()];
        let geometry = surface.geometry_in_place().unwrap();
        geometry.skin_positions_into(&moves, &mut expected).unwrap();
        for (found, expected) in skinned.iter().zip(expected) {
            assert!(
                glam::Vec3::from(*found).abs_diff_eq(expected.into(), 2e-3),
                "{frame}: {found:?} {expected:?}"
            );
        }
    }
    let anim = corpus("unigine/wave_an10.anim");
    let anim = unigine::Anim::parse(&anim).unwrap();
    assert_eq!(model.add_anim(&anim, "file"), [""; 0]);
    assert_eq!((model.clips[2].name.as_str(), model.clips[2].count), ("wave", 5));
    assert_eq!(model.animations[2].joints.len(), animation.bone_count());
}

#[test]
fn morph_targets_are_frames_with_names() {
    let bytes = corpus("unigine/morph.mesh");
    let model = Model::parse(&bytes).unwrap();
    let mesh = &model.meshes[0];
    assert_eq!((mesh.frame_count(), mesh.texcoord_sets(), model.clips.len()), (3, 2, 0));
    assert_eq!((mesh.frame_name(0), mesh.frame_name(1)), ("".into(), "tall".into()));
    let mut colors = Vec::new();
    assert!(mesh.colors_into(&mut colors));
    assert_eq!(colors[0], [1.0, 128.0 / 255.0, 0.0, 1.0]);
    let heights = [0, 1, 2].map(|frame| mesh.positions(frame).unwrap().get(1).unwrap()[2]);
    assert_eq!((heights[1], heights[2]), (heights[0] * 2.0, heights[0] * 0.5));
}

#[test]
fn attributes_are_those_of_the_format() {
    let bytes = corpus("md3/multi_surface.md3");
    let (model, md3) = (Model::parse(&bytes).unwrap(), Md3::parse(&bytes).unwrap());
    assert_eq!(
        (model.meshes.len(), model.frame_count(), model.name.as_str()),
        (3, 2, "models/multi_surface.md3")
    );
    for (mesh, surface) in model.meshes.iter().zip(md3.surfaces()) {
        assert_eq!(mesh.name, surface.name().to_text());
        assert!(mesh.is_welded() && mesh.point_count() == mesh.corner_count());
        for frame in 0..mesh.frame_count() {
            let positions = mesh.positions(frame).unwrap();
            let lens = surface.positions(frame).unwrap();
            assert_eq!(positions.byte_range(), lens.byte_range());
            assert_eq!(positions.to_vec(), lens.iter().collect::<Vec<_>>());
            let normals = mesh.normals(frame).unwrap().unwrap();
            assert_eq!(normals.get(7), surface.normals(frame).unwrap().get(7));
        }
        assert_eq!(mesh.positions(2).unwrap_err().code(), "INDEX_OUT_OF_RANGE");
        let texcoords = mesh.texcoords(0).unwrap().to_vec();
        assert_eq!(texcoords, surface.texcoords().iter().collect::<Vec<_>>());
        assert!(mesh.texcoords(1).is_none());
        assert_eq!(mesh.topology().unwrap().triangles().len(), surface.triangle_count());
    }
    let names: Vec<&str> = model.materials.iter().map(|material| material.name.as_str()).collect();
    assert_eq!(names, ["textures/ring.tga", "textures/figure", "textures\\box.jpg"]);
    assert_eq!(model.meshes[2].material, Some(2));
    assert_eq!((model.clips[0].name.as_str(), model.clips[0].count, model.clips[0].rate), ("all", 2, 10.0));
    let [min, max] = model.compute_bounds(0).unwrap();
    assert!(min[0] <= -11.0 && max[2] >= 16.0);
}

#[test]
fn tags_turn_with_their_frames() {
    let bytes = corpus("md3/tagged.md3");
    let model = Model::parse(&bytes).unwrap();
    let hand = model.find_tag("TAG_HAND").unwrap();
    let pose = model.tag_pose(hand, 1).unwrap();
    // A third of a turn to the left, and a quarter unit up: (0, 10) goes to (-8.66, -5).
    assert!(pose.origin.abs_diff_eq(glam::Vec3::new(-8.6602, -5.0, 14.25), 1e-3));
    let (rotation, lengths) = pose.rotation();
    assert!((rotation * glam::Vec3::Y).abs_diff_eq(glam::Vec3::new(-0.866, -0.5, 0.0), 1e-3));
    assert!(lengths.abs_diff_eq(glam::Vec3::ONE, 1e-6));
    assert!(model.tag_pose(hand, 3).is_none() && model.tag_pose(2, 0).is_none());
}

#[test]
fn companions_of_a_player_give_clips_and_clothes() {
    let bytes = corpus("md3/player/lower.md3");
    let mut model = Model::parse(&bytes).unwrap();
    let config = AnimationConfig::parse(&corpus("md3/player/animation.cfg")).unwrap();
    assert_eq!(model.set_animation_config(&config, BodyPart::Legs), [""; 0]);
    assert_eq!(model.clips.len(), 6 + 12);
    // LEGS_WALKCR is row 13: frames 6 and 7 of the file, which are 2 and 3 of lower.md3; both loop, at 15 fps.
    let walk = model.find_clip("legs_walkcr").unwrap();
    assert_eq!((walk.first, walk.count, walk.rate, walk.is_cycle()), (2, 2, 15.0, true));
    let blend = walk.sample(1.5 / 15.0);
    assert_eq!((blend.a, blend.b), (3, 2));
    let (mut scratch, mut out) = (Vec::new(), Vec::new());
    model.meshes[0].blend_positions_into(blend, &mut scratch, &mut out).unwrap();
    let (a, b) = (model.meshes[0].positions(3).unwrap(), model.meshes[0].positions(2).unwrap());
    let (a, b) = (a.get(5).unwrap()[1], b.get(5).unwrap()[1]);
    assert!((out[5][1] - (a + b) / 2.0).abs() < 1e-4);

    let head_bytes = corpus("md3/player/head.md3");
    let mut head = Model::parse(&head_bytes).unwrap();
    assert_eq!(head.set_animation_config(&config, BodyPart::Torso).len(), 10, "a head has one frame");
    let skin = Skin::parse(&corpus("md3/player/lower_red.skin")).unwrap();
    model.set_skin(&skin);
    assert_eq!(model.materials.len(), 1);
    assert_eq!(model.materials[0].texture.as_deref(), Some("models/players/block/red.tga"));
}

#[test]
fn fronts_agree_with_normals_in_real_files() {
    let Some(folder) = real::folder() else { return };
    for (format, extension) in [("md3", "md3"), ("unigine", "mesh")] {
        let (mut sum, mut files) = (0.0, 0);
        for path in real::files_below(&folder.join(format)) {
            if path.extension().is_none_or(|found| found != extension) {
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let model = Model::parse(&bytes).unwrap();
            if model.meshes.iter().any(|mesh| mesh.triangle_count() > 0) {
                sum += agreement(&model);
                files += 1;
            }
        }
        assert!(files > 0 && sum / f64::from(files) > 0.9, "{format} {}", sum / f64::from(files));
    }
}

#[test]
fn ultimate_3d_models_keep_their_fronts_and_their_rest_pose() {
    let mut files = meshlens_testkit::corpus::with_extension(&[".u3d"]);
    if let Some(folder) = real::folder() {
        let paths = real::files_below(&folder.join("u3d"));
        files
            .extend(paths.into_iter().map(|path| (path.display().to_string(), std::fs::read(path).unwrap())));
    }
    let (mut moved, mut looked) = (0, 0);
    for (name, bytes) in files {
        // Encrypted files are a clear error; everything else becomes a model.
        let Ok(model) = Model::parse(&bytes) else {
            assert!(Document::parse(&bytes).is_err(), "{name}");
            continue;
        };
        looked += 1;
        for mesh in &model.meshes {
            let topology = mesh.topology().unwrap();
            assert_eq!(topology.triangles().len(), mesh.triangle_count(), "{name}");
            let (mut joints, mut weights) = (Vec::new(), Vec::new());
            if mesh.influences_into(&mut joints, &mut weights) {
                assert!(
                    weights.iter().all(|weights| (weights.iter().sum::<f32>() - 1.0).abs() < 1e-5),
                    "{name}"
                );
                assert_eq!(mesh.skin.as_ref().unwrap().len(), model.joints.len());
                moved += 1;
            }
        }
        let mut pose = Vec::new();
        for clip in &model.clips {
            model.pose_into(clip, 0.25, &mut pose);
            assert_eq!(pose.len(), model.joints.len());
        }
    }
    assert!(looked > 4 && moved > 0);
}
