//! Assembles vertices from columns: whole registers of output, each from a few loads and shuffles.
//!
//! The bytes of `width` output registers repeat after as many vertices as fill whole registers. A [`Plan`] contains,
//! for each register of that period, the sources of its bytes in the columns. Each register of the period is then
//! written for the whole block, with its shuffles in registers. Vertices after the last whole period are copied one by
//! one.

#[cfg(target_arch = "aarch64")]
use core::arch::aarch64::*;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use core::arch::wasm32::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use arrayvec::ArrayVec;

use super::Level;
#[cfg(target_arch = "aarch64")]
use super::isa::Neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::isa::Simd128;
#[cfg(target_arch = "x86_64")]
use super::isa::{Avx2, Avx512, Sse41};
use super::level::Kind;

/// The number of columns that are assembled at a time.
pub(crate) const MAX_COLUMNS: usize = 8;
/// The number of bytes that loads may read after the last element of a column, if they exist.
pub(crate) const SLACK: usize = 64;

/// One attribute of a block of vertices: the first `size` of every `step` bytes are stored at `offset` in each vertex.
#[derive(Clone, Copy)]
pub(crate) struct Column<'a> {
    /// The bytes from the first element on. Plans are used as long as whole registers can be read.
    pub(crate) bytes: &'a [u8],
    pub(crate) step: usize,
    pub(crate) size: usize,
    pub(crate) offset: usize,
}

/// The place of a column in a vertex. A plan depends only on these places.
#[derive(Clone, Copy, Default)]
pub(crate) struct Field {
    pub(crate) step: usize,
    pub(crate) size: usize,
    pub(crate) offset: usize,
}

/// The bytes of one column for one register of the period.
#[derive(Clone, Copy)]
struct Merge {
    column: u8,
    register: u8,
    /// The first byte of the column that is loaded, in the first period.
    base: usize,
    /// For each byte of the register, the index of its loaded byte, or [`NONE`].
    from: [u8; 64],
}

const NONE: u8 = 0x80;
/// The maximum number of merges of a period.
const MAX_MERGES: usize = 48;

/// The plan to assemble vertices of one layout.
pub(crate) struct Plan {
    width: usize,
    /// The number of vertices of a period.
    vertices: usize,
    registers: usize,
    merges: ArrayVec<Merge, MAX_MERGES>,
    /// For each column, the end of the furthest load of a period.
    reach: [usize; MAX_COLUMNS],
    /// Whether there are bytes that belong to no column.
    has_gaps: bool,
}

/// The width of the registers that a level shuffles.
fn width(level: Level) -> usize {
    match level.kind() {
        Kind::Scalar => 0,
        Kind::Neon | Kind::Simd128 | Kind::Sse41 => 16,
        Kind::Avx2 => 32,
        Kind::Avx512 => 64,
    }
}

impl Plan {
    /// An empty plan, with which vertices are copied one by one.
    pub(crate) const fn new() -> Self {
        Plan {
            width: 0,
            vertices: 1,
            registers: 0,
            merges: ArrayVec::new_const(),
            reach: [0; MAX_COLUMNS],
            has_gaps: false,
        }
    }

    /// Makes this the plan for vertices of `stride` bytes. It stays empty where vertices are copied one by one.
    pub(crate) fn make(&mut self, level: Level, fields: &[Field], stride: usize) {
        let mut width = width(level);
        let words = |field: &Field| (field.step | field.size | field.offset).is_multiple_of(4);
        if width == 32 && !(stride.is_multiple_of(4) && fields.iter().all(words)) {
            width = 16;
        }
        if width == 0 || stride == 0 || fields.len() > MAX_COLUMNS {
            return;
        }
        let registers = stride >> stride.trailing_zeros().min(width.trailing_zeros());
        // A register must not need more of a column than one load gives.
        if registers * fields.len() > MAX_MERGES || fields.iter().any(|field| field.step > stride) {
            return;
        }
        let mut covered = 0;
        for register in 0..registers {
            for (column, field) in fields.iter().enumerate() {
                covered += self.merge(register, column, *field, stride, width);
            }
        }
        self.has_gaps = covered < registers * width;
        (self.width, self.registers, self.vertices) = (width, registers, registers * width / stride);
    }

