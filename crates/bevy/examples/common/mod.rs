//! Code that the examples share: a window, or a picture without a window.

#![allow(dead_code, reason = "no example uses all of it")]

pub(crate) mod offscreen;

use std::path::PathBuf;

use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::prelude::*;
use bevy_meshlens::{MeshlensPlugin, Ready};

pub(crate) type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A folder of the corpus of this repository.
pub(crate) fn corpus(folder: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(folder)
}

/// The value that follows an option on the command line.
pub(crate) fn option(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}

/// A camera whose tone mapping needs no textures.
pub(crate) fn camera(from: Vec3, to: Vec3) -> impl Bundle {
    (Camera3d::default(), Tonemapping::None, Transform::from_translation(from).looking_at(to, Vec3::Y))
}

/// A light from the front, from above and from the left.
pub(crate) fn light() -> impl Bundle {
    // The brightest light for white surfaces without tone mapping.
    let light = DirectionalLight { illuminance: 2_500.0, ..default() };
    (light, Transform::from_xyz(0.4, 0.8, 0.45).looking_at(Vec3::ZERO, Vec3::Y))
}

#[derive(Resource, Default)]
struct IsReady(bool);

/// Shows an app in a window. With `--offscreen`, writes a picture to this file once the scenes are spawned.
pub(crate) fn run(sources: impl Plugin, build: impl FnOnce(&mut App)) -> Result {
    let mut app = App::new();
    let Some(path) = option("--offscreen") else {
        app.add_plugins((sources, DefaultPlugins, MeshlensPlugin));
        build(&mut app);
        app.run();
        return Ok(());
    };
    app.add_plugins((sources, offscreen::plugins(), MeshlensPlugin)).init_resource::<IsReady>();
    app.add_observer(|_: On<Ready>, mut is_ready: ResMut<IsReady>| is_ready.0 = true);
    build(&mut app);
    app.finish();
    app.cleanup();
    let (width, height) = (640, 480);
    let image = offscreen::target(&mut app, width, height);
    app.update();
    let cameras: Vec<Entity> =
        app.world_mut().query_filtered::<Entity, With<Camera>>().iter(app.world()).collect();
    for camera in cameras {
        app.world_mut().entity_mut(camera).insert(offscreen::render_to(&image));
    }
    let pixels = offscreen::take(&mut app, &image, |app| app.world().resource::<IsReady>().0);
    let mut encoder = png::Encoder::new(std::fs::File::create(&path)?, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header()?.write_image_data(&pixels)?;
    println!("{path}: {width} x {height}");
    Ok(())
}
