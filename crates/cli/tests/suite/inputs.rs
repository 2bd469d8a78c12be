//! Folders, archives, players and lists as inputs.

use std::fs;
use std::io::{Cursor, Write};
use std::process::{Output, Stdio};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::usage::{command, corpus, folder, run, text};

#[test]
fn players_and_folders_in_archives_are_read_like_those_on_disk() {
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
    // MD3 stores one model, which becomes of the three nodes of the glTF file.
    let output = run(&path, &["convert", "plain.glb", "-o", "whole.md3"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    // Without -o, the file is named after the folder.
    run(&path, &["convert", "pak0.pk3!models/players/sarge/", "--out-dir", "out"]);
    assert!(path.join("out/sarge.glb").exists());
    // A folder in an archive that is not a player refers to its models.
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
    // The counts of x.md3: 1 surface of 72 vertices and 36 triangles, and 2 tags.
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
    // The output of an earlier run is not converted again.
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
    // Windows PowerShell 5 writes UTF-16.
    for (name, mark, bytes) in [
        ("le.txt", [0xFF, 0xFE], u16::to_le_bytes as fn(u16) -> [u8; 2]),
        ("be.txt", [0xFE, 0xFF], u16::to_be_bytes),
    ] {
        let units = "x.md3\r\nplayer/head.md3\r\n".encode_utf16();
        let list: Vec<u8> = mark.into_iter().chain(units.flat_map(bytes)).collect();
        fs::write(path.join(name), &list).unwrap();
        let wide = run(&path, &["inspect", "--format", "jsonl", "--files-from", name]);
        assert_eq!(uris(&wide), ["x.md3", "player/head.md3"]);
        fs::write(path.join(name), &list[..list.len() - 1]).unwrap();
        let cut = run(&path, &["inspect", "--files-from", name]);
        assert_eq!(cut.status.code(), Some(2));
        assert!(text(&cut.stderr).contains("begins as UTF-16, and is not"), "{}", text(&cut.stderr));
    }
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
