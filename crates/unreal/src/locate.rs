//! The first step of a parse: locates each part of both files from header bytes alone.

#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use crate::encoding::U16;
use meshlens_lens::Lens;
use meshlens_wire::{Data, ErrorKind, Expected, Pieces, Record, Result, Span};

use crate::layout::{self, FRAME_HEADER_SIZE, HEADER_SIZE, TRIANGLE_SIZE};
use crate::rule::{Counts, Layout, resolve};
use crate::{FORMAT, FRAMES, GEOMETRY, LayoutRule, ParseOptions, Strictness, VertexEncoding};

/// The first bytes of a file, and the length of the whole file.
#[derive(Clone, Copy, Debug)]
pub struct Prefix<'p> {
    /// The first bytes of the file, or all of them.
    pub bytes: &'p [u8],
    /// The length of the whole file in bytes.
    pub file_len: u64,
}

impl<'p> Prefix<'p> {
    /// Makes the prefix that is the whole file.
    pub const fn whole(bytes: &'p [u8]) -> Self {
        Prefix { bytes, file_len: bytes.len() as u64 }
    }

    const fn data(self, format: &'static str) -> Data<'p> {
        Data::prefix(format, self.bytes, self.file_len)
    }
}

/// The sizes of the two counts in the header of a geometry file, and of the bytes after them.
const COUNTS: u64 = 4;
const UNUSED: usize = (HEADER_SIZE - COUNTS) as usize;

/// The locations of the parts of a geometry file.
#[derive(Clone, Copy, Debug)]
pub struct GeometryParts {
    /// The absolute offset of the header: 0, except in a mesh of one file.
    pub(crate) start: u64,
    vertices: u16,
    /// The bytes of the header after the counts.
    pub(crate) unused: [u8; UNUSED],
    triangles: Span,
}

impl GeometryParts {
    /// Locates the triangles. Reads the header.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Incomplete`] if the header is longer than the prefix. Also if the file is shorter than its header
    /// or its triangles.
    pub fn locate(geometry: Prefix<'_>) -> Result<Self> {
        Self::locate_in(geometry.data(GEOMETRY), 0)
    }

    pub(crate) fn locate_in(data: Data<'_>, start: u64) -> Result<Self> {
        data.refuse_git_lfs_pointer()?;
        let header = data.record::<layout::Header>(start, "header")?;
        let count = u64::from(header.num_polygons);
        // The header lies inside the file.
        let triangles = data.span(start.saturating_add(HEADER_SIZE), count, TRIANGLE_SIZE, "triangles")?;
        let unused = Record::read(data.take(start.saturating_add(COUNTS), UNUSED as u64, "header")?);
        Ok(GeometryParts { start, vertices: header.num_vertices, unused, triangles })
    }

    /// The number of vertices in each frame, as stored in the geometry file.
    pub const fn vertex_count(&self) -> usize {
        self.vertices as usize
    }

    /// The triangle records.
    pub const fn triangles(&self) -> Span {
        self.triangles
    }
}

/// The locations of the frames of a frames file.
#[derive(Clone, Copy, Debug)]
pub struct FramesParts {
    /// The absolute offset of the header: 0, except in a mesh of one file.
    pub(crate) start: u64,
    declared: u16,
    frame_size: u16,
    frames: Span,
}

impl FramesParts {
    /// Locates the frames, with the stride in the header. Reads the header.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Incomplete`] if the header is longer than the prefix. Also if the file is shorter than its header,
    /// frames have 0 bytes, there are more frames than the limits allow, or, unless the options are lenient, the file
    /// is shorter than its frames.
    pub fn locate(frames: Prefix<'_>, options: &ParseOptions) -> Result<Self> {
        Self::locate_in(frames.data(FRAMES), 0, options)
    }

