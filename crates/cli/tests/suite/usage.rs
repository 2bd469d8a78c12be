//! What a new user types first, and what the command answers.

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use meshlens_testkit::real;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn corpus(name: &str) -> PathBuf {
    real::workspace_root().join("corpus").join(name)
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshlens"));
    command.current_dir(folder).args(arguments).env_remove("MESHLENS_PASSWORD");
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A folder with a model `x.md3`, a player, and files that are none.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    fs::copy(corpus("md3/tagged.md3"), path.join("x.md3")).unwrap();
    fs::copy(corpus("u3d/v2_static_aes.u3d"), path.join("locked.u3d")).unwrap();
    fs::copy(corpus("unreal/Models/crate_d.3d"), path.join("lone_d.3d")).unwrap();
    fs::write(path.join("empty.md3"), "").unwrap();
    fs::write(path.join("empty.gltf"), "").unwrap();
    fs::write(path.join("text.md3"), "some text").unwrap();
    fs::write(path.join("text.bin"), "some text").unwrap();
    fs::write(path.join("x.glb"), "glTF\x02\0\0\0").unwrap();
    fs::write(path.join("text.glb"), "some text").unwrap();
    fs::create_dir(path.join("player")).unwrap();
    for file in fs::read_dir(corpus("md3/player")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), path.join("player").join(file.file_name())).unwrap();
    }
    (folder, path)
}

