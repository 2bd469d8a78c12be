//! The body of every exported function, and the conversion of arguments to references.

use std::alloc::Layout;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr::NonNull;
use std::slice;

use crate::error::{ml_error, report};
use crate::result::{Failure, Result, ml_result};

/// Runs the body of an exported function. A panic becomes an error.
///
/// # Safety
///
/// `error` is NULL or points to an `ml_error`.
pub(crate) unsafe fn run(error: *mut ml_error, body: impl FnOnce() -> Result<()>) -> ml_result {
    // A panic leaves no partial change: handles are immutable, or change in the last step of a call.
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| Err(Failure::panic(panic)));
    // SAFETY: guaranteed by the caller.
    unsafe { report(error, outcome) }
}

/// The body of an exported function, which [`run`] runs. It compiles only in an `unsafe fn`: the callers of exported
/// functions guarantee what the header requires.
macro_rules! call {
    ($error:expr, $body:expr) => {{
        #[allow(unsafe_op_in_unsafe_fn, reason = "the header states the requirements of the whole function")]
        let result = $crate::call::run($error, || $body);
        result
    }};
}
pub(crate) use call;

/// The bytes of an input.
///
/// # Safety
///
/// `data` points to `size` bytes that do not change for `'a`, or `size` is 0.
pub(crate) unsafe fn bytes<'a>(data: *const u8, size: usize) -> Result<&'a [u8]> {
    let data = checked(data.cast_mut(), size, "the data", "size")?;
    // SAFETY: guaranteed by the caller.
    Ok(unsafe { slice::from_raw_parts(data, size) })
}

/// Implements [`bytemuck::Pod`] for a structure, whose types of fields are listed.
macro_rules! plain {
    ($structure:ty: $($field:ty),+) => {
        const _: () = {
            const fn is_plain<T: bytemuck::Pod>() -> usize {
                size_of::<T>()
            }
            assert!(size_of::<$structure>() == 0 $(+ is_plain::<$field>())+);
        };
        // SAFETY: every field is plain, and there is no padding, because the sizes of the fields add up to that of the structure.
        unsafe impl bytemuck::Zeroable for $structure {}
        // SAFETY: as above.
        unsafe impl bytemuck::Pod for $structure {}
    };
}
pub(crate) use plain;

/// The elements of an output. `T` must consist of plain numbers.
///
/// # Safety
///
/// `data` points to `count` elements that nothing else uses for `'a`, or `count` is 0.
pub(crate) unsafe fn output<'a, T: bytemuck::Pod>(data: *mut T, count: usize) -> Result<&'a mut [T]> {
    let data = checked(data, count, "the output", "size")?;
    // SAFETY: guaranteed by the caller; every bit pattern is valid.
    Ok(unsafe { slice::from_raw_parts_mut(data, count) })
}

/// The elements of an input.
///
/// # Safety
///
/// Same as [`bytes`].
pub(crate) unsafe fn input<'a, T: bytemuck::AnyBitPattern>(data: *const T, count: usize) -> Result<&'a [T]> {
    let data = checked(data.cast_mut(), count, "a list", "count")?;
    // SAFETY: guaranteed by the caller; every bit pattern is valid.
    Ok(unsafe { slice::from_raw_parts(data, count) })
}

/// Checks the pointer to elements and their number. For no elements, it is replaced by one that is valid.
fn checked<T>(data: *mut T, count: usize, what: &str, number: &str) -> Result<*mut T> {
    let text = if count == 0 {
        return Ok(NonNull::dangling().as_ptr());
    } else if data.is_null() {
        format!("{what} is NULL, and its {number} is not 0")
    } else if !data.is_aligned() {
        format!("{what} is not aligned as its type has to be")
    } else if Layout::array::<T>(count).is_err() {
        format!("the size of {what} is larger than memory")
    } else {
        return Ok(data);
    };
    Err(Failure::owned(ml_result::ML_ERROR_ARGUMENT, text))
}

/// The element of a list. `what` names it in the error.
pub(crate) fn at<'l, T>(list: &'l [T], what: &'static str, index: usize) -> Result<&'l T> {
    list.get(index).ok_or_else(|| Failure::index(what, index, list.len()))
}

/// Checks an index by the number of elements.
pub(crate) fn check_index(what: &'static str, index: usize, count: usize) -> Result<()> {
    if index < count { Ok(()) } else { Err(Failure::index(what, index, count)) }
}

/// Checks the number of elements of a list.
pub(crate) fn check_length(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Failure::length(what, expected, found)) }
}

