//! The outcome of a request.

use std::fmt;

use crate::error::Error;
use crate::loaded::Loaded;
use crate::request::Request;

/// A request that failed, was cancelled, or had not ended when its streamer was dropped.
#[derive(thiserror::Error)]
#[error("{error}")]
pub struct Failed {
    pub(crate) error: Error,
    pub(crate) request: Option<Request>,
}

impl Failed {
    /// The reason.
    pub const fn error(&self) -> &Error {
        &self.error
    }

    /// Returns the request with the given buffers, so that it can be made again. `None` if they are lost because the
    /// streamer was dropped.
    pub fn into_request(self) -> Option<Request> {
        self.request
    }
}

impl fmt::Debug for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Failed").field(&self.error).finish()
    }
}

/// The result of a request.
pub type Outcome = Result<Loaded, Failed>;
