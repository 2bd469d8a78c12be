//! `meshlens explain`: explains the codes of findings and losses, and lists the facts about engines.

use std::io::{self, Write};

use meshlens::fix::is_mended;
use meshlens::{Code, Format};

use crate::args::Explain;
use crate::engines;
use crate::findings::{codes, find_code};
use crate::status::Status;
use crate::terminal::{Output, tell};

pub(crate) fn run(arguments: &Explain, out: &mut Output) -> io::Result<Status> {
    if arguments.codes.is_empty() {
        let codes = codes();
        let width = codes.iter().map(|code| code.name.len()).max().unwrap_or_default();
        for Code { name, severity, plural, .. } in codes {
            writeln!(out, "{name:width$}  {severity:7}  {plural}")?;
        }
        return Ok(Status::Fine);
    }
    let mut status = Status::Fine;
    for (number, name) in arguments.codes.iter().enumerate() {
        if let Some(engine) = engines::find(name) {
            if number > 0 {
                writeln!(out)?;
            }
            for line in engine.to_string().lines() {
                writeln!(out, "{line}")?;
            }
            continue;
        }
        let Some(Code { name, severity, plural, meaning, remedy, .. }) = find_code(name) else {
            tell!(
                "{name}: unknown code; `meshlens explain` lists all codes, and engines are {}",
                engines::names().join(", ")
            );
            status = Status::Failed;
            continue;
        };
        if number > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{name} ({severity}): {plural}")?;
        writeln!(out)?;
        writeln!(out, "{meaning}")?;
        if let Some(engines) = engines::about(name) {
            writeln!(out, "Engines: {engines}")?;
        }
        let option = engines::option(name).map(|option| format!(" {option}")).unwrap_or_default();
        writeln!(out, "What to do: {remedy}{option}")?;
        if let Some(mended) = find_code(name).and_then(mended) {
            writeln!(out, "{mended}")?;
        }
    }
    Ok(status)
}

/// What `meshlens fix` does with findings that have a code; `None` if it leaves them. A code of several formats is not mended in
/// each of them.
fn mended(code: &Code) -> Option<String> {
    let formats = Format::ALL.iter().filter(|format| is_mended(code, **format));
    let formats: Vec<&str> = formats.map(|format| format.name()).collect();
    let (last, others) = formats.split_last()?;
    let shared = meshlens::wire::codes::ALL.iter().chain(meshlens::codes::ALL);
    let is_of_one = shared.into_iter().all(|shared| *shared != code);
    Some(match others {
        _ if is_of_one => "`meshlens fix` mends it.".into(),
        [] => format!("`meshlens fix` mends it in {last} files."),
        _ => format!("`meshlens fix` mends it in {} and {last} files.", others.join(", ")),
    })
}
