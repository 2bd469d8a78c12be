//! A running player: legs, torso and head, joined at their tags. `--offscreen out.png` writes a picture without a
//! window.

mod common;

use bevy::prelude::*;
use bevy_meshlens::{MeshlensSourcePlugin, Play};

fn main() -> common::Result {
    let game = MeshlensSourcePlugin::new("game").folder(common::corpus("md3"))?;
    common::run(game, |app| {
        app.add_systems(Startup, spawn);
    })
}

fn spawn(mut commands: Commands, asset_server: Res<AssetServer>) {
    let player = asset_server.load("game://player.player#Scene");
    commands.spawn((WorldAssetRoot(player), Play::new(["LEGS_RUN", "TORSO_STAND"])));
    commands.spawn(common::camera(Vec3::new(26.0, 14.0, 46.0), Vec3::new(2.0, -4.0, 0.0)));
    commands.spawn(common::light());
}
