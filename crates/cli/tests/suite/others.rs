//! Files of other programs that have the extensions of supported formats.

use std::fs;

use meshlens_testkit::real;

use crate::shared::{meshlens, stderr, stdout, utf8};

const OTHERS: [(&str, &[u8], &str); 8] = [
    ("anvil.mesh", b"\0\x01\x02\x03\x04\x05", "not a UNIGINE file"),
    ("door.md3", b"INTERQUAKEMODEL\0\x02\0\0\0", "an IQM model"),
    ("human.anim", b"// bodies\nanimgroup\n{\n}\n", "not a UNIGINE file"),
    ("ogre.mesh", b"\x00\x10[MeshSerializer_v1.100]\n", "an Ogre mesh"),
    ("pdx.mesh", b"@@b@!\tpdxasset", "an asset of a Paradox game"),
    ("run.anim", b"%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!74 &7400000\n", "a Unity asset"),
    ("wall.mesh", b"%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!43 &4300000\n", "a Unity asset"),
    ("xna.mesh", b"\xa0\xee\x04\0\0\0", "an XNALara model"),
];

/// The files whose format is known by their first bytes.
fn known() -> impl Iterator<Item = &'static (&'static str, &'static [u8], &'static str)> {
    OTHERS.iter().filter(|(.., what)| *what != "not a UNIGINE file")
}

#[test]
fn files_of_other_programs_are_skipped_in_folders() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    fs::create_dir(&models).unwrap();
    fs::copy(real::workspace_root().join("corpus/md3/static.md3"), models.join("x.md3")).unwrap();
    for (name, bytes, _) in OTHERS {
        fs::write(models.join(name), bytes).unwrap();
    }
    let told: String = OTHERS
        .iter()
        .map(|(name, _, what)| format!("meshlens: {}/{name}: skipped: this is {what}\n", utf8(&models)))
        .collect();
    let out = folder.path().join("out");
    for arguments in [
        &["inspect", "--format", "csv"][..],
        &["inspect", "--headers", "--format", "csv"],
        &["validate", "--format", "jsonl"],
        &["convert", "--jobs", "1", "--out-dir", utf8(&out)],
        &["thumb", "--size", "32", "--jobs", "1", "--out-dir", utf8(&out)],
        &["plan"],
    ] {
        let output = meshlens(&[arguments, &[utf8(&models)]].concat());
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), &*told), "{arguments:?}");
        for (name, ..) in OTHERS {
            assert!(!stdout(&output).contains(name), "{}", stdout(&output));
        }
        assert!(stdout(&output).contains("x.md3"), "{}", stdout(&output));
    }
    // Messages about skipped files are not results, so --quiet omits them.
    assert_eq!(stderr(&meshlens(&["inspect", "--quiet", utf8(&models)])), "");
}

#[test]
fn files_of_other_programs_are_errors_if_they_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes, what) in known() {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        for command in ["inspect", "convert", "dump"] {
            let output = meshlens(&[command, utf8(&path)]);
            assert_eq!(output.status.code(), Some(1), "{command} {name}");
            assert!(stderr(&output).contains(&format!(": this is {what}")), "{}", stderr(&output));
        }
        // The command of the pre-commit hook.
        let output = meshlens(&["validate", "--quiet", utf8(&path)]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stdout(&output).contains(&format!("this is {what}")), "{}", stdout(&output));
    }
}

#[test]
fn pointers_of_git_lfs_and_unknown_versions_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n";
    let names = ["a.md3", "b_d.3d", "b_a.3d", "c.mesh", "d.u3d", "e.anim", "f.umsh"];
    for name in names {
        fs::write(folder.path().join(name), pointer).unwrap();
    }
    let output = meshlens(&["validate", "--format", "jsonl", utf8(folder.path())]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    // The two files of a mesh are one model.
    assert_eq!(text.matches("\"code\":\"GIT_LFS_POINTER\",\"message\"").count(), names.len() - 1, "{text}");
    fs::write(folder.path().join("new.mesh"), b"ms20\0\0\0\0").unwrap();
    let output = meshlens(&["inspect", utf8(&folder.path().join("new.mesh"))]);
    assert!(stderr(&output).contains("found 20"), "{}", stderr(&output));
    let output = meshlens(&["inspect", utf8(&folder.path().join("a.md3"))]);
    assert!(stderr(&output).contains("run git lfs pull"), "{}", stderr(&output));
}
