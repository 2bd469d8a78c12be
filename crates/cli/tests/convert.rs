//! `meshlens convert` as a user or a CI job runs it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use meshlens_testkit::real;

fn convert(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshlens"));
    command
        .current_dir(real::workspace_root())
        .arg("convert")
        .args(arguments)
        .output()
        .expect("the command runs")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

fn utf8(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The JSON of a GLB.
fn document(path: &Path) -> serde_json::Value {
    let bytes = fs::read(path).unwrap();
    assert_eq!(&bytes[..4], b"glTF");
    assert_eq!(u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize, bytes.len());
    let len = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + len]).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let names = real::files_below(folder).into_iter();
    names.map(|path| path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/")).collect()
}

#[test]
fn a_tree_is_mirrored_with_totals() {
    let folder = tempfile::tempdir().unwrap();
    let output = convert(&["-j", "2", "--out-dir", utf8(folder.path()), "corpus/md3"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    let found = names(folder.path());
    for name in ["static.glb", "player/lower.glb", "models.pk3/MODELS/Stored_1.glb"] {
        assert!(found.iter().any(|found| found == name), "{name} is not among {found:?}");
    }
    let totals = stdout(&output).lines().last().unwrap();
    assert!(totals.starts_with(&format!("{} files, 0 failed, ", found.len())), "{totals}");
    assert!(totals.ends_with(" MB/s"));
    assert!(stdout(&output).contains("  lost: texture textures\\box.jpg: not found"));
}

#[test]
fn nothing_is_overwritten_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("x.glb");
    fs::write(&out, "mine").unwrap();
    let arguments = ["corpus/md3/static.md3", "-o", utf8(&out)];
    let output = convert(&arguments);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("x.glb"), "{}", stderr(&output));
    assert_eq!(fs::read(&out).unwrap(), b"mine");
    assert_eq!(convert(&[&arguments[..], &["--force"]].concat()).status.code(), Some(0));
    assert_eq!(document(&out)["asset"]["version"], "2.0");
    assert_eq!(names(folder.path()), ["x.glb"]);
}

#[test]
fn a_bad_file_leaves_nothing_and_the_rest_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in");
    fs::create_dir(&input).unwrap();
    let model = fs::read(real::workspace_root().join("corpus/md3/static.md3")).unwrap();
    fs::write(input.join("good.md3"), &model).unwrap();
    fs::write(input.join("cut.md3"), &model[..900]).unwrap();
    // A triangle that names no vertex is only found on the way.
    let mut broken = model.clone();
    let triangles = 108 + 56 + 108 + 68;
    broken[triangles..triangles + 4].copy_from_slice(&9999u32.to_le_bytes());
    fs::write(input.join("index.md3"), &broken).unwrap();
    let out = folder.path().join("out");
    let output = convert(&["--out-dir", utf8(&out), utf8(&input)]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(names(&out), ["good.glb"]);
    let errors = stderr(&output);
    assert!(
        errors.contains("cut.md3: md3: ") && errors.contains("index.md3: md3: ") && errors.contains("9999"),
        "{errors}"
    );
    assert!(stdout(&output).contains("1 files, 2 failed, "));
}

#[test]
fn a_player_folder_is_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("block.glb");
    let output = convert(&["corpus/md3/player", "--skin", "red", "-o", utf8(&out)]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    let document = document(&out);
    let clips: Vec<&str> = document["animations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|clip| clip["name"].as_str().unwrap())
        .collect();
    assert_eq!((clips.len(), clips[6]), (25, "LEGS_WALKCR"));
    assert_eq!(document["scenes"][0]["nodes"].as_array().unwrap().len(), 1, "everything hangs on the legs");
    let materials = document["materials"].as_array().unwrap();
    assert_eq!(materials.len(), 1);
    assert_eq!(materials[0]["extras"]["texture"], "models/players/block/red.tga");
    let output = convert(&["corpus/md3/player", "--skin", "gold", "-o", utf8(&out), "--force"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("lower_gold.skin"));
}

#[test]
fn a_separate_buffer_lies_beside_its_document() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a model.gltf");
    assert_eq!(convert(&["corpus/md3/animated.md3", "-o", utf8(&out)]).status.code(), Some(0));
    let document: serde_json::Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
    assert_eq!(document["buffers"][0]["uri"], "a%20model.bin");
    let bin = fs::metadata(folder.path().join("a model.bin")).unwrap().len();
    assert_eq!(document["buffers"][0]["byteLength"], bin);
}

#[test]
fn textures_are_found_beside_the_model_or_above_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    // Not images anybody could see, but they begin as such.
    fs::create_dir_all(root.join("textures")).unwrap();
    fs::create_dir_all(root.join("models/in")).unwrap();
    fs::write(root.join("textures/ring.PNG"), b"wrong case").unwrap();
    fs::write(root.join("textures/ring.jpg"), b"\xff\xd8\xff\xe0").unwrap();
    fs::write(root.join("models/in/box.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    fs::copy(real::workspace_root().join("corpus/md3/multi_surface.md3"), root.join("models/in/m.md3"))
        .unwrap();
    let out = root.join("m.glb");
    let input = root.join("models/in/m.md3");
    assert_eq!(convert(&[utf8(&input), "-o", utf8(&out)]).status.code(), Some(0));
    let images = document(&out)["images"].clone();
    assert_eq!(images, serde_json::json!([{"uri": "textures/ring.jpg"}, {"uri": "models/in/box.png"}]));
    assert_eq!(convert(&[utf8(&input), "-o", utf8(&out), "--embed", "--force"]).status.code(), Some(0));
    let embedded = document(&out);
    assert_eq!(embedded["images"][1]["mimeType"], "image/png");
    assert_eq!(embedded["images"][0]["uri"], serde_json::Value::Null);
}

#[test]
fn levels_of_detail_are_alternatives() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("x.glb");
    let arguments = ["corpus/md3/static.md3", "-o", utf8(&out), "--lod", "all"];
    assert_eq!(convert(&arguments).status.code(), Some(0));
    let document = document(&out);
    let node =
        document["nodes"].as_array().unwrap().iter().find(|node| node["extensions"].is_object()).unwrap();
    let coarse = node["extensions"]["MSFT_lod"]["ids"][0].as_u64().unwrap();
    assert_eq!(document["nodes"][coarse as usize]["name"], "static level 1");
    assert_eq!(document["extensionsUsed"], serde_json::json!(["MSFT_lod"]));
}

#[test]
fn every_format_goes_to_every_other() {
    let folder = tempfile::tempdir().unwrap();
    let sources = ["md3/animated.md3", "unreal/Models/ring_d.3d", "unigine/morph.mesh", "u3d/v2_skinned.u3d"];
    for (number, source) in sources.into_iter().enumerate() {
        let input = format!("corpus/{source}");
        for (to, end) in
            [("md3", "md3"), ("unreal", "3d"), ("u3d", "u3d"), ("unigine", "mesh"), ("glb", "glb")]
        {
            let out = folder.path().join(format!("{number}.{end}"));
            let output = convert(&[&input, "--to", to, "-o", utf8(&out)]);
            assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""), "{source} to {to}");
            let losses = stdout(&output).lines().filter(|line| line.starts_with("  lost: ")).count();
            let same = (source, to) == ("unigine/morph.mesh", "unigine");
            assert_eq!(losses == 0, same, "{source} to {to}: {}", stdout(&output));
            // What was written is sound, and has the triangles of the source.
            let written = if to == "unreal" {
                let stem = utf8(&out).strip_suffix(".3d").unwrap().to_owned();
                assert!(Path::new(&format!("{stem}.uc")).is_file());
                format!("{stem}_d.3d")
            } else {
                utf8(&out).to_owned()
            };
            if to != "glb" {
                let mut command = Command::new(env!("CARGO_BIN_EXE_meshlens"));
                let output = command.args(["validate", &written]).output().unwrap();
                assert_eq!(output.status.code(), Some(0), "{source} to {to}: {}", stdout(&output));
            }
            // And goes back to glTF.
            let back = folder.path().join("back.glb");
            let output = convert(&[&written, "-o", utf8(&back), "--force"]);
            assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""), "{source} to {to} and back");
            let count = |document: &serde_json::Value| -> u64 {
                let meshes = document["meshes"].as_array().unwrap().iter();
                let primitives = meshes.flat_map(|mesh| mesh["primitives"].as_array().unwrap());
                let indices = primitives.map(|primitive| primitive["indices"].as_u64().unwrap() as usize);
                indices.map(|index| document["accessors"][index]["count"].as_u64().unwrap()).sum()
            };
            let direct = folder.path().join("direct.glb");
            assert_eq!(convert(&[&input, "-o", utf8(&direct), "--force"]).status.code(), Some(0));
            assert_eq!(count(&document(&back)), count(&document(&direct)), "{source} to {to}");
        }
    }
}

