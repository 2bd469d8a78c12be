//! The GPU side of the viewer: the uploaded model, and the texture that it is drawn into.

use std::sync::{Arc, Mutex, PoisonError};

use eframe::egui_wgpu::RenderState;
use eframe::{egui, egui_wgpu::wgpu};
use meshlens::scene::Scene;
use meshlens_gpu::render::{GpuScene, Image, Instance, RenderOptions, Renderer, Target, Textures};
use meshlens_gpu::{Error, Gpu, UploadOptions};

use meshlens_viewer::clock::Instant;
use meshlens_viewer::pictures::surface_color;
use meshlens_viewer::text;
use meshlens_viewer::tone::{Background, Samples, Tone};
use meshlens_viewer::{Look, State, UpAxis};

/// The format of the picture, which `egui` samples.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// The state that decides what is uploaded.
type Key = (u64, usize, UpAxis, bool, bool);

/// The light and the background without a model.
const NO_TONE: Tone = Tone { fill: 0.0, background: Background::Auto };

/// The texture of the picture.
#[derive(Debug)]
struct Picture {
    view: wgpu::TextureView,
    size: [u32; 2],
    id: egui::TextureId,
}

/// The content of the picture.
#[derive(Clone, Debug, PartialEq)]
struct PictureContent {
    key: Key,
    options: RenderOptions,
    size: [u32; 2],
    instances: Vec<Instance>,
}

/// The name of a material, and the size of its texture or the reason why it has none.
type TextureRow = (String, Result<[u32; 2], String>);

/// The uploaded model, and the texture that it is drawn into.
pub(super) struct Viewport {
    render: RenderState,
    gpu: Gpu,
    renderer: Renderer,
    adapter: String,
    picture: Option<Picture>,
    key: Option<Key>,
    uploaded: Option<GpuScene>,
    textures: Vec<TextureRow>,
    /// The light and the background of the uploaded model.
    tone: Tone,
    shown: Option<PictureContent>,
    error: Option<String>,
    /// The error that the device has reported.
    fault: Arc<Mutex<Option<String>>>,
    upload_seconds: f64,
}

