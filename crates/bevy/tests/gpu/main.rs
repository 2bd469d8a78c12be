//! Vertex frames that are decoded by the GPU, with a Vulkan driver. Mesa's lavapipe works without a GPU.

#[path = "../../examples/common/offscreen.rs"]
mod offscreen;

#[path = "../suite/kept.rs"]
mod kept;

mod limits;

use std::path::{Path, PathBuf};

use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::settings::WgpuSettings;
use bevy_meshlens::{
    FrameBlend, GpuAnimated, MeshlensLabel, MeshlensPlugin, MeshlensSettings, VertexAnimationMode,
    VertexFrames,
};
use meshlens_thumb::{Background, Frames, Options};

const SIZE: u32 = 128;

fn workspace() -> PathBuf {
    let this = Path::new(env!("CARGO_MANIFEST_DIR"));
    this.ancestors().nth(2).expect("this crate lies two folders below the workspace").to_owned()
}

/// Whether there is a driver. Without a driver, these tests are skipped.
fn has_driver() -> bool {
    let has = std::fs::read_dir("/usr/share/vulkan/icd.d").is_ok_and(|mut drivers| drivers.next().is_some());
    if !has {
        println!("skipped: there is no Vulkan driver");
    }
    has
}

/// An app that renders on a device with these settings. Its assets are the files below a folder.
fn app(folder: &Path, device: WgpuSettings) -> App {
    let mut app = App::new();
    let assets = AssetPlugin { file_path: folder.display().to_string(), ..default() };
    let render =
        RenderPlugin { render_creation: device.into(), synchronous_pipeline_compilation: true, ..default() };
    app.add_plugins((offscreen::plugins().set(assets).set(render).disable::<LogPlugin>(), MeshlensPlugin));
    app.finish();
    app.cleanup();
    app
}

/// The picture of a file of the corpus at one frame, and whether the GPU decoded it.
fn picture(file: &'static str, frame: u32, mode: VertexAnimationMode) -> (Vec<u8>, bool) {
    picture_on(file, frame, mode, WgpuSettings::default())
}

