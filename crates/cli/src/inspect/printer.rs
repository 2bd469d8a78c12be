//! The rows of `inspect` in each output format.

use std::io::{self, Write};

use serde::Serialize;

use super::row::{COLUMNS, Row};
use super::totals::Totals;
use super::{Details, Inspected};
use crate::args::{Inspect, TableFormat};
use crate::findings;
use crate::json;
use crate::table;
use crate::terminal::{csv_cell, is_quiet, is_verbose, tell, terminal_width};

/// The maximum number of rows in a table. The column widths depend on all rows of a table; further rows begin a new
/// table.
const TABLE: usize = 4096;

/// Prints each row at once, or tables of many rows.
pub(super) enum Printer<'o, W: Write> {
    Text {
        out: &'o mut W,
        wide: bool,
        rows: Vec<Vec<String>>,
        details: Vec<(String, String)>,
        errors: Vec<String>,
        /// The number of rows that are printed.
        printed: u64,
    },
    Json {
        out: &'o mut W,
        rows: u64,
    },
    Jsonl(&'o mut W),
    Csv(Box<csv::Writer<&'o mut W>>),
}

impl<'o, W: Write> Printer<'o, W> {
    pub(super) fn new(arguments: &Inspect, out: &'o mut W) -> io::Result<Self> {
        Ok(match arguments.format {
            TableFormat::Text => Printer::Text {
                out,
                wide: arguments.wide,
                rows: Vec::new(),
                details: Vec::new(),
                errors: Vec::new(),
                printed: 0,
            },
            TableFormat::Json => {
                write!(out, "{{\"files\": [")?;
                Printer::Json { out, rows: 0 }
            }
            TableFormat::Jsonl => Printer::Jsonl(out),
            TableFormat::Csv => Printer::Csv(Box::new(csv::Writer::from_writer(out))),
        })
    }

    pub(super) fn print(&mut self, Inspected { row, details, .. }: Inspected) -> io::Result<()> {
        match self {
            Printer::Text { rows, details: all_details, errors, .. } => {
                // An unreadable file is already reported and has no cells.
                if row.bytes.is_none() {
                    return Ok(());
                }
                if let (Some(error), false) = (&row.error, row.is_locked) {
                    errors.push(format!("{}: {error}", row.uri));
                }
                if let Some(Details::Text(text)) = details {
                    all_details.push((row.uri.clone(), text));
                }
                rows.push(row.cells().into());
                if rows.len() < TABLE { Ok(()) } else { self.print_table() }
            }
            Printer::Json { out, rows } => {
                out.write_all(if *rows > 0 { b",\n" } else { b"\n" })?;
                *rows += 1;
                write_json(out, &row, details)
            }
            Printer::Jsonl(out) => {
                write_json(out, &row, details)?;
                writeln!(out)
            }
            Printer::Csv(writer) => {
                let uri = csv_cell(&row.uri);
                let version = row.version.as_deref().map(csv_cell);
                let error = row.error.as_deref().map(csv_cell);
                writer.serialize(Row { uri, version, error, ..row }).map_err(crate::table::csv_error)
            }
        }
    }

    /// Prints the rows of a table that were collected.
    fn print_table(&mut self) -> io::Result<()> {
        let Printer::Text { out, wide, rows, details, printed, .. } = self else { return Ok(()) };
        let width = if *wide { None } else { terminal_width() };
        if width.is_some() {
            for row in &mut *rows {
                row[0] = table::relative(&row[0]).to_owned();
                // The first count belongs to the most severe findings.
                if let Some((worst, _)) = row[9].split_once(", ") {
                    row[9] = format!("{worst}, …");
                }
            }
        }
        if !rows.is_empty() {
            if *printed > 0 {
                writeln!(out)?;
            }
            table::lines(&COLUMNS, rows, width).iter().try_for_each(|line| writeln!(out, "{line}"))?;
        }
        *printed += rows.len() as u64;
        rows.clear();
        for (uri, text) in details.drain(..) {
            writeln!(out)?;
            writeln!(out, "{uri}")?;
            text.lines().try_for_each(|line| writeln!(out, "{line}"))?;
        }
        self.tell_errors(TABLE)
    }

    /// Reports the errors in files, after the table with the files, if they are at least `least`.
    fn tell_errors(&mut self, least: usize) -> io::Result<()> {
        let Printer::Text { out, errors, .. } = self else { return Ok(()) };
        if errors.len() >= least {
            out.flush()?;
            errors.drain(..).for_each(|error| tell!("{error}"));
        }
        Ok(())
    }

    pub(super) fn finish(mut self, totals: &Totals) -> io::Result<()> {
        self.print_table()?;
        match &mut self {
            Printer::Text { out, printed, .. } => {
                let Totals { bytes, seconds, gigabytes_per_second, .. } = totals;
                let files = findings::count(*printed, "file");
                let some = |count: u64, what: &str| {
                    if count > 0 { format!(", {count} {what}") } else { String::new() }
                };
                let invalid = some(totals.invalid, "invalid") + &some(totals.unreadable, "not read");
                if !is_quiet() && *printed > 0 {
                    let speed = format!(", {seconds:.3} s, {gigabytes_per_second:.3} GB/s");
                    let speed = if is_verbose() { speed } else { String::new() };
                    writeln!(out)?;
                    writeln!(out, "{files}{invalid}, {bytes} bytes{speed}")?;
                }
                self.tell_errors(0)
            }
            Printer::Json { out, rows } => {
                out.write_all(if *rows > 0 { b"\n],\n\"totals\": " } else { b"],\n\"totals\": " })?;
                json::write(out, totals)?;
                writeln!(out, "}}")
            }
            Printer::Jsonl(_) => Ok(()),
            Printer::Csv(writer) => writer.flush(),
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
    json::write(out, &WithDetails { row, details })
}
