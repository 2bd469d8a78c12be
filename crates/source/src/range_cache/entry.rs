//! The file of a range: a header with a checksum for each block, and the bytes.

use std::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;
use std::time::SystemTime;

use crc32fast::Hasher;

/// The number of bytes that have a checksum of their own, so that a part of a large range can be read alone.
pub(super) const BLOCK: usize = 64 << 10;
const MAGIC: &[u8; 8] = b"mlrange1";
/// The magic, the checksum of the rest of the header, the lengths of the names, the length of the object and the range.
const FIXED: usize = 8 + 4 + 4 + 4 + 3 * 8;
/// The longest name of an object, and the longest tag.
const LONGEST: usize = 64 << 10;

/// The name of a file: the range, the length of the object and a hash of the tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    start: u64,
    end: u64,
    len: u64,
    tag: u32,
}

impl Name {
    pub(super) fn parse(text: &str) -> Option<Name> {
        let mut numbers = text.strip_suffix(".range")?.split('-').map(|part| u64::from_str_radix(part, 16));
        let mut next = || numbers.next()?.ok();
        let name = Name { start: next()?, end: next()?, len: next()?, tag: next()?.try_into().ok()? };
        // The name that is written, and no other spelling of it.
        (name.start < name.end && name.end <= name.len && name.to_string() == text).then_some(name)
    }

    /// Whether the range contains another one, up to the end of the object.
    pub(super) fn contains(&self, wanted: &Range<u64>) -> bool {
        let end = wanted.end.min(self.len);
        wanted.start < end && self.start <= wanted.start && end <= self.end
    }

    pub(super) fn is_of(&self, tag: &str) -> bool {
        self.tag == crc32fast::hash(tag.as_bytes())
    }

    /// Whether another range of the same folder is useless beside this one.
    pub(super) fn replaces(&self, other: &Name) -> bool {
        (self.tag, self.len) != (other.tag, other.len) || self.contains(&(other.start..other.end))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}-{:x}-{:x}-{:x}.range", self.start, self.end, self.len, self.tag)
    }
}

/// The header of a range.
pub(super) struct Header {
    object: Box<str>,
    tag: Box<str>,
    len: u64,
    range: Range<u64>,
    /// The checksums of the blocks so far.
    sums: Vec<u32>,
    /// The number of bytes that have a checksum.
    written: u64,
}

impl Header {
    /// `None` if the range is empty or outside of the object, or a name is too long.
    pub(super) fn new(object: &str, tag: &str, len: u64, range: Range<u64>) -> Option<Header> {
        let is_valid = range.start < range.end && range.end <= len;
        let is_short = object.len().max(tag.len()) <= LONGEST;
        let header =
            Header { object: object.into(), tag: tag.into(), len, range, sums: Vec::new(), written: 0 };
        (is_valid && is_short && header.size().is_some()).then_some(header)
    }

    fn range_len(&self) -> u64 {
        self.range.end.saturating_sub(self.range.start)
    }

    /// The number of bytes of the header; `None` if there is no such header.
    fn size(&self) -> Option<usize> {
        let blocks = usize::try_from(self.range_len().div_ceil(BLOCK as u64)).ok()?;
        (FIXED + self.object.len() + self.tag.len()).checked_add(blocks.checked_mul(4)?)
    }

    /// The number of bytes of the file.
    pub(super) fn file_len(&self) -> u64 {
        (self.size().unwrap_or_default() as u64).saturating_add(self.range_len())
    }

    pub(super) fn name(&self) -> Name {
        let tag = crc32fast::hash(self.tag.as_bytes());
        Name { start: self.range.start, end: self.range.end, len: self.len, tag }
    }

    /// Adds the next block. Returns its offset in the file; `None` if it is not in the range.
    pub(super) fn add(&mut self, block: &[u8]) -> Option<u64> {
        let offset = self.size()? as u64 + self.written;
        self.written += block.len() as u64;
        self.sums.push(self.sum(self.sums.len(), block));
        (self.written <= self.range_len()).then_some(offset)
    }

    /// The checksum of a block of this range, and of no other.
    fn sum(&self, block: usize, bytes: &[u8]) -> u32 {
        let mut hasher = Hasher::new();
        hasher.update(self.object.as_bytes());
        hasher.update(self.tag.as_bytes());
        let start = self.range.start.wrapping_add((block * BLOCK) as u64);
        hasher.update(&start.to_le_bytes());
        hasher.update(bytes);
        hasher.finalize()
    }

