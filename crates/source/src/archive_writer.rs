//! Writes archives whose entries are stored and aligned, so that they can be mapped.

use std::io::{self, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::entry_name::name_fault;
use crate::{AtomicFile, EntryFault, Error, Result};

/// The alignment of the bytes of each entry: a page of memory, and a block of most disks.
pub const ALIGNMENT: u16 = 4096;

/// From this size on, an entry has a header of the 64-bit format.
const LARGE: u64 = u32::MAX as u64;

/// Writes a zip or PK3 archive: entries are stored, and each starts at a multiple of [`ALIGNMENT`]. The same entries give the
/// same bytes. The file appears at its path when it is [finished](Self::finish); if the writer is dropped earlier, nothing remains.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("pak0.pk3");
/// use meshlens_source::{Archive, ArchiveWriter, Source};
///
/// let mut writer = ArchiveWriter::create(&path, false)?;
/// writer.add("models/lower.md3", b"IDP3")?;
/// writer.finish()?;
/// assert_eq!(&Archive::open(Source::read(&path)?)?.read_name("models/lower.md3")?[..], b"IDP3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ArchiveWriter {
    zip: ZipWriter<AtomicFile>,
    path: Box<Path>,
}

impl ArchiveWriter {
    /// Starts writing an archive.
    ///
    /// # Errors
    ///
    /// Same as [`AtomicFile::create`].
    pub fn create(path: impl AsRef<Path>, overwrite: bool) -> Result<ArchiveWriter> {
        let path = path.as_ref();
        Ok(ArchiveWriter { zip: ZipWriter::new(AtomicFile::create(path, overwrite)?), path: path.into() })
    }

    /// Adds an entry. Names have `/` between folders.
    ///
    /// # Errors
    ///
    /// [`Error::Entry`] if readers refuse the name; [`Error::Io`] if the bytes cannot be written, or if the archive has an
    /// entry with this name.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        if let Some(fault) = name_fault(name) {
            let archive = self.path.display().to_string().into();
            return Err(Error::Entry { archive, entry: name.into(), fault: EntryFault::Name(fault) });
        }
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644)
            .large_file(bytes.len() as u64 >= LARGE)
            .with_alignment(ALIGNMENT);
        let added = self.zip.start_file(name, options).map_err(io::Error::from);
        added.and_then(|()| self.zip.write_all(bytes)).map_err(Error::io(&self.path, "write"))
    }

    /// Writes the directory, and puts the archive in place.
    ///
    /// # Errors
    ///
    /// Same as [`AtomicFile::commit`].
    pub fn finish(self) -> Result<()> {
        let file = self.zip.finish().map_err(|error| Error::io(&self.path, "write")(error.into()))?;
        file.commit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Archive, Method, Source};

    #[test]
    fn entries_are_stored_aligned_and_the_same_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = folder.path().join(name);
            let mut writer = ArchiveWriter::create(&path, false).unwrap();
            for len in [0, 1, 4095, 4096, 4097] {
                writer.add(&format!("a/{len}.bin"), &vec![7; len]).unwrap();
            }
            writer.finish().unwrap();
            std::fs::read(path).unwrap()
        };
        let bytes = write("a.pk3");
        assert_eq!(bytes, write("b.pk3"));
        let archive = Archive::open(Source::from_vec(bytes.clone())).unwrap();
        assert_eq!(archive.entries().len(), 5);
        for entry in archive.entries() {
            assert_eq!(entry.method(), Method::Stored);
            let read = archive.read(&entry).unwrap();
            assert_eq!(read.len() as u64, entry.size());
            let start = read.as_ptr().addr() - archive.bytes().as_ptr().addr();
            assert!(
                read.is_empty() || start.is_multiple_of(usize::from(ALIGNMENT)),
                "{} at {start}",
                entry.name()
            );
        }
    }

    #[test]
    fn refused_and_equal_names_are_errors_and_nothing_remains() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pk3");
        let mut writer = ArchiveWriter::create(&path, false).unwrap();
        assert!(writer.add("../a", b"").is_err());
        writer.add("a", b"1").unwrap();
        assert!(writer.add("a", b"2").is_err());
        drop(writer);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
