//! The first step of a parse: where each part of both files lies, from header bytes alone.

use meshlens_wire::{Data, ErrorKind, Expected, Limits, Result, Span};
use zerocopy::FromBytes;

use crate::layout::{self, FRAME_HEADER_SIZE, HEADER_SIZE, TRIANGLE_SIZE};
use crate::rule::{Counts, Layout, resolve};
use crate::{FRAMES, GEOMETRY, LayoutRule, VertexFormat};

/// The first bytes of a file, and the length of the whole.
#[derive(Clone, Copy, Debug)]
pub struct Prefix<'p> {
    /// The file's first bytes, or all of them.
    pub bytes: &'p [u8],
    /// Bytes of the whole file.
    pub file_len: u64,
}

impl<'p> Prefix<'p> {
    /// A file of which every byte is here.
    pub const fn whole(bytes: &'p [u8]) -> Self {
        Prefix { bytes, file_len: bytes.len() as u64 }
    }

    const fn data(self, format: &'static str) -> Data<'p> {
        Data::prefix(format, self.bytes, self.file_len)
    }
}

/// What to do with a frames file that ends before its frames do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// It is an error.
    #[default]
    Strict,
    /// The whole frames that are there are used, and `validate` says so.
    Lenient,
}

/// Where the parts of a geometry file lie.
#[derive(Clone, Copy, Debug)]
pub struct GeometryParts {
    pub(crate) vertices: u16,
    pub(crate) triangles: Span,
}

impl GeometryParts {
    /// Locates the triangles. Reads the header, which is an [`ErrorKind::Incomplete`] where it lies behind the prefix.
    ///
    /// # Errors
    ///
    /// A file shorter than its header, or than its triangles.
    pub fn locate(geometry: Prefix<'_>) -> Result<Self> {
        Self::locate_in(geometry.data(GEOMETRY))
    }

    pub(crate) fn locate_in(data: Data<'_>) -> Result<Self> {
        let header = data.record::<layout::Header>(0, "header")?;
        let count = u64::from(header.num_polygons.get());
        let triangles = data.span(HEADER_SIZE, count, TRIANGLE_SIZE, "triangles")?;
        Ok(GeometryParts { vertices: header.num_vertices.get(), triangles })
    }

    /// The triangle records.
    pub const fn triangles(&self) -> Span {
        self.triangles
    }
}

/// Where the frames of a frames file lie.
#[derive(Clone, Copy, Debug)]
pub struct FramesParts {
    pub(crate) declared: u16,
    pub(crate) frame_size: u16,
    pub(crate) frames: Span,
}

impl FramesParts {
    /// Locates the frames, as far apart as the header says. Reads the header, which is an
    /// [`ErrorKind::Incomplete`] where it lies behind the prefix.
    ///
    /// # Errors
    ///
    /// A file shorter than its header, frames of no bytes, more frames than `limits` allows, and in strict mode a file
    /// shorter than its frames.
    pub fn locate(frames: Prefix<'_>, mode: Mode, limits: &Limits) -> Result<Self> {
        Self::locate_in(frames.data(FRAMES), mode, limits)
    }

    pub(crate) fn locate_in(data: Data<'_>, mode: Mode, limits: &Limits) -> Result<Self> {
        let header = data.record::<layout::FrameHeader>(0, "header")?;
        let (declared, frame_size) = (header.num_frames.get(), header.frame_size.get());
        if u64::from(declared) > limits.count {
            let kind = ErrorKind::Limit { what: "frames", limit: limits.count, found: declared.into() };
            return Err(data.error(0, kind));
        }
        if frame_size == 0 && declared > 0 {
            // No byte stands behind such frames, so their number could be any.
            let kind = ErrorKind::Value { what: "frame size", expected: Expected::AtLeast(1), found: 0 };
            return Err(data.error(2, kind));
        }
        let room = data.file_len().saturating_sub(FRAME_HEADER_SIZE);
        let present = match mode {
            Mode::Strict => declared.into(),
            Mode::Lenient => room.checked_div(frame_size.into()).unwrap_or(0).min(declared.into()),
        };
        let frames = data.span(FRAME_HEADER_SIZE, present, frame_size.into(), "frames")?;
        Ok(FramesParts { declared, frame_size, frames })
    }

