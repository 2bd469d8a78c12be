//! The directory of an archive with wrong counts, comments and sizes, and with damage.

use std::borrow::Cow;
use std::io::{Cursor, Write};

use meshlens_source::{Archive, ArchiveLimits, Error, ReadAt, Source};
use zip::CompressionMethod::{Deflated, Stored};
use zip::write::SimpleFileOptions;

use super::archive::{open, pack};

/// The offset of each record in the directory.
pub(super) fn records(bytes: &[u8]) -> Vec<usize> {
    (0..bytes.len()).filter(|&at| bytes[at..].starts_with(b"PK\x01\x02")).collect()
}

/// More entries than the plain format can count, so this is also a test of ZIP64.
#[test]
fn a_hundred_thousand_entries_open() {
    let options = SimpleFileOptions::default().compression_method(Stored);
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for i in 0..100_000 {
        zip.start_file(format!("models/{i:05}.md3"), options).unwrap();
        zip.write_all(&u32::to_le_bytes(i)).unwrap();
    }
    let mut bytes = zip.finish().unwrap().into_inner();

    let archive = open(&bytes);
    assert_eq!(archive.entries().len(), 100_000);
    assert_eq!(archive.entry(70_000).unwrap().name(), "models/70000.md3");
    assert_eq!(archive.read_name("MODELS/99999.md3").unwrap(), u32::to_le_bytes(99_999).as_slice());

    let tight = ArchiveLimits { max_entries: 99_999, ..ArchiveLimits::default() };
    let error = Archive::parse(&bytes, "test.pk3", tight).unwrap_err();
    assert!(matches!(error, Error::TooManyEntries { count: 100_000, limit: 99_999, .. }), "{error}");

    // The stated size of a directory is large enough to refuse it.
    let record = bytes.len() - 22 - 20 - 56;
    assert!(bytes[record..].starts_with(b"PK\x06\x06"));
    for at in [record + 24, record + 32] {
        bytes[at..at + 8].copy_from_slice(&(1u64 << 40).to_le_bytes());
    }
    let error = Archive::parse(&bytes, "test.pk3", ArchiveLimits::default()).unwrap_err();
    assert!(matches!(error, Error::TooManyEntries { count: 0x100_0000_0000, .. }), "{error}");
}

