//! The list of models.

use eframe::egui;

use super::App;

impl App {
    pub(super) fn list(&mut self, ui: &mut egui::Ui) {
        ui.add_space(4.0);
        let label = ui.label("Models");
        ui.add(egui::TextEdit::singleline(&mut self.filter).hint_text("Filter").desired_width(f32::INFINITY))
            .labelled_by(label.id);
        ui.add_space(4.0);
        let wanted = self.filter.to_lowercase();
        let items = self.state.library.items();
        let shown: Vec<usize> = (0..items.len())
            .filter(|index| items.get(*index).is_some_and(|item| item.name.to_lowercase().contains(&wanted)))
            .collect();
        let mut chosen = None;
        let height = ui.text_style_height(&egui::TextStyle::Body) + 6.0;
        let mut area = egui::ScrollArea::vertical().auto_shrink([false, false]);
        let row = self.scroll_to.take().and_then(|index| shown.iter().position(|shown| *shown == index));
        if let Some(row) = row {
            // The row in the middle.
            let top = row as f32 * (height + ui.spacing().item_spacing.y) - ui.available_height() * 0.5;
            area = area.vertical_scroll_offset(top.max(0.0));
        }
        area.show_rows(ui, height, shown.len(), |ui, rows| {
            for index in shown.get(rows).unwrap_or_default() {
                let Some(item) = items.get(*index) else { continue };
                let is_selected = self.state.selected == Some(*index);
                let button = egui::Button::selectable(is_selected, &item.name)
                    .truncate()
                    .min_size(egui::vec2(ui.available_width(), height));
                if ui.add(button).on_hover_text(&item.name).clicked() {
                    chosen = Some(*index);
                }
            }
        });
        if items.is_empty() {
            ui.label("Drop models, folders or archives here.");
        }
        if let Some(index) = chosen {
            self.state.select(index);
        }
    }
}