    pub(crate) fn locate_in(data: Data<'_>, start: u64, options: &ParseOptions) -> Result<Self> {
        data.refuse_git_lfs_pointer()?;
        let header = data.record::<layout::FrameHeader>(start, "header")?;
        // The header lies inside the file.
        let first = start.saturating_add(FRAME_HEADER_SIZE);
        let (declared, frame_size) = (header.num_frames, header.frame_size);
        let limit = options.limits.count;
        if u64::from(declared) > limit {
            return Err(data.error(start, ErrorKind::Limit { what: "frames", limit, found: declared.into() }));
        }
        if frame_size == 0 && declared > 0 {
            // Such frames take no bytes, so the file does not bound their number.
            let kind = ErrorKind::Value { what: "frame size", expected: Expected::AtLeast(1), found: 0 };
            return Err(data.error(start.saturating_add(2), kind));
        }
        let present = match options.strictness {
            Strictness::Strict => u64::from(declared),
            Strictness::Lenient => {
                let room = data.file_len().saturating_sub(first);
                room.checked_div(frame_size.into()).map_or(0, |frames| frames.min(declared.into()))
            }
        };
        let frames = data.span(first, present, frame_size.into(), "frames")?;
        Ok(FramesParts { start, declared, frame_size, frames })
    }

    /// The parts of a file of one frame with the same header fields, whose frame is at `frame`.
    pub(crate) const fn of_one_frame(self, frame: Span) -> Self {
        FramesParts { start: 0, declared: 1, frames: frame, ..self }
    }

    /// The number of frames in the header, including frames that are missing from the file.
    pub const fn declared_frame_count(&self) -> usize {
        self.declared as usize
    }

    /// The size of a frame in bytes, as stated by the header. In a few files, it is not the stride.
    pub const fn frame_size(&self) -> usize {
        self.frame_size as usize
    }

    /// The whole frames of the file.
    pub const fn frames(&self) -> Span {
        self.frames
    }
}

/// The locations of all parts of a pair: plain data, checked against the lengths of both files, without the bytes.
///
/// An [`Unreal`](crate::Unreal) consists of its parts and its bytes. A streaming reader locates the parts from the
/// headers, and then fetches the spans that it needs.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    pub(crate) geometry: GeometryParts,
    pub(crate) frames: FramesParts,
    pub(crate) layout: Layout,
    /// The whole vertices of the last frame, if the file ends inside it.
    pub(crate) incomplete: Option<Span>,
}

impl Parts {
    /// Locates the parts of a pair from the first bytes of both files.
    ///
    /// Reads both headers and allocates nothing. If none of the first four [rules](LayoutRule) applies, the fifth one reads
    /// the triangles.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Incomplete`] if more bytes are needed than a prefix has. The error has their number, and its
    /// [`format`](crate::Error::format) is the name of the file. Otherwise the same as
    /// [`Unreal::parse`](crate::Unreal::parse).
    pub fn locate(geometry: Prefix<'_>, frames: Prefix<'_>, options: &ParseOptions) -> Result<Parts> {
        Self::locate_in(geometry.data(GEOMETRY), frames.data(FRAMES), options)
    }

    /// Locates the parts of a mesh of one file: [`UMSH`](layout::UMSH), the geometry file and the frames file. Both files
    /// of [`Unreal::bind`](crate::Unreal::bind) are this file then, and all offsets are those in it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Magic`] if the file begins with other bytes. Otherwise the same as
    /// [`locate_pieces`](Self::locate_pieces).
    pub fn locate_packed(file: &dyn Pieces, options: &ParseOptions) -> Result<Parts> {
        Self::locate_packed_in(Data::of_pieces(FORMAT, file), options)
    }

    pub(crate) fn locate_packed_in(data: Data<'_>, options: &ParseOptions) -> Result<Parts> {
        data.magic(0, &layout::UMSH, "\"UMSH\"")?;
        let geometry = GeometryParts::locate_in(data, layout::UMSH.len() as u64)?;
        Self::locate_frames(data, geometry, data, geometry.triangles.byte_range().end, options)
    }

    /// Whether both files are in one.
    pub const fn is_packed(&self) -> bool {
        self.geometry.start > 0
    }

    /// Like [`locate`](Self::locate), from any pieces of both files.
    ///
    /// # Errors
    ///
    /// Same as [`locate`](Self::locate); the bytes that are needed begin at the error's offset.
    pub fn locate_pieces(
        geometry: &dyn Pieces,
        frames: &dyn Pieces,
        options: &ParseOptions,
    ) -> Result<Parts> {
        let (geometry, frames) = (Data::of_pieces(GEOMETRY, geometry), Data::of_pieces(FRAMES, frames));
        Self::locate_in(geometry, frames, options)
    }

