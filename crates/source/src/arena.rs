//! Reusable memory for decoded arrays, in large pages if the system supports them.

use std::io;

use bytemuck::Pod;
use memmap2::MmapMut;

/// Reusable memory to decode into, for programs that decode one file after another.
///
/// The first access to new memory costs more than decoding, because the system clears and maps every page. An arena
/// requests pages of 2 MiB instead of 4 KiB (on Linux, if transparent huge pages are `always` or `madvise`), and reuses
/// the same memory after each [`reset`](Self::reset), so that no new pages are needed.
///
/// ```
/// use meshlens_source::bench::Arena;
///
/// let mut arena = Arena::with_capacity(1 << 20)?;
/// for vertices in [100, 200] {
///     let mut room = arena.reset();
///     let positions: &mut [[f32; 3]] = room.take(vertices).ok_or("no room")?;
///     let normals: &mut [[f32; 3]] = room.take(vertices).ok_or("no room")?;
///     positions[0] = [1.0, 2.0, 3.0];
///     normals[vertices - 1] = [0.0, 0.0, 1.0];
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Arena {
    map: MmapMut,
    /// The start of the first large page.
    start: usize,
}

/// The size of a large page in bytes.
const LARGE_PAGE: usize = 2 << 20;
/// The alignment of all memory: a cache line, and a register of any width.
const ALIGN: usize = 64;

impl Arena {
    /// Reserves at least `bytes` of memory, without accessing it.
    ///
    /// # Errors
    ///
    /// The system does not have enough memory.
    pub fn with_capacity(bytes: usize) -> io::Result<Arena> {
        let too_much = || io::Error::from(io::ErrorKind::OutOfMemory);
        let whole = bytes.max(1).checked_next_multiple_of(LARGE_PAGE).ok_or_else(too_much)?;
        let map = MmapMut::map_anon(whole.checked_add(LARGE_PAGE).ok_or_else(too_much)?)?;
        let start = map.as_ptr().align_offset(LARGE_PAGE).min(LARGE_PAGE);
        // A hint: without it, or on a system that does not support it, memory is only slower to access.
        #[cfg(target_os = "linux")]
        let _ = map.advise_range(memmap2::Advice::HugePage, start, whole);
        Ok(Arena { map, start })
    }

    /// The capacity in bytes.
    pub fn capacity(&self) -> usize {
        self.map.len() - LARGE_PAGE
    }

    /// Makes room for `bytes`. If the memory is too small, it is replaced and its content is lost.
    ///
    /// # Errors
    ///
    /// Same as [`with_capacity`](Self::with_capacity). The arena is then unchanged.
    pub fn reserve(&mut self, bytes: usize) -> io::Result<()> {
        if bytes > self.capacity() {
            *self = Arena::with_capacity(bytes)?;
        }
        Ok(())
    }

    /// Makes all of the memory available again. Its content is arbitrary.
    pub fn reset(&mut self) -> Room<'_> {
        let end = self.start + self.capacity();
        Room { rest: &mut self.map[self.start..end] }
    }
}

/// The part of an [`Arena`] that is not yet taken.
#[derive(Debug)]
pub struct Room<'a> {
    rest: &'a mut [u8],
}

impl<'a> Room<'a> {
    /// The number of bytes left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// Takes `len` values with arbitrary content, aligned to 64 bytes; `None` if there is not enough room.
    pub fn take<T: Pod>(&mut self, len: usize) -> Option<&'a mut [T]> {
        const { assert!(align_of::<T>() <= ALIGN) };
        let bytes = len.checked_mul(size_of::<T>())?;
        let used = bytes.checked_next_multiple_of(ALIGN)?;
        if used > self.rest.len() {
            return None;
        }
        let (taken, rest) = std::mem::take(&mut self.rest).split_at_mut(used);
        self.rest = rest;
        Some(bytemuck::cast_slice_mut(&mut taken[..bytes]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_memory_again_and_nothing_twice() {
        let mut arena = Arena::with_capacity(3 << 20).unwrap();
        assert_eq!(arena.capacity(), 4 << 20);
        let mut room = arena.reset();
        let first: &mut [[f32; 3]] = room.take(1000).unwrap();
        first.fill([1.0, 2.0, 3.0]);
        let address = first.as_ptr().addr();
        assert_eq!(address % LARGE_PAGE, 0);
        let second: &mut [u16] = room.take(7).unwrap();
        second.fill(9);
        assert_eq!(second.as_ptr().addr() - address, 12_032);
        assert_eq!(first[999], [1.0, 2.0, 3.0]);
        assert_eq!(room.left(), (4 << 20) - 12_032 - 64);

        let again: &mut [[f32; 3]] = arena.reset().take(1000).unwrap();
        assert_eq!((again.as_ptr().addr(), again[0]), (address, [1.0, 2.0, 3.0]));
    }

    #[test]
    fn what_does_not_fit_is_refused_and_can_be_reserved() {
        let mut arena = Arena::with_capacity(0).unwrap();
        assert_eq!(arena.capacity(), LARGE_PAGE);
        assert!(arena.reset().take::<u8>(LARGE_PAGE + 1).is_none());
        assert!(arena.reset().take::<f32>(usize::MAX).is_none());
        assert!(arena.reset().take::<u8>(LARGE_PAGE).is_some());
        arena.reserve(5 << 20).unwrap();
        assert!(arena.reset().take::<u8>(5 << 20).is_some());
        assert!(arena.reserve(usize::MAX).is_err());
        assert_eq!(arena.capacity(), 6 << 20);
        assert_eq!(arena.reset().take::<u32>(0), Some(&mut [][..]));
    }
}
