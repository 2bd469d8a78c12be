//! Vertex buffers of any model: the attributes that the caller wants, at the places and in the formats it wants them.

use alloc::vec::Vec;
use core::fmt;

use meshlens_lens as lens;
use meshlens_lens::encoding::F32;
use meshlens_lens::{Elements, Encoding, FloatValue, Layout, Lens, Target};
use meshlens_wire::{Error, ErrorKind, Result};

use super::{Mesh, Model, Topology, gather};

/// An attribute of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Semantic {
    /// Where it is: three components.
    Position,
    /// Which way the surface faces there: three components.
    Normal,
    /// Along the texture's s, with the sign of the bitangent: four components.
    Tangent,
    /// Red, green, blue and alpha: four components.
    Color,
    /// A place on the texture, of the set of this number: two components.
    Texcoord(usize),
    /// How much each of up to four joints moves it: four components. [`VertexLayout::joints`] says which.
    Weights,
}

/// What the vertices of a buffer look like.
///
/// ```
/// use meshlens::lens::Target;
/// use meshlens::model::{Semantic, VertexLayout};
///
/// let layout = VertexLayout::new(20)
///     .with(Semantic::Position, 0, Target::F32x3)
///     .with(Semantic::Normal, 12, Target::Octahedral16x2)
///     .with(Semantic::Texcoord(0), 16, Target::Unorm16x2);
/// assert_eq!(layout.stride(), 20);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexLayout {
    layout: Layout,
    attributes: Vec<(Semantic, usize, Target)>,
    joints: Option<usize>,
}

impl VertexLayout {
    /// Vertices of `stride` bytes without any attribute. Bytes that belong to none stay as they are.
    pub const fn new(stride: usize) -> Self {
        VertexLayout { layout: Layout::new(stride), attributes: Vec::new(), joints: None }
    }

    /// With an attribute, `offset` bytes into each vertex, stored as `target`.
    #[must_use]
    pub fn with(mut self, semantic: Semantic, offset: usize, target: Target) -> Self {
        self.attributes.push((semantic, offset, target));
        self
    }

    /// With the numbers of the four joints of [`Semantic::Weights`] as 16-bit integers, `offset` bytes into each vertex.
    #[must_use]
    pub const fn joints(mut self, offset: usize) -> Self {
        self.joints = Some(offset);
        self
    }

    /// Written past the cache, as [`Layout::non_temporal`] says: for mapped staging memory.
    #[must_use]
    pub const fn non_temporal(mut self) -> Self {
        self.layout = self.layout.non_temporal();
        self
    }

    /// Bytes from one vertex to the next.
    pub const fn stride(&self) -> usize {
        self.layout.stride()
    }

    /// The place of the joints, once it is known to be inside the vertex and apart from the attributes.
    fn checked_joints(&self) -> Result<Option<usize>, lens::Error> {
        let Some(offset) = self.joints else { return Ok(None) };
        let (end, attribute, stride) = (offset.saturating_add(8), self.attributes.len(), self.stride());
        if end > stride {
            return Err(lens::Error::Outside { attribute, end, stride });
        }
        if !offset.is_multiple_of(2) || !stride.is_multiple_of(2) {
            return Err(lens::Error::Misaligned { attribute, offset, stride, align: 2 });
        }
        let overlaps = |(_, other, target): &(Semantic, usize, Target)| {
            *other < end && offset < other.saturating_add(target.size())
        };
        match self.attributes.iter().position(overlaps) {
            Some(first) => Err(lens::Error::Overlap { first, second: attribute }),
            None => Ok(Some(offset)),
        }
    }
}

/// Why a vertex buffer could not be filled. Nothing is written then.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum InterleaveError {
    /// There is no such mesh or frame, or a triangle names no vertex.
    Model(Error),
    /// The layout or the buffer does not fit.
    Layout(lens::Error),
    /// The mesh does not have this attribute.
    Missing(Semantic),
}

impl fmt::Display for InterleaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InterleaveError::Model(error) => error.fmt(f),
            InterleaveError::Layout(error) => error.fmt(f),
            InterleaveError::Missing(semantic) => write!(f, "the mesh has no {semantic:?}"),
        }
    }
}

impl core::error::Error for InterleaveError {}

