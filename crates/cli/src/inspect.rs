//! `meshlens inspect`: one line for each model, and totals.

use std::io::{self, Write};
use std::time::Instant;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use meshlens::dump::{Arrays, Dump};
use meshlens::wire::ErrorKind;
use meshlens::{Document, Format, Report, Severity, Summary};
use serde::Serialize;

use crate::args::{Inspect, TableFormat};
use crate::inputs::Item;
use crate::open::{Files, Unlocked};
use crate::status::Status;
use crate::tell::tell;
use crate::{batch, details, pairs};

/// What is said of one model. The members are the columns of the CSV, in this order.
#[derive(Default, Serialize)]
struct Row {
    uri: String,
    format: Option<&'static str>,
    version: Option<String>,
    frames: u64,
    surfaces: u64,
    vertices: u64,
    triangles: u64,
    tags: u64,
    bytes: u64,
    errors: u64,
    warnings: u64,
    infos: u64,
    hints: u64,
    error: Option<String>,
    /// Encrypted, and no password given: not wrong, only closed.
    #[serde(skip)]
    is_locked: bool,
}

#[derive(Serialize)]
struct Totals {
    files: u64,
    invalid: u64,
    frames: u64,
    surfaces: u64,
    vertices: u64,
    triangles: u64,
    bytes: u64,
    seconds: f64,
    gigabytes_per_second: f64,
}

/// A row, with what `--details` adds to it in the format asked for.
struct Inspected {
    row: Row,
    details: Option<Details>,
}

enum Details {
    Text(String),
    Json(serde_json::Value),
}

pub(crate) fn run(arguments: &Inspect, out: &mut impl Write) -> io::Result<Status> {
    let start = Instant::now();
    let mut totals = Totals {
        files: 0,
        invalid: 0,
        frames: 0,
        surfaces: 0,
        vertices: 0,
        triangles: 0,
        bytes: 0,
        seconds: 0.0,
        gigabytes_per_second: 0.0,
    };
    let mut printer = Printer::new(arguments.format, out)?;
    let work = |item: &Item, files: Files<'_>| inspect(arguments, item, files);
    let read = batch::run(&arguments.inputs, work, |item, inspected| {
        let inspected = inspected.unwrap_or_else(|error| {
            let row = Row { uri: item.uri.clone(), error: Some(error.to_string()), ..Row::default() };
            Inspected { row, details: None }
        });
        totals.add(&inspected.row);
        printer.print(inspected)
    })?;
    totals.seconds = start.elapsed().as_secs_f64();
    totals.gigabytes_per_second = totals.bytes as f64 / totals.seconds / 1e9;
    let valid = if totals.invalid > 0 { Status::Findings } else { Status::Fine };
    printer.finish(&totals)?;
    Ok(read.max(valid))
}

fn inspect(arguments: &Inspect, item: &Item, files: Files<'_>) -> Inspected {
    let mut report = Report::with_capacity(0);
    let plain = files.unlock(&arguments.inputs.password);
    let parsed = plain.as_ref().map_err(|error| *error).and_then(Unlocked::parse);
    let document = parsed.as_ref().ok();
    if let Some(document) = document {
        pairs::validate(item, document, &mut report);
    }
    let summary = document.map(Document::summary).unwrap_or_default();
    let Summary { frames, surfaces, vertices, triangles, tags } = summary;
    // What does not parse may still say what it is.
    let format = document.map(Document::format).or_else(|| Format::detect(files.first()));
    let row = Row {
        uri: item.uri.clone(),
        format: format.map(Format::name),
        version: match document {
            Some(document) => Some(document.version()),
            None => format.and_then(|format| format.peek_version(files.first())),
        },
        frames,
        surfaces,
        vertices,
        triangles,
        tags,
        bytes: files.len(),
        errors: report.count(Severity::Error),
        warnings: report.count(Severity::Warning),
        infos: report.count(Severity::Info),
        hints: report.count(Severity::Hint),
        error: parsed.as_ref().err().map(ToString::to_string),
        is_locked: parsed.as_ref().is_err_and(|error| matches!(error.kind(), ErrorKind::Encrypted { .. })),
    };
    let details = document.filter(|_| arguments.details).and_then(|document| match arguments.format {
        TableFormat::Text => Some(Details::Text(details::text(document))),
        TableFormat::Json | TableFormat::Jsonl => {
            serde_json::to_value(Dump::new(document, Arrays::None)).ok().map(Details::Json)
        }
        TableFormat::Csv => None,
    });
    Inspected { row, details }
}

impl Totals {
    fn add(&mut self, row: &Row) {
        self.files += 1;
        self.invalid += u64::from(row.error.is_some() && !row.is_locked);
        self.frames += row.frames;
        self.surfaces += row.surfaces;
        self.vertices += row.vertices;
        self.triangles += row.triangles;
        self.bytes += row.bytes;
    }
}

