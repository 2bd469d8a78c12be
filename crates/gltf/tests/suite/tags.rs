//! Tags of MD3 models as nodes, and models attached to them.

use glam::{Mat4, Quat, Vec3};
use gltf::animation::Property;
use meshlens::Model;
use meshlens::md3::animation::BodyPart;
use meshlens::md3::{AnimationConfig, Md3};
use meshlens::model::export;
use meshlens::scene::{Node, Socket};
use meshlens_gltf::Options;

use super::md3::{Read, corpus_file, glb, keys, primitive};
use super::one_node;

#[test]
fn tags_are_nodes_that_move() {
    let bytes = corpus_file("md3/tagged.md3");
    let model = Model::parse(&bytes).unwrap();
    let read = Read::new(&glb(&one_node("model", &model), &Options::default()));
    let hand = read.node("tag_hand");
    // The left hand, 10 to the left (+X) and 14 up (+Y).
    assert_eq!(hand.transform().decomposed().0, [10.0, 14.0, 0.0]);
    let animation = read.document.animations().next().unwrap();
    let channels: Vec<_> = animation
        .channels()
        .filter(|channel| channel.target().node().index() == hand.index())
        .map(|channel| (channel.target().property(), keys(&read, &channel)))
        .collect();
    assert_eq!(channels.len(), 2, "translation and rotation, and no scale where axes have length 1");
    let (_, (times, values)) = &channels[0];
    assert_eq!(times[..], [0.0, 0.1, 0.2]);
    // A rotation of 120 degrees to the left: from the left to the back on the right.
    assert!(Vec3::from_slice(&values[3..6]).abs_diff_eq(Vec3::new(-5.0, 14.25, -8.6602), 1e-3));
    let turned = Quat::from_slice(&channels[1].1.1[4..8]) * Vec3::X;
    assert!(turned.abs_diff_eq(Vec3::new(-0.5, 0.0, -0.866), 1e-3), "{turned}");
}

#[test]
fn a_player_is_one_file_joined_at_its_tags() {
    let config = AnimationConfig::parse(&corpus_file("md3/player/animation.cfg")).unwrap();
    let files = ["lower", "upper", "head"].map(|part| corpus_file(&format!("md3/player/{part}.md3")));
    let [mut lower, mut upper, head] =
        [&files[0], &files[1], &files[2]].map(|bytes| Model::parse(bytes).unwrap());
    lower.set_animation_config(&config, BodyPart::Legs);
    upper.set_animation_config(&config, BodyPart::Torso);
    let mut player = one_node("lower", &lower);
    for (name, model, tag) in [("upper", &upper, "tag_torso"), ("head", &head, "tag_head")] {
        let tag = player.find_tag(tag).unwrap();
        player.attach(one_node(name, model), tag);
    }
    let read = Read::new(&glb(&player, &Options::default()));
    let scene = read.document.scenes().next().unwrap();
    assert_eq!(scene.nodes().map(|node| node.name().unwrap()).collect::<Vec<_>>(), ["lower"]);
    let tag = read
        .document
        .nodes()
        .find(|node| node.children().any(|child| child.name() == Some("upper")))
        .unwrap();
    assert_eq!(tag.name(), Some("tag_torso"));
    let names: Vec<_> = read.document.animations().map(|animation| animation.name().unwrap()).collect();
    assert_eq!(names.len(), 25);
    assert_eq!((names[0], names[6], names[24]), ("BOTH_DEATH1", "LEGS_WALKCR", "TORSO_STAND2"));
    // A death moves both parts of the body, and a walk only the legs.
    let moved = |name: &str| {
        let animation = read.document.animations().find(|animation| animation.name() == Some(name)).unwrap();
        let mut nodes: Vec<_> =
            animation.channels().map(|channel| channel.target().node().name().unwrap().to_owned()).collect();
        nodes.dedup();
        nodes
    };
    assert_eq!(moved("LEGS_RUN"), ["l_legs", "tag_torso"]);
    assert_eq!(moved("BOTH_DEAD1").len(), 2 + 4);
}

/// A model of one triangle whose first corner is `point`, and one tag with axes of any length: `[origin, x, y, z]` in each
/// frame.
fn tagged(name: &str, point: [f32; 3], tag: &str, poses: &[[[f32; 3]; 4]]) -> Vec<u8> {
    use meshlens::md3::write;
    let mut file = write::Model::new(name).unwrap();
    let mut surface = write::Surface::new(name).unwrap();
    surface.triangles.push([0, 1, 2]);
    surface.texcoords.resize(3, [0.0; 2]);
    file.tags_per_frame = 1;
    for [origin, x, y, z] in poses {
        file.frames.push(write::Frame::named("frame").unwrap());
        let (name, origin, axis) = (write::name(tag).unwrap(), *origin, [*x, *y, *z]);
        file.tags.push(write::Tag { name, origin, axis });
        let corners = [point, [point[0], point[1] + 1.0, point[2]], [point[0], point[1], point[2] + 1.0]];
        surface.add_frame(&corners, &[[1.0, 0.0, 0.0]; 3]).unwrap();
    }
    file.surfaces.push(surface);
    file.write().unwrap()
}

