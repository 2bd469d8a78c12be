//! Vertex buffers of any model, in a [layout](VertexLayout) that the caller describes.

use alloc::boxed::Box;
use alloc::vec::Vec;

use meshlens_lens as lens;
use meshlens_lens::{AttributeSource, Gathered, Lerp, Level, Semantic, Swizzled, VertexFormat};
use meshlens_wire::{Error, ErrorKind, Result};

use super::attribute::{ValueSource, missing};
use super::layout::{Field, VertexLayout};
use super::skin::SkinPose;
use super::{Blend, Conversion, Mesh, Model, Placement, Topology};

/// How vertices are displayed: moved by joints, and then converted to another space.
#[derive(Clone, Copy)]
pub(crate) struct Displayed<'p> {
    pub(crate) placement: Placement,
    /// The matrix of each joint in the space of the model; empty if no joint moves the vertices.
    pub(crate) joints: &'p [[[f32; 4]; 4]],
}

impl Model<'_> {
    /// Fills a vertex buffer with one frame of a mesh, or with a blend of two frames. Calls [`Mesh::fill_vertex_buffer`] with
    /// the topology of the mesh. If vertices are stored as they are drawn (MD3, Ultimate 3D), this is one pass over
    /// `out`, and no allocation grows with the mesh. In other formats, vertices are welded first: to fill several
    /// buffers of one mesh, make the [topology](Mesh::topology) once.
    ///
    /// ```
    /// use meshlens::lens::VertexFormat;
    /// use meshlens::model::{Model, Semantic, VertexLayout};
    ///
    /// # let bytes = meshlens::md3::write::sample(&[8.0])?;
    /// let model = Model::parse(&bytes)?;
    /// let layout =
    ///     VertexLayout::new(20).with(Semantic::Position, 0, VertexFormat::Float32x3).with(Semantic::Texcoord, 12, VertexFormat::Float32x2);
    /// let mut staging = [0; 3 * 20];
    /// model.fill_vertex_buffer(0, 0, &layout, &mut staging)?;
    /// assert_eq!(staging[40 + 8..][..4], 8f32.to_ne_bytes(), "the third vertex is 8 units up");
    /// # Ok::<(), meshlens::Error>(())
    /// ```
    ///
    /// A clip that plays, in the space of the model. A [view](crate::scene::View) fills buffers in another space.
    ///
    /// ```
    /// use meshlens::lens::VertexFormat;
    /// use meshlens::model::{Model, Semantic, VertexLayout};
    ///
    /// # let bytes = meshlens::md3::write::sample(&[0.0, 8.0])?;
    /// let model = Model::parse(&bytes)?;
    /// let layout = VertexLayout::new(12).with(Semantic::Position, 0, VertexFormat::Float32x3);
    /// let mut staging = [0; 3 * 12];
    /// // Halfway from the first frame to the second: 4 units up.
    /// model.fill_vertex_buffer(0, model.clips[0].sample(0.05), &layout, &mut staging)?;
    /// assert_eq!(staging[24 + 8..], 4f32.to_ne_bytes(), "the third vertex");
    /// # Ok::<(), meshlens::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The mesh is out of range; a triangle has an index that is out of range, if vertices are welded; and the errors
    /// of [`Mesh::fill_vertex_buffer`].
    pub fn fill_vertex_buffer(
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
        found.fill_vertex_buffer(&topology, frame, layout, out)
    }
}

