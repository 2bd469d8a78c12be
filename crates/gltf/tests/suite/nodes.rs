//! Imports of files whose roots, instances and attached models become nodes.

use meshlens::lens::Bounds;
use meshlens::model::{Model, Space, Transform};
use meshlens::scene::{Attachment, Node, Pose, Scene, Socket};
use meshlens_gltf::{Export, ImportOptions, Options, Skins, import};
use meshlens_testkit::{doors, real};
use serde_json::{Value, json};

use crate::small::Small;

/// Writes a scene as glTF and imports it.
fn back(scene: &Scene<'_>, options: &Options<'_>) -> Scene<'static> {
    let mut glb = Vec::new();
    Export::plan(scene, options).unwrap().write_glb(&mut glb).unwrap();
    import(&glb, &ImportOptions::default(), &|_, _| None).unwrap().0
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(real::workspace_root().join("corpus").join(name)).unwrap()
}

fn near(a: &[f32], b: &[f32], by: f32) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= by)
}

/// The bounds of one node of a scene in a pose.
fn bounds(scene: &Scene<'_>, node: usize, pose: &Pose) -> Bounds {
    let mut alone = scene.clone();
    for (index, other) in alone.nodes.iter_mut().enumerate() {
        if index != node {
            other.model.meshes.clear();
        }
    }
    alone.view(&Space::GLTF).bounds(pose).unwrap().unwrap()
}

/// Asserts that a scene is the same one after it was written and read.
fn assert_kept(scene: &Scene<'_>, read: &Scene<'_>) {
    assert_eq!(read.nodes.len(), scene.nodes.len());
    let pose = |scene: &Scene<'_>| {
        let mut pose = scene.rest_pose();
        (0..scene.nodes.len()).for_each(|node| pose.node_mut(node).unwrap().frames = 0.into());
        [scene.rest_pose(), pose]
    };
    for (index, (node, found)) in scene.nodes.iter().zip(&read.nodes).enumerate() {
        let name = &node.name;
        assert_eq!(&found.name, name);
        assert_eq!(found.rest_frame, node.rest_frame, "{name}");
        let socket = |scene: &Scene<'_>, node: &Node<'_>| {
            node.attachment.map(|Attachment { node, socket }| match socket {
                Socket::Tag(tag) => (node, scene.nodes[node].model.tags.get(tag).map(|tag| tag.name.clone())),
                Socket::Joint(joint) => (node, Some(scene.nodes[node].model.joints[joint].name.clone())),
            })
        };
        assert_eq!(socket(read, found), socket(scene, node), "{name}");
        let to_gltf = node.model.space.to(&Space::GLTF).transform(&node.transform);
        assert!(
            near(&found.transform.translation, &to_gltf.translation, 1e-4),
            "{name}: {:?}",
            found.transform
        );
        assert!(near(&found.transform.rotation, &to_gltf.rotation, 1e-5), "{name}: {:?}", found.transform);
        assert!(near(&found.transform.scale, &to_gltf.scale, 1e-5), "{name}: {:?}", found.transform);
        for (pose, other) in pose(scene).iter().zip(&pose(read)) {
            let (wanted, found) = (bounds(scene, index, pose), bounds(read, index, other));
            let size = wanted.max.iter().chain(&wanted.min).fold(1.0f32, |size, value| size.max(value.abs()));
            assert!(near(&wanted.min, &found.min, 1e-4 * size), "{name}: {wanted:?} {found:?}");
            assert!(near(&wanted.max, &found.max, 1e-4 * size), "{name}: {wanted:?} {found:?}");
        }
    }
    let clips = |scene: &Scene<'_>| -> Vec<(String, usize)> {
        scene.clips().iter().map(|clip| (clip.name.to_owned(), clip.tracks.len())).collect()
    };
    assert_eq!(clips(read), clips(scene));
}

