//! Outputs: files that appear complete or not at all, or standard output.

use std::fs::Permissions;
use std::io::{self, Write};
use std::path::Path;

use meshlens_source::{AtomicFile, Error};

use crate::failure::Failure;
use crate::stdout::STDOUT;
pub(crate) use crate::stdout::{is_stdout, stdout_is_terminal};

pub(crate) struct Sink {
    /// `None` for standard output.
    file: Option<AtomicFile>,
    /// The number of bytes that are written.
    pub(crate) bytes: u64,
}

/// Creates a folder for outputs, with the folders that contain it.
pub(crate) fn create_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::system(format!("{}: cannot create the folder: {error}", folder.display())))
}

impl Sink {
    /// Starts writing to a file, or to standard output for `-`.
    pub(crate) fn create(path: &Path, overwrite: bool) -> Result<Sink, Failure> {
        let file = (!is_stdout(path)).then(|| AtomicFile::create(path, overwrite));
        Ok(Sink { file: file.transpose().map_err(Failure::file)?, bytes: 0 })
    }

    /// A file with these bytes. It is closed until it is committed, because there may be more files than can be open.
    pub(crate) fn written(path: &Path, bytes: &[u8], overwrite: bool) -> Result<Sink, Failure> {
        Sink::written_with(path, bytes, overwrite, None)
    }

    /// Like [`written`](Self::written), with these permissions.
    pub(crate) fn written_with(
        path: &Path,
        bytes: &[u8],
        overwrite: bool,
        permissions: Option<Permissions>,
    ) -> Result<Sink, Failure> {
        let mut sink = Sink::create(path, overwrite)?;
        if let (Some(file), Some(permissions)) = (&mut sink.file, permissions) {
            file.set_permissions(permissions).map_err(Failure::file)?;
        }
        sink.write_all(bytes).map_err(|error| Failure::output(path, &error))?;
        if let Some(file) = &mut sink.file {
            file.close().map_err(Failure::file)?;
        }
        Ok(sink)
    }

    /// Moves finished files to their final paths. Bytes for standard output are already written.
    pub(crate) fn commit_all(sinks: Vec<Sink>) -> Result<(), Failure> {
        let mut files = Vec::new();
        for sink in sinks {
            match sink.file {
                Some(file) => files.push(file),
                None => io::stdout().flush().map_err(|error| {
                    Failure::file(Error::Io { path: Path::new(STDOUT).into(), action: "write", error })
                })?,
            }
        }
        AtomicFile::commit_all(files).map_err(Failure::file)
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.file {
            Some(file) => file.write(bytes)?,
            None => io::stdout().write(bytes)?,
        };
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.file {
            Some(file) => file.flush(),
            None => io::stdout().flush(),
        }
    }
}
