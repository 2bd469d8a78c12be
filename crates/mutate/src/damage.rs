//! Changes of bytes in place: values in arrays, numbers in headers, and any bytes.

use core::ops::Range;

use arbitrary::{Result, Unstructured};
use meshlens::Document;

use crate::random::{below, one_of};

/// An array of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its bytes. Bytes that are not in the file are ignored.
    pub range: Range<usize>,
    /// The number of elements.
    pub count: usize,
    /// The distance of elements, in bytes.
    pub stride: usize,
    /// The size of a number of an element, in bytes.
    pub number: usize,
    /// Whether the numbers are floats.
    pub is_float: bool,
}

/// The arrays of a document; those of its file with this index begin at `starts[index]`.
pub(crate) fn tables(document: &Document<'_>, starts: &[usize]) -> Vec<Table> {
    let arrays = document.arrays().filter(|array| !array.lens.is_empty());
    let tables = arrays.map(|array| {
        let (lens, start) = (array.lens, starts.get(array.file).copied().unwrap_or_default());
        let component = lens.format().component();
        let range = lens.byte_range();
        Table {
            range: range.start as usize + start..range.end as usize + start,
            count: lens.len(),
            stride: lens.stride(),
            number: component.size(),
            is_float: component.numpy() == "<f4",
        }
    });
    tables.collect()
}

/// Floats whose sums or products are not finite, or are not what they seem.
const FLOATS: [f32; 8] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e-45, -0.0, 1e20];

/// Changes numbers of arrays: indices out of range, numbers that are not finite, limits.
pub(crate) fn values(u: &mut Unstructured<'_>, file: &[u8], tables: &[Table]) -> Result<Vec<u8>> {
    let mut out = file.to_vec();
    for _ in 0..u.int_in_range(1..=4)? {
        let Some(table) = tables.get(below(u, tables.len())?) else { continue };
        let elements = table.range.len().div_ceil(table.stride.max(1));
        // The last element as often as all others: readers are wrong at the ends of tables.
        let element = if u.arbitrary()? { below(u, elements)? } else { elements.saturating_sub(1) };
        let numbers = table.stride / table.number.max(1);
        let at = table.range.start + element * table.stride + below(u, numbers)? * table.number;
        let size = table.number.min(table.range.end.saturating_sub(at));
        let value = if table.is_float && u.arbitrary()? {
            u.choose(&FLOATS)?.to_bits()
        } else {
            boundary(u, file, at, size, get(file, at, size), tables)?
        };
        put(&mut out, at, size, value);
    }
    Ok(out)
}

/// Changes one or two of the numbers that are outside of arrays: counts, offsets and sizes.
pub(crate) fn numbers(
    u: &mut Unstructured<'_>,
    file: &[u8],
    tables: &[Table],
    compact: impl Fn(i32) -> Option<Vec<u8>>,
) -> Result<Vec<u8>> {
    let mut gaps = gaps(file.len(), tables);
    let mut out = file.to_vec();
    for _ in 0..u.int_in_range(1..=2)? {
        let Some(gap) = one_of(u, &mut gaps)? else { continue };
        let mut place = (gap.start, 1);
        for _ in 0..8 {
            let at = gap.start + below(u, gap.len())?;
            let at = if u.ratio(3, 4)? { at - (at - gap.start) % 4 } else { at };
            let size = *u.choose(&[4, 4, 2, 1])?;
            place = (at, size.min(gap.end - at));
            // Counts and offsets are small numbers; names and floats are not.
            if (1..=file.len() as u32).contains(&get(file, at, place.1)) {
                break;
            }
        }
        let (at, size) = place;
        // A compact number below 64 is one byte.
        let old = get(file, at, if get(file, at, 1) < 64 { 1 } else { 4 });
        if let Some(number) = compact(boundary(u, file, at, 4, old, tables)? as i32)
            && u.ratio(3, 4)?
        {
            let rest = out.get(at..).unwrap_or_default();
            let len = rest.iter().take_while(|byte| **byte >= 0x80).count() + 1;
            out.splice(at.min(out.len())..(at + len).min(out.len()), number);
        } else {
            let value = boundary(u, file, at, size, get(file, at, size), tables)?;
            put(&mut out, at, size, value);
        }
    }
    Ok(out)
}

