//! The row of one model, and the columns of the table.

use meshlens::{Report, Severity, Summary};
use serde::Serialize;

use crate::findings;
use crate::table::Column;
use crate::terminal::escape;

/// The columns of the table.
pub(crate) const COLUMNS: [Column; 10] = {
    const fn column(name: &'static str, is_number: bool, rank: Option<u8>) -> Column {
        Column { name, is_number, rank }
    }
    [
        column("file", false, None),
        column("format", false, Some(5)),
        column("version", false, Some(1)),
        column("frames", true, Some(6)),
        column("surfaces", true, Some(4)),
        column("vertices", true, Some(7)),
        column("triangles", true, Some(8)),
        column("tags", true, Some(2)),
        column("bytes", true, Some(3)),
        column("findings", false, None),
    ]
};

/// The output for one model. The members are the columns of the CSV, in this order.
#[derive(Default, Serialize)]
pub(crate) struct Row {
    pub(crate) uri: String,
    pub(crate) format: Option<&'static str>,
    pub(crate) version: Option<String>,
    /// The counts of a model that parses.
    pub(crate) frames: Option<u64>,
    pub(crate) surfaces: Option<u64>,
    pub(crate) vertices: Option<u64>,
    pub(crate) triangles: Option<u64>,
    pub(crate) tags: Option<u64>,
    /// The size in bytes; `None` for a file that cannot be read.
    pub(crate) bytes: Option<u64>,
    pub(crate) errors: Option<u64>,
    pub(crate) warnings: Option<u64>,
    pub(crate) infos: Option<u64>,
    pub(crate) hints: Option<u64>,
    pub(crate) error: Option<String>,
    /// Whether the model is encrypted and no password was given. This is not an error.
    #[serde(skip)]
    pub(crate) is_locked: bool,
    /// Whether only the headers were read, so that findings are unknown.
    #[serde(skip)]
    pub(crate) has_only_headers: bool,
}

impl Row {
    /// Sets the counts of a model that parses.
    pub(crate) fn count(&mut self, summary: Summary, report: Option<&Report>) {
        let Summary { frames, surfaces, vertices, triangles, tags } = summary;
        (self.frames, self.surfaces, self.tags) = (Some(frames), Some(surfaces), Some(tags));
        (self.vertices, self.triangles) = (Some(vertices), Some(triangles));
        let count = |severity| report.map(|report| report.count(severity));
        (self.errors, self.warnings) = (count(Severity::Error), count(Severity::Warning));
        (self.infos, self.hints) = (count(Severity::Info), count(Severity::Hint));
    }

    /// Adds the counts of another row. This is how a row of totals is computed.
    pub(crate) fn add(&mut self, row: &Row) {
        for (own, other) in [
            (&mut self.frames, row.frames),
            (&mut self.surfaces, row.surfaces),
            (&mut self.vertices, row.vertices),
            (&mut self.triangles, row.triangles),
            (&mut self.tags, row.tags),
            (&mut self.bytes, row.bytes),
            (&mut self.errors, row.errors),
            (&mut self.warnings, row.warnings),
            (&mut self.infos, row.infos),
            (&mut self.hints, row.hints),
        ] {
            if let Some(count) = other {
                *own = Some(own.unwrap_or(0).saturating_add(count));
            }
        }
    }

    /// The cells of the table, formatted.
    pub(crate) fn cells(&self) -> [String; 10] {
        let findings = match &self.error {
            Some(_) if self.is_locked => "encrypted".into(),
            Some(_) if self.bytes.is_none() => "not read".into(),
            Some(_) => "invalid".into(),
            None if self.has_only_headers => "not read".into(),
            None => {
                let counts =
                    [self.errors, self.warnings, self.infos, self.hints].map(Option::unwrap_or_default);
                findings::counts(counts).unwrap_or_else(|| "-".into())
            }
        };
        let number = |count: Option<u64>| count.map_or_else(String::new, |count| count.to_string());
        [
            escape(&self.uri),
            self.format.unwrap_or("?").into(),
            escape(self.version.as_deref().unwrap_or_default()),
            number(self.frames),
            number(self.surfaces),
            number(self.vertices),
            number(self.triangles),
            number(self.tags),
            number(self.bytes),
            findings,
        ]
    }
}
