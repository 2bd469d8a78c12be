//! Files of other programs whose names say what a game makes of them: the parts of a player, and levels of detail.

use meshlens::import::Roots;
use meshlens::scene::Scene;
use meshlens_gltf::{ImportOptions, Skins, import};
use serde_json::{Value, json};

use crate::small::Small;

/// The import of a file as the models of a game.
fn models(file: &Small) -> Scene<'static> {
    let options =
        ImportOptions { roots: Roots::Models, skins: Skins::Bake, lods: true, ..ImportOptions::default() };
    import(&file.glb(), &options, &|_, _| None).unwrap().0
}

/// A file whose nodes have names, parents and places on the X axis. Those whose names do not begin with `tag_` have a mesh of a
/// triangle, or of as many triangles as stated.
fn file(nodes: &[(&str, Option<usize>, f32, usize)]) -> Small {
    let mut file = Small::new(json!({ "meshes": [], "scene": 0 }));
    let triangle = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut records = Vec::new();
    for (number, (name, _, x, triangles)) in nodes.iter().enumerate() {
        let mut record = json!({ "name": name, "translation": [x, 0, 0] });
        if *triangles > 0 {
            let positions = file.vectors(&vec![triangle; *triangles].concat());
            record["mesh"] = json!(file.json["meshes"].as_array().unwrap().len());
            let mesh = json!({ "primitives": [{ "attributes": { "POSITION": positions } }] });
            file.json["meshes"].as_array_mut().unwrap().push(mesh);
        }
        let children = (0..nodes.len()).filter(|child| nodes[*child].1 == Some(number)).collect::<Vec<_>>();
        if !children.is_empty() {
            record["children"] = json!(children);
        }
        records.push(record);
    }
    let roots: Vec<usize> = (0..nodes.len()).filter(|node| nodes[*node].1.is_none()).collect();
    (file.json["nodes"], file.json["scenes"]) = (Value::from(records), json!([{ "nodes": roots }]));
    file
}

fn meshes(scene: &Scene<'_>) -> Vec<(String, Vec<String>)> {
    let names =
        |node: &meshlens::scene::Node<'_>| node.model.meshes.iter().map(|mesh| mesh.name.clone()).collect();
    scene.nodes.iter().map(|node| (node.name.clone(), names(node))).collect()
}

fn part(name: &str, meshes: &[&str]) -> (String, Vec<String>) {
    (name.to_owned(), meshes.iter().map(|name| (*name).to_owned()).collect())
}

#[test]
fn the_parts_of_a_player_are_told_by_the_names_of_meshes() {
    // Every part below one node, in any case, by words and by letters, numbered by Blender, and below a node that names the part.
    let scene = models(&file(&[
        ("rig", None, 0.0, 0),
        ("h_head", Some(0), 3.0, 1),
        ("L_Legs.001", Some(0), 1.0, 1),
        ("Torso", Some(0), 2.0, 0),
        ("vest", Some(3), 0.0, 1),
        ("upper_arms", Some(0), 2.0, 1),
    ]));
    let names =
        [part("lower", &["L_Legs.001"]), part("upper", &["vest", "upper_arms"]), part("head", &["h_head"])];
    assert_eq!(meshes(&scene), names);
    // Without tags, all have the origin of the file, as an engine draws parts without tags.
    let x = |node: usize| scene.nodes[node].model.meshes[0].positions(0).unwrap().get(0).unwrap()[0];
    assert_eq!([x(0), x(1), x(2)], [1.0, 2.0, 3.0]);
    // A mesh in no part, and names that only begin alike: one model.
    let scene = models(&file(&[("head", None, 0.0, 1), ("upper", None, 0.0, 1), ("lowered", None, 0.0, 1)]));
    assert_eq!(meshes(&scene), [part("", &["head", "upper", "lowered"])]);
    // Without all three parts, it is no player.
    let scene = models(&file(&[("head", None, 0.0, 1), ("u_torso", None, 0.0, 1)]));
    assert_eq!(meshes(&scene).len(), 1);
}

