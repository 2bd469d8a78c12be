//! The writer: plain arrays in, a canonical file out.
//!
//! Canonical means: blocks in the documented order without gaps (header, frames, tags, surfaces; in a surface:
//! shaders, triangles, texture coordinates, vertices), and nothing behind OFS_EOF. A canonical file read with
//! [`Md3::parse`] and written again is the same byte for byte.

use alloc::vec::Vec;

use meshlens_lens::encoding::{Md3Normal, Md3Position};
use meshlens_lens::{Bounds, Encode};
use meshlens_wire::{Error, ErrorKind, Expected, Name, Place, Result};
use zerocopy::IntoBytes;
use zerocopy::little_endian::{F32, I32};

use crate::layout::{self, Vertex};
use crate::{FORMAT, Md3};

/// A model as plain arrays. Names are whole fields, so that bytes behind their NUL survive a rewrite.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The model's name, usually its path in an archive.
    pub name: [u8; 64],
    /// Flags, written as they are.
    pub flags: i32,
    /// NUM_SKINS, written as it is; no skin block is.
    pub skin_count: u32,
    /// Write frames of 104 bytes, with names of 64, as some exporters do. Needs at least one frame.
    pub wide_frames: bool,
    /// The frames.
    pub frames: Vec<Frame>,
    /// The tags of frame 0, then those of frame 1, and so on: as many in each frame.
    pub tags: Vec<Tag>,
    /// Tags in each frame.
    pub tags_per_frame: u32,
    /// The surfaces.
    pub surfaces: Vec<Surface>,
}

/// One frame: its name and bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The name; only the first 16 bytes are written, unless [`Model::wide_frames`] says otherwise.
    pub name: [u8; 64],
    /// The box around all vertices; see [`Model::recompute_bounds`].
    pub bounds: Bounds,
    /// Centre of the bounding sphere.
    pub local_origin: [f32; 3],
    /// Radius of the bounding sphere.
    pub radius: f32,
}

/// One tag in one frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Tag {
    /// The name.
    pub name: [u8; 64],
    /// Where it is.
    pub origin: [f32; 3],
    /// Its local X, Y and Z axis, one row each.
    pub axis: [[f32; 3]; 3],
}

/// One surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The name.
    pub name: [u8; 64],
    /// Flags, written as they are.
    pub flags: i32,
    /// Frames of vertices.
    pub frame_count: u32,
    /// Name and index of each shader.
    pub shaders: Vec<([u8; 64], i32)>,
    /// Three vertex numbers each, clockwise.
    pub triangles: Vec<[u32; 3]>,
    /// One for each vertex of a frame.
    pub texcoords: Vec<[f32; 2]>,
    /// The vertices of frame 0, then those of frame 1, and so on, as they are stored.
    pub vertices: Vec<Vertex>,
}

/// A name as a field of 64 bytes, padded with NULs.
///
/// # Errors
///
/// A name that leaves no room for its NUL, or holds one.
pub fn name(text: &str) -> Result<[u8; 64]> {
    let mut field = [0; 64];
    let found = text.len();
    if found >= field.len() || text.contains('\0') {
        let expected = Expected::Text("at most 63 bytes and no NUL");
        return Err(error(ErrorKind::Value { what: "name length", expected, found: to_i64(found) }));
    }
    for (to, from) in field.iter_mut().zip(text.bytes()) {
        *to = from;
    }
    Ok(field)
}

