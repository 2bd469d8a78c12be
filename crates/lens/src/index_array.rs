//! Arrays of indices: the largest index, the range check, and the conversion to index buffers.

use meshlens_wire::{Error, ErrorKind, Expected, Result};

use crate::simd::index_copy;
use crate::window::{Window, to_i64};
use crate::{IndexBufferLayout, IndexFormat, Level};

/// Indices whose encoding is data, so that the code that copies indices is only compiled once, in this crate.
pub(crate) struct IndexArray<'a> {
    pub(crate) window: Window<'a>,
    /// The number of indices in an element.
    pub(crate) components: usize,
    /// The size of an index in bytes: 1, 2 or 4.
    pub(crate) size: usize,
    /// Whether errors show indices as signed numbers.
    pub(crate) is_signed: bool,
}

impl IndexArray<'_> {
    pub(crate) fn max_index(&self, level: Level) -> Option<u32> {
        self.count_steps();
        let mut most = 0;
        if self.is_packed() {
            most = index_copy::largest(level, self.size, self.window.bytes);
        } else {
            self.gather(|_, stored| most = most.max(index_copy::largest(level, self.size, stored)));
        }
        (self.window.len > 0).then_some(most)
    }

    /// The error for the first index that is not below `count`, if the largest index is not.
    pub(crate) fn check_largest(&self, largest: Option<u32>, count: u64, what: &'static str) -> Result<()> {
        if largest.is_none_or(|largest| u64::from(largest) < count) {
            return Ok(());
        }
        for (number, element) in self.window.bytes.chunks(self.window.stride.max(1)).enumerate() {
            for (component, stored) in element.chunks_exact(self.size).take(self.components).enumerate() {
                let index = read(stored);
                if u64::from(index) < count {
                    continue;
                }
                let index = if self.is_signed { index.cast_signed().into() } else { index.into() };
                let skip = number
                    .saturating_mul(self.window.stride)
                    .saturating_add(component.saturating_mul(self.size));
                let offset = self.window.offset.saturating_add(skip as u64);
                return Err(Error::new(self.window.source, offset, ErrorKind::Index { what, index, count }));
            }
        }
        Ok(())
    }

    /// Writes indices of `size` bytes. See [`Lens::indices_into`].
    pub(crate) fn write(
        &self,
        size: usize,
        layout: IndexBufferLayout,
        out: &mut [u8],
    ) -> Result<Option<u32>> {
        let count = self.window.len.saturating_mul(self.components);
        let error = |kind| Err(self.window.error(kind));
        if out.len() != count.saturating_mul(size) {
            let found = out.len().checked_div(size).unwrap_or_default() as u64;
            return error(ErrorKind::Length { what: "indices of the output", expected: count as u64, found });
        }
        if layout.is_flipped && !count.is_multiple_of(3) {
            let (what, expected) = ("indices of triangles", Expected::MultipleOf(3));
            return error(ErrorKind::Value { what, expected, found: to_i64(count) });
        }
        self.count_steps();
        let level = layout.level.unwrap_or_else(Level::current);
        let sizes = (self.size, size);
        let mut largest = 0;
        if self.is_packed() {
            largest = index_copy::copy(level, sizes, self.window.bytes, out, layout.is_flipped);
        } else {
            let bytes_per_element = self.components.saturating_mul(size);
            self.gather(|first, stored| {
                let rest = out.get_mut(first.saturating_mul(bytes_per_element)..).unwrap_or_default();
                largest = largest.max(index_copy::copy(level, sizes, stored, rest, layout.is_flipped));
            });
        }
        let largest = (self.window.len > 0).then_some(largest);
        if size < self.size {
            let limit = if size == 1 { 1 << 8 } else { 1 << 16 };
            self.check_largest(largest, limit, layout.below.map_or("index", |(_, what)| what))?;
        }
        if let Some((count, what)) = layout.below {
            self.check_largest(largest, count as u64, what)?;
        }
        Ok(largest)
    }

    /// Writes indices of 32 bits in their stored order, like [`write`](Self::write).
    pub(crate) fn widen(&self, level: Level, out: &mut [u32]) -> Result<Option<u32>> {
        let layout = IndexBufferLayout::new(IndexFormat::Uint32).with_level(level);
        self.write(4, layout, bytemuck::cast_slice_mut(out))
    }

    /// For elements with gaps between them, calls `each` with the packed indices of each block and the number of its
    /// first element.
    fn gather(&self, mut each: impl FnMut(usize, &[u8])) {
        /// A multiple of 3, so that a block has complete triangles for any number of indices per element.
        const ELEMENTS: usize = 96;
        let size = self.components.saturating_mul(self.size);
        // An element has at most 4 indices.
        let mut gathered = [0u8; ELEMENTS * 16];
        let blocks = self.window.bytes.chunks(self.window.stride.saturating_mul(ELEMENTS).max(1));
        for (number, block) in blocks.enumerate() {
            let mut len: usize = 0;
            let elements = block.chunks(self.window.stride.max(1));
            for (slot, element) in gathered.chunks_exact_mut(size.max(1)).zip(elements) {
                if let Some(element) = element.get(..size) {
                    slot.copy_from_slice(element);
                    len = len.saturating_add(size);
                }
            }
            each(number.saturating_mul(ELEMENTS), gathered.get(..len).unwrap_or_default());
        }
    }

    /// Whether there are no gaps between elements.
    fn is_packed(&self) -> bool {
        self.window.stride == self.components.saturating_mul(self.size)
    }

    fn count_steps(&self) {
        meshlens_wire::steps::count(self.window.len as u64);
    }
}

/// Reads a little-endian index of at most 4 bytes.
fn read(stored: &[u8]) -> u32 {
    let mut index = [0; 4];
    for (byte, stored) in index.iter_mut().zip(stored) {
        *byte = *stored;
    }
    u32::from_le_bytes(index)
}
