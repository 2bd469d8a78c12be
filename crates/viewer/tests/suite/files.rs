//! The list of models: paths, files in memory, broken files, files that change.

use std::fs;
use std::time::{Duration, SystemTime};

use meshlens::Severity;
use meshlens::wire::Budget;
use meshlens_viewer::State;

use crate::{corpus, view};

fn names(state: &State) -> Vec<&str> {
    state.library.items().iter().map(|item| item.name.as_str()).collect()
}

#[test]
fn a_folder_lists_its_models_and_the_player_before_its_parts() {
    let state = view(&["md3"]);
    let expected = [
        "animated.md3",
        "empty_surface.md3",
        "deflated.md3",
        "stored.md3",
        "Stored_1.MD3",
        "multi_surface.md3",
        "player (player)",
        "player/head.md3",
        "player/lower.md3",
        "player/upper.md3",
    ];
    let found = names(&state);
    for name in expected {
        assert!(found.iter().any(|found| found.ends_with(name)), "{name} is not in {found:?}");
    }
    assert_eq!(state.selected, Some(0));
    assert!(state.model().is_some());
}

#[test]
fn every_model_of_the_corpus_opens_or_has_an_error() {
    let mut state = view(&["md3", "u3d", "unigine", "unreal"]);
    let count = state.library.items().len();
    assert!(count > 50, "{count} models");
    let mut failed = Vec::new();
    for index in 0..count {
        state.select(index);
        match state.error() {
            None => assert!(!state.scene().unwrap().nodes.is_empty()),
            Some(error) => failed.push((names(&state)[index].to_owned(), error.to_owned())),
        }
    }
    // The encrypted file needs its password.
    let [(name, error)] = &failed[..] else { panic!("{failed:?}") };
    assert!(name.ends_with("v2_static_aes.u3d") && error.contains("password"), "{name}: {error}");
}

#[test]
fn next_and_previous_wrap_around() {
    let mut state = view(&["md3/static.md3", "md3/tagged.md3"]);
    assert_eq!(state.selected, Some(0));
    state.select_next(false);
    assert_eq!(state.selected, Some(1));
    state.select_next(true);
    assert_eq!(state.selected, Some(0));
    state.select(7);
    assert_eq!(state.selected, Some(0));
    State::default().select_next(true);
}

#[test]
fn files_in_memory_are_found_with_their_companions() {
    let file = |name: &str| {
        let path = corpus(name);
        (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap())
    };
    let mut state = State::default();
    // The second half of an Unreal mesh comes later.
    state.add_files([file("unreal/Models/figure_d.3d")]);
    assert!(state.error().unwrap().contains("figure_a.3d"), "{:?}", state.error());
    state.add_files([file("unreal/Models/figure_a.3d")]);
    assert_eq!(names(&state), ["figure_d.3d"]);
    assert_eq!(state.model().unwrap().numbers(), (72, 36, 3));

    state.add_files(
        ["lower.md3", "upper.md3", "head.md3", "animation.cfg"]
            .map(|name| file(&format!("md3/player/{name}"))),
    );
    let player = names(&state).iter().position(|name| name.ends_with("(player)")).unwrap();
    state.select(player);
    assert_eq!(state.model().unwrap().scene().nodes.len(), 3);

    state.add_files([file("md3/models.pk3")]);
    assert!(names(&state).iter().any(|name| name.ends_with("deflated.md3")), "{:?}", names(&state));
    assert!(state.model().is_some());
    // A file that is not a model does not change the list or the open model.
    let (before, open) = (names(&state).len(), state.selected.map(|index| names(&state)[index].to_owned()));
    state.add_files([("notes.txt".to_owned(), b"text".to_vec())]);
    assert_eq!(names(&state).len(), before);
    assert_eq!(state.selected.map(|index| names(&state)[index].to_owned()), open);
}

