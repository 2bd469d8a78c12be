//! The paths of the points of a model through its frames.

use glam::{DMat4, DVec3};
use meshlens::Model;
use meshlens::model::{Mesh, Topology};
use meshlens::wire::Reservation;

use super::largest;
use crate::Error;

/// The most positions of all points in all frames.
const MOST_POSITIONS: usize = 1 << 22;

/// The frames of a block, whose sums the processor adds at once.
pub(crate) const LANES: usize = 4;

/// Some values in the frames of a block.
pub(crate) type Block<const N: usize> = [[f64; LANES]; N];

/// Points that move, each with its path through the frames. Points with equal paths are one point.
#[derive(Debug, Default)]
pub(crate) struct Motion {
    /// The number of frames.
    pub(crate) frames: usize,
    /// The position of point `p` in frame `f` at `p * frames + f`.
    pub(crate) paths: Vec<DVec3>,
    /// The number of points of the model that each point stands for.
    pub(crate) copies: Vec<f64>,
    /// The points that share a triangle with each point, in ascending order.
    pub(crate) neighbours: Vec<Vec<u32>>,
    /// For each mesh, the point that stands for each of its points.
    pub(crate) meshes: Vec<Vec<u32>>,
}

impl Motion {
    pub(crate) fn points(&self) -> usize {
        self.copies.len()
    }

    /// The positions of a point in all frames.
    pub(crate) fn path(&self, point: usize) -> &[DVec3] {
        &self.paths[point * self.frames..][..self.frames]
    }

