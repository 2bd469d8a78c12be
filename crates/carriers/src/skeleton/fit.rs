//! The fit: weights and rigid transforms in turns, with joints added where the distances are largest.

use glam::{DAffine3, DVec3};

use super::largest;
use super::motion::{Block, Motion};
use super::rigid::Moments;
use super::weights::Influences;
use crate::Error;

/// The points from which a new joint starts.
const SEED: usize = 12;
/// The parts of all points that a new joint starts from, if these are fewer.
const SEED_PARTS: usize = 16;

/// Distances between points and where a skeleton moves them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bound {
    pub(crate) rms: f64,
    pub(crate) max: f64,
}

impl Bound {
    pub(crate) fn contains(&self, other: &Bound) -> bool {
        other.rms <= self.rms && other.max <= self.max
    }

    pub(crate) fn times(&self, factor: f64) -> Bound {
        Bound { rms: self.rms * factor, max: self.max * factor }
    }

    /// The error of a skeleton whose distances are larger.
    pub(crate) fn missed(&self, name: &str, joints: usize, met: &Bound, is_stopped: bool) -> Error {
        let (name, Bound { rms, max }) = (name.to_owned(), *self);
        Error::NoSkeleton { name, joints, rms, max, met_rms: met.rms, met_max: met.max, is_stopped }
    }
}

/// A skeleton in progress.
#[derive(Clone)]
pub(crate) struct Fit<'m> {
    pub(crate) motion: &'m Motion,
    /// The positions at rest.
    pub(crate) rest: Vec<DVec3>,
    /// For each joint, its transform from the rest in every frame.
    pub(crate) joints: Vec<Vec<DAffine3>>,
    pub(crate) influences: Vec<Influences>,
    /// What the distances of each point count.
    pub(crate) stress: Vec<f64>,
    /// The joints among which the weights of each point are chosen.
    pub(crate) candidates: Vec<Vec<u16>>,
    /// The paths of the points.
    pub(crate) paths: Vec<Block<3>>,
    /// The sums that were computed, of a joint for a point in a frame.
    pub(crate) work: u64,
}

/// The distances of each point.
struct Distances {
    squares: Vec<f64>,
    largest: Vec<f64>,
    total: Bound,
}