    /// The bytes of the header, if all blocks were added.
    pub(super) fn finish(&self) -> Option<Vec<u8>> {
        if self.written != self.range_len() {
            return None;
        }
        let mut bytes = Vec::with_capacity(self.size()?);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[0; 4]);
        for text in [&self.object, &self.tag] {
            bytes.extend_from_slice(&u32::try_from(text.len()).ok()?.to_le_bytes());
        }
        for number in [self.len, self.range.start, self.range.end] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(self.object.as_bytes());
        bytes.extend_from_slice(self.tag.as_bytes());
        bytes.extend(self.sums.iter().flat_map(|sum| sum.to_le_bytes()));
        let sum = crc32fast::hash(bytes.get(12..)?).to_le_bytes();
        bytes.get_mut(8..12)?.copy_from_slice(&sum);
        Some(bytes)
    }

    /// Reads the header of a file with this name. `None` if it is not the complete header of the object and, if one is
    /// wanted, of the tag.
    fn read(file: &mut File, name: &Name, object: &str, tag: Option<&str>) -> Option<Header> {
        let mut fixed = [0; FIXED];
        file.read_exact(&mut fixed).ok()?;
        let number = |at: usize| Some(u32::from_le_bytes(*fixed.get(at..)?.first_chunk()?));
        let long = |at: usize| Some(u64::from_le_bytes(*fixed.get(at..)?.first_chunk()?));
        let (object_len, tag_len) = (number(12)? as usize, number(16)? as usize);
        let (len, range) = (long(20)?, long(28)?..long(36)?);
        if fixed.first_chunk() != Some(MAGIC) || object_len != object.len() || tag_len > LONGEST {
            return None;
        }
        if (len, range.start, range.end) != (name.len, name.start, name.end) {
            return None;
        }
        let mut names = vec![0; object_len + tag_len];
        file.read_exact(&mut names).ok()?;
        let found = std::str::from_utf8(names.get(object_len..)?).ok()?;
        if names.get(..object_len)? != object.as_bytes() || tag.is_some_and(|tag| tag != found) {
            return None;
        }
        let mut header = Header::new(object, found, len, range)?;
        if file.metadata().ok()?.len() != header.file_len() {
            return None;
        }
        // The length of the file bounds the number of blocks.
        let mut sums = vec![0; header.size()?.checked_sub(FIXED + names.len())?];
        file.read_exact(&mut sums).ok()?;
        let mut hasher = Hasher::new();
        [fixed.get(12..)?, &names, &sums].iter().for_each(|bytes| hasher.update(bytes));
        header.sums = sums.as_chunks().0.iter().map(|sum| u32::from_le_bytes(*sum)).collect();
        (hasher.finalize() == number(8)? && header.name() == *name).then_some(header)
    }
}

/// A range that is kept in a [`RangeCache`](super::RangeCache). It stays readable if it is removed.
pub struct CachedRange {
    file: File,
    path: PathBuf,
    header: Header,
}

impl CachedRange {
    /// Opens a range. If the file is not complete, it is removed.
    pub(super) fn open(path: PathBuf, name: &Name, object: &str, tag: Option<&str>) -> Option<CachedRange> {
        let mut file = File::open(&path).ok()?;
        match Header::read(&mut file, name, object, tag) {
            Some(header) => {
                // The time of the last use. Where it cannot be set, the oldest ranges are removed first.
                let _ = file.set_modified(SystemTime::now());
                Some(CachedRange { file, path, header })
            }
            None => {
                let _ = std::fs::remove_file(&path);
                None
            }
        }
    }

    /// The state of the object.
    pub fn tag(&self) -> &str {
        &self.header.tag
    }

    /// The length of the object.
    pub const fn object_len(&self) -> u64 {
        self.header.len
    }

    /// The range.
    pub fn range(&self) -> Range<u64> {
        self.header.range.clone()
    }

    /// Fills `out` with the bytes at `offset` of the object. If it returns false, the file is damaged, or `out` is not
    /// inside the range; `out` then has any content. A damaged file is removed.
    #[must_use]
    pub fn read(&mut self, offset: u64, out: &mut [u8]) -> bool {
        let end = offset.saturating_add(out.len() as u64);
        let range = &self.header.range;
        if offset < range.start || end > range.end {
            return false;
        }
        let is_sound = self.read_blocks(offset - range.start, out).is_some();
        if !is_sound {
            let _ = std::fs::remove_file(&self.path);
        }
        is_sound
    }

    /// Reads bytes at an offset in the range.
    fn read_blocks(&mut self, offset: u64, out: &mut [u8]) -> Option<()> {
        let block_len = BLOCK as u64;
        let first = offset / block_len;
        self.file.seek(SeekFrom::Start(self.header.size()? as u64 + first * block_len)).ok()?;
        let mut block = usize::try_from(first).ok()?;
        let mut skip = usize::try_from(offset % block_len).ok()?;
        let mut rest = out;
        let mut other = Vec::new();
        while !rest.is_empty() {
            let left = self.header.range_len().saturating_sub((block * BLOCK) as u64);
            let len = usize::try_from(left.min(block_len)).ok()?;
            let sum = *self.header.sums.get(block)?;
            let now = rest.len().min(len.checked_sub(skip)?);
            let (part, next) = rest.split_at_mut(now);
            if now == len {
                self.file.read_exact(part).ok()?;
                (self.header.sum(block, part) == sum).then_some(())?;
            } else {
                other.resize(len, 0);
                self.file.read_exact(&mut other).ok()?;
                (self.header.sum(block, &other) == sum).then_some(())?;
                part.copy_from_slice(other.get(skip..skip + now)?);
            }
            (rest, block, skip) = (next, block + 1, 0);
        }
        Some(())
    }
}

impl fmt::Debug for CachedRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachedRange").field("path", &self.path).finish_non_exhaustive()
    }
}
