//! Files that belong to a model travel through glTF, and come back as they were.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use meshlens_testkit::real;
use serde_json::{Value, json};

use super::convert::{convert, document, names};
use crate::shared::{stderr, stdout, utf8};

/// Converts, and expects success.
fn run(arguments: &[&str]) -> String {
    let output = convert(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    format!("{}{}", stdout(&output), stderr(&output))
}

fn player() -> PathBuf {
    real::workspace_root().join("corpus/md3/player")
}

/// Changes the document of a GLB.
fn edit(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut json = document(path);
    change(&mut json);
    let bytes = fs::read(path).unwrap();
    let len = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = (20 + text.len() + bytes.len() - 20 - len) as u32;
    let head =
        [b"glTF\x02\0\0\0", &total.to_le_bytes()[..], &(text.len() as u32).to_le_bytes(), b"JSON"].concat();
    fs::write(path, [&head[..], &text, &bytes[20 + len..]].concat()).unwrap();
}

/// The node of a model with its extras.
fn node<'j>(json: &'j mut Value, name: &str) -> &'j mut Value {
    let nodes = json["nodes"].as_array_mut().unwrap().iter_mut();
    nodes.into_iter().find(|node| node["name"] == name).unwrap()
}

fn files<'j>(json: &'j mut Value, name: &str) -> &'j mut Vec<Value> {
    node(json, name)["extras"]["meshlens"]["files"].as_array_mut().unwrap()
}

#[test]
fn a_player_becomes_its_files_again() {
    let folder = tempfile::tempdir().unwrap();
    let (glb, out) = (folder.path().join("block.glb"), folder.path().join("out"));
    run(&[utf8(&player()), "-o", utf8(&glb)]);
    let text = run(&[utf8(&glb), "--to", "md3", "--out-dir", utf8(&out)]);
    assert!(text.contains(&format!("note: 3 models in {}", out.join("block").display())), "{text}");
    // What is written is what the file was made from, and nothing is lost.
    assert!(!text.contains("lost:"), "{text}");
    let names = names(&out.join("block"));
    assert_eq!(names.len(), 7);
    for name in &names {
        let (made, own) = (out.join("block").join(name), player().join(name));
        assert_eq!(fs::read(made).unwrap(), fs::read(own).unwrap(), "{name}");
    }
    // Nothing is overwritten without the option. The name of a part is a place in its folder.
    let again = convert(&[utf8(&glb), "--to", "md3", "--out-dir", utf8(&out)]);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("exists already"), "{}", stderr(&again));
    run(&[utf8(&glb), "-o", utf8(&out.join("block/lower.md3")), "--force"]);
    run(&[utf8(&glb), "--to", "md3", "--out-dir", utf8(&out), "--skip-existing"]);
    assert_eq!(self::names(&out).len(), 7);
    // Another scale is taken back to the same integers.
    let small = folder.path().join("small.glb");
    run(&[utf8(&player()), "--scale", "0.0254", "-o", utf8(&small)]);
    run(&[utf8(&small), "--scale", "39.37", "--to", "md3", "--out-dir", utf8(&out)]);
    assert_eq!(fs::read(out.join("small/upper.md3")).unwrap(), fs::read(player().join("upper.md3")).unwrap());
}

#[test]
fn the_icons_of_a_player_travel_with_its_head() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("block")).unwrap();
    for name in names(&player()) {
        fs::copy(player().join(&name), path("block").join(&name)).unwrap();
    }
    let icons = [("icon_default.tga", &[0, 0, 2, 9][..]), ("ICON_red.jpg", b"\xff\xd8")];
    for (name, bytes) in icons {
        fs::write(path("block").join(name), bytes).unwrap();
    }
    run(&[utf8(&path("block")), "-o", utf8(&path("block.glb"))]);
    run(&[utf8(&path("block.glb")), "--to", "md3", "--out-dir", utf8(&path("out"))]);
    assert_eq!(names(&path("out/block")), names(&path("block")));
    for (name, bytes) in icons {
        assert_eq!(fs::read(path("out/block").join(name)).unwrap(), bytes, "{name}");
    }
}

