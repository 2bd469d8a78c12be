//! The triangles of a mesh, with its vertices numbered so that as few indices of points and corners as possible are
//! uploaded.

use meshlens::lens::{IndexBufferLayout, IndexFormat};
use meshlens::model::{Mesh, Submesh, Topology};

use super::Per;

/// Triangles, and the point and the corner of each vertex.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Triangles {
    /// The number of vertices.
    pub vertex_count: usize,
    /// Three vertices for each triangle, in the order of the submeshes.
    pub triangles: Vec<[u32; 3]>,
    /// The submeshes, each with its material.
    pub submeshes: Vec<Submesh>,
    /// The point of each vertex; `None` if vertex `i` has point `i`.
    pub points: Option<Vec<u32>>,
    /// The corner of each vertex; `None` if vertex `i` has corner `i`.
    pub corners: Option<Vec<u32>>,
    /// Whether no two triangles share a vertex: triangle `i` has the vertices `3 * i`, `3 * i + 1` and `3 * i + 2`, and is
    /// drawn without an index buffer.
    pub is_separate: bool,
}

impl Triangles {
    /// Makes the triangles of a mesh. If each corner belongs to exactly one vertex, vertices are numbered like the
    /// corners, so that arrays of corners are arrays of vertices. Otherwise, if each point belongs to exactly one
    /// vertex, vertices are numbered like the points.
    ///
    /// # Errors
    ///
    /// An index is out of range; the error has the absolute offset of the first one.
    pub fn new(mesh: &Mesh<'_>) -> meshlens::Result<Self> {
        let mut made = Triangles::of(&mesh.topology()?);
        let order = [(&made.corners, mesh.corner_count()), (&made.points, mesh.point_count())];
        let order = order
            .into_iter()
            .find_map(|(numbers, count)| numbers.clone().filter(|numbers| is_permutation(numbers, count)));
        if let Some(order) = order {
            made.renumber(&order);
        }
        Ok(made)
    }

    /// The triangles of a topology, unchanged.
    pub fn of(topology: &Topology) -> Self {
        Triangles {
            vertex_count: topology.vertex_count(),
            triangles: topology.triangles().to_vec(),
            submeshes: topology.submeshes().to_vec(),
            points: topology.points().map(<[u32]>::to_vec),
            corners: topology.corners().map(<[u32]>::to_vec),
            is_separate: false,
        }
    }

    /// Gives vertex `i` the number `order[i]`. `order` is a permutation.
    fn renumber(&mut self, order: &[u32]) {
        let number = |vertex: u32| order.get(vertex as usize).copied().unwrap_or(vertex);
        for triangle in &mut self.triangles {
            *triangle = triangle.map(number);
        }
        for numbers in [&mut self.points, &mut self.corners] {
            let Some(old) = numbers.take() else {
                // Vertex `i` previously had the number `i`.
                *numbers = Some(scattered(0.., order));
                continue;
            };
            let new = scattered(old, order);
            let is_own = (0..).zip(&new).all(|(vertex, number): (u32, &u32)| vertex == *number);
            *numbers = (!is_own).then_some(new);
        }
    }

    /// The same triangles without shared vertices.
    pub(super) fn separate(&self) -> Triangles {
        let vertices = self.triangles.as_flattened();
        let number = |numbers: &Option<Vec<u32>>| {
            let of = |vertex: &u32| match numbers {
                Some(numbers) => numbers.get(*vertex as usize).copied().unwrap_or(0),
                None => *vertex,
            };
            Some(vertices.iter().map(of).collect())
        };
        let separate = |triangle: u32| [0, 1, 2].map(|corner| triangle * 3 + corner);
        Triangles {
            vertex_count: vertices.len(),
            triangles: (0..self.triangles.len() as u32).map(separate).collect(),
            submeshes: self.submeshes.clone(),
            points: number(&self.points),
            corners: number(&self.corners),
            is_separate: true,
        }
    }

    /// The index of the records of points, and of corners.
    pub(super) const fn per(&self) -> (Per, Per) {
        let point = if self.points.is_some() { Per::Point } else { Per::Vertex };
        let corner = if self.corners.is_some() { Per::Corner } else { Per::Vertex };
        (point, corner)
    }

    /// The size of the index buffer in bytes.
    pub(super) fn index_size(&self) -> usize {
        if self.is_separate { 0 } else { self.triangles.len() * 3 * self.index_format().size() }
    }

    /// The smallest index format that can hold every index.
    pub const fn index_format(&self) -> IndexFormat {
        IndexFormat::for_vertices(self.vertex_count)
    }

    /// The index buffer, in [`index_format`](Self::index_format).
    ///
    /// # Errors
    ///
    /// Never fails, because every index is below the number of vertices.
    pub fn index_bytes(&self) -> meshlens::Result<Vec<u8>> {
        let format = self.index_format();
        let mut bytes = vec![0; self.triangles.len() * 3 * format.size()];
        IndexBufferLayout::new(format).write(self.triangles.as_flattened(), &mut bytes)?;
        Ok(bytes)
    }
}

/// Whether `numbers` contains every number below `count` exactly once.
fn is_permutation(numbers: &[u32], count: usize) -> bool {
    let mut seen = vec![false; count];
    let once =
        |number: &u32| seen.get_mut(*number as usize).is_some_and(|seen| !std::mem::replace(seen, true));
    numbers.len() == count && numbers.iter().all(once)
}

/// Value `i` at the place `order[i]`. With the values `0..`, the permutation that undoes `order`.
fn scattered(values: impl IntoIterator<Item = u32>, order: &[u32]) -> Vec<u32> {
    let mut scattered = vec![0; order.len()];
    for (value, place) in values.into_iter().zip(order) {
        if let Some(slot) = scattered.get_mut(*place as usize) {
            *slot = value;
        }
    }
    scattered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_are_numbered_like_their_corners() {
        let mut triangles = Triangles {
            vertex_count: 3,
            triangles: vec![[0, 1, 2]],
            points: Some(vec![5, 5, 6]),
            corners: Some(vec![2, 0, 1]),
            ..Triangles::default()
        };
        assert!(
            is_permutation(&[2, 0, 1], 3) && !is_permutation(&[2, 0, 0], 3) && !is_permutation(&[0, 1], 3)
        );
        let separate = triangles.separate();
        assert_eq!((separate.points, separate.corners), (Some(vec![5, 5, 6]), Some(vec![2, 0, 1])));
        triangles.renumber(&[2, 0, 1]);
        assert_eq!(triangles.triangles, [[2, 0, 1]]);
        assert_eq!((triangles.points, triangles.corners), (Some(vec![5, 6, 5]), None));
        assert_eq!(scattered(0.., &[2, 0, 1]), [1, 2, 0]);
    }
}
