//! Files that belong to a model travel in the extras of its node, and variants of materials in their extension.

use meshlens::Model;
use meshlens::import::Roots;
use meshlens::model::Material;
use meshlens::model::export;
use meshlens::scene::{Companion, CompanionKind, Node, Scene, Variant};
use meshlens::wire::Budget;
use meshlens_gltf::{ImportLimits, ImportOptions, Options, import, import_within};
use meshlens_testkit::share::few_or_all;
use serde_json::{Value, json};

use super::md3::{corpus_file, glb};
use super::one_node;

fn companion(kind: CompanionKind, name: &str, bytes: &[u8]) -> Companion {
    Companion { kind, name: name.into(), of: "tagged".into(), bytes: bytes.into() }
}

/// One file of each kind. Some are no text: Latin-1, and a NUL.
fn companions() -> Vec<Companion> {
    vec![
        companion(CompanionKind::Clips, "tagged.animation.cfg", b"// caf\xe9\r\n0 3 0 10 // All\r\n"),
        companion(CompanionKind::Skin, "tagged_red.skin", b"body,\"a b\"\r\rtag_x,\n\xef\xbb\xbf"),
        companion(CompanionKind::Shader, "models/x/glow", "models/x/glow\n{\n\t// \u{fc}\n}".as_bytes()),
        companion(CompanionKind::Level, "tagged_1.md3", b"IDP3\0\0"),
        companion(CompanionKind::Icon, "icon_default.tga", &[0, 0, 2]),
        companion(CompanionKind::Script, "Tagged.uc", b"class Tagged;\x0b\x7f\n"),
        companion(CompanionKind::Material, "tagged.mat", b""),
        companion(CompanionKind::Rest, "tagged.md3", &[0; 5000]),
    ]
}

fn carrying(files: Vec<Companion>) -> Vec<u8> {
    let bytes = corpus_file("md3/tagged.md3");
    let mut scene = one_node("tagged", &Model::parse(&bytes).unwrap());
    scene.nodes[0].companions = files;
    glb(&scene, &Options::default())
}

/// The document of a GLB, and what follows it.
fn split(glb: &[u8]) -> (Value, &[u8]) {
    let len = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    (serde_json::from_slice(&glb[20..20 + len]).unwrap(), &glb[20 + len..])
}

fn joined(document: &Value, rest: &[u8]) -> Vec<u8> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = (20 + text.len() + rest.len()) as u32;
    [b"glTF\x02\0\0\0", &total.to_le_bytes()[..], &(text.len() as u32).to_le_bytes(), b"JSON", &text, rest]
        .concat()
}

#[test]
fn files_of_every_kind_come_back_with_the_same_bytes() {
    let glb = carrying(companions());
    for roots in [Roots::Nodes, Roots::Merged, Roots::Models] {
        let (scene, losses) =
            import(&glb, &ImportOptions { roots, ..ImportOptions::default() }, &|_, _| None).unwrap();
        assert_eq!(scene.nodes[0].companions, companions(), "{roots:?}");
        assert_eq!(losses.groups().count(), 0);
    }
    // Texts are texts, so that they can be edited. What is no text is compressed.
    let (document, _) = split(&glb);
    let node = document["nodes"].as_array().unwrap().iter().find(|node| node["name"] == "tagged").unwrap();
    let files = &node["extras"]["meshlens"]["files"];
    assert_eq!(files[1]["text"], "body,\"a b\"\r\rtag_x,\n\u{feff}");
    assert_eq!((&files[0]["text"], &files[7]["bytes"]), (&Value::Null, &json!(5000)));
    assert!(files[7]["deflate"].as_str().unwrap().len() < 64);
}

