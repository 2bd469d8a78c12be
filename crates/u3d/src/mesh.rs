//! One mesh of a model, and its lenses.

use meshlens_lens::encoding::{F32, U3dNormal8, U3dNormal8Full, U3dNormal16, U8, U16, U32};
use meshlens_lens::{Bounds, Floats, Lens, Triangles};
use meshlens_wire::{Data, Error, ErrorKind, Expected, Name, Place, Result, Span};

use crate::document::{lens_at, name_at, some};
use crate::layout::STAGES;
use crate::parts::{MeshParts, NormalKind};
use crate::{Matrix, Normals, Shadow, U3d};

/// Ultimate 3D: The mesh chunk. A mesh belongs to one level of detail and one frame.
#[derive(Clone, Copy, Debug)]
pub struct Mesh<'d, 'a> {
    u3d: &'d U3d<'a>,
    parts: &'d MeshParts,
    index: usize,
}

impl<'d, 'a> Mesh<'d, 'a> {
    pub(crate) const fn new(u3d: &'d U3d<'a>, parts: &'d MeshParts, index: usize) -> Self {
        Mesh { u3d, parts, index }
    }

    pub(crate) const fn data(&self) -> Data<'a> {
        self.u3d.data()
    }

    /// Where the parts lie.
    pub const fn parts(&self) -> &'d MeshParts {
        self.parts
    }

    /// The mesh's number in the file, by which bones name it.
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Absolute offset of the chunk.
    pub const fn offset(&self) -> u64 {
        self.parts.offset
    }

    /// The mesh's name.
    pub fn name(&self) -> Name<'a> {
        name_at(self.data(), self.parts.name)
    }

    /// The index of the mesh's level of detail, 0 for the highest. Version 1.0 names a share of triangles instead,
    /// which is looked up in the header; `None` where it is not there.
    pub const fn lod(&self) -> Option<u32> {
        some(self.parts.lod)
    }

    /// Version 1.0, LOD: the share of the triangles of the highest level, 1.0 for that one. 1.0 in version 2.0.
    pub const fn level_of_detail(&self) -> f32 {
        self.parts.level_of_detail
    }

    /// The frame the mesh belongs to; 0 where bones move it.
    pub const fn frame(&self) -> u32 {
        self.parts.frame
    }

    /// iMeshPerFrame: the mesh's number in its frame and level of detail. Version 1.0 has none; there it is the
    /// ordinal among the meshes of the same frame and level of detail.
    pub const fn mesh_in_frame(&self) -> u32 {
        self.parts.mesh_in_frame
    }

    /// A factor for the normals: -1 for a mesh that a bone mirrors, else 1. [`normals`](Self::normals) are without.
    pub const fn normal_scalar(&self) -> f32 {
        self.parts.normal_scalar
    }

    /// ValidMeshToTangentSpaceMatrices: whether the last two texture coordinate sets are the first two columns of a
    /// mesh to tangent space matrix, and the normals the third.
    pub const fn has_tangents(&self) -> bool {
        self.parts.has_tangents
    }

    /// Version 1.0, iMaxBlendingMatrix: the largest number of a bone that moves the mesh. 0 in version 2.0.
    pub const fn max_bone(&self) -> u8 {
        self.parts.max_bone
    }

    /// Version 1.0, UseTextureCoordinateBuffer: whether the engine is to keep texture coordinates apart.
    pub const fn uses_texcoord_buffer(&self) -> bool {
        self.parts.uses_texcoord_buffer
    }

    /// Vertices.
    pub fn vertex_count(&self) -> usize {
        usize::try_from(self.parts.vertices).unwrap_or(usize::MAX)
    }

    /// Triangles, as the mesh says. Where it borrows them, no byte stands behind this number.
    pub fn triangle_count(&self) -> usize {
        usize::try_from(self.parts.triangles).unwrap_or(usize::MAX)
    }

    /// Positions in mesh space.
    pub fn positions(&self) -> Lens<'a, F32<3>> {
        lens_at(self.data(), self.parts.positions(), F32::<3>)
    }

    /// Normals in mesh space, before [`normal_scalar`](Self::normal_scalar).
    pub fn normals(&self) -> Normals<'a> {
        let (data, span) = (self.data(), self.parts.normals());
        match self.parts.normals {
            NormalKind::Bytes | NormalKind::Legacy => Normals::Bytes(lens_at(data, span, U3dNormal8)),
            NormalKind::Shorts => Normals::Shorts(lens_at(data, span, U3dNormal16)),
        }
    }

    /// Whether this is a mesh of version 2.0 with normals of two bytes, as an earlier text of the format had them
    /// (Ultimate 3D 2.0: CompressedNormal, comment).
    pub fn has_legacy_normals(&self) -> bool {
        self.parts.normals == NormalKind::Legacy
    }

    /// The normals of [such a mesh](Self::has_legacy_normals) with latitudes in the scale of version 2.0; `None` for
    /// others. No document says which scale they are in; [`normals`](Self::normals) takes them to be in that of
    /// version 1.0, whose structure they have.
    pub fn legacy_normals(&self) -> Option<Lens<'a, U3dNormal8Full>> {
        self.has_legacy_normals().then(|| lens_at(self.data(), self.parts.normals(), U3dNormal8Full))
    }

    /// Floats of a texture coordinate in each of the eight sets, 0 for no set.
    pub const fn texcoord_dimensions(&self) -> [u8; STAGES] {
        self.parts.dimensions
    }

    /// Whether the mesh has texture coordinates of its own; always in version 2.0.
    pub const fn owns_texcoords(&self) -> bool {
        self.parts.texcoords_owned
    }

    /// The mesh whose texture coordinates this one uses: itself, or that of frame 0 it borrows from. `None` where
    /// it should borrow and there is no such mesh, with as many vertices and the same dimensions.
    pub fn texcoord_owner(&self) -> Option<Mesh<'d, 'a>> {
        match self.parts.texcoords_owned {
            true => Some(*self),
            false => self.u3d.mesh(some(self.parts.texcoord_lender)? as usize),
        }
    }

    /// The texture coordinates of one set, the mesh's own or borrowed; `None` where there is no such set.
    pub fn texcoords(&self, set: usize) -> Option<Floats<'a>> {
        let owner = self.texcoord_owner()?;
        let components = usize::from(*owner.parts.dimensions.get(set)?);
        floats(self.data(), owner.parts.texcoords(set), components)
    }

    /// Weights of a vertex besides the implied last one: 0 to 3.
    pub const fn skin_weight_count(&self) -> usize {
        self.parts.skin_weights as usize
    }

    /// The stored skin weights; `None` for a mesh without skin. [`weights`](Self::weights) adds the implied one.
    pub fn skin_weights(&self) -> Option<Floats<'a>> {
        floats(self.data(), self.parts.skin_weights(), self.skin_weight_count())
    }

    /// The bones of each vertex, of which the first `skin_weight_count() + 1` count; empty for a mesh without skin.
    pub fn skin_bones(&self) -> Lens<'a, U8<4>> {
        lens_at(self.data(), self.parts.skin_bones(), U8::<4>)
    }

    /// The four weights of a vertex: those stored, the implied last one (1 minus their sum), and zeros. `None` past
    /// the last vertex, or for a mesh without skin.
    pub fn weights(&self, vertex: usize) -> Option<[f32; 4]> {
        Some(with_last(self.skin_weights()?.get(vertex)?, self.skin_weight_count()))
    }

    /// Whether the mesh has triangles of its own.
    pub const fn owns_triangles(&self) -> bool {
        self.parts.triangles_owned
    }

    /// The mesh whose triangles this one uses: itself, or that of frame 0 it borrows from (TrianglesOwned). `None`
    /// where it should borrow and there is no such mesh, or it stands behind this one in a file of version 2.0.
    pub fn triangle_owner(&self) -> Option<Mesh<'d, 'a>> {
        match self.parts.triangles_owned {
            true => Some(*self),
            false => self.u3d.mesh(some(self.parts.triangle_lender)? as usize),
        }
    }

    /// The mesh's own triangles as they lie, clockwise on the screen, **unchecked**; `None` where it borrows them
    /// from [`triangle_owner`](Self::triangle_owner).
    pub fn triangles(&self) -> Option<Triangles<'a>> {
        self.parts
            .triangles_owned
            .then(|| triangles(self.data(), self.parts.triangles(), self.parts.long_triangles))
    }

    /// The triangles this mesh uses, its own or borrowed, once every vertex number is known to be below
    /// [`vertex_count`](Self::vertex_count). O(triangles). The proof holds as long as the bytes do: a mapped file
    /// that another process rewrites may break it.
    ///
    /// # Errors
    ///
    /// A corner that names no vertex; no mesh to borrow from.
    pub fn checked_triangles(&self) -> Result<Triangles<'a>> {
        let owner = self.triangle_owner().and_then(|owner| Some((owner.triangles()?, owner)));
        let Some((triangles, owner)) = owner else {
            let kind = ErrorKind::Unsupported { what: "a mesh without triangles of its own or of frame 0" };
            return Err(self.error(self.parts.triangle_count_offset, kind));
        };
        let Some((triangle, corner)) = triangles.first_past(self.parts.vertices) else {
            return Ok(triangles);
        };
        let stride = u64::from(owner.parts.triangles().stride());
        let offset = triangles.byte_range().start.saturating_add((triangle as u64).saturating_mul(stride));
        let count = self.parts.vertices.into();
        Err(self.error(offset, ErrorKind::Index { what: "vertex", index: corner.into(), count }))
    }

    /// The material of each of the mesh's own triangles; empty where it borrows them.
    pub fn triangle_materials(&self) -> Lens<'a, U16<1>> {
        lens_at(self.data(), self.parts.triangle_materials(), U16::<1>)
    }

    /// Geometry without holes for shadow volumes; `None` where there is none.
    pub fn shadow(&self) -> Option<Shadow<'a>> {
        let parts = self.parts;
        if parts.shadow == 0 || (parts.is_v1_shadowless()) {
            return None;
        }
        Some(Shadow::new(self.data(), parts, self.u3d.version().is_v1()))
    }

    /// The box around the positions; `None` for no vertices.
    pub fn compute_bounds(&self) -> Option<Bounds> {
        Bounds::around(self.positions())
    }

    /// Positions moved by a matrix, such as [`Skeleton::mesh_to_world`](crate::Skeleton::mesh_to_world).
    ///
    /// # Errors
    ///
    /// An output that does not hold one value for each vertex.
    pub fn transform_positions_into(&self, matrix: &Matrix, out: &mut [[f32; 3]]) -> Result<()> {
        self.check_len(out.len())?;
        for (out, position) in out.iter_mut().zip(self.positions()) {
            *out = matrix.transform_point(position);
        }
        Ok(())
    }

    /// Normals turned by a matrix, times [`normal_scalar`](Self::normal_scalar), scaled to length 1.
    ///
    /// # Errors
    ///
    /// An output that does not hold one value for each vertex.
    pub fn transform_normals_into(&self, matrix: &Matrix, out: &mut [[f32; 3]]) -> Result<()> {
        self.decode_normals_into(out)?;
        for out in out {
            *out = unit(matrix.transform_direction(out.map(|value| value * self.parts.normal_scalar)));
        }
        Ok(())
    }

    pub(crate) fn decode_normals_into(&self, out: &mut [[f32; 3]]) -> Result<()> {
        self.normals().decode_into(out).map_err(|_| self.len_error(out.len()))
    }

    pub(crate) fn check_len(&self, found: usize) -> Result<()> {
        if found == self.vertex_count() { Ok(()) } else { Err(self.len_error(found)) }
    }

    pub(crate) fn len_error(&self, found: usize) -> Error {
        let expected = Expected::Exactly(self.parts.vertices.into());
        let found = i64::try_from(found).unwrap_or(i64::MAX);
        self.error(self.parts.offset, ErrorKind::Value { what: "output length", expected, found })
    }

    pub(crate) fn error(&self, offset: u64, kind: ErrorKind) -> Error {
        self.data().error(offset, kind).at(Place::new("mesh", self.index as u64))
    }
}

