//! Fills vertex buffers block by block: decodes and converts each attribute to a column in the first-level cache, and
//! then assembles the columns to whole vertices.

use arrayvec::ArrayVec;

use crate::attribute::{ARENA, Arena, BlockMemory, Scratch, with_memory};
use crate::encoding::{Internal, position_zenith_azimuth};
use crate::pack::pack_integers;
#[cfg(target_arch = "x86_64")]
use crate::record_vertices::{RecordPair, record_pair, record_vertices};
use crate::simd::assemble::{Column, Field, MAX_COLUMNS, Plan, SLACK, assemble};
use crate::simd::block::BLOCK;
#[cfg(target_arch = "x86_64")]
use crate::simd::stream;
use crate::staged::{MAX_STAGED_STRIDE, stream_blocks};
use crate::stored::StoredKind;
use crate::{Level, VertexAttribute, VertexFormat};

/// The alignment of columns.
const LINE: usize = 64;
/// The smallest number of vertices for which a plan is made.
const PLANNED: usize = 256;
/// Outputs of at least this size in bytes bypass the cache, as in `memcpy`. They would not stay in the cache, and the
/// memory does not have to be read before it is written.
const PAST_CACHE: usize = 64 << 20;

/// The origin of the bytes of a column.
#[derive(Clone, Copy)]
enum Origin<'a> {
    /// Bytes of the file, which have the requested format.
    Stored(&'a [u8]),
    /// Records of eight bytes, which are decoded to adjacent positions and normals. `last` is the last record.
    Records { bytes: &'a [u8], last: [u8; 8], scale: f32 },
    /// The positions and normals of [`Group::pair`].
    #[cfg(target_arch = "x86_64")]
    Pair,
    /// Decoded and converted bytes.
    Decoded(&'a VertexAttribute<'a>),
}

#[derive(Clone, Copy)]
struct Slot<'a> {
    origin: Origin<'a>,
    field: Field,
    /// The start of the column in the arena.
    start: usize,
}

/// Attributes that are filled together.
struct Group<'a> {
    level: Level,
    stride: usize,
    slots: ArrayVec<Slot<'a>, MAX_COLUMNS>,
    /// The number of vertices in a block.
    block: usize,
    /// The number of used bytes of the arena.
    used: usize,
    plan: Plan,
    #[cfg(target_arch = "x86_64")]
    pair: Option<RecordPair<'a>>,
}

impl<'a> Group<'a> {
    const fn new(level: Level, stride: usize) -> Self {
        Group {
            level,
            stride,
            slots: ArrayVec::new_const(),
            block: 0,
            used: 0,
            plan: Plan::new(),
            #[cfg(target_arch = "x86_64")]
            pair: None,
        }
    }

