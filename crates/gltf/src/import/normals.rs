//! Normals: computed, transformed, and normalized.

use glam::{Mat3, Mat4, Vec3};
use meshlens::model::unit_direction;

/// Positions, and normals of length 1.
pub(super) fn finished(positions: Vec<Vec3>, normals: Vec<Vec3>) -> (Vec<[f32; 3]>, Vec<[f32; 3]>) {
    let unit = |normal: Vec3| unit_direction(normal.to_array()).unwrap_or([0.0, 1.0, 0.0]);
    (positions.iter().map(Vec3::to_array).collect(), normals.into_iter().map(unit).collect())
}

/// The matrix of normals for a matrix of points: the cofactors, which keep normals at right angles to the surface.
pub(super) fn turned(matrix: &Mat4) -> Mat3 {
    let Mat3 { x_axis: x, y_axis: y, z_axis: z } = Mat3::from_mat4(*matrix);
    let cofactors = Mat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
    if x.dot(y.cross(z)) < 0.0 { cofactors * -1.0 } else { cofactors }
}

/// Normals for a mesh without normals: the sum of the normals of the faces at each vertex, weighted by area.
pub(super) fn face_normals(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
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
