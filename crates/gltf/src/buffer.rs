//! The buffer of the file: a list of contents, which is written from front to back. The buffer is never in memory as a
//! whole.

use std::io::{self, Write};

use meshlens::model::ImageBytes;

use crate::shape::{Scratch, Shape, ShapeValues, to_i8};

/// The content of a range of the buffer.
#[derive(Clone)]
pub(crate) enum Content {
    /// Encoded bytes.
    Bytes(Vec<u8>),
    /// Bytes that have other owners, too.
    Shared(ImageBytes),
    /// Zeros up to the next multiple of four.
    Padding(usize),
    /// The indices of a submesh's triangles, of 16 bits, or 32 if they are `wide`.
    Indices { shape: usize, submesh: usize, wide: bool },
    /// The vectors of a frame.
    Vectors { wanted: ShapeValues, form: Form },
    /// Texture coordinates: floats, two normalized integers of 16 bits, or two normalized bytes and two of padding.
    Texcoords { shape: usize, set: usize, size: usize },
}

/// The encoding of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// Three floats.
    F32,
    /// Three 16-bit integers and two bytes of padding.
    I16,
    /// Three normalized bytes and one byte of padding.
    I8,
    /// Three floats that are multiples of [`STEP`].
    Steps,
}

/// The step of displacements of normals that are bytes. Bytes store -1 to 1, and a displacement is up to 2: it is stored as
/// floats, which are rounded to multiples of this step.
pub(crate) const STEP: f32 = 1.0 / 128.0;

impl Form {
    pub(crate) const fn stride(self) -> usize {
        match self {
            Form::F32 | Form::Steps => 12,
            Form::I16 => 8,
            Form::I8 => 4,
        }
    }

    /// Writes vectors.
    fn write(self, values: &mut [[f32; 3]], bytes: &mut Vec<u8>, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Form::F32 => return write_floats(values.as_flattened(), bytes, out),
            Form::Steps => {
                for value in values.as_flattened_mut() {
                    // The compressed form has no negative zero.
                    *value = (*value / STEP).round() * STEP + 0.0;
                }
                return write_floats(values.as_flattened(), bytes, out);
            }
            Form::I16 => {
                for [x, y, z] in values.iter() {
                    bytes.extend([*x, *y, *z, 0.0].into_iter().flat_map(|axis| (axis as i16).to_le_bytes()));
                }
            }
            Form::I8 => {
                for [x, y, z] in values.iter() {
                    bytes.extend([to_i8(*x) as u8, to_i8(*y) as u8, to_i8(*z) as u8, 0]);
                }
            }
        }
        out.write_all(bytes)
    }
}

/// The contents, and their size in bytes.
#[derive(Default)]
pub(crate) struct Plan {
    contents: Vec<Content>,
    len: u64,
}

impl Plan {
    pub(crate) const fn len(&self) -> u64 {
        self.len
    }

    /// Adds a content of `len` bytes. Returns its offset.
    pub(crate) fn push(&mut self, content: Content, len: u64) -> u64 {
        let offset = self.len;
        self.contents.push(content);
        self.len += len;
        offset
    }

    /// Pads the buffer to a multiple of four bytes.
    pub(crate) fn align(&mut self) {
        let padding = self.len.next_multiple_of(4) - self.len;
        if padding > 0 {
            self.push(Content::Padding(padding as usize), padding);
        }
    }

    /// The number of contents.
    pub(crate) const fn contents(&self) -> usize {
        self.contents.len()
    }

    pub(crate) fn content(&self, place: usize) -> Option<&Content> {
        self.contents.get(place)
    }

    /// Writes all contents.
    pub(crate) fn write(
        &self,
        shapes: &[Shape<'_, '_>],
        scratch: &mut Scratch,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.contents.iter().try_for_each(|content| content.write(shapes, scratch, out))
    }
}

impl Content {
    /// Writes the bytes of a content.
    pub(crate) fn write(
        &self,
        shapes: &[Shape<'_, '_>],
        scratch: &mut Scratch,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        // Small elements are collected here before they are written.
        let mut bytes = std::mem::take(&mut scratch.bytes);
        bytes.clear();
        match self {
            Content::Bytes(bytes) => out.write_all(bytes)?,
            Content::Shared(bytes) => out.write_all(bytes)?,
            Content::Padding(count) => out.write_all(&[0; 4][..*count])?,
            Content::Indices { shape, submesh, wide } => {
                let shape = &shapes[*shape];
                let submesh = &shape.topology.submeshes()[*submesh];
                let triangles = shape.topology.submesh_triangles(submesh).iter();
                for index in triangles.flat_map(|corners| shape.corners(*corners)) {
                    if *wide {
                        bytes.extend(index.to_le_bytes());
                    } else {
                        bytes.extend((index as u16).to_le_bytes());
                    }
                }
                out.write_all(&bytes)?;
            }
            Content::Texcoords { shape, set, size: 1 } => {
                for pair in shapes[*shape].texcoords(*set, scratch).map_err(io::Error::other)? {
                    let [s, t] = pair.map(|value| (value * 255.0).round() as u8);
                    bytes.extend([s, t, 0, 0]);
                }
                out.write_all(&bytes)?;
            }
            Content::Texcoords { shape, set, size: 2 } => {
                for pair in shapes[*shape].texcoords(*set, scratch).map_err(io::Error::other)? {
                    let integers = pair.map(|value| (value * f32::from(u16::MAX)).round() as u16);
                    bytes.extend(integers.map(u16::to_le_bytes).as_flattened());
                }
                out.write_all(&bytes)?;
            }
            Content::Texcoords { shape, set, .. } => {
                let pairs = shapes[*shape].texcoords(*set, scratch).map_err(io::Error::other)?;
                write_floats(pairs.as_flattened(), &mut bytes, out)?;
            }
            Content::Vectors { wanted, form } => {
                let values = shapes[wanted.shape].values(*wanted, scratch).map_err(io::Error::other)?;
                form.write(values, &mut bytes, out)?;
            }
        }
        scratch.bytes = bytes;
        Ok(())
    }
}

/// Writes floats in little-endian order, on little-endian machines without a copy.
fn write_floats(values: &[f32], bytes: &mut Vec<u8>, out: &mut dyn Write) -> io::Result<()> {
    if cfg!(target_endian = "little") {
        return out.write_all(bytemuck::cast_slice(values));
    }
    bytes.clear();
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    out.write_all(bytes)
}
