//! Vertex buffers of any model, in a layout that the caller describes.

use alloc::boxed::Box;
use alloc::vec::Vec;

use glam::{Mat3, Mat4, Vec3};
use meshlens_lens as lens;
use meshlens_lens::{AttributeSource, Gathered, Lerp, Level, Swizzled, VertexBufferLayout, VertexFormat};
use meshlens_wire::{Error, ErrorKind, Place, Result};

use super::mesh::SkinPose;
use super::sources::ValueSource;
use super::{Blend, Conversion, Mesh, Model, Topology, normal_matrix};

/// The kind of a vertex attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Semantic {
    /// The position: three components.
    Position,
    /// The normal: three components.
    Normal,
    /// The tangent, along the S axis of the texture, and the sign of the bitangent: four components.
    Tangent,
    /// The color: red, green, blue and alpha.
    Color,
    /// The texture coordinates of the set with this index: two components.
    Texcoord(usize),
    /// The indices of up to four joints, in an integer format of four components, such as
    /// [`Uint16x4`](VertexFormat::Uint16x4), or [`Uint8x4`](VertexFormat::Uint8x4) for a model of up to 256 joints.
    Joints,
    /// The weights of these joints: four components.
    Weights,
}

/// The layout of the vertices in a buffer.
///
/// ```
/// use meshlens::lens::VertexFormat;
/// use meshlens::model::{Semantic, VertexLayout};
///
/// let layout = VertexLayout::new(20)
///     .with(Semantic::Position, 0, VertexFormat::Float32x3)
///     .with(Semantic::Normal, 12, VertexFormat::Octahedral16x2)
///     .with(Semantic::Texcoord(0), 16, VertexFormat::Unorm16x2);
/// assert_eq!(layout.stride(), 20);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct VertexLayout {
    layout: VertexBufferLayout,
    conversion: Option<Conversion>,
    attributes: Vec<(Semantic, usize, VertexFormat)>,
}

impl VertexLayout {
    /// Makes a layout of `stride` bytes for each vertex, without attributes. Bytes that belong to no attribute are not
    /// written.
    pub const fn new(stride: usize) -> Self {
        VertexLayout { layout: VertexBufferLayout::new(stride), conversion: None, attributes: Vec::new() }
    }

    /// Adds an attribute, `offset` bytes into each vertex, stored as `target`.
    #[must_use]
    pub fn with(mut self, semantic: Semantic, offset: usize, target: VertexFormat) -> Self {
        self.attributes.push((semantic, offset, target));
        self
    }

    /// Converts positions, normals and tangents to another space while they are written. For example,
    /// `model.space.to(&Space::GLTF)` is the conversion for an engine in which Y is up. [`Topology::write_indices`]
    /// converts the triangles.
    #[must_use]
    pub const fn converted(mut self, conversion: Conversion) -> Self {
        self.conversion = Some(conversion);
        self
    }

    /// Writes with stores that bypass the cache, like [`VertexBufferLayout::non_temporal`]. Use it for mapped staging
    /// memory.
    #[must_use]
    pub const fn non_temporal(mut self) -> Self {
        self.layout = self.layout.non_temporal();
        self
    }

    /// The number of bytes from one vertex to the next.
    pub const fn stride(&self) -> usize {
        self.layout.stride()
    }

    /// Whether vertices have joints or weights.
    pub(crate) fn has_influences(&self) -> bool {
        self.attributes.iter().any(|(semantic, ..)| matches!(semantic, Semantic::Joints | Semantic::Weights))
    }
}

/// How vertices are displayed: moved by joints, and then brought to another space.
#[derive(Clone, Copy)]
pub(crate) struct Displayed<'p> {
    pub(crate) placement: Placement,
    /// The matrix of each joint in the space of the model; empty if no joint moves the vertices.
    pub(crate) joints: &'p [Mat4],
}

/// A transform of vertices.
#[derive(Clone, Copy)]
pub(crate) enum Placement {
    /// Components are exchanged, negated and scaled.
    Axes(Conversion),
    /// Any other.
    Matrix {
        positions: Mat4,
        normals: Mat3,
        /// Whether the handedness changes.
        mirrors: bool,
    },
}

impl Placement {
    pub(crate) fn matrix(positions: Mat4) -> Self {
        let linear = Mat3::from_mat4(positions);
        Placement::Matrix { positions, normals: normal_matrix(linear), mirrors: linear.determinant() < 0.0 }
    }
}

