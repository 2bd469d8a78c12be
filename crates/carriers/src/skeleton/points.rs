//! The best positions at rest and weights of all points, while the transforms stay.

use glam::{DAffine3, DMat3, DMat4, DVec4};

use super::fit::Fit;
use super::motion::{Block, LANES};
use super::sums::rows;
use super::weights::choose;

/// The number of joints among which the weights of a point are chosen.
const CANDIDATES: usize = 10;
/// The transforms of a joint in blocks of frames: three rows of four values.
fn blocks(transforms: &[DAffine3]) -> Vec<Block<12>> {
    let mut out = vec![[[0.0; LANES]; 12]; transforms.len().div_ceil(LANES)];
    for (frame, transform) in transforms.iter().enumerate() {
        for (row, values) in rows(transform).iter().enumerate() {
            for (column, value) in values.to_array().into_iter().enumerate() {
                out[frame / LANES][row * 4 + column][frame % LANES] = value;
            }
        }
    }
    out
}

/// The sum over all frames of the transposed transform of a joint times the position of a point.
fn project(joint: &[Block<12>], path: &[Block<3>]) -> DVec4 {
    let mut sums = [[0.0; LANES]; 4];
    for (transform, at) in joint.iter().zip(path) {
        for (column, sums) in sums.iter_mut().enumerate() {
            for (lane, sum) in sums.iter_mut().enumerate() {
                *sum += transform[column][lane] * at[0][lane]
                    + transform[4 + column][lane] * at[1][lane]
                    + transform[8 + column][lane] * at[2][lane];
            }
        }
    }
    DVec4::from_array(sums.map(|[a, b, c, d]| (a + b) + (c + d)))
}

/// The sum over all frames of the transposed transform of one joint times that of another one.
fn product(a: &[DAffine3], b: &[DAffine3]) -> DMat4 {
    let mut sums = [DVec4::ZERO; 4];
    for (a, b) in a.iter().zip(b) {
        for (a, b) in rows(a).iter().zip(rows(b)) {
            sums[0] += *a * b.x;
            sums[1] += *a * b.y;
            sums[2] += *a * b.z;
            sums[3] += *a * b.w;
        }
    }
    DMat4::from_cols(sums[0], sums[1], sums[2], sums[3])
}

impl Fit<'_> {
    /// Finds the best positions at rest, if wanted, and then the best weights. The joints of each point are chosen among those
    /// that move it best, of all joints or of those that did before.
    pub(crate) fn improve_points(&mut self, with_rest: bool, all: bool) {
        let (count, frames) = (self.joints.len(), self.motion.frames);
        self.work += (count * count * frames) as u64;
        let joints: Vec<Vec<Block<12>>> = self.joints.iter().map(|joint| blocks(joint)).collect();
        let mut products = vec![DMat4::ZERO; count * count];
        for a in 0..count {
            for b in 0..=a {
                let product = product(&self.joints[a], &self.joints[b]);
                products[a * count + b] = product;
                products[b * count + a] = product.transpose();
            }
        }
        let mut projected = vec![DVec4::ZERO; count];
        let mut alone: Vec<(bool, f64, u16)> = Vec::new();
        let mut table: Vec<f64> = Vec::new();
        let width = frames.div_ceil(LANES);
        for point in 0..self.rest.len() {
            let path = &self.paths[point * width..][..width];
            let all = all || self.candidates[point].is_empty();
            if all {
                self.candidates[point] = (0..count as u16).collect();
            }
            self.work += (self.candidates[point].len() * frames) as u64;
            for joint in &self.candidates[point] {
                let joint = usize::from(*joint);
                projected[joint] = project(&joints[joint], path);
            }
            if with_rest {
                self.relax(point, &products, &projected);
            }
            let rest = self.rest[point].extend(1.0);
            let square: f64 = self.motion.path(point).iter().map(|at| at.length_squared()).sum();
            let of = |a: u16, b: u16| {
                let (a, b) = (usize::from(a), usize::from(b));
                rest.dot(products[a * count + b] * rest) - rest.dot(projected[a] + projected[b]) + square
            };
            let influences = &self.influences[point];
            let candidates = &mut self.candidates[point];
            if all && count > CANDIDATES {
                alone.clear();
                alone.extend(candidates.iter().map(|joint| {
                    let is_used = influences.iter().any(|(used, _)| used == usize::from(*joint));
                    (!is_used, of(*joint, *joint), *joint)
                }));
                alone.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
                candidates.clear();
                candidates.extend(alone.iter().take(CANDIDATES).map(|(_, _, joint)| *joint));
            }
            table.clear();
            for a in &*candidates {
                table.extend(candidates.iter().map(|b| of(*a, *b)));
            }
            // What rounding leaves of distances that are 0.
            let noise = square * 1e-13;
            for index in 0..candidates.len() {
                let own = &mut table[index * candidates.len() + index];
                *own = own.max(0.0) + noise;
            }
            self.influences[point] = choose(candidates, &table);
        }
    }

    /// Finds the best position at rest of a point, from the products of the transforms and what they make of its path.
    fn relax(&mut self, point: usize, products: &[DMat4], projected: &[DVec4]) {
        let count = self.joints.len();
        let (mut matrix, mut right) = (DMat3::ZERO, DVec4::ZERO);
        for (a, wa) in self.influences[point].iter() {
            right += projected[a] * wa;
            for (b, wb) in self.influences[point].iter() {
                let product = products[a * count + b];
                matrix += DMat3::from_mat4(product) * (wa * wb);
                right -= product.w_axis * (wa * wb);
            }
        }
        // A little of the old position, for directions that nothing determines.
        let keep = 1e-4 * self.motion.frames as f64;
        let matrix = matrix + DMat3::from_diagonal(glam::DVec3::splat(keep));
        let relaxed = matrix.inverse() * (right.truncate() + self.rest[point] * keep);
        if relaxed.is_finite() {
            self.rest[point] = relaxed;
        }
    }
}
