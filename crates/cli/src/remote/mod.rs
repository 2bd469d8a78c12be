//! Models at URLs: web servers, and buckets of S3, which are listed. Requires the feature `remote`.

mod found;
#[cfg(not(feature = "remote"))]
mod no_servers;
#[cfg(feature = "remote")]
mod servers;

use std::path::Path;

use crate::args::Inputs;
use crate::workers;

pub(crate) use found::{FoundModels, Headers, NoHeaders};
#[cfg(not(feature = "remote"))]
pub(crate) use no_servers::Remotes;
#[cfg(feature = "remote")]
pub(crate) use servers::Remotes;

/// The URL in a path of the command line; `None` if it is not a URL.
pub(crate) fn url(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let scheme = text.split_once("://")?.0.to_ascii_lowercase();
    ["http", "https", "s3"].contains(&&*scheme).then_some(text)
}

/// The number of workers for the inputs. The first path of a list determines the number for the whole list.
pub(crate) fn jobs(inputs: &Inputs) -> usize {
    let has_urls = inputs.paths.iter().any(|path| url(path).is_some());
    if inputs.jobs == 0 && has_urls { found::JOBS } else { workers::count(inputs.jobs) }
}
