//! Registers that contain one component of several vertices each. They are converted to words of vertex buffers and
//! stored as whole vertices (AVX2 and AVX-512).

mod avx2;
mod avx512;

use super::convert::UNIT;
use super::lanes::Lanes;
use super::position_normal::PositionDirection;

/// Adding this to a float rounds it to an integer, ties to even, in the lowest bits of the sum.
const ROUND: f32 = 12_582_912.0;
/// The half float 1 in the upper half of a word.
const HALF_ONE: i32 = 0x3c00 << 16;

/// Two neighboring words of `N` vertices. The words of the first half of the vertices are in the first register.
pub(super) type Pair<I> = [I; 2];

/// Registers for columns. The scalar conversions of `convert` define the results.
///
/// # Safety
///
/// The functions may only be called if the processor has the instructions of the implementor. Functions with a pointer
/// access the documented number of bytes.
pub(super) unsafe trait Columns: Lanes {
    /// The tables of normals.
    type Tables: Copy;

    /// The tables, for a whole loop.
    unsafe fn tables(tables: &PositionDirection) -> Self::Tables;
    unsafe fn splat_integer(value: i32) -> Self::I;
    unsafe fn and(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn or(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn shift_up<const BITS: u32>(value: Self::I) -> Self::I;
    unsafe fn sqrt(value: Self::F) -> Self::F;
    unsafe fn abs(value: Self::F) -> Self::F;
    /// `value`, which is not negative, with the sign of `sign`.
    unsafe fn with_sign(value: Self::F, sign: Self::F) -> Self::F;
    /// `then` if `sign` is negative (including negative zero), otherwise `otherwise`.
    unsafe fn if_negative(sign: Self::F, then: Self::F, otherwise: Self::F) -> Self::F;
    /// `then` if `a` is greater than `b`, otherwise `otherwise`.
    unsafe fn if_greater(a: Self::F, b: Self::F, then: Self::F, otherwise: Self::F) -> Self::F;
    /// Whether all lanes of `a` are less than those of `b`.
    unsafe fn all_less(a: Self::F, b: Self::F) -> bool;
    /// `value` if `size` is a normal, finite float, otherwise 0.
    unsafe fn where_normal(size: Self::F, value: Self::I) -> Self::I;
    /// Numbers clamped to -1 to 1; NaN becomes 0.
    unsafe fn clamp(value: Self::F) -> Self::F;
    /// Half floats, each in the lower half of a lane whose upper half is 0.
    unsafe fn halves(value: Self::F) -> Self::I;
    /// The normals of `N` records of eight bytes, whose last four bytes are `codes`. `SPLIT` determines whether they
    /// are in the order of [`split`](Self::split).
    unsafe fn normals<const SPLIT: bool>(
        tables: &Self::Tables,
        source: *const u8,
        codes: Self::I,
    ) -> [Self::F; 3];
    /// The first and the second words of vertices. Each 16 bytes contain the words of two vertices of the first half,
    /// and then of two vertices of the second half.
    unsafe fn split(pair: Pair<Self::I>) -> [Self::I; 2];
    /// The inverse of [`split`](Self::split).
    unsafe fn pair(first: Self::I, second: Self::I) -> Pair<Self::I>;
    /// Pairs of words, from `8 * N` bytes.
    #[inline(always)]
    unsafe fn load_pair(source: *const u8) -> Pair<Self::I> {
        // SAFETY: guaranteed by the caller.
        unsafe { [Self::load(source), Self::load(source.add(4 * Self::N))] }
    }
    /// Stores `N` vertices of three words. If `PAST`, the stores bypass the cache, and the target must be aligned.
    unsafe fn store_three<const PAST: bool>(target: *mut u8, words: [Self::I; 3]);
    /// Stores `N` vertices of `PAIRS` pairs of words, 2 to 4. If `PAST`, the stores bypass the cache, and the target
    /// must be aligned.
    unsafe fn store_pairs<const PAIRS: usize, const PAST: bool>(target: *mut u8, pairs: [Pair<Self::I>; 4]);
    /// Stores two pairs of words for each of `N` vertices, `stride` bytes apart. Bytes between vertices are not changed.
    unsafe fn store_apart(target: *mut u8, stride: usize, pairs: [Pair<Self::I>; 2]);
}

/// `a * (1 - t) + b * t`.
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
pub(super) unsafe fn blend<L: Columns>(a: [L::F; 3], b: [L::F; 3], t: f32) -> [L::F; 3] {
    let mut blended = a;
    for (a, b) in blended.iter_mut().zip(b) {
        // SAFETY: guaranteed by the caller.
        *a = unsafe { L::add(L::mul(*a, L::splat(1.0 - t)), L::mul(b, L::splat(t))) };
    }
    blended
}

/// The squares of the lengths of vectors.
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
pub(super) unsafe fn squared_length<L: Columns>([x, y, z]: [L::F; 3]) -> L::F {
    // SAFETY: guaranteed by the caller.
    unsafe { L::add(L::add(L::mul(x, x), L::mul(y, y)), L::mul(z, z)) }
}

/// Whether the squares of all lengths are [nearly 1](UNIT).
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
pub(super) unsafe fn are_unit<L: Columns>(squared: L::F) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe { L::all_less(L::abs(L::sub(squared, L::splat(1.0))), L::splat(UNIT)) }
}

/// Lengths from their squares; 1 for those that are [nearly 1](UNIT).
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
pub(super) unsafe fn length<L: Columns>(squared: L::F) -> L::F {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let one = L::splat(1.0);
        let from_one = L::abs(L::sub(squared, one));
        L::sqrt(L::if_greater(L::splat(UNIT), from_one, one, squared))
    }
}

