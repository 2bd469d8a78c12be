//! The elements of a list that indices refer to.

use alloc::vec::Vec;
use core::fmt;

use crate::{Report, codes};

/// The number of an element that is not used.
const UNUSED: u32 = u32::MAX;

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
    /// Empty if all elements are used.
    numbers: Vec<u32>,
    unused: usize,
}

impl Used {
    /// Indices of a list of `len` elements. If there is none, or one is out of range, all elements are used.
    /// O(elements + indices).
    pub fn new(len: usize, indices: impl IntoIterator<Item = u32>) -> Used {
        let (mut numbers, mut is_indexed) = (alloc::vec![UNUSED; len], false);
        for index in indices {
            is_indexed = true;
            let Some(number) = numbers.get_mut(index as usize) else { return Used::ALL };
            *number = 0;
        }
        if !is_indexed {
            return Used::ALL;
        }
        let used = numbers.iter_mut().filter(|number| **number != UNUSED);
        used.zip(0..).for_each(|(number, next)| *number = next);
        let unused = numbers.iter().filter(|number| **number == UNUSED).count();
        Used { numbers, unused }
    }

    const ALL: Used = Used { numbers: Vec::new(), unused: 0 };

    /// The number of elements that no index refers to.
    pub const fn unused(&self) -> usize {
        self.unused
    }

    /// The number of a used element if the others are left out; the index itself if it is out of range.
    pub fn number(&self, index: u32) -> u32 {
        self.numbers.get(index as usize).copied().unwrap_or(index)
    }

    /// Removes the values of unused elements. There are `width` values for each element, and the list may have the elements
    /// several times, such as once for each frame.
    pub fn keep<T>(&self, values: &mut Vec<T>, width: usize) {
        let mut numbers = self.numbers.iter().flat_map(|number| core::iter::repeat_n(number, width)).cycle();
        values.retain(|_| numbers.next().is_none_or(|number| *number != UNUSED));
    }
}

/// Adds the finding that some of `len` vertices belong to no triangle, unless there is no index or one is out of range. Needs a bit
/// for each vertex, because a file may have fewer bytes than vertices. O(vertices + indices).
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
    let mut words = alloc::vec![0u64; len.div_ceil(64)];
    for index in indices {
        let Some(word) = words.get_mut(index as usize / 64).filter(|_| (index as usize) < len) else {
            return;
        };
        *word |= 1 << (index % 64);
    }
    let used: usize = words.iter().map(|word| word.count_ones() as usize).sum();
    if used > 0 {
        let unused = len.saturating_sub(used);
        let message = format_args!("{unused} of {len} vertices belong to no triangle");
        report.add_several(&codes::VERTEX_UNUSED, unused as u64, offset, pointer, message);
    }
}