    /// Takes at most [`MAX_COLUMNS`] attributes, which have already been checked.
    fn take(&mut self, attributes: &'a [VertexAttribute<'a>], count: usize) {
        let records = records(self.level, attributes, self.stride, count);
        #[cfg(target_arch = "x86_64")]
        {
            self.pair = record_pair(self.level, attributes, count);
        }
        for (index, attribute) in attributes.iter().enumerate() {
            let (offset, size) = (attribute.offset, attribute.format.size());
            let field = Field { step: size, size, offset };
            #[cfg(target_arch = "x86_64")]
            if let Some(pair) = self.pair.as_ref().filter(|_| records.is_none()) {
                if index == pair.normal {
                    continue;
                }
                if index == pair.position && pair.vertices.can_be_apart() {
                    continue;
                }
                if index == pair.position {
                    let size = pair.vertices.stride();
                    let field = Field { step: size, size, offset: pair.offset };
                    let _ = self.slots.try_push(Slot { origin: Origin::Pair, field, start: 0 });
                    continue;
                }
            }
            let slot = match &records {
                Some(records) if index == records.normal => continue,
                Some(records) if index == records.position => {
                    Slot { origin: records.origin, field: Field { step: 24, size: 24, offset }, start: 0 }
                }
                _ => stored(attribute, field, self.stride).unwrap_or(Slot {
                    origin: Origin::Decoded(attribute),
                    field,
                    start: 0,
                }),
            };
            if self.slots.try_push(slot).is_err() {
                return;
            }
        }
    }

    /// Places every column in the arena, and makes a plan if there are enough vertices.
    #[allow(clippy::arithmetic_side_effects, reason = "a few columns of a few bytes")]
    fn arrange(&mut self, count: usize) {
        let is_decoded = |slot: &Slot<'_>| !matches!(slot.origin, Origin::Stored(_));
        let sum: usize = self.slots.iter().filter(|slot| is_decoded(slot)).map(|slot| slot.field.step).sum();
        // Loads may read bytes after the end of a column.
        let room = ARENA - MAX_COLUMNS * (SLACK + LINE);
        self.block = (room / sum.max(1) / 16 * 16).clamp(16, BLOCK);
        for slot in self.slots.iter_mut().filter(|slot| is_decoded(slot)) {
            slot.start = self.used;
            let len = self.block.min(count.next_multiple_of(16)) * slot.field.step;
            self.used += (len + SLACK).next_multiple_of(LINE);
        }
        // A few columns beside vertices that are written apart are copied one by one.
        if count >= PLANNED && self.apart().is_none() {
            let fields: ArrayVec<Field, MAX_COLUMNS> = self.slots.iter().map(|slot| slot.field).collect();
            self.plan.make(self.level, &fields, self.stride);
        }
    }

    /// Positions and normals that are not a column, because they are written to their places in the vertices.
    #[cfg(target_arch = "x86_64")]
    fn apart(&self) -> Option<&RecordPair<'a>> {
        self.pair.as_ref().filter(|pair| pair.vertices.can_be_apart())
    }

    #[cfg(not(target_arch = "x86_64"))]
    const fn apart(&self) -> Option<core::convert::Infallible> {
        None
    }

    /// Fills `count` vertices, starting with vertex `first`, at the start of `out`, which may be longer.
    fn write(&self, memory: &mut BlockMemory, first: usize, count: usize, out: &mut [u8]) {
        let BlockMemory { scratch, arena: Arena(arena) } = memory;
        let mut done = 0usize;
        while done < count {
            let now = self.block.min(count.saturating_sub(done));
            let first = first.saturating_add(done);
            for slot in &self.slots {
                let column = arena.get_mut(slot.start..).unwrap_or_default();
                self.decode(slot, scratch, first, now, column);
            }
            let mut columns = ArrayVec::<Column<'_>, MAX_COLUMNS>::new();
            for slot in &self.slots {
                let Field { step, size, offset } = slot.field;
                let bytes = match slot.origin {
                    Origin::Stored(bytes) => bytes.get(first.saturating_mul(step)..),
                    _ => arena.get(slot.start..),
                };
                // There are as many columns as slots, so all of them fit.
                let _ = columns.try_push(Column { bytes: bytes.unwrap_or_default(), step, size, offset });
            }
            let Some(out) = out.get_mut(done.saturating_mul(self.stride)..) else { return };
            #[cfg(target_arch = "x86_64")]
            if let Some(RecordPair { offset, vertices, .. }) = self.apart() {
                // The last vertex ends after its normal.
                let last = now.saturating_sub(1).saturating_mul(self.stride);
                let end = offset.saturating_add(last).saturating_add(vertices.stride());
                let out = out.get_mut(*offset..end).unwrap_or_default();
                vertices.write(self.level, first, self.stride, false, out);
            }
            assemble(&self.plan, &columns, self.stride, now, out);
            done = done.saturating_add(now);
        }
    }

    /// Decodes and converts the elements of a block to the start of its column.
    fn decode(&self, slot: &Slot<'_>, scratch: &mut Scratch, first: usize, count: usize, column: &mut [u8]) {
        let attribute = match slot.origin {
            Origin::Stored(_) => return,
            Origin::Records { bytes, last, scale } => {
                let out = column.as_chunks_mut::<24>().0.get_mut(..count).unwrap_or_default();
                return decode_records(self.level, bytes, last, scale, first, out);
            }
            #[cfg(target_arch = "x86_64")]
            Origin::Pair => {
                let Some(RecordPair { vertices, .. }) = &self.pair else { return };
                let column = column.get_mut(..count.saturating_mul(vertices.stride())).unwrap_or_default();
                return vertices.write(self.level, first, vertices.stride(), false, column);
            }
            Origin::Decoded(attribute) => attribute,
        };
        let VertexAttribute { source, format, .. } = *attribute;
        let level = self.level;
        let len = count.saturating_mul(format.size());
        let Some(column) = column.get_mut(..len) else { return };
        if let Some(integers) = source.integers() {
            let values: &mut [u32] = bytemuck::cast_slice_mut(&mut scratch.values.0);
            let components = integers.components.clamp(1, 4);
            let Some(values) = values.get_mut(..count.saturating_mul(components)) else { return };
            source.decode_integers(level, first, values);
            return pack_integers(format, components, values, column);
        }
        // The trait is public, so an implementation may return a different number than before the check.
        let components = source.components().clamp(1, 4);
        let is_float = format.float_components() == Some(components);
        if is_float && !source.has_planes(Internal) {
            return source.decode_part(level, first, bytemuck::cast_slice_mut(column));
        }
        if is_float {
            source.decode_block(level, first, bytemuck::cast_slice_mut(column), scratch, Internal);
        } else if format.wants_planes(components) || source.has_planes(Internal) {
            source.decode_planes(level, first, count, scratch, Internal);
            scratch.pack_planes(level, format, components, count, column);
        } else if let Some(values) = scratch.values.0.get_mut(..count.saturating_mul(components)) {
            source.decode_part(level, first, values);
            scratch.pack_values(level, format, components, count, column);
        }
    }

    /// Fills the whole buffer without columns if one attribute has the size of a vertex. Otherwise returns false.
    fn write_whole(&self, out: &mut [u8]) -> bool {
        let [slot] = self.slots.as_slice() else { return false };
        if slot.field.size != self.stride || slot.field.step != self.stride {
            return false;
        }
        match slot.origin {
            Origin::Stored(bytes) => match bytes.get(..out.len()) {
                Some(bytes) => out.copy_from_slice(bytes),
                None => return false,
            },
            Origin::Records { bytes, last, scale } => {
                decode_records(self.level, bytes, last, scale, 0, out.as_chunks_mut().0);
            }
            #[cfg(target_arch = "x86_64")]
            Origin::Pair => return false,
            Origin::Decoded(VertexAttribute { source, format, .. }) => {
                if format.float_components() != Some(source.components()) {
                    return false;
                }
                let Ok(out) = bytemuck::try_cast_slice_mut(out) else { return false };
                source.decode_part(self.level, 0, out);
            }
        }
        true
    }

    /// Whether every byte of a vertex belongs to an attribute.
    fn is_dense(&self) -> bool {
        let sum = self.slots.iter().fold(0usize, |sum, slot| sum.saturating_add(slot.field.size));
        #[cfg(target_arch = "x86_64")]
        let sum = self.apart().map_or(sum, |pair| sum.saturating_add(pair.vertices.stride()));
        sum == self.stride
    }
}

