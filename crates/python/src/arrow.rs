//! Batches of files as Arrow record batches, by the PyCapsule interface.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::builder::{
    FixedSizeListBuilder, Float32Builder, ListBuilder, StringBuilder, StructBuilder, UInt32Builder,
    UInt64Builder,
};
use arrow_array::ffi::FFI_ArrowArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Field, Fields, Schema};
use meshlens::{Finding, Report, Severity, Summary};
use meshlens_assets::OpenOptions;
use meshlens_gltf::summarize;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use crate::error::{Failure, guarded};
use crate::input::{Given, Options, is_gltf};

/// The version of the schema. A column that is added is a new version; none is removed or changes its type.
const VERSION: &str = "1";

/// What a batch tells of each file, besides its counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Clips,
    Findings,
    Arrays,
}

/// One row.
#[derive(Default)]
struct Row {
    uri: String,
    size: Option<u64>,
    error: Option<(String, String, Option<u64>)>,
    format: Option<&'static str>,
    version: Option<String>,
    summary: Option<Summary>,
    bounds: Option<meshlens::lens::Bounds>,
    clips: Option<Vec<meshlens::model::Clip>>,
    findings: Option<([u64; 4], Vec<Finding>)>,
    arrays: Option<Vec<ArrayRow>>,
}

struct ArrayRow {
    semantic: &'static str,
    encoding: &'static str,
    numbers: [u32; 5],
    places: [u64; 3],
}

/// The number of findings of a row.
const FINDINGS: usize = 100;

impl Row {
    fn read(given: &Given, options: &Options, part: Part) -> Row {
        let mut row = Row { uri: given.label(), ..Row::default() };
        if let Err(failure) = guarded(|| row.fill(given, options, part)) {
            let (code, offset) = failure.code();
            row.error = Some((code.into(), failure.text(), offset));
        }
        row
    }

    fn fill(&mut self, given: &Given, options: &Options, part: Part) -> Result<(), Failure> {
        let located = options.locate(given)?;
        let loaded = options.load(&located)?;
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
            Part::Arrays => {
                let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
                let row = |array: meshlens::lens::Array<'_>| ArrayRow {
                    semantic: array.semantic.name(),
                    encoding: array.lens.format().name(),
                    numbers: [array.mesh, array.set, array.frame, array.lod, array.file].map(number),
                    places: [
                        array.lens.byte_range().start,
                        array.lens.stride() as u64,
                        array.lens.len() as u64,
                    ],
                };
                self.arrays = Some(document.arrays().map(row).collect());
            }
            Part::Clips => {
                let open = OpenOptions { materials: false, levels: false, ..options.open()? };
                let asset = located.open_loaded(loaded, &open)?;
                let clips = asset.scene().nodes.iter().flat_map(|node| &node.model.clips);
                self.clips = Some(clips.cloned().collect());
            }
        }
        Ok(())
    }
}

fn field(name: &str, kind: DataType, nullable: bool) -> Field {
    Field::new(name, kind, nullable)
}

fn list(name: &str, fields: &Fields) -> Field {
    let item = Field::new("item", DataType::Struct(fields.clone()), false);
    Field::new(name, DataType::List(Arc::new(item)), true)
}

fn point(name: &str) -> Field {
    let item = Arc::new(Field::new("item", DataType::Float32, false));
    Field::new(name, DataType::FixedSizeList(item, 3), true)
}

