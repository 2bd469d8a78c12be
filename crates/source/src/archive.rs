//! One archive: its entries by number and by name, and their bytes, borrowed when stored and inflated when not.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::io::Read;

use flate2::bufread::DeflateDecoder;

use crate::entry::{Entry, Method, fold_name};
use crate::{EntryFault, Error, Result, STREAM_NAME, Source, zip_directory};

/// The largest entry that is inflated unless [`ArchiveLimits`] says otherwise: 256 MiB.
pub const DEFAULT_MAX_ENTRY_BYTES: u64 = 256 << 20;

/// How many times its own size an entry may inflate to unless [`ArchiveLimits`] says otherwise. Deflate cannot
/// do more than 1,032; models rarely do more than 20.
pub const DEFAULT_MAX_RATIO: u32 = 200;

/// The most entries of an archive unless [`ArchiveLimits`] says otherwise.
pub const DEFAULT_MAX_ENTRIES: u64 = 1 << 20;

/// An entry that inflates to at most this much (1 MiB) may do so at any ratio.
pub const RATIO_FREE_BYTES: u64 = 1 << 20;

/// Limits on what an archive may make us do. The caller may tighten or loosen them.
///
/// They hold for each entry on its own. Entries may overlap in the archive, so the sum over all of them is
/// not bounded by its size: who reads every entry of an untrusted archive should add up [`Entry::size`] first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArchiveLimits {
    /// The most bytes that one deflated entry may inflate to. Stored entries are borrowed and have no limit.
    pub max_entry_bytes: u64,
    /// How many times its own size an entry larger than [`RATIO_FREE_BYTES`] may inflate to.
    pub max_ratio: u32,
    /// The most entries that the archive may list.
    pub max_entries: u64,
}

impl Default for ArchiveLimits {
    fn default() -> ArchiveLimits {
        ArchiveLimits {
            max_entry_bytes: DEFAULT_MAX_ENTRY_BYTES,
            max_ratio: DEFAULT_MAX_RATIO,
            max_entries: DEFAULT_MAX_ENTRIES,
        }
    }
}

/// A PK3 or zip archive over the bytes of a [`Source`], or over anything else that lends bytes.
///
/// Opening reads the directory at the end, one pass, and touches no entry. Names compare without regard to the
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
    entries: Vec<Entry>,
    by_name: HashMap<Box<str>, usize>,
}

impl Archive<Source> {
    /// Opens an archive over a source, with the default limits. A mapped source is the best one: then stored
    /// entries are borrowed from the page cache, and the rest of a large archive is never loaded.
    ///
    /// # Errors
    ///
    /// [`Error::Archive`] and [`Error::TooManyEntries`].
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
        let archive = Archive::parse(source, &name, limits);
        if let Ok(archive) = &archive {
            archive.bytes.intact()?;
        }
        archive
    }
}

impl<B: AsRef<[u8]>> Archive<B> {
    /// Opens an archive over bytes that lie anywhere; `name` is what errors call it.
    ///
    /// # Errors
    ///
    /// As [`Archive::open`].
    pub fn parse(bytes: B, name: &str, limits: ArchiveLimits) -> Result<Archive<B>> {
        let name: Box<str> = name.into();
        let entries = match zip_directory::list(bytes.as_ref(), limits.max_entries) {
            Ok(entries) => entries,
            Err(zip_directory::Fault::TooMany(count)) => {
                return Err(Error::TooManyEntries { archive: name, count, limit: limits.max_entries });
            }
            Err(zip_directory::Fault::Broken(reason)) => {
                return Err(Error::Archive { archive: name, reason });
            }
        };
        let named = entries.iter().enumerate().filter(|(_, entry)| entry.name_fault.is_none());
        let by_name = named.map(|(index, entry)| (fold_name(&entry.name), index)).collect();
        Ok(Archive { bytes, name, limits, entries, by_name })
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
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of this name, if there is one and its name is not refused.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.by_name.get(&fold_name(name)).map(|&index| &self.entries[index])
    }

