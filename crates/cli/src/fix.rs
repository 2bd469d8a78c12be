//! `meshlens fix`: writes models and their skins without what `validate` finds and nobody sees.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use meshlens::fix::{FixOptions, Fixed, fix, fix_skin};
use meshlens::model::export;
use meshlens::u3d::FileHeader;
use meshlens::wire::Group;
use meshlens::{Document, Model, Report};
use meshlens_assets::{Error, LoadedFiles};
use serde::Serialize;

use crate::args::{Fix, ReportFormat};
use crate::engines;
use crate::failure::Failure;
use crate::findings;
use crate::hash::hash;
use crate::inputs::Takes;
use crate::item::Item;
use crate::memory::Memory;
use crate::outputs::geometry_of;
use crate::remote::Remotes;
use crate::sink::{self, Sink};
use crate::status::Status;
use crate::terminal::{Output, is_quiet, is_verbose, tell, told};
use crate::{batch, errors, inputs, json};

/// What was done with one model.
struct Done {
    /// The files that are written; none if nothing is mended, except for standard output.
    outputs: Vec<PathBuf>,
    fixed: Fixed,
}

/// One element of the JSON output.
#[derive(Serialize)]
struct Row<'a> {
    uri: &'a str,
    outputs: Vec<String>,
    mended: Vec<Mended>,
    /// The findings about the mended file.
    left: &'a Report,
}

#[derive(Serialize)]
struct Mended {
    code: &'static str,
    count: u64,
}

pub(crate) fn run(arguments: &Fix, out: &mut Output) -> io::Result<Status> {
    crate::clean_up_on_signals();
    let is_stdout = arguments.output.as_deref().is_some_and(sink::is_stdout);
    if is_stdout && sink::stdout_is_terminal() && !arguments.force {
        tell!("standard output is a terminal: redirect it, or name a file with -o");
        return Ok(Status::Failed);
    }
    // With -o -, the model goes to standard output and the report to standard error.
    let out = if is_stdout { &mut Output::new(io::stderr()) } else { out };
    if !arguments.dry_run {
        // A reader that closes the report does not stop the work.
        out.ignore_closed();
    }
    let memory = Memory::new(arguments.max_memory);
    let Some(remotes) = told(Remotes::new(&arguments.inputs.servers)) else { return Ok(Status::Failed) };
    let mut found = Status::Fine;
    let is_json = arguments.format == ReportFormat::Json;
    let is_single = inputs::is_single(&arguments.inputs.paths);
    let (mut rows, mut written, mut files) = (0, 0, HashMap::new());
    // The first model for -o FILE, which is written if it is the only one.
    let (mut first, mut count) = (None, 0_u64);
    if is_json {
        write!(out, "[")?;
    }
    let work = |item: &Item| {
        let files = &item.located.load(arguments.inputs.password.get())?;
        match item.skipped(files) {
            Some(format) => Ok(Err(format)),
            None => mend(arguments, item, files, &memory).map(Ok),
        }
    };
    let mut end = |item: &Item, done: Result<Done, Failure>| {
        let done = done.and_then(|done| commit(arguments, item, done, &mut files));
        let Done { outputs, fixed } = match done {
            Ok(done) => done,
            Err(failure) => {
                found = found.max(failure.tell());
                return Ok(());
            }
        };
        if fixed.left.worst().is_some_and(|worst| arguments.fail_on.includes(worst)) {
            found = found.max(Status::Findings);
        }
        rows += 1;
        if is_json {
            out.write_all(if rows > 1 { b",\n" } else { b"\n" })?;
            let outputs = outputs.iter().map(|path| path.display().to_string()).collect();
            let mended = fixed.mended.iter();
            let mended = mended.map(|group| Mended { code: group.code.name, count: group.findings });
            json::write(out, &Row { uri: &item.uri, outputs, mended: mended.collect(), left: &fixed.left })
        } else {
            written += usize::from(!fixed.mended.is_empty());
            // With several files, those without anything to mend are only counted.
            let says = is_single || is_verbose() || !fixed.mended.is_empty();
            if says { print_text(arguments, &item.uri, &outputs, &fixed, out) } else { Ok(()) }
        }
    };
    let mut read =
        batch::run(&arguments.inputs, Takes::Skins, &memory, &remotes, work, |_, item, result| {
            // A file that cannot be read has already been reported on standard error.
            let (Some(item), Ok(done)) = (item, result) else { return Ok(()) };
            if arguments.output.is_none() {
                return end(item, done);
            }
            count += 1;
            if count == 1 {
                first = Some((item.clone(), done));
            }
            Ok(())
        })?;
    match first {
        Some((item, done)) if count == 1 => end(&item, done)?,
        Some(_) => {
            tell!("-o takes one model, and {count} were named");
            read = Status::Failed;
        }
        None => {}
    }
    if !(is_json || is_single || is_quiet() || count > 1) {
        let what = if arguments.dry_run { "would be mended" } else { "mended" };
        writeln!(out, "{}, {written} {what}", findings::count(rows, "file"))?;
    }
    if is_json {
        out.write_all(if rows > 0 { b"\n]\n" } else { b"]\n" })?;
    }
    Ok(read.max(found))
}