/// The position of the first vertex of the mesh node with this name in the scene. With `key`, nodes are moved by that
/// key of an animation.
fn first_vertex(read: &Read, name: &str, key: Option<usize>) -> Vec3 {
    fn find(read: &Read, node: &gltf::Node<'_>, above: Mat4, name: &str, key: Option<usize>) -> Option<Mat4> {
        let (translation, rotation, scale) = node.transform().decomposed();
        let (mut translation, mut rotation, mut scale) =
            (Vec3::from(translation), Quat::from_array(rotation), Vec3::from(scale));
        let channels = read.document.animations().flat_map(|animation| animation.channels());
        for channel in channels.filter(|channel| channel.target().node().index() == node.index()) {
            let Some(key) = key else { break };
            let (_, values) = keys(read, &channel);
            match channel.target().property() {
                Property::Translation => translation = Vec3::from_slice(&values[key * 3..]),
                Property::Rotation => rotation = Quat::from_slice(&values[key * 4..]),
                Property::Scale => scale = Vec3::from_slice(&values[key * 3..]),
                Property::MorphTargetWeights => {}
            }
        }
        let world = above * Mat4::from_scale_rotation_translation(scale, rotation, translation);
        if node.mesh().is_some() && node.name() == Some(name) {
            return Some(world);
        }
        node.children().find_map(|child| find(read, &child, world, name, key))
    }
    let scene = read.document.scenes().next().unwrap();
    let world = scene.nodes().find_map(|node| find(read, &node, Mat4::IDENTITY, name, key)).unwrap();
    world.transform_point3(primitive(read, &read.node(name)).positions[0])
}

#[test]
fn tags_place_attached_models_without_scaling_them() {
    // In frame 0, the torso is 24 above the legs, rotated by 90 degrees to the left (its X is Quake's Y), and its tag
    // has axes of length 3. In frame 1, it is at 20, not rotated, with axes of length 0.5. The tag of the head has the
    // two lengths in the opposite order.
    let turned = [[0.0, 0.0, 24.0], [0.0, 3.0, 0.0], [-3.0, 0.0, 0.0], [0.0, 0.0, 3.0]];
    let straight = [[0.0, 0.0, 20.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]];
    let short = [[2.0, 0.0, 16.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]];
    let long = [[2.0, 0.0, 16.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]];
    let files = [
        tagged("l_legs", [0.0; 3], "tag_torso", &[turned, straight]),
        tagged("u_torso", [8.0, 0.0, 1.0], "tag_head", &[short, long]),
        tagged("h_head", [1.0, 0.0, 4.0], "tag_hat", &[short]),
    ];
    let [lower, upper, head] = [&files[0], &files[1], &files[2]].map(|bytes| Model::parse(bytes).unwrap());
    let mut player = one_node("lower", &lower);
    player.nodes.push(Node::new("upper", upper).attached_to(0, Socket::Tag(0)));
    player.nodes.push(Node::new("head", head).attached_to(1, Socket::Tag(0)));
    let read = Read::new(&glb(&player, &Options::default()));
    // glTF's X, Y and Z are Quake's Y, Z and X. At rest, and at the first key, the torso's point (8, 0, 1) is 8 to the left
    // and 1 above 24; the neck is 2 to the left and 16 above, and the head's point (1, 0, 4) another 1 and 4 from there.
    for key in [None, Some(0)] {
        assert!(first_vertex(&read, "u_torso", key).abs_diff_eq(Vec3::new(8.0, 25.0, 0.0), 1e-4));
        assert!(first_vertex(&read, "h_head", key).abs_diff_eq(Vec3::new(3.0, 44.0, 0.0), 1e-4));
    }
    assert!(first_vertex(&read, "u_torso", Some(1)).abs_diff_eq(Vec3::new(0.0, 21.0, 8.0), 1e-4));
    assert!(first_vertex(&read, "h_head", Some(1)).abs_diff_eq(Vec3::new(0.0, 40.0, 3.0), 1e-4));
    assert!(read.document.nodes().all(|node| node.transform().decomposed().2 == [1.0; 3]));
    let channels = read.document.animations().flat_map(|animation| animation.channels());
    assert!(channels.into_iter().all(|channel| channel.target().property() != Property::Scale));

    // MD3 files are written with axes of length 1, because some readers do not normalize axes.
    let (written, _) = export::to_md3(&lower, "lower", 1.0).unwrap();
    let written = Md3::parse(&written).unwrap();
    assert_eq!(written.tag(0, 0).unwrap().axis, [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
    assert_eq!(written.tag(1, 0).unwrap().axis, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
}
