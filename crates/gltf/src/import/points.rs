//! Points of meshes and tags that are used to compare rates of frames: a part of the vertices, including the outermost
//! ones.

use glam::Vec3;

use super::Import;
use super::baking::Baking;
use super::scene::Moment;
use crate::Error;

/// The number of points of all meshes.
const POINTS: usize = 4096;
/// The number of points of one mesh.
const OF_MESH: usize = 256;

/// The points of the meshes and tags of a document.
pub(super) struct Points<'p> {
    baking: &'p [Baking<'p>],
    /// The vertices of each mesh.
    vertices: Vec<Vec<usize>>,
    tags: &'p [usize],
    /// The length of the axes of tags: about half of the size of the largest mesh.
    reach: f32,
}

impl<'p> Points<'p> {
    pub(super) fn new(
        import: &Import<'_>,
        baking: &'p [Baking<'p>],
        tags: &'p [usize],
    ) -> Result<Points<'p>, Error> {
        let of_mesh = (POINTS / baking.len().max(1)).clamp(1, OF_MESH);
        import.buffers.spend(baking.len(), of_mesh * (size_of::<usize>() + 4 * size_of::<Vec3>()))?;
        let vertices = baking.iter().map(|baking| baking.base.outermost(of_mesh)).collect();
        let mut points = Points { baking, vertices, tags, reach: 0.5 };
        let rest = points.at(&import.scene.at(None, 0.0, 0.0));
        let largest = points.mesh_sizes(&rest).into_iter().fold(0.0, f32::max);
        points.reach = if largest > 0.0 { largest / 2.0 } else { points.reach };
        Ok(points)
    }

    /// The work of computing the points at one moment.
    pub(super) fn cost(&self) -> usize {
        let of = |(baking, vertices): (&Baking<'_>, &Vec<usize>)| baking.base.points_cost(vertices.len());
        self.baking.iter().zip(&self.vertices).map(of).sum::<usize>() + self.tags.len()
    }

    /// The points at a moment: the points of the meshes, then four points for each tag.
    pub(super) fn at(&self, moment: &Moment) -> Vec<Vec3> {
        let mut points = Vec::new();
        for (baking, vertices) in self.baking.iter().zip(&self.vertices) {
            baking.base.points(vertices, moment, &mut points);
        }
        for tag in self.tags {
            let matrix = moment.world[*tag];
            let origin = matrix.w_axis.truncate();
            points.push(origin);
            points.extend(
                [matrix.x_axis, matrix.y_axis, matrix.z_axis]
                    .map(|axis| origin + axis.truncate().normalize_or_zero() * self.reach),
            );
        }
        points
    }

    /// The size of each mesh: the longest side of its bounds.
    fn mesh_sizes(&self, points: &[Vec3]) -> Vec<f32> {
        let mut rest = points;
        let size = |vertices: &Vec<usize>| {
            let (own, others) = rest.split_at(vertices.len().min(rest.len()));
            rest = others;
            let Some(first) = own.first() else { return 0.0 };
            let bounds = own.iter().fold([*first; 2], |[min, max], point| [min.min(*point), max.max(*point)]);
            (bounds[1] - bounds[0]).max_element()
        };
        self.vertices.iter().map(size).collect()
    }

    /// For each point, the size of its mesh. For a tag, the size of the largest mesh at rest.
    pub(super) fn sizes(&self, points: &[Vec3]) -> Vec<f32> {
        let of_meshes = self.mesh_sizes(points).into_iter().zip(&self.vertices);
        let of_meshes = of_meshes.flat_map(|(size, vertices)| std::iter::repeat_n(size, vertices.len()));
        of_meshes.chain(std::iter::repeat_n(self.reach * 2.0, self.tags.len() * 4)).collect()
    }
}
