//! One entry of an archive, and `archive!entry` paths.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use crate::NameFault;
use crate::entry_name::name_fault;
use crate::zip_directory::Directory;
use crate::zip_record::{Method, Record};

/// One entry in the directory of an archive. Its values are not checked against the bytes of the entry until these are
/// read. It is a reference and is cheap to copy.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    pub(crate) directory: &'a Directory,
    pub(crate) record: &'a Record,
    pub(crate) number: u32,
}

impl<'a> Entry<'a> {
    /// The number of the entry in the directory, counted from 0.
    pub fn number(&self) -> usize {
        self.number as usize
    }

    /// The name, as spelled in the archive. A name that is not UTF-8 is decoded from code page 437.
    pub fn name(&self) -> &'a str {
        self.directory.name(self.record)
    }

    /// The reason why the name is refused; `None` if it is not. An entry with a refused name is listed, but cannot be
    /// found by name or read.
    pub fn name_fault(&self) -> Option<NameFault> {
        name_fault(self.name())
    }

    /// The inflated size in bytes, as stated by the directory.
    pub fn size(&self) -> u64 {
        self.record.size
    }

    /// The size in the archive in bytes, as stated by the directory.
    pub fn compressed_size(&self) -> u64 {
        self.record.compressed_size
    }

    /// The offset of the entry's local header in the archive.
    pub fn header_offset(&self) -> u64 {
        self.record.header_offset
    }

    /// The CRC-32 of the inflated bytes, as stated by the directory.
    pub fn crc32(&self) -> u32 {
        self.record.crc32
    }

    /// The compression method.
    pub fn method(&self) -> Method {
        self.record.method()
    }

    /// Whether the entry is encrypted. Encrypted entries cannot be read.
    pub fn is_encrypted(&self) -> bool {
        self.record.encrypted
    }

    /// Whether another entry shares bytes with this one, according to the directory. Neither of them can be read.
    pub fn is_overlapping(&self) -> bool {
        self.directory.overlap(self.number).is_some()
    }

    /// Whether this is the entry of a folder, which has no bytes.
    pub fn is_folder(&self) -> bool {
        self.name().ends_with(['/', '\\'])
    }
}

/// Two entries are equal if all of their values in the directory are equal.
impl PartialEq for Entry<'_> {
    fn eq(&self, other: &Self) -> bool {
        let key = |entry: &Self| {
            let sizes = (entry.size(), entry.compressed_size(), entry.header_offset());
            (sizes, entry.crc32(), entry.method(), entry.is_encrypted())
        };
        key(self) == key(other) && self.name() == other.name()
    }
}

impl Eq for Entry<'_> {}

impl fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("name", &self.name())
            .field("size", &self.size())
            .field("compressed_size", &self.compressed_size())
            .field("header_offset", &self.header_offset())
            .field("method", &self.method())
            .finish_non_exhaustive()
    }
}

/// An iterator over the entries of an archive, in the order of its directory.
#[derive(Clone)]
pub struct Entries<'a> {
    pub(crate) directory: &'a Directory,
    pub(crate) numbers: Range<u32>,
}

impl Directory {
    /// The entry with this number.
    pub(crate) fn entry(&self, number: u32) -> Option<Entry<'_>> {
        Some(Entry { directory: self, record: self.record(number)?, number })
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        self.numbers.next().and_then(|number| self.directory.entry(number))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.numbers.size_hint()
    }
}

impl DoubleEndedIterator for Entries<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.numbers.next_back().and_then(|number| self.directory.entry(number))
    }
}

impl ExactSizeIterator for Entries<'_> {}

impl fmt::Debug for Entries<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entries").field("numbers", &self.numbers).finish_non_exhaustive()
    }
}

impl std::iter::FusedIterator for Entries<'_> {}

/// Splits `pak0.pk3!models/lower.md3` into the path of the archive and the name of the entry.
///
/// The split is at the first `!` that has an existing file on its left and text on its right, so file names and entry
/// names may contain `!`. Returns `None` if the whole path is a file, or if no `!` has a file on its left: the path is
/// then an ordinary path, and opening it returns the error. The name of the entry must be UTF-8; the path of the
/// archive may be anything (on Unix).
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// let pak = folder.path().join("pak0.pk3");
/// std::fs::write(&pak, b"")?;
///
/// let path = folder.path().join("pak0.pk3!models/lower.md3");
/// let (archive, entry) = meshlens_source::split_entry_path(&path).ok_or("no entry")?;
/// assert_eq!((archive, entry), (pak.as_path(), "models/lower.md3"));
///
/// assert!(meshlens_source::split_entry_path(&pak).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn split_entry_path(path: &Path) -> Option<(&Path, &str)> {
    if path.exists() {
        return None;
    }
    splits(path).find(|(archive, entry)| !entry.is_empty() && archive.is_file())
}

#[cfg(unix)]
fn splits(path: &Path) -> impl Iterator<Item = (&Path, &str)> {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let bytes = path.as_os_str().as_bytes();
    bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'!').filter_map(|(at, _)| {
        let entry = std::str::from_utf8(&bytes[at + 1..]).ok()?;
        Some((Path::new(OsStr::from_bytes(&bytes[..at])), entry))
    })
}

#[cfg(not(unix))]
fn splits(path: &Path) -> impl Iterator<Item = (&Path, &str)> {
    let text = path.to_str().unwrap_or("");
    text.match_indices('!').map(|(at, _)| (Path::new(&text[..at]), &text[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_at_the_first_mark_after_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, b"").unwrap();
            path
        };
        let split = |name: &str| {
            let path = folder.path().join(name);
            split_entry_path(&path).map(|(archive, entry)| (archive.to_path_buf(), entry.to_owned()))
        };
        let plain = file("plain.pk3");
        let marked = file("odd!name.pk3");
        file("a!b.md3");

        assert_eq!(split("plain.pk3!x!y.md3"), Some((plain, "x!y.md3".into())));
        assert_eq!(split("odd!name.pk3!x.md3"), Some((marked, "x.md3".into())));
        assert_eq!(split("a!b.md3"), None, "a file whose name has a mark");
        assert_eq!(split("plain.pk3!"), None, "no entry");
        assert_eq!(split("missing.pk3!x.md3"), None);
        assert_eq!(split("!x.md3"), None, "a folder is no archive");
    }
}