/// Vectors times `factor`.
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
pub(super) unsafe fn scale<L: Columns>([x, y, z]: [L::F; 3], factor: L::F) -> [L::F; 3] {
    // SAFETY: guaranteed by the caller.
    unsafe { [L::mul(x, factor), L::mul(y, factor), L::mul(z, factor)] }
}

/// Directions of length 1, or unchanged directions if their [`length`] is too small.
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
pub(super) unsafe fn normalize<L: Columns>(vector: [L::F; 3], length: L::F) -> [L::F; 3] {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let one = L::splat(1.0);
        scale::<L>(vector, L::if_greater(length, L::splat(1e-6), L::div(one, length), one))
    }
}

/// The square root of the smallest normal number. A shorter [`length`] has few correct bits.
const SHORTEST: f32 = 1.084_202_2e-19;

/// Vectors scaled to length 1, or `otherwise` if their [`length`] is not finite, or its square is 0 or subnormal.
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
pub(super) unsafe fn normalize_or<L: Columns>(
    vector: [L::F; 3],
    length: L::F,
    otherwise: [L::F; 3],
) -> [L::F; 3] {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let scale = L::div(L::splat(1.0), length);
        let mut scaled = otherwise;
        for (scaled, axis) in scaled.iter_mut().zip(vector) {
            let product = L::mul(axis, scale);
            let finite = L::if_greater(L::splat(f32::INFINITY), length, product, *scaled);
            *scaled = L::if_greater(L::splat(SHORTEST), length, *scaled, finite);
        }
        scaled
    }
}

/// The lowest bits of numbers from -1 to 1 as multiples of `1 / largest`.
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
unsafe fn codes<L: Columns>(value: L::F, largest: f32, mask: i32) -> L::I {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let sum = L::add(L::mul(value, L::splat(largest)), L::splat(ROUND));
        L::and(L::bits(sum), L::splat_integer(mask))
    }
}

/// Directions on the octahedron with 16 bits per component, with the result of
/// [`octahedral`](super::convert::octahedral).
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
pub(super) unsafe fn octahedral<L: Columns>([x, y, z]: [L::F; 3]) -> L::I {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let one = L::splat(1.0);
        let (across, up) = (L::abs(x), L::abs(y));
        let size = L::add(L::add(across, up), L::abs(z));
        let scale = L::div(one, size);
        let (u, v) = (L::mul(across, scale), L::mul(up, scale));
        let folded_u = L::if_negative(z, L::sub(one, v), u);
        let folded_v = L::if_negative(z, L::sub(one, u), v);
        let low = codes::<L>(L::with_sign(folded_u, x), 32767.0, 0xffff);
        let high = codes::<L>(L::with_sign(folded_v, y), 32767.0, 0xffff);
        L::where_normal(size, L::or(low, L::shift_up::<16>(high)))
    }
}

/// Four normalized integers of 8 bits, the last of which is 1. Without `CLAMPED`, components must be numbers from -1 to
/// 1.
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
pub(super) unsafe fn snorm8<L: Columns, const CLAMPED: bool>(direction: [L::F; 3]) -> L::I {
    // SAFETY: guaranteed by the caller.
    unsafe {
        // Not with `map`, because closures that are not inlined would not have the instructions.
        let [x, y, z] = direction;
        let (x, y, z) = if CLAMPED { (L::clamp(x), L::clamp(y), L::clamp(z)) } else { (x, y, z) };
        let [x, y, z] = [codes::<L>(x, 127.0, 0xff), codes::<L>(y, 127.0, 0xff), codes::<L>(z, 127.0, 0xff)];
        let low = L::or(x, L::shift_up::<8>(y));
        L::or(low, L::or(L::shift_up::<16>(z), L::splat_integer(127 << 24)))
    }
}

/// Three half floats and the half float 1, as two words.
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
pub(super) unsafe fn halves<L: Columns>([x, y, z]: [L::F; 3]) -> [L::I; 2] {
    // SAFETY: guaranteed by the caller.
    unsafe {
        [
            L::or(L::halves(x), L::shift_up::<16>(L::halves(y))),
            L::or(L::halves(z), L::splat_integer(HALF_ONE)),
        ]
    }
}
