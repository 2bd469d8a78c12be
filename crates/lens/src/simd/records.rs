//! Converts records of a position and a normal directly to complete vertices in registers: decodes them, blends them
//! with the records of a second frame, exchanges components, converts them and adds texture coordinates.
//!
//! The gain in the table of `benches/interleave.rs`, on an AMD Zen 4 (`benches/without records`), as a factor of the
//! speed in the cache and, in parentheses, past it:
//!
//! | row | AVX2 | AVX-512 |
//! |---|---|---|
//! | f32x3 + f32x3 | - (2.0) | - (1.6) |
//! | f32x3 + f32x3 + f32x2 | 2.0 (2.2) | 1.7 (1.7) |
//! | f32x3 + octahedral16x2 | 1.4 (1.7) | 1.8 (1.9) |
//! | f32x3 + octahedral16x2 + f32x2 | 1.8 (2.1) | 1.9 (2.1) |
//! | f16x4 + snorm8x4 | 2.4 (2.6) | 2.5 (2.8) |
//! | turned, f32x3 + f32x3 | 2.9 (3.4) | 3.2 (3.6) |
//! | two frames, f32x3 + f32x3 | 1.9 (2.2) | 2.3 (2.6) |
//! | two frames, f32x3 + octahedral16x2 | 1.5 (1.6) | 2.0 (2.2) |
//! | two frames, f16x4 + snorm8x4 | 2.0 (2.0) | 2.6 (2.8) |
//!
//! The kernel in AVX-512 is 1.1 to 1.6 times as fast as the one in AVX2, except for only floats.

use super::columns::{self, Columns};
use super::isa::{Avx2, Avx512};
use super::lanes::Lanes;
use super::level::Kind;
use super::position_normal::PositionDirection;
use super::{Level, prefetch, stream};

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

/// One frame, unchanged.
const FRAME: u8 = 0;
/// One frame, whose components are exchanged and multiplied.
const TURNED: u8 = 1;
/// Two frames. Their components are also exchanged if [`RecordVertices::turns`] is set.
const BLENDED: u8 = 2;

/// The number of steps that are decoded before the first one is stored. The latency of square roots and divisions is
/// too long for a processor to hide, so the roots are computed when steps are decoded, and the quotients when they are
/// stored. Components are exchanged in memory.
const AHEAD: usize = 8;

/// The positions and the normals of vertices.
type Vertices<F> = ([F; 3], [F; 3]);