/// Checks the pointer to a list whose elements are read one by one.
pub(crate) fn check_list<T>(list: *const T, count: usize, wrong: &'static str) -> Result<()> {
    let is_wrong = count > 0 && (list.is_null() || !list.is_aligned());
    if is_wrong { Err(Failure::argument(wrong)) } else { Ok(()) }
}

/// Writes a single value.
///
/// # Safety
///
/// `to` is NULL or points to memory for a value of this type.
pub(crate) unsafe fn put<T>(to: *mut T, value: T) -> Result<()> {
    // SAFETY: guaranteed by the caller.
    unsafe { check_place(to)? };
    // SAFETY: the pointer is aligned and not NULL.
    unsafe { to.write(value) };
    Ok(())
}

/// Checks the place for an output before the work is done.
///
/// # Safety
///
/// Same as [`put`].
pub(crate) unsafe fn check_place<T>(to: *mut T) -> Result<()> {
    if to.is_null() {
        return Err(Failure::argument("the place for the result is NULL"));
    }
    if !to.is_aligned() {
        return Err(Failure::argument("the place for the result is not aligned"));
    }
    Ok(())
}

/// Reads a UTF-8 string; `None` for NULL.
///
/// # Safety
///
/// `text` is NULL or points to bytes that end with a NUL and do not change for `'a`.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> Result<Option<&'a str>> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: guaranteed by the caller.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map(Some).map_err(|_| Failure::argument("a string is not UTF-8"))
}

/// Reads a required string.
///
/// # Safety
///
/// Same as [`text`].
pub(crate) unsafe fn needed_text<'a>(from: *const c_char) -> Result<&'a str> {
    // SAFETY: guaranteed by the caller.
    unsafe { text(from)? }.ok_or(Failure::argument("a string that is needed is NULL"))
}

/// A path of the operating system: any bytes on Unix, UTF-8 elsewhere.
///
/// # Safety
///
/// `path` is NULL or points to bytes that end with a NUL and do not change for `'a`.
pub(crate) unsafe fn system_path<'a>(path: *const c_char) -> Result<&'a Path> {
    #[cfg(unix)]
    {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        if path.is_null() {
            return Err(Failure::argument("the path is NULL"));
        }
        // SAFETY: guaranteed by the caller.
        Ok(Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes())))
    }
    #[cfg(not(unix))]
    // SAFETY: guaranteed by the caller.
    Ok(Path::new(unsafe { needed_text(path)? }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::ml_result::*;

    #[test]
    fn a_panic_is_an_error() {
        let mut error = ml_error::NONE;
        // SAFETY: the error is a local variable.
        let code = unsafe { run(&raw mut error, || panic!("surface 7")) };
        assert_eq!((code, error.code), (ML_ERROR_INTERNAL, ML_ERROR_INTERNAL as i32));
        // SAFETY: the text ends with a NUL.
        let said = unsafe { CStr::from_ptr(error.text.as_ptr()) };
        assert_eq!(said, c"a fault of the library: surface 7");
        // SAFETY: the error is a local variable.
        let code = unsafe { run(&raw mut error, || Ok(())) };
        assert_eq!((code, error.code, error.text[0]), (ML_OK, 0, 0));
    }

    #[test]
    fn invalid_pointers_and_sizes_are_errors() {
        let words = [1u32, 2];
        let place = std::ptr::without_provenance_mut::<u32>(2);
        // SAFETY: invalid pointers are not dereferenced.
        unsafe {
            assert!(bytes(std::ptr::null(), 1).is_err());
            assert!(bytes(words.as_ptr().cast(), usize::MAX).is_err());
            assert!(bytes(std::ptr::null(), 0).unwrap().is_empty());
            assert!(output::<u32>(std::ptr::null_mut(), 1).is_err());
            assert!(output::<u32>(place, 1).is_err());
            assert!(output::<u32>(std::ptr::without_provenance_mut(4), usize::MAX / 2).is_err());
            assert!(input(place, 1).is_err() && input::<u32>(std::ptr::null(), 1).is_err());
            assert_eq!(input(words.as_ptr(), 2).unwrap(), [1, 2]);
            assert!(put(place, 1).is_err() && put(std::ptr::null_mut::<u8>(), 1).is_err());
            assert_eq!(text(c"x".as_ptr()).unwrap(), Some("x"));
            assert!(text(c"\xff".as_ptr()).is_err());
            assert!(needed_text(std::ptr::null()).is_err());
        }
    }
}
