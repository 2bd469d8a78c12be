//! Files whose bytes could not be read, as rows.

use std::io;

use meshlens_census::{Row, Status, Unread};
use pyo3::exceptions::PyFileNotFoundError;
use pyo3::prelude::*;

use crate::Any;

/// The reason why the bytes are missing.
pub(crate) struct Gap {
    status: Status,
    code: &'static str,
    message: String,
}

impl Gap {
    /// The row of a file without its content.
    pub(crate) fn row(&self, uri: &str, etag: Option<&str>) -> Row {
        let mut row = Row { uri: uri.to_owned(), etag: etag.map(str::to_owned), ..Row::default() };
        row.fail(self.status, (self.code, None), &self.message);
        row
    }

    /// The error of a file beside the one whose bytes are missing.
    pub(crate) fn error(&self) -> io::Error {
        let kind = if self.code == "NOT_FOUND" { io::ErrorKind::NotFound } else { io::ErrorKind::Other };
        io::Error::new(kind, Unread { code: self.code, message: self.message.clone() })
    }

    pub(crate) fn no_content() -> Gap {
        Gap { status: Status::Unread, code: "NO_CONTENT", message: "there is no content".into() }
    }

    /// Converts an exception that was raised when the file was read. If it has `status = "changed"`, the file changed
    /// after it was listed.
    pub(crate) fn of(error: &Any<'_>) -> PyResult<Gap> {
        let message = error.str()?.to_string();
        let status = error.getattr("status").and_then(|status| status.extract::<String>());
        Ok(match status.as_deref() {
            Ok("changed") => Gap { status: Status::Changed, code: "CHANGED", message },
            _ if error.is_instance_of::<PyFileNotFoundError>() => {
                Gap { status: Status::Unread, code: "NOT_FOUND", message }
            }
            _ => Gap { status: Status::Unread, code: "IO", message },
        })
    }
}
