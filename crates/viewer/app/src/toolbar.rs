//! The bar at the top: the name of the model, the next and the previous one, the camera and the theme.

use eframe::egui;

use super::{App, keys};

impl App {
    pub(super) fn toolbar(&mut self, ui: &mut egui::Ui) {
        ui.add_space(3.0);
        ui.horizontal(|ui| {
            if ui.button("Previous").on_hover_text("Previous model (Up)").clicked() {
                self.select_next(false);
            }
            if ui.button("Next").on_hover_text("Next model (Down)").clicked() {
                self.select_next(true);
            }
            ui.separator();
            if ui.button("Fit").on_hover_text("Fit the model into the picture (F)").clicked() {
                self.state.fit();
            }
            ui.menu_button("Keys", |ui| {
                egui::Grid::new("keys").num_columns(2).show(ui, |ui| {
                    for (key, action) in keys::HELP {
                        ui.strong(*key);
                        ui.label(*action);
                        ui.end_row();
                    }
                    ui.strong("Drag");
                    ui.label("turn; with Shift or the right button, move");
                    ui.end_row();
                    ui.strong("Wheel");
                    ui.label("zoom");
                    ui.end_row();
                });
            });
            ui.separator();
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let is_dark = ui.ctx().theme() == egui::Theme::Dark;
                let (text, other) =
                    if is_dark { ("Light", egui::Theme::Light) } else { ("Dark", egui::Theme::Dark) };
                if ui.button(text).on_hover_text("Change the colors of the window").clicked() {
                    ui.ctx().set_theme(other);
                }
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    let status = self.status();
                    ui.add(egui::Label::new(&status).truncate()).on_hover_text(status);
                });
            });
        });
        ui.add_space(2.0);
    }
}
