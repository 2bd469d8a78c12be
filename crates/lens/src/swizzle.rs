//! Components exchanged and multiplied, to convert positions and directions to another coordinate system.

use crate::attribute::{Scratch, decode_blocks, join_planes};
use crate::encoding::Internal;
use crate::simd::planes;
use crate::stored::{Motion, Parts};
use crate::{AttributeSource, Level, RandomAccess};

/// A source whose components are exchanged and multiplied while they are decoded: component `i` is component `from[i]`
/// of the source times `factor[i]`, or 0 if `from[i]` is out of range.
///
/// ```
/// use meshlens_lens::encoding::U8;
/// use meshlens_lens::{Lens, Swizzled, VertexAttribute, VertexBufferLayout, VertexFormat, decode_interleaved};
/// use meshlens_lens::encoding::F32;
///
/// let bytes = [1f32, 2.0, 3.0].map(f32::to_le_bytes);
/// let positions = Lens::new(F32::<3>, bytes.as_flattened(), 0, 12, 1)?;
/// // From Z up to Y up, and to twice the size.
/// let turned = Swizzled::new(positions, [0, 2, 1, 3], [2.0, 2.0, -2.0, 1.0]);
/// let mut out = [0; 12];
/// let attribute = VertexAttribute::new(&turned, 0, VertexFormat::Float32x3);
/// decode_interleaved(&[attribute], VertexBufferLayout::new(12), &mut out)?;
/// assert_eq!(out.as_chunks().0, [2f32, 6.0, -4.0].map(f32::to_ne_bytes));
/// # Ok::<(), meshlens_lens::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Swizzled<S> {
    source: S,
    from: [usize; 4],
    factor: [f32; 4],
}

impl<S: AttributeSource> Swizzled<S> {
    /// Exchanges and multiplies the components of a source of floats. The number of components does not change.
    pub const fn new(source: S, from: [usize; 4], factor: [f32; 4]) -> Self {
        Swizzled { source, from, factor }
    }

    /// The result for component `at`.
    #[allow(clippy::arithmetic_side_effects, reason = "floats")]
    fn component(&self, value: &[f32], at: usize) -> f32 {
        let from = self.from.get(at).and_then(|from| value.get(*from));
        from.copied().unwrap_or_default() * self.factor.get(at).copied().unwrap_or_default()
    }
}

impl<S: AttributeSource> AttributeSource for Swizzled<S> {
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
        self.source.decode_planes(level, first, count, scratch, Internal);
        planes::swizzle(level, &mut scratch.planes, self.from, self.factor, self.components(), count);
    }

    fn has_planes(&self, _: Internal) -> bool {
        true
    }

    fn parts(&self, _: Internal) -> Option<Parts<'_>> {
        let parts = self.source.parts(Internal).filter(|parts| parts.motion.is_none())?;
        Some(Parts { motion: Some(Motion::Turn(self.from, self.factor)), ..parts })
    }
}

impl<S: RandomAccess> RandomAccess for Swizzled<S> {
    fn decode_indexed(&self, level: Level, indices: &[u32], out: &mut [f32]) {
        self.source.decode_indexed(level, indices, out);
        for value in out.chunks_exact_mut(self.components().clamp(1, 4)) {
            let mut swizzled = [0.0; 4];
            for (at, slot) in swizzled.iter_mut().enumerate() {
                *slot = self.component(value, at);
            }
            for (slot, component) in value.iter_mut().zip(swizzled) {
                *slot = component;
            }
        }
    }
}
