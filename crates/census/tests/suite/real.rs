//! Real files, which independent readers have counted. Runs if `MESHLENS_REAL` names a folder of them.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::table::{batches, integers, run, texts};

/// What is expected of a file: frames, vertices and triangles; `None` if the reader does not count it as this library does.
fn expected(line: &str) -> (String, Option<[i64; 3]>) {
    let model: serde_json::Value = serde_json::from_str(line).unwrap();
    let shape = |array: &serde_json::Value, at: usize| array["shape"][at].as_i64().unwrap();
    let counts = match model["format"].as_str().unwrap() {
        "md3" => {
            let surfaces = model["surfaces"].as_array().unwrap();
            let sum = |name: &str, at: usize| surfaces.iter().map(|surface| shape(&surface[name], at)).sum();
            let frames = model["frames"].as_array().unwrap().len() as i64;
            Some([frames, sum("positions", 1), sum("triangles", 0)])
        }
        "unreal" => Some([
            model["frames"].as_i64().unwrap(),
            model["vertices"].as_i64().unwrap(),
            shape(&model["triangles"]["vertices"], 0),
        ]),
        _ => None,
    };
    (model["uri"].as_str().unwrap().to_owned(), counts)
}

#[test]
fn counts_are_those_of_independent_readers() {
    let Some(real) = std::env::var_os("MESHLENS_REAL") else {
        println!("skipped: the census of real files: MESHLENS_REAL is not set");
        return;
    };
    let real = Path::new(&real).canonicalize().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let prefix = format!("{}/", real.display());
    run(&["census", &prefix, "-o", folder.path().to_str().unwrap()], 0);
    run(&["census", "verify", folder.path().to_str().unwrap()], 0);
    let mut found = HashMap::new();
    for batch in batches(folder.path()) {
        let columns = ["uri", "entry", "status"].map(|name| texts(&batch, name));
        let counts = ["frames", "vertices", "triangles"].map(|name| integers(&batch, name));
        for row in 0..batch.num_rows() {
            let [uri, entry, status] =
                columns.each_ref().map(|column| column[row].clone().unwrap_or_default());
            let name = uri.strip_prefix(&prefix).unwrap_or(&uri).to_owned();
            if entry.is_empty() {
                found.insert(name, (status, counts.each_ref().map(|count| count[row])));
            }
        }
    }
    let mut compared = 0;
    for list in fs::read_dir(real.join("expected")).unwrap() {
        let path = list.unwrap().path();
        for line in fs::read_to_string(&path).unwrap().lines() {
            let (uri, counts) = expected(line);
            let (status, row) = found.get(&uri).unwrap_or_else(|| panic!("{uri} has no row"));
            assert_eq!(status, "ok", "{uri}");
            if let Some(counts) = counts {
                assert_eq!(*row, counts.map(Some), "{uri}");
            }
            compared += 1;
        }
    }
    assert!(compared > 500, "only {compared} files");
}
