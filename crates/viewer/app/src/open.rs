//! The dialog that opens files and folders, for the desktop. Browsers have their own.

use std::path::{Path, PathBuf};

use eframe::egui;
use meshlens_viewer::text;

use super::App;

/// The largest number of entries that are listed.
const MOST: usize = 2000;

/// The extensions of files that are listed.
const KNOWN: [&str; 10] = ["md3", "3d", "uc", "u3d", "mesh", "anim", "glb", "gltf", "pk3", "zip"];

/// The dialog.
#[derive(Debug)]
pub(super) struct OpenDialog {
    is_open: bool,
    /// The path in the text field.
    path: String,
    /// The folder that is listed.
    folder: PathBuf,
    /// The folders in it, then the files, or the reason why it cannot be read.
    entries: Result<Vec<Entry>, String>,
}

#[derive(Debug)]
struct Entry {
    name: String,
    path: PathBuf,
    is_folder: bool,
}

impl App {
    /// Shows the dialog, beginning with a folder.
    pub fn open_dialog(&mut self, folder: &Path) {
        self.dialog.is_open = true;
        self.dialog.list(folder);
    }

    pub(super) fn dialog(&mut self, context: &egui::Context) {
        let mut is_open = self.dialog.is_open;
        if !is_open {
            return;
        }
        let mut chosen = None;
        let room = context.content_rect().size();
        egui::Window::new("Open")
            .open(&mut is_open)
            .collapsible(false)
            .default_width(420.0_f32.min(room.x - 24.0))
            .default_height(420.0_f32.min(room.y - 80.0))
            .show(context, |ui| chosen = self.dialog.show(ui));
        self.dialog.is_open = is_open && chosen.is_none();
        if let Some(path) = chosen {
            self.add_paths([path]);
        }
    }
}

impl Default for OpenDialog {
    fn default() -> Self {
        OpenDialog { is_open: false, path: String::new(), folder: PathBuf::new(), entries: Ok(Vec::new()) }
    }
}

impl OpenDialog {
    fn list(&mut self, folder: &Path) {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.into());
        self.path = folder.display().to_string();
        self.entries =
            entries(&folder).map_err(|error| text::line(&format!("{}: {error}", folder.display())));
        self.folder = folder;
    }

    /// Returns the path that was chosen.
    fn show(&mut self, ui: &mut egui::Ui) -> Option<PathBuf> {
        let (mut chosen, mut entered) = (None, None);
        let label = ui.label("Path");
        let field = egui::TextEdit::singleline(&mut self.path).desired_width(f32::INFINITY);
        let field = ui.add(field).labelled_by(label.id);
        let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        ui.horizontal(|ui| {
            if ui.button("Parent folder").clicked() {
                entered = self.folder.parent().map(Path::to_owned);
            }
            if ui.button("Open this folder").on_hover_text("Lists every model in it").clicked() || is_entered
            {
                chosen = Some(PathBuf::from(&self.path));
            }
        });
        ui.separator();
        match &self.entries {
            Err(error) => _ = ui.add(egui::Label::new(error).wrap()),
            Ok(entries) => {
                let area = egui::ScrollArea::vertical().auto_shrink([false, false]);
                let row = ui.spacing().interact_size.y;
                area.show_rows(ui, row, entries.len(), |ui, rows| {
                    for entry in entries.get(rows).unwrap_or_default() {
                        let name =
                            if entry.is_folder { format!("{}/", entry.name) } else { entry.name.clone() };
                        let button = egui::Button::new(name).frame(false).truncate();
                        if ui.add(button).clicked() {
                            let to = if entry.is_folder { &mut entered } else { &mut chosen };
                            *to = Some(entry.path.clone());
                        }
                    }
                });
                if entries.is_empty() {
                    ui.label("There are no folders and no models here.");
                }
            }
        }
        if let Some(folder) = entered {
            self.list(&folder);
        }
        chosen
    }
}

/// The folders and the models in a folder, each in the order of their names.
fn entries(folder: &Path) -> std::io::Result<Vec<Entry>> {
    let mut entries: Vec<Entry> = (std::fs::read_dir(folder)?.flatten())
        .filter_map(|entry| {
            let path = entry.path();
            let is_folder = path.is_dir();
            let extension = path.extension().unwrap_or_default();
            let is_model = KNOWN.iter().any(|known| extension.eq_ignore_ascii_case(known));
            let name = text::line(&entry.file_name().to_string_lossy());
            (is_folder && !name.starts_with('.') || !is_folder && is_model).then_some(Entry {
                name,
                path,
                is_folder,
            })
        })
        .take(MOST)
        .collect();
    entries.sort_by_cached_key(|entry| (!entry.is_folder, entry.name.to_lowercase()));
    Ok(entries)
}
