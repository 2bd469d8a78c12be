//! One mesh: its triangles and attributes, gathered once, and its vertices in each frame.

use meshlens::lens::Level;
use meshlens::model::{Conversion, Mesh, Space, Topology, Transform, decode_gathered, gather};
use meshlens::wire::parents_first_in_cycles;
use meshlens::{Model, Result};

use crate::affine::{Affine, Vector, add, cross, dot, narrow, normalize, scale, subtract, wide};
use crate::moment::Shown;
use crate::raster::Vertex;

/// The directions to the light, to the right of the picture and to its top.
pub(crate) struct Seen {
    pub(crate) light: Vector,
    pub(crate) right: Vector,
    pub(crate) up: Vector,
}

impl Seen {
    /// The coordinates of a normal in an environment map.
    pub(crate) fn reflected(&self, normal: Vector) -> [f32; 2] {
        [0.5 + 0.5 * dot(normal, self.right), 0.5 - 0.5 * dot(normal, self.up)].map(|axis| axis as f32)
    }
}

/// The corners of a sprite: the steps to the right and to the top, and the texture coordinates.
const CORNERS: [([f64; 2], [f32; 2]); 4] = [
    ([-1.0, 1.0], [0.0, 0.0]),
    ([1.0, 1.0], [1.0, 0.0]),
    ([1.0, -1.0], [1.0, 1.0]),
    ([-1.0, -1.0], [0.0, 1.0]),
];

/// The triangles of sprites, counter-clockwise.
pub(crate) fn sprite_triangles(vertex_count: usize) -> Vec<[u32; 3]> {
    let first = (0..vertex_count as u32 / 4).map(|sprite| sprite * 4);
    first
        .flat_map(|first| [[0, 3, 2], [0, 2, 1]].map(|corners| corners.map(|corner| first + corner)))
        .collect()
}

impl Seen {
    /// Turns a square to the camera. Its diagonal remains as long as that from the first corner.
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

/// A mesh of a part.
pub(crate) struct Gathered<'m, 'a> {
    pub(crate) part: usize,
    pub(crate) mesh: &'m Mesh<'a>,
    pub(crate) topology: Topology,
    pub(crate) texcoords: Vec<[f32; 2]>,
    pub(crate) colors: Vec<[f32; 4]>,
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
    /// Whether each four vertices are a square that turns to the camera.
    pub(crate) are_sprites: bool,
    /// Whether the space of the part and that of glTF have opposite front faces.
    pub(crate) flips: bool,
}

impl<'m, 'a> Gathered<'m, 'a> {
    pub(crate) fn new(part: usize, model: &Model<'_>, mesh: &'m Mesh<'a>) -> Result<Self> {
        let topology = mesh.topology()?;
        let (mut texcoords, mut colors, mut scratch) = (Vec::new(), Vec::new(), Vec::new());
        if mesh.texcoords_into(0, &mut scratch)? {
            texcoords = gathered(&scratch, topology.corners(), topology.vertex_count());
        }
        let mut scratch = Vec::new();
        if mesh.colors_into(&mut scratch)? {
            colors = gathered(&scratch, topology.corners(), topology.vertex_count());
        }
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        if mesh.skin.is_some() && !mesh.influences_into(&mut joints, &mut weights)? {
            joints.clear();
        }
        let conversion: Conversion = model.space.to(&Space::GLTF);
        // A placement that mirrors exchanges fronts and backs.
        let is_mirrored = Affine::from_matrix(model.placement.to_cols_array()).mirrors();
        let flips = conversion.swaps_winding != is_mirrored;
        Ok(Gathered { part, mesh, topology, texcoords, colors, joints, weights, are_sprites: false, flips })
    }

    /// The vertices in one frame.
    pub(crate) fn vertices(
        &self,
        frame: usize,
        place: &Affine,
        world: &[Affine],
        seen: &Seen,
    ) -> Result<Vec<Vertex>> {
        let frame = frame.min(self.mesh.frame_count().saturating_sub(1));
        let (mut scratch, mut positions) = (Vec::new(), Vec::new());
        let points = self.topology.points();
        decode_gathered(self.mesh.positions(frame)?, points, &mut scratch, &mut positions)?;
        positions.truncate(self.topology.vertex_count());
        let normals = self.normals(frame, &positions)?;
        let skin = self.skin(world);
        let mut vertices = Vec::with_capacity(positions.len());
        for (index, (position, normal)) in positions.iter().zip(&normals).enumerate() {
            let point = points.map_or(index, |map| map.get(index).map_or(0, |point| *point as usize));
            let moved = skin.as_ref().and_then(|skin| self.blended(skin, point));
            let (mut position, mut normal) = (wide(*position), wide(*normal));
            if let Some(moved) = &moved {
                (position, normal) = (moved.point(position), moved.normal(normal));
            }
            let normal = normalize(place.normal(normal)).unwrap_or([0.0, 1.0, 0.0]);
            vertices.push(Vertex {
                position: narrow(place.point(position)),
                light: dot(normal, seen.light) as f32,
                texcoord: self.texcoords.get(index).copied().unwrap_or_default(),
                reflected: seen.reflected(normal),
                color: self.colors.get(index).copied().unwrap_or([1.0; 4]),
            });
        }
        if self.are_sprites {
            vertices.as_chunks_mut().0.iter_mut().for_each(|square| seen.turn(square));
        }
        Ok(vertices)
    }

