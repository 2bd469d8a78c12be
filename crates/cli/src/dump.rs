//! `meshlens dump`: everything one model holds, as one JSON document.

use std::io::{self, Write};

use meshlens::Document;

use crate::args::Dump;
use crate::status::Status;
use crate::tell::tell;
use crate::{inputs, open};

pub(crate) fn run(arguments: &Dump, out: &mut impl Write) -> io::Result<Status> {
    let paths = std::slice::from_ref(&arguments.path);
    if !inputs::is_single(paths) {
        tell!("{}: dump takes one model", arguments.path.display());
        return Ok(Status::Failed);
    }
    let (items, status) = inputs::expand(paths, arguments.no_mmap);
    let Some(item) = items.first() else { return Ok(status) };
    let dumped =
        open::with_bytes(item, arguments.no_mmap, &mut Vec::new(), |bytes| match Document::parse(bytes) {
            Ok(document) => {
                let dump = meshlens::dump::Dump::new(&document, arguments.arrays.into());
                if arguments.pretty {
                    serde_json::to_writer_pretty(&mut *out, &dump)?;
                } else {
                    serde_json::to_writer(&mut *out, &dump)?;
                }
                writeln!(out)?;
                Ok(Status::Fine)
            }
            Err(error) => {
                tell!("{}: {error}", item.uri);
                Ok(Status::Findings)
            }
        });
    dumped.unwrap_or_else(|error| {
        tell!("{error}");
        Ok(Status::Failed)
    })
}
