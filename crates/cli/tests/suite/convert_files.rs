//! The files that a conversion writes next to its output, and their sizes.

use std::fs;
use std::path::Path;

use meshlens::md3::Md3;
use meshlens_assets::material::Image;
use meshlens_testkit::{real, targets};

use super::convert::{convert, document};
use crate::shared::{stderr, stdout, utf8};

#[test]
fn a_separate_buffer_is_written_next_to_its_document() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a model.gltf");
    assert_eq!(convert(&["corpus/md3/animated.md3", "-o", utf8(&out)]).status.code(), Some(0));
    let document: serde_json::Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
    assert_eq!(document["buffers"][0]["uri"], "a%20model.bin");
    let bin = fs::metadata(folder.path().join("a model.bin")).unwrap().len();
    assert_eq!(document["buffers"][0]["byteLength"], bin);
}

#[test]
fn textures_are_found_in_the_folder_of_the_model_or_above() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let images = (targets::find("image").unwrap().seeds)();
    let (_, jpeg) = images.iter().find(|(name, _)| name == "image.jpg").unwrap();
    let png = Image::new(1, 1, vec![9, 9, 9, 255]).unwrap().to_png();
    fs::create_dir_all(root.join("textures")).unwrap();
    fs::create_dir_all(root.join("models/in")).unwrap();
    fs::write(root.join("textures/ring.PNG"), b"wrong case").unwrap();
    fs::write(root.join("textures/ring.jpg"), jpeg).unwrap();
    fs::write(root.join("models/in/box.png"), png).unwrap();
    fs::copy(real::workspace_root().join("corpus/md3/multi_surface.md3"), root.join("models/in/m.md3"))
        .unwrap();
    let out = root.join("m.glb");
    let input = root.join("models/in/m.md3");
    let with = |options: &[&str]| {
        let output = convert(&[&[utf8(&input), "-o", utf8(&out), "--force"], options].concat());
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
        document(&out)
    };
    let images = with(&["--textures", "beside"])["images"].clone();
    assert_eq!(images, serde_json::json!([{"uri": "textures/ring.jpg"}, {"uri": "models/in/box.png"}]));
    assert_eq!(with(&["--textures", "none"])["images"], serde_json::Value::Null);
    let embedded = with(&[]);
    assert_eq!(embedded["images"][1]["mimeType"], "image/png");
    assert_eq!(embedded["images"][0]["uri"], serde_json::Value::Null);
}

#[test]
fn ultimate_3d_of_version_one_becomes_version_two_without_losses() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("levels.u3d");
    let output = convert(&["corpus/u3d/v1_levels.u3d", "-o", utf8(&out)]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    assert!(!stdout(&output).contains("lost"), "{}", stdout(&output));
    let bytes = fs::read(&out).unwrap();
    let u3d = meshlens::u3d::U3d::parse(&bytes).unwrap();
    assert_eq!((u3d.version().to_string(), u3d.lod_count()), ("2.0.0".into(), 2));
    // With another size, it is a model like all others.
    let scaled = convert(&["corpus/u3d/v1_levels.u3d", "-o", utf8(&out), "--scale", "2", "--force"]);
    assert_eq!(scaled.status.code(), Some(0), "{}", stderr(&scaled));
}

/// An uncompressed TGA of one pixel, of 24 or 32 bits.
fn pixel(bits: u8) -> Vec<u8> {
    let header = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, bits, if bits == 32 { 8 } else { 0 }];
    [&header[..], &[1, 2, 3, 128][..usize::from(bits / 8)]].concat()
}