    /// Adds the bytes of a column for a register. Returns their number.
    fn merge(&mut self, register: usize, column: usize, field: Field, stride: usize, width: usize) -> usize {
        let (start, end) = (register * width, (register + 1) * width);
        let mut base = None;
        let mut from = [NONE; 64];
        let mut covered = 0;
        // The vertices that have bytes of this register.
        for vertex in start / stride..end.div_ceil(stride) {
            let place = vertex * stride + field.offset;
            let (first, last) = (start.max(place), end.min(place + field.size));
            if first >= last {
                continue;
            }
            let source = vertex * field.step + first - place;
            let base = *base.get_or_insert(source);
            for (at, from) in from[first - start..last - start].iter_mut().enumerate() {
                *from = (source - base + at) as u8;
            }
            covered += last - first;
        }
        if let Some(base) = base {
            self.merges.push(Merge { column: column as u8, register: register as u8, base, from });
            self.reach[column] = self.reach[column].max(base + width);
        }
        covered
    }
}

/// Registers whose bytes can be shuffled.
///
/// # Safety
///
/// The functions may only be called where the processor has the instructions. They access the bytes of a register.
unsafe trait Bytes {
    type Register: Copy;
    type Index: Copy;

    /// The operands of [`merge`](Self::merge).
    unsafe fn index(from: &[u8; 64]) -> Self::Index;
    /// The bytes that none of `from` replaces.
    unsafe fn zero() -> Self::Register;
    unsafe fn load(source: *const u8) -> Self::Register;
    unsafe fn and(a: Self::Register, b: Self::Register) -> Self::Register;
    unsafe fn store(target: *mut u8, value: Self::Register);
    /// `value` with the bytes of the source that the index selects. These bytes of `value` are zero.
    unsafe fn merge(value: Self::Register, index: Self::Index, source: *const u8) -> Self::Register;
}

macro_rules! bytes16 {
    ($($cfg:meta => $isa:ident $register:ty, $load:ident $store:ident $and:ident $or:ident $shuffle:ident $zero:expr;)*) => {$(
        // SAFETY: the requirements are those of the trait.
        #[cfg($cfg)]
        #[allow(unused_unsafe, reason = "some instructions are safe functions in WebAssembly")]
        unsafe impl Bytes for $isa {
            type Register = $register;
            type Index = $register;

            #[inline(always)]
            unsafe fn index(from: &[u8; 64]) -> $register {
                // SAFETY: guaranteed by the caller; the array is longer than the register.
                unsafe { $load(from.as_ptr().cast()) }
            }

            #[inline(always)]
            unsafe fn zero() -> $register {
                // SAFETY: guaranteed by the caller.
                unsafe { $zero }
            }

            #[inline(always)]
            unsafe fn load(source: *const u8) -> $register {
                // SAFETY: guaranteed by the caller.
                unsafe { $load(source.cast()) }
            }

            #[inline(always)]
            unsafe fn and(a: $register, b: $register) -> $register {
                // SAFETY: guaranteed by the caller.
                unsafe { $and(a, b) }
            }

            #[inline(always)]
            unsafe fn store(target: *mut u8, value: $register) {
                // SAFETY: guaranteed by the caller.
                unsafe { $store(target.cast(), value) }
            }

            #[inline(always)]
            unsafe fn merge(value: $register, index: $register, source: *const u8) -> $register {
                // SAFETY: guaranteed by the caller. Bytes whose index is `NONE` become zero.
                unsafe { $or(value, $shuffle($load(source.cast()), index)) }
            }
        }
    )*};
}

bytes16! {
    target_arch = "x86_64" => Sse41 __m128i, _mm_loadu_si128 _mm_storeu_si128 _mm_and_si128 _mm_or_si128 _mm_shuffle_epi8 _mm_setzero_si128();
    target_arch = "aarch64" => Neon uint8x16_t, vld1q_u8 vst1q_u8 vandq_u8 vorrq_u8 vqtbl1q_u8 vdupq_n_u8(0);
    all(target_arch = "wasm32", target_feature = "simd128") => Simd128 v128, v128_load v128_store v128_and v128_or i8x16_swizzle u8x16_splat(0);
}

// SAFETY: the requirements are those of the trait. Shuffles move words: plans of this width have no others.
#[cfg(target_arch = "x86_64")]
unsafe impl Bytes for Avx2 {
    type Register = __m256i;
    type Index = [__m256i; 2];

    #[inline(always)]
    unsafe fn index(from: &[u8; 64]) -> [__m256i; 2] {
        // SAFETY: guaranteed by the caller; the arrays are as long as the register.
        unsafe {
            let words: [u32; 8] = core::array::from_fn(|word| u32::from(from[4 * word]) / 4 % 8);
            let none = _mm256_loadu_si256(from.as_ptr().cast());
            let words = _mm256_loadu_si256(words.as_ptr().cast());
            [words, _mm256_cmpgt_epi8(none, _mm256_set1_epi8(-1))]
        }
    }