impl From<Error> for InterleaveError {
    fn from(error: Error) -> Self {
        InterleaveError::Model(error)
    }
}

impl From<lens::Error> for InterleaveError {
    fn from(error: lens::Error) -> Self {
        InterleaveError::Layout(error)
    }
}

impl Model<'_> {
    /// Fills a vertex buffer with one frame of a mesh: [`Mesh::interleave`] with the mesh's own topology. Of formats whose
    /// vertices lie in the file as they are drawn (MD3, Ultimate 3D), that is one pass over `out` and no memory that grows with the mesh; of
    /// the others the vertices are welded first, which whoever fills several buffers of one mesh does better once.
    ///
    /// ```
    /// use meshlens::lens::Target;
    /// use meshlens::model::{Model, Semantic, VertexLayout};
    ///
    /// # use meshlens::md3::write;
    /// # let mut file = write::Model::new("flag")?;
    /// # file.frames.push(write::Frame::named("idle")?);
    /// # let mut surface = write::Surface::new("flag")?;
    /// # surface.triangles.push([0, 1, 2]);
    /// # surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    /// # surface.add_frame(&[[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]], &[[1.0, 0.0, 0.0]; 3])?;
    /// # file.surfaces.push(surface);
    /// # let bytes = file.write()?;
    /// let model = Model::parse(&bytes)?;
    /// let layout =
    ///     VertexLayout::new(20).with(Semantic::Position, 0, Target::F32x3).with(Semantic::Texcoord(0), 12, Target::F32x2);
    /// let mut staging = [0; 3 * 20];
    /// model.interleave(0, 0, &layout, &mut staging)?;
    /// assert_eq!(staging[40 + 8..][..4], 8f32.to_ne_bytes(), "the third vertex is 8 units up");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Mesh::interleave`], a mesh past the last, and a triangle that names no vertex where vertices are welded.
    pub fn interleave(
        &self,
        mesh: usize,
        frame: usize,
        layout: &VertexLayout,
        out: &mut [u8],
    ) -> Result<(), InterleaveError> {
        let Some(found) = self.meshes.get(mesh) else {
            let index = i64::try_from(mesh).unwrap_or(i64::MAX);
            let kind = ErrorKind::Index { what: "mesh", index, count: self.meshes.len() as u64 };
            return Err(Error::new(self.format.name(), 0, kind).into());
        };
        let topology = if found.is_welded() { Topology::default() } else { found.topology()? };
        found.interleave(&topology, frame, layout, out)
    }
}

/// Elements of an attribute as they lie in the file, or in memory where they had to be put together.
enum Column<'m> {
    Vectors(super::Attribute<'m, [f32; 3]>),
    Pairs(super::Attribute<'m, [f32; 2]>),
    Three(Vec<[f32; 3]>),
    Two(Vec<[f32; 2]>),
    Four(Vec<[f32; 4]>),
}

fn own<E: Encoding + Default, V: FloatValue>(values: &[V], encoding: E) -> Lens<'_, E> {
    Lens::new(encoding, bytemuck::cast_slice(values), 0, E::SIZE, values.len())
        .unwrap_or(Lens::empty(encoding))
}

impl Elements for Column<'_> {
    fn count(&self) -> usize {
        match self {
            Column::Vectors(attribute) => attribute.len(),
            Column::Pairs(attribute) => attribute.len(),
            Column::Three(values) => values.len(),
            Column::Two(values) => values.len(),
            Column::Four(values) => values.len(),
        }
    }

    fn components(&self) -> usize {
        match self {
            Column::Pairs(_) | Column::Two(_) => 2,
            Column::Vectors(_) | Column::Three(_) => 3,
            Column::Four(_) => 4,
        }
    }

    fn decode_part(&self, level: lens::Level, first: usize, out: &mut [f32]) {
        match self {
            Column::Vectors(attribute) => attribute.decode_part(level, first, out),
            Column::Pairs(attribute) => attribute.decode_part(level, first, out),
            Column::Three(values) => own(values, F32::<3>).decode_part(level, first, out),
            Column::Two(values) => own(values, F32::<2>).decode_part(level, first, out),
            Column::Four(values) => own(values, F32::<4>).decode_part(level, first, out),
        }
    }
}

