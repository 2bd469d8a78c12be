//! The locations of the files of a list: in the file system, or on a server.

use std::path::PathBuf;

use meshlens::unreal::FileKind;
use meshlens::unreal::pairing::FileName;
use url::Url;

/// The location of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Local(PathBuf),
    /// A URL of `http`, `https` or `s3`.
    Remote(String),
}

impl Place {
    /// The location that a path or a URL refers to.
    pub(crate) fn of(uri: &str) -> Result<Place, String> {
        let Some((scheme, _)) = uri.split_once("://") else { return Ok(Place::Local(uri.into())) };
        match scheme.to_ascii_lowercase().as_str() {
            "http" | "https" | "s3" => Ok(Place::Remote(uri.into())),
            "file" => {
                let url = Url::parse(uri).map_err(|error| error.to_string())?;
                url.to_file_path().map(Place::Local).map_err(|()| "the URL names no local file".into())
            }
            _ => Err("only file, http, https and s3 URLs are read".into()),
        }
    }
}

/// The last component of a path or a URL.
fn name(uri: &str) -> &str {
    uri.rsplit('/').next().unwrap_or_default()
}

/// The possible frames files next to the geometry file of an Unreal mesh. A path gives paths, and a URL gives URLs.
/// Empty for other files.
pub(crate) fn frames_of(uri: &str) -> Vec<String> {
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

/// Whether a file may have buffers beside it.
pub(crate) fn is_gltf_text(uri: &str) -> bool {
    uri.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("gltf"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_local_and_urls_remote() {
        let place = |uri: &str| Place::of(uri);
        assert_eq!(place("models/a.md3"), Ok(Place::Local("models/a.md3".into())));
        assert_eq!(place("S3://bucket/a b.md3"), Ok(Place::Remote("S3://bucket/a b.md3".into())));
        assert_eq!(place("file:///tmp/a%20b.md3"), Ok(Place::Local("/tmp/a b.md3".into())));
        assert!(place("ftp://host/a.md3").is_err() && place("file://host.example/a").is_err());
    }

    #[test]
    fn frames_have_the_name_of_the_geometry() {
        assert_eq!(frames_of("s3://b/Gun_d.3d"), ["s3://b/Gun_a.3d", "s3://b/Gun_A.3d"]);
        assert_eq!(frames_of("GUN_D.3D")[0], "GUN_A.3D");
        assert_eq!(frames_of("m/DATA07.3d")[0], "m/ANIV07.3d");
        assert!(frames_of("Gun_a.3d").is_empty() && frames_of("a.md3").is_empty());
    }
}
