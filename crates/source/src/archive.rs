//! One archive: its entries by number and by name, and their bytes, borrowed when stored and inflated when not.

use std::borrow::Cow;
use std::fmt;
use std::io::Read;
use std::path::Path;

use flate2::bufread::DeflateDecoder;

use crate::entry::{Entries, Entry, LOCAL_HEADER_SIZE, Method};
use crate::zip_directory::{Directory, Fault};
use crate::{EntryFault, Error, Overlap, RandomAccessFile, ReadAt, Result, STREAM_NAME, Source};

/// The largest entry that is inflated unless [`ArchiveLimits`] says otherwise: 256 MiB.
pub const DEFAULT_MAX_ENTRY_BYTES: u64 = 256 << 20;

/// How many times its own size an entry may inflate to unless [`ArchiveLimits`] says otherwise. Deflate cannot
/// do more than 1,032; models rarely do more than 20.
pub const DEFAULT_MAX_RATIO: u32 = 200;

/// The most entries of an archive unless [`ArchiveLimits`] says otherwise.
pub const DEFAULT_MAX_ENTRIES: u64 = 1 << 20;

/// An entry that inflates to at most this much (1 MiB) may do so at any ratio.
pub const RATIO_FREE_BYTES: u64 = 1 << 20;

/// The most that all deflated entries of an archive may inflate to unless [`ArchiveLimits`] says otherwise: 64 GiB.
pub const DEFAULT_MAX_TOTAL_BYTES: u64 = 64 << 30;

/// Entries that inflate to at most this much in all (64 MiB) may do so at any ratio.
pub const TOTAL_RATIO_FREE_BYTES: u64 = 64 << 20;

/// Limits on what an archive may make us do. The caller may tighten or loosen them.
///
/// Entries that overlap are refused, so that the work of reading every entry is bounded by the size of the archive and
/// these limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArchiveLimits {
    /// The most bytes that one deflated entry may inflate to. Stored entries are borrowed and have no limit.
    pub max_entry_bytes: u64,
    /// How many times its own size an entry larger than [`RATIO_FREE_BYTES`] may inflate to, and how many times their
    /// own size all of them may inflate to when that is more than [`TOTAL_RATIO_FREE_BYTES`].
    pub max_ratio: u32,
    /// The most bytes that all deflated entries may inflate to. Those that a limit for one entry refuses do not count.
    pub max_total_bytes: u64,
    /// The most entries that the archive may list.
    pub max_entries: u64,
}

impl Default for ArchiveLimits {
    fn default() -> ArchiveLimits {
        ArchiveLimits {
            max_entry_bytes: DEFAULT_MAX_ENTRY_BYTES,
            max_ratio: DEFAULT_MAX_RATIO,
            max_total_bytes: DEFAULT_MAX_TOTAL_BYTES,
            max_entries: DEFAULT_MAX_ENTRIES,
        }
    }
}

/// A PK3 or zip archive over the bytes of a [`Source`], or over anything else that is [`ReadAt`].
///
/// Opening reads the directory at the end, one pass, and touches no entry. It keeps about 60 bytes for each entry, and its
/// name. Names compare without regard to the
/// case of ASCII letters, and `\` is the same as `/`. When several entries have the same name by that measure,
/// the last one is found; all are listed, except that of entries whose names are equal byte for byte only the
/// last is. An archive inside an archive is just bytes: open them as another archive.
///
/// ```
/// # use std::io::Write;
/// # let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
/// # let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
/// # zip.start_file("Models/Lower.md3", stored)?;
/// # zip.write_all(b"IDP3")?;
/// # let pk3 = zip.finish()?.into_inner();
/// use std::borrow::Cow;
/// use meshlens_source::{Archive, Source};
///
/// let archive = Archive::open(Source::from_vec(pk3))?;
/// let model = archive.read_name("models\\lower.MD3")?;
/// assert_eq!(&model[..], b"IDP3");
/// assert!(matches!(model, Cow::Borrowed(_)), "a stored entry is not copied");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Archive<B = Source> {
    bytes: B,
    name: Box<str>,
    limits: ArchiveLimits,
    directory: Directory,
}

/// An archive that is read from its file, an entry at a time.
pub type FileArchive = Archive<RandomAccessFile>;

impl Archive<Source> {
    /// Opens an archive over a source, with the default limits. From a mapped source, stored entries are borrowed from
    /// the page cache, and the rest of a large archive is never loaded; without `unsafe`, [`FileArchive::open_file`]
    /// does not load it either.
    ///
    /// # Errors
    ///
    /// [`Error::Archive`], [`Error::TooManyEntries`], and [`Error::TotalSize`] and [`Error::TotalRatio`] for entries that
    /// inflate to too much in all.
    pub fn open(source: Source) -> Result<Archive> {
        Archive::open_with(source, ArchiveLimits::default())
    }

