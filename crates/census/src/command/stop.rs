//! Errors that end the command.

use std::fmt::Display;
use std::path::Path;

/// The reason why the command ends.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Stop(pub(crate) String);

/// A result whose error ends the command.
pub(crate) type Result<T> = std::result::Result<T, Stop>;

impl Stop {
    pub(crate) fn new(text: impl Display) -> Stop {
        Stop(text.to_string())
    }

    /// An error about a file, for use as `Error::map_err(Stop::at(path))`.
    pub(crate) fn at<E: Display>(path: &Path) -> impl Fn(E) -> Stop {
        move |error| Stop(format!("{}: {error}", path.display()))
    }
}

impl From<meshlens_source::Error> for Stop {
    fn from(error: meshlens_source::Error) -> Stop {
        Stop::new(error)
    }
}
