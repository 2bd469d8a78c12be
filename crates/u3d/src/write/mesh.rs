//! A mesh as plain arrays.

use alloc::vec::Vec;

use crate::encoding::{U3dNormal8, U3dNormal16};
use meshlens_lens::Encode;
use meshlens_wire::{ErrorKind, Result};

use super::CHECKS;
use crate::header::Version;
use crate::layout::{STAGES, shadow_vertex_size};

/// A mesh as plain arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// The name, without NUL.
    pub name: Vec<u8>,
    /// Version 2.0: iMeshPerFrame, the number of the mesh in its frame and level of detail.
    pub mesh_in_frame: u32,
    /// Version 2.0: iLOD, the index of the level of detail.
    pub lod_index: u32,
    /// Version 1.0: the fraction of triangles of the level of detail.
    pub lod_fraction: f32,
    /// The frame that the mesh belongs to.
    pub frame: u32,
    /// NormalScalar: a factor for the normals.
    pub normal_scalar: f32,
    /// ValidMeshToTangentSpaceMatrices: whether the last two texture coordinate sets contain a tangent space.
    pub has_tangents: bool,
    /// Version 1.0: iMaxBlendingMatrix, the largest index of the bones that move the mesh.
    pub max_bone: u8,
    /// Version 1.0: UseTextureCoordinateBuffer.
    pub uses_texcoord_buffer: bool,
    /// Version 2.0: whether normals are written in two bytes, as in early files.
    pub legacy_normals: bool,
    /// The position of each vertex.
    pub positions: Vec<[f32; 3]>,
    /// The stored latitude and longitude of each normal, in the range of `i8` in version 1.0 and for legacy normals.
    pub normals: Vec<[i16; 2]>,
    /// The number of floats of a texture coordinate in each set.
    pub texcoord_dimensions: [u8; STAGES],
    /// The texture coordinates of each set; `None` to borrow them, which only version 1.0 supports.
    pub texcoords: Option<[Vec<f32>; STAGES]>,
    /// The number of stored weights of a vertex.
    pub skin_weight_count: u8,
    /// The stored weights, vertex by vertex.
    pub skin_weights: Vec<f32>,
    /// The bones of each vertex; empty if there are no weights.
    pub skin_bones: Vec<[u8; 4]>,
    /// The triangles, wound clockwise, and the material of each; `None` to borrow them.
    pub triangles: Option<(Vec<[u32; 3]>, Vec<u16>)>,
    /// nTriangle, the number of triangles to write for a mesh that borrows its triangles.
    pub borrowed_triangles: u32,
    /// The shadow optimized geometry; `None` if the mesh has none.
    pub shadow: Option<Shadow>,
    /// Version 2.0: bytes after the documented fields of the chunk.
    pub extra: Vec<u8>,
}

