//! The interface: panels around a picture, drawn with `egui`.

mod canvas;
mod details;
mod gpu;
mod keys;
mod list;
mod numbers;
mod pictures;
mod toolbar;
mod transport;
#[cfg(target_arch = "wasm32")]
pub mod web;

use eframe::egui;
use meshlens_viewer::State;

use gpu::Stage;
pub use numbers::Numbers;

const NO_GPU: &str = "there is no GPU";

/// The application.
#[derive(Debug)]
pub struct App {
    /// The viewer.
    pub state: State,
    /// The GPU; the reason if there is none.
    stage: Result<Stage, String>,
    /// The words that names in the list must contain.
    filter: String,
    /// The item to which the list scrolls.
    scroll_to: Option<usize>,
    /// The pictures of the list.
    pictures: pictures::ListPictures,
    /// What the last action could not do.
    notice: Option<String>,
    /// The time of the last look at the files.
    #[cfg(not(target_arch = "wasm32"))]
    looked: f64,
}

impl App {
    /// The interface of a viewer, which draws on the GPU of `context`.
    pub fn new(context: &eframe::CreationContext<'_>, state: State) -> App {
        let stage = context.wgpu_render_state.as_ref().map(Stage::new);
        App { stage: stage.ok_or_else(|| NO_GPU.into()), ..App::without_gpu(state) }
    }

    /// The interface of a viewer without pictures.
    pub fn without_gpu(state: State) -> App {
        App {
            state,
            stage: Err(NO_GPU.into()),
            filter: String::new(),
            scroll_to: None,
            pictures: pictures::ListPictures::default(),
            notice: None,
            #[cfg(not(target_arch = "wasm32"))]
            looked: 0.0,
        }
    }

    /// Whether the picture of the open model has been drawn, or cannot be drawn.
    pub fn is_settled(&self) -> bool {
        self.stage.as_ref().map_or(true, |stage| stage.is_settled(&self.state))
    }

    /// Whether the pictures of all visible rows of the list are drawn.
    pub fn is_list_complete(&self) -> bool {
        self.pictures.is_complete
    }

    /// For each model whose picture in the list has been drawn or failed: whether there is one. In the order of the list.
    pub fn list_pictures(&self) -> Vec<bool> {
        let items = self.state.library.items().iter();
        items.filter_map(|item| self.pictures.get(item)).map(|picture| picture.is_some()).collect()
    }

    /// What is shown, in one line: the name of the model and its numbers, or the error.
    pub fn status(&self) -> String {
        let item = self.state.selected.and_then(|index| self.state.library.items().get(index));
        let name = item.map_or("", |item| item.name.as_str());
        match &self.state.opened {
            None => "no model".into(),
            Some(Err(error)) => format!("{name}: error: {error}"),
            Some(Ok(opened)) => {
                let (vertices, triangles, frames) = opened.numbers();
                let picture = self.stage.as_ref().ok().and_then(Stage::error);
                let picture = picture.map_or(String::new(), |error| format!(", error: {error}"));
                let frames = if frames == 1 { "1 frame".into() } else { format!("{frames} frames") };
                format!("{name}: {vertices} vertices, {triangles} triangles, {frames}{picture}")
            }
        }
    }

    /// Reads the open model again if one of its files has changed, and looks again later.
    #[cfg(not(target_arch = "wasm32"))]
    fn watch(&mut self, context: &egui::Context) {
        const INTERVAL: f64 = 1.0;
        let now = context.input(|input| input.time);
        if now - self.looked >= INTERVAL {
            self.looked = now;
            self.state.reload_if_changed();
        }
        context.request_repaint_after_secs(INTERVAL as f32);
    }

    /// Opens files that are dropped on the window.
    #[cfg(not(target_arch = "wasm32"))]
    fn take_dropped(&mut self, context: &egui::Context) {
        let dropped = context.input(|input| input.raw.dropped_files.clone());
        if !dropped.is_empty() {
            self.state.add_paths(dropped.iter().map(|file| file.path()));
        }
    }
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        self.show(ui);
    }
}

impl App {
    /// Shows one frame of the interface.
    pub fn show(&mut self, ui: &mut egui::Ui) {
        let context = ui.ctx().clone();
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.take_dropped(&context);
            self.watch(&context);
        }
        self.keys(&context);
        if self.state.playback.playing {
            // A pause, such as that of opening a model, is not played.
            self.state.advance(f64::from(context.input(|input| input.stable_dt).min(0.1)));
            context.request_repaint();
        }

        egui::Panel::top("toolbar").show(ui, |ui| self.toolbar(ui));
        egui::Panel::bottom("playback").show(ui, |ui| self.transport(ui));
        egui::Panel::left("models").resizable(true).default_size(230.0).show(ui, |ui| self.list(ui));
        egui::Panel::right("details").resizable(true).default_size(320.0).show(ui, |ui| self.details(ui));
        egui::CentralPanel::no_frame().show(ui, |ui| self.canvas(ui));
    }
}
