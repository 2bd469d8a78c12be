//! The records of both files, as they lie (Unreal: The _D.3D file, The _A.3D file). Nothing here decides anything.

use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Triangles a geometry file can hold: its count is 16 bits wide.
pub const MAX_TRIANGLES: u32 = 65_535;
/// Frames a frames file can hold: its count is 16 bits wide.
pub const MAX_FRAMES: u32 = 65_535;
/// Packed vertices a frame can hold: its size in bytes is 16 bits wide.
pub const MAX_PACKED_VERTICES: u32 = 16_383;
/// 16-bit vertices a frame can hold.
pub const MAX_WIDE_VERTICES: u32 = 8_191;

/// Unreal: Geometry Header, 48 bytes. Only the two counts mean something; real files hold anything in the rest.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
#[allow(missing_docs, reason = "the format's own names")]
pub struct Header {
    pub num_polygons: U16,
    pub num_vertices: U16,
    pub bogus_rotation: U16,
    pub bogus_frame: U16,
    pub bogus_normal: [U32; 3],
    pub fix_scale: U32,
    pub unused: [U32; 3],
    pub unread: [u8; 12],
}

/// Unreal: Triangle Definition, 16 bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned,
)]
#[repr(C)]
#[allow(missing_docs, reason = "the format's own names")]
pub struct Triangle {
    pub vertices: [U16; 3],
    pub triangle_type: u8,
    pub color: u8,
    pub texcoords: [[u8; 2]; 3],
    pub texture: u8,
    pub flags: u8,
}

/// Unreal: Frame Header, 4 bytes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
#[allow(missing_docs, reason = "the format's own names")]
pub struct FrameHeader {
    pub num_frames: U16,
    pub frame_size: U16,
}

/// Bytes of the geometry header, behind which the triangles begin.
pub const HEADER_SIZE: u64 = size_of::<Header>() as u64;
/// Bytes of a triangle.
pub const TRIANGLE_SIZE: u32 = size_of::<Triangle>() as u32;
/// Bytes of the frame header, behind which the frames begin.
pub const FRAME_HEADER_SIZE: u64 = size_of::<FrameHeader>() as u64;

const _: () = assert!(HEADER_SIZE == 48 && TRIANGLE_SIZE == 16 && FRAME_HEADER_SIZE == 4);
