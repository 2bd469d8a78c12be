//! Conversion of floats to the formats of vertex buffers.

use super::block::Values;
use super::{Level, Loop, run_loop};
use crate::vertex_format::missing;

/// Adding this to a float rounds it to an integer, ties to even, in the lowest bits of the sum.
const ROUND: f32 = 12_582_912.0;

/// Directions are not scaled to length 1 if the square of their length differs from 1 by less: 2^-20, several roundings.
pub(crate) const UNIT: f32 = 1.0 / 1_048_576.0;

/// A number from 0 to 1 as a multiple of `1 / largest`, rounded to the nearest, ties to even. Numbers outside this
/// range are clamped; NaN becomes 0.
#[inline]
pub(crate) fn unorm(value: f32, largest: f32) -> i32 {
    // NaN is not greater.
    let value = if value > 0.0 { value } else { 0.0 };
    let value = if value < 1.0 { value } else { 1.0 };
    (value * largest + ROUND).to_bits().wrapping_sub(ROUND.to_bits()).cast_signed()
}

/// Like [`unorm`], for a number from -1 to 1.
#[inline]
pub(crate) fn snorm(value: f32, largest: f32) -> i32 {
    let value = if value.is_nan() { 0.0 } else { value };
    let value = if value > -1.0 { value } else { -1.0 };
    let value = if value < 1.0 { value } else { 1.0 };
    (value * largest + ROUND).to_bits().wrapping_sub(ROUND.to_bits()).cast_signed()
}

/// A direction of any length on the octahedron, unfolded into the square from -1 to 1: two signed normalized integers
/// of `BITS` bits, 8 or 16, in the first bytes in memory of a word whose other bytes are 0. A vector without a
/// direction becomes +Z. This is a vector whose sum of magnitudes of components is 0, subnormal, infinite or NaN.
#[inline(always)]
pub(crate) fn octahedral<const BITS: u32>([x, y, z]: [f32; 3]) -> u32 {
    let largest = ((1u32 << (BITS - 1)) - 1) as f32;
    let (across, up) = (x.abs(), y.abs());
    let size = across + up + z.abs();
    let scale = 1.0 / size;
    let (u, v) = (across * scale, up * scale);
    // The lower half is folded outward.
    let (u, v) = if z.is_sign_negative() { (1.0 - v, 1.0 - u) } else { (u, v) };
    let code = |value: f32| (value * largest + ROUND).to_bits() & ((1 << BITS) - 1);
    let word = code(u.copysign(x)) | code(v.copysign(y)) << BITS;
    let word = if (f32::MIN_POSITIVE..f32::INFINITY).contains(&size) { word } else { 0 };
    match (cfg!(target_endian = "big"), BITS) {
        (false, _) => word,
        (true, 8) => word.to_le(),
        (true, _) => word.rotate_left(16),
    }
}

/// Converts with `each`, value by value.
pub(super) struct Each<'a, T, F> {
    pub(super) values: &'a [f32],
    pub(super) out: &'a mut [T],
    pub(super) each: F,
}

impl<T, F: Fn(f32) -> T> Loop for Each<'_, T, F> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        for (out, value) in self.out.iter_mut().zip(self.values) {
            *out = (self.each)(*value);
        }
    }
}

/// Normalized integers: 32767 is 1.
pub(crate) fn snorm16(level: Level, values: &[f32], out: &mut [i16]) {
    run_loop(level, Each { values, out, each: |value| snorm(value, 32767.0) as i16 });
}

/// Normalized integers: 127 is 1.
pub(crate) fn snorm8(level: Level, values: &[f32], out: &mut [i8]) {
    run_loop(level, Each { values, out, each: |value| snorm(value, 127.0) as i8 });
}

/// Normalized integers: 65535 is 1.
pub(crate) fn unorm16(level: Level, values: &[f32], out: &mut [u16]) {
    run_loop(level, Each { values, out, each: |value| unorm(value, 65535.0) as u16 });
}

/// Normalized integers: 255 is 1.
pub(crate) fn unorm8(level: Level, values: &[f32], out: &mut [u8]) {
    run_loop(level, Each { values, out, each: |value| unorm(value, 255.0) as u8 });
}

struct Widen<'a, const FROM: usize, const TO: usize> {
    values: &'a Values,
    wide: &'a mut Values,
    count: usize,
}

