//! The one error of every parser: format, place, absolute offset, what was expected and what was found.

use core::fmt;

/// The result of a parse step.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why bytes could not be read as the format they claim to be.
///
/// It owns no heap memory and borrows nothing from the input.
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
    kind: ErrorKind,
}

/// The part of a document an error speaks of, such as `surface 2`; [`Place::FILE`] is the file as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    what: &'static str,
    index: u32,
}

impl Place {
    /// The file as a whole.
    pub const FILE: Place = Place { what: "", index: 0 };

    /// Part number `index` of the parts called `what`. Indices past `u32::MAX` are shown as that.
    pub fn new(what: &'static str, index: u64) -> Self {
        Place { what, index: u32::try_from(index).unwrap_or(u32::MAX) }
    }
}

/// The first bytes found where a magic was expected, at most eight of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Magic {
    bytes: [u8; 8],
    len: u8,
}

impl Magic {
    /// Keeps at most the first eight of `bytes`.
    pub fn new(bytes: &[u8]) -> Self {
        let mut kept = [0; 8];
        let mut len = 0u8;
        for (to, from) in kept.iter_mut().zip(bytes) {
            *to = *from;
            len = len.saturating_add(1);
        }
        Magic { bytes: kept, len }
    }

    /// The bytes kept.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }
}

impl fmt::Debug for Magic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.as_bytes().escape_ascii())
    }
}

/// What a number should have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// This number.
    Exactly(i64),
    /// This number or more.
    AtLeast(i64),
    /// This number or less.
    AtMost(i64),
    /// Something words say better.
    Text(&'static str),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Exactly(value) => write!(f, "{value}"),
            Expected::AtLeast(value) => write!(f, "at least {value}"),
            Expected::AtMost(value) => write!(f, "at most {value}"),
            Expected::Text(text) => f.write_str(text),
        }
    }
}

/// What went wrong. Every kind has a stable [`Error::code`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A table or record ends past the bytes there are, or its extent overflows.
    #[error("{}", Extent { what, count: *count, size: *size })]
    OutOfBounds {
        /// What the bytes were to hold.
        what: &'static str,
        /// Elements claimed.
        count: u64,
        /// Bytes per element.
        size: u64,
        /// Absolute offset of the end of the bytes.
        end: u64,
    },
    /// A table or record ends past the chunk it belongs to, or its extent overflows.
    #[error("{}", Extent { what, count: *count, size: *size })]
    OutOfChunk {
        /// What the bytes were to hold.
        what: &'static str,
        /// Elements claimed.
        count: u64,
        /// Bytes per element.
        size: u64,
        /// Absolute offset of the end of the chunk.
        end: u64,
    },
    /// The bytes given are a prefix, and the part wanted lies behind it.
    #[error("needs the file's bytes up to {needed:#x}, only those up to {available:#x} are here")]
    Incomplete {
        /// Absolute end of the bytes wanted.
        needed: u64,
        /// Absolute end of the bytes given.
        available: u64,
    },
    /// The identifying bytes are not there.
    #[error("expected {expected}, found {found:?}")]
    Magic {
        /// What should stand there.
        expected: &'static str,
        /// What stands there.
        found: Magic,
    },
    /// A version this parser does not know.
    #[error("expected version {expected}, found {found}")]
    Version {
        /// The versions known.
        expected: &'static str,
        /// The version found.
        found: i64,
    },
    /// A number outside what the format allows.
    #[error("{what}: expected {expected}, found {found}")]
    Value {
        /// The field.
        what: &'static str,
        /// What it should be.
        expected: Expected,
        /// What it is.
        found: i64,
    },
    /// An index or frame number that is not below its count.
    #[error("{what} {index} is out of range: there are {count}")]
    Index {
        /// What is counted.
        what: &'static str,
        /// The index.
        index: i64,
        /// How many there are.
        count: u64,
    },
    /// Two numbers that must go together and do not.
    #[error("{what} {found} does not go with {with} {other}")]
    Mismatch {
        /// The field at the error's offset.
        what: &'static str,
        /// What it is.
        found: i64,
        /// The other field.
        with: &'static str,
        /// What that is.
        other: i64,
    },
    /// Not a number, or infinite.
    #[error("{what}: expected a finite number, found NaN or infinity")]
    NotFinite {
        /// The field.
        what: &'static str,
    },
    /// A string that does not end before the bytes do.
    #[error("{what}: expected a NUL before the end of the bytes, found none")]
    Unterminated {
        /// The field.
        what: &'static str,
    },
    /// A number within the format, but past what the caller's [`Limits`](crate::Limits) allow.
    #[error("{what}: the limit is {limit}, found {found}")]
    Limit {
        /// What is limited.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// What the file asks for.
        found: u64,
    },
    /// Text that does not follow its grammar.
    #[error("expected {expected}")]
    Syntax {
        /// What should stand there.
        expected: &'static str,
    },
    /// Something the format has and this parser does not read.
    #[error("{what} is not supported")]
    Unsupported {
        /// What it is.
        what: &'static str,
    },
    /// The content is encrypted, and no password was given.
    #[error("the content is encrypted with {cipher}, and needs a password")]
    Encrypted {
        /// The encryption.
        cipher: &'static str,
    },
    /// Decrypting with the password given leads to nothing readable.
    #[error("the password is wrong, or the encrypted content is damaged")]
    WrongPassword,
    /// The password is longer than the format's key.
    #[error("the password is longer than the {limit} bytes of the key")]
    PasswordTooLong {
        /// Bytes of the key.
        limit: u32,
    },
    /// An encryption nobody has documented.
    #[error("encryption version {version} is unknown")]
    UnknownEncryption {
        /// The version found.
        version: u32,
    },
}

