//! Shows a file: `cargo run --example viewer -- model.md3`. The model rotates, and plays its clips one after the other.

mod common;

use std::path::PathBuf;

use bevy::animation::graph::AnimationNodeIndex;
use bevy::camera::primitives::Aabb;
use bevy::prelude::*;
use bevy_meshlens::{MeshlensRoot, MeshlensSourcePlugin};

/// The duration of each clip, in seconds.
const CLIP: f32 = 4.0;

#[derive(Resource)]
struct Shown(String);

fn main() -> common::Result {
    let given = std::env::args().nth(1).filter(|argument| !argument.starts_with("--"));
    let path = given.map_or_else(|| common::corpus("gallery/walker.md3"), PathBuf::from);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(".".as_ref());
    let name = path.file_name().ok_or("the path of a file")?.to_string_lossy().into_owned();
    let files = MeshlensSourcePlugin::new("file").folder(folder)?;
    common::run(files, |app| {
        app.insert_resource(Shown(name)).add_systems(Startup, spawn).add_systems(Update, (fit, turn, play));
    })
}

fn spawn(mut commands: Commands, asset_server: Res<AssetServer>, shown: Res<Shown>) {
    commands.spawn(WorldAssetRoot(asset_server.load(format!("file://{}#Scene", shown.0))));
    commands.spawn(common::camera(Vec3::new(0.65, 0.5, 1.0) * 100.0, Vec3::ZERO));
    commands.spawn(common::light());
}

/// Moves the camera so that the whole model is visible.
fn fit(new: Query<(&Aabb, &GlobalTransform), Added<Aabb>>, mut camera: Single<&mut Transform, With<Camera>>) {
    let corners = new.iter().flat_map(|(bounds, at)| {
        [bounds.min(), bounds.max()].map(|corner| at.transform_point(corner.into()))
    });
    let Some((min, max)) = corners.map(|corner| (corner, corner)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    else {
        return;
    };
    let (center, size) = ((min + max) / 2.0, min.distance(max));
    **camera = Transform::from_translation(center + Vec3::new(0.65, 0.5, 1.0).normalize() * size * 1.6)
        .looking_at(center, Vec3::Y);
}

fn turn(time: Res<Time>, mut scenes: Query<&mut Transform, With<WorldAssetRoot>>) {
    for mut transform in &mut scenes {
        transform.rotate_y(time.delta_secs() * 0.5);
    }
}

/// Plays the next clip, and shows its name in the title of the window.
fn play(
    time: Res<Time>,
    mut roots: Query<(&MeshlensRoot, &mut AnimationPlayer)>,
    mut windows: Query<&mut Window>,
    mut shown: Local<Option<usize>>,
) {
    for (root, mut player) in &mut roots {
        let Some(last) = root.clips.len().checked_sub(1) else { continue };
        let wanted = (time.elapsed_secs() / CLIP) as usize % (last + 1);
        if *shown != Some(wanted) {
            let (name, index, _) = &root.clips[wanted];
            player.stop_all().play(AnimationNodeIndex::new(*index as usize)).repeat();
            windows.iter_mut().for_each(|mut window| window.title = name.clone());
            *shown = Some(wanted);
        }
    }
}
