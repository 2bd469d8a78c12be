//! The command as a user or a CI job runs it.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use meshlens_testkit::real;
use serde_json::Value;

use crate::shared::{meshlens, stderr, stdout, utf8};

pub(super) fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

pub(super) fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stdout(output)))
}

/// A folder with a valid and a broken model, a model with another extension, and a file that is not a model.
pub(super) fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().to_owned();
    let model = corpus_file("md3/static.md3");
    fs::create_dir(path.join("a")).unwrap();
    fs::write(path.join("b.md3"), &model).unwrap();
    fs::write(path.join("a/broken.md3"), &model[..200]).unwrap();
    fs::write(path.join("a/model.bak"), &model).unwrap();
    fs::write(path.join("readme.txt"), "no model").unwrap();
    (folder, path)
}

fn corpus_file(name: &str) -> Vec<u8> {
    fs::read(real::workspace_root().join("corpus").join(name)).unwrap()
}

#[test]
fn inspect_lists_the_corpus_with_totals() {
    let output = meshlens(&["inspect", "corpus/md3"]);
    assert_eq!((code(&output), stderr(&output)), (Some(0), ""));
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert!(lines[0].starts_with("file ") && lines[0].ends_with(" findings"));
    let row: Vec<&str> =
        lines.iter().find(|line| line.contains("tagged.md3")).unwrap().split_whitespace().collect();
    assert_eq!(row, ["corpus/md3/tagged.md3", "md3", "15", "3", "1", "72", "36", "2", "3860", "-"]);
    let names: Vec<&str> =
        lines[1..lines.len() - 2].iter().filter_map(|line| line.split_whitespace().next()).collect();
    let archived = ["models/deflated.md3", "models/stored.md3", "MODELS/Stored_1.MD3"];
    assert!(archived.iter().all(|name| names.contains(&format!("corpus/md3/models.pk3!{name}").as_str())));
    assert!(lines.last().unwrap().starts_with(&format!("{} files, ", names.len())));
    assert!(lines.last().unwrap().ends_with(" bytes"));
    let verbose = meshlens(&["inspect", "-v", "corpus/md3"]);
    assert!(stdout(&verbose).lines().last().unwrap().ends_with(" GB/s"));
    // Only the table, without a line of totals.
    let quiet = meshlens(&["-q", "inspect", "corpus/md3"]);
    assert_eq!(stdout(&quiet).lines().collect::<Vec<_>>(), lines[..lines.len() - 2]);
}

#[test]
fn every_output_format_of_inspect_has_the_same_values() {
    let document = json(&meshlens(&["inspect", "--format", "json", "corpus/md3"]));
    let files = document["files"].as_array().unwrap();
    assert_eq!(document["totals"]["files"], files.len());
    let bytes: u64 = files.iter().map(|file| file["bytes"].as_u64().unwrap()).sum();
    assert_eq!(document["totals"]["bytes"], bytes);

    let output = meshlens(&["inspect", "--format", "jsonl", "corpus/md3"]);
    let lines: Vec<Value> = stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(&lines, files);

    let output = meshlens(&["inspect", "--format", "csv", "corpus/md3"]);
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(lines.len(), 1 + files.len());
    assert!(lines[0].starts_with("uri,format,version,frames,"));
    assert!(lines.iter().any(|line| line.starts_with("corpus/md3/animated.md3,md3,15,5,1,35,48,0,2820,")));
}