/// The bytes between arrays, in order.
fn gaps(len: usize, tables: &[Table]) -> Vec<Range<usize>> {
    let mut taken: Vec<Range<usize>> = tables.iter().map(|table| table.range.clone()).collect();
    taken.sort_unstable_by_key(|range| range.start);
    taken.push(len..len);
    let mut start = 0;
    let mut gaps = Vec::new();
    for range in taken {
        let end = range.start.min(len);
        if start < end {
            gaps.push(start..end);
        }
        start = start.max(range.end);
    }
    gaps
}

/// A number in place of `value`, which has `size` bytes at `at`: a limit, a neighbor, a count, one whose product with the size
/// of an element overflows, or one that moves the end of a table to the end of the file.
fn boundary(
    u: &mut Unstructured<'_>,
    file: &[u8],
    at: usize,
    size: usize,
    value: u32,
    tables: &[Table],
) -> Result<u32> {
    let len = file.len() as u32;
    let max = u32::MAX.checked_shr(32 - 8 * size.clamp(1, 4) as u32).unwrap_or(u32::MAX);
    // A count often comes just before its array.
    let next = tables.iter().filter(|table| table.range.start >= at).min_by_key(|table| table.range.start);
    let table = if u.arbitrary()? { next } else { None }.or(tables.get(below(u, tables.len())?));
    let (stride, count) = table.map_or((8, 0), |table| (table.stride.max(1) as u32, table.count as u32));
    let rest = len.wrapping_sub(table.map_or(0, |table| table.range.end as u32));
    Ok(match u.int_in_range(0..=15)? {
        0 => 0,
        1 => max,
        2 => max >> 1,
        3 => (max >> 1) + 1,
        4 => value.wrapping_add(1),
        5 => value.wrapping_sub(1),
        6 => value.wrapping_mul(2),
        7 => len.wrapping_add(u.int_in_range(0..=2)?).wrapping_sub(1),
        8 => count.wrapping_add(u.int_in_range(0..=2)?).wrapping_sub(1),
        9 => (max / stride).wrapping_add(u.int_in_range(0..=2)?),
        10 => ((max >> 1) / stride).wrapping_add(u.int_in_range(0..=2)?),
        11 => value.wrapping_add(rest).wrapping_add(u.int_in_range(0..=2)?).wrapping_sub(1),
        12 => value.wrapping_add(rest / stride).wrapping_add(u.int_in_range(0..=1)?),
        13 => value ^ (1 << u.int_in_range(0..=31)?),
        14 => u.int_in_range(0..=64)?,
        _ => u.arbitrary()?,
    })
}

/// The little-endian number of at most 4 bytes.
fn get(file: &[u8], at: usize, size: usize) -> u32 {
    let bytes = file.get(at..).unwrap_or_default();
    bytes.iter().take(size).rev().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

fn put(file: &mut [u8], at: usize, size: usize, value: u32) {
    let places = file.iter_mut().skip(at).take(size);
    places.zip(value.to_le_bytes()).for_each(|(place, byte)| *place = byte);
}

/// Cuts, removes, repeats or overwrites bytes.
pub(crate) fn bytes(u: &mut Unstructured<'_>, file: &[u8]) -> Result<Vec<u8>> {
    let mut out = file.to_vec();
    for _ in 0..u.int_in_range(1..=4)? {
        let at = below(u, out.len())?;
        let some = (at + u.int_in_range(1..=64)?).min(out.len());
        match u.int_in_range(0..=5)? {
            0 => out.truncate(at),
            1 => drop(out.drain(at..some)),
            2 => out.extend_from_within(at..some),
            3 => out.splice(at..at, u.bytes(8)?.iter().copied()).for_each(drop),
            4 => put(&mut out, at, u.int_in_range(1..=4)?, u.arbitrary()?),
            _ => {
                let bit = 1 << u.int_in_range(0..=7)?;
                out.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= bit);
            }
        }
    }
    Ok(out)
}
