//! Which version a file is, and what its headers say of the whole model.

use core::fmt;

use meshlens_wire::{Data, ErrorKind, Magic, Result};

use crate::FORMAT;
use crate::layout::{self, STAGES};

/// The version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 1.0, of Ultimate 3D 2.x: sections in a fixed order, without sizes.
    V1,
    /// 2.x, of Ultimate 3D 3.0: chunks. Higher minor versions add to 2.0.0 what readers can skip.
    V2 {
        /// The minor version.
        minor: u32,
        /// The sub-minor version.
        sub_minor: u32,
    },
}

impl Version {
    /// 2.0.0, the one version of the chunked format that is documented.
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

/// What a file begins with: enough to name its version and its encryption, also where the rest is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileHeader {
    /// The version.
    pub version: Version,
    /// EncryptionVersion: 0 for none, 1 for one that nobody has documented, 2 for AES-128.
    pub encryption: u32,
    /// CompressionVersion, always 0.
    pub compression: u32,
    /// Absolute offset of what follows the file header: all of it is encrypted, or nothing is.
    pub payload: u64,
}

/// Offset of EncryptionVersion in a file of version 2.0.
pub(crate) const ENCRYPTION_OFFSET: u64 = 33;
const MAJOR_OFFSET: u64 = 21;
const COMPRESSION_OFFSET: u64 = 37;
/// Offset of the body of the file header chunk: behind its identifier and its size.
pub(crate) const FILE_HEADER_BODY: u64 = 21;

impl FileHeader {
    /// Reads the file header alone, of which 41 bytes are all there is in either version.
    ///
    /// # Errors
    ///
    /// Bytes of another format (ECMA-363 Universal 3D is named), a major version above 2, a file header that ends
    /// behind the file. Encryption is none.
    pub fn read(bytes: &[u8]) -> Result<FileHeader> {
        Self::read_in(Data::new(FORMAT, bytes))
    }

    pub(crate) fn read_in(data: Data<'_>) -> Result<FileHeader> {
        let starts_with = |magic: &[u8]| data.bytes().starts_with(magic);
        if starts_with(layout::V1_MAGIC) {
            let payload = layout::V1_MAGIC.len() as u64;
            return Ok(FileHeader { version: Version::V1, encryption: 0, compression: 0, payload });
        }
        if starts_with(layout::ECMA_MAGIC) {
            let what = "ECMA-363 Universal 3D, another format with the same extension,";
            return Err(data.error(0, ErrorKind::Unsupported { what }));
        }
        let expected = "\"U3DModelFile\" or \"$U3D_FILE_HEADER\"";
        if !starts_with(layout::V2_MAGIC) {
            let here = data.bytes();
            let is_short = |magic: &[u8]| magic.starts_with(here) && here.len() < magic.len();
            if is_short(layout::V1_MAGIC) || is_short(layout::V2_MAGIC) {
                // So far it is one of ours: there are too few bytes, here or at all.
                data.take(0, (here.len() as u64).saturating_add(1), expected)?;
            }
            let found = Magic::new(here.get(..here.len().min(8)).unwrap_or_default());
            return Err(data.error(0, ErrorKind::Magic { expected, found }));
        }
        let size = data.record::<zerocopy::little_endian::U32>(17, "size of the file header")?.get();
        let payload =
            data.span(FILE_HEADER_BODY, size.into(), 1, "bytes of the file header")?.byte_range().end;
        let header = data.within(payload).record::<layout::FileHeader>(FILE_HEADER_BODY, "file header")?;
        if header.major.get() != layout::V2_MAJOR {
            let kind = ErrorKind::Version { expected: "2", found: header.major.get().into() };
            return Err(data.error(MAJOR_OFFSET, kind));
        }
        Ok(FileHeader {
            version: Version::V2 { minor: header.minor.get(), sub_minor: header.sub_minor.get() },
            encryption: header.encryption_version.get(),
            compression: header.compression_version.get(),
            payload,
        })
    }

    /// Whether what follows the header is encrypted.
    pub const fn is_encrypted(&self) -> bool {
        self.encryption != 0
    }

