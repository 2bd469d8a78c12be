//! One mesh of a model, and its lenses.

use core::marker::PhantomData;

use crate::encoding::{F32, I8, I16, U3dNormal8, U3dNormal8Full, U3dNormal16, U8, U16};
use meshlens_lens::{AnyLens, Bounds, Encoding, IndexBufferLayout, Lens, ValueLens};
use meshlens_wire::{Complete, Data, Error, ErrorKind, Name, Place, Presence, Result, Span};

use crate::arrays::float_format;
use crate::layout::STAGES;
use crate::parts::{MeshParts, NormalEncoding, Parts};
use crate::text::name_at;
use crate::triangles::triangles;
use crate::{Shadow, Version};

/// One mesh, which belongs to one level of detail and one frame (Ultimate 3D: The mesh chunk).
///
/// In a model of [pieces](crate::U3d::bind_pieces), every method that reads bytes returns a `Result`, and the errors include
/// [`Incomplete`](ErrorKind::Incomplete).
#[derive(Clone, Copy, Debug)]
pub struct Mesh<'d, 'a, P: Presence = Complete> {
    data: Data<'a>,
    model: &'d Parts,
    parts: &'d MeshParts,
    index: usize,
    presence: PhantomData<P>,
}

impl Mesh<'_, '_> {
    /// The stored latitude and longitude of each normal: signed bytes or 16-bit integers.
    pub(crate) fn normal_codes(&self) -> impl Iterator<Item = [i16; 2]> {
        let span = self.parts.normals();
        let (bytes, shorts) = match self.parts.normals {
            NormalEncoding::Bytes | NormalEncoding::LegacyBytes => {
                (self.lens(span, I8::<2>), Lens::empty(I16::<2>))
            }
            NormalEncoding::Shorts => (Lens::empty(I8::<2>), self.lens(span, I16::<2>)),
        };
        bytes.into_iter().map(|code| code.map(i16::from)).chain(shorts)
    }
}

impl<'d, 'a, P: Presence> Mesh<'d, 'a, P> {
    pub(crate) fn new(data: Data<'a>, model: &'d Parts, index: usize) -> Option<Self> {
        model.meshes.get(index).map(|parts| Self::of(data, model, parts, index))
    }

    pub(crate) const fn of(data: Data<'a>, model: &'d Parts, parts: &'d MeshParts, index: usize) -> Self {
        Mesh { data, model, parts, index, presence: PhantomData }
    }

