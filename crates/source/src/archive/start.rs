//! The first bytes of an entry, without the rest of it.

use std::borrow::Cow;
use std::io::{self, Read};

use flate2::read::DeflateDecoder;

use super::content::Content;
use crate::archive_limits::check_size;
use crate::entry::Entry;
use crate::zip_record::Method;
use crate::{EntryFault, ReadAt, Result};

/// The size of one read of compressed bytes.
const CHUNK: u64 = 64 << 10;

impl<'a> Content<'a> {
    /// See [`Archive::read_start`](super::Archive::read_start).
    pub(super) fn read_start(&self, entry: &Entry<'_>, len: u64) -> Result<Cow<'a, [u8]>> {
        if entry.method() == Method::Stored {
            return self.read_stored(entry, 0, len);
        }
        self.check(entry)?;
        if let Method::Other(number) = entry.method() {
            return Err(self.fault(entry, EntryFault::Method(number)));
        }
        check_size(entry, self.limits).map_err(|fault| self.fault(entry, fault))?;
        let len = len.min(entry.size());
        let at = self.packed_start(entry)?;
        let packed =
            Packed { bytes: self.bytes, at, end: at + entry.compressed_size(), chunk: Vec::new(), used: 0 };
        Ok(Cow::Owned(self.inflate(entry, len, DeflateDecoder::new(packed).take(len))?))
    }
}

/// The compressed bytes of an entry, in chunks.
struct Packed<'b> {
    bytes: &'b dyn ReadAt,
    at: u64,
    end: u64,
    chunk: Vec<u8>,
    used: usize,
}

impl Read for Packed<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.used == self.chunk.len() {
            let chunk =
                self.bytes.read_at(self.at, CHUNK.min(self.end - self.at)).map_err(io::Error::other)?;
            self.at += chunk.len() as u64;
            self.chunk.clear();
            self.chunk.extend_from_slice(&chunk);
            self.used = 0;
        }
        let count = Read::read(&mut &self.chunk[self.used..], out)?;
        self.used += count;
        Ok(count)
    }
}
