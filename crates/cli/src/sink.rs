//! Outputs: files that appear complete or not at all, or standard output.

use std::io::{self, IsTerminal, Stdout, Write};
use std::path::Path;

use meshlens_source::{AtomicFile, Error, Result};

pub(crate) enum Sink {
    File(AtomicFile),
    Stdout(Stdout),
}

/// Whether an output is standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The name of standard output in errors.
const STDOUT: &str = "standard output";

/// Whether an error means that the reader of standard output closed it.
pub(crate) fn is_closed(path: &Path, error: &io::Error) -> bool {
    (is_stdout(path) || path == Path::new(STDOUT)) && error.kind() == io::ErrorKind::BrokenPipe
}

/// Whether standard output is a terminal.
pub(crate) fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

impl Sink {
    /// Starts writing to a file, or to standard output for `-`.
    pub(crate) fn create(path: &Path, overwrite: bool) -> Result<Sink> {
        if is_stdout(path) {
            return Ok(Sink::Stdout(io::stdout()));
        }
        AtomicFile::create(path, overwrite).map(Sink::File)
    }

    /// Closes a completely written file until it is committed.
    pub(crate) fn close(&mut self) -> Result<()> {
        match self {
            Sink::File(file) => file.close(),
            Sink::Stdout(_) => Ok(()),
        }
    }

    /// Moves finished files to their final paths. Bytes for standard output are already written.
    pub(crate) fn commit_all(sinks: Vec<Sink>) -> Result<()> {
        let mut files = Vec::new();
        for sink in sinks {
            match sink {
                Sink::File(file) => files.push(file),
                Sink::Stdout(mut stdout) => stdout.flush().map_err(|error| Error::Io {
                    path: Path::new(STDOUT).into(),
                    action: "write",
                    error,
                })?,
            }
        }
        AtomicFile::commit_all(files)
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::File(file) => file.write(bytes),
            Sink::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::File(file) => file.flush(),
            Sink::Stdout(stdout) => stdout.flush(),
        }
    }
}
