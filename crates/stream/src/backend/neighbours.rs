//! Reads whose bytes lie next to each other in an archive, so that they are read at once.

use std::ops::Range;

use super::Read;
use crate::Few;
use crate::workers::Waiting;

/// The largest number of bytes between the first and the last wanted byte of entries that are read at once.
const MOST_TOGETHER: u64 = 192 << 10;
/// The largest number of bytes between two of them, which are read for nothing.
const MOST_BETWEEN: u64 = 16 << 10;

/// A read, and those that wait next and whose bytes follow. `place` is where the bytes of a read are; `None` if they have to be read
/// alone.
pub(super) fn neighbours(
    first: Read,
    waiting: &Waiting<'_, Read>,
    place: impl Fn(&Read) -> Option<Range<u64>>,
) -> Few<Read> {
    let mut last = place(&first);
    let start = last.as_ref().map_or(0, |place| place.start);
    let mut reads = Few::from_buf([first]);
    while let Some(before) = &last {
        let mut next = None;
        let is_near = |read: &Read| {
            next = place(read).filter(|place| {
                let gap = place.start.checked_sub(before.end);
                gap.is_some_and(|gap| gap <= MOST_BETWEEN) && place.end - start <= MOST_TOGETHER
            });
            next.is_some() && !read.is_cancelled()
        };
        let Some(read) = waiting.take_if(is_near) else { break };
        reads.push(read);
        last = next;
    }
    reads
}