/// Like [`picture`], on a device with these settings.
fn picture_on(
    file: &'static str,
    frame: u32,
    mode: VertexAnimationMode,
    device: WgpuSettings,
) -> (Vec<u8>, bool) {
    let mut app = app(&workspace().join("corpus"), device);
    let image = offscreen::target(&mut app, SIZE, SIZE);
    let (transform, projection) = camera(file, frame);
    let camera = Camera { clear_color: ClearColorConfig::Custom(Color::NONE), ..default() };
    // Other tone mappings need textures, for which Bevy needs a feature.
    app.world_mut().spawn((
        Camera3d::default(),
        Tonemapping::None,
        camera,
        transform,
        projection,
        offscreen::render_to(&image),
    ));
    app.world_mut().spawn((
        DirectionalLight { illuminance: 2_000.0, ..default() },
        Transform::from_xyz(0.4, 0.8, 0.45).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    let server = app.world().resource::<AssetServer>();
    let builder = server.load_builder();
    let scene =
        builder.with_settings(move |settings: &mut MeshlensSettings| settings.vertex_animation = mode);
    let scene = scene.load(MeshlensLabel::Scene.from_asset(file));
    let root = app.world_mut().spawn(WorldAssetRoot(scene)).id();
    let mut nodes = app.world_mut().query::<&mut VertexFrames>();
    let picture = offscreen::take(&mut app, &image, |app| {
        let mut found = false;
        for mut frames in nodes.iter_mut(app.world_mut()) {
            frames.shown = FrameBlend { a: frame, b: frame, weight: 0.0 };
            found = true;
        }
        found && app.world().get::<Children>(root).is_some()
    });
    let on_gpu = app.world_mut().query::<&GpuAnimated>().iter(app.world()).count() > 0;
    (picture, on_gpu)
}

fn options(frame: u32) -> Options<'static> {
    let frames = Frames::One(frame as usize);
    Options { size: SIZE, frames, background: Background::Transparent, ..Options::default() }
}

fn opened(file: &str) -> meshlens_assets::Asset {
    meshlens_assets::Assets::new().open_path(workspace().join("corpus").join(file)).expect("a model")
}

/// The camera of `meshlens-thumb`.
fn camera(file: &str, frame: u32) -> (Transform, Projection) {
    let camera = meshlens_thumb::camera(opened(file).scene(), &options(frame)).expect("a camera");
    let vector = |axes: [f64; 3]| Vec3::from(axes.map(|axis| axis as f32));
    let (eye, target) = (vector(camera.eye), vector(camera.target));
    let fov = 2.0 * (camera.half_height as f32 / eye.distance(target)).atan();
    let [near, far] = [camera.depth[0] as f32 * 0.5, camera.depth[1] as f32 * 2.0];
    let projection = PerspectiveProjection { fov, near, far, ..default() };
    (
        Transform::from_translation(eye).looking_at(target, vector(camera.up)),
        Projection::Perspective(projection),
    )
}

/// The number of pixels that both pictures cover, divided by the number that at least one picture covers.
fn overlap(a: &[u8], b: &[u8]) -> f64 {
    let covers = |picture: &[u8]| picture.chunks_exact(4).map(|pixel| pixel[3] >= 128).collect::<Vec<_>>();
    let (a, b) = (covers(a), covers(b));
    let both = a.iter().zip(&b).filter(|(a, b)| **a && **b).count();
    let any = a.iter().zip(&b).filter(|(a, b)| **a || **b).count();
    both as f64 / any.max(1) as f64
}

const FILES: [(&str, u32); 5] = [
    ("md3/player/lower.md3", 1),
    ("gallery/flag.md3", 5),
    ("gallery/flag_d.3d", 5),
    ("gallery/flag.u3d", 5),
    ("gallery/flag.mesh", 5),
];

#[test]
fn the_gpu_shows_the_same_pose_as_thumb() {
    if !has_driver() {
        return;
    }
    for (file, frame) in FILES {
        let (shown, on_gpu) = picture(file, frame, VertexAnimationMode::Auto);
        let thumb = meshlens_thumb::picture(opened(file).scene(), &options(frame)).expect("a picture");
        if let Some(folder) = std::env::var_os("MESHLENS_PICTURES") {
            let name = file.replace('/', "_");
            let of = meshlens_thumb::Picture { width: SIZE, height: SIZE, rgba: shown.clone() };
            std::fs::write(Path::new(&folder).join(format!("{name}.png")), of.to_png().expect("a file"))
                .expect("a file");
            std::fs::write(
                Path::new(&folder).join(format!("{name}.thumb.png")),
                thumb.to_png().expect("a file"),
            )
            .expect("a file");
        }
        let overlap = overlap(&shown, &thumb.rgba);
        println!("{file}: {overlap:.3}, on the GPU: {on_gpu}");
        assert!(overlap > 0.95, "{file}: {overlap}");
        let moves = opened(file).model().frame_count() > 1;
        assert_eq!(on_gpu, moves, "{file}");
    }
}

#[test]
fn the_gpu_and_the_cpu_show_the_same_light() {
    if !has_driver() {
        return;
    }
    for (file, frame) in FILES {
        let (gpu, _) = picture(file, frame, VertexAnimationMode::Auto);
        let (cpu, on_gpu) = picture(file, frame, VertexAnimationMode::Cpu);
        assert!(!on_gpu, "{file}");
        let differ = gpu
            .chunks_exact(4)
            .zip(cpu.chunks_exact(4))
            .filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 16));
        let differ = differ.count();
        println!("{file}: {differ} pixels differ");
        assert!(differ < (SIZE * SIZE / 100) as usize, "{file}: {differ} pixels differ");
    }
}
