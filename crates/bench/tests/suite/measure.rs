//! The content of reports and the exit status.

use std::fs;

use meshlens_fixtures::real;
use serde_json::Value;

use crate::{json, measured, stderr, stdout};

/// The format and name, the number of elements, and the bytes of each array.
fn arrays(report: &Value) -> Vec<(String, u64, u64)> {
    let array = |array: &Value| {
        let name = format!("{} {}", array["format"].as_str().unwrap(), array["name"].as_str().unwrap());
        (name, array["elements"].as_u64().unwrap(), array["bytes"].as_u64().unwrap())
    };
    report["arrays"].as_array().unwrap().iter().map(array).collect()
}

#[test]
fn every_array_of_a_model_is_counted() {
    let (report, status) = json(&["corpus/md3/tagged.md3"]);
    assert_eq!(status, 0);
    // 3 frames of 72 vertices, and 36 triangles. The arrays of positions and normals end with their last element.
    let wanted = [
        ("md3 triangles", 36, 36 * 12),
        ("md3 texcoords", 72, 72 * 8),
        ("md3 positions_normals", 216, 216 * 8),
        ("md3 positions", 216, 3 * (72 * 8 - 2)),
        ("md3 normals", 216, 3 * (71 * 8 + 2)),
    ];
    assert_eq!(arrays(&report), wanted.map(|(name, elements, bytes)| (name.to_owned(), elements, bytes)));
    assert_eq!((&report["files"], &report["bytes"]), (&1.into(), &3860.into()));
    // Each byte is counted once: separate positions and normals are already in the vertices.
    assert_eq!(report["whole"]["elements"], 36 + 72 + 216);
    assert_eq!(report["whole"]["bytes"], 36 * 12 + 72 * 8 + 216 * 8);
    let levels = |rates: &Value| -> Vec<String> {
        let name = |level: &Value| level["level"].as_str().unwrap().to_owned();
        rates.as_array().unwrap().iter().map(name).collect()
    };
    let there: Vec<String> = meshlens::lens::Level::all().map(|level| level.name().to_owned()).collect();
    assert_eq!(levels(&report["whole"]["levels"]), there);
    for array in report["arrays"].as_array().unwrap() {
        assert_eq!(levels(&array["levels"]), there);
        for rate in array["levels"].as_array().unwrap().iter().chain([&array["memcpy"]]) {
            for number in [
                "seconds",
                "melements_per_second",
                "gigabytes_per_second",
                "cycles_per_element",
                "bytes_per_cycle",
            ] {
                assert!(rate[number].as_f64().unwrap() > 0.0, "{number} of {rate}");
            }
            assert!(rate["of_copy"]["median"].as_f64().unwrap() > 0.0, "{rate}");
        }
    }
    // This is too little work to divide.
    assert_eq!(report["whole"]["workers"], 1);
    assert_eq!(report["whole"]["levels"][0]["all_cores"], report["whole"]["levels"][0]["one_core"]);
    let kernels = report["arrays"].as_array().unwrap().iter().map(|array| array["kernel"].as_bool());
    // Texture coordinates are stored as they are decoded, so they have no kernel.
    assert!(kernels.eq([true, false, true, true, true].map(Some)), "{report}");
    assert!(report["open_microseconds"].as_f64().unwrap() > 0.0);
    // What `crc32 corpus/md3/tagged.md3` and zlib say.
    assert_eq!(report["files_crc32"], 2_426_108_029_u32);
    assert!(report["build"]["rustc"].as_str().unwrap().starts_with("rustc 1."), "{report}");
    assert!(report["time"].is_u64(), "{report}");
    assert_eq!(report["schema"], "meshlens-bench 1");
    assert!(report["machine"]["gigahertz"].as_f64().unwrap() > 0.0, "{report}");
}

#[test]
fn a_csv_has_a_row_for_each_rate_of_the_report() {
    let output = measured(&["corpus/md3/tagged.md3", "--level", "scalar", "--format", "csv"]);
    let text = stdout(&output);
    let rows: Vec<&str> = text.lines().collect();
    let columns = "schema,processor,gigahertz,rustc,profile,commit,time,files_crc32,array,level,cores,elements,bytes,seconds,spread,of_copy,cycles_per_element,bytes_per_cycle";
    assert_eq!(rows[0], columns);
    // Five arrays at one level and a copy; the files on one core, on all, and a copy.
    assert_eq!(rows.len(), 1 + 5 * 2 + 3);
    assert!(rows[1].starts_with("\"meshlens-bench 1\","), "{}", rows[1]);
    assert!(rows[1].contains(",2426108029,\"md3 triangles\",scalar,1,36,432,"), "{}", rows[1]);
    assert!(rows[13].contains(",\"whole files\",memcpy,1,324,"), "{}", rows[13]);
}