#[test]
fn a_player_comes_back_as_three_nodes_at_tags() {
    let player = doors::assets().open("md3/player").unwrap();
    for quantize in [false, true] {
        let read = back(player.scene(), &Options { quantize, ..Options::default() });
        if !quantize {
            assert_kept(player.scene(), &read);
        }
        let names: Vec<&str> = read.nodes.iter().map(|node| node.name.as_str()).collect();
        assert_eq!(names, ["lower", "upper", "head"]);
        assert_eq!(read.nodes[2].attachment, read.find_tag("tag_head"));
        // And again: nothing gets lost on the second way.
        assert_kept(&read, &back(&read, &Options::default()));
    }
}

fn placed(translation: [f32; 3], rotation: [f32; 4], scale: f32) -> Transform {
    Transform { translation, rotation, scale: [scale; 3] }
}

/// A quarter turn around Z.
const QUARTER: [f32; 4] = [0.0, 0.0, std::f32::consts::FRAC_1_SQRT_2, std::f32::consts::FRAC_1_SQRT_2];

#[test]
fn placed_models_keep_their_transforms() {
    let (still, skinned) = (file("md3/tagged.md3"), file("unigine/skinned_ms11.mesh"));
    let (still, skinned) = (Model::parse(&still).unwrap(), Model::parse(&skinned).unwrap());
    let mut scene = Scene {
        nodes: vec![
            Node::new("left", still.clone()),
            Node::new("right", still.clone()),
            Node::new("arm", skinned),
            Node::new("held", still.clone()).attached_to(2, Socket::Joint(1)),
            Node::new("on top", still.clone()).attached_to(1, Socket::Tag(0)),
            Node::new("beside", still).attached_to(1, Socket::Tag(99)),
        ],
    };
    for (node, transform) in scene.nodes.iter_mut().zip([
        placed([-8.0, 0.0, 2.0], [0.0, 0.0, 0.0, 1.0], 1.0),
        placed([8.0, 1.0, 0.0], QUARTER, 2.0),
        placed([0.0, 3.0, 0.0], QUARTER, 1.0),
        placed([1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], 0.5),
        placed([0.0, 1.0, 0.0], QUARTER, 1.0),
        Transform::IDENTITY,
    ]) {
        node.transform = transform;
    }
    let read = back(&scene, &Options::default());
    assert_kept(&scene, &read);
    assert_kept(&read, &back(&read, &Options::default()));
    // A node without a transform of its own shows the same.
    let model = scene.nodes[1].placed_model().into_owned();
    let alone = Scene::from(Node { transform: Transform::IDENTITY, ..Node::new("alone", model) });
    let [wanted, found] =
        [(&scene, 1), (&alone, 0)].map(|(scene, node)| bounds(scene, node, &scene.rest_pose()));
    assert!(near(&wanted.min, &found.min, 1e-4) && near(&wanted.max, &found.max, 1e-4));
    let model = scene.nodes[2].placed_model().into_owned();
    let alone = Scene::from(Node { transform: Transform::IDENTITY, ..Node::new("alone", model) });
    let [wanted, found] =
        [(&scene, 2), (&alone, 0)].map(|(scene, node)| bounds(scene, node, &scene.rest_pose()));
    assert!(near(&wanted.min, &found.min, 1e-4) && near(&wanted.max, &found.max, 1e-4));
}

