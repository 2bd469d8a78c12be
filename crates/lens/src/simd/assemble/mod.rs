//! Assembles vertices from columns, one output register at a time, with a few loads and shuffles for each.
//!
//! The bytes of `width` output registers repeat after as many vertices as fill whole registers. A [`Plan`] contains,
//! for each register of that period, the sources of its bytes in the columns. Each register of the period is then
//! written for the whole block, with its shuffles in registers. Vertices after the last whole period are copied one by
//! one.
//!
//! In the table of `benches/interleave.rs`, on an AMD Zen 4 (`benches/without assemble_avx2`), registers of AVX2 make the row
//! `f32x3 + f32x3 + 8 bytes` 1.18 times as fast as those of SSE.

mod bytes;
mod plan;

use bytes::Bytes;
pub(crate) use plan::{Field, MAX_COLUMNS, Plan};
use plan::{Merge, NONE};

#[cfg(target_arch = "aarch64")]
use super::isa::Neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::isa::Simd128;
#[cfg(target_arch = "x86_64")]
use super::isa::{Avx2, Sse41};

/// The number of existing bytes after the last element of a column that loads may read.
pub(crate) const SLACK: usize = 32;

/// One attribute of a block of vertices: the first `size` of every `step` bytes are stored at `offset` in each vertex.
#[derive(Clone, Copy)]
pub(crate) struct Column<'a> {
    /// The bytes, starting with the first element. Plans are used as long as whole registers can be read.
    pub(crate) bytes: &'a [u8],
    pub(crate) step: usize,
    pub(crate) size: usize,
    pub(crate) offset: usize,
}

/// The bytes of a register that merges do not change, with all bits set.
fn left<'m>(merges: impl Iterator<Item = &'m Merge>) -> [u8; 32] {
    let mut left = [0xff; 32];
    for merge in merges {
        for (left, from) in left.iter_mut().zip(merge.from) {
            if from != NONE {
                *left = 0;
            }
        }
    }
    left
}

/// Writes one register of each period, from up to `K` columns. With `KEEP`, bytes outside columns are not changed.
///
/// # Safety
///
/// The processor has the instructions `B`. `periods` registers, `period` bytes apart, may be written, starting at
/// `target`. The same number of registers may be read from each source, the given steps apart.
#[inline(always)]
unsafe fn write_register<B: Bytes, const K: usize, const KEEP: bool>(
    merges: &[Merge],
    kept: &[u8; 32],
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
            // Bytes in gaps and in columns that were already written are kept.
            let mut kept = [0; 32];
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
                    // SAFETY: guaranteed by the caller; registers are inside their period.
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
    target_arch = "aarch64" => write_neon Neon "neon";
    all(target_arch = "wasm32", target_feature = "simd128") => write_simd128 Simd128 "simd128";
}

/// Assembles `count` vertices of `stride` bytes at the start of `out`, which may be longer. Bytes outside columns and
/// bytes after the last vertex are not changed.
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
            // can be read, including their last registers, and are inside `out`.
            #[cfg(all(target_arch = "x86_64", any(feature = "std", target_feature = "avx2")))]
            32 => unsafe { write_avx2(plan, columns, out.as_mut_ptr(), periods) },
            #[cfg(all(target_arch = "x86_64", any(feature = "std", target_feature = "sse4.1")))]
            // SAFETY: as above.
            _ => unsafe { write_sse41(plan, columns, out.as_mut_ptr(), periods) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as above.
            _ => unsafe { write_neon(plan, columns, out.as_mut_ptr(), periods) },
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            // SAFETY: as above.
            _ => unsafe { write_simd128(plan, columns, out.as_mut_ptr(), periods) },
            #[cfg(not(any(
                all(target_arch = "x86_64", any(feature = "std", target_feature = "sse4.1")),
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

/// The number of parts of `size` bytes, `step` apart, that are inside `len` bytes; at most `wanted`.
fn times(wanted: usize, size: usize, step: usize, len: usize) -> usize {
    let Some(room) = len.checked_sub(size) else { return 0 };
    // Usually, all of them are inside.
    if wanted.saturating_sub(1).saturating_mul(step) <= room { wanted } else { room / step.max(1) + 1 }
}

/// Copies the elements of a column, starting with `first`, into their vertices. The elements are inside the column, and
/// the vertices are inside `out`.
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
    let Some(last) = count.checked_sub(1).filter(|last| first <= *last) else { return };
    let from = column.bytes[..last * column.step + SIZE].as_ptr().cast::<[u8; SIZE]>();
    let to = out[column.offset..][..last * stride + SIZE].as_mut_ptr().cast::<[u8; SIZE]>();
    for vertex in first..count {
        // SAFETY: the last element and the last vertex are inside both slices.
        unsafe {
            to.byte_add(vertex * stride)
                .write_unaligned(from.byte_add(vertex * column.step).read_unaligned());
        }
    }
}