#[test]
fn normals_of_16_bits_are_measured_at_every_level() {
    // Two levels compute sines and cosines in another way: the last bits of the floats differ.
    let (report, status) = json(&["corpus/u3d/v2_static.u3d"]);
    assert_eq!(status, 0);
    let is_normals = |array: &&Value| array["name"] == "normals";
    let normals = report["arrays"].as_array().unwrap().iter().find(is_normals).unwrap();
    assert_eq!(normals["levels"].as_array().unwrap().len(), meshlens::lens::Level::all().count());
}

#[test]
fn folders_archives_and_pairs_of_every_format() {
    for (folder, format, name) in [
        ("corpus/md3", "md3", "positions_normals"),
        ("corpus/unreal", "unreal", "positions"),
        ("corpus/u3d", "u3d", "normals"),
        ("corpus/unigine", "unigine", "tangent_frames"),
    ] {
        let (report, _) = json(&["--level", "scalar", folder]);
        let arrays = arrays(&report);
        let found =
            arrays.iter().any(|(found, elements, _)| *found == format!("{format} {name}") && *elements > 0);
        assert!(found, "{folder}: {arrays:?}");
        assert_eq!(report["whole"]["levels"].as_array().unwrap().len(), 1);
        assert_eq!(report["whole"]["levels"][0]["level"], "scalar");
    }
    let (archive, _) = json(&["--level", "scalar", "corpus/md3/models.pk3"]);
    assert_eq!(archive["files"], 3);
}

#[test]
fn text_has_a_bar_for_each_rate() {
    let output = measured(&["--level", "scalar", "-j", "1", "corpus/md3/static.md3"]);
    let text = std::str::from_utf8(&output.stdout).expect("UTF-8");
    assert!(text.starts_with("1 file, "), "{text}");
    let rates: Vec<&str> = text.lines().filter(|line| line.contains(" M/s ")).collect();
    // Five arrays at one level and as a copy, and all arrays on one core and as a copy.
    assert_eq!(rates.len(), 5 * 2 + 2, "{text}");
    assert!(
        rates.iter().all(|line| line.contains(" GB/s ") && line.contains(" ms ±") && line.contains("x "))
    );
    let copies = rates.iter().filter(|line| line.contains("memcpy"));
    assert_eq!(copies.filter(|line| line.contains(" 1.00x ")).count(), 6, "{text}");
    let texcoords = text.lines().find(|line| line.starts_with("md3 texcoords: ")).unwrap();
    assert!(texcoords.ends_with(", copied, no kernel"), "{text}");
    assert_eq!(text.matches("no kernel").count(), 1, "{text}");
    let longest = "█".repeat(6);
    assert!(rates.iter().filter(|line| line.contains(&longest)).count() >= 6, "{text}");
}

#[test]
fn bad_files_are_reported_and_the_others_are_measured() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = fs::read(real::workspace_root().join("corpus/md3/static.md3")).unwrap();
    fs::write(folder.path().join("broken.md3"), &model[..200]).unwrap();
    let path = folder.path().to_str().expect("UTF-8");
    let output = measured(&["--format", "json", "--level", "scalar", path]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert!(stderr(&output).contains("broken.md3: md3: "), "{}", stderr(&output));
    assert!(stderr(&output).ends_with("nothing to measure\n"));

    fs::write(folder.path().join("good.md3"), &model).unwrap();
    let output = measured(&["--format", "json", "--level", "scalar", path, "no such file.md3"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["files"], 1);
    assert!(stderr(&output).contains("no such file.md3"), "{}", stderr(&output));

    let empty = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(measured(&[empty.path().to_str().expect("UTF-8")]).status.code(), Some(2));
}

#[test]
fn encrypted_models_need_their_password() {
    let locked = ["--level", "scalar", "corpus/u3d/v2_static_aes.u3d"];
    let output = measured(&locked);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let (beside, status) = json(&[&locked[..], &["corpus/u3d/v2_static.u3d"]].concat());
    assert_eq!((status, &beside["files"]), (0, &1.into()));
}

#[test]
fn workers_without_work_allocate_no_memory() {
    let output = measured(&["--level", "scalar", "-j", "100000", "corpus/md3/static.md3"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("1 file, "), "{}", stdout(&output));
}

#[test]
fn wrong_arguments_are_reported() {
    for arguments in
        [&["--level", "mmx"][..], &["--seconds", "0"], &["--seconds", "1e9"], &["--seconds", "NaN"]]
    {
        let output = measured(&[arguments, &["corpus/md3/static.md3"]].concat());
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
    }
    assert!(stderr(&measured(&["--level", "mmx", "x.md3"])).contains("this machine has scalar"));
}
