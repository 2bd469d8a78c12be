//! Normals and tangents, decoded from arrays of tangent frames.

use crate::encoding::{Internal, TangentFrame16, TangentNormal16};
use crate::{AttributeSource, Lens, Level, RandomAccess, TangentFrame, ValueLens};

/// The normals or the tangents of an array of tangent frames, decoded block by block.
#[derive(Clone, Copy, Debug)]
pub struct FrameVectors<'a> {
    frames: ValueLens<'a, TangentFrame>,
    part: Part,
    /// The normals, if there is a kernel for them.
    normals: Option<Lens<'a, TangentNormal16>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Normal,
    Tangent,
}

/// The number of frames decoded at a time.
const BLOCK: usize = 64;

impl<'a> FrameVectors<'a> {
    /// A source of the normals: three floats each.
    pub fn normals(frames: ValueLens<'a, TangentFrame>) -> Self {
        let normals =
            frames.as_any().downcast::<TangentFrame16>().map(|frames| frames.with_encoding(TangentNormal16));
        FrameVectors { frames, part: Part::Normal, normals }
    }

    /// A source of the tangents: three floats and the sign of the bitangent. The bitangent is `cross(normal, tangent)`
    /// times that sign.
    pub const fn tangents(frames: ValueLens<'a, TangentFrame>) -> Self {
        FrameVectors { frames, part: Part::Tangent, normals: None }
    }

    /// Extracts the normals or tangents from the frames that `decode` writes, starting with a given element.
    fn decode_blocks(&self, out: &mut [f32], decode: impl Fn(usize, &mut [TangentFrame])) {
        let components = self.components();
        let mut frames = [TangentFrame::default(); BLOCK];
        for (block, out) in out.chunks_mut(BLOCK.saturating_mul(components)).enumerate() {
            let count = out.len().checked_div(components).unwrap_or_default();
            let Some(frames) = frames.get_mut(..count) else { return };
            decode(block.saturating_mul(BLOCK), frames);
            match self.part {
                Part::Normal => {
                    for (out, frame) in out.as_chunks_mut().0.iter_mut().zip(frames) {
                        *out = frame.normal;
                    }
                }
                Part::Tangent => {
                    for (out, frame) in out.as_chunks_mut().0.iter_mut().zip(frames) {
                        let [x, y, z] = frame.tangent;
                        *out = [x, y, z, frame.handedness()];
                    }
                }
            }
        }
    }
}

impl AttributeSource for FrameVectors<'_> {
    fn count(&self) -> usize {
        self.frames.len()
    }

    fn components(&self) -> usize {
        if self.part == Part::Normal { 3 } else { 4 }
    }

    fn decode_part(&self, level: Level, first: usize, out: &mut [f32]) {
        if let Some(normals) = self.normals {
            return normals.decode_part(level, first, out);
        }
        let any = self.frames.as_any();
        self.decode_blocks(out, |at, frames| {
            any.decode_from(level, first.saturating_add(at), bytemuck::cast_slice_mut(frames));
        });
    }

    fn length_error(&self, what: &'static str, found: usize, _: Internal) -> meshlens_wire::Error {
        self.frames.as_any().length_error(what, found)
    }
}

impl RandomAccess for FrameVectors<'_> {
    fn decode_indexed(&self, level: Level, indices: &[u32], out: &mut [f32]) {
        if let Some(normals) = self.normals {
            return normals.decode_indexed(level, indices, out);
        }
        let any = self.frames.as_any();
        self.decode_blocks(out, |at, frames| {
            any.gather(level, indices.get(at..).unwrap_or_default(), frames);
        });
    }
}