/// Prints rows as they come, but for the table, whose columns are as wide as their widest cell.
enum Printer<'o, W: Write> {
    Text { out: &'o mut W, table: Box<Table>, details: Vec<(String, String)>, errors: Vec<String> },
    Json { out: &'o mut W, rows: u64 },
    Jsonl(&'o mut W),
    Csv(Box<csv::Writer<&'o mut W>>),
}

const COLUMNS: [&str; 10] =
    ["file", "format", "version", "frames", "surfaces", "vertices", "triangles", "tags", "bytes", "findings"];

impl<'o, W: Write> Printer<'o, W> {
    fn new(format: TableFormat, out: &'o mut W) -> io::Result<Self> {
        Ok(match format {
            TableFormat::Text => {
                let mut table = Table::new();
                table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
                table.set_header(COLUMNS);
                for (index, column) in table.column_iter_mut().enumerate() {
                    column.set_padding((0, 2));
                    if (3..9).contains(&index) {
                        column.set_cell_alignment(CellAlignment::Right);
                    }
                }
                Printer::Text { out, table: Box::new(table), details: Vec::new(), errors: Vec::new() }
            }
            TableFormat::Json => {
                write!(out, "{{\"files\": [")?;
                Printer::Json { out, rows: 0 }
            }
            TableFormat::Jsonl => Printer::Jsonl(out),
            TableFormat::Csv => Printer::Csv(Box::new(csv::Writer::from_writer(out))),
        })
    }

    fn print(&mut self, Inspected { row, details }: Inspected) -> io::Result<()> {
        match self {
            Printer::Text { table, details: all_details, errors, .. } => {
                // What cannot be read was told of when it was not read.
                if let (Some(error), true) = (&row.error, row.bytes > 0 && !row.is_locked) {
                    errors.push(format!("{}: {error}", row.uri));
                }
                if let Some(Details::Text(text)) = details {
                    all_details.push((row.uri.clone(), text));
                }
                table.add_row(row.cells());
                Ok(())
            }
            Printer::Json { out, rows } => {
                write!(out, "{}", if *rows > 0 { ",\n" } else { "\n" })?;
                *rows += 1;
                write_json(out, &row, details)
            }
            Printer::Jsonl(out) => {
                write_json(out, &row, details)?;
                writeln!(out)
            }
            Printer::Csv(writer) => writer.serialize(&row).map_err(io::Error::other),
        }
    }

    fn finish(self, totals: &Totals) -> io::Result<()> {
        match self {
            Printer::Text { out, table, details, errors } => {
                for line in table.lines() {
                    writeln!(out, "{}", line.trim_end())?;
                }
                for (uri, text) in details {
                    write!(out, "\n{uri}\n{text}")?;
                }
                let Totals { files, invalid, bytes, seconds, gigabytes_per_second, .. } = totals;
                let invalid = if *invalid > 0 { format!(", {invalid} invalid") } else { String::new() };
                writeln!(
                    out,
                    "\n{files} files{invalid}, {bytes} bytes, {seconds:.3} s, {gigabytes_per_second:.3} GB/s"
                )?;
                out.flush()?;
                for error in errors {
                    tell!("{error}");
                }
                Ok(())
            }
            Printer::Json { out, rows } => {
                write!(out, "{}],\n\"totals\": ", if rows > 0 { "\n" } else { "" })?;
                serde_json::to_writer(&mut *out, totals)?;
                writeln!(out, "}}")
            }
            Printer::Jsonl(_) => Ok(()),
            Printer::Csv(mut writer) => writer.flush(),
        }
    }
}

fn write_json(out: &mut impl Write, row: &Row, details: Option<Details>) -> io::Result<()> {
    #[derive(Serialize)]
    struct WithDetails<'r> {
        #[serde(flatten)]
        row: &'r Row,
        #[serde(skip_serializing_if = "Option::is_none")]
        details: Option<serde_json::Value>,
    }
    let details = match details {
        Some(Details::Json(value)) => Some(value),
        _ => None,
    };
    Ok(serde_json::to_writer(out, &WithDetails { row, details })?)
}

impl Row {
    fn cells(&self) -> [String; 10] {
        let findings = match &self.error {
            Some(_) if self.is_locked => "encrypted".into(),
            Some(_) => "invalid".into(),
            None => {
                let counts = [
                    (self.errors, "error"),
                    (self.warnings, "warning"),
                    (self.infos, "info"),
                    (self.hints, "hint"),
                ];
                let named = counts.iter().filter(|(count, _)| *count > 0);
                let text = |(count, name): &(_, &str)| {
                    format!("{count} {name}{}", if *count == 1 { "" } else { "s" })
                };
                let texts: Vec<String> = named.map(text).collect();
                if texts.is_empty() { "-".into() } else { texts.join(", ") }
            }
        };
        [
            details::printable(&self.uri),
            self.format.unwrap_or("?").into(),
            self.version.clone().unwrap_or_default(),
            self.frames.to_string(),
            self.surfaces.to_string(),
            self.vertices.to_string(),
            self.triangles.to_string(),
            self.tags.to_string(),
            self.bytes.to_string(),
            findings,
        ]
    }
}
