//! Files beside the input.

use std::fs;
use std::path::Path;

use meshlens_testkit::doors;

use crate::table::{run, states};

/// A GLB whose buffer is a file.
pub(crate) fn glb_without_its_buffer() -> Vec<u8> {
    let mut text = fs::read(doors::path("walk.gltf")).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let len = text.len() as u32;
    let head = [*b"glTF", 2u32.to_le_bytes(), (20 + len).to_le_bytes(), len.to_le_bytes(), *b"JSON"];
    [head.concat(), text].concat()
}

fn status_of(input: &Path) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    run(&["census", input.to_str().unwrap(), "-o", folder.path().to_str().unwrap()], 0);
    let [_, _, status, code] = states(folder.path()).remove(0);
    (status, code)
}

#[test]
fn a_glb_may_have_its_buffer_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("walk.glb");
    fs::write(&input, glb_without_its_buffer()).unwrap();
    assert_eq!(status_of(&input), ("incomplete".into(), "GLTF".into()));
    // Names are found in any case.
    fs::copy(doors::path("walk.bin"), folder.path().join("Walk.BIN")).unwrap();
    assert_eq!(status_of(&input), ("ok".into(), String::new()));
    fs::rename(folder.path().join("Walk.BIN"), folder.path().join("walk.bin")).unwrap();
    assert_eq!(status_of(&input), ("ok".into(), String::new()));
}
