//! Kernels: whole arrays decoded with the vector instructions of the processor, behind the calls of
//! [`Lens`](crate::Lens).
//!
//! Each kernel is written once for each width of register and reads and writes raw memory; `drive` alone decides
//! where, from the lengths of slices. The scalar code of each encoding says what must come out.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "offsets are computed from the lengths of slices, and tables are made at compile time"
)]
#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, unused_imports, unused_macros, reason = "other machines have the scalar level alone")
)]

#[cfg(target_arch = "x86_64")]
mod coarse;
mod compiled;
pub(crate) mod convert;
mod drive;
mod level;
mod limit;
pub(crate) mod stream;

pub(crate) mod frames;
pub(crate) mod integers;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;
pub(crate) mod product;
pub(crate) mod turns;
#[cfg(target_arch = "x86_64")]
mod two_step;
pub(crate) mod unreal;
pub(crate) mod vertex;

use bytemuck::Pod;

pub(crate) use compiled::{Loop, run as run_loop};
pub(crate) use drive::{Kernel, Shape};
use level::Kind;
pub use level::Level;
pub use limit::{copy_shape, stream_shape};

/// Instructions of x86-64, as names for the kernels written in them.
#[cfg(target_arch = "x86_64")]
pub(crate) mod isa {
    pub(crate) struct Sse41;
    pub(crate) struct Avx2;
    pub(crate) struct Avx512;
}

/// Instructions of aarch64.
#[cfg(target_arch = "aarch64")]
pub(crate) mod isa {
    pub(crate) struct Neon;
}

/// A kernel for every level of this machine's architecture.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Kernels: Kernel<isa::Sse41> + Kernel<isa::Avx2> + Kernel<isa::Avx512> {}
#[cfg(target_arch = "x86_64")]
impl<K: Kernel<isa::Sse41> + Kernel<isa::Avx2> + Kernel<isa::Avx512>> Kernels for K {}

#[cfg(target_arch = "aarch64")]
pub(crate) trait Kernels: Kernel<isa::Neon> {}
#[cfg(target_arch = "aarch64")]
impl<K: Kernel<isa::Neon>> Kernels for K {}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) trait Kernels: Shape {}
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl<K: Shape> Kernels for K {}

/// Elements gathered at a time from strides that a kernel does not know.
const GATHER: usize = 64;

/// Decodes with `kernel` what `level` has instructions for; `false`, and nothing done, where there is only plain Rust.
///
/// As [`decode_run`](crate::Encoding::decode_run) has it, elements that do not lie inside `bytes` leave their slot as
/// it is. Elements may lie at any stride; the kernel's own is the fast one.
#[inline]
pub(crate) fn decode<K: Kernels, V: Pod>(
    level: Level,
    kernel: &K,
    bytes: &[u8],
    stride: usize,
    out: &mut [V],
) -> bool {
    const { assert!(size_of::<V>() == K::OUT && K::STRIDE >= K::SIZE && K::SIZE <= 16) };
    if level == Level::SCALAR {
        return false;
    }
    let stride = stride.max(1);
    let there = bytes.len().checked_sub(K::SIZE).map_or(0, |room| room / stride + 1);
    let count = there.min(out.len());
    let out: &mut [u8] = bytemuck::cast_slice_mut(&mut out[..count]);
    if stride == K::STRIDE {
        if K::is_streamed(level) && out.len() >= PAST_CACHE {
            past_cache(level, kernel, bytes, out);
        } else {
            // SAFETY: `count` elements lie inside `bytes`, and `out` has as many slots.
            unsafe { run(level, kernel, bytes, out) };
        }
        return true;
    }
    let mut gathered = [0u8; GATHER * 16];
    for (block, out) in out.chunks_mut(GATHER * K::OUT).enumerate() {
        let len = out.len() / K::OUT;
        for (slot, at) in gathered.chunks_exact_mut(K::STRIDE).zip(0..len) {
            let start = (block * GATHER + at) * stride;
            slot[..K::SIZE].copy_from_slice(&bytes[start..start + K::SIZE]);
        }
        // SAFETY: `len` elements were gathered, and `out` has as many slots.
        unsafe { run(level, kernel, &gathered[..len * K::STRIDE], out) };
    }
    true
}

/// Bytes of output from which on it is written past the cache, as `memcpy` does: it would not stay there anyway, and
/// memory need not be read before it is written.
const PAST_CACHE: usize = 64 << 20;
/// Bytes that are decoded into the first cache before they are written.
const STAGED: usize = 8 << 10;

/// As [`run`], for large outputs.
#[cold]
fn past_cache<K: Kernels>(level: Level, kernel: &K, bytes: &[u8], out: &mut [u8]) {
    #[repr(C, align(64))]
    struct Staged([u8; STAGED]);
    let mut staged = Staged([0; STAGED]);
    // Elements up to the first line, then as many at a time as are whole lines.
    let aligned = |elements: &usize| (out.as_ptr().addr() + elements * K::OUT).is_multiple_of(stream::LINE);
    let head = (0..stream::LINE).find(aligned).unwrap_or_default();
    let (mut first, mut rest) = (0, out);
    let mut len = head;
    while !rest.is_empty() {
        let (now, behind) = rest.split_at_mut(rest.len().min(len * K::OUT));
        let staged = &mut staged.0[..now.len()];
        // SAFETY: the elements behind the first lie inside `bytes`, and `now` has no more slots than there are.
        unsafe { run(level, kernel, &bytes[first * K::STRIDE..], staged) };
        stream::copy(level, staged, now);
        (first, rest) = (first + len, behind);
        len = STAGED / K::OUT / stream::LINE * stream::LINE;
    }
    stream::fence();
}

/// # Safety
///
/// `bytes` hold `out.len() / OUT` elements, `STRIDE` bytes apart.
#[inline]
unsafe fn run<K: Kernels>(level: Level, kernel: &K, bytes: &[u8], out: &mut [u8]) {
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: whoever has a level has its instructions; the lengths are as the caller says.
        Kind::Sse41 => unsafe { run_sse41(kernel, bytes, out) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: whoever has a level has its instructions; the lengths are as the caller says.
        Kind::Avx2 => unsafe { run_avx2(kernel, bytes, out) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: whoever has a level has its instructions; the lengths are as the caller says.
        Kind::Avx512 => unsafe { run_avx512(kernel, bytes, out) },
        #[cfg(target_arch = "aarch64")]
        // SAFETY: whoever has a level has its instructions; the lengths are as the caller says.
        Kind::Neon => unsafe { run_neon(kernel, bytes, out) },
        _ => {}
    }
}

macro_rules! runs {
    ($($arch:literal $name:ident $isa:ident $features:literal;)*) => {$(
        /// # Safety
        ///
        /// The processor has these instructions, and `bytes` hold `out.len() / OUT` elements.
        #[cfg(target_arch = $arch)]
        #[target_feature(enable = $features)]
        unsafe fn $name<K: Kernel<isa::$isa>>(kernel: &K, bytes: &[u8], out: &mut [u8]) {
            // SAFETY: as the caller says.
            unsafe { drive::drive::<isa::$isa, K>(kernel, bytes, out) }
        }
    )*};
}

runs! {
    "x86_64" run_sse41 Sse41 "sse4.1";
    "x86_64" run_avx2 Avx2 "avx2,fma,f16c";
    "x86_64" run_avx512 Avx512 "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi";
    "aarch64" run_neon Neon "neon";
}