impl Semantic {
    /// The error for a mesh without the attribute.
    fn missing(self) -> Error {
        let what = match self {
            Semantic::Position => "position",
            Semantic::Normal => "normal",
            Semantic::Tangent => "tangent",
            Semantic::Color => "color",
            Semantic::Texcoord(_) => "texture coordinate",
            Semantic::Joints | Semantic::Weights => "joint and weight",
        };
        let error = Error::of_call("mesh", ErrorKind::Missing { what });
        match self {
            Semantic::Texcoord(set) => error.at(Place::new("set", set as u64)),
            _ => error,
        }
    }
}

impl Model<'_> {
    /// Fills a vertex buffer with one frame of a mesh, or with a blend of two frames. Calls [`Mesh::interleave`] with
    /// the topology of the mesh. If vertices are stored as they are drawn (MD3, Ultimate 3D), this is one pass over
    /// `out`, and no allocation grows with the mesh. In other formats, vertices are welded first: to fill several
    /// buffers of one mesh, make the [topology](Mesh::topology) once.
    ///
    /// ```
    /// use meshlens::lens::VertexFormat;
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
    ///     VertexLayout::new(20).with(Semantic::Position, 0, VertexFormat::Float32x3).with(Semantic::Texcoord(0), 12, VertexFormat::Float32x2);
    /// let mut staging = [0; 3 * 20];
    /// model.interleave(0, 0, &layout, &mut staging)?;
    /// assert_eq!(staging[40 + 8..][..4], 8f32.to_ne_bytes(), "the third vertex is 8 units up");
    /// # Ok::<(), meshlens::Error>(())
    /// ```
    ///
    /// A clip that plays in an engine in which Y is up:
    ///
    /// ```
    /// use meshlens::lens::VertexFormat;
    /// use meshlens::model::{Model, Semantic, Space, VertexLayout};
    ///
    /// # use meshlens::md3::write;
    /// # let mut file = write::Model::new("flag")?;
    /// # for name in ["wave1", "wave2"] { file.frames.push(write::Frame::named(name)?); }
    /// # let mut surface = write::Surface::new("flag")?;
    /// # surface.texcoords.push([0.0, 0.0]);
    /// # for up in [0.0, 8.0] { surface.add_frame(&[[0.0, 0.0, up]], &[[0.0, 0.0, 1.0]])?; }
    /// # file.surfaces.push(surface);
    /// # let bytes = file.write()?;
    /// let model = Model::parse(&bytes)?;
    /// let layout = VertexLayout::new(12)
    ///     .with(Semantic::Position, 0, VertexFormat::Float32x3)
    ///     .converted(model.space.to(&Space::GLTF));
    /// let mut staging = [0; 12];
    /// // Halfway from the first frame to the second: 4 units up, which is along Y in glTF.
    /// model.interleave(0, model.clips[0].sample(0.05), &layout, &mut staging)?;
    /// assert_eq!(staging[4..8], 4f32.to_ne_bytes());
    /// # Ok::<(), meshlens::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The mesh is out of range; a triangle has an index that is out of range, if vertices are welded; and the errors
    /// of [`Mesh::interleave`].
    pub fn interleave(
        &self,
        mesh: usize,
        frame: impl Into<Blend>,
        layout: &VertexLayout,
        out: &mut [u8],
    ) -> Result<()> {
        let Some(found) = self.meshes.get(mesh) else {
            let index = i64::try_from(mesh).unwrap_or(i64::MAX);
            let kind = ErrorKind::Index { what: "mesh", index, count: self.meshes.len() as u64 };
            return Err(Error::of_call(self.format.map_or("meshlens", crate::Format::name), kind));
        };
        let topology = if found.is_welded() { Topology::default() } else { found.topology()? };
        found.interleave(&topology, frame, layout, out)
    }
}

