//! What stands in the files as it lies: identifiers, records and sizes. Nothing here decides anything.

use zerocopy::little_endian::{F32, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// What a file of version 1.0 begins with (Ultimate 3D 1.0: The header).
pub const V1_MAGIC: &[u8] = b"U3DModelFile\0";
/// What a file of version 2.0 begins with (Ultimate 3D 2.0: The file header).
pub const V2_MAGIC: &[u8] = b"$U3D_FILE_HEADER\0";
/// What an ECMA-363 Universal 3D file begins with, which is another format with the same extension.
pub const ECMA_MAGIC: &[u8] = b"U3D\0";

/// The one version a file of version 1.0 may name.
pub const V1_FILE_VERSION: f32 = 1.0;
/// The newest major version of the chunked format that is known.
pub const V2_MAJOR: u32 = 2;

/// The identifiers of version 1.0, with their NULs. They are followed by no size.
pub mod v1 {
    /// The mesh chunk.
    pub const MESH: &[u8] = b"$U3D_MESH\0";
    /// The material chunk.
    pub const MATERIAL: &[u8] = b"$U3D_MAT\0";
    /// The bone chunk.
    pub const BONE: &[u8] = b"$U3D_BONE\0";
    /// The parent of a bone without one.
    pub const NO_PARENT: u16 = u16::MAX;
}

/// The identifiers of version 2.0, without their NULs.
pub mod v2 {
    /// The file header.
    pub const FILE_HEADER: &str = "$U3D_FILE_HEADER";
    /// The model header.
    pub const MODEL_HEADER: &str = "$U3D_MODEL_HEADER";
    /// The shader pack chunk, undocumented, inside the model header or a material.
    pub const SHADER_PACK: &str = "$U3D_SHADER_PACK";
    /// The mesh chunk.
    pub const MESH: &str = "$U3D_MESH";
    /// The shadow optimized geometry chunk, inside a mesh.
    pub const SHADOW_GEOMETRY: &str = "$U3D_SHADOW_GEOMETRY";
    /// The material chunk.
    pub const MATERIAL: &str = "$U3D_MATERIAL";
    /// The texture chunk, inside a material.
    pub const TEXTURE: &str = "$U3D_TEXTURE";
    /// The bone chunk.
    pub const BONE: &str = "$U3D_BONE";
    /// The action range chunk.
    pub const ACTION_RANGE: &str = "$U3D_ACTION_RANGE";
    /// What identifiers of chunks that are not part of the format begin with.
    pub const CUSTOM_PREFIX: &[u8] = b"$U3DC_";
    /// The parent of a bone without one.
    pub const NO_PARENT: u32 = u32::MAX;
    /// Vertices up to which triangles have 16 bits for each corner.
    pub const SHORT_TRIANGLE_VERTICES: u32 = 65_536;
}

/// Texture coordinate sets of a mesh, and texture stages of a material.
pub const STAGES: usize = 8;
/// Floats a texture coordinate may have.
pub const MAX_DIMENSION: u8 = 4;
/// Skin weights a vertex may have besides the implied last one.
pub const MAX_SKIN_WEIGHTS: u8 = 3;
/// Bytes of a position.
pub const POSITION_SIZE: u32 = 12;
/// Bytes of a matrix.
pub const MATRIX_SIZE: u32 = 64;
/// Bytes of a scaling or translation key: the frame in 4 bytes (of which version 1.0 uses 2), then a vector.
pub const VECTOR_KEY_SIZE: u32 = 16;
/// Bytes of a rotation key: the frame in 4 bytes (of which version 1.0 uses 2), then a quaternion.
pub const ROTATION_KEY_SIZE: u32 = 20;

/// Ultimate 3D 2.0: The file header, behind its chunk header.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
#[allow(missing_docs, reason = "the format's own names")]
pub struct FileHeader {
    pub major: U32,
    pub minor: U32,
    pub sub_minor: U32,
    pub encryption_version: U32,
    pub compression_version: U32,
}

/// Ultimate 3D: The material chunk, the colors of both versions.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
#[allow(missing_docs, reason = "the format's own names")]
pub struct Colors {
    pub ambient: [F32; 4],
    pub diffuse: [F32; 4],
    pub specular: [F32; 4],
    pub emissive: [F32; 4],
    pub specular_power: F32,
}

/// Ultimate 3D: The material chunk, what each texture stage does.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
#[allow(missing_docs, reason = "the format's own names")]
pub struct Stages {
    pub color_op: [U32; STAGES],
    pub tex_coord_set: [U32; STAGES],
}

/// Floats of one vertex of shadow optimized geometry: position, normal, weights, and the four bone indices as one.
pub const fn shadow_floats(skin_weights: u8) -> u32 {
    let indices = if skin_weights > 0 { 1 } else { 0 };
    (skin_weights as u32).saturating_add(6).saturating_add(indices)
}

const _: () =
    assert!(size_of::<FileHeader>() == 20 && size_of::<Colors>() == 68 && size_of::<Stages>() == 64);
