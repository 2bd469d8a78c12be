//! Pictures without a window: the app renders to an image that is read back.

use bevy::app::PluginGroupBuilder;
use bevy::camera::RenderTarget;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_resource::TextureFormat;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::window::ExitCondition;
use bevy::winit::WinitPlugin;

/// The default plug-ins without a window.
pub(crate) fn plugins() -> PluginGroupBuilder {
    let window = WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() };
    // Shaders are compiled before they are first used.
    let render = RenderPlugin { synchronous_pipeline_compilation: true, ..default() };
    DefaultPlugins
        .build()
        .set(window)
        .set(render)
        .disable::<WinitPlugin>()
        .disable::<PipelinedRenderingPlugin>()
}

/// The picture that was taken.
#[derive(Resource)]
struct Taken(Image);

/// Makes the image that a camera renders to.
pub(crate) fn target(app: &mut App, width: u32, height: u32) -> Handle<Image> {
    let image = Image::new_target_texture(width, height, TextureFormat::Rgba8UnormSrgb, None);
    app.world_mut().resource_mut::<Assets<Image>>().add(image)
}

/// The component of a camera that renders to an image.
pub(crate) fn render_to(image: &Handle<Image>) -> RenderTarget {
    RenderTarget::Image(image.clone().into())
}

/// Updates the app until `is_ready`, and takes the picture of an image: red, green, blue and alpha of each pixel.
pub(crate) fn take(
    app: &mut App,
    image: &Handle<Image>,
    mut is_ready: impl FnMut(&mut App) -> bool,
) -> Vec<u8> {
    let update = |app: &mut App| {
        app.update();
        // The log contains the error.
        assert!(app.should_exit().is_none(), "rendering failed");
    };
    while !is_ready(app) {
        update(app);
    }
    // New meshes and materials reach the GPU in the next frames.
    for _ in 0..4 {
        update(app);
    }
    app.world_mut().remove_resource::<Taken>();
    let taken = |taken: On<ScreenshotCaptured>, mut commands: Commands| {
        commands.insert_resource(Taken(taken.image.clone()))
    };
    app.world_mut().spawn(Screenshot::image(image.clone())).observe(taken);
    loop {
        update(app);
        if let Some(Taken(image)) = app.world().get_resource::<Taken>() {
            return image.data.clone().unwrap_or_default();
        }
    }
}
