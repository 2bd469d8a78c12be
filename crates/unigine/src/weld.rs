//! The drawing view: unique (coordinate, triangle) index pairs as a vertex list, and one index buffer.

use alloc::vec::Vec;

use meshlens_lens::{Encoding, Lens};
use meshlens_wire::Result;

use crate::{FORMAT, Geometry, TangentFrame, Tangents};

/// What a vertex is made of: one corner of a triangle, shared by every corner that is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Corner {
    /// Names a position and its weights.
    pub coordinate: u32,
    /// Names a tangent space, texture coordinates and a colour.
    pub triangle: u32,
}

/// A surface as graphics hardware draws it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Welded {
    /// The vertices, in the order in which corners first use them.
    pub vertices: Vec<Corner>,
    /// A vertex number for each corner, three to a triangle, wound as in the file: counter-clockwise.
    pub indices: Vec<u32>,
    /// The surface, for errors.
    surface: usize,
}

/// Welds surfaces, and keeps its buffers for the next one.
///
/// Without hashing: vertices are chained by their triangle index, and those of one triangle index nearly always have one
/// coordinate index too. A file whose chains are long is sorted instead, so that none makes this quadratic.
#[derive(Clone, Debug, Default)]
pub struct Welder {
    coordinates: Vec<u32>,
    triangles: Vec<u32>,
    /// For each triangle index, while vertices are chained, the first vertex; when corners are sorted, where its bucket
    /// begins in `corners`, and where the next corner goes.
    buckets: Vec<u32>,
    /// The next vertex of each chain; or corner numbers, bucket by bucket.
    corners: Vec<u32>,
}

/// No vertex has this number: there are fewer vertices than corners, and fewer corners than this.
const UNNUMBERED: u32 = u32::MAX;
/// Steps along chains, for each corner, before corners are sorted instead.
const MAX_STEPS: usize = 4;

impl Welder {
    /// The welded view of a surface. O(corners + tangents); the same on every machine.
    ///
    /// # Errors
    ///
    /// As [`Geometry::checked_indices`].
    pub fn weld(&mut self, geometry: &Geometry<'_>) -> Result<Welded> {
        let mut welded = Welded::default();
        self.weld_into(geometry, &mut welded)?;
        Ok(welded)
    }

    /// As [`weld`](Self::weld), into lists whose memory is used again.
    ///
    /// # Errors
    ///
    /// As [`Geometry::checked_indices`].
    pub fn weld_into(&mut self, geometry: &Geometry<'_>, welded: &mut Welded) -> Result<()> {
        let (coordinates, triangles) = geometry.checked_indices()?;
        let count = coordinates.len();
        welded.surface = geometry.surface();
        welded.vertices.clear();
        resize(&mut self.coordinates, count, 0);
        resize(&mut self.triangles, count, 0);
        let length = |error: meshlens_lens::Error| match error {
            meshlens_lens::Error::Length { expected, found } => {
                geometry.length_error("indices", expected, found)
            }
            _ => geometry.length_error("indices", count, 0),
        };
        coordinates.decode_into(&mut self.coordinates).map_err(length)?;
        triangles.decode_into(&mut self.triangles).map_err(length)?;
        if !self.chain(geometry.tangent_count(), welded) {
            self.sort(geometry.tangent_count(), welded);
        }
        Ok(())
    }

    /// Chains vertices by their triangle index. Gives up, and says so, where that takes too many steps.
    fn chain(&mut self, tangents: usize, welded: &mut Welded) -> bool {
        resize(&mut self.buckets, tangents, UNNUMBERED);
        self.corners.clear();
        welded.indices.clear();
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

    /// Sorts corner numbers by their triangle index, by counting; in a bucket they keep their order.
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
            // Filled, a bucket's start has become its end.
            let end = *end as usize;
            let Some(bucket) = self.corners.get_mut(start..end) else { continue };
            start = end;
            let coordinate = |corner: u32| self.coordinates.get(corner as usize).copied().unwrap_or_default();
            let Some(mut first) = bucket.first().copied() else { continue };
            let mut shared = coordinate(first);
            if bucket.iter().any(|corner| coordinate(*corner) != shared) {
                bucket.sort_unstable_by_key(|corner| (coordinate(*corner), *corner));
                first = bucket.first().copied().unwrap_or_default();
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
                // A first corner comes before the others, and has its number by now.
                welded.indices.get(first).copied().unwrap_or_default()
            };
            if let Some(index) = welded.indices.get_mut(corner) {
                *index = vertex;
            }
        }
    }
}

/// Every element of `list` becomes `value`, `len` of them.
fn resize(list: &mut Vec<u32>, len: usize, value: u32) {
    list.clear();
    list.resize(len, value);
}

impl Welded {
    /// Positions, or whatever else coordinate indices name, for each vertex.
    ///
    /// # Errors
    ///
    /// An output that does not hold one value for each vertex, or a lens of fewer elements than an index says.
    pub fn positions_into<E: Encoding>(&self, lens: Lens<'_, E>, out: &mut [E::Value]) -> Result<()> {
        self.gather(out, lens.byte_range().start, lens.len(), |vertex| {
            (vertex.coordinate, lens.get(vertex.coordinate as usize))
        })
    }

    /// Texture coordinates, colours, or whatever else triangle indices name, for each vertex.
    ///
    /// # Errors
    ///
    /// An output that does not hold one value for each vertex, or a lens of fewer elements than an index says, as
    /// texture coordinates that the surface does not have.
    pub fn attributes_into<E: Encoding>(&self, lens: Lens<'_, E>, out: &mut [E::Value]) -> Result<()> {
        self.gather(out, lens.byte_range().start, lens.len(), |vertex| {
            (vertex.triangle, lens.get(vertex.triangle as usize))
        })
    }

    /// Tangent spaces, decoded, for each vertex.
    ///
    /// # Errors
    ///
    /// As [`attributes_into`](Self::attributes_into).
    pub fn frames_into(&self, tangents: &Tangents<'_>, out: &mut [TangentFrame]) -> Result<()> {
        self.gather(out, 0, tangents.len(), |vertex| {
            (vertex.triangle, tangents.frame(vertex.triangle as usize))
        })
    }

    fn gather<V>(
        &self,
        out: &mut [V],
        offset: u64,
        count: usize,
        get: impl Fn(&Corner) -> (u32, Option<V>),
    ) -> Result<()> {
        use meshlens_wire::{Error, ErrorKind, Expected, Place};
        let place = Place::new("surface", self.surface as u64);
        if out.len() != self.vertices.len() {
            let expected = Expected::Exactly(i64::try_from(self.vertices.len()).unwrap_or(i64::MAX));
            let found = i64::try_from(out.len()).unwrap_or(i64::MAX);
            let kind = ErrorKind::Value { what: "output length", expected, found };
            return Err(Error::new(FORMAT, offset, kind).at(place));
        }
        for (out, vertex) in out.iter_mut().zip(&self.vertices) {
            let (index, value) = get(vertex);
            *out = value.ok_or_else(|| {
                let kind = ErrorKind::Index { what: "element", index: index.into(), count: count as u64 };
                Error::new(FORMAT, offset, kind).at(place)
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chaining_and_sorting_come_to_the_same() {
        // Corners that share a triangle index with many coordinate indices, and the other way around.
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
