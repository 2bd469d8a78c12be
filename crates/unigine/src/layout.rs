//! The versions, flags and stored records of the files (UNIGINE: MESH File Format, ANIM File Format).

use core::fmt;
use core::str::FromStr;

use meshlens_wire::{Error, ErrorKind, Record, record};

/// The versions that this crate reads and writes.
///
/// ```
/// use meshlens_unigine::Version;
///
/// assert_eq!("ms11".parse(), Ok(Version::Ms11));
/// assert_eq!((Version::An10.to_string(), Version::An10.is_mesh()), ("an10".into(), false));
/// assert_eq!(Version::of(b"ms14\0\0"), Some(Version::Ms14));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Version {
    /// A mesh whose tangent frames are stored as three numbers and a sign.
    Ms10,
    /// The mesh that the format document describes.
    Ms11,
    /// [`Ms11`](Version::Ms11) with the light map's channel and resolution of each surface.
    Ms12,
    /// [`Ms12`](Version::Ms12) without animations.
    Ms13,
    /// The mesh of current SDKs. Its geometry is stored in blocks that may be packed with LZ4.
    Ms14,
    /// The animation that the format document describes: translations and scales are unorm integers within ranges.
    An10,
    /// An animation stored as floats, without bounds and names.
    An11,
}

impl Version {
    /// Every version; the versions of meshes come first.
    pub const ALL: [Version; 7] = [
        Version::Ms10,
        Version::Ms11,
        Version::Ms12,
        Version::Ms13,
        Version::Ms14,
        Version::An10,
        Version::An11,
    ];

    /// The name of the version: its magic as text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Version::Ms10 => "ms10",
            Version::Ms11 => "ms11",
            Version::Ms12 => "ms12",
            Version::Ms13 => "ms13",
            Version::Ms14 => "ms14",
            Version::An10 => "an10",
            Version::An11 => "an11",
        }
    }

    /// The four bytes at the start and the end of a file and between its parts.
    pub const fn magic(self) -> [u8; 4] {
        match self.as_str().as_bytes().first_chunk() {
            Some(magic) => *magic,
            // Every name has four bytes.
            None => [0; 4],
        }
    }

    /// The version of a file from its first bytes, or `None` if they are not one of the magics.
    pub fn of(bytes: &[u8]) -> Option<Version> {
        Self::ALL.into_iter().find(|version| bytes.starts_with(&version.magic()))
    }

    /// Whether files of this version are meshes (`.mesh`); the others are animations (`.anim`).
    pub const fn is_mesh(self) -> bool {
        !matches!(self, Version::An10 | Version::An11)
    }

    /// Whether files have a bounding volume.
    pub(crate) const fn has_bounds(self) -> bool {
        !matches!(self, Version::An11)
    }

    /// Whether surfaces have a light map's channel and resolution.
    pub(crate) const fn has_lightmap(self) -> bool {
        matches!(self, Version::Ms12 | Version::Ms13 | Version::Ms14)
    }

    /// Whether files have a list of named animations.
    pub(crate) const fn has_animations(self) -> bool {
        matches!(self, Version::Ms10 | Version::Ms11 | Version::Ms12 | Version::An10)
    }

    /// Whether the geometry is stored in blocks, and its counts in the headers of surfaces.
    pub(crate) const fn has_blocks(self) -> bool {
        matches!(self, Version::Ms14)
    }

    /// The number of bytes of one tangent frame.
    pub(crate) const fn tangent_size(self) -> u32 {
        match self {
            Version::Ms10 => 7,
            _ => 8,
        }
    }

    /// The bits that name components in the flags of a record and in masks.
    pub const fn known_flags(self) -> u8 {
        match self {
            Version::An11 => FULL_TRANSLATION | FULL_ROTATION | FULL_SCALE,
            _ => TRANSLATION | ROTATION | SCALE,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Version {
    type Err = Error;

    /// The version of this [name](Version::as_str).
    fn from_str(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|version| version.as_str() == name);
        found.ok_or_else(|| {
            let expected = "a version: ms10 to ms14, an10 or an11";
            Error::of_call(crate::FORMAT, ErrorKind::Syntax { expected })
        })
    }
}

/// The magics of related formats that this crate does not read.
pub const UNSUPPORTED: [&str; 5] = ["ms15", "sk10", "sn10", "an12", "mr02"];

/// The number in the magic of a mesh or an animation of a version that is not known.
pub(crate) fn unknown_version(bytes: &[u8]) -> Option<i64> {
    let ([b'm', b's', tens, ones, ..] | [b'a', b'n', tens, ones, ..]) = *bytes else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(10);
    let number = i64::from(digit(tens)? * 10 + digit(ones)?);
    Version::of(bytes).is_none().then_some(number)
}

/// Record flags of ms10 to ms12 and an10: the translation's x, y and z, one bit each.
pub const TRANSLATION: u8 = 0b0000_0111;
/// Record flags of ms10 to ms12 and an10: the rotation.
pub const ROTATION: u8 = 0b0000_1000;
/// Record flags of ms10 to ms12 and an10: the scale's x, y and z, one bit each.
pub const SCALE: u8 = 0b0111_0000;
/// Record flag of an11: the translation.
pub const FULL_TRANSLATION: u8 = 0b001;
/// Record flag of an11: the rotation.
pub const FULL_ROTATION: u8 = 0b010;
/// Record flag of an11: the scale.
pub const FULL_SCALE: u8 = 0b100;

/// The stored parent of a bone without a parent.
pub const NO_PARENT: i16 = -1;
/// The largest number of bones that move one vertex.
pub const MAX_INFLUENCES: u8 = 4;

record! {
    /// A bounding box and sphere, 40 bytes (UNIGINE: MESH File Format, "Bounding volume").
    #[derive(Debug)]
    #[allow(missing_docs, reason = "the names are those of the format")]
    pub struct Bound {
        pub min: [f32; 3],
        pub max: [f32; 3],
        pub center: [f32; 3],
        pub radius: f32,
    }
}

record! {
    /// A bone's transform, 40 bytes (UNIGINE: MESH File Format, "For each bone").
    #[derive(Debug)]
    #[allow(missing_docs, reason = "the names are those of the format")]
    pub struct BoneTransform {
        pub position: [f32; 3],
        pub rotation: [f32; 4],
        pub scale: [f32; 3],
    }
}

record! {
    /// The ranges of an an10 animation, 48 bytes (UNIGINE: ANIM File Format, "Bounding box within which animation takes
    /// place").
    #[derive(Debug)]
    #[allow(missing_docs, reason = "the names are those of the format")]
    pub struct Ranges {
        pub translation_min: [f32; 3],
        pub translation_size: [f32; 3],
        pub scale_min: [f32; 3],
        pub scale_size: [f32; 3],
    }
}

const _: () = assert!(Bound::SIZE == 40 && BoneTransform::SIZE == 40);
const _: () = assert!(Ranges::SIZE == 48);
