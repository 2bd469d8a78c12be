//! One archive: its entries by number and by name, and their bytes, which are borrowed if stored and inflated
//! otherwise.

mod content;
mod shared;
mod start;
mod together;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::Path;

use crate::archive_limits::{ArchiveLimits, check_total};
use crate::entry::{Entries, Entry};
use crate::zip_directory::Directory;
use crate::{Error, RandomAccessFile, ReadAt, Result, STREAM_NAME, Source};
use content::Content;
pub use shared::SharedBytes;

/// A PK3 or zip archive over the bytes of a [`Source`], or of any other [`ReadAt`].
///
/// Opening reads the directory at the end of the archive in one pass, and reads no entry. It keeps about 60 bytes and
/// the name of each entry. Names are compared without the case of ASCII letters, and `\` is the same as `/`. If several
/// entries have the same name in this sense, the last one is found. All of them are listed, except for entries whose
/// names are equal byte for byte: only the last of these is listed. An archive inside an archive is an ordinary entry:
/// open its bytes as another archive.
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

/// An archive that stays in its file, from which entries are read on demand.
pub type FileArchive = Archive<RandomAccessFile>;

impl Archive<Source> {
    /// Opens an archive over a source, with the default limits. If the source is mapped, stored entries are borrowed
    /// from the page cache, and the rest of a large archive is never loaded. [`FileArchive::open_file`] also avoids
    /// loading it, without `unsafe`.
    ///
    /// # Errors
    ///
    /// [`Error::Archive`], [`Error::TooManyEntries`]; and [`Error::TotalSize`] or [`Error::TotalRatio`] if the entries
    /// inflate to too many bytes in total.
    pub fn open(source: Source) -> Result<Archive> {
        Archive::open_with(source, ArchiveLimits::default())
    }

    /// Opens an archive over a source, with other limits.
    ///
    /// # Errors
    ///
    /// Same as [`Archive::open`].
    pub fn open_with(source: Source, limits: ArchiveLimits) -> Result<Archive> {
        let name = source.path().map(|path| path.display().to_string()).unwrap_or(STREAM_NAME.into());
        Archive::parse(source, &name, limits)
    }
}

impl FileArchive {
    /// Opens an archive that stays in its file. Opening reads the directory at its end, and reading an entry reads only
    /// that entry. No file descriptor stays open.
    ///
    /// # Errors
    ///
    /// Same as [`Archive::open`] and [`Source::read`].
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
    /// Opens an archive over any bytes. Errors refer to it by `name`.
    ///
    /// # Errors
    ///
    /// Same as [`Archive::open`].
    pub fn parse(bytes: B, name: &str, limits: ArchiveLimits) -> Result<Archive<B>> {
        Archive::parse_within(bytes, name, limits, &mut |_| true)
    }

    /// Like [`Archive::parse`], within a budget: `reserve` is called before the list of entries allocates a number of
    /// bytes, and returns whether they may be allocated.
    ///
    /// # Errors
    ///
    /// Same as [`Archive::open`], and [`Error::Memory`] if `reserve` refuses.
    pub fn parse_within(
        bytes: B,
        name: &str,
        limits: ArchiveLimits,
        reserve: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Archive<B>> {
        let directory = Directory::read(&bytes, name, limits.max_entries, reserve)?;
        let archive = Archive { bytes, name: name.into(), limits, directory };
        check_total(&archive.name, archive.entries(), &limits)?;
        Ok(archive)
    }

    /// The bytes of the whole archive.
    pub fn bytes(&self) -> &B {
        &self.bytes
    }

    /// The name of the archive in errors: its path, if it has one.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The entries in the order of the directory, including those with refused names.
    pub fn entries(&self) -> Entries<'_> {
        Entries { directory: &self.directory, numbers: 0..self.directory.len() as u32 }
    }

    /// The name and the size of each entry that a later one with exactly this name replaces, and that
    /// [`entries`](Self::entries) does not have.
    pub fn replaced(&self) -> impl Iterator<Item = (&str, u64)> {
        self.directory.replaced()
    }

