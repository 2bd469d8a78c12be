//! `meshlens dump`: prints the whole content of models, one JSON document each.

use std::io::{self, Write};
use std::path::Path;

use meshlens_assets::Assets;

use crate::args::Dump;
use crate::errors;
use crate::inputs::{self, Items, Stdin, Takes};
use crate::item::Item;
use crate::json;
use crate::status::Status;
use crate::terminal::{self, is_quiet, tell, told};

pub(crate) fn run(arguments: &Dump, out: &mut impl Write) -> io::Result<Status> {
    if arguments.frames.is_some() && arguments.paths.len() > 1 {
        tell!("--frames gives the second file of one mesh, but {} are named", arguments.paths.len());
        return Ok(Status::Failed);
    }
    if arguments.paths.is_empty() {
        tell!("the paths contain no model");
        return Ok(Status::Failed);
    }
    let (mut status, stdin) = (Status::Fine, Stdin::default());
    for path in arguments.each_path() {
        status = status.max(match told(path) {
            Some(path) => match terminal::catch(|| dump(arguments, &path, &stdin, out)) {
                Ok(status) => status?,
                Err(what) => {
                    tell!("{}: {what}", path.display());
                    Status::Failed
                }
            },
            None => Status::Failed,
        });
    }
    Ok(status)
}

fn dump(arguments: &Dump, path: &Path, stdin: &Stdin, out: &mut impl Write) -> io::Result<Status> {
    let Some(assets) = told(inputs::assets(&arguments.root, None)) else { return Ok(Status::Failed) };
    let Some((item, status)) = item(arguments, &assets, path, stdin) else { return Ok(Status::Failed) };
    if item.is_half() && !is_quiet() {
        tell!("{}: {}; --frames FILE names it", item.uri, item.missing_half());
    }
    let files = item.located.load(arguments.password.get()).map_err(|error| errors::asset(&error));
    let Some(files) = told(files) else { return Ok(Status::Failed) };
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

/// The model that the arguments name; `None` after the reason is printed.
fn item(arguments: &Dump, assets: &Assets, path: &Path, stdin: &Stdin) -> Option<(Item, Status)> {
    if let Some(frames) = &arguments.frames {
        return told(pair(assets, path, frames)).map(|item| (item, Status::Fine));
    }
    let paths = &[path.to_owned()];
    if !inputs::is_single(paths) && !inputs::is_script_name(path) {
        tell!("{}: dump takes models, not folders or archives", path.display());
        return None;
    }
    let paths = Box::new(paths.iter().cloned().map(Ok));
    let mut items = Items::new(assets, paths, Takes::GameFormats, stdin);
    let mut found: Vec<Item> = items.by_ref().collect();
    let status = items.status();
    if found.len() > 1 {
        tell!("{}: dump takes one model, the script names {}", path.display(), found.len());
        return None;
    }
    let item = found.pop();
    if item.is_none() && status == Status::Fine {
        tell!("{}: it contains no model", path.display());
    }
    Some((item?, status))
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