#[test]
fn damaged_files_are_listed_and_the_others_are_kept() {
    let glb = carrying(companions());
    let (document, rest) = split(&glb);
    let at = document["nodes"].as_array().unwrap().iter().position(|node| node["name"] == "tagged").unwrap();
    let import = |files: Value| {
        let mut document = document.clone();
        document["nodes"][at]["extras"]["meshlens"]["files"] = files;
        let (scene, losses) =
            import(&joined(&document, rest), &ImportOptions::default(), &|_, _| None).unwrap();
        // The frames beside the files are not lost with them.
        assert_eq!(
            (scene.nodes[0].model.frame_count(), scene.nodes[0].model.frame_name(1).is_empty()),
            (3, false)
        );
        let messages: Vec<String> = losses.findings().map(|finding| finding.message.to_string()).collect();
        (scene.nodes[0].companions.len(), messages.join("; "))
    };
    let fine = json!({ "kind": "skin", "name": "a.skin", "text": "x" });
    assert_eq!(import(json!([fine])), (1, String::new()));
    for (file, expected) in [
        (json!({ "kind": "virus", "name": "a.exe", "text": "x" }), "file virus a.exe: expected a known kind"),
        (json!({ "kind": "skin", "name": "../a.skin", "text": "x" }), "a name of its kind, without a folder"),
        (json!({ "kind": "skin", "name": "..\\a.skin", "text": "x" }), "a name of its kind"),
        (json!({ "kind": "skin", "name": "C:a.skin", "text": "x" }), "a name of its kind"),
        (json!({ "kind": "skin", "name": ".skin", "text": "x" }), "a name of its kind"),
        (json!({ "kind": "skin", "name": "autoexec.cfg", "text": "x" }), "a name of its kind"),
        (json!({ "kind": "clips", "name": "autoexec.cfg", "text": "x" }), "a name of its kind"),
        (json!({ "kind": "icon", "name": "skull.tga", "text": "x" }), "a name of its kind"),
        (json!({ "kind": "skin", "name": "b.skin" }), "a text or compressed bytes"),
        (json!({ "kind": "skin", "name": "a.skin", "text": "y" }), "one file of this name"),
        (json!({ "kind": "level", "name": "a.md3", "deflate": "?", "bytes": 1 }), "base64"),
        (json!({ "kind": "level", "name": "a.md3", "deflate": "AAAA", "bytes": 1 }), "of the stated number"),
        // 5000 zeros, with another number.
        (
            json!({ "kind": "level", "name": "a.md3", "deflate": "7cEBDQAAAMKg909tDwcUAAAAAAAAAAAAAAA=", "bytes": 4 }),
            "of the stated number",
        ),
        (json!({ "kind": "level", "name": "a.md3", "deflate": "AAAA", "bytes": 1u64 << 60 }), ""),
        (json!(7), "a known kind"),
        (json!({ "kind": 7 }), "a known kind"),
        (json!([]), "a known kind"),
    ] {
        if expected.is_empty() {
            // More than any budget: the whole import is refused before anything is allocated.
            continue;
        }
        let (count, messages) = import(json!([fine, file]));
        assert_eq!(count, 1, "{file}");
        assert!(messages.contains(expected), "{file}: {messages}");
    }
    for broken in [json!("files"), json!({}), json!(1)] {
        assert_eq!(import(broken).0, 0);
    }
}

#[test]
fn the_memory_of_files_is_charged_before_they_are_made() {
    let glb = carrying(companions());
    let (mut document, rest) = split(&glb);
    let at = document["nodes"].as_array().unwrap().iter().position(|node| node["name"] == "tagged").unwrap();
    document["nodes"][at]["extras"]["meshlens"]["files"] =
        json!([{ "kind": "level", "name": "a.md3", "deflate": "AAAA", "bytes": 1u64 << 40 }]);
    let bytes = joined(&document, rest);
    let error = import(&bytes, &ImportOptions::default(), &|_, _| None).unwrap_err();
    assert!(error.to_string().contains("1 elements x 219902"), "{error}");
    // An export charges them, too.
    let scene = {
        let mut scene = Scene::from(Node::new("x", Model::empty(None, meshlens::model::Space::MD3)));
        scene.nodes[0].companions = vec![companion(CompanionKind::Level, "x_1.md3", &vec![7; 1 << 20])];
        scene
    };
    let budget = Budget::new(1 << 20);
    let options = Options { budget: Some(&budget), ..Options::default() };
    assert!(meshlens_gltf::Export::plan(&scene, &options).is_err());
    let limits = ImportLimits { bytes: 1 << 30, ..ImportLimits::DEFAULT };
    let options = ImportOptions { limits, ..ImportOptions::default() };
    let fine = carrying(companions());
    assert!(import_within(&fine, &options, &|_, _| None, &Budget::new(8 << 20)).is_ok());
}

#[test]
fn variants_come_back_with_their_materials() {
    let bytes = corpus_file("md3/tagged.md3");
    let model = Model::parse(&bytes).unwrap();
    let material = |name: &str| Material { texture: Some(format!("{name}.tga")), ..Material::new(name) };
    let mut scene = one_node("tagged", &model);
    let all = |name: &str| Variant {
        name: name.into(),
        materials: model.meshes.iter().map(|_| Some(material(name))).collect(),
    };
    scene.nodes[0].variants = vec![all("red"), all("blue"), Variant { materials: vec![None], ..all("none") }];
    let glb = glb(&scene, &Options::default());
    let (document, rest) = split(&glb);
    assert_eq!(document["extensionsUsed"], json!(["KHR_materials_variants"]));
    let names = &document["extensions"]["KHR_materials_variants"]["variants"];
    assert_eq!(names, &json!([{ "name": "red" }, { "name": "blue" }]));
    let (back, losses) = import(&glb, &ImportOptions::default(), &|_, _| None).unwrap();
    assert_eq!(losses.groups().count(), 0);
    let variants = &back.nodes[0].variants;
    assert_eq!(variants.len(), 2);
    assert_eq!(variants[1].name, "blue");
    let textures: Vec<_> =
        variants[1].materials.iter().map(|material| material.clone().unwrap().texture).collect();
    assert_eq!(textures, vec![Some("blue.tga".to_owned()); model.meshes.len()]);
    // Indices of a broken file are refused.
    for (pointer, value) in [("/material", 99), ("/variants/0", 99)] {
        let mut broken = document.clone();
        let mapping = "/meshes/0/primitives/0/extensions/KHR_materials_variants/mappings/0";
        *broken.pointer_mut(&format!("{mapping}{pointer}")).unwrap() = json!(value);
        let error = import(&joined(&broken, rest), &ImportOptions::default(), &|_, _| None).unwrap_err();
        assert!(error.to_string().contains(&format!("{mapping}{}", &pointer[..9])), "{error}");
    }
}