    /// The entry with this number, counted from 0 in the order of the directory; `None` if the number is out of range.
    /// O(1).
    pub fn entry(&self, number: usize) -> Option<Entry<'_>> {
        self.directory.entry(u32::try_from(number).ok()?)
    }

    /// The entry with this name; `None` if it does not exist or its name is refused. O(1).
    pub fn find(&self, name: &str) -> Option<Entry<'_>> {
        self.entry(self.directory.find(name)? as usize)
    }

    /// The bytes of the entry with this name: see [`Archive::read`].
    ///
    /// # Errors
    ///
    /// [`Error::NoEntry`], and the errors of [`Archive::read`].
    pub fn read_name(&self, name: &str) -> Result<Cow<'_, [u8]>> {
        match self.find(name) {
            Some(entry) => self.read(&entry),
            None => Err(Error::NoEntry { archive: self.name.clone(), entry: name.into() }),
        }
    }

    /// The bytes of an entry of this archive, checked against the size and the CRC-32 in the directory. They are
    /// borrowed if the entry is stored.
    ///
    /// # Errors
    ///
    /// [`Error::Entry`] and [`Error::Overlap`], which do not affect other entries; [`Error::Io`] and [`Error::Changed`]
    /// for an archive in a file.
    pub fn read(&self, entry: &Entry<'_>) -> Result<Cow<'_, [u8]>> {
        self.content().read(entry, true)
    }

    /// Like [`Archive::read`], without checking the CRC-32, which is the only check that reads every byte. In a mapped
    /// archive, getting a stored entry then only reads its local header. Sizes and limits are still checked.
    ///
    /// # Errors
    ///
    /// Same as [`Archive::read`].
    pub fn read_unverified(&self, entry: &Entry<'_>) -> Result<Cow<'_, [u8]>> {
        self.content().read(entry, false)
    }

    /// Reads `len` bytes of a stored entry, starting at `offset`, or fewer if the entry ends earlier. Reads only these
    /// bytes. The CRC-32 is not compared, because it covers the whole entry.
    ///
    /// # Errors
    ///
    /// Same as [`Archive::read`], and [`EntryFault::Method`](crate::EntryFault::Method) if the entry is compressed.
    pub fn read_stored(&self, entry: &Entry<'_>, offset: u64, len: u64) -> Result<Cow<'_, [u8]>> {
        self.content().read_stored(entry, offset, len)
    }

    /// Like [`Archive::read_stored`], into the caller's memory. Returns the number of bytes: the length of `out`, or fewer if the
    /// entry ends earlier.
    ///
    /// # Errors
    ///
    /// Same as [`Archive::read_stored`].
    pub fn read_stored_into(&self, entry: &Entry<'_>, offset: u64, out: &mut [u8]) -> Result<usize> {
        self.content().read_stored_into(entry, offset, out)
    }

    /// Like [`Archive::read_stored_into`], for ranges of several entries: each from an offset, into memory of the caller. The file is
    /// opened once, and if the entries lie next to each other, within 256 KiB, they are read at once, with what is between them.
    pub fn read_stored_together(&self, wanted: &mut [(Entry<'_>, u64, &mut [u8])]) -> Vec<Result<usize>> {
        self.content().read_stored_together(wanted)
    }

    /// Reads ranges of several entries. As [`Archive::read_stored_together`], it opens the file once, and reads neighbours at once.
    /// The CRC-32 is compared for a whole entry. A range of a compressed entry is an error, unless it is the whole entry.
    pub fn read_together(&self, wanted: &[(Entry<'_>, Range<u64>)]) -> Vec<Result<Vec<u8>>> {
        self.content().read_together(wanted)
    }

    /// Reads the first `len` bytes of an entry, or the whole entry if it is shorter. A compressed entry is only
    /// inflated up to this length, which needs memory for `len` bytes and at most 64 KiB of compressed bytes. The
    /// CRC-32 is not compared, because it covers the whole entry.
    ///
    /// # Errors
    ///
    /// Same as [`Archive::read`].
    pub fn read_start(&self, entry: &Entry<'_>, len: u64) -> Result<Cow<'_, [u8]>> {
        self.content().read_start(entry, len)
    }

    fn content(&self) -> Content<'_> {
        Content { bytes: &self.bytes, name: &self.name, limits: &self.limits }
    }
}

impl<B> fmt::Debug for Archive<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Archive").field("name", &self.name).field("entries", &self.directory.len()).finish()
    }
}
