//! The identifiers, records and sizes of the files.

use meshlens_wire::{Record, record};

/// The first bytes of a file of version 1.0 (Ultimate 3D 1.0: The header).
pub const V1_MAGIC: &[u8] = b"U3DModelFile\0";
/// The first bytes of a file of version 2.0 (Ultimate 3D 2.0: The file header).
pub const V2_MAGIC: &[u8] = b"$U3D_FILE_HEADER\0";
/// The first bytes of an ECMA-363 Universal 3D file, which is another format with the same extension.
pub const ECMA_MAGIC: &[u8] = b"U3D\0";

/// The only value of FileVersion in a file of version 1.0.
pub const V1_FILE_VERSION: f32 = 1.0;
/// The newest known major version of the chunked format.
pub const V2_MAJOR: u32 = 2;

/// The identifiers of version 1.0, with their NULs. No size follows them.
pub mod v1 {
    /// The mesh chunk.
    pub const MESH: &[u8] = b"$U3D_MESH\0";
    /// The material chunk.
    pub const MATERIAL: &[u8] = b"$U3D_MAT\0";
    /// The bone chunk.
    pub const BONE: &[u8] = b"$U3D_BONE\0";
    /// The stored parent of a bone without a parent.
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
    /// The first bytes of the identifiers of chunks that other programs may add.
    pub const CUSTOM_PREFIX: &[u8] = b"$U3DC_";
    /// The stored parent of a bone without a parent.
    pub const NO_PARENT: u32 = u32::MAX;
    /// The largest number of vertices whose triangles have indices of 16 bits.
    pub const SHORT_TRIANGLE_VERTICES: u32 = 65_536;
}

/// The number of texture coordinate sets of a mesh, and of texture stages of a material.
pub const STAGES: usize = 8;
/// The texture coordinate set of an environment map: D3DTSS_TCI_CAMERASPACENORMAL, the first of the coordinates that engines
/// compute.
pub const CAMERA_SPACE_NORMAL: u32 = 0x1_0000;
/// The largest number of floats of a texture coordinate.
pub const MAX_DIMENSION: u8 = 4;
/// The largest number of stored skin weights of a vertex.
pub const MAX_SKIN_WEIGHTS: u8 = 3;
/// The size of a position in bytes.
pub const POSITION_SIZE: u32 = 12;
/// The size of the bone indices of a vertex in bytes.
pub const SKIN_BONES_SIZE: u32 = 4;
/// The size of the material index of a triangle in bytes.
pub const TRIANGLE_MATERIAL_SIZE: u32 = 2;
/// The size of a matrix in bytes.
pub const MATRIX_SIZE: u32 = 64;
/// The size of a row of a matrix in bytes.
pub const MATRIX_ROW_SIZE: u32 = 16;
/// The size of a scaling or translation key in bytes: the frame in 4 bytes (version 1.0 uses 2), then a vector.
pub const VECTOR_KEY_SIZE: u32 = 16;
/// The size of a rotation key in bytes: the frame in 4 bytes (version 1.0 uses 2), then a quaternion.
pub const ROTATION_KEY_SIZE: u32 = 20;
/// The offset of the value in a key.
pub const KEY_VALUE: usize = 4;

record! {
    /// The file header, after its chunk header (Ultimate 3D 2.0: The file header).
    #[derive(Debug)]
    #[allow(missing_docs, reason = "the format's own names")]
    pub struct FileHeader {
        pub major: u32,
        pub minor: u32,
        pub sub_minor: u32,
        pub encryption_version: u32,
        pub compression_version: u32,
    }
}

record! {
    /// The colors of a material, in both versions (Ultimate 3D: The material chunk).
    #[derive(Debug)]
    #[allow(missing_docs, reason = "the format's own names")]
    pub struct Colors {
        pub ambient: [f32; 4],
        pub diffuse: [f32; 4],
        pub specular: [f32; 4],
        pub emissive: [f32; 4],
        pub specular_power: f32,
    }
}

record! {
    /// The operation and the texture coordinate set of each texture stage (Ultimate 3D: The material chunk).
    #[derive(Debug)]
    #[allow(missing_docs, reason = "the format's own names")]
    pub struct Stages {
        pub color_op: [u32; STAGES],
        pub tex_coord_set: [u32; STAGES],
    }
}

/// The size of `count` floats in bytes.
pub const fn floats_size(count: u8) -> u32 {
    count as u32 * 4
}

/// The size of a triangle in bytes, with indices of 32 bits if `is_long` is set, and 16 bits otherwise.
pub const fn triangle_size(is_long: bool) -> u32 {
    if is_long { 12 } else { 6 }
}

/// The size of a vertex of shadow optimized geometry in bytes: position, normal, weights, and four bone indices if
/// there are weights.
pub const fn shadow_vertex_size(skin_weights: u8) -> u32 {
    let indices = if skin_weights > 0 { SKIN_BONES_SIZE } else { 0 };
    2 * POSITION_SIZE + floats_size(skin_weights) + indices
}

const _: () = assert!(FileHeader::SIZE == 20 && Colors::SIZE == 68 && Stages::SIZE == 64);
