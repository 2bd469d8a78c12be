//! The point of a model under the pointer.

use glam::Vec3;
use meshlens::scene::{Pose, View};

use crate::geometry::vertices;

/// The nearest point at which a ray meets a triangle of a view, from either side. O(triangles).
pub(crate) fn pick(
    view: &View<'_, '_>,
    pose: &Pose,
    (start, direction): ([f32; 3], [f32; 3]),
) -> Option<[f32; 3]> {
    let (start, direction) = (Vec3::from(start), Vec3::from(direction));
    let mut nearest = f32::INFINITY;
    for mesh in view.meshes().flatten() {
        let Ok(points) = vertices(&mesh, pose, false) else { continue };
        let point = |vertex: u32| points.get(vertex as usize).map(|[position, _]| *position);
        for corners in mesh.topology().triangles() {
            let [a, b, c] = corners.map(point);
            if let (Some(a), Some(b), Some(c)) = (a, b, c)
                && let Some(distance) = meet(start, direction, [a, b, c])
            {
                nearest = nearest.min(distance);
            }
        }
    }
    nearest.is_finite().then(|| (start + direction * nearest).into())
}

/// The distance at which a ray meets a triangle (Moeller and Trumbore, 1997).
fn meet(start: Vec3, direction: Vec3, [a, b, c]: [Vec3; 3]) -> Option<f32> {
    let (ab, ac) = (b - a, c - a);
    let across = direction.cross(ac);
    let determinant = ab.dot(across);
    if determinant == 0.0 {
        return None;
    }
    let from = start - a;
    let u = from.dot(across) / determinant;
    let other = from.cross(ab);
    let v = direction.dot(other) / determinant;
    let distance = ac.dot(other) / determinant;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0).then_some(distance)
}
