//! Clips, frames and rates of conversions.

use std::fs;
use std::path::Path;

use meshlens_testkit::real;

use super::convert::{convert, document, names};
use crate::shared::{stderr, stdout, utf8};

#[test]
fn an_assumed_rate_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let glb = folder.path().join("x.glb");
    let said = |arguments: &[&str]| {
        let output = convert(&[arguments, &["--force", "-o", utf8(&glb)]].concat());
        let lines = stdout(&output).lines().filter(|line| line.contains("frames per second"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let still = ["corpus/unigine/skinned_ms11.mesh", "--frame", "0"];
    let with_anim = ["corpus/unigine/skinned_ms11.mesh", "--anim", "corpus/unigine/wave_an11.anim"];
    assert!(
        said(&with_anim)
            .contains("clips, starting with wave: no file states the rate; 10 frames per second are assumed")
    );
    // No clip is written for a single frame.
    assert_eq!(said(&still), "");
    assert_eq!(said(&[&with_anim[..], &["--fps", "25"]].concat()), "");
    // animation.cfg states the rate of every clip.
    assert_eq!(said(&["corpus/md3/player"]), "");
    assert!(said(&["corpus/md3/animated.md3"]).starts_with("  note: clip all: no file states the rate"));
}

#[test]
fn a_modeling_programs_file_is_baked_at_a_rate() {
    let folder = tempfile::tempdir().unwrap();
    let (glb, md3) = (folder.path().join("x.glb"), folder.path().join("x.md3"));
    assert_eq!(convert(&["corpus/unigine/skinned_ms11.mesh", "-o", utf8(&glb)]).status.code(), Some(0));
    for (rate, frames) in [("10", 3 + 2), ("20", 5 + 3)] {
        let output = convert(&[utf8(&glb), "--fps", rate, "-o", utf8(&md3), "--force"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let bytes = fs::read(&md3).unwrap();
        assert_eq!(u32::from_le_bytes(bytes[76..80].try_into().unwrap()), frames, "{rate}");
    }
    // A buffer outside the document's folder is not read.
    let secret = folder.path().join("secret.bin");
    fs::write(&secret, [0; 4]).unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    let outside = folder.path().join("in/x.gltf");
    for uri in ["../secret.bin", "%2e%2e/secret.bin", utf8(&secret)] {
        let text = format!(r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":4,"uri":"{uri}"}}]}}"#);
        fs::write(&outside, text).unwrap();
        let output = convert(&[utf8(&outside), "-o", utf8(&md3), "--force"]);
        assert_eq!(output.status.code(), Some(1), "{uri}");
        assert!(stderr(&output).contains("cannot be read"), "{}", stderr(&output));
    }
}

/// The clips of a glTF file: name, first frame, number of frames, looping frames, whether it plays backwards, and rate.
fn clips(path: &Path) -> Vec<serde_json::Value> {
    let document = document(path);
    let nodes = document["nodes"].as_array().unwrap();
    let clips = nodes.iter().find_map(|node| node["extras"]["meshlens"]["clips"].as_array());
    clips.cloned().unwrap_or_default()
}

#[test]
fn clips_of_md3_are_written_next_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let corpus = meshlens_testkit::real::workspace_root().join("corpus");
    let run = |arguments: &[&str]| {
        let output = convert(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    };
    // The parts of a player are converted to glTF, back into one folder, and to glTF again.
    let parts =
        ["lower", "upper"].map(|part| utf8(&corpus.join(format!("md3/player/{part}.md3"))).to_owned());
    run(&[&parts[0], &parts[1], "--out-dir", utf8(&path("glb"))]);
    let glbs = ["lower", "upper"].map(|part| path(&format!("glb/{part}.glb")));
    run(&[utf8(&glbs[0]), utf8(&glbs[1]), "--to", "md3", "--out-dir", utf8(&path("md3"))]);
    assert_eq!(
        names(&path("md3")),
        ["animation.cfg", "lower.md3", "lower_red.skin", "upper.md3", "upper_red.skin"]
    );
    run(&[utf8(&path("md3/lower.md3")), utf8(&path("md3/upper.md3")), "--out-dir", utf8(&path("again"))]);
    for (glb, part) in glbs.iter().zip(["lower", "upper"]) {
        assert!(clips(glb).len() > 2, "{part}");
        assert_eq!(clips(&path(&format!("again/{part}.glb"))), clips(glb), "{part}");
    }

    // The clips of a script, which does not belong to a player. Two of them have the same frames.
    let figure = corpus.join("unreal/Classes/Figure.uc");
    run(&[utf8(&figure), "--out-dir", utf8(&path("figure"))]);
    let glb = path("figure").join(&names(&path("figure"))[0]);
    let wanted = clips(&glb);
    assert_eq!(wanted.len(), 2, "{wanted:?}");
    run(&[utf8(&glb), "-o", utf8(&path("f.md3"))]);
    let text = std::fs::read_to_string(path("f.animation.cfg")).unwrap();
    assert!(text.contains("0\t3\t0\t30\t// All\n1\t2\t0\t7.5\t// Turn\n"), "{text}");
    run(&[utf8(&path("f.md3")), "-o", utf8(&path("f.glb"))]);
    assert_eq!(clips(&path("f.glb")), wanted);
    // Then it is converted to Unreal, where the script defines the clips.
    run(&[utf8(&glb), "-o", utf8(&path("g.3d"))]);
    run(&[utf8(&path("g.uc")), "-o", utf8(&path("g.glb"))]);
    assert_eq!(clips(&path("g.glb")), wanted);

    // An existing file with other content is kept.
    std::fs::write(path("f.animation.cfg"), "0 1 0 5 // Other\n").unwrap();
    let output = convert(&[utf8(&glb), "-o", utf8(&path("f2.md3"))]);
    assert_eq!(output.status.code(), Some(0));
    std::fs::remove_file(path("f.md3")).unwrap();
    let output = convert(&[utf8(&glb), "-o", utf8(&path("f.md3"))]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(!path("f.md3").exists());
}

#[test]
fn frames_past_the_end_cause_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("x.glb");
    let frames = |range: &str, more: &[&str]| {
        convert(
            &[&["corpus/md3/animated.md3", "--force", "-o", utf8(&out), "--frames", range], more].concat(),
        )
    };
    let count = document(&{
        assert_eq!(convert(&["corpus/md3/animated.md3", "-o", utf8(&out)]).status.code(), Some(0));
        out.clone()
    })["meshes"][0]["primitives"][0]["targets"]
        .as_array()
        .unwrap()
        .len()
        + 1;
    let last = count - 1;
    let output = frames(&format!("1..{}", last + 5), &[]);
    assert_eq!(output.status.code(), Some(0));
    let warning = format!("there are no frames {count} to {}; frame {last} is the last\n", last + 5);
    assert_eq!(stderr(&output), format!("meshlens: corpus/md3/animated.md3: warning: {warning}"));
    assert_eq!(frames(&format!("0..{count}"), &["--strict"]).status.code(), Some(1));
    let output = frames(&format!("0..{last}"), &["--strict"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
}

#[test]
fn a_note_on_rates_counts_written_clips() {
    let folder = tempfile::tempdir().unwrap();
    let (glb, u3d) = (folder.path().join("two.glb"), "corpus/gallery/walker.u3d");
    let note = |more: &[&str]| {
        let output = convert(&[&[u3d, "--force", "-o", utf8(&glb)], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let note = stdout(&output).lines().find(|line| line.contains("are assumed")).map(str::to_owned);
        note.map(|note| note.split(':').nth(1).unwrap().trim().to_owned())
    };
    assert_eq!(note(&[]).as_deref(), Some("clip walk"));
    assert_eq!(note(&["--frame", "0"]), None);
}

/// A mesh of phand_d.3d with the frames of peacpi_a.3d is not the mesh of peacpi_d.3d.
#[test]
fn a_mesh_with_frames_of_another_has_its_own_name() {
    let folder = tempfile::tempdir().unwrap();
    let (models, classes) = (folder.path().join("Models"), folder.path().join("Classes"));
    fs::create_dir_all(&models).unwrap();
    fs::create_dir_all(&classes).unwrap();
    for (from, to) in
        [("crate_d.3d", "peacpi_d.3d"), ("crate_d.3d", "phand_d.3d"), ("crate_a.3d", "peacpi_a.3d")]
    {
        fs::copy(real::workspace_root().join("corpus/gallery").join(from), models.join(to)).unwrap();
    }
    let script = "#exec MESH IMPORT MESH=phand ANIVFILE=MODELS\\peacpi_a.3d DATAFILE=MODELS\\phand_d.3d\n";
    fs::write(classes.join("hand.uc"), script).unwrap();
    let out = folder.path().join("out");
    let output = convert(&["--out-dir", utf8(&out), utf8(folder.path())]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    assert_eq!(names(&out), ["Models/peacpi.glb", "Models/phand_peacpi.glb"]);
}

#[test]
fn meshes_with_too_many_morph_targets_are_split() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.glb");
    let split =
        |more: &[&str]| convert(&[&["corpus/md3/animated.md3", "--force", "-o", utf8(&out)], more].concat());
    let made = split(&["--max-targets", "2"]);
    let warning = "animated: 4 morph targets, more than 2: 3 meshes in place of each, shown in turn\n";
    assert_eq!(stderr(&made), format!("meshlens: corpus/md3/animated.md3: warning: {warning}"));
    assert!(stdout(&made).contains("MORPH_TARGETS_SPLIT"), "{}", stdout(&made));
    assert_eq!(made.status.code(), Some(0));
    assert_eq!(split(&["--max-targets", "2", "--strict"]).status.code(), Some(1));
    assert_eq!(split(&["--strict"]).status.code(), Some(0));
}
