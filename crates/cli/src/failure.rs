//! The reason why a job failed, with its exit status.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use meshlens::scene::Scene;
use meshlens::wire::OverBudget;

use crate::status::Status;
use crate::terminal::{is_quiet, tell};
use crate::{errors, stdout};

/// The reason why a job failed.
pub(crate) struct Failure {
    /// Whether the input is invalid, or the arguments or the system are at fault.
    pub(crate) status: Status,
    pub(crate) message: String,
    /// Whether the job failed only because other jobs hold memory.
    pub(crate) waits: bool,
}

impl Failure {
    /// Prints the message, and returns the status. A skipped input is not a failure: its status is [`Status::Fine`],
    /// and its message is not printed if the command is quiet.
    pub(crate) fn tell(&self) -> Status {
        if self.status != Status::Fine || !(self.message.is_empty() || is_quiet()) {
            tell!("{}", self.message);
        }
        self.status
    }

    /// The input is invalid.
    pub(crate) fn input(message: impl std::fmt::Display) -> Self {
        Failure { status: Status::Findings, message: message.to_string(), waits: false }
    }

    /// The job needs more memory than its limit.
    pub(crate) fn memory(uri: &str, over: &OverBudget) -> Self {
        let message = format!("{uri}: {over}; --max-memory allows more");
        Failure { waits: over.fits_alone(), ..Failure::input(message) }
    }

    /// The arguments name something that does not exist, or a file cannot be read or written.
    pub(crate) fn system(message: impl std::fmt::Display) -> Self {
        Failure { status: Status::Failed, message: message.to_string(), waits: false }
    }

    /// The arguments name a clip that the scene does not have.
    pub(crate) fn no_clip(uri: &str, name: &str, scene: &Scene<'_>) -> Self {
        let clips = scene.nodes.iter().flat_map(|node| &node.model.clips);
        let mut known = HashSet::new();
        let names = clips.map(|clip| clip.name.as_str()).filter(|name| known.insert(*name));
        let names: Vec<&str> = names.collect();
        let there = match names.as_slice() {
            [] => "there is no clip".into(),
            names => format!("one of {}", names.join(", ")),
        };
        Failure::system(format!("{uri}: no clip {name}; {there}"))
    }

    /// The arguments name a frame that the model does not have.
    pub(crate) fn no_frame(uri: &str, frame: usize, count: usize) -> Self {
        let there = match count {
            0 => "there are no frames".into(),
            1 => "there is only frame 0".into(),
            count => format!("there are frames 0 to {}", count - 1),
        };
        Failure::system(format!("{uri}: no frame {frame}; {there}"))
    }

    /// A file cannot be read or written.
    pub(crate) fn file(error: meshlens_source::Error) -> Self {
        match &error {
            meshlens_source::Error::Io { path, error, .. } if stdout::is_closed(path, error) => {
                Failure::closed()
            }
            _ => Failure::system(errors::file(&error)),
        }
    }

    /// An output cannot be written.
    pub(crate) fn output(path: &Path, error: &io::Error) -> Self {
        if stdout::is_closed(path, error) {
            return Failure::closed();
        }
        let path = if stdout::is_stdout(path) { Path::new(stdout::STDOUT) } else { path };
        Failure::system(format!("{}: {error}", path.display()))
    }

    /// The input is not a model, and was found in a folder or an archive.
    pub(crate) fn skipped(uri: &str, format: &str) -> Self {
        let message = format!("{uri}: skipped: this is {format}");
        Failure { status: Status::Fine, message, waits: false }
    }

    /// The reader of standard output closed it, which is not a failure.
    pub(crate) fn closed() -> Self {
        Failure { status: Status::Fine, message: String::new(), waits: false }
    }

    /// A model cannot be opened.
    pub(crate) fn asset(error: &meshlens_assets::Error) -> Self {
        use meshlens_assets::Error;

        let message = errors::asset(error);
        match error {
            Error::Memory { over, .. } => Failure { waits: over.fits_alone(), ..Failure::input(message) },
            Error::Parse { .. } | Error::Import { .. } => Failure::input(message),
            _ => Failure::system(message),
        }
    }
}

/// The folder that contains a file.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.into(),
        _ => ".".into(),
    }
}