/// A document with these nodes. Mesh 0 is a triangle with corners at 0, at 1 on X and at 1 on Y.
fn document(nodes: Value, roots: Value) -> Small {
    let mut file = Small::new(json!({
        "nodes": nodes,
        "scenes": [{ "nodes": roots }],
        "meshes": [{ "name": "triangle", "primitives": [{ "attributes": { "POSITION": 0 }, "material": 1 }] }],
        "materials": [{ "name": "unused" }, { "name": "used" }],
    }));
    file.vectors(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    file
}

/// The bounds of a node at rest.
fn at_rest(scene: &Scene<'_>, node: usize) -> [[f32; 3]; 2] {
    let bounds = bounds(scene, node, &scene.rest_pose());
    [bounds.min, bounds.max]
}

fn names<'s>(scene: &'s Scene<'_>) -> Vec<&'s str> {
    scene.nodes.iter().map(|node| node.name.as_str()).collect()
}

#[test]
fn instances_share_one_model() {
    let file = document(
        json!([
            { "name": "room", "translation": [10, 0, 0], "children": [1, 2, 3] },
            { "name": "chair", "mesh": 0, "translation": [1, 0, 0], "scale": [2, 2, 2] },
            { "name": "table", "mesh": 0, "rotation": QUARTER },
            // A mirror changes the winding, so this one is no instance.
            { "name": "mirror", "mesh": 0, "scale": [-1, 1, 1] },
            { "mesh": 0, "translation": [0, 0, 7] },
        ]),
        json!([0, 4]),
    );
    let scene = file.scene();
    assert_eq!(names(&scene), ["room", "chair", "table", "triangle"]);
    let transforms: Vec<_> = scene.nodes.iter().map(|node| node.transform).collect();
    assert_eq!(transforms[0], placed([10.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], 1.0));
    assert_eq!((transforms[1].translation, transforms[1].scale), ([11.0, 0.0, 0.0], [2.0; 3]));
    assert_eq!(transforms[3], placed([0.0, 0.0, 7.0], [0.0, 0.0, 0.0, 1.0], 1.0));
    assert_eq!(at_rest(&scene, 0), [[9.0, 0.0, 0.0], [10.0, 1.0, 0.0]]);
    assert_eq!(at_rest(&scene, 1), [[11.0, 0.0, 0.0], [13.0, 2.0, 0.0]]);
    let [min, max] = at_rest(&scene, 2);
    assert!(near(&min, &[9.0, 0.0, 0.0], 1e-6) && near(&max, &[10.0, 1.0, 0.0], 1e-6), "{min:?} {max:?}");
    assert_eq!(at_rest(&scene, 3), [[0.0, 0.0, 7.0], [1.0, 1.0, 7.0]]);
    let bytes =
        |node: usize| scene.nodes[node].model.meshes[0].positions(0).unwrap().as_any().as_bytes().as_ptr();
    assert_eq!(bytes(1), bytes(2));
    assert_eq!(bytes(1), bytes(3));
    for node in &scene.nodes {
        let model = &node.model;
        assert_eq!((model.materials.len(), &*model.materials[0].name), (1, "used"));
        assert_eq!(model.meshes[0].material, Some(0));
    }
    assert_kept(&scene, &back(&scene, &Options::default()));
}

#[test]
fn instances_of_the_extension_are_nodes() {
    let mut file = document(
        json!([{
            "name": "tree", "mesh": 0, "translation": [0, 5, 0],
            "extensions": { "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": 1 } } },
        }]),
        json!([0]),
    );
    file.vectors(&[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]]);
    let scene = file.scene();
    assert_eq!(names(&scene), ["tree 0", "tree 1", "tree 2"]);
    assert_eq!(at_rest(&scene, 2), [[3.0, 5.0, 0.0], [4.0, 6.0, 0.0]]);
}

#[test]
fn a_mesh_below_a_tag_is_attached() {
    let file = document(
        json!([
            { "name": "body", "mesh": 0, "children": [1] },
            { "name": "tag_hand", "translation": [0, 3, 0], "children": [2] },
            { "name": "sword", "translation": [0, 0, 1], "children": [3] },
            { "name": "blade", "mesh": 0 },
            { "name": "tag_foot", "translation": [0, -3, 0] },
            { "name": "lamp", "translation": [9, 9, 9] },
        ]),
        json!([5, 4, 0]),
    );
    let scene = file.scene();
    // The tag at the root belongs to the model, and the lamp shows nothing.
    assert_eq!(names(&scene), ["body", "sword"]);
    assert_eq!(scene.nodes[1].attachment, scene.find_tag("tag_hand"));
    assert_eq!(scene.nodes[1].transform.translation, [0.0, 0.0, 1.0]);
    assert_eq!(at_rest(&scene, 1), [[0.0, 3.0, 1.0], [1.0, 4.0, 1.0]]);
    let tags: Vec<&str> = scene.nodes[0].model.tags.iter().map(|tag| tag.name.as_str()).collect();
    assert_eq!(tags, ["tag_hand", "tag_foot"]);
}

