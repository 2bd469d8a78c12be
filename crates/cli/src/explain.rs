//! `meshlens explain`: explains the codes of findings and losses.

use std::io::{self, Write};

use meshlens::Code;

use crate::args::Explain;
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
        let Some(Code { name, severity, plural, meaning, remedy, .. }) = find_code(name) else {
            tell!("{name}: unknown code; `meshlens explain` lists all codes");
            status = Status::Failed;
            continue;
        };
        if number > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{name} ({severity}): {plural}")?;
        writeln!(out)?;
        writeln!(out, "{meaning}")?;
        writeln!(out, "What to do: {remedy}")?;
    }
    Ok(status)
}
