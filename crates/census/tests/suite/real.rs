//! Real files with counts from independent readers. Runs if `MESHLENS_REAL` is the path of a folder with such files.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use arrow_array::RecordBatch;
use serde_json::{Value, json};

use crate::table::{batches, run, texts, value};

/// The number of elements of an array along an axis.
fn len(array: &Value, axis: usize) -> u64 {
    array["shape"][axis].as_u64().unwrap_or(0)
}

/// The smallest and the largest position of arrays.
fn bounds<'v>(arrays: impl Iterator<Item = &'v Value>) -> [Value; 2] {
    let arrays: Vec<&Value> = arrays.filter(|array| !array["min"].is_null()).collect();
    let corner = |name: &str, of: fn(f32, f32) -> f32| {
        let at = |axis: usize| {
            arrays.iter().filter_map(move |array| array[name][axis].as_f64().map(|at| at as f32)).reduce(of)
        };
        at(0).map_or(Value::Null, |x| json!([x, at(1), at(2)]))
    };
    [corner("min", f32::min), corner("max", f32::max)]
}

/// The columns that an independent reader knows, with their expected values in the row of the file.
fn expected(model: &Value) -> Value {
    let list = |value: &Value, name: &str| value[name].as_array().cloned().unwrap_or_default();
    match model["format"].as_str().unwrap() {
        "md3" => {
            let surfaces = list(model, "surfaces");
            let sum =
                |name: &str, axis: usize| -> u64 { surfaces.iter().map(|of| len(&of[name], axis)).sum() };
            let [min, max] = bounds(surfaces.iter().map(|surface| &surface["positions"]));
            json!({
                "version": model["version"].to_string(), "meshes": surfaces.len(),
                "frames": list(model, "frames").len(), "tags": list(&model["tags"], "names").len(),
                "vertices": sum("positions", 1), "triangles": sum("triangles", 0), "min": min, "max": max,
            })
        }
        "unreal" => json!({
            "frames": model["frames"], "vertices": model["vertices"],
            "triangles": len(&model["triangles"]["vertices"], 0),
        }),
        "u3d" => {
            // The meshes of later frames belong to the same model.
            let meshes = list(model, "meshes");
            let first: Vec<&Value> = meshes.iter().filter(|mesh| mesh["frame"] == 0).collect();
            let sum = |name: &str| -> u64 { first.iter().map(|mesh| len(&mesh[name], 0)).sum() };
            let [min, max] = bounds(meshes.iter().map(|mesh| &mesh["positions"]));
            let bones = list(model, "bones");
            let names: Vec<Value> = list(model, "materials").iter().map(|of| of["name"].clone()).collect();
            let mut columns = json!({
                "version": model["version"], "meshes": first.len(), "tags": bones.len(), "vertices": sum("positions"),
                "triangles": sum("triangles"), "materials": names, "min": min, "max": max,
                "joints": bones.iter().map(|bone| json!([bone["name"], bone["parent"]])).collect::<Vec<_>>(),
            });
            if bones.is_empty() {
                let last = meshes.iter().filter_map(|mesh| mesh["frame"].as_u64()).max();
                columns["frames"] = last.map_or(0, |last| last + 1).into();
            }
            columns
        }
        "unigine" => {
            let (surfaces, bones) = (list(model, "surfaces"), list(model, "bones"));
            let points = |surface: &Value| len(&surface["morph_targets"][0]["positions"], 0);
            let corners: u64 = surfaces.iter().map(|surface| len(&surface["triangle_indices"], 0)).sum();
            let parent = |bone: &Value| bone["parent"].as_u64();
            let frames: u64 = list(model, "animations").iter().filter_map(|of| of["frames"].as_u64()).sum();
            // A mesh without animations has one frame.
            let still = u64::from(model["version"].as_str().is_some_and(|version| version.starts_with("ms")));
            json!({
                "version": model["version"], "meshes": surfaces.len(), "tags": bones.len(),
                "frames": frames.max(still),
                "vertices": surfaces.iter().map(points).sum::<u64>(), "triangles": corners / 3,
                "joints": bones.iter().map(|bone| json!([bone["name"], parent(bone)])).collect::<Vec<_>>(),
            })
        }
        other => panic!("{other} is no format"),
    }
}

#[test]
fn rows_agree_with_independent_readers() {
    let Some(real) = std::env::var_os("MESHLENS_REAL") else {
        println!("skipped: the census of real files: MESHLENS_REAL is not set");
        return;
    };
    let real = Path::new(&real).canonicalize().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let prefix = format!("{}/", real.display());
    run(&["census", &prefix, "-o", folder.path().to_str().unwrap()], 0);
    run(&["census", "verify", folder.path().to_str().unwrap()], 0);
    let mut found: HashMap<String, (RecordBatch, usize)> = HashMap::new();
    for batch in batches(folder.path()) {
        let (uris, entries) = (texts(&batch, "uri"), texts(&batch, "entry"));
        for (row, uri) in uris.into_iter().enumerate().filter(|(row, _)| entries[*row].is_none()) {
            let uri = uri.unwrap();
            found.insert(uri.strip_prefix(&prefix).unwrap_or(&uri).to_owned(), (batch.clone(), row));
        }
    }
    let mut compared = 0;
    for list in fs::read_dir(real.join("expected")).unwrap() {
        for line in fs::read_to_string(list.unwrap().path()).unwrap().lines() {
            let model: Value = serde_json::from_str(line).unwrap();
            let uri = model["uri"].as_str().unwrap();
            let (batch, row) = found.get(uri).unwrap_or_else(|| panic!("{uri} has no row"));
            assert_eq!(value(batch.column_by_name("status").unwrap(), *row), "ok", "{uri}");
            for (column, expected) in expected(&model).as_object().unwrap() {
                let found = value(batch.column_by_name(column).unwrap(), *row);
                assert_eq!(found, *expected, "{column} of {uri}");
            }
            compared += 1;
        }
    }
    assert!(compared > 500, "only {compared} files");
}
