//! Blocks of values with one array for each component, and the arithmetic on them.
//!
//! The loops are plain Rust without branches, compiled once for each level: with separate components, the compiler
//! vectorizes them well.
//!
//! In the table of `benches/interleave.rs`, on an AMD Zen 4 (`benches/without planes`), conversion of components one after
//! another makes the row `f16x4 + snorm8x4 + f32x2` 1.17 times as fast with AVX2.
#![allow(clippy::needless_range_loop, reason = "several arrays are walked with one index")]

use super::block::{BLOCK, Planes, Values};
use super::convert::{UNIT, octahedral, snorm, unorm};
use super::{Level, Loop, run_loop};
use crate::vertex_format::missing;

/// Loops over planes use whole registers, so elements after the last one have unspecified values.
const LANES: usize = 16;

/// `count`, rounded up to whole registers, at most a block.
fn whole(count: usize) -> usize {
    count.next_multiple_of(LANES).min(BLOCK)
}

struct Split<'a, const N: usize> {
    values: &'a Values,
    planes: &'a mut Planes,
    count: usize,
}

impl<const N: usize> Loop for Split<'_, N> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let values = self.values.0.as_chunks::<N>().0;
        for at in 0..whole(self.count) {
            for component in 0..N {
                self.planes.0[component][at] = values[at][component];
            }
        }
    }
}

/// Separates the `components` of `count` values.
pub(crate) fn split(level: Level, components: usize, values: &Values, count: usize, planes: &mut Planes) {
    match components {
        1 => run_loop(level, Split::<1> { values, planes, count }),
        2 => run_loop(level, Split::<2> { values, planes, count }),
        3 => run_loop(level, Split::<3> { values, planes, count }),
        _ => run_loop(level, Split::<4> { values, planes, count }),
    }
}

struct Join<'a, const N: usize> {
    planes: &'a Planes,
    values: &'a mut [f32],
}

impl<const N: usize> Loop for Join<'_, N> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let values = self.values.as_chunks_mut::<N>().0;
        for (at, value) in values.iter_mut().enumerate().take(BLOCK) {
            for component in 0..N {
                value[component] = self.planes.0[component][at];
            }
        }
    }
}

/// Interleaves the `components` of as many values as fit.
pub(crate) fn join(level: Level, components: usize, planes: &Planes, values: &mut [f32]) {
    match components {
        1 => run_loop(level, Join::<1> { planes, values }),
        2 => run_loop(level, Join::<2> { planes, values }),
        3 => run_loop(level, Join::<3> { planes, values }),
        _ => run_loop(level, Join::<4> { planes, values }),
    }
}

struct Normalize<'a> {
    planes: &'a mut Planes,
    count: usize,
}

impl Loop for Normalize<'_> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let [xs, ys, zs, _] = &mut self.planes.0;
        for at in 0..whole(self.count) {
            let (x, y, z) = (xs[at], ys[at], zs[at]);
            let length = sqrt(x * x + y * y + z * z);
            let scale = if length > 1e-6 { 1.0 / length } else { 1.0 };
            (xs[at], ys[at], zs[at]) = (x * scale, y * scale, z * scale);
        }
    }
}

/// Both variants are correctly rounded. The function of the standard library becomes an instruction.
#[inline(always)]
fn sqrt(value: f32) -> f32 {
    #[cfg(feature = "std")]
    return value.sqrt();
    #[cfg(not(feature = "std"))]
    return libm::sqrtf(value);
}

/// Scales directions to length 1, unless they are too short.
pub(crate) fn normalize(level: Level, planes: &mut Planes, count: usize) {
    run_loop(level, Normalize { planes, count });
}

struct Blend<'a> {
    planes: &'a mut Planes,
    others: &'a Planes,
    t: f32,
    components: usize,
    count: usize,
}

impl Loop for Blend<'_> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let rest = 1.0 - self.t;
        for (plane, other) in self.planes.0.iter_mut().zip(&self.others.0).take(self.components) {
            for at in 0..whole(self.count) {
                plane[at] = plane[at] * rest + other[at] * self.t;
            }
        }
    }
}

/// `a` becomes `a * (1 - t) + b * t`: exactly `a` at 0 and `b` at 1.
pub(crate) fn blend(level: Level, a: &mut Planes, b: &Planes, t: f32, components: usize, count: usize) {
    run_loop(level, Blend { planes: a, others: b, t, components, count });
}

struct Multiply<'a> {
    from: &'a [f32; BLOCK],
    to: &'a mut [f32; BLOCK],
    factor: f32,
    count: usize,
}

