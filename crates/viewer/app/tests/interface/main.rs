//! The interface without a window: the tree of a screen reader, clicks and keys.

mod access;
mod narrow;
mod tools;

use std::path::{Path, PathBuf};

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, MissingGlyphPolicy, Theme};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use meshlens_view::App;
use meshlens_viewer::{Look, State};

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus").join(name)
}

fn viewer(state: State, theme: Theme) -> Harness<'static, App> {
    sized(App::without_gpu(state), theme, [1280.0, 1400.0])
}

/// A viewer in a window of this size.
fn sized(app: App, theme: Theme, size: [f32; 2]) -> Harness<'static, App> {
    let builder = Harness::builder().with_size(size).with_theme(theme).with_max_steps(64);
    let mut harness = builder.build_ui_state(|ui, app: &mut App| app.show(ui), app);
    harness.run_steps(8);
    harness
}

fn view(names: &[&str]) -> Harness<'static, App> {
    viewer(State::of_paths(names.iter().map(|name| corpus(name))), Theme::Dark)
}

#[test]
fn the_list_and_its_buttons_open_models() {
    let mut harness = view(&["md3/static.md3", "md3/tagged.md3", "md3/animated.md3"]);
    harness.get_by_label("tagged.md3").click();
    harness.run_steps(4);
    assert_eq!(harness.state().state.selected, Some(1));
    harness.get_by_label("Next").click();
    harness.run_steps(4);
    assert_eq!(harness.state().state.selected, Some(2));
    harness.get_by_label("Previous").click();
    harness.run_steps(4);
    assert_eq!(harness.state().state.selected, Some(1));
}

#[test]
fn keys_change_the_model_the_frame_and_the_view() {
    let mut harness = view(&["md3/animated.md3", "md3/tagged.md3"]);
    let mut press = |key| {
        harness.key_press(key);
        harness.run_steps(2);
        let app = harness.state();
        (app.state.selected, app.state.tracks[0].frame(), app.state.options, app.state.playback)
    };
    assert_eq!(press(Key::Period).1, 1);
    assert_eq!(press(Key::Comma).1, 0);
    assert!(press(Key::T).2.tags);
    assert!(press(Key::K).2.skeleton);
    assert!(press(Key::X).2.bounds);
    assert!(press(Key::N).2.normals);
    assert_eq!(press(Key::W).2.look, Look::Wires);
    assert!(!press(Key::B).3.blending);
    assert!(press(Key::Space).3.playing);
    assert_eq!(press(Key::PageDown).0, Some(1));
    assert_eq!(press(Key::PageUp).0, Some(0));
}

#[test]
fn playback_has_controls_with_names() {
    let mut harness = view(&["md3/animated.md3"]);
    harness.get_by_label("Play").click();
    harness.run_steps(4);
    assert!(harness.state().state.playback.playing);
    harness.get_by_label("Pause").click();
    harness.run_steps(4);
    assert!(!harness.state().state.playback.playing);
    harness.get_by_label("Blend frames").click();
    harness.run_steps(2);
    assert!(!harness.state().state.playback.blending);
    harness.get_by_label("Step").click();
    harness.run_steps(2);
    assert!(harness.query_by_label_contains("frame_").is_some());
}

#[test]
fn the_panel_shows_numbers_and_options() {
    let mut harness = view(&["md3/tagged.md3"]);
    for label in ["Vertices", "72", "Triangles", "36", "Video memory", "Tags (2)"] {
        assert!(harness.query_all_by_label(label).next().is_some(), "{label}");
    }
    harness.get_by_label("Bounds").click();
    harness.run_steps(2);
    assert!(harness.state().state.options.bounds);
}

#[test]
fn clicking_a_finding_shows_its_location() {
    let mut harness = view(&["md3/multi_surface.md3"]);
    harness.get_by_label_contains("Findings: 1 warning").click();
    harness.run_steps(12);
    // Each code is a line, the most severe first, like the output of `inspect`.
    let lines: Vec<_> = harness.state().state.model().unwrap().findings.clone();
    let tops: Vec<f32> = lines.iter().map(|group| harness.get_by_label(&group.text).rect().top()).collect();
    assert!(tops.is_sorted() && lines[0].text.starts_with("warning "), "{tops:?}");
    assert!(harness.state().state.marked.is_none());
    harness.get_by_role_and_label(Role::Link, "/surfaces/2/shaders/0").click();
    harness.run_steps(4);
    assert_eq!(harness.state().state.marked.map(|place| place.mesh), Some(Some(2)));
}

#[test]
fn a_broken_file_is_shown_as_an_error_and_the_next_one_opens() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.md3");
    std::fs::write(&broken, b"IDP3\x0f\0\0\0").unwrap();
    let state = State::of_paths([broken, corpus("md3/static.md3")]);
    let mut harness = viewer(state, Theme::Light);
    assert!(harness.query_by_label("This model cannot be shown.").is_some());
    harness.key_press(Key::PageDown);
    harness.run_steps(4);
    assert!(harness.state().state.model().is_some());
    assert!(harness.query_by_label("This model cannot be shown.").is_none());
}

#[test]
fn hostile_names_are_shown_as_text() {
    let mut harness = viewer(State::default(), Theme::Dark);
    // The same policy as in the application: a font may not have all characters of a file name.
    harness.ctx.set_missing_glyph_policy(MissingGlyphPolicy::Tofu);
    let bytes = std::fs::read(corpus("md3/static.md3")).unwrap();
    harness.state_mut().state.add_files([("<b>bold</b>\n\u{202e}.md3".to_owned(), bytes)]);
    harness.run_steps(4);
    assert!(harness.query_all_by_label_contains("<b>bold").next().is_some());
    assert!(harness.query_all_by_label_contains("\n").next().is_none());
    assert!(harness.query_all_by_label_contains("\u{202e}").next().is_none());
    assert!(harness.state().state.model().is_some());
}

#[test]
fn the_slider_goes_to_a_frame() {
    let mut harness = view(&["md3/animated.md3"]);
    let slider = harness.get_by_role_and_label(Role::Slider, "Frame");
    let rect = slider.rect();
    // The middle of 5 frames.
    slider.click();
    harness.run_steps(4);
    assert_eq!(harness.state().state.tracks[0].frame(), 2, "{rect:?}");
    assert!(harness.query_by_label_contains("3 of 5").is_some());
}

#[test]
fn an_empty_viewer_shows_instructions() {
    let harness = viewer(State::default(), Theme::Light);
    assert!(harness.query_all_by_label_contains("Drop models").next().is_some());
}
