//! Normals, of which the format has none: smooth ones are computed from the triangles around each position.

use alloc::vec::Vec;

use meshlens_wire::Result;

use crate::{TriangleType, Unreal};

/// Memory that [`Unreal::smooth_normals_into`] works in: 34 bytes for each vertex of a frame, kept from call to call.
#[derive(Clone, Debug, Default)]
pub struct NormalScratch {
    /// Position and number of each vertex in one word, so that sorting brings equal positions together.
    keys: Vec<u64>,
    /// The first vertex, in that order, at the position of each vertex.
    group: Vec<u16>,
    /// The sum of face normals at each such first vertex.
    sums: Vec<[i64; 3]>,
}

/// A vertex without a face around it, or with faces that cancel out, points up.
const UP: [f32; 3] = [0.0, 0.0, 1.0];

impl NormalScratch {
    /// Finds for each vertex the one that stands for its position.
    fn weld(&mut self, positions: impl ExactSizeIterator<Item = [i16; 3]>) {
        self.keys.clear();
        self.keys.extend((0u64..).zip(positions).map(|(vertex, position)| {
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

impl Unreal<'_> {
    /// Smooth normals of one frame, one for each vertex: the normals of the faces around its position, weighted by
    /// their areas, summed and scaled to length 1.
    ///
    /// Vertices at one position get one normal, so that no seam shows where a mesh was cut open for its texture.
    /// Sums are exact: the result does not depend on the order of triangles. Weapon triangles, which are not drawn,
    /// and triangles that name no vertex do not count. Where no face has an area, or faces cancel out, the normal is
    /// (0, 0, 1).
    ///
    /// `scale` is what positions are multiplied by when they are shown: [`unit_scale`](Unreal::unit_scale), or that
    /// of a script. The normals are those of the scaled mesh, in its own left-handed space.
    ///
    /// O(triangles + vertices x log vertices). Allocates in `scratch` alone, and only when a mesh has more vertices
    /// than any before.
    ///
    /// # Errors
    ///
    /// A frame past the last, or an output that does not hold one value per vertex.
    pub fn smooth_normals_into(
        &self,
        frame: usize,
        scale: [f32; 3],
        scratch: &mut NormalScratch,
        out: &mut [[f32; 3]],
    ) -> Result<()> {
        let positions = self.integer_positions(frame)?;
        if out.len() != positions.len() {
            return Err(self.length_error(out.len()));
        }
        scratch.weld(positions.iter());
        let geometry = self.geometry();
        for (corners, bits) in geometry.triangles().iter().zip(geometry.types()) {
            let [a, b, c] = corners.map(|corner| positions.get(corner.into()));
            if let (Some(a), Some(b), Some(c)) = (a, b, c)
                && TriangleType(bits).is_visible()
            {
                let face = face_normal(a, b, c);
                for corner in corners {
                    if let Some(sum) = scratch.sum(corner) {
                        for (sum, face) in sum.iter_mut().zip(face) {
                            *sum = sum.saturating_add(face);
                        }
                    }
                }
            }
        }
        // The normal of a scaled face is the face's own, each axis times the scales of the other two.
        let [x, y, z] = scale.map(f64::from);
        let scale = [y * z, z * x, x * y];
        for (out, vertex) in out.iter_mut().zip(0..=u16::MAX) {
            *out = scratch.sum(vertex).map_or(UP, |sum| direction(*sum, scale));
        }
        Ok(())
    }
}

/// Twice the area of a face along its normal: `(b - a) x (c - a)`, which points to the side from which a, b, c go
/// clockwise in a left-handed space. At most 35 bits, so that sums over 65,535 triangles are exact.
fn face_normal(a: [i16; 3], b: [i16; 3], c: [i16; 3]) -> [i64; 3] {
    let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = [a, b, c].map(|p| p.map(i64::from));
    let minus = i64::saturating_sub;
    let [ux, uy, uz] = [minus(bx, ax), minus(by, ay), minus(bz, az)];
    let [vx, vy, vz] = [minus(cx, ax), minus(cy, ay), minus(cz, az)];
    let cross = |a: i64, b: i64, c: i64, d: i64| minus(a.saturating_mul(b), c.saturating_mul(d));
    [cross(uy, vz, uz, vy), cross(uz, vx, ux, vz), cross(ux, vy, uy, vx)]
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
        scratch.weld(positions.into_iter());
        assert_eq!(scratch.group, [0, 1, 0, 3, 1, 0]);
        scratch.weld([[5, 5, 5]].into_iter());
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
    fn nothing_and_infinity_point_up() {
        assert_eq!(direction([0; 3], [1.0; 3]), UP);
        assert_eq!(direction([1, 0, 0], [f64::NAN, 1.0, 1.0]), UP);
        assert_eq!(direction([0, -7, 0], [1.0, 0.5, 1.0]), [0.0, -1.0, 0.0]);
    }
}
