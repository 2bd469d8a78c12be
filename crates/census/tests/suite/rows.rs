//! The rows of files in memory.

use std::io::Write;
use std::time::Instant;

use arrow_array::Array;
use meshlens_census::{Bytes, Column, Columns, Input, Row, Status, batch, rows, schema};

use crate::table::{corpus, integers, texts};

fn one(uri: &str, bytes: impl Into<Bytes>) -> Row {
    let mut rows = rows(&Input::new(uri, bytes), Columns::default());
    assert_eq!(rows.len(), 1);
    rows.remove(0)
}

fn file(path: &str) -> Vec<u8> {
    std::fs::read(corpus().join(path)).unwrap()
}

#[test]
fn a_model_has_every_column() {
    let row = one("models/animated.md3", file("md3/animated.md3"));
    assert_eq!((row.status, row.format, row.version.as_deref()), (Status::Ok, Some("md3"), Some("15")));
    assert_eq!(row.hash.as_deref(), Some(&*blake3::hash(&file("md3/animated.md3")).to_string()));
    assert!(row.summary.unwrap().frames > 1 && row.bounds.is_some() && row.seconds.is_none());
    assert_eq!(row.clips.unwrap().len(), 0, "the clip of all frames is not in the file");
    let row = one("skinned.u3d", file("u3d/v2_skinned.u3d"));
    assert!(
        row.joints
            .is_some_and(|joints| joints[0].1.is_none() && joints.len() as u64 == row.summary.unwrap().tags)
    );
    let row = one("crate.md3", file("gallery/crate.md3"));
    assert!(!row.materials.unwrap().is_empty() && !row.textures.unwrap().is_empty());
}

#[test]
fn bounds_include_all_frames() {
    // A square with a corner at height 8 in frame 0, and at height 16 in frame 1.
    let row = one("square.md3", meshlens::md3::write::sample(&[8.0, 16.0]).unwrap());
    assert_eq!(row.summary.unwrap().frames, 2);
    assert_eq!(row.bounds.unwrap().max[2], 16.0);
}

#[test]
fn every_fault_is_a_row() {
    let state = |row: Row| (row.status, row.code);
    assert_eq!(state(one("readme.txt", "Read me")), (Status::Other, Some("MAGIC")));
    assert_eq!(one("empty.md3", "").status, Status::Other);
    assert_eq!(one("secret.u3d", file("u3d/v2_static_aes.u3d")).status, Status::Encrypted);
    assert_eq!(one("broken.pk3", "PK\x03\x04").status, Status::Invalid);
    assert_eq!(one("broken.glb", "glTF").status, Status::Invalid);
    assert_eq!(one("..", file("md3/static.md3")).status, Status::Ok);
    assert_eq!(one("Gun.uc", file("gallery/crate.uc")).status, Status::Other);
    let row = one("crate_a.3d", file("gallery/crate_a.3d"));
    assert_eq!((row.status, row.format), (Status::Half, Some("unreal")));
}

#[test]
fn every_prefix_of_a_file_is_a_row() {
    for path in ["md3/animated.md3", "u3d/v2_skinned.u3d", "unigine/skinned_ms11.mesh", "md3/models.pk3"] {
        let whole = file(path);
        for end in 0..whole.len().min(3000) {
            let found = rows(&Input::new(path, whole[..end].to_vec()), Columns::default());
            assert!(found[0].status != Status::Ok || end > 0, "{path} of {end} bytes");
            assert_eq!(found[0].size, Some(end as u64));
        }
    }
}

#[test]
fn gltf_without_its_buffers_is_incomplete() {
    let text = r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"gone.bin","byteLength":36}],
        "bufferViews":[{"buffer":0,"byteLength":36}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3",
            "min":[0,0,0],"max":[1,1,1]}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
        "nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}],"scene":0}"#;
    let row = one("triangle.gltf", text);
    assert_eq!((row.status, row.code, row.format), (Status::Incomplete, Some("GLTF"), Some("gltf")));
    assert_eq!(row.summary.unwrap().triangles, 1);
}

#[test]
fn an_archive_has_a_row_for_each_file_of_a_model() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, path) in [
        ("m/b_d.3d", "gallery/crate_d.3d"),
        ("m/b_a.3d", "gallery/crate_a.3d"),
        ("m/a.md3", "md3/static.md3"),
        ("m/broken.md3", "gallery/crate.tga"),
        ("m/a.tga", "gallery/crate.tga"),
    ] {
        zip.start_file(name, options).unwrap();
        zip.write_all(&file(path)).unwrap();
    }
    let input =
        Input { etag: Some("7".into()), ..Input::new("pak0.pk3", zip.finish().unwrap().into_inner()) };
    let found = rows(&input, Columns::default());
    let names: Vec<_> = found.iter().map(|row| (row.entry.as_deref(), row.status)).collect();
    let expected = [
        (None, Status::Ok),
        (Some("m/a.md3"), Status::Ok),
        (Some("m/b_d.3d"), Status::Ok),
        (Some("m/b_a.3d"), Status::Half),
        (Some("m/broken.md3"), Status::Other),
    ];
    assert_eq!(names, expected);
    assert!(found.iter().all(|row| row.uri == "pak0.pk3" && row.etag.as_deref() == Some("7")));
    assert_eq!(found[1].hash, one("a.md3", file("md3/static.md3")).hash);
    assert_eq!(found[2].size, Some(file("gallery/crate_d.3d").len() as u64));
}

