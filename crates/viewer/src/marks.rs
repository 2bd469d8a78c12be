//! Marks that are drawn over a model: tags, skeleton, bounds and normals as lines in the world, with names.

use std::sync::Arc;

use glam::Vec3;
use meshlens::lens::Bounds;
use meshlens::scene::{Pose, Socket, View};

use crate::findings::FindingTarget;
use crate::geometry::{socket_matrix, vertices};
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
    /// The location of a finding.
    Finding,
    /// An edge of the grid on the ground.
    Ground,
}

/// Lines and names.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// Lines between two points in the world.
    pub lines: Vec<(Mark, [[f32; 3]; 2])>,
    /// Names at points in the world.
    pub names: Vec<(Mark, [f32; 3], String)>,
}

impl Marks {
    fn line(&mut self, mark: Mark, from: Vec3, to: Vec3) {
        if from.is_finite() && to.is_finite() {
            self.lines.push((mark, [from.into(), to.into()]));
        }
    }

    /// Adds the axes and the name of each tag. `size` is the length of an axis in the world.
    pub fn tags(&mut self, view: &View<'_, '_>, pose: &Pose, size: f32) {
        for (node, of) in view.scene().nodes.iter().enumerate() {
            for tag in &of.model.tags {
                let Some(matrix) = socket_matrix(view, node, Socket::Tag(tag.index), pose) else { continue };
                let origin = matrix.w_axis.truncate();
                let axes = [(Mark::X, matrix.x_axis), (Mark::Y, matrix.y_axis), (Mark::Z, matrix.z_axis)];
                for (mark, axis) in axes {
                    self.line(mark, origin, origin + axis.truncate().normalize_or_zero() * size);
                }
                self.names.push((Mark::X, origin.into(), text::line(&tag.name)));
            }
        }
    }

    /// Adds the bones and the names of the joints.
    pub fn skeleton(&mut self, view: &View<'_, '_>, pose: &Pose) {
        for (node, of) in view.scene().nodes.iter().enumerate() {
            let place =
                |joint| Some(socket_matrix(view, node, Socket::Joint(joint), pose)?.w_axis.truncate());
            for (index, joint) in of.model.joints.iter().enumerate() {
                let Some(point) = place(index) else { continue };
                if let Some(parent) = joint.parent.and_then(place) {
                    self.line(Mark::Bone, parent, point);
                }
                self.names.push((Mark::Bone, point.into(), text::line(&joint.name)));
            }
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

    /// Adds the normals of the vertices. `size` is their length in the world.
    pub fn normals(&mut self, view: &View<'_, '_>, pose: &Pose, size: f32) {
        for mesh in view.meshes().flatten() {
            let Ok(vertices) = vertices(&mesh, pose, true) else { continue };
            for [position, normal] in vertices {
                if self.lines.len() > MOST_NORMALS {
                    return;
                }
                self.line(Mark::Normal, position, position + normal.normalize_or_zero() * size);
            }
        }
    }

    /// Adds the location of a finding: a triangle, a vertex, a tag, or the bounding box of a mesh, at the finest level
    /// of detail. Returns its center, or `None` if the location is not in the scene.
    pub fn place(
        &mut self,
        view: &View<'_, '_>,
        pose: &Pose,
        place: &FindingTarget,
        size: f32,
    ) -> Option<[f32; 3]> {
        let view = view.lod(0);
        if let Some(tag) = place.tag {
            let origin = socket_matrix(&view, place.part, Socket::Tag(tag), pose)?.w_axis.truncate();
            self.cross(origin, size);
            return Some(origin.into());
        }
        let (mut pose, mesh) = (pose.clone(), place.mesh?);
        if let Some(frame) = place.frame {
            pose.node_mut(place.part)?.frames = frame.into();
        }
        // The triangles themselves may be invalid.
        let mesh =
            view.mesh(place.part, mesh).or_else(|_| view.mesh_with(place.part, mesh, Arc::default())).ok()?;
        let (points, topology) = (vertices(&mesh, &pose, false).ok()?, mesh.topology());
        let at = |vertex: usize| points.get(vertex).map(|[position, _]| *position);
        // Findings use indices of points.
        let vertex = place.vertex.and_then(|point| match topology.points() {
            Some(map) => map.iter().position(|of| *of as usize == point),
            None => Some(point),
        });
        if let Some(vertex) = vertex.and_then(at) {
            self.cross(vertex, size);
            return Some(vertex.into());
        }
        let corners = place.triangle.and_then(|triangle| {
            let [a, b, c] = topology.triangles().get(triangle)?.map(|vertex| at(vertex as usize));
            Some([a?, b?, c?])
        });
        if let Some([a, b, c]) = corners {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                self.line(Mark::Finding, from, to);
            }
            let middle = (a + b + c) / 3.0;
            self.cross(middle, size);
            return Some(middle.into());
        }
        let finite = points.iter().map(|[position, _]| *position).filter(|position| position.is_finite());
        let bounds = Bounds::around(finite.map(Vec3::into))?;
        let start = self.lines.len();
        self.bounds(&bounds);
        self.lines.iter_mut().skip(start).for_each(|line| line.0 = Mark::Finding);
        Some(((Vec3::from(bounds.min) + Vec3::from(bounds.max)) * 0.5).into())
    }

    /// Adds a cross at a point.
    fn cross(&mut self, point: Vec3, size: f32) {
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            self.line(Mark::Finding, point - axis * size, point + axis * size);
        }
    }
}
