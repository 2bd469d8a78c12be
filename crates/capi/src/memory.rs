//! Memory from the caller's allocator: handles, the bytes of files, and texts for C.

use std::alloc::{Layout, alloc, dealloc};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::slice;

use meshlens::wire::{Budget, Reservation};

use crate::result::{Failure, Result};
use crate::sized::Growing;

/// Allocates `size` bytes, aligned to `align`, which is a power of two. Returns NULL if there is no memory. A
/// call that gets memory that is not aligned returns ML_ERROR_CALLBACK.
pub type ml_allocate_fn =
    Option<unsafe extern "C" fn(user: *mut c_void, size: usize, align: usize) -> *mut c_void>;

/// Releases memory from ml_allocate_fn, with the same `size` and `align`.
pub type ml_release_fn =
    Option<unsafe extern "C" fn(user: *mut c_void, memory: *mut c_void, size: usize, align: usize)>;

/// An allocator of the caller. Both functions may be called from any thread that uses a handle made with it, or a handle
/// that was made of such a handle, until the last of these handles is closed: a scene shares the bytes of its asset. Threads of a
/// streamer do not call them. They must not call this library with these handles.
///
/// It is used for handles, the texts that calls return pointers to, and the bytes that ml_open_memory and ml_open_files read, copy or
/// decrypt. All other memory comes from Rust's global allocator, which cannot be replaced for one handle: the files of a search
/// path and of a streamer, parsed headers, in proportion to the number of surfaces, frames and bones, and temporary memory during
/// a call. Memory that grows with the content of a file is reserved from the memory limit before it is allocated, whichever
/// allocator it comes from.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_allocator {
    /// sizeof(ml_allocator), or 0 for the first version of the struct.
    pub size: usize,
    /// Passed to both functions.
    pub user: *mut c_void,
    /// NULL for the allocator of the library; `release` must then be NULL too.
    pub allocate: ml_allocate_fn,
    /// NULL for the allocator of the library; `allocate` must then be NULL too.
    pub release: ml_release_fn,
}

// SAFETY: `size` comes first, and every bit pattern is valid: functions are checked for NULL, and are the caller's.
unsafe impl Growing for ml_allocator {}

/// The caller's allocator, or the library's.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Allocator {
    Global,
    Caller {
        user: *mut c_void,
        allocate: unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void,
        release: unsafe extern "C" fn(*mut c_void, *mut c_void, usize, usize),
    },
}

// SAFETY: the contract of `ml_allocator` allows both functions to be called from any thread.
unsafe impl Send for Allocator {}
// SAFETY: as above.
unsafe impl Sync for Allocator {}

impl Allocator {
    pub(crate) fn new(allocator: ml_allocator) -> Result<Allocator> {
        match (allocator.allocate, allocator.release) {
            (None, None) => Ok(Allocator::Global),
            (Some(allocate), Some(release)) => {
                Ok(Allocator::Caller { user: allocator.user, allocate, release })
            }
            _ => Err(Failure::argument("an allocator has one of its two functions, and not the other")),
        }
    }

    pub(crate) const fn is_global(&self) -> bool {
        matches!(self, Allocator::Global)
    }

    /// Allocates uninitialized memory; a dangling pointer if `layout` has size 0.
    pub(crate) fn allocate(&self, layout: Layout) -> Result<NonNull<u8>> {
        if layout.size() == 0 {
            let dangling = std::ptr::without_provenance_mut(layout.align());
            return NonNull::new(dangling).ok_or(Failure::memory());
        }
        let memory = match self {
            // SAFETY: the size is not 0.
            Allocator::Global => unsafe { alloc(layout) },
            Allocator::Caller { user, allocate, .. } => {
                // SAFETY: the caller guarantees that the function can be called with these arguments.
                unsafe { allocate(*user, layout.size(), layout.align()) }.cast::<u8>()
            }
        };
        let memory = NonNull::new(memory).ok_or(Failure::memory())?;
        if memory.addr().get() & layout.align().wrapping_sub(1) != 0 {
            // SAFETY: the memory was just allocated with this layout.
            unsafe { self.release(memory, layout) };
            return Err(Failure::callback(
                "the allocator gave memory that is not aligned as it was asked to be",
            ));
        }
        Ok(memory)
    }

    /// Releases memory.
    ///
    /// # Safety
    ///
    /// `memory` was allocated by this allocator with this layout, and is no longer used.
    pub(crate) unsafe fn release(&self, memory: NonNull<u8>, layout: Layout) {
        if layout.size() == 0 {
            return;
        }
        match self {
            // SAFETY: guaranteed by the caller.
            Allocator::Global => unsafe { dealloc(memory.as_ptr(), layout) },
            Allocator::Caller { user, release, .. } => {
                // SAFETY: the caller guarantees that the function can be called with these arguments.
                unsafe { release(*user, memory.as_ptr().cast(), layout.size(), layout.align()) }
            }
        }
    }
}

/// The alignment of the bytes of files. It equals the alignment of the widest vectors, so arrays are aligned as in the
/// file.
const ALIGN: usize = 64;

/// Bytes from an allocator, which are released on drop.
pub(crate) struct Memory {
    bytes: NonNull<u8>,
    layout: Layout,
    allocator: Allocator,
}