impl Mesh<'_> {
    /// Fills a vertex buffer with one frame, or with a [blend](Blend) of two frames, in one pass over `out`. `out` must
    /// have room for exactly the vertices of `topology`. The vertices are in the space of the model, unless the layout
    /// [converts](VertexLayout::converted) them.
    ///
    /// If the mesh [is welded](Self::is_welded), the topology may be empty. Arrays of the file are gathered, decoded, blended
    /// and converted block by block; only normals that are computed from triangles (Unreal) are collected in memory first,
    /// and UNIGINE's weights take one number for each 16 points. O(vertices).
    ///
    /// # Errors
    ///
    /// The frame is out of range, the mesh does not have an attribute, the topology was made from another mesh, or the
    /// layout or the output has the wrong size. `out` is then unchanged.
    pub fn interleave(
        &self,
        topology: &Topology,
        frame: impl Into<Blend>,
        layout: &VertexLayout,
        out: &mut [u8],
    ) -> Result<()> {
        let placement = layout.conversion.unwrap_or(Conversion::IDENTITY);
        let displayed = Displayed { placement: Placement::Axes(placement), joints: &[] };
        self.interleave_displayed(topology, frame.into(), layout, displayed, out)
    }

    /// Like [`interleave`](Self::interleave), for vertices that are displayed somewhere.
    pub(crate) fn interleave_displayed(
        &self,
        topology: &Topology,
        blend: Blend,
        layout: &VertexLayout,
        displayed: Displayed<'_>,
        out: &mut [u8],
    ) -> Result<()> {
        let influences = self.influences(layout, topology)?;
        let skin = if displayed.joints.is_empty() { None } else { SkinPose::new(self, displayed.joints)? };
        let mut columns: Vec<Box<dyn AttributeSource + '_>> = Vec::with_capacity(layout.attributes.len());
        for (semantic, _, format) in &layout.attributes {
            let joints_or_weights = match semantic {
                Semantic::Joints => {
                    self.check_joints(*format)?;
                    influences.as_ref().map(|[joints, _]| joints)
                }
                Semantic::Weights => influences.as_ref().map(|[_, weights]| weights),
                _ => None,
            };
            columns.push(match joints_or_weights {
                Some(source) => Box::new(&**source),
                None => {
                    let column = self.column(*semantic, topology, blend)?;
                    let column = skinned(column, *semantic, skin.as_ref(), topology.points());
                    place(column, *semantic, displayed.placement)
                }
            });
        }
        let attributes: Vec<lens::VertexAttribute<'_>> = columns
            .iter()
            .zip(&layout.attributes)
            .map(|(column, (_, offset, format))| lens::VertexAttribute::new(&**column, *offset, *format))
            .collect();
        lens::decode_interleaved(&attributes, layout.layout, out)
    }

    /// The joints and the weights of each vertex, if the layout has either.
    fn influences<'m>(
        &'m self,
        layout: &VertexLayout,
        topology: &'m Topology,
    ) -> Result<Option<[Box<dyn AttributeSource + 'm>; 2]>> {
        if !layout.has_influences() {
            return Ok(None);
        }
        let Some([joints, weights]) = self.arrays.influence_sources()? else {
            return Err(Semantic::Weights.missing());
        };
        let points = topology.points();
        Ok(Some([per_vertex(joints, points)?, per_vertex(weights, points)?]))
    }

    /// Checks that an 8-bit format can hold every joint index.
    fn check_joints(&self, format: VertexFormat) -> Result<()> {
        let (limit, found) = (1 << 8, self.skin.as_ref().map_or(0, |skin| skin.len()) as u64);
        if format == VertexFormat::Uint8x4 && found > limit {
            let kind = ErrorKind::Limit { what: "joints of 8-bit indices", limit, found };
            return Err(Error::of_call("mesh", kind));
        }
        Ok(())
    }

    /// The values of an attribute, one for each vertex.
    fn column<'m>(
        &'m self,
        semantic: Semantic,
        topology: &'m Topology,
        blend: Blend,
    ) -> Result<Box<dyn AttributeSource + 'm>> {
        let (points, corners) = (topology.points(), topology.corners());
        let found = |source: Option<ValueSource<'m>>| source.ok_or_else(|| semantic.missing());
        let map = if semantic == Semantic::Position { points } else { corners };
        let source = |frame: usize| -> Result<ValueSource<'m>> {
            match semantic {
                Semantic::Position => Ok(Box::new(self.positions(frame)?)),
                Semantic::Normal => found(self.arrays.normal_source(frame)?),
                Semantic::Tangent => found(self.arrays.tangent_source(frame)?),
                Semantic::Texcoord(set) => found(self.arrays.texcoord_source(set)?),
                Semantic::Color => found(self.arrays.color_source()?),
                Semantic::Joints | Semantic::Weights => Err(semantic.missing()),
            }
        };
        let a = source(blend.a)?;
        let moves = matches!(semantic, Semantic::Position | Semantic::Normal | Semantic::Tangent);
        if blend.is_still() || !moves {
            return per_vertex(a, map);
        }
        let (a, b) = (per_vertex(a, map)?, per_vertex(source(blend.b)?, map)?);
        Ok(match semantic {
            Semantic::Normal => Box::new(Lerp::directions(a, b, blend.weight)?),
            Semantic::Tangent => Box::new(Lerp::tangents(a, b, blend.weight)?),
            _ => Box::new(Lerp::new(a, b, blend.weight)?),
        })
    }
}