#[test]
fn an_edited_part_is_written_and_the_others_stay_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let (glb, out) = (folder.path().join("block.glb"), folder.path().join("out"));
    run(&[utf8(&player()), "-o", utf8(&glb)]);
    edit(&glb, |json| {
        node(json, "u_torso")["name"] = json!("u_body");
        files(json, "head").retain(|file| file["kind"] != "skin");
        let lower = files(json, "lower");
        lower.push(json!({ "kind": "skin", "name": "lower_blue.skin", "text": "l_legs,blue\r" }));
        lower.push(json!({ "kind": "level", "name": "lower.md3", "text": "not the model" }));
        lower.push(json!({ "kind": "level", "name": "../lower_1.md3", "text": "outside" }));
    });
    let text = run(&[utf8(&glb), "--to", "md3", "--out-dir", utf8(&out)]);
    assert!(text.contains("upper_red.skin: the model has no surface u_torso [COMPANION_OUTDATED]"), "{text}");
    assert!(text.contains("expected a name of its kind, without a folder [EXTRAS_FILE_LOST]"), "{text}");
    let read = |name: &str| fs::read(out.join("block").join(name)).unwrap();
    let own = |name: &str| fs::read(player().join(name)).unwrap();
    let expected = [
        "animation.cfg",
        "head.md3",
        "lower.md3",
        "lower_blue.skin",
        "lower_red.skin",
        "upper.md3",
        "upper_red.skin",
    ];
    assert_eq!(names(&out.join("block")), expected);
    for name in ["animation.cfg", "head.md3", "lower.md3", "lower_red.skin", "upper_red.skin"] {
        assert_eq!(read(name), own(name), "{name}");
    }
    assert_eq!(read("lower_blue.skin"), b"l_legs,blue\r");
    let upper = meshlens::Model::parse(Box::leak(read("upper.md3").into_boxed_slice())).unwrap();
    assert_eq!(upper.meshes[0].name, "u_body");
    assert_eq!(upper.frame_count(), meshlens::Model::parse(&own("upper.md3")).unwrap().frame_count());
}

#[test]
fn a_changed_clip_keeps_the_other_words_of_animation_cfg() {
    let folder = tempfile::tempdir().unwrap();
    let (glb, out) = (folder.path().join("block.glb"), folder.path().join("out"));
    run(&[utf8(&player()), "-o", utf8(&glb)]);
    edit(&glb, |json| {
        for name in ["lower", "upper"] {
            for file in files(json, name).iter_mut().filter(|file| file["kind"] == "clips") {
                let text = file["text"].as_str().unwrap().replacen("sex", "// sex", 1);
                // The text states another rate than the animation.
                file["text"] = json!(format!("sex f\nfixedtorso\n{}", text.replacen("\t20", "\t21", 1)));
            }
        }
    });
    run(&[utf8(&glb), "--to", "md3", "--out-dir", utf8(&out)]);
    let text = fs::read(out.join("block/animation.cfg")).unwrap();
    let config = meshlens::md3::AnimationConfig::parse(&text).unwrap();
    let own = fs::read(player().join("animation.cfg")).unwrap();
    let own = meshlens::md3::AnimationConfig::parse(&own).unwrap();
    assert_eq!((config.sex, config.fixed_torso), (Some(meshlens::md3::animation::Sex::Female), true));
    for part in [meshlens::md3::animation::BodyPart::Legs, meshlens::md3::animation::BodyPart::Torso] {
        assert_eq!(config.clips(part), own.clips(part));
    }
}

/// A folder of a game with a model of two skins, a level of detail and a shader.
fn game(root: &Path) -> PathBuf {
    let models = root.join("base/models/box");
    fs::create_dir_all(&models).unwrap();
    fs::create_dir_all(root.join("base/scripts")).unwrap();
    let bytes = fs::read(real::workspace_root().join("corpus/md3/static.md3")).unwrap();
    fs::write(models.join("box.md3"), &bytes).unwrap();
    fs::write(models.join("box_1.md3"), &bytes).unwrap();
    let mesh = meshlens::Model::parse(&bytes).unwrap().meshes[0].name.clone();
    fs::write(models.join("box_red.skin"), format!("{mesh},models/box/red\r\ntag_x,\r\n")).unwrap();
    fs::write(models.join("box_blue.skin"), format!("{mesh},models/box/blue")).unwrap();
    let script = "models/box/other\n{\n}\n// red\nmodels/box/red // glows\r\n{\n\t{\n\t\tmap models/box/red.tga\n\t\tblendFunc add\n\t}\n}\nmodels/z\n{\n}\n";
    fs::write(root.join("base/scripts/all.shader"), script).unwrap();
    models.join("box.md3")
}

const SHADER: &str =
    "models/box/red // glows\r\n{\n\t{\n\t\tmap models/box/red.tga\n\t\tblendFunc add\n\t}\n}\n";

