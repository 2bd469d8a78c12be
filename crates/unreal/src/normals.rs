//! Normals. The format does not store them, so smooth normals are computed from the triangles around each position.

use alloc::vec::Vec;

use meshlens_wire::{Presence, Result};

use crate::{TriangleType, Unreal};

/// The working memory of [`Unreal::smooth_normals_into`]: 40 bytes for each vertex of a frame, reused from call to call.
#[derive(Clone, Debug, Default)]
pub struct NormalScratch {
    /// The stored positions.
    positions: Vec<[i16; 3]>,
    /// The position and index of each vertex in one word, so that sorting brings equal positions together.
    keys: Vec<u64>,
    /// For each vertex, the first vertex in that order with the same position.
    group: Vec<u16>,
    /// The sum of face normals at each of these first vertices.
    sums: Vec<[i64; 3]>,
}

/// The normal of a vertex without faces, or with faces that cancel out.
const UP: [f32; 3] = [0.0, 0.0, 1.0];

impl NormalScratch {
    /// Finds the first vertex at the position of each vertex.
    fn weld(&mut self) {
        self.keys.clear();
        self.keys.extend((0u64..).zip(&self.positions).map(|(vertex, position)| {
            let [x, y, z] = position.map(|axis| u64::from(axis.cast_unsigned()));
            x << 48 | y << 32 | z << 16 | vertex
        }));
        self.keys.sort_unstable();
        self.group.clear();
        self.group.resize(self.keys.len(), 0);
        for run in self.keys.chunk_by(|a, b| a >> 16 == b >> 16) {
            let first = run.first().map_or(0, |key| *key as u16);
            for key in run {
                if let Some(group) = self.group.get_mut(usize::from(*key as u16)) {
                    *group = first;
                }
            }
        }
        self.sums.clear();
        self.sums.resize(self.keys.len(), [0; 3]);
    }

    fn sum(&mut self, vertex: u16) -> Option<&mut [i64; 3]> {
        let group = self.group.get(usize::from(vertex))?;
        self.sums.get_mut(usize::from(*group))
    }
}

impl<P: Presence> Unreal<'_, P> {
    /// Computes the smooth normals of one frame, one for each vertex: the sum of the normals of the faces around its
    /// position, weighted by their areas, normalized.
    ///
    /// Vertices at the same position get the same normal, so that no seam shows where a mesh is split for its texture. Sums
    /// are exact: the result does not depend on the order of triangles. Weapon triangles, which are not drawn, and triangles
    /// with a vertex index that is out of range are ignored. If no face has an area, or faces cancel out, the normal is
    /// (0, 0, 1).
    ///
    /// `scale` is the factor of the positions when they are shown: [`unit_scale`](Unreal::unit_scale), or the scale of
    /// a script. The result is the normals of the scaled mesh, in its left-handed space.
    ///
    /// O(triangles + vertices x log vertices). Allocates only in `scratch`, and only if the mesh has more vertices than
    /// every earlier one.
    ///
    /// # Errors
    ///
    /// The frame is out of range, or `out` does not have one value for each vertex.
    pub fn smooth_normals_into(
        &self,
        frame: usize,
        scale: [f32; 3],
        scratch: &mut NormalScratch,
        out: &mut [[f32; 3]],
    ) -> Result<()> {
        let positions = self.integer_positions(frame)?;
        if out.len() != positions.len() {
            let offset = positions.byte_range().start;
            let data = self.frames().data();
            return Err(data.length_error(offset, "elements of the output", positions.len(), out.len()));
        }
        scratch.positions.resize(positions.len(), [0; 3]);
        positions.decode_into(&mut scratch.positions)?;
        scratch.weld();
        let geometry = P::result(self.geometry())?;
        for (corners, bits) in geometry.triangles().iter().zip(geometry.types()) {
            let [a, b, c] = corners.map(|corner| scratch.positions.get(usize::from(corner)).copied());
            if let (Some(a), Some(b), Some(c)) = (a, b, c)
                && TriangleType(bits).is_visible()
            {
                let face = face_normal(a, b, c);
                for corner in corners {
                    if let Some(sum) = scratch.sum(corner) {
                        for (sum, face) in sum.iter_mut().zip(face) {
                            *sum += face;
                        }
                    }
                }
            }
        }
        // The normal of a scaled face is the normal of the face with each axis multiplied by the scales of the other two.
        let [x, y, z] = scale.map(f64::from);
        let scale = [y * z, z * x, x * y];
        for (out, vertex) in out.iter_mut().zip(0..=u16::MAX) {
            *out = scratch.sum(vertex).map_or(UP, |sum| direction(*sum, scale));
        }
        Ok(())
    }
}

/// The normal of a face with twice its area as the length: `(b - a) x (c - a)`. It points to the side from which a, b, c are
/// clockwise in a left-handed space. Differences have 17 bits and the result 35, so that sums over 65,535 triangles fit.
fn face_normal(a: [i16; 3], b: [i16; 3], c: [i16; 3]) -> [i64; 3] {
    let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = [a, b, c].map(|p| p.map(i64::from));
    let [ux, uy, uz] = [bx - ax, by - ay, bz - az];
    let [vx, vy, vz] = [cx - ax, cy - ay, cz - az];
    [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx]
}

fn direction([x, y, z]: [i64; 3], [scale_x, scale_y, scale_z]: [f64; 3]) -> [f32; 3] {
    let [x, y, z] = [x as f64 * scale_x, y as f64 * scale_y, z as f64 * scale_z];
    let length = libm::sqrt(x * x + y * y + z * z);
    if length > 0.0 && length.is_finite() { [x, y, z].map(|axis| (axis / length) as f32) } else { UP }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_positions_share_the_first_of_their_vertices() {
        let mut scratch = NormalScratch::default();
        let positions = [[1, 2, 3], [-1, 0, 0], [1, 2, 3], [0, 0, 0], [-1, 0, 0], [1, 2, 3]];
        scratch.positions.extend(positions);
        scratch.weld();
        assert_eq!(scratch.group, [0, 1, 0, 3, 1, 0]);
        scratch.positions.clear();
        scratch.positions.push([5, 5, 5]);
        scratch.weld();
        assert_eq!((scratch.group.as_slice(), scratch.sums.as_slice()), (&[0][..], &[[0; 3]][..]));
    }

    #[test]
    fn the_largest_face_is_exact() {
        let far = [i16::MIN; 3];
        let face = face_normal(far, [i16::MAX, i16::MAX, i16::MIN], [i16::MIN, i16::MAX, i16::MAX]);
        assert_eq!(face, [65535 * 65535, -65535 * 65535, 65535 * 65535]);
        assert!(direction(face, [1.0; 3]).iter().all(|axis| (axis.abs() - 0.577_350_26).abs() < 1e-7));
    }

    #[test]
    fn zero_and_infinite_vectors_become_the_up_direction() {
        assert_eq!(direction([0; 3], [1.0; 3]), UP);
        assert_eq!(direction([1, 0, 0], [f64::NAN, 1.0, 1.0]), UP);
        assert_eq!(direction([0, -7, 0], [1.0, 0.5, 1.0]), [0.0, -1.0, 0.0]);
    }
}
