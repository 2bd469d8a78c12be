//! Where every part of a model lies: plain data, proven against the length of the file, bound to no bytes.

use alloc::vec::Vec;

use meshlens_wire::{Cursor, Data, Limits, Result, Span};

use crate::header::{FileHeader, Header, Version};
use crate::layout::{self, MATRIX_SIZE, POSITION_SIZE, ROTATION_KEY_SIZE, STAGES, VECTOR_KEY_SIZE};
use crate::{FORMAT, v1, v2};

/// No level of detail, no mesh.
pub(crate) const NONE: u32 = u32::MAX;

/// Where every part of a model lies.
///
/// [`U3d`](crate::U3d) is this plus the bytes. A streaming reader locates from the header bytes it has and fetches
/// the spans it wants.
#[derive(Clone, Debug)]
pub struct Parts {
    pub(crate) header: Header,
    pub(crate) file_len: u64,
    pub(crate) meshes: Vec<MeshParts>,
    /// The numbers of the meshes, by level of detail, mesh in the frame, frame, and number.
    pub(crate) by_key: Vec<u32>,
    pub(crate) materials: Vec<MaterialParts>,
    pub(crate) bones: Vec<BoneParts>,
    pub(crate) actions: ActionParts,
    /// Where the last section of version 1.0 ends, or the last chunk.
    pub(crate) end: u64,
}

impl Parts {
    /// Locates the parts of a file of `file_len` bytes, of which `prefix` holds the first.
    ///
    /// Reads headers and the small fields between arrays, steps over arrays, and allocates one entry for each mesh,
    /// material and bone. Variable-size records (texture paths, actions) are walked once, without an entry for each.
    ///
    /// # Errors
    ///
    /// As [`U3d::parse`](crate::U3d::parse); [`Incomplete`](meshlens_wire::ErrorKind::Incomplete) where a field lies
    /// behind the prefix, which says how many bytes to come back with.
    pub fn locate(prefix: &[u8], file_len: u64, limits: &Limits) -> Result<Parts> {
        Self::locate_in(Data::prefix(FORMAT, prefix, file_len), limits)
    }

    pub(crate) fn locate_in(data: Data<'_>, limits: &Limits) -> Result<Parts> {
        let file = FileHeader::read_in(data)?;
        file.check_readable(data)?;
        match file.version {
            Version::V1 => v1::locate(data, limits),
            Version::V2 { .. } => v2::locate(data, &file, limits),
        }
    }

    /// What the headers say of the whole model.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The meshes, in file order.
    pub fn meshes(&self) -> &[MeshParts] {
        &self.meshes
    }

    /// The materials, by number, and in file order where numbers are equal.
    pub fn materials(&self) -> &[MaterialParts] {
        &self.materials
    }

    /// The bones, by number, and in file order where numbers are equal.
    pub fn bones(&self) -> &[BoneParts] {
        &self.bones
    }

    /// Sorts what is found by number, and resolves what meshes borrow from each other. O(n log n).
    pub(crate) fn finish(&mut self) {
        self.materials.sort_unstable_by_key(|material| (material.index, material.offset));
        self.bones.sort_unstable_by_key(|bone| (bone.index, bone.offset));
        let is_v1 = self.header.version.is_v1();
        let count = u32::try_from(self.meshes.len()).unwrap_or(NONE);
        let mut order: Vec<u32> = (0..count).collect();
        let mesh =
            |meshes: &[MeshParts], number: u32| meshes.get(number as usize).copied().unwrap_or_default();
        if is_v1 {
            // The format has no number of a mesh in its frame: it is counted, in file order.
            order.sort_unstable_by_key(|number| {
                let mesh = mesh(&self.meshes, *number);
                (mesh.lod, mesh.frame, *number)
            });
            let (mut last, mut next) = ((0, 0), 0u32);
            for number in &order {
                if let Some(mesh) = self.meshes.get_mut(*number as usize) {
                    let key = (mesh.lod, mesh.frame);
                    next = if key == last { next } else { 0 };
                    last = key;
                    mesh.mesh_in_frame = next;
                    next = next.saturating_add(1);
                }
            }
        }
        order.sort_unstable_by_key(|number| {
            let mesh = mesh(&self.meshes, *number);
            (mesh.lod, mesh.mesh_in_frame, mesh.frame, *number)
        });
        self.by_key = order;
        for number in 0..count {
            let borrower = mesh(&self.meshes, number);
            if !borrower.triangles_owned {
                let lender =
                    self.lender(&borrower, |lender, of| lender.triangles_owned && (is_v1 || of < number));
                if let Some(mesh) = self.meshes.get_mut(number as usize) {
                    mesh.triangle_lender = lender;
                }
            }
            if !borrower.texcoords_owned {
                let lender = self.lender(&borrower, |lender, _| {
                    lender.texcoords_owned
                        && lender.vertices == borrower.vertices
                        && lender.dimensions == borrower.dimensions
                });
                if let Some(mesh) = self.meshes.get_mut(number as usize) {
                    mesh.texcoord_lender = lender;
                }
            }
        }
    }

