//! Memory between two inaccessible pages.

use std::slice;

/// Whole pages with an inaccessible page before and after them.
pub(crate) struct Guarded {
    mapping: *mut u8,
    page: usize,
    len: usize,
}

impl Guarded {
    /// Memory for at least `len` bytes.
    pub(crate) fn new(len: usize) -> Self {
        // SAFETY: none of the arguments are pointers.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page = usize::try_from(page).expect("a page has a size");
        let len = len.max(1).next_multiple_of(page);
        // SAFETY: a new private mapping at an address that the system chooses.
        let mapping = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
            libc::mmap(std::ptr::null_mut(), len + 2 * page, libc::PROT_NONE, flags, -1, 0)
        };
        assert_ne!(mapping, libc::MAP_FAILED);
        let mapping = mapping.cast::<u8>();
        // SAFETY: the pages are between the first and the last page of the new mapping.
        let done =
            unsafe { libc::mprotect(mapping.add(page).cast(), len, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(done, 0);
        Guarded { mapping, page, len }
    }

    /// `len` bytes that end directly before the page after them, or begin directly after the page before them.
    pub(crate) fn bytes(&mut self, len: usize, at_end: bool) -> &mut [u8] {
        let skip = if at_end { self.len.checked_sub(len).expect("there is room") } else { 0 };
        assert!(len <= self.len);
        // SAFETY: the bytes are in the accessible pages, which are initially zero, and the borrow of `self` covers
        // them.
        unsafe { slice::from_raw_parts_mut(self.mapping.add(self.page + skip), len) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping belongs to this value, and nothing borrows from it any more.
        unsafe { libc::munmap(self.mapping.cast(), self.len + 2 * self.page) };
    }
}