impl<'m> Fit<'m> {
    /// One joint, which moves all points, with the positions of the first frame at rest.
    pub(crate) fn new(motion: &'m Motion) -> Fit<'m> {
        Fit {
            motion,
            rest: (0..motion.points()).map(|point| motion.path(point)[0]).collect(),
            joints: vec![vec![DAffine3::IDENTITY; motion.frames]],
            influences: vec![Influences::from(0); motion.points()],
            stress: vec![1.0; motion.points()],
            candidates: vec![Vec::new(); motion.points()],
            paths: motion.blocks(),
            work: 0,
        }
    }

    /// The same weights and positions at rest for all frames of a model. In each frame, a joint starts from the best transform
    /// of its own points.
    pub(crate) fn expand<'a>(&self, motion: &'a Motion) -> Fit<'a> {
        let joints = self.moved_by().into_iter().map(|points| {
            let mut sums = vec![Moments::default(); motion.frames];
            for (point, weight) in points {
                let weight = weight * weight * motion.copies[point];
                for (sums, at) in sums.iter_mut().zip(motion.path(point)) {
                    sums.add(self.rest[point], *at, weight);
                }
            }
            sums.iter().map(affine).collect()
        });
        Fit {
            motion,
            rest: self.rest.clone(),
            joints: joints.collect(),
            influences: self.influences.clone(),
            stress: self.stress.clone(),
            candidates: self.candidates.clone(),
            paths: motion.blocks(),
            work: self.work,
        }
    }

    /// Where the joints move a point in all frames.
    pub(crate) fn moved(&self, point: usize, out: &mut Vec<DVec3>) {
        out.clear();
        out.resize(self.motion.frames, DVec3::ZERO);
        for (joint, weight) in self.influences[point].iter() {
            for (out, transform) in out.iter_mut().zip(&self.joints[joint]) {
                *out += transform.transform_point3(self.rest[point]) * weight;
            }
        }
    }

    fn distances(&self) -> Distances {
        let (mut sum, mut count, mut max) = (0.0, 0.0, 0.0f64);
        let (mut squares, mut largest) = (Vec::new(), Vec::new());
        let mut moved = Vec::new();
        for (point, copies) in self.motion.copies.iter().enumerate() {
            let (mut total, mut farthest) = (0.0, 0.0f64);
            self.moved(point, &mut moved);
            for (moved, path) in moved.iter().zip(self.motion.path(point)) {
                let square = moved.distance_squared(*path);
                total += square;
                farthest = farthest.max(square);
            }
            sum += total * copies;
            count += copies * self.motion.frames as f64;
            max = max.max(farthest);
            squares.push(total);
            largest.push(farthest);
        }
        Distances { squares, largest, total: Bound { rms: (sum / count).sqrt(), max: max.sqrt() } }
    }

    /// The distances of all points.
    pub(crate) fn measure(&self) -> Bound {
        self.distances().total
    }

    /// Measures, and, if single points are outside a bound, makes their distances count more.
    pub(crate) fn stress(&mut self, goal: &Bound) -> Bound {
        let distances = self.distances();
        for (stress, largest) in self.stress.iter_mut().zip(&distances.largest) {
            let over = (largest.sqrt() / goal.max).clamp(0.5, 2.0);
            *stress = (*stress * over).clamp(1.0, 64.0);
        }
        distances.total
    }

    /// Adds joints where the distances are largest. They move no point yet.
    pub(crate) fn add(&mut self, bound: &Bound, count: usize) {
        let distances = self.distances();
        let is_near = distances.total.rms <= bound.rms;
        self.seed(if is_near { &distances.largest } else { &distances.squares }, count);
    }

    /// Adds joints that move the points with the largest scores and those around them.
    fn seed(&mut self, scores: &[f64], count: usize) {
        let neighbours = &self.motion.neighbours;
        let smooth = |point: usize| {
            let around: f64 = neighbours[point].iter().map(|other| scores[*other as usize]).sum();
            (2.0 * scores[point] + around) / (2 + neighbours[point].len()) as f64
        };
        let mut smooth: Vec<f64> = (0..scores.len()).map(smooth).collect();
        for _ in 0..count {
            let worst = largest(smooth.len(), |point| smooth[point]);
            if smooth.get(worst).is_none_or(|score| *score <= 0.0) {
                return;
            }
            let region = self.around(worst);
            let mut sums = vec![Moments::default(); self.motion.frames];
            for point in &region {
                let weight = if *point == worst { 2.0 } else { 1.0 };
                for (sums, path) in sums.iter_mut().zip(self.motion.path(*point)) {
                    sums.add(self.rest[*point], *path, weight);
                }
                smooth[*point] = 0.0;
                neighbours[*point].iter().for_each(|other| smooth[*other as usize] = 0.0);
            }
            self.joints.push(sums.iter().map(affine).collect());
        }
    }

    /// A point and the points around it, the nearest by triangles first.
    fn around(&self, point: usize) -> Vec<usize> {
        let most = SEED.min(self.rest.len() / SEED_PARTS).max(3);
        let mut region = vec![point];
        let mut next = 0;
        while region.len() < most && next < region.len() {
            for other in &self.motion.neighbours[region[next]] {
                if region.len() < most && !region.contains(&(*other as usize)) {
                    region.push(*other as usize);
                }
            }
            next += 1;
        }
        region
    }

    /// For each joint, the points that it moves, with their weights.
    pub(crate) fn moved_by(&self) -> Vec<Vec<(usize, f64)>> {
        let mut points = vec![Vec::new(); self.joints.len()];
        for (point, influences) in self.influences.iter().enumerate() {
            for (joint, weight) in influences.iter().filter(|(_, weight)| *weight > 0.0) {
                points[joint].push((point, weight));
            }
        }
        points
    }

    /// Removes joints that move no point. One remains, which holds the tags of a model without points.
    pub(crate) fn prune(&mut self) {
        let mut used: Vec<bool> = self.moved_by().iter().map(|points| !points.is_empty()).collect();
        if !used.contains(&true) {
            used.iter_mut().take(1).for_each(|first| *first = true);
        }
        let mut numbers = vec![0u16; used.len()];
        let mut count = 0;
        for (number, used) in numbers.iter_mut().zip(&used) {
            *number = count;
            count += u16::from(*used);
        }
        let mut each = used.iter();
        self.joints.retain(|_| each.next() == Some(&true));
        self.influences.iter_mut().for_each(|influences| influences.renumber(|joint| numbers[joint]));
        for candidates in &mut self.candidates {
            candidates.retain(|joint| used[usize::from(*joint)]);
            candidates.iter_mut().for_each(|joint| *joint = numbers[usize::from(*joint)]);
        }
    }
}

/// The best transform as a matrix.
pub(crate) fn affine(sums: &Moments) -> DAffine3 {
    let rigid = sums.rigid();
    DAffine3::from_rotation_translation(rigid.rotation, rigid.translation)
}