// SAFETY: the bytes are owned, and change only through `&mut`.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// Allocates bytes that are 0.
    pub(crate) fn zeroed(allocator: &Allocator, len: usize) -> Result<Memory> {
        let layout = Layout::from_size_align(len, ALIGN).map_err(|_| Failure::memory())?;
        let bytes = allocator.allocate(layout)?;
        // SAFETY: the allocation has `len` bytes.
        unsafe { bytes.write_bytes(0, len) };
        Ok(Memory { bytes, layout, allocator: *allocator })
    }

    pub(crate) fn copy_of(allocator: &Allocator, from: &[u8]) -> Result<Memory> {
        let layout = Layout::from_size_align(from.len(), ALIGN).map_err(|_| Failure::memory())?;
        let bytes = allocator.allocate(layout)?;
        // SAFETY: both have this many bytes, and new memory overlaps nothing.
        unsafe { bytes.copy_from_nonoverlapping(NonNull::from(from).cast(), from.len()) };
        Ok(Memory { bytes, layout, allocator: *allocator })
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        // SAFETY: the allocation has this many bytes, all of them initialized.
        unsafe { slice::from_raw_parts(self.bytes.as_ptr(), self.layout.size()) }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and nothing else uses the bytes.
        unsafe { slice::from_raw_parts_mut(self.bytes.as_ptr(), self.layout.size()) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the memory was allocated with this layout.
        unsafe { self.allocator.release(self.bytes, self.layout) };
    }
}

/// The allocator and the memory limit.
#[derive(Clone, Debug)]
pub(crate) struct Limited {
    pub(crate) allocator: Allocator,
    pub(crate) budget: Budget,
}

/// The memory limit if the options do not set one: 1 GiB.
const DEFAULT_LIMIT: usize = 1 << 30;

impl Limited {
    /// # Safety
    ///
    /// `allocator` is NULL or points to an `ml_allocator`.
    pub(crate) unsafe fn new(allocator: *const ml_allocator, limit: usize) -> Result<Limited> {
        // SAFETY: guaranteed by the caller.
        let allocator = Allocator::new(unsafe { crate::sized::read(allocator)? })?;
        let limit = if limit == 0 { DEFAULT_LIMIT } else { limit };
        Ok(Limited { allocator, budget: Budget::new(limit) })
    }

    /// The default limit.
    pub(crate) fn with(allocator: Allocator) -> Limited {
        Limited { allocator, budget: Budget::new(DEFAULT_LIMIT) }
    }

    /// Reserves bytes for `what`.
    pub(crate) fn reserve(&self, bytes: usize, what: &'static str) -> Result<Reservation> {
        Ok(self.budget.reserve(bytes, format_args!("{what}"))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::ml_result;
    use std::sync::atomic::{AtomicUsize, Ordering};

    unsafe extern "C" fn counted(user: *mut c_void, size: usize, align: usize) -> *mut c_void {
        // SAFETY: the test passes a counter.
        unsafe { &*user.cast::<AtomicUsize>() }.fetch_add(size, Ordering::Relaxed);
        // SAFETY: the layout is the one requested by the library.
        unsafe { alloc(Layout::from_size_align_unchecked(size, align)) }.cast()
    }

    unsafe extern "C" fn uncounted(user: *mut c_void, memory: *mut c_void, size: usize, align: usize) {
        // SAFETY: the test passes a counter.
        unsafe { &*user.cast::<AtomicUsize>() }.fetch_sub(size, Ordering::Relaxed);
        // SAFETY: the memory was allocated with this layout.
        unsafe { dealloc(memory.cast(), Layout::from_size_align_unchecked(size, align)) };
    }

    unsafe extern "C" fn nothing(_: *mut c_void, _: usize, _: usize) -> *mut c_void {
        std::ptr::null_mut()
    }

    unsafe extern "C" fn crooked(_: *mut c_void, _: usize, align: usize) -> *mut c_void {
        std::ptr::without_provenance_mut(align + 1)
    }

    unsafe extern "C" fn ignore(_: *mut c_void, _: *mut c_void, _: usize, _: usize) {}

    #[test]
    fn every_allocation_is_released() {
        let bytes = AtomicUsize::new(0);
        let user = (&raw const bytes).cast_mut().cast();
        let caller = ml_allocator { size: 0, user, allocate: Some(counted), release: Some(uncounted) };
        let allocator = Allocator::new(caller).unwrap();
        let first = Memory::copy_of(&allocator, b"IDP3").unwrap();
        let second = Memory::zeroed(&allocator, 100).unwrap();
        assert_eq!((first.as_slice(), second.as_slice()), (&b"IDP3"[..], &[0; 100][..]));
        assert_eq!(bytes.load(Ordering::Relaxed), 104);
        drop((first, second));
        assert_eq!(bytes.load(Ordering::Relaxed), 0);
        assert_eq!(Memory::copy_of(&allocator, b"").unwrap().as_slice(), b"");
    }

    #[test]
    fn an_allocator_that_fails_is_an_error() {
        let with = |allocate, release| {
            let caller = ml_allocator { size: 0, user: std::ptr::null_mut(), allocate, release };
            let memory = Allocator::new(caller).and_then(|allocator| Memory::zeroed(&allocator, 8));
            memory.map(|_| ()).map_err(|failure| failure.code())
        };
        assert_eq!(with(None, None), Ok(()));
        assert_eq!(with(Some(nothing), Some(ignore)), Err(ml_result::ML_ERROR_MEMORY));
        assert_eq!(with(Some(crooked), Some(ignore)), Err(ml_result::ML_ERROR_CALLBACK));
        assert_eq!(with(Some(nothing), None), Err(ml_result::ML_ERROR_ARGUMENT));
        let global = Allocator::new(ml_allocator {
            size: 0,
            user: std::ptr::null_mut(),
            allocate: None,
            release: None,
        });
        assert!(Memory::zeroed(&global.unwrap(), usize::MAX).is_err());
    }
}
