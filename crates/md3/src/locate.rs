//! The first step of parsing: locates each part, using only the headers.

#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use alloc::vec::Vec;

use meshlens_wire::{Data, Error, ErrorKind, Expected, Limits, Pieces, Place, Record, Result, Span};

use crate::FORMAT;
use crate::fields::Fields;
use crate::layout::{self, FRAME_SIZE, TEXCOORD_SIZE, TRIANGLE_SIZE, WIDE_FRAME_SIZE};

/// Options of parsing. [`Md3::parse`](crate::Md3::parse) uses the defaults.
///
/// ```
/// use meshlens_md3::ParseOptions;
///
/// let options = ParseOptions { start: 0x1000, ..ParseOptions::default() };
/// assert_eq!(options.limits, meshlens_md3::wire::Limits::DEFAULT);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParseOptions {
    /// The absolute byte offset of the model in the file (MD3: MD3_START); 0 by default.
    pub start: u64,
    /// Limits on the cost of parsing. [`Limits::count`] limits the number of surfaces.
    pub limits: Limits,
}

/// The location of every part of a model: plain data, checked against the length of the file, without its bytes.
///
/// An [`Md3`](crate::Md3) consists of its parts and its bytes. A streaming reader locates the parts with the headers,
/// and then fetches the spans that it needs.
#[derive(Clone, Debug)]
pub struct Parts {
    front: FrontParts,
    surfaces: Vec<SurfaceParts>,
}

/// The location of the frames and tags, which are known from the header of the model, before the surfaces.
#[derive(Clone, Copy, Debug)]
pub struct FrontParts {
    start: u64,
    end: u64,
    pub(crate) header: layout::Header,
    frames: Span,
    tags: Span,
    tags_per_frame: u32,
    surface_count: u32,
    surfaces_offset: u64,
}

/// The location of the parts of one surface.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceParts {
    offset: u64,
    end: u64,
    frames: u32,
    vertices_per_frame: u32,
    shaders: Span,
    triangles: Span,
    texcoords: Span,
    vertices: Span,
}

impl Parts {
    /// Locates the parts of a model in a file of `file_len` bytes that begins with `prefix`.
    ///
    /// Reads only the header and the surface headers, and allocates one entry for each surface.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Incomplete`] if a header lies after the prefix: the error contains the number of bytes that are
    /// needed. Otherwise the same as [`Md3::parse`](crate::Md3::parse).
    pub fn locate(prefix: &[u8], file_len: u64, options: &ParseOptions) -> Result<Parts> {
        Self::locate_in(Data::prefix(FORMAT, prefix, file_len), options)
    }

    /// Like [`locate`](Self::locate), from any pieces of the file. Only the header of the model and the headers of the
    /// surfaces are needed, independent of the size of the tables.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Incomplete`] if a header is not in one piece: the error has the offset of the first byte that
    /// is needed. Otherwise the same as [`Md3::parse`](crate::Md3::parse).
    pub fn locate_pieces(pieces: &dyn Pieces, options: &ParseOptions) -> Result<Parts> {
        Self::locate_in(Data::of_pieces(FORMAT, pieces), options)
    }

    pub(crate) fn locate_in(data: Data<'_>, options: &ParseOptions) -> Result<Parts> {
        let limits = options.limits;
        let front = FrontParts::locate_in(data, options)?;
        let (frame_count, mut surface_offset) = (front.frame_count(), front.surfaces_offset);
        let surface_count = u64::from(front.surface_count);
        if surface_count > limits.count {
            let fields = Fields { data, start: front.start };
            let kind = ErrorKind::Limit { what: "NUM_SURFACES", limit: limits.count, found: surface_count };
            return Err(fields.error(84, kind));
        }
        let mut claimed = 0u64;
        let mut surfaces = Vec::new();
        for index in 0..surface_count {
            let place = |error: Error| error.at(Place::new("surface", index));
            let surface = SurfaceParts::locate(data, surface_offset, frame_count).map_err(place)?;
            if index == 0 {
                // Surfaces do not overlap, so the rest of the file bounds their number. The surface header is inside
                // the file.
                let room = data.file_len().saturating_sub(surface_offset) / SURFACE_SIZE;
                surfaces.reserve_exact(usize::try_from(surface_count.min(room)).unwrap_or(0));
            }
            // A saturated sum exceeds the limit.
            claimed = claimed.saturating_add(surface.table_bytes());
            let limit = data.file_len().saturating_mul(MAX_OVERLAP);
            if claimed > limit {
                let kind = ErrorKind::Limit { what: "bytes claimed by all tables", limit, found: claimed };
                return Err(place(data.error(surface_offset, kind)));
            }
            surfaces.push(surface);
            surface_offset = surface.end;
        }
        Ok(Parts { front, surfaces })
    }

