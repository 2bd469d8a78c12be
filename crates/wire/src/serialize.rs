//! Findings and reports as `serde` data, with the members of the report of the Khronos glTF-Validator.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::{Finding, Group, Report, Severity};

/// The number, as in the report of the Khronos glTF-Validator.
impl Serialize for Severity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.number())
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Finding", 6)?;
        out.serialize_field("code", self.code)?;
        out.serialize_field("message", &self.message)?;
        out.serialize_field("severity", &self.severity)?;
        out.serialize_field("pointer", &self.pointer)?;
        out.serialize_field("offset", &self.offset)?;
        out.serialize_field("count", &self.count)?;
        out.end()
    }
}

/// The first finding is omitted. If it is kept, it is among the messages of the report.
impl Serialize for Group {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Group", 5)?;
        out.serialize_field("code", self.code.name)?;
        out.serialize_field("severity", &self.code.severity)?;
        out.serialize_field("count", &self.count)?;
        out.serialize_field("findings", &self.findings)?;
        out.serialize_field("summary", self.code.plural)?;
        out.end()
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Report", 7)?;
        let counts = ["numErrors", "numWarnings", "numInfos", "numHints"];
        for (name, severity) in counts.into_iter().zip(Severity::ALL) {
            out.serialize_field(name, &self.count(severity))?;
        }
        out.serialize_field("messages", &Sequence(|| self.findings()))?;
        out.serialize_field("groups", &Sequence(|| self.groups()))?;
        out.serialize_field("truncated", &self.is_truncated())?;
        out.end()
    }
}

/// Serializes an iterator as a sequence, without collecting its items.
struct Sequence<F>(F);

impl<F: Fn() -> I, I: Iterator<Item: Serialize>> Serialize for Sequence<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}
