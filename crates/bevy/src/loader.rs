//! The asset loaders: model files, and players.

use std::str;

use bevy::asset::io::{ErasedAssetReader, Reader};
use bevy::asset::{AssetLoader, AssetServer, LoadContext};
use bevy::ecs::world::{FromWorld, World};
use bevy::reflect::TypePath;
use bevy::render::renderer::RenderDevice;
use meshlens_assets::{AssetPath, Assets};

use crate::error::log;
use crate::files::SourceFiles;
use crate::limits::DeviceLimits;
use crate::parts::options;
use crate::{LoadError, MeshlensModel, MeshlensParts, MeshlensScene, MeshlensSettings};

/// The extensions of model files.
pub(crate) const EXTENSIONS: &[&str] = &["md3", "MD3", "3d", "3D", "u3d", "U3D", "mesh", "MESH"];

/// The extension of players.
pub(crate) const PLAYER_EXTENSIONS: &[&str] = &["player"];

/// Loads model files: MD3, Unreal meshes, Ultimate 3D and UNIGINE.
#[derive(TypePath)]
pub struct MeshlensLoader(Context);

/// Loads Quake 3 players: `models/players/sarge.player` is the player in the folder `models/players/sarge`.
///
/// The file is text. If it is not empty, its first line is the path of the folder, relative to the file's folder. The asset
/// sources of [`MeshlensSourcePlugin`](crate::MeshlensSourcePlugin) have such a file for every folder of a player.
#[derive(TypePath)]
pub struct PlayerLoader(Context);

/// The properties of the app that a loader needs.
struct Context {
    server: AssetServer,
    limits: DeviceLimits,
}

impl FromWorld for Context {
    fn from_world(world: &mut World) -> Self {
        let limits = DeviceLimits::of(world.get_resource::<RenderDevice>());
        Context { server: world.resource::<AssetServer>().clone(), limits }
    }
}

impl FromWorld for MeshlensLoader {
    fn from_world(world: &mut World) -> Self {
        MeshlensLoader(Context::from_world(world))
    }
}

impl FromWorld for PlayerLoader {
    fn from_world(world: &mut World) -> Self {
        PlayerLoader(Context::from_world(world))
    }
}

impl AssetLoader for MeshlensLoader {
    type Asset = MeshlensScene;
    type Settings = MeshlensSettings;
    type Error = LoadError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        settings: &MeshlensSettings,
        context: &mut LoadContext<'_>,
    ) -> Result<MeshlensScene, LoadError> {
        let (path, bytes) = (path_of(context)?, read(reader, context).await?);
        let files = SourceFiles::default();
        files.add(&path, bytes.into());
        load(&self.0, files, path.as_str(), settings, context).await
    }

    fn extensions(&self) -> &[&str] {
        EXTENSIONS
    }
}

impl AssetLoader for PlayerLoader {
    type Asset = MeshlensScene;
    type Settings = MeshlensSettings;
    type Error = LoadError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        settings: &MeshlensSettings,
        context: &mut LoadContext<'_>,
    ) -> Result<MeshlensScene, LoadError> {
        let (path, bytes) = (path_of(context)?, read(reader, context).await?);
        let named = str::from_utf8(&bytes).unwrap_or_default().lines().next().unwrap_or_default().trim();
        let named = if named.is_empty() { path.stem() } else { named };
        let refused = |refused| LoadError::Path { path: path.to_string(), refused: Box::new(refused) };
        let folder = meshlens_assets::resolve(&path.folder(), named).map_err(refused)?;
        load(&self.0, SourceFiles::default(), folder.as_str(), settings, context).await
    }

    fn extensions(&self) -> &[&str] {
        PLAYER_EXTENSIONS
    }
}

/// The path of the asset in its source.
fn path_of(context: &LoadContext<'_>) -> Result<AssetPath, LoadError> {
    let path = context.path().path().to_string_lossy();
    AssetPath::new(&path)
        .map_err(|refused| LoadError::Path { path: path.into_owned(), refused: Box::new(refused) })
}

async fn read(reader: &mut dyn Reader, context: &LoadContext<'_>) -> Result<Vec<u8>, LoadError> {
    let mut bytes = Vec::new();
    let read = reader.read_to_end(&mut bytes).await;
    read.map_err(|error| LoadError::Read { path: context.path().to_string(), error })?;
    Ok(bytes)
}

/// Opens a model and its companions, and makes labelled assets from them.
async fn load(
    Context { server, limits }: &Context,
    files: SourceFiles,
    name: &str,
    settings: &MeshlensSettings,
    context: &mut LoadContext<'_>,
) -> Result<MeshlensScene, LoadError> {
    let source = server.get_source(context.path().source())?;
    let reader: &dyn ErasedAssetReader = source.reader();
    let options = options(settings);
    let open = |assets: &Assets| {
        let opened = assets.open_with(name, &options)?;
        if !settings.load_materials.is_empty() {
            // Requests the textures. Their errors are reported when the materials are made.
            for (node, of) in opened.scene().nodes.iter().enumerate() {
                let assets = opened.node_assets(node).unwrap_or(assets);
                for material in &of.model.materials {
                    let height_map = material.height_map.as_ref().map(|map| map.material());
                    for material in [Some(material), height_map.as_ref()].into_iter().flatten() {
                        let texture = assets.find_texture(material);
                        let _ = texture.map(|texture| assets.read_range(&texture, 0..0));
                    }
                }
            }
        }
        Ok::<_, LoadError>(opened)
    };
    let opened = files.settle(reader, context, settings, open).await??;
    for finding in opened.findings().findings() {
        bevy::log::debug!("{}: {finding}", context.path());
    }
    let parts = MeshlensParts::within(MeshlensModel::new(opened, settings), limits);
    log(&context.path().to_string(), &parts.problems);
    Ok(MeshlensScene::new(parts, context))
}
