//! Properties of entries, parts of entries, and archives whose bytes cannot be read.

use std::borrow::Cow;
use std::cell::Cell;

use meshlens_source::{
    Archive, ArchiveLimits, Entry, EntryFault, Error, FileArchive, Method, OpenedFile, RandomAccessFile,
    ReadAt, Result, STREAM_NAME, Source,
};
use zip::CompressionMethod::{Deflated, Stored};

use super::archive::{open, pack};

#[test]
fn entries_have_the_values_of_the_directory() {
    let bytes = pack(&[("models/", Stored, b""), ("models/a.md3", Stored, b"IDP3")]);
    let archive = open(&bytes);
    assert_eq!(format!("{archive:?}"), "Archive { name: \"test.pk3\", entries: 2 }");
    assert_eq!((archive.bytes().len(), archive.name()), (bytes.len(), "test.pk3"));
    let entries = archive.entries();
    assert_eq!(format!("{entries:?}"), "Entries { numbers: 0..2, .. }");
    assert_eq!(entries.clone().rev().map(|entry| entry.number()).collect::<Vec<_>>(), [1, 0]);
    let [folder, model] = entries.collect::<Vec<_>>()[..] else { panic!("two entries") };
    assert_eq!((folder.is_folder(), model.is_folder(), model.is_encrypted()), (true, false, false));
    // A local header of 30 bytes, and a name of 7 bytes.
    assert_eq!((folder.header_offset(), model.header_offset()), (0, 37));
    assert!(model == archive.find("MODELS\\A.MD3").unwrap() && model != folder);
    let text = "Entry { name: \"models/a.md3\", size: 4, compressed_size: 4, header_offset: 37, method: Stored, .. }";
    assert_eq!(format!("{model:?}"), text);
    assert!(archive.entry(2).is_none());
    let from_memory = Archive::open(Source::from_vec(bytes.clone())).unwrap();
    assert_eq!(from_memory.name(), STREAM_NAME);
}

#[test]
fn only_stored_entries_are_read_in_parts() {
    let bytes = pack(&[("a.md3", Stored, b"IDP3"), ("b.txt", Deflated, &[b'b'; 100]), ("c", Stored, b"c")]);
    let archive = open(&bytes);
    let entry = archive.find("a.md3").unwrap();
    for (offset, len, part) in
        [(0, 4, &b"IDP3"[..]), (1, 2, b"DP"), (3, 99, b"3"), (4, 1, b""), (u64::MAX, 1, b"")]
    {
        assert_eq!(&archive.read_stored(&entry, offset, len).unwrap()[..], part, "{offset} {len}");
        let mut room = vec![0; len as usize];
        let filled = archive.read_stored_into(&entry, offset, &mut room).unwrap();
        assert_eq!(&room[..filled], part, "{offset} {len}");
    }
    let refused = |archive: &Archive<&[u8]>, name: &str| {
        let entry = archive.find(name).unwrap();
        let parts = [archive.read_stored(&entry, 0, 1), archive.read_start(&entry, 1)];
        parts.map(|part| match part {
            Err(Error::Entry { fault, .. }) => Some(fault),
            _ => None,
        })
    };
    assert_eq!(refused(&archive, "b.txt"), [Some(EntryFault::Method(8)), None]);
    // The method is at offset 10 of the record in the directory (APPNOTE 4.3.12).
    let mut other = bytes.clone();
    let record = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(b"PK\x01\x02")).nth(1).unwrap();
    other[record + 10] = 12;
    assert_eq!(refused(&open(&other), "b.txt"), [Some(EntryFault::Method(12)); 2]);
    assert_eq!(open(&other).find("b.txt").unwrap().method(), Method::Other(12));
    // The compressed bytes, which follow a local header of 30 bytes and a name of 5 bytes, are changed to a block of an
    // unknown kind.
    let mut other = bytes.clone();
    other[35 + 4 + 35] = 0xff;
    assert_eq!(refused(&open(&other), "b.txt"), [Some(EntryFault::Method(8)), Some(EntryFault::Deflate)]);
    let tight = ArchiveLimits { max_entry_bytes: 99, ..ArchiveLimits::default() };
    let tight = Archive::parse(&bytes[..], "test.pk3", tight).unwrap();
    let large = EntryFault::TooLarge { size: 100, limit: 99 };
    assert_eq!(refused(&tight, "b.txt"), [Some(EntryFault::Method(8)), Some(large)]);
}

#[test]
fn a_list_without_memory_is_an_error() {
    let bytes = pack(&[("a.md3", Stored, b"IDP3"), ("b.md3", Stored, b"IDP3")]);
    let limits = ArchiveLimits::default();
    let mut asked = Vec::new();
    let archive = Archive::parse_within(&bytes, "test.pk3", limits, &mut |more| {
        asked.push(more);
        true
    });
    assert_eq!(archive.unwrap().entries().len(), 2);
    for (index, more) in asked.iter().enumerate() {
        let mut left = index;
        let refused = Archive::parse_within(&bytes, "test.pk3", limits, &mut |_| {
            left = left.wrapping_sub(1);
            left != usize::MAX
        });
        match refused.unwrap_err() {
            Error::Memory { archive, bytes } => assert_eq!((&*archive, bytes), ("test.pk3", *more)),
            other => panic!("{other}"),
        }
    }
}

