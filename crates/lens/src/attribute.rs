//! The sources that vertex attributes are decoded from.

use meshlens_wire::{Error, ErrorKind};

use crate::encoding::{Encoding, Internal};
use crate::simd::block::{BLOCK, Planes, Values};
use crate::simd::planes;
use crate::simd::skin::Sums;
use crate::stored::{Parts, Stored, StoredKind};
use crate::{Lens, Level, Value, ValueType};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl<const D: usize> Sealed for [f32; D] {}
}

/// Values that consist of one to four floats.
pub trait FloatValue: Value + sealed::Sealed {
    /// The number of floats.
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

/// The source of a vertex attribute: a [`Lens`], a [`ValueLens`](crate::ValueLens) or an [`AnyLens`](crate::AnyLens),
/// the elements of one [in another order](crate::Gathered), a [blend](crate::Lerp) of two, or values that the caller
/// computes.
///
/// Elements are one to four floats or one to four integers. A source of floats implements
/// [`components`](Self::components) and [`decode_part`](Self::decode_part). A source of integers returns 0 components
/// and implements [`integers`](Self::integers) and [`decode_integers`](Self::decode_integers).
///
/// ```
/// use meshlens_lens::{AttributeSource, Level, VertexAttribute, VertexBufferLayout, VertexFormat, decode_interleaved};
///
/// /// The same color for every vertex.
/// struct Color([f32; 4], usize);
///
/// impl AttributeSource for Color {
///     fn count(&self) -> usize {
///         self.1
///     }
///     fn components(&self) -> usize {
///         4
///     }
///     fn decode_part(&self, _: Level, _: usize, out: &mut [f32]) {
///         out.as_chunks_mut().0.fill(self.0);
///     }
/// }
///
/// let white = Color([1.0; 4], 2);
/// let mut out = [0; 8];
/// let attribute = VertexAttribute::new(&white, 0, VertexFormat::Unorm8x4);
/// decode_interleaved(&[attribute], VertexBufferLayout::new(4), &mut out)?;
/// assert_eq!(out, [255; 8]);
/// # Ok::<(), meshlens_lens::Error>(())
/// ```
pub trait AttributeSource {
    /// The number of elements.
    fn count(&self) -> usize;

    /// The number of floats in an element, 1 to 4; 0 if elements are not floats.
    fn components(&self) -> usize;

    /// Decodes elements, starting with `first`, into `out` without gaps, as many as fit. If the source has fewer
    /// elements, the rest of `out` is unchanged.
    fn decode_part(&self, level: Level, first: usize, out: &mut [f32]);

    /// The type and the number of the integers in an element, 1 to 4; `None` if elements are floats.
    fn integers(&self) -> Option<ValueType> {
        None
    }

    /// Decodes the integers of elements, starting with `first`, into `out` without gaps, as many as fit. Each integer
    /// is extended to 32 bits: signed types with their sign, others with zeros.
    fn decode_integers(&self, level: Level, first: usize, out: &mut [u32]) {
        let _ = (level, first);
        out.fill(0);
    }

    /// Like [`decode_part`](Self::decode_part), with memory for intermediate values. `out` is at most one block long.
    #[doc(hidden)]
    fn decode_block(&self, level: Level, first: usize, out: &mut [f32], scratch: &mut Scratch, _: Internal) {
        let _ = scratch;
        self.decode_part(level, first, out);
    }

    /// Decodes `count` elements, starting with `first`, and at most a block, into one plane for each component.
    #[doc(hidden)]
    fn decode_planes(&self, level: Level, first: usize, count: usize, scratch: &mut Scratch, _: Internal) {
        let components = self.components().clamp(1, 4);
        if let Some(values) = scratch.values.0.get_mut(..count.saturating_mul(components)) {
            self.decode_part(level, first, values);
        }
        let Scratch { values, planes: [planes, _], .. } = scratch;
        planes::split(level, components, values, count, planes);
    }

    /// Like [`decode_planes`](Self::decode_planes), for directions that are scaled to length 1 afterwards.
    #[doc(hidden)]
    fn decode_vectors(&self, level: Level, first: usize, count: usize, scratch: &mut Scratch, _: Internal) {
        self.decode_planes(level, first, count, scratch, Internal);
    }

    /// Whether decoding needs a [`Scratch`]. If it does, decoding to planes is as fast as decoding to values.
    #[doc(hidden)]
    fn has_planes(&self, _: Internal) -> bool {
        false
    }

    /// The stored bytes of the elements, if the encoding is known.
    #[doc(hidden)]
    fn stored(&self, _: Internal) -> Option<Stored<'_>> {
        None
    }

