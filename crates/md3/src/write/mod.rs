//! The writer: writes plain arrays as a canonical file.
//!
//! A canonical file has its tables in the documented order without gaps (header, frames, tags, surfaces; in a surface:
//! shaders, triangles, texture coordinates, vertices), and nothing after OFS_EOF. Reading a canonical file with
//! [`Md3::parse`](crate::Md3::parse) and writing it again results in the same bytes.

mod mend;
mod read;
mod sample;
mod split;

use alloc::vec::Vec;

use crate::encoding::{Md3Normal, Md3Position};
use meshlens_lens::{Bounds, Encode, Encoding};
use meshlens_wire::{Checks, Error, ErrorKind, Offsets, Place, Record, Result, Writer};
use zerocopy::little_endian::I16;

use crate::FORMAT;
use crate::layout::{self, Vertex};
pub use mend::MENDED;
#[doc(hidden)]
pub use sample::sample;

/// A model as plain arrays. Names are complete fields, so that rewriting a file preserves the bytes after their NUL.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The model's name, usually its path in an archive.
    pub name: [u8; 64],
    /// The flags. Engines ignore them.
    pub flags: i32,
    /// NUM_SKINS. The format has no table of skins.
    pub skin_count: u32,
    /// Whether frames are 104 bytes long, with names of 64 bytes, as some exporters write them. Needs at least one frame.
    pub wide_frames: bool,
    /// The frames.
    pub frames: Vec<Frame>,
    /// The tags of frame 0, then the tags of frame 1, and so on.
    pub tags: Vec<Tag>,
    /// The number of tags in each frame.
    pub tags_per_frame: u32,
    /// The surfaces.
    pub surfaces: Vec<Surface>,
}

/// One frame: its name and bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The name. Only the first 16 bytes are written unless [`Model::wide_frames`] is set.
    pub name: [u8; 64],
    /// The bounding box of all vertices. [`Model::recompute_bounds`] computes it.
    pub bounds: Bounds,
    /// The center of the bounding sphere.
    pub local_origin: [f32; 3],
    /// The radius of the bounding sphere.
    pub radius: f32,
}

/// One tag in one frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Tag {
    /// The name.
    pub name: [u8; 64],
    /// The position in model units.
    pub origin: [f32; 3],
    /// The local X, Y and Z axis, one row each.
    pub axis: [[f32; 3]; 3],
}

/// One surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The name.
    pub name: [u8; 64],
    /// The flags. Engines ignore them.
    pub flags: i32,
    /// The number of frames.
    pub frame_count: u32,
    /// The name and index of each shader.
    pub shaders: Vec<([u8; 64], i32)>,
    /// Triangles: three vertex indices each, clockwise.
    pub triangles: Vec<[u32; 3]>,
    /// The texture coordinates, one for each vertex of a frame.
    pub texcoords: Vec<[f32; 2]>,
    /// The encoded vertices of frame 0, then the vertices of frame 1, and so on.
    pub vertices: Vec<Vertex>,
}

/// Makes a name field of 64 bytes, padded with NULs.
///
/// # Errors
///
/// The name has more than 63 bytes, or contains a NUL.
pub fn name(text: &str) -> Result<[u8; 64]> {
    if text.len() >= 64 || text.contains('\0') {
        return Err(CHECKS.value("name length", "at most 63 bytes and no NUL", text.len()));
    }
    Ok(padded(text.as_bytes()))
}

/// A name field with these bytes, of which there are at most 64.
fn padded(bytes: &[u8]) -> [u8; 64] {
    let mut field = [0; 64];
    for (to, from) in field.iter_mut().zip(bytes) {
        *to = *from;
    }
    field
}

/// The checks of the writer.
const CHECKS: Checks = Checks::new(FORMAT);

impl Frame {
    /// Makes a frame with this name. Its bounds, origin and radius are 0.
    ///
    /// # Errors
    ///
    /// Same as [`name`].
    pub fn named(text: &str) -> Result<Self> {
        Ok(Frame { name: name(text)?, bounds: Bounds::default(), local_origin: [0.0; 3], radius: 0.0 })
    }
}

impl Surface {
    /// Makes a surface with this name, without shaders, triangles, vertices or frames.
    ///
    /// # Errors
    ///
    /// Same as [`name`].
    pub fn new(text: &str) -> Result<Self> {
        Ok(Surface {
            name: name(text)?,
            flags: 0,
            frame_count: 0,
            shaders: Vec::new(),
            triangles: Vec::new(),
            texcoords: Vec::new(),
            vertices: Vec::new(),
        })
    }

