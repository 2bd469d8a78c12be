//! `meshlens plan`.

use serde_json::{Value, json};

use crate::shared::{meshlens, stderr, stdout};

#[test]
fn parts_with_their_ranges_and_sizes() {
    let output = meshlens(&["plan", "corpus/md3/animated.md3"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(lines[0], "corpus/md3/animated.md3");
    assert!(lines[1].starts_with("md3 15, ") && lines[1].contains(" bytes, 1 mesh"), "{}", lines[1]);
    assert!(lines[2].starts_with("  part ") && lines[2].contains(" stored  decoded"), "{}", lines[2]);
    // The bounds are in frame 0: 56 bytes after the header of 108 bytes. They decode to two corners.
    let bounds: Vec<&str> =
        lines.iter().find(|line| line.contains(" bounds ")).unwrap().split_whitespace().collect();
    assert_eq!(bounds, ["bounds", "0x6c..0xa4", "56", "24"]);
    // 35 vertices of 8 bytes decode to positions and normals of 24 bytes.
    let frames = lines.iter().find(|line| line.contains("frames 0 to ")).unwrap();
    assert!(frames.contains(" x 280 ") && frames.contains(" x 840"), "{frames}");
    let all = meshlens(&["plan", "--all", "corpus/md3/animated.md3"]);
    assert!(stdout(&all).contains("frame 1 of mesh 0"), "{}", stdout(&all));
}

#[test]
fn json_lists_every_range() {
    let output = meshlens(&["plan", "--format", "json", "corpus/md3/animated.md3"]);
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&plan["uri"], &plan["format"]), (&json!("corpus/md3/animated.md3"), &json!("md3")));
    let parts = plan["parts"].as_array().unwrap();
    let bounds = parts.iter().find(|part| part["part"] == "bounds").unwrap();
    let expected = json!({
        "part": "bounds", "ranges": [{"file": 0, "start": 108, "end": 164}],
        "stored_bytes": 56, "decoded_bytes": 24, "needs": [],
    });
    assert_eq!(bounds, &expected);
    let frame = parts.iter().find(|part| part["frame"] == 2).unwrap();
    assert_eq!((&frame["part"], &frame["mesh"]), (&json!("frame"), &json!(0)));
    assert_eq!(frame["stored_bytes"], 280);
}

#[test]
fn every_model_of_the_corpus_fits_eighty_columns() {
    for folder in ["md3", "unreal", "u3d", "unigine"] {
        let output = meshlens(&["plan", &format!("corpus/{folder}")]);
        let long: Vec<&str> = stdout(&output)
            .lines()
            .filter(|line| line.starts_with("  ") && line.chars().count() > 80)
            .collect();
        assert!(long.is_empty(), "{long:#?}");
        assert!(stdout(&output).lines().count() > 20, "{}", stdout(&output));
    }
}

#[test]
fn a_broken_model_and_a_missing_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.md3");
    std::fs::write(&path, b"IDP3").unwrap();
    let path = path.to_str().unwrap();
    let output = meshlens(&["plan", path, "corpus/md3/static.md3"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("broken.md3: "), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("corpus/md3/static.md3\n"), "the rest goes on");
    let output = meshlens(&["plan", "no/such/file.md3"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn other_commands_take_no_urls() {
    let output = meshlens(&["dump", "http://127.0.0.1:9/x.md3"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output), "meshlens: http://127.0.0.1:9/x.md3: this command takes no URLs\n");
}

#[cfg(not(feature = "remote"))]
#[test]
fn the_error_for_a_url_names_the_required_feature() {
    for verb in ["inspect", "plan", "validate"] {
        let output = meshlens(&[verb, "s3://bucket/x.md3"]);
        assert_eq!(output.status.code(), Some(2));
        let text =
            "s3://bucket/x.md3: this build of meshlens reads no URLs; build it with the feature `remote`";
        assert!(stderr(&output).contains(text), "{}", stderr(&output));
    }
}
