//! `meshlens pack`: writes an archive whose entries are stored and aligned, with a table of the plans of its models.

mod files;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use meshlens::wire::ErrorKind;
use meshlens::{Format, Report};
use meshlens_assets::{AssetPath, Assets, Error, FindOptions, FoundFile, Located, ModelFiles};
use meshlens_source::ArchiveWriter;
use meshlens_stream::{PlanTable, PlanTableBuilder};
use serde::Serialize;

use crate::args::{Pack, ReportFormat};
use crate::progress::Progress;
use crate::status::Status;
use crate::terminal::{self, Output, is_quiet, tell, told};
use crate::{errors, findings, json};

/// The first extensions are packed first: what is read when a model is opened, before its parts.
const TEXTS: [&str; 8] = ["cfg", "skin", "shader", "uc", "mat", "xml", "txt", "json"];

pub(crate) fn run(arguments: &Pack, out: &mut Output) -> io::Result<Status> {
    crate::clean_up_on_signals();
    let Some(assets) = told(files::search_path(&arguments.paths)) else { return Ok(Status::Failed) };
    let found = files::all_files(&assets, &arguments.out).map_err(|error| errors::asset(&error));
    let Some(found) = told(found) else { return Ok(Status::Failed) };
    let mut packer = Packer {
        arguments,
        status: Status::Fine,
        models: BTreeMap::new(),
        left_out: BTreeSet::new(),
        told: BTreeSet::new(),
    };
    let table = packer.plans(&assets);
    let written = packer.write(&assets, found, table).map_err(|error| errors::file(&error));
    let Some(packed) = told(written) else { return Ok(Status::Failed) };
    if let Some(packed) = packed {
        packed.print(arguments, out)?;
    }
    Ok(packer.status)
}

struct Packer<'a> {
    arguments: &'a Pack,
    status: Status,
    /// The files of models by name: their formats, and the checksums of the bytes that the table describes.
    models: BTreeMap<String, (Format, u32)>,
    left_out: BTreeSet<String>,
    /// What was said about files that cannot be read: a model is read for its plan, and again to be packed.
    told: BTreeSet<String>,
}

/// The result.
#[derive(Serialize)]
struct Packed {
    archive: String,
    files: usize,
    models: usize,
    /// The number of models in the table.
    plans: usize,
    left_out: usize,
    /// The number of bytes of all files.
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<PackedEntry>>,
}

#[derive(Serialize)]
struct PackedEntry {
    name: String,
    bytes: u64,
    crc32: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'static str>,
}