    /// Adds a shader.
    ///
    /// # Errors
    ///
    /// Same as [`name`].
    pub fn add_shader(&mut self, text: &str) -> Result<()> {
        self.shaders.push((name(text)?, 0));
        Ok(())
    }

    /// Adds a frame of vertices, encoded as [`Md3Position`](type@crate::encoding::Md3Position) and [`Md3Normal`].
    /// Positions are rounded to multiples of 1/64 and clamped to -512 to 511.984375. Each normal is encoded as the
    /// nearest direction. Its length is ignored.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] if an array does not have one element for each texture coordinate.
    pub fn add_frame(&mut self, positions: &[[f32; 3]], normals: &[[f32; 3]]) -> Result<()> {
        self.add_frame_with(positions, normals, &Md3Normal)
    }

    /// Like [`add_frame`](Self::add_frame), with another encoding of normals.
    /// [`Md3NormalInverse`](crate::encoding::Md3NormalInverse) writes the same bytes as id's tools.
    ///
    /// # Errors
    ///
    /// Same as [`add_frame`](Self::add_frame).
    pub fn add_frame_with(
        &mut self,
        positions: &[[f32; 3]],
        normals: &[[f32; 3]],
        encoder: &impl Encode<Raw = [u8; 2], Value = [f32; 3]>,
    ) -> Result<()> {
        CHECKS.length("positions of the frame", self.texcoords.len(), positions.len())?;
        CHECKS.length("normals of the frame", positions.len(), normals.len())?;
        let frame_count = self.frame_count.checked_add(1).ok_or_else(|| {
            let limit = u32::MAX.into();
            CHECKS.error(ErrorKind::Limit { what: "frames", limit, found: limit + 1 })
        })?;
        self.vertices.extend(positions.iter().zip(normals).map(|(position, normal)| Vertex {
            coord: Md3Position.encode(*position).map(I16::get),
            normal: encoder.encode(*normal),
        }));
        self.frame_count = frame_count;
        Ok(())
    }

    /// The vertices of one frame, or an empty slice if the frame is out of range.
    pub fn frame(&self, frame: usize) -> &[Vertex] {
        let count = self.texcoords.len();
        let end = frame.checked_add(1).and_then(|end| end.checked_mul(count));
        // The start is at most the end, so it does not overflow.
        end.and_then(|end| self.vertices.get(end - count..end)).unwrap_or(&[])
    }
}

impl Model {
    /// Makes a model with this name, without frames, tags or surfaces.
    ///
    /// # Errors
    ///
    /// Same as [`name`].
    pub fn new(text: &str) -> Result<Self> {
        Ok(Model {
            name: name(text)?,
            flags: 0,
            skin_count: 0,
            wide_frames: false,
            frames: Vec::new(),
            tags: Vec::new(),
            tags_per_frame: 0,
            surfaces: Vec::new(),
        })
    }

    /// Sets the bounds of each frame to the bounds of its encoded vertices, and its radius to the distance from its
    /// origin to the farthest corner of the bounds. Frames without vertices keep their bounds. O(vertices).
    pub fn recompute_bounds(&mut self) {
        for (index, frame) in self.frames.iter_mut().enumerate() {
            let vertices = self.surfaces.iter().flat_map(|surface| surface.frame(index));
            let positions = vertices.map(|vertex| Md3Position.decode(vertex.coord.map(I16::new)));
            if let Some(bounds) = Bounds::around(positions) {
                frame.bounds = bounds;
                frame.radius = bounds.radius_from(frame.local_origin);
            }
        }
    }

