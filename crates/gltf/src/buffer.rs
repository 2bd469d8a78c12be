//! The one buffer of the file: planned as a list of contents, then written from front to back without ever being whole in
//! memory.

use std::io::{self, Write};

use crate::shape::{Scratch, Shape, Wanted, to_i8};

/// What lies in one stretch of the buffer.
pub(crate) enum Content {
    /// Small things, ready.
    Bytes(Vec<u8>),
    /// Zeros up to the next multiple of four.
    Padding(usize),
    /// The vertex numbers of a part's triangles.
    Indices { shape: usize, part: usize, wide: bool },
    /// Vectors of a frame.
    Vectors { wanted: Wanted, form: Form },
    /// The positions of the base frame as they lie in the file, 8 bytes each.
    Raw { shape: usize },
    /// Texture coordinates.
    Texcoords { shape: usize, set: usize },
}

/// How a vector is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Three floats.
    F32,
    /// Three 16-bit integers and two bytes of padding.
    I16,
    /// Three normalised bytes and one of padding.
    I8,
}

impl Form {
    pub(crate) const fn stride(self) -> usize {
        match self {
            Form::F32 => 12,
            Form::I16 => 8,
            Form::I8 => 4,
        }
    }
}

/// The contents, and how long they are together.
#[derive(Default)]
pub(crate) struct Plan {
    contents: Vec<Content>,
    len: u64,
}

impl Plan {
    pub(crate) const fn len(&self) -> u64 {
        self.len
    }

    /// Adds `len` bytes and says where they begin.
    pub(crate) fn push(&mut self, content: Content, len: u64) -> u64 {
        let offset = self.len;
        self.contents.push(content);
        self.len += len;
        offset
    }

    /// Fills up to a multiple of four.
    pub(crate) fn align(&mut self) {
        let padding = self.len.next_multiple_of(4) - self.len;
        if padding > 0 {
            self.push(Content::Padding(padding as usize), padding);
        }
    }

    /// Writes everything.
    pub(crate) fn write(
        &self,
        shapes: &[Shape<'_, '_>],
        scratch: &mut Scratch,
        out: &mut impl Write,
    ) -> io::Result<()> {
        // Small elements are put together here before they go out.
        let mut bytes = Vec::new();
        for content in &self.contents {
            match content {
                Content::Bytes(bytes) => out.write_all(bytes)?,
                Content::Padding(count) => out.write_all(&[0; 4][..*count])?,
                Content::Raw { shape } => {
                    let shape = &shapes[*shape];
                    let positions =
                        shape.mesh.positions(shape.clamp(shape.base)).map_err(io::Error::other)?;
                    out.write_all(positions.as_bytes())?;
                    // The window ends with the last position, without the two bytes of its normal.
                    out.write_all(&[0; 2])?;
                }
                Content::Indices { shape, part, wide } => {
                    let Shape { topology, conversion, .. } = &shapes[*shape];
                    bytes.clear();
                    let triangles = topology.part_triangles(&topology.parts()[*part]).iter();
                    for index in triangles.flat_map(|corners| conversion.corners(*corners)) {
                        if *wide {
                            bytes.extend(index.to_le_bytes());
                        } else {
                            bytes.extend((index as u16).to_le_bytes());
                        }
                    }
                    out.write_all(&bytes)?;
                }
                Content::Texcoords { shape, set } => {
                    write_floats(shapes[*shape].texcoords(*set, scratch).as_flattened(), &mut bytes, out)?;
                }
                Content::Vectors { wanted, form } => {
                    let values = shapes[wanted.shape].values(*wanted, scratch).map_err(io::Error::other)?;
                    match form {
                        Form::F32 => write_floats(values.as_flattened(), &mut bytes, out)?,
                        Form::I16 => {
                            bytes.clear();
                            for [x, y, z] in values.iter() {
                                let [[a, b], [c, d], [e, f]] =
                                    [x, y, z].map(|axis| (*axis as i16).to_le_bytes());
                                bytes.extend([a, b, c, d, e, f, 0, 0]);
                            }
                            out.write_all(&bytes)?;
                        }
                        Form::I8 => {
                            bytes.clear();
                            for [x, y, z] in values.iter() {
                                let [x, y, z] = [x, y, z].map(|axis| to_i8(*axis) as u8);
                                bytes.extend([x, y, z, 0]);
                            }
                            out.write_all(&bytes)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Floats as they are on a little-endian machine, without a copy there.
fn write_floats(values: &[f32], bytes: &mut Vec<u8>, out: &mut impl Write) -> io::Result<()> {
    if cfg!(target_endian = "little") {
        return out.write_all(bytemuck::cast_slice(values));
    }
    bytes.clear();
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    out.write_all(bytes)
}