/// An exchange and multiplication of components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Turn {
    /// For each component, its source, 0 to 2.
    pub(crate) from: [usize; 3],
    pub(crate) factor: [f32; 3],
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
    /// The exchanges of components of positions and of normals.
    pub(crate) turns: Option<[Turn; 2]>,
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

    /// The level with the fastest kernel. For vertices that are mainly loaded and stored, halved registers are not
    /// faster.
    fn method(&self, level: Level) -> Level {
        let is_plain = self.blend.is_none() && self.turns.is_none() && self.normal == NormalFormat::Float32x3;
        let halved = is_plain && level.kind() == Kind::Avx512 && Level::has_halved_avx512();
        if halved { Level::avx2().unwrap_or(level) } else { level }
    }

    /// Writes vertices, starting with `first`, as many as fit in `out`.
    pub(crate) fn write(&self, level: Level, first: usize, past: bool, out: &mut [u8]) {
        let level = self.method(level);
        let stride = self.stride();
        let wide = if level.kind() == Kind::Avx512 { WIDEST } else { WIDEST / 2 };
        let end = (first + out.len() / stride).min(self.count);
        let place = |vertex: usize| (vertex - first) * stride;
        // Stores across cache lines cost twice as much, so a long run first writes the vertices before the first line.
        let address = out.as_ptr().addr();
        let head = (0..WIDEST).find(|head| (address + head * stride).is_multiple_of(stream::LINE));
        let mut done = first;
        if let Some(head) = head.filter(|head| *head > 0 && end - first >= 8 * WIDEST) {
            self.write_part(level, done, head.min(wide), &mut out[place(done)..]);
            done += head.min(wide);
            if head > wide {
                self.write_part(level, done, head - wide, &mut out[place(done)..]);
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
            let target = out[place(done)..][..steps * wide * stride].as_mut_ptr();
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
                    self.steps(level, sources, texcoords, target, len, past);
                }
            }
            done += steps * wide;
        }
        while done < end {
            let len = wide.min(end - done);
            self.write_part(level, done, len, &mut out[place(done)..]);
            done += len;
        }
    }

    /// Writes `len` vertices, at most a step, through copies that are large enough for a step.
    fn write_part(&self, level: Level, first: usize, len: usize, out: &mut [u8]) {
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
            self.steps(level, [a.as_ptr(), b.as_ptr()], texcoords.as_ptr(), target.as_mut_ptr(), 1, false);
        }
        let size = len * self.stride();
        out[..size].copy_from_slice(&target[..size]);
    }

    /// # Safety
    ///
    /// Each source contains the records of `steps` steps, `texcoords` contains a pair of floats for each record if
    /// there are texture coordinates, and `target` has the size of the vertices. With `past`, it is aligned to
    /// [`LINE`](stream::LINE).
    unsafe fn steps(
        &self,
        level: Level,
        sources: [*const u8; 2],
        texcoords: *const u8,
        target: *mut u8,
        steps: usize,
        past: bool,
    ) {
        let kind = match (self.blend.is_some(), self.turns.is_some()) {
            (false, false) => FRAME,
            (false, true) => TURNED,
            (true, _) => BLENDED,
        };
        macro_rules! run {
            ($run:ident) => {{
                macro_rules! run_format {
                    ($position:literal $normal:ident $has_texcoords:literal) => {
                        // SAFETY: a `Level` exists only if the processor has its instructions; the caller guarantees
                        // the memory.
                        unsafe {
                            match (kind, past) {
                                (FRAME, false) => $run::<$position, $normal, $has_texcoords, FRAME, false>(self, sources, texcoords, target, steps),
                                (FRAME, true) => $run::<$position, $normal, $has_texcoords, FRAME, true>(self, sources, texcoords, target, steps),
                                (TURNED, false) => $run::<$position, $normal, $has_texcoords, TURNED, false>(self, sources, texcoords, target, steps),
                                (TURNED, true) => $run::<$position, $normal, $has_texcoords, TURNED, true>(self, sources, texcoords, target, steps),
                                (_, false) => $run::<$position, $normal, $has_texcoords, BLENDED, false>(self, sources, texcoords, target, steps),
                                (_, true) => $run::<$position, $normal, $has_texcoords, BLENDED, true>(self, sources, texcoords, target, steps),
                            }
                        }
                    };
                }
                match (self.position, self.normal, self.texcoords.is_some()) {
                    (PositionFormat::Float32x3, NormalFormat::Float32x3, false) => run_format!(3 FLOATS false),
                    (PositionFormat::Float32x3, NormalFormat::Float32x3, true) => run_format!(3 FLOATS true),
                    (PositionFormat::Float32x3, NormalFormat::Octahedral16x2, false) => run_format!(3 OCTAHEDRAL16 false),
                    (PositionFormat::Float32x3, NormalFormat::Octahedral16x2, true) => run_format!(3 OCTAHEDRAL16 true),
                    (PositionFormat::Float32x3, NormalFormat::Snorm8x4, false) => run_format!(3 SNORM8 false),
                    (PositionFormat::Float32x3, NormalFormat::Snorm8x4, true) => run_format!(3 SNORM8 true),
                    (PositionFormat::Float16x4, NormalFormat::Octahedral16x2, false) => run_format!(2 OCTAHEDRAL16 false),
                    (PositionFormat::Float16x4, NormalFormat::Snorm8x4, false) => run_format!(2 SNORM8 false),
                    _ => {}
                }
            }};
        }
        match level.kind() {
            Kind::Avx2 => run!(steps_avx2),
            Kind::Avx512 => run!(steps_avx512),
            _ => {}
        }
    }

    /// Decodes and blends `N` vertices. Blended normals have any length.
    ///
    /// # Safety
    ///
    /// The processor has the instructions `L`, and each source contains `N` records.
    #[inline(always)]
    unsafe fn values<L: Columns, const POSITION: usize, const KIND: u8>(
        &self,
        tables: &L::Tables,
        [first, second]: [*const u8; 2],
    ) -> Vertices<L::F> {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let scale = self.tables.scale;
            if KIND != BLENDED {
                return self.decode::<L, POSITION>(tables, first, scale);
            }
            let [of_position, of_normal] = self.blend.unwrap_or_default();
            // The scale is a power of two, so scaling before the multiplication does not change the products.
            let (mut position, normal) =
                self.decode::<L, POSITION>(tables, first, scale * (1.0 - of_position));
            let (other, other_normal) = self.decode::<L, POSITION>(tables, second, scale * of_position);
            for (axis, other) in position.iter_mut().zip(other) {
                *axis = L::add(*axis, other);
            }
            (position, columns::blend::<L>(normal, other_normal, of_normal))
        }
    }

    /// Exchanges, multiplies, converts and stores the components of `N` vertices.
    ///
    /// # Safety
    ///
    /// The processor has the instructions `L`. `texcoords` contains `N` pairs of floats, and `target` has the size of
    /// `N` vertices.
    #[inline(always)]
    unsafe fn store<
        L: Columns,
        const POSITION: usize,
        const NORMAL: u8,
        const TEXCOORDS: bool,
        const KIND: u8,
        const PAST: bool,
    >(
        &self,
        (position, normal): &Vertices<L::F>,
        texcoords: *const u8,
        target: *mut u8,
    ) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let (position, normal) = match &self.turns {
                Some([of_position, of_normal]) if KIND != FRAME => {
                    (turned::<L>(position, of_position), turned::<L>(normal, of_normal))
                }
                _ => (*position, *normal),
            };
            let zero = L::splat_integer(0);
            let none = [zero; 2];
            if NORMAL == FLOATS {
                let [x, y, z] = [L::bits(position[0]), L::bits(position[1]), L::bits(position[2])];
                let normal = [L::bits(normal[0]), L::bits(normal[1]), L::bits(normal[2])];
                let pairs = [L::pair(x, y), L::pair(z, normal[0]), L::pair(normal[1], normal[2])];
                if TEXCOORDS {
                    L::store_pairs::<4, PAST>(
                        target,
                        [pairs[0], pairs[1], pairs[2], L::load_pair(texcoords)],
                    );
                } else {
                    L::store_pairs::<3, PAST>(target, [pairs[0], pairs[1], pairs[2], none]);
                }
                return;
            }
            let normal = match NORMAL {
                OCTAHEDRAL16 => columns::octahedral::<L>(normal),
                // Values are only known to be between -1 and 1 if they are sines and cosines that are neither blended
                // nor multiplied.
                _ if KIND != FRAME => columns::snorm8::<L, true>(normal),
                _ => columns::snorm8::<L, false>(normal),
            };
            if POSITION == 2 {
                let [xy, zw] = columns::halves::<L>(position);
                return L::store_three::<PAST>(target, [xy, zw, normal]);
            }
            let [x, y, z] = [L::bits(position[0]), L::bits(position[1]), L::bits(position[2])];
            let pairs = [L::pair(x, y), L::pair(z, normal)];
            if TEXCOORDS {
                L::store_pairs::<3, PAST>(target, [pairs[0], pairs[1], L::load_pair(texcoords), none]);
            } else {
                L::store_pairs::<2, PAST>(target, [pairs[0], pairs[1], none, none]);
            }
        }
    }

    /// The positions, multiplied by `scale`, and the normals of `N` records.
    ///
    /// # Safety
    ///
    /// The processor has the instructions `L`, and `8 * N` bytes may be read.
    #[inline(always)]
    unsafe fn decode<L: Columns, const POSITION: usize>(
        &self,
        tables: &L::Tables,
        source: *const u8,
        scale: f32,
    ) -> Vertices<L::F> {
        // SAFETY: guaranteed by the caller.
        unsafe {
            // Words that are stored in pairs do not have to be in the order of the vertices.
            let [xy, z_codes] = match POSITION {
                2 => L::load_pairs(source),
                _ => L::split(L::load_pair(source)),
            };
            // Integers in the upper half of their lanes have 65536 times their value.
            let scale = L::splat(scale / 65536.0);
            let position = [
                L::mul(L::low_half_65536(xy), scale),
                L::mul(L::high_half_65536(xy), scale),
                L::mul(L::low_half_65536(z_codes), scale),
            ];
            let normal = match POSITION {
                2 => L::normals::<false>(tables, source, z_codes),
                _ => L::normals::<true>(tables, source, z_codes),
            };
            (position, normal)
        }
    }
}

