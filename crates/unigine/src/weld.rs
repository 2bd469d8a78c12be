//! Welding: each unique pair of a coordinate index and a triangle index becomes a vertex, for use with one index
//! buffer.

use alloc::vec::Vec;

use meshlens_lens::{Encoding, Lens, TangentFrame, ValueLens};
use meshlens_wire::{Error, ErrorKind, Place, Presence, Result};

use crate::{FORMAT, Geometry};

/// A vertex: the pair of indices that its corners have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Corner {
    /// The index of a position and its weights.
    pub coordinate: u32,
    /// The index of a tangent frame, texture coordinates and a color.
    pub triangle: u32,
}

/// A surface as a GPU draws it: a list of vertices and an index buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Welded {
    /// The vertices, in the order of their first use.
    pub vertices: Vec<Corner>,
    /// A vertex index for each corner, three per triangle. Front faces are wound counter-clockwise, as in the file.
    pub indices: Vec<u32>,
    /// The index of the surface, for errors.
    surface: usize,
}

/// Welds surfaces. It reuses its buffers for each surface.
///
/// It uses no hash table: vertices are chained by their triangle index, and vertices with the same triangle index
/// nearly always have the same coordinate index. If chains are long, corners are sorted instead, so the time is never
/// quadratic.
#[derive(Clone, Debug, Default)]
pub struct Welder {
    coordinates: Vec<u32>,
    triangles: Vec<u32>,
    /// While vertices are chained: the first vertex of each triangle index. While corners are sorted: where the bucket of
    /// each triangle index begins in `corners`, and later where its next corner goes.
    buckets: Vec<u32>,
    /// While vertices are chained: the next vertex of the chain of each vertex. While corners are sorted: the numbers of the
    /// corners, bucket by bucket.
    corners: Vec<u32>,
}

/// No vertex has this number: there are fewer vertices than corners, and fewer corners than this.
const UNNUMBERED: u32 = u32::MAX;
/// The number of steps along chains for each corner after which corners are sorted instead.
const MAX_STEPS: usize = 4;

impl Welder {
    /// Welds a surface. O(corners + tangents). The result is the same on every machine.
    ///
    /// # Errors
    ///
    /// Same as [`Geometry::checked_indices`].
    pub fn weld<P: Presence>(&mut self, geometry: &Geometry<'_, P>) -> Result<Welded> {
        let mut welded = Welded::default();
        self.weld_into(geometry, &mut welded)?;
        Ok(welded)
    }

    /// Like [`weld`](Self::weld), into lists whose memory is reused.
    ///
    /// # Errors
    ///
    /// Same as [`Geometry::checked_indices`].
    pub fn weld_into<P: Presence>(&mut self, geometry: &Geometry<'_, P>, welded: &mut Welded) -> Result<()> {
        welded.surface = geometry.surface();
        welded.vertices.clear();
        geometry.checked_indices_into(&mut self.coordinates, &mut self.triangles)?;
        if !self.chain(geometry.tangent_count(), welded) {
            self.sort(geometry.tangent_count(), welded);
        }
        Ok(())
    }

    /// Chains vertices by their triangle index. Returns false if that takes too many steps.
    fn chain(&mut self, tangents: usize, welded: &mut Welded) -> bool {
        resize(&mut self.buckets, tangents, UNNUMBERED);
        self.corners.clear();
        welded.indices.clear();
        // A limit that saturates has no effect.
        let mut steps = self.triangles.len().saturating_mul(MAX_STEPS);
        for (coordinate, triangle) in self.coordinates.iter().zip(&self.triangles) {
            let corner = Corner { coordinate: *coordinate, triangle: *triangle };
            let Some(first) = self.buckets.get_mut(*triangle as usize) else { continue };
            let mut vertex = *first;
            while welded.vertices.get(vertex as usize).is_some_and(|known| known.coordinate != *coordinate) {
                vertex = self.corners.get(vertex as usize).copied().unwrap_or(UNNUMBERED);
                let Some(left) = steps.checked_sub(1) else { return false };
                steps = left;
            }
            if vertex == UNNUMBERED {
                vertex = u32::try_from(welded.vertices.len()).unwrap_or(UNNUMBERED);
                welded.vertices.push(corner);
                self.corners.push(*first);
                *first = vertex;
            }
            welded.indices.push(vertex);
        }
        true
    }

    /// Sorts corners into buckets by their triangle index, and each bucket by the coordinate index.
    fn sort(&mut self, tangents: usize, welded: &mut Welded) {
        welded.vertices.clear();
        self.fill_buckets(tangents);
        resize(&mut welded.indices, self.triangles.len(), UNNUMBERED);
        self.find_first_uses(&mut welded.indices);
        self.number(welded);
    }

    /// Sorts the numbers of corners by their triangle index with a counting sort. Corners in the same bucket keep their
    /// order.
    fn fill_buckets(&mut self, tangents: usize) {
        resize(&mut self.corners, self.triangles.len(), 0);
        resize(&mut self.buckets, tangents, 0);
        for triangle in &self.triangles {
            if let Some(count) = self.buckets.get_mut(*triangle as usize) {
                *count = count.wrapping_add(1);
            }
        }
        let mut start = 0u32;
        for bucket in &mut self.buckets {
            let count = *bucket;
            *bucket = start;
            start = start.wrapping_add(count);
        }
        for (corner, triangle) in (0u32..).zip(&self.triangles) {
            if let Some(next) = self.buckets.get_mut(*triangle as usize) {
                if let Some(slot) = self.corners.get_mut(*next as usize) {
                    *slot = corner;
                }
                *next = next.wrapping_add(1);
            }
        }
    }

