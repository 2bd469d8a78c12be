//! The error of all parsers: format, place, absolute offset, expected value and found value.

use core::fmt;

use crate::ErrorKind;

/// A result with the [`Error`] of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// An error of a parser, a lens or a writer: the format, the absolute offset, the expected value and the found value.
/// It owns no heap memory and borrows nothing.
///
/// ```
/// use meshlens_wire::Data;
///
/// let error = Data::new("md3", &[0; 16]).span(8, 3, 4, "tags").unwrap_err();
/// assert_eq!(error.to_string(), "md3: 3 tags x 4 bytes at 0x8 end past the file (0x10)");
/// assert_eq!(error.offset(), 8);
/// assert_eq!(error.code(), "OUT_OF_BOUNDS");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    format: &'static str,
    place: Place,
    offset: u64,
    has_offset: bool,
    kind: ErrorKind,
}

/// The part of a document that an error is about, such as `surface 2`; [`Place::FILE`] is the whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    what: &'static str,
    index: u32,
}

impl Place {
    /// The whole file.
    pub const FILE: Place = Place { what: "", index: 0 };

    /// The part with index `index` of the parts called `what`. Larger indices are shown as `u32::MAX`.
    pub fn new(what: &'static str, index: u64) -> Self {
        Place { what, index: u32::try_from(index).unwrap_or(u32::MAX) }
    }
}

impl Error {
    /// An error of `format` at an absolute byte `offset`.
    pub const fn new(format: &'static str, offset: u64, kind: ErrorKind) -> Self {
        Error { format, place: Place::FILE, offset, has_offset: true, kind }
    }

    /// An error of a call that is not about a place in a file, such as a vertex buffer of the wrong length. Its
    /// [`offset`](Self::offset) is 0 and is not displayed.
    pub const fn of_call(format: &'static str, kind: ErrorKind) -> Self {
        Error { format, place: Place::FILE, offset: 0, has_offset: false, kind }
    }

    /// The same error, about one part of the document.
    #[must_use]
    pub const fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// The format, such as `"md3"`.
    pub const fn format(&self) -> &'static str {
        self.format
    }

    /// The absolute byte offset in the file.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the error is about a place in a file, so that its [`offset`](Self::offset) has a meaning.
    pub const fn has_offset(&self) -> bool {
        self.has_offset
    }

    /// The part of the document that the error is about.
    pub const fn place(&self) -> Place {
        self.place
    }

    /// The kind of the error, with the expected and the found value.
    pub const fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The name of the [`Code`](crate::Code) of its kind, in SCREAMING_SNAKE_CASE.
    pub fn code(&self) -> &'static str {
        self.kind.code().name
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.format)?;
        if !self.place.what.is_empty() {
            write!(f, "{} {}: ", self.place.what, self.place.index)?;
        }
        match self.kind {
            ErrorKind::OutOfBounds { end, .. } => {
                write!(f, "{} at {:#x} end past the file ({end:#x})", self.kind, self.offset)
            }
            ErrorKind::OutOfChunk { end, .. } => {
                write!(f, "{} at {:#x} end past their chunk ({end:#x})", self.kind, self.offset)
            }
            // The whole file is another one.
            _ if self.has_offset && self.kind != ErrorKind::GitLfsPointer => {
                write!(f, "{} at {:#x}", self.kind, self.offset)
            }
            _ => write!(f, "{}", self.kind),
        }
    }
}

impl core::error::Error for Error {}