/// An archive whose bytes cannot be read after some reads.
struct Failing {
    bytes: Vec<u8>,
    reads: Cell<usize>,
}

impl ReadAt for Failing {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, len: u64) -> Result<Cow<'_, [u8]>> {
        if self.reads.get() == 0 {
            return Err(Error::Changed { path: std::path::Path::new("pak0.pk3").into() });
        }
        self.reads.set(self.reads.get() - 1);
        self.bytes.read_at(offset, len)
    }
}

/// The file of an archive, which counts how often it is opened.
struct Counted {
    file: RandomAccessFile,
    opened: Cell<usize>,
}

impl ReadAt for Counted {
    fn size(&self) -> u64 {
        self.file.size()
    }

    fn read_at(&self, offset: u64, len: u64) -> Result<Cow<'_, [u8]>> {
        self.opened.set(self.opened.get() + 1);
        self.file.read_at(offset, len)
    }

    fn opened(&self) -> Result<Option<OpenedFile>> {
        self.opened.set(self.opened.get() + 1);
        self.file.opened()
    }
}

#[test]
fn a_file_is_opened_once_for_the_header_and_the_bytes_of_an_entry() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pak0.pk3");
    std::fs::write(&path, pack(&[("a.md3", Stored, b"IDP3"), ("b.txt", Deflated, b"aaaaaaaa")])).unwrap();
    let file = Counted { file: RandomAccessFile::open(&path).unwrap(), opened: Cell::new(0) };
    let archive = Archive::parse(file, "pak0.pk3", ArchiveLimits::default()).unwrap();
    let [stored, deflated] = ["a.md3", "b.txt"].map(|name| archive.find(name).unwrap());
    archive.bytes().opened.set(0);
    assert_eq!(&archive.read_stored(&stored, 1, 2).unwrap()[..], b"DP");
    assert_eq!(archive.bytes().opened.get(), 1);
    let mut room = [0; 9];
    assert_eq!((archive.read_stored_into(&stored, 2, &mut room).unwrap(), &room[..2]), (2, &b"P3"[..]));
    assert_eq!(archive.bytes().opened.replace(1), 2);
    assert_eq!(&archive.read(&deflated).unwrap()[..], b"aaaaaaaa");
    assert_eq!(archive.bytes().opened.get(), 2);
    std::fs::write(&path, b"PK").unwrap();
    assert!(matches!(archive.read_stored(&stored, 1, 2), Err(Error::Changed { .. })));
    assert!(matches!(archive.read_stored_into(&stored, 1, &mut room), Err(Error::Changed { .. })));
}

type Part = fn(&Archive<Failing>, &Entry<'_>) -> Result<()>;

#[test]
fn errors_of_reading_are_returned() {
    let text: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
    let bytes = pack(&[("a.md3", Stored, b"IDP3"), ("b.txt", Deflated, &text)]);
    let parse = |reads: usize| {
        let bytes = Failing { bytes: bytes.clone(), reads: Cell::new(reads) };
        Archive::parse(bytes, "test.pk3", ArchiveLimits::default())
    };
    let needed = (0..100).find(|reads| parse(*reads).is_ok()).unwrap();
    for reads in 0..needed {
        assert!(matches!(parse(reads), Err(Error::Changed { .. })), "{reads}");
    }
    let archive = parse(100).unwrap();
    let whole: Part = |archive, entry| archive.read(entry).map(drop);
    let start: Part = |archive, entry| archive.read_start(entry, 200_000).map(drop);
    for name in ["a.md3", "b.txt"] {
        let entry = archive.find(name).unwrap();
        // Reading the local header fails, or reading the bytes.
        for reads in 0..2 {
            for part in [whole, start] {
                archive.bytes().reads.set(reads);
                assert!(matches!(part(&archive, &entry), Err(Error::Changed { .. })), "{name} {reads}");
            }
        }
        archive.bytes().reads.set(100);
        assert!(archive.read(&entry).is_ok());
    }
}

#[test]
fn errors_name_missing_and_invalid_archives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pak0.pk3");
    assert!(FileArchive::open_file(&path, ArchiveLimits::default()).unwrap_err().is_not_found());
    std::fs::write(&path, pack(&[("a.md3", Stored, b"IDP3")])).unwrap();
    let one = ArchiveLimits { max_entries: 0, ..ArchiveLimits::default() };
    let error = FileArchive::open_file(&path, one).unwrap_err();
    assert_eq!(error.to_string(), format!("{}: 1 entries, more than 0", path.display()));
}
