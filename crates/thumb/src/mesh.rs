//! One mesh: its attributes, gathered once, and its vertices in each pose.

use meshlens::Result;
use meshlens::lens::Level;
use meshlens::model::{decode_gathered, gather};
use meshlens::scene::{Pose, ViewMesh};

use crate::affine::{Affine, Vector, add, cross, dot, narrow, normalize, scale, subtract, wide};
use crate::raster::Vertex;

/// The corners of a sprite: the steps to the right and to the top, and the texture coordinates.
const CORNERS: [([f64; 2], [f32; 2]); 4] = [
    ([-1.0, 1.0], [0.0, 0.0]),
    ([1.0, 1.0], [1.0, 0.0]),
    ([1.0, -1.0], [1.0, 1.0]),
    ([-1.0, -1.0], [0.0, 1.0]),
];

/// The directions to the light, to the right of the picture and to its top.
pub(crate) struct Directions {
    pub(crate) light: Vector,
    pub(crate) right: Vector,
    pub(crate) up: Vector,
}

impl Directions {
    /// The coordinates of a normal in an environment map.
    pub(crate) fn reflected(&self, normal: Vector) -> [f32; 2] {
        [0.5 + 0.5 * dot(normal, self.right), 0.5 - 0.5 * dot(normal, self.up)].map(|axis| axis as f32)
    }

    /// Turns a square to the camera. The length of the diagonal from the first corner is kept.
    fn turn(&self, square: &mut [Vertex; 4]) {
        let corners = square.map(|vertex| wide(vertex.position));
        let sum = corners.into_iter().fold([0.0; 3], add);
        let middle = scale(sum, 0.25);
        let way = subtract(corners[0], middle);
        let half = libm::sqrt(dot(way, way) / 2.0);
        let normal = cross(self.right, self.up);
        for (vertex, ([x, y], texcoord)) in square.iter_mut().zip(CORNERS) {
            let place = add(middle, add(scale(self.right, x * half), scale(self.up, y * half)));
            vertex.position = narrow(place);
            vertex.light = dot(normal, self.light) as f32;
            (vertex.texcoord, vertex.reflected) = (texcoord, [0.5; 2]);
        }
    }
}

/// A mesh of a scene.
pub(crate) struct DrawnMesh<'s, 'a> {
    pub(crate) mesh: ViewMesh<'s, 'a>,
    pub(crate) texcoords: Vec<[f32; 2]>,
    pub(crate) colors: Vec<[f32; 4]>,
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
    /// Whether each four vertices are a square that turns to the camera.
    pub(crate) are_sprites: bool,
}

impl<'s, 'a> DrawnMesh<'s, 'a> {
    pub(crate) fn new(view_mesh: ViewMesh<'s, 'a>) -> Result<Self> {
        let (mesh, topology) = (view_mesh.mesh(), view_mesh.topology());
        let (mut texcoords, mut colors, mut scratch) = (Vec::new(), Vec::new(), Vec::new());
        if mesh.texcoords_into(0, &mut scratch)? {
            texcoords = gathered(&scratch, topology.corners(), topology.vertex_count());
        }
        // The vertices of a material with another set have the coordinates of that set.
        for submesh in view_mesh.submeshes() {
            let material = submesh.material.or(mesh.material);
            let material = material.and_then(|index| view_mesh.model().materials.get(index));
            let set = material.map_or(0, |material| material.texture_set);
            if set > 0 && mesh.texcoords_into(set, &mut scratch)? {
                let other: Vec<[f32; 2]> = gathered(&scratch, topology.corners(), topology.vertex_count());
                for vertex in view_mesh.submesh_triangles(submesh).flatten().map(|vertex| vertex as usize) {
                    if let (Some(slot), Some(value)) = (texcoords.get_mut(vertex), other.get(vertex)) {
                        *slot = *value;
                    }
                }
            }
        }
        let mut scratch = Vec::new();
        if mesh.colors_into(0, &mut scratch)? {
            colors = gathered(&scratch, topology.corners(), topology.vertex_count());
        }
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        if mesh.skin.is_some() && !mesh.influences_into(&mut joints, &mut weights)? {
            joints.clear();
        }
        let are_sprites = topology.are_sprites(&view_mesh.model().materials, mesh.material);
        Ok(DrawnMesh { mesh: view_mesh, texcoords, colors, joints, weights, are_sprites })
    }

    /// The vertices in a pose.
    pub(crate) fn vertices(&self, pose: &Pose, directions: &Directions) -> Result<Vec<Vertex>> {
        let topology = self.mesh.topology();
        let points = topology.points();
        let mut positions = self.positions(pose, points)?;
        positions.truncate(topology.vertex_count());
        let stored = self.normals(self.mesh.frames(pose)?.a)?;
        let (matrix, skin) = (Affine::new(self.mesh.matrix(pose)?), self.skin(pose));
        let mut normals = Vec::new();
        for (index, position) in positions.iter_mut().enumerate() {
            let point = points.map_or(index, |map| map.get(index).map_or(0, |point| *point as usize));
            let moved = skin.as_ref().and_then(|skin| self.blended(skin, point));
            *position = moved_point(*position, moved.as_ref(), &matrix);
            if let Some(normal) = stored.as_ref().and_then(|normals| normals.get(index)) {
                let normal = wide(*normal);
                normals.push(matrix.normal(moved.map_or(normal, |moved| moved.normal(normal))));
            }
        }
        if stored.is_none() {
            normals = self.face_normals(&positions);
        }
        let vertex = |(index, (position, normal)): (usize, (&[f32; 3], &Vector))| {
            let normal = normalize(*normal).unwrap_or([0.0, 1.0, 0.0]);
            Vertex {
                position: *position,
                light: dot(normal, directions.light) as f32,
                texcoord: self.texcoords.get(index).copied().unwrap_or_default(),
                reflected: directions.reflected(normal),
                color: self.colors.get(index).copied().unwrap_or([1.0; 4]),
            }
        };
        let mut vertices: Vec<Vertex> = positions.iter().zip(&normals).enumerate().map(vertex).collect();
        if self.are_sprites {
            vertices.as_chunks_mut().0.iter_mut().for_each(|square| directions.turn(square));
        }
        Ok(vertices)
    }