    /// What the encryption is called; empty where there is none.
    pub const fn encryption_name(&self) -> &'static str {
        match self.encryption {
            0 => "",
            1 => "version 1 (undocumented)",
            2 => "AES-128",
            _ => "unknown",
        }
    }

    /// Refuses what only decryption, or a newer reader, can open.
    pub(crate) fn check_readable(&self, data: Data<'_>) -> Result<()> {
        match self.encryption {
            0 if self.compression == 0 => Ok(()),
            0 => Err(data.error(COMPRESSION_OFFSET, ErrorKind::Unsupported { what: "a compressed file" })),
            2 => Err(data.error(ENCRYPTION_OFFSET, ErrorKind::Encrypted { cipher: "AES-128" })),
            version => Err(data.error(ENCRYPTION_OFFSET, ErrorKind::UnknownEncryption { version })),
        }
    }
}

/// What the header of version 1.0, or the model header of version 2.0, says of the whole model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Header {
    /// The version of the file.
    pub version: Version,
    /// nMesh: meshes of the file.
    pub meshes: u32,
    /// nMeshesPerFrame: meshes that make up one frame in one level of detail.
    pub meshes_per_frame: u32,
    /// nFrame: the length of the animation. Without bones there is a set of meshes for each frame.
    pub frames: u32,
    /// nLOD: levels of detail.
    pub lods: u32,
    /// nMaterial: materials of the file.
    pub materials: u32,
    /// nBone: bones of the file.
    pub bones: u32,
    /// Whether frames of meshes are to be blended.
    pub vertex_tweening: bool,
    /// pTexCoordDimension: floats of a texture coordinate in each set, 0 for no set. Version 1.0 has them on each
    /// mesh, and 0 here.
    pub texcoord_dimensions: [u8; STAGES],
    /// nSkinWeight: weights of a vertex besides the implied last one. Version 1.0 has them on each mesh, and 0 here.
    pub skin_weights: u8,
    /// What only version 1.0 has.
    pub v1: HeaderV1,
    /// Absolute offset of the counts, of which nMesh is the first.
    pub(crate) offset: u64,
    /// Absolute offset of VertexTweening.
    pub(crate) tweening_offset: u64,
    /// Absolute offset of the levels of detail.
    pub(crate) lod_offset: u64,
    /// Absolute offset of the shader pack template's chunk, 0 for none.
    pub(crate) shader_pack: u64,
    /// Absolute end of what was read.
    pub(crate) used: u64,
    /// Absolute end of the chunk; the same in version 1.0.
    pub(crate) end: u64,
}

/// What only the header of version 1.0 has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeaderV1 {
    /// FileVersion, always 1.0.
    pub file_version: f32,
    /// CelShadingStrength: the width of the outline.
    pub cel_shading_strength: f32,
    /// CelShadingColor: the outline's color, r, g, b, a.
    pub cel_shading_color: [f32; 4],
    /// Whether alpha blending is to be used.
    pub alpha_blending: bool,
    /// Bytes of nLOD, whose type the document has lost: 2 in every file known; 4 and 1 are tried where 2 leads
    /// nowhere. 0 in version 2.0.
    pub lod_count_width: u8,
}

impl HeaderV1 {
    /// What a new file has: the one version there is, no outline, alpha blending.
    pub(crate) const NEW: HeaderV1 = HeaderV1 {
        file_version: layout::V1_FILE_VERSION,
        cel_shading_strength: 0.0,
        cel_shading_color: [0.0; 4],
        alpha_blending: true,
        lod_count_width: 2,
    };
}

impl Header {
    /// Meshes that the other counts ask for: nMeshesPerFrame * nLOD * (nFrame without bones, 1 with them).
    pub const fn expected_meshes(&self) -> u128 {
        let frames = if self.bones == 0 { self.frames } else { 1 };
        // Three factors below 2^32 stay below 2^96.
        (self.meshes_per_frame as u128).saturating_mul(self.lods as u128).saturating_mul(frames as u128)
    }

    /// Entries of each table of levels of detail: version 1.0 leaves out the highest.
    pub(crate) const fn lod_entries(&self) -> u32 {
        match self.version {
            Version::V1 => self.lods.saturating_sub(1),
            Version::V2 { .. } => self.lods,
        }
    }
}
