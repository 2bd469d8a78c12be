//! The list of models, with pictures.

use eframe::egui::{self, AtomExt as _};

use super::App;
use meshlens_viewer::library::Item;

/// The height of a row and of its picture.
const ROW: f32 = 40.0;

impl App {
    pub(super) fn list(&mut self, ui: &mut egui::Ui) {
        ui.add_space(4.0);
        let label = ui.label("Models");
        ui.add(egui::TextEdit::singleline(&mut self.filter).hint_text("Filter").desired_width(f32::INFINITY))
            .labelled_by(label.id);
        ui.add_space(4.0);
        let items = self.state.library.items();
        let shown: Vec<usize> = (0..items.len())
            .filter(|index| items.get(*index).is_some_and(|item| is_shown(item, &self.filter)))
            .collect();
        let color = super::details::severity_color(ui, meshlens::Severity::Warning);
        let mut chosen = None;
        let mut visible: Vec<&Item> = Vec::new();
        let mut area = egui::ScrollArea::vertical().auto_shrink([false, false]);
        let row = self.scroll_to.take().and_then(|index| shown.iter().position(|shown| *shown == index));
        if let Some(row) = row {
            // Scrolls the row to the middle.
            let top = row as f32 * (ROW + ui.spacing().item_spacing.y) - ui.available_height() * 0.5;
            area = area.vertical_scroll_offset(top.max(0.0));
        }
        area.show_rows(ui, ROW, shown.len(), |ui, rows| {
            for index in shown.get(rows).unwrap_or_default() {
                let Some(item) = items.get(*index) else { continue };
                visible.push(item);
                let is_selected = self.state.selected == Some(*index);
                let size = egui::Vec2::splat(ROW - 4.0);
                let picture = match self.pictures.get(item) {
                    Some(Some(texture)) => egui::Image::new((texture.id(), size)).atom_size(size),
                    Some(None) => egui::RichText::new("!").size(20.0).color(color).atom_size(size),
                    None => egui::Atom::default().atom_size(size),
                };
                let text = name(ui, &item.name, ui.available_width() - ROW - 28.0);
                let button = egui::Button::selectable(is_selected, (picture, text))
                    .min_size(egui::vec2(ui.available_width(), ROW));
                let response = ui.add(button);
                response.widget_info(|| {
                    egui::WidgetInfo::selected(egui::accesskit::Role::Button, true, is_selected, &item.name)
                });
                if response.on_hover_text(&item.name).clicked() {
                    chosen = Some(*index);
                }
            }
        });
        self.pictures.update(ui.ctx(), &visible);
        if items.is_empty() {
            ui.label("Drop models, folders or archives here.");
        }
        if let Some(index) = chosen {
            self.state.select(index);
        }
    }
}

/// Whether the name of an item contains the filter, in any case.
pub(super) fn is_shown(item: &Item, filter: &str) -> bool {
    item.name.to_lowercase().contains(&filter.to_lowercase())
}

/// The name of a file, and its folder in a second line. Each is cut to the width.
fn name(ui: &egui::Ui, path: &str, width: f32) -> egui::WidgetText {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let font = egui::TextStyle::Body.resolve(ui.style());
    // The color of the button.
    let color = egui::Color32::PLACEHOLDER;
    let is_wide =
        |text: &str| ui.painter().layout_no_wrap(text.into(), font.clone(), color).size().x > width.max(40.0);
    let mut job = egui::text::LayoutJob::simple_singleline(cut(file, is_wide), font.clone(), color);
    if !folder.is_empty() {
        let small = egui::TextStyle::Small.resolve(ui.style());
        job.append("\n", 0.0, egui::TextFormat::default());
        job.append(folder, 0.0, egui::TextFormat::simple(small, ui.visuals().weak_text_color()));
    }
    job.break_on_newline = true;
    job.wrap = egui::text::TextWrapping {
        max_width: width.max(40.0),
        max_rows: 2,
        break_anywhere: true,
        ..Default::default()
    };
    ui.painter().layout_job(job).into()
}

/// Shortens a name in its middle if it is too wide. The end is kept, because it distinguishes files.
fn cut(name: &str, is_wide: impl Fn(&str) -> bool) -> String {
    const END: usize = 10;
    if !is_wide(name) {
        return name.into();
    }
    let characters: Vec<char> = name.chars().collect();
    let (start, end) = characters.split_at(characters.len().saturating_sub(END));
    let end: String = end.iter().collect();
    let shortened = |count: usize| format!("{}…{end}", start.iter().take(count).collect::<String>());
    let count = (0..start.len()).rev().find(|count| !is_wide(&shortened(*count))).unwrap_or(0);
    shortened(count)
}
