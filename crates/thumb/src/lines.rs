//! Joints, tags, points and needles as lines, for models without triangles that can be seen.

use meshlens::scene::{Pose, Scene, Socket, View};

use crate::affine::{Affine, Vector, add, cross, dot, narrow, normalize, scale, subtract, wide};
use crate::mesh::Directions;
use crate::raster::Vertex;
use crate::surface::{Surface, Vertices};

const BONE: [f32; 4] = [0.80, 0.70, 0.45, 1.0];
const AXES: [[f32; 4]; 3] = [[0.85, 0.30, 0.28, 1.0], [0.36, 0.68, 0.32, 1.0], [0.28, 0.45, 0.85, 1.0]];
const POINT: [f32; 4] = [0.36, 0.50, 0.66, 1.0];

/// The vertices and triangles of a line.
const VERTICES: usize = 24;
const TRIANGLES: usize = 12;

/// The number of bytes of some lines.
pub(crate) const fn bytes(count: usize) -> usize {
    count.saturating_mul(VERTICES * size_of::<Vertex>() + TRIANGLES * size_of::<[u32; 3]>())
}

/// The number of joints and tags of all nodes, and of the lines that show them.
pub(crate) fn count(scene: &Scene<'_>) -> (usize, usize) {
    let (mut all, mut lines) = (0usize, 0usize);
    for node in &scene.nodes {
        let roots = node.model.joints.iter().filter(|joint| joint.parent.is_none()).count();
        let (joints, tags) = (node.model.joints.len(), node.model.tags.len());
        all = all.saturating_add(joints).saturating_add(tags);
        lines = lines.saturating_add(joints - roots).saturating_add((roots + tags).saturating_mul(3));
    }
    (all, lines)
}

/// The number of joints and tags that at most `limit` lines show.
pub(crate) fn drawn(scene: &Scene<'_>, limit: usize) -> usize {
    let costs = scene.nodes.iter().flat_map(|node| {
        let joints = node.model.joints.iter().map(|joint| if joint.parent.is_none() { 3 } else { 1 });
        joints.chain(node.model.tags.iter().map(|_| 3))
    });
    let left = costs.scan(limit, |left, cost| {
        *left = left.checked_sub(cost)?;
        Some(*left)
    });
    left.count()
}

/// The largest distance of a point from the first one, of those that are finite; 1 if all of them are equal.
fn size(points: impl Iterator<Item = Vector>) -> f64 {
    let is_finite = |point: &Vector| point.iter().all(|axis| axis.is_finite());
    let mut points = points.filter(is_finite).peekable();
    let first = points.peek().copied().unwrap_or_default();
    let far = points.map(|point| subtract(point, first)).map(|way| dot(way, way)).fold(0.0, f64::max);
    if far > 0.0 && far.is_finite() { libm::sqrt(far) } else { 1.0 }
}

/// Lines that become triangles.
pub(crate) struct Lines<'s> {
    directions: &'s Directions,
    /// The number of lines that may still be added.
    left: usize,
    vertices: Vec<Vertex>,
    triangles: Vec<[u32; 3]>,
}

