//! Profiles of engines, for a model of any format whose last byte chooses the engine: findings only about limits that the file
//! exceeds, and the same verdict as `refusing`.
#![no_main]
#![allow(dead_code, unreachable_pub)]

#[path = "../../../crates/cli/src/codes.rs"]
mod codes;
#[path = "../../../crates/cli/src/engines/mod.rs"]
mod engines;

use meshlens::unreal::Unreal;
use meshlens::{Document, Report, Severity};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_last() else { return };
    let (geometry, frames) = meshlens_mutate::split_pair(bytes);
    let pair = |_| Unreal::parse(geometry, frames).map(Document::from);
    let Ok(document) = Document::parse(bytes).or_else(pair) else { return };
    let names = engines::names();
    let name = names[usize::from(*choice) % names.len()];
    let engine = engines::find(name).expect("a profile of each name");
    let mut report = Report::default();
    document.validate(&mut report);
    engine.validate(&document, &mut report);
    for group in report.groups() {
        let (code, first) = (group.code.name, group.first.as_ref());
        assert!(!code.starts_with("LIMIT_") && !code.starts_with("ENGINE_LIMIT_"), "{code}, beside {name}");
        assert!(first.is_none_or(|first| first.offset <= Some(bytes.len() as u64)), "{first:?}");
    }
    if let Some((vertices, triangles)) = engine.surface_limits(document.format().name()) {
        assert!(vertices >= 3 && triangles >= 1, "{name} reads no surface");
    }
    // An engine that is listed among those that refuse the file has an error about it.
    if let Some((refusing, reason, _)) = engines::refusing(&document) {
        assert!(!reason.is_empty());
        let is_listed = refusing.split(", ").any(|known| known.eq_ignore_ascii_case(name));
        let is_refused = report.groups().any(|group| group.code.severity == Severity::Error);
        assert!(!is_listed || is_refused, "{name} is listed, and has no error");
    }
    let _ = engine.packs_vertices();
});