    /// The points in one frame, for a mesh without triangles.
    pub(crate) fn points(&self, frame: usize, place: &Affine, world: &[Affine]) -> Result<Vec<Vector>> {
        let frame = frame.min(self.mesh.frame_count().saturating_sub(1));
        let (mut scratch, mut positions) = (Vec::new(), Vec::new());
        decode_gathered(self.mesh.positions(frame)?, None, &mut scratch, &mut positions)?;
        let skin = self.skin(world);
        let moved = |(index, position): (usize, &[f32; 3])| {
            let moved = skin.as_ref().and_then(|skin| self.blended(skin, index));
            let position = wide(*position);
            place.point(moved.map_or(position, |moved| moved.point(position)))
        };
        Ok(positions.iter().enumerate().map(moved).collect())
    }

    /// The normal of each vertex. Arrays are decoded by the scalar kernel, whose result is the same everywhere. If the file
    /// has no normals, they are computed.
    fn normals(&self, frame: usize, positions: &[[f32; 3]]) -> Result<Vec<[f32; 3]>> {
        let (corners, count) = (self.topology.corners(), self.topology.vertex_count());
        if let Some(lens) = self.mesh.normals(frame)? {
            let mut decoded = vec![[0.0; 3]; lens.len()];
            lens.decode_into_with(Level::SCALAR, &mut decoded)?;
            return Ok(gathered(&decoded, corners, count));
        }
        if let Some(lens) = self.mesh.tangent_frames(frame)? {
            let mut decoded = vec![Default::default(); lens.len()];
            lens.decode_into_with(Level::SCALAR, &mut decoded)?;
            let normals: Vec<[f32; 3]> = decoded.iter().map(|frame| frame.normal).collect();
            return Ok(gathered(&normals, corners, count));
        }
        let mut decoded = Vec::new();
        if self.mesh.normals_into(frame, &mut decoded)? {
            return Ok(gathered(&decoded, corners, count));
        }
        let is_clockwise = self.flips;
        let mut sums = vec![[0.0f64; 3]; count];
        for corners in self.topology.triangles() {
            let [Some(a), Some(b), Some(c)] =
                corners.map(|corner| positions.get(corner as usize).map(|p| wide(*p)))
            else {
                continue;
            };
            let mut face = cross(subtract(b, a), subtract(c, a));
            if is_clockwise {
                face = face.map(|axis| -axis);
            }
            for corner in corners {
                if let Some(sum) = sums.get_mut(*corner as usize) {
                    *sum = add(*sum, face);
                }
            }
        }
        Ok(sums.into_iter().map(|sum| narrow(normalize(sum).unwrap_or_default())).collect())
    }

    /// The matrix of each joint, from the mesh at rest to its pose.
    fn skin(&self, world: &[Affine]) -> Option<Vec<Affine>> {
        let skin = self.mesh.skin.as_ref().filter(|_| !self.joints.is_empty())?;
        let bind = skin.iter().map(|bind| Affine::from_matrix(bind.to_cols_array()));
        Some(world.iter().zip(bind).map(|(world, bind)| world.after(&bind)).collect())
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

/// The matrix of each joint in the space of the model.
pub(crate) fn world(model: &Model<'_>, shown: Shown) -> Vec<Affine> {
    let mut pose: Vec<Transform> = model.joints.iter().map(|joint| joint.rest).collect();
    if let Some((index, frame)) = shown.joints
        && let Some(animation) = model.animations.get(index)
    {
        animation.apply(frame, &mut pose);
    }
    let parent = |joint: usize| model.joints.get(joint).and_then(|joint| joint.parent);
    let mut out = vec![Affine::IDENTITY; pose.len()];
    let mut is_done = vec![false; pose.len()];
    for joint in parents_first_in_cycles(pose.len(), parent) {
        let joint = joint as usize;
        let own = pose.get(joint).map_or(Affine::IDENTITY, Affine::from_transform);
        let above = parent(joint).filter(|parent| is_done.get(*parent) == Some(&true));
        let world = above.and_then(|above| out.get(above)).map_or(own, |above| above.after(&own));
        if let (Some(slot), Some(is_done)) = (out.get_mut(joint), is_done.get_mut(joint)) {
            (*slot, *is_done) = (world, true);
        }
    }
    out
}
