//! The triangles of a primitive, and its vertices at any time.

use glam::{Mat4, Vec3};
use meshlens::model::{PlainFrame, PlainMesh};

use super::broken;
use super::buffers::Buffers;
use super::document::{Document, Primitive};
use super::normals::{face_normals, finished, turned};
use super::scene::Moment;
use super::texcoords::Texcoords;
use crate::Error;
use crate::json::{Kind, Mode};
use crate::memory::ROOM;

/// The maximum number of sets of texture coordinates that are kept.
const MAX_SETS: u32 = 8;

/// Four joints and weights of each vertex.
type InfluenceSet = (Vec<[u32; 4]>, Vec<[f32; 4]>);

/// A primitive at rest, its morph targets and its skin.
pub(super) struct Base {
    node: usize,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    targets: Vec<(Vec<Vec3>, Vec<Vec3>)>,
    tangents: Vec<[f32; 4]>,
    /// Sets of four joints and weights.
    influences: Vec<InfluenceSet>,
    skin: Option<Skin>,
}

/// The triangles of a list, a strip or a fan; `None` for points and lines.
fn triangles(mode: Mode, indices: &[u32]) -> Option<Vec<[u32; 3]>> {
    match mode {
        Mode::Triangles => Some(indices.as_chunks().0.to_vec()),
        // Every second triangle has the opposite winding.
        Mode::TriangleStrip => Some(
            indices
                .windows(3)
                .enumerate()
                .map(|(n, run)| if n % 2 == 0 { [run[0], run[1], run[2]] } else { [run[0], run[2], run[1]] })
                .collect(),
        ),
        Mode::TriangleFan => {
            let first = *indices.first()?;
            Some(indices.get(1..)?.windows(2).map(|pair| [first, pair[0], pair[1]]).collect())
        }
        Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip => None,
    }
}

impl Base {
    /// Reads a primitive of a node; `None` if it has no triangles.
    pub(super) fn read(
        document: &Document,
        buffers: &Buffers<'_>,
        node: usize,
        primitive: &Primitive,
        plain: &mut PlainMesh,
    ) -> Result<Option<Base>, Error> {
        let get = |name: &str| primitive.get(name);
        let get_set = |name: &str, set: u32| primitive.get(&format!("{name}_{set}"));
        let vectors = |accessor: usize, what| -> Result<Vec<Vec3>, Error> {
            Ok(buffers.floats::<3>(accessor, what)?.into_iter().map(Vec3::from).collect())
        };
        let positions = get("POSITION").ok_or_else(|| broken("a primitive has no positions"))?;
        let positions = vectors(positions, "positions")?;
        let count = positions.len();
        let indices: Vec<u32> = match primitive.indices {
            Some(indices) => buffers.integers::<1>(indices)?.into_flattened(),
            None => {
                buffers.spend(count, size_of::<u32>())?;
                (0..count as u32).collect()
            }
        };
        // A triangle of a strip or a fan is three indices for one.
        buffers.spend(indices.len(), size_of::<[u32; 3]>())?;
        let Some(triangles) = triangles(primitive.mode, &indices) else { return Ok(None) };
        plain.triangles = triangles;
        if let Some(index) = indices.iter().find(|index| **index as usize >= count) {
            return Err(broken(format_args!("a primitive has index {index}, and {count} vertices")));
        }
        let fits = |len: usize| {
            (len == count).then_some(()).ok_or_else(|| {
                broken(format_args!(
                    "an attribute has {len} elements, and the primitive has {count} positions"
                ))
            })
        };
        for set in 0..MAX_SETS {
            let Some(accessor) = get_set("TEXCOORD", set) else { break };
            plain.texcoords.push(buffers.floats::<2>(accessor, "texture coordinates")?);
            fits(buffers.count(accessor))?;
        }
        let placed = primitive.material.and_then(|material| document.materials.get(material));
        placed.map_or(Texcoords::FIRST, Texcoords::of).apply(&mut plain.texcoords);
        for set in 0..MAX_SETS {
            let Some(colors) = get_set("COLOR", set) else { break };
            plain.colors.push(match buffers.kind(colors) {
                Kind::Vec3 => {
                    buffers.spend(buffers.count(colors), size_of::<[f32; 4]>())?;
                    let opaque = |[r, g, b]: [f32; 3]| [r, g, b, 1.0];
                    buffers.floats::<3>(colors, "colors")?.into_iter().map(opaque).collect()
                }
                _ => buffers.floats::<4>(colors, "colors")?,
            });
            fits(buffers.count(colors))?;
        }
        let normals = match get("NORMAL") {
            Some(normals) => vectors(normals, "normals")?,
            None => {
                buffers.spend(count, size_of::<Vec3>())?;
                face_normals(&positions, &plain.triangles)
            }
        };
        fits(normals.len())?;
        buffers.spend(primitive.targets.len(), ROOM * size_of::<[Vec<Vec3>; 2]>())?;
        let mut targets = Vec::new();
        for target in &primitive.targets {
            let read = |accessor: Option<usize>, what| match accessor {
                Some(accessor) => {
                    fits(buffers.count(accessor))?;
                    vectors(accessor, what)
                }
                None => Ok(Vec::new()),
            };
            targets.push((
                read(target.position, "positions of morph targets")?,
                read(target.normal, "normals of morph targets")?,
            ));
        }
        let mut influences = Vec::new();
        let skin = document.nodes[node].skin.map(|skin| Skin::read(document, buffers, skin)).transpose()?;
        for set in 0..MAX_SETS {
            let (Some(joints), Some(weights)) = (get_set("JOINTS", set), get_set("WEIGHTS", set)) else {
                break;
            };
            if skin.is_some() {
                fits(buffers.count(joints))?;
                fits(buffers.count(weights))?;
                influences.push((
                    buffers.integers::<4>(joints)?,
                    buffers.floats::<4>(weights, "weights of joints")?,
                ));
            }
        }
        let tangents = match get("TANGENT") {
            Some(tangents) => buffers.floats::<4>(tangents, "tangents")?,
            None => Vec::new(),
        };
        if !tangents.is_empty() {
            fits(tangents.len())?;
        }
        Ok(Some(Base { node, positions, normals, targets, tangents, influences, skin }))
    }

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

