//! The columns of a census: their names and types, the part of a file that each needs, and their values.

use std::str::FromStr;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};
use meshlens::model::Clip;
use meshlens::{Finding, Severity};

use crate::build::{Corner, Number, Records, Text, Texts, Time};
use crate::row::{Row, Stored};

/// The part of a file that must be read for a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Needs {
    /// Nothing. The column is in the list of files.
    List,
    /// The headers.
    Headers,
    /// The whole file.
    Whole,
}

macro_rules! columns {
    ($($column:ident $name:literal $needs:ident $kind:ty = $cell:expr, $doc:literal;)*) => {
        /// A column of a census.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Column {
            $(#[doc = $doc] $column,)*
        }

        impl Column {
            /// All columns, in the order of the schema.
            pub const ALL: &[Column] = &[$(Column::$column),*];

            /// The name in the schema.
            pub const fn name(self) -> &'static str {
                match self { $(Column::$column => $name),* }
            }

            /// The part of a file that must be read for it.
            pub const fn needs(self) -> Needs {
                match self { $(Column::$column => Needs::$needs),* }
            }

            /// A sentence that describes the content.
            pub const fn about(self) -> &'static str {
                match self { $(Column::$column => $doc),* }
            }

            fn kind(self) -> DataType {
                match self { $(Column::$column => <$kind>::kind()),* }
            }

            /// The values of rows.
            pub(crate) fn array(self, rows: &[Row]) -> ArrayRef {
                match self { $(Column::$column => <$kind>::array(rows, $cell)),* }
            }
        }
    };
}

