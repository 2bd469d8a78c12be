//! The vertices of a primitive at any time.

use glam::{Mat4, Vec3};
use meshlens::model::{PlainFrame, unit_direction};

use super::normals::{finished, turned};
use super::scene::Moment;

/// Four joints and weights of each vertex.
pub(super) type InfluenceSet = (Vec<[u32; 4]>, Vec<[f32; 4]>);

/// The displacements of the positions and the normals of a morph target.
pub(super) type Target = (Vec<Vec3>, Vec<Vec3>);

/// A primitive at rest, its morph targets and its skin.
pub(super) struct Base {
    pub(super) node: usize,
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) targets: Vec<Target>,
    pub(super) tangents: Vec<[f32; 4]>,
    /// Sets of four joints and weights.
    pub(super) influences: Vec<InfluenceSet>,
    pub(super) skin: Option<Skin>,
}

impl Base {
    /// The work of one frame: the number of vertices that are transformed.
    pub(super) fn cost(&self, moment: &Moment) -> usize {
        let active = moment.weights[self.node].iter().filter(|weight| **weight != 0.0).count();
        self.positions.len().saturating_mul(active.saturating_add(1))
            + self.skin.as_ref().map_or(0, |skin| skin.joints.len())
    }

    /// The number of vertices.
    pub(super) const fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether the node mirrors the mesh, which reverses the winding.
    pub(super) fn is_mirrored(&self, moment: &Moment) -> bool {
        self.skin().is_none() && moment.world[self.node].determinant() < 0.0
    }

    /// The skin that moves the primitive.
    pub(super) fn skin(&self) -> Option<&Skin> {
        self.skin.as_ref().filter(|_| !self.influences.is_empty())
    }

    /// The joints of a vertex with a weight above 0, as indices into the joints of the skin.
    pub(super) fn influences(&self, vertex: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        let sets = self
            .influences
            .iter()
            .filter_map(move |(joints, weights)| Some(joints.get(vertex)?.iter().zip(weights.get(vertex)?)));
        sets.flatten()
            .map(|(joint, weight)| (*joint as usize, *weight))
            .filter(|(_, weight)| *weight > 0.0 && weight.is_finite())
    }

    /// The positions and normals, displaced by the weighted morph targets.
    fn morphed(&self, weights: &[f32]) -> (Vec<Vec3>, Vec<Vec3>) {
        let (mut positions, mut normals) = (self.positions.clone(), self.normals.clone());
        let moved = self.targets.iter().zip(weights);
        for ((moves, turns), weight) in moved.filter(|(_, weight)| **weight != 0.0) {
            for (position, by) in positions.iter_mut().zip(moves) {
                *position += *by * *weight;
            }
            for (normal, by) in normals.iter_mut().zip(turns) {
                *normal += *by * *weight;
            }
        }
        (positions, normals)
    }

    /// A frame without a skin, displaced by the weighted morph targets. It has tangents if no target is active.
    pub(super) fn still(&self, matrix: &Mat4, weights: &[f32], name: String) -> PlainFrame {
        let (mut positions, mut normals) = self.morphed(weights);
        let mut frame = PlainFrame { name, ..PlainFrame::default() };
        if weights.iter().all(|weight| *weight == 0.0) {
            frame.tangents.clone_from(&self.tangents);
        }
        if *matrix != Mat4::IDENTITY {
            let turn = turned(matrix);
            positions.iter_mut().for_each(|position| *position = matrix.transform_point3(*position));
            normals.iter_mut().for_each(|normal| *normal = turn * *normal);
            let sign = if matrix.determinant() < 0.0 { -1.0 } else { 1.0 };
            for tangent in &mut frame.tangents {
                let [x, y, z, w] = *tangent;
                let along = matrix.transform_vector3(Vec3::new(x, y, z)).to_array();
                let [x, y, z] = unit_direction(along).unwrap_or([1.0, 0.0, 0.0]);
                *tangent = [x, y, z, w * sign];
            }
        }
        (frame.positions, frame.normals) = finished(positions, normals);
        frame
    }

