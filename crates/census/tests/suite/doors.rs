//! The rows of a census say about the files of each model what every interface says.

use meshlens_census::frames_of;
use meshlens_testkit::doors::{self, Answer, Bounds};
use serde_json::json;

use crate::table::{batches, integers, run, texts, value};

/// The paths of the files of a model that have rows, and the entry of an archive.
fn files(answer: &Answer) -> (Vec<String>, Option<String>) {
    match answer.files[0].split_once('!') {
        Some((archive, entry)) => (vec![archive.into()], Some(entry.into())),
        None => (answer.files.clone(), None),
    }
}

#[test]
fn every_model_is_what_other_interfaces_say() {
    let folder = tempfile::tempdir().unwrap();
    for (number, answer) in doors::answers().iter().enumerate() {
        let (paths, entry) = files(answer);
        // A census does not read scripts, which can name files of other names.
        if answer.name.contains(".uc") && !frames_of(&paths[0]).contains(&paths[1]) {
            continue;
        }
        let paths: Vec<String> = paths.iter().map(|path| doors::path(path).display().to_string()).collect();
        let table = folder.path().join(number.to_string());
        let mut arguments = vec!["census", "-o", table.to_str().unwrap()];
        arguments.extend(paths.iter().map(String::as_str));
        run(&arguments, 0);
        let batches = batches(&table);
        let batch = &batches[0];
        let entries = texts(batch, "entry");
        // The row of the geometry has the counts of both files of an Unreal mesh.
        let of_model = |row: usize| entries[row] == entry;
        let column = |name: &str| -> Vec<i64> {
            let values = integers(batch, name).into_iter().enumerate();
            values.filter(|(row, _)| of_model(*row)).filter_map(|(_, value)| value).collect()
        };
        for (name, expected) in answer.counts.as_object().unwrap() {
            let counts = column(if name == "surfaces" { "meshes" } else { name });
            let found =
                if name == "frames" { counts.iter().max().copied() } else { Some(counts.iter().sum()) };
            assert_eq!(found, expected.as_i64(), "{}, {name}", answer.name);
        }
        // A script has findings of its own.
        if let Some(findings) = answer.findings
            && !answer.name.contains(".uc")
        {
            let found =
                ["errors", "warnings", "infos", "hints"].map(|name| column(name).iter().sum::<i64>() as u64);
            assert_eq!(found, findings, "{}", answer.name);
        }
        let formats = texts(batch, "format");
        let is_right = |row: usize| !of_model(row) || formats[row].as_deref() == Some(&*answer.format);
        assert!((0..batch.num_rows()).all(is_right), "{}: {formats:?}", answer.name);
        // Imported files are in the space of glTF already. The box of all frames includes the box at rest.
        if answer.findings.is_none() {
            let corner = |name: &str| value(batch.column_by_name(name).unwrap(), 0);
            let bounds = json!({ "min": corner("min"), "max": corner("max") });
            let bounds: Bounds = serde_json::from_value(bounds).unwrap();
            let rest = answer.bounds;
            let all = Bounds {
                min: std::array::from_fn(|axis| bounds.min[axis].min(rest.min[axis])),
                max: std::array::from_fn(|axis| bounds.max[axis].max(rest.max[axis])),
            };
            bounds.assert(&all, &answer.name);
        }
    }
}
