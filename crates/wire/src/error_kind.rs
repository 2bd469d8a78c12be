//! The kinds of errors, with the expected and the found value.

use core::fmt;

use crate::{Code, OutOfRange, codes};

/// The bytes found instead of an expected magic, at most eight of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Magic {
    bytes: [u8; 8],
    len: u8,
}

impl Magic {
    /// Keeps at most the first eight of `bytes`.
    pub fn new(bytes: &[u8]) -> Self {
        let mut kept = [0; 8];
        for (to, from) in kept.iter_mut().zip(bytes) {
            *to = *from;
        }
        Magic { bytes: kept, len: bytes.len().min(kept.len()) as u8 }
    }

    /// The bytes, at most eight.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or(&self.bytes)
    }
}

impl fmt::Debug for Magic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.as_bytes().escape_ascii())
    }
}

/// Whether a file is a pointer of Git LFS, by its first bytes.
pub fn is_git_lfs_pointer(bytes: &[u8]) -> bool {
    bytes.starts_with(b"version https://git-lfs.github.com/spec/v1\n")
}

/// The expected value of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// This number.
    Exactly(i64),
    /// This number or more.
    AtLeast(i64),
    /// This number or less.
    AtMost(i64),
    /// A multiple of this number.
    MultipleOf(i64),
    /// A condition in words.
    Text(&'static str),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Exactly(value) => write!(f, "{value}"),
            Expected::AtLeast(value) => write!(f, "at least {value}"),
            Expected::AtMost(value) => write!(f, "at most {value}"),
            Expected::MultipleOf(value) => write!(f, "a multiple of {value}"),
            Expected::Text(text) => f.write_str(text),
        }
    }
}

/// The kind of an error. Every kind has a stable [`Error::code`](crate::Error::code).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A table or record ends after the file, or its extent overflows.
    OutOfBounds {
        /// The name of the table or record.
        what: &'static str,
        /// The number of elements.
        count: u64,
        /// The number of bytes of an element.
        size: u64,
        /// The absolute offset of the end of the file.
        end: u64,
    },
    /// A table or record ends after the chunk that it belongs to, or its extent overflows.
    OutOfChunk {
        /// The name of the table or record.
        what: &'static str,
        /// The number of elements.
        count: u64,
        /// The number of bytes of an element.
        size: u64,
        /// The absolute offset of the end of the chunk.
        end: u64,
    },
    /// Only a part of the file is available, and it ends before the bytes that are needed.
    Incomplete {
        /// The absolute end of the bytes that are needed.
        needed: u64,
        /// The absolute end of the available bytes.
        available: u64,
    },
    /// Only a part of the file is available, and it begins after the bytes that are needed.
    BeforeStart {
        /// The absolute offset of the first available byte.
        start: u64,
    },
    /// The identifying bytes are different.
    Magic {
        /// The expected bytes.
        expected: &'static str,
        /// The bytes that were found.
        found: Magic,
    },
    /// A pointer of Git LFS in place of the file.
    GitLfsPointer,
    /// A version that the parser does not know.
    Version {
        /// The known versions.
        expected: &'static str,
        /// The version that was found.
        found: i64,
    },
    /// A number that the format does not allow.
    Value {
        /// The field.
        what: &'static str,
        /// The expected value.
        expected: Expected,
        /// The number that was found.
        found: i64,
    },
    /// An index that is out of range.
    Index {
        /// The name of an element, such as `vertex`.
        what: &'static str,
        /// The index.
        index: i64,
        /// The number of elements.
        count: u64,
    },
    /// An output, or an array that belongs to another one, has the wrong length.
    Length {
        /// The name of the elements, such as `elements of the output`.
        what: &'static str,
        /// The expected number.
        expected: u64,
        /// The number that was found.
        found: u64,
    },
    /// A part that the caller requested and the document does not have.
    Missing {
        /// Its name.
        what: &'static str,
    },
    /// Two numbers that contradict each other.
    Mismatch {
        /// The field at the offset of the error.
        what: &'static str,
        /// Its number.
        found: i64,
        /// The other field.
        with: &'static str,
        /// The number of the other field.
        other: i64,
    },
    /// A number that is NaN or infinite.
    NotFinite {
        /// The field.
        what: &'static str,
    },
    /// A string without a NUL.
    Unterminated {
        /// The field.
        what: &'static str,
    },
    /// A number that the format allows, but that exceeds a limit: one of the caller's [`Limits`](crate::Limits), or the
    /// limit of a field that is written.
    Limit {
        /// The name of the limited number.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// The number that was found.
        found: u64,
    },
    /// Memory for a value that is kept, for which a [`Budget`](crate::Budget) has too few bytes left.
    Memory {
        /// The name of the value.
        what: &'static str,
        /// The number of bytes that are needed.
        bytes: u64,
        /// The limit of the budget.
        limit: u64,
        /// The number of bytes that were already reserved.
        reserved: u64,
    },
    /// A text that does not follow its grammar.
    Syntax {
        /// The expected syntax at the offset.
        expected: &'static str,
    },
    /// A feature of the format that this crate does not support.
    Unsupported {
        /// Its name.
        what: &'static str,
    },
    /// The content is encrypted, and no password was given.
    Encrypted {
        /// The encryption.
        cipher: &'static str,
    },
    /// The decrypted content cannot be read.
    WrongPassword,
    /// The password is longer than the key of the format.
    PasswordTooLong {
        /// The number of bytes of the key.
        limit: u32,
    },
    /// An encryption that is not documented.
    UnknownEncryption {
        /// The version of the encryption.
        version: u32,
    },
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::OutOfBounds { what, count, size, .. }
            | ErrorKind::OutOfChunk { what, count, size, .. } => match count {
                1 => write!(f, "{what} of {size} bytes"),
                _ => write!(f, "{count} {what} x {size} bytes"),
            },
            ErrorKind::Incomplete { needed, available } => write!(
                f,
                "needs the bytes of the file up to {needed:#x}, but only those up to {available:#x} are available,"
            ),
            ErrorKind::BeforeStart { start } => {
                write!(f, "needs bytes before the available ones, which begin at {start:#x},")
            }
            ErrorKind::Magic { expected, found } => write!(f, "expected {expected}, found {found:?}"),
            ErrorKind::GitLfsPointer => {
                f.write_str("this is a Git LFS pointer, not the file itself; run git lfs pull")
            }
            ErrorKind::Version { expected, found } => write!(f, "expected version {expected}, found {found}"),
            ErrorKind::Value { what, expected, found } => {
                write!(f, "{what}: expected {expected}, found {found}")
            }
            ErrorKind::Index { what, index, count } => {
                OutOfRange { what, index: *index, count: *count }.fmt(f)
            }
            ErrorKind::Length { what, expected, found } => {
                write!(f, "{what}: expected {expected}, found {found}")
            }
            ErrorKind::Missing { what } => write!(f, "there is no {what}"),
            ErrorKind::Mismatch { what, found, with, other } => {
                write!(f, "{what} {found} does not fit {with} {other}")
            }
            ErrorKind::NotFinite { what } => {
                write!(f, "{what}: expected a finite number, found NaN or infinity")
            }
            ErrorKind::Unterminated { what } => {
                write!(f, "{what}: expected a NUL before the end of the bytes, found none")
            }
            ErrorKind::Limit { what, limit, found } => {
                write!(f, "{what}: the limit is {limit}, found {found}")
            }
            ErrorKind::Memory { what, bytes, limit, reserved } => {
                write!(
                    f,
                    "{what} need {bytes} bytes of memory; the limit is {limit}, {reserved} of them in use"
                )
            }
            ErrorKind::Syntax { expected } => write!(f, "expected {expected}"),
            ErrorKind::Unsupported { what } => write!(f, "{what} is not supported"),
            ErrorKind::Encrypted { cipher } => {
                write!(f, "the content is encrypted with {cipher}, and needs a password")
            }
            ErrorKind::WrongPassword => {
                f.write_str("the password is wrong, or the encrypted content is damaged")
            }
            ErrorKind::PasswordTooLong { limit } => {
                write!(f, "the password is longer than the {limit} bytes of the key")
            }
            ErrorKind::UnknownEncryption { version } => write!(f, "encryption version {version} is unknown"),
        }
    }
}