    fn lens<E: Encoding>(&self, span: Span, encoding: E) -> P::Of<Lens<'a, E>> {
        self.placed(P::read(Lens::bind(self.data, span, 0, encoding), || Lens::empty(encoding)))
    }

    /// Elements of one to four floats; `None` for another number.
    fn floats(&self, span: Span, components: u8) -> P::Of<Option<AnyLens<'a>>> {
        let bind = |format| AnyLens::bind(self.data, span, 0, format);
        self.placed(P::read(float_format(components).map(bind).transpose(), || None))
    }

    /// Adds the mesh to an error.
    fn placed<T>(&self, value: P::Of<T>) -> P::Of<T> {
        P::map_err(value, |error| error.at(self.place()))
    }

    pub(crate) const fn data(&self) -> Data<'a> {
        self.data
    }

    pub(crate) fn version(&self) -> Version {
        self.model.header.version
    }

    /// The locations of the parts of the mesh.
    pub const fn parts(&self) -> &'d MeshParts {
        self.parts
    }

    /// The index of the mesh in the file, by which bones refer to it.
    pub const fn index(&self) -> usize {
        self.index
    }

    /// The absolute offset of the chunk.
    pub const fn offset(&self) -> u64 {
        self.parts.offset
    }

    /// The name of the mesh.
    pub fn name(&self) -> P::Of<Name<'a>> {
        name_at::<P>(self.data(), self.parts.name)
    }

    /// The index of the level of detail, 0 for the highest. Version 1.0 stores a fraction of triangles instead, which is
    /// looked up in the header; `None` if the header does not have it.
    pub const fn lod_index(&self) -> Option<u32> {
        self.parts.lod_index
    }

    /// Version 1.0, LOD: the number of triangles as a fraction of the highest level of detail, which has 1.0. Always
    /// 1.0 in version 2.0.
    pub const fn lod_fraction(&self) -> f32 {
        self.parts.lod_fraction
    }

    /// The frame that the mesh belongs to; 0 if bones move it.
    pub const fn frame(&self) -> u32 {
        self.parts.frame
    }

    /// iMeshPerFrame: the number of the mesh in its frame and level of detail. Version 1.0 does not store it; the
    /// meshes of the same frame and level of detail are then numbered in file order.
    pub const fn mesh_in_frame(&self) -> u32 {
        self.parts.mesh_in_frame
    }

    /// A factor for the normals: -1 for a mesh that a bone mirrors, otherwise 1. [`normals`](Self::normals) are not
    /// multiplied by it.
    pub const fn normal_scalar(&self) -> f32 {
        self.parts.normal_scalar
    }

    /// ValidMeshToTangentSpaceMatrices: whether the last two texture coordinate sets are the first two columns of a
    /// mesh to tangent space matrix, and the normals the third.
    pub const fn has_tangents(&self) -> bool {
        self.parts.has_tangents
    }

    /// The texture coordinate sets that are the first two columns of the [tangent space](Self::has_tangents) matrices: the
    /// tangents and the bitangents. `None` if the mesh has none, or if the last two sets have other dimensions.
    pub fn tangent_sets(&self) -> Option<[usize; 2]> {
        let mut last = (0..STAGES).zip(self.texcoord_dimensions()).rev().filter(|(_, size)| *size > 0);
        match (self.has_tangents(), last.next(), last.next()) {
            (true, Some((bitangents, 3)), Some((tangents, 3 | 4))) => Some([tangents, bitangents]),
            _ => None,
        }
    }

    /// Version 1.0, iMaxBlendingMatrix: the largest index of the bones that move the mesh. 0 in version 2.0.
    pub const fn max_bone(&self) -> u8 {
        self.parts.max_bone
    }

    /// Version 1.0, UseTextureCoordinateBuffer: whether the engine keeps texture coordinates in a separate buffer.
    pub const fn uses_texcoord_buffer(&self) -> bool {
        self.parts.uses_texcoord_buffer
    }

    /// The number of vertices.
    pub const fn vertex_count(&self) -> usize {
        self.parts.vertices as usize
    }

    /// The stored number of triangles. It may be any number if the mesh borrows its triangles.
    pub const fn triangle_count(&self) -> usize {
        self.parts.triangles as usize
    }

    /// The positions in mesh space, one for each vertex.
    pub fn positions(&self) -> P::Of<Lens<'a, F32<3>>> {
        self.lens(self.parts.positions(), F32::<3>)
    }

    /// The normals in mesh space, one for each vertex, of length 1. They are not multiplied by
    /// [`normal_scalar`](Self::normal_scalar).
    pub fn normals(&self) -> P::Of<ValueLens<'a, [f32; 3]>> {
        let span = self.parts.normals();
        match self.parts.normals {
            NormalEncoding::Bytes | NormalEncoding::LegacyBytes => {
                P::map(self.lens(span, U3dNormal8), Into::into)
            }
            NormalEncoding::Shorts => P::map(self.lens(span, U3dNormal16), Into::into),
        }
    }

    /// Whether this is a mesh of version 2.0 with normals of two bytes, as an earlier text of the format describes them
    /// (Ultimate 3D 2.0: CompressedNormal, comment).
    pub fn has_legacy_normals(&self) -> bool {
        self.parts.normals == NormalEncoding::LegacyBytes
    }

    /// The normals of a mesh with [legacy normals](Self::has_legacy_normals), with latitudes in the scale of version
    /// 2.0; `None` for other meshes. The scale of legacy normals is not documented. [`normals`](Self::normals) assumes
    /// the scale of version 1.0, which also uses two bytes.
    pub fn legacy_normals(&self) -> Option<P::Of<Lens<'a, U3dNormal8Full>>> {
        self.has_legacy_normals().then(|| self.lens(self.parts.normals(), U3dNormal8Full))
    }

    /// The number of floats of a texture coordinate in each of the eight sets, 0 for an absent set.
    pub const fn texcoord_dimensions(&self) -> [u8; STAGES] {
        self.parts.dimensions
    }

    /// Whether the mesh has its own texture coordinates; always in version 2.0.
    pub const fn owns_texcoords(&self) -> bool {
        self.parts.texcoords_owned
    }

    /// The mesh of frame 0 in the same place, from which this one borrows. O(log meshes).
    fn lender(&self) -> Option<Self> {
        let index = self.model.find_mesh((self.parts.lod_index, self.parts.mesh_in_frame, 0))?;
        Mesh::new(self.data, self.model, index)
    }

    /// The mesh whose texture coordinates this mesh uses: itself, or a mesh of frame 0 if it borrows them. `None` if it
    /// borrows them and frame 0 has no mesh with the same number of vertices and the same dimensions. O(log meshes).
    pub fn texcoord_owner(&self) -> Option<Self> {
        if self.parts.texcoords_owned {
            return Some(*self);
        }
        self.lender().filter(|lender| {
            let (own, other) = (self.parts, lender.parts);
            other.texcoords_owned && other.vertices == own.vertices && other.dimensions == own.dimensions
        })
    }

    /// The texture coordinates of one set, one to four floats for each vertex, owned or borrowed; `None` if there is no
    /// such set.
    pub fn texcoords(&self, set: usize) -> P::Of<Option<AnyLens<'a>>> {
        self.texcoord_owner().map_or_else(|| P::loaded(None), |owner| owner.own_texcoords(set))
    }

    pub(crate) fn own_texcoords(&self, set: usize) -> P::Of<Option<AnyLens<'a>>> {
        match (self.parts.texcoords(set), self.parts.dimensions.get(set)) {
            (Some(span), Some(dimension)) => self.floats(span, *dimension),
            _ => P::loaded(None),
        }
    }

    /// The number of stored skin weights of a vertex, 0 to 3. The last weight of a vertex is not stored.
    pub const fn skin_weight_count(&self) -> usize {
        self.parts.skin_weights as usize
    }

    /// The stored skin weights of each vertex, one to three floats; `None` for a mesh without skin.
    /// [`weights`](Self::weights) also computes the last weight.
    pub fn skin_weights(&self) -> P::Of<Option<AnyLens<'a>>> {
        self.floats(self.parts.skin_weights(), self.parts.skin_weights)
    }

    /// The bones of each vertex; the first `skin_weight_count() + 1` of them are used. Empty for a mesh without skin.
    pub fn skin_bones(&self) -> P::Of<Lens<'a, U8<4>>> {
        self.lens(self.parts.skin_bones(), U8::<4>)
    }

    /// The four weights of a vertex: the stored ones, the last one (1 minus their sum), and zeros. `None` if the index is
    /// out of range, or for a mesh without skin.
    pub fn weights(&self, vertex: usize) -> P::Of<Option<[f32; 4]>> {
        P::map(self.skin_weights(), |stored| {
            Some(with_last(stored?.get_floats(vertex)?, self.skin_weight_count()))
        })
    }

    /// Whether the mesh has its own triangles.
    pub const fn owns_triangles(&self) -> bool {
        self.parts.triangles_owned
    }

    /// The mesh whose triangles this mesh uses: itself, or a mesh of frame 0 if it borrows them (TrianglesOwned). `None`
    /// if it borrows them and frame 0 has no such mesh. In version 2.0, that mesh must come before this one in the file.
    /// O(log meshes).
    pub fn triangle_owner(&self) -> Option<Self> {
        if self.parts.triangles_owned {
            return Some(*self);
        }
        let is_v1 = self.model.header.version.is_v1();
        self.lender().filter(|lender| lender.parts.triangles_owned && (is_v1 || lender.index < self.index))
    }

    /// The mesh's own triangles as they are stored, wound clockwise, **unchecked**; `None` if it borrows them
    /// from [`triangle_owner`](Self::triangle_owner).
    pub fn triangles(&self) -> Option<P::Of<ValueLens<'a, [u32; 3]>>> {
        self.parts.triangles_owned.then(|| triangles::<P>(self.data(), self.parts.triangles()))
    }

    /// The triangles that this mesh uses, owned or borrowed, after a check that every index is below
    /// [`vertex_count`](Self::vertex_count). O(triangles). The check holds as long as the bytes do not change: another
    /// process may rewrite a mapped file.
    ///
    /// # Errors
    ///
    /// An index is out of range, or there is no mesh to borrow from.
    pub fn checked_triangles(&self) -> Result<ValueLens<'a, [u32; 3]>> {
        let triangles = self.used_triangles()?;
        let checked = triangles.as_any().check_below(self.vertex_count(), "vertex");
        checked.map_err(|error| error.at(self.place()))?;
        Ok(triangles)
    }

    /// Writes the vertex indices of the triangles that this mesh uses to an index buffer, in one pass: converted and
    /// reversed in winding as specified by `layout`, and checked to be below [`vertex_count`](Self::vertex_count).
    /// Returns the largest index, or `None` if there are no triangles. O(triangles).
    ///
    /// # Errors
    ///
    /// An index is out of range or does not fit in the format; the content of `out` is then unspecified. There is no
    /// mesh to borrow from, or `out` has the wrong length.
    pub fn indices_into(&self, layout: IndexBufferLayout, out: &mut [u8]) -> Result<Option<u32>> {
        let triangles = self.used_triangles()?.as_any();
        let written = triangles.indices_into(layout.below(self.vertex_count(), "vertex"), out);
        written.map_err(|error| error.at(self.place()))
    }

    /// The triangles of the mesh itself, or of the mesh from which it borrows.
    fn used_triangles(&self) -> Result<ValueLens<'a, [u32; 3]>> {
        let used = self.triangle_owner().and_then(|owner| owner.triangles());
        P::result(self.placed(used.ok_or_else(|| {
            let kind = ErrorKind::Unsupported { what: "a mesh without triangles of its own or of frame 0" };
            self.error(self.parts.triangle_count_offset, kind)
        })?))
    }

    /// The material index of each of the mesh's own triangles; empty if it borrows them.
    pub fn triangle_materials(&self) -> P::Of<Lens<'a, U16<1>>> {
        self.lens(self.parts.triangle_materials(), U16::<1>)
    }

    /// The shadow optimized geometry, a closed surface for shadow volumes; `None` if the mesh has none.
    pub fn shadow(&self) -> Option<P::Of<Shadow<'a>>> {
        self.parts.shadow?;
        let shadow = Shadow::new(self.data(), self.parts, self.model.header.version.is_v1());
        Some(self.placed(P::checked(|| shadow.check(), || shadow)))
    }

    /// The bounding box of the positions; `None` if there are no vertices. O(vertices).
    pub fn compute_bounds(&self) -> P::Of<Option<Bounds>> {
        P::map(self.positions(), Bounds::around)
    }

    pub(crate) fn place(&self) -> Place {
        Place::new("mesh", self.index as u64)
    }

    pub(crate) fn error(&self, offset: u64, kind: ErrorKind) -> Error {
        self.data().error(offset, kind).at(self.place())
    }
}

/// Adds the last weight of a vertex to its `stored` weights, which zeros follow.
pub(crate) fn with_last(mut weights: [f32; 4], stored: usize) -> [f32; 4] {
    let sum: f32 = weights.iter().sum();
    if let Some(last) = weights.get_mut(stored) {
        *last = 1.0 - sum;
    }
    weights
}