struct Extent<'a> {
    what: &'a &'static str,
    count: u64,
    size: u64,
}

impl fmt::Display for Extent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.count == 1 {
            write!(f, "{} of {} bytes", self.what, self.size)
        } else {
            write!(f, "{} {} x {} bytes", self.count, self.what, self.size)
        }
    }
}

impl Error {
    /// An error of `format` at an absolute byte `offset`.
    pub const fn new(format: &'static str, offset: u64, kind: ErrorKind) -> Self {
        Error { format, place: Place::FILE, offset, kind }
    }

    /// The same error, said of one part of the document.
    #[must_use]
    pub const fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// The format that was being read, such as `"md3"`.
    pub const fn format(&self) -> &'static str {
        self.format
    }

    /// Absolute byte offset in the file.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The part of the document.
    pub const fn place(&self) -> Place {
        self.place
    }

    /// What went wrong, with what was expected and found.
    pub const fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// A stable name for the kind, in SCREAMING_SNAKE_CASE.
    pub const fn code(&self) -> &'static str {
        match self.kind {
            ErrorKind::OutOfBounds { .. } => "OUT_OF_BOUNDS",
            ErrorKind::OutOfChunk { .. } => "OUT_OF_CHUNK",
            ErrorKind::Incomplete { .. } => "INCOMPLETE",
            ErrorKind::Magic { .. } => "MAGIC",
            ErrorKind::Version { .. } => "VERSION",
            ErrorKind::Value { .. } => "VALUE",
            ErrorKind::Index { .. } => "INDEX_OUT_OF_RANGE",
            ErrorKind::Mismatch { .. } => "MISMATCH",
            ErrorKind::NotFinite { .. } => "NOT_FINITE",
            ErrorKind::Unterminated { .. } => "UNTERMINATED",
            ErrorKind::Limit { .. } => "LIMIT",
            ErrorKind::Syntax { .. } => "SYNTAX",
            ErrorKind::Unsupported { .. } => "UNSUPPORTED",
            ErrorKind::Encrypted { .. } => "ENCRYPTED",
            ErrorKind::WrongPassword => "PASSWORD_WRONG",
            ErrorKind::PasswordTooLong { .. } => "PASSWORD_TOO_LONG",
            ErrorKind::UnknownEncryption { .. } => "ENCRYPTION_UNKNOWN",
        }
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
            _ => write!(f, "{} at {:#x}", self.kind, self.offset),
        }
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn reads_like_a_sentence() {
        let kind = ErrorKind::OutOfBounds { what: "vertices", count: 4096, size: 8, end: 0x1e00 };
        let error = Error::new("md3", 0x1f40, kind).at(Place::new("surface", 2));
        assert_eq!(
            error.to_string(),
            "md3: surface 2: 4096 vertices x 8 bytes at 0x1f40 end past the file (0x1e00)"
        );
        let kind = ErrorKind::Magic { expected: "\"IDP3\"", found: Magic::new(b"RIFF\0\x01") };
        assert_eq!(
            Error::new("md3", 0, kind).to_string(),
            "md3: expected \"IDP3\", found \"RIFF\\x00\\x01\" at 0x0"
        );
        let kind = ErrorKind::Value { what: "NUM_TAGS", expected: Expected::AtLeast(0), found: -3 };
        assert_eq!(
            Error::new("md3", 80, kind).to_string(),
            "md3: NUM_TAGS: expected at least 0, found -3 at 0x50"
        );
        let kind = ErrorKind::Mismatch { what: "frame size", found: 13, with: "vertices", other: 4 };
        assert_eq!(
            Error::new("unreal", 2, kind).to_string(),
            "unreal: frame size 13 does not go with vertices 4 at 0x2"
        );
    }

    #[test]
    fn is_small_and_crosses_threads() {
        fn crosses<T: Send + Sync + 'static>() {}
        crosses::<Error>();
        assert!(size_of::<Error>() <= 104, "{}", size_of::<Error>());
    }
}
