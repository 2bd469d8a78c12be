//! One row of a census, and record batches of rows.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use meshlens::lens::{Array, Bounds};
use meshlens::model::Clip;
use meshlens::{Finding, Report, Severity, Summary};

use crate::build::{Cell, Record};
use crate::column::Column;

/// The version of the schema. Added columns increase the version. Columns are never removed, and their types never
/// change.
pub const SCHEMA_VERSION: u32 = 2;

/// The largest number of names in a list of a row, and the largest number of bytes of a text.
pub(crate) const LONGEST: usize = 1024;

/// The status of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// A model or an archive that was read.
    #[default]
    Ok,
    /// One file of an Unreal mesh without the other file. The row of the geometry file is [`Ok`](Status::Ok) if both
    /// were found, and has the counts of both.
    Half,
    /// A file that was partially read: an archive with entries that cannot be read, a glTF file without its buffers, or an
    /// Unreal mesh whose frames cannot be read.
    Incomplete,
    /// A broken model, or a broken archive.
    Invalid,
    /// An encrypted model.
    Encrypted,
    /// A file of another kind.
    Other,
    /// A file that could not be read.
    Unread,
    /// An object that changed after it was listed.
    Changed,
}

impl Status {
    /// The name in the column `status`.
    pub const fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Half => "half",
            Status::Incomplete => "incomplete",
            Status::Invalid => "invalid",
            Status::Encrypted => "encrypted",
            Status::Other => "other",
            Status::Unread => "unread",
            Status::Changed => "changed",
        }
    }
}

/// A file that was made from a model.
#[derive(Clone, Debug, Default)]
pub struct Product {
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// The properties that the file does not preserve, by code.
    pub losses: Vec<(&'static str, Severity, u64)>,
}

/// One row. [`Column`] describes the fields.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the columns are documented")]
pub struct Row {
    pub uri: String,
    pub entry: Option<String>,
    pub etag: Option<String>,
    pub size: Option<u64>,
    pub hash: Option<String>,
    pub status: Status,
    pub code: Option<&'static str>,
    pub offset: Option<u64>,
    pub message: Option<String>,
    pub format: Option<&'static str>,
    pub version: Option<String>,
    pub summary: Option<Summary>,
    pub bounds: Option<Bounds>,
    pub materials: Option<Vec<String>>,
    pub textures: Option<Vec<String>>,
    pub clips: Option<Vec<Clip>>,
    /// The name of each joint, and the index of its parent.
    pub joints: Option<Vec<(String, Option<usize>)>>,
    /// The numbers of findings by severity, the worst first.
    pub counts: Option<[u64; 4]>,
    /// The findings by code.
    pub findings: Option<Vec<(&'static str, Severity, u64)>>,
    pub seconds: Option<f64>,
    pub details: Option<Vec<Finding>>,
    pub arrays: Option<Vec<Stored>>,
    /// The product of the model. It is not in the schema of a census.
    pub product: Option<Product>,
}

impl Row {
    /// Sets a fault.
    pub fn fail(&mut self, status: Status, (code, offset): (&'static str, Option<u64>), message: &str) {
        (self.status, self.code, self.offset) = (status, Some(code), offset);
        self.message = Some(cut(message));
    }

    /// Sets the findings and their counts.
    pub(crate) fn count(&mut self, report: &Report, has_details: bool) {
        self.details = has_details.then(|| report.findings().cloned().collect());
        self.counts = Some(Severity::ALL.map(|severity| report.count(severity)));
        let findings = report.groups().map(|group| (group.code.name, group.code.severity, group.count));
        self.findings = Some(findings.collect());
    }
}

/// The start of a text, at most [`LONGEST`] bytes.
pub(crate) fn cut(text: &str) -> String {
    let ends = (0..=text.len().min(LONGEST)).rev();
    ends.filter_map(|end| text.get(..end)).next().unwrap_or_default().to_owned()
}

/// At most [`LONGEST`] names.
pub(crate) fn names<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    names.take(LONGEST).map(cut).collect()
}

/// A stored array of a model.
#[derive(Clone, Debug)]
pub struct Stored {
    semantic: &'static str,
    encoding: &'static str,
    /// The mesh, the set, the frame, the level of detail, the file, the offset, the stride and the count.
    numbers: [u64; 8],
}

impl Stored {
    pub(crate) fn new(array: Array<'_>) -> Stored {
        let [mesh, set, frame, lod, file, stride, count] = [
            array.mesh,
            array.set,
            array.frame,
            array.lod,
            array.file,
            array.lens.stride(),
            array.lens.len(),
        ]
        .map(|number| number as u64);
        let offset = array.lens.byte_range().start;
        Stored {
            semantic: array.semantic.name(),
            encoding: array.lens.format().name(),
            numbers: [mesh, set, frame, lod, file, offset, stride, count],
        }
    }
}

const fn text(name: &'static str) -> (&'static str, DataType, bool) {
    (name, DataType::Utf8, false)
}

const fn number(name: &'static str) -> (&'static str, DataType, bool) {
    (name, DataType::Int64, false)
}

const fn maybe(name: &'static str) -> (&'static str, DataType, bool) {
    (name, DataType::Int64, true)
}

impl Record for Clip {
    const FIELDS: &'static [(&'static str, DataType, bool)] = &[
        text("name"),
        number("first"),
        number("count"),
        ("rate", DataType::Float32, false),
        number("loop_frames"),
    ];

