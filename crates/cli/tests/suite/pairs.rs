//! The command on Unreal meshes, which are two files each.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use meshlens_testkit::real;
use serde_json::Value;

use crate::shared::{meshlens, utf8};

const MODELS: &str = "corpus/unreal/Models";

/// The exit status, and standard output as one JSON document.
fn json(arguments: &[&str]) -> (Option<i32>, Value) {
    let output = meshlens(arguments);
    let document = serde_json::from_slice(&output.stdout);
    (output.status.code(), document.unwrap_or_else(|error| panic!("{error}: {output:?}")))
}

/// The members of each row of `inspect` that distinguish pairs.
fn rows(paths: &[&str]) -> Vec<(String, String, u64, u64)> {
    let (code, document) = json(&[&["inspect", "--format", "json"], paths].concat());
    assert_eq!(code, Some(0));
    let row = |row: &Value| {
        let text = |name: &str| row[name].as_str().unwrap().replace('\\', "/");
        (text("uri"), text("version"), row["frames"].as_u64().unwrap(), row["triangles"].as_u64().unwrap())
    };
    document["files"].as_array().unwrap().iter().map(row).collect()
}

/// A folder with the two files of a mesh under the given names.
fn folder(names: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().to_owned();
    for (from, to) in names {
        fs::create_dir_all(path.join(to).parent().unwrap()).unwrap();
        fs::copy(real::workspace_root().join("corpus/unreal").join(from), path.join(to)).unwrap();
    }
    (folder, path)
}

#[test]
fn a_folder_lists_each_pair_once_with_its_rule() {
    let found = rows(&["corpus/unreal"]);
    let row = |name: &str| found.iter().filter(|row| row.0 == format!("{MODELS}/{name}")).collect::<Vec<_>>();
    assert_eq!(found.len(), 11);
    assert_eq!(row("ring_d.3d"), [&(format!("{MODELS}/ring_d.3d"), "packed32, rule 1".into(), 2, 48)]);
    for (name, layout) in [
        ("wide_d.3d", "i16x4, rule 2"),
        ("padded_d.3d", "packed32, rule 3"),
        ("mistaken_size_d.3d", "packed32, rule 4"),
        ("mistaken_count_d.3d", "packed32, rule 5"),
        ("DATA01.3D", "packed32, rule 1"),
    ] {
        assert_eq!(row(name).iter().map(|row| row.1.as_str()).collect::<Vec<_>>(), [layout], "{name}");
    }
    // A script in the folder pairs one geometry file with two frames files.
    assert_eq!(row("crate_d.3d + crate_run_a.3d")[0].2, 2);
    assert_eq!(row("crate_d.3d + crate_walk_a.3d")[0].2, 4);
}

#[test]
fn either_file_names_the_pair_and_both_name_it_once() {
    let (geometry, frames) = (format!("{MODELS}/ring_d.3d"), format!("{MODELS}/ring_a.3d"));
    let pair = [(geometry.clone(), "packed32, rule 1".to_owned(), 2, 48)];
    assert_eq!(rows(&[&geometry]), pair);
    assert_eq!(rows(&[&frames]), pair);
    assert_eq!(rows(&[&frames, &geometry]), pair);
}

