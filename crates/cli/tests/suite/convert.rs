//! `meshlens convert` as a user or a CI job runs it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use meshlens_testkit::real;

use crate::shared::{stderr, stdout, utf8};

pub(super) fn convert(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshlens"));
    command
        .current_dir(real::workspace_root())
        .arg("convert")
        .args(arguments)
        .output()
        .expect("the command runs")
}

/// The JSON of a GLB.
pub(super) fn document(path: &Path) -> serde_json::Value {
    let bytes = fs::read(path).unwrap();
    assert_eq!(&bytes[..4], b"glTF");
    assert_eq!(u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize, bytes.len());
    let len = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + len]).unwrap()
}

pub(super) fn names(folder: &Path) -> Vec<String> {
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
    assert!(totals.ends_with(" bytes out"), "{totals}");
}

#[test]
fn a_model_that_is_too_small_for_md3_causes_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let [small, out] = [path("small.glb"), path("out.md3")];
    // 22 units become 2.2 cm, which is 1.4 of MD3's steps.
    let scaled = convert(&["corpus/md3/animated.md3", "--scale", "0.001", "-o", utf8(&small)]);
    assert_eq!(scaled.status.code(), Some(0));
    let back = |more: &[&str]| convert(&[&[utf8(&small), "--force", "-o", utf8(&out)], more].concat());
    let output = back(&[]);
    assert_eq!(output.status.code(), Some(0));
    let warning = "warning: 95 of 120 distinct positions are merged; --scale 39.37 helps\n";
    assert!(stderr(&output).ends_with(warning), "{}", stderr(&output));
    assert!(!stdout(&output).contains("note: the result measures"), "{}", stdout(&output));
    fs::remove_file(&out).unwrap();
    assert_eq!(back(&["--strict"]).status.code(), Some(1));
    assert!(out.exists(), "it is written all the same");
    let helped = back(&["--strict", "--scale", "39.37"]);
    assert_eq!((helped.status.code(), stderr(&helped)), (Some(0), ""));

    let output = convert(&["corpus/md3/animated.md3", "--scale", "100", "-o", utf8(&path("large.md3"))]);
    let warning = "positions beyond 512 units are clamped; --scale 46 helps\n";
    assert!(stderr(&output).ends_with(warning), "{}", stderr(&output));
}

#[test]
fn sizes_are_reported_and_a_scale_is_suggested() {
    let folder = tempfile::tempdir().unwrap();
    let glb = folder.path().join("x.glb");
    let said = |arguments: &[&str]| {
        let output = convert(&[arguments, &["--force", "-o", utf8(&glb)]].concat());
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
        let text = stdout(&output).to_owned();
        let size = text.lines().next().unwrap().rsplit_once(" bytes").unwrap().1.to_owned();
        (size, text)
    };
    // At rest, the legs show frame 2, which is half a unit higher: they begin at -23.5, and their tag is at -7.5. The
    // torso shows frame 3, whose tag is at 10.75. The head is 5 high, so the top is at 8.25.
    let (size, text) = said(&["corpus/md3/player"]);
    assert!(size.contains(" x 31.8 x "), "{size}");
    assert!(text.contains(
        "  note: the result measures 31.8 m: --scale 0.0254 makes it 0.806 m (a unit of MD3 is about an inch)\n"
    ));
    let (size, text) = said(&["corpus/md3/player", "--scale", "0.0254"]);
    assert!(size.contains(" x 0.806 x ") && size.ends_with(" m"), "{size}");
    assert!(!text.contains("the result measures"), "{text}");
    assert_eq!(said(&["corpus/unigine/box_ms11.mesh"]).0, ", 1 x 1 x 1 m");
    assert_eq!(said(&["corpus/unigine/empty.mesh"]).0, "");
}

