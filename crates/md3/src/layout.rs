//! The records of the file, as they lie (MD3: File format). Nothing here decides anything.

use zerocopy::little_endian::{F32, I16, I32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The first four bytes of a model and of each surface.
pub const IDENT: [u8; 4] = *b"IDP3";
/// The only version there is.
pub const VERSION: i32 = 15;

/// Frames an engine takes (MD3_MAX_FRAMES).
pub const MAX_FRAMES: u32 = 1024;
/// Tags an engine takes (MD3_MAX_TAGS).
pub const MAX_TAGS: u32 = 16;
/// Surfaces an engine takes (MD3_MAX_SURFACES).
pub const MAX_SURFACES: u32 = 32;
/// Shaders of one surface (MD3_MAX_SHADERS).
pub const MAX_SHADERS: u32 = 256;
/// Vertices of one surface (MD3_MAX_VERTS).
pub const MAX_VERTICES: u32 = 4096;
/// Triangles of one surface (MD3_MAX_TRIANGLES).
pub const MAX_TRIANGLES: u32 = 8192;
/// Vertices of one surface from which on ioquake3 refuses the model.
pub const ENGINE_VERTICES: u32 = 1000;
/// Triangles of one surface from which on ioquake3 refuses the model.
pub const ENGINE_TRIANGLES: u32 = 2000;

/// Bytes of a frame as documented, with a name of 16 bytes.
pub const FRAME_SIZE: u32 = 56;
/// Bytes of a frame with a name of 64 bytes, as some exporters write it.
pub const WIDE_FRAME_SIZE: u32 = 104;

/// MD3: MD3 header, 108 bytes. Offsets count from the start of the model.
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

/// MD3: Frame, the 40 bytes before its name, which fills the rest of the frame.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
#[allow(missing_docs, reason = "the format's own names")]
pub struct Frame {
    pub min_bounds: [F32; 3],
    pub max_bounds: [F32; 3],
    pub local_origin: [F32; 3],
    pub radius: F32,
}

/// MD3: Tag, 112 bytes. The three axes are rows.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
#[allow(missing_docs, reason = "the format's own names")]
pub struct Tag {
    pub name: [u8; 64],
    pub origin: [F32; 3],
    pub axis: [[F32; 3]; 3],
}

/// MD3: Surface, the 108 bytes of its header. Offsets count from the start of the surface.
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

/// MD3: Shader, 68 bytes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
#[allow(missing_docs, reason = "the format's own names")]
pub struct Shader {
    pub name: [u8; 64],
    pub shader_index: I32,
}

/// MD3: Vertex, 8 bytes: position in 1/64 units, then the normal's zenith and azimuth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
#[allow(missing_docs, reason = "the format's own names")]
pub struct Vertex {
    pub coord: [I16; 3],
    pub normal: [u8; 2],
}

/// Bytes of one triangle: three `i32`.
pub const TRIANGLE_SIZE: u32 = 12;
/// Bytes of one texture coordinate: two `f32`.
pub const TEXCOORD_SIZE: u32 = 8;

/// Size of a record as a stride.
pub(crate) const fn stride<T>() -> u32 {
    size_of::<T>() as u32
}

const _: () = assert!(size_of::<Header>() == 108 && size_of::<Surface>() == 108 && size_of::<Tag>() == 112);
const _: () = assert!(size_of::<Frame>() == 40 && size_of::<Shader>() == 68 && size_of::<Vertex>() == 8);