/// The fields of nested rows: clips, findings and arrays.
fn nested() -> [Fields; 3] {
    use DataType::{Float32, UInt32, UInt64, Utf8};
    let number = |name| field(name, UInt64, false);
    let small = |name| field(name, UInt32, false);
    let text = |name| field(name, Utf8, false);
    [
        vec![
            text("name"),
            number("first"),
            number("count"),
            field("rate", Float32, false),
            number("loop_frames"),
        ],
        vec![
            text("severity"),
            text("code"),
            text("message"),
            text("pointer"),
            field("offset", UInt64, true),
            number("count"),
        ],
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
    let texts = TEXTS.iter().map(|name| field(name, DataType::Utf8, *name != "uri"));
    let numbers = NUMBERS.iter().map(|name| field(name, DataType::UInt64, true));
    let [clips, findings, arrays] = nested();
    let lists = [list("clips", &clips), list("findings", &findings), list("arrays", &arrays)];
    let fields: Vec<Field> = texts.chain(numbers).chain([point("min"), point("max")]).chain(lists).collect();
    Schema::new(fields)
        .with_metadata(std::collections::BTreeMap::from([("meshlens.schema".to_owned(), VERSION.to_owned())]))
}

/// Appends a nested row with the builders of its fields.
fn put(rows: &mut ListBuilder<StructBuilder>, texts: &[&str], numbers: &[(usize, Option<u64>)]) {
    let row = rows.values();
    for (column, text) in texts.iter().enumerate() {
        if let Some(builder) = row.field_builder::<StringBuilder>(column) {
            builder.append_value(text);
        }
    }
    for (column, number) in numbers {
        if let Some(builder) = row.field_builder::<UInt64Builder>(*column) {
            builder.append_option(*number);
        }
    }
    row.append(true);
}

fn clips(rows: &[Row], fields: Fields) -> ArrayRef {
    let mut list = list_of(fields);
    for row in rows {
        for clip in row.clips.iter().flatten() {
            if let Some(rate) = list.values().field_builder::<Float32Builder>(3) {
                rate.append_value(clip.rate.get());
            }
            let numbers = [(1, clip.first), (2, clip.count), (4, clip.loop_frames)];
            put(&mut list, &[&clip.name], &numbers.map(|(column, number)| (column, Some(number as u64))));
        }
        list.append(row.clips.is_some());
    }
    Arc::new(list.finish())
}

fn findings(rows: &[Row], fields: Fields) -> ArrayRef {
    let mut list = list_of(fields);
    for row in rows {
        for found in row.findings.iter().flat_map(|(_, findings)| findings) {
            let texts = [found.severity.as_str(), found.code, &found.message, &found.pointer];
            put(&mut list, &texts, &[(4, found.offset), (5, Some(found.count))]);
        }
        list.append(row.findings.is_some());
    }
    Arc::new(list.finish())
}

fn arrays(rows: &[Row], fields: Fields) -> ArrayRef {
    let mut list = list_of(fields);
    for row in rows {
        for array in row.arrays.iter().flatten() {
            for (column, number) in array.numbers.iter().enumerate() {
                if let Some(builder) = list.values().field_builder::<UInt32Builder>(2 + column) {
                    builder.append_value(*number);
                }
            }
            let [offset, stride, count] = array.places.map(Some);
            put(&mut list, &[array.semantic, array.encoding], &[(7, offset), (8, stride), (9, count)]);
        }
        list.append(row.arrays.is_some());
    }
    Arc::new(list.finish())
}

fn list_of(fields: Fields) -> ListBuilder<StructBuilder> {
    let item = Field::new("item", DataType::Struct(fields.clone()), false);
    ListBuilder::new(StructBuilder::from_fields(fields, 0)).with_field(item)
}

fn points(rows: &[Row], corner: fn(&meshlens::lens::Bounds) -> [f32; 3]) -> ArrayRef {
    let item = Field::new("item", DataType::Float32, false);
    let mut points = FixedSizeListBuilder::new(Float32Builder::new(), 3).with_field(item);
    for row in rows {
        points.values().append_slice(&row.bounds.as_ref().map_or([0.0; 3], corner));
        points.append(row.bounds.is_some());
    }
    Arc::new(points.finish())
}

/// Rows as a record batch of the schema.
fn batch(rows: &[Row]) -> Result<RecordBatch, arrow_schema::ArrowError> {
    let mut columns: Vec<ArrayRef> = Vec::new();
    for column in 0..TEXTS.len() {
        let text = |row: &Row| match column {
            0 => Some(row.uri.clone()),
            1 => row.error.as_ref().map(|(code, ..)| code.clone()),
            2 => row.error.as_ref().map(|(_, message, _)| message.clone()),
            3 => row.format.map(str::to_owned),
            _ => row.version.clone(),
        };
        columns.push(Arc::new(rows.iter().map(text).collect::<arrow_array::StringArray>()));
    }
    for column in 0..NUMBERS.len() {
        let number = |row: &Row| {
            let count = |count: fn(&Summary) -> u64| row.summary.as_ref().map(count);
            match column {
                0 => row.error.as_ref().and_then(|(.., offset)| *offset),
                1 => row.size,
                2 => count(|summary| summary.frames),
                3 => count(|summary| summary.surfaces),
                4 => count(|summary| summary.vertices),
                5 => count(|summary| summary.triangles),
                6 => count(|summary| summary.tags),
                _ => row.findings.as_ref().and_then(|(counts, _)| counts.get(column - 7).copied()),
            }
        };
        columns.push(Arc::new(rows.iter().map(number).collect::<arrow_array::UInt64Array>()));
    }
    columns.push(points(rows, |bounds| bounds.min));
    columns.push(points(rows, |bounds| bounds.max));
    let [of_clips, of_findings, of_arrays] = nested();
    columns.extend([clips(rows, of_clips), findings(rows, of_findings), arrays(rows, of_arrays)]);
    RecordBatch::try_new(Arc::new(schema()), columns)
}

#[doc = doc!(RecordBatch)]
#[pyclass(frozen, module = "meshlens.arrow", name = "RecordBatch")]
pub(crate) struct Batch(RecordBatch);

fn failed(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pymethods]
impl Batch {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.0.schema()).map_err(failed)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // A producer may ignore the request, and the consumer then casts.
        let _ = requested_schema;
        let array = FFI_ArrowArray::new(&StructArray::from(self.0.clone()).to_data());
        Ok((self.__arrow_c_schema__(py)?, PyCapsule::new_with_value(py, array, c"arrow_array")?))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let reader: Box<dyn RecordBatchReader + Send> =
            Box::new(RecordBatchIterator::new([Ok(self.0.clone())], self.0.schema()));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
    }

    #[getter]
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.0.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("<RecordBatch: {} rows, schema {VERSION} of meshlens>", self.0.num_rows())
    }
}

