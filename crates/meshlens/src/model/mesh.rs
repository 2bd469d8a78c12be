//! One mesh of a model: its attributes frame by frame, and its triangles.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use glam::{Mat4, Vec3};
use meshlens_wire::Result;

use super::arrays::Arrays;
use super::attribute::Attribute;
use super::clip::Blend;
use super::topology::{Topology, gather};

/// A mesh: vertices that move together, and triangles between them. It borrows the file and decodes nothing by itself.
///
/// Attributes come in two kinds. **Points** are positions, joints and weights; **corners** are normals, tangents, colours
/// and texture coordinates. In some formats vertex `i` has point `i` and corner `i`; where a format indexes them apart,
/// [`topology_into`](Mesh::topology_into) welds them and says which vertex takes which.
///
/// Where values lie in the file as they are wanted, there is a lens ([`positions`](Mesh::positions)); the calls that end
/// in `_into` also give what has to be put together or computed. They bring their buffers to the length they need. Counts
/// and names cost nothing that grows with the file, but for [`frame_count`](Mesh::frame_count).
#[derive(Clone, Debug)]
pub struct Mesh<'a> {
    /// The name, which may be empty or the same as another's.
    pub name: String,
    /// The level of detail, 0 for the finest.
    pub lod: usize,
    /// The number of the material in the model, where all triangles wear the same.
    pub material: Option<usize>,
    /// For each joint of the model what takes a point of this mesh into the joint's own space at rest (its inverse bind
    /// matrix), where joints move the mesh.
    pub skin: Option<Arc<[Mat4]>>,
    pub(super) arrays: Arc<dyn Arrays + 'a>,
}

impl<'a> Mesh<'a> {
    pub(super) fn new(name: impl Into<String>, arrays: impl Arrays + 'a) -> Self {
        Mesh { name: name.into(), lod: 0, material: None, skin: None, arrays: Arc::new(arrays) }
    }

    /// Positions in one frame. Where meshes are welded, more vertices come out of these.
    pub fn point_count(&self) -> usize {
        self.arrays.point_count()
    }

    /// Normals, colours and texture coordinates in one frame.
    pub fn corner_count(&self) -> usize {
        self.arrays.corner_count()
    }

    /// Triangles.
    pub fn triangle_count(&self) -> usize {
        self.arrays.triangle_count()
    }

    /// Frames of vertices, or morph targets; 1 where nothing moves. O(1); O(morph targets) in UNIGINE.
    pub fn frame_count(&self) -> usize {
        self.arrays.frame_count()
    }

    /// Whether vertex `i` is point `i` and corner `i`. O(1).
    pub fn is_welded(&self) -> bool {
        self.arrays.is_welded()
    }