    /// The parts that the header of the model locates.
    pub const fn front(&self) -> &FrontParts {
        &self.front
    }

    /// The absolute offset of the model in its file, usually 0.
    pub const fn start(&self) -> u64 {
        self.front.start
    }

    /// The absolute offset of the end of the model, as stated by its header (OFS_EOF). It is inside the file.
    pub const fn end(&self) -> u64 {
        self.front.end
    }

    /// The frame records: 56 bytes each, or 104 if names have 64 bytes.
    pub const fn frames(&self) -> Span {
        self.front.frames
    }

    /// The tag records: all tags of frame 0, then all tags of frame 1, and so on.
    pub const fn tags(&self) -> Span {
        self.front.tags
    }

    /// The number of tags in each frame.
    pub const fn tags_per_frame(&self) -> usize {
        self.front.tags_per_frame()
    }

    /// The surfaces, in file order.
    pub fn surfaces(&self) -> &[SurfaceParts] {
        &self.surfaces
    }
}

impl FrontParts {
    /// Locates the parts that the header of the model describes. Reads only the header.
    ///
    /// # Errors
    ///
    /// Same as [`Parts::locate_pieces`], for the header.
    pub fn locate_pieces(pieces: &dyn Pieces, options: &ParseOptions) -> Result<FrontParts> {
        Self::locate_in(Data::of_pieces(FORMAT, pieces), options)
    }

    fn locate_in(data: Data<'_>, options: &ParseOptions) -> Result<FrontParts> {
        let start = options.start;
        data.refuse_git_lfs_pointer()?;
        data.magic(start, &layout::IDENT, "\"IDP3\"")?;
        let header = data.record::<layout::Header>(start, "header")?;
        let fields = Fields { data, start };
        if header.version != layout::VERSION {
            let found = header.version.into();
            return Err(fields.error(4, ErrorKind::Version { expected: "15", found }));
        }

        let frame_count = fields.count(header.num_frames, 76, "NUM_FRAMES")?;
        let tags_per_frame = fields.count(header.num_tags, 80, "NUM_TAGS")?;
        let surface_count = fields.count(header.num_surfaces, 84, "NUM_SURFACES")?;
        fields.count(header.num_skins, 88, "NUM_SKINS")?;
        let frames_offset = fields.offset(header.ofs_frames, 92, "OFS_FRAMES")?;
        let tags_offset = fields.offset(header.ofs_tags, 96, "OFS_TAGS")?;
        let surfaces_offset = fields.offset(header.ofs_surfaces, 100, "OFS_SURFACES")?;
        let end = fields.offset(header.ofs_eof, 104, "OFS_EOF")?;

        let is_wide = frame_count > 0
            && tags_offset.checked_sub(frames_offset) == Some(product(frame_count, WIDE_FRAME_SIZE));
        let frame_size = if is_wide { WIDE_FRAME_SIZE } else { FRAME_SIZE };
        let frames = data.span(frames_offset, frame_count.into(), frame_size, "frames")?;
        let tag_count = product(frame_count, tags_per_frame);
        let tags = data.span(tags_offset, tag_count, layout::stride::<layout::Tag>(), "tags")?;

        Ok(FrontParts { start, end, header, frames, tags, tags_per_frame, surface_count, surfaces_offset })
    }

    /// The number of frames.
    #[allow(clippy::cast_possible_truncation, reason = "the header's field has 32 bits")]
    const fn frame_count(&self) -> u32 {
        self.frames.count() as u32
    }

    /// The frame records: 56 bytes each, or 104 if names have 64 bytes.
    pub const fn frames(&self) -> Span {
        self.frames
    }

    /// The tag records: all tags of frame 0, then all tags of frame 1, and so on.
    pub const fn tags(&self) -> Span {
        self.tags
    }

    /// The number of tags in each frame.
    pub const fn tags_per_frame(&self) -> usize {
        self.tags_per_frame as usize
    }

    /// The bytes of the header.
    pub const fn header(&self) -> Span {
        // It is inside the file.
        Span::of_bytes(self.start..self.start.saturating_add(layout::Header::SIZE as u64))
    }
}

/// The maximum number of times that the bytes of a file may be used by tables. Real tables do not overlap. Without this
/// limit, many surfaces with the same bytes would make the work of reading them quadratic.
const MAX_OVERLAP: u64 = 16;
const SURFACE_SIZE: u64 = layout::Surface::SIZE as u64;

