//! The version and the encryption of a file, and the fields of its headers that describe the whole model.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use core::fmt;
use core::str::FromStr;

use meshlens_wire::{Data, Error, ErrorKind, Magic, Result, Span};

use crate::FORMAT;
use crate::layout::{self, STAGES};

/// The version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Version {
    /// 1.0, of Ultimate 3D 2.x: sections in a fixed order, without sizes.
    V1,
    /// 2.x, of Ultimate 3D 3.0: chunks. Additions of higher minor versions can be skipped.
    V2 {
        /// The minor version.
        minor: u32,
        /// The sub-minor version.
        sub_minor: u32,
    },
}

impl Version {
    /// 2.0.0, the only documented version of the chunked format.
    pub const V2_0_0: Version = Version::V2 { minor: 0, sub_minor: 0 };

    /// Whether this is version 1.0.
    pub const fn is_v1(self) -> bool {
        matches!(self, Version::V1)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Version::V1 => f.pad("1.0"),
            Version::V2 { minor, sub_minor } => f.pad(&alloc::format!("2.{minor}.{sub_minor}")),
        }
    }
}

/// Reads what [`Display`](fmt::Display) writes: `1.0`, or `2.` and two numbers.
///
/// ```
/// use meshlens_u3d::Version;
///
/// assert_eq!("1.0".parse(), Ok(Version::V1));
/// assert_eq!("2.0.0".parse(), Ok(Version::V2_0_0));
/// assert!("3.0".parse::<Version>().is_err());
/// ```
impl FromStr for Version {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let numbers = |text: &str| {
            let (minor, sub_minor) = text.strip_prefix("2.")?.split_once('.')?;
            Some(Version::V2 { minor: minor.parse().ok()?, sub_minor: sub_minor.parse().ok()? })
        };
        let version = if text == "1.0" { Some(Version::V1) } else { numbers(text) };
        let expected = "a version: 1.0, or 2 and two numbers such as 2.0.0";
        version.ok_or(Error::of_call(FORMAT, ErrorKind::Syntax { expected }))
    }
}

/// How the content of a file is encrypted (EncryptionVersion).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encryption {
    /// Version 1, which is not documented.
    V1,
    /// Version 2: AES with a key of 128 bits.
    Aes128,
    /// Another version, which is not documented either.
    Unknown(u32),
}

impl Encryption {
    /// The encryption of a stored version; `None` for 0.
    const fn of(version: u32) -> Option<Encryption> {
        match version {
            0 => None,
            1 => Some(Encryption::V1),
            2 => Some(Encryption::Aes128),
            version => Some(Encryption::Unknown(version)),
        }
    }

    /// EncryptionVersion, as files store it.
    pub const fn version(self) -> u32 {
        match self {
            Encryption::V1 => 1,
            Encryption::Aes128 => 2,
            Encryption::Unknown(version) => version,
        }
    }
}

impl fmt::Display for Encryption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Encryption::V1 => "version 1 (undocumented)",
            Encryption::Aes128 => "AES-128",
            Encryption::Unknown(_) => "unknown",
        })
    }
}

/// The first fields of a file: its version and its encryption. They can be read even if the rest is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileHeader {
    /// The version.
    pub version: Version,
    /// The encryption of everything after the file header; `None` if it is not encrypted.
    pub encryption: Option<Encryption>,
    /// CompressionVersion. Only version 0, which is no compression, is documented.
    pub compression_version: u32,
    /// The absolute offset of the first byte after the file header.
    pub payload: u64,
}

/// Offset of EncryptionVersion in a file of version 2.0.
pub(crate) const ENCRYPTION_OFFSET: u64 = 33;
const MAJOR_OFFSET: u64 = 21;
const COMPRESSION_OFFSET: u64 = 37;
/// Offset of the body of the file header chunk, after its identifier and its size.
pub(crate) const FILE_HEADER_BODY: u64 = 21;

impl FileHeader {
    /// Reads only the file header, which is the first 41 bytes of a file of version 2.0. O(1).
    ///
    /// # Errors
    ///
    /// The bytes are of another format (the error names ECMA-363 Universal 3D), the major version is above 2, or the
    /// file ends inside the file header. Encryption is not an error.
    pub fn read(bytes: &[u8]) -> Result<FileHeader> {
        Self::read_in(Data::new(FORMAT, bytes))
    }

    pub(crate) fn read_in(data: Data<'_>) -> Result<FileHeader> {
        let starts_with = |magic: &[u8]| data.bytes().starts_with(magic);
        if starts_with(layout::V1_MAGIC) {
            let payload = layout::V1_MAGIC.len() as u64;
            return Ok(FileHeader {
                version: Version::V1,
                encryption: None,
                compression_version: 0,
                payload,
            });
        }
        if starts_with(layout::ECMA_MAGIC) {
            let what = "ECMA-363 Universal 3D, another format with the same extension,";
            return Err(data.error(0, ErrorKind::Unsupported { what }));
        }
        data.refuse_git_lfs_pointer()?;
        let expected = "\"U3DModelFile\" or \"$U3D_FILE_HEADER\"";
        if !starts_with(layout::V2_MAGIC) {
            let here = data.bytes();
            let is_short = |magic: &[u8]| magic.starts_with(here) && here.len() < magic.len();
            if is_short(layout::V1_MAGIC) || is_short(layout::V2_MAGIC) {
                // The available bytes match the beginning of this format, but the prefix or the file is shorter than a
                // magic number.
                data.take(0, (here.len() as u64).saturating_add(1), expected)?;
            }
            let found = Magic::new(here);
            return Err(data.error(0, ErrorKind::Magic { expected, found }));
        }
        let size = data.record::<u32>(17, "size of the file header")?;
        let payload =
            data.span(FILE_HEADER_BODY, size.into(), 1, "bytes of the file header")?.byte_range().end;
        let header = data.within(payload).record::<layout::FileHeader>(FILE_HEADER_BODY, "file header")?;
        if header.major != layout::V2_MAJOR {
            let kind = ErrorKind::Version { expected: "2", found: header.major.into() };
            return Err(data.error(MAJOR_OFFSET, kind));
        }
        Ok(FileHeader {
            version: Version::V2 { minor: header.minor, sub_minor: header.sub_minor },
            encryption: Encryption::of(header.encryption_version),
            compression_version: header.compression_version,
            payload,
        })
    }

