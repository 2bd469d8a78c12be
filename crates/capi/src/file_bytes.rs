//! The bytes of a file: owned, mapped, shared, or of the caller.

use meshlens::wire::Reservation;
use meshlens_source::Source;

use crate::memory::Memory;

/// The bytes of a file.
pub(crate) enum Bytes {
    Borrowed(Borrowed),
    Memory(Memory),
    Source(Source),
    Shared(bytes::Bytes),
}

/// Bytes of the caller.
pub(crate) struct Borrowed {
    data: *const u8,
    len: usize,
}

// SAFETY: the caller does not change the bytes, so any thread can read them.
unsafe impl Send for Borrowed {}

// SAFETY: as above.
unsafe impl Sync for Borrowed {}

impl Borrowed {
    /// # Safety
    ///
    /// The bytes stay in place, unchanged, as long as the result is used.
    pub(crate) unsafe fn new(bytes: &[u8]) -> Borrowed {
        Borrowed { data: bytes.as_ptr(), len: bytes.len() }
    }
}

/// The bytes of a file, and their reserved memory.
pub(crate) struct FileBytes {
    pub(crate) bytes: Bytes,
    pub(crate) _held: Option<Reservation>,
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        match &self.bytes {
            // SAFETY: `Borrowed::new` received a slice, which has not changed.
            Bytes::Borrowed(Borrowed { data, len }) => unsafe { std::slice::from_raw_parts(*data, *len) },
            Bytes::Memory(memory) => memory.as_slice(),
            Bytes::Source(source) => source.as_bytes(),
            Bytes::Shared(bytes) => bytes,
        }
    }
}
