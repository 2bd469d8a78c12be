//! The instructions that kernels use: chosen once per process, or by the caller.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;
use core::sync::atomic::{AtomicU8, Ordering};

/// A set of vector instructions of this processor.
///
/// A value of this type only exists if the processor has its instructions, which kernels rely on. Every level decodes
/// the same bits as [`SCALAR`](Self::SCALAR), with one exception: AVX2 and AVX-512 decode
/// [`LatitudeLongitude16`](crate::encoding::LatitudeLongitude16) to other values that are equally close to the exact
/// ones. A level decodes the same bits on every processor. At every level, the components of directions that are stored
/// as angles are within 2e-7 of the exact values, and their lengths are within 3e-7 of 1.
///
/// A level is parsed from its [name](Self::name), ignoring case:
///
/// ```
/// use meshlens_lens::Level;
///
/// assert_eq!("SCALAR".parse(), Ok(Level::SCALAR));
/// assert_eq!(Level::try_from(Level::best().name()), Ok(Level::best()));
/// let error = "sse9".parse::<Level>().unwrap_err();
/// assert_eq!(error.to_string(), "no instructions are called sse9: expected scalar, neon, simd128, sse, avx2 or avx512");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(Kind);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum Kind {
    Scalar = 1,
    Neon,
    Simd128,
    Sse41,
    Avx2,
    Avx512,
}

/// The level of the process, as a [`Kind`]; 0 until it is chosen.
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
    /// Plain Rust, on every machine. It is the specification of the other levels.
    pub const SCALAR: Level = Level(Kind::Scalar);

    /// The level of SSE4.1, which nearly every x86-64 processor has; `None` if this processor does not have it.
    pub fn sse41() -> Option<Level> {
        has!("x86_64", is_x86_feature_detected, "sse4.1").then_some(Level(Kind::Sse41))
    }

    /// The level of AVX2 with FMA and F16C; `None` if this processor does not have them.
    pub fn avx2() -> Option<Level> {
        has!("x86_64", is_x86_feature_detected, "avx2", "fma", "f16c").then_some(Level(Kind::Avx2))
    }

    /// The level of AVX-512 with VBMI (F, BW, DQ, VL, VBMI); `None` if this processor does not have them.
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

    /// The level of NEON, which every aarch64 processor has; `None` on other processors.
    pub fn neon() -> Option<Level> {
        has!("aarch64", is_aarch64_feature_detected, "neon").then_some(Level(Kind::Neon))
    }

    /// The level of SIMD128 in WebAssembly; `None` if the program is not compiled with it
    /// (`-C target-feature=+simd128`). An engine without SIMD128 rejects such a program, so the level cannot be chosen
    /// at run time.
    pub fn simd128() -> Option<Level> {
        cfg!(all(target_arch = "wasm32", target_feature = "simd128")).then_some(Level(Kind::Simd128))
    }

    /// The levels of this machine, from the slowest to the fastest.
    pub fn all() -> impl Iterator<Item = Level> {
        let levels = [
            Some(Level::SCALAR),
            Level::neon(),
            Level::simd128(),
            Level::sse41(),
            Level::avx2(),
            Level::avx512(),
        ];
        levels.into_iter().flatten()
    }

    /// The fastest level of this machine.
    pub fn best() -> Level {
        Level::all().last().unwrap_or(Level::SCALAR)
    }

    /// The level that methods without a `level` argument use. It is the [forced](Self::force) level if there is one,
    /// then the level [named](Self::best_up_to) by the environment variable `MESHLENS_SIMD`, then the best. The
    /// environment is read once, and only with the cargo feature `std`. Without that feature, only instructions that
    /// the program is compiled for are used.
    #[inline]
    pub fn current() -> Level {
        match Kind::from_u8(CURRENT.load(Ordering::Relaxed)) {
            Some(kind) => Level(kind),
            None => Level::choose(),
        }
    }

    /// Makes `level` the [current](Self::current) level of this process. After `None`, the next call chooses a level
    /// again.
    pub fn force(level: Option<Level>) {
        CURRENT.store(level.map_or(0, |level| level.0 as u8), Ordering::Relaxed);
    }

    #[cold]
    fn choose() -> Level {
        #[cfg(feature = "std")]
        let named = std::env::var("MESHLENS_SIMD").ok();
        #[cfg(feature = "std")]
        let wish = named.as_deref();
        #[cfg(not(feature = "std"))]
        let wish: Option<&str> = None;
        let level = wish.map_or_else(Level::best, Level::best_up_to);
        CURRENT.store(level.0 as u8, Ordering::Relaxed);
        level
    }

    /// The fastest level of this machine that is not above the level called `name`, ignoring case. If the name is
    /// unknown, the [best](Self::best) level.
    pub fn best_up_to(name: &str) -> Level {
        let Some(kind) = Kind::named(name) else { return Level::best() };
        Level::all().filter(|level| level.0 <= kind).last().unwrap_or(Level::SCALAR)
    }

    /// The name: `scalar`, `neon`, `simd128`, `sse`, `avx2` or `avx512`.
    pub const fn name(self) -> &'static str {
        self.0.name()
    }

    pub(crate) const fn kind(self) -> Kind {
        self.0
    }

    /// Whether the processor executes instructions on 64-byte registers as two halves, like AMD's Zen 4. Tables in such
    /// registers are then slower than tables in memory.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn has_halved_avx512() -> bool {
        use core::arch::x86_64::__cpuid;

        match HALVED.load(Ordering::Relaxed) {
            0 => {
                let vendor = __cpuid(0);
                let is_amd = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes)
                    == [*b"Auth", *b"enti", *b"cAMD"];
                let version = __cpuid(1).eax;
                let family = (version >> 8 & 0xf) + (version >> 20 & 0xff);
                let is_halved = is_amd && family == 0x19;
                HALVED.store(if is_halved { YES } else { NO }, Ordering::Relaxed);
                is_halved
            }
            answer => answer == YES,
        }
    }

    /// Lets tests try the kernels of both kinds of processors.
    #[cfg(all(test, target_arch = "x86_64"))]
    pub(crate) fn assume_halved_avx512(is_halved: bool) {
        HALVED.store(if is_halved { YES } else { NO }, Ordering::Relaxed);
    }
}