#[test]
fn a_directory_that_counts_wrong_is_refused() {
    let whole = pack(&[("a", Stored, b"1"), ("b", Stored, b"2")]);
    let end = whole.len() - 22;
    for count in [0u16, 1, 3] {
        let mut bytes = whole.clone();
        for at in [8, 10] {
            bytes[end + at..end + at + 2].copy_from_slice(&count.to_le_bytes());
        }
        let error = Archive::parse(&bytes, "test.pk3", ArchiveLimits::default()).unwrap_err();
        let text =
            format!("test.pk3: not a readable zip archive: its directory counts {count} entries and has 2");
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn a_comment_that_looks_like_an_end_record_is_skipped() {
    let mut bytes = pack(&[("a.md3", Stored, b"IDP3")]);
    let comment = b"PK\x05\x06 is how an archive ends, more or less";
    let end = bytes.len();
    bytes[end - 2..].copy_from_slice(&(comment.len() as u16).to_le_bytes());
    bytes.extend(comment);
    assert_eq!(&open(&bytes).read_name("a.md3").unwrap()[..], b"IDP3");
}

#[test]
fn an_empty_archive_opens_and_empty_bytes_do_not() {
    assert_eq!(open(&pack(&[])).entries().len(), 0);
    let error = Archive::open(Source::from_vec(Vec::new())).unwrap_err();
    assert!(matches!(&error, Error::Archive { archive, .. } if &**archive == "<stream>"), "{error}");
}

/// Opens an archive, reads every entry, and checks the properties that every archive has.
fn exercise(bytes: &[u8]) -> bool {
    let limits = ArchiveLimits { max_entry_bytes: 1 << 16, ..ArchiveLimits::default() };
    let Ok(archive) = Archive::parse(bytes, "test.pk3", limits) else { return false };
    let mut sound = true;
    for entry in archive.entries() {
        match archive.read(&entry) {
            Ok(content) => {
                assert_eq!(content.len() as u64, entry.size());
                assert_eq!(crc32fast::hash(&content), entry.crc32());
            }
            Err(_) => sound = false,
        }
        let _ = (archive.read_unverified(&entry), archive.find(entry.name()));
    }
    sound
}

fn small_archive() -> Vec<u8> {
    let text = b"meshlens ".repeat(20);
    pack(&[("a/b.md3", Stored, b"IDP3"), ("c.txt", Deflated, &text), ("d", Stored, b"")])
}

/// The same archive with a ZIP64 end record (APPNOTE 4.3.14 and 4.3.15).
pub(super) fn as_zip64(bytes: &[u8]) -> Vec<u8> {
    let (body, end) = bytes.split_at(bytes.len() - 22);
    let count = u64::from(u16::from_le_bytes([end[8], end[9]]));
    let word = |at: usize| u64::from(u32::from_le_bytes(end[at..at + 4].try_into().unwrap()));
    let mut out = body.to_vec();
    out.extend(b"PK\x06\x06\x2C\0\0\0\0\0\0\0\x2D\0\x2D\0\0\0\0\0\0\0\0\0");
    out.extend([count, count, word(12), word(16)].map(u64::to_le_bytes).as_flattened());
    out.extend(b"PK\x06\x07\0\0\0\0");
    out.extend(u64::to_le_bytes(body.len() as u64));
    out.extend(b"\x01\0\0\0PK\x05\x06\0\0\0\0");
    out.extend([0xFF; 12]);
    out.extend([0, 0]);
    out
}

/// The stated size is checked at every position of the end record, and with any number of bytes after it.
#[test]
fn enormous_stated_directories_are_always_refused() {
    let mut bytes = as_zip64(&small_archive());
    let record = bytes.len() - 22 - 20 - 56;
    for at in [record + 24, record + 32] {
        bytes[at..at + 8].copy_from_slice(&(1u64 << 40).to_le_bytes());
    }
    let end = bytes.len();
    let (mut heard, mut lost) = (0, 0);
    for after in (0..200).chain(65_500..66_700) {
        bytes.resize(end + after, 0);
        match Archive::parse(&bytes, "test.pk3", ArchiveLimits::default()).unwrap_err() {
            Error::TooManyEntries { count: 0x100_0000_0000, .. } => heard += 1,
            Error::Archive { reason, .. } if &*reason == "it has no end record" => lost += 1,
            other => panic!("{after} bytes after it: {other}"),
        }
    }
    assert!(heard > 200 && lost > 100, "{heard} heard, {lost} lost");
}

#[test]
fn prefixes_are_errors_without_a_panic() {
    for bytes in [small_archive(), as_zip64(&small_archive())] {
        assert!(exercise(&bytes));
        for len in 0..bytes.len() {
            assert!(!exercise(&bytes[..len]), "{len} of {} bytes", bytes.len());
        }
    }
}

#[test]
fn no_changed_byte_panics() {
    let (mut held, mut failed) = (0, 0);
    for bytes in [small_archive(), as_zip64(&small_archive())] {
        for at in 0..bytes.len() {
            for value in [bytes[at].wrapping_add(1), bytes[at].wrapping_sub(1), 0, 0xFF] {
                let mut changed = bytes.clone();
                changed[at] = value;
                if exercise(&changed) { held += 1 } else { failed += 1 }
            }
        }
    }
    // Changes of fields such as dates have no effect, unlike changes of signatures, sizes and content.
    assert!(held > 0 && failed > 0, "{held} held, {failed} failed");
}

/// Zeros with some bytes at two places, which take no memory.
struct Sparse {
    size: u64,
    parts: [(u64, Vec<u8>); 2],
}

impl ReadAt for Sparse {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, len: u64) -> Result<Cow<'_, [u8]>, Error> {
        let mut out = vec![0; len.min(self.size.saturating_sub(offset)) as usize];
        for (start, bytes) in &self.parts {
            for (at, byte) in (*start..).zip(bytes) {
                if let Some(out) = at.checked_sub(offset).and_then(|at| out.get_mut(at as usize)) {
                    *out = *byte;
                }
            }
        }
        Ok(out.into())
    }
}

/// A file of 8 KiB on a disk may have 200 GiB between the start of its directory and the end.
#[test]
fn a_directory_that_is_far_from_its_end_takes_no_memory() {
    let bytes = pack(&[("a", Stored, b"1")]);
    let (record, end) = (records(&bytes)[0], bytes.len() - 22);
    let mut last = bytes[end..].to_vec();
    last[16..20].fill(0);
    let size = 200 << 30;
    let parts = [(0, bytes[record..end].to_vec()), (size - 22, last)];
    let mut most = 0;
    let mut reserve = |bytes: u64| {
        most = bytes.max(most);
        true
    };
    let sparse = Sparse { size, parts };
    let error =
        Archive::parse_within(sparse, "test.pk3", ArchiveLimits::default(), &mut reserve).unwrap_err();
    assert!(matches!(error, Error::Archive { .. }), "{error}");
    assert!(most < 66_000, "{most}");
}

#[test]
fn memory_is_reserved_before_a_directory_takes_it() {
    // A byte of code page 437 takes up to three bytes.
    let mut bytes = pack(&[("a".repeat(1000).as_str(), Stored, b"1"), ("b", Stored, b"2")]);
    for start in [30, records(&bytes)[0] + 46] {
        bytes[start..start + 1000].fill(0xB0);
    }
    let mut all = 0;
    let mut reserve = |bytes: u64| {
        all += bytes;
        true
    };
    let archive =
        Archive::parse_within(&bytes[..], "test.pk3", ArchiveLimits::default(), &mut reserve).unwrap();
    assert_eq!(archive.entry(0).unwrap().name(), "░".repeat(1000));
    assert!((3001..10_000).contains(&all), "{all}");
    for limit in [0, 1000, 3000] {
        let mut left = limit;
        let mut reserve = |bytes: u64| {
            let fits = bytes <= left;
            left -= if fits { bytes } else { 0 };
            fits
        };
        let limits = ArchiveLimits::default();
        let error = Archive::parse_within(&bytes[..], "test.pk3", limits, &mut reserve).unwrap_err();
        assert!(matches!(error, Error::Memory { .. }), "{limit}: {error}");
    }
}