impl Mesh<'_> {
    /// Fills a vertex buffer with one frame, or with a [blend](Blend) of two frames, in one pass over `out`. `out` must
    /// have room for exactly the vertices of `topology`. The vertices are in the space of the model; a
    /// [view](crate::scene::View) converts them to another space.
    ///
    /// If the mesh [is welded](Self::is_welded), the topology may be empty. Arrays of the file are gathered, decoded, blended
    /// and converted block by block; only normals that are computed from triangles (Unreal) are collected in memory first,
    /// and UNIGINE's weights take one number for each 16 points. O(vertices).
    ///
    /// # Errors
    ///
    /// The frame is out of range, the mesh does not have an attribute, the topology was made from another mesh, or the
    /// layout or the output has the wrong size. `out` is then unchanged.
    pub fn fill_vertex_buffer(
        &self,
        topology: &Topology,
        frame: impl Into<Blend>,
        layout: &VertexLayout,
        out: &mut [u8],
    ) -> Result<()> {
        let placement = Conversion::IDENTITY.into();
        let displayed = Displayed { placement, joints: &[] };
        self.interleave_displayed(topology, frame.into(), layout, displayed, out)
    }

    /// Like [`fill_vertex_buffer`](Self::fill_vertex_buffer), for vertices that are moved by joints or converted to another space.
    pub(crate) fn interleave_displayed(
        &self,
        topology: &Topology,
        blend: Blend,
        layout: &VertexLayout,
        displayed: Displayed<'_>,
        out: &mut [u8],
    ) -> Result<()> {
        let skin = if displayed.joints.is_empty() { None } else { self.skin_pose(displayed.joints)? };
        let mut columns: Vec<Box<dyn AttributeSource + '_>> = Vec::with_capacity(layout.attributes.len());
        for field in &layout.attributes {
            if field.semantic == Semantic::Joints {
                self.check_joints(field.format)?;
            }
            let column = self.column(field, topology, blend)?;
            let column = skinned(column, field.semantic, skin.as_ref(), topology);
            columns.push(place(column, field.semantic, displayed.placement));
        }
        let attributes: Vec<lens::VertexAttribute<'_>> = columns
            .iter()
            .zip(&layout.attributes)
            .map(|(column, field)| lens::VertexAttribute::new(&**column, field.offset, field.format))
            .collect();
        lens::decode_interleaved(&attributes, layout.layout, out)
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
        field: &Field,
        topology: &'m Topology,
        blend: Blend,
    ) -> Result<Box<dyn AttributeSource + 'm>> {
        let Field { semantic, set, .. } = *field;
        let map = match semantic {
            Semantic::Position | Semantic::Joints | Semantic::Weights => topology.points(),
            _ => topology.corners(),
        };
        let source = |frame: usize| {
            let found = self.attribute(semantic, set, frame)?.ok_or_else(|| missing(semantic, set))?;
            per_vertex(found.into_source(), map)
        };
        if !matches!(semantic, Semantic::Position | Semantic::Normal | Semantic::Tangent) {
            return source(0);
        }
        let a = source(blend.a)?;
        if blend.is_still() {
            return Ok(a);
        }
        let b = source(blend.b)?;
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

/// Moves values by the joints, if the attribute depends on them.
fn skinned<'m>(
    source: Box<dyn AttributeSource + 'm>,
    semantic: Semantic,
    skin: Option<&'m SkinPose>,
    topology: &'m Topology,
) -> Box<dyn AttributeSource + 'm> {
    let Some(skin) = skin else { return source };
    match semantic {
        Semantic::Position => each(source, move |vertex, [x, y, z, w]| {
            let [x, y, z] = skin.position(topology.point(vertex), [x, y, z]);
            [x, y, z, w]
        }),
        Semantic::Normal | Semantic::Tangent => each(source, move |vertex, [x, y, z, w]| {
            let [x, y, z] = skin.direction(topology.point(vertex), [x, y, z]);
            [x, y, z, w]
        }),
        _ => source,
    }
}

/// Converts values to another space, if the attribute depends on it.
fn place<'m>(
    source: Box<dyn AttributeSource + 'm>,
    semantic: Semantic,
    placement: Placement,
) -> Box<dyn AttributeSource + 'm> {
    match (placement.conversion(), semantic) {
        (Some(conversion), Semantic::Position | Semantic::Normal | Semantic::Tangent) => {
            let (from, factor) = match semantic {
                Semantic::Position => conversion.position_factors(),
                _ => conversion.direction_factors(),
            };
            if (from, factor) == ([0, 1, 2, 3], [1.0; 4]) {
                return source;
            }
            Box::new(Swizzled::new(source, from, factor))
        }
        (_, Semantic::Tangent) => each(source, move |_, tangent| placement.tangent(tangent)),
        (_, Semantic::Position) => each(source, move |_, [x, y, z, w]| {
            let [x, y, z] = placement.position([x, y, z]);
            [x, y, z, w]
        }),
        (_, Semantic::Normal) => each(source, move |_, [x, y, z, w]| {
            let [x, y, z] = placement.normal([x, y, z]);
            [x, y, z, w]
        }),
        _ => source,
    }
}

/// Values that are changed one by one. The function receives the index of a vertex and its value. Missing components
/// are 0.
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