#[test]
fn a_modelling_programs_file_is_baked_at_a_rate() {
    let folder = tempfile::tempdir().unwrap();
    let (glb, md3) = (folder.path().join("x.glb"), folder.path().join("x.md3"));
    assert_eq!(convert(&["corpus/unigine/skinned_ms11.mesh", "-o", utf8(&glb)]).status.code(), Some(0));
    for (rate, frames) in [("10", 3 + 2), ("20", 5 + 3)] {
        let output = convert(&[utf8(&glb), "--fps", rate, "-o", utf8(&md3), "--force"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let bytes = fs::read(&md3).unwrap();
        assert_eq!(u32::from_le_bytes(bytes[76..80].try_into().unwrap()), frames, "{rate}");
    }
    // A buffer outside the document's folder is not read.
    let secret = folder.path().join("secret.bin");
    fs::write(&secret, [0; 4]).unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    let outside = folder.path().join("in/x.gltf");
    for uri in ["../secret.bin", "%2e%2e/secret.bin", utf8(&secret)] {
        let text = format!(r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":4,"uri":"{uri}"}}]}}"#);
        fs::write(&outside, text).unwrap();
        let output = convert(&[utf8(&outside), "-o", utf8(&md3), "--force"]);
        assert_eq!(output.status.code(), Some(1), "{uri}");
        assert!(stderr(&output).contains("cannot be read"), "{}", stderr(&output));
    }
}

#[test]
fn wrong_usage_is_2() {
    for arguments in [
        &["corpus", "-o", "x.glb"][..],
        &["corpus/md3/static.md3", "-o", "x.obj"],
        &["corpus/md3/static.md3", "--frames", "5..2"],
        &["corpus/md3/static.md3", "--frame", "1", "--clip", "x"],
        &["corpus/md3/models.pk3!models/stored.md3"],
        &["no/such/file", "-o", "x.glb"],
    ] {
        let output = convert(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(!stderr(&output).is_empty());
    }
    assert_eq!(convert(&["corpus/md3/static.md3", "-o", "x.glb", "--clip", "run"]).status.code(), Some(1));
    assert!(!real::workspace_root().join("x.glb").exists());
}
