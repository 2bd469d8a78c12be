//! Converts records of a position and a normal directly to complete vertices in registers: decodes them, blends them
//! with the records of a second frame, exchanges components, converts them and adds texture coordinates.
//!
//! The gain in the table of `benches/interleave.rs`, on an AMD Zen 4 (`benches/without records`), as a factor of the
//! speed in the cache and, in parentheses, past it:
//!
//! | row | AVX2 | AVX-512 |
//! |---|---|---|
//! | f32x3 + f32x3 | - (2.0) | - (1.7) |
//! | f32x3 + f32x3 + f32x2 | 2.2 (2.2) | 1.8 (1.8) |
//! | f32x3 + octahedral16x2 | 1.4 (1.7) | 1.9 (2.1) |
//! | f32x3 + octahedral16x2 + f32x2 | 1.9 (2.2) | 2.0 (2.2) |
//! | f16x4 + snorm8x4 | 2.4 (2.6) | 2.5 (2.8) |
//! | turned, f32x3 + f32x3 | 3.4 (3.8) | 4.0 (3.6) |
//! | two frames, f32x3 + f32x3 | 2.0 (2.3) | 2.4 (2.5) |
//! | two frames, f32x3 + octahedral16x2 | 1.5 (1.6) | 2.0 (2.2) |
//! | two frames, f16x4 + snorm8x4 | 2.1 (2.2) | 2.5 (2.7) |
//!
//! Beside other attributes, positions of three floats and normals of four bytes are written to their places in the vertices, which
//! makes the row `f32x3 + octahedral16x2 + 4 bytes` 1.8 times as fast as a column that is assembled with the others (Intel
//! Xeon, model 207; `benches/without apart`; past the cache 1.4 times with AVX2, 1.2 times with AVX-512).
//!
//! The kernel in AVX-512 is 1.1 to 1.5 times as fast as the one in AVX2, except for only floats.

mod steps;

use super::level::Kind;
use super::position_normal::PositionDirection;
use super::{Level, prefetch, stream};
use steps::{steps_avx2, steps_avx512};

/// The number of bytes of a record.
pub(crate) const RECORD: usize = 8;
/// The number of vertices of the largest step.
const WIDEST: usize = 16;
/// The number of bytes of the largest vertex.
const MAX_STRIDE: usize = 32;

/// The formats of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PositionFormat {
    Float32x3,
    Float16x4,
}

/// The formats of normals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NormalFormat {
    Float32x3,
    Octahedral16x2,
    Snorm8x4,
}

// The formats of normals, and the kinds of decoding, as parameters of the kernels. A separate loop for each of them
// needs fewer registers for constants than a common one.
const FLOATS: u8 = 0;
const OCTAHEDRAL16: u8 = 1;
const SNORM8: u8 = 2;

// What follows the normal: the next vertex, texture coordinates, or bytes that are not written.
const NOTHING: u8 = 0;
const TEXCOORDS: u8 = 1;
const GAP: u8 = 2;

/// One frame, unchanged.
const FRAME: u8 = 0;
/// One frame, whose components are exchanged and multiplied.
const TURNED: u8 = 1;
/// One frame, whose values are multiplied by matrices.
const MOVED: u8 = 2;
/// Two frames. Their values may also be converted.
const BLENDED: u8 = 3;

/// An exchange and multiplication of components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Turn {
    /// For each component, its source, 0 to 2.
    pub(crate) from: [usize; 3],
    pub(crate) factor: [f32; 3],
}

/// The conversions of positions and of normals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RecordMotion {
    None,
    Turns([Turn; 2]),
    /// The last column of the matrix of normals is 0. Normals are then scaled to length 1. With one frame, all normals must
    /// have a length after the matrix, and the first three columns of that of positions are multiplied by
    /// `scale / 65536`, instead of the positions.
    Matrices {
        positions: [[f32; 3]; 4],
        normals: [[f32; 3]; 4],
    },
}