/// Shadow optimized geometry of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shadow {
    /// The vertices as they are stored, as [`Shadow::vertex_bytes`](crate::Shadow::vertex_bytes) describes.
    pub vertices: Vec<u8>,
    /// The triangles.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Makes an empty mesh.
    pub fn new(name: impl AsRef<[u8]>) -> Self {
        Mesh {
            name: name.as_ref().into(),
            mesh_in_frame: 0,
            lod_index: 0,
            lod_fraction: 1.0,
            frame: 0,
            normal_scalar: 1.0,
            has_tangents: false,
            max_bone: 0,
            uses_texcoord_buffer: false,
            legacy_normals: false,
            positions: Vec::new(),
            normals: Vec::new(),
            texcoord_dimensions: [0; STAGES],
            texcoords: Some(Default::default()),
            skin_weight_count: 0,
            skin_weights: Vec::new(),
            skin_bones: Vec::new(),
            triangles: Some(Default::default()),
            borrowed_triangles: 0,
            shadow: None,
            extra: Vec::new(),
        }
    }

    /// Sets positions and normals. They are encoded as `version` stores them. Normals need not have length 1.
    ///
    /// # Errors
    ///
    /// The arrays have different lengths.
    pub fn set_vertices(
        &mut self,
        positions: &[[f32; 3]],
        normals: &[[f32; 3]],
        version: Version,
    ) -> Result<()> {
        CHECKS.length("normals", positions.len(), normals.len())?;
        self.positions = positions.to_vec();
        let is_bytes = version.is_v1() || self.legacy_normals;
        let code = |normal: &[f32; 3]| match is_bytes {
            true => U3dNormal8.encode(*normal).map(|byte| i16::from(byte as i8)),
            false => U3dNormal16.encode(*normal).map(|short| short.get()),
        };
        self.normals = normals.iter().map(code).collect();
        Ok(())
    }

    /// Sets the texture coordinates of one set, `dimension` floats for each vertex.
    ///
    /// # Errors
    ///
    /// The set is out of range, or the mesh borrows its texture coordinates.
    pub fn set_texcoords(&mut self, set: usize, dimension: u8, values: &[f32]) -> Result<()> {
        let sets = self.texcoords.as_mut().and_then(|sets| sets.get_mut(set));
        let (Some(slot), Some(slot_dimension)) = (sets, self.texcoord_dimensions.get_mut(set)) else {
            let index = i64::try_from(set).unwrap_or(i64::MAX);
            let count = STAGES as u64;
            return Err(CHECKS.error(ErrorKind::Index { what: "texture coordinate set", index, count }));
        };
        *slot = values.to_vec();
        *slot_dimension = dimension;
        Ok(())
    }

    /// Sets the triangles and the material of each.
    ///
    /// # Errors
    ///
    /// The arrays have different lengths.
    pub fn set_triangles(&mut self, triangles: &[[u32; 3]], materials: &[u16]) -> Result<()> {
        CHECKS.length("triangle materials", triangles.len(), materials.len())?;
        self.triangles = Some((triangles.to_vec(), materials.to_vec()));
        Ok(())
    }

    /// Makes the mesh borrow its triangles, and in version 1.0 its texture coordinates, from the mesh of frame 0.
    /// `triangles` is the number of triangles to write.
    #[must_use]
    pub fn borrowing(mut self, triangles: u32, version: Version) -> Self {
        self.triangles = None;
        self.borrowed_triangles = triangles;
        if version.is_v1() {
            self.texcoords = None;
            self.uses_texcoord_buffer = true;
        }
        self
    }

    /// nTriangle.
    pub(super) fn triangle_count(&self) -> usize {
        self.triangles.as_ref().map_or(self.borrowed_triangles as usize, |(triangles, _)| triangles.len())
    }

    pub(super) fn check(&self) -> Result<()> {
        let vertices = self.positions.len();
        CHECKS.length("normals", vertices, self.normals.len())?;
        if let Some(sets) = &self.texcoords {
            for (set, dimension) in sets.iter().zip(self.texcoord_dimensions) {
                let floats = CHECKS.product("floats of a mesh", vertices, dimension.into())?;
                CHECKS.length("texture coordinates", floats, set.len())?;
            }
        }
        let weights = usize::from(self.skin_weight_count);
        let floats = CHECKS.product("floats of a mesh", vertices, weights)?;
        CHECKS.length("skin weights", floats, self.skin_weights.len())?;
        CHECKS.length("bones of vertices", if weights > 0 { vertices } else { 0 }, self.skin_bones.len())?;
        if let Some((triangles, materials)) = &self.triangles {
            CHECKS.length("triangle materials", triangles.len(), materials.len())?;
            CHECKS.all_below("vertex", triangles.as_flattened().iter().copied(), vertices)?;
        }
        if let Some(shadow) = &self.shadow {
            let (vertices, rest) = self.shadow_vertex_count(shadow);
            CHECKS.length("bytes of a part of a shadow vertex", 0, rest)?;
            CHECKS.all_below("vertex", shadow.triangles.as_flattened().iter().copied(), vertices)?;
        }
        Ok(())
    }

    /// The number of whole vertices of shadow geometry, and of the bytes after them.
    pub(super) fn shadow_vertex_count(&self, shadow: &Shadow) -> (usize, usize) {
        let size = shadow_vertex_size(self.skin_weight_count) as usize;
        (shadow.vertices.len() / size, shadow.vertices.len() % size)
    }
}
