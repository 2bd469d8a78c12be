//! The directory of a zip archive in compact form: one block for all names, a record of fixed size for each entry, and
//! a table of record numbers for lookup by name. `rawzip` parses the records of the archive.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};
use std::io;

use hashbrown::HashTable;
use rawzip::{ErrorKind, ReaderAt, ZipArchive, ZipFileHeaderRecord, ZipLocator};

use crate::entry_name::{fold_into, name_fault};
use crate::zip_name::decoded;
use crate::zip_record::Record;
use crate::{Error, ReadAt, Result};

/// The distance from the end in which the end record is searched. An end record has 22 bytes, and is followed by a
/// comment of at most 65,535 bytes (APPNOTE 4.3.16). Like other readers, this reader also skips some bytes that do not
/// belong to the archive.
const END_RECORD_REACH: u64 = 22 + 0xFFFF + 1024;

/// The smallest size of a directory record in bytes (APPNOTE 4.3.12).
const LEAST_RECORD: u64 = 46;

/// The largest length of a name in bytes.
const MOST_NAME: u64 = 0xFFFF;

/// The entries of an archive in the order of its directory.
#[derive(Default)]
pub(crate) struct Directory {
    names: String,
    records: Vec<Record>,
    /// The entries that a later one of the same name replaces.
    replaced: Vec<Record>,
    /// For each folded name, the number of its last entry without a refused name.
    by_name: HashTable<u32>,
    hasher: RandomState,
    /// Each entry that shares bytes with another entry, and the number of the other entry, sorted.
    overlaps: Vec<(u32, u32)>,
}

/// Requests the memory for bytes that a directory keeps.
pub(crate) type Reserve<'r> = &'r mut dyn FnMut(u64) -> bool;

impl Directory {
    /// Lists the entries in one pass over the directory. Reads no entry. `reserve` is called as the memory grows. Errors
    /// refer to the archive by `name`.
    pub(crate) fn read(
        bytes: &dyn ReadAt,
        name: &str,
        max_entries: u64,
        reserve: Reserve<'_>,
    ) -> Result<Directory> {
        let failed = Cell::new(None);
        let reader = Reader { bytes, failed: &failed };
        // Large enough for every record.
        let size = bytes.size().clamp(256, rawzip::MAX_CENTRAL_DIRECTORY_RECORD_SIZE as u64);
        let mut buffer = vec![0; size as usize];
        let mut kept = DirectoryMemory { name, bytes: 0, reserve };
        let listed = read_entries(reader, &mut buffer, max_entries, &mut kept);
        let (mut directory, claimed) = match (listed, failed.take()) {
            (_, Some(error)) => return Err(error),
            (listed, None) => listed?,
        };
        let found = directory.records.len() as u64;
        // The plain format counts up to 65,535, and some writers wrap around to 0.
        if claimed != found && claimed != found & 0xFFFF {
            return Err(broken(name, format!("its directory counts {claimed} entries and has {found}")));
        }
        directory.drop_equal_names();
        directory.index_names();
        kept.grow(&directory)?;
        directory.find_neighbors(bytes.size());
        kept.grow(&directory)?;
        Ok(directory)
    }

    /// The number of bytes of memory that the directory has taken.
    fn memory(&self) -> u64 {
        let records = (self.records.capacity() + self.replaced.capacity()) * size_of::<Record>();
        let overlaps = self.overlaps.capacity() * size_of::<(u32, u32)>();
        (self.names.capacity() + records + self.by_name.allocation_size() + overlaps) as u64
    }

    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    pub(crate) fn record(&self, number: u32) -> Option<&Record> {
        self.records.get(number as usize)
    }

    pub(crate) fn name(&self, record: &Record) -> &str {
        let start = record.name_start as usize;
        self.names.get(start..start + record.name_len as usize).unwrap_or_default()
    }

    /// The entry whose local header is next in the archive.
    pub(crate) fn next(&self, record: &Record) -> Option<u32> {
        Some(record.next).filter(|&next| next != u32::MAX)
    }

    /// Another entry that shares bytes with this one.
    pub(crate) fn overlap(&self, number: u32) -> Option<u32> {
        let at = self.overlaps.binary_search_by_key(&number, |(entry, _)| *entry).ok()?;
        self.overlaps.get(at).map(|(_, other)| *other)
    }

