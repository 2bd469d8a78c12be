//! Files beside the input, and what models in archives are opened with.

use std::fs;
use std::io::Write;
use std::path::Path;

use arrow_array::cast::AsArray;
use meshlens_assets::OpenOptions;
use meshlens_testkit::doors::{self, Bounds};
use meshlens_thumb::picture;

use crate::table::{batches, run, states, texts};

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

#[test]
fn products_in_archives_are_those_of_other_interfaces() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("box.pk3");
    let mut zip = zip::ZipWriter::new(fs::File::create(&archive).unwrap());
    for name in ["Box.uc", "crate_d.3d", "crate_walk_a.3d"] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&fs::read(doors::path(name)).unwrap()).unwrap();
    }
    zip.finish().unwrap();
    let product = |what: &str| {
        let table = folder.path().join(what);
        run(&["census", what, archive.to_str().unwrap(), "-o", table.to_str().unwrap()], 0);
        let batch = &batches(&table)[0];
        assert_eq!(texts(batch, "entry")[1].as_deref(), Some("crate_d.3d"));
        batch.column_by_name("content").unwrap().as_binary::<i32>().value(1).to_vec()
    };
    let answers = doors::answers();
    let expected = answers.iter().find(|answer| answer.name == "Box.uc").unwrap();
    let glb = doors::assets().open_bytes("box.glb", product("convert")).unwrap();
    expected.bounds.assert(&Bounds::of(glb.scene()), "the GLB");
    let asset = doors::assets().open_with("Box.uc", &OpenOptions::default()).unwrap();
    let options = meshlens_thumb::Options { size: 256, ..meshlens_thumb::Options::default() };
    assert_eq!(product("thumb"), picture(asset.scene(), &options).unwrap().to_png().unwrap());
}

#[test]
fn clips_in_archives_are_those_of_files_beside_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let (archive, table) = (folder.path().join("a.pk3"), folder.path().join("table"));
    let mut zip = zip::ZipWriter::new(fs::File::create(&archive).unwrap());
    for (name, bytes) in [
        ("a.md3", fs::read(doors::path("md3/animated.md3")).unwrap()),
        ("a.animation.cfg", b"0 2 0 10 // walk\n".to_vec()),
    ] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    zip.finish().unwrap();
    run(&["census", archive.to_str().unwrap(), "-o", table.to_str().unwrap()], 0);
    let clips = crate::table::value(batches(&table)[0].column_by_name("clips").unwrap(), 1);
    assert_eq!(clips[0][0], "walk", "{clips}");
}
