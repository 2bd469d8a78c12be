//! `meshlens-testkit corpus` rewrites `corpus/`, and `meshlens-testkit doors` the files of the doors' tests; `meshlens-testkit seeds` copies the seeds of each fuzz target to
//! `fuzz/corpus/`; `meshlens-testkit keep FOLDER` packs the minimized inputs of each target, `FOLDER/<target>`, to `fuzz/corpora/`;
//! `meshlens-testkit run FOLDER` runs each target once on every file of `FOLDER/<target>`.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use meshlens_testkit::targets::TARGETS;
use meshlens_testkit::{corpus, doors, real};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let root = real::workspace_root();
    let outcome = match arguments.as_slice() {
        ["corpus"] => corpus::write(&root.join("corpus")).map(|written| format!("corpus: {written} files")),
        ["seeds", names @ ..] => TARGETS
            .iter()
            .filter(|target| names.is_empty() || names.contains(&target.name))
            .map(|target| {
                let written = target.write_seeds(&root.join("fuzz/corpus").join(target.name))?;
                Ok(format!("{}: {written} seeds", target.name))
            })
            .collect::<Result<Vec<_>, _>>()
            .map(|lines| lines.join("\n")),
        ["doors"] => doors::made()
            .iter()
            .map(|(name, bytes)| std::fs::write(doors::folder().join(name), bytes))
            .collect::<io::Result<Vec<()>>>()
            .map(|written| format!("doors: {} files", written.len())),
        ["keep", folder] => TARGETS
            .iter()
            .map(|target| (target, Path::new(folder).join(target.name)))
            .filter(|(_, found)| found.is_dir())
            .map(|(target, found)| Ok(format!("{}: {} inputs", target.name, target.keep(&found)?)))
            .collect::<Result<Vec<_>, io::Error>>()
            .map(|lines| lines.join("\n")),
        ["run", folder] => TARGETS
            .iter()
            .map(|target| {
                Ok(format!("{}: {} inputs", target.name, target.run(&Path::new(folder).join(target.name))?))
            })
            .collect::<Result<Vec<_>, io::Error>>()
            .map(|lines| lines.join("\n")),
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