    /// The last entry with this name, in any case, without a refused name.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        let mut folded = Vec::with_capacity(name.len());
        fold_into(name, &mut folded);
        let mut other = Vec::new();
        let is_same = |&number: &u32| {
            fold_into(self.name_of(number), &mut other);
            other == folded
        };
        self.by_name.find(self.hasher.hash_one(&folded), is_same).copied()
    }

    /// The name and the size of each entry that a later one of the same name replaces.
    pub(crate) fn replaced(&self) -> impl Iterator<Item = (&str, u64)> {
        self.replaced.iter().map(|record| (self.name(record), record.size))
    }

    fn name_of(&self, number: u32) -> &str {
        self.record(number).map_or("", |record| self.name(record))
    }

    /// Adds an entry. `None` if its name ends after 4 GiB of names.
    fn push(&mut self, found: &ZipFileHeaderRecord<'_>, name: &str) -> Option<()> {
        let name_start = u32::try_from(self.names.len()).ok()?;
        let name_len = u32::try_from(name.len()).ok()?;
        name_start.checked_add(name_len)?;
        self.names.push_str(name);
        self.records.push(Record {
            size: found.uncompressed_size_hint(),
            compressed_size: found.compressed_size_hint(),
            header_offset: found.local_header_offset(),
            crc32: found.crc32(),
            name_start,
            name_len,
            next: u32::MAX,
            method: found.compression_method().as_u16(),
            encrypted: found.flags().is_encrypted(),
        });
        Some(())
    }

    /// If several names are equal byte for byte, only the last entry is kept.
    fn drop_equal_names(&mut self) {
        let mut last: HashTable<u32> = HashTable::with_capacity(self.records.len());
        let mut dropped = Vec::new();
        let hash = |number: &u32| self.hasher.hash_one(self.name_of(*number).as_bytes());
        for number in 0..self.records.len() as u32 {
            let name = self.name_of(number);
            match last.find_mut(hash(&number), |&other| self.name_of(other) == name) {
                Some(other) => dropped.push(std::mem::replace(other, number)),
                None => {
                    last.insert_unique(hash(&number), number, hash);
                }
            }
        }
        if !dropped.is_empty() {
            dropped.sort_unstable();
            let mut number = 0..self.records.len() as u32;
            let is_dropped =
                |_: &mut Record| number.next().is_some_and(|number| dropped.binary_search(&number).is_ok());
            self.replaced = self.records.extract_if(.., is_dropped).collect();
        }
    }

    fn index_names(&mut self) {
        let mut by_name: HashTable<u32> = HashTable::with_capacity(self.records.len());
        let (mut folded, mut other) = (Vec::new(), Vec::new());
        for (number, record) in self.records.iter().enumerate() {
            let name = self.name(record);
            if name_fault(name).is_some() {
                continue;
            }
            fold_into(name, &mut folded);
            let is_same = |&number: &u32| {
                fold_into(self.name_of(number), &mut other);
                other == folded
            };
            let hash = self.hasher.hash_one(&folded);
            match by_name.find_mut(hash, is_same) {
                Some(earlier) => *earlier = number as u32,
                None => {
                    // There is room for all, so the table does not grow.
                    by_name.insert_unique(hash, number as u32, |_| hash);
                }
            }
        }
        self.by_name = by_name;
    }

    /// Finds the next entry in the archive for each entry, and the entries that overlap according to the directory. An
    /// entry that ends after the archive is broken, but does not affect others.
    fn find_neighbors(&mut self, archive_len: u64) {
        let records = &mut self.records;
        let mut order: Vec<u32> = (0..records.len() as u32)
            .filter(|&number| records[number as usize].least_end() <= archive_len)
            .collect();
        order.sort_unstable_by_key(|&number| (records[number as usize].header_offset, number));
        let mut furthest = order.first().copied().unwrap_or_default();
        let mut is_furthest_listed = false;
        for pair in order.windows(2) {
            let [before, number] = [pair[0], pair[1]];
            records[before as usize].next = number;
            let (record, reach) = (records[number as usize], records[furthest as usize].least_end());
            let is_overlapping = record.header_offset < reach;
            if is_overlapping {
                self.overlaps.push((number, furthest));
                if !is_furthest_listed {
                    self.overlaps.push((furthest, number));
                    is_furthest_listed = true;
                }
            }
            if record.least_end() > reach {
                (furthest, is_furthest_listed) = (number, is_overlapping);
            }
        }
        self.overlaps.sort_unstable();
        self.overlaps.shrink_to_fit();
    }
}

/// The memory of a directory that is reserved.
struct DirectoryMemory<'r> {
    /// The name of the archive.
    name: &'r str,
    bytes: u64,
    reserve: Reserve<'r>,
}

