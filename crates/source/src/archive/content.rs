//! The bytes of entries, borrowed or inflated, and checked.

use std::borrow::Cow;
use std::io::{ErrorKind, Read};

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
        self.check_stored(entry)?;
        self.packed(entry, offset, len)
    }

    /// See [`Archive::read_stored_into`](super::Archive::read_stored_into).
    pub(super) fn read_stored_into(&self, entry: &Entry<'_>, offset: u64, out: &mut [u8]) -> Result<usize> {
        self.check_stored(entry)?;
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

    fn check_stored(&self, entry: &Entry<'_>) -> Result<()> {
        self.check(entry)?;
        match entry.method() {
            Method::Stored => Ok(()),
            // APPNOTE 4.4.5.
            Method::Deflated => Err(self.fault(entry, EntryFault::Method(8))),
            Method::Other(number) => Err(self.fault(entry, EntryFault::Method(number))),
        }
    }

    pub(super) fn fault(&self, entry: &Entry<'_>, fault: EntryFault) -> Error {
        Error::Entry { archive: self.name.into(), entry: entry.name().into(), fault }
    }

    /// Checks everything that can be checked without reading the entry.
    pub(super) fn check(&self, entry: &Entry<'_>) -> Result<()> {
        if let Some(fault) = entry.name_fault() {
            return Err(self.fault(entry, EntryFault::Name(fault)));
        }
        if let Some(other) = entry.directory.overlap(entry.number) {
            return Err(self.overlap(entry, entry.record.least_end(), other));
        }
        if entry.is_encrypted() {
            return Err(self.fault(entry, EntryFault::Encrypted));
        }
        if entry.method() == Method::Stored && entry.compressed_size() != entry.size() {
            return Err(self.fault(entry, EntryFault::Size { stated: entry.size() }));
        }
        Ok(())
    }

    pub(super) fn read(&self, entry: &Entry<'_>, checksum: bool) -> Result<Cow<'a, [u8]>> {
        self.check(entry)?;
        let content = match entry.method() {
            Method::Stored => self.packed(entry, 0, u64::MAX)?,
            Method::Deflated => {
                check_size(entry, self.limits).map_err(|fault| self.fault(entry, fault))?;
                let packed = self.packed(entry, 0, u64::MAX)?;
                let stated = entry.size();
                // One additional byte shows that the entry is larger than stated.
                let inflated = DeflateDecoder::new(&*packed).take(stated.saturating_add(1));
                Cow::Owned(self.inflate(entry, stated, inflated)?)
            }
            Method::Other(number) => return Err(self.fault(entry, EntryFault::Method(number))),
        };
        if checksum {
            let found = crc32fast::hash(&content);
            if found != entry.crc32() {
                return Err(self.fault(entry, EntryFault::Checksum { expected: entry.crc32(), found }));
            }
        }
        Ok(content)
    }

    /// Inflates exactly `len` bytes of an entry. Memory grows with the inflated bytes, not with the stated size.
    pub(super) fn inflate(&self, entry: &Entry<'_>, len: u64, mut inflated: impl Read) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        // An entry with a common ratio is allocated at once.
        let ahead = len.min(entry.compressed_size().saturating_mul(8));
        let ahead = usize::try_from(ahead).unwrap_or(usize::MAX);
        let no_memory = EntryFault::Memory { size: len };
        out.try_reserve_exact(ahead).map_err(|_| self.fault(entry, no_memory))?;
        let read = inflated.read_to_end(&mut out);
        let fault = match read.map_err(|error| (error.kind(), error.downcast::<Error>())) {
            Ok(_) if out.len() as u64 == len => return Ok(out),
            Ok(_) => EntryFault::Size { stated: entry.size() },
            Err((_, Ok(error))) => return Err(error),
            Err((ErrorKind::OutOfMemory, _)) => no_memory,
            Err(_) => EntryFault::Deflate,
        };
        Err(self.fault(entry, fault))
    }

    /// A range of the compressed bytes of the entry, after its local header (APPNOTE 4.3.7).
    fn packed(&self, entry: &Entry<'_>, offset: u64, len: u64) -> Result<Cow<'a, [u8]>> {
        // A file is opened once for its header and the range.
        if let Some(file) = self.bytes.opened()? {
            let opened = Content { bytes: &file, name: self.name, limits: self.limits };
            return Ok(Cow::Owned(opened.packed(entry, offset, len)?.into_owned()));
        }
        let start = self.packed_start(entry)?;
        let offset = offset.min(entry.compressed_size());
        let len = len.min(entry.compressed_size() - offset);
        self.bytes.read_at(start + offset, len)
    }

    /// The offset of the entry's bytes, after a check that they are inside the archive.
    pub(super) fn packed_start(&self, entry: &Entry<'_>) -> Result<u64> {
        let header = self.bytes.read_at(entry.header_offset(), LOCAL_HEADER_SIZE)?;
        let Some(header) = header.first_chunk::<30>().filter(|header| header.starts_with(b"PK\x03\x04"))
        else {
            return Err(self.fault(entry, EntryFault::LocalHeader { offset: entry.header_offset() }));
        };
        let name_len = u16::from_le_bytes([header[26], header[27]]);
        let extra_len = u16::from_le_bytes([header[28], header[29]]);
        // The header exists, so its offset does not overflow.
        let start = entry.header_offset() + header.len() as u64 + u64::from(name_len) + u64::from(extra_len);
        let (size, archive_len) = (entry.compressed_size(), self.bytes.size());
        if start.checked_add(size).is_none_or(|end| end > archive_len) {
            return Err(self.fault(entry, EntryFault::Truncated { offset: start, size, archive_len }));
        }
        let next = entry.directory.next(entry.record);
        if let Some(next) = next
            && let Some(after) = entry.directory.record(next)
            && start + size > after.header_offset
        {
            return Err(self.overlap(entry, start + size, next));
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
