//! Whole files: those of `MESHLENS_REAL` when it is set, those of the corpus otherwise.

use std::fs;

use meshlens::dump::{Arrays, Dump};
use meshlens::{Document, Report, Severity};
use meshlens_testkit::{check, real};
use meshlens_unigine::{Anim, Mesh, Version, write};

/// Every mesh and animation there is, with its path.
fn files() -> Vec<(String, Vec<u8>)> {
    real::files_or_corpus("unigine", &[".mesh", ".anim"])
}

fn dump(bytes: &[u8]) -> String {
    let document = Document::parse(bytes).unwrap();
    serde_json::to_string(&Dump::new(&document, Arrays::Full)).unwrap()
}

/// What is read and written again.
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
    for (path, bytes) in files {
        let version = Version::of(&bytes).unwrap_or_else(|| panic!("{path}"));
        let end = match version.is_mesh() {
            true => Mesh::parse(&bytes).unwrap_or_else(|error| panic!("{path}: {error}")).end(),
            false => Anim::parse(&bytes).unwrap_or_else(|error| panic!("{path}: {error}")).end(),
        };
        assert_eq!(end, bytes.len() as u64, "{path}");
        check::unigine(&bytes);
        let again = rewritten(&path, &bytes);
        assert!(dump(&again) == dump(&bytes), "{path}: a rewrite changed the content");
        // Real files are canonical; LZ4 packs the same bytes in many ways.
        if version != Version::Ms14 {
            assert!(again == bytes, "{path}: a canonical file is not rewritten byte for byte");
        }
        versions.insert(version);
    }
    assert_eq!(versions.into_iter().collect::<Vec<_>>(), Version::ALL);
}

#[test]
fn every_file_is_what_an_independent_reader_found() {
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
fn every_two_bytes_as_a_compact_integer() {
    for first in 0..=u8::MAX {
        for second in 0..=u8::MAX {
            for rest in [[0, 0, 0], [0x80, 0, 0], [0xff, 0xff, 0x0f], [0xff, 0xff, 0xff]] {
                let [a, b, c] = rest;
                check::compact_int(&[first, second, a, b, c]);
            }
        }
    }
}
