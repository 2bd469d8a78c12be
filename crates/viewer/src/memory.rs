//! Files in memory, such as those that are dropped into a browser.

use bytes::Bytes;
use meshlens_assets::{AssetPath, MemoryFiles};

/// The folder for files that are given without one, because the parts of a player are found by their folder.
pub(crate) const LOOSE: &str = "files";

/// Adds a file, or replaces the file with the same path. Returns its path, or `None` if the name is not valid.
pub(crate) fn insert(files: &mut MemoryFiles, name: &str, bytes: impl Into<Bytes>) -> Option<AssetPath> {
    let name = name.trim_start_matches(['/', '\\']);
    let name = if name.contains(['/', '\\']) { name.to_owned() } else { format!("{LOOSE}/{name}") };
    let path = AssetPath::new(&name).ok().filter(|path| !path.is_root())?;
    files.insert(path.as_str(), bytes);
    Some(path)
}