impl core::fmt::Debug for Viewport {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Viewport")
            .field("adapter", &self.adapter)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

impl Viewport {
    pub(super) fn new(render: &RenderState) -> Viewport {
        let gpu = Gpu::from_device(render.device.clone(), render.queue.clone());
        let fault = Arc::new(Mutex::new(None));
        let reported = Arc::clone(&fault);
        // Without a handler, wgpu panics.
        gpu.device().on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let mut reported = reported.lock().unwrap_or_else(PoisonError::into_inner);
            reported.get_or_insert_with(|| text::line(&error.to_string()));
        }));
        Viewport {
            renderer: Renderer::new(&gpu).with_antialiasing(),
            adapter: text::line(&gpu.adapter_name()),
            render: render.clone(),
            gpu,
            picture: None,
            key: None,
            uploaded: None,
            textures: Vec::new(),
            tone: NO_TONE,
            shown: None,
            error: None,
            fault,
            upload_seconds: 0.0,
        }
    }

    /// The bytes of the model in GPU memory, without textures.
    pub(super) fn memory(&self) -> u64 {
        self.uploaded.iter().flat_map(GpuScene::models).map(|model| model.memory().total).sum()
    }

    /// The textures of the model.
    pub(super) fn textures(&self) -> &[TextureRow] {
        &self.textures
    }

    /// The name of the GPU.
    pub(super) fn adapter(&self) -> &str {
        &self.adapter
    }

    /// The time of the last upload.
    pub(super) fn upload_seconds(&self) -> f64 {
        self.upload_seconds
    }

    /// Waits until the GPU has drawn the picture. Browsers do not wait.
    pub(super) fn wait(&self) {
        // An error of the device is the reason for a missing picture.
        _ = self.gpu.wait();
    }

    /// The reason why the model is not drawn.
    pub(super) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Whether the picture shows the open model, or cannot show it.
    pub(super) fn is_settled(&self, state: &State) -> bool {
        state.model().is_none()
            || self.error.is_some()
            || self.shown.as_ref().is_some_and(|shown| shown.key == key(state))
    }

    /// Whether the model is hardly visible on a light background.
    pub(super) fn needs_dark(&self) -> bool {
        self.tone.background == Background::Dark
    }

    /// Uploads the open model, if it has changed. An error is reported with the next picture.
    pub(super) fn prepare(&mut self, state: &State) {
        let key = key(state);
        if self.key != Some(key)
            && let Some(scene) = state.scene()
        {
            self.upload(state, &scene, key);
        }
    }

    /// Draws the open model, if anything has changed. Returns the texture of the picture.
    pub(super) fn draw(
        &mut self,
        state: &State,
        options: &RenderOptions,
        size: [u32; 2],
    ) -> Result<egui::TextureId, String> {
        let drawn = self.try_draw(state, options, size);
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner).take();
        let drawn = fault.map_or(drawn, |fault| {
            self.uploaded = None;
            Err(fault)
        });
        self.error = drawn.as_ref().err().cloned();
        drawn
    }

    fn try_draw(
        &mut self,
        state: &State,
        options: &RenderOptions,
        size: [u32; 2],
    ) -> Result<egui::TextureId, String> {
        let Some(scene) = state.scene() else { return Err("no model is open".into()) };
        let key = key(state);
        self.prepare(state);
        let Some(uploaded) = &self.uploaded else { return Err(self.error.clone().unwrap_or_default()) };
        let instances = uploaded.instances(&state.view(&scene), &state.pose(&scene));
        let limit = self.gpu.limits().texture_size.max(1);
        let size = size.map(|side| side.clamp(1, limit));
        let options = RenderOptions { fill: self.tone.fill, ..*options };
        let shown = PictureContent { key, options, size, instances };
        let picture = self.picture(size);
        if self.shown.as_ref() != Some(&shown)
            && let (Some(uploaded), Some(picture)) = (&self.uploaded, &self.picture)
        {
            let target = Target { view: &picture.view, format: FORMAT, size };
            let draws = uploaded.draws(&shown.instances);
            self.renderer
                .render(&options, &draws, &target)
                .map_err(|error| text::line(&error.to_string()))?;
            self.shown = Some(shown);
        }
        Ok(picture)
    }

    /// Makes the texture of the picture.
    fn picture(&mut self, size: [u32; 2]) -> egui::TextureId {
        if let Some(picture) = self.picture.as_ref().filter(|picture| picture.size == size) {
            return picture.id;
        }
        let texture = self.gpu.device().create_texture(&wgpu::TextureDescriptor {
            label: Some("model"),
            size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut renderer = self.render.renderer.write();
        if let Some(old) = self.picture.take() {
            renderer.free_texture(&old.id);
        }
        let id = renderer.register_native_texture(self.gpu.device(), &view, wgpu::FilterMode::Linear);
        drop(renderer);
        self.shown = None;
        self.picture = Some(Picture { view, size, id });
        id
    }

    fn upload(&mut self, state: &State, scene: &Scene<'_>, key: Key) {
        self.key = Some(key);
        self.uploaded = None;
        self.textures.clear();
        self.tone = NO_TONE;
        self.shown = None;
        let start = Instant::now();
        let options = UploadOptions { wires: needs_edges(state), ..UploadOptions::default() };
        let (gpu, rows, mut samples) = (&self.gpu, &mut self.textures, Samples::default());
        let uploaded = GpuScene::new(gpu, &state.view(scene), &options, |node, model| {
            let count = model.materials().len();
            // The same color as in the pictures of the list.
            let color = |index| match index < count {
                true => surface_color(index).map(|channel| (channel * 255.0).round() as u8),
                false => [255; 3],
            };
            let load = |material: &meshlens::model::Material| {
                let found = state.texture(node, material, gpu.limits().texture_size);
                let name = material.texture.as_deref().unwrap_or(&material.name);
                // The color for parts without a material is not listed.
                if !material.name.is_empty() || material.texture.is_some() {
                    let size = found.as_ref().map(|image| [image.width, image.height]);
                    rows.push((text::line(name), size.map_err(Clone::clone)));
                }
                let image = found.ok().filter(|_| state.options.textures)?;
                samples.add(material, &image);
                Some(Image { width: image.width, height: image.height, pixels: image.rgba })
            };
            Textures::with_colors(gpu, model, load, color)
        });
        let uploaded = uploaded.map_err(|error: Error| text::line(&error.to_string()));
        self.error = uploaded.as_ref().err().cloned();
        if uploaded.is_ok() {
            self.tone = samples.tone(scene);
        }
        self.uploaded = uploaded.ok();
        self.upload_seconds = start.elapsed().as_secs_f64();
    }
}

/// The state that decides what is uploaded.
fn key(state: &State) -> Key {
    let options = &state.options;
    (state.generation, options.level, options.up, needs_edges(state), options.textures)
}

/// Whether edges are drawn. Otherwise, they are not uploaded to video memory.
fn needs_edges(state: &State) -> bool {
    state.options.edges || state.options.look == Look::Wires
}
