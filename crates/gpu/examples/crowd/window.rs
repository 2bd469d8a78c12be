//! The window of the crowd: the program's own device, whose surface the renderer draws into.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use meshlens_gpu::render::{Renderer, Target};
use meshlens_gpu::{Gpu, wgpu};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::window::{Window, WindowId};

use crate::crowd::Crowd;

/// Shows the crowd until the window is closed or `frames` pictures were drawn. `open` uploads the models.
pub(crate) fn show(
    open: impl FnOnce(&Gpu) -> Result<Crowd, Box<dyn Error>>,
    frames: Option<u64>,
) -> Result<(), Box<dyn Error>> {
    let event_loop = EventLoop::new()?;
    let mut app = App { open: Some(open), view: None, frames, error: None };
    event_loop.run_app(&mut app)?;
    if let Some(view) = &app.view {
        let seconds = view.start.elapsed().as_secs_f64();
        let pictures = view.drawn;
        println!("{pictures} pictures in {seconds:.1} s on {}", view.renderer.gpu().adapter_name());
    }
    app.error.map_or(Ok(()), Err)
}

struct App<F> {
    open: Option<F>,
    view: Option<View>,
    frames: Option<u64>,
    error: Option<Box<dyn Error>>,
}

/// The window and what is drawn in it.
struct View {
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    renderer: Renderer,
    crowd: Crowd,
    start: Instant,
    drawn: u64,
}

impl View {
    fn new(
        event_loop: &ActiveEventLoop,
        open: impl FnOnce(&Gpu) -> Result<Crowd, Box<dyn Error>>,
    ) -> Result<View, Box<dyn Error>> {
        let attributes =
            Window::default_attributes().with_title("crowd").with_inner_size(PhysicalSize::new(1280, 720));
        let window = Arc::new(event_loop.create_window(attributes)?);
        let display = Box::new(event_loop.owned_display_handle());
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_with_display_handle(display));
        let surface = instance.create_surface(window.clone())?;
        let options = wgpu::RequestAdapterOptions {
            compatible_surface: Some(&surface),
            ..wgpu::RequestAdapterOptions::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&options))?;
        let descriptor =
            wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..wgpu::DeviceDescriptor::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
        let size = window.inner_size();
        let config = surface
            .get_default_config(&adapter, size.width.max(1), size.height.max(1))
            .ok_or("the adapter cannot draw into the window")?;
        surface.configure(&device, &config);
        let gpu = Gpu::from_device(device, queue);
        let crowd = open(&gpu)?;
        let renderer = Renderer::new(&gpu).with_antialiasing();
        Ok(View { window, surface, config, renderer, crowd, start: Instant::now(), drawn: 0 })
    }

    fn resize(&mut self, size: PhysicalSize<u32>) {
        if size.width > 0 && size.height > 0 {
            (self.config.width, self.config.height) = (size.width, size.height);
            self.surface.configure(self.renderer.gpu().device(), &self.config);
        }
    }

    fn draw(&mut self) -> Result<(), Box<dyn Error>> {
        let (texture, fits) = match self.surface.get_current_texture() {
            wgpu::CurrentSurfaceTexture::Success(texture) => (texture, true),
            wgpu::CurrentSurfaceTexture::Suboptimal(texture) => (texture, false),
            wgpu::CurrentSurfaceTexture::Outdated | wgpu::CurrentSurfaceTexture::Lost => {
                self.resize(self.window.inner_size());
                return Ok(());
            }
            // The window is hidden or busy: the next frame may be drawn.
            _ => return Ok(()),
        };
        let size = [self.config.width, self.config.height];
        let view = texture.texture.create_view(&wgpu::TextureViewDescriptor::default());
        let scene = self.crowd.scene(size);
        let draws = self.crowd.draws(self.start.elapsed().as_secs_f32());
        self.renderer.render(&scene, &draws, &Target { view: &view, format: self.config.format, size })?;
        self.window.pre_present_notify();
        self.renderer.gpu().queue().present(texture);
        self.drawn += 1;
        if !fits {
            self.resize(self.window.inner_size());
        }
        Ok(())
    }
}

impl<F: FnOnce(&Gpu) -> Result<Crowd, Box<dyn Error>>> ApplicationHandler for App<F> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        let Some(open) = self.open.take() else { return };
        match View::new(event_loop, open) {
            Ok(view) => {
                view.window.request_redraw();
                self.view = Some(view);
            }
            Err(error) => {
                self.error = Some(error);
                event_loop.exit();
            }
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(view) = &mut self.view else { return };
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Resized(size) => view.resize(size),
            WindowEvent::RedrawRequested => {
                if let Err(error) = view.draw() {
                    self.error = Some(error);
                    event_loop.exit();
                } else if self.frames.is_some_and(|frames| view.drawn >= frames) {
                    event_loop.exit();
                } else {
                    view.window.request_redraw();
                }
            }
            _ => {}
        }
    }
}
