//! `meshlens validate`: prints the findings of each model, as lines, as a report in the form of the Khronos
//! glTF-Validator, as CSV, or as SARIF.

use std::io::{self, Write};

use meshlens::md3::skin;
use meshlens::{Finding, Report, Summary};
use meshlens_assets::LoadedFiles;
use serde::Serialize;

use crate::args::{Validate, ValidateFormat};
use crate::codes;
use crate::engines;
use crate::errors;
use crate::inputs::{self, Takes};
use crate::item::Item;
use crate::json;
use crate::memory::Memory;
use crate::remote::Remotes;
use crate::sarif;
use crate::status::Status;
use crate::terminal::{Output, csv_cell, is_quiet, is_verbose, tell, told};
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
        let files = findings::count(*files, "file");
        match findings::counts(*findings) {
            None => writeln!(out, "{files}: no findings"),
            Some(found) => writeln!(out, "{files}, {clean} of them without findings: {found}"),
        }
    }
}

pub(crate) fn run(arguments: &Validate, out: &mut Output) -> io::Result<Status> {
    let memory = Memory::new(arguments.max_memory);
    let Some(remotes) = told(Remotes::new(&arguments.inputs.servers)) else { return Ok(Status::Failed) };
    let mut found = Status::Fine;
    let mut printer = Printer::begin(arguments, out)?;
    let work = |item: &Item| {
        let files = &item.located.load(arguments.inputs.password.get())?;
        Ok(item.skipped(files).map_or_else(|| Ok(validate(arguments, item, files)), Err))
    };
    let read =
        batch::run(&arguments.inputs, Takes::Skins, &memory, &remotes, work, |uri, item, validated| {
            // A file that cannot be read has already been reported on standard error.
            let is_told = validated.is_err();
            let mut validated = validated.unwrap_or_else(|reason| unreadable(arguments, &reason));
            let fails = validated.report.worst().is_some_and(|worst| arguments.fail_on.includes(worst));
            if fails {
                found = Status::Findings;
            }
            if let Some(least) = arguments.min_severity {
                validated.report.keep_from(least.severity());
            }
            printer.print(uri, item, &validated, fails, is_told)
        })?;
    printer.end(read != Status::Failed)?;
    Ok(read.max(found))
}

/// The reports in the output format, printed as they come.
struct Printer<'a> {
    arguments: &'a Validate,
    out: &'a mut Output,
    /// Whether the paths name one model, whose report is not an element of an array.
    is_single: bool,
    totals: Totals,
    log: Option<sarif::Log>,
}

impl<'a> Printer<'a> {
    fn begin(arguments: &'a Validate, out: &'a mut Output) -> io::Result<Self> {
        let is_single = inputs::is_single(&arguments.inputs.paths);
        let log = (arguments.format == ValidateFormat::Sarif).then(sarif::Log::new);
        match arguments.format {
            ValidateFormat::Json if !is_single => write!(out, "[")?,
            ValidateFormat::Csv => out.write_all(b"uri,severity,code,offset,pointer,count,message\n")?,
            _ => {}
        }
        Ok(Printer { arguments, out, is_single, totals: Totals::default(), log })
    }

    fn print(
        &mut self,
        uri: &str,
        item: Option<&Item>,
        validated: &Validated,
        fails: bool,
        is_told: bool,
    ) -> io::Result<()> {
        let Validated { report, info } = validated;
        self.totals.add(report);
        match self.arguments.format {
            ValidateFormat::Text => {
                // A single file is always reported. With several files, those without findings are only counted.
                let says =
                    if is_quiet() { fails } else { self.is_single || is_verbose() || !report.is_empty() };
                if says && !is_told {
                    print_text(self.arguments, uri, report, self.out)?;
                    if fails && report.is_empty() {
                        writeln!(self.out, "  findings below --min-severity are at or above --fail-on")?;
                    }
                }
            }
            ValidateFormat::Json | ValidateFormat::Jsonl => {
                let is_array = self.arguments.format == ValidateFormat::Json && !self.is_single;
                if is_array {
                    self.out.write_all(if self.totals.files > 1 { b",\n" } else { b"\n" })?;
                }
                let (validator_version, info) = (env!("CARGO_PKG_VERSION"), info.as_ref());
                let report = FileReport { uri, validator_version, issues: report, info };
                json::write(self.out, &report)?;
                if !is_array {
                    writeln!(self.out)?;
                }
            }
            ValidateFormat::Csv => {
                print_csv(uri, report, self.out)?;
                let left = report.total().saturating_sub(report.findings().count() as u64);
                if left > 0 && !is_quiet() {
                    let left = findings::count(left, "more finding");
                    tell!("{uri}: {left} not listed; --all lists them");
                }
            }
            ValidateFormat::Sarif => {
                if let Some(log) = &mut self.log {
                    log.add(uri, item, report)?;
                }
            }
        }
        Ok(())
    }

    /// Prints the end. `is_complete` is whether all files could be read.
    fn end(self, is_complete: bool) -> io::Result<()> {
        let Printer { arguments, out, is_single, totals, log } = self;
        if let Some(log) = log {
            log.write(out, is_complete)?;
        }
        match arguments.format {
            ValidateFormat::Json if !is_single => {
                out.write_all(if totals.files > 0 { b"\n]\n" } else { b"]\n" })
            }
            ValidateFormat::Text if !is_single && totals.files > 0 && !is_quiet() => totals.print(out),
            _ => Ok(()),
        }
    }
}

/// Prints a line for each finding that is kept.
fn print_csv(uri: &str, report: &Report, out: &mut Output) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(out);
    for Finding { code, severity, message, pointer, offset, count, .. } in report.findings() {
        let (uri, pointer, message) = (csv_cell(uri), csv_cell(pointer), csv_cell(message));
        let row = (uri, severity.as_str(), code, offset, pointer, count, message);
        writer.serialize(row).map_err(crate::table::csv_error)?;
    }
    writer.flush()
}

/// The report of a file that cannot be read.
fn unreadable(arguments: &Validate, reason: &str) -> Validated {
    let mut report = Report::with_capacity(arguments.limit());
    report.lose(&codes::UNREADABLE, 1, format_args!(""), format_args!("{reason}"));
    Validated { report, info: None }
}

fn validate(arguments: &Validate, item: &Item, files: &LoadedFiles) -> Validated {
    let mut report = Report::with_capacity(arguments.limit());
    let document = match item.is_skin() {
        true => skin::validate(files.first(), &mut report).map(|()| None),
        false => files.document().map(Some),
    };
    let info = match document {
        Ok(None) => None,
        Ok(Some(document)) => {
            files.validate(&document, &mut report);
            if let Some(engine) = arguments.engine.as_deref().and_then(engines::find) {
                engine.validate(&document, &mut report);
            }
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
            findings::print_line(out, finding.severity, finding)?;
            shown += 1;
        }
    } else {
        for group in report.groups().take(limit) {
            findings::print_line(out, group.code.severity, group)?;
            shown += group.findings;
        }
    }
    let all = report.total();
    if shown < all {
        writeln!(out, "  {} more of {all} not shown (--max-findings {limit})", all - shown)?;
    }
    Ok(())
}
