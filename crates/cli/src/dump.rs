//! `meshlens dump`: prints the whole content of models, one JSON document each.

use std::io::{self, Write};
use std::path::Path;

use meshlens_assets::Assets;

use crate::args::Dump;
use crate::errors;
use crate::inputs::{self, Takes};
use crate::item::Item;
use crate::json;
use crate::status::Status;
use crate::terminal::{is_quiet, tell};

pub(crate) fn run(arguments: &Dump, out: &mut impl Write) -> io::Result<Status> {
    if arguments.frames.is_some() && arguments.paths.len() > 1 {
        tell!("--frames gives the second file of one mesh, but {} are named", arguments.paths.len());
        return Ok(Status::Failed);
    }
    if arguments.paths.is_empty() {
        tell!("the paths contain no model");
        return Ok(Status::Failed);
    }
    let mut status = Status::Fine;
    for path in arguments.each_path() {
        status = status.max(match path {
            Ok(path) => dump(arguments, &path, out)?,
            Err(message) => {
                tell!("{message}");
                Status::Failed
            }
        });
    }
    Ok(status)
}

fn dump(arguments: &Dump, path: &Path, out: &mut impl Write) -> io::Result<Status> {
    let assets = match inputs::assets(&arguments.root, None) {
        Ok(assets) => assets,
        Err(message) => {
            tell!("{message}");
            return Ok(Status::Failed);
        }
    };
    let (item, status) = match &arguments.frames {
        Some(frames) => match pair(&assets, path, frames) {
            Ok(item) => (item, Status::Fine),
            Err(message) => {
                tell!("{message}");
                return Ok(Status::Failed);
            }
        },
        None => {
            let paths = &[path.to_owned()];
            if !inputs::is_single(paths) && !inputs::is_script_name(path) {
                tell!("{}: dump takes models, not folders or archives", path.display());
                return Ok(Status::Failed);
            }
            let (mut items, status) = inputs::expand_paths(&assets, paths, Takes::GameFormats);
            if items.len() > 1 {
                tell!("{}: dump takes one model, the script names {}", path.display(), items.len());
                return Ok(Status::Failed);
            }
            let Some(item) = items.pop() else {
                if status == Status::Fine {
                    tell!("{}: it contains no model", path.display());
                }
                return Ok(Status::Failed);
            };
            (item, status)
        }
    };
    if item.is_half() && !is_quiet() {
        tell!("{}: {}; --frames FILE names it", item.uri, errors::missing_half(&item));
    }
    let files = match item.located.load(arguments.password.get()) {
        Ok(files) => files,
        Err(error) => {
            tell!("{}", errors::asset(&error));
            return Ok(Status::Failed);
        }
    };
    match files.document() {
        Ok(document) => {
            let dump = meshlens::dump::Dump::new(&document, arguments.arrays.into());
            if arguments.pretty {
                json::write_pretty(out, &dump)?;
            } else {
                json::write(out, &dump)?;
            }
            writeln!(out)?;
            Ok(status)
        }
        Err(error) => {
            tell!("{}: {}", item.uri, errors::model(&item.uri, &files, &error));
            Ok(Status::Findings)
        }
    }
}

/// The mesh of the two named files.
fn pair(assets: &Assets, geometry: &Path, frames: &Path) -> Result<Item, String> {
    let given = |path: &Path| assets.user_path(path).map_err(|error| errors::asset(&error));
    let (geometry, frames) = (given(geometry)?, given(frames)?);
    geometry
        .with_frames(&frames)
        .map(|located| Item::new(located, true))
        .ok_or_else(|| "--frames takes two files, not folders or entries of archives".into())
}