    pub(crate) fn locate_in(
        geometry_data: Data<'_>,
        frames_data: Data<'_>,
        options: &ParseOptions,
    ) -> Result<Parts> {
        let geometry = GeometryParts::locate_in(geometry_data, 0)?;
        Self::locate_frames(geometry_data, geometry, frames_data, 0, options)
    }

    /// The frames of a geometry, whose header is at `start`.
    fn locate_frames(
        geometry_data: Data<'_>,
        geometry: GeometryParts,
        frames_data: Data<'_>,
        start: u64,
        options: &ParseOptions,
    ) -> Result<Parts> {
        let mut frames = FramesParts::locate_in(frames_data, start, options)?;
        // The header lies inside the file.
        let first = start.saturating_add(FRAME_HEADER_SIZE);
        let counts = Counts {
            vertices: geometry.vertices,
            frames: frames.declared,
            frame_size: frames.frame_size,
            frame_bytes: frames_data.file_len().saturating_sub(first),
        };
        let layout =
            resolve(counts, || largest_index(geometry_data, geometry.triangles))?.ok_or_else(|| {
                let kind = ErrorKind::Mismatch {
                    what: "frame size",
                    found: frames.frame_size.into(),
                    with: "the geometry's vertex count",
                    other: geometry.vertices.into(),
                };
                frames_data.error(start.saturating_add(2), kind)
            })?;
        if layout.rule == LayoutRule::MistakenFrameSize {
            // This rule applies only if the file contains all frames.
            let count = frames.declared.into();
            frames.frames = frames_data.span(first, count, layout.stride, "frames")?;
        }
        let incomplete = incomplete_vertices(frames_data, &frames, layout);
        Ok(Parts { geometry, frames, layout, incomplete })
    }

    /// The locations of the parts of the geometry file.
    pub const fn geometry(&self) -> &GeometryParts {
        &self.geometry
    }

    /// The triangle records, in the geometry file.
    pub const fn triangles(&self) -> Span {
        self.geometry.triangles
    }

    /// The frames, in the frames file, including the bytes after the vertices of each.
    pub const fn frames(&self) -> Span {
        self.frames.frames
    }

    /// The vertices of one frame, in the frames file, or `None` if the frame is out of range.
    pub fn frame_vertices(&self, frame: usize) -> Option<Span> {
        self.frames.frames.inside(frame as u64, self.layout.vertices.into(), self.layout.format.size())
    }

    /// The whole vertices of the last frame, in the frames file, if the file ends inside that frame. See
    /// [`Unreal::incomplete_frame`](crate::Unreal::incomplete_frame).
    pub const fn incomplete_vertices(&self) -> Option<Span> {
        self.incomplete
    }

    /// How vertices are stored.
    pub const fn vertex_encoding(&self) -> VertexEncoding {
        self.layout.format
    }

    /// The number of vertices in each frame.
    pub const fn vertex_count(&self) -> usize {
        self.layout.vertices as usize
    }

    /// The rule that determined the layout.
    pub const fn rule(&self) -> LayoutRule {
        self.layout.rule
    }
}

/// The whole vertices of the last frame that the header declares, if the file contains all frames before it, but only a
/// part of it.
fn incomplete_vertices(data: Data<'_>, frames: &FramesParts, layout: Layout) -> Option<Span> {
    if frames.frames.count().checked_add(1)? != u64::from(frames.declared) {
        return None;
    }
    let start = frames.frames.byte_range().end;
    let size = layout.format.size();
    let present = data.file_len().checked_sub(start)?.checked_div(size.into())?.min(layout.vertices.into());
    if present == 0 {
        return None;
    }
    // The vertices end at the end of the file at the latest.
    data.span(start, present, size, "vertices of the last frame").ok()
}

/// The largest vertex index of all triangles, or `None` if there are no triangles.
pub(crate) fn largest_index(data: Data<'_>, triangles: Span) -> Result<Option<u16>> {
    // Indices have 16 bits.
    Ok(Lens::bind(data, triangles, 0, U16::<3>)?.max_index().map(|index| index as u16))
}
