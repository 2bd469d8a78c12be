//! A picture of the window, or the numbers of the model: the application quits after them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use eframe::egui;
use meshlens_view::App;

/// The number of frames until the interface is stable: panels find their sizes, and the picture follows.
const FRAMES: usize = 4;

/// The time in seconds after which a picture of the window no longer waits for the pictures of the list.
const LIST_SECONDS: u64 = 10;

/// The result; `None` until there is one.
pub(crate) type Outcome = Arc<Mutex<Option<Result<(), String>>>>;

/// The output that the application was started for.
pub(crate) struct OutputRequest {
    pub(crate) screenshot: Option<PathBuf>,
    pub(crate) export: Option<PathBuf>,
    pub(crate) numbers: bool,
    /// The time of finding and opening the models, in seconds.
    pub(crate) open_seconds: f64,
}

impl OutputRequest {
    pub(crate) fn is_any(&self) -> bool {
        self.screenshot.is_some() || self.export.is_some() || self.numbers
    }
}

/// The application, which quits after it has produced the output.
pub(crate) struct Once {
    app: App,
    wanted: OutputRequest,
    frames: usize,
    /// The time of the first frame: uploading the model, creating pipelines and drawing.
    first_seconds: f64,
    is_requested: bool,
    start: Instant,
    outcome: Outcome,
}

impl Once {
    pub(crate) fn new(app: App, wanted: OutputRequest, outcome: Outcome) -> Once {
        Once {
            app,
            wanted,
            frames: 0,
            first_seconds: 0.0,
            is_requested: false,
            start: Instant::now(),
            outcome,
        }
    }

    fn finish(&mut self, context: &egui::Context) {
        self.is_requested = true;
        let mut printed = if self.wanted.numbers { self.print() } else { Ok(()) };
        let is_glb = |path: &PathBuf| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("glb"));
        let mut picture = None;
        match self.wanted.export.clone() {
            Some(path) if is_glb(&path) => {
                let written = self.app.state.export_glb().and_then(|glb| put(&path, &glb));
                printed = printed.and(written);
            }
            path => picture = path,
        }
        let (outcome, closed) = (Arc::clone(&self.outcome), context.clone());
        let end = move |result: Result<(), String>| {
            if let Ok(mut outcome) = outcome.lock() {
                *outcome = Some(result);
            }
            closed.send_viewport_cmd(egui::ViewportCommand::Close);
            closed.request_repaint();
        };
        let window = self.wanted.screenshot.clone();
        if printed.is_err() || window.is_none() && picture.is_none() {
            return end(printed);
        }
        let (rect, scale) = (self.app.canvas_rect(), context.pixels_per_point());
        let shot = egui::ScreenshotCallback::new(move |image| {
            let window = window.map_or(Ok(()), |path| write(&path, &image));
            let cut = |path: PathBuf| put(&path, &meshlens_view::png(&image, rect, scale)?);
            end(window.and(picture.map_or(Ok(()), cut)));
        });
        context.send_viewport_cmd(egui::ViewportCommand::Screenshot(shot));
    }

    /// Prints the numbers of the model.
    fn print(&self) -> Result<(), String> {
        let numbers = self.app.numbers().ok_or_else(|| self.app.status())?;
        let video_bytes = numbers.video_bytes.unwrap_or(0);
        let ratio = video_bytes as f64 / numbers.file_bytes.max(1) as f64;
        let (open, first) = (self.wanted.open_seconds * 1e3, self.first_seconds * 1e3);
        let lines = [
            self.app.status(),
            format!("files: {} bytes", numbers.file_bytes),
            format!("video memory: {video_bytes} bytes, {ratio:.3} of the files"),
            format!(
                "open: {open:.1} ms, of which reading and validating {:.1} ms",
                numbers.open_seconds * 1e3
            ),
            format!("decode a frame: {:.3} ms", numbers.decode_seconds * 1e3),
            format!("upload: {:.1} ms", numbers.upload_seconds * 1e3),
            format!("first picture: {first:.1} ms, including the upload"),
            format!("from the path to the picture: {:.1} ms", open + first),
        ];
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", lines.join("\n")).map_err(|error| error.to_string())
    }
}

impl eframe::App for Once {
    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        let start = Instant::now();
        self.app.ui(ui, frame);
        if self.frames == 0 {
            self.app.wait();
            self.first_seconds = start.elapsed().as_secs_f64();
        }
        self.frames += 1;
        let is_list_ready = self.wanted.screenshot.is_none()
            || self.app.is_list_complete()
            || self.start.elapsed().as_secs() >= LIST_SECONDS;
        if !self.is_requested && self.frames >= FRAMES && self.app.is_settled() && is_list_ready {
            self.finish(ui.ctx());
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
    put(path, &bytes)
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), String> {
    meshlens_source::write_atomic(path, true, |file| file.write_all(bytes)).map_err(|error| error.to_string())
}