    /// Positions of one frame, one for each point. O(1).
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn positions(&self, frame: usize) -> Result<Attribute<'_, [f32; 3]>> {
        self.arrays.positions(frame)
    }

    /// Normals of one frame, one for each corner, where they lie in the file as such; [`normals_into`](Self::normals_into)
    /// gives them in every format. O(1).
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn normals(&self, frame: usize) -> Result<Option<Attribute<'_, [f32; 3]>>> {
        self.arrays.normals(frame)
    }

    /// Normals of one frame, one for each corner: decoded, taken from tangent spaces, or computed from the faces (Unreal).
    /// False, and the buffer as it was, where there are none. O(corners), and O(n log n) where they are computed.
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn normals_into(&self, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<bool> {
        self.arrays.normals_into(frame, out)
    }

    /// Tangents of one frame, one for each corner, with the sign of the bitangent (`cross(normal, tangent)` times that)
    /// as fourth component; false where there are none. O(corners).
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn tangents_into(&self, frame: usize, out: &mut Vec<[f32; 4]>) -> Result<bool> {
        self.arrays.tangents_into(frame, out)
    }

    /// Sets of texture coordinates.
    pub fn texcoord_sets(&self) -> usize {
        self.arrays.texcoord_sets()
    }

    /// Texture coordinates, one for each corner, with the origin at the top left, where they lie in the file one after
    /// another. O(1).
    pub fn texcoords(&self, set: usize) -> Option<Attribute<'_, [f32; 2]>> {
        self.arrays.texcoords(set)
    }

    /// Texture coordinates, one for each corner; false past the last set. O(corners).
    pub fn texcoords_into(&self, set: usize, out: &mut Vec<[f32; 2]>) -> bool {
        self.arrays.texcoords_into(set, out)
    }

    /// Colours, one for each corner: red, green, blue and alpha from 0 to 1; false where there are none. O(corners).
    pub fn colors_into(&self, out: &mut Vec<[f32; 4]>) -> bool {
        self.arrays.colors_into(out)
    }

    /// The joints that move each point and how much, up to four; weights add up to 1, and a joint of no weight is 0. False
    /// where no joint moves the mesh. O(points).
    pub fn influences_into(&self, joints: &mut Vec<[u16; 4]>, weights: &mut Vec<[f32; 4]>) -> bool {
        self.arrays.influences_into(joints, weights)
    }

    /// The name of a frame or morph target of this mesh alone; empty where it has none.
    pub fn frame_name(&self, frame: usize) -> Cow<'_, str> {
        self.arrays.frame_name(frame)
    }

    /// The triangles and what their vertices are made of. O(triangles); where the format indexes points and corners apart,
    /// pairs are found by sorting.
    ///
    /// # Errors
    ///
    /// The first vertex number that is out of range, at its absolute offset; `topology` is then of no use.
    pub fn topology_into(&self, topology: &mut Topology) -> Result<()> {
        topology.clear();
        self.arrays.topology_into(self.material, topology)
    }

    /// The triangles and what their vertices are made of, in memory of their own.
    ///
    /// # Errors
    ///
    /// As [`topology_into`](Self::topology_into).
    pub fn topology(&self) -> Result<Topology> {
        let mut topology = Topology::default();
        self.topology_into(&mut topology)?;
        Ok(topology)
    }

    /// Positions between two frames, one for each point: `blend.a` at weight 0. One pass over both. O(points).
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn blend_positions_into(&self, blend: Blend, out: &mut Vec<[f32; 3]>) -> Result<()> {
        let (a, b) = (self.positions(blend.a)?, self.positions(blend.b)?);
        out.resize(a.len(), [0.0; 3]);
        // The lengths are the attributes' own.
        let _ = a.blend_into(&b, blend.weight, out);
        Ok(())
    }

    /// Normals between two frames, one for each corner, of length 1; false, and the buffer as it was, where there are
    /// none. O(corners) where they lie in the file as such, else as [`normals_into`](Self::normals_into), twice.
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn blend_normals_into(&self, blend: Blend, out: &mut Vec<[f32; 3]>) -> Result<bool> {
        if let (Some(a), Some(b)) = (self.normals(blend.a)?, self.normals(blend.b)?) {
            out.resize(a.len(), [0.0; 3]);
            // The lengths are the attributes' own.
            let _ = a.blend_into(&b, blend.weight, out);
        } else {
            let mut other = Vec::new();
            if !self.normals_into(blend.b, &mut other)? || !self.normals_into(blend.a, out)? {
                return Ok(false);
            }
            for (out, other) in out.iter_mut().zip(other) {
                *out = Vec3::from(*out).lerp(other.into(), blend.weight).to_array();
            }
        }
        for normal in out {
            // Opposite directions that cancel out stay as short as they are.
            let blended = Vec3::from(*normal);
            *normal = blended.try_normalize().unwrap_or(blended).to_array();
        }
        Ok(true)
    }

    /// Points moved by joints: each by the joints' matrices, weighted. `world` holds where each joint is in the model's
    /// space, as [`world_into`](super::world_into) gives it; points that no joint moves stay at their position of `frame`.
    /// O(points + joints), and memory for the joints and weights of each point.
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn skin_positions_into(&self, frame: usize, world: &[Mat4], out: &mut Vec<[f32; 3]>) -> Result<()> {
        let positions = self.positions(frame)?;
        out.resize(positions.len(), [0.0; 3]);
        // The length is the attribute's own.
        let _ = positions.decode_into(out);
        if let Some(pose) = Pose::new(self, world) {
            for (point, out) in out.iter_mut().enumerate() {
                *out = pose.position(point, *out);
            }
        }
        Ok(())
    }

    /// Vertices moved by joints, as `topology` welds them: positions, and normals of length 1 where the mesh has any,
    /// else `normals` is emptied. As [`skin_positions_into`](Self::skin_positions_into), and as
    /// [`normals_into`](Self::normals_into).
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn skin_vertices_into(
        &self,
        topology: &Topology,
        frame: usize,
        world: &[Mat4],
        positions: &mut Vec<[f32; 3]>,
        normals: &mut Vec<[f32; 3]>,
    ) -> Result<()> {
        let mut decoded = Vec::new();
        super::decode_gathered(self.positions(frame)?, topology.points(), &mut decoded, positions);
        normals.clear();
        if self.normals_into(frame, &mut decoded)? {
            normals.resize(positions.len(), [0.0, 0.0, 1.0]);
            gather(&decoded, topology.corners(), normals);
        }
        let Some(pose) = Pose::new(self, world) else { return Ok(()) };
        let point = |vertex: usize| match topology.points() {
            Some(map) => map.get(vertex).map_or(0, |point| *point as usize),
            None => vertex,
        };
        for (vertex, position) in positions.iter_mut().enumerate() {
            *position = pose.position(point(vertex), *position);
        }
        for (vertex, normal) in normals.iter_mut().enumerate() {
            *normal = pose.direction(point(vertex), *normal);
        }
        Ok(())
    }
}

/// What moves each point of a mesh while its joints are somewhere.
struct Pose {
    matrices: Vec<Mat4>,
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
}

#[allow(clippy::arithmetic_side_effects, reason = "floats")]
impl Pose {
    /// `None` where no joint moves the mesh.
    fn new(mesh: &Mesh<'_>, world: &[Mat4]) -> Option<Pose> {
        let skin = mesh.skin.as_ref()?;
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        if !mesh.influences_into(&mut joints, &mut weights) {
            return None;
        }
        let matrices = world.iter().zip(skin.iter()).map(|(world, bind)| *world * *bind).collect();
        Some(Pose { matrices, joints, weights })
    }

    /// The sum over a point's joints of what `moved` gives for each; `None` where none moves it.
    fn sum(&self, point: usize, moved: impl Fn(&Mat4) -> Vec3) -> Option<Vec3> {
        let (joints, weights) = (self.joints.get(point)?, self.weights.get(point)?);
        let mut sum = None;
        for (joint, weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            if let Some(matrix) = self.matrices.get(usize::from(*joint)) {
                *sum.get_or_insert(Vec3::ZERO) += moved(matrix) * *weight;
            }
        }
        sum
    }

    fn position(&self, point: usize, position: [f32; 3]) -> [f32; 3] {
        let moved = self.sum(point, |matrix| matrix.transform_point3(position.into()));
        moved.map_or(position, |moved| moved.to_array())
    }

    fn direction(&self, point: usize, direction: [f32; 3]) -> [f32; 3] {
        let turned = self.sum(point, |matrix| matrix.transform_vector3(direction.into()));
        turned.and_then(Vec3::try_normalize).map_or(direction, |turned| turned.to_array())
    }
}
