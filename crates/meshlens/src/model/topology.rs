//! Triangles between vertices that can be drawn. If a format indexes positions and other attributes separately, the
//! pairs that occur become vertices.

use alloc::vec::Vec;
use core::ops::Range;

use meshlens_lens::{IndexBufferLayout, IndexFormat, Value, ValueLens};
use meshlens_wire::{Checks, Result};

use super::{Conversion, Material};

/// The triangles of a mesh, and the point and the corner of each vertex. All vertex indices are checked: they are below
/// [`vertex_count`](Topology::vertex_count). [`Mesh::topology_into`](super::Mesh::topology_into) makes it, and reuses
/// its memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    pub(crate) vertex_count: usize,
    pub(crate) points: VertexMap,
    pub(crate) corners: VertexMap,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) submeshes: Vec<Submesh>,
    pub(crate) dropped: usize,
}

/// The index of the point or of the corner of each vertex. It is the identity until it is [filled](Self::fill). The map
/// of a mesh without vertices is empty instead of the identity, because the mesh may still have points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct VertexMap {
    indices: Vec<u32>,
    is_filled: bool,
}

impl VertexMap {
    /// Makes an empty map, which has an index for each vertex when it is filled. Keeps the memory.
    pub(crate) fn fill(&mut self) -> &mut Vec<u32> {
        self.indices.clear();
        self.is_filled = true;
        &mut self.indices
    }

    /// The indices; none for the identity.
    #[cfg(feature = "unigine")]
    pub(crate) fn into_indices(self) -> Vec<u32> {
        self.indices
    }

    fn clear(&mut self) {
        self.indices.clear();
        self.is_filled = false;
    }

    /// `None` if the map is the identity.
    fn get(&self) -> Option<&[u32]> {
        self.is_filled.then_some(&self.indices)
    }
}

/// Triangles with the same material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submesh {
    /// The index of the material in the model; `None` if the file specifies none.
    pub material: Option<usize>,
    /// The triangles, as a range of [`Topology::triangles`].
    pub triangles: Range<usize>,
}

impl Topology {
    /// The number of vertices to draw.
    pub const fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// The triangles: three vertex indices each, with the winding of [`Model::space`](super::Model::space), in the
    /// order of the submeshes.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The submeshes, which together cover all triangles. A mesh with one material has one submesh.
    pub fn submeshes(&self) -> &[Submesh] {
        &self.submeshes
    }

    /// The triangles of a submesh of this topology.
    pub fn submesh_triangles(&self, submesh: &Submesh) -> &[[u32; 3]] {
        // A submesh of another topology may be out of range.
        self.triangles.get(submesh.triangles.clone()).unwrap_or(&[])
    }

    /// The index of the point of each vertex, which has its position, joints and weights. `None` if vertex `i` has
    /// point `i`.
    pub fn points(&self) -> Option<&[u32]> {
        self.points.get()
    }

    /// The index of the corner of each vertex, which has its normal, tangent, color and texture coordinates. `None` if
    /// vertex `i` has corner `i`.
    pub fn corners(&self) -> Option<&[u32]> {
        self.corners.get()
    }

    /// The index of the point of a vertex.
    #[cfg(any(feature = "u3d", feature = "unigine"))]
    pub(crate) fn point(&self, vertex: usize) -> usize {
        // A vertex of the topology has a point.
        self.points().map_or(vertex, |map| map.get(vertex).map_or(0, |point| *point as usize))
    }

    /// Whether the mesh consists of sprites: all its triangles have one [material of sprites](Material::sprites), and
    /// its vertices are squares. `materials` are the materials of the model, and `of_mesh` is the material of the mesh.
    ///
    /// ```
    /// use meshlens::model::{Material, PlainFrame, PlainMesh};
    ///
    /// let frame = PlainFrame { positions: vec![[0.0; 3]; 4], ..PlainFrame::default() };
    /// let plain = PlainMesh { frames: vec![frame], triangles: vec![[0, 1, 2], [1, 2, 3]], ..PlainMesh::default() };
    /// let topology = plain.into_mesh("flare")?.topology()?;
    /// let flare = Material { sprites: true, ..Material::new("flare") };
    /// assert!(topology.are_sprites(&[flare], Some(0)));
    /// assert_eq!(topology.sprite_triangles(), [[0, 3, 2], [0, 2, 1]]);
    /// # Ok::<(), meshlens::Error>(())
    /// ```
    pub fn are_sprites(&self, materials: &[Material], of_mesh: Option<usize>) -> bool {
        let [submesh] = &*self.submeshes else { return false };
        let material = submesh.material.or(of_mesh).and_then(|material| materials.get(material));
        material.is_some_and(|material| material.sprites) && self.vertex_count.is_multiple_of(4)
    }

