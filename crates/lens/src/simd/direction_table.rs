//! Directions stored as two angles of one byte each, by tables of sines and cosines in memory.
//!
//! Every component is a function of the first angle times a function of the second. The sine and the cosine of the
//! first code are loaded as four floats, and multiplied by the four factors of the second code. Therefore, a direction
//! takes two loads and one multiplication, and four directions are combined into three whole registers. Poles are rare,
//! so checking many codes for a pole at once is faster than a selection for each code.
//!
//! See `sincos_table8` for registers that are large enough to hold tables.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
use super::Kernel;
#[cfg(target_arch = "x86_64")]
use super::isa::{Avx2, Sse41};
use super::level::Kind;
#[cfg(target_arch = "x86_64")]
use super::stream::store_128;
use super::{Level, Shape};
use crate::angles::{Angles, Steps};

/// The sine and the cosine of each first code. Entries from 256 on are for a second code of 0.
#[repr(C, align(64))]
pub(crate) struct Sines([[f32; 2]; 512]);

impl Sines {
    /// Without poles: a second code of 0 is treated like any other code.
    pub(crate) const fn new(angles: &Angles) -> Sines {
        let mut sines = [[0.0; 2]; 512];
        let mut code = 0;
        while code < 256 {
            sines[code] = [angles.sine[code], angles.cosine[code]];
            sines[256 + code] = sines[code];
            code += 1;
        }
        Sines(sines)
    }

    /// With poles: if the second code is 0, a first code of 0 or 128 is a pole.
    pub(crate) const fn with_poles(angles: &Angles) -> Sines {
        let Sines(mut sines) = Sines::new(angles);
        sines[256] = [0.0, 1.0];
        sines[256 + 128] = [0.0, -1.0];
        Sines(sines)
    }

    /// The sine and the cosine of a code that is not a pole.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn entry(&self, code: u8) -> *const [f32; 2] {
        self.0.as_ptr().wrapping_add(usize::from(code))
    }
}

/// For each second code, the factors of the sine, of the cosine, and again of the sine of a first code. The fourth
/// float is 0.
#[repr(C, align(64))]
pub(crate) struct Factors([[f32; 4]; 256]);

impl Factors {
    /// Cosine, 1 and sine. With a zenith first, the result is x, z and y.
    pub(crate) const fn of_azimuths(angles: &Angles) -> Factors {
        Factors::new(&angles.cosine, &angles.sine)
    }

    /// Sine, 1 and cosine. With a latitude first, increased by a quarter turn, the result is x, y and z.
    pub(crate) const fn of_longitudes(angles: &Angles) -> Factors {
        Factors::new(&angles.sine, &angles.cosine)
    }

    const fn new(first: &[f32; 256], third: &[f32; 256]) -> Factors {
        let mut factors = [[0.0; 4]; 256];
        let mut code = 0;
        while code < 256 {
            factors[code] = [first[code], 1.0, third[code], 0.0];
            code += 1;
        }
        Factors(factors)
    }
}

/// The kinds of angles of the codes, as a parameter of [`DirectionTable`].
pub(crate) mod angles {
    /// A zenith and an azimuth with the same angles: `sin zenith cos azimuth`, `sin zenith sin azimuth`, `cos zenith`.
    pub(crate) const ZENITH_AZIMUTH: u8 = 0;
    /// The same, [with poles](super::Sines::with_poles) and different angles.
    pub(crate) const ZENITH_AZIMUTH_WITH_POLES: u8 = 1;
    /// A latitude plus a quarter turn and a longitude: `sin ahead sin longitude`, `cos ahead`,
    /// `sin ahead cos longitude`.
    pub(crate) const LATITUDE_LONGITUDE: u8 = 2;
}
#[cfg(target_arch = "x86_64")]
use angles::{LATITUDE_LONGITUDE, ZENITH_AZIMUTH_WITH_POLES};

/// The kernel for two codes, `STRIDE` bytes apart.
#[derive(Clone, Copy)]
pub(crate) struct DirectionTable<const STRIDE: usize, const ANGLES: u8> {
    pub(super) first: &'static Sines,
    second: &'static Factors,
    /// The same two angles, for registers that can contain tables.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(dead_code, reason = "other registers are too small for tables")
    )]
    pub(super) steps: [&'static Steps; 2],
}

