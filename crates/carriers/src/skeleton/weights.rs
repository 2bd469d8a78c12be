//! The weights of the joints that move one point: non-negative, at most four, with the sum 1.

use super::largest;

/// The most joints that move one point.
pub(crate) const MOST: usize = 4;

/// The joints that move a point, and their weights, which add up to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Influences {
    count: usize,
    joints: [u16; MOST],
    weights: [f64; MOST],
}

impl Influences {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.joints
            .iter()
            .zip(&self.weights)
            .take(self.count)
            .map(|(joint, weight)| (usize::from(*joint), *weight))
    }

    /// The joints and weights as arrays of four. Unused weights are 0.
    pub(crate) fn arrays(&self) -> ([u16; MOST], [f64; MOST]) {
        (self.joints, self.weights)
    }

    /// Replaces the number of each joint.
    pub(crate) fn renumber(&mut self, number: impl Fn(usize) -> u16) {
        self.joints.iter_mut().take(self.count).for_each(|joint| *joint = number(usize::from(*joint)));
    }
}

/// One joint with the weight 1.
impl From<u16> for Influences {
    fn from(joint: u16) -> Self {
        Influences { count: 1, joints: [joint, 0, 0, 0], weights: [1.0, 0.0, 0.0, 0.0] }
    }
}

/// A choice of candidates with their weights, and the sum of squares that remains.
#[derive(Clone, Copy)]
struct Choice {
    count: usize,
    of: [usize; MOST],
    weights: [f64; MOST],
    squares: f64,
}

/// Chooses up to four candidates and their weights so that the sum of squares of a point's distances is small: candidates
/// are added while they help. `products` has, for each pair of candidates, the sum of the products of the distances that
/// the point has if one of them alone moves it; it is symmetric, one row after another.
pub(crate) fn choose(joints: &[u16], products: &[f64]) -> Influences {
    let width = joints.len();
    let own = |candidate: usize| products[candidate * width + candidate];
    // The one with the smallest distance.
    let first = largest(width, |candidate| -own(candidate));
    let mut best =
        Choice { count: 1, of: [first, 0, 0, 0], weights: [1.0, 0.0, 0.0, 0.0], squares: own(first) };
    while best.count < MOST {
        let mut better = best;
        for candidate in (0..width).filter(|candidate| !best.of[..best.count].contains(candidate)) {
            let mut of = best.of;
            of[best.count] = candidate;
            let tried = solve(of, best.count + 1, width, products);
            if tried.squares < better.squares {
                better = tried;
            }
        }
        // A joint for less than a thousandth is left out.
        if better.squares >= best.squares * 0.999 || better.squares.is_nan() {
            break;
        }
        best = better;
    }
    let mut influences = Influences { count: best.count, weights: best.weights, ..Influences::default() };
    for (joint, candidate) in influences.joints.iter_mut().zip(&best.of[..best.count]) {
        *joint = joints[*candidate];
    }
    influences
}

/// The best weights of some candidates. Candidates whose weights would be negative are left out.
fn solve(mut of: [usize; MOST], mut count: usize, width: usize, products: &[f64]) -> Choice {
    loop {
        let product = |a: usize, b: usize| products[of[a] * width + of[b]];
        let trace: f64 = (0..count).map(|index| product(index, index)).sum();
        let mut matrix = [[0.0; MOST]; MOST];
        for (row, values) in matrix.iter_mut().enumerate().take(count) {
            for (column, value) in values.iter_mut().enumerate().take(count) {
                *value = product(row, column);
            }
            // Joints that move the point alike share it.
            values[row] += trace * 1e-7 + 1e-12;
        }
        let mut weights = ones_over(&matrix, count);
        let sum: f64 = weights[..count].iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        let least = largest(count, |index| -weights[index]);
        if weights[least] >= 0.0 || weights[least].is_nan() {
            let mut squares = 0.0;
            for a in 0..count {
                for b in 0..count {
                    squares += weights[a] * weights[b] * product(a, b);
                }
            }
            return Choice { count, of, weights, squares };
        }
        of.copy_within(least + 1.., least);
        of[MOST - 1] = 0;
        count -= 1;
    }
}

/// The solution of a positive definite system whose right side is ones, by Cholesky decomposition.
fn ones_over(matrix: &[[f64; MOST]; MOST], count: usize) -> [f64; MOST] {
    let mut lower = [[0.0; MOST]; MOST];
    let mut out = [0.0; MOST];
    for row in 0..count {
        for column in 0..=row {
            let sum: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
            let left = matrix[row][column] - sum;
            lower[row][column] =
                if row == column { left.max(1e-300).sqrt() } else { left / lower[column][column] };
        }
        let sum: f64 = (0..row).map(|k| lower[row][k] * out[k]).sum();
        out[row] = (1.0 - sum) / lower[row][row];
    }
    for row in (0..count).rev() {
        let sum: f64 = (row + 1..count).map(|k| lower[k][row] * out[k]).sum();
        out[row] = (out[row] - sum) / lower[row][row];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The products of distances along one axis.
    fn products(distances: &[f64]) -> Vec<f64> {
        distances.iter().flat_map(|a| distances.iter().map(move |b| a * b)).collect()
    }

    #[test]
    fn a_point_between_two_joints_has_their_weights() {
        // One quarter of the way from a joint that is 1 too low to one that is 3 too high, and one that is no help.
        let distances = [-1.0, 3.0, 5.0];
        let found = choose(&[7, 8, 9], &products(&distances));
        let error: f64 = found.iter().map(|(joint, weight)| weight * distances[joint - 7]).sum();
        assert!(error.abs() < 1e-3, "{found:?}");
        assert!((found.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(found.weights.iter().all(|weight| *weight >= 0.0));
    }

    #[test]
    fn weights_are_not_negative() {
        // All joints are too high: the nearest alone is best.
        let found = choose(&[3, 4], &products(&[2.0, 1.0]));
        assert_eq!(found, Influences::from(4));
    }
}
