//! Complete files: the files of `MESHLENS_REAL` if it is set, otherwise the files of the corpus.

use std::borrow::Cow;
use std::fs;

use meshlens::dump::{Arrays, Dump};
use meshlens::{Document, Report, Severity};
use meshlens_testkit::{check, corpus, mutate, real};
use meshlens_u3d::{FileHeader, U3d, validate, write};

/// The password of all encrypted files.
const PASSWORD: &str = "secret";

/// All Ultimate 3D files, with their paths.
fn models() -> Vec<(String, Vec<u8>)> {
    real::files_or_corpus("u3d", &[".u3d"])
}

/// The content of the file, decrypted if it is encrypted.
fn plain(bytes: &[u8]) -> Cow<'_, [u8]> {
    match FileHeader::read(bytes).unwrap().is_encrypted() {
        true => U3d::decrypt(bytes, PASSWORD).unwrap().into(),
        false => bytes.into(),
    }
}

fn dump(bytes: &[u8], arrays: Arrays) -> serde_json::Value {
    let document = Document::parse(bytes).unwrap();
    serde_json::to_value(Dump::new(&document, arrays)).unwrap()
}

#[test]
fn every_model_opens_and_survives_a_rewrite() {
    let models = models();
    assert!(models.len() >= 10, "{} models", models.len());
    for (path, bytes) in models {
        let bytes = plain(&bytes);
        let u3d = U3d::parse(&bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
        check::u3d(&bytes);

        let model = write::Model::try_from(&u3d).unwrap_or_else(|error| panic!("{path}: {error}"));
        let rewritten = model.write().unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(
            dump(&rewritten, Arrays::Full) == dump(&bytes, Arrays::Full),
            "{path}: a rewrite changed the content"
        );
        // Only the order of chunks and unused fields that are not zero may change.
        let has_unused_fields = path.contains("v1_") && u3d.bone_count() > 0;
        let is_canonical =
            !["shuffled", "newer"].iter().any(|name| path.contains(name)) && !has_unused_fields;
        if is_canonical {
            assert!(rewritten == *bytes, "{path}: a canonical file is not rewritten byte for byte");
        }
    }
}

#[test]
fn every_model_agrees_with_an_independent_reader() {
    real::assert_expected("u3d", |path| dump(&plain(&fs::read(path).unwrap()), Arrays::Stats));
}

#[test]
fn a_decrypted_file_equals_its_plain_version() {
    let models = models();
    let mut pairs = 0;
    for (path, bytes) in &models {
        if let Some(name) = path.strip_suffix("_aes.u3d") {
            let name = format!("{name}.u3d");
            let (_, twin) = models.iter().find(|(path, _)| *path == name).expect("the plain file beside it");
            assert!(*plain(bytes) == twin[..], "{path}");
            pairs += 1;
        }
    }
    assert!(pairs > 0);
}

#[test]
fn no_model_has_broken_content() {
    for (path, bytes) in models() {
        let bytes = plain(&bytes);
        let mut report = Report::default();
        validate(&U3d::parse(&bytes).unwrap(), &mut report);
        let errors: Vec<_> = report.findings().filter(|f| f.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{path}: {errors:?}");
    }
}

#[test]
fn every_change_in_the_front_of_an_encrypted_file() {
    for (_, bytes) in corpus::with_extension(&["_aes.u3d"]) {
        mutate::prefixes(&bytes[..160], check::u3d_decrypt);
        mutate::bytes(&bytes[..160], check::u3d_decrypt);
    }
}
