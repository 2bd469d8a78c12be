//! Which instructions the kernels use: a token for what the processor has, chosen once, and ways to force it.

use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering};

/// A set of instructions that this processor has.
///
/// A level can only be had where its instructions are, so whoever holds one may run its kernels. Every level decodes
/// the same, bit for bit what [`SCALAR`](Self::SCALAR) gives, with one exception: the normals of
/// [`U3dNormal16`](crate::encoding::U3dNormal16) with AVX-512, which are as near to the exact ones. Components of
/// normals that are stored as angles are within 2e-7 of the exact ones, their length within 3e-7 of 1, at every level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(Kind);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum Kind {
    Scalar = 1,
    Neon,
    Sse41,
    Avx2,
    Avx512,
}

/// The level of the process, as a [`Kind`]; 0 until somebody asks.
static CURRENT: AtomicU8 = AtomicU8::new(0);

macro_rules! has {
    ($arch:literal, $detect:ident, $($feature:tt),*) => {{
        #[cfg(all(target_arch = $arch, feature = "std"))]
        let has = $(std::arch::$detect!($feature))&&*;
        #[cfg(all(target_arch = $arch, not(feature = "std")))]
        let has = $(cfg!(target_feature = $feature))&&*;
        #[cfg(not(target_arch = $arch))]
        let has = false;
        has
    }};
}

impl Level {
    /// Plain Rust, on any machine: the specification of the others.
    pub const SCALAR: Level = Level(Kind::Scalar);

    /// SSE4.1, on nearly every x86-64 there is.
    pub fn sse41() -> Option<Level> {
        has!("x86_64", is_x86_feature_detected, "sse4.1").then_some(Level(Kind::Sse41))
    }

    /// AVX2 with FMA and F16C.
    pub fn avx2() -> Option<Level> {
        has!("x86_64", is_x86_feature_detected, "avx2", "fma", "f16c").then_some(Level(Kind::Avx2))
    }

    /// AVX-512 with VBMI (F, BW, DQ, VL, VBMI).
    pub fn avx512() -> Option<Level> {
        let has = has!(
            "x86_64",
            is_x86_feature_detected,
            "avx2",
            "fma",
            "f16c",
            "avx512f",
            "avx512bw",
            "avx512dq",
            "avx512vl",
            "avx512vbmi"
        );
        has.then_some(Level(Kind::Avx512))
    }

    /// NEON, on every aarch64.
    pub fn neon() -> Option<Level> {
        has!("aarch64", is_aarch64_feature_detected, "neon").then_some(Level(Kind::Neon))
    }

    /// The levels of this machine, the plainest first.
    pub fn all() -> impl Iterator<Item = Level> {
        let levels = [Some(Level::SCALAR), Level::neon(), Level::sse41(), Level::avx2(), Level::avx512()];
        levels.into_iter().flatten()
    }

    /// The fastest level of this machine.
    pub fn best() -> Level {
        Level::all().last().unwrap_or(Level::SCALAR)
    }

    /// The level that decoding uses when none is named: the one that was [forced](Self::force), or else what the
    /// environment variable `MESHLENS_SIMD` asks for, or else the best. The environment is read once, and only with
    /// the cargo feature `std`; without it, the instructions that the program was compiled for decide.
    #[inline]
    pub fn current() -> Level {
        match Kind::from_u8(CURRENT.load(Ordering::Relaxed)) {
            Some(kind) => Level(kind),
            None => Level::choose(),
        }
    }

    /// Makes `level` the [current](Self::current) one of this process; `None` lets it be chosen anew.
    pub fn force(level: Option<Level>) {
        CURRENT.store(level.map_or(0, |level| level.0 as u8), Ordering::Relaxed);
    }

    #[cold]
    fn choose() -> Level {
        #[cfg(feature = "std")]
        let wish = std::env::var("MESHLENS_SIMD").ok();
        #[cfg(not(feature = "std"))]
        let wish: Option<&str> = None;
        let level = wish.map_or_else(Level::best, |wish| Level::at_most(&wish));
        CURRENT.store(level.0 as u8, Ordering::Relaxed);
        level
    }

    /// The level called `name` (`scalar`, `sse`, `avx2`, `avx512`, `neon`, in any case), or, where this machine has no
    /// such instructions, the best one below it. A name that is none of these gives the best level.
    pub fn at_most(name: &str) -> Level {
        let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name)) else {
            return Level::best();
        };
        Level::all().filter(|level| level.0 <= kind).last().unwrap_or(Level::SCALAR)
    }

    /// The level called `name`, if it exists and this machine has it.
    pub fn named(name: &str) -> Option<Level> {
        Level::all().find(|level| level.name().eq_ignore_ascii_case(name))
    }

    /// `scalar`, `sse`, `avx2`, `avx512` or `neon`.
    pub const fn name(self) -> &'static str {
        self.0.name()
    }

    pub(crate) const fn kind(self) -> Kind {
        self.0
    }
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::Scalar, Kind::Neon, Kind::Sse41, Kind::Avx2, Kind::Avx512];

    fn from_u8(number: u8) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| *kind as u8 == number)
    }

    const fn name(self) -> &'static str {
        match self {
            Kind::Scalar => "scalar",
            Kind::Neon => "neon",
            Kind::Sse41 => "sse",
            Kind::Avx2 => "avx2",
            Kind::Avx512 => "avx512",
        }
    }
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Level({})", self.name())
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_gives_the_best_level_at_or_below_it() {
        assert_eq!(Level::at_most("scalar"), Level::SCALAR);
        assert_eq!(Level::at_most("no such instructions"), Level::best());
        for level in Level::all() {
            assert_eq!((Level::at_most(level.name()), Level::named(level.name())), (level, Some(level)));
        }
        assert!(Level::at_most("AVX2") <= Level::best());
        if Level::neon().is_none() {
            assert_eq!((Level::at_most("neon"), Level::named("neon")), (Level::SCALAR, None));
        }
    }

    #[test]
    fn every_number_is_one_kind() {
        for kind in Kind::ALL {
            assert!(Kind::from_u8(kind as u8) == Some(kind));
        }
        assert!(Kind::from_u8(0).is_none() && Kind::from_u8(6).is_none());
    }
}
