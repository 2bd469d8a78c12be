//! Changes of bytes in place: values in arrays, numbers in headers, and any bytes.

use arbitrary::{Result, Unstructured};

use crate::layout::{Layout, Table};
use crate::random::below;

/// Floats whose sums or products are not finite, or are not what they seem.
const FLOATS: [f32; 8] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e-45, -0.0, 1e20];

/// Changes numbers of arrays: indices out of range, numbers that are not finite, limits. With another file, some of the elements
/// come from its arrays.
pub(crate) fn values(
    u: &mut Unstructured<'_>,
    file: &mut [u8],
    layout: &Layout,
    other: Option<(&[u8], &Layout)>,
) -> Result<()> {
    for _ in 0..u.int_in_range(1..=4)? {
        let Some(table) = layout.tables.get(below(u, layout.tables.len())?) else { continue };
        let at = element(u, table)?;
        if let Some((other, layout)) = other
            && let Some(from) = layout.tables.get(below(u, layout.tables.len())?)
            && from.stride == table.stride
        {
            let start = element(u, from)?;
            let elements = other.get(start..from.range.end).unwrap_or_default();
            let places = file.get_mut(at..table.range.end).unwrap_or_default();
            places.iter_mut().zip(elements).for_each(|(place, byte)| *place = *byte);
            continue;
        }
        let numbers = table.stride / table.number.max(1);
        let at = at + below(u, numbers)? * table.number;
        let size = table.number.min(table.range.end.saturating_sub(at));
        let value = if table.is_float && u.arbitrary()? {
            u.choose(&FLOATS)?.to_bits()
        } else {
            boundary(u, file.len(), at, size, get(file, at, size), &layout.tables)?
        };
        put(file, at, size, value);
    }
    Ok(())
}

/// Where an element of an array begins. It is the last one as often as all others: readers are wrong at the ends of arrays.
fn element(u: &mut Unstructured<'_>, table: &Table) -> Result<usize> {
    let elements = table.range.len().div_ceil(table.stride.max(1));
    let element = if u.arbitrary()? { below(u, elements)? } else { elements.saturating_sub(1) };
    Ok(table.range.start + element * table.stride)
}

/// Changes one or two of the numbers that are outside of arrays: counts, offsets and sizes.
pub(crate) fn numbers(
    u: &mut Unstructured<'_>,
    out: &mut Vec<u8>,
    layout: &Layout,
    compact: impl Fn(i32) -> Option<Vec<u8>>,
) -> Result<()> {
    let len = out.len();
    for _ in 0..u.int_in_range(1..=2)? {
        let Some(gap) = layout.gaps.get(below(u, layout.gaps.len())?) else { continue };
        let mut place = (gap.start, 1);
        for _ in 0..8 {
            let at = gap.start + below(u, gap.len())?;
            let at = if u.ratio(3, 4)? { at - (at - gap.start) % 4 } else { at };
            let size = *u.choose(&[4, 4, 2, 1])?;
            place = (at, size.min(gap.end - at));
            // Counts and offsets are small numbers; names and floats are not.
            if (1..=len as u32).contains(&get(out, at, place.1)) {
                break;
            }
        }
        let (at, size) = place;
        // A compact number below 64 is one byte.
        let old = get(out, at, if get(out, at, 1) < 64 { 1 } else { 4 });
        if let Some(number) = compact(boundary(u, len, at, 4, old, &layout.tables)? as i32)
            && u.ratio(3, 4)?
        {
            let rest = out.get(at..).unwrap_or_default();
            let len = rest.iter().take_while(|byte| **byte >= 0x80).count() + 1;
            out.splice(at.min(out.len())..(at + len).min(out.len()), number);
        } else {
            let value = boundary(u, len, at, size, get(out, at, size), &layout.tables)?;
            put(out, at, size, value);
        }
    }
    Ok(())
}

/// A number in place of `value`, which has `size` bytes at `at`: a limit, a neighbor, a count, one whose product with the size
/// of an element overflows, or one that moves the end of a table to the end of the file.
fn boundary(
    u: &mut Unstructured<'_>,
    len: usize,
    at: usize,
    size: usize,
    value: u32,
    tables: &[Table],
) -> Result<u32> {
    let len = len as u32;
    let max = u32::MAX.checked_shr(32 - 8 * size.clamp(1, 4) as u32).unwrap_or(u32::MAX);
    // A count often comes just before its array.
    let next = tables.get(tables.partition_point(|table| table.range.start < at));
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
pub(crate) fn bytes(u: &mut Unstructured<'_>, out: &mut Vec<u8>) -> Result<()> {
    for _ in 0..u.int_in_range(1..=4)? {
        let at = below(u, out.len())?;
        let some = (at + u.int_in_range(1..=64)?).min(out.len());
        match u.int_in_range(0..=5)? {
            0 => out.truncate(at),
            1 => drop(out.drain(at..some)),
            2 => out.extend_from_within(at..some),
            3 => out.splice(at..at, u.bytes(8)?.iter().copied()).for_each(drop),
            4 => put(out, at, u.int_in_range(1..=4)?, u.arbitrary()?),
            _ => {
                let bit = 1 << u.int_in_range(0..=7)?;
                out.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= bit);
            }
        }
    }
    Ok(())
}
