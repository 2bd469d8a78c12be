//! The locations of all parts of a model: plain data, checked against the length of the file, without the bytes.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

mod mesh;

use alloc::vec::Vec;
use core::ops::Range;

use meshlens_wire::Span;

use crate::header::Header;
use crate::layout;
use crate::tables::Tables;
pub(crate) use mesh::MeshSlot;
pub use mesh::{MeshParts, NormalEncoding};

/// The locations of all parts of a model.
///
/// A [`U3d`](crate::U3d) consists of its parts and its bytes. A streaming reader locates the parts from the header
/// bytes, and then fetches the spans that it needs.
#[derive(Clone, Debug)]
pub struct Parts {
    pub(crate) header: Header,
    /// All bytes of the file.
    pub(crate) file: Span,
    pub(crate) meshes: Vec<MeshParts>,
    /// The indices of the meshes, sorted by [`MeshParts::place`], and in file order where places are equal.
    pub(crate) by_place: Vec<u32>,
    /// The indices of the meshes of frame 0, in file order.
    pub(crate) first_frame: Vec<u32>,
    pub(crate) materials: Vec<MaterialParts>,
    pub(crate) bones: Vec<BoneParts>,
    pub(crate) actions: Option<ActionParts>,
    /// Where the last section of version 1.0 or the last chunk ends.
    pub(crate) end: u64,
}

impl Parts {
    /// The fields of the headers that describe the whole model.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The length of the file in bytes.
    pub const fn file_len(&self) -> u64 {
        self.file.count()
    }

    /// The meshes, in file order.
    pub fn meshes(&self) -> &[MeshParts] {
        &self.meshes
    }

    /// The indices of the meshes of frame 0, in file order.
    pub fn first_frame(&self) -> &[u32] {
        &self.first_frame
    }

    /// The materials sorted by number. Materials with equal numbers are in file order.
    pub fn materials(&self) -> &[MaterialParts] {
        &self.materials
    }

    /// The bones sorted by number. Bones with equal numbers are in file order.
    pub fn bones(&self) -> &[BoneParts] {
        &self.bones
    }

    /// The records of all actions, which differ in size, as elements of one byte; `None` if there are no actions.
    pub const fn actions(&self) -> Option<Span> {
        match self.actions {
            Some(actions) => Some(actions.records),
            None => None,
        }
    }

    /// The absolute offset after the last section or chunk. Bytes after it belong to no part.
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// The offset, the end of the documented fields, and the end of each mesh, material and bone.
    pub(crate) fn sections(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        let meshes = self.meshes.iter().map(|mesh| (mesh.offset, mesh.used, mesh.end));
        let materials = self.materials.iter().map(|material| (material.offset, material.used, material.end));
        let bones = self.bones.iter().map(|bone| (bone.offset, bone.used, bone.end));
        meshes.chain(materials).chain(bones)
    }

    /// The index of the first mesh in file order with this level of detail, number in its frame, and frame. O(log
    /// meshes).
    pub fn mesh_at(&self, lod_index: u32, mesh_in_frame: u32, frame: u32) -> Option<usize> {
        self.find_mesh((Some(lod_index), mesh_in_frame, frame))
    }

    /// The index of the first mesh at this place. O(log meshes).
    pub(crate) fn find_mesh(&self, place: MeshSlot) -> Option<usize> {
        let place_of = |index: &u32| self.meshes.get(*index as usize).map(MeshParts::place);
        let at = self.by_place.partition_point(|index| place_of(index) < Some(place));
        let index = self.by_place.get(at).filter(|index| place_of(index) == Some(place))?;
        Some(*index as usize)
    }
}