/// Mends a model in memory.
fn mend(
    arguments: &Fix,
    item: &Item,
    files: &LoadedFiles,
    memory: &Memory,
) -> Result<Result<Done, Failure>, Error> {
    let failed = |error: &meshlens::Error| {
        Failure::input(format!("{}: cannot be mended: {}", item.uri, errors::model(&item.uri, files, error)))
    };
    let is_stdout = arguments.output.as_deref().is_some_and(sink::is_stdout);
    let made = |fixed: meshlens::Result<Fixed>| {
        let mut fixed = fixed.map_err(|error| failed(&error))?;
        let mut paths = Vec::new();
        if is_stdout || !fixed.mended.is_empty() {
            // What is only looked at may have no path, such as an entry of an archive.
            paths = match outputs(arguments, item, fixed.files.len()) {
                Err(_) if arguments.dry_run => paths,
                outputs => outputs?,
            };
        }
        if is_stdout && fixed.mended.is_empty() {
            // The next program of a pipe gets the file as it is.
            fixed.files = vec![files.first().to_vec()];
        }
        Ok(Done { outputs: paths, fixed })
    };
    if item.is_skin() {
        return Ok(made(fix_skin(files.first())));
    }
    let document = match files.document() {
        Ok(document) => document,
        Err(error) => return Ok(Err(failed(&error))),
    };
    if let Document::U3d(_) = document
        && FileHeader::read(files.first()).is_ok_and(|header| header.is_encrypted())
    {
        let message = "is encrypted, and what is mended would not be";
        return Ok(Err(Failure::input(format!("{}: cannot be mended: it {message}", item.uri))));
    }
    let model = match Model::new(document.clone()) {
        Ok(model) => model,
        Err(error) => return Ok(Err(failed(&error))),
    };
    let _reserved = export::reserve(&model, memory.budget())
        .map_err(|over| Error::Memory { file: item.uri.as_str().into(), over: Box::new(over) })?;
    let mut options = FixOptions::default();
    let engine = arguments.engine.as_deref().and_then(engines::find);
    options.surface_limits = engine.and_then(|engine| engine.surface_limits(document.format().name()));
    options.sprites = item.located.sprite_surfaces(&document);
    Ok(made(fix(&document, &options)))
}

/// The paths of the mended files.
fn outputs(arguments: &Fix, item: &Item, count: usize) -> Result<Vec<PathBuf>, Failure> {
    if let Some(output) = &arguments.output {
        if count == 1 {
            return Ok(vec![output.clone()]);
        }
        if sink::is_stdout(output) {
            return Err(Failure::system(format!("{}: -o - takes one file, and the mesh has two", item.uri)));
        }
        let geometry = geometry_of(output);
        let name = geometry.file_name().unwrap_or_default().to_string_lossy();
        let frames = geometry.with_file_name(format!("{}_a.3d", name.strip_suffix("_d.3d").unwrap_or(&name)));
        return Ok(vec![geometry, frames]);
    }
    let files = item.located.files().files();
    let paths = files.iter().take(count).map(|file| file.os_path().filter(|_| !item.is_stdin));
    let unnamed =
        || Failure::input(format!("{}: can be mended with -o FILE, which names the output", item.uri));
    let paths: Vec<PathBuf> = paths.collect::<Option<_>>().ok_or_else(unnamed)?;
    // A link stays, and its file is mended.
    let in_place = |path: PathBuf| match path.is_symlink() {
        true => path.canonicalize().unwrap_or(path),
        false => path,
    };
    Ok(match arguments.in_place {
        true => paths.into_iter().map(in_place).collect(),
        false => paths.iter().map(|path| beside(path)).collect(),
    })
}

