//! Findings by code, and passwords.

use meshlens::{Document, Report, Severity};
use meshlens_viewer::State;
use meshlens_viewer::findings::Group;

use crate::{corpus, view};

#[test]
fn findings_are_grouped_like_in_inspect() {
    let state = view(&["md3/multi_surface.md3"]);
    let bytes = std::fs::read(corpus("md3/multi_surface.md3")).unwrap();
    let mut report = Report::default();
    Document::parse(&bytes).unwrap().validate(&mut report);
    let expected: Vec<String> = report.groups().map(ToString::to_string).collect();
    let opened = state.model().unwrap();
    // The viewer itself reports textures that are not found.
    let is_of_file = |group: &&Group| report.groups().any(|other| other.code.name == group.code);
    let groups = opened.findings.iter().filter(is_of_file);
    assert_eq!(groups.map(|group| group.text.as_str()).collect::<Vec<_>>(), expected);
    assert!(opened.findings.is_sorted_by_key(|group| group.severity as usize), "the worst first");
    let count = |severity| opened.counts.iter().find(|count| count.0 == severity).unwrap().1;
    assert_eq!(count(Severity::Warning), 1);
    assert_eq!(count(Severity::Hint), report.count(Severity::Hint));
}

#[test]
fn findings_of_several_parts_are_one_group() {
    let mut state = State::default();
    let file =
        |name: &str| (format!("p/{name}"), std::fs::read(corpus(&format!("md3/player/{name}"))).unwrap());
    state.add_files(["lower.md3", "upper.md3", "head.md3", "animation.cfg"].map(file));
    let player = state.library.items().iter().position(|item| item.name.ends_with("(player)"));
    state.select(player.unwrap());
    let opened = state.model().unwrap();
    assert_eq!(opened.scene().nodes.len(), 3);
    let mut codes: Vec<&str> = opened.findings.iter().map(|group| group.code).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), opened.findings.len());
    for group in &opened.findings {
        let listed: u64 = group.found.iter().map(|found| found.finding.count).sum();
        assert_eq!(listed, group.count, "{}", group.text);
    }
}

#[test]
fn a_password_opens_an_encrypted_model() {
    let mut state = view(&["u3d/v2_static_aes.u3d", "md3/static.md3"]);
    assert!(state.is_locked() && state.error().unwrap().contains("password"));
    let before = state.library.items()[0].clone();
    state.set_password("wrong");
    assert!(state.is_locked() && state.model().is_none());
    state.set_password(PASSWORD);
    assert!(!state.is_locked() && state.error().is_none());
    assert!(state.model().unwrap().numbers().1 > 0);
    // The picture of the model in the list is drawn again.
    let after = &state.library.items()[0];
    assert!(before.id != after.id && before.picture(32).is_err() && after.picture(32).is_ok());
    // Other files are not affected by the password.
    state.select(1);
    assert!(state.model().is_some());
}

/// The password of the corpus file.
const PASSWORD: &str = "secret";
