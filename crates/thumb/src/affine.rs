//! Affine transforms in `f64`, computed by additions, multiplications, divisions and square roots in a fixed order.
//!
//! `glam` uses different instructions on each kind of processor. Some of them round once where others round twice.

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
    /// From the columns of a 4 by 4 matrix.
    pub(crate) fn new(columns: [[f32; 4]; 4]) -> Affine {
        Affine([0, 1, 2].map(|row| columns.map(|column| f64::from(column[row]))))
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

    /// The image of the origin.
    pub(crate) fn origin(&self) -> Vector {
        self.point([0.0; 3])
    }

    /// The transform of the normal of a plane. Its length may change.
    pub(crate) fn normal(&self, normal: Vector) -> Vector {
        let [a, b, c] = self.0.map(|row| [row[0], row[1], row[2]]);
        // Negative if the handedness changes.
        let sign = if dot(a, cross(b, c)) < 0.0 { -1.0 } else { 1.0 };
        [cross(b, c), cross(c, a), cross(a, b)].map(|cofactors| dot(cofactors, normal) * sign)
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
        let [x, y, z] = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        let turn = Affine::new([y, [-1.0, 0.0, 0.0, 0.0], z, [0.0, 0.0, 0.0, 1.0]]);
        let moved = Affine::new([x, y, z, [5.0, 0.0, 0.0, 1.0]]);
        assert_eq!(moved.after(&turn).point([1.0, 0.0, 0.0]), [5.0, 1.0, 0.0]);
        assert_eq!(turn.after(&moved).point([1.0, 0.0, 0.0]), [0.0, 6.0, 0.0]);
    }

    #[test]
    fn normals_stay_perpendicular() {
        // Twice as wide, and mirrored: a slope of 1 becomes a slope of a half.
        let [y, z, w] = [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
        let wide = Affine::new([[-2.0, 0.0, 0.0, 0.0], y, z, w]);
        let normal = wide.normal([1.0, 1.0, 0.0]);
        assert_eq!(dot(normal, wide.point([1.0, -1.0, 0.0])), 0.0);
        assert!(normal[1] > 0.0 && normal[0] < 0.0);
    }
}