/// The product of two counts.
#[allow(clippy::arithmetic_side_effects, reason = "the product of two u32 fits a u64")]
const fn product(a: u32, b: u32) -> u64 {
    a as u64 * b as u64
}

impl SurfaceParts {
    fn locate(data: Data<'_>, offset: u64, model_frames: u32) -> Result<Self> {
        let header = data.record::<layout::Surface>(offset, "surface header")?;
        // Engines set the identifier of a surface themselves, and use the number of frames of the model.
        if header.ident != [0; 4] {
            data.magic(offset, &layout::IDENT, "\"IDP3\"")?;
        }
        let fields = Fields { data, start: offset };

        let frames = match fields.count(header.num_frames, 72, "NUM_FRAMES")? {
            0 => model_frames,
            frames => frames,
        };
        let shaders = fields.count(header.num_shaders, 76, "NUM_SHADERS")?;
        let vertices_per_frame = fields.count(header.num_verts, 80, "NUM_VERTS")?;
        let triangles = fields.count(header.num_triangles, 84, "NUM_TRIANGLES")?;
        let triangles_offset = fields.offset(header.ofs_triangles, 88, "OFS_TRIANGLES")?;
        let shaders_offset = fields.offset(header.ofs_shaders, 92, "OFS_SHADERS")?;
        let texcoords_offset = fields.offset(header.ofs_st, 96, "OFS_ST")?;
        let vertices_offset = fields.offset(header.ofs_xyznormal, 100, "OFS_XYZNORMAL")?;
        let end = fields.offset(header.ofs_end, 104, "OFS_END")?;
        let size = i64::from(header.ofs_end);
        if size < SURFACE_SIZE as i64 {
            // The next surface would start inside this header.
            let expected = Expected::AtLeast(SURFACE_SIZE as i64);
            return Err(fields.error(104, ErrorKind::Value { what: "OFS_END", expected, found: size }));
        }
        if vertices_per_frame == 0 && frames > model_frames {
            // Frames without vertices take no bytes, so the file does not bound their number.
            let (expected, found) = (Expected::AtMost(model_frames.into()), frames.into());
            return Err(fields.error(72, ErrorKind::Value { what: "NUM_FRAMES", expected, found }));
        }

        let vertices = product(frames, vertices_per_frame);
        let vertex_size = layout::stride::<layout::Vertex>();
        let shader_size = layout::stride::<layout::Shader>();
        Ok(SurfaceParts {
            offset,
            end,
            frames,
            vertices_per_frame,
            shaders: data.span(shaders_offset, shaders.into(), shader_size, "shaders")?,
            triangles: data.span(triangles_offset, triangles.into(), TRIANGLE_SIZE, "triangles")?,
            texcoords: data.span(texcoords_offset, vertices_per_frame.into(), TEXCOORD_SIZE, "texcoords")?,
            vertices: data.span(vertices_offset, vertices, vertex_size, "vertices")?,
        })
    }

    /// The tables in the order of the format's description: shaders, triangles, texture coordinates, vertices.
    pub(crate) const fn tables(&self) -> [Span; 4] {
        [self.shaders, self.triangles, self.texcoords, self.vertices]
    }

    /// The sum of the sizes of all tables.
    fn table_bytes(&self) -> u64 {
        self.tables().iter().fold(0, |sum: u64, span| sum.saturating_add(span.size()))
    }

    /// The absolute offset of the surface header.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes of the surface header.
    pub const fn header(&self) -> Span {
        // It is inside the file.
        Span::of_bytes(self.offset..self.offset.saturating_add(SURFACE_SIZE))
    }

    /// The absolute offset of the end of the surface, which is the start of the next one.
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// The number of frames.
    pub const fn frame_count(&self) -> usize {
        self.frames as usize
    }

    /// The number of vertices in each frame.
    pub const fn vertices_per_frame(&self) -> usize {
        self.vertices_per_frame as usize
    }

    /// The shader records.
    pub const fn shaders(&self) -> Span {
        self.shaders
    }

    /// The triangles, three `i32` each.
    pub const fn triangles(&self) -> Span {
        self.triangles
    }

    /// The texture coordinates, two `f32` each.
    pub const fn texcoords(&self) -> Span {
        self.texcoords
    }

    /// The vertices, 8 bytes each: all of frame 0, then all of frame 1, and so on.
    pub const fn vertices(&self) -> Span {
        self.vertices
    }

    /// The vertices of one frame, or `None` if the frame is out of range.
    pub fn frame_vertices(&self, frame: usize) -> Option<Span> {
        let frame = u32::try_from(frame).ok().filter(|frame| *frame < self.frames)?;
        self.vertices.slice(product(frame, self.vertices_per_frame), self.vertices_per_frame.into())
    }
}
