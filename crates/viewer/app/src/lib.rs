//! The interface: panels around a picture, drawn with `egui`.

mod canvas;
mod details;
mod gpu;
mod keys;
mod list;
mod numbers;
#[cfg(not(target_arch = "wasm32"))]
mod open;
mod options;
mod pictures;
mod save;
mod toolbar;
mod transport;
#[cfg(target_arch = "wasm32")]
pub mod web;

use eframe::egui;
use meshlens_viewer::State;

use gpu::Viewport;
pub use numbers::Numbers;
pub use save::{Save, png};

const NO_GPU: &str = "there is no GPU";

/// The width of a window, in points, below which its lists start closed.
const NARROW: f32 = 760.0;

/// The part of the height that an opened list takes in a narrow window.
const DRAWER: f32 = 0.42;

/// A list beside the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Models,
    Details,
}

/// The lists that are open.
#[derive(Clone, Copy, Debug)]
struct Sides {
    /// In a wide window.
    models: bool,
    details: bool,
    /// The open list in a narrow window. At most one is open, below the picture.
    narrow: Option<Side>,
}

/// The application.
pub struct App {
    /// The viewer.
    pub state: State,
    /// The GPU, or the reason why it is not available.
    viewport: Result<Viewport, String>,
    /// The words that names in the list must contain.
    filter: String,
    /// The item to which the list scrolls.
    scroll_to: Option<usize>,
    /// The pictures of the list.
    pictures: pictures::ListPictures,
    /// The result of the last action.
    notice: Option<String>,
    sides: Sides,
    /// Whether the window is narrow.
    is_narrow: bool,
    /// The password that is typed.
    password: String,
    /// The place of the picture in the window.
    canvas: egui::Rect,
    /// Receives exports; without it, a dialog asks for their paths.
    save: Option<Save>,
    shot: save::Shot,
    #[cfg(not(target_arch = "wasm32"))]
    dialog: open::OpenDialog,
    #[cfg(not(target_arch = "wasm32"))]
    unsaved: Option<save::Unsaved>,
    /// The time of the last check of the files.
    #[cfg(not(target_arch = "wasm32"))]
    looked: f64,
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("state", &self.state).finish_non_exhaustive()
    }
}

impl App {
    /// The interface of a viewer, which draws on the GPU of `context`.
    pub fn new(context: &eframe::CreationContext<'_>, state: State) -> App {
        let viewport = context.wgpu_render_state.as_ref().map(Viewport::new);
        App { viewport: viewport.ok_or_else(|| NO_GPU.into()), ..App::without_gpu(state) }
    }

    /// The interface of a viewer without pictures.
    pub fn without_gpu(state: State) -> App {
        App {
            state,
            viewport: Err(NO_GPU.into()),
            filter: String::new(),
            scroll_to: None,
            pictures: pictures::ListPictures::default(),
            notice: None,
            sides: Sides { models: true, details: true, narrow: None },
            is_narrow: false,
            password: String::new(),
            canvas: egui::Rect::NOTHING,
            save: None,
            shot: save::Shot::default(),
            #[cfg(not(target_arch = "wasm32"))]
            dialog: open::OpenDialog::default(),
            #[cfg(not(target_arch = "wasm32"))]
            unsaved: None,
            #[cfg(not(target_arch = "wasm32"))]
            looked: 0.0,
        }
    }

    /// Whether the picture of the open model has been drawn, or cannot be drawn.
    pub fn is_settled(&self) -> bool {
        self.viewport.as_ref().map_or(true, |viewport| viewport.is_settled(&self.state))
    }

    /// Whether the pictures of all visible rows of the list are drawn.
    pub fn is_list_complete(&self) -> bool {
        self.pictures.is_complete
    }

    /// For each model whose picture in the list was drawn or has failed: whether it succeeded. In the order of the
    /// list.
    pub fn list_pictures(&self) -> Vec<bool> {
        let items = self.state.library.items().iter();
        items.filter_map(|item| self.pictures.get(item)).map(|picture| picture.is_some()).collect()
    }