    /// Opens an archive over a source, with the caller's limits.
    ///
    /// # Errors
    ///
    /// As [`Archive::open`].
    pub fn open_with(source: Source, limits: ArchiveLimits) -> Result<Archive> {
        let name = source.path().map(|path| path.display().to_string()).unwrap_or(STREAM_NAME.into());
        Archive::parse(source, &name, limits)
    }
}

impl FileArchive {
    /// Opens an archive whose file stays on the disk: opening reads the directory at its end, and reading an entry
    /// reads that entry. It holds no descriptor.
    ///
    /// # Errors
    ///
    /// As [`Archive::open`] and [`Source::read`].
    ///
    /// ```no_run
    /// use meshlens_source::{ArchiveLimits, FileArchive};
    ///
    /// let archive = FileArchive::open_file("pak0.pk3", ArchiveLimits::default())?;
    /// let model = archive.read_name("models/players/sarge/lower.md3")?;
    /// # Ok::<(), meshlens_source::Error>(())
    /// ```
    pub fn open_file(path: impl AsRef<Path>, limits: ArchiveLimits) -> Result<FileArchive> {
        let file = RandomAccessFile::open(path)?;
        let name = file.path().display().to_string();
        Archive::parse(file, &name, limits)
    }
}

impl<B: ReadAt> Archive<B> {
    /// Opens an archive over bytes that lie anywhere; `name` is what errors call it.
    ///
    /// # Errors
    ///
    /// As [`Archive::open`].
    pub fn parse(bytes: B, name: &str, limits: ArchiveLimits) -> Result<Archive<B>> {
        let name: Box<str> = name.into();
        let directory = match Directory::read(&bytes, limits.max_entries) {
            Ok(directory) => directory,
            Err(Fault::TooMany(count)) => {
                return Err(Error::TooManyEntries { archive: name, count, limit: limits.max_entries });
            }
            Err(Fault::Broken(reason)) => return Err(Error::Archive { archive: name, reason }),
            Err(Fault::Unreadable(error)) => return Err(error),
        };
        let archive = Archive { bytes, name, limits, directory };
        check_total(&archive.name, archive.entries(), &limits)?;
        Ok(archive)
    }

    /// The bytes of the whole archive.
    pub fn bytes(&self) -> &B {
        &self.bytes
    }

