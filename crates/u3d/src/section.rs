//! The sections of a file in file order, for tools that show its structure.

use meshlens_wire::{Chunk, Chunks, Cursor, Data, Limits, Name, Record};

use crate::layout::{self, STAGES, v1, v2};
use crate::parts::Parts;

/// A chunk of version 2.0, or a section of version 1.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Section<'a> {
    /// The number of chunks that contain it.
    pub depth: u32,
    /// The identifier, without its NUL.
    pub identifier: Name<'a>,
    /// The absolute offset of the identifier.
    pub offset: u64,
    /// The size of the section in bytes, including its identifier and size field.
    pub size: u64,
    /// The number of bytes after the identifier and the size field.
    pub body_size: u64,
}

impl<'a> Section<'a> {
    fn of_chunk(chunk: &Chunk<'a>) -> Self {
        Section {
            depth: chunk.depth(),
            identifier: chunk.identifier(),
            offset: chunk.offset(),
            size: chunk.end() - chunk.offset(),
            body_size: chunk.body().count(),
        }
    }

    /// The absolute offset of the first byte after the section.
    pub const fn end(&self) -> u64 {
        self.offset + self.size
    }

    /// The absolute offset of the first byte after identifier and size field.
    pub const fn body_offset(&self) -> u64 {
        self.end() - self.body_size
    }

    /// Whether the documents describe sections of this kind.
    pub fn is_known(&self) -> bool {
        KNOWN.iter().any(|known| self.identifier == *known)
    }

    /// Whether the identifier is reserved for other programs.
    pub fn is_custom(&self) -> bool {
        self.identifier.raw().starts_with(v2::CUSTOM_PREFIX)
    }
}

const KNOWN: [&str; 11] = [
    "U3DModelFile",
    "$U3D_MAT",
    v2::FILE_HEADER,
    v2::MODEL_HEADER,
    v2::SHADER_PACK,
    v2::MESH,
    v2::SHADOW_GEOMETRY,
    v2::MATERIAL,
    v2::TEXTURE,
    v2::BONE,
    v2::ACTION_RANGE,
];

/// An iterator over the sections of a file, in file order. A chunk comes before the chunks inside it.
#[derive(Clone, Debug)]
pub struct Sections<'d, 'a> {
    data: Data<'a>,
    parts: &'d Parts,
    walk: Walk<'a>,
}

#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one of them, on the stack")]
enum Walk<'a> {
    /// The number of the next section; they are the header, meshes, materials and bones.
    V1(usize),
    V2 {
        top: Chunks<'a>,
        inside: Option<Inside<'a>>,
        meshes: usize,
    },
}

/// Chunks inside another chunk. `left` more of them are returned.
#[derive(Clone, Debug)]
struct Inside<'a> {
    chunk: Chunk<'a>,
    chunks: Chunks<'a>,
    left: usize,
    /// Whether the chunks are followed by a byte that is 1 if there is a shader pack.
    shader_pack: bool,
}

impl<'d, 'a> Sections<'d, 'a> {
    pub(crate) fn new(data: Data<'a>, parts: &'d Parts) -> Self {
        let top = Chunks::new(data, 0, &Limits::DEFAULT);
        let walk = if parts.header.version.is_v1() {
            Walk::V1(0)
        } else {
            Walk::V2 { top, inside: None, meshes: 0 }
        };
        Sections { data, parts, walk }
    }
}

impl<'a> Iterator for Sections<'_, 'a> {
    type Item = Section<'a>;

    fn next(&mut self) -> Option<Section<'a>> {
        match &mut self.walk {
            Walk::V1(next) => {
                let section = section_v1(self.parts, *next);
                *next += 1;
                section
            }
            Walk::V2 { top, inside, meshes } => {
                if let Some(chunk) = inside.as_mut().and_then(|inside| inside.next(self.data)) {
                    return Some(Section::of_chunk(&chunk));
                }
                // Parsing has walked the same chunks.
                let chunk = top.next()?.ok()?;
                *inside = Inside::of(self.data, self.parts, top, &chunk, *meshes);
                if chunk.identifier() == v2::MESH {
                    *meshes += 1;
                }
                Some(Section::of_chunk(&chunk))
            }
        }
    }
}

impl<'a> Inside<'a> {
    /// The chunks inside a chunk of the top level. `mesh` is the index of the mesh if the chunk is a mesh.
    fn of(data: Data<'a>, parts: &Parts, top: &Chunks<'a>, chunk: &Chunk<'a>, mesh: usize) -> Option<Self> {
        let (offset, left, shader_pack) = if chunk.identifier() == v2::MODEL_HEADER {
            let body = parts.header.shader_pack?;
            (body.offset().checked_sub(SHADER_PACK_HEADER)?, 1, false)
        } else if chunk.identifier() == v2::MESH {
            (parts.meshes().get(mesh)?.shadow?.get(), 1, false)
        } else if chunk.identifier() == v2::MATERIAL {
            // Parsing has read the same fields.
            let mut cursor = Cursor::at(data.within(chunk.end()), chunk.body().offset()).ok()?;
            cursor.u32("iMaterial").ok()?;
            cursor.nul_terminated("material name").ok()?;
            cursor.take(MATERIAL_FIELDS, "material").ok()?;
            (cursor.offset(), STAGES, true)
        } else {
            return None;
        };
        // Parsing has walked the same chunks.
        let chunks = top.inside(chunk, offset).ok()?;
        Some(Inside { chunk: *chunk, chunks, left, shader_pack })
    }

    fn next(&mut self, data: Data<'a>) -> Option<Chunk<'a>> {
        if self.left == 0 && self.shader_pack {
            self.shader_pack = false;
            let offset = self.chunks.offset();
            // Parsing has read the same fields.
            let exists = data.take(offset, 1, "ShaderPackExists").ok()?;
            self.left = usize::from(exists != [0]);
            self.chunks = self.chunks.inside(&self.chunk, offset + 1).ok()?;
        }
        self.left = self.left.checked_sub(1)?;
        self.chunks.next()?.ok()
    }
}

/// The size of the header of a shader pack chunk in bytes: identifier with NUL, and size field.
const SHADER_PACK_HEADER: u64 = v2::SHADER_PACK.len() as u64 + 1 + 4;
/// The number of bytes between the name of a material and its textures.
const MATERIAL_FIELDS: u64 = (layout::Colors::SIZE + 8 + layout::Stages::SIZE) as u64;

fn section_v1<'a>(parts: &Parts, number: usize) -> Option<Section<'a>> {
    let section = |identifier: &'static [u8], offset: u64, end: u64| {
        let size = end - offset;
        let length = identifier.len() as u64;
        let name = Name::new(identifier.strip_suffix(b"\0").unwrap_or(identifier));
        Some(Section { depth: 0, identifier: name, offset, size, body_size: size - length })
    };
    let Some(mesh) = number.checked_sub(1) else {
        return section(layout::V1_MAGIC, 0, parts.header().end);
    };
    let Some(material) = mesh.checked_sub(parts.meshes().len()) else {
        return parts.meshes().get(mesh).and_then(|mesh| section(v1::MESH, mesh.offset, mesh.end));
    };
    let Some(bone) = material.checked_sub(parts.materials().len()) else {
        let material = parts.materials().get(material);
        return material.and_then(|material| section(v1::MATERIAL, material.offset, material.end));
    };
    parts.bones().get(bone).and_then(|bone| section(v1::BONE, bone.offset, bone.end))
}
