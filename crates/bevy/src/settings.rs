//! The settings of the loader, which a `.meta` file or the caller can change for each asset.

use bevy::asset::RenderAssetUsages;
use meshlens::model::{Axis, Space, Winding};
use serde::{Deserialize, Serialize};

/// The settings of the loader.
///
/// ```no_run
/// # use bevy::prelude::*;
/// # use bevy_meshlens::{MeshlensScene, MeshlensSettings};
/// # fn load(asset_server: Res<AssetServer>) {
/// let sarge: Handle<MeshlensScene> = asset_server
///     .load_builder()
///     .with_settings(|settings: &mut MeshlensSettings| settings.skin = Some("red".into()))
///     .load("models/players/sarge.player");
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MeshlensSettings {
    /// The worlds in which meshes are kept. Meshes that the CPU animates stay in the main world.
    pub load_meshes: RenderAssetUsages,
    /// The worlds in which textures are kept. If empty, textures are not loaded, and materials only have their colors.
    pub load_materials: RenderAssetUsages,
    /// The axes of the loaded scene.
    pub axes: Axes,
    /// The factor for lengths. One unit of a Quake 3 model is about an inch, so 0.0254 results in meters.
    pub scale: f32,
    /// Whether the clips are the clips that the files name, or a single clip of all frames.
    pub clips: Clips,
    /// How vertex frames are shown.
    pub vertex_animation: VertexAnimationMode,
    /// Whether meshes that do not move are compressed, with less precision.
    pub compress: bool,
    /// The skin of an MD3 model: `red` for `lower_red.skin`. Without this setting, players have the skin `default`.
    pub skin: Option<String>,
    /// Whether coarser levels of detail are loaded.
    pub lods: bool,
    /// The password of an encrypted Ultimate 3D file.
    pub password: Option<String>,
    /// The paths of companion files, relative to the root of the asset source, for sources that cannot list a folder,
    /// such as a web server. Other sources do not need them.
    pub companions: Vec<String>,
    /// The largest number of bytes for the files of the model, and for the names in the folders that are searched. By default
    /// [`DEFAULT_MEMORY`](Self::DEFAULT_MEMORY).
    pub memory_limit: usize,
}

impl MeshlensSettings {
    /// 1 GiB.
    pub const DEFAULT_MEMORY: usize = 1 << 30;
}

impl Default for MeshlensSettings {
    fn default() -> Self {
        MeshlensSettings {
            load_meshes: RenderAssetUsages::default(),
            load_materials: RenderAssetUsages::default(),
            axes: Axes::default(),
            scale: 1.0,
            clips: Clips::default(),
            vertex_animation: VertexAnimationMode::default(),
            compress: false,
            skin: None,
            lods: true,
            password: None,
            companions: Vec::new(),
            memory_limit: MeshlensSettings::DEFAULT_MEMORY,
        }
    }
}

/// The axes of a loaded scene. Y is up, and the axes are right-handed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Axes {
    /// Models face +Z, as in glTF files.
    #[default]
    Gltf,
    /// Models face -Z, which is the forward direction of a `Transform`.
    Forward,
}

impl Axes {
    /// The space of the loaded scene.
    pub const fn space(self) -> Space {
        match self {
            Axes::Gltf => Space::GLTF,
            Axes::Forward => {
                Space { right: Axis::X, up: Axis::Y, forward: Axis::NegZ, winding: Winding::CounterClockwise }
            }
        }
    }
}

/// The clips of a loaded scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Clips {
    /// The clips that the file and its companions define.
    #[default]
    Named,
    /// One clip of all vertex frames of each node, called `frames`, at one frame per second, so that times equal frame
    /// numbers.
    Frames,
}

/// How the vertex frames of a mesh are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum VertexAnimationMode {
    /// By the vertex shader if the device has storage buffers, otherwise by the CPU.
    #[default]
    Auto,
    /// By the CPU, which writes the mesh of each entity that changes.
    Cpu,
    /// As morph targets, one for each frame. Meshes with more than 256 frames cannot be loaded.
    Morph,
    /// Not animated: meshes show their first frame.
    Still,
}