/// A column whose bytes in the file have the requested format.
fn stored<'a>(attribute: &'a VertexAttribute<'a>, field: Field, stride: usize) -> Option<Slot<'a>> {
    let stored = attribute.source.stored(Internal)?;
    let fits = stored.kind == StoredKind::As(attribute.format) && cfg!(target_endian = "little");
    // With a larger gap between elements, they could not be loaded together.
    if !fits || stored.stride > stride || !stored.stride.is_multiple_of(4) {
        return None;
    }
    let field = Field { step: stored.stride, ..field };
    Some(Slot { origin: Origin::Stored(stored.bytes), field, start: 0 })
}

/// A position and a normal that form one record in the file and are adjacent in the vertex.
struct Records<'a> {
    position: usize,
    normal: usize,
    origin: Origin<'a>,
}

/// Records of a position and a normal that are all of a vertex, in floats.
fn records<'a>(
    level: Level,
    attributes: &'a [VertexAttribute<'a>],
    stride: usize,
    count: usize,
) -> Option<Records<'a>> {
    let is_alone = attributes.len() == 2 && stride == 24;
    if level == Level::SCALAR || !is_alone {
        return None;
    }
    let find = |wanted: fn(StoredKind) -> bool| {
        attributes.iter().enumerate().find_map(|(index, attribute)| {
            let stored = attribute.source.stored(Internal)?;
            let fits =
                wanted(stored.kind) && attribute.format == VertexFormat::Float32x3 && stored.stride == 8;
            fits.then_some((index, attribute.offset, stored))
        })
    };
    let (position, offset, positions) = find(|kind| matches!(kind, StoredKind::Position16(_)))?;
    let (normal, normal_offset, normals) = find(|kind| kind == StoredKind::ZenithAzimuth)?;
    let StoredKind::Position16(scale) = positions.kind else { return None };
    let are_records = positions.bytes.as_ptr().wrapping_add(6) == normals.bytes.as_ptr();
    if normal_offset != offset.checked_add(12)? || !are_records {
        return None;
    }
    // All records except the last one are inside the slice of positions.
    let whole = count.checked_sub(1)?.checked_mul(8)?;
    let [a, b, c, d, e, f] = *positions.bytes.get(whole..)?.first_chunk()?;
    let [g, h] = *normals.bytes.get(whole..)?.first_chunk()?;
    let last = [a, b, c, d, e, f, g, h];
    let origin = Origin::Records { bytes: positions.bytes.get(..whole)?, last, scale };
    Some(Records { position, normal, origin })
}