    /// Two triangles for each four vertices, counter-clockwise for the camera that the squares of [sprites](Self::are_sprites)
    /// turn to. The first vertex becomes the top left of a square, the next ones its top right, bottom right and bottom left.
    pub fn sprite_triangles(&self) -> Vec<[u32; 3]> {
        let squares = (0..self.vertex_count as u32 / 4).map(|square| square * 4);
        squares
            .flat_map(|first| [[0, 3, 2], [0, 2, 1]].map(|corners| corners.map(|corner| first + corner)))
            .collect()
    }

    /// The smallest index format that can hold every vertex index. The largest 16-bit index is not used, because GPUs
    /// restart strips at it.
    pub const fn index_format(&self) -> IndexFormat {
        IndexFormat::for_vertices(self.vertex_count)
    }

    /// Writes an index buffer: three vertex indices for each triangle, in native byte order. A conversion that changes
    /// the winding exchanges two corners.
    ///
    /// ```
    /// use meshlens::model::{IndexFormat, Model, Space};
    ///
    /// # let bytes = meshlens::md3::write::sample(&[8.0])?;
    /// let model = Model::parse(&bytes)?;
    /// let topology = model.meshes[0].topology()?;
    /// assert_eq!(topology.index_format(), IndexFormat::Uint16);
    /// let mut out = [0; 6];
    /// topology.write_indices(IndexFormat::Uint16, Some(&model.space.to(&Space::GLTF)), &mut out)?;
    /// // Fronts are clockwise in MD3 and counter-clockwise in glTF.
    /// assert_eq!(out, [0u16, 2, 1].map(u16::to_ne_bytes).as_flattened());
    /// # Ok::<(), meshlens::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Length`](crate::wire::ErrorKind::Length) if `out` does not have room for exactly the indices of all triangles, and
    /// [`Limit`](crate::wire::ErrorKind::Limit) if the format is too small. `out` is then unchanged.
    pub fn write_indices(
        &self,
        format: IndexFormat,
        conversion: Option<&Conversion>,
        out: &mut [u8],
    ) -> Result<()> {
        if format == IndexFormat::Uint16 && self.index_format() != format {
            let checks = Checks::new("index buffer");
            return Err(checks.limit("vertices of 16-bit indices", u16::MAX.into(), self.vertex_count));
        }
        let layout = match conversion {
            Some(way) if way.swaps_winding => IndexBufferLayout::new(format).flipped(),
            _ => IndexBufferLayout::new(format),
        };
        layout.write(self.triangles.as_flattened(), out)?;
        Ok(())
    }

    /// The number of triangles that were left out because of an index out of range. Only Unreal meshes are known to
    /// have such triangles; in other formats such an index is an error.
    pub const fn dropped_triangles(&self) -> usize {
        self.dropped
    }

    /// Removes the content and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.vertex_count = 0;
        self.dropped = 0;
        self.points.clear();
        self.corners.clear();
        self.triangles.clear();
        self.submeshes.clear();
    }

    /// Makes one part of all triangles.
    pub(crate) fn one_part(&mut self, material: Option<usize>) {
        self.submeshes.push(Submesh { material, triangles: 0..self.triangles.len() });
    }
}

/// Copies values to `out`, one for each vertex: `values[map[i]]` to `out[i]`, or `values[i]` without a map. For an
/// index out of range, the element of `out` is unchanged; a [`Topology`] has no such index.
pub fn gather<V: Value>(values: &[V], map: Option<&[u32]>, out: &mut [V]) {
    match map {
        None => {
            for (out, value) in out.iter_mut().zip(values) {
                *out = *value;
            }
        }
        Some(map) => {
            for (out, index) in out.iter_mut().zip(map) {
                if let Some(value) = values.get(*index as usize) {
                    *out = *value;
                }
            }
        }
    }
}

/// Decodes an attribute into `out`, one value for each vertex of a [`Topology`]: `map` is its
/// [points](Topology::points) or [corners](Topology::corners). Both buffers are resized; with a map, `scratch` holds the
/// values before they are gathered.
///
/// # Errors
///
/// Never fails if the bytes of the attribute have not changed.
pub fn decode_gathered<V: Value>(
    attribute: ValueLens<'_, V>,
    map: Option<&[u32]>,
    scratch: &mut Vec<V>,
    out: &mut Vec<V>,
) -> Result<()> {
    let decoded: &mut Vec<V> = if map.is_some() { scratch } else { &mut *out };
    decoded.resize(attribute.len(), V::zeroed());
    attribute.decode_into(decoded)?;
    if let Some(map) = map {
        out.resize(map.len(), V::zeroed());
        gather(scratch, Some(map), out);
    }
    Ok(())
}