    fn cells(&self) -> Vec<Cell<'_>> {
        let [first, count, repeated] =
            [self.first, self.count, self.loop_frames].map(|number| Cell::Number(Some(number as u64)));
        vec![Cell::Text(&self.name), first, count, Cell::Float(self.rate.get()), repeated]
    }
}

impl Record for (String, Option<usize>) {
    const FIELDS: &'static [(&'static str, DataType, bool)] = &[text("name"), maybe("parent")];

    fn cells(&self) -> Vec<Cell<'_>> {
        vec![Cell::Text(&self.0), Cell::Number(self.1.map(|parent| parent as u64))]
    }
}

impl Record for (&'static str, Severity, u64) {
    const FIELDS: &'static [(&'static str, DataType, bool)] =
        &[text("code"), text("severity"), number("count")];

    fn cells(&self) -> Vec<Cell<'_>> {
        vec![Cell::Text(self.0), Cell::Text(self.1.as_str()), Cell::Number(Some(self.2))]
    }
}

impl Record for Finding {
    const FIELDS: &'static [(&'static str, DataType, bool)] =
        &[text("severity"), text("code"), text("message"), text("pointer"), maybe("offset"), number("count")];

    fn cells(&self) -> Vec<Cell<'_>> {
        let texts = [self.severity.as_str(), self.code, &self.message, &self.pointer];
        let numbers = [self.offset, Some(self.count)];
        texts.into_iter().map(Cell::Text).chain(numbers.map(Cell::Number)).collect()
    }
}

impl Record for Stored {
    const FIELDS: &'static [(&'static str, DataType, bool)] = &[
        text("semantic"),
        text("encoding"),
        number("mesh"),
        number("set"),
        number("frame"),
        number("lod"),
        number("file"),
        number("offset"),
        number("stride"),
        number("count"),
    ];

    fn cells(&self) -> Vec<Cell<'_>> {
        let texts = [self.semantic, self.encoding].map(Cell::Text);
        texts.into_iter().chain(self.numbers.map(|number| Cell::Number(Some(number)))).collect()
    }
}

/// The schema, which does not depend on the rows. Its metadata contains the version, `meshlens.census`.
pub fn schema() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        let metadata = BTreeMap::from([("meshlens.census".to_owned(), SCHEMA_VERSION.to_string())]);
        let fields: Vec<Field> = Column::ALL.iter().map(|column| column.field()).collect();
        Arc::new(Schema::new(fields).with_metadata(metadata))
    });
    SCHEMA.clone()
}

/// Rows as a record batch of the [`schema`].
///
/// # Panics
///
/// The texts of a column have more than 2 GiB together.
pub fn to_batch(rows: &[Row]) -> RecordBatch {
    let columns = Column::ALL.iter().map(|column| column.array(rows)).collect();
    // Every array has the type of its field and the length of the rows.
    RecordBatch::try_new(schema(), columns).unwrap_or_else(|error| unreachable!("{error}"))
}
