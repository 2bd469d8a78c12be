//! Vertex buffers: several arrays decoded into one buffer, each in the format and at the place its owner wants.

use crate::encoding::Encoding;
use crate::simd::{convert, stream};
use crate::target::{BLOCK, Scratch, pack};
use crate::{Error, Lens, Level, Result, Target, Value};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl<const D: usize> Sealed for [f32; D] {}
}

/// Values made of one to four floats.
pub trait FloatValue: Value + sealed::Sealed {
    /// How many.
    const COMPONENTS: usize;
}

impl FloatValue for f32 {
    const COMPONENTS: usize = 1;
}

impl FloatValue for [f32; 2] {
    const COMPONENTS: usize = 2;
}

impl FloatValue for [f32; 3] {
    const COMPONENTS: usize = 3;
}

impl FloatValue for [f32; 4] {
    const COMPONENTS: usize = 4;
}

/// What a vertex attribute can come from: a [`Lens`] onto floats, or a [`Lerp`] of two.
pub trait Elements {
    /// How many elements.
    fn count(&self) -> usize;

    /// Floats of an element, 1 to 4.
    fn components(&self) -> usize;

    /// Decodes elements from `first` on into `out`, as many as it has room for, one after the other. Elements that are
    /// not there leave it as it is.
    fn decode_part(&self, level: Level, first: usize, out: &mut [f32]);
}

impl<E: Encoding<Value: FloatValue>> Elements for Lens<'_, E> {
    fn count(&self) -> usize {
        self.len()
    }

    fn components(&self) -> usize {
        E::Value::COMPONENTS
    }

    fn decode_part(&self, level: Level, first: usize, out: &mut [f32]) {
        let whole = out.len().saturating_sub(out.len().checked_rem(E::Value::COMPONENTS).unwrap_or_default());
        let out: &mut [E::Value] = bytemuck::cast_slice_mut(out.get_mut(..whole).unwrap_or_default());
        if let Some(part) = self.slice(first..first.saturating_add(out.len()).min(self.len())) {
            self.encoding().decode_run_at(level, part.as_bytes(), part.stride(), out);
        }
    }
}

/// Two arrays blended while they are decoded: the first at `t = 0`, the second at `t = 1`.
#[derive(Clone, Copy, Debug)]
pub struct Lerp<'a, E> {
    a: Lens<'a, E>,
    b: Lens<'a, E>,
    t: f32,
    directions: bool,
}

impl<'a, E: Encoding<Value: FloatValue>> Lerp<'a, E> {
    /// Blends component by component. `t` outside 0 to 1 extrapolates.
    ///
    /// # Errors
    ///
    /// [`Error::Lengths`], unless both have as many elements.
    pub fn new(a: Lens<'a, E>, b: Lens<'a, E>, t: f32) -> Result<Self> {
        if a.len() != b.len() {
            return Err(Error::Lengths { first: a.len(), second: b.len() });
        }
        Ok(Lerp { a, b, t, directions: false })
    }

    /// As [`new`](Self::new), and scales each result to length 1, or leaves it as it is where opposite directions
    /// cancel out to less than 1e-6.
    ///
    /// # Errors
    ///
    /// [`Error::Lengths`], unless both have as many elements.
    pub fn directions(a: Lens<'a, E>, b: Lens<'a, E>, t: f32) -> Result<Self>
    where
        E: Encoding<Value = [f32; 3]>,
    {
        Ok(Lerp { directions: true, ..Lerp::new(a, b, t)? })
    }
}

impl<E: Encoding<Value: FloatValue>> Elements for Lerp<'_, E> {
    fn count(&self) -> usize {
        self.a.len()
    }

    fn components(&self) -> usize {
        E::Value::COMPONENTS
    }

    fn decode_part(&self, level: Level, first: usize, out: &mut [f32]) {
        let size = E::Value::COMPONENTS;
        let mut second = [0.0; 4 * BLOCK];
        let blocks = out.chunks_mut(BLOCK.saturating_mul(size));
        for (block, out) in blocks.enumerate() {
            let first = first.saturating_add(block.saturating_mul(BLOCK));
            let Some(second) = second.get_mut(..out.len()) else { return };
            self.a.decode_part(level, first, out);
            self.b.decode_part(level, first, second);
            convert::blend(level, out, second, self.t);
            if self.directions {
                out.as_chunks_mut::<3>().0.iter_mut().for_each(normalize);
            }
        }
    }
}

