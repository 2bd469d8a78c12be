//! The records of the file (MD3: File format), their sizes, and the limits of engines.

use zerocopy::little_endian::{F32, I16, I32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The first four bytes of a model and of each surface.
pub const IDENT: [u8; 4] = *b"IDP3";
/// The version of every MD3 file.
pub const VERSION: i32 = 15;

/// The largest number of frames that engines accept (MD3_MAX_FRAMES).
pub const MAX_FRAMES: usize = 1024;
/// The largest number of tags that engines accept (MD3_MAX_TAGS).
pub const MAX_TAGS: usize = 16;
/// The largest number of surfaces that engines accept (MD3_MAX_SURFACES).
pub const MAX_SURFACES: usize = 32;
/// The largest number of shaders in a surface that engines accept (MD3_MAX_SHADERS).
pub const MAX_SHADERS: usize = 256;
/// The largest number of vertices in a surface that engines accept (MD3_MAX_VERTS).
pub const MAX_VERTICES: usize = 4096;
/// The largest number of triangles in a surface that engines accept (MD3_MAX_TRIANGLES).
pub const MAX_TRIANGLES: usize = 8192;
/// The smallest number of vertices in a surface with which ioquake3 rejects a model.
pub const ENGINE_VERTICES: usize = 1000;
/// The smallest number of triangles in a surface with which ioquake3 rejects a model.
pub const ENGINE_TRIANGLES: usize = 2000;

/// The size of a frame as documented, with a name of 16 bytes.
pub const FRAME_SIZE: u32 = 56;
/// The size of a frame with a name of 64 bytes, as some exporters write it.
pub const WIDE_FRAME_SIZE: u32 = 104;

/// The header of a model, 108 bytes (MD3: MD3 header). Offsets are relative to the start of the model.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
#[allow(missing_docs, reason = "the format's own names")]
pub struct Header {
    pub ident: [u8; 4],
    pub version: I32,
    pub name: [u8; 64],
    pub flags: I32,
    pub num_frames: I32,
    pub num_tags: I32,
    pub num_surfaces: I32,
    pub num_skins: I32,
    pub ofs_frames: I32,
    pub ofs_tags: I32,
    pub ofs_surfaces: I32,
    pub ofs_eof: I32,
}

/// The first 40 bytes of a frame (MD3: Frame). Its name fills the rest.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
#[allow(missing_docs, reason = "the format's own names")]
pub struct Frame {
    pub min_bounds: [F32; 3],
    pub max_bounds: [F32; 3],
    pub local_origin: [F32; 3],
    pub radius: F32,
}

/// A tag, 112 bytes (MD3: Tag). The three axes are rows.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
#[allow(missing_docs, reason = "the format's own names")]
pub struct Tag {
    pub name: [u8; 64],
    pub origin: [F32; 3],
    pub axis: [[F32; 3]; 3],
}

/// The header of a surface, 108 bytes (MD3: Surface). Offsets are relative to the start of the surface.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
#[allow(missing_docs, reason = "the format's own names")]
pub struct Surface {
    pub ident: [u8; 4],
    pub name: [u8; 64],
    pub flags: I32,
    pub num_frames: I32,
    pub num_shaders: I32,
    pub num_verts: I32,
    pub num_triangles: I32,
    pub ofs_triangles: I32,
    pub ofs_shaders: I32,
    pub ofs_st: I32,
    pub ofs_xyznormal: I32,
    pub ofs_end: I32,
}

/// A shader, 68 bytes (MD3: Shader).
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
#[allow(missing_docs, reason = "the format's own names")]
pub struct Shader {
    pub name: [u8; 64],
    pub shader_index: I32,
}

/// A vertex, 8 bytes (MD3: Vertex): position in 1/64 units, then the normal's zenith and azimuth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
#[allow(missing_docs, reason = "the format's own names")]
pub struct Vertex {
    pub coord: [I16; 3],
    pub normal: [u8; 2],
}

/// The size of a triangle: three `i32`.
pub const TRIANGLE_SIZE: u32 = 12;
/// The size of a texture coordinate: two `f32`.
pub const TEXCOORD_SIZE: u32 = 8;

/// The size of a record, as the stride of a table.
pub(crate) const fn stride<T>() -> u32 {
    size_of::<T>() as u32
}

const _: () = assert!(size_of::<Header>() == 108 && size_of::<Surface>() == 108 && size_of::<Tag>() == 112);
const _: () = assert!(size_of::<Frame>() == 40 && size_of::<Shader>() == 68 && size_of::<Vertex>() == 8);
