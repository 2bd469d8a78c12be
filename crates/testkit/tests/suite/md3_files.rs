//! Complete files: the files of `MESHLENS_REAL` if it is set, otherwise the files of the corpus.

use std::fs;

use meshlens::dump::{Arrays, Dump};
use meshlens::{Document, Report, Severity};
use meshlens_md3::{AnimationConfig, Md3, Skin, validate, write};
use meshlens_testkit::{check, real};

/// Every MD3 file, with its path.
fn models() -> Vec<(String, Vec<u8>)> {
    real::files_or_corpus("md3", &[".md3"])
}

#[test]
fn every_model_opens_and_survives_a_rewrite() {
    let models = models();
    assert!(models.len() >= 10, "{} models", models.len());
    for (number, (path, bytes)) in models.into_iter().enumerate() {
        let md3 = Md3::parse(&bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
        if !real::is_chosen(number) {
            continue;
        }
        check::md3(&bytes);

        let model = write::Model::try_from(&md3).unwrap_or_else(|error| panic!("{path}: {error}"));
        let rewritten = model.write().unwrap();
        let again = Md3::parse(&rewritten).unwrap();
        let dump = |md3: &Md3<'_>| {
            let document = Document::Md3(md3.clone());
            serde_json::to_string(&Dump::new(&document, Arrays::Full)).unwrap()
        };
        assert!(dump(&again) == dump(&md3), "{path}: a rewrite changed the content");
    }
}

#[test]
fn every_model_agrees_with_an_independent_reader() {
    real::assert_expected("md3", |path| {
        let bytes = fs::read(path).unwrap();
        serde_json::to_value(Dump::new(&Document::parse(&bytes).unwrap(), Arrays::Stats)).unwrap()
    });
}

#[test]
fn no_model_has_broken_content() {
    for (path, bytes) in models() {
        let mut report = Report::default();
        validate(&Md3::parse(&bytes).unwrap(), &mut report);
        let errors: Vec<_> = report.findings().filter(|f| f.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{path}: {errors:?}");
    }
}

#[test]
fn every_companion_parses() {
    let files = real::files_or_corpus("md3", &[".cfg", ".skin"]);
    let (mut configs, mut skins) = (0, 0);
    for (path, bytes) in files {
        if path.ends_with("animation.cfg") {
            check::animation_config(&bytes);
            let config = AnimationConfig::parse(&bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
            assert!(config.is_complete() && config.unknown.is_empty(), "{path}: {config:?}");
            configs += 1;
        } else if path.ends_with(".skin") {
            check::skin(&bytes);
            let skin = Skin::parse(&bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
            assert!(!skin.entries.is_empty(), "{path}");
            skins += 1;
        }
    }
    assert!(configs > 0 && skins > 0);
}