/// Elements where vertices want them.
fn per_vertex<V: FloatValue>(decoded: Vec<V>, map: Option<&[u32]>) -> Vec<V> {
    let Some(map) = map else { return decoded };
    let mut out = alloc::vec![V::zeroed(); map.len()];
    gather(&decoded, Some(map), &mut out);
    out
}

impl<'a> Mesh<'a> {
    /// Fills a vertex buffer with one frame, in one pass over it: `out` holds exactly as many vertices as `topology`, in
    /// the mesh's own space. Of a mesh that [is welded](Self::is_welded) the topology may be empty, and what lies in the
    /// file is decoded straight into `out`; what has to be gathered or computed is put together first, in as much memory
    /// as it takes. O(vertices).
    ///
    /// # Errors
    ///
    /// A frame past the last, an attribute that the mesh does not have, a layout that does not fit.
    pub fn interleave(
        &self,
        topology: &Topology,
        frame: usize,
        layout: &VertexLayout,
        out: &mut [u8],
    ) -> Result<(), InterleaveError> {
        let joints_offset = layout.checked_joints()?;
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        let weighted = |(semantic, ..): &(Semantic, usize, Target)| *semantic == Semantic::Weights;
        if (joints_offset.is_some() || layout.attributes.iter().any(weighted))
            && !self.influences_into(&mut joints, &mut weights)
        {
            return Err(InterleaveError::Missing(Semantic::Weights));
        }
        let joints = {
            let mut placed = alloc::vec![[0; 4]; topology.points().map_or(joints.len(), <[u32]>::len)];
            gather(&joints, topology.points(), &mut placed);
            placed
        };
        let columns = layout.attributes.iter().map(|(semantic, ..)| match semantic {
            Semantic::Weights => Ok(Column::Four(per_vertex(weights.clone(), topology.points()))),
            semantic => self.column(*semantic, topology, frame),
        });
        let columns = columns.collect::<Result<Vec<Column<'_>>, InterleaveError>>()?;
        let attributes: Vec<lens::Attribute<'_>> = columns
            .iter()
            .zip(&layout.attributes)
            .map(|(column, (_, offset, target))| lens::Attribute::new(column, *offset, *target))
            .collect();
        lens::decode_interleaved(&attributes, layout.layout, out)?;
        if let Some(offset) = joints_offset {
            for (vertex, joints) in out.chunks_mut(layout.stride().max(1)).zip(&joints) {
                if let Some(slot) = vertex.get_mut(offset..).and_then(|rest| rest.first_chunk_mut::<8>()) {
                    *slot = bytemuck::cast(*joints);
                }
            }
        }
        Ok(())
    }

    fn column(
        &self,
        semantic: Semantic,
        topology: &Topology,
        frame: usize,
    ) -> Result<Column<'_>, InterleaveError> {
        let (points, corners) = (topology.points(), topology.corners());
        let missing = InterleaveError::Missing(semantic);
        Ok(match semantic {
            Semantic::Position => {
                let positions = self.positions(frame)?;
                match points {
                    None => Column::Vectors(positions),
                    Some(_) => Column::Three(per_vertex(positions.to_vec(), points)),
                }
            }
            Semantic::Normal => match (self.normals(frame)?, corners) {
                (Some(normals), None) => Column::Vectors(normals),
                _ => {
                    let mut normals = Vec::new();
                    if !self.normals_into(frame, &mut normals)? {
                        return Err(missing);
                    }
                    Column::Three(per_vertex(normals, corners))
                }
            },
            Semantic::Texcoord(set) => match (self.texcoords(set), corners) {
                (Some(texcoords), None) => Column::Pairs(texcoords),
                _ => {
                    let mut texcoords = Vec::new();
                    if !self.texcoords_into(set, &mut texcoords) {
                        return Err(missing);
                    }
                    Column::Two(per_vertex(texcoords, corners))
                }
            },
            Semantic::Tangent => {
                let mut tangents = Vec::new();
                if !self.tangents_into(frame, &mut tangents)? {
                    return Err(missing);
                }
                Column::Four(per_vertex(tangents, corners))
            }
            Semantic::Color => {
                let mut colors = Vec::new();
                if !self.colors_into(&mut colors) {
                    return Err(missing);
                }
                Column::Four(per_vertex(colors, corners))
            }
            Semantic::Weights => return Err(missing),
        })
    }
}