/// Exchanges and multiplies components, which are in memory.
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
unsafe fn turned<L: Columns>(axes: &[L::F; 3], turn: &Turn) -> [L::F; 3] {
    // SAFETY: guaranteed by the caller.
    let turned = |axis: usize| unsafe { L::mul(axes[turn.from[axis].min(2)], L::splat(turn.factor[axis])) };
    [turned(0), turned(1), turned(2)]
}

macro_rules! levels {
    ($($name:ident $isa:ident $lanes:literal $features:literal;)*) => {$(
        /// # Safety
        ///
        /// The same as for [`RecordVertices::steps`], with these instructions.
        #[target_feature(enable = $features)]
        unsafe fn $name<const POSITION: usize, const NORMAL: u8, const TEXCOORDS: bool, const KIND: u8, const PAST: bool>(
            vertices: &RecordVertices<'_>,
            sources: [*const u8; 2],
            texcoords: *const u8,
            target: *mut u8,
            steps: usize,
        ) {
            let stride = 4 * (POSITION + if NORMAL == FLOATS { 3 } else { 1 }) + if TEXCOORDS { 8 } else { 0 };
            // SAFETY: guaranteed by the caller.
            let tables = unsafe { $isa::tables(&vertices.tables) };
            let values = |step: usize| {
                let first = $lanes * step;
                if PAST {
                    prefetch::lines(sources[0], first * RECORD, $lanes * RECORD);
                    if KIND == BLENDED {
                        prefetch::lines(sources[1], first * RECORD, $lanes * RECORD);
                    }
                    if TEXCOORDS {
                        prefetch::lines(texcoords, 8 * first, 8 * $lanes);
                    }
                }
                // SAFETY: guaranteed by the caller.
                unsafe { vertices.values::<$isa, POSITION, KIND>(&tables, sources.map(|source| source.add(first * RECORD))) }
            };
            let store = |step: usize, values: &Vertices<<$isa as Lanes>::F>| {
                let first = $lanes * step;
                // SAFETY: guaranteed by the caller.
                unsafe {
                    let texcoords = if TEXCOORDS { texcoords.add(8 * first) } else { texcoords };
                    let target = target.add(stride * first);
                    vertices.store::<$isa, POSITION, NORMAL, TEXCOORDS, KIND, PAST>(values, texcoords, target);
                }
            };
            if KIND == FRAME {
                return (0..steps).for_each(|step| store(step, &values(step)));
            }
            // SAFETY: guaranteed by the caller.
            let zero = unsafe { $isa::splat(0.0) };
            let mut ahead = [(([zero; 3], [zero; 3]), zero); AHEAD];
            for first in (0..steps).step_by(AHEAD) {
                let ahead = &mut ahead[..AHEAD.min(steps - first)];
                for (at, (values_of_step, length)) in ahead.iter_mut().enumerate() {
                    *values_of_step = values(first + at);
                    if KIND == BLENDED {
                        // SAFETY: guaranteed by the caller.
                        *length = unsafe { columns::length::<$isa>(values_of_step.1) };
                    }
                }
                for (at, (values, length)) in ahead.iter_mut().enumerate() {
                    if KIND == BLENDED {
                        // SAFETY: guaranteed by the caller.
                        values.1 = unsafe { columns::normalize::<$isa>(values.1, *length) };
                    }
                    store(first + at, values);
                }
            }
        }
    )*};
}

levels! {
    steps_avx2 Avx2 8 "avx2,fma,f16c";
    steps_avx512 Avx512 16 "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi";
}