    /// What errors call the archive: its path, if it has one.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The entries in the order of the directory, those with refused names included.
    pub fn entries(&self) -> Entries<'_> {
        Entries { directory: &self.directory, numbers: 0..self.directory.len() as u32 }
    }

    /// The entry of this number, counted from 0 in the order of the directory; `None` if there are not as many. O(1).
    pub fn entry(&self, number: usize) -> Option<Entry<'_>> {
        let number = u32::try_from(number).ok()?;
        Some(Entry { directory: &self.directory, record: self.directory.record(number)?, number })
    }

    /// The entry of this name, if there is one and its name is not refused. O(1).
    pub fn find(&self, name: &str) -> Option<Entry<'_>> {
        self.entry(self.directory.find(name)? as usize)
    }

    /// The bytes of the entry of this name: see [`Archive::read`].
    ///
    /// # Errors
    ///
    /// [`Error::NoEntry`], and as [`Archive::read`].
    pub fn read_name(&self, name: &str) -> Result<Cow<'_, [u8]>> {
        match self.find(name) {
            Some(entry) => self.read(&entry),
            None => Err(Error::NoEntry { archive: self.name.clone(), entry: name.into() }),
        }
    }

    /// The bytes of an entry of this archive, borrowed from it when the entry is stored, and checked against
    /// the size and the CRC-32 in the directory.
    ///
    /// # Errors
    ///
    /// [`Error::Entry`] and [`Error::Overlap`], which leave the other entries as they are; [`Error::Io`] and
    /// [`Error::Changed`] for an archive in a file.
    pub fn read(&self, entry: &Entry<'_>) -> Result<Cow<'_, [u8]>> {
        self.read_checking(entry, true)
    }

    /// Like [`Archive::read`], but leaves out the CRC-32, the one check that touches every byte: with a mapped
    /// archive, a stored entry then costs nothing but its local header until it is used. Sizes and limits are
    /// checked all the same.
    ///
    /// # Errors
    ///
    /// As [`Archive::read`].
    pub fn read_unverified(&self, entry: &Entry<'_>) -> Result<Cow<'_, [u8]>> {
        self.read_checking(entry, false)
    }

    /// Bytes of a stored entry: `len` of them from `offset` on, or as many as it has. Only these are read. The CRC-32, which
    /// covers the whole entry, is not compared.
    ///
    /// # Errors
    ///
    /// As [`Archive::read`]; [`EntryFault::Method`] for an entry that is compressed.
    pub fn read_stored(&self, entry: &Entry<'_>, offset: u64, len: u64) -> Result<Cow<'_, [u8]>> {
        let content = self.check(entry).and_then(|()| match entry.method() {
            Method::Stored => {
                let start = self.packed_start(entry)?;
                let offset = offset.min(entry.size());
                let len = len.min(entry.size() - offset);
                Ok(self.bytes.read_at(start + offset, len)?)
            }
            // APPNOTE 4.4.5.
            Method::Deflated => Err(EntryFault::Method(8).into()),
            Method::Other(number) => Err(EntryFault::Method(number).into()),
        });
        content.map_err(|failure| self.error(entry, failure))
    }

    fn read_checking(&self, entry: &Entry<'_>, checksum: bool) -> Result<Cow<'_, [u8]>> {
        self.content(entry, checksum).map_err(|failure| self.error(entry, failure))
    }

    fn error(&self, entry: &Entry<'_>, failure: Failure) -> Error {
        match failure {
            Failure::Entry(fault) => {
                Error::Entry { archive: self.name.clone(), entry: entry.name().into(), fault }
            }
            Failure::Archive(error) => error,
        }
    }

    /// What can be said against an entry without reading it.
    fn check(&self, entry: &Entry<'_>) -> Result<(), Failure> {
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

    fn content(&self, entry: &Entry<'_>, checksum: bool) -> Result<Cow<'_, [u8]>, Failure> {
        self.check(entry)?;
        let content = match entry.method() {
            Method::Stored => self.packed(entry)?,
            Method::Deflated => {
                check_size(entry, &self.limits)?;
                Cow::Owned(inflate(&self.packed(entry)?, entry.size())?)
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

    /// The entry's bytes as they lie in the archive, after its local header (APPNOTE 4.3.7).
    fn packed(&self, entry: &Entry<'_>) -> Result<Cow<'_, [u8]>, Failure> {
        Ok(self.bytes.read_at(self.packed_start(entry)?, entry.compressed_size())?)
    }

    /// Where the entry's bytes begin, once they are known to lie in the archive.
    fn packed_start(&self, entry: &Entry<'_>) -> Result<u64, Failure> {
        let no_header = EntryFault::LocalHeader { offset: entry.header_offset() };
        let header = self.bytes.read_at(entry.header_offset(), LOCAL_HEADER_SIZE)?;
        let header = header.first_chunk::<30>().ok_or(no_header)?;
        if !header.starts_with(b"PK\x03\x04") {
            return Err(no_header.into());
        }
        let name_len = u16::from_le_bytes([header[26], header[27]]);
        let extra_len = u16::from_le_bytes([header[28], header[29]]);
        // The header was there, so its offset is far from overflowing.
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
            archive: self.name.clone(),
            entry: entry.name().into(),
            start: entry.header_offset(),
            end,
            other: directory.name(other).into(),
            other_start: other.header_offset,
        }))
    }
}

/// Why an entry cannot be read: for a reason of its own, or because the archive cannot be read.
enum Failure {
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

impl<B> fmt::Debug for Archive<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Archive").field("name", &self.name).field("entries", &self.directory.len()).finish()
    }
}

/// Checks what all deflated entries inflate to, but for those that are refused anyway.
fn check_total(name: &str, entries: Entries<'_>, limits: &ArchiveLimits) -> Result<()> {
    let is_read = |entry: &Entry<'_>| {
        entry.method() == Method::Deflated && !entry.is_overlapping() && check_size(entry, limits).is_ok()
    };
    let (mut size, mut compressed) = (0u64, 0u64);
    for entry in entries.filter(is_read) {
        size = size.saturating_add(entry.size());
        compressed = compressed.saturating_add(entry.compressed_size());
    }
    if size > limits.max_total_bytes {
        return Err(Error::TotalSize { archive: name.into(), size, limit: limits.max_total_bytes });
    }
    if size > TOTAL_RATIO_FREE_BYTES && size > compressed.saturating_mul(limits.max_ratio.into()) {
        let limit = limits.max_ratio;
        return Err(Error::TotalRatio { archive: name.into(), compressed, size, limit });
    }
    Ok(())
}

/// Checks the size that the archive states for a deflated entry.
fn check_size(entry: &Entry<'_>, limits: &ArchiveLimits) -> Result<(), EntryFault> {
    let (size, compressed) = (entry.size(), entry.compressed_size());
    if size > limits.max_entry_bytes {
        return Err(EntryFault::TooLarge { size, limit: limits.max_entry_bytes });
    }
    if size > RATIO_FREE_BYTES && size > compressed.saturating_mul(limits.max_ratio.into()) {
        return Err(EntryFault::Ratio { compressed, size, limit: limits.max_ratio });
    }
    Ok(())
}

/// Inflates to exactly `stated` bytes: one byte more ends the work. Memory grows with what has been inflated, not with
/// the statement.
fn inflate(packed: &[u8], stated: u64) -> Result<Vec<u8>, EntryFault> {
    let compressed = packed.len() as u64;
    let mut out = Vec::new();
    // An honest entry of the usual ratio fits at once.
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
