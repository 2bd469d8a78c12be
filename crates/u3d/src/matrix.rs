//! Matrices and quaternions in the format's convention: a vector is a row and stands on the left.

/// A 4x4 matrix, four rows of four. A point `[x, y, z, 1]` stands on its left, so the last row is the translation,
/// and `a.then(b)` first applies `a`. This is how Direct3D has it, and how the files store it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix {
    /// The rows.
    pub rows: [[f32; 4]; 4],
}

impl Default for Matrix {
    fn default() -> Self {
        Matrix::IDENTITY
    }
}

impl Matrix {
    /// The matrix that changes nothing.
    pub const IDENTITY: Matrix = Matrix {
        rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]],
    };

    /// Scaling * Rotation * Translation (Ultimate 3D: The bone chunk). The rotation is a quaternion x, y, z, w
    /// (Ultimate 3D 2.0: Quaternion).
    pub fn from_parts(scaling: [f32; 3], rotation: [f32; 4], translation: [f32; 3]) -> Matrix {
        let [x, y, z, w] = rotation;
        let rotation = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
            [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
            [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
        ];
        let [a, b, c] = rotation;
        let [sx, sy, sz] = scaling;
        let row = |[x, y, z]: [f32; 3], scale: f32| [x * scale, y * scale, z * scale, 0.0];
        let [tx, ty, tz] = translation;
        Matrix { rows: [row(a, sx), row(b, sy), row(c, sz), [tx, ty, tz, 1.0]] }
    }

    /// This matrix, then `next`: the product `self * next`.
    #[must_use]
    pub fn then(&self, next: &Matrix) -> Matrix {
        Matrix { rows: self.rows.map(|row| combine(row, &next.rows)) }
    }

    /// A point, moved.
    pub fn transform_point(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let [x, y, z, _] = combine([x, y, z, 1.0], &self.rows);
        [x, y, z]
    }

    /// A direction, turned and scaled but not moved.
    pub fn transform_direction(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let [x, y, z, _] = combine([x, y, z, 0.0], &self.rows);
        [x, y, z]
    }
}

/// A row times a matrix.
fn combine([x, y, z, w]: [f32; 4], [a, b, c, d]: &[[f32; 4]; 4]) -> [f32; 4] {
    let mut out = [0.0; 4];
    for ((((out, a), b), c), d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *out = x * a + y * b + z * c + w * d;
    }
    out
}

/// Between two vectors, in a straight line.
pub(crate) fn lerp(from: [f32; 3], to: [f32; 3], t: f32) -> [f32; 3] {
    let mut mixed = from;
    for (mixed, to) in mixed.iter_mut().zip(to) {
        *mixed = *mixed * (1.0 - t) + to * t;
    }
    mixed
}

/// Between two quaternions, at an even speed along the shorter way.
pub(crate) fn slerp(from: [f32; 4], to: [f32; 4], t: f32) -> [f32; 4] {
    let dot: f32 = from.iter().zip(to).map(|(from, to)| from * to).sum();
    // A quaternion and its negative are the same rotation.
    let sign = if dot < 0.0 { -1.0 } else { 1.0 };
    let cosine = dot * sign;
    let (from_share, to_share) = if cosine > 0.9995 {
        // So close that a straight line is as good, and does not divide by a sine near zero.
        (1.0 - t, t)
    } else {
        let angle = libm::acosf(cosine);
        let sine = libm::sinf(angle);
        (libm::sinf((1.0 - t) * angle) / sine, libm::sinf(t * angle) / sine)
    };
    let mut mixed = from;
    for (mixed, to) in mixed.iter_mut().zip(to) {
        *mixed = *mixed * from_share + to * to_share * sign;
    }
    mixed
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF: f32 = core::f32::consts::FRAC_1_SQRT_2;

    fn close<const N: usize>(found: [f32; N], expected: [f32; N]) {
        let far = found.iter().zip(expected).any(|(found, expected)| (found - expected).abs() > 1e-6);
        assert!(!far, "expected {expected:?}, found {found:?}");
    }

    #[test]
    fn a_quarter_turn_around_each_axis() {
        let turned = |q: [f32; 4], v| Matrix::from_parts([1.0; 3], q, [0.0; 3]).transform_point(v);
        // The formula of the document: around X, Y goes to Z; around Y, Z to X; around Z, X to Y.
        close(turned([HALF, 0.0, 0.0, HALF], [0.0, 1.0, 0.0]), [0.0, 0.0, 1.0]);
        close(turned([0.0, HALF, 0.0, HALF], [0.0, 0.0, 1.0]), [1.0, 0.0, 0.0]);
        close(turned([0.0, 0.0, HALF, HALF], [1.0, 0.0, 0.0]), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn scaling_comes_before_rotation_and_translation_last() {
        let matrix = Matrix::from_parts([2.0, 3.0, 4.0], [0.0, 0.0, HALF, HALF], [10.0, 20.0, 30.0]);
        // X is scaled to 2, turned to Y, and moved.
        close(matrix.transform_point([1.0, 0.0, 0.0]), [10.0, 22.0, 30.0]);
        close(matrix.transform_point([0.0, 1.0, 0.0]), [7.0, 20.0, 30.0]);
        close(matrix.transform_direction([0.0, 0.0, 1.0]), [0.0, 0.0, 4.0]);
        assert_eq!(Matrix::IDENTITY.then(&matrix), matrix);
        assert_eq!(matrix.then(&Matrix::IDENTITY), matrix);
        let moved = Matrix::from_parts([1.0; 3], [0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0]);
        close(moved.then(&matrix).transform_point([0.0; 3]), [10.0, 22.0, 30.0]);
    }

    #[test]
    fn slerp_takes_the_shorter_way_at_an_even_speed() {
        let none = [0.0, 0.0, 0.0, 1.0];
        let quarter = [0.0, 0.0, HALF, HALF];
        let third = slerp(none, quarter, 1.0 / 3.0);
        let angle = core::f32::consts::PI / 12.0;
        close(third, [0.0, 0.0, angle.sin(), angle.cos()]);
        close(slerp(none, quarter.map(|v| -v), 1.0 / 3.0), third);
        close(slerp(none, quarter, 0.0), none);
        close(slerp(none, quarter, 1.0), quarter);
        close(slerp(none, none, 0.5), none);
        let opposite = slerp([0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0], 0.5);
        close(opposite, [HALF, 0.0, 0.0, HALF]);
    }
}
