//! Structs that begin with their size: they are read and written for the number of bytes that the caller has.

use std::ptr;

use crate::result::{Failure, Result};

/// The largest size of a struct in any version. A larger size was never initialized.
const MOST: usize = 1 << 14;

/// A struct of the header that begins with `size`.
///
/// # Safety
///
/// The first member is a `usize`, the struct is `repr(C)`, and every bit pattern is a value of it, as far as Rust is
/// concerned: it has no references, no `bool` and no enumerations.
pub(crate) unsafe trait Growing: Copy {
    /// A size of 0 means the first version of the struct, which is the only one so far.
    const FIRST: usize = size_of::<Self>();

    /// The members that are NUL-terminated texts: their offsets and lengths. They are terminated in a struct of any
    /// size.
    const TEXTS: &'static [(usize, usize)] = &[];
}

/// The size that the caller's struct states.
///
/// # Safety
///
/// `from` points to the struct.
unsafe fn size<T: Growing>(from: *const T) -> Option<usize> {
    // SAFETY: the struct begins with its size.
    match unsafe { from.cast::<usize>().read() } {
        0 => Some(T::FIRST),
        size => Some(size).filter(|size| (size_of::<usize>()..=MOST).contains(size)),
    }
}

const SIZE: Failure = Failure::argument(
    "the size member of a struct is not the size of the struct: initialize it with zeros, or set it to sizeof",
);

/// Reads options. NULL means all zeros, and members after the caller's size are zeros.
///
/// # Safety
///
/// `from` is NULL or points to the struct, with the number of bytes in its size.
pub(crate) unsafe fn read<T: Growing>(from: *const T) -> Result<T> {
    // SAFETY: every bit pattern is valid.
    let mut value: T = unsafe { std::mem::zeroed() };
    if from.is_null() {
        return Ok(value);
    }
    if !from.is_aligned() {
        return Err(Failure::argument("a pointer to options is not aligned"));
    }
    // SAFETY: the caller guarantees that it points to the struct.
    let size = unsafe { size(from) }.ok_or(SIZE)?;
    let known = size.min(size_of::<T>());
    // SAFETY: both have as many bytes, and every bit pattern is valid.
    unsafe { ptr::copy_nonoverlapping(from.cast::<u8>(), (&raw mut value).cast::<u8>(), known) };
    for at in known..size {
        // SAFETY: the struct has `size` bytes.
        if unsafe { from.cast::<u8>().add(at).read() } != 0 {
            return Err(Failure::argument(
                "options are set that this version of the library does not have; ml_abi_version tells which it is",
            ));
        }
    }
    Ok(value)
}

/// Writes a struct for the caller: as many bytes as it has, without its size. Members that this version does not have
/// become zeros.
///
/// # Safety
///
/// `to` is NULL or points to the struct, with the number of bytes in its size.
pub(crate) unsafe fn write<T: Growing>(to: *mut T, value: T) -> Result<()> {
    if to.is_null() {
        return Err(Failure::argument("a pointer to the struct to fill is NULL"));
    }
    if !to.is_aligned() {
        return Err(Failure::argument("a pointer to the struct to fill is not aligned"));
    }
    // SAFETY: guaranteed by the caller.
    if unsafe { write_prefix(to, value) } { Ok(()) } else { Err(SIZE) }
}

/// The offset and the length of a text that is a member of a struct.
macro_rules! text_member {
    ($type:ty, $member:ident) => {{
        const fn len<const LEN: usize>(_: fn(&$type) -> &[std::ffi::c_char; LEN]) -> usize {
            LEN
        }
        (std::mem::offset_of!($type, $member), len(|value: &$type| &value.$member))
    }};
}
pub(crate) use text_member;

/// Cuts a text between two characters, so that it ends with a NUL.
fn terminate(text: &mut [u8]) {
    let last = text.len().saturating_sub(1);
    let is_start = |at: &usize| text.get(*at).is_some_and(|byte| byte & 0xc0 != 0x80);
    let end = (0..=last).rev().find(is_start).unwrap_or(0);
    text.get_mut(end..).unwrap_or_default().fill(0);
}

