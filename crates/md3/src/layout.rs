//! The records of the file (MD3: File format), their sizes, and the limits of engines.

use meshlens_wire::{Record, record};

/// The first four bytes of a model and of each surface.
pub const IDENT: [u8; 4] = *b"IDP3";
/// The version of every MD3 file.
pub const VERSION: i32 = 15;

/// The largest number of frames that Quake 3's tools accept (MD3_MAX_FRAMES).
pub const MAX_FRAMES: usize = 1024;
/// The largest number of tags that Quake 3's tools accept (MD3_MAX_TAGS).
pub const MAX_TAGS: usize = 16;
/// The largest number of surfaces that Quake 3's tools accept (MD3_MAX_SURFACES).
pub const MAX_SURFACES: usize = 32;
/// The largest number of shaders in a surface that Quake 3's tools accept (MD3_MAX_SHADERS).
pub const MAX_SHADERS: usize = 256;
/// The largest number of vertices in a surface that Quake 3's tools accept (MD3_MAX_VERTS).
pub const MAX_VERTICES: usize = 4096;
/// The largest number of triangles in a surface that Quake 3's tools accept (MD3_MAX_TRIANGLES).
pub const MAX_TRIANGLES: usize = 8192;
/// The smallest number of vertices in a surface with which ioquake3 rejects a model.
pub const ENGINE_VERTICES: usize = 1000;
/// The smallest number of triangles in a surface with which ioquake3 rejects a model.
pub const ENGINE_TRIANGLES: usize = 2000;

/// The size of a frame as documented, with a name of 16 bytes.
pub const FRAME_SIZE: u32 = 56;
/// The size of a frame with a name of 64 bytes, as some exporters write it.
pub const WIDE_FRAME_SIZE: u32 = 104;

record! {
    /// The header of a model, 108 bytes (MD3: MD3 header). Offsets are relative to the start of the model.
    #[derive(Debug)]
    #[allow(missing_docs, reason = "the format's own names")]
    pub struct Header {
        pub ident: [u8; 4],
        pub version: i32,
        pub name: [u8; 64],
        pub flags: i32,
        pub num_frames: i32,
        pub num_tags: i32,
        pub num_surfaces: i32,
        pub num_skins: i32,
        pub ofs_frames: i32,
        pub ofs_tags: i32,
        pub ofs_surfaces: i32,
        pub ofs_eof: i32,
    }
}

record! {
    /// The first 40 bytes of a frame (MD3: Frame). Its name fills the rest.
    #[derive(Debug)]
    #[allow(missing_docs, reason = "the format's own names")]
    pub struct Frame {
        pub min_bounds: [f32; 3],
        pub max_bounds: [f32; 3],
        pub local_origin: [f32; 3],
        pub radius: f32,
    }
}

record! {
    /// A tag, 112 bytes (MD3: Tag). The three axes are rows.
    #[derive(Debug)]
    #[allow(missing_docs, reason = "the format's own names")]
    pub struct Tag {
        pub name: [u8; 64],
        pub origin: [f32; 3],
        pub axis: [[f32; 3]; 3],
    }
}

record! {
    /// The header of a surface, 108 bytes (MD3: Surface). Offsets are relative to the start of the surface.
    #[derive(Debug)]
    #[allow(missing_docs, reason = "the format's own names")]
    pub struct Surface {
        pub ident: [u8; 4],
        pub name: [u8; 64],
        pub flags: i32,
        pub num_frames: i32,
        pub num_shaders: i32,
        pub num_verts: i32,
        pub num_triangles: i32,
        pub ofs_triangles: i32,
        pub ofs_shaders: i32,
        pub ofs_st: i32,
        pub ofs_xyznormal: i32,
        pub ofs_end: i32,
    }
}

record! {
    /// A shader, 68 bytes (MD3: Shader).
    #[derive(Debug)]
    #[allow(missing_docs, reason = "the format's own names")]
    pub struct Shader {
        pub name: [u8; 64],
        pub shader_index: i32,
    }
}

record! {
    /// A vertex, 8 bytes (MD3: Vertex): position in 1/64 units, then the normal's zenith and azimuth.
    #[derive(Debug, PartialEq, Eq)]
    #[allow(missing_docs, reason = "the format's own names")]
    pub struct Vertex {
        pub coord: [i16; 3],
        pub normal: [u8; 2],
    }
}

/// The size of a triangle: three `i32`.
pub const TRIANGLE_SIZE: u32 = 12;
/// The size of a texture coordinate: two `f32`.
pub const TEXCOORD_SIZE: u32 = 8;

/// The size of a record, as the stride of a table.
pub(crate) const fn stride<T: Record>() -> u32 {
    T::SIZE as u32
}

const _: () = assert!(Header::SIZE == 108 && Surface::SIZE == 108 && Tag::SIZE == 112);
const _: () = assert!(Frame::SIZE == 40 && Shader::SIZE == 68 && Vertex::SIZE == 8);
