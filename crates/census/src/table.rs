//! The rows of `meshlens.arrow`, the Python module: files that a caller has located, with one list of nested rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Fields, Schema};
use meshlens::model::Clip;
use meshlens::{Finding, Report, Severity, Summary};
use meshlens_assets::{LoadedFiles, Located, OpenOptions};
use meshlens_gltf::summarize;

use crate::build::{Cell, fixed_points, fixed_points_field, structs, structs_field};
use crate::{Fault, is_gltf};

/// The version of the schema. Added columns increase the version. Columns are never removed, and their types never
/// change.
pub const VERSION: &str = "1";

/// The maximum number of findings in a row.
const FINDINGS: usize = 100;

/// The nested rows of each file in a batch, in addition to its counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The clips.
    Clips,
    /// The findings.
    Findings,
    /// The stored arrays.
    Arrays,
}

/// One row.
#[derive(Debug, Default)]
pub struct Row {
    uri: String,
    size: Option<u64>,
    fault: Option<(&'static str, Option<u64>, String)>,
    format: Option<&'static str>,
    version: Option<String>,
    summary: Option<Summary>,
    bounds: Option<meshlens::lens::Bounds>,
    clips: Option<Vec<Clip>>,
    findings: Option<([u64; 4], Vec<Finding>)>,
    arrays: Option<Vec<ArrayRow>>,
}

#[derive(Debug)]
struct ArrayRow {
    semantic: &'static str,
    encoding: &'static str,
    /// The mesh, the set, the frame, the level of detail and the file.
    numbers: [u32; 5],
    /// The offset, the stride and the count.
    places: [u64; 3],
}

impl Row {
    /// A row for a file without any known properties.
    pub fn new(uri: String) -> Row {
        Row { uri, ..Row::default() }
    }

