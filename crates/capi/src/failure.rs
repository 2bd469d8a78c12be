//! The failure of a call before it is converted for C.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;

use meshlens::wire::{ErrorKind, OverBudget};
use meshlens::{Error, wire};

use crate::result::ml_result::{self, *};
use crate::result::name_of;

/// The reason why a call failed. It is written to the caller's `ml_error`.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// An error of the library, with its location in a file, and the name of the file if it is known.
    Error(Option<Box<str>>, Box<Error>),
    /// Any other error, without a location in a file.
    Other { code: ml_result, format: &'static str, text: Cow<'static, str> },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Error(None, error) => error.fmt(f),
            Failure::Error(Some(file), error) => write!(f, "{file}: {error}"),
            Failure::Other { text, .. } => f.write_str(text),
        }
    }
}

/// A result whose error is [`Failure`].
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// A failure without a location in a file.
    pub(crate) const fn new(code: ml_result, text: &'static str) -> Failure {
        Failure::Other { code, format: "", text: Cow::Borrowed(text) }
    }

    pub(crate) fn owned(code: ml_result, text: impl fmt::Display) -> Failure {
        Failure::Other { code, format: "", text: Cow::Owned(text.to_string()) }
    }

    pub(crate) const fn argument(text: &'static str) -> Failure {
        Failure::new(ML_ERROR_ARGUMENT, text)
    }

    pub(crate) const fn callback(text: &'static str) -> Failure {
        Failure::new(ML_ERROR_CALLBACK, text)
    }

    /// The same failure, with a format.
    #[must_use]
    pub(crate) fn of(self, format: &'static str) -> Failure {
        match self {
            Failure::Other { code, text, .. } => Failure::Other { code, format, text },
            error => error,
        }
    }

    /// The same failure with the name of the file, if it has a location in one.
    #[must_use]
    pub(crate) fn in_file(self, name: &str) -> Failure {
        match self {
            Failure::Error(None, error) if error.has_offset() => Failure::Error(Some(name.into()), error),
            failure => failure,
        }
    }

    pub(crate) fn code(&self) -> ml_result {
        match self {
            Failure::Error(_, error) => code_of(error.kind()),
            Failure::Other { code, .. } => *code,
        }
    }

    pub(crate) const fn format(&self) -> &'static str {
        match self {
            Failure::Error(_, error) => error.format(),
            Failure::Other { format, .. } => format,
        }
    }

    pub(crate) fn offset(&self) -> Option<u64> {
        match self {
            Failure::Error(_, error) => error.has_offset().then_some(error.offset()),
            Failure::Other { .. } => None,
        }
    }

    /// The failure for an index that is out of range.
    pub(crate) fn index(what: &'static str, index: usize, count: usize) -> Failure {
        let index = i64::try_from(index).unwrap_or(i64::MAX);
        Error::of_call("meshlens", ErrorKind::Index { what, index, count: count as u64 }).into()
    }

    /// The failure for an output of the wrong length.
    pub(crate) fn length(what: &'static str, expected: usize, found: usize) -> Failure {
        let kind = ErrorKind::Length { what, expected: expected as u64, found: found as u64 };
        Error::of_call("meshlens", kind).into()
    }

    /// The failure for a lack of memory.
    pub(crate) const fn memory() -> Failure {
        Failure::new(ML_ERROR_MEMORY, "there is no memory left")
    }

    pub(crate) fn panic(payload: Box<dyn Any + Send>) -> Failure {
        let said = payload.downcast_ref::<&str>().map(|text| String::from(*text));
        let said = said.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        // Dropping a payload of another type could panic again.
        std::mem::forget(payload);
        Failure::owned(ML_ERROR_INTERNAL, format_args!("a fault of the library: {said}"))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Error(None, Box::new(error))
    }
}

impl From<OverBudget> for Failure {
    fn from(error: OverBudget) -> Failure {
        Failure::owned(ML_ERROR_MEMORY_LIMIT, error)
    }
}

/// The result for an error of a file, a folder or an archive.
pub(crate) fn source_result(error: &meshlens_source::Error) -> ml_result {
    use meshlens_source::Error::*;
    match error {
        error if error.is_not_found() => ML_ERROR_NOT_FOUND,
        Outside { .. } => ML_ERROR_REFUSED,
        TooLarge { .. } | Memory { .. } => ML_ERROR_MEMORY_LIMIT,
        Io { error, .. } if error.kind() == std::io::ErrorKind::OutOfMemory => ML_ERROR_MEMORY,
        Io { .. } | Folder { .. } | Changed { .. } | Exists { .. } | NotRegular { .. } => ML_ERROR_IO,
        Range { .. } => ML_ERROR_ARGUMENT,
        _ => ML_ERROR_ARCHIVE,
    }
}

impl From<meshlens_source::Error> for Failure {
    fn from(error: meshlens_source::Error) -> Failure {
        Failure::owned(source_result(&error), error)
    }
}

#[cfg(feature = "gltf")]
impl From<meshlens_gltf::Error> for Failure {
    fn from(error: meshlens_gltf::Error) -> Failure {
        use meshlens_gltf::Error::*;
        let code = match error {
            Model(error) => return error.into(),
            Memory(error) => return error.into(),
            NoClip { .. } => ML_ERROR_MISSING,
            NoFrame { .. } => ML_ERROR_INDEX,
            TooLarge { .. } | TooManyWeights { .. } => ML_ERROR_LIMIT,
            Extension { .. } => ML_ERROR_UNSUPPORTED,
            Io(_) => ML_ERROR_CALLBACK,
            _ => ML_ERROR_VALUE,
        };
        Failure::owned(code, error).of("gltf")
    }
}

#[cfg(feature = "gltf")]
impl From<meshlens_carriers::Error> for Failure {
    fn from(error: meshlens_carriers::Error) -> Failure {
        use meshlens_carriers::Error::*;
        let code = match error {
            Model(error) => return error.into(),
            Memory(error) => return error.into(),
            NoSkeleton { .. } | NothingMoves | HasJoints { .. } => ML_ERROR_UNSUPPORTED,
            TooManyPositions { .. } | TooManyJoints { .. } => ML_ERROR_LIMIT,
            _ => ML_ERROR_VALUE,
        };
        Failure::owned(code, error)
    }
}

fn code_of(kind: &wire::ErrorKind) -> ml_result {
    if matches!(kind, ErrorKind::Memory { .. }) {
        return ML_ERROR_MEMORY_LIMIT;
    }
    let name = kind.code().name;
    let found = ml_result::ALL.iter().find(|known| name_of(known).trim_end_matches('\0') == name);
    // A test finds kinds of errors without a result.
    found.map_or(ML_ERROR_INTERNAL, |(code, _)| *code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "gltf")]
    fn a_file_that_is_too_large_is_over_a_limit() {
        let failure = Failure::from(meshlens_gltf::Error::TooLarge { bytes: 1 << 32 });
        assert_eq!((failure.code(), failure.format()), (ML_ERROR_LIMIT, "gltf"));
        assert!(failure.to_string().contains("4294967296"), "{failure}");
    }

    #[test]
    fn the_message_of_a_panic_is_kept() {
        let said = std::panic::catch_unwind(|| panic!("{} is {}", 1, 2)).unwrap_err();
        assert_eq!(Failure::panic(said).to_string(), "a fault of the library: 1 is 2");
        let other = std::panic::catch_unwind(|| std::panic::panic_any(7)).unwrap_err();
        assert_eq!(Failure::panic(other).code(), ML_ERROR_INTERNAL);
    }
}
