//! The rows of a census say about the files of each model what every interface says.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use arrow_array::RecordBatch;
use meshlens::import::{ImportOptions, Roots};
use meshlens::lens;
use meshlens::model::Space;
use meshlens_assets::OpenOptions;
use meshlens_testkit::doors::{self, Answer, Bounds};
use serde_json::json;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::table::{batches, corpus, integers, run, texts, value};

/// What every row says otherwise: the box is around the vertices before joints move them.
const EVERYWHERE: [(&str, &str); 1] = [("u3d/v2_skinned.u3d", "bounds")];

/// What rows of files outside archives say otherwise, because they do not depend on scripts: a script places its mesh, and pairs
/// files of other names.
const OUTSIDE: [(&str, &str); 9] = [
    ("unreal/Classes/Figure.uc", "bounds"),
    ("unreal/Classes/Crates.uc!walk", "bounds"),
    ("unreal/Classes/Crates.uc!walk", "counts"),
    ("unreal/Classes/Crates.uc!walk", "findings"),
    ("unreal/Classes/Crates.uc!walk", "status"),
    ("Box.uc", "bounds"),
    ("Box.uc", "counts"),
    ("Box.uc", "findings"),
    ("Box.uc", "status"),
];

fn named(differences: &[(&str, &str)]) -> BTreeSet<(String, String)> {
    differences.iter().map(|(name, column)| (String::from(*name), String::from(*column))).collect()
}

/// The bounding box of all frames of each node, in the space of its format. A row of glTF is about all nodes.
fn boxes(answer: &Answer) -> Vec<(Bounds, Space)> {
    let import = ImportOptions { roots: Roots::Merged, ..ImportOptions::default() };
    let options = OpenOptions { materials: false, import, ..OpenOptions::default() };
    let asset = doors::assets().open_with(&answer.name, &options).unwrap();
    let nodes = asset.scene().nodes.iter().map(|node| {
        let frames = (0..node.model.frame_count()).flat_map(|frame| node.model.points_at_rest(frame));
        let lens::Bounds { min, max } = lens::Bounds::around(frames).unwrap();
        (Bounds { min, max }, node.model.space)
    });
    nodes.collect()
}

/// Whether two boxes are the same up to rounding.
fn is_near(a: &Bounds, b: &Bounds) -> bool {
    let size = (0..3).map(|axis| a.max[axis] - a.min[axis]).fold(0.0, f32::max);
    let corners = [(a.min, b.min), (a.max, b.max)];
    corners.iter().all(|(a, b)| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-4 * size))
}

/// The columns in which rows differ from an answer. The row of each node comes first, and the row of the frames of an Unreal mesh
/// after the row of its geometry.
fn differences(answer: &Answer, batch: &RecordBatch, rows: &[usize]) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    let mut check = |is_right: bool, column: &str| {
        if !is_right {
            found.insert((answer.name.clone(), column.to_owned()));
        }
    };
    let column = |name: &str| -> Vec<Option<i64>> {
        let values = integers(batch, name);
        rows.iter().map(|row| values[*row]).collect()
    };
    let (statuses, formats) = (texts(batch, "status"), texts(batch, "format"));
    let geometry = if answer.format == "unreal" { &rows[..1] } else { rows };
    check(geometry.iter().all(|row| statuses[*row].as_deref() == Some("ok")), "status");
    check(rows.iter().all(|row| formats[*row].as_deref() == Some(&*answer.format)), "format");
    // The row of the geometry has the counts of both files.
    let sum = |name: &str| column(name)[..geometry.len()].iter().flatten().sum::<i64>();
    for (name, expected) in answer.counts.as_object().unwrap() {
        let found = match name.as_str() {
            "frames" => column(name)[..geometry.len()].iter().flatten().max().copied().unwrap_or(0),
            "surfaces" => sum("meshes"),
            name => sum(name),
        };
        check(Some(found) == expected.as_i64(), "counts");
    }
    let findings = ["errors", "warnings", "infos", "hints"].map(|name| {
        let counts = column(name).into_iter().take(geometry.len()).collect::<Option<Vec<_>>>();
        counts.map(|counts| counts.iter().sum::<i64>() as u64)
    });
    check(answer.findings.map_or([None; 4], |findings| findings.map(Some)) == findings, "findings");
    let boxes = boxes(answer);
    assert_eq!(boxes.len(), geometry.len(), "{}", answer.name);
    for (row, (expected, space)) in geometry.iter().zip(&boxes) {
        let corner = |name: &str| value(batch.column_by_name(name).unwrap(), *row);
        let bounds = json!({ "min": corner("min"), "max": corner("max") });
        let Ok(bounds) = serde_json::from_value::<Bounds>(bounds) else {
            check(false, "bounds");
            continue;
        };
        check(is_near(expected, &bounds), "bounds");
        if let [_] = boxes[..] {
            // The box of all frames includes the box at rest.
            let corners = [bounds.min, bounds.max].map(|corner| space.to(&Space::GLTF).position(corner));
            let rest = [answer.bounds.min, answer.bounds.max];
            let around = |points: &[[f32; 3]]| {
                let lens::Bounds { min, max } = lens::Bounds::around(points.iter().copied()).unwrap();
                Bounds { min, max }
            };
            check(is_near(&around(&corners), &around(&[corners, rest].concat())), "bounds");
        }
    }
    found
}