/// What an MD3 becomes by way of glTF, with the rest of its bytes.
fn again(bytes: &[u8], scale: f32, edit: impl Fn(&mut Node<'static>)) -> Option<Vec<u8>> {
    let model = Model::parse(bytes).unwrap();
    let rest = export::md3_rest(bytes, &model, |_| true).unwrap();
    let made = glb(&one_node("x", &model), &Options { scale, ..Options::default() });
    let options = ImportOptions {
        roots: Roots::Merged,
        skins: meshlens::import::Skins::Bake,
        ..ImportOptions::default()
    };
    let (mut back, _) = import(&made, &options, &|_, _| None).unwrap();
    edit(&mut back.nodes[0]);
    let (made, _) = export::to_md3(&back.nodes[0].model, "x", 1.0 / scale).unwrap();
    export::md3_from_rest(&rest, &made, &back.nodes[0].model, 1.0 / scale)
}

#[test]
fn an_md3_comes_back_with_the_same_bytes_unless_it_was_edited() {
    for name in ["static", "animated", "tagged", "player/lower", "player/upper", "player/head"] {
        let bytes = corpus_file(&format!("md3/{name}.md3"));
        assert_eq!(again(&bytes, 1.0, |_| {}).as_deref(), Some(&bytes[..]), "{name}");
        assert_eq!(again(&bytes, 0.0254, |_| {}).as_deref(), Some(&bytes[..]), "{name}");
    }
    let bytes = corpus_file("md3/tagged.md3");
    assert!(again(&bytes, 1.0, |node| node.model.meshes[0].name.push('x')).is_none());
    assert!(again(&bytes, 1.0, |node| node.model.materials[0].name.push('x')).is_none());
    assert!(again(&bytes, 1.0, |node| node.model.tags[0].name.push('x')).is_none());
    assert!(again(&bytes, 1.0, |node| drop(node.model.tags.pop())).is_none());
    assert!(again(&bytes, 1.0, |node| drop(node.model.meshes.pop())).is_none());
    let moved = |by: f32| {
        again(&bytes, 1.0, |node| {
            let mut matrix = node.model.placement;
            matrix[3][1] += by;
            node.model.placement = matrix;
        })
    };
    assert!(moved(0.0).is_some() && moved(1.0).is_none());
}

#[test]
fn tags_that_blender_has_renamed_have_their_names_again() {
    let glb = carrying(Vec::new());
    let (mut document, rest) = split(&glb);
    let nodes = document["nodes"].as_array_mut().unwrap();
    for node in nodes.iter_mut().filter(|node| node["name"].as_str().unwrap().starts_with("tag_")) {
        node["name"] = json!(format!("{}.001", node["name"].as_str().unwrap()));
    }
    let (scene, _) = import(&joined(&document, rest), &ImportOptions::default(), &|_, _| None).unwrap();
    let names: Vec<&str> = scene.nodes[0].model.tags.iter().map(|tag| tag.name.as_str()).collect();
    assert_eq!(
        names,
        Model::parse(&corpus_file("md3/tagged.md3"))
            .unwrap()
            .tags
            .iter()
            .map(|tag| &*tag.name)
            .collect::<Vec<_>>()
    );
}

#[test]
fn a_damaged_rest_makes_no_file() {
    let bytes = corpus_file("md3/tagged.md3");
    let model = Model::parse(&bytes).unwrap();
    let rest = export::md3_rest(&bytes, &model, |_| true).unwrap();
    assert_eq!(export::md3_from_rest(&rest, &bytes, &model, 1.0).as_deref(), Some(&bytes[..]));
    for len in (0..rest.len()).step_by(few_or_all(5, 1)) {
        assert!(export::md3_from_rest(&rest[..len], &bytes, &model, 1.0).is_none(), "{len}");
    }
    let first = rest.len().min(64);
    for at in (0..first).chain((first..rest.len()).step_by(few_or_all(5, 1))) {
        let mut damaged = rest.clone();
        damaged[at] ^= 0x41;
        // Any nonzero byte marks a surface as written.
        let file = export::md3_from_rest(&damaged, &bytes, &model, 1.0);
        assert!(file.is_none() || file.as_deref() == Some(&bytes[..]), "{at}");
    }
}
