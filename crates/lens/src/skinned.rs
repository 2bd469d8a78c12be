//! Positions and directions that are moved by joints while they are decoded.

use meshlens_wire::{Error, ErrorKind, Expected, Result};

use crate::attribute::{Scratch, decode_blocks, join_planes};
use crate::encoding::Internal;
use crate::simd::planes;
use crate::simd::skin::Vectors;
use crate::window::to_i64;
use crate::{AttributeSource, Level, Skin};

/// A source whose values are moved by up to four joints each while they are decoded: each value is multiplied by the weighted
/// sum of the matrices. A point without joints or weights keeps its value. Results are the same at every level.
///
/// ```
/// use meshlens_lens::encoding::F32;
/// use meshlens_lens::{AttributeSource, Influences, Lens, Level, Skin, Skinned};
///
/// let bytes = [1f32, 2.0, 3.0].map(f32::to_le_bytes);
/// let positions = Lens::new(F32::<3>, bytes.as_flattened(), 0, 12, 1)?;
/// let by = |x| [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [x, 0.0, 0.0, 1.0]];
/// let influences = Influences::new(vec![[0, 1, 0, 0]], vec![[0.75, 0.25, 0.0, 0.0]]);
/// let skin = Skin { influences: &influences, matrices: &[by(4.0), by(8.0)] };
/// let mut out = [0.0; 3];
/// Skinned::positions(positions, skin, None)?.decode_part(Level::current(), 0, &mut out);
/// assert_eq!(out, [6.0, 2.0, 3.0]);
/// # Ok::<(), meshlens_lens::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Skinned<'a, S> {
    source: S,
    skin: Skin<'a>,
    /// The point of each value; `None` if value `i` has point `i`.
    points: Option<&'a [u32]>,
    is_direction: bool,
}

impl<'a, S: AttributeSource> Skinned<'a, S> {
    /// Moves positions. `points` is the point of each value; `None` if value `i` has point `i`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] if elements do not have three or four floats. A fourth float is unchanged.
    pub fn positions(source: S, skin: Skin<'a>, points: Option<&'a [u32]>) -> Result<Self> {
        Skinned { source, skin, points, is_direction: false }.checked()
    }

    /// Turns directions, without translations, and scales each result to length 1, unless it is shorter than 1e-6.
    ///
    /// # Errors
    ///
    /// Same as [`positions`](Self::positions).
    pub fn directions(source: S, skin: Skin<'a>, points: Option<&'a [u32]>) -> Result<Self> {
        Skinned { source, skin, points, is_direction: true }.checked()
    }

    fn checked(self) -> Result<Self> {
        if matches!(self.source.components(), 3 | 4) {
            return Ok(self);
        }
        let (what, found) = ("float components of a skinned array", to_i64(self.source.components()));
        Err(Error::of_call("skin", ErrorKind::Value { what, expected: Expected::Exactly(3), found }))
    }
}

impl<S: AttributeSource> AttributeSource for Skinned<'_, S> {
    fn count(&self) -> usize {
        self.source.count()
    }

    fn components(&self) -> usize {
        self.source.components()
    }

    fn decode_part(&self, level: Level, first: usize, out: &mut [f32]) {
        decode_blocks(self, level, first, out);
    }

    fn decode_block(&self, level: Level, first: usize, out: &mut [f32], scratch: &mut Scratch, _: Internal) {
        join_planes(self, level, first, out, scratch);
    }

    fn decode_planes(&self, level: Level, first: usize, count: usize, scratch: &mut Scratch, _: Internal) {
        self.decode_vectors(level, first, count, scratch, Internal);
        if self.is_direction {
            planes::normalize(level, &mut scratch.planes[0], count);
        }
    }

    fn decode_vectors(&self, level: Level, first: usize, count: usize, scratch: &mut Scratch, _: Internal) {
        if self.is_direction {
            self.source.decode_vectors(level, first, count, scratch, Internal);
        } else {
            self.source.decode_planes(level, first, count, scratch, Internal);
        }
        let points = self.points.map(|points| points.get(first..).unwrap_or_default());
        let Scratch { planes: [planes, _], sums, .. } = scratch;
        let vectors = Vectors { planes, sums, skin: &self.skin, points, first, count };
        vectors.skin(level, self.is_direction);
    }

    fn has_planes(&self, _: Internal) -> bool {
        true
    }
}
