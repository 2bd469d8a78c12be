//! Reading glTF files, and exporting the shown model as GLB.

use std::fs;

use meshlens_gltf::{ImportOptions, import};
use meshlens_viewer::State;

use crate::{corpus, view};

/// A GLB file of a model of the corpus.
fn glb(name: &str) -> Vec<u8> {
    view(&[name]).export_glb().unwrap()
}

#[test]
fn a_glb_is_shown_with_its_frames() {
    let mut state = State::default();
    state.add_files([("tagged.glb".to_owned(), glb("md3/tagged.md3"))]);
    let opened = state.model().unwrap();
    assert_eq!((opened.numbers(), opened.format.as_str()), ((72, 36, 3), "glTF 2.0"));
    assert_eq!(opened.files()[0].name, "files/tagged.glb");
    // The figure is 16 units high.
    let bounds = state.bounds().unwrap();
    assert!((15.9..16.2).contains(&bounds.max[1]), "{bounds:?}");
    let picture = state.library.items()[0].picture(48).unwrap();
    assert!(picture.rgba.chunks(4).filter(|pixel| pixel[3] == 255).count() > 200);
}

#[test]
fn a_gltf_reads_the_buffer_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let glb = glb("md3/static.md3");
    // GLB: a header of 12 bytes, then chunks: length, type and content (glTF 2.0, section 4.4).
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let json = String::from_utf8(glb[20..20 + length].to_vec()).unwrap();
    let json = json.replacen("{\"byteLength\"", "{\"uri\":\"box.bin\",\"byteLength\"", 1);
    assert!(json.contains("box.bin"), "{json}");
    fs::write(folder.path().join("box.gltf"), json).unwrap();
    fs::write(folder.path().join("box.bin"), &glb[28 + length..]).unwrap();
    // A buffer without a glTF file is not a model.
    let state = State::of_paths([folder.path()]);
    assert_eq!(state.library.items().len(), 1);
    assert_eq!(state.model().unwrap().numbers(), (72, 36, 1));
}

#[test]
fn a_broken_glb_is_an_error() {
    let mut state = State::default();
    state.add_files([("cut.glb".to_owned(), b"glTF\x02\0\0\0".to_vec())]);
    let error = state.error().unwrap();
    assert!(error.starts_with("files/cut.glb: gltf: "), "{error}");
}

#[test]
fn the_export_has_the_weapon_on_its_tag() {
    let mut state = view(&["md3/player", "md3/static.md3"]);
    let alone = triangles(&state);
    let hand = state.weapon_tag().unwrap();
    let weapon = state.library.items().iter().position(|item| item.name == "static.md3").unwrap();
    state.attach(hand, weapon).unwrap();
    // static.md3 has 36 triangles.
    assert_eq!(triangles(&state), alone + 36);
    assert_eq!(State::default().export_glb(), Err("no model is open".to_owned()));
}

/// The number of triangles in the export, counted by a reader.
fn triangles(state: &State) -> usize {
    let glb = state.export_glb().unwrap();
    let (scene, _) = import(&glb, &ImportOptions::default(), &|_, _| None).unwrap();
    let meshes = scene.nodes.iter().flat_map(|node| &node.model.meshes);
    meshes.filter(|mesh| mesh.lod == 0).map(|mesh| mesh.triangle_count()).sum()
}

#[test]
fn textures_are_in_the_export() {
    let glb = glb("gallery/crate.md3");
    assert!(glb.windows(4).any(|bytes| bytes == b"\x89PNG"));
    assert!(fs::read(corpus("gallery/crate.tga")).is_ok());
}

#[test]
fn a_picture_is_cut_out_of_the_window() {
    // A window of 4 by 3 pixels whose red is the column and whose green is the row.
    let rgba: Vec<u8> = (0..12u8).flat_map(|index| [index % 4, index / 4, 0, 255]).collect();
    let png = meshlens_viewer::export_png(&rgba, 4, [1, 1], [2, 9]).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (2, 2));
    assert_eq!(pixels, [1, 1, 0, 2, 1, 0, 1, 2, 0, 2, 2, 0]);
    assert!(meshlens_viewer::export_png(&rgba, 4, [4, 0], [1, 1]).is_err());
}