impl DirectoryMemory<'_> {
    /// Reserves the number of bytes by which a directory has grown.
    fn grow(&mut self, directory: &Directory) -> Result<()> {
        self.reserve(directory.memory().saturating_sub(self.bytes))
    }

    /// Reserves and allocates room for this many more records and bytes of names. If there is too little, there is
    /// twice as much afterwards.
    fn make_room(&mut self, directory: &mut Directory, records: usize, names: usize) -> Result<()> {
        let more = |len: usize, capacity: usize, wanted: usize| match capacity - len < wanted {
            true => (wanted - (capacity - len)).max(capacity),
            false => 0,
        };
        let Directory { records: all, names: text, .. } = directory;
        let records = more(all.len(), all.capacity(), records);
        let names = more(text.len(), text.capacity(), names);
        let bytes = (records as u64).saturating_mul(size_of::<Record>() as u64).saturating_add(names as u64);
        self.reserve(bytes)?;
        let (records, names) = (all.capacity() + records - all.len(), text.capacity() + names - text.len());
        let allocated = all.try_reserve_exact(records).and_then(|()| text.try_reserve_exact(names));
        allocated.map_err(|_| self.refused(bytes))
    }

    fn reserve(&mut self, bytes: u64) -> Result<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        if bytes == 0 || (self.reserve)(bytes) { Ok(()) } else { Err(self.refused(bytes)) }
    }

    fn refused(&self, bytes: u64) -> Error {
        Error::Memory { archive: self.name.into(), bytes }
    }
}

/// The entries of a directory, and the number of entries that the archive claims.
fn read_entries(
    reader: Reader<'_>,
    buffer: &mut [u8],
    max_entries: u64,
    kept: &mut DirectoryMemory<'_>,
) -> Result<(Directory, u64)> {
    let name = kept.name;
    let too_many = |count| Error::TooManyEntries { archive: name.into(), count, limit: max_entries };
    let archive = locate(reader, buffer).map_err(|error| broken(name, reason(error)))?;
    let claimed = archive.entries_hint();
    if claimed > max_entries {
        return Err(too_many(claimed));
    }
    let len = archive.eocd_offset().saturating_sub(archive.directory_offset());
    let count = claimed.min(len / LEAST_RECORD);
    // This includes extra fields and comments; excess memory is returned afterwards.
    let names = len.saturating_sub(claimed.saturating_mul(LEAST_RECORD)).min(count.saturating_mul(MOST_NAME));
    let [count, names] = [count, names].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
    let mut directory = Directory::default();
    kept.make_room(&mut directory, count, names)?;
    let mut entries = archive.entries(buffer);
    while let Some(found) = entries.next_entry().map_err(|error| broken(name, reason(error)))? {
        if directory.records.len() as u64 >= max_entries {
            return Err(too_many(max_entries + 1));
        }
        let path = found.file_path();
        let path = decoded(path.as_bytes());
        kept.make_room(&mut directory, 1, path.len())?;
        directory.push(&found, &path).ok_or_else(|| broken(name, "its names have more than 4 GiB"))?;
    }
    directory.records.shrink_to_fit();
    directory.names.shrink_to_fit();
    Ok((directory, claimed))
}

/// Finds the end record. Bytes in a comment that only look like an end record are skipped.
fn locate<'r>(reader: Reader<'r>, buffer: &mut [u8]) -> Result<ZipArchive<Reader<'r>>, rawzip::Error> {
    let mut end = reader.bytes.size();
    let least = end.saturating_sub(END_RECORD_REACH);
    let mut reader = reader;
    loop {
        let locator = ZipLocator::new().max_search_space(end - least);
        match locator.locate_in_reader(reader, buffer, end) {
            Ok(archive) => return Ok(archive),
            Err((_, error)) if !matches!(error.eocd_offset(), Some(at) if at > least && at < end) => {
                return Err(error);
            }
            Err((again, error)) => {
                end = error.eocd_offset().unwrap_or(least);
                reader = again;
            }
        }
    }
}

fn broken(name: &str, reason: impl Into<Box<str>>) -> Error {
    Error::Archive { archive: name.into(), reason: reason.into() }
}

fn reason(error: rawzip::Error) -> Box<str> {
    match error.kind() {
        ErrorKind::MissingEndOfCentralDirectory => "it has no end record".into(),
        ErrorKind::Eof => "it ends inside its directory".into(),
        ErrorKind::InvalidSignature { .. } => "its directory has something else than records".into(),
        ErrorKind::InvalidEndOfCentralDirectory => "its directory begins after its end".into(),
        other => other.to_string().into(),
    }
}

/// Adapts the bytes to the interface of `rawzip`. Not generic, so that `rawzip` is compiled once for all sources.
struct Reader<'b> {
    bytes: &'b dyn ReadAt,
    /// The error of a failed read.
    failed: &'b Cell<Option<Error>>,
}

impl ReaderAt for Reader<'_> {
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        match self.bytes.read_at(offset, out.len() as u64) {
            Ok(bytes) => {
                let len = bytes.len().min(out.len());
                out[..len].copy_from_slice(&bytes[..len]);
                Ok(len)
            }
            Err(error) => {
                self.failed.set(Some(error));
                Err(io::ErrorKind::Other.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_takes_48_bytes_and_its_name() {
        assert_eq!(size_of::<Record>(), 48);
    }
}
