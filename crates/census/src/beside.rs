//! A file in memory beside the input.

use bytes::Bytes;
use meshlens::unreal::FileKind;
use meshlens::unreal::pairing::FileName;
use meshlens_assets::{Assets, MemoryFiles};

/// A search path with one file, which has the last component of a path or URL as its name: [`Input::assets`](crate::Input::assets).
pub fn beside(uri: &str, bytes: Bytes) -> Assets {
    let (mut assets, mut files) = (Assets::new(), MemoryFiles::default());
    files.insert(name(uri), bytes);
    assets.mount("", files);
    assets
}

/// The last component of a path or a URL.
fn name(uri: &str) -> &str {
    uri.rsplit('/').next().unwrap_or_default()
}

/// The possible frames files next to the geometry file of an Unreal mesh. A path gives paths, and a URL gives URLs.
/// Empty for other files.
pub fn frames_of(uri: &str) -> Vec<String> {
    let name = name(uri);
    let Some(parsed) = FileName::parse(name).filter(|parsed| parsed.kind == FileKind::Geometry) else {
        return Vec::new();
    };
    let folder = uri.strip_suffix(name).unwrap_or_default();
    let extension = name.get(name.len() - ".3d".len()..).unwrap_or_default();
    let (stem, prefixes) = (parsed.stem, ["ANIV", "aniv", "Aniv"]);
    if parsed.is_numbered {
        return prefixes.map(|prefix| format!("{folder}{prefix}{stem}{extension}")).into();
    }
    // The case of the geometry file comes first.
    let mut letters = ['a', 'A'];
    if name.contains("_D.") {
        letters.reverse();
    }
    letters.map(|letter| format!("{folder}{stem}_{letter}{extension}")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_the_name_of_the_geometry() {
        assert_eq!(frames_of("s3://b/Gun_d.3d"), ["s3://b/Gun_a.3d", "s3://b/Gun_A.3d"]);
        assert_eq!(frames_of("GUN_D.3D")[0], "GUN_A.3D");
        assert_eq!(frames_of("m/DATA07.3d")[0], "m/ANIV07.3d");
        assert!(frames_of("Gun_a.3d").is_empty() && frames_of("a.md3").is_empty());
    }
}
