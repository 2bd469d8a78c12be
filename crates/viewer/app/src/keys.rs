//! The keyboard.

use eframe::egui::{self, Key, Modifiers};

use super::App;
use meshlens_viewer::Look;

/// The keys, for people.
pub(super) const HELP: &[(&str, &str)] = &[
    ("Up, Down", "previous and next model"),
    ("Left, Right", "previous and next frame"),
    ("Space", "play or pause"),
    ("F", "fit the model into the picture"),
    ("B", "blending of frames"),
    ("T", "tags"),
    ("K", "skeleton"),
    ("X", "bounding box"),
    ("N", "normals"),
    ("W", "wireframe"),
    ("G", "ground"),
];

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
        for (key, forwards) in [(Key::ArrowDown, true), (Key::ArrowUp, false)] {
            if pressed(key) {
                self.select_next(forwards);
            }
        }
        for (key, forwards) in [(Key::ArrowRight, true), (Key::ArrowLeft, false)] {
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

    /// Opens the next or the previous model.
    pub(super) fn select_next(&mut self, forwards: bool) {
        self.state.select_next(forwards);
        self.scroll_to = self.state.selected;
    }
}