    #[inline(always)]
    unsafe fn zero() -> __m256i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    unsafe fn load(source: *const u8) -> __m256i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm256_loadu_si256(source.cast()) }
    }

    #[inline(always)]
    unsafe fn and(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm256_and_si256(a, b) }
    }

    #[inline(always)]
    unsafe fn store(target: *mut u8, value: __m256i) {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm256_storeu_si256(target.cast(), value) }
    }

    #[inline(always)]
    unsafe fn merge(value: __m256i, [words, mask]: [__m256i; 2], source: *const u8) -> __m256i {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let moved = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(source.cast()), words);
            _mm256_blendv_epi8(value, moved, mask)
        }
    }
}

// SAFETY: the requirements are those of the trait.
#[cfg(target_arch = "x86_64")]
unsafe impl Bytes for Avx512 {
    type Register = __m512i;
    type Index = (__m512i, __mmask64);

    #[inline(always)]
    unsafe fn index(from: &[u8; 64]) -> (__m512i, __mmask64) {
        // SAFETY: guaranteed by the caller; the array is as long as the register.
        unsafe {
            let from = _mm512_loadu_si512(from.as_ptr().cast());
            (from, !_mm512_movepi8_mask(from))
        }
    }

    #[inline(always)]
    unsafe fn zero() -> __m512i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    unsafe fn load(source: *const u8) -> __m512i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_loadu_si512(source.cast()) }
    }

    #[inline(always)]
    unsafe fn and(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_and_si512(a, b) }
    }

    #[inline(always)]
    unsafe fn store(target: *mut u8, value: __m512i) {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_storeu_si512(target.cast(), value) }
    }

    #[inline(always)]
    unsafe fn merge(value: __m512i, (from, mask): Self::Index, source: *const u8) -> __m512i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_mask_permutexvar_epi8(value, mask, from, _mm512_loadu_si512(source.cast())) }
    }
}

/// The bytes of a register that merges do not change, with all bits set.
fn left<'m>(merges: impl Iterator<Item = &'m Merge>) -> [u8; 64] {
    let mut left = [0xff; 64];
    for merge in merges {
        for (left, from) in left.iter_mut().zip(merge.from) {
            if from != NONE {
                *left = 0;
            }
        }
    }
    left
}

/// Writes one register of each period, of up to `K` columns; with `KEEP`, bytes of no column are not changed.
///
/// # Safety
///
/// The processor has the instructions `B`; `periods` registers, `period` bytes apart, may be written from `target` on,
/// and as many read from each source on, the given steps apart.
#[inline(always)]
unsafe fn write_register<B: Bytes, const K: usize, const KEEP: bool>(
    merges: &[Merge],
    kept: &[u8; 64],
    sources: [*const u8; K],
    steps: [usize; K],
    target: *mut u8,
    period: usize,
    periods: usize,
) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let indices: [B::Index; K] = core::array::from_fn(|at| B::index(&merges[at].from));
        let kept = B::load(kept.as_ptr());
        for number in 0..periods {
            let target = target.add(number * period);
            let mut value = if KEEP { B::and(B::load(target), kept) } else { B::zero() };
            for at in 0..K {
                value = B::merge(value, indices[at], sources[at].add(number * steps[at]));
            }
            B::store(target, value);
        }
    }
}

