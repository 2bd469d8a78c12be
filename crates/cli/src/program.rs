//! Commands that are other programs: `meshlens view`, `meshlens bench`, `meshlens census` and `meshlens list`.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Command;

use crate::args::View;
use crate::status::Status;
use crate::terminal::tell;

/// Starts the viewer.
pub(crate) fn view(arguments: &View) -> io::Result<Status> {
    let mut all = arguments.options.clone();
    all.push("--".into());
    all.extend(arguments.paths.iter().map(|path| path.clone().into_os_string()));
    run("meshlens-view", "--path crates/viewer/app", &all)
}

/// Starts the program that measures.
pub(crate) fn bench(arguments: &[OsString]) -> io::Result<Status> {
    run("meshlens-bench", "meshlens-bench", arguments)
}

/// Starts the program of tables, with one of its commands.
pub(crate) fn census(command: &str, arguments: &[OsString]) -> io::Result<Status> {
    let mut all = vec![command.into()];
    all.extend_from_slice(arguments);
    run("meshlens-census", "--path crates/census", &all)
}

/// Runs a program that is installed separately. `package` has the arguments of `cargo install`.
fn run(name: &str, package: &str, arguments: &[OsString]) -> io::Result<Status> {
    // The program in the folder of this command, or one in PATH.
    let own = env::current_exe().ok();
    let beside = own.map(|own| own.with_file_name(name).with_extension(env::consts::EXE_EXTENSION));
    let program = beside.filter(|program| program.is_file()).unwrap_or_else(|| PathBuf::from(name));
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
