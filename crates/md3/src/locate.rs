//! The first step of a parse: where each part lies, from header bytes alone.

use alloc::vec::Vec;

use meshlens_wire::{Data, Error, ErrorKind, Expected, Limits, Place, Result, Span};
use zerocopy::little_endian::I32;

use crate::FORMAT;
use crate::layout::{self, FRAME_SIZE, TEXCOORD_SIZE, TRIANGLE_SIZE, WIDE_FRAME_SIZE};

/// Where every part of a model lies: plain data, proven against the length of the file, bound to no bytes.
///
/// [`Md3`](crate::Md3) is this plus the bytes. A streaming reader locates from the headers it has and fetches the
/// spans it wants.
#[derive(Clone, Debug)]
pub struct Parts {
    pub(crate) start: u64,
    pub(crate) header: layout::Header,
    pub(crate) frames: Span,
    pub(crate) tags: Span,
    pub(crate) tags_per_frame: u32,
    pub(crate) end: u64,
    surfaces: Vec<SurfaceParts>,
}

/// Where the parts of one surface lie.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceParts {
    pub(crate) offset: u64,
    pub(crate) end: u64,
    pub(crate) frames: u32,
    pub(crate) vertices_per_frame: u32,
    pub(crate) shaders: Span,
    pub(crate) triangles: Span,
    pub(crate) texcoords: Span,
    pub(crate) vertices: Span,
}

impl Parts {
    /// Locates the parts of the model that starts at `start`, of which `prefix` holds the file's first bytes and
    /// `file_len` is the whole length.
    ///
    /// Reads the header and the surface headers, allocates one entry per surface, touches nothing else. A header
    /// that lies behind the prefix is an [`ErrorKind::Incomplete`], which says how many bytes to come back with.
    pub fn locate(prefix: &[u8], file_len: u64, start: u64, limits: &Limits) -> Result<Parts> {
        Self::locate_in(Data::prefix(FORMAT, prefix, file_len), start, limits)
    }

    pub(crate) fn locate_in(data: Data<'_>, start: u64, limits: &Limits) -> Result<Parts> {
        data.magic(start, &layout::IDENT, "\"IDP3\"")?;
        let header = *data.record::<layout::Header>(start, "header")?;
        let fields = Fields { data, start, size: size_of::<layout::Header>() };
        if header.version.get() != layout::VERSION {
            let kind = ErrorKind::Version { expected: "15", found: header.version.get().into() };
            return Err(data.error(start.saturating_add(4), kind));
        }

        let frame_count = fields.count(header.num_frames, 76, "NUM_FRAMES")?;
        let tags_per_frame = fields.count(header.num_tags, 80, "NUM_TAGS")?;
        let surface_count = fields.count(header.num_surfaces, 84, "NUM_SURFACES")?;
        fields.count(header.num_skins, 88, "NUM_SKINS")?;
        let frames_offset = fields.offset(header.ofs_frames, 92, "OFS_FRAMES")?;
        let tags_offset = fields.offset(header.ofs_tags, 96, "OFS_TAGS")?;
        let mut surface_offset = fields.offset(header.ofs_surfaces, 100, "OFS_SURFACES")?;
        let end = fields.offset(header.ofs_eof, 104, "OFS_EOF")?;

        let frame_count = u64::from(frame_count);
        let is_wide = frame_count > 0
            && tags_offset.checked_sub(frames_offset) == frame_count.checked_mul(u64::from(WIDE_FRAME_SIZE));
        let frame_size = if is_wide { WIDE_FRAME_SIZE } else { FRAME_SIZE };
        let frames = data.span(frames_offset, frame_count, frame_size, "frames")?;
        let tag_count = frame_count.saturating_mul(u64::from(tags_per_frame));
        let tags = data.span(tags_offset, tag_count, layout::stride::<layout::Tag>(), "tags")?;

        let surface_count = u64::from(surface_count);
        if surface_count > limits.count {
            let kind = ErrorKind::Limit { what: "NUM_SURFACES", limit: limits.count, found: surface_count };
            return Err(data.error(start.saturating_add(84), kind));
        }
        let mut claimed = 0u64;
        let mut surfaces = Vec::new();
        for index in 0..surface_count {
            let surface = SurfaceParts::locate(data, surface_offset, frame_count)
                .map_err(|error| error.at(Place::new("surface", index)))?;
            if index == 0 {
                // Surfaces do not overlap, so the bytes behind the first bound how many there can be.
                let room = data.file_len().saturating_sub(surface_offset).div_euclid(SURFACE_SIZE);
                surfaces.reserve_exact(usize::try_from(surface_count.min(room)).unwrap_or_default());
            }
            claimed = claimed.saturating_add(surface.table_bytes());
            let limit = data.file_len().saturating_mul(MAX_OVERLAP);
            if claimed > limit {
                let kind = ErrorKind::Limit { what: "bytes claimed by all tables", limit, found: claimed };
                return Err(data.error(surface_offset, kind).at(Place::new("surface", index)));
            }
            surfaces.push(surface);
            surface_offset = surface.end;
        }
        Ok(Parts { start, header, frames, tags, tags_per_frame, end, surfaces })
    }