/// Scales a direction to length 1, but for one too short to have a direction.
fn normalize(direction: &mut [f32; 3]) {
    let [x, y, z] = *direction;
    let length = libm::sqrtf(x * x + y * y + z * z);
    let scale = if length > 1e-6 { 1.0 / length } else { 1.0 };
    *direction = [x * scale, y * scale, z * scale];
}

/// One attribute of a vertex buffer: where it comes from, where in a vertex it goes, and how it is stored there.
#[derive(Clone, Copy)]
pub struct Attribute<'a> {
    elements: &'a dyn Elements,
    offset: usize,
    target: Target,
}

impl<'a> Attribute<'a> {
    /// `elements`, stored as `target`, `offset` bytes into each vertex.
    pub const fn new(elements: &'a dyn Elements, offset: usize, target: Target) -> Self {
        Attribute { elements, offset, target }
    }

    /// First byte behind the attribute, in a vertex.
    const fn end(&self) -> usize {
        self.offset.saturating_add(self.target.size())
    }
}

/// How a vertex buffer is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    stride: usize,
    non_temporal: bool,
    level: Option<Level>,
}

impl Layout {
    /// Vertices of `stride` bytes. Bytes of a vertex that belong to no attribute stay as they are.
    pub const fn new(stride: usize) -> Self {
        Layout { stride, non_temporal: false, level: None }
    }

    /// Writes whole lines past the cache, and never reads the buffer: for write-combined memory, such as a mapped
    /// staging buffer, and for outputs larger than the cache. Bytes of a vertex that belong to no attribute become 0.
    /// The stores are fenced before the call returns. Strides above 2048 are written the ordinary way.
    #[must_use]
    pub const fn non_temporal(self) -> Self {
        Layout { non_temporal: true, ..self }
    }

    /// With the instructions of `level` instead of the [current](Level::current) ones.
    #[must_use]
    pub const fn with_level(self, level: Level) -> Self {
        Layout { level: Some(level), ..self }
    }

    /// Bytes from one vertex to the next.
    pub const fn stride(&self) -> usize {
        self.stride
    }
}

/// Bytes of vertices that are put together before they are written past the cache.
const STAGED: usize = 16 * 1024;
/// The largest stride of which enough vertices fit there.
const MAX_STAGED_STRIDE: usize = 2048;

