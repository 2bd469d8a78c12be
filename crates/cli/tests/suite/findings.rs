//! Findings: levels, reports, codes and logs.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::command::{code, folder, json};
use crate::shared::{meshlens, stderr, stdout, utf8};

#[test]
fn validate_fails_at_the_requested_level() {
    let file = "corpus/md3/multi_surface.md3";
    for (level, expected) in [("error", 0), ("warning", 1), ("info", 1)] {
        assert_eq!(code(&meshlens(&["validate", "--fail-on", level, file])), Some(expected), "{level}");
    }
    assert_eq!(code(&meshlens(&["validate", "--fail-on", "info", "corpus/md3/static.md3"])), Some(0));
    let (_keep, path) = folder();
    assert_eq!(code(&meshlens(&["validate", utf8(&path)])), Some(1));
}

#[test]
fn a_report_has_the_members_of_the_khronos_validator() {
    let report = json(&meshlens(&["validate", "--format", "json", "corpus/md3/multi_surface.md3"]));
    assert_eq!(report["uri"], "corpus/md3/multi_surface.md3");
    let issues = &report["issues"];
    let counts =
        ["numErrors", "numWarnings", "numInfos", "numHints"].map(|name| issues[name].as_u64().unwrap());
    assert_eq!((counts, &issues["truncated"]), ([0, 1, 0, 1], &Value::Bool(false)));
    let message = &issues["messages"][0];
    assert_eq!(message["code"], "SHADER_PATH_BACKSLASH");
    assert_eq!((&message["severity"], &message["pointer"]), (&1.into(), &"/surfaces/2/shaders/0".into()));
    assert!(message["offset"].as_u64().unwrap() > 108 && message["message"].is_string());
    assert_eq!(report["info"]["triangles"], 96);

    let cut = json(&meshlens(&[
        "validate",
        "--format",
        "json",
        "--max-findings",
        "1",
        "corpus/md3/multi_surface.md3",
    ]));
    assert_eq!(cut["issues"]["truncated"], true);
    assert_eq!(cut["issues"]["messages"].as_array().unwrap().len(), 1);
    assert_eq!(cut["issues"]["numHints"], 1);

    let (_keep, path) = folder();
    let reports = json(&meshlens(&["validate", "--format", "json", utf8(&path)]));
    assert_eq!(reports.as_array().unwrap().len(), 3);
    assert_eq!(reports[0]["issues"]["messages"][0]["code"], "VALUE");
    assert_eq!(reports[0]["info"], Value::Null);
}

#[test]
fn validate_reports_omitted_findings() {
    let table =
        meshlens(&["validate", "--format", "csv", "--max-findings", "1", "corpus/md3/multi_surface.md3"]);
    assert_eq!(stdout(&table).lines().count(), 2, "{}", stdout(&table));
    let left = "multi_surface.md3: 1 more finding not listed; --all lists them\n";
    assert!(stderr(&table).ends_with(left), "{}", stderr(&table));
    let hidden = ["--fail-on", "warning", "--min-severity", "error", "corpus/md3/multi_surface.md3"];
    let hidden = meshlens(&[&["validate"][..], &hidden].concat());
    assert_eq!(hidden.status.code(), Some(1));
    assert_eq!(
        stdout(&hidden),
        "corpus/md3/multi_surface.md3: no findings\n  findings below --min-severity are at or above --fail-on\n"
    );
    let output = meshlens(&["validate", "--max-findings", "1", "corpus/md3/multi_surface.md3"]);
    assert!(stdout(&output).contains("1 more of 2 not shown"), "{}", stdout(&output));
    let output = meshlens(&["validate", "corpus/md3/static.md3"]);
    assert_eq!(stdout(&output), "corpus/md3/static.md3: no findings\n");
}

/// A model with three frames. In each frame, both tags have axes of length 2.
fn with_long_axes(folder: &Path) -> PathBuf {
    use meshlens::md3::write;
    let mut file = write::Model::new("axes").unwrap();
    file.tags_per_frame = 2;
    for frame in 0..3 {
        file.frames.push(write::Frame::named(&format!("frame{frame}")).unwrap());
        for name in ["tag_a", "tag_b"] {
            let axis = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];
            file.tags.push(write::Tag { name: write::name(name).unwrap(), origin: [0.0; 3], axis });
        }
    }
    let path = folder.join("axes.md3");
    fs::write(&path, file.write().unwrap()).unwrap();
    path
}

