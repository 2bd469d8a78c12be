//! Screen readers, the keyboard and the mouse: every control has a role and a name, and the mouse rotates and zooms the
//! picture.

use std::sync::mpsc;
use std::time::Duration;

use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, TouchPhase, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use meshlens::scene::{Attachment, Socket};
use meshlens_view::App;

use crate::view;

#[test]
fn every_control_has_a_role_and_a_name() {
    let mut harness = view(&["md3/player", "md3/static.md3", "unigine/skinned_ms11.mesh"]);
    for _ in 0..3 {
        // This includes controls of sections that are closed at first.
        for title in ["Tags", "Joints", "Meshes", "Files", "Findings"] {
            let found = harness
                .query_all_by_role(Role::Button)
                .chain(harness.query_all_by_role(Role::DisclosureTriangle));
            let header = found
                .into_iter()
                .find(|node| node.accesskit_node().label().is_some_and(|label| label.starts_with(title)));
            if let Some(header) = header {
                header.click();
            }
        }
        harness.run_steps(12);
        assert_eq!(harness.unnamed_widgets(), Vec::<String>::new(), "{}", harness.state().status());
        harness.key_press(Key::PageDown);
        harness.run_steps(4);
    }
    for (role, name) in [
        (Role::ComboBox, "Surfaces"),
        (Role::ComboBox, "Up axis"),
        (Role::ComboBox, "Repeat"),
        (Role::ComboBox, "Speed"),
        (Role::CheckBox, "Skeleton"),
        (Role::CheckBox, "Blend frames"),
        (Role::Slider, "Frame"),
        (Role::Button, "Play"),
        (Role::Button, "Fit"),
        (Role::TextInput, "Models"),
        (Role::Button, "static.md3"),
    ] {
        assert!(harness.query_by_role_and_label(role, name).is_some(), "{role:?} {name}");
    }
    // The description of the picture is its content.
    let picture = harness.get_by_role(Role::Image);
    assert_eq!(picture.accesskit_node().label(), Some(harness.state().status()));
}

/// The yaw, the pitch and the distance of the camera.
fn camera(harness: &Harness<'_, App>) -> [f32; 3] {
    let camera = &harness.state().state.camera;
    [camera.yaw, camera.pitch, camera.distance]
}

#[test]
fn a_drag_turns_the_wheel_zooms_and_f_fits() {
    let mut harness = view(&["md3/tagged.md3"]);
    let center = harness.get_by_role(Role::Image).rect().center();
    harness.key_press(Key::F);
    harness.run_steps(2);
    let before = camera(&harness);
    harness.drag_at(center);
    harness.run_steps(2);
    harness.hover_at(center + Vec2::new(100.0, 50.0));
    harness.run_steps(2);
    harness.drop_at(center + Vec2::new(100.0, 50.0));
    harness.run_steps(2);
    let turned = camera(&harness);
    assert!(
        turned[0] < before[0] && turned[1] > before[1] && turned[2] == before[2],
        "{before:?} {turned:?}"
    );
    harness.hover_at(center);
    harness.run_steps(2);
    harness.event(Event::MouseWheel {
        unit: MouseWheelUnit::Point,
        delta: Vec2::new(0.0, 100.0),
        phase: TouchPhase::Move,
        source: MouseWheelSource::Wheel,
        modifiers: Modifiers::NONE,
    });
    // The wheel zooms smoothly.
    harness.run_steps(64);
    let near = camera(&harness);
    assert!(near[2] < turned[2] * 0.9 && near[0] == turned[0], "{turned:?} {near:?}");
    harness.key_press(Key::F);
    harness.run_steps(2);
    assert_eq!(camera(&harness), turned);
}

#[test]
fn the_list_shows_pictures() {
    let mut harness = view(&["md3/static.md3", "md3/tagged.md3", "no such file.md3"]);
    // The drawing thread requests a frame after each picture.
    let (repaint, repainted) = mpsc::channel();
    harness.ctx.set_repaint_observer(move |_| _ = repaint.send(()));
    loop {
        harness.run_steps(1);
        let found = harness.state().list_pictures();
        if found.len() == 3 {
            assert_eq!(found, [true, true, false]);
            return;
        }
        // It only takes this long if the thread has stopped drawing.
        repainted.recv_timeout(Duration::from_secs(600)).unwrap_or_else(|error| panic!("{error}: {found:?}"));
    }
}

#[test]
fn a_model_is_attached_to_a_tag_and_detached() {
    let mut harness = view(&["md3/tagged.md3", "md3/static.md3"]);
    harness.get_by_label("Tags (2)").click();
    harness.run_steps(12);
    harness.get_all_by_label("Attach…").next().unwrap().click();
    harness.run_steps(4);
    // The button in the menu is drawn after the list.
    harness.get_all_by_label("static.md3").last().unwrap().click();
    harness.run_steps(4);
    let at = harness.state().state.attached.as_ref().map(|attached| attached.at);
    assert_eq!(at, Some(Attachment { node: 0, socket: Socket::Tag(0) }));
    harness.get_by_label("Detach").click();
    harness.run_steps(4);
    assert!(harness.state().state.attached.is_none());
}

#[test]
fn skins_levels_and_axes_are_chosen() {
    let mut harness = view(&["md3/player", "md3/static.md3"]);
    harness.get_by_label("red").click();
    harness.run_steps(4);
    assert_eq!(harness.state().state.model().unwrap().skin.as_deref(), Some("red"));
    harness.get_by_label("as opened").click();
    harness.run_steps(4);
    assert_eq!(harness.state().state.model().unwrap().skin, None);
    harness.get_by_role_and_label(Role::ComboBox, "Up axis").click();
    harness.run_steps(4);
    harness.get_by_label("+Y").click();
    harness.run_steps(4);
    assert_eq!(harness.state().state.options.up.name(), "+Y");
    harness.get_by_label("static.md3").click();
    harness.run_steps(4);
    assert!(harness.query_by_role_and_label(Role::Slider, "Level of detail").is_some());
}
