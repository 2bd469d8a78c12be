//! View keys, exports, passwords, the open dialog, weapons, and dropped files.

use std::cell::RefCell;
use std::rc::Rc;

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers, PointerButton, Pos2, Theme, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use meshlens_view::App;
use meshlens_viewer::State;
use meshlens_viewer::camera::Direction;

use crate::{corpus, sized, view};

#[test]
fn view_keys_turn_the_camera() {
    let mut harness = view(&["md3/tagged.md3", "md3/static.md3"]);
    let mut expected = harness.state().state.camera;
    for (key, direction) in
        [(Key::Num1, Direction::Front), (Key::Num3, Direction::Left), (Key::Num7, Direction::Top)]
    {
        harness.key_press(key);
        harness.run_steps(2);
        expected.look_from(direction);
        assert_eq!(harness.state().state.camera, expected, "{direction:?}");
        harness.key_press_modifiers(Modifiers::COMMAND, key);
        harness.run_steps(2);
        expected.look_from(direction.opposite());
        assert_eq!(harness.state().state.camera, expected, "{direction:?}");
    }
    harness.key_press(Key::Num1);
    harness.run_steps(2);
    // The camera turns by 15 degrees, and the model and its frame stay the same.
    harness.key_press(Key::ArrowRight);
    harness.key_press(Key::ArrowUp);
    harness.run_steps(2);
    let state = &harness.state().state;
    let step = core::f32::consts::PI / 12.0;
    assert!((state.camera.yaw - step).abs() < 1e-6 && (state.camera.pitch - step).abs() < 1e-6);
    assert_eq!((state.selected, state.tracks[0].frame()), (Some(0), 0));
}

#[test]
fn the_view_menu_has_every_side() {
    let mut harness = view(&["md3/static.md3"]);
    harness.get_by_role_and_label(Role::Button, "View").click();
    harness.run_steps(4);
    harness.get_by_role_and_label(Role::Button, "Back").click();
    harness.run_steps(4);
    assert_eq!(
        (harness.state().state.camera.yaw, harness.state().state.camera.pitch),
        (core::f32::consts::PI, 0.0)
    );
}

#[test]
fn the_turntable_turns_the_model() {
    let mut harness = view(&["md3/static.md3"]);
    let before = harness.state().state.camera.yaw;
    harness.key_press(Key::R);
    harness.run_steps(8);
    let turned = harness.state().state.camera.yaw;
    assert!(turned > before, "{before} {turned}");
    harness.key_press(Key::R);
    harness.run_steps(2);
    let stopped = harness.state().state.camera.yaw;
    harness.run_steps(4);
    assert_eq!(harness.state().state.camera.yaw, stopped);
}

/// The name and the content of a file.
type Export = (String, Vec<u8>);

fn double_click(harness: &mut Harness<'_, App>, at: Pos2) {
    harness.hover_at(at);
    harness.run_steps(1);
    for pressed in [true, false, true, false] {
        let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
        harness.event(eframe::egui::Event::PointerButton { pos: at, button, pressed, modifiers });
        harness.run_steps(1);
    }
    harness.run_steps(2);
}

#[test]
fn a_double_click_focuses_on_a_point() {
    let state = State::of_paths([corpus("gallery/crate.md3")]);
    // The default step is longer than the interval of a double-click.
    let builder = Harness::builder().with_size([1280.0, 800.0]).with_step_dt(0.02).with_max_steps(64);
    let mut harness = builder.build_ui_state(|ui, app: &mut App| app.show(ui), App::without_gpu(state));
    harness.run_steps(8);
    harness.key_press(Key::F);
    harness.run_steps(2);
    let whole = harness.state().state.camera;
    let rect = harness.get_by_role(Role::Image).rect();
    double_click(&mut harness, rect.center());
    let near = harness.state().state.camera;
    assert!(near.distance < whole.distance * 0.7 && near.target != whole.target, "{near:?}");
    // A double-click next to the model shows all of it again. Without a pause, this would be a triple-click.
    harness.run_steps(40);
    double_click(&mut harness, rect.left_top() + Vec2::splat(20.0));
    assert_eq!(harness.state().state.camera, whole);
}

#[test]
fn a_password_is_requested() {
    let mut harness = view(&["u3d/v2_static_aes.u3d"]);
    assert!(harness.query_by_label("This model is encrypted.").is_some());
    for (password, opens) in [("wrong", false), ("secret", true)] {
        harness.get_by_role_and_label(Role::PasswordInput, "Password").click();
        harness.run_steps(2);
        harness.get_by_role_and_label(Role::PasswordInput, "Password").type_text(password);
        harness.run_steps(2);
        harness.get_by_role_and_label(Role::Button, "Unlock").click();
        harness.run_steps(4);
        assert_eq!(harness.state().state.model().is_some(), opens, "{}", harness.state().status());
    }
}

