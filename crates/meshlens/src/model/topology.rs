//! Triangles over vertices that can be drawn: where a format indexes positions and other attributes apart, the pairs
//! that occur are welded into vertices.

use alloc::vec::Vec;
use core::ops::Range;

use meshlens_lens::Value;

/// The triangles of a mesh, with every vertex number proven to be below [`vertex_count`](Topology::vertex_count), and
/// where each vertex takes its values from. Made by `Mesh::topology_into`, which reuses the memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    pub(super) vertex_count: usize,
    pub(super) points: Vec<u32>,
    pub(super) corners: Vec<u32>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) parts: Vec<Part>,
    pub(super) dropped: usize,
}

/// Triangles that wear one material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The number of the material in the model, if the file says any.
    pub material: Option<usize>,
    /// The triangles, as a range of [`Topology::triangles`].
    pub triangles: Range<usize>,
}

impl Topology {
    /// Vertices to draw: those of the file, or the welded ones.
    pub const fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Three vertex numbers each, wound as the model's space says, ordered by part.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The parts, which cover all triangles. A mesh of one material has one.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The triangles of a part.
    pub fn part_triangles(&self, part: &Part) -> &[[u32; 3]] {
        self.triangles.get(part.triangles.clone()).unwrap_or_default()
    }

    /// For each vertex the element of positions, joints and weights that it takes, or `None` where vertex `i` takes
    /// element `i`.
    pub fn points(&self) -> Option<&[u32]> {
        (!self.points.is_empty()).then_some(&self.points)
    }

    /// The same for normals, tangents, colours and texture coordinates.
    pub fn corners(&self) -> Option<&[u32]> {
        (!self.corners.is_empty()).then_some(&self.corners)
    }

    /// Triangles that name no vertex and were left out, where the format is known for them (Unreal); elsewhere they are an
    /// error.
    pub const fn dropped_triangles(&self) -> usize {
        self.dropped
    }

    /// Empties it, keeping its memory.
    pub(super) fn clear(&mut self) {
        self.vertex_count = 0;
        self.dropped = 0;
        self.points.clear();
        self.corners.clear();
        self.triangles.clear();
        self.parts.clear();
    }

    /// Makes one part of all triangles.
    pub(super) fn one_part(&mut self, material: Option<usize>) {
        self.parts.push(Part { material, triangles: 0..self.triangles.len() });
    }
}

/// Puts the elements that `map` names into `out`, one for each vertex; with no map, `values` as they are. Elements that
/// are not there leave their slot as it is: a [`Topology`] has none of them.
pub fn gather<V: Value>(values: &[V], map: Option<&[u32]>, out: &mut [V]) {
    match map {
        None => {
            for (out, value) in out.iter_mut().zip(values) {
                *out = *value;
            }
        }
        Some(map) => {
            for (out, index) in out.iter_mut().zip(map) {
                if let Some(value) = values.get(*index as usize) {
                    *out = *value;
                }
            }
        }
    }
}
