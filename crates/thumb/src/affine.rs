//! Affine transforms in `f64`, computed by additions, multiplications, divisions and square roots in a fixed order.
//!
//! `glam` uses other instructions on each kind of processor, some of which round once where others round twice.

use meshlens::model::{Conversion, TagPose, Transform};

/// A vector of three numbers.
pub(crate) type Vector = [f64; 3];

pub(crate) fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn subtract(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn scale(a: Vector, factor: f64) -> Vector {
    a.map(|axis| axis * factor)
}

pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The vector with length 1; `None` if its length is 0 or not finite.
pub(crate) fn normalize(a: Vector) -> Option<Vector> {
    let largest = a[0].abs().max(a[1].abs()).max(a[2].abs());
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    // Divided first, so that no square overflows or underflows.
    let a = a.map(|axis| axis / largest);
    let length = libm::sqrt(dot(a, a));
    Some(a.map(|axis| axis / length))
}

pub(crate) fn wide(point: [f32; 3]) -> Vector {
    point.map(f64::from)
}

pub(crate) fn narrow(point: Vector) -> [f32; 3] {
    point.map(|axis| axis as f32)
}

/// An affine transform: three rows of a matrix, whose fourth row is 0 0 0 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Affine([[f64; 4]; 3]);

impl Affine {
    pub(crate) const IDENTITY: Affine =
        Affine([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);

    /// The transform with these images of the axes and of the origin.
    fn from_columns(x: Vector, y: Vector, z: Vector, origin: Vector) -> Affine {
        Affine([0, 1, 2].map(|row| [x[row], y[row], z[row], origin[row]]))
    }

    /// From the columns of a 4 by 4 matrix.
    pub(crate) fn from_matrix(columns: [f32; 16]) -> Affine {
        let at = |row: usize, column: usize| f64::from(columns[column * 4 + row]);
        Affine([0, 1, 2].map(|row| [0, 1, 2, 3].map(|column| at(row, column))))
    }

    pub(crate) fn from_conversion(conversion: &Conversion) -> Affine {
        let image = |axis: [f32; 3]| wide(conversion.position(axis));
        let (x, y, z) = (image([1.0, 0.0, 0.0]), image([0.0, 1.0, 0.0]), image([0.0, 0.0, 1.0]));
        Affine::from_columns(x, y, z, [0.0; 3])
    }

    pub(crate) fn from_transform(transform: &Transform) -> Affine {
        let [x, y, z, w] =
            [transform.rotation.x, transform.rotation.y, transform.rotation.z, transform.rotation.w]
                .map(f64::from);
        let factors = wide(transform.scale.to_array());
        let column = |column: Vector, factor: f64| scale(column, factor);
        Affine::from_columns(
            column([1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)], factors[0]),
            column([2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)], factors[1]),
            column([2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)], factors[2]),
            wide(transform.translation.to_array()),
        )
    }

    /// The place of what is attached to a tag: a rotation and a translation, like
    /// [`TagPose::rotation`]. A pose that is not finite is the identity.
    pub(crate) fn from_tag(pose: Option<TagPose>) -> Affine {
        let Some(pose) = pose.filter(TagPose::is_finite) else { return Affine::IDENTITY };
        let [x, z] = [pose.axes.x_axis, pose.axes.z_axis].map(|axis| wide(axis.to_array()));
        let x = normalize(x).unwrap_or([1.0, 0.0, 0.0]);
        let z = normalize(subtract(z, scale(x, dot(x, z))));
        // Parallel axes leave any direction at right angles.
        let other = if x[2].abs() < 0.5 { [0.0, 0.0, 1.0] } else { [1.0, 0.0, 0.0] };
        let z = z.or_else(|| normalize(subtract(other, scale(x, dot(x, other))))).unwrap_or([0.0, 0.0, 1.0]);
        Affine::from_columns(x, cross(z, x), z, wide(pose.origin.to_array()))
    }

    /// The transform that applies `first`, then this one.
    pub(crate) fn after(&self, first: &Affine) -> Affine {
        let Affine(rows) = self;
        Affine(rows.map(|row| {
            [0, 1, 2, 3].map(|column| {
                let [a, b, c] = [0, 1, 2].map(|at| row[at] * first.0[at][column]);
                let sum = a + b + c;
                if column == 3 { sum + row[3] } else { sum }
            })
        }))
    }

    pub(crate) fn point(&self, p: Vector) -> Vector {
        self.0.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3])
    }

    /// The transform of the plane that `normal` is at right angles to. Its length changes.
    pub(crate) fn normal(&self, normal: Vector) -> Vector {
        let Affine([a, b, c]) = self.to_owned();
        let [a, b, c] = [a, b, c].map(|row| [row[0], row[1], row[2]]);
        let sign = if self.mirrors() { -1.0 } else { 1.0 };
        [cross(b, c), cross(c, a), cross(a, b)].map(|cofactors| dot(cofactors, normal) * sign)
    }

    /// Whether the handedness changes.
    pub(crate) fn mirrors(&self) -> bool {
        let [a, b, c] = self.0.map(|row| [row[0], row[1], row[2]]);
        dot(a, cross(b, c)) < 0.0
    }

    /// The transform times `factor`, added to `sum`.
    pub(crate) fn add_to(&self, factor: f64, sum: &mut Affine) {
        for (sum, row) in sum.0.as_flattened_mut().iter_mut().zip(self.0.as_flattened()) {
            *sum += row * factor;
        }
    }

    pub(crate) const ZERO: Affine = Affine([[0.0; 4]; 3]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_are_applied_from_right_to_left() {
        let turn = Affine::from_columns([0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]);
        let moved = Affine::from_columns([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [5.0, 0.0, 0.0]);
        assert_eq!(moved.after(&turn).point([1.0, 0.0, 0.0]), [5.0, 1.0, 0.0]);
        assert_eq!(turn.after(&moved).point([1.0, 0.0, 0.0]), [0.0, 6.0, 0.0]);
    }

    #[test]
    fn normals_stay_at_right_angles() {
        // Twice as wide, and mirrored: a slope of 1 becomes a slope of a half.
        let wide = Affine::from_columns([-2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]);
        let normal = wide.normal([1.0, 1.0, 0.0]);
        assert_eq!(dot(normal, wide.point([1.0, -1.0, 0.0])), 0.0);
        assert!(normal[1] > 0.0 && normal[0] < 0.0);
    }
}
