//! The sections of a file as they lie, for tools that show its structure.

use meshlens_wire::{Chunk, Chunks, Cursor, Data, Limits, Name};

use crate::U3d;
use crate::layout::{self, STAGES, v1, v2};

/// A chunk of version 2.0, or a section of version 1.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    /// How many chunks lie around it.
    pub depth: u32,
    /// The identifier, without its NUL.
    pub identifier: Name<'a>,
    /// Absolute offset of the identifier.
    pub offset: u64,
    /// Bytes from there to the end, with identifier and size.
    pub size: u64,
    /// Bytes behind identifier and size.
    pub body_size: u64,
}

impl<'a> Section<'a> {
    fn of_chunk(chunk: &Chunk<'a>) -> Self {
        Section {
            depth: chunk.depth(),
            identifier: chunk.identifier(),
            offset: chunk.offset(),
            size: chunk.end().saturating_sub(chunk.offset()),
            body_size: chunk.body().count(),
        }
    }

    /// Absolute end.
    pub const fn end(&self) -> u64 {
        self.offset.saturating_add(self.size)
    }

    /// Absolute offset of what lies behind identifier and size.
    pub const fn body_offset(&self) -> u64 {
        self.end().saturating_sub(self.body_size)
    }

    /// Whether the documents describe a chunk of this kind.
    pub fn is_known(&self) -> bool {
        KNOWN.iter().any(|known| self.identifier == *known)
    }

    /// Whether the identifier is one that the document leaves to other programs.
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

/// The sections of a file, one after another, a chunk before those inside it.
#[derive(Clone, Debug)]
pub struct Sections<'d, 'a> {
    u3d: &'d U3d<'a>,
    walk: Walk<'a>,
}

#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one of them, on the stack")]
enum Walk<'a> {
    /// The number of the next section: the header, then meshes, materials, bones.
    V1(usize),
    V2 {
        top: Chunks<'a>,
        inside: Option<Inside<'a>>,
        meshes: usize,
    },
}

/// Chunks inside another, of which the next `left` are to be given.
#[derive(Clone, Debug)]
struct Inside<'a> {
    chunk: Chunk<'a>,
    chunks: Chunks<'a>,
    left: usize,
    /// Whether a shader pack may follow, behind a byte that says so.
    shader_pack: bool,
}

impl<'d, 'a> Sections<'d, 'a> {
    pub(crate) fn new(u3d: &'d U3d<'a>) -> Self {
        let top = Chunks::new(u3d.data(), 0, &Limits::DEFAULT);
        let walk =
            if u3d.version().is_v1() { Walk::V1(0) } else { Walk::V2 { top, inside: None, meshes: 0 } };
        Sections { u3d, walk }
    }
}

impl<'a> Iterator for Sections<'_, 'a> {
    type Item = Section<'a>;

    fn next(&mut self) -> Option<Section<'a>> {
        match &mut self.walk {
            Walk::V1(next) => {
                let section = section_v1(self.u3d, *next);
                *next = next.saturating_add(1);
                section
            }
            Walk::V2 { top, inside, meshes } => {
                if let Some(chunk) = inside.as_mut().and_then(|inside| inside.next(self.u3d.data())) {
                    return Some(Section::of_chunk(&chunk));
                }
                let chunk = top.next()?.ok()?;
                *inside = Inside::of(self.u3d, top, &chunk, *meshes);
                if chunk.identifier() == v2::MESH {
                    *meshes = meshes.saturating_add(1);
                }
                Some(Section::of_chunk(&chunk))
            }
        }
    }
}

impl<'a> Inside<'a> {
    /// The chunks inside a chunk of the top level, of which `mesh` is the number if it is a mesh.
    fn of(u3d: &U3d<'a>, top: &Chunks<'a>, chunk: &Chunk<'a>, mesh: usize) -> Option<Self> {
        let (offset, left, shader_pack) = if chunk.identifier() == v2::MODEL_HEADER {
            (u3d.header().shader_pack, 1, false)
        } else if chunk.identifier() == v2::MESH {
            let parts = u3d.parts().meshes().get(mesh).filter(|parts| parts.shadow > 0)?;
            (parts.shadow.saturating_sub(SHADOW_HEADER), 1, false)
        } else if chunk.identifier() == v2::MATERIAL {
            let mut cursor = Cursor::at(u3d.data().within(chunk.end()), chunk.body().offset()).ok()?;
            cursor.u32("iMaterial").ok()?;
            cursor.nul_terminated("material name").ok()?;
            cursor.take(MATERIAL_FIELDS, "material").ok()?;
            (cursor.offset(), STAGES, true)
        } else {
            return None;
        };
        let chunks = top.inside(chunk, offset).ok()?;
        Some(Inside { chunk: *chunk, chunks, left, shader_pack })
    }

    fn next(&mut self, data: Data<'a>) -> Option<Chunk<'a>> {
        if self.left == 0 && self.shader_pack {
            self.shader_pack = false;
            let offset = self.chunks.offset();
            let exists = data.take(offset, 1, "ShaderPackExists").ok()?;
            self.left = usize::from(exists != [0]);
            self.chunks = self.chunks.inside(&self.chunk, offset.saturating_add(1)).ok()?;
        }
        self.left = self.left.checked_sub(1)?;
        self.chunks.next()?.ok()
    }
}

/// Bytes from the start of a shadow geometry chunk to its vertices: identifier, size, nVertex, nTriangle.
const SHADOW_HEADER: u64 = v2::SHADOW_GEOMETRY.len() as u64 + 1 + 4 + 8;
/// Bytes between a material's name and its textures.
const MATERIAL_FIELDS: u64 = (size_of::<layout::Colors>() + 8 + size_of::<layout::Stages>()) as u64;

fn section_v1<'a>(u3d: &U3d<'a>, number: usize) -> Option<Section<'a>> {
    let section = |identifier: &'static [u8], offset: u64, end: u64| {
        let size = end.saturating_sub(offset);
        let length = identifier.len() as u64;
        let name = Name::new(identifier.strip_suffix(b"\0").unwrap_or(identifier));
        Some(Section { depth: 0, identifier: name, offset, size, body_size: size.saturating_sub(length) })
    };
    let parts = u3d.parts();
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
