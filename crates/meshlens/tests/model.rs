//! The one view over every format: what it gives is what the format gives, and left stays left.

use meshlens::md3::animation::BodyPart;
use meshlens::md3::{AnimationConfig, Md3, Skin};
use meshlens::model::{Model, Space};
use meshlens_testkit::real;

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
            let [x, y, z] = to_gltf.position(point);
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
        let Some(normals) = mesh.normals(0).unwrap() else { continue };
        let normals = normals.to_vec();
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
    let (mut sum, mut files) = (0.0, 0);
    for path in real::files_below(&folder.join("md3")) {
        if path.extension().is_none_or(|extension| extension != "md3") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let model = Model::parse(&bytes).unwrap();
        if model.meshes.iter().any(|mesh| mesh.triangle_count() > 0) {
            sum += agreement(&model);
            files += 1;
        }
    }
    assert!(files > 0 && sum / f64::from(files) > 0.9, "{}", sum / f64::from(files));
}