fn to_i64(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// An error of the writer; there is no file yet, so its offset is that of the output so far.
fn error(kind: ErrorKind) -> Error {
    Error::new(FORMAT, 0, kind)
}

fn mismatch(what: &'static str, expected: usize, found: usize) -> Error {
    error(ErrorKind::Value { what, expected: Expected::Exactly(to_i64(expected)), found: to_i64(found) })
}

impl Frame {
    /// A frame of this name around nothing.
    ///
    /// # Errors
    ///
    /// A name that does not fit, as [`name`] says.
    pub fn named(text: &str) -> Result<Self> {
        Ok(Frame { name: name(text)?, bounds: Bounds::default(), local_origin: [0.0; 3], radius: 0.0 })
    }
}

impl Surface {
    /// A surface of this name without content.
    ///
    /// # Errors
    ///
    /// A name that does not fit, as [`name`] says.
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
    /// A name that does not fit, as [`name`] says.
    pub fn add_shader(&mut self, text: &str) -> Result<()> {
        self.shaders.push((name(text)?, 0));
        Ok(())
    }

    /// Adds a frame of vertices, encoded as [`Md3Position`] and [`Md3Normal`] say: positions are rounded to 1/64 and
    /// stop at -512 and 511.984375, normals need not have length 1.
    ///
    /// # Errors
    ///
    /// Arrays of different lengths, or not one element for each texture coordinate.
    pub fn add_frame(&mut self, positions: &[[f32; 3]], normals: &[[f32; 3]]) -> Result<()> {
        if positions.len() != self.texcoords.len() {
            return Err(mismatch("positions of the frame", self.texcoords.len(), positions.len()));
        }
        if normals.len() != positions.len() {
            return Err(mismatch("normals of the frame", positions.len(), normals.len()));
        }
        self.vertices.extend(positions.iter().zip(normals).map(|(position, normal)| Vertex {
            coord: Md3Position.encode(*position),
            normal: Md3Normal.encode(*normal),
        }));
        self.frame_count = self.frame_count.saturating_add(1);
        Ok(())
    }

    /// The vertices of one frame; empty past the last.
    pub fn frame(&self, frame: usize) -> &[Vertex] {
        let count = self.texcoords.len();
        let start = frame.saturating_mul(count);
        self.vertices.get(start..start.saturating_add(count)).unwrap_or_default()
    }
}

impl Model {
    /// A model of this name without content.
    ///
    /// # Errors
    ///
    /// A name that does not fit, as [`name`] says.
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

    /// Sets the bounds of each frame to those of its vertices as they are stored, and its radius to the distance of
    /// the farthest corner from its origin. Frames without vertices keep theirs.
    pub fn recompute_bounds(&mut self) {
        for (index, frame) in self.frames.iter_mut().enumerate() {
            let vertices = self.surfaces.iter().flat_map(|surface| surface.frame(index));
            let positions =
                vertices.map(|vertex| meshlens_lens::Encoding::decode(&Md3Position, vertex.coord));
            if let Some(bounds) = Bounds::around(positions) {
                frame.bounds = bounds;
                frame.radius = bounds.radius_from(frame.local_origin);
            }
        }
    }

    /// The canonical file.
    ///
    /// # Errors
    ///
    /// Arrays whose lengths disagree, a vertex number past the vertices, or a file past the 2 GiB its offsets can
    /// speak of. The MD3_MAX_* numbers are no limits here: `validate` reports them.
    pub fn write(&self) -> Result<Vec<u8>> {
        let tags =
            self.frames.len().saturating_mul(usize::try_from(self.tags_per_frame).unwrap_or(usize::MAX));
        if self.tags.len() != tags {
            return Err(mismatch("tags", tags, self.tags.len()));
        }
        if self.wide_frames && self.frames.is_empty() {
            return Err(mismatch("frames for wide names", 1, 0));
        }
        let frame_name = if self.wide_frames { 64 } else { 16 };
        let frame_size = size_of::<layout::Frame>().saturating_add(frame_name);
        let mut end = Offset(0);
        end.add(1, size_of::<layout::Header>())?;
        let ofs_frames = end.field();
        end.add(self.frames.len(), frame_size)?;
        let ofs_tags = end.field();
        end.add(self.tags.len(), size_of::<layout::Tag>())?;
        let ofs_surfaces = end.field();
        let mut headers = Vec::with_capacity(self.surfaces.len());
        for (index, surface) in (0u64..).zip(&self.surfaces) {
            let place = |error: Error| error.at(Place::new("surface", index));
            let header = surface.header().map_err(place)?;
            // No byte would stand behind such a number, so readers refuse it.
            if surface.texcoords.is_empty() && i64::from(surface.frame_count) > to_i64(self.frames.len()) {
                let expected = Expected::AtMost(to_i64(self.frames.len()));
                let found = surface.frame_count.into();
                return Err(place(error(ErrorKind::Value { what: "NUM_FRAMES", expected, found })));
            }
            end.add(1, usize::try_from(header.ofs_end.get()).unwrap_or(usize::MAX))?;
            headers.push(header);
        }
        let header = layout::Header {
            ident: layout::IDENT,
            version: I32::new(layout::VERSION),
            name: self.name,
            flags: I32::new(self.flags),
            num_frames: count(self.frames.len(), "frames")?,
            num_tags: count(usize::try_from(self.tags_per_frame).unwrap_or(usize::MAX), "tags")?,
            num_surfaces: count(self.surfaces.len(), "surfaces")?,
            num_skins: count(usize::try_from(self.skin_count).unwrap_or(usize::MAX), "skins")?,
            ofs_frames,
            ofs_tags,
            ofs_surfaces,
            ofs_eof: end.field(),
        };

        let mut out = Vec::with_capacity(usize::try_from(end.0).unwrap_or_default());
        out.extend(header.as_bytes());
        for frame in &self.frames {
            let record = layout::Frame {
                min_bounds: frame.bounds.min.map(F32::new),
                max_bounds: frame.bounds.max.map(F32::new),
                local_origin: frame.local_origin.map(F32::new),
                radius: F32::new(frame.radius),
            };
            out.extend(record.as_bytes());
            out.extend(frame.name.get(..frame_name).unwrap_or_default());
        }
        for tag in &self.tags {
            let axis = tag.axis.map(|row| row.map(F32::new));
            out.extend(layout::Tag { name: tag.name, origin: tag.origin.map(F32::new), axis }.as_bytes());
        }
        for (surface, header) in self.surfaces.iter().zip(headers) {
            out.extend(header.as_bytes());
            for (name, index) in &surface.shaders {
                out.extend(layout::Shader { name: *name, shader_index: I32::new(*index) }.as_bytes());
            }
            out.extend(surface.triangles.as_flattened().iter().flat_map(|index| index.to_le_bytes()));
            out.extend(surface.texcoords.as_flattened().iter().flat_map(|value| value.to_le_bytes()));
            out.extend(surface.vertices.as_bytes());
        }
        Ok(out)
    }
}

impl Surface {
    fn header(&self) -> Result<layout::Surface> {
        let vertices = self.texcoords.len();
        let frames = usize::try_from(self.frame_count).unwrap_or(usize::MAX);
        if self.vertices.len() != vertices.saturating_mul(frames) {
            return Err(mismatch(
                "vertices of all frames",
                vertices.saturating_mul(frames),
                self.vertices.len(),
            ));
        }
        let past = self.triangles.as_flattened().iter().find(|index| **index as usize >= vertices);
        if let Some(index) = past {
            let (index, count) = (i64::from(*index), vertices as u64);
            return Err(error(ErrorKind::Index { what: "vertex", index, count }));
        }
        let mut end = Offset(0);
        end.add(1, size_of::<layout::Surface>())?;
        let ofs_shaders = end.field();
        end.add(self.shaders.len(), size_of::<layout::Shader>())?;
        let ofs_triangles = end.field();
        end.add(self.triangles.len(), layout::TRIANGLE_SIZE as usize)?;
        let ofs_st = end.field();
        end.add(self.texcoords.len(), layout::TEXCOORD_SIZE as usize)?;
        let ofs_xyznormal = end.field();
        end.add(self.vertices.len(), size_of::<Vertex>())?;
        Ok(layout::Surface {
            ident: layout::IDENT,
            name: self.name,
            flags: I32::new(self.flags),
            num_frames: count(frames, "frames")?,
            num_shaders: count(self.shaders.len(), "shaders")?,
            num_verts: count(vertices, "vertices")?,
            num_triangles: count(self.triangles.len(), "triangles")?,
            ofs_triangles,
            ofs_shaders,
            ofs_st,
            ofs_xyznormal,
            ofs_end: end.field(),
        })
    }
}

/// A position in the file to be, which its `i32` fields must be able to name.
struct Offset(i32);

impl Offset {
    fn add(&mut self, count: usize, size: usize) -> Result<()> {
        let next = count
            .checked_mul(size)
            .and_then(|bytes| i32::try_from(bytes).ok())
            .and_then(|bytes| self.0.checked_add(bytes));
        self.0 = next.ok_or_else(|| {
            let found =
                (count as u64).saturating_mul(size as u64).saturating_add(u64::from(self.0.unsigned_abs()));
            error(ErrorKind::Limit {
                what: "bytes of the file",
                limit: i32::MAX.unsigned_abs().into(),
                found,
            })
        })?;
        Ok(())
    }

    const fn field(&self) -> I32 {
        I32::new(self.0)
    }
}

fn count(value: usize, what: &'static str) -> Result<I32> {
    i32::try_from(value).map(I32::new).map_err(|_| {
        error(ErrorKind::Limit { what, limit: i32::MAX.unsigned_abs().into(), found: value as u64 })
    })
}

impl TryFrom<&Md3<'_>> for Model {
    type Error = Error;

    /// Copies a model out of its file, names with the bytes behind their NUL, vertices as they are stored.
    ///
    /// # Errors
    ///
    /// A triangle that names no vertex.
    fn try_from(md3: &Md3<'_>) -> Result<Self> {
        let frames = md3.frames().map(|frame| Frame {
            name: field(frame.name),
            bounds: frame.bounds,
            local_origin: frame.local_origin,
            radius: frame.radius,
        });
        let tags = (0..md3.frame_count()).flat_map(|frame| md3.tags(frame)).map(|tag| Tag {
            name: field(tag.name),
            origin: tag.origin,
            axis: tag.axis,
        });
        let surfaces = md3.surfaces().map(|surface| {
            let vertices = (0..surface.frame_count()).filter_map(|frame| surface.vertex_bytes(frame).ok());
            let vertices = vertices.flat_map(|bytes| {
                <[Vertex] as zerocopy::FromBytes>::ref_from_bytes(bytes).unwrap_or_default()
            });
            Ok(Surface {
                name: field(surface.name()),
                flags: surface.flags(),
                frame_count: u32::try_from(surface.frame_count()).unwrap_or(u32::MAX),
                shaders: surface.shaders().map(|shader| (field(shader.name), shader.index)).collect(),
                triangles: surface.checked_triangles()?.iter().collect(),
                texcoords: surface.texcoords().iter().collect(),
                vertices: vertices.copied().collect(),
            })
        });
        Ok(Model {
            name: field(md3.name()),
            flags: md3.flags(),
            skin_count: md3.skin_count(),
            wide_frames: md3.has_wide_frames(),
            frames: frames.collect(),
            tags: tags.collect(),
            tags_per_frame: u32::try_from(md3.tag_count()).unwrap_or(u32::MAX),
            surfaces: surfaces.collect::<Result<_>>()?,
        })
    }
}

/// A name's whole field, padded to 64 bytes.
fn field(name: Name<'_>) -> [u8; 64] {
    let mut field = [0; 64];
    for (to, from) in field.iter_mut().zip(name.raw()) {
        *to = *from;
    }
    field
}
