//! Vertex buffers of any model, in a [layout](VertexLayout) that the caller describes.

use arrayvec::ArrayVec;
use meshlens_lens as lens;
use meshlens_lens::{
    AttributeSource, Gathered, Lerp, RandomAccess, Semantic, Skinned, Swizzled, Transformed, VertexFormat,
};
use meshlens_wire::{Checks, Error, ErrorKind, Result};

use super::attribute::{Attribute, missing};
use super::layout::{Field, MAX_ATTRIBUTES, VertexLayout};
use super::skin::ThreadMatrices;
use super::{Blend, Conversion, Mesh, Model, Placement, Topology};

/// How vertices are displayed: moved by joints, and then converted to another space.
#[derive(Clone, Copy)]
pub(crate) struct Displayed<'p> {
    pub(crate) placement: Placement,
    /// The matrix of each joint in the space of the model; empty if no joint moves the vertices.
    pub(crate) joints: &'p [[[f32; 4]; 4]],
    /// [`SkinMatrices`](super::SkinMatrices) of the joints and the mesh, if they were computed before.
    pub(crate) skin: Option<&'p [[[f32; 4]; 4]]>,
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
    /// and converted block by block; what is computed and kept instead is at [`attribute`](Self::attribute). O(vertices).
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
        let displayed = Displayed { placement, joints: &[], skin: None };
        self.interleave_displayed(topology, frame.into(), layout, displayed, out)
    }

    /// Like [`fill_vertex_buffer`](Self::fill_vertex_buffer), for vertices that are moved by joints or converted to another
    /// space. Each stage borrows the previous one, so that nothing is allocated.
    pub(crate) fn interleave_displayed(
        &self,
        topology: &Topology,
        blend: Blend,
        layout: &VertexLayout,
        displayed: Displayed<'_>,
        out: &mut [u8],
    ) -> Result<()> {
        layout.check()?;
        let fields = &layout.attributes;
        let mut found = ArrayVec::new_const();
        self.find(fields, topology, blend, &mut found)?;
        let mut gathered =
            ArrayVec::<Option<Gathered<'_, &dyn RandomAccess>>, { 2 * MAX_ATTRIBUTES }>::new_const();
        for (attribute, order) in &found {
            let ordered = order.map(|order| Gathered::new(attribute.source(), order)).transpose()?;
            let _ = gathered.try_push(ordered);
        }
        let mut sources = ArrayVec::<&dyn AttributeSource, { 2 * MAX_ATTRIBUTES }>::new_const();
        for ((attribute, _), gathered) in found.iter().zip(&gathered) {
            let _ = sources.try_push(match gathered {
                Some(gathered) => gathered,
                None => attribute.source(),
            });
        }
        let (firsts, seconds) = sources.split_at(fields.len().min(sources.len()));
        let mut seconds = seconds.iter();
        let (mut blended, mut after_blending) = (Stage::new_const(), Stage::new_const());
        let sources = if blend.is_still() {
            firsts
        } else {
            stage(fields, firsts, &mut blended, &mut after_blending, |field, first| {
                let Some(second) = (if field.moves() { seconds.next() } else { None }) else {
                    return Ok(None);
                };
                Ok(Some(match field.semantic {
                    Semantic::Normal => Lerp::directions(first, *second, blend.weight)?,
                    Semantic::Tangent => Lerp::tangents(first, *second, blend.weight)?,
                    _ => Lerp::new(first, *second, blend.weight)?,
                }))
            })?
        };
        let mut matrices = ThreadMatrices::new();
        let (mut skinned, mut after_skinning) = (Stage::new_const(), Stage::new_const());
        let sources = match self.skin(displayed.joints, displayed.skin, &mut matrices)? {
            None => sources,
            Some(skin) => stage(fields, sources, &mut skinned, &mut after_skinning, |field, source| {
                Ok(match field.semantic {
                    _ if !field.moves() => None,
                    Semantic::Position => Some(Skinned::positions(source, skin, topology.points())?),
                    _ => Some(Skinned::directions(source, skin, topology.points())?),
                })
            })?,
        };
        let (mut turned, mut placed, mut after_placing) =
            (Stage::new_const(), Stage::new_const(), Stage::new_const());
        let sources = match &displayed.placement.matrices() {
            None => stage(fields, sources, &mut turned, &mut after_placing, |field, source| {
                Ok(exchanged(source, field, &displayed.placement))
            })?,
            Some(matrices) => stage(fields, sources, &mut placed, &mut after_placing, |field, source| {
                Ok(Some(match field.semantic {
                    Semantic::Position => Transformed::positions(source, matrices.positions)?,
                    Semantic::Normal => Transformed::directions(source, matrices.normals, 1.0)?,
                    Semantic::Tangent => Transformed::directions(source, matrices.tangents, matrices.sign)?,
                    _ => return Ok(None),
                }))
            })?,
        };
        let mut attributes = Stage::new_const();
        for (field, source) in fields.iter().zip(sources) {
            let _ = attributes.try_push(lens::VertexAttribute::new(*source, field.offset(), field.format));
        }
        lens::decode_interleaved(&attributes, layout.layout, out)
    }

    /// Finds the attributes of the first frame, then those of the second one that move, and the order of their values.
    fn find<'m>(
        &'m self,
        fields: &[Field],
        topology: &'m Topology,
        blend: Blend,
        found: &mut ArrayVec<Found<'m>, { 2 * MAX_ATTRIBUTES }>,
    ) -> Result<()> {
        let mut add = |field: &Field, frame: usize| {
            let (semantic, set) = (field.semantic, field.set());
            let frame = if field.moves() { frame } else { 0 };
            let (attribute, order) = match semantic {
                Semantic::Joints | Semantic::Weights => {
                    (self.joints_or_weights(semantic)?, topology.points())
                }
                Semantic::Position => (self.attribute(semantic, set, frame)?, topology.points()),
                _ => (self.attribute(semantic, set, frame)?, topology.corners()),
            };
            let attribute = attribute.ok_or_else(|| missing(semantic, set))?;
            // A layout has at most half as many attributes.
            let _ = found.try_push((attribute, order));
            Ok(())
        };
        for field in fields {
            if field.semantic == Semantic::Joints {
                self.check_joints(field.format)?;
            }
            add(field, blend.a)?;
        }
        let mut moving = fields.iter().filter(|field| field.moves() && !blend.is_still());
        moving.try_for_each(|field| add(field, blend.b))
    }

    /// Checks that an 8-bit format can hold every joint index.
    fn check_joints(&self, format: VertexFormat) -> Result<()> {
        let most = if format == VertexFormat::Uint8x4 { 1 << 8 } else { usize::MAX };
        let joints = self.skin.as_ref().map_or(0, |skin| skin.len());
        Checks::new("mesh").at_most("joints of 8-bit indices", most, joints)
    }
}

