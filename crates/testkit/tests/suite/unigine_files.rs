//! Complete files: the files of `MESHLENS_REAL` if it is set, otherwise the files of the corpus.

use std::fs;

use meshlens::dump::{Arrays, Dump};
use meshlens::{Document, Report, Severity};
use meshlens_testkit::{check, real};
use meshlens_unigine::{Anim, Mesh, Version, write};

/// All meshes and animations, with their paths.
fn files() -> Vec<(String, Vec<u8>)> {
    real::files_or_corpus("unigine", &[".mesh", ".anim"])
}

fn dump(bytes: &[u8]) -> String {
    let document = Document::parse(bytes).unwrap();
    serde_json::to_string(&Dump::new(&document, Arrays::Full)).unwrap()
}

/// The bytes after reading and writing a file.
fn rewritten(path: &str, bytes: &[u8]) -> Vec<u8> {
    match Document::parse(bytes).unwrap_or_else(|error| panic!("{path}: {error}")) {
        Document::UnigineMesh(mesh) => write::Model::try_from(&mesh).unwrap().write().unwrap(),
        Document::UnigineAnim(anim) => write::Anim::from(&anim).write().unwrap(),
        other => panic!("{path} is {}", other.format()),
    }
}

#[test]
fn every_file_opens_to_its_last_byte_and_survives_a_rewrite() {
    let files = files();
    let mut versions = std::collections::BTreeSet::new();
    for (number, (path, bytes)) in files.into_iter().enumerate() {
        let version = Version::of(&bytes).unwrap_or_else(|| panic!("{path}"));
        let end = match version.is_mesh() {
            true => Mesh::parse(&bytes).unwrap_or_else(|error| panic!("{path}: {error}")).end(),
            false => Anim::parse(&bytes).unwrap_or_else(|error| panic!("{path}: {error}")).end(),
        };
        assert_eq!(end, bytes.len() as u64, "{path}");
        versions.insert(version);
        if !real::is_chosen(number) {
            continue;
        }
        check::unigine(&bytes);
        let again = rewritten(&path, &bytes);
        assert!(dump(&again) == dump(&bytes), "{path}: a rewrite changed the content");
        // Real files are canonical, except for LZ4, which can pack the same bytes in many ways.
        if version != Version::Ms14 {
            assert!(again == bytes, "{path}: a canonical file is not rewritten byte for byte");
        }
    }
    assert_eq!(versions.into_iter().collect::<Vec<_>>(), Version::ALL);
}

#[test]
fn every_file_agrees_with_an_independent_reader() {
    real::assert_expected("unigine", |path| {
        let bytes = fs::read(path).unwrap();
        serde_json::to_value(Dump::new(&Document::parse(&bytes).unwrap(), Arrays::Stats)).unwrap()
    });
}

#[test]
fn no_file_has_broken_content() {
    for (path, bytes) in files() {
        let mut report = Report::default();
        Document::parse(&bytes).unwrap().validate(&mut report);
        let errors: Vec<_> = report.findings().filter(|f| f.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{path}: {errors:?}");
    }
}

#[test]
fn compact_integers_with_every_first_two_bytes() {
    for first in 0..=u8::MAX {
        for second in 0..=u8::MAX {
            for rest in [[0, 0, 0], [0x80, 0, 0], [0xff, 0xff, 0x0f], [0xff, 0xff, 0xff]] {
                let [a, b, c] = rest;
                check::compact_int(&[first, second, a, b, c]);
            }
        }
    }
}