#[test]
fn a_weapon_is_chosen_and_exported() {
    let saved: Rc<RefCell<Vec<Export>>> = Rc::default();
    let given = Rc::clone(&saved);
    let state = State::of_paths(["md3/player", "md3/static.md3"].map(corpus));
    let app = App::without_gpu(state).with_save(Box::new(move |name, bytes| {
        given.borrow_mut().push((name.to_owned(), bytes.to_vec()));
        Ok(format!("saved: {name}"))
    }));
    let mut harness = sized(app, Theme::Dark, [1280.0, 1400.0]);
    for _ in 0..2 {
        harness.get_by_role_and_label(Role::Button, "Export").click();
        harness.run_steps(4);
        harness.get_by_role_and_label(Role::Button, "GLB").click();
        harness.run_steps(4);
        assert!(harness.query_all_by_label("saved: player.glb").next().is_some());
        harness.get_by_role_and_label(Role::ComboBox, "On tag_weapon").click();
        harness.run_steps(4);
        // The button in the menu is drawn after the list.
        harness.get_all_by_label("static.md3").last().unwrap().click();
        harness.run_steps(4);
    }
    assert!(harness.state().state.attached.is_some());
    let saved = saved.borrow();
    let [(name, bare), (_, armed)] = &saved[..] else { panic!("{} files", saved.len()) };
    assert_eq!((name.as_str(), &bare[..4]), ("player.glb", &b"glTF"[..]));
    assert!(armed.len() > bare.len() + 1000, "{} {}", bare.len(), armed.len());
}

#[test]
fn a_dialog_asks_where_an_export_goes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chosen.glb");
    let mut harness = view(&["md3/static.md3"]);
    let mut save = |path: &std::path::Path| {
        harness.get_by_role_and_label(Role::Button, "Export").click();
        harness.run_steps(4);
        harness.get_by_role_and_label(Role::Button, "GLB").click();
        harness.run_steps(4);
        // The suggested name is the name of the model, in the current folder.
        let field = harness.get_by_role_and_label(Role::TextInput, "File");
        assert!(field.value().is_some_and(|value| value.ends_with("static.glb")), "{:?}", field.value());
        field.click();
        harness.run_steps(2);
        harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
        harness.get_by_role_and_label(Role::TextInput, "File").type_text(path.to_str().unwrap());
        harness.run_steps(2);
        harness.get_by_role_and_label(Role::Button, "Save").click();
        harness.run_steps(4);
        harness.query_by_role_and_label(Role::TextInput, "File").is_none()
    };
    assert!(save(&path));
    assert_eq!(std::fs::read(&path).unwrap()[..4], *b"glTF");
    // An existing file is kept, and the dialog stays open.
    std::fs::write(&path, "mine").unwrap();
    assert!(!save(&path));
    assert_eq!(std::fs::read(&path).unwrap(), b"mine");
}

#[test]
fn a_filter_does_not_hide_dropped_files() {
    let mut harness = view(&["md3/tagged.md3", "md3/static.md3"]);
    harness.get_by_role_and_label(Role::TextInput, "Models").click();
    harness.run_steps(2);
    harness.get_by_role_and_label(Role::TextInput, "Models").type_text("tagged");
    harness.run_steps(4);
    assert!(harness.query_by_role_and_label(Role::Button, "static.md3").is_none());
    harness.state_mut().add_paths([corpus("md3/animated.md3")]);
    harness.run_steps(4);
    assert!(harness.query_by_role_and_label(Role::Button, "animated.md3").is_some());
    assert_eq!(harness.state().state.selected, Some(2));
}

#[test]
fn the_open_dialog_opens_folders_and_files() {
    let mut harness = view(&[]);
    harness.state_mut().open_dialog(&corpus(""));
    harness.run_steps(4);
    harness.get_by_label("gallery/").click();
    harness.run_steps(4);
    harness.get_by_label("crate.u3d").click();
    harness.run_steps(4);
    assert!(harness.state().status().contains("crate.u3d: "), "{}", harness.state().status());
    harness.get_by_role_and_label(Role::Button, "Open…").click();
    harness.run_steps(4);
    harness.state_mut().open_dialog(&corpus("md3"));
    harness.run_steps(4);
    harness.get_by_label("Open this folder").click();
    harness.run_steps(4);
    let items = harness.state().state.library.items();
    assert!(items.len() > 10 && items.iter().any(|item| item.name.ends_with("tagged.md3")));
}
