//! `meshlens-testkit corpus` rewrites `corpus/`, and `meshlens-testkit doors` the files of the doors' tests; `meshlens-testkit seeds` copies the seeds of each fuzz target to
//! `fuzz/corpus/`; `meshlens-testkit keep FOLDER` packs the minimized inputs of each target, `FOLDER/<target>`, to `fuzz/corpora/`;
//! `meshlens-testkit run FOLDER` runs each target once on every file of `FOLDER/<target>`.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use meshlens_testkit::targets::{TARGETS, Target};
use meshlens_testkit::{corpus, doors, real};

/// Returns a line for each target: its name, and the number of `things` that `act` returns.
fn each<'t>(
    targets: impl Iterator<Item = &'t Target>,
    things: &str,
    act: impl Fn(&Target) -> io::Result<usize>,
) -> io::Result<String> {
    let line = |target: &Target| Ok(format!("{}: {} {things}", target.name, act(target)?));
    Ok(targets.map(line).collect::<io::Result<Vec<_>>>()?.join("\n"))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let root = real::workspace_root();
    let outcome = match arguments.as_slice() {
        ["corpus"] => corpus::write(&root.join("corpus")).map(|written| format!("corpus: {written} files")),
        ["seeds", names @ ..] => {
            let folder = root.join("fuzz/corpus");
            let targets = TARGETS.iter().filter(|target| names.is_empty() || names.contains(&target.name));
            each(targets, "seeds", |target| target.write_seeds(&folder.join(target.name)))
        }
        ["doors"] => doors::made()
            .iter()
            .map(|(name, bytes)| {
                let path = doors::folder().join(name);
                path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
                std::fs::write(path, bytes)
            })
            .collect::<io::Result<Vec<()>>>()
            .map(|written| format!("doors: {} files", written.len())),
        ["keep", folder] => {
            let found = |target: &Target| Path::new(folder).join(target.name);
            let targets = TARGETS.iter().filter(|target| found(target).is_dir());
            each(targets, "inputs", |target| target.keep(&found(target)))
        }
        ["run", folder] => {
            each(TARGETS.iter(), "inputs", |target| target.run(&Path::new(folder).join(target.name)))
        }
        _ => {
            eprintln!(
                "usage: meshlens-testkit corpus | doors | seeds [TARGET...] | keep FOLDER | run FOLDER"
            );
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", root.display());
            ExitCode::from(2)
        }
    }
}
