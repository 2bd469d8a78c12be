//! Game models in [Bevy](https://bevy.org): MD3, Unreal, Ultimate 3D and UNIGINE files as assets.
//!
//! ```no_run
//! use bevy::prelude::*;
//! use bevy_meshlens::{MeshlensPlugin, Play};
//!
//! fn main() {
//!     App::new().add_plugins((DefaultPlugins, MeshlensPlugin)).add_systems(Startup, spawn).run();
//! }
//!
//! fn spawn(mut commands: Commands, asset_server: Res<AssetServer>) {
//!     let sarge = asset_server.load("models/players/sarge.player#Scene");
//!     commands.spawn((WorldAssetRoot(sarge), Play::new(["LEGS_RUN", "TORSO_STAND"])));
//! }
//! ```
//!
//! A file is a [`MeshlensScene`]. Its parts have [labels](MeshlensLabel): meshes, materials, textures, skeletons, clips and
//! tags. Companion files (skins, `animation.cfg`, the second file of an Unreal mesh, scripts, textures) are found in the
//! same asset source. [`MeshlensSettings`] change how a file is loaded.
//!
//! # Animation
//!
//! Every clip is an `AnimationClip` for the `AnimationPlayer` of the scene's root entity. Clips of joints move the
//! entities of a skeleton; clips of vertex frames change the component [`VertexFrames`] of a node. Tags are entities
//! that follow the frames, and attached entities are their children: a weapon for the entity `tag_weapon`.

mod animation;
mod components;
mod error;
mod files;
mod follow;
mod gpu;
mod label;
mod limits;
mod loader;
mod model;
mod parts;
mod play;
mod scene;
mod settings;
mod source;
mod streaming;
mod template;

use bevy::app::{AnimationSystems, App, Plugin, PostUpdate};
use bevy::asset::AssetApp;
use bevy::ecs::schedule::{IntoScheduleConfigs, SystemSet};
use bevy::render::RenderApp;
use bevy::transform::TransformSystems;

pub use animation::{FrameBlend, FrameCurve, VertexFrames};
pub use components::{MeshlensClip, MeshlensNode, MeshlensRoot, MeshlensSubmesh, MeshlensTag};
pub use error::LoadError;
pub use follow::CpuAnimated;
pub use gpu::{FrameExtension, FrameKey, FrameMaterial, GpuAnimated};
pub use label::MeshlensLabel;
pub use loader::{MeshlensLoader, PlayerLoader};
pub use meshlens;
pub use meshlens_assets;
pub use meshlens_stream;
pub use model::MeshlensModel;
pub use parts::{ClipPart, MaterialPart, MeshPart, MeshlensParts, MeshlensSkeleton, load_scene, target};
pub use play::{Play, Ready};
pub use scene::{MeshlensMesh, MeshlensScene};
pub use settings::{Axes, Clips, MeshlensSettings, VertexAnimationMode};
pub use source::MeshlensSourcePlugin;
pub use streaming::{
    MeshStreamer, StreamHandle, Streamed, StreamedBounds, StreamingDiagnostics, StreamingOptions,
    StreamingPlugin,
};

/// Loads models and shows their animations. Add it after `DefaultPlugins`.
pub struct MeshlensPlugin;

/// The systems that follow the frames of nodes, in `PostUpdate`, after clips and before transforms are propagated.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MeshlensSystems;

impl Plugin for MeshlensPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<follow::Kept>()
            .init_asset::<MeshlensScene>()
            .init_asset::<MeshlensModel>()
            .init_asset::<MeshlensSkeleton>()
            .init_asset::<MeshlensTag>()
            .register_type::<MeshlensRoot>()
            .register_type::<MeshlensNode>()
            .register_type::<MeshlensSubmesh>()
            .register_type::<MeshlensTag>()
            .register_type::<VertexFrames>()
            // Assets can be loaded before the loaders exist.
            .preregister_asset_loader::<MeshlensLoader>(loader::EXTENSIONS)
            .preregister_asset_loader::<PlayerLoader>(loader::PLAYER_EXTENSIONS)
            .add_observer(play::on_spawned)
            .add_systems(
                PostUpdate,
                (follow::forget_outdated, (follow::follow_tags, follow::follow_morphs, follow::write_meshes))
                    .chain()
                    .in_set(MeshlensSystems)
                    .after(AnimationSystems)
                    .before(TransformSystems::Propagate),
            );
        if app.get_sub_app(RenderApp).is_some() {
            app.add_plugins(gpu::GpuAnimationPlugin);
        }
    }

    fn finish(&self, app: &mut App) {
        app.init_asset_loader::<MeshlensLoader>().init_asset_loader::<PlayerLoader>();
    }
}