/// Vertices of a position, a normal and, optionally, two floats that need no conversion, in this order and without
/// gaps.
pub(crate) struct RecordVertices<'a> {
    pub(crate) tables: PositionDirection,
    /// The records of one frame, or of two blended frames: all records except the last one, and the last record.
    pub(crate) frames: [(&'a [u8], [u8; RECORD]); 2],
    /// The weights of the second frame for positions and for normals; `None` if there is one frame.
    pub(crate) blend: Option<[f32; 2]>,
    pub(crate) position: PositionFormat,
    pub(crate) normal: NormalFormat,
    pub(crate) motion: RecordMotion,
    pub(crate) texcoords: Option<&'a [u8]>,
    pub(crate) count: usize,
}

impl RecordVertices<'_> {
    /// The number of words of a position and of a normal, and whether texture coordinates follow.
    const fn words(&self) -> (usize, usize, bool) {
        let position = match self.position {
            PositionFormat::Float32x3 => 3,
            PositionFormat::Float16x4 => 2,
        };
        (
            position,
            if matches!(self.normal, NormalFormat::Float32x3) { 3 } else { 1 },
            self.texcoords.is_some(),
        )
    }

    /// Whether there is a kernel for vertices of this size.
    pub(crate) fn has_kernel(&self, level: Level) -> bool {
        let is_wide = matches!(level.kind(), Kind::Avx2 | Kind::Avx512);
        is_wide && matches!(self.words(), (3, 3 | 1, _) | (2, 1, false))
    }

    /// The number of bytes of a vertex.
    pub(crate) const fn stride(&self) -> usize {
        let (position, normal, has_texcoords) = self.words();
        4 * (position + normal) + if has_texcoords { 8 } else { 0 }
    }

    /// Whether vertices can be written with a larger distance, without touching the bytes between them.
    pub(crate) const fn can_be_apart(&self) -> bool {
        matches!(self.words(), (3, 1, false))
    }

    /// The level with the fastest kernel. For vertices that are mainly loaded and stored, halved registers are not
    /// faster.
    fn method(&self, level: Level) -> Level {
        let is_plain = self.blend.is_none()
            && self.motion == RecordMotion::None
            && self.normal == NormalFormat::Float32x3;
        let halved = is_plain && level.kind() == Kind::Avx512 && Level::has_halved_avx512();
        if halved { Level::avx2().unwrap_or(level) } else { level }
    }

    /// Writes vertices, starting with `first`, as many as fit in `out`. Vertices begin `stride` bytes apart, which is
    /// [`stride`](Self::stride), or more if they [can be apart](Self::can_be_apart); then `past` is `false`.
    pub(crate) fn write(&self, level: Level, first: usize, stride: usize, past: bool, out: &mut [u8]) {
        let level = self.method(level);
        let gap = stride - self.stride();
        assert!(gap == 0 || self.can_be_apart() && !past);
        let wide = if level.kind() == Kind::Avx512 { WIDEST } else { WIDEST / 2 };
        let end = (first + (out.len() + gap) / stride).min(self.count);
        let place = |vertex: usize| (vertex - first) * stride;
        // Stores across cache lines cost twice as much, so a long run first writes the vertices before the first line.
        let address = out.as_ptr().addr();
        let head = (0..WIDEST).find(|head| (address + head * stride).is_multiple_of(stream::LINE));
        let mut done = first;
        if let Some(head) = head.filter(|head| *head > 0 && gap == 0 && end - first >= 8 * WIDEST) {
            self.write_part(level, done, head.min(wide), stride, &mut out[place(done)..]);
            done += head.min(wide);
            if head > wide {
                self.write_part(level, done, head - wide, stride, &mut out[place(done)..]);
                done += head - wide;
            }
        }
        // All records except the last one are in the slices.
        let whole = self.frames.iter().map(|(bytes, _)| bytes.len() / RECORD).min().unwrap_or_default();
        let texcoords = self.texcoords.map_or(self.count, |texcoords| texcoords.len() / 8);
        let steps = whole.min(texcoords).min(end).saturating_sub(done) / wide;
        let past = past && out[place(done)..].as_ptr().addr().is_multiple_of(stream::LINE);
        if steps > 0 {
            let sources =
                self.frames.map(|(bytes, _)| bytes[done * RECORD..][..steps * wide * RECORD].as_ptr());
            let texcoords =
                self.texcoords.map_or(sources[0], |bytes| bytes[8 * done..][..8 * steps * wide].as_ptr());
            let target = out[place(done)..][..steps * wide * stride - gap].as_mut_ptr();
            let batch = if past { (prefetch::BATCH / (wide * stride)).max(1) } else { steps };
            for first in (0..steps).step_by(batch) {
                let len = batch.min(steps - first);
                // SAFETY: the slices have the lengths of all steps; the caller guarantees the level.
                unsafe {
                    let sources = sources.map(|source| source.add(first * wide * RECORD));
                    let texcoords =
                        if self.texcoords.is_some() { texcoords.add(8 * first * wide) } else { texcoords };
                    let target = target.add(first * wide * stride);
                    if past {
                        for source in [sources[0], sources[1], texcoords] {
                            prefetch::input_pages(source, len * wide * RECORD);
                        }
                        prefetch::output_pages(level, target, len * wide * stride);
                    }
                    self.steps(level, sources, texcoords, (target, stride), len, past);
                }
            }
            done += steps * wide;
        }
        while done < end {
            let len = wide.min(end - done);
            self.write_part(level, done, len, stride, &mut out[place(done)..]);
            done += len;
        }
    }

    /// Writes `len` vertices, at most a step, through copies that are large enough for a step.
    fn write_part(&self, level: Level, first: usize, len: usize, stride: usize, out: &mut [u8]) {
        let mut sources = [[0u8; WIDEST * RECORD]; 2];
        let mut texcoords = [0u8; WIDEST * 8];
        let mut target = [0u8; WIDEST * MAX_STRIDE];
        for (source, (bytes, last)) in sources.iter_mut().zip(self.frames) {
            let from = &bytes[first * RECORD..];
            let whole = from.len().min(len * RECORD);
            source[..whole].copy_from_slice(&from[..whole]);
            if whole < len * RECORD {
                source[whole..][..RECORD].copy_from_slice(&last);
            }
        }
        if let Some(bytes) = self.texcoords {
            texcoords[..8 * len].copy_from_slice(&bytes[8 * first..][..8 * len]);
        }
        // SAFETY: the copies are large enough for the largest step; the caller guarantees the level.
        unsafe {
            let [a, b] = &sources;
            let sources = [a.as_ptr(), b.as_ptr()];
            self.steps(level, sources, texcoords.as_ptr(), (target.as_mut_ptr(), self.stride()), 1, false);
        }
        let size = self.stride();
        if stride == size {
            return out[..len * size].copy_from_slice(&target[..len * size]);
        }
        for (from, to) in target.chunks_exact(size).zip(out.chunks_mut(stride)).take(len) {
            to[..size].copy_from_slice(from);
        }
    }

    /// # Safety
    ///
    /// Each source contains the records of `steps` steps, `texcoords` contains a pair of floats for each record if
    /// there are texture coordinates, and `target` has room for the vertices, `stride` bytes apart. With `past`, it is
    /// aligned to [`LINE`](stream::LINE).
    unsafe fn steps(
        &self,
        level: Level,
        sources: [*const u8; 2],
        texcoords: *const u8,
        (target, stride): (*mut u8, usize),
        steps: usize,
        past: bool,
    ) {
        let kind = match (self.blend, self.motion) {
            (None, RecordMotion::None) => FRAME,
            (None, RecordMotion::Turns(_)) => TURNED,
            (None, RecordMotion::Matrices { .. }) => MOVED,
            (Some(_), _) => BLENDED,
        };
        macro_rules! run {
            ($run:ident) => {{
                macro_rules! run_format {
                    ($position:literal $normal:ident $after:ident) => {
                        // SAFETY: a `Level` exists only if the processor has its instructions; the caller guarantees
                        // the memory.
                        unsafe {
                            match (kind, past) {
                                (FRAME, false) => $run::<$position, $normal, $after, FRAME, false>(self, sources, texcoords, target, stride, steps),
                                (FRAME, true) => $run::<$position, $normal, $after, FRAME, true>(self, sources, texcoords, target, stride, steps),
                                (TURNED, false) => $run::<$position, $normal, $after, TURNED, false>(self, sources, texcoords, target, stride, steps),
                                (TURNED, true) => $run::<$position, $normal, $after, TURNED, true>(self, sources, texcoords, target, stride, steps),
                                (MOVED, false) => $run::<$position, $normal, $after, MOVED, false>(self, sources, texcoords, target, stride, steps),
                                (MOVED, true) => $run::<$position, $normal, $after, MOVED, true>(self, sources, texcoords, target, stride, steps),
                                (_, false) => $run::<$position, $normal, $after, BLENDED, false>(self, sources, texcoords, target, stride, steps),
                                (_, true) => $run::<$position, $normal, $after, BLENDED, true>(self, sources, texcoords, target, stride, steps),
                            }
                        }
                    };
                }
                macro_rules! run_apart {
                    ($normal:ident) => {
                        // SAFETY: as above.
                        unsafe {
                            match kind {
                                FRAME => $run::<3, $normal, GAP, FRAME, false>(self, sources, texcoords, target, stride, steps),
                                TURNED => $run::<3, $normal, GAP, TURNED, false>(self, sources, texcoords, target, stride, steps),
                                MOVED => $run::<3, $normal, GAP, MOVED, false>(self, sources, texcoords, target, stride, steps),
                                _ => $run::<3, $normal, GAP, BLENDED, false>(self, sources, texcoords, target, stride, steps),
                            }
                        }
                    };
                }
                let is_apart = stride > self.stride();
                match (self.position, self.normal, self.texcoords.is_some()) {
                    (PositionFormat::Float32x3, NormalFormat::Octahedral16x2, false) if is_apart => run_apart!(OCTAHEDRAL16),
                    (PositionFormat::Float32x3, NormalFormat::Snorm8x4, false) if is_apart => run_apart!(SNORM8),
                    (PositionFormat::Float32x3, NormalFormat::Float32x3, false) => run_format!(3 FLOATS NOTHING),
                    (PositionFormat::Float32x3, NormalFormat::Float32x3, true) => run_format!(3 FLOATS TEXCOORDS),
                    (PositionFormat::Float32x3, NormalFormat::Octahedral16x2, false) => run_format!(3 OCTAHEDRAL16 NOTHING),
                    (PositionFormat::Float32x3, NormalFormat::Octahedral16x2, true) => run_format!(3 OCTAHEDRAL16 TEXCOORDS),
                    (PositionFormat::Float32x3, NormalFormat::Snorm8x4, false) => run_format!(3 SNORM8 NOTHING),
                    (PositionFormat::Float32x3, NormalFormat::Snorm8x4, true) => run_format!(3 SNORM8 TEXCOORDS),
                    (PositionFormat::Float16x4, NormalFormat::Octahedral16x2, false) => run_format!(2 OCTAHEDRAL16 NOTHING),
                    (PositionFormat::Float16x4, NormalFormat::Snorm8x4, false) => run_format!(2 SNORM8 NOTHING),
                    _ => {}
                }
            }};
        }
        match level.kind() {
            #[cfg(any(feature = "std", target_feature = "avx2"))]
            Kind::Avx2 => run!(steps_avx2),
            #[cfg(any(feature = "std", target_feature = "avx512f"))]
            Kind::Avx512 => run!(steps_avx512),
            _ => {}
        }
    }
}
