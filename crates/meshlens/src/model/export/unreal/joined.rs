//! Vertices that were only split for their texture coordinates, which Unreal meshes store by corner.

use alloc::vec::Vec;

use glam::Vec3;

/// The smallest cosine of the angle between two normals that count as equal: about 1 degree.
const EQUAL: f32 = 0.9998;
/// The largest number of different normals at one position that are compared.
const NORMALS: usize = 32;

/// The vertices that are stored, and the stored vertex of each vertex of the model.
pub(super) struct Joined {
    /// For each stored vertex, a vertex of the model.
    pub(super) vertices: Vec<u32>,
    stored: Vec<u32>,
}

impl Joined {
    /// Joins vertices that have the same position in every frame, and the same normal in the first one. O(vertices x frames x log
    /// vertices).
    pub(super) fn new(frames: &[Vec<[i16; 3]>], normals: &[[f32; 3]]) -> Joined {
        let position =
            |frame: usize, vertex: u32| frames.get(frame).and_then(|frame| frame.get(vertex as usize));
        let order = |a: u32, b: u32| {
            let frames = (0..frames.len()).map(|frame| position(frame, a).cmp(&position(frame, b)));
            frames.into_iter().find(|order| order.is_ne()).unwrap_or(core::cmp::Ordering::Equal)
        };
        let normal =
            |vertex: u32| normals.get(vertex as usize).map_or(Vec3::ZERO, |normal| Vec3::from(*normal));
        // More vertices than an index can count are an error of the writer.
        let mut sorted: Vec<u32> = (0..normals.len() as u32).collect();
        sorted.sort_by(|a, b| order(*a, *b));
        let mut first: Vec<u32> = (0..normals.len() as u32).collect();
        let mut known: Vec<u32> = Vec::new();
        for run in sorted.chunk_by(|a, b| order(*a, *b).is_eq()) {
            known.clear();
            for vertex in run {
                let same = known.iter().find(|known| normal(**known).dot(normal(*vertex)) >= EQUAL);
                match (same, first.get_mut(*vertex as usize)) {
                    (Some(same), Some(slot)) => *slot = *same,
                    _ if known.len() < NORMALS => known.push(*vertex),
                    _ => {}
                }
            }
        }
        // Stored vertices keep the order of the model. The first of a run is the one with the smallest index.
        let (mut vertices, mut stored) = (Vec::new(), Vec::<u32>::with_capacity(first.len()));
        for (vertex, first) in (0u32..).zip(first) {
            let known = stored.get(first as usize).copied();
            stored.push(known.unwrap_or(vertices.len() as u32));
            if known.is_none() {
                vertices.push(vertex);
            }
        }
        Joined { vertices, stored }
    }

    /// The stored vertex of a vertex of the model.
    pub(super) fn of(&self, vertex: usize) -> usize {
        self.stored.get(vertex).map_or(usize::MAX, |stored| *stored as usize)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn equal_vertices_are_joined_unless_their_normals_differ() {
        let (up, right) = ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]);
        let moving = [[0; 3], [0; 3], [5, 0, 0], [0; 3], [0; 3]];
        let still = [[0; 3], [0; 3], [5, 0, 0], [0; 3], [1, 0, 0]];
        let joined = Joined::new(&[moving.to_vec(), still.to_vec()], &[up, right, up, up, up]);
        // Vertex 3 equals vertex 0. Vertex 1 has another normal, and vertex 4 another position in the last frame.
        assert_eq!(joined.vertices, [0, 1, 2, 4]);
        assert_eq!((0..6).map(|vertex| joined.of(vertex)).collect::<Vec<_>>(), [0, 1, 2, 0, 3, usize::MAX]);
        assert_eq!(Joined::new(&[], &[]).vertices, vec![0u32; 0]);
    }
}
