//! Marks that are drawn over a model: tags, skeleton, bounds and normals as lines in the world, with names.

use glam::{Mat4, Vec3};
use meshlens::Model;
use meshlens::lens::Bounds;
use meshlens_assets::Part;

use crate::figure::{PartPose, tag_matrix};
use crate::findings::Place;
use crate::text;

/// The largest number of normals that are drawn.
const MOST_NORMALS: usize = 20_000;

/// The kind of a mark, which determines its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// The X axis of a tag.
    X,
    /// The Y axis of a tag.
    Y,
    /// The Z axis of a tag.
    Z,
    /// A bone: from a joint to its parent.
    Bone,
    /// An edge of the bounding box.
    Bounds,
    /// A normal.
    Normal,
    /// The place of a finding.
    Finding,
    /// An edge of the grid on the ground.
    Ground,
}

/// Lines and names.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// Lines between two points in the world.
    pub lines: Vec<(Mark, [Vec3; 2])>,
    /// Names at points in the world.
    pub names: Vec<(Mark, Vec3, String)>,
}

impl Marks {
    fn line(&mut self, mark: Mark, from: Vec3, to: Vec3) {
        if from.is_finite() && to.is_finite() {
            self.lines.push((mark, [from, to]));
        }
    }

    /// Adds the axes and the name of each tag. `size` is the length of an axis in the world.
    pub fn tags(&mut self, model: &Model<'_>, pose: &PartPose, size: f32) {
        for tag in &model.tags {
            let Some(matrix) = tag_matrix(model, tag.index, pose.blend) else { continue };
            let matrix = pose.transform * matrix;
            let origin = matrix.w_axis.truncate();
            let axes = [(Mark::X, matrix.x_axis), (Mark::Y, matrix.y_axis), (Mark::Z, matrix.z_axis)];
            for (mark, axis) in axes {
                self.line(mark, origin, origin + axis.truncate().normalize_or_zero() * size);
            }
            if origin.is_finite() {
                self.names.push((Mark::X, origin, text::line(&tag.name)));
            }
        }
    }

    /// Adds the bones and the names of the joints.
    pub fn skeleton(&mut self, model: &Model<'_>, pose: &PartPose) {
        let place = |joint: usize| {
            let matrix: &Mat4 = pose.joints.get(joint)?;
            Some(pose.transform.transform_point3(matrix.w_axis.truncate())).filter(|point| point.is_finite())
        };
        for (index, joint) in model.joints.iter().enumerate() {
            let Some(point) = place(index) else { continue };
            if let Some(parent) = joint.parent.and_then(place) {
                self.line(Mark::Bone, parent, point);
            }
            self.names.push((Mark::Bone, point, text::line(&joint.name)));
        }
    }

    /// Adds the edges of a box.
    pub fn bounds(&mut self, bounds: &Bounds) {
        let corner = |index: usize| {
            let pick = |axis: usize| if index >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] };
            Vec3::new(pick(0), pick(1), pick(2))
        };
        for from in 0..8 {
            for axis in 0..3 {
                if from >> axis & 1 == 0 {
                    self.line(Mark::Bounds, corner(from), corner(from | 1 << axis));
                }
            }
        }
    }

    /// Adds a grid on the ground below a box.
    pub fn ground(&mut self, bounds: &Bounds) {
        let (min, max) = (Vec3::from(bounds.min), Vec3::from(bounds.max));
        let (middle, half) = ((min + max) * 0.5, (max - min).max_element() * 0.75);
        if half <= 0.0 || half.is_nan() {
            return;
        }
        for step in -5..=5 {
            let at = half * step as f32 / 5.0;
            let point = |x: f32, z: f32| Vec3::new(middle.x + x, min.y, middle.z + z);
            self.line(Mark::Ground, point(at, -half), point(at, half));
            self.line(Mark::Ground, point(-half, at), point(half, at));
        }
    }

    /// Adds the normals of the vertices in the frame that is shown. `size` is their length in the world.
    pub fn normals(&mut self, model: &Model<'_>, lod: usize, pose: &PartPose, size: f32) {
        let transform = pose.transform * model.placement;
        let turn = transform.inverse().transpose();
        for mesh in model.meshes.iter().filter(|mesh| mesh.lod == lod) {
            let (mut positions, mut normals) = (Vec::new(), Vec::new());
            let frame = pose.blend.a.min(mesh.frame_count().saturating_sub(1));
            let decoded = mesh.topology().and_then(|topology| {
                mesh.skin_vertices_into(&topology, frame, &pose.joints, &mut positions, &mut normals)
            });
            if decoded.is_err() {
                continue;
            }
            for (position, normal) in positions.iter().zip(&normals) {
                if self.lines.len() > MOST_NORMALS {
                    return;
                }
                let from = transform.transform_point3(Vec3::from(*position));
                let normal = turn.transform_vector3(Vec3::from(*normal)).normalize_or_zero();
                self.line(Mark::Normal, from, from + normal * size);
            }
        }
    }

    /// Adds the place of a finding: a triangle, a vertex, a tag, or the bounding box of a mesh. Returns its center, or
    /// `None` if the place is not in the model.
    pub fn place(&mut self, part: &Part<'_>, pose: &PartPose, place: &Place, size: f32) -> Option<Vec3> {
        let model = &part.model;
        if let Some(tag) = place.tag {
            let origin = (pose.transform * tag_matrix(model, tag, pose.blend)?).w_axis.truncate();
            self.cross(origin, size);
            return Some(origin);
        }
        let mesh = model.meshes.get(place.mesh?)?;
        let frame = place.frame.unwrap_or(pose.blend.a).min(mesh.frame_count().saturating_sub(1));
        let mut points = Vec::new();
        mesh.skin_positions_into(frame, &pose.joints, &mut points).ok()?;
        let transform = pose.transform * model.placement;
        let at = |point: usize| points.get(point).map(|point| transform.transform_point3(Vec3::from(*point)));
        if let Some(vertex) = place.vertex.and_then(at) {
            self.cross(vertex, size);
            return Some(vertex);
        }
        let topology = mesh.topology().ok();
        let corners = place.triangle.and_then(|triangle| {
            let topology = topology.as_ref()?;
            let corners = topology.triangles().get(triangle)?.map(|vertex| {
                let point = topology.points().map_or(Some(vertex), |map| map.get(vertex as usize).copied());
                point.and_then(|point| at(point as usize))
            });
            Some([corners[0]?, corners[1]?, corners[2]?])
        });
        if let Some([a, b, c]) = corners {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                self.line(Mark::Finding, from, to);
            }
            self.cross((a + b + c) / 3.0, size);
            return Some((a + b + c) / 3.0);
        }
        let world = points.iter().map(|point| transform.transform_point3(Vec3::from(*point)).to_array());
        let bounds = Bounds::around(world.filter(|point| point.iter().all(|axis| axis.is_finite())))?;
        let start = self.lines.len();
        self.bounds(&bounds);
        self.lines.iter_mut().skip(start).for_each(|line| line.0 = Mark::Finding);
        Some((Vec3::from(bounds.min) + Vec3::from(bounds.max)) * 0.5)
    }

    /// Adds a cross at a point.
    fn cross(&mut self, point: Vec3, size: f32) {
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            self.line(Mark::Finding, point - axis * size, point + axis * size);
        }
    }
}
