//! The triangles of a mesh, and their vertices at any moment.

use glam::{Mat3, Mat4, Vec3};
use gltf::Semantic;
use gltf::accessor::Dimensions;
use gltf::mesh::Mode;
use meshlens::model::{PlainFrame, PlainMesh};

use super::accessor::Buffers;
use super::broken;
use super::scene::Moment;
use crate::Error;

/// The most sets of texture coordinates that are kept.
const MAX_SETS: u32 = 8;

/// A primitive as it is at rest, and what moves it.
pub(super) struct Base {
    node: usize,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    targets: Vec<(Vec<Vec3>, Vec<Vec3>)>,
    joints: Vec<[u32; 4]>,
    weights: Vec<[f32; 4]>,
    skin: Option<Skin>,
}

/// Three vertex numbers each, whatever kind of list they come in; `None` of points and lines.
fn triangles(mode: Mode, indices: &[u32]) -> Option<Vec<[u32; 3]>> {
    match mode {
        Mode::Triangles => Some(indices.as_chunks().0.to_vec()),
        // Every other one is wound the other way.
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
        _ => None,
    }
}

impl Base {
    /// The primitive of a node; `None` where it is no triangles.
    pub(super) fn read(
        buffers: &Buffers,
        node: &gltf::Node<'_>,
        primitive: &gltf::Primitive<'_>,
        plain: &mut PlainMesh,
        losses: &mut Vec<String>,
    ) -> Result<Option<Base>, Error> {
        let get = |semantic: Semantic| primitive.get(&semantic);
        let vectors = |accessor: &gltf::Accessor<'_>| -> Result<Vec<Vec3>, Error> {
            Ok(buffers.floats::<3>(accessor)?.into_iter().map(Vec3::from).collect())
        };
        let positions = get(Semantic::Positions).ok_or_else(|| broken("a primitive without positions"))?;
        let positions = vectors(&positions)?;
        let count = positions.len();
        let indices: Vec<u32> = match primitive.indices() {
            Some(indices) => buffers.integers::<1>(&indices)?.into_flattened(),
            None => (0..count as u32).collect(),
        };
        let Some(triangles) = triangles(primitive.mode(), &indices) else { return Ok(None) };
        plain.triangles = triangles;
        if let Some(index) = indices.iter().find(|index| **index as usize >= count) {
            return Err(broken(format_args!("vertex {index} of a primitive of {count}")));
        }
        let fits = |len: usize| {
            (len == count).then_some(()).ok_or_else(|| {
                broken(format_args!("an attribute of {len} elements beside {count} positions"))
            })
        };
        for set in 0..MAX_SETS {
            let Some(accessor) = get(Semantic::TexCoords(set)) else { break };
            plain.texcoords.push(buffers.floats::<2>(&accessor)?);
            fits(accessor.count())?;
        }
        if let Some(colors) = get(Semantic::Colors(0)) {
            plain.colors = match colors.dimensions() {
                Dimensions::Vec3 => {
                    let opaque = |[r, g, b]: [f32; 3]| [r, g, b, 1.0];
                    buffers.floats::<3>(&colors)?.into_iter().map(opaque).collect()
                }
                _ => buffers.floats::<4>(&colors)?,
            };
            fits(plain.colors.len())?;
        }
        let normals = match get(Semantic::Normals) {
            Some(normals) => vectors(&normals)?,
            None => face_normals(&positions, &plain.triangles),
        };
        fits(normals.len())?;
        let mut targets = Vec::new();
        for target in primitive.morph_targets() {
            let read = |accessor: Option<gltf::Accessor<'_>>| match accessor {
                Some(accessor) => {
                    fits(accessor.count())?;
                    vectors(&accessor)
                }
                None => Ok(Vec::new()),
            };
            targets.push((read(target.positions())?, read(target.normals())?));
        }
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        let skin = node.skin().map(|skin| Skin::read(buffers, &skin)).transpose()?;
        if let (Some(named), Some(shares), Some(_)) =
            (get(Semantic::Joints(0)), get(Semantic::Weights(0)), &skin)
        {
            (joints, weights) = (buffers.integers::<4>(&named)?, buffers.floats::<4>(&shares)?);
            fits(joints.len())?;
            fits(weights.len())?;
        }
        if get(Semantic::Joints(1)).is_some() {
            losses.push(format!("mesh {}: joints after the first four", node.name().unwrap_or_default()));
        }
        if get(Semantic::Tangents).is_some() {
            losses.push("tangents".into());
        }
        Ok(Some(Base { node: node.index(), positions, normals, targets, joints, weights, skin }))
    }

    /// Vertices moved to make one frame: what it costs.
    pub(super) fn cost(&self, moment: &Moment) -> usize {
        let active = moment.weights[self.node].iter().filter(|weight| **weight != 0.0).count();
        self.positions.len().saturating_mul(active.saturating_add(1))
            + self.skin.as_ref().map_or(0, |skin| skin.joints.len())
    }

    /// Vertices of one frame.
    pub(super) const fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether the node turns its mesh inside out, so that fronts are wound the other way.
    pub(super) fn is_mirrored(&self, moment: &Moment) -> bool {
        !self.is_skinned() && moment.world[self.node].determinant() < 0.0
    }

    fn is_skinned(&self) -> bool {
        self.skin.is_some() && self.joints.len() == self.positions.len() && !self.joints.is_empty()
    }

    pub(super) fn frame(&self, moment: &Moment, name: String) -> PlainFrame {
        let (mut positions, mut normals) = (self.positions.clone(), self.normals.clone());
        let moved = self.targets.iter().zip(&moment.weights[self.node]);
        for ((moves, turns), weight) in moved.filter(|(_, weight)| **weight != 0.0) {
            for (position, by) in positions.iter_mut().zip(moves) {
                *position += *by * *weight;
            }
            for (normal, by) in normals.iter_mut().zip(turns) {
                *normal += *by * *weight;
            }
        }
        match &self.skin {
            Some(skin) if self.is_skinned() => {
                let binds = skin.joints.iter().zip(&skin.inverse);
                let matrices: Vec<Mat4> = binds.map(|(joint, bind)| moment.world[*joint] * *bind).collect();
                let influences = self.joints.iter().zip(&self.weights);
                for ((position, normal), (joints, weights)) in
                    positions.iter_mut().zip(&mut normals).zip(influences)
                {
                    let mut matrix = Mat4::ZERO;
                    for (joint, weight) in joints.iter().zip(weights) {
                        if let Some(moved) = matrices.get(*joint as usize) {
                            matrix += *moved * *weight;
                        }
                    }
                    *position = matrix.transform_point3(*position);
                    *normal = turned(&matrix) * *normal;
                }
            }
            _ => {
                let matrix = moment.world[self.node];
                let turn = turned(&matrix);
                positions.iter_mut().for_each(|position| *position = matrix.transform_point3(*position));
                normals.iter_mut().for_each(|normal| *normal = turn * *normal);
            }
        }
        PlainFrame {
            name,
            positions: positions.into_iter().map(|position| position.to_array()).collect(),
            normals: normals
                .into_iter()
                .map(|normal| normal.try_normalize().unwrap_or(Vec3::Y).to_array())
                .collect(),
            ..PlainFrame::default()
        }
    }
}

