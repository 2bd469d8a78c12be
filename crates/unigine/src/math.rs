//! Transforms, matrices and quaternions: as much as bones need.

use meshlens_lens::rotation_rows;

/// How rotations between two frames are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Blended component by component and scaled to length 1: cheap, and not quite even in speed.
    #[default]
    Normalized,
    /// Along the arc at an even speed.
    Spherical,
}

/// A transform local to its parent: scale first, then the rotation, then the translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Translation.
    pub position: [f32; 3],
    /// Quaternion x, y, z, w; as files store it, not quite of length 1.
    pub rotation: [f32; 4],
    /// Scale along the local axes.
    pub scale: [f32; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Transform::IDENTITY
    }
}

impl Transform {
    /// Nothing moves.
    pub const IDENTITY: Transform =
        Transform { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] };

    /// The matrix that does the same.
    pub fn to_matrix(&self) -> Matrix {
        let [x, y, z] = rotation_rows(self.rotation);
        let [sx, sy, sz] = self.scale;
        let row = |[a, b, c]: [f32; 3], position: f32| [a * sx, b * sy, c * sz, position];
        let [px, py, pz] = self.position;
        Matrix { rows: [row(x, px), row(y, py), row(z, pz)] }
    }

    /// Between this (`t = 0`) and another (`t = 1`). Rotations take the shorter way around.
    pub fn interpolate(&self, to: &Transform, t: f32, interpolation: Interpolation) -> Transform {
        Transform {
            position: lerp(self.position, to.position, t),
            rotation: match interpolation {
                Interpolation::Normalized => nlerp(self.rotation, to.rotation, t),
                Interpolation::Spherical => slerp(self.rotation, to.rotation, t),
            },
            scale: lerp(self.scale, to.scale, t),
        }
    }

    /// Whether no number is NaN or infinite.
    pub fn is_finite(&self) -> bool {
        self.position.iter().chain(&self.rotation).chain(&self.scale).all(|value| value.is_finite())
    }
}

/// An affine matrix: three rows of four, the translation in the last column, for column vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix {
    /// The rows.
    pub rows: [[f32; 4]; 3],
}

impl Default for Matrix {
    fn default() -> Self {
        Matrix::IDENTITY
    }
}

impl Matrix {
    /// Nothing moves.
    pub const IDENTITY: Matrix =
        Matrix { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };
    pub(crate) const ZERO: Matrix = Matrix { rows: [[0.0; 4]; 3] };

    /// `self` after `first`.
    #[must_use]
    pub fn after(&self, first: &Matrix) -> Matrix {
        let [x, y, z] = first.rows;
        let rows = self.rows.map(|[a, b, c, d]| {
            let mut row = [0.0; 4];
            for (((row, x), y), z) in row.iter_mut().zip(x).zip(y).zip(z) {
                *row = a * x + b * y + c * z;
            }
            row[3] += d;
            row
        });
        Matrix { rows }
    }

    /// Moves a point.
    pub fn point(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        self.rows.map(|[a, b, c, d]| a * x + b * y + c * z + d)
    }

    /// Turns and scales a direction.
    pub fn direction(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        self.rows.map(|[a, b, c, _]| a * x + b * y + c * z)
    }

    /// Turns a normal: it stays perpendicular to its surface under uneven scale, and on the same side of it. Not of
    /// length 1.
    pub fn normal(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let cofactors = self.cofactors();
        let determinant: f32 =
            cofactors[0].iter().zip(self.rows[0]).map(|(cofactor, value)| cofactor * value).sum();
        let sign = 1f32.copysign(determinant);
        cofactors.map(|[a, b, c]| (a * x + b * y + c * z) * sign)
    }

    /// The upper 3 x 3 as rows of cofactors: its inverse transposed, times its determinant.
    fn cofactors(&self) -> [[f32; 3]; 3] {
        let [x, y, z] = self.rows.map(|[a, b, c, _]| [a, b, c]);
        [cross(y, z), cross(z, x), cross(x, y)]
    }

    /// The inverse; `None` where there is none, or where it is not finite.
    pub fn inverse(&self) -> Option<Matrix> {
        let [[a, b, c, x], [d, e, f, y], [g, h, i, z]] = self.rows.map(|row| row.map(f64::from));
        let cofactors = [
            [e * i - f * h, c * h - b * i, b * f - c * e],
            [f * g - d * i, a * i - c * g, c * d - a * f],
            [d * h - e * g, b * g - a * h, a * e - b * d],
        ];
        let [[first, ..], [second, ..], [third, ..]] = cofactors;
        let determinant = a * first + b * second + c * third;
        let rows = cofactors.map(|row| {
            let [p, q, r] = row.map(|value| value / determinant);
            [p, q, r, -(p * x + q * y + r * z)].map(|value| value as f32)
        });
        rows.as_flattened().iter().all(|value| value.is_finite()).then_some(Matrix { rows })
    }

    /// Adds `weight` times another: matrices blended for skinning.
    pub(crate) fn add_scaled(&mut self, other: &Matrix, weight: f32) {
        for (value, other) in self.rows.as_flattened_mut().iter_mut().zip(other.rows.as_flattened()) {
            *value += other * weight;
        }
    }
}

