//! The first bytes of an entry, without the rest of it.

use std::borrow::Cow;
use std::io::{self, Read};

use flate2::read::DeflateDecoder;

use super::content::{Content, Failure};
use crate::archive_limits::check_size;
use crate::entry::Entry;
use crate::zip_record::Method;
use crate::{EntryFault, Error, ReadAt};

/// The size of one read of compressed bytes.
const CHUNK: u64 = 64 << 10;

impl<'a> Content<'a> {
    /// See [`Archive::read_start`](super::Archive::read_start).
    pub(super) fn read_start(&self, entry: &Entry<'_>, len: u64) -> crate::Result<Cow<'a, [u8]>> {
        if entry.method() == Method::Stored {
            return self.read_stored(entry, 0, len);
        }
        let content = self.check(entry).and_then(|()| self.inflate_start(entry, len));
        content.map(Cow::Owned).map_err(|failure| self.error(entry, failure))
    }

    fn inflate_start(&self, entry: &Entry<'_>, len: u64) -> Result<Vec<u8>, Failure> {
        if let Method::Other(number) = entry.method() {
            return Err(EntryFault::Method(number).into());
        }
        check_size(entry, self.limits)?;
        let stated = entry.size();
        let len = len.min(stated);
        let at = self.packed_start(entry)?;
        let mut packed =
            Packed { bytes: self.bytes, at, end: at + entry.compressed_size(), chunk: Vec::new(), used: 0 };
        let mut out = Vec::new();
        let ahead = len.min(entry.compressed_size().saturating_mul(8));
        let ahead = usize::try_from(ahead).unwrap_or(usize::MAX);
        out.try_reserve_exact(ahead).map_err(|_| EntryFault::Memory { size: len })?;
        let inflated = DeflateDecoder::new(&mut packed).take(len).read_to_end(&mut out);
        match inflated.map_err(|error| (error.kind(), error.downcast::<Error>())) {
            Ok(_) if out.len() as u64 == len => Ok(out),
            Ok(_) => Err(EntryFault::Size { stated }.into()),
            Err((_, Ok(error))) => Err(error.into()),
            Err((io::ErrorKind::OutOfMemory, _)) => Err(EntryFault::Memory { size: len }.into()),
            Err(_) => Err(EntryFault::Deflate.into()),
        }
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
