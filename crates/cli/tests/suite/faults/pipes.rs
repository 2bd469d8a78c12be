//! Pipes, sockets and devices, as arguments or next to a model: none blocks the command, each is reported, and the other
//! files are read.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use meshlens_testkit::real;

use super::{assert_code, folder, json, model, shell, stderr};

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// A device with an endless content, as an example of all devices.
fn device(path: &Path) {
    symlink("/dev/zero", path).unwrap();
}

fn socket(path: &Path) {
    // The name of the socket stays after the listener is closed.
    drop(std::os::unix::net::UnixListener::bind(path).unwrap());
}

fn folder_named(path: &Path) {
    fs::create_dir(path).unwrap();
}

/// A command that makes each kind of file, and the message about it.
type Special = (fn(&Path), &'static str);

const SPECIAL: [Special; 4] = [
    (pipe, "is a pipe, not a regular file"),
    (device, "is a device, not a regular file"),
    (socket, "is a socket, not a regular file"),
    (folder_named, "is a folder"),
];

/// Asserts that standard error describes a special file. A device is reached by a link, so the message may also be that
/// the link leads out of the folder.
fn assert_told(what: &str, stderr: &str) {
    let is_refused = what.contains("a device") && stderr.contains("leads out of its folder");
    assert!(stderr.contains(what) || is_refused, "{what}: {stderr}");
}

/// Runs a line of shell like `shell`, but ends a command that blocks: `timeout` then exits with 124.
fn in_time(line: &str, path: &Path) -> std::process::Output {
    shell(&line.replace("\"$meshlens\"", "timeout 600 \"$meshlens\""), path)
}

fn corpus(name: &str) -> Vec<u8> {
    fs::read(real::workspace_root().join("corpus").join(name)).unwrap()
}

#[test]
fn every_verb_refuses_special_files_and_continues() {
    for (make, what) in SPECIAL.into_iter().take(3) {
        let (_keep, path) = folder();
        make(&path.join("a.md3"));
        fs::write(path.join("b.md3"), model()).unwrap();
        for verb in ["inspect --format json", "validate --format json"] {
            let output = in_time(&format!(r#""$meshlens" {verb} "$1/a.md3" "$1/b.md3""#), &path);
            assert_code(&output, 2);
            assert!(stderr(&output).contains(what), "{verb}: {}", stderr(&output));
            assert!(json(&output).to_string().contains("b.md3"), "{verb}");
        }
        let output = in_time(r#""$meshlens" convert --out-dir "$1/out" "$1/a.md3" "$1/b.md3""#, &path);
        assert_code(&output, 2);
        assert!(stderr(&output).contains(what), "{}", stderr(&output));
        assert!(path.join("out/b.glb").exists());
        let output = in_time(r#""$meshlens" dump "$1/a.md3""#, &path);
        assert_code(&output, 2);
        assert!(stderr(&output).contains(what), "{}", stderr(&output));

        for name in ["a.pk3", "a.uc"] {
            make(&path.join(name));
            let output =
                in_time(&format!(r#""$meshlens" inspect --format json "$1/{name}" "$1/b.md3""#), &path);
            assert_code(&output, 2);
            assert!(stderr(&output).contains(what), "{name}: {}", stderr(&output));
            assert!(json(&output).to_string().contains("b.md3"), "{name}");
        }
    }
}

/// The optional companions of a model.
#[test]
fn special_files_as_optional_companions_do_not_block() {
    for (make, what) in SPECIAL {
        for (companion, options) in [
            ("animation.cfg", ""),
            ("upper_1.md3", "--lod all"),
            ("upper_red.skin", "--skin red"),
            ("upper_red.SKIN", "--skin red"),
        ] {
            let (_keep, path) = folder();
            fs::write(path.join("upper.md3"), model()).unwrap();
            fs::write(path.join("other.md3"), model()).unwrap();
            make(&path.join(companion));
            let line = format!(
                r#""$meshlens" convert {options} --out-dir "$1/out" "$1/upper.md3"; status=$?
                "$meshlens" convert --out-dir "$1/out" "$1/other.md3"; exit $status"#
            );
            let output = in_time(&line, &path);
            assert!(output.status.code().is_some_and(|code| code < 3), "{companion} {what}: {output:?}");
            assert_told(what, &stderr(&output));
            assert!(path.join("out/other.glb").exists(), "{companion}");
        }
    }
}

/// The files that a model needs.
#[test]
fn special_files_as_required_companions_do_not_block() {
    for (make, what) in SPECIAL {
        let (_keep, path) = folder();
        fs::write(path.join("good.md3"), model()).unwrap();

        // The other half of a mesh.
        fs::write(path.join("prop_d.3d"), corpus("unreal/Models/crate_d.3d")).unwrap();
        make(&path.join("prop_a.3d"));
        let output = in_time(r#""$meshlens" inspect --format json "$1/prop_d.3d" "$1/good.md3""#, &path);
        assert_code(&output, 2);
        assert_told(what, &stderr(&output));
        assert!(json(&output).to_string().contains("good.md3"));

        // The buffer of a glTF document.
        let gltf = r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"buffer.bin","byteLength":36}],
            "bufferViews":[{"buffer":0,"byteLength":36}],
            "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3",
            "min":[0,0,0],"max":[0,0,0]}],
            "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
            "nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}],"scene":0}"#;
        fs::write(path.join("doc.gltf"), gltf).unwrap();
        make(&path.join("buffer.bin"));
        let line = r#""$meshlens" convert --to md3 --out-dir "$1/out" "$1/doc.gltf" "$1/good.md3""#;
        let output = in_time(line, &path);
        assert_code(&output, 1);
        assert_told(what, &stderr(&output));
        assert!(path.join("out/good.md3").exists());

        // A part of a player.
        let player = path.join("player");
        fs::create_dir(&player).unwrap();
        for part in ["lower.md3", "head.md3"] {
            fs::write(player.join(part), model()).unwrap();
        }
        make(&player.join("upper.md3"));
        let output = in_time(r#""$meshlens" convert -o "$1/player.glb" "$1/player""#, &path);
        assert_code(&output, 2);
        assert_told(what, &stderr(&output));
    }
}

#[test]
fn standard_input_may_be_a_pipe() {
    let (_keep, path) = folder();
    fs::write(path.join("a.md3"), model()).unwrap();
    let output = in_time(r#"cat "$1/a.md3" | "$meshlens" inspect --format json -"#, &path);
    assert_code(&output, 0);
    assert_eq!(json(&output)["files"][0]["format"], "md3");
}

#[test]
fn a_finding_about_several_parts_of_a_player_is_reported_once() {
    let (_keep, path) = folder();
    for name in ["lower.md3", "upper.md3", "head.md3"] {
        fs::write(path.join(name), corpus(&format!("md3/player/{name}"))).unwrap();
    }
    pipe(&path.join("animation.cfg"));
    let output = in_time(r#""$meshlens" convert "$1" -o "$1/a.glb""#, &path);
    assert_code(&output, 0);
    assert_eq!(stderr(&output).matches("animation.cfg").count(), 1, "{}", stderr(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout).matches("--fps").count(), 1, "{output:?}");
}
