//! Companion files of a model are found by rules, and every path that was tried is listed.

use meshlens::scene::{Attachment, Socket};
use meshlens_assets::{Asset, AssetPath};
use meshlens_assets::{Assets, Error, FindOptions, OpenOptions, Rule};
use meshlens_testkit::files::Files;

use crate::corpus;

/// The lookups of a rule: the path, and whether it was found.
fn looked(asset: &Asset, rule: Rule) -> Vec<(String, bool)> {
    let lookups = asset.lookups().iter().filter(|lookup| lookup.rule == rule);
    lookups.map(|lookup| (lookup.path.to_string(), lookup.found.is_some())).collect()
}

fn player() -> Files {
    let names = ["lower.md3", "upper.md3", "head.md3", "animation.cfg", "lower_red.skin"];
    names.into_iter().fold(Files::new(), |files, name| {
        files.with(&format!("models/players/Block/{name}"), corpus(&format!("md3/player/{name}")))
    })
}

#[test]
fn a_player_is_joined_at_its_tags_with_its_clips() {
    let files = player();
    let asset = files.mounted().open("models/players/block").unwrap();
    let nodes = &asset.scene().nodes;
    let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["lower", "upper", "head"]);
    let attachments: Vec<_> = nodes.iter().map(|node| node.attachment).collect();
    let at = |node: usize, tag: &str| {
        let tag = nodes[node].model.find_tag(tag).unwrap();
        Some(Attachment { node, socket: Socket::Tag(tag) })
    };
    assert_eq!(attachments, [None, at(0, "tag_torso"), at(1, "tag_head")]);
    assert_eq!(asset.node_path(1).unwrap().as_str(), "models/players/block/upper.md3");
    assert_eq!(asset.node_path(3), None);
    let clips = |node: usize| nodes[node].model.clips.iter().map(|clip| clip.name.as_str());
    assert!(clips(0).any(|name| name == "LEGS_RUN") && clips(1).any(|name| name == "TORSO_STAND"));
    // The row LEGS_IDLE begins at frame 2 of the legs.
    assert_eq!(nodes[0].rest_frame, 2);

    assert_eq!(
        looked(&asset, Rule::Skin),
        // There is no skin called default, and only the legs have a different skin.
        ["lower", "upper", "head"]
            .map(|part| (format!("models/players/block/{part}_red.skin"), part == "lower"))
    );
    let config = ("models/players/block/animation.cfg".to_owned(), true);
    assert_eq!(looked(&asset, Rule::AnimationConfig), [config.clone(), config]);
    let used: Vec<&str> = asset.files().iter().map(|file| file.name.as_str()).collect();
    assert_eq!(
        used,
        ["lower.md3", "upper.md3", "head.md3", "animation.cfg", "lower_red.skin"]
            .map(|name| format!("models/players/Block/{name}"))
    );
}

#[test]
fn a_missing_skin_is_an_error_that_lists_the_others() {
    let files = player();
    let with = |skin: &str| {
        files.mounted().open_with(
            "models/players/Block/lower.md3",
            &OpenOptions { skin: Some(skin.into()), ..OpenOptions::default() },
        )
    };
    let red = with("RED").unwrap();
    assert_eq!(red.model().materials[0].name, "models/players/block/red.tga");
    let error = with("gold").unwrap_err();
    assert!(matches!(&error, Error::NoSkin { available, .. } if available == &["red"]));
    assert_eq!(error.to_string(), "models/players/Block/lower_gold.skin: not found; one of red");
    // A skin belongs to the model in its folder, independent of the name of the skin.
    assert!(matches!(with("../../x"), Err(Error::NoSkin { .. })));
    // A single part of a player is opened with its skin, unless it is opened for another format.
    let part = "models/players/block/lower.md3";
    let asset = files.mounted().open(part).unwrap();
    assert_eq!(looked(&asset, Rule::Skin), [("models/players/block/lower_red.skin".to_owned(), true)]);
    let plain = OpenOptions { materials: false, ..OpenOptions::default() };
    assert_eq!(looked(&files.mounted().open_with(part, &plain).unwrap(), Rule::Skin), []);
}

/// The files of a folder are sorted without regard to case, so that those of other models lie between them.
#[test]
fn the_skins_of_a_model_are_found_among_those_of_others() {
    let names = [
        "X_Blue.skin",
        "w_gold.skin",
        "x.md3.skin",
        "x.md3_1.skin",
        "x1_green.skin",
        "x_red.SKIN",
        "x_white.shader",
    ];
    let files = Files::new().with("x.md3", corpus("md3/static.md3"));
    let files = names.into_iter().fold(files, |files, name| files.with(name, "plate,a.tga\n"));
    let options = OpenOptions { skin: Some("gold".into()), ..OpenOptions::default() };
    let error = files.mounted().open_with("x.md3", &options).unwrap_err();
    assert_eq!(error.to_string(), "x_gold.skin: not found; one of 0, 1, blue, red");
}

