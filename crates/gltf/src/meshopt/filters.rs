//! The filters (appendix B), which are applied to decompressed elements in place.
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::Filter;

/// Applies a filter to elements of `stride` bytes, which is a stride of the filter.
pub(super) fn apply(filter: Filter, stride: usize, bytes: &mut [u8]) {
    let (narrow, wide) = (bytes.as_chunks_mut::<4>().0, stride == 8);
    match (filter, wide) {
        (Filter::None, _) => {}
        (Filter::Exponential, _) => narrow.iter_mut().for_each(|word| *word = exponential(*word)),
        (Filter::Octahedral, false) => {
            for element in narrow {
                let [x, y, one, rest] = *element;
                let decoded = octahedral([x, y, one].map(|value| f32::from(value as i8)), 127.0);
                let [x, y, z] = decoded.map(|value| value as i8 as u8);
                *element = [x, y, z, rest];
            }
        }
        (Filter::Color, false) => {
            for element in narrow {
                let [y, co, cg, alpha] = *element;
                let chroma = [co, cg].map(|value| i32::from(value as i8));
                let decoded = color(y.into(), chroma, alpha.into(), 255.0);
                *element = decoded.map(|value| value as u8);
            }
        }
        (Filter::Octahedral, true) => each(bytes, |[x, y, one, rest]| {
            let [x, y, z] = octahedral([x, y, one].map(f32::from), 32767.0).map(|value| value as i16);
            [x, y, z, rest]
        }),
        (Filter::Quaternion, _) => each(bytes, quaternion),
        (Filter::Color, true) => each(bytes, |[y, co, cg, alpha]| {
            let [y, alpha] = [y, alpha].map(|value| i32::from(value as u16));
            color(y, [co, cg].map(i32::from), alpha, 65535.0).map(|value| value as u16 as i16)
        }),
    }
}

/// Replaces elements of four 16-bit integers.
fn each(bytes: &mut [u8], decode: impl Fn([i16; 4]) -> [i16; 4]) {
    for element in bytes.as_chunks_mut::<8>().0 {
        let [a, b, c, d, e, f, g, h] = *element;
        let [x, y, z, w] = decode([[a, b], [c, d], [e, f], [g, h]].map(i16::from_le_bytes));
        let [[a, b], [c, d], [e, f], [g, h]] = [x, y, z, w].map(i16::to_le_bytes);
        *element = [a, b, c, d, e, f, g, h];
    }
}

/// Filter 1: a direction from two octahedral components and the integer that is 1.0.
fn octahedral([x, y, one]: [f32; 3], most: f32) -> [f32; 3] {
    let (x, y) = (x / one, y / one);
    let z = 1.0 - x.abs() - y.abs();
    // The lower half is folded over the edges of the upper half.
    let fold = z.min(0.0);
    let (x, y) = (x - fold.copysign(x), y - fold.copysign(y));
    let factor = most / (x * x + y * y + z * z).sqrt();
    [x, y, z].map(|axis| (axis * factor).round())
}

/// Filter 2: a rotation whose largest component follows from the others.
fn quaternion([x, y, z, code]: [i16; 4]) -> [i16; 4] {
    let factor = std::f32::consts::FRAC_1_SQRT_2 / f32::from(code | 3);
    let [x, y, z] = [x, y, z].map(|value| f32::from(value) * factor);
    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let mut out = [w, x, y, z].map(|value| (value * 32767.0).round() as i16);
    out.rotate_right(usize::from((code & 3) as u16));
    out
}

/// Filter 3: a float of an exponent in 8 bits and a multiple in 24.
fn exponential(word: [u8; 4]) -> [u8; 4] {
    let word = i32::from_le_bytes(word);
    // A power of two times 24 bits is exact.
    let power = f64::from_bits(((word >> 24) + 1023) as u64 * (1 << 52));
    ((f64::from(word << 8 >> 8) * power) as f32).to_le_bytes()
}

/// Filter 4: a color from luma and chroma. The highest bit of alpha is the number of bits.
fn color(y: i32, [co, cg]: [i32; 2], alpha: i32, most: f32) -> [f32; 4] {
    let bits = 32 - alpha.leading_zeros();
    let one = ((1u32 << bits) - 1) as i32;
    let opacity = alpha & one >> 1;
    let opacity = opacity << 1 | opacity & 1;
    let factor = most / one as f32;
    [y + co - cg, y + cg, y - co - cg, opacity].map(|value| (value as f32 * factor).round())
}
