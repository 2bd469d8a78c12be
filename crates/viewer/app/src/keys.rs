//! The keyboard.

use eframe::egui::{self, Key, Modifiers};

use super::App;
use meshlens_viewer::Look;
use meshlens_viewer::camera::Direction;

/// The keys and their descriptions.
pub(super) const HELP: &[(&str, &str)] = &[
    ("Page Up, Page Down", "previous and next model"),
    (", .", "previous and next frame"),
    ("Space", "play or pause"),
    ("F", "fit the model into the picture"),
    ("1, 3, 7", "front, left side, top; with Ctrl, the opposite side"),
    ("Arrows", "turn the camera"),
    ("R", "turntable"),
    ("O", "open files and folders"),
    ("B", "blending of frames"),
    ("T", "tags"),
    ("K", "skeleton"),
    ("X", "bounding box"),
    ("N", "normals"),
    ("W", "wireframe"),
    ("G", "ground"),
    ("Drag", "turn; with Shift or the right button, move"),
    ("Wheel", "zoom"),
    ("Double-click", "move a place of the model to the middle"),
];

/// The angle of a key that turns the camera, in radians.
const TURN: f32 = core::f32::consts::PI / 12.0;

impl App {
    /// Acts on keys that no widget takes.
    pub(super) fn keys(&mut self, context: &egui::Context) {
        let is_taken = context.memory(|memory| memory.focused().is_some());
        let pressed = |key| context.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        if context.egui_wants_keyboard_input() {
            return;
        }
        for (key, forwards) in [(Key::PageDown, true), (Key::PageUp, false)] {
            if pressed(key) {
                self.select_next(forwards);
            }
        }
        if is_taken {
            return;
        }
        self.camera_keys(context);
        for (key, forwards) in [(Key::Period, true), (Key::Comma, false)] {
            if pressed(key) {
                self.state.step(forwards);
            }
        }
        if pressed(Key::Space) {
            self.state.toggle_playing();
        }
        if pressed(Key::F) {
            self.state.fit();
        }
        let options = &mut self.state.options;
        let toggles = [
            (Key::B, &mut self.state.playback.blending),
            (Key::T, &mut options.tags),
            (Key::K, &mut options.skeleton),
            (Key::X, &mut options.bounds),
            (Key::N, &mut options.normals),
            (Key::G, &mut options.ground),
            (Key::R, &mut options.turntable),
        ];
        for (key, option) in toggles {
            if pressed(key) {
                *option = !*option;
            }
        }
        if pressed(Key::W) {
            options.look = if options.look == Look::Wires { Look::Lit } else { Look::Wires };
        }
    }

    /// Keys that move the camera. Keys with a modifier are handled first, because they have another meaning without it.
    fn camera_keys(&mut self, context: &egui::Context) {
        let pressed = |modifiers, key| context.input_mut(|input| input.consume_key(modifiers, key));
        for (key, yaw, pitch) in [
            (Key::ArrowLeft, -TURN, 0.0),
            (Key::ArrowRight, TURN, 0.0),
            (Key::ArrowUp, 0.0, TURN),
            (Key::ArrowDown, 0.0, -TURN),
        ] {
            if pressed(Modifiers::NONE, key) {
                self.state.camera.turn(yaw, pitch);
            }
        }
        for (key, direction) in
            [(Key::Num1, Direction::Front), (Key::Num3, Direction::Left), (Key::Num7, Direction::Top)]
        {
            if pressed(Modifiers::COMMAND, key) {
                self.state.camera.look_from(direction.opposite());
            } else if pressed(Modifiers::NONE, key) {
                self.state.camera.look_from(direction);
            }
        }
        #[cfg(not(target_arch = "wasm32"))]
        if pressed(Modifiers::NONE, Key::O) {
            self.open_dialog(std::path::Path::new("."));
        }
    }

    /// Opens the next or the previous model.
    pub(super) fn select_next(&mut self, forwards: bool) {
        self.state.select_next(forwards);
        self.scroll_to = self.state.selected;
    }
}
