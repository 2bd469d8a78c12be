//! The models at URLs.

use meshlens::Parts;
use meshlens_assets::{FilePart, Located, Models};
use meshlens_stream::PartialModel;

use crate::status::Status;

/// The number of models that are read at a time if there are URLs among the paths and `--jobs` is not given. Reads wait
/// for servers instead of cores.
pub(crate) const JOBS: usize = 64;

/// The error for a URL that cannot be followed.
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) status: Status,
    /// The first bytes of a file that does not parse, and the length of all its files.
    pub(crate) start: Option<FilePart>,
}

/// The models that a URL refers to.
#[cfg_attr(not(feature = "remote"), expect(dead_code, reason = "a build without servers finds nothing"))]
pub(crate) enum FoundModels {
    One(Box<Located>),
    /// The models in a folder of a bucket.
    Several(Box<Models>),
}

/// The headers of a model at a URL.
pub(crate) struct Headers {
    pub(super) model: PartialModel,
    pub(super) names: Vec<String>,
    pub(super) bytes_read: u64,
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
        self.model.plan().version()
    }
}