columns! {
    Uri "uri" List Text = |row| Some(&row.uri), "The file: a path or a URL.";
    Entry "entry" List Text = |row| row.entry.as_deref(), "The path in the archive; null for a file that is not in an archive, and for the archive itself.";
    Etag "etag" List Text = |row| row.etag.as_deref(), "The entity tag of the object, as the list of files has it.";
    Size "size" List Number = |row| row.size, "The size of the file in bytes.";
    Hash "hash" Whole Text = |row| row.hash.as_deref(), "The BLAKE3 hash of the file, in hexadecimal digits.";
    Status "status" Headers Text = |row| Some(row.status.name()), "`ok`, `half`, `incomplete`, `invalid`, `encrypted`, `other`, `unread` or `changed`.";
    Code "code" Headers Text = |row| row.code, "The code of the fault; null for a model without one.";
    Offset "offset" Headers Number = |row| row.offset, "The byte offset of the fault; null if it is not about a place in the file.";
    Message "message" Headers Text = |row| row.message.as_deref(), "The fault.";
    Format "format" Headers Text = |row| row.format, "The format, such as `md3`; `zip` for an archive.";
    Version "version" Headers Text = |row| row.version.as_deref(), "The version of the format.";
    Frames "frames" Headers Number = |row| Some(row.summary?.frames), "The number of vertex frames, or of frames of joints.";
    Meshes "meshes" Headers Number = |row| Some(row.summary?.surfaces), "The number of meshes or surfaces.";
    Vertices "vertices" Headers Number = |row| Some(row.summary?.vertices), "The number of vertices in one frame.";
    Triangles "triangles" Headers Number = |row| Some(row.summary?.triangles), "The number of triangles.";
    Tags "tags" Headers Number = |row| Some(row.summary?.tags), "The number of tags or joints.";
    Min "min" Whole Corner = |row| Some(row.bounds?.min), "The least corner of the bounding box of all frames, in the space of the format, as a script places them. Joints do not move it.";
    Max "max" Whole Corner = |row| Some(row.bounds?.max), "The greatest corner of the bounding box of all frames.";
    Materials "materials" Headers Texts = |row| row.materials.as_deref(), "The names of the materials, in the file or in the script of an Unreal mesh.";
    Textures "textures" Headers Texts = |row| row.textures.as_deref(), "The textures that the file or the script names, each once.";
    Clips "clips" Headers Records<Clip> = |row| row.clips.as_deref(), "The clips: name, first frame, count, rate and number of frames that repeat.";
    Joints "joints" Headers Records<(String, Option<usize>)> = |row| row.joints.as_deref(), "The skeleton: the name of each joint, and the index of its parent.";
    Errors "errors" Whole Number = |row| Some(row.counts?[0]), "The number of findings that are errors.";
    Warnings "warnings" Whole Number = |row| Some(row.counts?[1]), "The number of findings that are warnings.";
    Infos "infos" Whole Number = |row| Some(row.counts?[2]), "The number of findings that are infos.";
    Hints "hints" Whole Number = |row| Some(row.counts?[3]), "The number of findings that are hints.";
    Findings "findings" Whole Records<(&'static str, Severity, u64)> = |row| row.findings.as_deref(), "The findings by code: code, severity and count, the worst first.";
    Seconds "seconds" Whole Time = |row| row.seconds, "The time of parsing and decoding. Only this column differs from run to run.";
    Details "details" Whole Records<Finding> = |row| row.details.as_deref(), "The findings, at most 100, the worst first: severity, code, message, pointer, offset and count.";
    Arrays "arrays" Whole Records<Stored> = |row| row.arrays.as_deref(), "The arrays as they are stored: semantic, encoding, mesh, set, frame, lod, file, offset, stride and count.";
}

impl Column {
    /// The columns that are only filled if they are named.
    pub const NAMED: [Column; 3] = [Column::Seconds, Column::Details, Column::Arrays];

    /// The field in the schema.
    pub(crate) fn field(self) -> Field {
        Field::new(self.name(), self.kind(), !matches!(self, Column::Uri | Column::Status))
    }
}

/// A set of columns. The others are null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns(u64);

impl Columns {
    /// The columns that can be computed from the given part of a file, without [`Column::NAMED`].
    pub fn of(needs: Needs) -> Columns {
        let columns = Column::ALL.iter().filter(|column| column.needs() <= needs);
        columns
            .filter(|column| !Column::NAMED.contains(column))
            .fold(Columns(0), |set, column| set.with(*column))
    }

    /// The set with one more column.
    #[must_use]
    pub const fn with(self, column: Column) -> Columns {
        Columns(self.0 | 1 << column as u32)
    }

    /// Whether a column is in the set.
    pub const fn has(self, column: Column) -> bool {
        self.0 & 1 << column as u32 != 0
    }

    /// Whether one of the columns is in the set.
    pub fn has_any(self, columns: &[Column]) -> bool {
        columns.iter().any(|column| self.has(*column))
    }

    /// The part of a file that the columns need.
    pub fn needs(self) -> Needs {
        let needs = self.iter().map(Column::needs);
        needs.max().unwrap_or(Needs::List)
    }

    /// The columns, in the order of the schema.
    pub fn iter(self) -> impl Iterator<Item = Column> {
        Column::ALL.iter().copied().filter(move |column| self.has(*column))
    }
}

/// All columns except [`Column::NAMED`], so that rows are the same in every run.
impl Default for Columns {
    fn default() -> Columns {
        Columns::of(Needs::Whole)
    }
}

/// Names of columns, separated by commas. `all` is the default, and `headers` is the set of columns that need only
/// headers. The columns of the list of files, `status`, `code`, `offset` and `message` are always in the set.
impl FromStr for Columns {
    type Err = String;

    fn from_str(text: &str) -> Result<Columns, String> {
        let mut columns = Columns::of(Needs::List);
        for column in [Column::Status, Column::Code, Column::Offset, Column::Message] {
            columns = columns.with(column);
        }
        for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            columns = match name {
                "all" => Columns(columns.0 | Columns::default().0),
                "headers" => Columns(columns.0 | Columns::of(Needs::Headers).0),
                _ => match Column::ALL.iter().find(|column| column.name() == name) {
                    Some(column) => columns.with(*column),
                    None => return Err(format!("there is no column {name:?}; columns: {}", names())),
                },
            };
        }
        Ok(columns)
    }
}

fn names() -> String {
    let names: Vec<&str> = Column::ALL.iter().map(|column| column.name()).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_determine_the_part_that_is_read() {
        let parse = |text: &str| text.parse::<Columns>();
        assert_eq!(parse("format,vertices").unwrap().needs(), Needs::Headers);
        assert_eq!(parse("headers, hash").unwrap().needs(), Needs::Whole);
        assert_eq!(parse("all"), Ok(Columns::default()));
        assert!(!Columns::default().has(Column::Seconds) && parse("seconds").unwrap().has(Column::Seconds));
        let error = parse("format,colour").unwrap_err();
        assert!(error.starts_with("there is no column \"colour\"; columns: uri, entry,"), "{error}");
    }
}