impl Loop for Multiply<'_> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        for at in 0..whole(self.count) {
            self.to[at] = self.from[at] * self.factor;
        }
    }
}

/// Exchanges and multiplies components: plane `i` becomes plane `from[i]` times `factor[i]`, or 0 if this plane does
/// not exist.
pub(crate) fn swizzle(
    level: Level,
    [planes, others]: &mut [Planes; 2],
    from: [usize; 4],
    factor: [f32; 4],
    components: usize,
    count: usize,
) {
    for ((to, from), factor) in others.0.iter_mut().zip(from).zip(factor).take(components) {
        match planes.0.get(from).filter(|_| from < components) {
            Some(from) => run_loop(level, Multiply { from, to, factor, count }),
            None => to.fill(0.0 * factor),
        }
    }
    for (plane, other) in planes.0.iter_mut().zip(&others.0).take(components) {
        plane[..whole(count)].copy_from_slice(&other[..whole(count)]);
    }
}

/// Positions multiplied by a matrix. Fused products would make the result depend on the instructions.
struct Transform<'a> {
    planes: &'a mut Planes,
    matrix: &'a [[f32; 3]; 4],
    count: usize,
}

impl Loop for Transform<'_> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let [[ax, ay, az], [bx, by, bz], [cx, cy, cz], [dx, dy, dz]] = *self.matrix;
        let [xs, ys, zs, _] = &mut self.planes.0;
        for at in 0..whole(self.count) {
            let (x, y, z) = (xs[at], ys[at], zs[at]);
            xs[at] = x * ax + y * bx + z * cx + dx;
            ys[at] = x * ay + y * by + z * cy + dy;
            zs[at] = x * az + y * bz + z * cz + dz;
        }
    }
}

/// Positions multiplied by the columns of a matrix, the last of which is added.
pub(crate) fn transform(level: Level, planes: &mut Planes, matrix: &[[f32; 3]; 4], count: usize) {
    run_loop(level, Transform { planes, matrix, count });
}

/// Directions multiplied by the columns of a matrix.
struct Turn<'a> {
    planes: &'a Planes,
    turned: &'a mut Planes,
    matrix: &'a [[f32; 3]; 4],
    count: usize,
}

/// The lengths of the directions of a block, as sign bits: whether one is not [nearly](UNIT) 1, and whether the square of one
/// is 0, subnormal, infinite or NaN.
struct Lengths {
    others: i32,
    special: i32,
}

impl Loop for Turn<'_> {
    type Result = Lengths;

    /// The fourth plane becomes the squares of the lengths.
    #[inline(always)]
    fn run(self) -> Lengths {
        let [[ax, ay, az], [bx, by, bz], [cx, cy, cz], _] = *self.matrix;
        let [xs, ys, zs, _] = &self.planes.0;
        let [us, vs, ws, squares] = &mut self.turned.0;
        let bits = |value: f32| value.to_bits().cast_signed();
        // Bits of numbers that are not negative have their order; differences of integers are vectorized, comparisons are not.
        let (mut others, mut special) = (0, 0);
        for at in 0..whole(self.count) {
            let (x, y, z) = (xs[at], ys[at], zs[at]);
            let u = x * ax + y * bx + z * cx;
            let v = x * ay + y * by + z * cy;
            let w = x * az + y * bz + z * cz;
            let squared = u * u + v * v + w * w;
            (us[at], vs[at], ws[at], squares[at]) = (u, v, w, squared);
            others |= bits(UNIT).wrapping_sub(1).wrapping_sub(bits((squared - 1.0).abs()));
            special |= bits(squared).wrapping_sub(bits(f32::MIN_POSITIVE));
            special |= bits(f32::MAX).wrapping_sub(bits(squared));
        }
        Lengths { others, special }
    }
}

/// Turned directions scaled to length 1. With `SPECIAL`, those without a length are unchanged.
struct Scale<'a, const SPECIAL: bool> {
    planes: &'a mut Planes,
    turned: &'a Planes,
    count: usize,
}

impl<const SPECIAL: bool> Loop for Scale<'_, SPECIAL> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let [xs, ys, zs, _] = &mut self.planes.0;
        let [us, vs, ws, squares] = &self.turned.0;
        for at in 0..whole(self.count) {
            let squared = squares[at];
            let length = sqrt(if (squared - 1.0).abs() < UNIT { 1.0 } else { squared });
            let scale = 1.0 / length;
            // The square root of a subnormal number has few correct bits.
            let has_length = !SPECIAL || (f32::MIN_POSITIVE..f32::INFINITY).contains(&squared);
            xs[at] = if has_length { us[at] * scale } else { xs[at] };
            ys[at] = if has_length { vs[at] * scale } else { ys[at] };
            zs[at] = if has_length { ws[at] * scale } else { zs[at] };
        }
    }
}

