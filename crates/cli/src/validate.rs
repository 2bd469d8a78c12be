//! `meshlens validate`: every finding of each model, as lines or as the Khronos glTF-Validator's report.

use std::io::{self, Write};

use meshlens::{Finding, Report, Severity, Summary};
use serde::Serialize;

use crate::args::{ReportFormat, Validate};
use crate::details::printable;
use crate::inputs::{self, Item};
use crate::open::{Files, Unlocked};
use crate::status::Status;
use crate::{batch, pairs};

/// The report of one file, with the members of the Khronos glTF-Validator's.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileReport {
    uri: String,
    validator_version: &'static str,
    issues: Issues,
    info: Option<Info>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Issues {
    num_errors: u64,
    num_warnings: u64,
    num_infos: u64,
    num_hints: u64,
    messages: Vec<Message>,
    truncated: bool,
}

#[derive(Serialize)]
struct Message {
    code: &'static str,
    message: String,
    severity: u8,
    pointer: String,
    offset: u64,
}

impl From<&Finding> for Message {
    fn from(finding: &Finding) -> Message {
        Message {
            code: finding.code,
            message: finding.message.clone(),
            severity: finding.severity as u8,
            pointer: finding.pointer.clone(),
            offset: finding.offset,
        }
    }
}

#[derive(Serialize)]
struct Info {
    format: &'static str,
    version: String,
    frames: u64,
    surfaces: u64,
    vertices: u64,
    triangles: u64,
    tags: u64,
    bytes: u64,
}

/// One file's report, with the worst severity in it.
struct Validated {
    report: FileReport,
    texts: Vec<String>,
    worst: Option<Severity>,
}

pub(crate) fn run(arguments: &Validate, out: &mut impl Write) -> io::Result<Status> {
    let is_array = arguments.format == ReportFormat::Json && !inputs::is_single(&arguments.inputs.paths);
    let mut found = Status::Fine;
    let mut files = 0u64;
    if is_array {
        write!(out, "[")?;
    }
    let work = |item: &Item, files: Files<'_>| validate(arguments, item, files);
    let read = batch::run(&arguments.inputs, work, |item, validated| {
        let validated = validated.unwrap_or_else(|error| unreadable(&item.uri, &error));
        if validated.worst.is_some_and(|worst| arguments.fail_on.includes(worst)) {
            found = Status::Findings;
        }
        files += 1;
        match arguments.format {
            ReportFormat::Text => print_text(&validated, out),
            ReportFormat::Json => {
                if is_array {
                    write!(out, "{}", if files > 1 { ",\n" } else { "\n" })?;
                }
                serde_json::to_writer(&mut *out, &validated.report)?;
                if is_array { Ok(()) } else { writeln!(out) }
            }
        }
    })?;
    if is_array {
        writeln!(out, "{}]", if files > 0 { "\n" } else { "" })?;
    }
    Ok(read.max(found))
}

/// The report of a file whose bytes cannot be had.
fn unreadable(uri: &str, error: &meshlens_source::Error) -> Validated {
    let finding = Finding {
        severity: Severity::Error,
        code: "UNREADABLE",
        message: error.to_string(),
        offset: 0,
        pointer: String::new(),
    };
    let issues = Issues {
        num_errors: 1,
        num_warnings: 0,
        num_infos: 0,
        num_hints: 0,
        messages: vec![Message::from(&finding)],
        truncated: false,
    };
    let report =
        FileReport { uri: uri.into(), validator_version: env!("CARGO_PKG_VERSION"), issues, info: None };
    Validated { report, texts: vec![finding.to_string()], worst: Some(Severity::Error) }
}

fn validate(arguments: &Validate, item: &Item, files: Files<'_>) -> Validated {
    let mut report = Report::with_capacity(arguments.max_findings);
    let plain = files.unlock(&arguments.inputs.password);
    let parsed = plain.as_ref().map_err(|error| *error).and_then(Unlocked::parse);
    let info = match parsed {
        Ok(document) => {
            pairs::validate(item, &document, &mut report);
            let Summary { frames, surfaces, vertices, triangles, tags } = document.summary();
            let (format, version, bytes) = (document.format().name(), document.version(), files.len());
            Some(Info { format, version, frames, surfaces, vertices, triangles, tags, bytes })
        }
        Err(error) => {
            report.add_error(&error);
            None
        }
    };
    let texts = match arguments.format {
        ReportFormat::Text => report.findings().map(ToString::to_string).collect(),
        ReportFormat::Json => Vec::new(),
    };
    let messages = match arguments.format {
        ReportFormat::Text => Vec::new(),
        ReportFormat::Json => report.findings().map(Message::from).collect(),
    };
    let issues = Issues {
        num_errors: report.count(Severity::Error),
        num_warnings: report.count(Severity::Warning),
        num_infos: report.count(Severity::Info),
        num_hints: report.count(Severity::Hint),
        messages,
        truncated: report.is_truncated(),
    };
    let validator_version = env!("CARGO_PKG_VERSION");
    let report_of_file = FileReport { uri: item.uri.clone(), validator_version, issues, info };
    Validated { report: report_of_file, texts, worst: report.worst() }
}

fn print_text(validated: &Validated, out: &mut impl Write) -> io::Result<()> {
    let FileReport { uri, issues, .. } = &validated.report;
    let counts = [
        (issues.num_errors, "error"),
        (issues.num_warnings, "warning"),
        (issues.num_infos, "info"),
        (issues.num_hints, "hint"),
    ];
    let named = counts.iter().filter(|(count, _)| *count > 0);
    let counted: Vec<String> =
        named.map(|(count, name)| format!("{count} {name}{}", if *count == 1 { "" } else { "s" })).collect();
    let verdict = if counted.is_empty() { "nothing found".into() } else { counted.join(", ") };
    writeln!(out, "{}: {verdict}", printable(uri))?;
    for text in &validated.texts {
        writeln!(out, "  {}", printable(text))?;
    }
    if issues.truncated {
        let all = counts.iter().map(|(count, _)| count).sum::<u64>();
        let left = all - validated.texts.len() as u64;
        writeln!(out, "  {left} more of {all} not shown (--max-findings {})", validated.texts.len())?;
    }
    Ok(())
}