#[test]
fn bytes_of_levels_are_those_of_their_models() {
    let level = corpus("md3/static_1.md3");
    let files = Files::new()
        .with("a.md3", corpus("md3/static.md3"))
        .with("a_1.md3", &b"IDP3\x0f"[..])
        .with("a_2.md3", level.clone());
    let asset = files.mounted().open("a.md3").unwrap();
    assert_eq!(asset.scene().nodes[0].lods.len(), 1);
    assert_eq!(asset.bytes().len(), 2);
    assert_eq!(asset.bytes()[1], level);
}

#[test]
fn levels_of_detail_are_found_up_to_a_gap_after_the_third() {
    let model = corpus("md3/static.md3");
    let level = corpus("md3/static_1.md3");
    let files = ["a_1.md3", "A_2.md3", "a_4.md3", "b_1.md3"]
        .into_iter()
        .fold(Files::new().with("a.md3", model), |files, name| files.with(name, level.clone()));
    let asset = files.mounted().open("a.md3").unwrap();
    assert_eq!(asset.scene().nodes[0].lods.len(), 2);
    let found: Vec<(String, bool)> = looked(&asset, Rule::Level);
    let expected = [("a_1.md3", true), ("a_2.md3", true), ("a_3.md3", false)];
    assert_eq!(found, expected.map(|(name, found)| (name.to_owned(), found)));
    // If a coarser level is opened directly, it has no further levels.
    assert_eq!(looked(&files.mounted().open("a_1.md3").unwrap(), Rule::Level), []);
    let options = OpenOptions { lods: false, ..OpenOptions::default() };
    assert!(files.mounted().open_with("a.md3", &options).unwrap().scene().nodes[0].lods.is_empty());
}

#[test]
fn clips_of_other_models_are_in_a_file_with_the_name_of_the_model() {
    let files = Files::new()
        .with("flag.md3", corpus("md3/animated.md3"))
        .with("flag.animation.cfg", "0 2 0 5 // Wave\n1 900 0 5 // Gone\n");
    let asset = files.mounted().open("flag.md3").unwrap();
    let clips: Vec<&str> = asset.model().clips.iter().map(|clip| clip.name.as_str()).collect();
    assert_eq!(clips, ["Wave"]);
    let codes: Vec<&str> = asset.findings().findings().map(|finding| finding.code).collect();
    assert!(codes.contains(&"CLIP_FRAMES_MISSING"), "{codes:?}");
}

fn meshes() -> Files {
    Files::new()
        .with("Guns/Models/Ring_D.3d", corpus("unreal/Models/ring_d.3d"))
        .with("Guns/Models/ring_a.3D", corpus("unreal/Models/ring_a.3d"))
        .with("Guns/Classes/Other.uc", "class Other;")
        .with(
            "Guns/Classes/Gun.uc",
            r"#exec MESH IMPORT MESH=Gun ANIVFILE=MODELS\RING_A.3d DATAFILE=..\Guns\Models\ring_d.3d
            #exec MESH SEQUENCE MESH=Gun SEQ=Still STARTFRAME=0 NUMFRAMES=1",
        )
}

#[test]
fn either_half_of_a_mesh_finds_the_other_and_the_script_of_both() {
    let files = meshes();
    for name in
        ["guns/models/ring_d.3d", "Guns/Models/RING_A.3D", "Guns/Classes/gun.uc", "Guns/Classes/Gun.uc!gun"]
    {
        let asset = files.mounted().open(name).unwrap();
        assert_eq!(asset.path().as_str(), "Guns/Models/Ring_D.3d", "{name}");
        assert_eq!(asset.model().name, "Gun", "{name}");
        assert_eq!(asset.model().clips[0].name, "Still", "{name}");
        let used: Vec<(Rule, &str)> =
            asset.files().iter().map(|file| (file.rule, file.path.file_name())).collect();
        let expected = [(Rule::Named, "Ring_D.3d"), (Rule::Pair, "ring_a.3D"), (Rule::Script, "Gun.uc")];
        assert_eq!(used, expected, "{name}");
    }
    let asset = files.mounted().open("Guns/Models/ring_d.3d").unwrap();
    assert_eq!(
        looked(&asset, Rule::Script),
        [("Guns/Models/ring.uc", false), ("Guns/Classes/Gun.uc", true)]
            .map(|(name, found)| (name.to_owned(), found))
    );
}

