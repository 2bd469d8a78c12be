//! The fit: weights and rigid transforms in turns, with joints added where the distances are largest.

use glam::{DAffine3, DMat3, DVec3};

use super::motion::Motion;
use super::pin::Pin;
use super::rigid::Moments;
use super::weights::{Influences, choose};

/// The number of joints among which the weights of a point are chosen.
const CANDIDATES: usize = 10;
/// The points from which a new joint starts.
const SEED: usize = 12;
/// The parts of all points that a new joint starts from, if these are fewer.
const SEED_PARTS: usize = 8;

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
    /// Where the joints move each point, like [`Motion::paths`].
    moved: Vec<DVec3>,
    /// The positions that were computed, for each joint.
    pub(crate) work: usize,
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
        let rest = (0..motion.points()).map(|point| motion.path(point)[0]).collect();
        let mut fit = Fit {
            motion,
            rest,
            joints: vec![vec![DAffine3::IDENTITY; motion.frames]],
            influences: vec![Influences::from(0); motion.points()],
            moved: Vec::new(),
            work: 0,
        };
        fit.move_points();
        fit.sweep(&[]);
        fit
    }

    /// The same skeleton for all frames, where `nearest` is the frame of this fit from which each frame starts.
    pub(crate) fn expand<'a>(&self, motion: &'a Motion, nearest: &[usize]) -> Fit<'a> {
        let joints = self.joints.iter().map(|joint| nearest.iter().map(|frame| joint[*frame]).collect());
        let mut fit = Fit {
            motion,
            rest: self.rest.clone(),
            joints: joints.collect(),
            influences: self.influences.clone(),
            moved: Vec::new(),
            work: self.work,
        };
        fit.move_points();
        fit
    }

    /// Moves all points.
    pub(crate) fn move_points(&mut self) {
        let frames = self.motion.frames;
        self.moved.clear();
        self.moved.resize(self.motion.paths.len(), DVec3::ZERO);
        for (point, rest) in self.rest.iter().enumerate() {
            let moved = &mut self.moved[point * frames..][..frames];
            for (joint, weight) in self.influences[point].iter() {
                for (moved, transform) in moved.iter_mut().zip(&self.joints[joint]) {
                    *moved += transform.transform_point3(*rest) * weight;
                }
            }
        }
    }

    /// Where the joints move a point in all frames.
    pub(crate) fn moved(&self, point: usize) -> &[DVec3] {
        &self.moved[point * self.motion.frames..][..self.motion.frames]
    }

    pub(crate) fn moved_mut(&mut self, point: usize) -> &mut [DVec3] {
        &mut self.moved[point * self.motion.frames..][..self.motion.frames]
    }

    fn distances(&self) -> Distances {
        let (mut sum, mut count, mut max) = (0.0, 0.0, 0.0f64);
        let (mut squares, mut largest) = (Vec::new(), Vec::new());
        for (point, copies) in self.motion.copies.iter().enumerate() {
            let (mut total, mut farthest) = (0.0, 0.0f64);
            let moved = &self.moved[point * self.motion.frames..];
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

    /// Adds joints where the distances are largest. They move no point yet.
    pub(crate) fn add(&mut self, bound: &Bound, count: usize) {
        let distances = self.distances();
        let is_near = distances.total.rms <= bound.rms;
        self.seed(if is_near { &distances.largest } else { &distances.squares }, count);
    }

    /// Improves weights, then transforms, then, if wanted, the positions at rest.
    pub(crate) fn turn(&mut self, pins: &[Pin], with_rest: bool) {
        self.weigh();
        self.sweep(pins);
        self.sweep(pins);
        if with_rest {
            self.relax();
        }
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
            let mut worst = 0;
            for point in 1..smooth.len() {
                if smooth[point] > smooth[worst] {
                    worst = point;
                }
            }
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

    /// Finds the weights of all points.
    pub(crate) fn weigh(&mut self) {
        self.work += self.motion.paths.len() * (self.joints.len() + 2 * CANDIDATES);
        let frames = self.motion.frames;
        let mut alone: Vec<(f64, u16)> = Vec::new();
        let mut apart: Vec<DVec3> = Vec::new();
        let (mut joints, mut products) = (Vec::new(), Vec::new());
        for (point, rest) in self.rest.iter().enumerate() {
            let path = self.motion.path(point);
            alone.clear();
            for (joint, transforms) in self.joints.iter().enumerate() {
                let squares = transforms.iter().zip(path);
                let squares =
                    squares.map(|(transform, at)| transform.transform_point3(*rest).distance_squared(*at));
                alone.push((squares.sum(), joint as u16));
            }
            let used = self.influences[point];
            let is_used = |joint: u16| used.iter().any(|(used, _)| used == usize::from(joint));
            alone.sort_by(|a, b| {
                is_used(b.1).cmp(&is_used(a.1)).then(a.0.total_cmp(&b.0)).then(a.1.cmp(&b.1))
            });
            alone.truncate(CANDIDATES);
            joints.clear();
            joints.extend(alone.iter().map(|(_, joint)| *joint));
            apart.clear();
            for joint in &joints {
                let transforms = self.joints[usize::from(*joint)].iter().zip(path);
                apart.extend(transforms.map(|(transform, at)| transform.transform_point3(*rest) - *at));
            }
            products.clear();
            products.resize(joints.len() * joints.len(), 0.0);
            for row in 0..joints.len() {
                for column in 0..=row {
                    let (a, b) = (&apart[row * frames..][..frames], &apart[column * frames..][..frames]);
                    let sum: f64 = a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum();
                    products[row * joints.len() + column] = sum;
                    products[column * joints.len() + row] = sum;
                }
            }
            self.influences[point] = choose(&joints, &products);
        }
        self.move_points();
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

    /// Finds the best transforms of one joint after the other, in all frames.
    pub(crate) fn sweep(&mut self, pins: &[Pin]) {
        let frames = self.motion.frames;
        let points = self.moved_by();
        for (joint, points) in points.iter().enumerate() {
            let mut sums = vec![Moments::default(); frames];
            let own = &self.joints[joint];
            for (point, weight) in points {
                let (rest, copies) = (self.rest[*point], self.motion.copies[*point]);
                let moved = &self.moved[point * frames..];
                for (frame, sums) in sums.iter_mut().enumerate() {
                    let apart = self.motion.paths[point * frames + frame] - moved[frame];
                    let wanted = apart / *weight + own[frame].transform_point3(rest);
                    sums.add(rest, wanted, copies * weight * weight);
                }
            }
            for pin in pins {
                pin.hold(joint, &self.joints, &mut sums);
            }
            if sums.first().is_none_or(|sums| sums.weight() <= 0.0) {
                continue;
            }
            let new: Vec<DAffine3> = sums.iter().map(affine).collect();
            for (point, weight) in points {
                let (rest, moved) = (self.rest[*point], &mut self.moved[point * frames..]);
                for ((moved, new), old) in moved.iter_mut().zip(&new).zip(&self.joints[joint]) {
                    *moved += (new.transform_point3(rest) - old.transform_point3(rest)) * *weight;
                }
            }
            self.joints[joint] = new;
        }
    }

    /// Finds the best positions at rest.
    pub(crate) fn relax(&mut self) {
        for point in 0..self.rest.len() {
            let (mut matrix, mut right) = (DMat3::ZERO, DVec3::ZERO);
            for frame in 0..self.motion.frames {
                let (mut linear, mut offset) = (DMat3::ZERO, DVec3::ZERO);
                for (joint, weight) in self.influences[point].iter() {
                    let transform = &self.joints[joint][frame];
                    linear += transform.matrix3 * weight;
                    offset += transform.translation * weight;
                }
                let turned = linear.transpose();
                matrix += turned * linear;
                right += turned * (self.motion.path(point)[frame] - offset);
            }
            // A little of the old position, for directions that nothing determines.
            let keep = 1e-4 * self.motion.frames as f64;
            let matrix = matrix + DMat3::from_diagonal(DVec3::splat(keep));
            let relaxed = matrix.inverse() * (right + self.rest[point] * keep);
            if relaxed.is_finite() {
                self.rest[point] = relaxed;
            }
        }
        self.move_points();
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
    }
}

/// The best transform as a matrix.
fn affine(sums: &Moments) -> DAffine3 {
    let rigid = sums.rigid();
    DAffine3::from_rotation_translation(rigid.rotation, rigid.translation)
}