/// An animation that moves node `node` by 4 on X in a second.
fn moving(file: &mut Small, node: usize) {
    let (times, values) = (file.scalars(&[0.0, 1.0]), file.vectors(&[[0.0; 3], [4.0, 0.0, 0.0]]));
    let samplers = file.json["animations"][0]["samplers"].as_array_mut().unwrap();
    samplers.push(json!({ "input": times, "output": values }));
    let sampler = samplers.len() - 1;
    let channels = file.json["animations"][0]["channels"].as_array_mut().unwrap();
    channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": "translation" } }));
}

#[test]
fn an_animation_moves_several_roots() {
    let mut file = document(
        json!([
            { "name": "car", "mesh": 0, "scale": [2, 2, 2] },
            { "name": "door", "translation": [0, 0, 5], "children": [2] },
            { "name": "wing", "mesh": 0 },
            { "name": "house", "mesh": 0, "translation": [7, 0, 0] },
        ]),
        json!([0, 1, 3]),
    );
    file.json["animations"] = json!([{ "name": "drive", "samplers": [], "channels": [] }]);
    moving(&mut file, 0);
    moving(&mut file, 2);
    let scene = file.scene();
    assert_eq!(names(&scene), ["car", "door", "house"]);
    let transforms: Vec<_> =
        scene.nodes.iter().map(|node| (node.transform.translation, node.transform.scale[0])).collect();
    // The car itself moves, so its scale is in its vertices.
    assert_eq!(transforms, [([0.0; 3], 1.0), ([0.0, 0.0, 5.0], 1.0), ([7.0, 0.0, 0.0], 1.0)]);
    let clips: Vec<_> =
        scene.clips().iter().map(|clip| (clip.name.to_owned(), clip.tracks.clone())).collect();
    assert_eq!(clips, [("drive".to_owned(), vec![(0, 0), (1, 0)])]);
    let pose = scene.pose(&[("drive", 0.5)]).unwrap();
    let at = |node: usize| bounds(&scene, node, &pose).min;
    assert!(
        near(&at(0), &[2.0, 0.0, 0.0], 1e-5) && near(&at(1), &[2.0, 0.0, 5.0], 1e-5),
        "{:?} {:?}",
        at(0),
        at(1)
    );
    assert_eq!(at(2), [7.0, 0.0, 0.0]);
}

#[test]
fn a_skin_joins_the_roots_of_its_mesh_and_its_joints() {
    let mut file = document(
        json!([
            { "name": "skin", "mesh": 0, "skin": 0, "translation": [50, 0, 0] },
            { "name": "armature", "children": [2] },
            { "name": "joint", "translation": [0, 0, 3] },
            { "name": "rock", "mesh": 1, "translation": [-5, 0, 0] },
        ]),
        json!([0, 1, 3]),
    );
    file.json["meshes"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "primitives": [{ "attributes": { "POSITION": 0 } }] }));
    file.json["skins"] = json!([{ "joints": [2] }]);
    let joints = file.joints(&[[0; 4]; 3]);
    let weights = file.vectors(&[[1.0, 0.0, 0.0, 0.0]; 3]);
    let attributes = &mut file.json["meshes"][0]["primitives"][0]["attributes"];
    (attributes["JOINTS_0"], attributes["WEIGHTS_0"]) = (json!(joints), json!(weights));
    let scene = file.scene();
    assert_eq!(names(&scene), ["armature", "rock"]);
    assert_eq!(scene.nodes.iter().map(|node| node.model.joints.len()).collect::<Vec<_>>(), [1, 0]);
    // The joint moves the mesh, and the transform of the mesh's node has no effect.
    assert_eq!(at_rest(&scene, 0), [[0.0, 0.0, 3.0], [1.0, 1.0, 3.0]]);
    assert_eq!(at_rest(&scene, 1), [[-5.0, 0.0, 0.0], [-4.0, 1.0, 0.0]]);
    // Baked, the same vertices have no joints.
    let options = ImportOptions { skins: Skins::Bake, ..ImportOptions::default() };
    let baked = import(&file.glb(), &options, &|_, _| None).unwrap().0;
    assert_eq!(names(&baked), ["armature", "rock"]);
    assert_eq!(at_rest(&baked, 0), at_rest(&scene, 0));
}