pub(crate) fn cross([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> [f32; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

/// Scaled to length 1, or left as it is where it is 0 or not finite.
pub(crate) fn normalized<const D: usize>(value: [f32; D]) -> [f32; D] {
    let length = libm::sqrtf(value.iter().map(|v| v * v).sum());
    if length > 0.0 && length.is_finite() { value.map(|v| v / length) } else { value }
}

fn lerp<const D: usize>(from: [f32; D], to: [f32; D], t: f32) -> [f32; D] {
    let mut mixed = from;
    for (mixed, to) in mixed.iter_mut().zip(to) {
        // Exact at both ends.
        *mixed = *mixed * (1.0 - t) + to * t;
    }
    mixed
}

fn dot(a: [f32; 4], b: [f32; 4]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `to`, or its negative where that is nearer to `from`; both mean the same rotation.
fn nearer(from: [f32; 4], to: [f32; 4]) -> [f32; 4] {
    if dot(from, to) < 0.0 { to.map(|v| -v) } else { to }
}

fn nlerp(from: [f32; 4], to: [f32; 4], t: f32) -> [f32; 4] {
    normalized(lerp(from, nearer(from, to), t))
}

fn slerp(from: [f32; 4], to: [f32; 4], t: f32) -> [f32; 4] {
    let (from, to) = (normalized(from), normalized(to));
    let to = nearer(from, to);
    let cosine = dot(from, to);
    // So close together, an arc and its chord are the same, and the sine below would be nearly 0.
    if cosine > 0.9995 || !cosine.is_finite() {
        return normalized(lerp(from, to, t));
    }
    let angle = libm::acosf(cosine);
    let sine = libm::sinf(angle);
    let (a, b) = (libm::sinf((1.0 - t) * angle) / sine, libm::sinf(t * angle) / sine);
    let mut mixed = from;
    for (mixed, to) in mixed.iter_mut().zip(to) {
        *mixed = *mixed * a + to * b;
    }
    normalized(mixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF: f32 = core::f32::consts::FRAC_1_SQRT_2;
    /// A quarter turn around Z: X goes to Y.
    const QUARTER: [f32; 4] = [0.0, 0.0, HALF, HALF];

    fn close(a: [f32; 3], b: [f32; 3]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6)
    }

    #[test]
    fn scale_then_rotation_then_translation() {
        let transform = Transform { position: [10.0, 20.0, 30.0], rotation: QUARTER, scale: [2.0, 3.0, 4.0] };
        let matrix = transform.to_matrix();
        assert!(close(matrix.point([1.0, 0.0, 0.0]), [10.0, 22.0, 30.0]));
        assert!(close(matrix.point([0.0, 1.0, 1.0]), [7.0, 20.0, 34.0]));
        assert!(close(matrix.direction([0.0, 1.0, 0.0]), [-3.0, 0.0, 0.0]));
        let inverse = matrix.inverse().unwrap();
        assert!(close(inverse.point([7.0, 20.0, 34.0]), [0.0, 1.0, 1.0]));
        assert!(close(inverse.after(&matrix).point([5.0, 6.0, 7.0]), [5.0, 6.0, 7.0]));
        let flat = Transform { scale: [1.0, 0.0, 1.0], ..transform };
        assert_eq!(flat.to_matrix().inverse(), None);
    }

    #[test]
    fn the_length_of_a_quaternion_does_not_matter() {
        let rows = rotation_rows(QUARTER);
        assert!(close(rows[0], rotation_rows(QUARTER.map(|v| v * 3.0))[0]));
        assert_eq!(rotation_rows([0.0; 4])[1], [0.0, 1.0, 0.0]);
    }

    #[test]
    fn a_normal_stays_perpendicular() {
        // A plane that falls at 45 degrees, stretched to twice its height.
        let matrix = Transform { scale: [1.0, 1.0, 2.0], ..Transform::IDENTITY }.to_matrix();
        let (slope, normal) = (matrix.direction([1.0, 0.0, -1.0]), matrix.normal([1.0, 0.0, 1.0]));
        assert_eq!(slope[0] * normal[0] + slope[1] * normal[1] + slope[2] * normal[2], 0.0);
    }

    #[test]
    fn rotations_take_the_shorter_way_at_an_even_speed() {
        let from = Transform::IDENTITY;
        let to = Transform { rotation: QUARTER.map(|v| -v), position: [4.0, 0.0, 0.0], ..from };
        // A third of a quarter turn: 30 degrees, half of that in the quaternion.
        let third = from.interpolate(&to, 1.0 / 3.0, Interpolation::Spherical);
        let angle = core::f32::consts::FRAC_PI_6 / 2.0;
        assert!((third.rotation[2] - libm::sinf(angle)).abs() < 1e-6, "{third:?}");
        let middle = from.interpolate(&to, 0.5, Interpolation::Normalized);
        assert!((middle.rotation[2] - libm::sinf(core::f32::consts::FRAC_PI_8)).abs() < 1e-6);
        assert_eq!(middle.position, [2.0, 0.0, 0.0]);
        for interpolation in [Interpolation::Normalized, Interpolation::Spherical] {
            assert_eq!(from.interpolate(&from, 0.7, interpolation), from);
        }
    }
}