/// Directions multiplied by the columns of a matrix and scaled to length 1, unless this is [nearly](UNIT) their length.
/// Those without a length are unchanged. A fourth component is multiplied by `sign`.
pub(crate) fn transform_directions(
    level: Level,
    [planes, turned]: &mut [Planes; 2],
    matrix: &[[f32; 3]; 4],
    sign: f32,
    count: usize,
) {
    let Lengths { others, special } = run_loop(level, Turn { planes, turned, matrix, count });
    if special < 0 {
        run_loop(level, Scale::<true> { planes, turned, count });
    } else if others < 0 {
        run_loop(level, Scale::<false> { planes, turned, count });
    } else {
        for (plane, turned) in planes.0.iter_mut().zip(&turned.0).take(3) {
            plane[..whole(count)].copy_from_slice(&turned[..whole(count)]);
        }
    }
    if sign != 1.0 {
        planes.0[3][..whole(count)].iter_mut().for_each(|w| *w *= sign);
    }
}

struct Octahedral<'a, const BITS: u32> {
    planes: &'a Planes,
    out: &'a mut [u32],
}

impl<const BITS: u32> Loop for Octahedral<'_, BITS> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let [xs, ys, zs, _] = &self.planes.0;
        for (((out, x), y), z) in self.out.iter_mut().zip(xs).zip(ys).zip(zs) {
            *out = octahedral::<BITS>([*x, *y, *z]);
        }
    }
}

/// Directions on the octahedron: two signed normalized integers of `BITS` bits each in the lowest bytes of a word whose
/// other bytes are 0.
pub(crate) fn octahedrals<const BITS: u32>(level: Level, planes: &Planes, out: &mut [u32]) {
    run_loop(level, Octahedral::<BITS> { planes, out });
}

/// Four normalized integers of 8 bits: `N` of them are from planes, and the rest is from
/// [`missing`](crate::vertex_format::missing).
struct Bytes<'a, const N: usize, const SIGNED: bool> {
    planes: &'a Planes,
    out: &'a mut [u32],
}

#[inline(always)]
fn code<const SIGNED: bool>(value: f32, bits: u32) -> u32 {
    let largest = ((1u32 << (bits - if SIGNED { 1 } else { 0 })) - 1) as f32;
    let code = if SIGNED { snorm(value, largest) } else { unorm(value, largest) };
    code.cast_unsigned() & ((1 << bits) - 1)
}

impl<const N: usize, const SIGNED: bool> Loop for Bytes<'_, N, SIGNED> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        for (at, out) in self.out.iter_mut().enumerate().take(BLOCK) {
            let mut word = 0;
            for component in 0..4 {
                let value = if component < N { self.planes.0[component][at] } else { missing(component) };
                word |= code::<SIGNED>(value, 8) << (8 * component);
            }
            *out = word.to_le();
        }
    }
}

/// Four normalized integers of 8 bits for each element, from its first `components`.
pub(crate) fn normalized8<const SIGNED: bool>(
    level: Level,
    components: usize,
    planes: &Planes,
    out: &mut [u32],
) {
    match components {
        3 => run_loop(level, Bytes::<3, SIGNED> { planes, out }),
        _ => run_loop(level, Bytes::<4, SIGNED> { planes, out }),
    }
}

/// Like [`Bytes`], with 16 bits.
struct Shorts<'a, const N: usize, const SIGNED: bool> {
    planes: &'a Planes,
    out: &'a mut [[u16; 4]],
}

impl<const N: usize, const SIGNED: bool> Loop for Shorts<'_, N, SIGNED> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        for (at, out) in self.out.iter_mut().enumerate().take(BLOCK) {
            for component in 0..4 {
                let value = if component < N { self.planes.0[component][at] } else { missing(component) };
                out[component] = code::<SIGNED>(value, 16) as u16;
            }
        }
    }
}

/// Four normalized integers of 16 bits for each element, from its first `components`.
pub(crate) fn normalized16<const SIGNED: bool>(
    level: Level,
    components: usize,
    planes: &Planes,
    out: &mut [[u16; 4]],
) {
    match components {
        3 => run_loop(level, Shorts::<3, SIGNED> { planes, out }),
        _ => run_loop(level, Shorts::<4, SIGNED> { planes, out }),
    }
}