#[test]
fn a_bad_file_does_not_stop_the_batch() {
    let (_keep, path) = folder();
    let output = meshlens(&["inspect", "--format", "json", utf8(&path), "no/such/file"]);
    assert_eq!(code(&output), Some(2));
    assert!(stderr(&output).contains("no/such/file"), "{}", stderr(&output));
    let document = json(&output);
    let names: Vec<&str> =
        document["files"].as_array().unwrap().iter().map(|file| file["uri"].as_str().unwrap()).collect();
    let below = |name: &str| utf8(&path.join(name)).to_owned();
    assert_eq!(names, [below("a/broken.md3"), below("a/model.bak"), below("b.md3"), "no/such/file".into()]);
    let error = document["files"][0]["error"].as_str().unwrap();
    assert_eq!(error, "md3: OFS_EOF: expected at most 200, found 1924 at 0x68");
    assert_eq!(document["files"][2]["error"], Value::Null);

    let output = meshlens(&["inspect", utf8(&path)]);
    assert_eq!(code(&output), Some(1));
    assert!(stdout(&output).contains("3 files, 1 invalid"));
    assert!(stderr(&output).contains("broken.md3: md3: "));
}

#[test]
fn the_order_of_output_does_not_depend_on_the_workers() {
    let one = meshlens(&["validate", "-j", "1", "--format", "json", "corpus"]);
    let many = meshlens(&["validate", "-j", "8", "--format", "json", "corpus"]);
    assert_eq!(stdout(&one), stdout(&many));
}

#[test]
fn details_show_surfaces_tags_and_frames() {
    let output = meshlens(&["inspect", "--details", "corpus/md3/tagged.md3"]);
    let text = stdout(&output);
    for part in
        ["surfaces\n", "tags (in frame 0)\n", "frames\n", "tag_hand", "0.000 10.000 14.000", "frame_2"]
    {
        assert!(text.contains(part), "{part} is missing from\n{text}");
    }
    let document = json(&meshlens(&["inspect", "--details", "--format", "json", "corpus/md3/tagged.md3"]));
    assert_eq!(document["files"][0]["details"]["tags"]["names"][1], "tag_head");
}

#[test]
fn dump_is_one_document() {
    let document = json(&meshlens(&["dump", "corpus/md3/tagged.md3"]));
    assert_eq!(document["surfaces"][0]["positions"]["shape"], serde_json::json!([3, 72, 3]));
    assert_eq!(document["surfaces"][0]["positions"]["max"][1], 10.0);
    let full = json(&meshlens(&["dump", "--arrays", "full", "--pretty", "corpus/md3/tagged.md3"]));
    assert_eq!(full["tags"]["origin"]["data"][0][0], serde_json::json!([0.0, 10.0, 14.0]));
    assert_eq!(full["surfaces"][0]["triangles"]["data"].as_array().unwrap().len(), 36);
    let none = json(&meshlens(&["dump", "--arrays", "none", "corpus/md3/tagged.md3"]));
    assert_eq!(none["surfaces"][0]["normals"], serde_json::json!({"shape": [3, 72, 3], "dtype": "f32"}));
    assert_eq!(code(&meshlens(&["dump", "corpus"])), Some(2));
    assert_eq!(code(&meshlens(&["dump", "Cargo.toml"])), Some(1));
}

#[test]
fn several_models_are_dumped_one_document_a_line() {
    let files = ["corpus/md3/static.md3", "Cargo.toml", "corpus/md3/tagged.md3"];
    let output = meshlens(&["dump", files[0], files[1], files[2]]);
    assert_eq!(code(&output), Some(1), "one of them is no model, and does not stop the rest");
    let alone = [files[0], files[2]].map(|file| stdout(&meshlens(&["dump", file])).to_owned());
    assert_eq!(stdout(&output), alone.concat());
    let output = meshlens(&["dump", files[0], files[2], "--frames", "x_a.3d"]);
    assert_eq!(code(&output), Some(2));
}