    /// The points in a pose, for a mesh without triangles.
    pub(crate) fn points(&self, pose: &Pose) -> Result<Vec<Vector>> {
        let (matrix, skin) = (Affine::new(self.mesh.matrix(pose)?), self.skin(pose));
        let positions = self.positions(pose, None)?;
        let moved = |(index, position): (usize, &[f32; 3])| {
            let moved = skin.as_ref().and_then(|skin| self.blended(skin, index));
            wide(moved_point(*position, moved.as_ref(), &matrix))
        };
        Ok(positions.iter().enumerate().map(moved).collect())
    }

    /// The positions as they are stored.
    fn positions(&self, pose: &Pose, points: Option<&[u32]>) -> Result<Vec<[f32; 3]>> {
        let (mut scratch, mut positions) = (Vec::new(), Vec::new());
        decode_gathered(
            self.mesh.mesh().positions(self.mesh.frames(pose)?.a)?,
            points,
            &mut scratch,
            &mut positions,
        )?;
        Ok(positions)
    }

    /// The normal of each vertex; `None` if the file has none. Arrays are decoded by the scalar kernel, whose result is
    /// the same on every machine.
    fn normals(&self, frame: usize) -> Result<Option<Vec<[f32; 3]>>> {
        let (mesh, topology) = (self.mesh.mesh(), self.mesh.topology());
        let (corners, count) = (topology.corners(), topology.vertex_count());
        let mut decoded = Vec::new();
        if let Some(lens) = mesh.normals(frame)? {
            decoded.resize(lens.len(), [0.0; 3]);
            lens.decode_into_with(Level::SCALAR, &mut decoded)?;
        } else if let Some(lens) = mesh.tangent_frames(frame)? {
            let mut frames = vec![Default::default(); lens.len()];
            lens.decode_into_with(Level::SCALAR, &mut frames)?;
            decoded.extend(frames.iter().map(|frame| frame.normal));
        } else if !mesh.normals_into(frame, &mut decoded)? {
            return Ok(None);
        }
        Ok(Some(gathered(&decoded, corners, count)))
    }

    /// For each vertex, the sum of the normals of its triangles, weighted by their area.
    fn face_normals(&self, positions: &[[f32; 3]]) -> Vec<Vector> {
        let mut sums = vec![[0.0f64; 3]; positions.len()];
        let submeshes = self.mesh.submeshes().iter();
        for corners in submeshes.flat_map(|submesh| self.mesh.submesh_triangles(submesh)) {
            let [Some(a), Some(b), Some(c)] =
                corners.map(|corner| positions.get(corner as usize).map(|position| wide(*position)))
            else {
                continue;
            };
            let face = cross(subtract(b, a), subtract(c, a));
            for corner in corners {
                if let Some(sum) = sums.get_mut(corner as usize) {
                    *sum = add(*sum, face);
                }
            }
        }
        sums
    }

    /// The matrix of each joint, from the mesh at rest to its pose.
    fn skin(&self, pose: &Pose) -> Option<Vec<Affine>> {
        let skin = self.mesh.mesh().skin.as_ref().filter(|_| !self.joints.is_empty())?;
        let joints = pose.node(self.mesh.node())?.joints.iter();
        let moved = joints.zip(skin.iter());
        Some(moved.map(|(joint, bind)| Affine::new(*joint).after(&Affine::new(*bind))).collect())
    }

    /// The weighted sum of the matrices of a point; `None` if no joint moves it.
    fn blended(&self, skin: &[Affine], point: usize) -> Option<Affine> {
        let (joints, weights) = (self.joints.get(point)?, self.weights.get(point)?);
        let mut sum = None;
        for (joint, weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            if let Some(matrix) = skin.get(usize::from(*joint)) {
                matrix.add_to(f64::from(*weight), sum.get_or_insert(Affine::ZERO));
            }
        }
        sum
    }
}

/// One value for each vertex.
fn gathered<V: meshlens::lens::Value>(values: &[V], map: Option<&[u32]>, count: usize) -> Vec<V> {
    let mut out = vec![V::zeroed(); count];
    gather(values, map, &mut out);
    out
}

/// A point after joints have moved it, in the space of the view.
fn moved_point(point: [f32; 3], moved: Option<&Affine>, matrix: &Affine) -> [f32; 3] {
    let point = wide(point);
    narrow(matrix.point(moved.map_or(point, |moved| moved.point(point))))
}
