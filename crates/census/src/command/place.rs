//! The locations of the files of a list: in the file system, or on a server.

use std::path::PathBuf;

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
}
