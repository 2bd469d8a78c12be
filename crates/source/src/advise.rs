//! Advice to the system about the pages of a map.

use std::io;
use std::ops::Range;

use memmap2::Mmap;

/// What is going to happen to a range of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Advice {
    /// The range is needed soon: begin to load it.
    WillNeed,
    /// The range is read from front to back: read well ahead.
    Sequential,
    /// The range is done with: give its pages back. Touching it again loads it again.
    DontNeed,
}

/// The caller has checked that the range lies in the map and is not empty.
#[cfg(unix)]
pub(crate) fn advise(map: &Mmap, range: Range<usize>, advice: Advice) -> io::Result<()> {
    use memmap2::{Advice as Checked, UncheckedAdvice};

    match advice {
        Advice::WillNeed => map.advise_range(Checked::WillNeed, range.start, range.len()),
        Advice::Sequential => map.advise_range(Checked::Sequential, range.start, range.len()),
        // SAFETY: the map is a shared, read-only map of a file, so no page holds anything that the file does
        // not: a page dropped here is loaded again with the same bytes, since whoever made the map promised
        // that the file does not change while the map lives.
        Advice::DontNeed => unsafe {
            map.unchecked_advise_range(UncheckedAdvice::DontNeed, range.start, range.len())
        },
    }
}

#[cfg(not(unix))]
pub(crate) fn advise(_map: &Mmap, _range: Range<usize>, _advice: Advice) -> io::Result<()> {
    Ok(())
}
