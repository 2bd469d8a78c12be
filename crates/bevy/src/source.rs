//! Asset sources of archives and folders, such as `pk3://`.

use std::io;
use std::ops::Range;
use std::path::Path;

use bevy::app::{App, Plugin};
use bevy::asset::AssetApp;
use bevy::asset::io::{AssetReader, AssetReaderError, AssetSourceBuilder, PathStream, Reader, VecReader};
use bevy::tasks::futures_lite::stream;
use bytes::Bytes;
use meshlens_assets::{AssetPath, Assets, Entry, FilePart, FileSystem, Located, ModelFiles};
use meshlens_source::{Folder, Source};

/// Adds an asset source, which is a search path of PK3 archives, zip archives and folders. Add it before
/// `DefaultPlugins`.
///
/// Names are case-insensitive, and archives that are added later replace files of earlier archives, as in Quake 3.
/// Every folder of a player has a file `FOLDER.player`: one that has two of `lower.md3`, `upper.md3` and `animation.cfg`.
///
/// ```no_run
/// use bevy::prelude::*;
/// use bevy_meshlens::{MeshlensPlugin, MeshlensSourcePlugin};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let pk3 = MeshlensSourcePlugin::new("pk3").archive("baseq3/pak0.pk3")?.archive("baseq3/pak1.pk3")?;
/// App::new().add_plugins((pk3, DefaultPlugins, MeshlensPlugin)).run();
/// // asset_server.load("pk3://models/players/sarge.player#Scene")
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct MeshlensSourcePlugin {
    name: String,
    assets: Assets,
}

impl MeshlensSourcePlugin {
    /// A source without files, whose paths start with `name://`.
    pub fn new(name: impl Into<String>) -> Self {
        MeshlensSourcePlugin { name: name.into(), assets: Assets::new() }
    }

    /// Adds a PK3 or zip archive.
    ///
    /// # Errors
    ///
    /// The file cannot be read or is not an archive.
    pub fn archive(mut self, path: impl AsRef<Path>) -> meshlens_assets::Result<Self> {
        self.assets.mount_archive(path)?;
        Ok(self)
    }

    /// Adds a folder. Files outside it are never read, even through links.
    ///
    /// # Errors
    ///
    /// The path is not a folder.
    pub fn folder(mut self, path: impl AsRef<Path>) -> meshlens_assets::Result<Self> {
        self.assets.mount_folder(path)?;
        Ok(self)
    }

    /// Adds a folder whose files are mapped into memory. A [streamer](crate::StreamingPlugin) then reads ranges of them
    /// without a copy.
    ///
    /// # Errors
    ///
    /// The path is not a folder.
    ///
    /// # Safety
    ///
    /// Nobody changes or truncates a file in the folder while the program runs.
    pub unsafe fn mapped_folder(mut self, path: impl AsRef<Path>) -> meshlens_assets::Result<Self> {
        let name = path.as_ref().display().to_string();
        self.assets.mount(&name, MappedFolder(Folder::open(path)?));
        Ok(self)
    }

    /// The search path, for a [streamer](crate::StreamingPlugin).
    pub fn assets(&self) -> &Assets {
        &self.assets
    }
}

impl Plugin for MeshlensSourcePlugin {
    fn build(&self, app: &mut App) {
        let assets = self.assets.clone();
        let source = AssetSourceBuilder::new(move || Box::new(SearchPathReader(assets.clone())));
        app.register_asset_source(self.name.clone(), source);
    }
}

/// Reads the files of a search path.
struct SearchPathReader(Assets);

impl SearchPathReader {
    fn bytes(&self, path: &Path) -> Result<Bytes, AssetReaderError> {
        let name = asset_path(path)?;
        let failed = |error: meshlens_assets::Error| io::Error::other(error.to_string());
        match self.0.find(&name).map_err(failed)? {
            Some(file) => Ok(self.0.read(&file).map_err(failed)?),
            None if self.is_player(&name) => Ok(Bytes::new()),
            None => Err(AssetReaderError::NotFound(path.to_owned())),
        }
    }

    /// Whether a path is the folder of a player, with the extension `player`.
    fn is_player(&self, path: &AssetPath) -> bool {
        let locate = |folder: AssetPath| self.0.locate(folder.as_str()).ok();
        let is_player = |found: Located| matches!(found.files(), ModelFiles::Player(_));
        path.has_extension("player")
            && path.folder().join(path.stem()).ok().and_then(locate).is_some_and(is_player)
    }
}

fn asset_path(path: &Path) -> Result<AssetPath, AssetReaderError> {
    if path.as_os_str().is_empty() {
        return Ok(AssetPath::root());
    }
    AssetPath::new(&path.to_string_lossy()).map_err(|_| AssetReaderError::NotFound(path.to_owned()))
}

impl AssetReader for SearchPathReader {
    async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        Ok(VecReader::new(self.bytes(path)?.into()))
    }

    async fn read_meta<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        let mut name = path.as_os_str().to_owned();
        name.push(".meta");
        Ok(VecReader::new(self.bytes(Path::new(&name))?.into()))
    }

    async fn read_directory<'a>(&'a self, path: &'a Path) -> Result<Box<PathStream>, AssetReaderError> {
        let folder = asset_path(path)?;
        if !self.0.has_folder(&folder) {
            return Err(AssetReaderError::NotFound(path.to_owned()));
        }
        let files = self.0.files(&folder).into_iter().filter(|name| !name.ends_with(".meta"));
        let names: Vec<_> = files.chain(self.0.folders(&folder)).map(|name| path.join(name)).collect();
        Ok(Box::new(stream::iter(names)))
    }

    async fn is_directory<'a>(&'a self, path: &'a Path) -> Result<bool, AssetReaderError> {
        Ok(self.0.has_folder(&asset_path(path)?))
    }
}

/// A folder whose files are mapped.
struct MappedFolder(Folder);

impl MappedFolder {
    fn map(&self, path: &AssetPath) -> io::Result<Bytes> {
        // Fails if the file is not in the folder.
        self.0.read_range(path.as_str(), 0..0)?;
        // SAFETY: the caller of `MeshlensSourcePlugin::mapped_folder` promises that nobody changes the files.
        let source = unsafe { Source::map(self.0.path_of(path.as_str())) };
        Ok(Bytes::from_owner(source.map_err(|error| io::Error::other(error.to_string()))?))
    }
}

impl FileSystem for MappedFolder {
    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        Ok(FilePart::of(&self.map(path)?, range))
    }

    fn is_in_memory(&self, _: &AssetPath) -> bool {
        true
    }

    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        FileSystem::list(&self.0, folder)
    }
}
