//! Commands that are other programs: `meshlens view`, `meshlens bench`, `meshlens census` and `meshlens list`.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::args::View;
use crate::status::Status;
use crate::terminal::tell;

/// A program that is installed separately.
struct Program {
    name: &'static str,
    /// The arguments of `cargo install`.
    package: &'static str,
}

const VIEWER: Program = Program { name: "meshlens-view", package: "--path crates/viewer/app" };
const BENCH: Program = Program { name: "meshlens-bench", package: "meshlens-bench" };
const CENSUS: Program = Program { name: "meshlens-census", package: "--path crates/census" };

/// Starts the viewer.
pub(crate) fn view(arguments: &View) -> io::Result<Status> {
    let mut all = arguments.options.clone();
    all.push("--".into());
    all.extend(arguments.paths.iter().map(|path| path.clone().into_os_string()));
    VIEWER.run(&all)
}

/// Starts the program that measures.
pub(crate) fn bench(arguments: &[OsString]) -> io::Result<Status> {
    BENCH.run(arguments)
}

/// Starts the program of tables, with one of its commands.
pub(crate) fn census(command: &str, arguments: &[OsString]) -> io::Result<Status> {
    let mut all = vec![command.into()];
    all.extend_from_slice(arguments);
    CENSUS.run(&all)
}

impl Program {
    fn run(&self, arguments: &[OsString]) -> io::Result<Status> {
        let Program { name, package } = self;
        let own = env::current_exe().ok();
        let program = self.beside(own.as_deref()).unwrap_or_else(|| PathBuf::from(name));
        match Command::new(&program).args(arguments).status() {
            // The program has already reported why it fails.
            Ok(status) => Ok(match status.code() {
                Some(0) => Status::Fine,
                Some(1) => Status::Findings,
                _ => Status::Failed,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                tell!("{name} is not installed: cargo install {package} installs it");
                Ok(Status::Failed)
            }
            Err(error) => {
                tell!("{} cannot be started: {error}", program.display());
                Ok(Status::Failed)
            }
        }
    }

    /// The program in the folder of this command.
    fn beside(&self, command: Option<&Path>) -> Option<PathBuf> {
        let program = command?.with_file_name(self.name).with_extension(env::consts::EXE_EXTENSION);
        program.is_file().then_some(program)
    }
}