    /// Gives each corner the number of the first corner that equals it.
    fn find_first_uses(&mut self, first_uses: &mut [u32]) {
        let mut start = 0usize;
        for end in &self.buckets {
            // After all corners were put into the buckets, each number is the end of its bucket.
            let end = *end as usize;
            let Some(bucket) = self.corners.get_mut(start..end) else { continue };
            start = end;
            // Every corner has a coordinate index.
            let coordinate = |corner: u32| self.coordinates.get(corner as usize).copied().unwrap_or(0);
            let Some(mut first) = bucket.first().copied() else { continue };
            let mut shared = coordinate(first);
            if bucket.iter().any(|corner| coordinate(*corner) != shared) {
                bucket.sort_unstable_by_key(|corner| (coordinate(*corner), *corner));
                first = bucket.first().copied().unwrap_or(first);
                shared = coordinate(first);
            }
            for corner in bucket.iter() {
                if coordinate(*corner) != shared {
                    (first, shared) = (*corner, coordinate(*corner));
                }
                if let Some(slot) = first_uses.get_mut(*corner as usize) {
                    *slot = first;
                }
            }
        }
    }

    /// Numbers the vertices in the order of their first corners.
    fn number(&self, welded: &mut Welded) {
        for corner in 0..welded.indices.len() {
            let first = welded.indices.get(corner).map_or(0, |first| *first as usize);
            let vertex = if first == corner {
                let (coordinate, triangle) = (self.coordinates.get(corner), self.triangles.get(corner));
                let (Some(coordinate), Some(triangle)) = (coordinate, triangle) else { continue };
                welded.vertices.push(Corner { coordinate: *coordinate, triangle: *triangle });
                u32::try_from(welded.vertices.len()).unwrap_or(u32::MAX).wrapping_sub(1)
            } else {
                // A first corner comes before equal corners, so it already has its number.
                welded.indices.get(first).copied().unwrap_or(UNNUMBERED)
            };
            if let Some(index) = welded.indices.get_mut(corner) {
                *index = vertex;
            }
        }
    }
}

/// Sets the content of `list` to `len` times `value`.
fn resize(list: &mut Vec<u32>, len: usize, value: u32) {
    list.clear();
    list.resize(len, value);
}

impl Welded {
    /// Gathers positions, or other values that are indexed by coordinate index, for each vertex.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] if `out` does not have one value for each vertex; [`ErrorKind::Index`] if an index is not
    /// below the length of `lens`.
    pub fn positions_into<E: Encoding>(&self, lens: Lens<'_, E>, out: &mut [E::Value]) -> Result<()> {
        self.gather(out, lens.byte_range().start, lens.len(), |vertex| {
            (vertex.coordinate, lens.get(vertex.coordinate as usize))
        })
    }

    /// Gathers texture coordinates, colors, or other values that are indexed by triangle index, for each vertex.
    ///
    /// # Errors
    ///
    /// Same as [`positions_into`](Self::positions_into); also if the surface does not have the texture coordinates.
    pub fn attributes_into<E: Encoding>(&self, lens: Lens<'_, E>, out: &mut [E::Value]) -> Result<()> {
        self.gather(out, lens.byte_range().start, lens.len(), |vertex| {
            (vertex.triangle, lens.get(vertex.triangle as usize))
        })
    }

    /// Gathers tangent frames for each vertex.
    ///
    /// # Errors
    ///
    /// Same as [`positions_into`](Self::positions_into).
    pub fn frames_into(&self, frames: ValueLens<'_, TangentFrame>, out: &mut [TangentFrame]) -> Result<()> {
        self.gather(out, frames.byte_range().start, frames.len(), |vertex| {
            (vertex.triangle, frames.get(vertex.triangle as usize))
        })
    }

    /// `offset` and `count` describe the array from which values are gathered.
    fn gather<V>(
        &self,
        out: &mut [V],
        offset: u64,
        count: usize,
        get: impl Fn(&Corner) -> (u32, Option<V>),
    ) -> Result<()> {
        let error = |kind| Error::new(FORMAT, offset, kind).at(Place::new("surface", self.surface as u64));
        let (expected, found) = (self.vertices.len() as u64, out.len() as u64);
        if expected != found {
            return Err(error(ErrorKind::Length { what: "elements of the output", expected, found }));
        }
        for (out, vertex) in out.iter_mut().zip(&self.vertices) {
            let (index, value) = get(vertex);
            *out = value.ok_or_else(|| {
                let (what, count) = ("element", count as u64);
                error(ErrorKind::Index { what, index: index.into(), count })
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chaining_and_sorting_result_in_the_same_vertices() {
        // Many coordinate indices share one triangle index, and the other way around.
        for (coordinates, triangles, is_short) in [(1u32, 50u32, true), (50, 1, false), (3, 60, true)] {
            let mut welder = Welder::default();
            for corner in 0..300u32 {
                welder.coordinates.push(corner.wrapping_mul(2_654_435_761) % coordinates);
                welder.triangles.push(corner.wrapping_mul(40_503) / 7 % triangles);
            }
            let (mut chained, mut sorted) = (Welded::default(), Welded::default());
            assert_eq!(welder.chain(triangles as usize, &mut chained), is_short);
            welder.sort(triangles as usize, &mut sorted);
            assert_eq!(sorted.indices.len(), 300);
            assert!(!is_short || chained == sorted);
            for (corner, vertex) in sorted.indices.iter().enumerate() {
                let vertex = sorted.vertices[*vertex as usize];
                assert_eq!(
                    (vertex.coordinate, vertex.triangle),
                    (welder.coordinates[corner], welder.triangles[corner])
                );
            }
        }
    }
}