#[test]
fn parts_by_name_stand_on_the_tags_of_the_file() {
    let mut file = file(&[
        ("l_legs", None, 0.0, 1),
        ("u_torso", None, 11.0, 1),
        ("h_head", None, 23.0, 1),
        ("tag_torso", None, 10.0, 0),
        ("tag_head", None, 20.0, 0),
        ("tag_weapon", None, 15.0, 0),
    ]);
    let keys = [file.scalars(&[0.0, 1.0]), file.vectors(&[[10.0, 0.0, 0.0], [10.0, 0.0, 8.0]])];
    file.json["animations"] = json!([{ "name": "LEGS_JUMP",
        "samplers": [{ "input": keys[0], "output": keys[1] }],
        "channels": [{ "sampler": 0, "target": { "node": 3, "path": "translation" } }] }]);
    let scene = models(&file);
    let tags = |node: usize| {
        let model = &scene.nodes[node].model;
        let pose = |tag: usize| model.tag_pose(tag, 0).unwrap().origin[0];
        model.tags.iter().map(|tag| (tag.name.clone(), pose(tag.index))).collect::<Vec<_>>()
    };
    let tag = |name: &str, x: f32| (name.to_owned(), x);
    assert_eq!(tags(0), [tag("tag_torso", 10.0)]);
    assert_eq!(tags(1), [tag("tag_torso", 0.0), tag("tag_head", 10.0), tag("tag_weapon", 5.0)]);
    assert_eq!(tags(2), [tag("tag_head", 0.0)]);
    let x = |node: usize, frame| scene.nodes[node].model.meshes[0].positions(frame).unwrap().get(0).unwrap();
    assert_eq!([x(0, 0)[0], x(1, 0)[0], x(2, 0)[0]], [0.0, 1.0, 3.0]);
    // The tag moves, and the torso does not: it moves the other way from the tag.
    assert_eq!(scene.nodes[0].model.clips.len(), 1);
    let last = scene.nodes[1].model.frame_count() - 1;
    assert_eq!(x(1, last), [1.0, 0.0, -8.0]);
    assert_eq!((scene.nodes[2].model.clips.len(), scene.nodes[2].model.frame_count()), (0, 1));
}

#[test]
fn the_names_of_nodes_state_levels_of_detail() {
    let counts = |scene: &Scene<'_>| {
        let of = |model: &meshlens::Model<'_>| {
            model.meshes.iter().map(|mesh| mesh.triangle_count()).collect::<Vec<_>>()
        };
        let node = &scene.nodes[0];
        std::iter::once(&node.model).chain(&node.lods).map(of).collect::<Vec<_>>()
    };
    let scene = models(&file(&[
        ("gun", None, 0.0, 9),
        ("gun_LOD2", None, 0.0, 2),
        ("gun_lod1", None, 5.0, 4),
        ("box_lod0", None, 0.0, 8),
        ("box_lod1", None, 0.0, 3),
    ]));
    // A mesh with fewer levels shows its last one.
    assert_eq!(counts(&scene), [vec![9, 8], vec![4, 3], vec![2, 3]]);
    // Numbers alone are levels in the same place, of fewer vertices each.
    let scene = models(&file(&[("gun", None, 0.0, 9), ("gun_1", None, 0.0, 4), ("gun_2", None, 0.0, 2)]));
    assert_eq!(counts(&scene), [[9], [4], [2]]);
    for other in
        [("gun_1", None, 5.0, 4), ("gun_1", None, 0.0, 9), ("gun_2", None, 0.0, 4), ("gun1", None, 0.0, 4)]
    {
        let scene = models(&file(&[("gun", None, 0.0, 9), other]));
        assert_eq!(counts(&scene), [[9, other.3]], "{other:?}");
    }
    // The parts of a player have levels of their own.
    let scene = models(&file(&[
        ("l_legs", None, 0.0, 5),
        ("u_torso", None, 0.0, 5),
        ("h_head", None, 0.0, 5),
        ("u_torso_1", None, 0.0, 2),
    ]));
    let levels: Vec<usize> = scene.nodes.iter().map(|node| node.lods.len()).collect();
    assert_eq!((meshes(&scene).len(), levels), (3, vec![0, 1, 0]));
    // Other programs get a scene of all nodes.
    let whole = file(&[("gun", None, 0.0, 9), ("gun_1", None, 0.0, 4)]).scene();
    assert_eq!(whole.nodes.len(), 2);
}