#[test]
fn errors_say_what_is_wrong_and_what_helps() {
    let (_keep, path) = folder();
    for (arguments, code, message) in [
        (&["dump", "no.md3"][..], 2, "no.md3: not found"),
        (&["inspect", "no.md3"], 2, "no.md3: not found"),
        (&["validate", "no.md3"], 2, "no.md3: not found"),
        // The length of x.md3 is 3860.
        (
            &["convert", "x.md3", "-o", "a.glb", "--max-memory", "3859"],
            1,
            "x.md3: the 3860 bytes of a file need 3860 bytes of memory; the limit is 3859; --max-memory allows more",
        ),
        (&["bench", "no.md3", "x.md3", "--seconds", "0.01"], 2, "no.md3: not found"),
        (&["convert", "no.md3", "-o", "a.glb"], 2, "no.md3: not found"),
        (&["inspect", "--files-from", "no.txt"], 2, "no.txt: not found"),
        (&["dump", "empty.md3"], 1, "empty.md3: the file is empty"),
        (&["convert", "empty.gltf", "-o", "a.md3"], 1, "empty.gltf: the file is empty"),
        (&["inspect", "empty.md3"], 1, "empty.md3: the file is empty"),
        (&["dump", "text.md3"], 1, r#"text.md3: not an MD3 file: it begins with text, "some tex""#),
        (
            &["dump", "text.bin"],
            1,
            r#"text.bin: not a mesh of a known format: it begins with text, "some tex""#,
        ),
        (
            &["convert", "x.md3", "-o", "y.fbx"],
            2,
            "y.fbx: unknown extension .fbx; one of glb, gltf, md3, 3d, u3d, mesh, anim, or --to FORMAT",
        ),
        (&["convert", "x.md3", "-o", "text.md3"], 2, "text.md3: exists already (--force overwrites it)"),
        (&["convert", "lone_d.3d", "-o", "a.glb"], 2, "lone_d.3d: its _a.3d was not found beside it"),
        (
            &["convert", "x.md3", "--frame", "99", "-o", "a.glb"],
            2,
            "x.md3: no frame 99; there are frames 0 to 2",
        ),
        (
            &["convert", "x.md3", "--frames", "3..4", "-o", "a.glb"],
            2,
            "x.md3: no frame 3; there are frames 0 to 2",
        ),
        (
            &["convert", "player", "--skin", "nope", "-o", "a.glb"],
            2,
            "lower_nope.skin: not found; one of red",
        ),
        (
            &["convert", "x.md3", "--skin", "nope", "-o", "a.glb"],
            2,
            "x_nope.skin: not found; there is no skin",
        ),
        (
            &["convert", "x.md3", "--anim", "text.md3", "-o", "a.glb"],
            1,
            r#"text.md3: not a UNIGINE animation: it begins with text, "some tex""#,
        ),
        (&["inspect", "text.glb"], 1, r#"text.glb: not a glTF file: it begins with text, "some tex""#),
        (
            &["thumb", "text.glb", "-o", "a.png"],
            1,
            r#"text.glb: not a glTF file: it begins with text, "some tex""#,
        ),
        (&["dump", "x.glb"], 1, "x.glb: glTF files are read only by inspect, convert and thumb"),
        (&["plan", "x.glb"], 1, "x.glb: glTF files are read only by inspect, convert and thumb"),
        (&["plan", "lone_d.3d"], 2, "lone_d.3d: its _a.3d was not found beside it"),
        (&["convert", "x.md3", "-o", "no/a.glb"], 2, "no/a.glb: its folder does not exist"),
        (
            &["convert", "x.md3", "--separate", "-o", "a.glb"],
            2,
            "a.glb: the JSON of a glTF file has the extension .gltf, its buffer .bin",
        ),
        (
            &["convert", "x.md3", "--to", "gltf", "-o", "a.bin"],
            2,
            "a.bin: the JSON of a glTF file has the extension .gltf, its buffer .bin",
        ),
        (&["inspect", "--files-from", "x.md3"], 2, "x.md3: a model or an archive, not a list of paths"),
        (&["dump", "--files-from", "empty.gltf"], 2, "the paths contain no model"),
        (&["thumb", "x.md3", "-o", "a.jpg"], 2, "a.jpg: a picture is a PNG file, not jpg"),
        (
            &["convert", "x.md3", "-o", "-", "--to", "unreal"],
            2,
            "-o - takes a format of one file: glb, md3, u3d or unigine",
        ),
    ] {
        let output = run(&path, arguments);
        let last = text(&output.stderr).lines().last();
        assert_eq!(
            (last, output.status.code()),
            (Some(&*format!("meshlens: {message}")), Some(code)),
            "{arguments:?}"
        );
        assert!(!path.join("a.glb").exists(), "{arguments:?}");
    }
    let output = run(&path, &["convert", "player", "--clip", "nope", "-o", "a.glb"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).starts_with("meshlens: player: no clip nope; one of BOTH_DEATH1, "),
        "{output:?}"
    );
    let output = run(&path, &["convert", "locked.u3d", "-o", "a.glb"]);
    assert!(text(&output.stderr).contains("--password TEXT or MESHLENS_PASSWORD"), "{output:?}");
    // A file that cannot be read is no invalid model.
    let output = run(&path, &["inspect", "no.md3", "x.md3"]);
    assert!(
        !text(&output.stdout).contains("no.md3") && text(&output.stdout).contains("1 file, 1 not read, ")
    );
}

#[test]
fn negative_and_extreme_numbers_are_reported() {
    let (_keep, path) = folder();
    for (option, value, message) in [
        ("--scale", "-1", "expected a number from 0.000001 to 1000000"),
        ("--scale", "1e38", "expected a number from 0.000001 to 1000000"),
        ("--fps", "1e-30", "expected a number from 0.001 to 1000"),
        ("--frame", "-1", "expected a whole number"),
        ("--jobs", "-1", "expected a whole number"),
    ] {
        let output = run(&path, &["convert", "x.md3", "-o", "a.glb", option, value]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(message), "{output:?}");
    }
}

/// Neither of two models is lost, and which of them is written does not depend on the workers.
#[test]
fn two_models_never_have_one_output() {
    let (_keep, path) = folder();
    for (folder, model) in [("a", "md3/tagged.md3"), ("b", "md3/animated.md3")] {
        fs::create_dir(path.join(folder)).unwrap();
        fs::copy(corpus(model), path.join(folder).join("m.md3")).unwrap();
    }
    run(&path, &["convert", "a/m.md3", "-o", "alone.glb"]);
    for inputs in [["a/m.md3", "b/m.md3"], ["a", "b"]] {
        let arguments = [&["convert", "--out-dir", "out", "--force"], &inputs[..]].concat();
        let output = run(&path, &arguments);
        assert_eq!(output.status.code(), Some(2));
        let message = text(&output.stderr);
        assert!(message.ends_with("is already the output of a/m.md3\n"), "{message}");
        assert!(message.starts_with("meshlens: b/m.md3: out/m.md3.glb "), "{message}");
        assert!(fs::read(path.join("out/m.md3.glb")).unwrap() == fs::read(path.join("alone.glb")).unwrap());
    }
    let output = run(&path, &["thumb", "--out-dir", "out", "--size", "8", "a", "b"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("b/m.md3: out/m.md3.png is already the output of a/m.md3"));
}

#[test]
fn options_without_effect_are_warned_of() {
    let (_keep, path) = folder();
    let arguments = ["convert", "x.md3", "-o", "a.u3d", "--lod", "all", "--textures", "none", "--strict"];
    let output = run(&path, &arguments);
    let message = "meshlens: x.md3: warning: only for glTF, and ignored: --lod, --textures\n";
    assert_eq!((text(&output.stderr), output.status.code()), (message, Some(1)));
}

#[cfg(unix)]
#[test]
fn a_password_that_is_not_utf8_is_refused() {
    use std::os::unix::ffi::OsStrExt;

    let (_keep, path) = folder();
    let mut command = command(&path, &["dump", "locked.u3d"]);
    let output = command.env("MESHLENS_PASSWORD", std::ffi::OsStr::from_bytes(b"\xff\xfe")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr), "meshlens: MESHLENS_PASSWORD is not UTF-8\n");
    // The one on the command line counts.
    let output = command.args(["--password", "secret"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_dash_is_standard_output() {
    let (_keep, path) = folder();
    for (target, file) in [("glb", "a.glb"), ("md3", "a.md3"), ("u3d", "a.u3d"), ("unigine", "a.mesh")] {
        let output = run(&path, &["convert", "x.md3", "-o", "-", "--to", target]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(text(&output.stderr).starts_with("x.md3 -> -: "), "{output:?}");
        run(&path, &["convert", "x.md3", "-o", file]);
        assert!(output.stdout == fs::read(path.join(file)).unwrap(), "{target}");
    }
    assert!(run(&path, &["convert", "x.md3", "-o", "-"]).stdout.starts_with(b"glTF"));
    assert!(!path.join("-").exists());
}

#[test]
fn validate_reports_a_missing_file_without_an_offset() {
    let (_keep, path) = folder();
    let output = run(&path, &["validate", "--format", "json", "no.md3"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), "meshlens: no.md3: not found\n"));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let message = &report["issues"]["messages"][0];
    assert_eq!((&message["message"], &message["severity"]), (&"not found".into(), &0.into()));
    assert!(message["offset"].is_null(), "{message}");
}

#[test]
fn a_closed_pipe_ends_a_conversion_quietly() {
    let (_keep, path) = folder();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = command(&path, &["convert", "x.md3", "-o", "-"]).stdout(writer).output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
}

#[test]
fn players_and_folders_in_archives_are_models_like_those_on_disk() {
    let (_keep, path) = folder();
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for name in [
        "lower.md3",
        "upper.md3",
        "head.md3",
        "animation.cfg",
        "lower_red.skin",
        "upper_red.skin",
        "head_red.skin",
    ] {
        zip.start_file(format!("Models/players/sarge/{name}"), SimpleFileOptions::default()).unwrap();
        zip.write_all(&fs::read(corpus("md3/player").join(name)).unwrap()).unwrap();
    }
    zip.start_file("models/other/y.md3", SimpleFileOptions::default()).unwrap();
    zip.write_all(&fs::read(corpus("md3/tagged.md3")).unwrap()).unwrap();
    fs::write(path.join("pak0.pk3"), zip.finish().unwrap().into_inner()).unwrap();

    for (more, name) in [(&[][..], "plain.glb"), (&["--skin", "red"], "red.glb")] {
        let of_archive = [&["convert", "pak0.pk3!models/players/sarge", "-o", name][..], more].concat();
        let output = run(&path, &of_archive);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let of_folder = [&["convert", "player", "-o", "folder.glb", "--force"][..], more].concat();
        assert_eq!(run(&path, &of_folder).status.code(), Some(0));
        assert!(fs::read(path.join(name)).unwrap() == fs::read(path.join("folder.glb")).unwrap());
    }
    // Without -o, the folder's name is the file's.
    run(&path, &["convert", "pak0.pk3!models/players/sarge/", "--out-dir", "out"]);
    assert!(path.join("out/sarge.glb").exists());
    // A folder of an archive that is no player is its models.
    let output = run(&path, &["inspect", "--format", "csv", "pak0.pk3!models/other"]);
    let lines: Vec<&str> = text(&output.stdout).lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[1].starts_with("pak0.pk3!models/other/y.md3,md3,15,3,1,72,36,2,3860,"), "{lines:?}");
}

#[test]
fn folders_of_gltf_are_inspected_and_converted() {
    let (_keep, path) = folder();
    fs::create_dir(path.join("gltf")).unwrap();
    run(&path, &["convert", "x.md3", "-o", "gltf/a.glb"]);
    run(&path, &["convert", "x.md3", "-o", "gltf/b.gltf"]);
    fs::write(path.join("gltf/c.glb"), "no glTF").unwrap();
    let output = run(&path, &["inspect", "--format", "csv", "gltf"]);
    let lines: Vec<&str> = text(&output.stdout).lines().collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    // As of x.md3: 1 surface of 72 vertices and 36 triangles, and 2 tags.
    for (line, name) in lines[1..].iter().zip(["gltf/a.glb", "gltf/b.gltf"]) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!((cells[0], cells[1], cells[2]), (name, "gltf", "2.0"));
        assert_eq!(cells[4..8], ["1", "72", "36", "2"]);
    }
    assert!(lines[3].starts_with("gltf/c.glb,,,,,,,,7,") && !lines[3].ends_with(','), "{lines:?}");
    assert_eq!(output.status.code(), Some(1));

    fs::remove_file(path.join("gltf/c.glb")).unwrap();
    let output = run(&path, &["convert", "gltf", "--to", "md3", "--out-dir", "out"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for name in ["a.md3", "b.md3"] {
        assert!(fs::read(path.join("out").join(name)).unwrap().starts_with(b"IDP3"));
    }
    // What an earlier run made of the models is no model to convert.
    fs::copy(path.join("x.md3"), path.join("gltf/a.md3")).unwrap();
    let output = run(&path, &["convert", "gltf", "--force"]);
    assert_eq!(
        text(&output.stdout).lines().next().map(|line| line.split(':').next().unwrap()),
        Some("gltf/a.md3 -> gltf/a.glb")
    );
}

#[test]
fn paths_come_from_lists() {
    let (_keep, path) = folder();
    fs::write(path.join("lines.txt"), "x.md3\r\nplayer/head.md3\n\nname with spaces.md3\n").unwrap();
    fs::write(path.join("nul.txt"), "x.md3\0player/head.md3\0line\nbreak.md3\0").unwrap();
    let uris = |output: &Output| -> Vec<String> {
        let lines = text(&output.stdout).lines();
        lines
            .map(|line| {
                serde_json::from_str::<serde_json::Value>(line).unwrap()["uri"].as_str().unwrap().to_owned()
            })
            .collect()
    };
    let lines = run(&path, &["inspect", "--format", "jsonl", "--files-from", "lines.txt"]);
    assert_eq!(uris(&lines), ["x.md3", "player/head.md3", "name with spaces.md3"]);
    let nul = run(&path, &["inspect", "--format", "jsonl", "player/upper.md3", "--files-from", "nul.txt"]);
    assert_eq!(uris(&nul), ["player/upper.md3", "x.md3", "player/head.md3", "line\nbreak.md3"]);
    let mut child = command(&path, &["dump", "--arrays", "none", "--files-from", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"x.md3\nplayer/head.md3").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((text(&output.stdout).lines().count(), output.status.code()), (2, Some(0)));
    let both = run(&path, &["inspect", "-", "--files-from", "-"]);
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn quiet_prints_only_results_and_errors() {
    let (_keep, path) = folder();
    let output = run(&path, &["convert", "-q", "x.md3", "no.md3", "--out-dir", "out"]);
    assert_eq!((text(&output.stdout), text(&output.stderr)), ("", "meshlens: no.md3: not found\n"));
    assert!(path.join("out/x.glb").exists());
    let output = run(&path, &["convert", "-v", "x.md3", "--out-dir", "out", "--force"]);
    assert!(text(&output.stdout).trim_end().ends_with(" MB/s"), "{output:?}");
    assert_eq!(run(&path, &["inspect", "-q", "-v", "x.md3"]).status.code(), Some(2));
}

#[test]
fn completions_and_manual_pages_are_made() {
    let (_keep, path) = folder();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let output = run(&path, &["completions", shell]);
        assert_eq!(output.status.code(), Some(0));
        let script = text(&output.stdout);
        assert!(script.contains("files-from") && script.contains("quantize"), "{shell}: {script}");
    }
    let page = run(&path, &["man", "convert"]);
    let page = text(&page.stdout);
    assert!(page.contains(".TH meshlens-convert 1") && page.contains("\\-\\-out\\-dir"), "{page}");
    assert!(text(&run(&path, &["man"]).stdout).contains("meshlens\\-inspect(1)"));
    assert_eq!(run(&path, &["man", "--out-dir", "man"]).status.code(), Some(0));
    let mut pages: Vec<_> =
        fs::read_dir(path.join("man")).unwrap().map(|page| page.unwrap().file_name()).collect();
    pages.sort();
    assert!(
        pages.contains(&"meshlens.1".into()) && pages.contains(&"meshlens-convert.1".into()),
        "{pages:?}"
    );
    let output = run(&path, &["man", "--out-dir", "x.md3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("meshlens: x.md3: cannot create the folder: "), "{output:?}");
    let output = run(&path, &["man", "nope"]);
    assert_eq!(output.status.code(), Some(2));
}
