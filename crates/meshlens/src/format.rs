//! Which format a file is: by its content, never by its name.

use alloc::string::String;
use core::fmt;

/// The formats this build reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Format {
    /// Quake 3 MD3.
    #[cfg(feature = "md3")]
    Md3,
    /// Ultimate 3D, version 1.0 or 2.0.
    #[cfg(feature = "u3d")]
    U3d,
    /// Unreal vertex meshes, two files each: see [`Document::parse_pair`](crate::Document::parse_pair).
    #[cfg(feature = "unreal")]
    Unreal,
    /// UNIGINE meshes and animations.
    #[cfg(feature = "unigine")]
    Unigine,
}

impl Format {
    /// How many of a file's first bytes [`detect`](Self::detect) looks at.
    pub const DETECT_BYTES: usize = 64;

    /// The format whose identifying bytes `bytes` begin with. Unreal meshes have none: they are known by their names,
    /// and proven by parsing both files.
    #[allow(unused_variables, reason = "a build may read formats without identifying bytes alone")]
    pub fn detect(bytes: &[u8]) -> Option<Format> {
        #[cfg(feature = "md3")]
        if bytes.starts_with(&meshlens_md3::layout::IDENT) {
            return Some(Format::Md3);
        }
        #[cfg(feature = "u3d")]
        if bytes.starts_with(meshlens_u3d::layout::V1_MAGIC)
            || bytes.starts_with(meshlens_u3d::layout::V2_MAGIC)
        {
            return Some(Format::U3d);
        }
        #[cfg(feature = "unigine")]
        if meshlens_unigine::is_unigine(bytes) {
            return Some(Format::Unigine);
        }
        None
    }

    /// The version that the first bytes of a file of this format name, for files that do not parse, such as encrypted
    /// ones; `None` where they do not say.
    pub fn peek_version(self, bytes: &[u8]) -> Option<String> {
        match self {
            #[cfg(feature = "u3d")]
            Format::U3d => {
                let header = meshlens_u3d::FileHeader::read(bytes).ok()?;
                let version = header.version;
                Some(match header.encryption_name() {
                    "" => alloc::format!("{version}"),
                    name => alloc::format!("{version}, encrypted: {name}"),
                })
            }
            #[allow(unreachable_patterns, reason = "there may be no other format in this build")]
            _ => {
                let _ = bytes;
                None
            }
        }
    }

    /// The short lower-case name, as errors and reports give it.
    pub const fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "md3")]
            Format::Md3 => meshlens_md3::FORMAT,
            #[cfg(feature = "u3d")]
            Format::U3d => meshlens_u3d::FORMAT,
            #[cfg(feature = "unreal")]
            Format::Unreal => meshlens_unreal::FORMAT,
            #[cfg(feature = "unigine")]
            Format::Unigine => meshlens_unigine::FORMAT,
        }
    }

    /// The format whose files end in `extension` (without the dot, in any case): a hint where to look, no proof.
    pub fn from_extension(extension: &str) -> Option<Format> {
        #[cfg(feature = "md3")]
        if extension.eq_ignore_ascii_case("md3") {
            return Some(Format::Md3);
        }
        #[cfg(feature = "u3d")]
        if extension.eq_ignore_ascii_case("u3d") {
            return Some(Format::U3d);
        }
        #[cfg(feature = "unreal")]
        if extension.eq_ignore_ascii_case("3d") {
            return Some(Format::Unreal);
        }
        #[cfg(feature = "unigine")]
        if ["mesh", "anim"].iter().any(|known| extension.eq_ignore_ascii_case(known)) {
            return Some(Format::Unigine);
        }
        None
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