impl Packer<'_> {
    /// Makes the table of all models.
    fn plans(&mut self, assets: &Assets) -> PlanTableBuilder {
        let mut table = PlanTableBuilder::default();
        let progress = Progress::new(None);
        let options = FindOptions { content: true, ..FindOptions::default() };
        for located in assets.each_model(&AssetPath::root(), &options) {
            let failed = match located {
                Ok(located) => self.plan(&located, &mut table, &progress).err(),
                Err(error) => Some(error),
            };
            if let Some(error) = failed {
                self.fail(errors::asset(&error), &progress);
            }
            progress.advance();
        }
        progress.clear();
        table
    }

    fn fail(&mut self, message: String, progress: &Progress) {
        self.status = Status::Failed;
        if !self.told.contains(&message) {
            progress.clear();
            tell!("{message}");
            self.told.insert(message);
        }
    }

    fn plan(
        &mut self,
        located: &Located,
        table: &mut PlanTableBuilder,
        progress: &Progress,
    ) -> Result<(), Error> {
        if let ModelFiles::Unpaired { .. } = located.files() {
            return Ok(());
        }
        let files = located.load(None)?;
        let names: Vec<&str> = located.files().files().into_iter().map(|file| file.path().as_str()).collect();
        let pairs: Vec<(&str, &[u8])> =
            names.iter().copied().zip(files.bytes().iter().map(|bytes| &**bytes)).collect();
        let planned = terminal::catch(|| {
            let document = files.document()?;
            let mut report = Report::default();
            if self.arguments.leave_out.is_some() {
                files.validate(&document, &mut report);
            }
            let limits = self.arguments.leave_out.zip(report.worst());
            let is_invalid = limits.is_some_and(|(level, worst)| level.includes(worst));
            if !is_invalid {
                table.add(&pairs)?;
            }
            Ok::<_, meshlens::Error>((document.format(), is_invalid))
        });
        let (reason, is_invalid) = match planned {
            Ok(Ok((format, is_invalid))) => {
                for (name, bytes) in pairs.iter().filter(|_| !is_invalid) {
                    self.models.insert((*name).into(), (format, crc32fast::hash(bytes)));
                }
                (None, is_invalid)
            }
            Ok(Err(error)) => {
                let is_encrypted = matches!(error.kind(), ErrorKind::Encrypted { .. });
                (Some(errors::model(names[0], &files, &error)), !is_encrypted)
            }
            Err(panicked) => (Some(panicked), true),
        };
        let name = located.path();
        if is_invalid && self.arguments.leave_out.is_some() {
            progress.clear();
            tell!(
                "{name}: left out{}",
                reason.map(|reason| format!(": {reason}")).unwrap_or(": it has findings".into())
            );
            self.left_out.extend(names.iter().map(|name| (*name).to_owned()));
            self.status = self.status.max(Status::Findings);
        } else if let Some(reason) = reason.filter(|_| !is_quiet()) {
            progress.clear();
            tell!("{name}: warning: packed without a plan: {reason}");
        }
        Ok(())
    }

    fn rank(&self, name: &str) -> usize {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match TEXTS.iter().any(|text| extension.eq_ignore_ascii_case(text)) {
            true => 0,
            false if self.models.contains_key(name) => 1,
            false => 2,
        }
    }

    /// Writes the archive. `None` if a file cannot be read and the archive would replace one that may have it.
    fn write(
        &mut self,
        assets: &Assets,
        mut files: Vec<FoundFile>,
        table: PlanTableBuilder,
    ) -> meshlens_source::Result<Option<Packed>> {
        let out = &self.arguments.out;
        let is_packed = |file: &FoundFile| {
            let name = file.path().as_str();
            !name.eq_ignore_ascii_case(PlanTable::NAME) && !self.left_out.contains(name)
        };
        files.retain(is_packed);
        files.sort_by_cached_key(|file| (self.rank(file.path().as_str()), file.path().clone()));
        let mut writer = ArchiveWriter::create(out, self.arguments.force)?;
        let progress = Progress::new(Some(files.len()));
        let mut packed = Packed {
            archive: out.display().to_string(),
            files: 0,
            models: self.models.len(),
            plans: table.len(),
            left_out: self.left_out.len(),
            bytes: 0,
            entries: self.arguments.list.then(Vec::new),
        };
        for file in &files {
            let (name, known) = (file.path().as_str(), self.models.get(file.path().as_str()));
            let read = assets.read_limited(file, u64::MAX).map_err(|error| errors::asset(&error));
            let crc32 = read.as_ref().map_or(0, |bytes| crc32fast::hash(bytes));
            let read = match known {
                Some((_, before)) if read.is_ok() && *before != crc32 => {
                    Err(format!("{file}: changed while it was packed"))
                }
                _ => read,
            };
            match read {
                Ok(content) => {
                    writer.add(name, &content)?;
                    let (bytes, format) = (content.len() as u64, known.map(|(format, _)| format.name()));
                    packed.files += 1;
                    packed.bytes += bytes;
                    if let Some(entries) = &mut packed.entries {
                        entries.push(PackedEntry { name: name.into(), bytes, crc32, format });
                    }
                }
                Err(message) => self.fail(message, &progress),
            }
            progress.advance();
        }
        progress.clear();
        if self.status == Status::Failed && out.exists() {
            tell!("{}: not replaced, because files could not be read", out.display());
            return Ok(None);
        }
        writer.add(PlanTable::NAME, &table.finish())?;
        writer.finish()?;
        Ok(Some(packed))
    }
}

impl Packed {
    fn print(&self, arguments: &Pack, out: &mut Output) -> io::Result<()> {
        if arguments.format == ReportFormat::Json {
            json::write(out, self)?;
            return writeln!(out);
        }
        for PackedEntry { name, bytes, format, .. } in self.entries.iter().flatten() {
            writeln!(out, "{bytes:>10}  {:<7}  {}", format.unwrap_or("-"), terminal::escape(name))?;
        }
        if is_quiet() {
            return Ok(());
        }
        let Packed { archive, files, plans, bytes, left_out, .. } = self;
        let left_out = if *left_out > 0 { format!(", {left_out} left out") } else { String::new() };
        let (files, models) =
            (findings::count(*files as u64, "file"), findings::count(*plans as u64, "model"));
        writeln!(out, "{archive}: {files}, {bytes} bytes, plans of {models}{left_out}")
    }
}