    /// Reads frames of the finest meshes of a model, as displayed.
    pub(crate) fn read(
        model: &Model<'_>,
        meshes: &[&Mesh<'_>],
        frames: &[usize],
        memory: &mut Reservation,
    ) -> Result<Motion, Error> {
        let count: usize = meshes.iter().fold(0, |sum, mesh| sum.saturating_add(mesh.point_count()));
        let positions = count.saturating_mul(frames.len());
        if positions > MOST_POSITIONS {
            return Err(Error::TooManyPositions { count: positions, most: MOST_POSITIONS });
        }
        // Read, joined, in blocks, both for fewer frames, a copy while joints are tied, and the joints: at most one for six
        // points.
        memory.grow(
            positions.saturating_mul(12 + 10 * size_of::<DVec3>()),
            format_args!("{positions} positions"),
        )?;
        memory.grow(count.saturating_mul(1024), format_args!("{count} points"))?;
        let placement = DMat4::from_cols_array_2d(&model.placement.map(|column| column.map(f64::from)));
        let is_placed = placement != DMat4::IDENTITY;
        let mut all = vec![[0f32; 3]; positions];
        let (mut first, mut decoded) = (0, Vec::new());
        for mesh in meshes {
            for (column, frame) in frames.iter().enumerate() {
                decoded.resize(mesh.point_count(), [0.0; 3]);
                mesh.positions(mesh.clamp_frame(*frame))?.decode_into(&mut decoded)?;
                for (point, position) in decoded.iter().enumerate() {
                    all[(first + point) * frames.len() + column] = *position;
                }
            }
            first += mesh.point_count();
        }
        if !all.as_flattened().iter().all(|value| value.is_finite()) {
            return Err(Error::NotFinite);
        }
        let mut motion = Motion { frames: frames.len(), ..Motion::default() };
        let stands_for = motion.join(&all, count, |at| {
            let at = DVec3::from(at.map(f64::from));
            if is_placed { placement.transform_point3(at) } else { at }
        });
        let mut rest = &stands_for[..];
        for mesh in meshes {
            let (own, others) = rest.split_at(mesh.point_count());
            motion.meshes.push(own.to_vec());
            rest = others;
        }
        motion.connect(meshes, memory)?;
        Ok(motion)
    }

    /// Adds one point for each different path. Returns the point for each path.
    fn join(&mut self, all: &[[f32; 3]], count: usize, place: impl Fn([f32; 3]) -> DVec3) -> Vec<u32> {
        let path = |point: u32| &all[point as usize * self.frames..][..self.frames];
        let bits = |point: u32| path(point).as_flattened().iter().map(|value| value.to_bits());
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_by(|a, b| bits(*a).cmp(bits(*b)).then(a.cmp(b)));
        // The first point of each path stands for all of them.
        let mut first_of = vec![0; count];
        let mut first = None;
        for point in order {
            match first {
                Some(known) if path(known) == path(point) => first_of[point as usize] = known,
                _ => (first, first_of[point as usize]) = (Some(point), point),
            }
        }
        let mut stands_for = vec![0; count];
        for point in 0..count {
            let first = first_of[point] as usize;
            if first == point {
                stands_for[point] = self.copies.len() as u32;
                self.copies.push(0.0);
                self.paths.extend(path(point as u32).iter().map(|at| place(*at)));
            } else {
                stands_for[point] = stands_for[first];
            }
            self.copies[stands_for[point] as usize] += 1.0;
        }
        stands_for
    }

    fn connect(&mut self, meshes: &[&Mesh<'_>], memory: &mut Reservation) -> Result<(), Error> {
        self.neighbours = vec![Vec::new(); self.points()];
        let mut topology = Topology::default();
        for (mesh, points) in meshes.iter().zip(&self.meshes) {
            let triangles = mesh.triangle_count();
            memory.grow(triangles.saturating_mul(96), format_args!("{triangles} triangles"))?;
            mesh.topology_into(&mut topology)?;
            for triangle in topology.triangles() {
                let corners = triangle.map(|vertex| {
                    let point = topology.points().map_or(vertex, |map| map[vertex as usize]);
                    points.get(point as usize).copied()
                });
                let [Some(a), Some(b), Some(c)] = corners else { continue };
                for (from, to) in [(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from != to) {
                    self.neighbours[from as usize].push(to);
                    self.neighbours[to as usize].push(from);
                }
            }
        }
        for neighbours in &mut self.neighbours {
            neighbours.sort_unstable();
            neighbours.dedup();
        }
        Ok(())
    }

    /// The paths of all points in blocks of frames.
    pub(crate) fn blocks(&self) -> Vec<Block<3>> {
        let blocks = self.frames.div_ceil(LANES);
        let mut out = vec![[[0.0; LANES]; 3]; self.points() * blocks];
        for point in 0..self.points() {
            for (frame, at) in self.path(point).iter().enumerate() {
                for (axis, value) in at.to_array().into_iter().enumerate() {
                    out[point * blocks + frame / LANES][axis][frame % LANES] = value;
                }
            }
        }
        out
    }

    /// The same points in some of the frames.
    pub(crate) fn select(&self, frames: &[usize]) -> Motion {
        let points = 0..self.points();
        Motion {
            frames: frames.len(),
            paths: points
                .flat_map(|point| frames.iter().map(move |frame| self.path(point)[*frame]))
                .collect(),
            copies: self.copies.clone(),
            neighbours: self.neighbours.clone(),
            meshes: Vec::new(),
        }
    }

    /// Up to `most` frames that differ most, in ascending order: each one is the farthest from those before it.
    pub(crate) fn distinct_frames(&self, most: usize) -> Vec<usize> {
        if self.frames <= most {
            return (0..self.frames).collect();
        }
        let step = self.points().div_ceil(64).max(1);
        let mut nearest = vec![f64::INFINITY; self.frames];
        let (mut chosen, mut next) = (Vec::new(), 0);
        while chosen.len() < most {
            chosen.push(next);
            let last = next;
            for (frame, nearest) in nearest.iter_mut().enumerate() {
                let distance =
                    |point: usize| self.path(point)[frame].distance_squared(self.path(point)[last]);
                *nearest = nearest.min((0..self.points()).step_by(step).map(distance).sum());
            }
            next = largest(nearest.len(), |frame| nearest[frame]);
        }
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }
}
