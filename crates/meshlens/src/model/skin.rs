//! Vertices that are moved by joints.

use alloc::vec::Vec;

use glam::{Mat4, Vec3};
use meshlens_wire::Result;

use super::clip::Blend;
use super::mesh::Mesh;
use super::topology::{Topology, decode_gathered, gather};

impl Mesh<'_> {
    /// Writes the positions of one frame, moved by the joints. `world` is the matrix of each joint in the space of the model, as
    /// [`world_into`](super::world_into) computes it. Points that no joint moves keep their position. O(points + joints);
    /// allocates the joints and weights of each point.
    ///
    /// # Errors
    ///
    /// The frame is out of range.
    pub fn skin_positions_into(
        &self,
        frame: usize,
        world: &[[[f32; 4]; 4]],
        out: &mut Vec<[f32; 3]>,
    ) -> Result<()> {
        self.displayed_positions_into(frame.into(), world, out)
    }

    /// Like [`skin_positions_into`](Self::skin_positions_into), for two blended frames.
    pub(crate) fn displayed_positions_into(
        &self,
        blend: Blend,
        world: &[[[f32; 4]; 4]],
        out: &mut Vec<[f32; 3]>,
    ) -> Result<()> {
        if blend.is_still() {
            let positions = self.positions(blend.a)?;
            out.resize(positions.len(), [0.0; 3]);
            positions.decode_into(out)?;
        } else {
            self.blend_positions_into(blend, out)?;
        }
        if let Some(pose) = self.skin_pose(world)? {
            for (point, out) in out.iter_mut().enumerate() {
                *out = pose.position(point, *out);
            }
        }
        Ok(())
    }

    /// Writes the positions and normals of one frame, one for each vertex of `topology`, moved by the joints. Normals
    /// have length 1; `normals` is empty if the mesh has no normals. The cost is the same as for
    /// [`skin_positions_into`](Self::skin_positions_into) and [`normals_into`](Self::normals_into).
    ///
    /// # Errors
    ///
    /// The frame is out of range.
    pub fn skin_vertices_into(
        &self,
        topology: &Topology,
        frame: usize,
        world: &[[[f32; 4]; 4]],
        positions: &mut Vec<[f32; 3]>,
        normals: &mut Vec<[f32; 3]>,
    ) -> Result<()> {
        self.vertices_into(topology, frame, positions, normals)?;
        let Some(pose) = self.skin_pose(world)? else { return Ok(()) };
        for (vertex, position) in positions.iter_mut().enumerate() {
            *position = pose.position(topology.point(vertex), *position);
        }
        for (vertex, normal) in normals.iter_mut().enumerate() {
            *normal = pose.direction(topology.point(vertex), *normal);
        }
        Ok(())
    }

    /// The joints in one pose; `None` if no joint moves the mesh.
    pub(crate) fn skin_pose(&self, world: &[[[f32; 4]; 4]]) -> Result<Option<SkinPose>> {
        let Some(skin) = &self.skin else { return Ok(None) };
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        if !self.influences_into(&mut joints, &mut weights)? {
            return Ok(None);
        }
        let matrix = Mat4::from_cols_array_2d;
        let matrices = world.iter().zip(skin.iter()).map(|(world, bind)| matrix(world) * matrix(bind));
        Ok(Some(SkinPose { matrices: matrices.collect(), joints, weights }))
    }

    /// Like [`skin_vertices_into`](Self::skin_vertices_into), without joints.
    pub(crate) fn vertices_into(
        &self,
        topology: &Topology,
        frame: usize,
        positions: &mut Vec<[f32; 3]>,
        normals: &mut Vec<[f32; 3]>,
    ) -> Result<()> {
        let mut decoded = Vec::new();
        decode_gathered(self.positions(frame)?, topology.points(), &mut decoded, positions)?;
        normals.clear();
        if self.normals_into(frame, &mut decoded)? {
            normals.resize(positions.len(), [0.0, 0.0, 1.0]);
            gather(&decoded, topology.corners(), normals);
        }
        Ok(())
    }
}

/// The joints of a mesh in one pose, and the joints and weights of each point.
pub(crate) struct SkinPose {
    matrices: Vec<Mat4>,
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
}

impl SkinPose {
    /// The weighted sum of `moved` for each joint of a point; `None` if no joint moves it.
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

    pub(crate) fn position(&self, point: usize, position: [f32; 3]) -> [f32; 3] {
        let moved = self.sum(point, |matrix| matrix.transform_point3(position.into()));
        moved.map_or(position, |moved| moved.to_array())
    }

    pub(crate) fn direction(&self, point: usize, direction: [f32; 3]) -> [f32; 3] {
        let turned = self.sum(point, |matrix| matrix.transform_vector3(direction.into()));
        turned.and_then(Vec3::try_normalize).map_or(direction, |turned| turned.to_array())
    }
}