    /// The frames that are there.
    pub const fn frames(&self) -> Span {
        self.frames
    }
}

/// Where every part of a pair lies: plain data, proven against the lengths of both files, bound to no bytes.
///
/// [`Unreal`](crate::Unreal) is this plus the bytes. A streaming reader locates from the headers it has and fetches
/// the spans it wants.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    pub(crate) geometry: GeometryParts,
    pub(crate) frames: FramesParts,
    pub(crate) layout: Layout,
}

impl Parts {
    /// Locates the parts of a pair from the first bytes of both files.
    ///
    /// Reads both headers and allocates nothing. Where none of the first four rules tells the layout, the fifth needs
    /// the triangles: the one case in which more than headers is read.
    ///
    /// # Errors
    ///
    /// Those of [`GeometryParts::locate`] and [`FramesParts::locate`], and [`ErrorKind::Mismatch`] where the two
    /// files do not belong together. [`ErrorKind::Incomplete`] says how many bytes of which file to come back with.
    pub fn locate(geometry: Prefix<'_>, frames: Prefix<'_>, mode: Mode, limits: &Limits) -> Result<Parts> {
        Self::locate_in(geometry.data(GEOMETRY), frames.data(FRAMES), mode, limits)
    }

    pub(crate) fn locate_in(
        geometry_data: Data<'_>,
        frames_data: Data<'_>,
        mode: Mode,
        limits: &Limits,
    ) -> Result<Parts> {
        let geometry = GeometryParts::locate_in(geometry_data)?;
        let mut frames = FramesParts::locate_in(frames_data, mode, limits)?;
        let counts = Counts {
            vertices: geometry.vertices,
            frames: frames.declared,
            frame_size: frames.frame_size,
            frame_bytes: frames_data.file_len().saturating_sub(FRAME_HEADER_SIZE),
        };
        let layout =
            resolve(counts, || largest_index(geometry_data, geometry.triangles))?.ok_or_else(|| {
                let kind = ErrorKind::Mismatch {
                    what: "frame size",
                    found: frames.frame_size.into(),
                    with: "the geometry's vertex count",
                    other: geometry.vertices.into(),
                };
                frames_data.error(2, kind)
            })?;
        if layout.rule == LayoutRule::MistakenFrameSize {
            // The rule has seen to it that all of them are there.
            let count = frames.declared.into();
            frames.frames = frames_data.span(FRAME_HEADER_SIZE, count, layout.stride, "frames")?;
        }
        Ok(Parts { geometry, frames, layout })
    }

    /// The triangle records, in the geometry file.
    pub const fn triangles(&self) -> Span {
        self.geometry.triangles
    }

    /// The frames, in the frames file, with whatever lies behind the vertices of each.
    pub const fn frames(&self) -> Span {
        self.frames.frames
    }

    /// The vertices of one frame, in the frames file; `None` past the last.
    pub fn frame_vertices(&self, frame: usize) -> Option<Span> {
        let frame = u64::try_from(frame).ok()?;
        self.frames.frames.inside(frame, self.layout.vertices.into(), self.layout.format.size())
    }

    /// How vertices are stored.
    pub const fn vertex_format(&self) -> VertexFormat {
        self.layout.format
    }

    /// Vertices of one frame.
    pub const fn vertex_count(&self) -> u16 {
        self.layout.vertices
    }

    /// The rule that told so.
    pub const fn rule(&self) -> LayoutRule {
        self.layout.rule
    }
}

/// The largest vertex number of all triangles, `None` where there is no triangle.
pub(crate) fn largest_index(data: Data<'_>, triangles: Span) -> Result<Option<u16>> {
    let bytes = data.bind(triangles)?;
    let records = <[layout::Triangle]>::ref_from_bytes(bytes).unwrap_or_default();
    Ok(records.iter().flat_map(|triangle| triangle.vertices).map(|index| index.get()).max())
}
