//! Names that try to control the terminal: in files, archives, scripts and arguments, with every command.

use std::ffi::OsStr;
use std::fs;
use std::io::{Cursor, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use meshlens_testkit::real;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Clears the screen, sets a color with a C1 control, reverses the text, and begins a new line.
const HOSTILE: &str = "\x1b[2J\u{9b}31m\u{202e}x\nforged";

fn corpus(name: &str) -> Vec<u8> {
    fs::read(real::workspace_root().join("corpus").join(name)).unwrap()
}

/// An MD3 model with `text` as the name of the model, a frame, a tag, a surface and a shader.
fn named(text: &str) -> Vec<u8> {
    let mut bytes = corpus("md3/tagged.md3");
    let number = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let (frames, tags, surface) = (number(&bytes, 92), number(&bytes, 96), number(&bytes, 100));
    let shader = surface + number(&bytes, surface + 92);
    for (at, len) in [(8, 64), (frames + 40, 16), (tags, 64), (surface + 4, 64), (shader, 64)] {
        let mut text = text.as_bytes().to_vec();
        text.resize(len, 0);
        text[len - 1] = 0;
        bytes[at..at + len].copy_from_slice(&text);
    }
    bytes
}

/// A folder in which every possible name is hostile.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    fs::write(path.join("named.md3"), named(HOSTILE)).unwrap();
    fs::write(path.join(format!("{HOSTILE}.md3")), corpus("md3/static.md3")).unwrap();
    fs::write(path.join(format!("broken{HOSTILE}.md3")), &corpus("md3/static.md3")[..200]).unwrap();
    fs::write(path.join("head.mesh"), HOSTILE).unwrap();

    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let good = corpus("md3/static.md3");
    let entries = [
        (format!("models/{HOSTILE}.md3"), &good[..]),
        ("=HYPERLINK(1).md3".to_owned(), &good[..]),
        (format!("models/broken{HOSTILE}.md3"), &good[..200]),
        (format!("../{HOSTILE}.md3"), &good[..]),
    ];
    for (name, bytes) in entries {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    fs::write(path.join("pak.pk3"), zip.finish().unwrap().into_inner()).unwrap();

    let script = format!("#exec MESH IMPORT MESH={} ANIVFILE=no_a.3d DATAFILE=no_d.3d\n", &HOSTILE[..12]);
    fs::write(path.join("script.uc"), script).unwrap();

    let player = path.join("player");
    fs::create_dir(&player).unwrap();
    for name in ["lower.md3", "upper.md3", "head.md3"] {
        fs::write(player.join(name), corpus(&format!("md3/player/{name}"))).unwrap();
    }
    let mut config = corpus("md3/player/animation.cfg");
    config.extend_from_slice("\nun\x1b[2J\u{9b}known \u{202e}\n".as_bytes());
    fs::write(player.join("animation.cfg"), config).unwrap();

    let gltf = r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"\u001b[2J\u009b\u202e\nforged.bin","byteLength":4}],
        "bufferViews":[{"buffer":0,"byteLength":4}],"extensionsRequired":["\u001b[2J\u009b\u202e\nforged"]}"#;
    fs::write(path.join("scene.gltf"), gltf).unwrap();
    let gltf = gltf.split(",\"extensionsRequired").next().unwrap().to_owned() + "}";
    fs::write(path.join("buffer.gltf"), gltf).unwrap();
    (folder, path)
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshlens"));
    command.current_dir(folder).args(arguments).output().unwrap()
}

/// Asserts that a stream has no control characters, and no line that begins with injected content.
fn assert_harmless(what: &[&str], stream: &[u8]) {
    let text = std::str::from_utf8(stream).unwrap_or_else(|error| panic!("{what:?}: {error}"));
    for c in text.chars() {
        let is_bidirectional = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        assert!(c == '\n' || !(c.is_control() || is_bidirectional), "{what:?}: {c:?} in {text:?}");
    }
    assert!(!text.lines().any(|line| line.starts_with("forged")), "{what:?}: {text}");
}

