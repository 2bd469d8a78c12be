//! A window as narrow as a telephone.

use eframe::egui::accesskit::Role;
use eframe::egui::{Theme, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use meshlens_view::App;
use meshlens_viewer::State;

use crate::{corpus, sized};

const SIZE: [f32; 2] = [390.0, 780.0];

fn narrow(names: &[&str]) -> Harness<'static, App> {
    let state = State::of_paths(names.iter().map(|name| corpus(name)));
    sized(App::without_gpu(state), Theme::Dark, SIZE)
}

/// The part of the window that shows the model.
fn share(harness: &Harness<'_, App>) -> f32 {
    harness.get_by_role(Role::Image).rect().area() / (SIZE[0] * SIZE[1])
}

fn has_list(harness: &Harness<'_, App>) -> bool {
    harness.query_by_role_and_label(Role::TextInput, "Models").is_some()
}

fn has_details(harness: &Harness<'_, App>) -> bool {
    harness.query_by_role_and_label(Role::ComboBox, "Surfaces").is_some()
}

fn toggle(harness: &mut Harness<'_, App>, name: &str) {
    harness.get_by_role_and_label(Role::Button, name).click();
    harness.run_steps(8);
}

#[test]
fn lists_start_closed_and_are_toggled() {
    let mut harness = narrow(&["md3/player", "md3/static.md3"]);
    assert!(!has_list(&harness) && !has_details(&harness));
    let closed = share(&harness);
    assert!(closed > 0.5, "{closed}");
    toggle(&mut harness, "List");
    assert!(has_list(&harness) && share(&harness) > 1.0 / 3.0, "{}", share(&harness));
    // Only one list is open at a time.
    toggle(&mut harness, "Details");
    assert!(!has_list(&harness) && has_details(&harness));
    assert!(share(&harness) > 1.0 / 3.0, "{}", share(&harness));
    toggle(&mut harness, "Details");
    assert_eq!(share(&harness), closed);
}

#[test]
fn every_button_is_inside_a_narrow_window() {
    let harness = narrow(&["md3/player", "md3/static.md3"]);
    for role in [Role::Button, Role::ComboBox, Role::Slider, Role::CheckBox] {
        for node in harness.query_all_by_role(role) {
            let rect = node.rect();
            assert!(rect.left() >= 0.0 && rect.right() <= SIZE[0], "{role:?} at {rect:?}");
        }
    }
}

#[test]
fn a_wide_window_has_both_lists() {
    let state = State::of_paths([corpus("md3/static.md3")]);
    let mut harness = sized(App::without_gpu(state), Theme::Dark, [1000.0, 640.0]);
    assert!(has_list(&harness) && has_details(&harness));
    toggle(&mut harness, "List");
    assert!(!has_list(&harness) && has_details(&harness));
    // A window that becomes narrow starts with closed lists.
    harness.set_size(Vec2::from(SIZE));
    harness.run_steps(8);
    assert!(!has_list(&harness) && !has_details(&harness));
    harness.set_size(Vec2::new(1000.0, 640.0));
    harness.run_steps(8);
    assert!(!has_list(&harness) && has_details(&harness));
}