/// Decodes the positions and normals of records, starting with `first`.
fn decode_records(level: Level, bytes: &[u8], last: [u8; 8], scale: f32, first: usize, out: &mut [[u8; 24]]) {
    let from = first.saturating_mul(8);
    let rest = bytes.get(from..).unwrap_or_default();
    let kernel = position_zenith_azimuth(scale);
    let there = rest.len().checked_div(8).unwrap_or_default();
    let (whole, end) = out.split_at_mut(there.min(out.len()));
    crate::simd::decode(level, &kernel, rest, 8, whole);
    if let Some(end) = end.first_mut() {
        crate::simd::decode(level, &kernel, &last, 8, core::slice::from_mut(end));
    }
}

/// Fills `out`, which has the exact size of `count` vertices, with attributes that have already been checked.
pub(crate) fn fill(
    level: Level,
    attributes: &[VertexAttribute<'_>],
    stride: usize,
    count: usize,
    non_temporal: bool,
    out: &mut [u8],
) {
    if attributes.len() > MAX_COLUMNS {
        return with_memory(|memory| {
            let write = |first: usize, now: usize, out: &mut [u8]| {
                for attributes in attributes.chunks(MAX_COLUMNS) {
                    let mut group = Group::new(level, stride);
                    group.take(attributes, count);
                    group.arrange(count);
                    group.write(memory, first, now, out);
                }
            };
            fill_blocks(level, stride, count, non_temporal, out, write);
        });
    }
    let mut group = Group::new(level, stride);
    group.take(attributes, count);
    if !non_temporal && group.write_whole(out) {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    let vertices = group.pair.as_ref().and_then(|pair| record_vertices(level, attributes, stride, pair));
    #[cfg(target_arch = "x86_64")]
    if let Some(vertices) = vertices {
        let past = non_temporal || out.len() >= PAST_CACHE;
        // Offsets in cache lines repeat after sixteen vertices. If none of the first sixteen vertices begins at a
        // line, no vertex does.
        let has_lines = (0..16).any(|at: usize| {
            out.as_ptr().addr().wrapping_add(at.wrapping_mul(stride)).is_multiple_of(stream::LINE)
        });
        if past && !has_lines {
            return stream_blocks(level, stride, out, |first, _, out| {
                vertices.write(level, first, stride, false, out);
            });
        }
        vertices.write(level, 0, stride, past, out);
        if past {
            stream::fence();
        }
        return;
    }
    group.arrange(count);
    let is_large = out.len() >= PAST_CACHE && group.is_dense() && level >= crate::Level::best_up_to("avx2");
    with_memory(|memory| {
        let write = |first: usize, now: usize, out: &mut [u8]| group.write(memory, first, now, out);
        fill_blocks(level, stride, count, non_temporal || is_large, out, write);
    });
}

/// Fills all vertices at once, or, to write them past the cache, in blocks.
fn fill_blocks(
    level: Level,
    stride: usize,
    count: usize,
    past: bool,
    out: &mut [u8],
    mut write: impl FnMut(usize, usize, &mut [u8]),
) {
    if past && stride <= MAX_STAGED_STRIDE {
        stream_blocks(level, stride, out, write);
    } else {
        write(0, count, out);
    }
}
