//! Index lists, whose width depends on the number of elements that they index.

use crate::encoding::{IndexU8, IndexU16, U32};
use meshlens_lens::{ArrayFormat, Described, Lens, ValueLens};
use meshlens_wire::{Data, Result, SmallSpan};

/// The number of bytes of one index into `count` elements (UNIGINE: MESH File Format, "Coordinate indices").
pub const fn index_width(count: u32) -> u32 {
    match count {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        _ => 4,
    }
}

/// How indices into `count` elements are stored.
pub(crate) const fn index_format(count: u32) -> &'static ArrayFormat {
    match index_width(count) {
        1 => IndexU8::<1>::FORMAT,
        2 => IndexU16::<1>::FORMAT,
        _ => U32::<1>::FORMAT,
    }
}

/// Indices into `count` elements, read as `u32`.
pub(crate) fn indices(data: Data<'_>, table: SmallSpan, count: u32) -> Result<ValueLens<'_, u32>> {
    let table = table.span();
    Ok(match index_width(count) {
        1 => Lens::bind(data, table, 0, IndexU8::<1>)?.into(),
        2 => Lens::bind(data, table, 0, IndexU16::<1>)?.into(),
        _ => Lens::bind(data, table, 0, U32::<1>)?.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_change_at_the_documented_counts() {
        let cases = [(0, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 4), (u32::MAX, 4)];
        assert!(cases.iter().all(|(count, width)| index_width(*count) == *width));
    }

    #[test]
    fn every_width_is_read_as_u32() {
        let bytes = [1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];
        let data = Data::new("test", &bytes);
        let read = |count: u32, size: u32| {
            let table = data.small_span(0, 8 / size, size, "indices").unwrap();
            let indices = indices(data, table, count).unwrap();
            let mut out = alloc::vec![0; indices.len()];
            indices.decode_into(&mut out).unwrap();
            assert_eq!(indices.as_any().max_index().unwrap(), out.iter().max().copied());
            out
        };
        assert_eq!(read(255, 1), [1, 0, 0, 0, 255, 255, 255, 255]);
        assert_eq!(read(256, 2), [1, 0, 65535, 65535]);
        assert_eq!(read(65_536, 4), [1, u32::MAX]);
    }
}
