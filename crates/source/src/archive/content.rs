//! The bytes of entries, borrowed or inflated, and checked.

use std::borrow::Cow;
use std::io::Read;

use flate2::bufread::DeflateDecoder;

use crate::archive_limits::{ArchiveLimits, check_size};
use crate::entry::Entry;
use crate::zip_record::{LOCAL_HEADER_SIZE, Method};
use crate::{EntryFault, Error, Overlap, ReadAt, Result};

/// The bytes of an archive, from which entries are read. Not generic, so that it is compiled once for all sources.
pub(super) struct Content<'a> {
    pub(super) bytes: &'a dyn ReadAt,
    pub(super) name: &'a str,
    pub(super) limits: &'a ArchiveLimits,
}

impl<'a> Content<'a> {
    /// See [`Archive::read_stored`](super::Archive::read_stored).
    pub(super) fn read_stored(&self, entry: &Entry<'_>, offset: u64, len: u64) -> Result<Cow<'a, [u8]>> {
        let content = self.check_stored(entry).and_then(|()| self.packed(entry, offset, len));
        content.map_err(|failure| self.error(entry, failure))
    }

    /// See [`Archive::read_stored_into`](super::Archive::read_stored_into).
    pub(super) fn read_stored_into(&self, entry: &Entry<'_>, offset: u64, out: &mut [u8]) -> Result<usize> {
        let filled = self.check_stored(entry).and_then(|()| self.fill(entry, offset, out));
        filled.map_err(|failure| self.error(entry, failure))
    }

    fn fill(&self, entry: &Entry<'_>, offset: u64, out: &mut [u8]) -> Result<usize, Failure> {
        let rest = usize::try_from(entry.size().saturating_sub(offset)).unwrap_or(usize::MAX);
        let len = out.len().min(rest);
        if let Some(mut file) = self.bytes.opened()? {
            let opened = Content { bytes: &file, name: self.name, limits: self.limits };
            let start = opened.packed_start(entry)?;
            // An empty range may begin anywhere.
            file.read_exact_at(start.saturating_add(offset), &mut out[..len])?;
            return Ok(len);
        }
        let bytes = self.packed(entry, offset, len as u64)?;
        let len = len.min(bytes.len());
        out[..len].copy_from_slice(&bytes[..len]);
        Ok(len)
    }

    fn check_stored(&self, entry: &Entry<'_>) -> Result<(), Failure> {
        self.check(entry)?;
        match entry.method() {
            Method::Stored => Ok(()),
            // APPNOTE 4.4.5.
            Method::Deflated => Err(EntryFault::Method(8).into()),
            Method::Other(number) => Err(EntryFault::Method(number).into()),
        }
    }

    /// The offset of the first byte of a stored entry.
    pub(super) fn stored_start(&self, entry: &Entry<'_>) -> Result<u64> {
        self.packed_start(entry).map_err(|failure| self.error(entry, failure))
    }

    pub(super) fn read(&self, entry: &Entry<'_>, checksum: bool) -> Result<Cow<'a, [u8]>> {
        self.unpack(entry, checksum).map_err(|failure| self.error(entry, failure))
    }

    pub(super) fn error(&self, entry: &Entry<'_>, failure: Failure) -> Error {
        match failure {
            Failure::Entry(fault) => {
                Error::Entry { archive: self.name.into(), entry: entry.name().into(), fault }
            }
            Failure::Archive(error) => error,
        }
    }

    /// Checks everything that can be checked without reading the entry.
    pub(super) fn check(&self, entry: &Entry<'_>) -> Result<(), Failure> {
        if let Some(fault) = entry.name_fault() {
            return Err(EntryFault::Name(fault).into());
        }
        if let Some(other) = entry.directory.overlap(entry.number) {
            return Err(self.overlap(entry, entry.record.least_end(), other).into());
        }
        if entry.is_encrypted() {
            return Err(EntryFault::Encrypted.into());
        }
        if entry.method() == Method::Stored && entry.compressed_size() != entry.size() {
            return Err(EntryFault::Size { stated: entry.size() }.into());
        }
        Ok(())
    }

    fn unpack(&self, entry: &Entry<'_>, checksum: bool) -> Result<Cow<'a, [u8]>, Failure> {
        self.check(entry)?;
        let content = match entry.method() {
            Method::Stored => self.packed(entry, 0, u64::MAX)?,
            Method::Deflated => {
                check_size(entry, self.limits)?;
                Cow::Owned(inflate(&self.packed(entry, 0, u64::MAX)?, entry.size())?)
            }
            Method::Other(number) => return Err(EntryFault::Method(number).into()),
        };
        if checksum {
            let found = crc32fast::hash(&content);
            if found != entry.crc32() {
                return Err(EntryFault::Checksum { expected: entry.crc32(), found }.into());
            }
        }
        Ok(content)
    }

    /// A range of the compressed bytes of the entry, after its local header (APPNOTE 4.3.7).
    fn packed(&self, entry: &Entry<'_>, offset: u64, len: u64) -> Result<Cow<'a, [u8]>, Failure> {
        // A file is opened once for its header and the range.
        if let Some(file) = self.bytes.opened()? {
            let opened = Content { bytes: &file, name: self.name, limits: self.limits };
            return Ok(Cow::Owned(opened.packed(entry, offset, len)?.into_owned()));
        }
        let start = self.packed_start(entry)?;
        let offset = offset.min(entry.compressed_size());
        let len = len.min(entry.compressed_size() - offset);
        Ok(self.bytes.read_at(start + offset, len)?)
    }

    /// The offset of the entry's bytes, after a check that they are inside the archive.
    pub(super) fn packed_start(&self, entry: &Entry<'_>) -> Result<u64, Failure> {
        let no_header = EntryFault::LocalHeader { offset: entry.header_offset() };
        let header = self.bytes.read_at(entry.header_offset(), LOCAL_HEADER_SIZE)?;
        let header = header.first_chunk::<30>().ok_or(no_header)?;
        if !header.starts_with(b"PK\x03\x04") {
            return Err(no_header.into());
        }
        let name_len = u16::from_le_bytes([header[26], header[27]]);
        let extra_len = u16::from_le_bytes([header[28], header[29]]);
        // The header exists, so its offset does not overflow.
        let start = entry.header_offset() + header.len() as u64 + u64::from(name_len) + u64::from(extra_len);
        let (size, archive_len) = (entry.compressed_size(), self.bytes.size());
        if start.checked_add(size).is_none_or(|end| end > archive_len) {
            return Err(EntryFault::Truncated { offset: start, size, archive_len }.into());
        }
        let next = entry.directory.next(entry.record);
        if let Some(next) = next
            && let Some(after) = entry.directory.record(next)
            && start + size > after.header_offset
        {
            return Err(self.overlap(entry, start + size, next).into());
        }
        Ok(start)
    }

    fn overlap(&self, entry: &Entry<'_>, end: u64, other: u32) -> Error {
        let directory = entry.directory;
        let other = directory.record(other).unwrap_or(entry.record);
        Error::Overlap(Box::new(Overlap {
            archive: self.name.into(),
            entry: entry.name().into(),
            start: entry.header_offset(),
            end,
            other: directory.name(other).into(),
            other_start: other.header_offset,
        }))
    }
}

/// The reason why an entry cannot be read: a fault of the entry, or an error of the archive.
pub(super) enum Failure {
    Entry(EntryFault),
    Archive(Error),
}

impl From<EntryFault> for Failure {
    fn from(fault: EntryFault) -> Failure {
        Failure::Entry(fault)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Archive(error)
    }
}

/// Inflates exactly `stated` bytes, and stops after one additional byte. Memory grows with the inflated bytes, not with
/// the stated size.
fn inflate(packed: &[u8], stated: u64) -> Result<Vec<u8>, EntryFault> {
    let compressed = packed.len() as u64;
    let mut out = Vec::new();
    // An entry with a common ratio is allocated at once.
    let ahead = usize::try_from(stated.min(compressed.saturating_mul(8))).unwrap_or(usize::MAX);
    out.try_reserve_exact(ahead).map_err(|_| EntryFault::Memory { size: stated })?;
    match DeflateDecoder::new(packed).take(stated.saturating_add(1)).read_to_end(&mut out) {
        Err(error) if error.kind() == std::io::ErrorKind::OutOfMemory => {
            Err(EntryFault::Memory { size: stated })
        }
        Err(_) => Err(EntryFault::Deflate),
        Ok(_) if out.len() as u64 != stated => Err(EntryFault::Size { stated }),
        Ok(_) => Ok(out),
    }
}
