//! The bar at the top: the name of the model, the next and the previous one, the camera and the theme.

use eframe::egui;

use meshlens_viewer::camera::Direction;

use super::{App, Side, keys};

impl App {
    pub(super) fn toolbar(&mut self, ui: &mut egui::Ui) {
        ui.add_space(3.0);
        if self.is_narrow {
            ui.horizontal_wrapped(|ui| {
                self.buttons(ui);
                theme(ui);
            });
            self.status_line(ui);
        } else {
            ui.horizontal(|ui| {
                self.buttons(ui);
                ui.separator();
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    theme(ui);
                    ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                        self.status_line(ui)
                    });
                });
            });
        }
        if let Some(notice) = self.notice.clone() {
            ui.horizontal(|ui| {
                if ui.button("Dismiss").clicked() {
                    self.notice = None;
                }
                ui.add(egui::Label::new(&notice).truncate()).on_hover_text(notice);
            });
        }
        ui.add_space(2.0);
    }

    fn buttons(&mut self, ui: &mut egui::Ui) {
        for (name, side) in [("List", Side::Models), ("Details", Side::Details)] {
            if ui.selectable_label(self.is_open(side), name).on_hover_text("Show or hide").clicked() {
                self.toggle(side);
            }
        }
        ui.separator();
        #[cfg(not(target_arch = "wasm32"))]
        if ui.button("Open…").on_hover_text("Files and folders (O)").clicked() {
            self.open_dialog(std::path::Path::new("."));
        }
        self.export_menu(ui);
        ui.separator();
        if ui.button("Previous").on_hover_text("Previous model (Page Up)").clicked() {
            self.select_next(false);
        }
        if ui.button("Next").on_hover_text("Next model (Page Down)").clicked() {
            self.select_next(true);
        }
        ui.separator();
        if ui.button("Fit").on_hover_text("Fit the model into the picture (F)").clicked() {
            self.state.fit();
        }
        ui.menu_button("View", |ui| {
            for direction in Direction::ALL {
                if ui.button(direction.name()).clicked() {
                    self.state.camera.look_from(direction);
                }
            }
            ui.separator();
            ui.checkbox(&mut self.state.options.turntable, "Turntable");
        });
        ui.menu_button("Keys", |ui| {
            egui::Grid::new("keys").num_columns(2).show(ui, |ui| {
                for (key, action) in keys::HELP {
                    ui.strong(*key);
                    ui.label(*action);
                    ui.end_row();
                }
            });
        });
    }

    fn status_line(&self, ui: &mut egui::Ui) {
        let status = self.status();
        ui.add(egui::Label::new(&status).truncate()).on_hover_text(status);
    }
}

fn theme(ui: &mut egui::Ui) {
    let is_dark = ui.ctx().theme() == egui::Theme::Dark;
    let (text, other) = if is_dark { ("Light", egui::Theme::Light) } else { ("Dark", egui::Theme::Dark) };
    if ui.button(text).on_hover_text("Change the colors of the window").clicked() {
        ui.ctx().set_theme(other);
    }
}
