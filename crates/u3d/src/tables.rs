//! The tables of one part, kept small.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use alloc::boxed::Box;
use alloc::vec::Vec;

use meshlens_wire::Span;

/// The tables of one part that have elements. A file can hold many parts without any, so absent tables take no memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    /// Bit `n` is set if table `n` is in `spans`.
    present: u16,
    spans: Box<[Span]>,
}

impl Tables {
    /// Keeps the tables that have elements, out of at most 16.
    pub(crate) fn new(tables: &[Span]) -> Tables {
        let kept = tables.iter().filter(|span| span.count() > 0);
        let mut spans = Vec::with_capacity(kept.clone().count());
        spans.extend(kept);
        let bits = tables.iter().rev();
        let present = bits.fold(0u16, |bits, span| bits.wrapping_shl(1) | u16::from(span.count() > 0));
        Tables { present, spans: spans.into() }
    }

    /// Table `number`; empty if it has no elements.
    pub(crate) fn get(&self, number: u32) -> Span {
        let bit = 1u16.wrapping_shl(number);
        if self.present & bit == 0 {
            return Span::default();
        }
        let before = self.present & bit.wrapping_sub(1);
        self.spans.get(before.count_ones() as usize).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::{BoneParts, MeshParts};
    use meshlens_wire::Data;

    #[test]
    fn tables_without_elements_take_no_memory_and_read_as_empty() {
        let data = Data::new("test", &[0; 64]);
        let span = |offset, count| data.span(offset, count, 4, "table").unwrap();
        let tables = Tables::new(&[span(4, 2), span(12, 0), span(12, 3), span(24, 0), span(24, 1)]);
        assert_eq!(tables.spans.len(), 3);
        let ranges = [0, 1, 2, 3, 4, 5].map(|number| tables.get(number).byte_range());
        assert_eq!(ranges, [4..12, 0..0, 12..24, 0..0, 24..28, 0..0]);
    }

    #[test]
    fn entries_take_at_most_four_times_the_smallest_parts() {
        // A mesh of version 2.0 has at least 42 bytes, and 4 more for its index. A bone of version 1.0 has at least 32
        // bytes.
        assert!(size_of::<MeshParts>() + 4 <= 4 * 42, "{}", size_of::<MeshParts>());
        assert!(size_of::<BoneParts>() <= 4 * 32, "{}", size_of::<BoneParts>());
    }
}
