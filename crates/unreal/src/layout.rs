//! The records of both files (Unreal: The _D.3D file, The _A.3D file), their sizes, and the limits of their fields.

use meshlens_wire::{Record, record};

/// The largest number of triangles in a geometry file, whose count has 16 bits.
pub const MAX_TRIANGLES: usize = 65_535;
/// The largest number of frames in a frames file, whose count has 16 bits.
pub const MAX_FRAMES: usize = 65_535;
/// The largest number of packed vertices in a frame, whose size in bytes has 16 bits.
pub const MAX_PACKED_VERTICES: usize = 16_383;
/// The largest number of 16-bit vertices in a frame.
pub const MAX_WIDE_VERTICES: usize = 8_191;

record! {
    /// The header of a geometry file, 48 bytes (Unreal: Geometry Header). Only the two counts have a meaning; in real files
    /// the rest is arbitrary.
    #[derive(Debug, Default)]
    #[allow(missing_docs, reason = "the format's own names")]
    pub struct Header {
        pub num_polygons: u16,
        pub num_vertices: u16,
        pub bogus_rotation: u16,
        pub bogus_frame: u16,
        pub bogus_normal: [u32; 3],
        pub fix_scale: u32,
        pub unused: [u32; 3],
        pub unread: [u8; 12],
    }
}

record! {
    /// A triangle, 16 bytes (Unreal: Triangle Definition).
    #[derive(Debug, Default, PartialEq, Eq)]
    #[allow(missing_docs, reason = "the format's own names")]
    pub struct Triangle {
        pub vertices: [u16; 3],
        pub triangle_type: u8,
        pub color: u8,
        pub texcoords: [[u8; 2]; 3],
        pub texture: u8,
        pub flags: u8,
    }
}

record! {
    /// The header of a frames file, 4 bytes (Unreal: Frame Header).
    #[derive(Debug)]
    #[allow(missing_docs, reason = "the format's own names")]
    pub struct FrameHeader {
        pub num_frames: u16,
        pub frame_size: u16,
    }
}

/// The first bytes of a mesh of one file, which UZDoom reads: the geometry file and the frames file follow.
pub const UMSH: [u8; 4] = *b"UMSH";
/// The size of the geometry header, which is the offset of the triangles.
pub const HEADER_SIZE: u64 = Header::SIZE as u64;
/// The size of a triangle.
pub const TRIANGLE_SIZE: u32 = Triangle::SIZE as u32;
/// The size of the frame header, which is the offset of the frames.
pub const FRAME_HEADER_SIZE: u64 = FrameHeader::SIZE as u64;

const _: () = assert!(HEADER_SIZE == 48 && TRIANGLE_SIZE == 16 && FRAME_HEADER_SIZE == 4);
