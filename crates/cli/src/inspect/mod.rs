//! `meshlens inspect`: prints one line per model, and totals.

mod printer;
pub(crate) mod row;
pub(crate) mod totals;

use std::io;
use std::path::Path;
use std::time::Instant;

use meshlens::dump::{Arrays, Dump};
use meshlens::import::Importer;
use meshlens::wire::ErrorKind;
use meshlens::{Document, Format, Report, Summary};
use meshlens_assets::{LoadedFiles, ModelFiles};
use meshlens_stream::PartialModel;

use crate::args::{Inspect, TableFormat};
use crate::details::gltf;
use crate::html::{self, Report as HtmlReport};
use crate::inputs::Takes;
use crate::item::Item;
use crate::json;
use crate::memory::Memory;
use crate::remote::{NoHeaders, Remotes};
use crate::status::Status;
use crate::terminal::{Output, tell, told};
use crate::{batch, details, errors, headers, sink};

use printer::Printer;
use row::Row;
use totals::Totals;

/// A row and the output of `--details`, in the requested format.
struct Inspected {
    row: Row,
    details: Option<Details>,
    /// The picture and the findings, for the HTML report.
    shown: Option<html::ModelCard>,
    /// The status of the run, if the model is at a URL.
    status: Status,
}

impl Inspected {
    const fn of(row: Row) -> Self {
        Inspected { row, details: None, shown: None, status: Status::Fine }
    }
}

enum Details {
    Text(String),
    Json(serde_json::Value),
}

pub(crate) fn run(arguments: &Inspect, out: &mut Output) -> io::Result<Status> {
    // With --html -, the page goes to standard output and the table to standard error.
    let is_stdout = arguments.html.as_deref().is_some_and(sink::is_stdout);
    let out = if is_stdout { &mut Output::new(io::stderr()) } else { out };
    let start = Instant::now();
    let mut totals = Totals::default();
    let mut report = match HtmlReport::create(arguments.html.as_deref(), arguments.force) {
        Ok(report) => report,
        Err(failure) => return Ok(failure.tell()),
    };
    if report.is_some() {
        crate::clean_up_on_signals();
        // A reader that closes the table does not stop the report.
        out.ignore_closed();
    }
    let mut printer = Printer::new(arguments, out)?;
    // All pictures share this memory.
    let pictures = report.is_some().then(|| Memory::new(None));
    let Some(remotes) = told(Remotes::new(&arguments.inputs.servers)) else { return Ok(Status::Failed) };
    let work = |item: &Item| read(arguments, &remotes, pictures.as_ref(), item);
    let memory = Memory::new(arguments.max_memory);
    let mut worst = Status::Fine;
    let read = batch::run(&arguments.inputs, Takes::Gltf, &memory, &remotes, work, |uri, _, inspected| {
        let inspected = inspected.unwrap_or_else(|reason| {
            Inspected::of(Row { uri: uri.into(), error: Some(reason), ..Row::default() })
        });
        totals.add(&inspected.row);
        worst = worst.max(inspected.status);
        // Errors of other files are already reported.
        if let (Status::Failed | Status::Findings, Some(error), None) =
            (inspected.status, &inspected.row.error, inspected.row.bytes)
        {
            tell!("{}: {error}", inspected.row.uri);
        }
        if let Some(report) = &mut report {
            report.add(&inspected.row, inspected.shown.as_ref());
        }
        printer.print(inspected)
    })?;
    let read = read.max(worst);
    totals.seconds = start.elapsed().as_secs_f64();
    totals.gigabytes_per_second = totals.bytes as f64 / totals.seconds / 1e9;
    let valid = if totals.invalid > 0 { Status::Findings } else { Status::Fine };
    printer.finish(&totals)?;
    let written = report.map_or(Status::Fine, |report| match report.finish(&totals) {
        Ok(()) => Status::Fine,
        Err(failure) => failure.tell(),
    });
    Ok(read.max(valid).max(written))
}

/// Reads a model. The inner error is the name of another program's format.
fn read(
    arguments: &Inspect,
    remotes: &Remotes,
    pictures: Option<&Memory>,
    item: &Item,
) -> Result<Result<Inspected, &'static str>, meshlens_assets::Error> {
    if item.is_remote
        && !errors::has_gltf_name(Path::new(&item.uri))
        && let Some(inspected) = inspect_url(remotes, item)
    {
        return Ok(inspected);
    }
    if arguments.headers
        && let Some(model) = headers::read(item)?
    {
        return Ok(Ok(Inspected::of(row_of_headers(&item.uri, &model).0)));
    }
    let files = &item.located.load(arguments.inputs.password.get())?;
    if let Some(format) = item.skipped(files) {
        return Ok(Err(format));
    }
    let mut inspected = inspect(arguments, item, files);
    let (is_valid, password) = (inspected.row.error.is_none(), &arguments.inputs.password);
    inspected.shown = pictures.map(|memory| html::show(memory, item, files, is_valid, password));
    Ok(Ok(inspected))
}