#[test]
fn skins_levels_and_shaders_are_written_beside_an_md3() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let model = game(folder.path());
    run(&[utf8(&model), "-o", utf8(&path("x.glb"))]);
    // In the folder of a game, the shader is where engines look for it.
    fs::create_dir_all(path("mod/models/new")).unwrap();
    run(&[utf8(&path("x.glb")), "-o", utf8(&path("mod/models/new/y.md3"))]);
    let expected = [
        "models/new/y.md3",
        "models/new/y_1.md3",
        "models/new/y_blue.skin",
        "models/new/y_red.skin",
        "scripts/new_y.shader",
    ];
    assert_eq!(names(&path("mod")), expected);
    for (made, own) in [
        ("y_red.skin", "box_red.skin"),
        ("y_blue.skin", "box_blue.skin"),
        ("y_1.md3", "box_1.md3"),
        ("y.md3", "box.md3"),
    ] {
        let own = fs::read(model.with_file_name(own)).unwrap();
        assert_eq!(fs::read(path("mod/models/new").join(made)).unwrap(), own, "{made}");
    }
    assert_eq!(fs::read_to_string(path("mod/scripts/new_y.shader")).unwrap(), SHADER);
    // Elsewhere, it is beside the model.
    fs::create_dir(path("plain")).unwrap();
    run(&[utf8(&path("x.glb")), "-o", utf8(&path("plain/box.md3"))]);
    assert_eq!(fs::read_to_string(path("plain/box.shader")).unwrap(), SHADER);
    // A format without such files lists them.
    let text = run(&[utf8(&path("x.glb")), "-o", utf8(&path("x.u3d"))]);
    assert!(
        text.contains("lost: 5 files of another format, the first one box_blue.skin [COMPANION_LOST]"),
        "{text}"
    );
    // Nothing travels if that is asked for.
    run(&[utf8(&model), "--carry", "none", "-o", utf8(&path("bare.glb"))]);
    fs::create_dir(path("bare")).unwrap();
    run(&[utf8(&path("bare.glb")), "-o", utf8(&path("bare/box.md3"))]);
    assert_eq!(names(&path("bare")), ["box.md3"]);
    run(&[utf8(&path("x.glb")), "--carry", "none", "-o", utf8(&path("bare/box.md3")), "--force"]);
    assert_eq!(names(&path("bare")), ["box.md3"]);
}

#[test]
fn a_player_without_extras_becomes_its_parts_by_their_tags() {
    let folder = tempfile::tempdir().unwrap();
    let (glb, out) = (folder.path().join("block.glb"), folder.path().join("out"));
    run(&[utf8(&player()), "-o", utf8(&glb)]);
    edit(&glb, |json| {
        for node in json["nodes"].as_array_mut().unwrap() {
            let node = node.as_object_mut().unwrap();
            node.remove("extras");
            // As Blender numbers names, and as somebody names an object.
            if node["name"] == "tag_head" {
                node["name"] = json!("tag_head.001");
            } else if node["name"] == "upper" {
                node["name"] = json!("body");
            }
        }
    });
    run(&[utf8(&glb), "--to", "md3", "--out-dir", utf8(&out)]);
    let made = names(&out.join("block"));
    assert_eq!(made, ["animation.cfg", "head.md3", "lower.md3", "upper.md3"]);
    for name in &made[1..] {
        let [made, own] =
            [out.join("block").join(name), player().join(name)].map(|path| fs::read(path).unwrap());
        let (made, own) = (meshlens::Model::parse(&made).unwrap(), meshlens::Model::parse(&own).unwrap());
        let tags =
            |model: &meshlens::Model<'_>| model.tags.iter().map(|tag| tag.name.clone()).collect::<Vec<_>>();
        assert_eq!(tags(&made), tags(&own), "{name}");
        assert_eq!(made.meshes[0].name, own.meshes[0].name, "{name}");
    }
    let config = |folder: &Path| {
        let text = fs::read(folder.join("animation.cfg")).unwrap();
        meshlens::md3::AnimationConfig::parse(&text).unwrap()
    };
    let (made, own) = (config(&out.join("block")), config(&player()));
    for part in [meshlens::md3::animation::BodyPart::Legs, meshlens::md3::animation::BodyPart::Torso] {
        let names = |config: &meshlens::md3::AnimationConfig| {
            config.clips(part).into_iter().map(|clip| clip.name).collect::<Vec<_>>()
        };
        assert_eq!(names(&made), names(&own));
    }
}