#[test]
fn entries_of_archives_and_standard_input() {
    let wanted = stdout(&meshlens(&["dump", "corpus/md3/tagged.md3"])).to_owned();
    assert_eq!(stdout(&meshlens(&["dump", "corpus/md3/models.pk3!MODELS\\STORED.md3"])), wanted);
    let output = meshlens(&["dump", "corpus/md3/models.pk3!models/none.md3"]);
    assert_eq!(code(&output), Some(2));
    assert!(
        stderr(&output)
            .contains("models/none.md3: not found; looked for models/none.md3 in corpus/md3/models.pk3")
    );

    let mut child = Command::new(env!("CARGO_BIN_EXE_meshlens"))
        .args(["dump", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&corpus_file("md3/tagged.md3")).unwrap();
    assert_eq!(stdout(&child.wait_with_output().unwrap()), wanted);
}

#[test]
fn wrong_usage_and_empty_folders_exit_with_2() {
    assert_eq!(code(&meshlens(&["inspect"])), Some(2));
    assert_eq!(code(&meshlens(&["inspect", "--format", "xml", "corpus"])), Some(2));
    let empty = tempfile::tempdir().unwrap();
    let output = meshlens(&["inspect", utf8(empty.path())]);
    assert_eq!(code(&output), Some(2));
    assert!(stderr(&output).contains("the paths contain no model"));
    // A script that imports nothing has nothing to check.
    let script = empty.path().join("Game.uc");
    fs::write(&script, "class Game extends Object;\n").unwrap();
    for (verb, status) in [("validate", 0), ("fix", 0), ("inspect", 2)] {
        let output = meshlens(&[verb, utf8(&script)]);
        assert_eq!((code(&output), stderr(&output).contains("no model")), (Some(status), true), "{verb}");
    }
    assert_eq!(code(&meshlens(&["validate", utf8(empty.path())])), Some(2));
    assert_eq!(code(&meshlens(&["--version"])), Some(0));
}

#[cfg(unix)]
#[test]
fn a_closed_standard_output_is_quiet() {
    let run = |arguments: &[&str]| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_meshlens"));
        command.current_dir(real::workspace_root()).arg("-q").args(arguments);
        let output = command.stdout(writer).output().unwrap();
        assert_eq!((code(&output), stderr(&output)), (Some(0), ""), "{arguments:?}");
    };
    run(&["dump", "--arrays", "full", "corpus/md3/player/upper.md3"]);
    // More output than the writers buffer.
    let inputs = ["corpus/md3"; 12];
    for format in ["text", "json", "jsonl", "csv"] {
        run(&[&["inspect", "--format", format], &inputs[..]].concat());
    }
    for format in ["text", "json", "jsonl", "csv", "sarif"] {
        run(&[&["validate", "--format", format], &inputs[..]].concat());
    }
}

#[cfg(unix)]
#[test]
fn cyclic_links_are_reported_and_the_batch_continues() {
    let (_keep, path) = folder();
    std::os::unix::fs::symlink(&path, path.join("circle")).unwrap();
    let output = meshlens(&["inspect", "--format", "json", utf8(&path)]);
    assert_eq!(code(&output), Some(1), "the broken model is what is wrong, not the circle");
    assert_eq!(json(&output)["files"].as_array().unwrap().len(), 3);
    assert!(stderr(&output).contains("circle"));
}

#[test]
fn unigine_files_are_inspected_validated_and_dumped() {
    let document = json(&meshlens(&["inspect", "--format", "json", "corpus/unigine"]));
    let files = document["files"].as_array().unwrap();
    assert_eq!(files.len(), 16);
    let output = meshlens(&["inspect", "--details", "corpus/unigine/skinned_ms11.mesh"]);
    for part in ["surfaces\n", "animations\n", "bones\n", "forearm", "wave", "arm"] {
        assert!(stdout(&output).contains(part), "{part} is missing from\n{}", stdout(&output));
    }
    let output = meshlens(&["inspect", "--details", "corpus/unigine/wave_an10.anim"]);
    assert!(stdout(&output).contains("upper arm") && !stdout(&output).contains("surfaces\n"));
    let output = meshlens(&["validate", "corpus/unigine/box_ms14.mesh"]);
    assert_eq!(stdout(&output), "corpus/unigine/box_ms14.mesh: no findings\n");
    let dump = json(&meshlens(&["dump", "corpus/unigine/box_ms14.mesh"]));
    assert_eq!((&dump["format"], &dump["version"]), (&"unigine".into(), &"ms14".into()));
    let surface = &dump["surfaces"][0];
    assert_eq!(surface["morph_targets"][0]["positions"]["shape"], serde_json::json!([8, 3]));
    assert_eq!(surface["coordinate_indices"]["shape"], serde_json::json!([36]));
}