impl MeshParts {
    /// Version 1.0 always has counts for the shadow geometry, most often zero.
    fn is_v1_shadowless(&self) -> bool {
        self.normals == NormalKind::Bytes && self.shadow_vertices == 0 && self.shadow_triangles == 0
    }
}

fn floats(data: Data<'_>, span: Span, components: usize) -> Option<Floats<'_>> {
    let len = usize::try_from(span.count()).ok()?;
    Floats::new(data.bind(span).ok()?, span.offset(), components, len)
}

pub(crate) fn triangles(data: Data<'_>, span: Span, is_long: bool) -> Triangles<'_> {
    match is_long {
        true => Triangles::Long(lens_at(data, span, U32::<3>)),
        false => Triangles::Short(lens_at(data, span, U16::<3>)),
    }
}

/// The weights of a vertex, of which `stored` come from the file and are followed by zeros, with the implied last one.
pub(crate) fn with_last(mut weights: [f32; 4], stored: usize) -> [f32; 4] {
    let sum: f32 = weights.iter().sum();
    if let Some(last) = weights.get_mut(stored) {
        *last = 1.0 - sum;
    }
    weights
}

/// A direction of length 1; what has none stays as it is.
pub(crate) fn unit(direction: [f32; 3]) -> [f32; 3] {
    let length = libm::sqrtf(direction.iter().map(|value| value * value).sum());
    if length > 0.0 { direction.map(|value| value / length) } else { direction }
}