impl<const STRIDE: usize, const ANGLES: u8> DirectionTable<STRIDE, ANGLES> {
    /// `first` and `second` must be computed from the angles of `steps`.
    pub(crate) const fn new(
        first: &'static Sines,
        second: &'static Factors,
        steps: [&'static Steps; 2],
    ) -> DirectionTable<STRIDE, ANGLES> {
        DirectionTable { first, second, steps }
    }

    /// The addresses of the sine and the cosine of the first of two codes, and of the factors of the second. Without
    /// `POLES`, no code may be a pole.
    #[inline(always)]
    pub(super) fn entries<const POLES: bool>(&self, codes: u16) -> (*const f32, *const f32) {
        let (first, second) = (usize::from(codes & 0xff), usize::from(codes >> 8));
        let first = if POLES { first | usize::from(codes < 0x100) << 8 } else { first };
        // The indices are less than the lengths of the tables, 512 and 256. Checks would take longer than the loads.
        (self.first.0.as_ptr().wrapping_add(first).cast(), self.second.0.as_ptr().wrapping_add(second).cast())
    }
}

impl<const STRIDE: usize, const ANGLES: u8> Shape for DirectionTable<STRIDE, ANGLES> {
    const SIZE: usize = 2;
    const STRIDE: usize = STRIDE;
    const OUT: usize = 12;

    /// AVX2 has no faster lookup. Its wider search for poles is faster on AMD processors, and slower on Intel processors.
    fn method(level: Level) -> Kind {
        match level.kind() {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 if ANGLES == ZENITH_AZIMUTH_WITH_POLES && Level::has_halved_avx512() => Kind::Avx2,
            Kind::Avx2 => Kind::Sse41,
            kind => kind,
        }
    }
}

/// The number of elements of a step.
#[cfg(target_arch = "x86_64")]
const STEP: usize = 16;

#[cfg(target_arch = "x86_64")]
impl<const STRIDE: usize, const ANGLES: u8> DirectionTable<STRIDE, ANGLES> {
    /// Four floats: x, y, z for a latitude and a longitude, and x, z, y for a zenith and an azimuth. The fourth is
    /// ignored.
    ///
    /// # Safety
    ///
    /// The processor has SSE4.1, and two bytes may be read.
    #[inline(always)]
    unsafe fn direction<const POLES: bool>(&self, codes: *const u8) -> __m128 {
        // SAFETY: guaranteed by the caller. Both entries are in their tables, and the second one is aligned.
        unsafe {
            let (first, second) = self.entries::<POLES>(codes.cast::<u16>().read_unaligned());
            _mm_mul_ps(_mm_castpd_ps(_mm_loaddup_pd(first.cast())), _mm_load_ps(second))
        }
    }

    /// Decodes a step.
    ///
    /// # Safety
    ///
    /// Same as [`Kernel::step`], with SSE4.1.
    #[inline(always)]
    unsafe fn store<const POLES: bool, const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        for four in 0..STEP / 4 {
            // SAFETY: the processor has SSE4.1, and the accesses are in the range that the caller guarantees.
            unsafe {
                let (source, target) = (source.add(4 * four * STRIDE), target.add(48 * four));
                let a = self.direction::<POLES>(source);
                let b = self.direction::<POLES>(source.add(STRIDE));
                let c = self.direction::<POLES>(source.add(2 * STRIDE));
                let d = self.direction::<POLES>(source.add(3 * STRIDE));
                // Each product is used twice. Otherwise, the compiler would replace the shuffle of a product by a
                // product of shuffles.
                let (low, middle, high);
                if ANGLES == LATITUDE_LONGITUDE {
                    low = _mm_insert_ps::<0b0011_0000>(a, b);
                    middle = _mm_shuffle_ps::<0b01_00_10_01>(b, c);
                    high = _mm_shuffle_ps::<0b10_01_00_10>(_mm_blend_ps::<0b0100>(d, c), d);
                } else {
                    // y is after z, so x of one element is first moved next to z of the other one.
                    let (b_a, d_c) = (_mm_blend_ps::<0b0001>(a, b), _mm_blend_ps::<0b0001>(c, d));
                    low = _mm_shuffle_ps::<0b00_01_10_00>(a, b_a);
                    middle = _mm_shuffle_ps::<0b10_00_01_10>(b, c);
                    high = _mm_shuffle_ps::<0b01_10_00_01>(d_c, d);
                }
                store_128::<PAST>(target, low);
                store_128::<PAST>(target.add(16), middle);
                store_128::<PAST>(target.add(32), high);
            }
        }
    }
}

/// Decodes a step with poles. It is a separate function so that it does not share registers with steps without poles.
///
/// # Safety
///
/// Same as [`Kernel::step`], with SSE4.1.
#[cfg(target_arch = "x86_64")]
#[cold]
#[inline(never)]
#[target_feature(enable = "sse4.1")]
unsafe fn store_with_poles<const STRIDE: usize, const ANGLES: u8, const PAST: bool>(
    table: &DirectionTable<STRIDE, ANGLES>,
    source: *const u8,
    target: *mut u8,
) {
    // SAFETY: guaranteed by the caller.
    unsafe { table.store::<true, PAST>(source, target) }
}

