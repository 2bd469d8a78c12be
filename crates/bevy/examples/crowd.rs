//! Ten thousand animated models of ten kinds. Counts the draw calls, and the bytes that the CPU writes in each frame.
//! `--count 500` shows fewer models, and `--offscreen out.png` writes a picture without a window.

mod common;

use std::collections::HashSet;
use std::fs;

use bevy::core_pipeline::core_3d::Opaque3d;
use bevy::prelude::*;
use bevy::render::gpu_component_array_buffer::GpuComponentArray;
use bevy::render::render_phase::ViewBinnedRenderPhases;
use bevy::render::storage::{ShaderBuffer, ShaderBufferData};
use bevy::render::{Render, RenderApp, RenderSystems};
use bevy_meshlens::{GpuAnimated, MeshlensSourcePlugin, Play};

const KINDS: usize = 10;

#[derive(Resource)]
struct Count(usize);

fn main() -> common::Result {
    // Ten copies of a file, which are ten models for Bevy.
    let folder = tempfile::tempdir()?;
    fs::copy(common::corpus("gallery/walker.tga"), folder.path().join("walker.tga"))?;
    for kind in 0..KINDS {
        fs::copy(common::corpus("gallery/walker.md3"), folder.path().join(format!("{kind}.md3")))?;
    }
    let count = common::option("--count").map_or(Ok(10_000), |count| count.parse())?;
    let files = MeshlensSourcePlugin::new("file").folder(folder.path())?;
    common::run(files, |app| {
        app.insert_resource(Count(count)).add_systems(Startup, spawn).add_systems(PostUpdate, count_bytes);
        if let Some(render) = app.get_sub_app_mut(RenderApp) {
            render.add_systems(Render, count_draws.in_set(RenderSystems::Cleanup));
        }
    })
}

fn spawn(mut commands: Commands, asset_server: Res<AssetServer>, count: Res<Count>) {
    let side = (count.0 as f32).sqrt().ceil() as usize;
    for number in 0..count.0 {
        let scene = asset_server.load(format!("file://{}.md3#Scene", number % KINDS));
        let [x, z] = [number % side, number / side].map(|place| (place as f32 - side as f32 / 2.0) * 60.0);
        commands.spawn((WorldAssetRoot(scene), Play::new(["all"]), Transform::from_xyz(x, 0.0, z)));
    }
    let distance = side as f32 * 45.0;
    commands.spawn(common::camera(Vec3::new(0.0, distance * 0.7, distance), Vec3::ZERO));
    commands.spawn(common::light());
}

/// Prints the number of draw calls of opaque meshes when it changes. Each set of a phase has one mesh in this example.
fn count_draws(phases: Res<ViewBinnedRenderPhases<Opaque3d>>, mut printed: Local<usize>) {
    let draws: usize =
        phases.values().map(|phase| phase.multidrawable_meshes.len() + phase.batchable_meshes.len()).sum();
    if draws != *printed {
        println!("{draws} draws");
        *printed = draws;
    }
}

/// Prints the number of bytes that are written to a buffer in each frame when it changes.
fn count_bytes(
    instances: Option<Res<GpuComponentArray<GpuAnimated>>>,
    buffers: Res<Assets<ShaderBuffer>>,
    shown: Query<&MeshMaterial3d<bevy_meshlens::FrameMaterial>, With<GpuAnimated>>,
    mut printed: Local<u64>,
) {
    let Some(buffer) = instances.and_then(|instances| buffers.get(&instances.buffer)) else { return };
    let ShaderBufferData::Initialized { buffer_size, .. } = buffer.data else { return };
    let count = shown.iter().count();
    if buffer_size != *printed && count > 1 {
        let kinds: HashSet<_> = shown.iter().map(|material| material.id()).collect();
        let each = buffer_size as f64 / count as f64;
        println!(
            "{count} instances of {} kinds: {buffer_size} bytes in each frame, {each:.1} for each",
            kinds.len()
        );
        *printed = buffer_size;
    }
}