#[test]
fn the_levels_of_gltf_become_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    // The corpus has static.md3 with a level of fewer vertices.
    let own = real::workspace_root().join("corpus/md3/static.md3");
    run(&[utf8(&own), "--carry", "none", "--lod", "all", "-o", utf8(&path("x.glb"))]);
    assert_eq!(document(&path("x.glb"))["extensionsUsed"], json!(["MSFT_lod"]));
    fs::create_dir(path("out")).unwrap();
    let text = run(&[utf8(&path("x.glb")), "-o", utf8(&path("out/y.md3"))]);
    assert!(!text.contains("SCENE_LOST") && !text.contains("LOD_LOST"), "{text}");
    assert_eq!(names(&path("out")), ["y.md3", "y_1.md3"]);
    let counts = |bytes: &[u8]| {
        let model = meshlens::Model::parse(bytes).unwrap();
        model.meshes.iter().map(|mesh| (mesh.name.clone(), mesh.triangle_count())).collect::<Vec<_>>()
    };
    for (made, own) in [("y.md3", "static.md3"), ("y_1.md3", "static_1.md3")] {
        let own = fs::read(real::workspace_root().join("corpus/md3").join(own)).unwrap();
        assert_eq!(counts(&fs::read(path("out").join(made)).unwrap()), counts(&own), "{made}");
    }
}

#[test]
fn a_material_of_gltf_becomes_a_shader_where_its_image_is_not_enough() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    run(&[utf8(&game(folder.path())), "--carry", "none", "-o", utf8(&path("x.glb"))]);
    let image = document(&path("x.glb"))["materials"][0]["extras"]["texture"].as_str().unwrap().to_owned();
    edit(&path("x.glb"), |json| {
        let material = &mut json["materials"][0];
        (material["alphaMode"], material["doubleSided"]) = (json!("MASK"), json!(true));
    });
    fs::create_dir_all(path("mod/models/new")).unwrap();
    let text = run(&[utf8(&path("x.glb")), "-o", utf8(&path("mod/models/new/y.md3"))]);
    // The shader has all of the material.
    assert!(!text.contains("MATERIAL_LOST"), "{text}");
    let name = image.rsplit_once('.').unwrap().0;
    let lines = ["cull disable", "{", "\tmap ", "\talphaFunc GE128", "\trgbGen lightingDiffuse", "}"];
    let lines = lines.join("\n\t").replace("map ", &format!("map {image}"));
    let shader = fs::read_to_string(path("mod/scripts/new_y.shader")).unwrap();
    assert_eq!(shader, format!("{name}\n{{\n\t{lines}\n}}\n"));
    // An engine finds it, and so does the conversion back.
    run(&[utf8(&path("mod/models/new/y.md3")), "-o", utf8(&path("z.glb"))]);
    let material = &document(&path("z.glb"))["materials"][0];
    assert_eq!((&material["alphaMode"], &material["doubleSided"]), (&json!("MASK"), &json!(true)));
}

#[test]
fn variants_are_skins_and_become_skins() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let model = game(folder.path());
    run(&[utf8(&model), "--variants", "-o", utf8(&path("x.glb"))]);
    let json = document(&path("x.glb"));
    let names = &json["extensions"]["KHR_materials_variants"]["variants"];
    assert_eq!(names, &json!([{ "name": "blue" }, { "name": "red" }]));
    let mappings = &json["meshes"][0]["primitives"][0]["extensions"]["KHR_materials_variants"]["mappings"];
    let material = |variant: u64| {
        let maps = mappings.as_array().unwrap().iter();
        let map = maps.into_iter().find(|map| map["variants"][0] == variant).unwrap();
        json["materials"][map["material"].as_u64().unwrap() as usize].clone()
    };
    assert_eq!(material(1)["name"], "models/box/red");
    assert_eq!((&material(1)["alphaMode"], &material(0)["alphaMode"]), (&json!("BLEND"), &Value::Null));
    // Variants without the files of their skins, as another program makes them.
    edit(&path("x.glb"), |json| files(json, "box").clear());
    fs::create_dir(path("out")).unwrap();
    run(&[utf8(&path("x.glb")), "-o", utf8(&path("out/box.md3"))]);
    let skin = fs::read_to_string(path("out/box_blue.skin")).unwrap();
    assert!(skin.lines().any(|line| line.ends_with(",models/box/blue")), "{skin}");
    assert!(path("out/box_red.skin").exists());
}