    /// The mesh of frame 0 that `borrower` borrows from, if it is `fit` to lend.
    fn lender(&self, borrower: &MeshParts, fit: impl Fn(&MeshParts, u32) -> bool) -> u32 {
        let number = self.find_mesh(borrower.lod, borrower.mesh_in_frame, 0);
        number
            .filter(|number| self.meshes.get(*number as usize).is_some_and(|mesh| fit(mesh, *number)))
            .unwrap_or(NONE)
    }

    /// The number of the first mesh with this place. O(log meshes).
    pub(crate) fn find_mesh(&self, lod: u32, mesh_in_frame: u32, frame: u32) -> Option<u32> {
        let wanted = (lod, mesh_in_frame, frame);
        let key = |number: &u32| {
            let mesh = self.meshes.get(*number as usize);
            mesh.map_or(wanted, |mesh| (mesh.lod, mesh.mesh_in_frame, mesh.frame))
        };
        let at = self.by_key.partition_point(|number| key(number) < wanted);
        self.by_key.get(at).copied().filter(|number| key(number) == wanted)
    }
}

/// A string of the file, without its NUL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) offset: u64,
    pub(crate) len: u32,
}

impl Text {
    /// Reads a string and steps over its NUL.
    pub(crate) fn read(cursor: &mut Cursor<'_>, what: &'static str) -> Result<Text> {
        let offset = cursor.offset();
        let name = cursor.nul_terminated(what)?;
        Ok(Text { offset, len: u32::try_from(name.raw().len()).unwrap_or(u32::MAX) })
    }
}

/// How normals are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NormalKind {
    /// Two signed bytes, in version 1.0.
    #[default]
    Bytes,
    /// Two signed bytes, in an early file of version 2.0.
    Legacy,
    /// Two signed 16-bit integers.
    Shorts,
}

impl NormalKind {
    pub(crate) const fn size(self) -> u32 {
        match self {
            NormalKind::Bytes | NormalKind::Legacy => 2,
            NormalKind::Shorts => 4,
        }
    }
}

/// Where the parts of one mesh lie.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeshParts {
    pub(crate) offset: u64,
    pub(crate) end: u64,
    /// Absolute end of what was read of the chunk.
    pub(crate) used: u64,
    pub(crate) name: Text,
    /// Absolute offset of the positions; the normals follow.
    pub(crate) positions: u64,
    pub(crate) texcoords: u64,
    /// Absolute offset of the skin weights; the bone indices follow.
    pub(crate) weights: u64,
    /// Absolute offset of nTriangle.
    pub(crate) triangle_count_offset: u64,
    /// Absolute offset of the shadow optimized geometry's vertices, its triangles follow; 0 for none.
    pub(crate) shadow: u64,
    pub(crate) lod: u32,
    pub(crate) frame: u32,
    pub(crate) mesh_in_frame: u32,
    pub(crate) level_of_detail: f32,
    pub(crate) normal_scalar: f32,
    pub(crate) vertices: u32,
    pub(crate) triangles: u32,
    pub(crate) shadow_vertices: u32,
    pub(crate) shadow_triangles: u32,
    pub(crate) triangle_lender: u32,
    pub(crate) texcoord_lender: u32,
    pub(crate) dimensions: [u8; STAGES],
    pub(crate) skin_weights: u8,
    pub(crate) max_bone: u8,
    pub(crate) normals: NormalKind,
    pub(crate) has_tangents: bool,
    pub(crate) uses_texcoord_buffer: bool,
    pub(crate) texcoords_owned: bool,
    pub(crate) triangles_owned: bool,
    pub(crate) long_triangles: bool,
    pub(crate) long_shadow_triangles: bool,
}

/// A table that was proven when it was located.
fn proven(end: u64, offset: u64, count: u32, stride: u32) -> Span {
    Data::prefix(FORMAT, &[], end).span(offset, count.into(), stride, "table").unwrap_or_default()
}

/// Bytes of a triangle of three 16-bit or 32-bit corners.
pub(crate) const fn triangle_size(is_long: bool) -> u32 {
    if is_long { 12 } else { 6 }
}

impl MeshParts {
    fn table(&self, offset: u64, count: u32, stride: u32) -> Span {
        proven(self.end, offset, count, stride)
    }

    /// Absolute offset of the chunk.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The positions, three floats each.
    pub fn positions(&self) -> Span {
        self.table(self.positions, self.vertices, POSITION_SIZE)
    }

    /// The normals, two or four bytes each.
    pub fn normals(&self) -> Span {
        self.table(self.positions().byte_range().end, self.vertices, self.normals.size())
    }

    /// The texture coordinates of one set; empty where the mesh does not own them, or there is no such set.
    pub fn texcoords(&self, set: usize) -> Span {
        let dimension = self.dimensions.get(set).copied().unwrap_or_default();
        if !self.texcoords_owned || dimension == 0 {
            return Span::default();
        }
        let before = self.dimensions.iter().take(set).fold(0u64, |sum, d| sum.saturating_add((*d).into()));
        let skip = before.saturating_mul(4).saturating_mul(self.vertices.into());
        self.table(self.texcoords.saturating_add(skip), self.vertices, u32::from(dimension).saturating_mul(4))
    }