/// Like [`write`], for a pointer that is aligned and not NULL. Returns false if the size is invalid.
///
/// # Safety
///
/// As [`write`].
pub(crate) unsafe fn write_prefix<T: Growing>(to: *mut T, mut value: T) -> bool {
    // SAFETY: the caller guarantees that the pointer is valid.
    let Some(size) = (unsafe { size(to) }) else { return false };
    let head = size_of::<usize>();
    let known = size.min(size_of::<T>());
    for (start, len) in T::TEXTS {
        let room = known.saturating_sub(*start).min(*len);
        if room == 0 || room == *len {
            continue;
        }
        // SAFETY: the text is in the struct, and its bytes are initialized.
        terminate(unsafe { std::slice::from_raw_parts_mut((&raw mut value).cast::<u8>().add(*start), room) });
    }
    // SAFETY: both structs have `known` bytes, the struct of the caller has `size` bytes, and its `size` member is not
    // changed.
    unsafe {
        let (from, to) = ((&raw const value).cast::<u8>(), to.cast::<u8>());
        ptr::copy_nonoverlapping(from.add(head), to.add(head), known.saturating_sub(head));
        ptr::write_bytes(to.add(known), 0, size.saturating_sub(known));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Known {
        size: usize,
        a: u64,
        b: u64,
    }
    // SAFETY: all members are plain numbers.
    unsafe impl Growing for Known {}

    fn ask(words: &[u64]) -> Option<Known> {
        // SAFETY: there are as many words as their size states, or the size is refused.
        unsafe { read(words.as_ptr().cast::<Known>()) }.ok()
    }

    #[test]
    fn members_known_to_both_versions_of_a_struct_are_read() {
        let known = |size, a, b| Some(Known { size, a, b });
        assert_eq!(ask(&[0, 1, 2]), known(0, 1, 2));
        assert_eq!(ask(&[16, 1, 2]), known(16, 1, 0));
        assert_eq!(ask(&[8, 1, 2]), known(8, 0, 0));
        assert_eq!(ask(&[32, 1, 2, 0]), known(32, 1, 2));
        assert_eq!(ask(&[32, 1, 2, 3]), None, "an option that is not known");
        assert_eq!((ask(&[7, 1, 2]), ask(&[u64::MAX, 1, 2])), (None, None));
        // SAFETY: NULL is allowed, and a misaligned pointer is not dereferenced.
        unsafe {
            assert_eq!(read(ptr::null::<Known>()).ok(), known(0, 0, 0));
            assert!(read(ptr::without_provenance::<Known>(4)).is_err());
        }
    }

    fn fill(size: u64) -> Option<[u64; 5]> {
        let mut words = [7u64; 5];
        words[0] = size;
        // SAFETY: the array has more bytes than any accepted size.
        let written = unsafe { write(words.as_mut_ptr().cast::<Known>(), Known { size: 9, a: 1, b: 2 }) };
        written.ok().map(|()| words)
    }

    #[test]
    fn members_known_to_both_versions_of_a_struct_are_written() {
        assert_eq!(fill(0), Some([0, 1, 2, 7, 7]));
        assert_eq!(fill(24), Some([24, 1, 2, 7, 7]));
        assert_eq!(fill(16), Some([16, 1, 7, 7, 7]));
        assert_eq!(fill(32), Some([32, 1, 2, 0, 7]));
        assert_eq!((fill(4), fill(1 << 40)), (None, None));
        // SAFETY: NULL is allowed.
        assert!(unsafe { write(ptr::null_mut::<Known>(), Known { size: 0, a: 0, b: 0 }) }.is_err());
    }
    #[test]
    fn a_text_is_terminated_at_every_length() {
        let cut = |text: &str| {
            let mut bytes = text.as_bytes().to_vec();
            terminate(&mut bytes);
            bytes
        };
        assert_eq!(cut("abc"), b"ab\0");
        assert_eq!(cut("a\u{e9}"), b"a\0\0");
        assert_eq!(cut("a\u{e9}b"), "a\u{e9}\0".as_bytes());
        assert_eq!((cut("a"), cut("")), (vec![0], vec![]));
    }
}