    /// Writes the canonical file.
    ///
    /// # Errors
    ///
    /// The lengths of arrays do not match, a vertex index is out of range, or the file would exceed 2 GiB, the limit of
    /// its offsets. Exceeding one of the MD3_MAX_* limits is not an error here; `validate` reports it.
    pub fn write(&self) -> Result<Vec<u8>> {
        let tags = CHECKS.product("tags", self.frames.len(), self.tags_per_frame as usize)?;
        CHECKS.length("tags", tags, self.tags.len())?;
        if self.wide_frames && self.frames.is_empty() {
            CHECKS.length("frames for wide names", 1, 0)?;
        }
        let frame_name = if self.wide_frames { 64 } else { 16 };
        let frame_size = layout::Frame::SIZE + frame_name;
        let mut offsets = Offsets::new(FORMAT, MOST);
        offsets.table(1, layout::Header::SIZE)?;
        let ofs_frames = field(offsets.table(self.frames.len(), frame_size)?);
        let ofs_tags = field(offsets.table(self.tags.len(), layout::Tag::SIZE)?);
        let ofs_surfaces = field(offsets.end());
        let headers = self.surface_headers(&mut offsets)?;
        let header = layout::Header {
            ident: layout::IDENT,
            version: layout::VERSION,
            name: self.name,
            flags: self.flags,
            num_frames: count(self.frames.len(), "frames")?,
            num_tags: count(self.tags_per_frame as usize, "tags")?,
            num_surfaces: count(self.surfaces.len(), "surfaces")?,
            num_skins: count(self.skin_count as usize, "skins")?,
            ofs_frames,
            ofs_tags,
            ofs_surfaces,
            ofs_eof: field(offsets.end()),
        };

        let mut out = Writer::with_capacity(FORMAT, offsets.end() as usize);
        out.record(&header);
        for frame in &self.frames {
            out.record(&layout::Frame {
                min_bounds: frame.bounds.min,
                max_bounds: frame.bounds.max,
                local_origin: frame.local_origin,
                radius: frame.radius,
            });
            out.bytes(frame.name.get(..frame_name).unwrap_or(&frame.name));
        }
        for tag in &self.tags {
            let Tag { name, origin, axis } = *tag;
            out.record(&layout::Tag { name, origin, axis });
        }
        for (surface, header) in self.surfaces.iter().zip(headers) {
            out.record(&header);
            for (name, index) in &surface.shaders {
                out.record(&layout::Shader { name: *name, shader_index: *index });
            }
            out.u32s(surface.triangles.as_flattened());
            out.f32s(surface.texcoords.as_flattened());
            surface.vertices.iter().for_each(|vertex| out.record(vertex));
        }
        Ok(out.finish())
    }
}

impl Model {
    /// The headers of the surfaces, which follow in `offsets`.
    fn surface_headers(&self, offsets: &mut Offsets) -> Result<Vec<layout::Surface>> {
        let mut headers = Vec::with_capacity(self.surfaces.len());
        for (index, surface) in (0u64..).zip(&self.surfaces) {
            let place = |error: Error| error.at(Place::new("surface", index));
            let header = surface.header().map_err(place)?;
            // Frames without vertices take no bytes, so readers refuse surfaces with more frames than the model has.
            if surface.texcoords.is_empty() && surface.frame_count as usize > self.frames.len() {
                let expected = "at most the number of frames of the model";
                return Err(place(CHECKS.value("NUM_FRAMES", expected, surface.frame_count as usize)));
            }
            // Offsets are not negative.
            offsets.table(1, header.ofs_end.unsigned_abs() as usize)?;
            headers.push(header);
        }
        Ok(headers)
    }
}

impl Surface {
    fn header(&self) -> Result<layout::Surface> {
        let vertices = self.texcoords.len();
        let all_vertices = CHECKS.product("vertices of all frames", vertices, self.frame_count as usize)?;
        CHECKS.length("vertices of all frames", all_vertices, self.vertices.len())?;
        CHECKS.all_below("vertex", self.triangles.as_flattened().iter().copied(), vertices)?;
        let mut offsets = Offsets::new(FORMAT, MOST);
        offsets.table(1, layout::Surface::SIZE)?;
        let ofs_shaders = field(offsets.table(self.shaders.len(), layout::Shader::SIZE)?);
        let ofs_triangles = field(offsets.table(self.triangles.len(), layout::TRIANGLE_SIZE as usize)?);
        let ofs_st = field(offsets.table(self.texcoords.len(), layout::TEXCOORD_SIZE as usize)?);
        let ofs_xyznormal = field(offsets.table(self.vertices.len(), Vertex::SIZE)?);
        Ok(layout::Surface {
            ident: layout::IDENT,
            name: self.name,
            flags: self.flags,
            num_frames: count(self.frame_count as usize, "frames")?,
            num_shaders: count(self.shaders.len(), "shaders")?,
            num_verts: count(vertices, "vertices")?,
            num_triangles: count(self.triangles.len(), "triangles")?,
            ofs_triangles,
            ofs_shaders,
            ofs_st,
            ofs_xyznormal,
            ofs_end: field(offsets.end()),
        })
    }
}

/// The size of the largest file whose offsets fit their fields.
const MOST: u64 = i32::MAX.unsigned_abs() as u64;

/// An offset of at most [`MOST`].
const fn field(offset: u64) -> i32 {
    offset as i32
}

fn count(found: usize, what: &'static str) -> Result<i32> {
    i32::try_from(found).map_err(|_| CHECKS.limit(what, MOST, found))
}