#[test]
fn an_unreal_mesh_and_its_script_come_back_unless_they_were_edited() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let corpus = real::workspace_root().join("corpus/unreal");
    run(&[utf8(&corpus.join("Classes/Figure.uc")), "--out-dir", utf8(folder.path())]);
    let glb = path(&names(folder.path())[0]);
    let stem = document(&glb)["nodes"].as_array().unwrap().iter().find_map(|node| {
        let files = node["extras"]["meshlens"]["files"].as_array()?;
        let name = files.iter().find(|file| file["kind"] == "mesh")?["name"].as_str()?;
        Some(name.split('_').next().unwrap().to_owned())
    });
    let stem = stem.unwrap();
    fs::create_dir(path("out")).unwrap();
    run(&[utf8(&glb), "-o", utf8(&path("out").join(format!("{stem}.3d")))]);
    let own = |name: &str| {
        let found = real::files_below(&corpus).into_iter();
        let mut found = found.filter(|path| path.file_name().unwrap().eq_ignore_ascii_case(name));
        fs::read(found.next().unwrap()).unwrap()
    };
    let made = names(&path("out"));
    assert_eq!(made.len(), 3, "{made:?}");
    for name in &made {
        assert_eq!(fs::read(path("out").join(name)).unwrap(), own(name), "{name}");
    }
    // Another name or another scale needs another script.
    fs::create_dir(path("other")).unwrap();
    for arguments in [
        &["-o", utf8(&path("other/x.3d"))][..],
        &["--scale", "2", "-o", utf8(&path("other").join(format!("{stem}.3d")))],
    ] {
        let text = run(&[&[utf8(&glb)], arguments].concat());
        assert!(
            text.contains("the script: the mesh is another one, and has a new script [COMPANION_LOST]"),
            "{text}"
        );
    }
}

/// The files of an archive below a folder.
fn archive(name: &str, below: &str) -> BTreeMap<String, Vec<u8>> {
    let mut zip = zip::ZipArchive::new(fs::File::open(name).unwrap()).unwrap();
    let mut files = BTreeMap::new();
    for index in 0..zip.len() {
        let mut file = zip.by_index(index).unwrap();
        if let Some(path) = file.name().unwrap().strip_prefix(below).filter(|path| !path.ends_with('/')) {
            let (path, mut bytes) = (path.to_owned(), Vec::new());
            file.read_to_end(&mut bytes).unwrap();
            files.insert(path, bytes);
        }
    }
    files
}

/// All models of OpenArena's archives, one by one and as whole players, through glTF and back.
#[test]
fn every_model_of_openarena_comes_back_with_the_same_bytes() {
    let Some(root) = std::env::var_os("MESHLENS_OPENARENA").map(PathBuf::from) else {
        println!("skipped: MESHLENS_OPENARENA is not set");
        return;
    };
    let (mut models, mut players, mut texts) = (0, 0, 0);
    for name in ["pak0.pk3", "pak2-players.pk3"] {
        let folder = tempfile::tempdir().unwrap();
        let (glb, out) = (folder.path().join("glb"), folder.path().join("out"));
        let pak = root.join(name);
        let own = archive(utf8(&pak), "models/");
        // Models one by one, without the parts of players.
        run(&[utf8(&pak), "--textures", "none", "--out-dir", utf8(&glb)]);
        run(&[utf8(&glb), "--to", "md3", "--out-dir", utf8(&out)]);
        let made = out.join("models");
        let made = if made.exists() { made } else { out.join(name).join("models") };
        for (path, bytes) in own.iter().filter(|(path, _)| path.to_ascii_lowercase().ends_with(".md3")) {
            assert!(fs::read(made.join(path)).is_ok_and(|there| there == *bytes), "{name}: {path}");
            models += 1;
        }
        // Whole players.
        let is_lower = |path: &&String| path.starts_with("players/") && path.ends_with("/lower.md3");
        for lower in own.keys().filter(is_lower) {
            let player = lower.strip_prefix("players/").unwrap().strip_suffix("/lower.md3").unwrap();
            let (file, given) = (
                folder.path().join(format!("{player}.glb")),
                format!("{}!models/players/{player}", pak.display()),
            );
            run(&[&given, "--textures", "none", "-o", utf8(&file)]);
            run(&[utf8(&file), "--to", "md3", "--out-dir", utf8(&folder.path().join("players"))]);
            let back = folder.path().join("players").join(player);
            for name in names(&back).iter().filter(|name| !name.ends_with(".shader")) {
                let wanted = &own[&format!("players/{player}/{name}")];
                assert_eq!(&fs::read(back.join(name)).unwrap(), wanted, "{player}/{name}");
                texts += usize::from(!name.ends_with(".md3"));
            }
            players += 1;
        }
    }
    assert_eq!((models, players), (210, 14));
    assert!(texts > 14 * 4, "{texts}");
}