/// The path beside a file: x.fixed.md3 for x.md3, and x.fixed_d.3d for x_d.3d, so that the two files of a mesh still match.
fn beside(path: &Path) -> PathBuf {
    let extension = path.extension();
    let is_unreal = extension.is_some_and(|extension| extension.eq_ignore_ascii_case("3d"));
    let stem = path.file_stem().unwrap_or_default();
    let halves = stem
        .to_str()
        .filter(|_| is_unreal)
        .and_then(|stem| stem.split_at_checked(stem.len().checked_sub(2)?));
    let halves = halves.filter(|(_, half)| ["_d", "_a"].iter().any(|known| half.eq_ignore_ascii_case(known)));
    let (start, half) = halves.map_or((stem, ""), |(start, half)| (OsStr::new(start), half));
    let mut name = start.to_owned();
    name.push(".fixed");
    name.push(half);
    if let Some(extension) = extension {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Writes the mended files. Meshes may share a file, which is written once: `files` has a hash of the content of each file that
/// this run has written.
fn commit(
    arguments: &Fix,
    item: &Item,
    done: Done,
    files: &mut HashMap<PathBuf, u64>,
) -> Result<Done, Failure> {
    if arguments.dry_run || done.outputs.is_empty() {
        return Ok(done);
    }
    let mut new = Vec::new();
    for (path, bytes) in done.outputs.iter().zip(&done.fixed.files) {
        let key = path.canonicalize().unwrap_or_else(|_| path.clone());
        match files.get(&key) {
            None => new.push((path, bytes, key)),
            Some(known) if *known == hash(bytes) => {}
            Some(_) => {
                let path = path.display();
                let message = "is written already, with another content, for a mesh that shares it";
                return Err(Failure::system(format!("{}: {path} {message}", item.uri)));
            }
        }
    }
    let mut sinks = Vec::new();
    let permissions = |path: &Path| {
        let replaced = fs::metadata(path).ok().filter(|_| arguments.in_place);
        replaced.map(|metadata| metadata.permissions())
    };
    if arguments.in_place {
        for (path, ..) in &new {
            let mut copy = path.as_os_str().to_owned();
            copy.push(".bak");
            let copy = Path::new(&copy);
            if copy.symlink_metadata().is_ok() {
                let copy = copy.display();
                return Err(Failure::system(format!(
                    "{copy}: exists already, and a copy is never overwritten"
                )));
            }
            let bytes = meshlens_source::Source::read(path).map_err(Failure::file)?;
            sinks.push(Sink::written_with(copy, &bytes, false, permissions(path))?);
        }
    }
    for (path, bytes, _) in &new {
        let overwrite = arguments.in_place || arguments.force;
        sinks.push(Sink::written_with(path, bytes, overwrite, permissions(path))?);
    }
    // The copies come first.
    Sink::commit_all(sinks)?;
    for (path, bytes, key) in new {
        // A file that is new has this path only now.
        files.insert(path.canonicalize().unwrap_or(key), hash(bytes));
    }
    Ok(done)
}

fn print_text(
    arguments: &Fix,
    uri: &str,
    outputs: &[PathBuf],
    fixed: &Fixed,
    out: &mut Output,
) -> io::Result<()> {
    let total: u64 = fixed.mended.iter().map(|group| group.findings).sum();
    let total = findings::count(total, "finding");
    if fixed.mended.is_empty() {
        if !is_quiet() {
            writeln!(out, "{uri}: nothing to mend")?;
        }
    } else if arguments.dry_run {
        writeln!(out, "{uri}: {total} would be mended")?;
    } else {
        let names: Vec<String> = outputs.iter().map(|path| path.display().to_string()).collect();
        writeln!(out, "{uri} -> {}: {total} mended", names.join(", "))?;
    }
    for Group { code, findings, first, .. } in &fixed.mended {
        let message = first.as_ref().map_or(code.plural, |first| &first.message);
        if *findings == 1 {
            writeln!(out, "  mended: {message} [{code}]")?;
        } else {
            writeln!(out, "  mended: {findings} {}, such as {message} [{code}]", code.plural)?;
        }
    }
    if let Some(left) = findings::counts(findings::count_all(&fixed.left)).filter(|_| !is_quiet()) {
        writeln!(out, "  left: {left}")?;
    }
    Ok(())
}