    /// The stored bytes of elements and their processing, if they are known.
    #[doc(hidden)]
    fn parts(&self, _: Internal) -> Option<Parts<'_>> {
        self.stored(Internal).map(Parts::new)
    }

    /// The error for a length that differs from the length of this source.
    #[doc(hidden)]
    fn length_error(&self, what: &'static str, found: usize, _: Internal) -> Error {
        let kind = ErrorKind::Length { what, expected: self.count() as u64, found: found as u64 };
        Error::of_call("vertex attribute", kind)
    }
}

/// Memory for the intermediate values of a block.
#[derive(Debug)]
pub struct Scratch {
    /// Decoded values.
    pub(crate) values: Values,
    /// Values with the number of components of the stored format.
    pub(crate) wide: Values,
    /// Values in one plane for each component. The second block is blended with the first.
    pub(crate) planes: [Planes; 2],
    /// The joints of the points of a block.
    pub(crate) sums: Sums,
}

/// The size of all columns of a block of a vertex buffer, in bytes.
pub(crate) const ARENA: usize = 16 << 10;

/// Memory for the columns of a block.
#[repr(C, align(64))]
pub(crate) struct Arena(pub(crate) [u8; ARENA]);

/// Memory to decode a block.
pub(crate) struct BlockMemory {
    pub(crate) scratch: Scratch,
    pub(crate) arena: Arena,
}

impl BlockMemory {
    const fn new() -> Self {
        let planes = [Planes::new(), Planes::new()];
        let scratch = Scratch { values: Values::new(), wide: Values::new(), planes, sums: Sums::new() };
        BlockMemory { scratch, arena: Arena([0; ARENA]) }
    }
}

/// Calls `work` with memory that may contain other values. Each thread keeps it, because to set it to zero takes as long as
/// to decode 200 vertices.
pub(crate) fn with_memory<R>(work: impl FnOnce(&mut BlockMemory) -> R) -> R {
    #[cfg(feature = "std")]
    {
        use core::cell::RefCell;
        std::thread_local! {
            static MEMORY: RefCell<BlockMemory> = const { RefCell::new(BlockMemory::new()) };
        }
        MEMORY.with(|kept| match kept.try_borrow_mut() {
            Ok(mut memory) => {
                // The arrays may have changed since the last call.
                memory.scratch.sums.of = None;
                work(&mut memory)
            }
            // A source of the caller fills another buffer while it is decoded.
            Err(_) => work(&mut BlockMemory::new()),
        })
    }
    #[cfg(not(feature = "std"))]
    work(&mut BlockMemory::new())
}

/// Implements [`AttributeSource::decode_part`] with [`AttributeSource::decode_block`].
pub(crate) fn decode_blocks(source: &impl AttributeSource, level: Level, first: usize, out: &mut [f32]) {
    with_memory(|memory| {
        for (block, out) in out.chunks_mut(BLOCK.saturating_mul(source.components()).max(1)).enumerate() {
            let first = first.saturating_add(block.saturating_mul(BLOCK));
            source.decode_block(level, first, out, &mut memory.scratch, Internal);
        }
    });
}

/// Implements [`AttributeSource::decode_block`] with [`AttributeSource::decode_planes`].
#[inline]
pub(crate) fn join_planes(
    source: &impl AttributeSource,
    level: Level,
    first: usize,
    out: &mut [f32],
    scratch: &mut Scratch,
) {
    let components = source.components().clamp(1, 4);
    let count = out.len().checked_div(components).unwrap_or_default();
    source.decode_planes(level, first, count, scratch, Internal);
    let [planes, _] = &scratch.planes;
    planes::join(level, components, planes, out);
}

impl<E: Encoding<Value: FloatValue>> AttributeSource for Lens<'_, E> {
    fn count(&self) -> usize {
        self.len()
    }

    fn components(&self) -> usize {
        E::Value::COMPONENTS
    }

    fn decode_part(&self, level: Level, first: usize, out: &mut [f32]) {
        let whole = out.len().saturating_sub(out.len().checked_rem(E::Value::COMPONENTS).unwrap_or_default());
        let out: &mut [E::Value] = bytemuck::cast_slice_mut(out.get_mut(..whole).unwrap_or_default());
        // Bytes after the last requested element may be read, too.
        if let Some(rest) = self.slice(first..self.len()) {
            rest.encoding().decode_run(rest.window(), level, out, Internal);
        }
    }

    fn stored(&self, _: Internal) -> Option<Stored<'_>> {
        (E::STORED != StoredKind::Other).then(|| Stored {
            bytes: self.as_bytes(),
            stride: self.stride(),
            kind: E::STORED,
        })
    }

    fn length_error(&self, what: &'static str, found: usize, _: Internal) -> Error {
        Lens::length_error(self, what, found)
    }
}
