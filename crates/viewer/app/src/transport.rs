//! The bar at the bottom: clips, playback and the frame.

use eframe::egui;

use super::App;
use meshlens_viewer::playback::{Playback, Repeat};
use meshlens_viewer::text;

/// The speeds that can be chosen.
const SPEEDS: [f32; 6] = [0.1, 0.25, 0.5, 1.0, 2.0, 4.0];

impl App {
    pub(super) fn transport(&mut self, ui: &mut egui::Ui) {
        ui.add_space(4.0);
        ui.horizontal_wrapped(|ui| {
            let is_playing = self.state.playback.playing;
            if ui.button("Step back").on_hover_text("Previous frame (,)").clicked() {
                self.state.step(false);
            }
            let text = if is_playing { "Pause" } else { "Play" };
            if ui.button(text).on_hover_text("Play or pause (Space)").clicked() {
                self.state.toggle_playing();
            }
            if ui.button("Step").on_hover_text("Next frame (.)").clicked() {
                self.state.step(true);
            }
            ui.separator();
            self.clips(ui);
            let playback = &mut self.state.playback;
            let label = ui.label("Repeat").id;
            let repeat_box = egui::ComboBox::from_id_salt("repeat").width(90.0);
            let repeat_box = repeat_box.selected_text(playback.repeat.name()).show_ui(ui, |ui| {
                for repeat in Repeat::ALL {
                    ui.selectable_value(&mut playback.repeat, repeat, repeat.name());
                }
            });
            repeat_box.response.labelled_by(label);
            let label = ui.label("Speed").id;
            let speed_box = egui::ComboBox::from_id_salt("speed").width(60.0);
            let speed_box = speed_box.selected_text(speed(playback.speed)).show_ui(ui, |ui| {
                for value in SPEEDS {
                    ui.selectable_value(&mut playback.speed, value, speed(value));
                }
            });
            speed_box.response.labelled_by(label);
            let Playback { blending, .. } = playback;
            ui.checkbox(blending, "Blend frames").on_hover_text("Show poses between frames (B)");
        });
        self.slider(ui);
        ui.add_space(4.0);
    }

    /// The clip of each part.
    fn clips(&mut self, ui: &mut egui::Ui) {
        let names: Vec<String> = match self.state.model() {
            Some(opened) => opened.scene().nodes.iter().map(|part| text::line(&part.name)).collect(),
            None => return,
        };
        let several = names.len() > 1;
        for (part, (track, name)) in self.state.tracks.iter_mut().zip(&names).enumerate() {
            if track.clips().is_empty() {
                continue;
            }
            let label = ui.label(if several { name } else { "Clip" }).id;
            let current = track.clip().map_or_else(|| "no clip".into(), |clip| text::line(&clip.name));
            let current = if current.is_empty() { "clip".into() } else { current };
            let mut chosen = None;
            let clip_box = egui::ComboBox::from_id_salt(("clip", part))
                .width(150.0)
                .selected_text(current)
                .truncate()
                .show_ui(ui, |ui| {
                    for (index, clip) in track.clips().iter().enumerate() {
                        let name = format!("{} ({} frames)", text::line(&clip.name), clip.count);
                        if ui.selectable_label(track.selected() == Some(index), name).clicked() {
                            chosen = Some(index);
                        }
                    }
                });
            clip_box.response.labelled_by(label);
            if let Some(chosen) = chosen {
                track.select(chosen);
                self.state.part = part;
            }
        }
        if !self.state.tracks.iter().all(|track| track.clips().is_empty()) {
            ui.separator();
        }
    }

    /// The frame of the part whose clip was chosen last.
    fn slider(&mut self, ui: &mut egui::Ui) {
        let part = self.state.part;
        let Some(track) = self.state.tracks.get(part) else { return };
        let last = track.frame_count() - 1;
        let mut frame = track.frame();
        let facts = match track.clip() {
            Some(clip) => {
                let assumed = if clip.is_rate_assumed { " (assumed)" } else { "" };
                format!("{} frames/s{assumed}", clip.rate.get())
            }
            None => "does not move".into(),
        };
        let model_frame = track.model_frame();
        ui.horizontal(|ui| {
            let label = ui.label("Frame");
            ui.spacing_mut().slider_width = (ui.available_width() - 360.0).clamp(80.0, 900.0);
            // The text after the slider counts from 1.
            let slider = egui::Slider::new(&mut frame, 0..=last.max(1)).show_value(false);
            let changed = ui.add_enabled(last > 0, slider).labelled_by(label.id).changed();
            if changed && let Some(track) = self.state.tracks.get_mut(part) {
                self.state.playback.playing = false;
                track.go_to(frame);
            }
            let name = self.state.model().and_then(|opened| {
                Some(text::line(opened.scene().nodes.get(part)?.model.frame_name(model_frame)))
            });
            let name =
                name.filter(|name| !name.is_empty()).map_or(String::new(), |name| format!(" · {name}"));
            let shown = format!("{} of {} · {facts}{name}", frame + 1, last + 1);
            ui.add(egui::Label::new(&shown).truncate())
                .on_hover_text(format!("Frame {model_frame} of the model, counted from 0"));
        });
    }
}

fn speed(value: f32) -> String {
    format!("× {value}")
}