impl<'s> Lines<'s> {
    /// At most `limit` lines.
    pub(crate) fn new(directions: &'s Directions, limit: usize) -> Lines<'s> {
        Lines { directions, left: limit, vertices: Vec::new(), triangles: Vec::new() }
    }

    /// Adds the joints and tags of all nodes: a line from each joint to its parent, and three for the axes of each tag and of
    /// each joint without a parent.
    pub(crate) fn add_joints_and_tags(&mut self, view: &View<'_, '_>, pose: &Pose) {
        // The matrices of the joints and the tags of each node.
        let matrices = |index: usize| {
            let (own, model) = (view.matrix(index, pose)?, view.model(index)?);
            let joint = |joint: &[[f32; 4]; 4]| Affine::new(own).after(&Affine::new(*joint));
            let joints: Vec<Affine> = pose.node(index)?.joints.iter().map(joint).collect();
            let tag = |tag: usize| Affine::new(view.socket(index, Socket::Tag(tag), pose).unwrap_or(own));
            let tags: Vec<Affine> = model.tags.iter().map(|found| tag(found.index)).collect();
            Some((model, joints, tags))
        };
        let nodes: Vec<_> = (0..view.scene().nodes.len()).filter_map(matrices).collect();
        let all = nodes.iter().flat_map(|(_, joints, tags)| joints.iter().chain(tags));
        let size = size(all.map(Affine::origin));
        for (model, joints, tags) in &nodes {
            for (joint, matrix) in model.joints.iter().zip(joints) {
                let is_drawn = match joint.parent.and_then(|parent| joints.get(parent)) {
                    Some(parent) => self.add(parent.origin(), matrix.origin(), size * 0.025, BONE),
                    None => self.axes(matrix, size),
                };
                if !is_drawn {
                    return;
                }
            }
            if !tags.iter().all(|tag| self.axes(tag, size)) {
                return;
            }
        }
    }

    /// Adds a dot for each point.
    pub(crate) fn add_points(&mut self, points: &[Vector]) {
        let half = size(points.iter().copied()) * 0.006;
        let reach = scale([0.0, 1.0, 0.0], half);
        for point in points.iter().take(self.left) {
            self.add(subtract(*point, reach), add(*point, reach), half, POINT);
        }
    }

    /// Adds the longest edge of each triangle, and returns the number of lines.
    pub(crate) fn add_edges(&mut self, triangles: &[[[f32; 3]; 3]]) -> usize {
        let is_finite = |corners: &&[[f32; 3]; 3]| corners.as_flattened().iter().all(|axis| axis.is_finite());
        let finite = triangles.iter().filter(is_finite);
        let size = size(finite.clone().flatten().copied().map(wide));
        let mut drawn = 0;
        for corners in finite.take(self.left) {
            let [a, b, c] = corners.map(wide);
            let edges = [(a, b), (b, c), (c, a)];
            let length = |(a, b): &(Vector, Vector)| dot(subtract(*b, *a), subtract(*b, *a));
            let longest = edges.into_iter().max_by(|a, b| length(a).total_cmp(&length(b)));
            let Some((start, end)) = longest else { continue };
            drawn += usize::from(self.add(start, end, size * 0.006, POINT));
        }
        drawn
    }

    pub(crate) fn finish(self, vertices: &mut Vertices, surfaces: &mut Vec<Surface>) {
        surfaces.push(Surface::plain(vertices.len(), self.triangles));
        vertices.push(self.vertices);
    }

    /// Adds three axes. Returns false if the limit was reached.
    fn axes(&mut self, place: &Affine, size: f64) -> bool {
        if self.left < AXES.len() {
            return false;
        }
        let origin = place.origin();
        for (axis, color) in AXES.iter().enumerate() {
            let mut end = [0.0; 3];
            end[axis] = 1.0;
            let Some(way) = normalize(subtract(place.point(end), origin)) else { continue };
            self.add(origin, add(origin, scale(way, size * 0.2)), size * 0.012, *color);
        }
        true
    }

    /// Adds a line with a pointed end: four sides and a square start. Returns false if the limit was reached. A line of
    /// length 0 is invisible.
    fn add(&mut self, start: Vector, end: Vector, thickness: f64, color: [f32; 4]) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        let Some(way) = normalize(subtract(end, start)) else { return true };
        let other = if way[1].abs() < 0.9 { [0.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0] };
        let Some(side) = normalize(cross(other, way)) else { return true };
        self.left = left;
        let sides = [side, cross(way, side)];
        let ring = |at: usize| {
            let sign = if at < 2 { 1.0 } else { -1.0 };
            scale(sides[at % 2], sign)
        };
        for at in 0..4 {
            let (from, to) = (ring(at), ring((at + 1) % 4));
            let normal = normalize(add(from, to)).unwrap_or(way);
            let corners = [
                add(start, scale(from, thickness)),
                add(start, scale(to, thickness)),
                add(end, scale(to, thickness * 0.4)),
                add(end, scale(from, thickness * 0.4)),
            ];
            self.face(&corners, &[[0, 1, 2], [0, 2, 3]], normal, color);
        }
        for (center, factor, normal) in [(start, 1.0, scale(way, -1.0)), (end, 0.4, way)] {
            let corners = [0, 1, 2, 3].map(|at| add(center, scale(ring(at), thickness * factor)));
            let faces = if factor == 1.0 { [[0, 2, 1], [0, 3, 2]] } else { [[0, 1, 2], [0, 2, 3]] };
            self.face(&corners, &faces, normal, color);
        }
        true
    }

    fn face(&mut self, corners: &[Vector; 4], triangles: &[[u32; 3]; 2], normal: Vector, color: [f32; 4]) {
        let first = self.vertices.len() as u32;
        let light = dot(normal, self.directions.light) as f32;
        let reflected = self.directions.reflected(normal);
        let vertex = |corner: &Vector| Vertex {
            position: narrow(*corner),
            light,
            texcoord: [0.0; 2],
            reflected,
            color,
        };
        self.vertices.extend(corners.iter().map(vertex));
        self.triangles.extend(triangles.iter().map(|corners| corners.map(|corner| first + corner)));
    }
}