    /// At most `count` vertices: the outermost ones along each axis, the ones that morph targets move most, and others.
    pub(super) fn outermost(&self, count: usize) -> Vec<usize> {
        let most = |vectors: &[Vec3], by: &dyn Fn(&Vec3) -> f32| {
            let all = vectors.iter().enumerate();
            all.max_by(|(_, a), (_, b)| by(a).total_cmp(&by(b))).map(|(vertex, _)| vertex)
        };
        let axes = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
        let outer = axes.into_iter().filter_map(|axis| most(&self.positions, &|place| place.dot(axis)));
        let moved = self.targets.iter().filter_map(|(moves, _)| most(moves, &|by| by.length_squared()));
        let step = (self.positions.len() / count.max(1)).max(1);
        let mut known = vec![false; self.positions.len()];
        let all = outer.chain(moved).chain((0..self.positions.len()).step_by(step));
        all.filter(|vertex| known.get_mut(*vertex).is_some_and(|known| !std::mem::replace(known, true)))
            .take(count)
            .collect()
    }

    /// The work of [`points`](Self::points).
    pub(super) fn points_cost(&self, count: usize) -> usize {
        let joints = self.skin.as_ref().map_or(0, |skin| skin.joints.len());
        count.saturating_mul(self.targets.len().saturating_add(1)).saturating_add(joints)
    }

    /// The positions of some vertices at a moment.
    pub(super) fn points(&self, vertices: &[usize], moment: &Moment, out: &mut Vec<Vec3>) {
        let weights = &moment.weights[self.node];
        let matrices = self.skin().map(|skin| skin.matrices(moment));
        for vertex in vertices {
            let mut position = self.positions.get(*vertex).copied().unwrap_or_default();
            for ((moves, _), weight) in self.targets.iter().zip(weights).filter(|(_, weight)| **weight != 0.0)
            {
                position += moves.get(*vertex).copied().unwrap_or_default() * *weight;
            }
            let matrix = match &matrices {
                Some(matrices) => self.blended(matrices, *vertex),
                None => moment.world[self.node],
            };
            out.push(matrix.transform_point3(position));
        }
    }

    /// The weighted sum of the matrices of a vertex's joints.
    fn blended(&self, matrices: &[Mat4], vertex: usize) -> Mat4 {
        let moved =
            self.influences(vertex).filter_map(|(joint, weight)| Some(*matrices.get(joint)? * weight));
        moved.fold(Mat4::ZERO, |sum, moved| sum + moved)
    }

    pub(super) fn frame(&self, moment: &Moment, name: String) -> PlainFrame {
        let (mut positions, mut normals) = self.morphed(&moment.weights[self.node]);
        match self.skin() {
            Some(skin) => {
                let matrices = skin.matrices(moment);
                for (vertex, (position, normal)) in positions.iter_mut().zip(&mut normals).enumerate() {
                    let matrix = self.blended(&matrices, vertex);
                    *position = matrix.transform_point3(*position);
                    *normal = turned(&matrix) * *normal;
                }
            }
            None => {
                let matrix = moment.world[self.node];
                let turn = turned(&matrix);
                positions.iter_mut().for_each(|position| *position = matrix.transform_point3(*position));
                normals.iter_mut().for_each(|normal| *normal = turn * *normal);
            }
        }
        let (positions, normals) = finished(positions, normals);
        PlainFrame { name, positions, normals, ..PlainFrame::default() }
    }
}

/// A skin of the document.
pub(super) struct Skin {
    /// The joints' nodes.
    pub(super) joints: Vec<usize>,
    /// The inverse bind matrices of the joints.
    pub(super) inverse: Vec<Mat4>,
}

impl Skin {
    /// The matrix of each joint at a moment, from the mesh at rest.
    fn matrices(&self, moment: &Moment) -> Vec<Mat4> {
        let binds = self.joints.iter().zip(&self.inverse);
        binds.map(|(joint, bind)| moment.world[*joint] * *bind).collect()
    }
}