    /// The frame records.
    pub const fn frames(&self) -> Span {
        self.frames
    }

    /// The tag records, all tags of frame 0, then all of frame 1.
    pub const fn tags(&self) -> Span {
        self.tags
    }

    /// The surfaces, in file order.
    pub fn surfaces(&self) -> &[SurfaceParts] {
        &self.surfaces
    }
}

/// How often a file's bytes may be claimed by its tables. Real tables do not overlap; without a bound, many surfaces
/// over the same bytes would make the work of reading them all quadratic.
const MAX_OVERLAP: u64 = 16;
const SURFACE_SIZE: u64 = size_of::<layout::Surface>() as u64;

impl SurfaceParts {
    fn locate(data: Data<'_>, offset: u64, model_frames: u64) -> Result<Self> {
        let header = data.record::<layout::Surface>(offset, "surface header")?;
        data.magic(offset, &layout::IDENT, "\"IDP3\"")?;
        let fields = Fields { data, start: offset, size: size_of::<layout::Surface>() };

        let frames = fields.count(header.num_frames, 72, "NUM_FRAMES")?;
        let shaders = fields.count(header.num_shaders, 76, "NUM_SHADERS")?;
        let vertices_per_frame = fields.count(header.num_verts, 80, "NUM_VERTS")?;
        let triangles = fields.count(header.num_triangles, 84, "NUM_TRIANGLES")?;
        let triangles_offset = fields.offset(header.ofs_triangles, 88, "OFS_TRIANGLES")?;
        let shaders_offset = fields.offset(header.ofs_shaders, 92, "OFS_SHADERS")?;
        let texcoords_offset = fields.offset(header.ofs_st, 96, "OFS_ST")?;
        let vertices_offset = fields.offset(header.ofs_xyznormal, 100, "OFS_XYZNORMAL")?;
        let end = fields.offset(header.ofs_end, 104, "OFS_END")?;
        if end.saturating_sub(offset) < SURFACE_SIZE {
            let (expected, found) = (Expected::AtLeast(SURFACE_SIZE as i64), header.ofs_end.get().into());
            return Err(fields.error(104, ErrorKind::Value { what: "OFS_END", expected, found }));
        }

        if vertices_per_frame == 0 && u64::from(frames) > model_frames {
            // No byte stands behind such a number, so it could make readers spin.
            let expected = Expected::AtMost(i64::try_from(model_frames).unwrap_or(i64::MAX));
            return Err(
                fields.error(72, ErrorKind::Value { what: "NUM_FRAMES", expected, found: frames.into() })
            );
        }

        let vertices = u64::from(frames).saturating_mul(u64::from(vertices_per_frame));
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

    /// Bytes of all tables.
    fn table_bytes(&self) -> u64 {
        let tables = [self.shaders, self.triangles, self.texcoords, self.vertices];
        tables
            .iter()
            .fold(0, |sum: u64, span| sum.saturating_add(span.byte_range().end.saturating_sub(span.offset())))
    }

    /// Absolute offset of the surface header.
    pub const fn offset(&self) -> u64 {
        self.offset
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

    /// The vertices of all frames, 8 bytes each, frame-major.
    pub const fn vertices(&self) -> Span {
        self.vertices
    }

    /// The vertices of one frame, or `None` past the last.
    pub fn frame_vertices(&self, frame: usize) -> Option<Span> {
        let frame = u64::try_from(frame).ok().filter(|frame| *frame < u64::from(self.frames))?;
        let count = u64::from(self.vertices_per_frame);
        self.vertices.slice(frame.checked_mul(count)?, count)
    }
}

/// Reads the counts and offsets of one header record, and says at which byte a bad one lies.
struct Fields<'a> {
    data: Data<'a>,
    start: u64,
    size: usize,
}

impl Fields<'_> {
    fn error(&self, field: u64, kind: ErrorKind) -> Error {
        debug_assert!(usize::try_from(field).is_ok_and(|field| field < self.size));
        self.data.error(self.start.saturating_add(field), kind)
    }

    fn count(&self, value: I32, field: u64, what: &'static str) -> Result<u32> {
        u32::try_from(value.get()).map_err(|_| {
            let (expected, found) = (Expected::AtLeast(0), value.get().into());
            self.error(field, ErrorKind::Value { what, expected, found })
        })
    }

    /// An offset from the record's start, as an absolute one that does not leave the file.
    fn offset(&self, value: I32, field: u64, what: &'static str) -> Result<u64> {
        let relative = self.count(value, field, what)?;
        let room = self.data.file_len().saturating_sub(self.start);
        if u64::from(relative) > room {
            let expected = Expected::AtMost(i64::try_from(room).unwrap_or(i64::MAX));
            return Err(self.error(field, ErrorKind::Value { what, expected, found: relative.into() }));
        }
        Ok(self.start.saturating_add(relative.into()))
    }
}
