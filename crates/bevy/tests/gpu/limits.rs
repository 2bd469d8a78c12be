//! Devices with low limits: no storage buffers, and small buffers and textures.

use std::fs;

use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::prelude::*;
use bevy::render::settings::{WgpuLimits, WgpuSettings, WgpuSettingsPriority};
use bevy_meshlens::meshlens::md3::write::{Frame, Model, Surface};
use bevy_meshlens::{
    CpuAnimated, FrameBlend, GpuAnimated, MeshlensScene, MeshlensSubmesh, VertexAnimationMode, VertexFrames,
};

use crate::kept::{errors, keep};
use crate::{FILES, app, has_driver, offscreen, opened, options, overlap, picture_on};

#[test]
fn without_storage_buffers_the_cpu_shows_the_frames() {
    if !has_driver() {
        return;
    }
    for (file, frame) in FILES {
        let device = WgpuSettings {
            priority: WgpuSettingsPriority::WebGL2,
            limits: WgpuLimits::downlevel_webgl2_defaults(),
            ..default()
        };
        let (shown, on_gpu) = picture_on(file, frame, VertexAnimationMode::Auto, device);
        assert!(!on_gpu, "{file}");
        let thumb = meshlens_thumb::picture(opened(file).scene(), &options(frame)).expect("a picture");
        let overlap = overlap(&shown, &thumb.rgba);
        println!("{file}: {overlap:.3}");
        assert!(overlap > 0.95, "{file}: {overlap}");
    }
}

/// A surface with a strip of triangles. Its vertices move up by one unit per frame.
fn strip(name: &str, vertices: usize, frames: usize) -> Surface {
    let mut surface = Surface::new(name).expect("a name");
    surface.add_shader("large").expect("a name");
    surface.triangles.extend((2..vertices as u32).map(|vertex| [vertex - 2, vertex - 1, vertex]));
    surface.texcoords.resize(vertices, [0.5; 2]);
    for frame in 0..frames {
        let place =
            |vertex: usize| [0.0, (vertex % 2) as f32 * 16.0 - 8.0, frame as f32 + (vertex / 2 % 16) as f32];
        let positions: Vec<[f32; 3]> = (0..vertices).map(place).collect();
        surface.add_frame(&positions, &vec![[1.0, 0.0, 0.0]; vertices]).expect("a frame");
    }
    surface
}

/// A TGA file with this width and height.
fn tga(side: u16) -> Vec<u8> {
    let mut bytes = vec![0; 18 + 3 * usize::from(side) * usize::from(side)];
    (bytes[2], bytes[16]) = (2, 24);
    bytes[12..14].copy_from_slice(&side.to_le_bytes());
    bytes[14..16].copy_from_slice(&side.to_le_bytes());
    bytes
}

#[test]
fn meshes_that_exceed_device_limits_are_logged_and_others_shown() {
    if !has_driver() {
        return;
    }
    keep();
    let folder = tempfile::tempdir().expect("a folder");
    let mut file = Model::new("large").expect("a name");
    file.frames.resize(20, Frame::named("frame").expect("a name"));
    // 80,000 vertices of 32 bytes; 15,000 vertices of 8 bytes in each of 20 frames; and 4 vertices.
    file.surfaces = vec![strip("huge", 80_000, 20), strip("long", 15_000, 20), strip("small", 4, 20)];
    fs::write(folder.path().join("large.md3"), file.write().expect("a file")).expect("a file");
    fs::write(folder.path().join("large.tga"), tga(1025)).expect("a file");
    let limits = WgpuLimits {
        max_buffer_size: 2 << 20,
        max_storage_buffer_binding_size: 2 << 20,
        max_texture_dimension_2d: 1024,
        ..WgpuLimits::unlimited()
    };
    let device = WgpuSettings { constrained_limits: Some(limits), ..default() };
    let mut app = app(folder.path(), device);
    let image = offscreen::target(&mut app, 64, 64);
    app.world_mut().spawn((
        Camera3d::default(),
        Tonemapping::None,
        Transform::from_xyz(60.0, 10.0, 0.0).looking_at(Vec3::ZERO, Vec3::Y),
        offscreen::render_to(&image),
    ));
    let server = app.world().resource::<AssetServer>().clone();
    let handle: Handle<MeshlensScene> = server.load("large.md3");
    let mut nodes = app.world_mut().query::<&mut VertexFrames>();
    let mut is_spawned = false;
    offscreen::take(&mut app, &image, |app| {
        let scene = app.world().resource::<Assets<MeshlensScene>>().get(&handle).map(|of| of.scene.clone());
        if let Some(scene) = scene.filter(|_| !std::mem::replace(&mut is_spawned, true)) {
            app.world_mut().spawn(WorldAssetRoot(scene));
        }
        let mut frames = nodes.iter_mut(app.world_mut());
        frames.next().map(|mut frames| frames.shown = FrameBlend { a: 3, b: 3, weight: 0.0 }).is_some()
    });
    assert_eq!(app.should_exit(), None, "{:?}", errors(""));
    let scene = app.world().resource::<Assets<MeshlensScene>>().get(&handle).expect("a scene");
    let problems = scene.problems.join("\n");
    assert_eq!(scene.meshes.len(), 2, "{problems}");
    assert!(
        problems.contains("2560000 bytes of vertices, but 2097152 are the most that can be shown"),
        "{problems}"
    );
    assert!(problems.contains("large.tga") && problems.contains("save the image again"), "{problems}");
    let logged = errors("bytes of vertex frames");
    let [error] = &*logged else { panic!("{logged:?}") };
    assert!(
        error.starts_with("large.md3: a mesh at 0x") && error.contains("the CPU shows its frames"),
        "{error}"
    );
    let mut shown = app.world_mut().query::<(&MeshlensSubmesh, Has<GpuAnimated>, Has<CpuAnimated>)>();
    let mut shown: Vec<_> = shown.iter(app.world()).map(|(of, gpu, cpu)| (of.mesh, gpu, cpu)).collect();
    shown.sort();
    assert_eq!(shown, [(1, false, true), (2, true, false)]);
}