#[test]
fn a_broken_file_is_an_error_in_place_of_the_model() {
    let mut state = State::default();
    let mut bytes = fs::read(corpus("md3/static.md3")).unwrap();
    bytes.truncate(bytes.len() / 2);
    state.add_files([("short.md3".to_owned(), bytes)]);
    let error = state.error().unwrap();
    assert!(error.contains("md3") && error.contains("0x"), "{error}");
    assert!(state.scene().is_none() && state.bounds().is_none());
    // The viewer still works.
    state.add_files([("whole.md3".to_owned(), fs::read(corpus("md3/static.md3")).unwrap())]);
    assert!(state.model().is_some());
    // Paths that do not exist do not stop it, either.
    state.add_paths(["no/such/file.md3"]);
    assert!(state.error().is_some());
}

#[test]
fn hostile_names_are_shown_on_one_line_and_cannot_leave_the_folder() {
    let bytes = fs::read(corpus("md3/static.md3")).unwrap();
    let mut state = State::default();
    let hostile =
        ["<script>alert(1)</script>.md3", "a\n\u{202e}b.md3", "../../etc/passwd.md3", "..", "", "/"];
    state.add_files(hostile.map(|name| (name.to_owned(), bytes.clone())));
    for name in names(&state) {
        assert!(!name.chars().any(|c| c.is_control() || c == '\u{202e}'), "{name:?}");
    }
    assert!(names(&state).iter().all(|name| !name.contains("..")), "{:?}", names(&state));
}

#[test]
fn a_changed_file_is_read_again_and_the_frame_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.md3");
    fs::copy(corpus("md3/animated.md3"), &path).unwrap();
    let mut state = State::of_paths([&path]);
    state.tracks[0].go_to(2);
    assert!(!state.reload_if_changed());
    let later = |seconds| SystemTime::now() + Duration::from_secs(seconds);

    fs::copy(corpus("md3/tagged.md3"), &path).unwrap();
    fs::File::options().append(true).open(&path).unwrap().set_modified(later(10)).unwrap();
    assert!(state.reload_if_changed());
    assert_eq!(state.model().unwrap().numbers(), (72, 36, 3));
    assert_eq!(state.tracks[0].frame(), 2);

    fs::write(&path, "IDP3, but no more").unwrap();
    fs::File::options().append(true).open(&path).unwrap().set_modified(later(20)).unwrap();
    assert!(state.reload_if_changed());
    assert!(state.error().is_some());
}

#[test]
fn findings_show_their_location() {
    let mut state = view(&["md3/multi_surface.md3"]);
    let opened = state.model().unwrap();
    assert_eq!(opened.counts[1], (Severity::Warning, 1));
    let mut found = opened.findings.iter().flat_map(|group| &group.found);
    let place = found.find(|found| found.place.mesh.is_some()).unwrap().place;
    let before = state.camera.target;
    state.show_place(place);
    assert_eq!(state.marked, Some(place));
    assert_ne!(state.camera.target, before);
}

#[test]
fn levels_of_detail_and_skins_are_listed() {
    let levels = |name| view(&[name]).model().unwrap().lod_count();
    assert_eq!(levels("md3/static.md3"), 2);
    assert_eq!(levels("u3d/v2_levels.u3d"), 2);
    assert_eq!(levels("md3/tagged.md3"), 1);
    let mut player = view(&["md3/player"]);
    assert_eq!(player.model().unwrap().skins, ["red"]);
    player.set_skin(Some("red"));
    assert_eq!(player.model().unwrap().skin.as_deref(), Some("red"));
}

#[test]
fn a_model_that_needs_more_memory_than_the_budget_has_an_error() {
    let mut state = State::default();
    state.library.set_budget(Budget::new(1 << 16));
    state.add_paths([corpus("md3/static.md3"), corpus("md3/animated.md3")]);
    assert_eq!(state.error(), None);
    state.library.set_budget(Budget::new(100));
    state.add_paths([corpus("md3/animated.md3")]);
    let error = state.error().unwrap();
    assert!(error.contains("bytes of memory; the limit is 100"), "{error}");
}
