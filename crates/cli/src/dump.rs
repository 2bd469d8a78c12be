//! `meshlens dump`: everything a model holds, as one JSON document; of several models, one after another.

use std::io::{self, Write};
use std::path::Path;

use crate::args::Dump;
use crate::inputs::{self, Input};
use crate::open::{self, Buffers, Unlocked};
use crate::pairs;
use crate::status::Status;
use crate::tell::tell;

pub(crate) fn run(arguments: &Dump, out: &mut impl Write) -> io::Result<Status> {
    if arguments.frames.is_some() && arguments.paths.len() > 1 {
        tell!("--frames names the other file of one mesh, not of {}", arguments.paths.len());
        return Ok(Status::Failed);
    }
    let mut status = Status::Fine;
    for path in &arguments.paths {
        status = status.max(dump(arguments, path, out)?);
    }
    Ok(status)
}

fn dump(arguments: &Dump, path: &Path, out: &mut impl Write) -> io::Result<Status> {
    let (item, status) = match &arguments.frames {
        Some(frames) => (pairs::item(path, frames, None), Status::Fine),
        None => {
            let paths = &[path.to_owned()];
            if !inputs::is_single(paths) && !pairs::is_script_name(path) {
                tell!("{}: dump takes models, not folders or archives", path.display());
                return Ok(Status::Failed);
            }
            let (mut items, status) = inputs::expand(paths, arguments.no_mmap);
            if items.len() > 1 {
                tell!("{}: dump takes one model, the script names {}", path.display(), items.len());
                return Ok(Status::Failed);
            }
            let Some(item) = items.pop() else {
                if status == Status::Fine {
                    tell!("{}: there is no model in it", path.display());
                }
                return Ok(Status::Failed);
            };
            (item, status)
        }
    };
    if let Input::Half(..) = item.input {
        tell!("{}: the other file of the mesh is not there (--frames FILE names it)", item.uri);
    }
    let mut buffers = Buffers::default();
    let dumped = open::with_files(&item.input, arguments.no_mmap, &mut buffers, |files| {
        let plain = files.unlock(&arguments.password);
        match plain.as_ref().map_err(|error| *error).and_then(Unlocked::parse) {
            Ok(document) => {
                let dump = meshlens::dump::Dump::new(&document, arguments.arrays.into());
                if arguments.pretty {
                    serde_json::to_writer_pretty(&mut *out, &dump)?;
                } else {
                    serde_json::to_writer(&mut *out, &dump)?;
                }
                writeln!(out)?;
                Ok(status)
            }
            Err(error) => {
                tell!("{}: {error}", item.uri);
                Ok(Status::Findings)
            }
        }
    });
    dumped.unwrap_or_else(|error| {
        tell!("{error}");
        Ok(Status::Failed)
    })
}