#[test]
fn details_of_a_chunked_model_show_its_tree() {
    let output = meshlens(&["inspect", "--details", "corpus/u3d/v2_newer.u3d"]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    let lines: Vec<&str> = stdout(&output).lines().map(str::trim_end).collect();
    let chunks = lines.iter().position(|line| *line == "chunks").expect("a tree of chunks");
    let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(cells(lines[chunks + 1]), ["identifier", "offset", "size"]);
    assert_eq!(cells(lines[chunks + 2]), ["$U3D_FILE_HEADER", "0x0", "41"]);
    assert_eq!(cells(lines[chunks + 3])[..2], ["$U3D_MODEL_HEADER", "0x29"]);
    // A nested chunk is indented by two more columns.
    assert!(lines[chunks + 3].starts_with("  $U3D") && lines[chunks + 4].starts_with("    $U3D_SHADER_PACK"));
    assert_eq!(lines.iter().filter(|line| line.starts_with("    $U3D_TEXTURE")).count(), 16);
    assert!(lines.iter().any(|line| line.contains("$U3DC_NOTES")));
}

#[test]
fn encrypted_models_need_their_password_and_never_show_it() {
    let plain = meshlens(&["dump", "corpus/u3d/v2_static.u3d"]);
    let file = "corpus/u3d/v2_static_aes.u3d";
    let opened = meshlens(&["dump", "--password", "secret", file]);
    assert_eq!(code(&opened), Some(0), "{}", stderr(&opened));
    assert_eq!(stdout(&opened), stdout(&plain));
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshlens"));
    command.current_dir(real::workspace_root()).env("MESHLENS_PASSWORD", "secret").args(["dump", file]);
    assert_eq!(command.output().unwrap().stdout, plain.stdout);

    let locked = meshlens(&["dump", file]);
    assert_eq!(code(&locked), Some(1));
    assert!(stderr(&locked).contains("encrypted with AES-128, and needs a password"), "{}", stderr(&locked));
    let wrong = meshlens(&["dump", "--password", "opensesame", file]);
    assert_eq!(code(&wrong), Some(1));
    assert!(stderr(&wrong).contains("the password is wrong") && !stderr(&wrong).contains("opensesame"));

    let row = &json(&meshlens(&["inspect", "--format", "json", file]))["files"][0];
    assert_eq!((&row["format"], &row["version"]), (&"u3d".into(), &"2.0.0, encrypted: AES-128".into()));
    assert!(row["error"].as_str().unwrap().contains("needs a password"));
    let row = &json(&meshlens(&["inspect", "--password", "secret", "--format", "json", file]))["files"][0];
    assert_eq!((&row["version"], &row["vertices"]), (&"2.0.0".into(), &72.into()));
    let report = meshlens(&["validate", "--password", "secret", file]);
    assert_eq!(code(&report), Some(0), "{}", stdout(&report));
}

#[test]
fn another_format_of_the_same_extension_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ecma.u3d");
    fs::write(&path, b"U3D\0\x18\0\0\0\0\x01\0\0").unwrap();
    let output = meshlens(&["dump", utf8(&path)]);
    assert_eq!(code(&output), Some(1));
    assert!(stderr(&output).contains("ECMA-363 Universal 3D"), "{}", stderr(&output));
}

#[test]
fn decoders_are_printed_in_the_requested_language() {
    let text = |arguments: &[&str]| {
        let output = meshlens(arguments);
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(text(&["shader"]).contains("fn bit_fields(word: u32"));
    assert!(text(&["shader", "--language", "hlsl"]).contains("float3 bit_fields(uint word"));
    assert!(text(&["shader", "--language", "glsl"]).contains("vec3 bit_fields(uint word"));
    assert_eq!(meshlens(&["shader", "--language", "metal"]).status.code(), Some(2));
}
