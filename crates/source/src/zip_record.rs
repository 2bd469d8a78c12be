//! The values of one entry in the directory of a zip archive.

/// The size of a local header without its name and extra fields (APPNOTE 4.3.7).
pub(crate) const LOCAL_HEADER_SIZE: u64 = 30;

/// The compression method of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// Not compressed: the archive contains the bytes of the entry.
    Stored,
    /// Deflate.
    Deflated,
    /// A method that is not supported, with its number in the zip format.
    Other(u16),
}

/// The values of one entry in the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) size: u64,
    pub(crate) compressed_size: u64,
    pub(crate) header_offset: u64,
    pub(crate) crc32: u32,
    pub(crate) name_start: u32,
    pub(crate) name_len: u32,
    /// The number of the entry whose local header is next in the archive, or `u32::MAX`.
    pub(crate) next: u32,
    pub(crate) method: u16,
    pub(crate) encrypted: bool,
}

impl Record {
    /// The earliest possible end of the entry. Its local header also contains a name, and may contain extra fields.
    pub(crate) fn least_end(&self) -> u64 {
        self.header_offset.saturating_add(LOCAL_HEADER_SIZE).saturating_add(self.compressed_size)
    }

    pub(crate) fn method(&self) -> Method {
        match self.method {
            0 => Method::Stored,
            8 => Method::Deflated,
            other => Method::Other(other),
        }
    }
}