#[test]
fn frames_of_a_broken_mesh_in_an_archive_have_a_row_of_their_own() {
    let (geometry, frames) = (file("gallery/crate_d.3d"), file("gallery/crate_a.3d"));
    let found = |geometry: &[u8], frames: &[u8]| {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, bytes) in [("x_d.3d", geometry), ("x_a.3d", frames)] {
            zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        rows(&Input::new("x.pk3", zip.finish().unwrap().into_inner()), Columns::default()).split_off(1)
    };
    let state = |row: &Row| (row.entry.clone(), row.status, row.format, row.code, row.size, row.hash.clone());
    // The same as the row of the file alone.
    let expected = |bytes: &[u8], name: &str, status| {
        let alone = one(name, bytes.to_vec());
        assert_eq!((alone.status, alone.code.is_some()), (status, status == Status::Invalid));
        (Some(name.to_owned()), status, alone.format, alone.code, Some(bytes.len() as u64), alone.hash)
    };
    let broken = &geometry[..geometry.len() - 1];
    let rows: Vec<_> = found(broken, &frames).iter().map(state).collect();
    let first = expected(broken, "x_d.3d", Status::Invalid);
    assert_eq!(rows, [first, expected(&frames, "x_a.3d", Status::Half)]);
    let rows: Vec<_> = found(&geometry, &frames[..1]).iter().map(state).collect();
    assert_eq!(rows[1], expected(&frames[..1], "x_a.3d", Status::Invalid));
    assert_eq!((rows[0].1, rows[0].4), (Status::Invalid, Some(geometry.len() as u64)));
}

#[test]
fn entries_that_their_names_do_not_lead_to_have_a_row() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for name in ["m/a.md3", "m/b.md3", "m/cc.md3", "m/d.txt"] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&file("md3/static.md3")).unwrap();
    }
    let mut bytes = zip.finish().unwrap().into_inner();
    // The writer refuses these names.
    for (old, new) in [("m/b.md3", "m/a.md3"), ("m/cc.md3", "../c.md3"), ("m/d.txt", "../.txt")] {
        let at: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(old.as_bytes())).collect();
        at.into_iter().for_each(|at| bytes[at..at + old.len()].copy_from_slice(new.as_bytes()));
    }
    let found = rows(&Input::new("pak0.pk3", bytes), Columns::default());
    let states: Vec<_> = found.iter().map(|row| (row.entry.as_deref(), row.status, row.code)).collect();
    let expected = [
        (None, Status::Ok, None),
        (Some("m/a.md3"), Status::Unread, Some("ENTRY_REPLACED")),
        (Some("../c.md3"), Status::Unread, Some("ENTRY_REFUSED")),
        (Some("m/a.md3"), Status::Ok, None),
    ];
    assert_eq!(states, expected);
}

#[test]
fn rows_are_the_same_each_time_and_in_any_batch() {
    let inputs = || {
        let mut inputs = Vec::new();
        for folder in ["md3", "u3d", "unigine", "gallery"] {
            let mut paths: Vec<_> =
                corpus().join(folder).read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
            paths.sort();
            for path in paths.iter().filter(|path| path.is_file()) {
                inputs.push(Input::new(path.to_str().unwrap(), std::fs::read(path).unwrap()));
            }
        }
        inputs
    };
    let whole = batch(inputs(), Columns::default());
    assert_eq!(whole.schema(), schema());
    assert_eq!(whole, batch(inputs(), Columns::default()));
    assert!(whole.num_rows() > 60 && texts(&whole, "status").iter().all(Option::is_some));
    let last = batch(inputs().pop(), Columns::default());
    assert_eq!(whole.slice(whole.num_rows() - last.num_rows(), last.num_rows()), last);
}

#[test]
fn other_columns_are_null() {
    let columns: Columns = "format,vertices".parse().unwrap();
    let found = batch([Input::new("a.md3", file("md3/static.md3"))], columns);
    assert_eq!((found.num_columns(), found.num_rows()), (Column::ALL.len(), 1));
    assert!(integers(&found, "vertices")[0].is_some() && texts(&found, "hash")[0].is_none());
    assert_eq!(found.column_by_name("findings").unwrap().null_count(), 1);
    let start = Instant::now();
    let timed = rows(&Input::new("a.md3", file("md3/static.md3")), "all,seconds".parse().unwrap());
    assert!(timed[0].seconds.unwrap() <= start.elapsed().as_secs_f64());
}