impl<const FROM: usize, const TO: usize> Loop for Widen<'_, FROM, TO> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let (values, wide) = (self.values.0.as_chunks::<FROM>().0, self.wide.0.as_chunks_mut::<TO>().0);
        for (wide, value) in wide.iter_mut().zip(values).take(self.count) {
            *wide = core::array::from_fn(|at| if at < FROM { value[at] } else { missing(at) });
        }
    }
}

/// The first `count` values with `to` components instead of `from`.
pub(crate) fn widen(level: Level, values: &Values, from: usize, to: usize, count: usize, wide: &mut Values) {
    match (from, to) {
        (1, 2) => run_loop(level, Widen::<1, 2> { values, wide, count }),
        (1, 3) => run_loop(level, Widen::<1, 3> { values, wide, count }),
        (1, _) => run_loop(level, Widen::<1, 4> { values, wide, count }),
        (2, 3) => run_loop(level, Widen::<2, 3> { values, wide, count }),
        (2, _) => run_loop(level, Widen::<2, 4> { values, wide, count }),
        _ => run_loop(level, Widen::<3, 4> { values, wide, count }),
    }
}

/// `a` becomes `a * (1 - t) + b * t`: exactly `a` at 0 and `b` at 1.
struct Blend<'a> {
    a: &'a mut [f32],
    b: &'a [f32],
    t: f32,
}

impl Loop for Blend<'_> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let rest = 1.0 - self.t;
        for (a, b) in self.a.iter_mut().zip(self.b) {
            *a = *a * rest + *b * self.t;
        }
    }
}

/// Blends `b` into `a`.
pub(crate) fn blend(level: Level, a: &mut [f32], b: &[f32], t: f32) {
    run_loop(level, Blend { a, b, t });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalized_integers_are_rounded_and_clamped() {
        let found = [-2.0, -1.0, -0.5, 0.0, 0.25, 1.0, 3.0, f32::NAN].map(|value| snorm(value, 127.0));
        assert_eq!(found, [-127, -127, -64, 0, 32, 127, 127, 0]);
        assert_eq!([-1.0, 0.5, 2.0, f32::NAN].map(|value| unorm(value, 65535.0)), [0, 32768, 65535, 0]);
    }

    #[test]
    fn the_octahedron_has_its_corners() {
        let unfolded = |direction: [f32; 3]| {
            let codes: [i16; 2] = bytemuck::cast(octahedral::<16>(direction));
            codes.map(|code| f32::from(code) / 32767.0)
        };
        let bytes = |direction: [f32; 3]| octahedral::<8>(direction).to_ne_bytes();
        assert_eq!(unfolded([0.0, 0.0, 1.0]), [0.0, 0.0]);
        assert_eq!(unfolded([1.0, 0.0, 0.0]), [1.0, 0.0]);
        assert_eq!(unfolded([0.0, -2.0, 0.0]), [0.0, -1.0]);
        assert_eq!(unfolded([0.0, 0.0, -1.0]), [1.0, 1.0]);
        assert_eq!(unfolded([-0.0, -0.0, -1.0]), [-1.0, -1.0]);
        assert_eq!(bytes([1.0, 1.0, -2.0]), [0x5f, 0x5f, 0, 0], "0.75 of 127 is 95.25");
        assert_eq!(bytes([-1.0, 2.0, -1.0]), [0xc0, 0x5f, 0, 0], "-0.5 of 127 is -63.5, which rounds to -64");
    }

    #[test]
    fn vectors_without_a_direction_become_the_up_direction() {
        let (nan, infinity) = (f32::NAN, f32::INFINITY);
        let without = [
            [0.0, 0.0, 0.0],
            [-0.0, 0.0, -0.0],
            [1e-40, -1e-40, -1e-40],
            [1.0, nan, -1.0],
            [-nan, nan, -nan],
            [infinity, 1.0, -1.0],
            [-infinity, -infinity, -infinity],
            [f32::MAX, 0.0, -f32::MAX],
        ];
        for direction in without {
            assert_eq!(octahedral::<16>(direction), 0, "{direction:?}");
        }
        assert_ne!(octahedral::<16>([f32::MIN_POSITIVE, 0.0, 0.0]), 0);
        assert_ne!(octahedral::<16>([0.0, 0.0, -f32::MAX]), 0);
    }
}