/// A list with an element for each attribute of a layout. Lists are filled where they are, because moving one takes longer
/// than to fill a small buffer.
type Stage<T> = ArrayVec<T, MAX_ATTRIBUTES>;

/// An attribute, and the order of its values; `None` if vertices have the same order.
type Found<'m> = (Attribute<'m>, Option<&'m [u32]>);

/// Makes a source from the source of each attribute, or `None` to keep it. Returns the sources after this stage.
fn stage<'s: 't, 't: 'a, 'a, T: AttributeSource + 't>(
    fields: &[Field],
    sources: &[&'s dyn AttributeSource],
    stage: &'t mut Stage<Option<T>>,
    after: &'a mut Stage<&'t dyn AttributeSource>,
    mut make: impl FnMut(&Field, &'s dyn AttributeSource) -> Result<Option<T>>,
) -> Result<&'a [&'t dyn AttributeSource]> {
    for (field, source) in fields.iter().zip(sources) {
        let _ = stage.try_push(make(field, *source)?);
    }
    for (source, made) in sources.iter().zip(&*stage) {
        let _ = after.try_push(match made {
            Some(made) => made as &dyn AttributeSource,
            None => *source,
        });
    }
    Ok(after)
}

/// Exchanges components, if that is the conversion and the attribute depends on it.
fn exchanged<'s>(
    source: &'s dyn AttributeSource,
    field: &Field,
    placement: &Placement,
) -> Option<Swizzled<&'s dyn AttributeSource>> {
    let conversion = placement.conversion().filter(|_| field.moves())?;
    let (from, factor) = match field.semantic {
        Semantic::Position => conversion.position_factors(),
        _ => conversion.direction_factors(),
    };
    ((from, factor) != ([0, 1, 2, 3], [1.0; 4])).then(|| Swizzled::new(source, from, factor))
}