/// The locations of the parts of one material, and its fields of fixed size.
#[derive(Clone, Copy, Debug)]
pub struct MaterialParts {
    pub(crate) offset: u64,
    pub(crate) end: u64,
    /// Absolute end of the documented fields.
    pub(crate) used: u64,
    pub(crate) name: Span,
    pub(crate) index: u32,
    pub(crate) colors: layout::Colors,
    pub(crate) stages: layout::Stages,
    /// The fields of one version only.
    pub(crate) version: MaterialVersion,
    pub(crate) content: MaterialContent,
    /// The body of the shader pack.
    pub(crate) shader_pack: Option<Span>,
}

/// The fields of a material that only one version has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MaterialVersion {
    V1 { texture_count: u16 },
    V2 { depth: f32, parallax_quality: f32 },
}

/// The content after the texture stages of a material.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MaterialContent {
    /// The records of eight textures.
    Textures(Span),
    /// Version 1.0: bytes that are not documented.
    Opaque(Span),
}

impl MaterialParts {
    /// The bytes of the eight texture records; `None` if the material is opaque.
    pub const fn textures(&self) -> Option<Span> {
        match self.content {
            MaterialContent::Textures(span) => Some(span),
            MaterialContent::Opaque(_) => None,
        }
    }

    /// The undocumented bytes after the texture stages; `None` unless the material is opaque.
    pub const fn opaque(&self) -> Option<Span> {
        match self.content {
            MaterialContent::Textures(_) => None,
            MaterialContent::Opaque(span) => Some(span),
        }
    }

    /// The bytes of the shader pack; `None` if there is none.
    pub const fn shader_pack(&self) -> Option<Span> {
        self.shader_pack
    }
}

/// The locations of the parts of one bone.
#[derive(Clone, Debug)]
pub struct BoneParts {
    pub(crate) offset: u64,
    pub(crate) end: u64,
    /// Absolute end of the documented fields.
    pub(crate) used: u64,
    pub(crate) name: Span,
    /// In the order of the getters: meshes, matrices, and the three kinds of keys.
    pub(crate) tables: Tables,
    pub(crate) index: u32,
    pub(crate) parent: Option<u32>,
    pub(crate) bone_frame: f32,
    pub(crate) pass_on: bool,
}

/// The sizes of scaling, translation and rotation keys in bytes.
pub(crate) const KEY_SIZES: [u32; 3] =
    [layout::VECTOR_KEY_SIZE, layout::VECTOR_KEY_SIZE, layout::ROTATION_KEY_SIZE];
/// The names of the kinds of keys in errors.
pub(crate) const KEY_NAMES: [&str; 3] = ["scaling keys", "translation keys", "rotation keys"];

impl BoneParts {
    /// The indices of the meshes appended to the bone, of 16 bits in version 1.0 and 32 in version 2.0.
    pub fn meshes(&self) -> Span {
        self.tables.get(0)
    }

    /// The mesh to bone space matrix of each appended mesh.
    pub fn matrices(&self) -> Span {
        self.tables.get(1)
    }

    /// The scaling keys.
    pub fn scaling_keys(&self) -> Span {
        self.tables.get(2)
    }

    /// The translation keys.
    pub fn translation_keys(&self) -> Span {
        self.tables.get(3)
    }

    /// The rotation keys.
    pub fn rotation_keys(&self) -> Span {
        self.tables.get(4)
    }
}

/// The locations of the actions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActionParts {
    /// The bytes of all records.
    pub(crate) records: Span,
    pub(crate) count: u32,
    /// Absolute end of the documented fields.
    pub(crate) used: u64,
}

/// The getters of the fields that every chunk has.
macro_rules! chunk_getters {
    ($($parts:ident)*) => {$(
        impl $parts {
            /// The absolute offset of the chunk.
            pub const fn offset(&self) -> u64 {
                self.offset
            }

            /// The absolute byte range of the chunk.
            pub const fn byte_range(&self) -> Range<u64> {
                self.offset..self.end
            }

            /// The name, without its NUL.
            pub const fn name(&self) -> Span {
                self.name
            }
        }
    )*};
}

chunk_getters!(MeshParts MaterialParts BoneParts);