#[test]
fn a_script_pairs_files_whose_names_do_not_match() {
    let script = r"#exec MESH IMPORT MESH=Gun ANIVFILE=Models\Motion_a.3d DATAFILE=Models\Shape_d.3d";
    let files = Files::new()
        .with("Models/Shape_d.3d", corpus("unreal/Models/ring_d.3d"))
        .with("Models/Motion_a.3d", corpus("unreal/Models/ring_a.3d"))
        .with("Classes/Gun.uc", script);
    for name in ["Models/Shape_d.3d", "Models/Motion_a.3d"] {
        assert_eq!(files.mounted().open(name).unwrap().model().name, "Gun");
    }
    // Two meshes with the same geometry: the geometry file does not determine the mesh.
    let two = files.with("Classes/More.uc", script.replace("MESH=Gun", "MESH=Other"));
    let found = two.mounted().find_models(&AssetPath::root(), &FindOptions::default());
    assert_eq!(found.models.len(), 1);
    let text = format!("{script}\n{}", script.replace("MESH=Gun", "MESH=Other"));
    let both = two.with("Classes/Gun.uc", text);
    let error = both.mounted().open("Classes/Gun.uc").unwrap_err();
    assert_eq!(
        error.to_string(),
        "Classes/Gun.uc: not one model; one of Classes/Gun.uc!Gun, Classes/Gun.uc!Other"
    );
    assert_eq!(both.mounted().open("Classes/Gun.uc!Other").unwrap().model().name, "Other");
}

#[test]
fn a_path_with_a_drive_is_looked_up_by_its_last_parts() {
    let script = r"#ForceExec mesh import mesh=Gun anivfile=X:\Guns\Models\ring_a.3d datafile=X:\Guns\Models\ring_d.3d
#ForceExec texture import name=Jgun file=X:\Guns\Models\gun.pcx
#ForceExec meshmap settexture meshmap=Gun num=0 texture=Jgun";
    for root in ["", "Guns/", "Games/Guns/"] {
        let files = ["ring_d.3d", "ring_a.3d"].into_iter().fold(Files::new(), |files, name| {
            files.with(&format!("{root}Models/{name}"), corpus(&format!("unreal/Models/{name}")))
        });
        let files =
            files.with(&format!("{root}Classes/Gun.uc"), script).with(&format!("{root}Models/gun.pcx"), "");
        let asset = files.mounted().open(&format!("{root}Classes/Gun.uc")).unwrap();
        assert_eq!(asset.model().name, "Gun");
        let texture = asset.model().materials.iter().find_map(|material| material.texture.clone());
        assert_eq!(texture, Some(format!("{root}Models/gun.pcx")));
        assert!(asset.findings().findings().all(|finding| finding.code != "TEXTURE_NAME_REFUSED"));
        assert_eq!(files.mounted().open(&format!("{root}Models/ring_d.3d")).unwrap().model().name, "Gun");
    }
}

#[test]
fn both_files_of_a_mesh_may_be_in_one() {
    let whole = corpus("unreal/Models/ring.umsh");
    let files = Files::new()
        .with("a/packed.3d", whole.clone())
        .with("a/other.3d", "not a mesh")
        .with("a/thing.umsh", whole);
    let found = files.mounted().find_models(&AssetPath::root(), &FindOptions::default());
    let names: Vec<&str> = found.models.iter().map(|model| model.path().as_str()).collect();
    assert_eq!(names, ["a/packed.3d", "a/thing.umsh"]);
    for name in names {
        let asset = files.mounted().open(name).unwrap();
        assert_eq!((asset.documents().unwrap().len(), asset.model().meshes.len()), (1, 1));
        assert!(asset.model().meshes[0].positions(0).is_ok());
    }
}

#[test]
fn a_companion_that_cannot_be_parsed_is_a_finding() {
    let broken = [
        ("animation.cfg", &b"1 2 three 4"[..]),
        ("lower_1.md3", b"IDP2"),
        ("lower_default.skin", b",path"),
        ("upper.animation.cfg", b"not used"),
    ];
    let files = broken
        .into_iter()
        .fold(player(), |files, (name, text)| files.with(&format!("models/players/Block/{name}"), text));
    let asset = files.mounted().open("models/players/block").unwrap();
    let unreadable = asset.findings().findings().filter(|finding| finding.code == "COMPANION_UNREADABLE");
    let messages: Vec<&str> = unreadable.map(|finding| finding.message.as_str()).collect();
    let wanted = ["/animation.cfg: animation.cfg: ", "/lower_default.skin: skin: ", "/lower_1.md3: "];
    for start in wanted {
        let start = format!("models/players/Block{start}");
        assert!(messages.iter().any(|message| message.starts_with(&start)), "{start} {messages:?}");
    }
    assert_eq!((asset.scene().nodes.len(), asset.scene().nodes[0].lods.len()), (3, 0));
}

