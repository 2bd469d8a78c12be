//! Writes archives whose entries are stored and aligned, so that they can be mapped.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use crate::entry_name::name_fault;
use crate::{AtomicFile, EntryFault, Error, Result};

/// The alignment of the bytes of each entry: a page of memory, and a block of most disks.
pub const ALIGNMENT: u16 = 4096;

/// What a field of 32 bits holds when the value is in the 64-bit field.
const IN_64: u32 = u32::MAX;
/// Names are UTF-8.
const UTF8: u16 = 1 << 11;
/// The 1st of January 1980, the first date of the format.
const DATE: u16 = 0x21;
/// The identifier of the extra field of 64-bit sizes and offsets.
const ZIP64: u16 = 1;
/// The identifier of the extra field that aligns an entry: the alignment, then zeros.
const PADDING: u16 = 0xd935;

/// Writes a zip or PK3 archive: entries are stored, and their bytes start at a multiple of [`ALIGNMENT`]. The same entries give the
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
    file: AtomicFile,
    path: Box<Path>,
    written: u64,
    names: HashSet<Box<str>>,
    directory: Vec<u8>,
}

impl ArchiveWriter {
    /// Starts writing an archive.
    ///
    /// # Errors
    ///
    /// Same as [`AtomicFile::create`].
    pub fn create(path: impl AsRef<Path>, overwrite: bool) -> Result<ArchiveWriter> {
        let path = path.as_ref();
        let file = AtomicFile::create(path, overwrite)?;
        Ok(ArchiveWriter {
            file,
            path: path.into(),
            written: 0,
            names: HashSet::new(),
            directory: Vec::new(),
        })
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
        let refused =
            |reason| Error::io(&self.path, "write")(io::Error::new(io::ErrorKind::InvalidInput, reason));
        let Ok(name_len) = u16::try_from(name.len()) else {
            return Err(refused("a name of an entry has more than 65,535 bytes"));
        };
        if !self.names.insert(name.into()) {
            return Err(refused("the archive has an entry with this name"));
        }
        let (start, size) = (self.written, bytes.len() as u64);
        let large = size >= u64::from(IN_64);
        let (size_32, start_32) =
            (if large { IN_64 } else { size as u32 }, u32::try_from(start).unwrap_or(IN_64));
        // The fields that a local header and a record of the directory have in common.
        let mut common = Vec::new();
        put_16(&mut common, &[if large || start_32 == IN_64 { 45 } else { 20 }, UTF8, 0, 0, DATE]);
        put_32(&mut common, &[crc32fast::hash(bytes), size_32, size_32]);
        put_16(&mut common, &[name_len]);

        let mut extra = Vec::new();
        if large {
            put_16(&mut extra, &[ZIP64, 16]);
            put_64(&mut extra, &[size, size]);
        }
        // An extra field has at least its identifier, its length and the alignment.
        let unpadded = start + 30 + name.len() as u64 + extra.len() as u64 + 6;
        if size > 0 {
            let zeros = unpadded.next_multiple_of(u64::from(ALIGNMENT)) - unpadded;
            put_16(&mut extra, &[PADDING, 2 + zeros as u16, ALIGNMENT]);
            extra.resize(extra.len() + zeros as usize, 0);
        }

        let mut header = b"PK\x03\x04".to_vec();
        header.extend_from_slice(&common);
        put_16(&mut header, &[extra.len() as u16]);
        header.extend_from_slice(name.as_bytes());
        header.extend_from_slice(&extra);
        self.write(&header)?;
        self.write(bytes)?;

        extra.clear();
        if large || start_32 == IN_64 {
            let (sizes, offset): (&[u64], &[u64]) =
                (if large { &[size, size] } else { &[] }, if start_32 == IN_64 { &[start] } else { &[] });
            put_16(&mut extra, &[ZIP64, 8 * (sizes.len() + offset.len()) as u16]);
            put_64(&mut extra, sizes);
            put_64(&mut extra, offset);
        }
        let out = &mut self.directory;
        out.extend_from_slice(b"PK\x01\x02");
        // Made on Unix, by a program that knows the 64-bit fields.
        put_16(out, &[3 << 8 | 45]);
        out.extend_from_slice(&common);
        put_16(out, &[extra.len() as u16, 0, 0, 0]);
        // A regular file that everybody may read.
        put_32(out, &[0o100_644 << 16, start_32]);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(&extra);
        Ok(())
    }

    /// Writes the directory, and puts the archive in place.
    ///
    /// # Errors
    ///
    /// Same as [`AtomicFile::commit`].
    pub fn finish(mut self) -> Result<()> {
        let (start, size, count) = (self.written, self.directory.len() as u64, self.names.len() as u64);
        let mut end = std::mem::take(&mut self.directory);
        if count >= u64::from(u16::MAX) || start + size >= u64::from(IN_64) {
            end.extend_from_slice(b"PK\x06\x06");
            put_64(&mut end, &[44]);
            put_16(&mut end, &[3 << 8 | 45, 45]);
            put_32(&mut end, &[0, 0]);
            put_64(&mut end, &[count, count, size, start]);
            end.extend_from_slice(b"PK\x06\x07");
            put_32(&mut end, &[0]);
            put_64(&mut end, &[start + size]);
            put_32(&mut end, &[1]);
        }
        end.extend_from_slice(b"PK\x05\x06");
        let count = u16::try_from(count).unwrap_or(u16::MAX);
        put_16(&mut end, &[0, 0, count, count]);
        put_32(&mut end, &[size, start].map(|value| u32::try_from(value).unwrap_or(IN_64)));
        put_16(&mut end, &[0]);
        self.write(&end)?;
        self.file.commit()
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.written += bytes.len() as u64;
        self.file.write_all(bytes).map_err(Error::io(&self.path, "write"))
    }
}

fn put_16(out: &mut Vec<u8>, values: &[u16]) {
    out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

fn put_32(out: &mut Vec<u8>, values: &[u32]) {
    out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

fn put_64(out: &mut Vec<u8>, values: &[u64]) {
    out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
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

    #[test]
    fn archives_of_many_entries_are_read_by_other_readers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("many.pk3");
        let mut writer = ArchiveWriter::create(&path, false).unwrap();
        for index in 0..70_000 {
            writer.add(&format!("{index}"), b"").unwrap();
        }
        writer.add("ä", b"last").unwrap();
        writer.finish().unwrap();
        let mut theirs = zip::ZipArchive::new(std::fs::File::open(&path).unwrap()).unwrap();
        assert_eq!(theirs.len(), 70_001);
        let mut last = theirs.by_name("ä").unwrap();
        assert_eq!(last.data_start().unwrap() % u64::from(ALIGNMENT), 0);
        assert_eq!(io::read_to_string(&mut last).unwrap(), "last");
        let ours = Archive::open(Source::read(&path).unwrap()).unwrap();
        assert_eq!((ours.entries().len(), &ours.read_name("ä").unwrap()[..]), (70_001, &b"last"[..]));
    }

    #[test]
    fn an_offset_of_more_than_32_bits_is_in_the_64_bit_field() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = ArchiveWriter::create(folder.path().join("a"), false).unwrap();
        writer.written = 0x1_2345_6000;
        writer.add("a", b"").unwrap();
        let record = &writer.directory;
        assert_eq!(record[42..46], [0xff; 4], "the offset of 32 bits");
        assert_eq!(record[47..], [1, 0, 8, 0, 0x00, 0x60, 0x45, 0x23, 1, 0, 0, 0], "the field of 64 bits");
    }
}