#[test]
fn a_script_names_its_pairs() {
    let found = rows(&["corpus/unreal/Classes/Crates.uc", "corpus/unreal/Classes/Figure.uc"]);
    let names: Vec<_> = found.iter().map(|row| row.0.rsplit_once('/').unwrap().1).collect();
    assert_eq!(names, ["crate_d.3d + crate_walk_a.3d", "crate_d.3d + crate_run_a.3d", "figure_d.3d"]);

    let (code, reports) = json(&["validate", "--format", "json", "corpus/unreal/Classes/Crates.uc"]);
    let messages = reports[1]["issues"]["messages"].as_array().unwrap();
    assert_eq!((code, messages.len()), (Some(0), 1));
    assert_eq!(messages[0]["code"], "SEQUENCE_OUT_OF_RANGE");
    assert_eq!(messages[0]["pointer"], "/script/run/sequences/0");

    let (_keep, path) = folder(&[("Classes/Figure.uc", "Figure.uc"), ("Models/figure_a.3d", "figure_a.3d")]);
    assert_eq!(rows(&[utf8(&path.join("Figure.uc"))])[0].1, "frames alone");
    fs::remove_file(path.join("figure_a.3d")).unwrap();
    let output = meshlens(&["inspect", utf8(&path.join("Figure.uc"))]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the files of mesh figure do not exist"));
}

#[test]
fn a_script_in_a_folder_pairs_files_of_any_name() {
    let (_keep, path) = folder(&[
        ("Models/ring_d.3d", "Models/Shape.3d"),
        ("Models/ring_a.3d", "Models/Motion.3d"),
        ("Models/ring_a.3d", "Models/Nobody.3d"),
    ]);
    assert_eq!(meshlens(&["inspect", utf8(&path)]).status.code(), Some(2), "nothing says what these are");
    fs::create_dir(path.join("Classes")).unwrap();
    let line = r"#exec MESH IMPORT MESH=ring ANIVFILE=models\motion.3d DATAFILE=MODELS\shape.3d";
    fs::write(path.join("Classes/Ring.uc"), line).unwrap();
    let found = rows(&[utf8(&path)]);
    assert_eq!(found.len(), 1);
    assert!(found[0].0.ends_with("Models/Shape.3d + Motion.3d"), "{}", found[0].0);
}

#[test]
fn a_file_without_its_other_half_is_a_finding() {
    let (_keep, path) = folder(&[
        ("Models/ring_d.3d", "a/Ring_D.3D"),
        ("Models/ring_a.3d", "a/ring_A.3d"),
        ("Models/ring_d.3d", "b/lone_d.3d"),
        ("Models/ring_a.3d", "c/lone_a.3d"),
    ]);
    let found = rows(&[utf8(&path)]);
    let layouts: Vec<_> = found.iter().map(|row| row.1.as_str()).collect();
    assert_eq!(layouts, ["packed32, rule 1", "geometry alone", "frames alone"]);
    let (code, reports) = json(&["validate", "--format", "json", utf8(&path)]);
    assert_eq!(code, Some(0));
    for report in &reports.as_array().unwrap()[1..] {
        assert_eq!(report["issues"]["messages"][0]["code"], "MISSING_COMPANION");
    }
    assert_eq!(meshlens(&["validate", "--fail-on", "warning", utf8(&path)]).status.code(), Some(1));
}

#[test]
fn the_complete_frames_of_a_truncated_file_are_used() {
    let (_keep, path) = folder(&[("Models/figure_d.3d", "cut_d.3d"), ("Models/figure_a.3d", "cut_a.3d")]);
    let frames = path.join("cut_a.3d");
    let bytes = fs::read(&frames).unwrap();
    fs::write(&frames, &bytes[..bytes.len() - 1]).unwrap();
    let (code, report) = json(&["validate", "--format", "json", utf8(&frames)]);
    assert_eq!((code, &report["issues"]["messages"][0]["code"]), (Some(1), &"FRAME_INCOMPLETE".into()));
    let (code, dump) = json(&["dump", utf8(&path.join("cut_d.3d"))]);
    assert_eq!(
        (code, &dump["frames"], &dump["positions"]["shape"]),
        (Some(0), &2.into(), &[2, 72, 3][..].into())
    );
}

#[test]
fn files_that_do_not_match_are_one_invalid_row() {
    let (_keep, path) = folder(&[("Models/figure_d.3d", "x_d.3d"), ("Models/wide_a.3d", "x_a.3d")]);
    let output = meshlens(&["inspect", utf8(&path)]);
    assert_eq!(output.status.code(), Some(1));
    let error = "unreal frames: frame size 192 does not fit the geometry's vertex count 72 at 0x2";
    assert!(String::from_utf8_lossy(&output.stderr).contains(error), "{output:?}");
}

#[test]
fn dump_takes_the_path_of_the_frames_file_or_finds_it() {
    let run = format!("{MODELS}/crate_run_a.3d");
    let walk = format!("{MODELS}/crate_walk_a.3d");
    let geometry = format!("{MODELS}/crate_d.3d");
    for (frames, count) in [(&run, 2), (&walk, 4)] {
        let (code, dump) = json(&["dump", &geometry, "--frames", frames]);
        assert_eq!((code, &dump["frames"]), (Some(0), &count.into()));
        assert_eq!((&dump["format"], &dump["encoding"]), (&"unreal".into(), &"packed32".into()));
    }
    // No other file has a matching name, so only the content of this file is used.
    let (code, dump) = json(&["dump", &geometry]);
    assert_eq!(
        (code, &dump["frames"], &dump["triangles"]["type"]["shape"]),
        (Some(0), &Value::Null, &[12][..].into())
    );
    let (_, dump) = json(&["dump", &format!("{MODELS}/ring_a.3d"), "--arrays", "full"]);
    assert_eq!(dump["positions"]["data"][1].as_array().unwrap().len(), 35);
    let (code, dump) = json(&["dump", "corpus/unreal/Classes/Figure.uc", "--arrays", "none"]);
    assert_eq!((code, &dump["vertices"]), (Some(0), &72.into()));
    assert_eq!(meshlens(&["dump", "corpus/unreal/Classes/Crates.uc"]).status.code(), Some(2));
}

#[test]
fn archives_hold_pairs_too() {
    let (_keep, path) = folder(&[]);
    let archive = path.join("models.zip");
    let mut zip = zip::ZipWriter::new(fs::File::create(&archive).unwrap());
    for (from, to) in
        [("ring_d.3d", "m/ring_d.3d"), ("ring_a.3d", "m/RING_A.3D"), ("junk_a.3d", "n/ring_a.3d")]
    {
        zip.start_file(to, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&fs::read(real::workspace_root().join(MODELS).join(from)).unwrap()).unwrap();
    }
    zip.finish().unwrap();
    let archive = utf8(&archive);
    let found = rows(&[archive]);
    assert_eq!(
        found,
        [
            (format!("{archive}!m/ring_d.3d"), "packed32, rule 1".into(), 2, 48),
            (format!("{archive}!n/ring_a.3d"), "frames alone".into(), 1, 0),
        ]
    );
    let (_, dump) = json(&["dump", &format!("{archive}!m/RING_A.3D")]);
    assert_eq!(dump["vertices"], 35);
}

#[test]
fn details_list_layout_materials_and_weapon() {
    let output = meshlens(&["inspect", "--details", &format!("{MODELS}/figure_d.3d")]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("packed32, rule 1: frame size = 4 x vertices"), "{text}");
    assert!(text.contains("weapon at 0.000 -80.000 56.000 in frame 0 (triangle 36)"), "{text}");
}

#[test]
fn dumps_of_real_geometry_files_equal_an_independent_reader() {
    let Some(folder) = real::folder() else {
        println!("skipped: MESHLENS_REAL is not set");
        return;
    };
    for expected in real::expected(&folder, "unreal").iter().step_by(8) {
        let uri = expected["uri"].as_str().unwrap();
        let (code, found) = json(&["dump", utf8(&folder.join(uri))]);
        assert_eq!(code, Some(0));
        real::assert_matches(expected, &found, uri);
    }
}
