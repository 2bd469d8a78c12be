//! Exports of the shown model: a GLB file, or a picture of the model as shown in the window.

use std::sync::{Arc, Mutex, PoisonError};

use eframe::egui;
use meshlens_viewer::{export_name, export_png};

use super::App;

/// Takes a file by its name and content. Returns a sentence about it, or the reason why it cannot be written.
pub type Save = Box<dyn Fn(&str, &[u8]) -> Result<String, String>>;

/// A picture of the window that arrives with a later frame.
#[derive(Clone, Default)]
pub(super) struct Shot(Arc<Mutex<Option<Arc<egui::ColorImage>>>>);

impl App {
    /// Passes exports to `save`, instead of a dialog that asks for their path.
    #[must_use]
    pub fn with_save(mut self, save: Save) -> App {
        self.save = Some(save);
        self
    }

    pub(super) fn export_menu(&mut self, ui: &mut egui::Ui) {
        let has_model = self.state.model().is_some();
        ui.add_enabled_ui(has_model, |ui| {
            ui.menu_button("Export", |ui| {
                if ui.button("GLB").on_hover_text("The model, with its clips, textures and weapon").clicked()
                {
                    self.export_glb();
                }
                if ui.button("PNG").on_hover_text("The picture, as it is shown").clicked() {
                    self.shoot(ui.ctx());
                }
            });
        });
    }

    fn export_glb(&mut self) {
        let written = self.state.export_glb().and_then(|bytes| self.save("glb", bytes));
        self.notice = written.unwrap_or_else(|why| Some(format!("no GLB was written: {why}")));
    }

    /// Requests a picture of the window.
    fn shoot(&mut self, context: &egui::Context) {
        let (shot, woken) = (self.shot.clone(), context.clone());
        let callback = egui::ScreenshotCallback::new(move |image| {
            *shot.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(image.as_ref().clone()));
            woken.request_repaint();
        });
        // The next frame no longer shows the menu.
        context.send_viewport_cmd(egui::ViewportCommand::Screenshot(callback));
        context.request_repaint();
    }

    /// Writes the picture of the window that has arrived.
    pub(super) fn take_shot(&mut self, context: &egui::Context) {
        let image = self.shot.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(image) = image else { return };
        let written =
            png(&image, self.canvas, context.pixels_per_point()).and_then(|png| self.save("png", png));
        self.notice = written.unwrap_or_else(|why| Some(format!("no PNG was written: {why}")));
    }

    /// Saves an export, or asks for its path. Returns a message.
    fn save(&mut self, extension: &str, bytes: Vec<u8>) -> Result<Option<String>, String> {
        let items = self.state.library.items();
        let item = self.state.selected.and_then(|index| items.get(index));
        let name = export_name(item.map_or("", |item| &item.name), extension);
        if let Some(save) = &self.save {
            return save(&name, &bytes).map(Some);
        }
        #[cfg(not(target_arch = "wasm32"))]
        {
            let path = unused_path(&name)?.display().to_string();
            self.unsaved = Some(Unsaved { path, bytes, fault: None });
            Ok(None)
        }
        #[cfg(target_arch = "wasm32")]
        Err("there is no place for files".into())
    }

    /// Asks for the path of an export.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn save_dialog(&mut self, context: &egui::Context) {
        let Some(unsaved) = &mut self.unsaved else { return };
        let (mut is_open, mut saves, mut cancels) = (true, false, false);
        let width = 420.0_f32.min(context.content_rect().width() - 24.0);
        egui::Window::new("Save").open(&mut is_open).collapsible(false).default_width(width).show(
            context,
            |ui| {
                let label = ui.label("File");
                let field = egui::TextEdit::singleline(&mut unsaved.path).desired_width(f32::INFINITY);
                let field = ui.add(field).labelled_by(label.id);
                saves = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
                if let Some(fault) = &unsaved.fault {
                    ui.add(egui::Label::new(fault).wrap());
                }
                ui.horizontal(|ui| {
                    saves |= ui.button("Save").clicked();
                    cancels = ui.button("Cancel").clicked();
                });
            },
        );
        if saves {
            match write(std::path::Path::new(&unsaved.path), &unsaved.bytes) {
                Ok(()) => {
                    self.notice = Some(format!("written: {}", unsaved.path));
                    self.unsaved = None;
                }
                Err(why) => unsaved.fault = Some(why),
            }
        } else if cancels || !is_open {
            self.unsaved = None;
        }
    }
}

/// An export for which the dialog asks for a path.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug)]
pub(super) struct Unsaved {
    path: String,
    bytes: Vec<u8>,
    /// The reason why it could not be written.
    fault: Option<String>,
}

/// A part of a picture of the window as a PNG file. `rect` is in points; a point is `scale` pixels.
///
/// # Errors
///
/// The picture does not show that part.
pub fn png(image: &egui::ColorImage, rect: egui::Rect, scale: f32) -> Result<Vec<u8>, String> {
    let pixels = |length: f32| (length * scale).round().max(0.0) as usize;
    let rgba: Vec<u8> = image.pixels.iter().flat_map(egui::Color32::to_array).collect();
    let (start, size) = ([rect.min.x, rect.min.y].map(pixels), [rect.width(), rect.height()].map(pixels));
    export_png(&rgba, image.size[0], start, size)
}

/// A path in the current folder that does not exist. A number is added to the name if needed.
#[cfg(not(target_arch = "wasm32"))]
fn unused_path(name: &str) -> Result<std::path::PathBuf, String> {
    let folder = std::env::current_dir().map_err(|error| error.to_string())?;
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let names = (2..=999).map(|number| format!("{stem}-{number}.{extension}"));
    let mut paths = std::iter::once(name.to_owned()).chain(names).map(|name| folder.join(name));
    let unused = paths.find(|path| !path.exists());
    unused.ok_or_else(|| format!("{}: there are too many files of this name", folder.join(name).display()))
}

/// Writes a file. Existing files are kept.
#[cfg(all(not(target_arch = "wasm32"), feature = "window"))]
fn write(path: &std::path::Path, bytes: &[u8]) -> Result<(), String> {
    use std::io::Write as _;

    meshlens_source::write_atomic(path, false, |file| file.write_all(bytes))
        .map_err(|error| error.to_string())
}

#[cfg(all(not(target_arch = "wasm32"), not(feature = "window")))]
fn write(path: &std::path::Path, _: &[u8]) -> Result<(), String> {
    Err(format!("{}: this build has no window", path.display()))
}
