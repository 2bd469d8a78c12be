//! `meshlens view`: starts the viewer, which is another program.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::args::View;
use crate::status::Status;
use crate::terminal::tell;

/// The name of the program.
const VIEWER: &str = "meshlens-view";

pub(crate) fn run(arguments: &View) -> io::Result<Status> {
    let program = beside(env::current_exe().ok().as_deref()).unwrap_or_else(|| PathBuf::from(VIEWER));
    let mut command = Command::new(&program);
    command.args(&arguments.options).arg("--").args(&arguments.paths);
    match command.status() {
        Ok(status) if status.success() => Ok(Status::Fine),
        // The viewer has said why.
        Ok(_) => Ok(Status::Failed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            tell!("{VIEWER} is not installed: cargo install --path crates/viewer/app installs it");
            Ok(Status::Failed)
        }
        Err(error) => {
            tell!("{} cannot be started: {error}", program.display());
            Ok(Status::Failed)
        }
    }
}

/// The viewer in the folder of this command.
fn beside(command: Option<&Path>) -> Option<PathBuf> {
    let viewer = command?.with_file_name(VIEWER).with_extension(env::consts::EXE_EXTENSION);
    viewer.is_file().then_some(viewer)
}
