//! Conversions to vertex animation textures and USD.

use std::fs;

use super::convert::{convert, names};
use crate::shared::{meshlens, stderr, stdout, utf8};

#[test]
fn textures_of_vertices_are_four_files() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("w.glb");
    let made = convert(&["corpus/gallery/walker.md3", "--to", "vat", "-o", utf8(&out)]);
    assert_eq!((made.status.code(), stderr(&made)), (Some(0), ""));
    assert!(stdout(&made).contains("  note: 8 frames of 216 vertices in textures of 64 x 32 texels\n"));
    assert_eq!(names(folder.path()), ["w-remap_info.json", "w.glb", "w_vat.png", "w_vnrm.png"]);
    let info: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path().join("w-remap_info.json")).unwrap()).unwrap();
    assert_eq!(
        (&info["os-remap"]["Frames"], &info["meshlens"]["positions"]),
        (&8.into(), &"w_vat.png".into())
    );
    // Existing files are kept.
    let again = convert(&["corpus/gallery/walker.md3", "--to", "vat", "-o", utf8(&out)]);
    assert_eq!(again.status.code(), Some(2));
    let ignored =
        convert(&["corpus/gallery/walker.md3", "--to", "vat", "-o", utf8(&out), "--force", "--frame", "1"]);
    assert!(stderr(&ignored).contains("warning: only for glTF, and ignored: --frame\n"));
    let piped = convert(&["corpus/gallery/walker.md3", "--to", "vat", "-o", "-"]);
    assert_eq!(piped.status.code(), Some(2));
    assert!(stderr(&piped).contains("-o - takes a format of one file"));
}

#[test]
fn usd_has_its_textures_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a b.usda");
    let made = convert(&["corpus/gallery/walker.md3", "-o", utf8(&out)]);
    assert_eq!((made.status.code(), stderr(&made)), (Some(0), ""));
    assert!(stdout(&made).contains("8.2 x 25 x 5 units\n"), "{}", stdout(&made));
    assert_eq!(names(folder.path()), ["a b.usda", "walker.png"]);
    let text = fs::read_to_string(&out).unwrap();
    assert!(text.contains("defaultPrim = \"a_b\"\n") && text.contains("asset inputs:file = @walker.png@\n"));
    let piped = meshlens(&["convert", "-q", "corpus/md3/player", "--to", "usda", "-o", "-"]);
    assert!(stdout(&piped).starts_with("#usda 1.0\n"));
    // A player of three parts is one scene.
    assert_eq!(stdout(&piped).matches("def Mesh ").count(), 3);
}

#[test]
fn a_skeleton_replaces_vertex_frames() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("w.glb");
    let made =
        convert(&["corpus/gallery/walker.md3", "--skeleton", "--skeleton-error", "0.2", "-o", utf8(&out)]);
    assert_eq!((made.status.code(), stderr(&made)), (Some(0), ""));
    assert!(stdout(&made).contains("  note: walker: "), "{}", stdout(&made));
    let glb = String::from_utf8_lossy(&fs::read(&out).unwrap()).into_owned();
    assert!(glb.contains("\"skins\":[") && !glb.contains("\"targets\""));
    let frames = convert(&["corpus/gallery/walker.md3", "--skeleton", "--to", "md3", "-o", utf8(&out)]);
    assert_eq!(frames.status.code(), Some(2));
    assert!(stderr(&frames).contains("--skeleton takes a format with joints"));
}
