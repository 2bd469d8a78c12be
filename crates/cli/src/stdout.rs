//! Standard output: its names, and whether its reader has closed it.

use std::io::{self, IsTerminal};
use std::path::Path;

/// Whether an output is standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The name of standard output in errors.
pub(crate) const STDOUT: &str = "standard output";

/// Whether an error means that the reader of standard output closed it.
pub(crate) fn is_closed(path: &Path, error: &io::Error) -> bool {
    (is_stdout(path) || path == Path::new(STDOUT)) && error.kind() == io::ErrorKind::BrokenPipe
}

/// Whether standard output is a terminal.
pub(crate) fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}
