//! Rigid transforms, and the one that moves points best.

use glam::{DMat3, DMat4, DQuat, DVec3, DVec4};

use super::largest;

/// A rotation, then a translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rigid {
    /// The rotation, of length 1.
    pub(crate) rotation: DQuat,
    /// The translation.
    pub(crate) translation: DVec3,
}

impl Rigid {
    /// The transform that moves nothing.
    pub(crate) const IDENTITY: Rigid = Rigid { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    /// Moves a point.
    #[cfg(test)]
    #[must_use]
    pub(crate) fn apply(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }
}

/// Sums over pairs of points, from which the rigid transform follows that moves the first ones to the second ones with
/// the least sum of squares.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moments {
    weight: f64,
    from: DVec3,
    to: DVec3,
    /// The sum of the outer products: column `c` is the sum of `from * to[c]`.
    product: [DVec3; 3],
}

impl Moments {
    /// Sums that are known: of the weights, of the points, and for each axis of the products.
    pub(crate) const fn new(weight: f64, from: DVec3, to: DVec3, product: [DVec3; 3]) -> Moments {
        Moments { weight, from, to, product }
    }

    /// Adds a pair of points.
    pub(crate) fn add(&mut self, from: DVec3, to: DVec3, weight: f64) {
        self.weight += weight;
        self.from += from * weight;
        self.to += to * weight;
        let to = to * weight;
        for (column, to) in self.product.iter_mut().zip(to.to_array()) {
            *column += from * to;
        }
    }

    /// The sum of the weights.
    #[must_use]
    pub(crate) const fn weight(&self) -> f64 {
        self.weight
    }

    /// The best transform; the identity without pairs. If the points do not determine a rotation, as points of a line do
    /// not, it is one of the best.
    #[must_use]
    pub(crate) fn rigid(&self) -> Rigid {
        if self.weight.is_nan() || self.weight <= 0.0 {
            return Rigid::IDENTITY;
        }
        let (from, to) = (self.from / self.weight, self.to / self.weight);
        let [x, y, z] = self.product;
        let covariance = DMat3::from_cols(x - self.from * to.x, y - self.from * to.y, z - self.from * to.z);
        let rotation = rotation(&covariance);
        Rigid { rotation, translation: to - rotation * from }
    }
}

/// The rotation of the largest trace with a covariance, whose column `c` is the sum of `from * to[c]`: the quaternion is
/// the eigenvector of the largest eigenvalue of a symmetric matrix (Horn, "Closed-form solution of absolute orientation
/// using unit quaternions", 1987).
fn rotation(covariance: &DMat3) -> DQuat {
    let [[xx, yx, zx], [xy, yy, zy], [xz, yz, zz]] = covariance.to_cols_array_2d();
    let matrix = [
        [xx + yy + zz, yz - zy, zx - xz, xy - yx],
        [yz - zy, xx - yy - zz, xy + yx, zx + xz],
        [zx - xz, xy + yx, yy - xx - zz, yz + zy],
        [xy - yx, zx + xz, yz + zy, zz - xx - yy],
    ];
    let [w, x, y, z] = largest_eigenvector(matrix);
    let rotation = DQuat::from_xyzw(x, y, z, w);
    // Of a quaternion and its opposite, which are the same rotation, one is chosen.
    let rotation = if w < 0.0 { -rotation } else { rotation };
    if rotation.is_finite() && rotation.length_squared() > 0.0 {
        rotation.normalize()
    } else {
        DQuat::IDENTITY
    }
}

