//! Findings: the problems of a file that a validator reports, and the losses of a conversion.

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use crate::{Code, Error, ErrorKind, Severity};

// This function is in this module because it returns an error, and errors depend on severities.
impl FromStr for Severity {
    type Err = Error;

    /// The severity with this [name](Severity::as_str).
    fn from_str(text: &str) -> Result<Self, Error> {
        let found = Severity::ALL.into_iter().find(|severity| severity.as_str() == text);
        found.ok_or_else(|| {
            Error::of_call("severity", ErrorKind::Syntax { expected: "error, warning, info or hint" })
        })
    }
}

/// One finding about one place in a file, or about several values with the same fault.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The severity of its [`Code`].
    pub severity: Severity,
    /// The name of its [`Code`].
    pub code: &'static str,
    /// The message: a description of the problem, with numbers.
    pub message: String,
    /// The absolute byte offset in the file; `None` if the finding is not about a place in a file.
    pub offset: Option<u64>,
    /// The place in the document, such as `/surfaces/2/triangles/17`; empty for the whole document.
    pub pointer: String,
    /// The number of values or places that the finding is about, usually 1.
    pub count: u64,
}

impl Finding {
    /// A finding about one value, without an offset and without a place.
    pub fn new(code: &'static Code, message: impl Into<String>) -> Self {
        Finding {
            severity: code.severity,
            code: code.name,
            message: message.into(),
            offset: None,
            pointer: String::new(),
            count: 1,
        }
    }
}

impl From<&Error> for Finding {
    fn from(error: &Error) -> Self {
        Finding {
            offset: Some(error.offset()),
            ..Finding::new(error.kind().code(), alloc::format!("{error}"))
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.severity, self.code, self.message)?;
        if !self.pointer.is_empty() {
            write!(f, " ({})", self.pointer)?;
        }
        match self.offset {
            // The message of an error already contains the offset.
            Some(offset) if names(&self.message, offset) => Ok(()),
            Some(offset) => write!(f, " at {offset:#x}"),
            None => Ok(()),
        }
    }
}

fn names(message: &str, offset: u64) -> bool {
    let offset = format!(" at {offset:#x}");
    message
        .split(offset.as_str())
        .skip(1)
        .any(|after| !after.starts_with(|next: char| next.is_ascii_hexdigit()))
}

/// All findings of one code.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Group {
    /// The code.
    pub code: &'static Code,
    /// The number of values or places that the findings are about: the sum of their [`Finding::count`].
    pub count: u64,
    /// The number of findings.
    pub findings: u64,
    /// The finding that was added first; `None` if the report keeps no findings.
    pub first: Option<Finding>,
}

impl fmt::Display for Group {
    /// Writes a single finding unchanged, and several findings as one line: their number, a description, and the place
    /// of the first one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.first {
            Some(first) if self.findings == 1 => write!(f, "{first}"),
            first => {
                let Code { severity, name, plural, .. } = self.code;
                write!(f, "{severity} {name}: {} {plural}", self.count)?;
                match first {
                    Some(first) if !first.pointer.is_empty() => write!(f, "; first {}", first.pointer),
                    Some(Finding { offset: Some(offset), .. }) => write!(f, "; first at {offset:#x}"),
                    _ => Ok(()),
                }
            }
        }
    }
}
