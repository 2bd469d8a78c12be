//! Models at URLs. Only their headers are read, by ranges. Requires the feature `remote`.

use std::path::{Path, PathBuf};

use meshlens::Parts;
use meshlens_stream::PartialModel;

use crate::status::Status;

/// The error for a URL that cannot be shown.
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) status: Status,
}

/// The URL in a path of the command line; `None` if it is not a URL.
pub(crate) fn url(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let scheme = text.split_once("://")?.0.to_ascii_lowercase();
    ["http", "https", "s3"].contains(&&*scheme).then_some(text)
}

/// Separates URLs from other paths.
pub(crate) fn split(paths: &[PathBuf]) -> (Vec<&str>, Vec<PathBuf>) {
    let urls = paths.iter().filter_map(|path| url(path)).collect();
    (urls, paths.iter().filter(|path| url(path).is_none()).cloned().collect())
}

/// The number of URLs that are read at a time unless `--jobs` says otherwise: reads wait for servers, not for cores.
const JOBS: usize = 64;

/// The number of workers for URLs that `--jobs` asks for.
pub(crate) const fn jobs(asked: usize) -> usize {
    if asked == 0 { JOBS } else { asked }
}

#[cfg(not(feature = "remote"))]
mod imp {
    use super::*;

    /// The servers of URLs. This build cannot read from them.
    pub(crate) struct Remotes;

    impl Remotes {
        pub(crate) const fn new(_: bool) -> Remotes {
            Remotes
        }

        pub(crate) fn open(&self, _: &str) -> Result<Headers, Failure> {
            let message = "this build of meshlens reads no URLs; build it with the feature `remote` \
                           (cargo install meshlens-cli --features remote)";
            Err(Failure { message: message.into(), status: Status::Failed })
        }
    }
}

#[cfg(feature = "remote")]
mod imp {
    use meshlens_stream::backend::{ObjectStoreOptions, RemoteOptions};
    use meshlens_stream::{Error, ProbeOptions, WaitingReader};

    use super::*;

    /// The servers of URLs, each with one client.
    pub(crate) struct Remotes(meshlens_stream::backend::Remotes);

    impl Remotes {
        pub(crate) fn new(allows_redirects: bool) -> Remotes {
            let store = ObjectStoreOptions { max_reads: JOBS, ..ObjectStoreOptions::default() };
            let options = RemoteOptions { store, allows_redirects, ..RemoteOptions::default() };
            Remotes(meshlens_stream::backend::Remotes::new(options))
        }

        /// Reads the headers. For an Unreal mesh, the headers of both files are read, and the URL may name either
        /// file.
        pub(crate) fn open(&self, url: &str) -> Result<Headers, Failure> {
            let failed = |message: String| Failure { message, status: Status::Failed };
            let (backend, name) = self.0.open(url).map_err(|error| {
                let text = error.to_string();
                failed(text.strip_prefix(&format!("{url}: ")).unwrap_or(&text).to_owned())
            })?;
            let names = pair(&name).unwrap_or_else(|| vec![name.to_string()]);
            let opened =
                WaitingReader::open(&*backend, names.iter().map(|name| &**name), ProbeOptions::default());
            let reader = opened.map_err(|error| match &error {
                Error::Format { error, .. } => {
                    Failure { message: error.to_string(), status: Status::Findings }
                }
                error if error.is_not_found() => failed("not found".into()),
                Error::Redirect { to, .. } => {
                    failed(format!("redirects to {to}, another host; --allow-redirects permits it"))
                }
                Error::Read { reason, .. } => failed(reason.to_string()),
                error => failed(error.to_string()),
            })?;
            let bytes_read = reader.bytes_read();
            Ok(Headers { model: reader.into_model(), names, bytes_read })
        }
    }

    /// The two files of an Unreal mesh, geometry first, if `name` is one of them.
    fn pair(name: &str) -> Option<Vec<String>> {
        let at = name.len().checked_sub("d.3d".len())?;
        let (stem, kind) = (name.get(..at)?, name.get(at..at + 1)?);
        let is_one = stem.ends_with('_') && name.get(at + 1..)?.eq_ignore_ascii_case(".3d");
        let kinds = match kind {
            "d" | "a" => ["d", "a"],
            "D" | "A" => ["D", "A"],
            _ => return None,
        };
        is_one.then(|| kinds.map(|kind| format!("{stem}{kind}{}", &name[at + 1..])).into())
    }
}

pub(crate) use imp::Remotes;

/// The headers of a model at a URL.
pub(crate) struct Headers {
    model: PartialModel,
    names: Vec<String>,
    bytes_read: u64,
}

impl Headers {
    /// The model with only its headers.
    pub(crate) const fn model(&self) -> &PartialModel {
        &self.model
    }

    /// The name and the length of each file.
    pub(crate) fn files(&self) -> Vec<(String, u64)> {
        let lens = self.model.plan().file_lens().iter().copied();
        self.names.iter().cloned().zip(lens).collect()
    }

    pub(crate) fn parts(&self) -> &Parts {
        self.model.plan().located()
    }

    pub(crate) const fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    pub(crate) fn version(&self) -> String {
        self.model.document().map(|document| document.version()).unwrap_or_default()
    }
}
