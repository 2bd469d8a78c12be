//! One row of a census, and record batches of rows.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use meshlens::lens::Bounds;
use meshlens::model::Clip;
use meshlens::{Report, Severity, Summary};

use crate::build::{Cell, list_field, points, structs, structs_field, texts};
use crate::column::Column;

/// The version of the schema. Added columns increase the version. Columns are never removed, and their types never
/// change.
pub const SCHEMA_VERSION: u32 = 1;

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
    /// A file that was partially read: an archive with entries that cannot be read, or a glTF file without its buffers.
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
    /// The product of the model. It is not in the schema of a census.
    pub product: Option<Product>,
}

impl Row {
    /// Sets a fault.
    pub fn fail(&mut self, status: Status, (code, offset): (&'static str, Option<u64>), message: &str) {
        (self.status, self.code, self.offset) = (status, Some(code), offset);
        self.message = Some(cut(message));
    }

    /// Sets the counts of findings.
    pub(crate) fn count(&mut self, report: &Report) {
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

/// The fields of the rows in lists: clips, joints and findings.
static NESTED: LazyLock<[Fields; 3]> = LazyLock::new(|| {
    let text = |name| Field::new(name, DataType::Utf8, false);
    let number = |name| Field::new(name, DataType::Int64, false);
    let rate = Field::new("rate", DataType::Float32, false);
    let parent = Field::new("parent", DataType::Int64, true);
    [
        vec![text("name"), number("first"), number("count"), rate, number("loop_frames")],
        vec![text("name"), parent],
        vec![text("code"), text("severity"), number("count")],
    ]
    .map(Fields::from)
});

/// The fields of findings and losses by code.
pub(crate) fn found_fields() -> Fields {
    NESTED[2].clone()
}

/// The schema, which does not depend on the rows. Its metadata contains the version, `meshlens.census`. Numbers are
/// signed and lists have variable length, so that every engine can read them.
pub fn schema() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        let metadata = BTreeMap::from([("meshlens.census".to_owned(), SCHEMA_VERSION.to_string())]);
        let fields: Vec<Field> = Column::ALL.iter().map(|column| field(*column)).collect();
        Arc::new(Schema::new(fields).with_metadata(metadata))
    });
    SCHEMA.clone()
}

fn field(column: Column) -> Field {
    use Column as C;

    let name = column.name();
    let [clips, joints, findings] = &*NESTED;
    match column {
        C::Uri | C::Status => Field::new(name, DataType::Utf8, false),
        C::Entry | C::Etag | C::Hash | C::Code | C::Message | C::Format | C::Version => {
            Field::new(name, DataType::Utf8, true)
        }
        C::Min | C::Max => list_field(name, DataType::Float32),
        C::Materials | C::Textures => list_field(name, DataType::Utf8),
        C::Clips => structs_field(name, clips),
        C::Joints => structs_field(name, joints),
        C::Findings => structs_field(name, findings),
        C::Seconds => Field::new(name, DataType::Float64, true),
        C::Size
        | C::Offset
        | C::Frames
        | C::Meshes
        | C::Vertices
        | C::Triangles
        | C::Tags
        | C::Errors
        | C::Warnings
        | C::Infos
        | C::Hints => Field::new(name, DataType::Int64, true),
    }
}

/// Rows as a record batch of the [`schema`].
///
/// # Panics
///
/// The texts of a column have more than 2 GiB together.
pub fn to_batch(rows: &[Row]) -> RecordBatch {
    let columns = Column::ALL.iter().map(|column| array(*column, rows)).collect();
    // Every array has the type of its field and the length of the rows.
    RecordBatch::try_new(schema(), columns).unwrap_or_else(|error| unreachable!("{error}"))
}

fn array(column: Column, rows: &[Row]) -> ArrayRef {
    use Column as C;

    let text = |cell: fn(&Row) -> Option<&str>| -> ArrayRef {
        Arc::new(rows.iter().map(cell).collect::<StringArray>())
    };
    let number = |cell: fn(&Row) -> Option<u64>| -> ArrayRef {
        Arc::new(rows.iter().map(|row| cell(row).map(signed)).collect::<Int64Array>())
    };
    let [clips, joints, findings] = &*NESTED;
    match column {
        C::Uri => text(|row| Some(&row.uri)),
        C::Entry => text(|row| row.entry.as_deref()),
        C::Etag => text(|row| row.etag.as_deref()),
        C::Hash => text(|row| row.hash.as_deref()),
        C::Status => text(|row| Some(row.status.name())),
        C::Code => text(|row| row.code),
        C::Message => text(|row| row.message.as_deref()),
        C::Format => text(|row| row.format),
        C::Version => text(|row| row.version.as_deref()),
        C::Size => number(|row| row.size),
        C::Offset => number(|row| row.offset),
        C::Frames => number(|row| Some(row.summary?.frames)),
        C::Meshes => number(|row| Some(row.summary?.surfaces)),
        C::Vertices => number(|row| Some(row.summary?.vertices)),
        C::Triangles => number(|row| Some(row.summary?.triangles)),
        C::Tags => number(|row| Some(row.summary?.tags)),
        C::Errors => number(|row| Some(row.counts?[0])),
        C::Warnings => number(|row| Some(row.counts?[1])),
        C::Infos => number(|row| Some(row.counts?[2])),
        C::Hints => number(|row| Some(row.counts?[3])),
        C::Min => points(rows.iter().map(|row| Some(row.bounds?.min))),
        C::Max => points(rows.iter().map(|row| Some(row.bounds?.max))),
        C::Materials => texts(rows.iter().map(|row| row.materials.as_deref())),
        C::Textures => texts(rows.iter().map(|row| row.textures.as_deref())),
        C::Clips => structs(clips.clone(), rows.iter().map(|row| row.clips.as_deref()), |clip| {
            let [first, count, repeated] = [clip.first, clip.count, clip.loop_frames].map(index);
            [Cell::Text(&clip.name), first, count, Cell::F32(clip.rate.get()), repeated]
        }),
        C::Joints => structs(joints.clone(), rows.iter().map(|row| row.joints.as_deref()), |joint| {
            [Cell::Text(&joint.0), joint.1.map_or(Cell::I64(None), index)]
        }),
        C::Findings => structs(findings.clone(), rows.iter().map(|row| row.findings.as_deref()), |found| {
            [Cell::Text(found.0), Cell::Text(found.1.as_str()), Cell::I64(Some(signed(found.2)))]
        }),
        C::Seconds => Arc::new(rows.iter().map(|row| row.seconds).collect::<Float64Array>()),
    }
}

/// Counts and offsets saturate, which only happens in hostile files.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn index<'r>(number: usize) -> Cell<'r> {
    Cell::I64(Some(signed(number as u64)))
}