    /// The bytes of the entry of this name: see [`Archive::read`].
    ///
    /// # Errors
    ///
    /// [`Error::NoEntry`], and as [`Archive::read`].
    pub fn read_name(&self, name: &str) -> Result<Cow<'_, [u8]>> {
        match self.find(name) {
            Some(entry) => self.read(entry),
            None => Err(Error::NoEntry { archive: self.name.clone(), entry: name.into() }),
        }
    }

    /// The bytes of an entry of this archive, borrowed from it when the entry is stored, and checked against
    /// the size and the CRC-32 in the directory.
    ///
    /// # Errors
    ///
    /// [`Error::Entry`], which leaves the other entries as they are.
    pub fn read(&self, entry: &Entry) -> Result<Cow<'_, [u8]>> {
        self.read_checking(entry, true)
    }

    /// Like [`Archive::read`], but leaves out the CRC-32, the one check that touches every byte: with a mapped
    /// archive, a stored entry then costs nothing but its local header until it is used. Sizes and limits are
    /// checked all the same.
    ///
    /// # Errors
    ///
    /// As [`Archive::read`].
    pub fn read_unverified(&self, entry: &Entry) -> Result<Cow<'_, [u8]>> {
        self.read_checking(entry, false)
    }

    fn read_checking(&self, entry: &Entry, checksum: bool) -> Result<Cow<'_, [u8]>> {
        let content = self.content(entry, checksum);
        content.map_err(|fault| Error::Entry { archive: self.name.clone(), entry: entry.name.clone(), fault })
    }

    fn content(&self, entry: &Entry, checksum: bool) -> Result<Cow<'_, [u8]>, EntryFault> {
        if let Some(fault) = entry.name_fault {
            return Err(EntryFault::Name(fault));
        }
        if entry.encrypted {
            return Err(EntryFault::Encrypted);
        }
        let content = match entry.method {
            Method::Stored if entry.compressed_size != entry.size => {
                return Err(EntryFault::Size { stated: entry.size });
            }
            Method::Stored => Cow::Borrowed(self.packed(entry)?),
            Method::Deflated => Cow::Owned(inflate(self.packed(entry)?, entry.size, &self.limits)?),
            Method::Other(number) => return Err(EntryFault::Method(number)),
        };
        if checksum {
            let found = crc32fast::hash(&content);
            if found != entry.crc32 {
                return Err(EntryFault::Checksum { expected: entry.crc32, found });
            }
        }
        Ok(content)
    }

    /// The entry's bytes as they lie in the archive, behind its local header (APPNOTE 4.3.7).
    fn packed(&self, entry: &Entry) -> Result<&[u8], EntryFault> {
        let bytes = self.bytes.as_ref();
        let no_header = EntryFault::LocalHeader { offset: entry.header_offset };
        let at = usize::try_from(entry.header_offset).map_err(|_| no_header)?;
        let header = bytes.get(at..).and_then(|rest| rest.first_chunk::<30>()).ok_or(no_header)?;
        if !header.starts_with(b"PK\x03\x04") {
            return Err(no_header);
        }
        let name_len = u16::from_le_bytes([header[26], header[27]]);
        let extra_len = u16::from_le_bytes([header[28], header[29]]);
        let start = at + header.len() + usize::from(name_len) + usize::from(extra_len);
        let rest = bytes.get(start..).unwrap_or_default();
        let size = usize::try_from(entry.compressed_size).unwrap_or(usize::MAX);
        rest.get(..size).filter(|_| start <= bytes.len()).ok_or(EntryFault::Truncated {
            offset: start as u64,
            size: entry.compressed_size,
            archive_len: bytes.len() as u64,
        })
    }
}

impl<B> fmt::Debug for Archive<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Archive").field("name", &self.name).field("entries", &self.entries.len()).finish()
    }
}

/// Inflates to exactly `stated` bytes. The limits are checked against the statement, and the statement is held
/// to: one byte more ends the work. Memory grows with what has been inflated, not with the statement.
fn inflate(packed: &[u8], stated: u64, limits: &ArchiveLimits) -> Result<Vec<u8>, EntryFault> {
    let compressed = packed.len() as u64;
    if stated > limits.max_entry_bytes {
        return Err(EntryFault::TooLarge { size: stated, limit: limits.max_entry_bytes });
    }
    if stated > RATIO_FREE_BYTES && stated > compressed.saturating_mul(limits.max_ratio.into()) {
        return Err(EntryFault::Ratio { compressed, size: stated, limit: limits.max_ratio });
    }
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