    /// The skin weights, one to three floats each; empty for none.
    pub fn skin_weights(&self) -> Span {
        match self.skin_weights {
            0 => Span::default(),
            weights => self.table(self.weights, self.vertices, u32::from(weights).saturating_mul(4)),
        }
    }

    /// The bone indices, four bytes each; empty for none.
    pub fn skin_bones(&self) -> Span {
        match self.skin_weights {
            0 => Span::default(),
            _ => self.table(self.skin_weights().byte_range().end, self.vertices, 4),
        }
    }

    /// The mesh's own triangles; empty where it borrows them.
    pub fn triangles(&self) -> Span {
        if !self.triangles_owned {
            return Span::default();
        }
        self.table(self.triangles_offset(), self.triangles, triangle_size(self.long_triangles))
    }

    /// Where own triangles begin: behind nTriangle and TrianglesOwned.
    fn triangles_offset(&self) -> u64 {
        let count = if self.is_v1() { 2 } else { 4 };
        self.triangle_count_offset.saturating_add(count).saturating_add(1)
    }

    fn is_v1(&self) -> bool {
        self.normals == NormalKind::Bytes
    }

    /// The material of each of the mesh's own triangles; empty where it borrows them.
    pub fn triangle_materials(&self) -> Span {
        if !self.triangles_owned {
            return Span::default();
        }
        self.table(self.triangles().byte_range().end, self.triangles, 2)
    }

    /// The vertices of the shadow optimized geometry; empty for none.
    pub fn shadow_vertices(&self) -> Span {
        let stride = layout::shadow_floats(self.skin_weights).saturating_mul(4);
        self.table(self.shadow, self.shadow_vertices, stride)
    }

    /// The triangles of the shadow optimized geometry; empty for none.
    pub fn shadow_triangles(&self) -> Span {
        let start = self.shadow_vertices().byte_range().end;
        self.table(start, self.shadow_triangles, triangle_size(self.long_shadow_triangles))
    }
}

/// Where the parts of one material lie.
#[derive(Clone, Copy, Debug)]
pub struct MaterialParts {
    pub(crate) offset: u64,
    pub(crate) end: u64,
    pub(crate) used: u64,
    pub(crate) name: Text,
    pub(crate) index: u32,
    pub(crate) is_opaque: bool,
    /// Absolute offset of the colors.
    pub(crate) colors: u64,
    /// Absolute offset of the texture of stage 0.
    pub(crate) textures: u64,
    /// Absolute offset of the shader pack's chunk, 0 for none.
    pub(crate) shader_pack: u64,
}

impl MaterialParts {
    /// Absolute offset of the chunk.
    pub const fn offset(&self) -> u64 {
        self.offset
    }
}

/// Where the parts of one bone lie.
#[derive(Clone, Copy, Debug)]
pub struct BoneParts {
    pub(crate) offset: u64,
    pub(crate) end: u64,
    pub(crate) used: u64,
    pub(crate) name: Text,
    /// Absolute offset of piMesh.
    pub(crate) meshes: u64,
    pub(crate) index: u32,
    pub(crate) parent: u32,
    pub(crate) bone_frame: f32,
    pub(crate) pass_on: bool,
    /// Bytes of a mesh's number and of a key's frame.
    pub(crate) width: u8,
    pub(crate) mesh_count: u32,
    pub(crate) key_counts: [u32; 3],
}

impl BoneParts {
    /// Absolute offset of the chunk.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The numbers of the meshes appended to the bone, of 16 or 32 bits.
    pub fn meshes(&self) -> Span {
        proven(self.end, self.meshes, self.mesh_count, self.width.into())
    }

    /// The mesh to bone space matrix of each of them.
    pub fn matrices(&self) -> Span {
        proven(self.end, self.meshes().byte_range().end, self.mesh_count, MATRIX_SIZE)
    }

    fn keys(&self, before: u64, which: usize, stride: u32) -> Span {
        let count = self.key_counts.get(which).copied().unwrap_or_default();
        // Both versions have four bytes before the keys, of which version 1.0 leaves two unused.
        proven(self.end, before.saturating_add(4), count, stride)
    }

    /// The scaling keys.
    pub fn scaling_keys(&self) -> Span {
        self.keys(self.matrices().byte_range().end, 0, VECTOR_KEY_SIZE)
    }

    /// The translation keys.
    pub fn translation_keys(&self) -> Span {
        self.keys(self.scaling_keys().byte_range().end, 1, VECTOR_KEY_SIZE)
    }

    /// The rotation keys.
    pub fn rotation_keys(&self) -> Span {
        self.keys(self.translation_keys().byte_range().end, 2, ROTATION_KEY_SIZE)
    }
}

/// Where the actions lie.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ActionParts {
    /// Absolute offset of the chunk, 0 for none.
    pub(crate) offset: u64,
    /// Absolute offset of the first record.
    pub(crate) records: u64,
    pub(crate) count: u32,
    pub(crate) used: u64,
    pub(crate) end: u64,
}
