//! Files of the file system.

use std::path::Path;
use std::time::UNIX_EPOCH;

use meshlens_census::{Bytes, Status};
use meshlens_source::Source;

use crate::fetch::{Got, SMALL, size_changed, too_large};
use crate::manifest::Listed;
use crate::memory::Share;

/// The start of the entity tags of files of the file system.
const MODIFIED: &str = "mtime:";

/// The entity tag of a file of the file system: its time of modification, in nanoseconds.
pub(crate) fn local_etag(meta: &std::fs::Metadata) -> Option<String> {
    let since = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{MODIFIED}{}", since.as_nanos()))
}

/// A file of the file system, if it is the one that was listed.
pub(crate) fn read_unchanged(listed: &Listed, path: &Path, share: &Share) -> Got {
    let meta = std::fs::metadata(path).map_err(|error| {
        let code = if error.kind() == std::io::ErrorKind::NotFound { "NOT_FOUND" } else { "IO" };
        (Status::Unread, code, error.to_string())
    })?;
    let text = size_changed(listed, meta.len()).or_else(|| {
        let expected = listed.etag.as_deref().filter(|etag| etag.starts_with(MODIFIED))?;
        (local_etag(&meta).as_deref() != Some(expected))
            .then(|| "the file was written to after it was listed".into())
    });
    match text {
        Some(text) => Err((Status::Changed, "CHANGED", text).into()),
        None => read_file(path, meta.len(), share),
    }
}

/// A file of this size.
fn read_file(path: &Path, size: u64, share: &Share) -> Got {
    if let Some(fault) = too_large(0, size) {
        return Err(fault.into());
    }
    // Files of `/proc` state no size.
    let size = size.max(SMALL);
    share.grow(size)?;
    Source::read_limited(path, size).map(Bytes::from_owner).map_err(|error| {
        let is_large = matches!(error, meshlens_source::Error::TooLarge { .. });
        (Status::Unread, if is_large { "LIMIT" } else { "IO" }, error.to_string()).into()
    })
}