    /// A description in one line: the name of the model and its numbers, or the error.
    pub fn status(&self) -> String {
        let item = self.state.selected.and_then(|index| self.state.library.items().get(index));
        let name = item.map_or("", |item| item.name.as_str());
        match &self.state.opened {
            None => "no model".into(),
            Some(Err(failure)) => format!("{name}: error: {}", failure.message),
            Some(Ok(opened)) => {
                let (vertices, triangles, frames) = opened.numbers();
                let picture = self.viewport.as_ref().ok().and_then(Viewport::error);
                let picture = picture.map_or(String::new(), |error| format!(", error: {error}"));
                let frames = if frames == 1 { "1 frame".into() } else { format!("{frames} frames") };
                format!("{name}: {vertices} vertices, {triangles} triangles, {frames}{picture}")
            }
        }
    }

    /// Reads the open model again if one of its files has changed, and schedules the next check.
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
            self.add_paths(dropped.iter().map(|file| file.path()));
        }
    }

    /// Adds the models at these paths, and shows the first one in the list.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn add_paths<P: AsRef<std::path::Path>>(&mut self, paths: impl IntoIterator<Item = P>) {
        self.state.add_paths(paths);
        self.show_in_list();
    }

    /// Adds files in memory, and shows the first model in them in the list.
    pub fn add_files(&mut self, files: impl IntoIterator<Item = (String, Vec<u8>)>) {
        self.state.add_files(files);
        self.show_in_list();
    }

    /// Scrolls the list to the open model. A filter that hides it is removed.
    fn show_in_list(&mut self) {
        self.scroll_to = self.state.selected;
        let item = self.state.selected.and_then(|index| self.state.library.items().get(index));
        if item.is_some_and(|item| !list::is_shown(item, &self.filter)) {
            self.filter.clear();
        }
    }

    /// The part of the window that shows the model, in points.
    pub const fn canvas_rect(&self) -> egui::Rect {
        self.canvas
    }

    /// Whether a list is open.
    fn is_open(&self, side: Side) -> bool {
        match (self.is_narrow, side) {
            (true, side) => self.sides.narrow == Some(side),
            (false, Side::Models) => self.sides.models,
            (false, Side::Details) => self.sides.details,
        }
    }

    /// Opens a list, or closes it.
    fn toggle(&mut self, side: Side) {
        match (self.is_narrow, side) {
            (true, side) => self.sides.narrow = Some(side).filter(|side| self.sides.narrow != Some(*side)),
            (false, Side::Models) => self.sides.models = !self.sides.models,
            (false, Side::Details) => self.sides.details = !self.sides.details,
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
        if self.state.playback.playing || self.state.options.turntable {
            // Pauses, such as the time of opening a model, do not advance the playback.
            self.state.advance(f64::from(context.input(|input| input.stable_dt).min(0.1)));
            context.request_repaint();
        }

        self.take_shot(&context);
        self.is_narrow = ui.available_width() < NARROW;
        egui::Panel::top("toolbar").show(ui, |ui| self.toolbar(ui));
        egui::Panel::bottom("playback").show(ui, |ui| self.transport(ui));
        let drawer = ui.available_height() * DRAWER;
        if self.is_narrow {
            if self.is_open(Side::Models) {
                egui::Panel::bottom("models below").exact_size(drawer).show(ui, |ui| self.list(ui));
            } else if self.is_open(Side::Details) {
                egui::Panel::bottom("details below").exact_size(drawer).show(ui, |ui| self.details(ui));
            }
        } else {
            if self.is_open(Side::Models) {
                let panel = egui::Panel::left("models").resizable(true).default_size(230.0);
                panel.show(ui, |ui| self.list(ui));
            }
            if self.is_open(Side::Details) {
                let panel = egui::Panel::right("details").resizable(true).default_size(320.0);
                panel.show(ui, |ui| self.details(ui));
            }
        }
        egui::CentralPanel::no_frame().show(ui, |ui| self.canvas(ui));
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.dialog(&context);
            self.save_dialog(&context);
        }
    }
}
