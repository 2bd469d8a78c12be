//! The elements of a list that indices refer to.

use alloc::vec::Vec;
use core::fmt;

use crate::{Report, codes};

/// The elements of a list that indices refer to, and the numbers that they have if the others are left out.
///
/// ```
/// use meshlens_wire::Used;
///
/// let used = Used::new(4, [0, 3, 3]);
/// let mut values = vec!['a', 'b', 'c', 'd'];
/// used.keep(&mut values, 1);
/// assert_eq!((values, used.number(3), used.unused()), (vec!['a', 'd'], 1, 2));
/// ```
#[derive(Clone, Debug)]
pub struct Used {
    /// The number of elements; 0 if all of them are used.
    len: usize,
    /// A bit for each element, because a file may have fewer bytes than elements.
    words: Vec<Word>,
    unused: usize,
}

/// 64 elements.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    /// Whether each of them is used, the lowest bit first.
    bits: u64,
    /// The number of used elements before them.
    before: u32,
}

impl Used {
    /// Indices of a list of `len` elements. If there is none, or one is out of range, all elements are used. Needs less than two bits
    /// for each element. O(elements + indices).
    pub fn new(len: usize, indices: impl IntoIterator<Item = u32>) -> Used {
        let mut words = alloc::vec![Word::default(); len.div_ceil(64)];
        for index in indices {
            let Some(word) = words.get_mut(index as usize / 64).filter(|_| (index as usize) < len) else {
                return Used::ALL;
            };
            word.bits |= 1 << (index % 64);
        }
        let mut used = 0u32;
        for word in &mut words {
            word.before = used;
            used = used.saturating_add(word.bits.count_ones());
        }
        if used == 0 { Used::ALL } else { Used { len, words, unused: len.saturating_sub(used as usize) } }
    }

    const ALL: Used = Used { len: 0, words: Vec::new(), unused: 0 };

    /// The number of elements that no index refers to.
    pub const fn unused(&self) -> usize {
        self.unused
    }

    /// The number of a used element if the others are left out; the index itself if it is out of range.
    pub fn number(&self, index: u32) -> u32 {
        match self.words.get(index as usize / 64).filter(|_| (index as usize) < self.len) {
            Some(word) => {
                let before_it = word.bits & (1u64 << (index % 64)).wrapping_sub(1);
                word.before.saturating_add(before_it.count_ones())
            }
            None => index,
        }
    }

    /// Removes the values of unused elements. There are `width` values for each element, and the list may have the elements
    /// several times, such as once for each frame.
    pub fn keep<T>(&self, values: &mut Vec<T>, width: usize) {
        let bits = self.words.iter().flat_map(|word| (0..64).map(move |bit| word.bits >> bit & 1 == 1));
        let mut is_used =
            bits.take(self.len).flat_map(|is_used| core::iter::repeat_n(is_used, width)).cycle();
        values.retain(|_| is_used.next().unwrap_or(true));
    }
}

/// Adds the finding that some of `len` vertices belong to no triangle, unless there is no index or one is out of range.
/// O(vertices + indices).
///
/// ```
/// use meshlens_wire::{Report, report_unused};
///
/// let mut report = Report::default();
/// report_unused(4, [0, 3, 3], 8, format_args!("/vertices"), &mut report);
/// assert_eq!(report.findings().map(|found| found.message.as_str()).collect::<Vec<_>>(), ["2 of 4 vertices belong to no triangle"]);
/// ```
pub fn report_unused(
    len: usize,
    indices: impl IntoIterator<Item = u32>,
    offset: u64,
    pointer: fmt::Arguments<'_>,
    report: &mut Report,
) {
    let unused = Used::new(len, indices).unused();
    if unused > 0 {
        let message = format_args!("{unused} of {len} vertices belong to no triangle");
        report.add_several(&codes::VERTEX_UNUSED, unused as u64, offset, pointer, message);
    }
}