/// The values of the vertices, in vertex order.
fn per_vertex<'m>(source: ValueSource<'m>, map: Option<&'m [u32]>) -> Result<Box<dyn AttributeSource + 'm>> {
    Ok(match map {
        Some(map) => Box::new(Gathered::new(source, map)?),
        None => Box::new(source),
    })
}

/// Moves values by the joints, if they depend on them. `points` is the point of each vertex.
fn skinned<'m>(
    source: Box<dyn AttributeSource + 'm>,
    semantic: Semantic,
    skin: Option<&'m SkinPose>,
    points: Option<&'m [u32]>,
) -> Box<dyn AttributeSource + 'm> {
    let Some(skin) = skin else { return source };
    let point = move |vertex: usize| match points {
        // A vertex of the topology has a point.
        Some(map) => map.get(vertex).map_or(0, |point| *point as usize),
        None => vertex,
    };
    match semantic {
        Semantic::Position => each(source, move |vertex, [x, y, z, w]| {
            let [x, y, z] = skin.position(point(vertex), [x, y, z]);
            [x, y, z, w]
        }),
        Semantic::Normal | Semantic::Tangent => each(source, move |vertex, [x, y, z, w]| {
            let [x, y, z] = skin.direction(point(vertex), [x, y, z]);
            [x, y, z, w]
        }),
        Semantic::Color | Semantic::Texcoord(_) | Semantic::Joints | Semantic::Weights => source,
    }
}

/// Brings values to another space, if they depend on it.
fn place<'m>(
    source: Box<dyn AttributeSource + 'm>,
    semantic: Semantic,
    placement: Placement,
) -> Box<dyn AttributeSource + 'm> {
    match (placement, semantic) {
        (_, Semantic::Color | Semantic::Texcoord(_) | Semantic::Joints | Semantic::Weights) => source,
        (Placement::Axes(conversion), _) => {
            let (from, factor) = match semantic {
                Semantic::Position => conversion.position_factors(),
                _ => conversion.direction_factors(),
            };
            if (from, factor) == ([0, 1, 2, 3], [1.0; 4]) {
                return source;
            }
            Box::new(Swizzled::new(source, from, factor))
        }
        (Placement::Matrix { positions, .. }, Semantic::Position) => each(source, move |_, [x, y, z, w]| {
            let [x, y, z] = positions.transform_point3(Vec3::new(x, y, z)).to_array();
            [x, y, z, w]
        }),
        (Placement::Matrix { normals, .. }, Semantic::Normal) => each(source, move |_, [x, y, z, w]| {
            let [x, y, z] = turned(normals, [x, y, z]);
            [x, y, z, w]
        }),
        (Placement::Matrix { positions, mirrors, .. }, Semantic::Tangent) => {
            let linear = Mat3::from_mat4(positions);
            each(source, move |_, [x, y, z, w]| {
                let [x, y, z] = turned(linear, [x, y, z]);
                [x, y, z, if mirrors { -w } else { w }]
            })
        }
    }
}

/// A direction that a matrix turns, of length 1. A direction of length 0 is unchanged.
fn turned(matrix: Mat3, direction: [f32; 3]) -> [f32; 3] {
    (matrix * Vec3::from(direction)).try_normalize().map_or(direction, |turned| turned.to_array())
}

/// Values that are changed one by one. The function gets the index of a vertex and its value; components that the values
/// do not have are 0.
fn each<'m>(
    source: Box<dyn AttributeSource + 'm>,
    change: impl Fn(usize, [f32; 4]) -> [f32; 4] + 'm,
) -> Box<dyn AttributeSource + 'm> {
    Box::new(Each { source, change })
}

struct Each<'m, F> {
    source: Box<dyn AttributeSource + 'm>,
    change: F,
}

impl<F: Fn(usize, [f32; 4]) -> [f32; 4]> AttributeSource for Each<'_, F> {
    fn count(&self) -> usize {
        self.source.count()
    }

    fn components(&self) -> usize {
        self.source.components()
    }

    fn decode_part(&self, level: Level, first: usize, out: &mut [f32]) {
        self.source.decode_part(level, first, out);
        let values = out.chunks_exact_mut(self.components().max(1));
        for (vertex, out) in (first..self.count()).zip(values) {
            let mut value = [0.0; 4];
            value.iter_mut().zip(out.iter()).for_each(|(value, out)| *value = *out);
            let changed = (self.change)(vertex, value);
            out.iter_mut().zip(changed).for_each(|(out, value)| *out = value);
        }
    }
}