    /// Whether the bytes after the header are encrypted.
    pub const fn is_encrypted(&self) -> bool {
        self.encryption.is_some()
    }

    /// Fails for files that need decryption or a newer reader.
    pub(crate) fn check_readable(&self, data: Data<'_>) -> Result<()> {
        match self.encryption {
            None if self.compression_version == 0 => Ok(()),
            None => Err(data.error(COMPRESSION_OFFSET, ErrorKind::Unsupported { what: "a compressed file" })),
            Some(Encryption::Aes128) => {
                Err(data.error(ENCRYPTION_OFFSET, ErrorKind::Encrypted { cipher: "AES-128" }))
            }
            Some(other) => {
                let kind = ErrorKind::UnknownEncryption { version: other.version() };
                Err(data.error(ENCRYPTION_OFFSET, kind))
            }
        }
    }
}

/// The fields of the header of version 1.0, or of the model header of version 2.0, which describe the whole model.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Header {
    /// The version of the file.
    pub version: Version,
    /// nMesh: the number of meshes in the file.
    pub meshes: u32,
    /// nMeshesPerFrame: the number of meshes that make up one frame in one level of detail.
    pub meshes_per_frame: u32,
    /// nFrame: the length of the animation in frames. Without bones, the file has a set of meshes for each frame.
    pub frames: u32,
    /// nLOD: the number of levels of detail.
    pub lods: u32,
    /// nMaterial: the number of materials in the file.
    pub materials: u32,
    /// nBone: the number of bones in the file.
    pub bones: u32,
    /// Whether frames of meshes are blended.
    pub vertex_tweening: bool,
    /// pTexCoordDimension: the number of floats of a texture coordinate in each set, 0 for an absent set. Version 1.0
    /// stores them in each mesh; they are then 0 here.
    pub texcoord_dimensions: [u8; STAGES],
    /// nSkinWeight: the number of stored skin weights of a vertex. Version 1.0 stores it in each mesh; it is then 0
    /// here.
    pub skin_weights: u8,
    /// The fields that only version 1.0 has; `None` in version 2.0.
    pub v1: Option<HeaderV1>,
    /// The absolute offset of the counts; nMesh is the first.
    pub(crate) offset: u64,
    /// The absolute offset of VertexTweening.
    pub(crate) tweening_offset: u64,
    pub(crate) lod_fractions: Span,
    pub(crate) lod_distances: Span,
    pub(crate) shader_pack: Option<Span>,
    /// Absolute end of the documented fields.
    pub(crate) used: u64,
    /// Absolute end of the chunk; the same in version 1.0.
    pub(crate) end: u64,
}

/// The fields that only the header of version 1.0 has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeaderV1 {
    /// FileVersion, always 1.0.
    pub file_version: f32,
    /// CelShadingStrength: the width of the outline.
    pub cel_shading_strength: f32,
    /// CelShadingColor: the color of the outline, r, g, b, a.
    pub cel_shading_color: [f32; 4],
    /// Whether the model is drawn with alpha blending.
    pub alpha_blending: bool,
    /// The size of nLOD in bytes. The format document does not specify it. It is 2 in every known file; 4 and 1 are
    /// tried if no section follows with 2.
    pub lod_count_width: u8,
}

/// The header of a new file: no outline, alpha blending.
impl Default for HeaderV1 {
    fn default() -> Self {
        HeaderV1 {
            file_version: layout::V1_FILE_VERSION,
            cel_shading_strength: 0.0,
            cel_shading_color: [0.0; 4],
            alpha_blending: true,
            lod_count_width: 2,
        }
    }
}

impl Header {
    /// The number of meshes expected from the other counts: `nMeshesPerFrame * nLOD * nFrame`; with bones,
    /// `nMeshesPerFrame * nLOD`.
    pub fn expected_meshes(&self) -> u128 {
        let frames = if self.bones == 0 { self.frames } else { 1 };
        // Three factors below 2^32: the product of two fits 64 bits, and the product of all three fits 96.
        u128::from(self.meshes_per_frame).saturating_mul(self.lods.into()).saturating_mul(frames.into())
    }

    /// The bytes of the fields.
    pub const fn fields(&self) -> Span {
        Span::of_bytes(self.offset..self.end)
    }

    /// Version 1.0, pLODLevelOfDetail: a float for each level of detail but the highest. Empty in version 2.0.
    pub const fn lod_fractions(&self) -> Span {
        self.lod_fractions
    }

    /// The distances of the levels of detail, one float each. Version 1.0 does not store one for the highest level.
    pub const fn lod_distances(&self) -> Span {
        self.lod_distances
    }

    /// Version 2.0: the bytes of the shader pack template; `None` if there is none.
    pub const fn shader_pack(&self) -> Option<Span> {
        self.shader_pack
    }
}
