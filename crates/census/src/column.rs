//! The columns of a census, and the part of a file that each column needs.

use std::str::FromStr;

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
    ($($column:ident $name:literal $needs:ident $doc:literal;)*) => {
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
        }
    };
}

columns! {
    Uri "uri" List "The file: a path or a URL.";
    Entry "entry" List "The path in the archive; null for a file that is not in an archive, and for the archive itself.";
    Etag "etag" List "The entity tag of the object, as the list of files has it.";
    Size "size" List "The size of the file in bytes.";
    Hash "hash" Whole "The BLAKE3 hash of the file, in hexadecimal digits.";
    Status "status" Headers "`ok`, `half`, `incomplete`, `invalid`, `encrypted`, `other`, `unread` or `changed`.";
    Code "code" Headers "The code of the fault; null for a model without one.";
    Offset "offset" Headers "The byte offset of the fault; null if it is not about a place in the file.";
    Message "message" Headers "The fault.";
    Format "format" Headers "The format, such as `md3`; `zip` for an archive.";
    Version "version" Headers "The version of the format.";
    Frames "frames" Headers "The number of vertex frames, or of frames of joints.";
    Meshes "meshes" Headers "The number of meshes or surfaces.";
    Vertices "vertices" Headers "The number of vertices in one frame.";
    Triangles "triangles" Headers "The number of triangles.";
    Tags "tags" Headers "The number of tags or joints.";
    Min "min" Whole "The least corner of the bounding box of all frames, in the space of the format.";
    Max "max" Whole "The greatest corner of the bounding box of all frames.";
    Materials "materials" Headers "The names of the materials.";
    Textures "textures" Headers "The textures that the file names, each once.";
    Clips "clips" Headers "The clips: name, first frame, count, rate and number of frames that repeat.";
    Joints "joints" Headers "The skeleton: the name of each joint, and the index of its parent.";
    Errors "errors" Whole "The number of findings that are errors.";
    Warnings "warnings" Whole "The number of findings that are warnings.";
    Infos "infos" Whole "The number of findings that are infos.";
    Hints "hints" Whole "The number of findings that are hints.";
    Findings "findings" Whole "The findings by code: code, severity and count, the worst first.";
    Seconds "seconds" Whole "The time of parsing and decoding. Only this column differs from run to run.";
}

/// A set of columns. The others are null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns(u32);

impl Columns {
    /// The columns that can be computed from the given part of a file, without [`Column::Seconds`].
    pub fn of(needs: Needs) -> Columns {
        let columns = Column::ALL.iter().filter(|column| column.needs() <= needs);
        columns.filter(|column| **column != Column::Seconds).fold(Columns(0), |set, column| set.with(*column))
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

/// All columns except [`Column::Seconds`], so that rows are the same in every run.
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
