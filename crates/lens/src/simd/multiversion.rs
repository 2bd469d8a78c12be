//! Loops in plain Rust, compiled once for each level, for code that the compiler vectorizes well.

#[cfg(target_arch = "x86_64")]
use super::Kind;
use super::Level;

/// A loop to run with the instructions of a level. `run` is inlined into a function that has them.
pub(crate) trait Loop {
    type Result;
    fn run(self) -> Self::Result;
}

/// Runs `work` with the instructions of `level`.
#[inline]
pub(crate) fn run<L: Loop>(level: Level, work: L) -> L::Result {
    match level.kind() {
        #[cfg(all(target_arch = "x86_64", any(feature = "std", target_feature = "sse4.1")))]
        // SAFETY: a `Level` exists only if the processor has its instructions.
        Kind::Sse41 => unsafe { run_sse41(work) },
        #[cfg(all(target_arch = "x86_64", any(feature = "std", target_feature = "avx2")))]
        // SAFETY: a `Level` exists only if the processor has its instructions.
        Kind::Avx2 => unsafe { run_avx2(work) },
        #[cfg(all(target_arch = "x86_64", any(feature = "std", target_feature = "avx512f")))]
        // SAFETY: a `Level` exists only if the processor has its instructions.
        Kind::Avx512 => unsafe { run_avx512(work) },
        // Programs for NEON and SIMD128 are compiled with these instructions.
        _ => work.run(),
    }
}

macro_rules! runs {
    ($($name:ident $features:literal;)*) => {$(
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $features)]
        fn $name<L: Loop>(work: L) -> L::Result {
            work.run()
        }
    )*};
}

runs! {
    run_sse41 "sse4.1";
    run_avx2 "avx2,f16c";
    run_avx512 "avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi";
}