    /// Sets the code, the byte offset and the message of a fault. Known properties of the file are unchanged.
    pub fn fail(&mut self, (code, offset): (&'static str, Option<u64>), message: String) {
        self.fault = Some((code, offset, message));
    }

    /// Describes loaded files.
    ///
    /// # Errors
    ///
    /// The files are not a model, or are invalid. The row then has the properties that are known.
    pub fn fill(
        &mut self,
        located: Located,
        loaded: LoadedFiles,
        part: Part,
        options: OpenOptions,
    ) -> Result<(), Fault> {
        self.size = Some(loaded.len());
        if is_gltf(&located, &loaded) {
            self.format = Some("gltf");
            self.summary = Some(summarize(loaded.first())?);
            return Ok(());
        }
        let document = loaded.document()?;
        self.format = Some(document.format().name());
        self.version = Some(document.version());
        self.summary = Some(document.summary());
        self.bounds = document.bounds();
        match part {
            Part::Findings => {
                let mut report = Report::with_capacity(FINDINGS);
                loaded.validate(&document, &mut report);
                let counts = Severity::ALL.map(|severity| report.count(severity));
                self.findings = Some((counts, report.findings().cloned().collect()));
            }
            Part::Arrays => self.arrays = Some(document.arrays().map(ArrayRow::new).collect()),
            Part::Clips => {
                let open = OpenOptions { materials: false, levels: false, ..options };
                let asset = located.open_loaded(loaded, &open)?;
                let clips = asset.scene().nodes.iter().flat_map(|node| &node.model.clips);
                self.clips = Some(clips.cloned().collect());
            }
        }
        Ok(())
    }

    fn count(&self, count: fn(&Summary) -> u64) -> Option<u64> {
        self.summary.as_ref().map(count)
    }

    fn number(&self, column: usize) -> Option<u64> {
        match column {
            0 => self.fault.as_ref()?.1,
            1 => self.size,
            2 => self.count(|summary| summary.frames),
            3 => self.count(|summary| summary.surfaces),
            4 => self.count(|summary| summary.vertices),
            5 => self.count(|summary| summary.triangles),
            6 => self.count(|summary| summary.tags),
            _ => self.findings.as_ref()?.0.get(column - 7).copied(),
        }
    }

    fn text(&self, column: usize) -> Option<&str> {
        match column {
            0 => Some(&self.uri),
            1 => Some(self.fault.as_ref()?.0),
            2 => Some(&self.fault.as_ref()?.2),
            3 => self.format,
            _ => self.version.as_deref(),
        }
    }
}

impl ArrayRow {
    fn new(array: meshlens::lens::Array<'_>) -> ArrayRow {
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        ArrayRow {
            semantic: array.semantic.name(),
            encoding: array.lens.format().name(),
            numbers: [array.mesh, array.set, array.frame, array.lod, array.file].map(number),
            places: [array.lens.byte_range().start, array.lens.stride() as u64, array.lens.len() as u64],
        }
    }
}

/// The fields of nested rows: clips, findings and arrays.
fn nested() -> [Fields; 3] {
    let field = |name, kind| Field::new(name, kind, false);
    let number = |name| field(name, DataType::UInt64);
    let small = |name| field(name, DataType::UInt32);
    let text = |name| field(name, DataType::Utf8);
    let rate = field("rate", DataType::Float32);
    let offset = Field::new("offset", DataType::UInt64, true);
    [
        vec![text("name"), number("first"), number("count"), rate, number("loop_frames")],
        vec![text("severity"), text("code"), text("message"), text("pointer"), offset, number("count")],
        vec![
            text("semantic"),
            text("encoding"),
            small("mesh"),
            small("set"),
            small("frame"),
            small("lod"),
            small("file"),
            number("offset"),
            number("stride"),
            number("count"),
        ],
    ]
    .map(Fields::from)
}

const TEXTS: [&str; 5] = ["uri", "error_code", "error_message", "format", "version"];
const NUMBERS: [&str; 11] = [
    "error_offset",
    "bytes",
    "frames",
    "surfaces",
    "vertices",
    "triangles",
    "tags",
    "errors",
    "warnings",
    "infos",
    "hints",
];

fn schema() -> Schema {
    let texts = TEXTS.iter().map(|name| Field::new(*name, DataType::Utf8, *name != "uri"));
    let numbers = NUMBERS.iter().map(|name| Field::new(*name, DataType::UInt64, true));
    let points = ["min", "max"].map(fixed_points_field);
    let [clips, findings, arrays] = nested();
    let lists = [("clips", &clips), ("findings", &findings), ("arrays", &arrays)];
    let lists = lists.map(|(name, fields)| structs_field(name, fields));
    let fields: Vec<Field> = texts.chain(numbers).chain(points).chain(lists).collect();
    Schema::new(fields).with_metadata(BTreeMap::from([("meshlens.schema".to_owned(), VERSION.to_owned())]))
}

/// Rows as a record batch of the schema.
///
/// # Panics
///
/// The texts of a column have more than 2 GiB together.
pub fn to_batch(rows: &[Row]) -> RecordBatch {
    let mut columns: Vec<ArrayRef> = Vec::new();
    for column in 0..TEXTS.len() {
        columns.push(Arc::new(rows.iter().map(|row| row.text(column)).collect::<StringArray>()));
    }
    for column in 0..NUMBERS.len() {
        columns.push(Arc::new(rows.iter().map(|row| row.number(column)).collect::<UInt64Array>()));
    }
    columns.push(fixed_points(rows.iter().map(|row| Some(row.bounds?.min))));
    columns.push(fixed_points(rows.iter().map(|row| Some(row.bounds?.max))));
    let [clips, findings, arrays] = nested();
    let number = |number: u64| Cell::U64(Some(number));
    columns.push(structs(clips, rows.iter().map(|row| row.clips.as_deref()), |clip| {
        let [first, count, repeated] = [clip.first, clip.count, clip.loop_frames].map(|n| number(n as u64));
        [Cell::Text(&clip.name), first, count, Cell::F32(clip.rate.get()), repeated]
    }));
    let found = rows.iter().map(|row| row.findings.as_ref().map(|(_, findings)| findings.as_slice()));
    columns.push(structs(findings, found, |found| {
        let texts = [found.severity.as_str(), found.code, &found.message, &found.pointer];
        let [severity, code, message, pointer] = texts.map(Cell::Text);
        [severity, code, message, pointer, Cell::U64(found.offset), number(found.count)]
    }));
    columns.push(structs(arrays, rows.iter().map(|row| row.arrays.as_deref()), |array| {
        let [mesh, set, frame, lod, file] = array.numbers.map(Cell::U32);
        let [offset, stride, count] = array.places.map(number);
        let (semantic, encoding) = (Cell::Text(array.semantic), Cell::Text(array.encoding));
        [semantic, encoding, mesh, set, frame, lod, file, offset, stride, count]
    }));
    // Every array has the type of its field and the length of the rows.
    RecordBatch::try_new(Arc::new(schema()), columns).unwrap_or_else(|error| unreachable!("{error}"))
}
