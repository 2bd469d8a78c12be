//! The point of a model under the pointer.

use glam::Vec3;
use meshlens_assets::Part;

use crate::figure::PartPose;

/// The nearest point at which a ray meets a triangle of the parts, from either side. O(triangles).
pub(crate) fn pick(parts: &[Part<'_>], poses: &[PartPose], (start, direction): (Vec3, Vec3)) -> Option<Vec3> {
    let mut nearest = f32::INFINITY;
    let mut points = Vec::new();
    for (part, pose) in parts.iter().zip(poses) {
        let model = &part.model;
        let finest = model.meshes.iter().map(|mesh| mesh.lod).min().unwrap_or(0);
        let transform = pose.transform * model.placement;
        for mesh in model.meshes.iter().filter(|mesh| mesh.lod == finest) {
            let frame = pose.blend.a.min(mesh.frame_count().saturating_sub(1));
            let Ok(topology) = mesh.topology() else { continue };
            if mesh.skin_positions_into(frame, &pose.joints, &mut points).is_err() {
                continue;
            }
            let point = |vertex: u32| {
                let index =
                    topology.points().map_or(Some(vertex), |map| map.get(vertex as usize).copied())?;
                let index = index as usize;
                Some(transform.transform_point3(Vec3::from(*points.get(index)?)))
            };
            for corners in topology.triangles() {
                let [a, b, c] = corners.map(point);
                if let (Some(a), Some(b), Some(c)) = (a, b, c)
                    && let Some(distance) = meet(start, direction, [a, b, c])
                {
                    nearest = nearest.min(distance);
                }
            }
        }
    }
    nearest.is_finite().then(|| start + direction * nearest)
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