fn inspect(arguments: &Inspect, item: &Item, files: &LoadedFiles) -> Inspected {
    let bytes = files.first();
    if let Some(importer) = files.importer() {
        return imported(arguments, item, &**importer, bytes);
    }
    let mut report = Report::with_capacity(0);
    let parsed = files.document();
    let document = parsed.as_ref().ok();
    if let Some(document) = document.filter(|_| !arguments.headers) {
        files.validate(document, &mut report);
    }
    // The format can often be detected even if the file does not parse.
    let format = document.map(|document| document.format()).or_else(|| Format::detect(files.first()));
    let mut row = Row {
        uri: item.uri.clone(),
        format: format.map(Format::name),
        version: match document {
            Some(document) => Some(document.version()),
            None => format.and_then(|format| format.peek_version(files.first())),
        },
        bytes: Some(files.len()),
        error: parsed.as_ref().err().map(|error| errors::model(&item.uri, files, error)),
        is_locked: parsed.as_ref().is_err_and(|error| matches!(error.kind(), ErrorKind::Encrypted { .. })),
        ..Row::default()
    };
    if let Some(document) = document {
        row.count(document.summary(), Some(&report).filter(|_| !arguments.headers));
    }
    row.has_only_headers = arguments.headers;
    let details = document.filter(|_| arguments.details).and_then(|document| match arguments.format {
        TableFormat::Text => Some(Details::Text(details::text(document))),
        TableFormat::Json | TableFormat::Jsonl => match json::to_value(&Dump::new(document, Arrays::None)) {
            Ok(details) => Some(Details::Json(details)),
            Err(error) => {
                row.error = Some(error.to_string());
                None
            }
        },
        TableFormat::Csv => None,
    });
    Inspected { details, ..Inspected::of(row) }
}

/// The row of a URL, from its headers, or the name of another program's format. `None` if the file has no format whose headers
/// can be read alone.
fn inspect_url(remotes: &Remotes, item: &Item) -> Option<Result<Inspected, &'static str>> {
    let (row, status) = match remotes.headers(item) {
        Ok(Ok(headers)) => row_of_headers(&item.uri, &headers.model),
        Ok(Err(format)) => return Some(Err(format)),
        Err(NoHeaders(_, Some(start)))
            if matches!(item.located.files(), ModelFiles::Single(_))
                && Format::detect(&start.bytes).is_none() =>
        {
            return None;
        }
        Err(NoHeaders(failure, start)) => {
            let format = start.as_ref().and_then(|start| Format::detect(&start.bytes));
            let row = Row {
                uri: item.uri.clone(),
                format: format.map(Format::name),
                version: format
                    .zip(start.as_ref())
                    .and_then(|(format, start)| format.peek_version(&start.bytes)),
                bytes: start.map(|start| start.file_len),
                error: Some(failure.message),
                ..Row::default()
            };
            (row, failure.status)
        }
    };
    Some(Ok(Inspected { status, ..Inspected::of(row) }))
}

fn row_of_headers(uri: &str, model: &PartialModel) -> (Row, Status) {
    let plan = model.plan();
    let mut row = Row {
        uri: uri.to_owned(),
        has_only_headers: true,
        format: Some(plan.format().name()),
        bytes: Some(plan.file_lens().iter().sum()),
        ..Row::default()
    };
    row.version = Some(plan.version());
    let summary = model.document().and_then(|document| match document {
        // The triangles are not read, so it is unknown whether there is an attachment.
        Document::Unreal(unreal) => Ok(Summary {
            frames: plan.located().frame_count(0) as u64,
            surfaces: plan.mesh_count() as u64,
            vertices: unreal.vertex_count() as u64,
            triangles: unreal.triangle_count() as u64,
            tags: 0,
        }),
        document => document.summary(),
    });
    match summary {
        Ok(summary) => {
            row.count(summary, None);
            row.tags = row.tags.filter(|_| plan.format() != Format::Unreal);
            (row, Status::Fine)
        }
        Err(error) => {
            row.error = Some(error.to_string());
            (row, Status::Findings)
        }
    }
}

/// The row of a file that is imported. The files that it refers to are not read.
fn imported(arguments: &Inspect, item: &Item, importer: &dyn Importer, bytes: &[u8]) -> Inspected {
    let mut row = Row {
        uri: item.uri.clone(),
        format: Some(importer.format()),
        version: Some(importer.version().into()),
        bytes: Some(bytes.len() as u64),
        ..Row::default()
    };
    match importer.summarize(bytes) {
        Ok(summary) => row.count(summary, Some(&Report::with_capacity(0))),
        Err(error) => (row.error, row.version) = (Some(error.to_string()), None),
    }
    let document = gltf::document(bytes).filter(|_| arguments.details && row.error.is_none());
    let details = document.and_then(|document| match arguments.format {
        TableFormat::Text => Some(Details::Text(gltf::text(&document))),
        TableFormat::Json | TableFormat::Jsonl => Some(Details::Json(gltf::json(&document))),
        TableFormat::Csv => None,
    });
    Inspected { details, ..Inspected::of(row) }
}
