//! Positions and directions transformed by a matrix while they are decoded.

use meshlens_wire::{Error, ErrorKind, Expected, Result};

use crate::attribute::{Scratch, decode_blocks, join_planes};
use crate::encoding::Internal;
use crate::simd::planes;
use crate::stored::{Motion, Parts};
use crate::window::to_i64;
use crate::{AttributeSource, Level};

/// A source whose values are multiplied by a matrix while they are decoded. Results are the same at every level: products
/// are rounded, then added in the order x, y, z, translation.
///
/// ```
/// use meshlens_lens::encoding::F32;
/// use meshlens_lens::{Lens, Transformed, VertexAttribute, VertexBufferLayout, VertexFormat, decode_interleaved};
///
/// let bytes = [1f32, 2.0, 3.0].map(f32::to_le_bytes);
/// let positions = Lens::new(F32::<3>, bytes.as_flattened(), 0, 12, 1)?;
/// // A quarter turn around Z, and 8 units up.
/// let matrix = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 8.0]];
/// let turned = Transformed::positions(positions, matrix)?;
/// let mut out = [0; 12];
/// let attribute = VertexAttribute::new(&turned, 0, VertexFormat::Float32x3);
/// decode_interleaved(&[attribute], VertexBufferLayout::new(12), &mut out)?;
/// assert_eq!(out.as_chunks().0, [-2f32, 1.0, 11.0].map(f32::to_ne_bytes));
/// # Ok::<(), meshlens_lens::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Transformed<S> {
    source: S,
    matrix: [[f32; 3]; 4],
    /// The factor of a fourth component of directions; `None` for positions.
    sign: Option<f32>,
}

impl<S: AttributeSource> Transformed<S> {
    /// Multiplies positions by the first three columns of `matrix`, and adds the fourth.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] if elements do not have three or four floats. A fourth float is unchanged.
    pub fn positions(source: S, matrix: [[f32; 3]; 4]) -> Result<Self> {
        Transformed { source, matrix, sign: None }.checked()
    }

    /// Multiplies directions by the columns of `matrix`, and scales each result to length 1. A result is not scaled if the
    /// square of its length differs from 1 by less than 2^-20, so that rotations cost no square root. A direction is unchanged
    /// if the square of the length of its result is 0, subnormal or not finite. A fourth float, such as the sign of a bitangent, is
    /// multiplied by `sign`.
    ///
    /// # Errors
    ///
    /// Same as [`positions`](Self::positions).
    pub fn directions(source: S, [x, y, z]: [[f32; 3]; 3], sign: f32) -> Result<Self> {
        Transformed { source, matrix: [x, y, z, [0.0; 3]], sign: Some(sign) }.checked()
    }

    fn checked(self) -> Result<Self> {
        if matches!(self.source.components(), 3 | 4) {
            return Ok(self);
        }
        let (what, found) = ("float components of a transformed array", to_i64(self.source.components()));
        Err(Error::of_call("transform", ErrorKind::Value { what, expected: Expected::Exactly(3), found }))
    }
}

impl<S: AttributeSource> AttributeSource for Transformed<S> {
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
        match self.sign {
            None => {
                self.source.decode_planes(level, first, count, scratch, Internal);
                planes::transform(level, &mut scratch.planes[0], &self.matrix, count);
            }
            Some(sign) => {
                self.source.decode_vectors(level, first, count, scratch, Internal);
                planes::transform_directions(level, &mut scratch.planes, &self.matrix, sign, count);
            }
        }
    }

    fn has_planes(&self, _: Internal) -> bool {
        true
    }

    fn parts(&self, _: Internal) -> Option<Parts<'_>> {
        let parts = self.source.parts(Internal).filter(|parts| parts.motion.is_none())?;
        let motion = match self.sign {
            None => Motion::Positions(self.matrix),
            Some(_) => Motion::Directions(self.matrix),
        };
        Some(Parts { motion: Some(motion), ..parts })
    }
}