/// What turns normals where a matrix moves points: at right angles to the surface under any scale.
fn turned(matrix: &Mat4) -> Mat3 {
    let Mat3 { x_axis: x, y_axis: y, z_axis: z } = Mat3::from_mat4(*matrix);
    let cofactors = Mat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
    if x.dot(y.cross(z)) < 0.0 { cofactors * -1.0 } else { cofactors }
}

/// Normals of a mesh without any: those of the faces around each vertex, weighted by their areas.
fn face_normals(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; positions.len()];
    for triangle in triangles {
        let corners = triangle.map(|index| positions.get(index as usize));
        let [Some(a), Some(b), Some(c)] = corners else { continue };
        let face = (*b - *a).cross(*c - *a);
        for index in triangle {
            normals[*index as usize] += face;
        }
    }
    normals
}

struct Skin {
    joints: Vec<usize>,
    inverse: Vec<Mat4>,
}

impl Skin {
    fn read(buffers: &Buffers, skin: &gltf::Skin<'_>) -> Result<Skin, Error> {
        let joints: Vec<usize> = skin.joints().map(|joint| joint.index()).collect();
        let mut inverse: Vec<Mat4> = match skin.inverse_bind_matrices() {
            Some(matrices) => buffers.floats::<16>(&matrices)?.iter().map(Mat4::from_cols_array).collect(),
            None => Vec::new(),
        };
        inverse.resize(joints.len(), Mat4::IDENTITY);
        Ok(Skin { joints, inverse })
    }
}