#[test]
fn findings_are_grouped_unless_all_are_requested() {
    let folder = tempfile::tempdir().unwrap();
    let path = with_long_axes(folder.path());
    let counted = |arguments: &[&str]| {
        let output = meshlens(&[&["validate", utf8(&path)], arguments].concat());
        let lines = stdout(&output).lines().filter(|line| line.contains("TAG_AXIS_NOT_UNIT"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        counted(&[]),
        ["  info TAG_AXIS_NOT_UNIT: 6 tags whose axes are not of length 1; first /frames/0/tags/0"]
    );
    let all = counted(&["--all"]);
    assert_eq!(all.len(), 6);
    assert!(all[5].contains("(/frames/2/tags/1) at 0x"), "{}", all[5]);
    let report = json(&meshlens(&["validate", "--format", "json", utf8(&path)]));
    let groups = report["issues"]["groups"].as_array().unwrap();
    let group = groups.iter().find(|group| group["code"] == "TAG_AXIS_NOT_UNIT").unwrap();
    assert_eq!((&group["count"], &group["severity"]), (&6.into(), &2.into()));
}

#[test]
fn files_without_findings_are_only_counted() {
    let files = ["corpus/md3/static.md3", "corpus/unigine/box_ms14.mesh"];
    let output = meshlens(&["validate", files[0], files[1]]);
    assert_eq!(stdout(&output), "2 files: no findings\n");
    let output = meshlens(&["validate", "-v", files[0], files[1]]);
    assert_eq!(stdout(&output).lines().count(), 3);
    assert_eq!(stdout(&meshlens(&["validate", "-q", files[0], files[1]])), "");
    let output = meshlens(&["validate", files[0], "corpus/md3/multi_surface.md3"]);
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(lines[0], "corpus/md3/multi_surface.md3: 1 warning, 1 hint");
    assert_eq!(lines[3], "2 files, 1 of them without findings: 1 warning, 1 hint");
}

#[test]
fn severities_have_colors_if_requested() {
    let file = "corpus/md3/multi_surface.md3";
    let colored = meshlens(&["validate", "--color", "always", file]);
    assert!(
        stdout(&colored).contains("\x1b[33mwarning\x1b[0m SHADER_PATH_BACKSLASH"),
        "{}",
        stdout(&colored)
    );
    for arguments in [&["validate", file][..], &["validate", "--color", "never", file]] {
        assert!(!stdout(&meshlens(arguments)).contains('\x1b'), "no terminal, no colors");
    }
}

#[test]
fn codes_are_explained() {
    let output = meshlens(&["explain", "tag_axis_not_unit"]);
    let text = stdout(&output);
    assert!(text.starts_with("TAG_AXIS_NOT_UNIT (info): tags whose axes are not of length 1\n"), "{text}");
    assert!(text.contains("\nWhat to do: "));
    let all = meshlens(&["explain"]);
    // Findings of every format, of parsers, of conversions and of the command itself.
    for code in
        ["MAGIC", "WEAPON_TRIANGLE_AGAIN", "BONE_ROTATION_NOT_UNIT", "MATRIX_NOT_AFFINE", "UNREADABLE"]
    {
        assert!(stdout(&all).lines().any(|line| line.split(' ').next() == Some(code)), "{code}");
    }
    assert!(stdout(&all).contains("POSITION_ROUNDED") && stdout(&all).contains("CAMERA_LOST"));
    let unknown = meshlens(&["explain", "NO_SUCH_CODE"]);
    assert_eq!(code(&unknown), Some(2));
    assert!(stderr(&unknown).contains("NO_SUCH_CODE: unknown code"));
}

#[test]
fn a_sarif_log_has_a_rule_for_each_code_and_places_in_files() {
    let output =
        meshlens(&["validate", "--format", "sarif", "corpus/md3", "corpus/unreal/Classes/Crates.uc"]);
    assert_eq!(code(&output), Some(0));
    let log = json(&output);
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    for result in results {
        let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(rule["help"]["text"].as_str().unwrap().contains("What to do: "));
    }
    let find = |code: &str| results.iter().find(|result| result["ruleId"] == code).unwrap();
    let backslash = find("SHADER_PATH_BACKSLASH");
    assert_eq!(backslash["level"], "warning");
    let location = &backslash["locations"][0];
    assert_eq!(location["physicalLocation"]["artifactLocation"]["uri"], "corpus/md3/multi_surface.md3");
    assert_eq!(location["logicalLocations"][0]["fullyQualifiedName"], "/surfaces/2/shaders/0");
    assert!(location["physicalLocation"]["region"]["byteOffset"].as_u64().unwrap() > 108);
    // The location is the wrong line of the script, not a position in the mesh.
    let script = &find("SEQUENCE_OUT_OF_RANGE")["locations"][0]["physicalLocation"];
    assert_eq!(script["artifactLocation"]["uri"], "corpus/unreal/Classes/Crates.uc");

    // The location of a file in an archive is the archive, without an offset.
    let log =
        json(&meshlens(&["validate", "--format", "sarif", "--fail-on", "info", "corpus/md3/models.pk3"]));
    for result in log["runs"][0]["results"].as_array().unwrap() {
        let physical = &result["locations"][0]["physicalLocation"];
        assert_eq!(physical["artifactLocation"]["uri"], "corpus/md3/models.pk3");
        assert_eq!(physical["region"], serde_json::json!({"startLine": 1}));
    }

    let (_keep, path) = folder();
    let log = json(&meshlens(&["validate", "--format", "sarif", "--max-findings", "0", utf8(&path)]));
    let notes = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    assert!(
        notes[0]["message"]["text"].as_str().unwrap().ends_with("broken.md3: 1 more findings are not listed")
    );
}

/// Each format lists what standard error says.
#[test]
fn archives_and_folders_that_cannot_be_read_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let archive =
        std::fs::read(meshlens_testkit::real::workspace_root().join("corpus/md3/models.pk3")).unwrap();
    std::fs::write(path("x.pk3"), &archive[..archive.len() / 2]).unwrap();
    let (whole, entry, none) = (path("x.pk3"), path("x.pk3!a.md3"), path("none.pk3"));
    for given in [&whole, &entry, &none] {
        let run = |arguments: &[&str]| {
            let output = meshlens(&[arguments, &[utf8(given)]].concat());
            assert_eq!(output.status.code(), Some(2), "{given:?}");
            output
        };
        let report = json(&run(&["validate", "--format", "json"]));
        let report = if given == &entry { &report } else { &report[0] };
        assert_eq!(report["issues"]["messages"][0]["code"], "UNREADABLE", "{report}");
        assert!(given.to_str().unwrap().starts_with(report["uri"].as_str().unwrap()), "{report}");
        assert!(stdout(&run(&["validate", "--format", "csv"])).contains(",error,UNREADABLE,"));
        let log = json(&run(&["validate", "--format", "sarif"]));
        assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), 1, "{log}");
        let rows = json(&run(&["inspect", "--format", "json"]));
        assert!(rows["files"][0]["error"].is_string() && rows["totals"]["unreadable"] == 1, "{rows}");
    }
    let output = meshlens(&["validate", utf8(folder.path())]);
    assert!(
        stdout(&output).ends_with("1 file, 0 of them without findings: 1 error\n"),
        "{}",
        stdout(&output)
    );
}

/// An old archiver leaves such names.
#[cfg(unix)]
#[test]
fn files_whose_names_are_no_paths_are_in_reports() {
    let folder = tempfile::tempdir().unwrap();
    let model = meshlens_testkit::real::workspace_root().join("corpus/md3/static.md3");
    let path = folder.path().join(r"models\x.md3");
    fs::copy(model, &path).unwrap();
    let report = json(&meshlens(&["validate", "--format", "json", utf8(folder.path())]));
    assert_eq!(report[0]["uri"], utf8(&path), "{report}");
    assert!(report.to_string().contains("refused: name with a path separator"), "{report}");
}
