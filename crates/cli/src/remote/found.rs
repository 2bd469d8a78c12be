//! The models at URLs.

use meshlens_assets::{FilePart, Located, Models};
use meshlens_stream::PartialModel;

use crate::failure::Failure;

/// The number of models that are read at a time if there are URLs among the paths and `--jobs` is not given. Reads wait
/// for servers instead of cores.
pub(crate) const JOBS: usize = 64;

/// The error for headers that cannot be read, and, if they do not parse, the first bytes and the length of all files.
pub(crate) struct NoHeaders(pub(crate) Failure, pub(crate) Option<FilePart>);

impl From<Failure> for NoHeaders {
    fn from(failure: Failure) -> Self {
        NoHeaders(failure, None)
    }
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
    /// The model with only its headers.
    pub(crate) model: PartialModel,
    /// The names of its files.
    pub(crate) names: Vec<String>,
    pub(crate) bytes_read: u64,
}
