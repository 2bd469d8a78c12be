//! The first commands of a new user, and their messages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use meshlens_testkit::real;

pub(super) fn corpus(name: &str) -> PathBuf {
    real::workspace_root().join("corpus").join(name)
}

pub(super) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshlens"));
    command.current_dir(folder).args(arguments).env_remove("MESHLENS_PASSWORD");
    command
}

pub(super) fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

pub(super) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A folder with a model `x.md3`, a player, and files that are not models.
pub(super) fn folder() -> (tempfile::TempDir, PathBuf) {
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

/// Runs commands, whose arguments have no spaces, and compares the status and the last line of each.
fn assert_refused(rows: &[(&str, i32, &str)]) {
    let (_keep, path) = folder();
    for (arguments, code, message) in rows {
        let output = run(&path, &arguments.split(' ').collect::<Vec<_>>());
        let last = text(&output.stderr).lines().last();
        let wanted = format!("meshlens: {message}");
        assert_eq!((last, output.status.code()), (Some(&*wanted), Some(*code)), "{arguments}");
        assert!(!path.join("a.glb").exists(), "{arguments}");
    }
}

#[test]
fn files_that_cannot_be_read_are_named_with_the_reason() {
    assert_refused(&[
        ("dump no.md3", 2, "no.md3: not found"),
        ("inspect no.md3", 2, "no.md3: not found"),
        ("validate no.md3", 2, "no.md3: not found"),
        ("convert no.md3 -o a.glb", 2, "no.md3: not found"),
        ("inspect --files-from no.txt", 2, "no.txt: not found"),
        ("inspect --files-from x.md3", 2, "x.md3: a model or an archive, not a list of paths"),
        ("dump --files-from empty.gltf", 2, "the paths contain no model"),
        ("dump empty.md3", 1, "empty.md3: the file is empty"),
        ("convert empty.gltf -o a.md3", 1, "empty.gltf: the file is empty"),
        ("inspect empty.md3", 1, "empty.md3: the file is empty"),
        ("plan lone_d.3d", 2, "lone_d.3d: its _a.3d was not found beside it"),
        ("convert lone_d.3d -o a.glb", 2, "lone_d.3d: its _a.3d was not found beside it"),
    ]);
}

#[test]
fn errors_for_files_of_another_format_name_the_format() {
    let text = r#"it begins with text, "some tex""#;
    let is_gltf = "x.glb: glTF files are read only by inspect, convert and thumb";
    assert_refused(&[
        ("dump text.md3", 1, &format!("text.md3: not an MD3 file: {text}")),
        ("dump text.bin", 1, &format!("text.bin: not a mesh of a known format: {text}")),
        ("inspect text.glb", 1, &format!("text.glb: not a glTF file: {text}")),
        ("thumb text.glb -o a.png", 1, &format!("text.glb: not a glTF file: {text}")),
        ("convert x.md3 --anim text.md3 -o a.glb", 1, &format!("text.md3: not a UNIGINE animation: {text}")),
        ("dump x.glb", 1, is_gltf),
        ("plan x.glb", 1, is_gltf),
    ]);
}

#[test]
fn outputs_that_cannot_be_written_are_named_with_the_reason() {
    let json = "the JSON of a glTF file has the extension .gltf, its buffer .bin";
    let known = "one of glb, gltf, md3, 3d, u3d, mesh, anim, or --to FORMAT";
    assert_refused(&[
        ("convert x.md3 -o y.fbx", 2, &format!("y.fbx: unknown extension .fbx; {known}")),
        ("convert x.md3 y.glb", 2, "y.glb: not found; to write a file of this name, use -o y.glb"),
        ("convert x.md3 -o text.md3", 2, "text.md3: exists already (--force overwrites it)"),
        ("convert x.md3 -o no/a.glb", 2, "no/a.glb: its folder does not exist"),
        ("convert x.md3 --separate -o a.glb", 2, &format!("a.glb: {json}")),
        ("convert x.md3 --to gltf -o a.bin", 2, &format!("a.bin: {json}")),
        ("thumb x.md3 -o a.jpg", 2, "a.jpg: a picture is a PNG file, not jpg"),
        ("convert x.md3 -o - --to unreal", 2, "-o - takes a format of one file: glb, md3, u3d or unigine"),
    ]);
}

#[test]
fn errors_for_unsuitable_options_name_suitable_ones() {
    let memory =
        "3860 bytes of a file need 3860 bytes of memory; the limit is 3859; --max-memory allows more";
    assert_refused(&[
        // The length of x.md3 is 3860.
        ("convert x.md3 -o a.glb --max-memory 3859", 1, &format!("x.md3: the {memory}")),
        ("convert x.md3 --frame 99 -o a.glb", 2, "x.md3: no frame 99; there are frames 0 to 2"),
        ("convert x.md3 --frames 3..4 -o a.glb", 2, "x.md3: no frame 3; there are frames 0 to 2"),
        ("convert player --skin nope -o a.glb", 2, "lower_nope.skin: not found; one of red"),
        ("convert x.md3 --skin nope -o a.glb", 2, "x_nope.skin: not found; there is no skin"),
    ]);
    let (_keep, path) = folder();
    let output = run(&path, &["convert", "player", "--clip", "nope", "-o", "a.glb"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).starts_with("meshlens: player: no clip nope; one of BOTH_DEATH1, "),
        "{output:?}"
    );
    let output = run(&path, &["convert", "locked.u3d", "-o", "a.glb"]);
    assert!(text(&output.stderr).contains("--password TEXT or MESHLENS_PASSWORD"), "{output:?}");
}

#[test]
fn a_file_that_cannot_be_read_is_not_an_invalid_model() {
    let (_keep, path) = folder();
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

/// Neither model is lost, and the choice does not depend on the workers.
#[test]
fn a_second_model_with_the_same_output_is_an_error() {
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
fn options_without_effect_cause_a_warning() {
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
    // The password on the command line is used.
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
    let output = run(&path, &["man", "--out-dir", "man"]);
    assert!(text(&output.stderr).contains("(--force overwrites it)") && output.status.code() == Some(2));
    assert_eq!(run(&path, &["man", "--out-dir", "man", "--force"]).status.code(), Some(0));
    let output = run(&path, &["man", "--out-dir", "x.md3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("meshlens: x.md3: cannot create the folder: "), "{output:?}");
    let output = run(&path, &["man", "nope"]);
    assert_eq!(output.status.code(), Some(2));
}
