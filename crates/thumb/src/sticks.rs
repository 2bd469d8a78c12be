//! Joints and tags as sticks, for models without triangles.

use meshlens::Model;

use crate::Part;
use crate::affine::{Affine, Vector, add, cross, dot, narrow, normalize, scale, subtract};
use crate::moment::Moment;
use crate::raster::Vertex;
use crate::surface::{Surface, Vertices};

const BONE: [f32; 4] = [0.80, 0.70, 0.45, 1.0];
const AXES: [[f32; 4]; 3] = [[0.85, 0.30, 0.28, 1.0], [0.36, 0.68, 0.32, 1.0], [0.28, 0.45, 0.85, 1.0]];

/// The origin of each tag of a model, and of its axes.
fn tags(model: &Model<'_>, frame: usize) -> impl Iterator<Item = Affine> {
    let frame = frame.min(model.tag_frame_count().saturating_sub(1));
    model.tags.iter().map(move |tag| Affine::from_tag(model.tag_pose(tag.index, frame)))
}

/// The largest distance of a joint or tag from the first one; 1 if there is one place only.
pub(crate) fn size(
    parts: &[Part<'_, '_>],
    places: &[Affine],
    worlds: &[Vec<Affine>],
    moment: &Moment,
) -> f64 {
    let mut points: Vec<Vector> = Vec::new();
    for (((part, place), world), shown) in parts.iter().zip(places).zip(worlds).zip(moment) {
        points.extend(world.iter().map(|joint| place.after(joint).point([0.0; 3])));
        points.extend(tags(part.model, shown.frame).map(|tag| place.after(&tag).point([0.0; 3])));
    }
    let first = points.first().copied().unwrap_or_default();
    let far = points.iter().map(|point| subtract(*point, first)).map(|way| dot(way, way)).fold(0.0, f64::max);
    if far > 0.0 && far.is_finite() { libm::sqrt(far) } else { 1.0 }
}

/// Adds a stick from each joint to its parent, and three for the axes of each tag and of each joint without a parent.
#[allow(clippy::too_many_arguments, reason = "the parts of one moment")]
pub(crate) fn add_model(
    model: &Model<'_>,
    frame: usize,
    place: &Affine,
    world: &[Affine],
    size: f64,
    light: Vector,
    vertices: &mut Vertices,
    surfaces: &mut Vec<Surface>,
) {
    let mut sticks = Sticks { light, vertices: Vec::new(), triangles: Vec::new() };
    for (joint, matrix) in model.joints.iter().zip(world) {
        let end = place.after(matrix).point([0.0; 3]);
        if let Some(parent) = joint.parent.and_then(|parent| world.get(parent)) {
            let start = place.after(parent).point([0.0; 3]);
            sticks.add(start, end, size * 0.025, BONE);
        } else {
            sticks.axes(&place.after(matrix), size);
        }
    }
    for tag in tags(model, frame) {
        sticks.axes(&place.after(&tag), size);
    }
    surfaces.push(Surface::plain(vertices.len(), sticks.triangles));
    vertices.push(sticks.vertices);
}

struct Sticks {
    light: Vector,
    vertices: Vec<Vertex>,
    triangles: Vec<[u32; 3]>,
}

impl Sticks {
    fn axes(&mut self, place: &Affine, size: f64) {
        let origin = place.point([0.0; 3]);
        for (axis, color) in AXES.iter().enumerate() {
            let mut end = [0.0; 3];
            end[axis] = 1.0;
            let Some(way) = normalize(subtract(place.point(end), origin)) else { continue };
            self.add(origin, add(origin, scale(way, size * 0.2)), size * 0.012, *color);
        }
    }

    /// A stick with a pointed end: four sides and a square start.
    fn add(&mut self, start: Vector, end: Vector, thickness: f64, color: [f32; 4]) {
        let Some(way) = normalize(subtract(end, start)) else { return };
        let other = if way[1].abs() < 0.9 { [0.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0] };
        let Some(side) = normalize(cross(other, way)) else { return };
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
    }

    fn face(&mut self, corners: &[Vector; 4], triangles: &[[u32; 3]; 2], normal: Vector, color: [f32; 4]) {
        let first = self.vertices.len() as u32;
        let light = dot(normal, self.light) as f32;
        let vertex = |corner: &Vector| Vertex { position: narrow(*corner), light, texcoord: [0.0; 2], color };
        self.vertices.extend(corners.iter().map(vertex));
        self.triangles.extend(triangles.iter().map(|corners| corners.map(|corner| first + corner)));
    }
}