    /// The skin that moves it.
    pub(super) fn skin(&self) -> Option<&Skin> {
        self.skin.as_ref().filter(|_| !self.influences.is_empty())
    }

    pub(super) const fn has_tangents(&self) -> bool {
        !self.tangents.is_empty()
    }

    /// The number of morph targets.
    pub(super) const fn target_count(&self) -> usize {
        self.targets.len()
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

    /// Positions and normals with the weights of the targets.
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

    /// A frame without a skin, with the weights of the targets. It has tangents if no target is active.
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
                let along = matrix.transform_vector3(Vec3::new(x, y, z)).try_normalize();
                let [x, y, z] = along.unwrap_or(Vec3::X).to_array();
                *tangent = [x, y, z, w * sign];
            }
        }
        (frame.positions, frame.normals) = finished(positions, normals);
        frame
    }

    /// At most `count` vertices: the outermost along each axis, the ones that morph targets move most, and others.
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
    /// Their inverse bind matrices.
    pub(super) inverse: Vec<Mat4>,
}

impl Skin {
    /// The matrix of each joint at a moment, from the mesh at rest.
    fn matrices(&self, moment: &Moment) -> Vec<Mat4> {
        let binds = self.joints.iter().zip(&self.inverse);
        binds.map(|(joint, bind)| moment.world[*joint] * *bind).collect()
    }

    fn read(document: &Document, buffers: &Buffers<'_>, skin: usize) -> Result<Skin, Error> {
        let skin = &document.skins[skin];
        buffers.spend(skin.joints.len(), size_of::<(usize, Mat4, Mat4)>())?;
        let joints = skin.joints.clone();
        let mut inverse: Vec<Mat4> = match skin.inverse_bind_matrices {
            Some(matrices) => buffers
                .floats::<16>(matrices, "inverse bind matrices")?
                .iter()
                .map(Mat4::from_cols_array)
                .collect(),
            None => Vec::new(),
        };
        inverse.resize(joints.len(), Mat4::IDENTITY);
        Ok(Skin { joints, inverse })
    }
}
