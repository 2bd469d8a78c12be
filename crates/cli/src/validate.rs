//! `meshlens validate`: prints the findings of each model, as lines, as a report in the form of the Khronos
//! glTF-Validator, or as SARIF.

use std::io::{self, Write};

use meshlens::{Report, Summary};
use meshlens_assets::LoadedFiles;
use serde::Serialize;

use crate::args::{Validate, ValidateFormat};
use crate::codes;
use crate::errors;
use crate::inputs::{self, Takes};
use crate::item::Item;
use crate::json;
use crate::memory::Memory;
use crate::sarif;
use crate::status::Status;
use crate::terminal::{Output, is_quiet, is_verbose};
use crate::{batch, findings};

/// The report of one file, with the members of a report of the Khronos glTF-Validator.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileReport<'a> {
    uri: &'a str,
    validator_version: &'static str,
    issues: &'a Report,
    info: Option<&'a Info>,
}

#[derive(Serialize)]
struct Info {
    format: &'static str,
    version: String,
    #[serde(flatten)]
    summary: Summary,
    bytes: u64,
}

/// The report of one file, and its content if it parses.
struct Validated {
    report: Report,
    info: Option<Info>,
}

/// The number of files, and the findings in all of them.
#[derive(Default)]
struct Totals {
    files: u64,
    clean: u64,
    findings: [u64; 4],
}

impl Totals {
    fn add(&mut self, report: &Report) {
        self.files += 1;
        self.clean += u64::from(report.is_empty());
        for (sum, count) in self.findings.iter_mut().zip(findings::count_all(report)) {
            *sum += count;
        }
    }

    fn print(&self, out: &mut Output) -> io::Result<()> {
        let Totals { files, clean, findings } = self;
        match findings::counts(*findings) {
            None => writeln!(out, "{files} files: no findings"),
            Some(found) => writeln!(out, "{files} files, {clean} of them without findings: {found}"),
        }
    }
}

pub(crate) fn run(arguments: &Validate, out: &mut Output) -> io::Result<Status> {
    let is_single = inputs::is_single(&arguments.inputs.paths);
    let is_array = arguments.format == ValidateFormat::Json && !is_single;
    let memory = Memory::new(arguments.max_memory);
    let mut found = Status::Fine;
    let mut totals = Totals::default();
    if is_array {
        write!(out, "[")?;
    }
    let mut log = match arguments.format {
        ValidateFormat::Sarif => Some(sarif::Log::begin(out)?),
        _ => None,
    };
    let work = |item: &Item, files: &LoadedFiles| validate(arguments, item, files);
    let read = batch::run(&arguments.inputs, Takes::GameFormats, &memory, work, |item, validated| {
        // A file that cannot be read is already reported on standard error.
        let is_told = validated.is_err();
        let validated = validated.unwrap_or_else(|error| unreadable(arguments, &item.uri, &error));
        let report = &validated.report;
        let fails = report.worst().is_some_and(|worst| arguments.fail_on.includes(worst));
        if fails {
            found = Status::Findings;
        }
        totals.add(report);
        match arguments.format {
            ValidateFormat::Text => {
                // A single file is always reported; of many, those without findings are only counted.
                let says = if is_quiet() { fails } else { is_single || is_verbose() || !report.is_empty() };
                if says && !is_told { print_text(arguments, &item.uri, report, out) } else { Ok(()) }
            }
            ValidateFormat::Json => {
                let report = FileReport {
                    uri: &item.uri,
                    validator_version: env!("CARGO_PKG_VERSION"),
                    issues: report,
                    info: validated.info.as_ref(),
                };
                if is_array {
                    out.write_all(if totals.files > 1 { b",\n" } else { b"\n" })?;
                }
                json::write(out, &report)?;
                if is_array { Ok(()) } else { writeln!(out) }
            }
            ValidateFormat::Sarif => match &mut log {
                Some(log) => log.add(out, item, report),
                None => Ok(()),
            },
        }
    })?;
    if let Some(log) = log {
        log.end(out, read != Status::Failed)?;
    }
    if is_array {
        out.write_all(if totals.files > 0 { b"\n]\n" } else { b"]\n" })?;
    }
    if arguments.format == ValidateFormat::Text && !is_single && totals.files > 0 && !is_quiet() {
        totals.print(out)?;
    }
    Ok(read.max(found))
}

/// The report of a file that cannot be read.
fn unreadable(arguments: &Validate, uri: &str, error: &meshlens_assets::Error) -> Validated {
    let mut report = Report::with_capacity(arguments.limit());
    report.lose(&codes::UNREADABLE, 1, format_args!(""), format_args!("{}", errors::reason(uri, error)));
    Validated { report, info: None }
}

fn validate(arguments: &Validate, item: &Item, files: &LoadedFiles) -> Validated {
    let mut report = Report::with_capacity(arguments.limit());
    let info = match files.document() {
        Ok(document) => {
            files.validate(&document, &mut report);
            let (format, version, bytes) = (document.format().name(), document.version(), files.len());
            Some(Info { format, version, summary: document.summary(), bytes })
        }
        Err(error) => {
            let message = errors::model(&item.uri, files, &error);
            let offset = error.offset();
            report.add(error.kind().code(), offset, format_args!(""), format_args!("{message}"));
            None
        }
    };
    Validated { report, info }
}

fn print_text(arguments: &Validate, uri: &str, report: &Report, out: &mut Output) -> io::Result<()> {
    let counted = findings::counts(findings::count_all(report));
    writeln!(out, "{uri}: {}", counted.as_deref().unwrap_or("no findings"))?;
    let limit = arguments.limit();
    let mut shown = 0;
    if arguments.all {
        for finding in report.findings() {
            findings::print_finding(out, finding)?;
            shown += 1;
        }
    } else {
        for group in report.groups().take(limit) {
            findings::print_group(out, group)?;
            shown += group.findings;
        }
    }
    let all = report.total();
    if shown < all {
        writeln!(out, "  {} more of {all} not shown (--max-findings {limit})", all - shown)?;
    }
    Ok(())
}
