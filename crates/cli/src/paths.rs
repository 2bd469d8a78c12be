//! The list of paths of `--files-from`.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The largest size of a list, in bytes.
const LIMIT: u64 = 256 << 20;

/// The paths in the list at `path`, or in standard input for `-`: one per line, or separated by NUL if the list
/// contains one.
pub(crate) fn read(path: &Path) -> Result<Vec<PathBuf>, String> {
    let bytes = if path.as_os_str() == "-" {
        meshlens_source::Source::from_reader(io::stdin().lock().by_ref(), LIMIT)
    } else {
        meshlens_source::Source::read_limited(path, LIMIT)
    };
    let bytes = bytes.map_err(|error| crate::errors::file(&error))?;
    if meshlens::Format::detect(&bytes).is_some()
        || bytes.starts_with(b"glTF")
        || bytes.starts_with(b"PK\x03\x04")
    {
        return Err(format!("{}: a model or an archive, not a list of paths", path.display()));
    }
    let separator = if bytes.contains(&0) { 0 } else { b'\n' };
    let names = bytes.split(|byte| *byte == separator).map(|name| match name {
        [line @ .., b'\r'] if separator == b'\n' => line,
        name => name,
    });
    names.filter(|name| !name.is_empty()).map(|name| os_string(name).map(PathBuf::from)).collect()
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "other systems have names that bytes cannot be")]
fn os_string(bytes: &[u8]) -> Result<OsString, String> {
    use std::os::unix::ffi::OsStringExt;
    Ok(OsString::from_vec(bytes.into()))
}

#[cfg(not(unix))]
fn os_string(bytes: &[u8]) -> Result<OsString, String> {
    String::from_utf8(bytes.into())
        .map(OsString::from)
        .map_err(|error| format!("the list of files has a name that is not UTF-8: {}", error.to_string()))
}