/// Writes whole periods.
///
/// # Safety
///
/// The processor has the instructions `B`, the plan is for their width and these columns, and `periods` of it can be read
/// and written.
#[inline(always)]
unsafe fn write_periods<B: Bytes>(plan: &Plan, columns: &[Column<'_>], out: *mut u8, periods: usize) {
    let period = plan.registers * plan.width;
    for of_register in plan.merges.chunk_by(|a, b| a.register == b.register) {
        let mut is_first = true;
        for part in of_register.chunks(4) {
            // Bytes of gaps, and of columns that were written before, are kept.
            let mut kept = [0; 64];
            if !is_first {
                kept = left(part.iter());
            } else if plan.has_gaps {
                kept = left(of_register.iter());
            }
            let keep = !is_first || plan.has_gaps;
            is_first = false;
            macro_rules! write {
                ($count:literal $keep:literal) => {{
                    let column = |at: usize| &columns[usize::from(part[at].column)];
                    let sources =
                        core::array::from_fn(|at| column(at).bytes.as_ptr().wrapping_add(part[at].base));
                    let steps = core::array::from_fn(|at| column(at).step * plan.vertices);
                    // SAFETY: guaranteed by the caller; registers lie inside their period.
                    unsafe {
                        let target = out.add(usize::from(part[0].register) * plan.width);
                        write_register::<B, $count, $keep>(
                            part, &kept, sources, steps, target, period, periods,
                        )
                    }
                }};
            }
            match (part.len(), keep) {
                (1, false) => write!(1 false),
                (2, false) => write!(2 false),
                (3, false) => write!(3 false),
                (_, false) => write!(4 false),
                (1, true) => write!(1 true),
                (2, true) => write!(2 true),
                (3, true) => write!(3 true),
                (_, true) => write!(4 true),
            }
        }
    }
}

macro_rules! levels {
    ($($cfg:meta => $name:ident $isa:ident $features:literal;)*) => {$(
        /// # Safety
        ///
        /// Same as [`write_periods`].
        #[cfg($cfg)]
        #[target_feature(enable = $features)]
        unsafe fn $name(plan: &Plan, columns: &[Column<'_>], out: *mut u8, periods: usize) {
            // SAFETY: guaranteed by the caller.
            unsafe { write_periods::<$isa>(plan, columns, out, periods) }
        }
    )*};
}

levels! {
    target_arch = "x86_64" => write_sse41 Sse41 "sse4.1";
    target_arch = "x86_64" => write_avx2 Avx2 "avx2";
    target_arch = "x86_64" => write_avx512 Avx512 "avx512f,avx512bw,avx512vbmi";
    target_arch = "aarch64" => write_neon Neon "neon";
    all(target_arch = "wasm32", target_feature = "simd128") => write_simd128 Simd128 "simd128";
}

/// Assembles `count` vertices of `stride` bytes at the start of `out`, which may be longer. Bytes of no column, and
/// those after the last vertex, are not changed.
pub(crate) fn assemble(plan: &Plan, columns: &[Column<'_>], stride: usize, count: usize, out: &mut [u8]) {
    assert!(stride > 0 && columns.iter().all(|column| column.offset + column.size <= stride));
    let mut count = count.min(out.len() / stride);
    for column in columns {
        count = times(count, column.size, column.step, column.bytes.len());
    }
    let mut done = 0;
    if plan.width > 0 {
        let mut periods = count / plan.vertices;
        for (column, reach) in columns.iter().zip(plan.reach) {
            periods = times(periods, reach, column.step * plan.vertices, column.bytes.len());
        }
        match plan.width {
            // SAFETY: a plan of this width is made only for levels with these instructions. `periods` of the columns
            // can be read, the last ones to the end of their last register, and lie inside `out`.
            #[cfg(target_arch = "x86_64")]
            64 => unsafe { write_avx512(plan, columns, out.as_mut_ptr(), periods) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            32 => unsafe { write_avx2(plan, columns, out.as_mut_ptr(), periods) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            _ => unsafe { write_sse41(plan, columns, out.as_mut_ptr(), periods) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as above.
            _ => unsafe { write_neon(plan, columns, out.as_mut_ptr(), periods) },
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            // SAFETY: as above.
            _ => unsafe { write_simd128(plan, columns, out.as_mut_ptr(), periods) },
            #[cfg(not(any(
                target_arch = "x86_64",
                target_arch = "aarch64",
                all(target_arch = "wasm32", target_feature = "simd128")
            )))]
            _ => periods = 0,
        }
        done = periods * plan.vertices;
    }
    for column in columns {
        copy_column(column, stride, done, count, out);
    }
}

/// The number of parts of `size` bytes, `step` apart, that lie inside `len` bytes; at most `wanted`.
fn times(wanted: usize, size: usize, step: usize, len: usize) -> usize {
    let Some(room) = len.checked_sub(size) else { return 0 };
    // Usually all of them do.
    if wanted.saturating_sub(1).saturating_mul(step) <= room { wanted } else { room / step.max(1) + 1 }
}

/// Copies the elements of a column from `first` on into their vertices, which lie inside `out`, as they do inside the
/// column.
fn copy_column(column: &Column<'_>, stride: usize, first: usize, count: usize, out: &mut [u8]) {
    match column.size {
        4 => copy_elements::<4>(column, stride, first, count, out),
        8 => copy_elements::<8>(column, stride, first, count, out),
        12 => copy_elements::<12>(column, stride, first, count, out),
        16 => copy_elements::<16>(column, stride, first, count, out),
        size => {
            for vertex in first..count {
                let from = &column.bytes[vertex * column.step..][..size];
                out[vertex * stride + column.offset..][..size].copy_from_slice(from);
            }
        }
    }
}

fn copy_elements<const SIZE: usize>(
    column: &Column<'_>,
    stride: usize,
    first: usize,
    count: usize,
    out: &mut [u8],
) {
    let from = column.bytes.get(first * column.step..).unwrap_or_default().chunks(column.step.max(1));
    let to = out.get_mut(first * stride + column.offset..).unwrap_or_default().chunks_mut(stride);
    for (from, to) in from.zip(to).take(count - first) {
        if let (Some(from), Some(to)) = (from.first_chunk::<SIZE>(), to.first_chunk_mut::<SIZE>()) {
            *to = *from;
        }
    }
}