/// The number of files between two looks at signals, for each thread.
const STEP: usize = 16;

/// Reads files in parallel, and looks for signals between steps.
fn read(
    py: Python<'_>,
    given: &[Given],
    options: &Options,
    part: Part,
    threads: usize,
) -> PyResult<Vec<Row>> {
    let mut rows = Vec::with_capacity(given.len());
    for step in given.chunks(STEP * threads) {
        py.check_signals()?;
        let mut done = py.detach(|| {
            let next = AtomicUsize::new(0);
            let work = || {
                let mut done = Vec::new();
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(given) = step.get(index) else { return done };
                    done.push((index, Row::read(given, options, part)));
                }
            };
            if threads == 1 {
                return work();
            }
            std::thread::scope(|scope| {
                let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
                // A thread does not panic: every row is guarded.
                running.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
            })
        });
        done.sort_by_key(|(index, _)| *index);
        rows.extend(done.into_iter().map(|(_, row)| row));
    }
    Ok(rows)
}

/// Inspects, validates or lists the arrays of many files.
#[pyfunction]
#[pyo3(name = "_arrow", signature = (part, sources, names, threads, **kwargs))]
pub(crate) fn arrow(
    py: Python<'_>,
    part: &str,
    sources: &Bound<'_, PyAny>,
    names: Option<Vec<String>>,
    threads: usize,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<Batch> {
    let part = match part {
        "inspect" => Part::Clips,
        "validate" => Part::Findings,
        _ => Part::Arrays,
    };
    let (options, _) = Options::read(kwargs)?;
    let mut names = names.into_iter().flatten();
    let given: Vec<Given> =
        sources.try_iter()?.map(|source| Given::read(&source?, names.next())).collect::<PyResult<_>>()?;
    let rows = read(py, &given, &options, part, threads.clamp(1, 256))?;
    Ok(Batch(batch(&rows).map_err(failed)?))
}
