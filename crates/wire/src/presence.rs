//! Documents with all bytes of their file, and documents with some of them.

use core::fmt::Debug;

use crate::{Error, Result};

/// The part of its file that a document has: all bytes ([`Complete`]), or some of them ([`Partial`]).
///
/// A document type has this trait as a parameter, which is [`Complete`] by default. Getters that read bytes of the file
/// return [`P::Of<T>`](Self::Of). A program that uses one of the two types only sees `T` or `Result<T>`.
///
/// ```
/// use meshlens_wire::{Complete, Partial, Presence, Result};
///
/// fn getter<P: Presence>() -> P::Of<u32> {
///     P::read(Ok(7), || 0)
/// }
///
/// let of_complete: u32 = getter::<Complete>();
/// let of_partial: Result<u32> = getter::<Partial>();
/// assert_eq!(of_complete, of_partial?);
/// # Ok::<(), meshlens_wire::Error>(())
/// ```
pub trait Presence: sealed::Sealed + Copy + Debug + Send + Sync + 'static {
    /// The return type of getters that read bytes: `T` if all bytes are available, otherwise `Result<T>`.
    type Of<T>;

    /// Returns what a getter has `read`. For a complete document, `changed()` replaces an error.
    fn read<T>(read: Result<T>, changed: impl FnOnce() -> T) -> Self::Of<T>;

    /// Returns `value()`, which reads bytes after `check` has found them. For a complete document, `check` is not
    /// called.
    fn checked<T>(check: impl FnOnce() -> Result<()>, value: impl FnOnce() -> T) -> Self::Of<T>;

    /// Returns a value for which no bytes are read.
    fn loaded<T>(value: T) -> Self::Of<T> {
        Self::checked(|| Ok(()), || value)
    }

    /// Converts the value of a getter, unless it is an error.
    fn map<T, U>(value: Self::Of<T>, convert: impl FnOnce(T) -> U) -> Self::Of<U>;

    /// Converts the error of a getter, if it has one.
    fn map_err<T>(value: Self::Of<T>, convert: impl FnOnce(Error) -> Error) -> Self::Of<T>;

    /// Converts the result of a getter to a `Result`, for code that serves both kinds of documents.
    ///
    /// # Errors
    ///
    /// The bytes are not loaded.
    fn result<T>(value: Self::Of<T>) -> Result<T>;
}

/// All bytes of a file are in one slice, and a parser has checked all tables. Getters of such a document cannot fail
/// because of missing bytes.
///
/// If the bytes change after parsing, such as in a mapped file that another process rewrites, tables still do not end
/// early. However, names and records of variable size may be empty, because a getter reads them again.
#[derive(Clone, Copy, Debug)]
pub enum Complete {}

/// Some bytes of a file are loaded ([`Pieces`](crate::Pieces)). A getter whose bytes are not loaded returns
/// [`Incomplete`](crate::ErrorKind::Incomplete), with the offset of the first byte that it needs and the offset after
/// the last one.
#[derive(Clone, Copy, Debug)]
pub enum Partial {}

impl Presence for Complete {
    type Of<T> = T;

    fn read<T>(read: Result<T>, changed: impl FnOnce() -> T) -> T {
        read.unwrap_or_else(|_| changed())
    }

    fn checked<T>(_check: impl FnOnce() -> Result<()>, value: impl FnOnce() -> T) -> T {
        value()
    }

    fn map<T, U>(value: T, convert: impl FnOnce(T) -> U) -> U {
        convert(value)
    }

    fn map_err<T>(value: T, _convert: impl FnOnce(Error) -> Error) -> T {
        value
    }

    fn result<T>(value: T) -> Result<T> {
        Ok(value)
    }
}

impl Presence for Partial {
    type Of<T> = Result<T>;

    fn read<T>(read: Result<T>, _changed: impl FnOnce() -> T) -> Result<T> {
        read
    }

    fn checked<T>(check: impl FnOnce() -> Result<()>, value: impl FnOnce() -> T) -> Result<T> {
        check().map(|()| value())
    }

    fn map<T, U>(value: Result<T>, convert: impl FnOnce(T) -> U) -> Result<U> {
        value.map(convert)
    }

    fn map_err<T>(value: Result<T>, convert: impl FnOnce(Error) -> Error) -> Result<T> {
        value.map_err(convert)
    }

    fn result<T>(value: Result<T>) -> Result<T> {
        value
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Complete {}
    impl Sealed for super::Partial {}
}