impl core::error::Error for ErrorKind {}

impl ErrorKind {
    /// The code of this kind of error.
    pub fn code(&self) -> &'static Code {
        match self {
            ErrorKind::OutOfBounds { .. } => &codes::OUT_OF_BOUNDS,
            ErrorKind::OutOfChunk { .. } => &codes::OUT_OF_CHUNK,
            ErrorKind::Incomplete { .. } | ErrorKind::BeforeStart { .. } => &codes::INCOMPLETE,
            ErrorKind::Magic { .. } => &codes::MAGIC,
            ErrorKind::GitLfsPointer => &codes::GIT_LFS_POINTER,
            ErrorKind::Version { .. } => &codes::VERSION,
            ErrorKind::Value { .. } => &codes::VALUE,
            ErrorKind::Index { .. } => &codes::INDEX_OUT_OF_RANGE,
            ErrorKind::Length { .. } => &codes::LENGTH,
            ErrorKind::Missing { .. } => &codes::MISSING,
            ErrorKind::Mismatch { .. } => &codes::MISMATCH,
            ErrorKind::NotFinite { .. } => &codes::NOT_FINITE,
            ErrorKind::Unterminated { .. } => &codes::UNTERMINATED,
            ErrorKind::Limit { .. } | ErrorKind::Memory { .. } => &codes::LIMIT,
            ErrorKind::Syntax { .. } => &codes::SYNTAX,
            ErrorKind::Unsupported { .. } => &codes::UNSUPPORTED,
            ErrorKind::Encrypted { .. } => &codes::ENCRYPTED,
            ErrorKind::WrongPassword => &codes::PASSWORD_WRONG,
            ErrorKind::PasswordTooLong { .. } => &codes::PASSWORD_TOO_LONG,
            ErrorKind::UnknownEncryption { .. } => &codes::ENCRYPTION_UNKNOWN,
        }
    }
}