#[test]
fn existing_files_are_overwritten_only_if_requested() {
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
fn a_bad_file_has_no_output_and_the_others_are_converted() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in");
    fs::create_dir(&input).unwrap();
    let model = fs::read(real::workspace_root().join("corpus/md3/static.md3")).unwrap();
    fs::write(input.join("good.md3"), &model).unwrap();
    fs::write(input.join("cut.md3"), &model[..900]).unwrap();
    // A triangle with a vertex index out of range is only found while the file is written.
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
    assert!(stdout(&output).contains("1 file, 2 failed, "));
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
fn levels_of_detail_become_alternative_nodes() {
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
fn every_format_is_converted_to_every_other() {
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
            // These targets store all values exactly.
            let is_kept = [
                ("md3/animated.md3", "md3"),
                ("md3/animated.md3", "u3d"),
                ("unigine/morph.mesh", "unigine"),
                ("u3d/v2_skinned.u3d", "u3d"),
            ];
            assert_eq!(losses == 0, is_kept.contains(&(source, to)), "{source} to {to}: {}", stdout(&output));
            // The output is valid, and has the triangles of the source.
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
            // The result is converted back to glTF.
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
fn models_that_need_too_much_memory_are_refused_and_the_others_are_converted() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    instances(&at("a.gltf"), 4000, 7500);
    instances(&at("b.gltf"), 4000, 7500);
    instances(&at("c.gltf"), 100, 300);
    let (a, b, c, out) = (at("a.gltf"), at("b.gltf"), at("c.gltf"), at("out"));
    let all = [utf8(&a), utf8(&b), utf8(&c), "--to", "md3", "--out-dir", utf8(&out), "-j", "3"];
    let output = convert(&[&all[..], &["--max-memory", "32M"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let said = stderr(&output);
    let refused = said.lines().filter(|line| line.ends_with("; --max-memory allows more")).count();
    assert_eq!(refused, 2, "{said}");
    assert!(out.join("c.md3").exists() && !out.join("a.md3").exists());
    // A job that only fits without other jobs waits for them. A job that exceeds the budget is refused.
    for name in ["d.gltf", "e.gltf", "f.gltf"] {
        instances(&at(name), 100, 300);
    }
    let (d, e, f) = (at("d.gltf"), at("e.gltf"), at("f.gltf"));
    let with = |limit| {
        let files = [utf8(&c), utf8(&d), utf8(&e), utf8(&f)];
        let options = ["--to", "md3", "--out-dir", utf8(&out), "--force", "-j", "4", "--max-memory", limit];
        convert(&[&files[..], &options].concat())
    };
    let output = with("24M");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let output = with("1M");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output).matches("; --max-memory allows more").count(), 4, "{}", stderr(&output));
    let output = with("lots");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("expected a size, such as 512M or 2G"), "{}", stderr(&output));
}

#[test]
fn wrong_usage_exits_with_2() {
    for arguments in [
        &["corpus", "-o", "x.glb"][..],
        &["corpus/md3/static.md3", "-o", "x.obj"],
        &["corpus/md3/static.md3", "--frames", "5..2"],
        &["corpus/md3/static.md3", "--frame", "1", "--clip", "x"],
        &["corpus/md3/models.pk3!models/stored.md3"],
        &["no/such/file", "-o", "x.glb"],
        &["corpus/md3/static.md3", "-o", "x.glb", "--clip", "run"],
    ] {
        let output = convert(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(!stderr(&output).is_empty());
    }
    assert!(!real::workspace_root().join("x.glb").exists());
}

#[test]
fn totals_count_models_that_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let twice = ["corpus/md3/static.md3", "corpus/gallery/crate.md3", "corpus/md3/static.md3", "no_such.md3"];
    let output = convert(&[&twice[..], &["--out-dir", utf8(&out)]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("is already the output of corpus/md3/static.md3"),
        "{}",
        stderr(&output)
    );
    let totals = stdout(&output).lines().last().unwrap();
    assert!(totals.starts_with("2 files, 2 failed, "), "{totals}");
    assert_eq!(names(&out), ["crate.glb", "static.md3.glb"]);
}

#[test]
fn a_list_is_mirrored_relative_to_its_common_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (root, list, out) = (folder.path().join("in"), folder.path().join("list"), folder.path().join("out"));
    let mut paths = Vec::new();
    for name in ["a/x.md3", "b/x.md3", "b/c/x.md3", "b/y.md3"] {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(real::workspace_root().join("corpus/md3/static.md3"), &path).unwrap();
        paths.push(utf8(&path).to_owned());
    }
    fs::write(&list, paths.join("\n")).unwrap();
    let output = convert(&["--files-from", utf8(&list), "--out-dir", utf8(&out)]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    assert_eq!(names(&out), ["a/x.glb", "b/c/x.glb", "b/x.glb", "b/y.glb"]);
    // A single folder in a list is mirrored like a folder argument.
    fs::write(&list, utf8(&root.join("b"))).unwrap();
    let other = folder.path().join("other");
    let output = convert(&["--files-from", utf8(&list), "--out-dir", utf8(&other)]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    assert_eq!(names(&other), ["c/x.glb", "x.glb", "y.glb"]);
}

/// A glTF file with `nodes` nodes that all show one mesh of `vertices` vertices.
fn instances(path: &Path, nodes: usize, vertices: usize) {
    let accessor = format!(
        r#"{{"bufferView":0,"componentType":5126,"type":"VEC3","count":{vertices},"min":[0,0,0],"max":[0,0,0]}}"#
    );
    let buffer = format!(r#"{{"byteLength":{},"uri":"zeros.bin"}}"#, vertices * 12);
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
        "accessors":[{accessor}],"bufferViews":[{{"buffer":0,"byteLength":{}}}],"buffers":[{buffer}]}}"#,
        vec![r#"{"mesh":0}"#; nodes].join(","),
        vertices * 12,
    );
    fs::write(path, text).unwrap();
    fs::write(path.with_file_name("zeros.bin"), vec![0; 7500 * 12]).unwrap();
}

#[test]
fn values_that_are_replaced_fail_strict_conversions_to_any_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut bytes = fs::read(real::workspace_root().join("corpus/md3/static.md3")).unwrap();
    // The texture coordinate of the first vertex.
    bytes[0x304..0x308].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(path("x.md3"), &bytes).unwrap();
    for output in ["x.glb", "y.md3", "x.u3d"] {
        for (arguments, code) in [(&["--force"][..], 0), (&["--force", "--strict"], 1)] {
            let made = convert(&[&[utf8(&path("x.md3")), "-o", utf8(&path(output))], arguments].concat());
            assert_eq!(made.status.code(), Some(code), "{output}: {}", stderr(&made));
        }
    }
}
