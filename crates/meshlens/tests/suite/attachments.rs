//! Nodes that are attached to other nodes.

use glam::{Mat4, Vec3};
use meshlens::model::{Blend, Space};
use meshlens::scene::{Attachment, Node, Scene, Socket};

use super::scene::{layout, triangle, triangles, vertices};

#[test]
fn attached_nodes_follow_a_tag_between_frames() {
    let mut scene = Scene::from(triangle("body"));
    let end = scene.find_tag("TAG_END").unwrap();
    assert_eq!(end, Attachment { node: 0, socket: Socket::Tag(0) });
    assert_eq!(scene.find_tag("tag_none"), None);
    let hand = scene.attach(triangle("hand"), end);
    assert_eq!(scene.nodes[hand].attachment, Some(end));
    let view = scene.view(&Space::GLTF);
    let mesh = view.mesh(hand, 0).unwrap();

    // The tag is 10 units away, and rotated by 90 degrees: X of the hand is Y of the body.
    let rest = vertices(&mesh, &scene.rest_pose());
    assert_eq!(rest.map_positions(), [[10.0, 0.0, 0.0], [10.0, 1.0, 0.0], [9.0, 0.0, 0.0]]);
    // Half a second into a clip with one frame per second.
    let mut pose = scene.rest_pose();
    pose.play_on(&scene, 0, &scene.nodes[0].model.clips[0], 0.5);
    assert_eq!(pose.node(0).unwrap().frames, Blend { a: 0, b: 1, weight: 0.5 });
    assert_eq!(vertices(&mesh, &pose).map_positions()[0], [15.0, 0.0, 0.0]);
    // The clip with this name moves both nodes.
    let both = vertices(&mesh, &scene.pose(&[("MOVE", 0.5)]).unwrap());
    assert_eq!(both.map_positions(), [[15.0, 0.0, 0.0], [15.0, 2.0, 0.0], [13.0, 0.0, 0.0]]);
    assert_eq!(scene.clips()[0].tracks, [(0, 0), (1, 0)]);
    let error = scene.pose(&[("move", 0.0), ("jump", 0.0)]).unwrap_err();
    assert_eq!(error.to_string(), "scene: clip 1: there is no clip of this name");

    let matrix = Mat4::from_cols_array_2d(&view.matrix(hand, &pose).unwrap());
    assert_eq!(matrix.transform_point3(Vec3::X), Vec3::new(15.0, 1.0, 0.0));
    let end = Mat4::from_cols_array_2d(&view.socket(hand, Socket::Tag(0), &scene.rest_pose()).unwrap());
    assert_eq!(end.transform_point3(Vec3::ZERO), Vec3::new(10.0, 10.0, 0.0));
    let bounds = view.bounds(&scene.rest_pose()).unwrap().unwrap();
    assert_eq!((bounds.min, bounds.max), ([0.0; 3], [10.0, 1.0, 0.0]));
}

#[test]
fn an_attached_scene_keeps_its_own_attachments() {
    let mut weapon = Scene::from(triangle("gun"));
    weapon.attach(triangle("barrel"), weapon.find_tag("tag_end").unwrap());
    let mut scene = Scene::from(triangle("body"));
    let end = scene.find_tag("tag_end").unwrap();
    assert_eq!(scene.attach(weapon, end), 1);
    let attachments: Vec<_> = scene.nodes.iter().map(|node| node.attachment).collect();
    assert_eq!(attachments, [None, Some(end), Some(Attachment { node: 1, ..end })]);
    // Each tag is 10 units away from the previous one, and rotated by 90 degrees.
    let barrel = scene.view(&Space::GLTF).mesh(2, 0).unwrap();
    assert_eq!(vertices(&barrel, &scene.rest_pose()).map_positions()[0], [10.0, 10.0, 0.0]);
}

trait Positions {
    fn map_positions(&self) -> Vec<[f32; 3]>;
}

impl Positions for Vec<[Vec3; 2]> {
    /// The positions, rounded to a thousandth.
    fn map_positions(&self) -> Vec<[f32; 3]> {
        self.iter().map(|[position, _]| ((*position * 1000.0).round() / 1000.0 + Vec3::ZERO).into()).collect()
    }
}

#[test]
fn models_of_other_spaces_are_attached_upright() {
    // A Quake model on the tag of a glTF model: Z of Quake points up there, too.
    let mut scene = Scene::from(triangle("body"));
    let mut quake = triangle("quake");
    quake.space = Space::MD3;
    scene.nodes.push(Node::new("quake", quake).attached_to(0, Socket::Tag(0)));
    let view = scene.view(&Space::GLTF);
    let found = vertices(&view.mesh(1, 0).unwrap(), &scene.rest_pose());
    // X of Quake is forward, which is Z of glTF and not changed by the rotation around Z. Y of Quake is left, which is
    // X of glTF and is rotated to Y.
    assert_eq!(found.map_positions(), [[10.0, 0.0, 0.0], [10.0, 0.0, 1.0], [10.0, 1.0, 0.0]]);
    // The clockwise front faces of Quake become counter-clockwise.
    assert_eq!(triangles(&view.mesh(1, 0).unwrap()), [[0, 2, 1]]);
    assert_eq!(triangles(&view.mesh(0, 0).unwrap()), [[0, 1, 2]]);
}

#[test]
fn a_cycle_of_attachments_ends() {
    let mut scene = Scene::from(triangle("a"));
    scene.nodes.push(Node::new("b", triangle("b")).attached_to(0, Socket::Tag(0)));
    scene.nodes[0].attachment = Some(Attachment { node: 1, socket: Socket::Tag(0) });
    scene.nodes.push(Node::new("c", triangle("c")).attached_to(99, Socket::Tag(0)));
    scene.nodes.push(Node::new("d", triangle("d")).attached_to(2, Socket::Tag(7)));
    let view = scene.view(&Space::GLTF);
    for node in 0..4 {
        let found = vertices(&view.mesh(node, 0).unwrap(), &scene.rest_pose());
        assert_eq!(found[0][0], Vec3::ZERO, "{node}");
    }
    assert!(view.mesh(4, 0).is_err() && view.mesh(0, 1).is_err());
    assert_eq!(view.matrix(4, &scene.rest_pose()), None);
    let other = Scene::from(triangle("alone")).rest_pose();
    assert!(view.mesh(1, 0).unwrap().fill_vertex_buffer(&other, &layout(), &mut [0; 72]).is_err());
}