#[test]
fn animations_of_the_bones_of_a_mesh_are_taken() {
    let files = Files::new()
        .with("data/arm.mesh", corpus("unigine/skinned_ms11.mesh"))
        .with("data/Wave.anim", corpus("unigine/wave_an11.anim"))
        .with("data/other.anim", corpus("unigine/long_an10.anim"))
        .with("data/broken.anim", "an11");
    let asset = files.mounted().open("data/arm.mesh").unwrap();
    let found = looked(&asset, Rule::Animation);
    assert!(found.contains(&("data/Wave.anim".to_owned(), true)), "{found:?}");
    let codes: Vec<&str> = asset.findings().findings().map(|finding| finding.code).collect();
    assert_eq!(codes.iter().filter(|code| **code == "COMPANION_UNREADABLE").count(), 1, "{codes:?}");
    let none = OpenOptions { animations: Some(Vec::new()), ..OpenOptions::default() };
    let own = files.mounted().open_with("data/arm.mesh", &none).unwrap();
    assert!(own.model().clips.len() < asset.model().clips.len());
}

#[test]
fn an_animation_moves_the_bones_that_match() {
    // A skeleton of four bones, some of which the mesh does not have.
    let renamed = |bones: &[(&[u8], &[u8])]| {
        let mut bytes = corpus("unigine/wave_an11.anim");
        for (from, to) in bones {
            let at = bytes.windows(from.len()).position(|window| window == *from).unwrap();
            bytes[at..at + to.len()].copy_from_slice(to);
        }
        let mesh = ("data/arm.mesh", corpus("unigine/skinned_ms11.mesh"));
        let asset = Files::new().with(mesh.0, mesh.1).with("data/wave.anim", bytes).mounted();
        let asset = asset.open("data/arm.mesh").unwrap();
        let unmatched = asset.findings().findings().filter(|found| found.code == "BONE_UNMATCHED");
        let unmatched = unmatched.map(|found| found.message.to_string()).collect::<Vec<_>>();
        (asset.files().iter().any(|file| file.rule == Rule::Animation), unmatched)
    };
    let camera: (&[u8], &[u8]) = (b"camera", b"lights");
    let message = "wave: bone lights: the mesh has no bone of this name".to_owned();
    assert_eq!(renamed(&[camera]), (true, vec![message]));
    assert_eq!(renamed(&[camera, (b"hand", b"hoof"), (b"forearm", b"foreleg")]), (false, vec![]));
}

#[test]
fn bytes_have_companions_by_their_name() {
    let assets: Assets = player().mounted();
    let asset = assets.open_bytes("models/players/block/lower.md3", corpus("md3/player/lower.md3")).unwrap();
    assert!(asset.model().find_clip("LEGS_RUN").is_some());
    assert_eq!(asset.files()[0].name, "models/players/block/lower.md3");
}

#[test]
fn every_rule_is_in_the_table_of_the_documentation() {
    for rule in Rule::ALL {
        assert!(!rule.applies_to().is_empty() && !rule.looks_for().is_empty() && !rule.section().is_empty());
    }
    assert_eq!(Rule::Pair.section(), "Unreal: pairing");
}

#[test]
fn a_weapon_is_put_into_a_hand() {
    let weapon = Files::new().with("weapons/gun.md3", corpus("md3/static.md3")).mounted();
    let gun = weapon.open("weapons/gun.md3").unwrap();
    let player = player().mounted().open("models/players/block").unwrap();
    let hand = player.scene().find_tag("tag_weapon").unwrap();
    let armed = player.attach(&gun, hand);
    assert_eq!((player.scene().nodes.len(), armed.scene().nodes.len()), (3, 4));
    drop((player, gun));
    let nodes = &armed.scene().nodes;
    assert_eq!((nodes[3].name.as_str(), nodes[3].attachment), ("gun", Some(hand)));
    assert_eq!(armed.node_path(3).unwrap().as_str(), "weapons/gun.md3");
    // Each mesh finds its textures in its own search path.
    let finds_gun =
        |node| armed.node_assets(node).unwrap().find(armed.node_path(3).unwrap()).unwrap().is_some();
    assert_eq!([0, 2, 3].map(finds_gun), [false, false, true]);
    let used: Vec<&str> = armed.files().iter().map(|file| file.path.file_name()).collect();
    assert!(used.starts_with(&["lower.md3", "upper.md3"]) && used.ends_with(&["gun.md3"]), "{used:?}");
    assert_eq!(armed.bytes().len(), 4);
    assert!(nodes[3].model.meshes[0].positions(0).is_ok());
}