/// The paths of the files of a model that have rows, and the entry of an archive.
fn files(answer: &Answer) -> (Vec<String>, Option<String>) {
    match answer.files[0].split_once('!') {
        Some((archive, entry)) => (vec![archive.into()], Some(entry.into())),
        None => (answer.files.clone(), None),
    }
}

#[test]
fn files_are_what_other_interfaces_say() {
    let folder = tempfile::tempdir().unwrap();
    let mut found = BTreeSet::new();
    for (number, answer) in doors::answers().iter().enumerate() {
        let (paths, entry) = files(answer);
        let paths: Vec<String> = paths.iter().map(|path| doors::path(path).display().to_string()).collect();
        let table = folder.path().join(number.to_string());
        let mut arguments = vec!["census", "-o", table.to_str().unwrap()];
        arguments.extend(paths.iter().map(String::as_str));
        run(&arguments, 0);
        let batch = &batches(&table)[0];
        let entries = texts(batch, "entry");
        let rows: Vec<usize> = (0..batch.num_rows()).filter(|row| entries[*row] == entry).collect();
        found.extend(differences(answer, batch, &rows));
    }
    assert_eq!(found, named(&[&EVERYWHERE[..], &OUTSIDE].concat()));
}

/// Packs the files of a folder that are in no archive already.
fn pack(zip: &mut ZipWriter<File>, folder: &Path, name: &str) {
    for entry in fs::read_dir(folder).unwrap() {
        let (path, own) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        let name = format!("{name}{}", own.to_str().unwrap());
        if path.is_dir() {
            pack(zip, &path, &format!("{name}/"));
        } else if !name.ends_with(".pk3") {
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
            zip.write_all(&fs::read(path).unwrap()).unwrap();
        }
    }
}

#[test]
fn entries_of_an_archive_are_what_other_interfaces_say() {
    let folder = tempfile::tempdir().unwrap();
    let (archive, table) = (folder.path().join("all.pk3"), folder.path().join("table"));
    let mut zip = ZipWriter::new(File::create(&archive).unwrap());
    pack(&mut zip, &corpus(), "");
    pack(&mut zip, &doors::folder(), "");
    zip.finish().unwrap();
    run(&["census", archive.to_str().unwrap(), "-o", table.to_str().unwrap()], 0);
    let batch = &batches(&table)[0];
    let entries = texts(batch, "entry");
    let mut found = BTreeSet::new();
    for answer in doors::answers().iter().filter(|answer| !answer.files[0].contains('!')) {
        let rows: Vec<usize> = if answer.format == "unreal" {
            let is_mesh = |row: &usize| {
                answer.files.iter().map(Some).eq(entries[*row..].iter().take(2).map(Option::as_ref))
            };
            (0..entries.len()).find(is_mesh).into_iter().flat_map(|row| [row, row + 1]).collect()
        } else {
            let row = |file: &String| entries.iter().position(|entry| entry.as_ref() == Some(file)).unwrap();
            answer.files.iter().map(row).collect()
        };
        found.extend(differences(answer, batch, &rows));
    }
    assert_eq!(found, named(&EVERYWHERE));
}