#[test]
fn an_image_of_several_materials_is_written_once_beside_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("in/scripts")).unwrap();
    fs::create_dir_all(root.join("in/textures")).unwrap();
    fs::create_dir_all(root.join("in/models")).unwrap();
    let model = root.join("in/models/m.md3");
    fs::copy(real::workspace_root().join("corpus/md3/multi_surface.md3"), &model).unwrap();
    let out = root.join("out/m.glb");
    fs::create_dir_all(root.join("out")).unwrap();
    // Both materials draw the same image, and the second blends it. Without alpha in the image, both PNG files are the
    // same.
    let scripts = "textures/ring\n{\n{\nmap textures/same.tga\n}\n}\n\
                   textures/box\n{\n{\nmap textures/same.tga\nblendFunc blend\n}\n}\n";
    fs::write(root.join("in/scripts/all.shader"), scripts).unwrap();
    for (bits, files) in [(24, &["same.png"][..]), (32, &["same.png", "same_2.png"])] {
        fs::write(root.join("in/textures/same.tga"), pixel(bits)).unwrap();
        let arguments = [
            utf8(&model),
            "-o",
            utf8(&out),
            "--force",
            "--textures",
            "beside",
            "--root",
            utf8(&root.join("in")),
        ]
        .map(str::to_owned);
        let output = convert(&arguments.each_ref().map(String::as_str));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let mut found: Vec<String> = fs::read_dir(root.join("out/textures"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        found.sort();
        assert_eq!(found, files);
        fs::remove_dir_all(root.join("out/textures")).unwrap();
    }
}

#[test]
fn files_can_be_smaller() {
    let folder = tempfile::tempdir().unwrap();
    let made = |name: &str, options: &[&str]| {
        let path = folder.path().join(name);
        let output = convert(&[&["corpus/md3/animated.md3", "-o", utf8(&path)], options].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        (fs::metadata(&path).unwrap().len(), document(&path))
    };
    let (plain, document) = made("plain.glb", &[]);
    let targets = |document: &serde_json::Value| document["meshes"][0]["primitives"][0]["targets"].clone();
    assert!(targets(&document)[0]["NORMAL"].is_u64());
    let (base, document) = made("base.glb", &["--normals", "base"]);
    assert!(base < plain && targets(&document)[0]["NORMAL"].is_null());
    assert!(targets(&document)[0]["POSITION"].is_u64());
    for (option, extension) in [
        ("--meshopt", "KHR_meshopt_compression"),
        ("--meshopt=khr", "KHR_meshopt_compression"),
        ("--meshopt=ext", "EXT_meshopt_compression"),
    ] {
        let (_, document) = made("small.glb", &[option, "--quantize", "--force"]);
        assert_eq!(document["extensionsRequired"], serde_json::json!(["KHR_mesh_quantization", extension]));
        assert!(document["bufferViews"][0]["extensions"][extension].is_object());
        assert_eq!(document["buffers"][1]["extensions"][extension]["fallback"], true);
    }
}

/// The shaders of the first surface of an MD3.
fn shaders(path: &Path) -> Vec<String> {
    let bytes = fs::read(path).unwrap();
    let md3 = Md3::parse(&bytes).unwrap();
    md3.surface(0).unwrap().shaders().map(|shader| shader.name.to_string()).collect()
}

#[test]
fn a_game_finds_the_images_of_a_model_that_is_written_into_its_folder() {
    let game = tempfile::tempdir().unwrap();
    let folder = game.path().join("baseoa/models/gallery");
    fs::create_dir_all(&folder).unwrap();
    for source in ["walker.u3d", "walker.mesh", "walker_d.3d"] {
        let out = folder.join(source).with_extension("md3");
        assert!(
            convert(&[&format!("corpus/gallery/{source}"), "-o", utf8(&out), "--force"]).status.success()
        );
        assert_eq!(shaders(&out), ["models/gallery/walker.png"], "{source}");
        assert!(folder.join("walker.png").is_file());
    }
    let glb = game.path().join("walker.glb");
    assert!(convert(&["corpus/gallery/walker.u3d", "-o", utf8(&glb)]).status.success());
    let out = folder.join("other.md3");
    assert!(convert(&[utf8(&glb), "-o", utf8(&out)]).status.success());
    assert_eq!(shaders(&out), ["models/gallery/other_walker.png"]);
    assert!(folder.join("other_walker.png").is_file());

    // Elsewhere there is no game, and the names of an MD3 are already those of its game.
    let elsewhere = game.path().join("walker.md3");
    assert!(convert(&["corpus/gallery/walker.u3d", "-o", utf8(&elsewhere)]).status.success());
    assert_eq!(shaders(&elsewhere), ["walker.tga"]);
    assert!(!game.path().join("walker.png").exists());
    let own = folder.join("own.md3");
    assert!(convert(&["corpus/gallery/walker.md3", "-o", utf8(&own)]).status.success());
    assert_eq!(shaders(&own), ["walker.tga"]);
}

#[test]
fn an_md3_keeps_its_flags_in_an_md3() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| utf8(&folder.path().join(name)).to_owned();
    let (input, out) = (path("in.md3"), path("out.md3"));
    let mut model = {
        let bytes = fs::read(real::workspace_root().join("corpus/md3/multi_surface.md3")).unwrap();
        meshlens::md3::write::Model::try_from(&Md3::parse(&bytes).unwrap()).unwrap()
    };
    (model.flags, model.surfaces[1].flags) = (8, 3);
    fs::write(&input, model.write().unwrap()).unwrap();
    let same = convert(&[&input, "-o", &out]);
    assert!(!stdout(&same).contains("FLAGS_LOST"), "{}", stdout(&same));
    let bytes = fs::read(&out).unwrap();
    let md3 = Md3::parse(&bytes).unwrap();
    let surfaces: Vec<i32> = md3.surfaces().map(|surface| surface.flags()).collect();
    assert_eq!((md3.flags(), &surfaces[..2]), (8, &[0, 3][..]));
    let other = convert(&[&input, "-o", &path("out.u3d")]);
    assert!(stdout(&other).contains("[FLAGS_LOST]"), "{}", stdout(&other));
}
