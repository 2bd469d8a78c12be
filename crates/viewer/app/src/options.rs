//! The part of the panel that determines what is shown, and how.

use eframe::egui;
use meshlens_viewer::opened::Opened;
use meshlens_viewer::{Look, UpAxis};

use super::App;

impl App {
    pub(super) fn show_options(&mut self, ui: &mut egui::Ui) {
        let levels = self.state.model().map_or(1, Opened::lod_count);
        let theme = self.own_background(ui);
        let options = &mut self.state.options;
        egui::Grid::new("options").num_columns(2).show(ui, |ui| {
            choice(ui, "Surfaces", &mut options.look, &Look::ALL, Look::name);
            choice(ui, "Up axis", &mut options.up, &UpAxis::ALL, UpAxis::name);
            if levels > 1 {
                let label = ui.label("Level of detail").id;
                ui.add(egui::Slider::new(&mut options.level, 0..=levels - 1)).labelled_by(label);
                ui.end_row();
            }
            ui.label("Background");
            ui.horizontal(|ui| {
                let mut color = options.background.unwrap_or(theme);
                if ui.color_edit_button_srgb(&mut color).changed() {
                    options.background = Some(color);
                }
                if ui.add_enabled(options.background.is_some(), egui::Button::new("Reset")).clicked() {
                    options.background = None;
                }
            });
            ui.end_row();
        });
        ui.columns(2, |columns| {
            let [left, right] = columns else { return };
            left.checkbox(&mut options.textures, "Textures");
            left.checkbox(&mut options.edges, "Edges");
            left.checkbox(&mut options.back_faces, "Back faces");
            left.checkbox(&mut options.tags, "Tags");
            left.checkbox(&mut options.skeleton, "Skeleton");
            right.checkbox(&mut options.names, "Names");
            right.checkbox(&mut options.bounds, "Bounds");
            right.checkbox(&mut options.normals, "Normals");
            right.checkbox(&mut options.ground, "Ground");
            right.checkbox(&mut options.turntable, "Turntable");
        });
    }
}

/// A row of a grid: a label, and one of several values.
fn choice<T: Copy + PartialEq>(
    ui: &mut egui::Ui,
    label: &str,
    chosen: &mut T,
    values: &[T],
    name: fn(T) -> &'static str,
) {
    let id = ui.label(label).id;
    let list = egui::ComboBox::from_id_salt(label).selected_text(name(*chosen)).show_ui(ui, |ui| {
        for value in values {
            ui.selectable_value(chosen, *value, name(*value));
        }
    });
    list.response.labelled_by(id);
    ui.end_row();
}