/// Runs the command, checks both streams, and returns them as one text.
fn harmless(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_harmless(arguments, &output.stdout);
    assert_harmless(arguments, &output.stderr);
    assert!(output.status.code().is_some_and(|code| code < 3), "{arguments:?}: {output:?}");
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[test]
fn names_of_files_and_entries_are_escaped_on_every_stream() {
    let (_keep, path) = folder();
    let missing = format!("no{HOSTILE}");
    for format in ["text", "json", "jsonl", "csv"] {
        for more in [&["--details"][..], &[]] {
            let mut arguments = vec!["inspect", "--format", format, ".", "script.uc", &missing];
            arguments.extend(more);
            let text = harmless(&path, &arguments);
            let escaped =
                if format.starts_with("json") { "\\u001b[2J\\u009b31m" } else { "\\u{1b}[2J\\u{9b}31m" };
            assert!(text.contains(escaped), "{format}: {text}");
        }
    }
    for arguments in [
        &["validate", ".", "script.uc", &missing][..],
        &["validate", "--format", "json", ".", "script.uc", &missing],
        &["dump", "named.md3", &missing, "pak.pk3!nothing\x1b[2J", "head.mesh"],
        &["dump", "--pretty", "--arrays", "full", "named.md3"],
    ] {
        let text = harmless(&path, arguments);
        assert!(text.contains("\\u{1b}") || text.contains("\\u001b"), "{arguments:?}: {text}");
    }
}

#[test]
fn conversion_escapes_its_output_and_cleans_file_names() {
    let (_keep, path) = folder();
    for (number, target) in ["glb", "md3", "u3d", "unreal", "unigine"].into_iter().enumerate() {
        let out = format!("out{number}");
        let text = harmless(&path, &["convert", "--to", target, "--out-dir", &out, "pak.pk3", "script.uc"]);
        assert!(text.contains("\\u{1b}[2J"), "{text}");
        let names: Vec<String> = fs::read_dir(path.join(&out).join("models"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert!(!names.is_empty());
        for name in names {
            assert!(name.starts_with("_[2J_31m_x_forged"), "{name:?}");
        }
        harmless(&path, &["convert", "--force", "--to", target, "--out-dir", &out, ".", "named.md3"]);
    }
    harmless(&path, &["convert", "player", "--skin", HOSTILE]);
    harmless(&path, &["convert", "player", "--clip", HOSTILE, "-o", "player.glb"]);
    let text = harmless(&path, &["convert", "player", "-o", "player.glb"]);
    assert!(text.contains("un\\u{1b}[2J\\u{9b}known"), "{text}");
    harmless(&path, &["convert", "named.md3", "-o", &format!("no/{HOSTILE}.glb")]);
    harmless(&path, &["convert", "named.md3", "-o", &format!("x.{HOSTILE}")]);
    harmless(&path, &["convert", "named.md3", "--anim", HOSTILE, "-o", "x.glb"]);
    harmless(&path, &["convert", "scene.gltf", "--to", "md3"]);
    harmless(&path, &["convert", "buffer.gltf", "--to", "md3"]);
}

#[test]
fn wrong_arguments_are_escaped() {
    let (_keep, path) = folder();
    for arguments in [
        &[HOSTILE][..],
        &["inspect", "--format", HOSTILE, "."],
        &["inspect", &format!("--{HOSTILE}"), "."],
        &["inspect", "--jobs", HOSTILE, "."],
        &["convert", "--frames", HOSTILE, "."],
        &["convert", "--scale", HOSTILE, "."],
        &["dump", "named.md3", "head.mesh", "--frames", HOSTILE],
        &["inspect", "--files-from", HOSTILE],
        &["completions", HOSTILE],
        &["man", HOSTILE],
    ] {
        let text = harmless(&path, arguments);
        assert!(text.contains("error") || text.contains("meshlens:"), "{arguments:?}: {text}");
    }
    let argument = OsStr::from_bytes(b"--\xff\x1b[2J");
    let output = Command::new(env!("CARGO_BIN_EXE_meshlens"))
        .args([OsStr::new("inspect"), argument])
        .output()
        .unwrap();
    assert_harmless(&["--\\xff"], &output.stderr);
}

#[test]
fn no_cell_of_the_csv_is_a_formula() {
    let (_keep, path) = folder();
    fs::write(path.join("+x.md3"), corpus("md3/static.md3")).unwrap();
    let output = run(&path, &["inspect", "--format", "csv", "./pak.pk3", "+x.md3"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let starts: Vec<&str> = text.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert!(starts.contains(&"'+x.md3"), "{text}");
    assert!(!starts.iter().any(|start| start.starts_with(['=', '+', '-', '@'])), "{text}");
}
