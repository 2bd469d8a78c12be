//! A picture of the window, written when the model has been drawn.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use eframe::egui;
use meshlens_view::App;

/// The number of frames that the interface has to settle: panels find their size, and the picture follows.
const FRAMES: usize = 4;

/// The result of writing the picture; `None` until it is written.
type Outcome = Arc<Mutex<Option<Result<(), String>>>>;

/// The application, which writes a picture of itself and quits.
pub(crate) struct Shooting {
    app: App,
    path: PathBuf,
    frames: usize,
    is_requested: bool,
    outcome: Outcome,
}

impl Shooting {
    pub(crate) fn new(app: App, path: PathBuf, outcome: Outcome) -> Shooting {
        Shooting { app, path, frames: 0, is_requested: false, outcome }
    }

    fn request(&mut self, context: &egui::Context) {
        self.is_requested = true;
        let (path, outcome, context) = (self.path.clone(), Arc::clone(&self.outcome), context.clone());
        let shot = egui::ScreenshotCallback::new({
            let context = context.clone();
            move |image| {
                if let Ok(mut outcome) = outcome.lock() {
                    *outcome = Some(write(&path, &image));
                }
                context.send_viewport_cmd(egui::ViewportCommand::Close);
                context.request_repaint();
            }
        });
        context.send_viewport_cmd(egui::ViewportCommand::Screenshot(shot));
    }
}

impl eframe::App for Shooting {
    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        self.app.ui(ui, frame);
        self.frames += 1;
        if !self.is_requested && self.frames >= FRAMES && self.app.is_settled() {
            self.request(ui.ctx());
        }
        ui.ctx().request_repaint();
    }
}

fn write(path: &Path, image: &egui::ColorImage) -> Result<(), String> {
    let [width, height] = image.size;
    let pixels: Vec<u8> = image.pixels.iter().flat_map(|pixel| [pixel.r(), pixel.g(), pixel.b()]).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let encoded = encoder.write_header().and_then(|mut writer| writer.write_image_data(&pixels));
    encoded.map_err(|error| format!("{}: {error}", path.display()))?;
    meshlens_source::write_atomic(path, true, |file| file.write_all(&bytes))
        .map_err(|error| error.to_string())
}