/// The eigenvector of the largest eigenvalue of a symmetric matrix whose trace is 0: the eigenvalue by Newton's method from
/// above, and the vector by inverse iteration. Where two eigenvalues are close, by Jacobi rotations.
fn largest_eigenvector(matrix: [[f64; 4]; 4]) -> [f64; 4] {
    let size = matrix.as_flattened().iter().map(|value| value * value).sum::<f64>().sqrt();
    let unit = DMat4::from_cols_array_2d(&matrix.map(|column| column.map(|value| value / size)));
    let trace = |of: DMat4| of.x_axis.x + of.y_axis.y + of.z_axis.z + of.w_axis.w;
    // The characteristic polynomial is x^4 - x^2 / 2 - third * x + last.
    let (third, last) = (trace(unit * unit * unit) / 3.0, unit.determinant());
    let mut value = 0.75f64.sqrt();
    for _ in 0..24 {
        let square = value * value;
        let step =
            (square * square - 0.5 * square - third * value + last) / (4.0 * square * value - value - third);
        value -= step;
        if step.is_nan() || step.abs() <= 1e-12 {
            break;
        }
    }
    let inverse = (unit - DMat4::from_diagonal(DVec4::splat(value + 1e-8))).inverse();
    let columns = [inverse.x_axis, inverse.y_axis, inverse.z_axis, inverse.w_axis];
    let mut vector = columns[largest(4, |column| columns[column].length_squared())];
    for _ in 0..2 {
        vector = (inverse * vector.normalize_or_zero()).normalize_or_zero();
    }
    let image = unit * vector;
    let apart = (image - vector * vector.dot(image)).length();
    // Programs on all machines compute the same, so they take the same branch.
    if apart <= 1e-13 && vector != DVec4::ZERO { vector.to_array() } else { by_rotations(matrix) }
}

/// The eigenvector of the largest eigenvalue of a symmetric matrix, by cyclic Jacobi rotations.
fn by_rotations(mut matrix: [[f64; 4]; 4]) -> [f64; 4] {
    // Columns are eigenvectors.
    let mut vectors =
        [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    let size: f64 = matrix.as_flattened().iter().map(|value| value * value).sum();
    // Ten sweeps suffice for any matrix; four are usual.
    for _ in 0..10 {
        let off: f64 = (0..4)
            .flat_map(|p| (p + 1..4).map(move |q| (p, q)))
            .map(|(p, q)| matrix[p][q] * matrix[p][q])
            .sum();
        if off.is_nan() || off <= size * 1e-30 {
            break;
        }
        for p in 0..3 {
            for q in p + 1..4 {
                rotate(&mut matrix, &mut vectors, p, q);
            }
        }
    }
    let best = largest(4, |column| matrix[column][column]);
    vectors.map(|row| row[best])
}

/// Makes an element off the diagonal zero.
fn rotate(matrix: &mut [[f64; 4]; 4], vectors: &mut [[f64; 4]; 4], p: usize, q: usize) {
    if matrix[p][q] == 0.0 {
        return;
    }
    let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cosine = 1.0 / (t * t + 1.0).sqrt();
    let sine = t * cosine;
    for row in matrix.iter_mut().chain(vectors) {
        let (a, b) = (row[p], row[q]);
        (row[p], row[q]) = (cosine * a - sine * b, sine * a + cosine * b);
    }
    let (first, second) = (matrix[p], matrix[q]);
    let blend = |a: f64, b: f64| std::array::from_fn(|column| a * first[column] + b * second[column]);
    (matrix[p], matrix[q]) = (blend(cosine, -sine), blend(sine, cosine));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_turns_and_flat_points_are_found() {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(0.6, 0.0, 0.8)];
        for axis in axes {
            let turn = Rigid { rotation: DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.0), translation: axis };
            let mut sums = Moments::default();
            // Points of a plane determine a rotation without a reflection.
            for point in [DVec3::ZERO, DVec3::new(2.0, 1.0, 0.0), DVec3::new(-1.0, 3.0, 0.0)] {
                sums.add(point, turn.apply(point), 0.5);
            }
            let found = sums.rigid();
            for point in [DVec3::X, DVec3::Y, DVec3::Z] {
                assert!(found.apply(point).abs_diff_eq(turn.apply(point), 1e-12), "{axis}: {found:?}");
            }
            assert_eq!(sums.weight(), 1.5);
        }
    }

    #[test]
    fn points_that_determine_nothing_give_a_finite_transform() {
        let mut sums = Moments::default();
        assert_eq!(sums.rigid(), Rigid::IDENTITY);
        sums.add(DVec3::ONE, DVec3::new(3.0, 2.0, 1.0), 1.0);
        assert_eq!(sums.rigid(), Rigid { translation: DVec3::new(2.0, 1.0, 0.0), ..Rigid::IDENTITY });
        sums.add(DVec3::NAN, DVec3::ZERO, 1.0);
        assert!(sums.rigid().rotation.is_finite());
    }
}