/// Searches for poles among the codes of a step: a second code of 0 with a first code of 0 or 128.
#[cfg(target_arch = "x86_64")]
macro_rules! has_poles {
    ($source:ident, $bytes:literal, $splat:ident $load:ident $or:ident $min:ident $equal:ident $bits:ident) => {{
        // Bytes between the codes are changed so that they are not poles, and the lowest bit of both poles is set.
        let [others, pole]: [u64; 2] = match STRIDE {
            2 => [0x0080_0080_0080_0080; 2],
            8 => [0xffff_ffff_ffff_0080, 0x0080],
            _ => unreachable!(),
        };
        let others = $splat(others as i64);
        let mut least = $or($load($source.cast()), others);
        for load in 1..STEP * STRIDE / $bytes {
            least = $min(least, $or($load($source.add($bytes * load).cast()), others));
        }
        $bits($equal(least, $splat(pole as i64))) != 0
    }};
}

macro_rules! kernels {
    ($($isa:ident $bytes:literal $splat:ident $load:ident $or:ident $min:ident $equal:ident $bits:ident;)*) => {$(
        // SAFETY: the codes of each element are `STRIDE` bytes after the codes of the previous one. Twelve floats are
        // written for four elements.
        #[cfg(target_arch = "x86_64")]
        unsafe impl<const STRIDE: usize, const ANGLES: u8> Kernel<$isa> for DirectionTable<STRIDE, ANGLES> {
            const ELEMENTS: usize = STEP;
            const READ: usize =
                if ANGLES == ZENITH_AZIMUTH_WITH_POLES { STEP * STRIDE } else { (STEP - 1) * STRIDE + 2 };
            const WRITE: usize = 12 * STEP;

            #[inline(always)]
            unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
                // SAFETY: the processor has the instructions, and the caller guarantees the accesses.
                unsafe {
                    self.store::<false, PAST>(source, target);
                    // This follows the step, because otherwise, the compiler would extract the codes from these
                    // registers, which takes longer.
                    if ANGLES == ZENITH_AZIMUTH_WITH_POLES
                        && has_poles!(source, $bytes, $splat $load $or $min $equal $bits)
                    {
                        store_with_poles::<STRIDE, ANGLES, PAST>(self, source, target);
                    }
                }
            }
        }
    )*};
}

kernels! {
    Sse41 16 _mm_set1_epi64x _mm_loadu_si128 _mm_or_si128 _mm_min_epu16 _mm_cmpeq_epi16 _mm_movemask_epi8;
    Avx2 32 _mm256_set1_epi64x _mm256_loadu_si256 _mm256_or_si256 _mm256_min_epu16 _mm256_cmpeq_epi16
        _mm256_movemask_epi8;
}

/// A row of three factors for each code, and a fourth that is ignored. A direction is the product of two rows.
///
/// This takes more memory than [`Sines`] and [`Factors`], but fewer shuffles, which limit the speed of positions with
/// normals.
#[repr(C, align(64))]
pub(crate) struct Rows([[f32; 4]; 256]);

impl Rows {
    /// Rows of the sine, the sine and the cosine of each angle.
    pub(crate) const fn of_zeniths(angles: &Angles) -> Rows {
        let mut rows = [[0.0; 4]; 256];
        let mut code = 0;
        while code < 256 {
            rows[code] = [angles.sine[code], angles.sine[code], angles.cosine[code], 0.0];
            code += 1;
        }
        Rows(rows)
    }

    /// Cosine, sine and 1.
    pub(crate) const fn of_azimuths(angles: &Angles) -> Rows {
        let mut rows = [[0.0; 4]; 256];
        let mut code = 0;
        while code < 256 {
            rows[code] = [angles.cosine[code], angles.sine[code], 1.0, 0.0];
            code += 1;
        }
        Rows(rows)
    }

    /// The row of a code.
    #[cfg_attr(target_arch = "x86_64", allow(dead_code, reason = "it takes offsets"))]
    #[inline(always)]
    pub(super) fn row(&self, code: u8) -> *const f32 {
        self.row_at(usize::from(code) * 16)
    }

    /// The row that begins at this byte, a multiple of 16 below 4096.
    #[inline(always)]
    pub(super) fn row_at(&self, offset: usize) -> *const f32 {
        self.0.as_ptr().cast::<f32>().wrapping_byte_add(offset)
    }
}