/// Fills a vertex buffer, `out`, with every attribute of every vertex, in one pass over it.
///
/// All attributes have as many elements, and `out` has exactly so many times the layout's stride bytes. Numbers are
/// stored in the byte order of the machine.
///
/// ```
/// use meshlens_lens::encoding::{F32, Md3Normal, Md3Position};
/// use meshlens_lens::{Attribute, Layout, Lens, Target, decode_interleaved};
///
/// let vertices = [64, 0, 0, 0, 0xc0, 0xff, 0, 0, 32, 0, 16, 0, 8, 0, 0, 0];
/// let positions = Lens::new(Md3Position, &vertices, 0, 8, 2).unwrap();
/// let normals = Lens::new(Md3Normal, &vertices[6..], 6, 8, 2).unwrap();
///
/// let mut out = [0; 32];
/// let attributes =
///     [Attribute::new(&positions, 0, Target::F32x3), Attribute::new(&normals, 12, Target::Octahedral16x2)];
/// decode_interleaved(&attributes, Layout::new(16), &mut out)?;
/// assert_eq!(out[0..4], 1f32.to_ne_bytes());
/// assert_eq!(out[28..32], [0; 4]);
/// # Ok::<(), meshlens_lens::Error>(())
/// ```
///
/// # Errors
///
/// Attributes of different lengths, of a format their source does not fit, misaligned, overlapping or past the stride;
/// an output of another length. Nothing is written then.
pub fn decode_interleaved(attributes: &[Attribute<'_>], layout: Layout, out: &mut [u8]) -> Result<()> {
    check(attributes, layout, out.len())?;
    let level = layout.level.unwrap_or_else(Level::current);
    let (stride, mut scratch) = (layout.stride, Room::new());
    if layout.non_temporal && stride <= MAX_STAGED_STRIDE {
        return stream_blocks(attributes, level, stride, out, &mut scratch);
    }
    for (block, out) in out.chunks_mut(BLOCK.saturating_mul(stride).max(1)).enumerate() {
        fill(attributes, level, block.saturating_mul(BLOCK), stride, out, &mut scratch);
    }
    Ok(())
}

fn check(attributes: &[Attribute<'_>], layout: Layout, len: usize) -> Result<()> {
    let stride = layout.stride;
    let count = attributes.first().map_or(0, |attribute| attribute.elements.count());
    for (index, attribute) in attributes.iter().enumerate() {
        let Attribute { elements, offset, target } = *attribute;
        target.check(elements.components())?;
        if elements.count() != count {
            return Err(Error::Lengths { first: count, second: elements.count() });
        }
        let align = target.align();
        if !offset.is_multiple_of(align) || !stride.is_multiple_of(align) {
            return Err(Error::Misaligned { attribute: index, offset, stride, align });
        }
        if attribute.end() > stride {
            return Err(Error::Outside { attribute: index, end: attribute.end(), stride });
        }
        let before = attributes.iter().take(index);
        let overlaps = |other: &Attribute<'_>| other.offset < attribute.end() && offset < other.end();
        if let Some(other) = before.clone().position(overlaps) {
            return Err(Error::Overlap { first: other, second: index });
        }
    }
    let expected = count.checked_mul(stride);
    if expected != Some(len) {
        return Err(Error::Bytes { expected: expected.unwrap_or(usize::MAX), found: len });
    }
    Ok(())
}

/// Room for a block of decoded elements, and for their conversion.
struct Room {
    decoded: [f32; 4 * BLOCK],
    scratch: Scratch,
}

impl Room {
    const fn new() -> Self {
        Room { decoded: [0.0; 4 * BLOCK], scratch: Scratch::new() }
    }
}

/// Fills the vertices of `out`, at most a block, the first of which is vertex `first`.
fn fill(
    attributes: &[Attribute<'_>],
    level: Level,
    first: usize,
    stride: usize,
    out: &mut [u8],
    room: &mut Room,
) {
    let count = out.len().checked_div(stride).unwrap_or_default();
    for Attribute { elements, offset, target } in attributes {
        let components = elements.components();
        let Some(decoded) = room.decoded.get_mut(..count.saturating_mul(components)) else { return };
        elements.decode_part(level, first, decoded);
        let packed = pack(level, *target, decoded, components, &mut room.scratch);
        let Some(out) = out.get_mut(*offset..) else { return };
        match target.size() {
            16 => scatter::<16>(packed, stride, out),
            12 => scatter::<12>(packed, stride, out),
            8 => scatter::<8>(packed, stride, out),
            _ => scatter::<4>(packed, stride, out),
        }
    }
}

/// Packed values of `SIZE` bytes, one to the front of each vertex.
fn scatter<const SIZE: usize>(packed: &[u8], stride: usize, out: &mut [u8]) {
    for (vertex, value) in out.chunks_mut(stride.max(1)).zip(packed.as_chunks::<SIZE>().0) {
        if let Some(slot) = vertex.first_chunk_mut::<SIZE>() {
            *slot = *value;
        }
    }
}

/// Vertices put together in the cache, then written past it in whole lines, however `out` is aligned.
fn stream_blocks(
    attributes: &[Attribute<'_>],
    level: Level,
    stride: usize,
    out: &mut [u8],
    room: &mut Room,
) -> Result<()> {
    let mut staged = Staged([0; STAGED + stream::LINE]);
    let staged = &mut staged.0;
    let per_block = STAGED.checked_div(stride).unwrap_or_default().min(BLOCK);
    let (mut first, mut held, mut rest) = (0usize, 0usize, out);
    // What is held was not a whole line yet; it is the next to go out.
    while rest.len() > held {
        let left = rest.len().saturating_sub(held).checked_div(stride).unwrap_or_default();
        let count = left.min(per_block);
        let end = held.saturating_add(count.saturating_mul(stride));
        let Some(vertices) = staged.get_mut(held..end) else { break };
        fill(attributes, level, first, stride, vertices, room);
        first = first.saturating_add(count);
        // The last block goes out whole; the others as far as the last whole line.
        let behind = rest.as_ptr().addr().wrapping_add(end) % stream::LINE;
        let now = if count == left { end } else { end.saturating_sub(behind) };
        let (out, behind) = core::mem::take(&mut rest).split_at_mut(now.min(end));
        stream::copy(level, staged.get(..out.len()).unwrap_or_default(), out);
        rest = behind;
        staged.copy_within(out.len()..end, 0);
        held = end.saturating_sub(out.len());
        // Gaps were zero, and become so again where a line was held back.
        if let Some(used) = staged.get_mut(held..end) {
            used.fill(0);
        }
        if count == 0 {
            break;
        }
    }
    stream::fence();
    Ok(())
}

#[repr(C, align(64))]
struct Staged([u8; STAGED + stream::LINE]);
