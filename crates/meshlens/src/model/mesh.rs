//! One mesh of a model: its attributes in each frame, and its triangles.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use meshlens_lens::encoding::F32;
use meshlens_lens::{FloatValue, Semantic, TangentFrame, ValueLens, lerp_directions_into, lerp_into};
use meshlens_wire::{Budget, Result};

use super::Model;
use super::arrays::Arrays;
use super::attribute::{Attribute, missing};
use super::clip::Blend;
use super::kept::KeptInfluences;
use super::sources::floats;
use super::topology::Topology;

/// One mesh: vertices that move together, and the triangles between them. It borrows the file, and decodes arrays on
/// demand.
///
/// There are two kinds of attributes. A **point** has a position, joints and weights. A **corner** has a normal, a
/// tangent, a color and texture coordinates. If the mesh [is welded](Mesh::is_welded), vertex `i` has point `i` and
/// corner `i`. Meshes with separate indices of points and corners must be welded first:
/// [`topology_into`](Mesh::topology_into) makes the vertices, and returns the point and the corner of each.
///
/// Methods that return a lens ([`positions`](Mesh::positions)) read values directly from the file. Methods whose names
/// end in `_into` also compute values, or gather them from several arrays; they resize their buffers. Counts and names
/// are O(1).
#[derive(Clone, Debug)]
pub struct Mesh<'a> {
    /// The name. It may be empty, and several meshes may have the same.
    pub name: String,
    /// The level of detail, 0 for the finest.
    pub lod: usize,
    /// The index of the material in the model; `None` if the mesh has no material or several.
    pub material: Option<usize>,
    /// The inverse bind matrix of each joint of the model, column-major, from the space of the mesh to the space of the
    /// joint at rest; `None` if no joint moves the mesh.
    pub skin: Option<Arc<[[[f32; 4]; 4]]>>,
    pub(crate) arrays: Arc<dyn Arrays + 'a>,
    pub(crate) influences: Arc<KeptInfluences>,
}

impl<'a> Mesh<'a> {
    pub(crate) fn new(name: impl Into<String>, arrays: impl Arrays + 'a) -> Self {
        Mesh {
            name: name.into(),
            lod: 0,
            material: None,
            skin: None,
            arrays: Arc::new(arrays),
            influences: Arc::default(),
        }
    }

    /// The number of points, which is the number of positions in each frame. If the mesh has to be welded, it has more
    /// vertices.
    pub fn point_count(&self) -> usize {
        self.arrays.point_count()
    }

    /// The number of corners, which is the number of normals, colors and texture coordinates.
    pub fn corner_count(&self) -> usize {
        self.arrays.corner_count()
    }

    /// The number of triangles, without the weapon triangle of an Unreal mesh, which is a tag. Triangles with an index that is
    /// out of range count, although [`topology_into`](Self::topology_into) leaves them out.
    pub fn triangle_count(&self) -> usize {
        self.arrays.triangle_count()
    }

    /// The number of vertex frames or morph targets; 1 if vertices do not move. O(1).
    pub fn frame_count(&self) -> usize {
        self.arrays.frame_count()
    }

    /// The index of the frame that the mesh shows when the model shows `frame`: the last one if the mesh has fewer. The cost is
    /// that of [`frame_count`](Self::frame_count).
    pub fn clamp_frame(&self, frame: usize) -> usize {
        // A mesh without frames has no frame 0, either, which its getters report.
        frame.min(self.frame_count().saturating_sub(1))
    }

    /// Whether vertex `i` has point `i` and corner `i`, so that nothing has to be welded. O(1).
    pub fn is_welded(&self) -> bool {
        self.arrays.is_welded()
    }