/// [`YES`] or [`NO`], or 0 if it is not known yet. The instruction takes microseconds in a virtual machine.
#[cfg(target_arch = "x86_64")]
static HALVED: AtomicU8 = AtomicU8::new(0);
#[cfg(target_arch = "x86_64")]
const NO: u8 = 1;
#[cfg(target_arch = "x86_64")]
const YES: u8 = 2;

impl Kind {
    const ALL: [Kind; 6] = [Kind::Scalar, Kind::Neon, Kind::Simd128, Kind::Sse41, Kind::Avx2, Kind::Avx512];

    fn from_u8(number: u8) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| *kind as u8 == number)
    }

    fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name))
    }

    const fn name(self) -> &'static str {
        match self {
            Kind::Scalar => "scalar",
            Kind::Neon => "neon",
            Kind::Simd128 => "simd128",
            Kind::Sse41 => "sse",
            Kind::Avx2 => "avx2",
            Kind::Avx512 => "avx512",
        }
    }
}

/// The error for a name that is not the name of a [`Level`], or for a level that this machine does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseLevelError {
    name: String,
    exists: bool,
}

impl fmt::Display for ParseLevelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        if self.exists {
            return write!(f, "this machine does not have {name} instructions");
        }
        write!(f, "no instructions are called {name}: expected scalar, neon, simd128, sse, avx2 or avx512")
    }
}

impl core::error::Error for ParseLevelError {}

impl FromStr for Level {
    type Err = ParseLevelError;

    fn from_str(name: &str) -> Result<Level, ParseLevelError> {
        let level = Level::all().find(|level| level.name().eq_ignore_ascii_case(name));
        level.ok_or_else(|| ParseLevelError { name: name.into(), exists: Kind::named(name).is_some() })
    }
}

impl TryFrom<&str> for Level {
    type Error = ParseLevelError;

    fn try_from(name: &str) -> Result<Level, ParseLevelError> {
        name.parse()
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
    use alloc::string::ToString;

    #[test]
    fn a_name_selects_the_best_level_up_to_it() {
        assert_eq!(Level::best_up_to("scalar"), Level::SCALAR);
        assert_eq!(Level::best_up_to("no such instructions"), Level::best());
        for level in Level::all() {
            assert_eq!(Level::best_up_to(level.name()), level);
        }
        assert!(Level::best_up_to("AVX2") <= Level::best());
        if Level::neon().is_none() {
            assert_eq!(Level::best_up_to("neon"), Level::SCALAR);
        }
    }

    #[test]
    fn a_name_selects_a_level_of_this_machine() {
        for level in Level::all() {
            let name = level.to_string();
            assert_eq!((name.parse(), Level::try_from(&*name.to_uppercase())), (Ok(level), Ok(level)));
        }
        let foreign = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };
        let text = foreign.parse::<Level>().map_err(|error| error.to_string());
        assert_eq!(text, Err(alloc::format!("this machine does not have {foreign} instructions")));
        assert!("".parse::<Level>().is_err() && "avx".parse::<Level>().is_err());
    }

    #[test]
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    fn a_program_compiled_with_simd128_uses_it() {
        assert_eq!(Level::all().map(Level::name).collect::<alloc::vec::Vec<_>>(), ["scalar", "simd128"]);
        assert_eq!(Level::best().name(), "simd128");
    }

    #[test]
    fn every_number_is_one_kind() {
        for kind in Kind::ALL {
            assert!(Kind::from_u8(kind as u8) == Some(kind));
        }
        assert!(Kind::from_u8(0).is_none() && Kind::from_u8(7).is_none());
    }
}
