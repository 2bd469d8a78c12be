//! Kernels: whole arrays decoded with the vector instructions of the processor, called by
//! [`Lens`](crate::Lens).
//!
//! Each kernel is written once for each register width, and reads and writes raw memory. Only `run_steps` computes the
//! addresses, from the lengths of slices. The scalar code of each encoding defines the result.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "offsets are computed from the lengths of slices, and tables are made at compile time"
)]
#![cfg_attr(
    any(
        not(feature = "std"),
        not(any(
            target_arch = "x86_64",
            target_arch = "aarch64",
            all(target_arch = "wasm32", target_feature = "simd128")
        ))
    ),
    allow(
        dead_code,
        unused_imports,
        unused_macros,
        unused_variables,
        reason = "other machines have the scalar level alone, and without std, a program has the levels that it is compiled for"
    )
)]

pub(crate) mod assemble;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod block;
#[cfg(target_arch = "x86_64")]
mod columns;
pub(crate) mod convert;
pub(crate) mod directions16;
pub(crate) mod halves;
pub(crate) mod index_copy;
mod level;
mod multiversion;
pub(crate) mod planes;
mod prefetch;
mod run_steps;
pub(crate) mod stream;
#[cfg(test)]
mod tests;

pub(crate) mod direction_table;
pub(crate) mod integers;
mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;
pub(crate) mod packed;
pub(crate) mod position_normal;
#[cfg(target_arch = "x86_64")]
pub(crate) mod records;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
mod sincos_poly;
#[cfg(target_arch = "x86_64")]
mod sincos_table16;
#[cfg(target_arch = "x86_64")]
mod sincos_table8;
pub(crate) mod skin;
pub(crate) mod tangent_frames;

use bytemuck::Pod;

use level::Kind;
pub use level::{Level, ParseLevelError};
pub(crate) use multiversion::{Loop, run as run_loop};
pub(crate) use run_steps::{Kernel, Shape};

/// Functions of a trait of registers that are one expression each. As the trait requires, the caller guarantees that the
/// processor has the instructions, and that the documented bytes may be accessed.
#[cfg(target_arch = "x86_64")]
macro_rules! instructions {
    ($($(#[$documentation:meta])* fn $name:ident $(<const $constant:ident: $kind:ty>)? ($($argument:tt: $type:ty),*) $(-> $result:ty)? { $body:expr })*) => {$(
        $(#[$documentation])*
        #[inline(always)]
        unsafe fn $name $(<const $constant: $kind>)? ($($argument: $type),*) $(-> $result)? {
            // SAFETY: guaranteed by the caller.
            unsafe { $body }
        }
    )*};
}
#[cfg(target_arch = "x86_64")]
pub(crate) use instructions;

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

/// Instructions of WebAssembly, in programs that are compiled for them.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod isa {
    pub(crate) struct Simd128;
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

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) trait Kernels: Kernel<isa::Simd128> {}
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
impl<K: Kernel<isa::Simd128>> Kernels for K {}

#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
pub(crate) trait Kernels: Shape {}
#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
impl<K: Shape> Kernels for K {}

/// The number of elements that are gathered at a time from strides without a kernel.
const GATHER: usize = 64;

/// Decodes with `kernel` if `level` has vector instructions. Otherwise it returns `false` without decoding.
///
/// Slots of `out` for elements outside `bytes` are not changed. The stride of elements may be any number that is at
/// least their size. The kernel's own stride is the fastest.
#[inline]
pub(crate) fn decode<K: Kernels, V: Pod>(
    level: Level,
    kernel: &K,
    bytes: &[u8],
    stride: usize,
    out: &mut [V],
) -> bool {
    const { assert!(size_of::<V>() == K::OUT && K::OUT.is_multiple_of(4)) };
    const { assert!(K::STRIDE >= K::SIZE && K::SIZE <= 16) };
    if level == Level::SCALAR {
        return false;
    }
    let stride = stride.max(1);
    let there = bytes.len().checked_sub(K::SIZE).map_or(0, |room| room / stride + 1);
    let count = there.min(out.len());
    let out: &mut [u8] = bytemuck::cast_slice_mut(&mut out[..count]);
    if stride == K::STRIDE {
        let past = out.len() >= PAST_CACHE;
        // SAFETY: `count` elements are inside `bytes`, and `out` has the same number of slots.
        unsafe { run(level, kernel, bytes, out, past) };
        if past {
            stream::fence();
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
        // SAFETY: `len` elements were gathered, and `out` has the same number of slots.
        unsafe { run(level, kernel, &gathered[..len * K::STRIDE], out, false) };
    }
    true
}

/// An output of at least this size in bytes bypasses the cache, as in `memcpy`. It would not stay in the cache, and
/// memory does not have to be read before it is written.
const PAST_CACHE: usize = if cfg!(test) { 1024 } else { 64 << 20 };

/// # Safety
///
/// `bytes` contain `out.len() / OUT` elements, `STRIDE` bytes apart.
#[inline]
unsafe fn run<K: Kernels>(level: Level, kernel: &K, bytes: &[u8], out: &mut [u8], past: bool) {
    match K::method(level).min(level.kind()) {
        #[cfg(all(target_arch = "x86_64", any(feature = "std", target_feature = "sse4.1")))]
        // SAFETY: a level includes the instructions of lower ones; the caller guarantees the lengths.
        Kind::Sse41 => unsafe { run_sse41(level, kernel, bytes, out, past) },
        #[cfg(all(target_arch = "x86_64", any(feature = "std", target_feature = "avx2")))]
        // SAFETY: a level includes the instructions of lower ones; the caller guarantees the lengths.
        Kind::Avx2 => unsafe { run_avx2(level, kernel, bytes, out, past) },
        #[cfg(all(target_arch = "x86_64", any(feature = "std", target_feature = "avx512f")))]
        // SAFETY: a level includes the instructions of lower ones; the caller guarantees the lengths.
        Kind::Avx512 => unsafe { run_avx512(level, kernel, bytes, out, past) },
        #[cfg(target_arch = "aarch64")]
        // SAFETY: a level includes the instructions of lower ones; the caller guarantees the lengths.
        Kind::Neon => unsafe { run_neon(level, kernel, bytes, out, past) },
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        // SAFETY: a level includes the instructions of lower ones; the caller guarantees the lengths.
        Kind::Simd128 => unsafe { run_simd128(level, kernel, bytes, out, past) },
        _ => {}
    }
}

macro_rules! runs {
    ($($cfg:meta => $name:ident $isa:ident $features:literal;)*) => {$(
        /// # Safety
        ///
        /// The processor has these instructions, and `bytes` contain `out.len() / OUT` elements.
        #[cfg($cfg)]
        #[target_feature(enable = $features)]
        unsafe fn $name<K: Kernel<isa::$isa>>(level: Level, kernel: &K, bytes: &[u8], out: &mut [u8], past: bool) {
            // SAFETY: guaranteed by the caller.
            unsafe { run_steps::run_steps::<isa::$isa, K>(level, kernel, bytes, out, past) }
        }
    )*};
}

runs! {
    target_arch = "x86_64" => run_sse41 Sse41 "sse4.1";
    target_arch = "x86_64" => run_avx2 Avx2 "avx2,fma,f16c";
    target_arch = "x86_64" => run_avx512 Avx512 "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi";
    target_arch = "aarch64" => run_neon Neon "neon";
    all(target_arch = "wasm32", target_feature = "simd128") => run_simd128 Simd128 "simd128";
}