    /// The values of an attribute in one frame. `set` is the index of a set of texture coordinates or colors, and 0 for
    /// other attributes. Colors, joints and weights are the same in all frames: their frame is 0. Texture coordinates of later frames are those
    /// of frame 0, unless the file stores others (Ultimate 3D); vertex buffers have those of frame 0.
    /// `None` if the mesh does not have the attribute, or the semantic is not an attribute of vertices.
    ///
    /// [`Semantic::Tangent`] is a direction and the sign of the bitangent, even if the file stores
    /// [`Semantic::TangentFrame`]. O(1), except for values that are computed when they are first
    /// read, and kept with the model (Unreal): the normals of a frame, O(n log n), which take 12 bytes for each point and each
    /// corner of a flat triangle, and texture coordinates, which take 12 bytes for each corner. A vertex buffer
    /// that has joints, or is moved by them, keeps the joints and weights of UNIGINE and Ultimate 3D, 24 bytes for each point.
    /// [`Model::charge_to`] charges all of them to a budget.
    ///
    /// [`Model::charge_to`]: super::Model::charge_to
    ///
    /// # Errors
    ///
    /// The frame is out of range.
    pub fn attribute(&self, semantic: Semantic, set: usize, frame: usize) -> Result<Option<Attribute<'_>>> {
        self.arrays.attribute(semantic, set, frame)
    }

    /// The positions of one frame, one for each point, in the space of the mesh. O(1).
    ///
    /// # Errors
    ///
    /// The frame is out of range.
    pub fn positions(&self, frame: usize) -> Result<ValueLens<'_, [f32; 3]>> {
        let positions = self.attribute(Semantic::Position, 0, frame)?.and_then(|positions| positions.lens());
        positions.ok_or_else(|| missing(Semantic::Position, 0))
    }

    /// The normals of one frame, one for each corner, of length 1; `None` if the file does not store them as an array.
    /// [`normals_into`](Self::normals_into) returns them for every format. O(1).
    ///
    /// # Errors
    ///
    /// The frame is out of range.
    pub fn normals(&self, frame: usize) -> Result<Option<ValueLens<'_, [f32; 3]>>> {
        Ok(self.attribute(Semantic::Normal, 0, frame)?.and_then(|normals| normals.lens()))
    }

    /// Writes the normals of one frame, one for each corner: decoded, taken from tangent frames, or computed from the
    /// triangles (Unreal). Returns `false`, and leaves the buffer unchanged, if the mesh has none. O(corners), or O(n
    /// log n) if they are computed.
    ///
    /// # Errors
    ///
    /// The frame is out of range.
    pub fn normals_into(&self, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<bool> {
        fill(self.attribute(Semantic::Normal, 0, frame)?, out)
    }

    /// Writes the tangents of one frame, one for each corner: x, y, z and the sign of the bitangent, which is
    /// `cross(normal, tangent) * sign`. Returns `false` if the mesh has none. O(corners).
    ///
    /// # Errors
    ///
    /// The frame is out of range.
    pub fn tangents_into(&self, frame: usize, out: &mut Vec<[f32; 4]>) -> Result<bool> {
        fill(self.attribute(Semantic::Tangent, 0, frame)?, out)
    }

    /// The tangent frames of one frame as they are stored, one for each corner; `None` if the mesh does not store them.
    /// [`normals_into`](Self::normals_into) and [`tangents_into`](Self::tangents_into) return their vectors. O(1).
    ///
    /// # Errors
    ///
    /// The frame is out of range.
    pub fn tangent_frames(&self, frame: usize) -> Result<Option<ValueLens<'_, TangentFrame>>> {
        Ok(self.attribute(Semantic::TangentFrame, 0, frame)?.and_then(|frames| frames.lens()))
    }

    /// The number of sets of texture coordinates.
    pub fn texcoord_sets(&self) -> usize {
        self.arrays.texcoord_sets()
    }

    /// The texture coordinates of one set, one for each corner, with the origin at the top left; `None` if `set` is out
    /// of range, or if the file does not store them as one array. [`texcoords_into`](Self::texcoords_into) returns them
    /// for every format. O(1).
    ///
    /// # Errors
    ///
    /// Never fails if the model's bytes have not changed.
    pub fn texcoords(&self, set: usize) -> Result<Option<ValueLens<'_, [f32; 2]>>> {
        Ok(self.attribute(Semantic::Texcoord, set, 0)?.and_then(|texcoords| texcoords.lens()))
    }

    /// Decodes the texture coordinates of one set, one for each corner. Returns `false` if `set` is out of range. O(corners).
    ///
    /// # Errors
    ///
    /// Never fails if the model's bytes have not changed.
    pub fn texcoords_into(&self, set: usize, out: &mut Vec<[f32; 2]>) -> Result<bool> {
        fill(self.attribute(Semantic::Texcoord, set, 0)?, out)
    }

    /// The number of sets of colors.
    pub fn color_sets(&self) -> usize {
        self.arrays.color_sets()
    }

    /// Decodes the colors of one set, one for each corner: red, green, blue and alpha from 0 to 1. Returns `false` if `set`
    /// is out of range. O(corners).
    ///
    /// # Errors
    ///
    /// Never fails if the model's bytes have not changed.
    pub fn colors_into(&self, set: usize, out: &mut Vec<[f32; 4]>) -> Result<bool> {
        fill(self.attribute(Semantic::Color, set, 0)?, out)
    }

    /// Decodes up to four joints that move each point, and their weights, which add up to 1. If a weight is 0, the
    /// index of the joint is 0. Returns `false` if no joint moves the mesh. O(points).
    ///
    /// # Errors
    ///
    /// Never fails if the model's bytes have not changed.
    pub fn influences_into(&self, joints: &mut Vec<[u16; 4]>, weights: &mut Vec<[f32; 4]>) -> Result<bool> {
        let named = self.attribute(Semantic::Joints, 0, 0)?;
        let (Some(named), true) = (named, fill(self.attribute(Semantic::Weights, 0, 0)?, weights)?) else {
            return Ok(false);
        };
        named.decode_joints_into(joints);
        Ok(true)
    }

    /// The name of a frame or morph target of this mesh; empty if it has no name, or if the name is not loaded.
    /// [`Model::frame_name`](super::Model::frame_name) returns the names of frames of the whole model.
    pub fn frame_name(&self, frame: usize) -> Cow<'_, str> {
        self.arrays.frame_name(frame)
    }

    /// Replaces the content of `topology` with the triangles of the mesh, and the point and the corner of each vertex.
    /// O(triangles). If the format indexes points and corners separately, equal pairs become one vertex.
    ///
    /// # Errors
    ///
    /// The first index that is out of range, with its absolute offset. The content of `topology` is then unspecified.
    pub fn topology_into(&self, topology: &mut Topology) -> Result<()> {
        topology.clear();
        self.arrays.topology_into(self.material, topology)
    }

    /// The triangles of the mesh, and the point and the corner of each vertex.
    ///
    /// # Errors
    ///
    /// Same as [`topology_into`](Self::topology_into).
    pub fn topology(&self) -> Result<Topology> {
        let mut topology = Topology::default();
        self.topology_into(&mut topology)?;
        Ok(topology)
    }

    /// Writes the blended positions of two frames, one for each point, in one pass over both frames. At weight 0, they
    /// are the positions of frame `blend.a`. O(points).
    ///
    /// # Errors
    ///
    /// A frame is out of range.
    pub fn blend_positions_into(&self, blend: Blend, out: &mut Vec<[f32; 3]>) -> Result<()> {
        let (a, b) = (self.positions(blend.a)?, self.positions(blend.b)?);
        out.resize(a.len(), [0.0; 3]);
        lerp_into(a, b, blend.weight, out)
    }

    /// Writes the blended normals of two frames, one for each corner, of length 1. Returns `false`, and leaves the
    /// buffer unchanged, if the mesh has none. O(corners) if the file stores them as arrays, otherwise the cost of two
    /// calls of [`normals_into`](Self::normals_into).
    ///
    /// # Errors
    ///
    /// A frame is out of range.
    pub fn blend_normals_into(&self, blend: Blend, out: &mut Vec<[f32; 3]>) -> Result<bool> {
        if let (Some(a), Some(b)) = (self.normals(blend.a)?, self.normals(blend.b)?) {
            out.resize(a.len(), [0.0; 3]);
            lerp_directions_into(a, b, blend.weight, out)?;
            return Ok(true);
        }
        let (mut first, mut second) = (Vec::new(), Vec::new());
        if !self.normals_into(blend.a, &mut first)? || !self.normals_into(blend.b, &mut second)? {
            return Ok(false);
        }
        out.resize(first.len(), [0.0; 3]);
        lerp_directions_into(floats(&first, F32::<3>)?, floats(&second, F32::<3>)?, blend.weight, out)?;
        Ok(true)
    }
}

/// Decodes an attribute. Returns false if it does not exist.
fn fill<V: FloatValue>(attribute: Option<Attribute<'_>>, out: &mut Vec<V>) -> Result<bool> {
    attribute.map_or(Ok(false), |attribute| attribute.decode_into(out).map(|()| true))
}

impl Model<'_> {
    /// Charges values that are computed when they are first read, and kept with the model, to a budget: see
    /// [`Mesh::attribute`]. If the budget has too little memory left, what reads them fails with
    /// [`ErrorKind::Memory`]. Only the first budget of a model counts; clones share it. O(meshes).
    ///
    /// [`ErrorKind::Memory`]: crate::wire::ErrorKind::Memory
    pub fn charge_to(&self, budget: &Budget) {
        for mesh in &self.meshes {
            mesh.influences.charge.set(budget);
            mesh.arrays.charge_to(budget);
        }
    }
}
