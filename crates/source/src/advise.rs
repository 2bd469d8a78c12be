//! Hints for the operating system about the pages of a mapped file.

use std::io;
use std::ops::Range;

use memmap2::Mmap;

/// The expected use of a range of a mapped file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Advice {
    /// The range is needed soon: start loading it.
    WillNeed,
    /// The range is read from front to back: read far ahead.
    Sequential,
    /// The range is no longer needed: release its pages. Accessing them again loads them again.
    DontNeed,
}

/// The caller has checked that the range is inside the map and not empty.
#[cfg(unix)]
pub(crate) fn advise(map: &Mmap, range: Range<usize>, advice: Advice) -> io::Result<()> {
    use memmap2::{Advice as Checked, UncheckedAdvice};

    match advice {
        Advice::WillNeed => map.advise_range(Checked::WillNeed, range.start, range.len()),
        Advice::Sequential => map.advise_range(Checked::Sequential, range.start, range.len()),
        // SAFETY: the map is a shared, read-only map of a file, so a released page contains nothing but bytes of the
        // file. It is loaded again with the same bytes, because the caller that made the map promised that the file
        // does not change while the map exists.
        Advice::DontNeed => unsafe {
            map.unchecked_advise_range(UncheckedAdvice::DontNeed, range.start, range.len())
        },
    }
}

#[cfg(not(unix))]
pub(crate) fn advise(_map: &Mmap, _range: Range<usize>, _advice: Advice) -> io::Result<()> {
    Ok(())
}
