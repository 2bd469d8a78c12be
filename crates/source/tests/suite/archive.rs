//! Archives: entries that are borrowed, inflated or refused, and broken archives, which never cause a panic.

use std::borrow::Cow;
use std::io::{Cursor, Write};

use meshlens_source::{
    Archive, ArchiveLimits, Entry, EntryFault, Error, FileArchive, Method, NameFault, RATIO_FREE_BYTES,
    ReadAt, Source,
};
use zip::CompressionMethod::{Deflated, Stored};
use zip::write::SimpleFileOptions;

use super::directory::{as_zip64, records};

type Spec<'a> = (&'a str, zip::CompressionMethod, &'a [u8]);

pub(super) fn pack(entries: &[Spec<'_>]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, method, content) in entries {
        let options = SimpleFileOptions::default().compression_method(*method);
        zip.start_file(*name, options).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

pub(super) fn open(bytes: &[u8]) -> Archive<&[u8]> {
    Archive::parse(bytes, "test.pk3", ArchiveLimits::default()).unwrap()
}

fn fault<B: ReadAt>(archive: &Archive<B>, entry: &Entry<'_>) -> EntryFault {
    match archive.read(entry).unwrap_err() {
        Error::Entry { archive, entry: name, fault } => {
            assert_eq!((&*archive, &*name), ("test.pk3", entry.name()));
            fault
        }
        other => panic!("{other}"),
    }
}

/// Replaces `old` by `new`, which has the same length, in the local header and in the directory.
fn replace_all(bytes: &mut [u8], old: &[u8], new: &[u8]) {
    assert_eq!(old.len(), new.len());
    let places: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(old)).collect();
    assert_eq!(places.len(), 2, "local header and directory");
    for at in places {
        bytes[at..at + new.len()].copy_from_slice(new);
    }
}

/// The offset of the first entry's record in the directory (APPNOTE 4.3.12).
fn first_record(bytes: &[u8]) -> usize {
    (0..bytes.len()).find(|&at| bytes[at..].starts_with(b"PK\x01\x02")).unwrap()
}

#[test]
fn stored_entries_are_borrowed_and_deflated_entries_inflated() {
    let text = b"meshlens ".repeat(1000);
    let bytes = pack(&[("a.md3", Stored, b"IDP3"), ("b.txt", Deflated, &text), ("empty", Stored, b"")]);
    let archive = open(&bytes);

    let listed: Vec<_> = archive.entries().map(|e| (e.name(), e.method(), e.size())).collect();
    assert_eq!(
        listed,
        [("a.md3", Method::Stored, 4), ("b.txt", Method::Deflated, 9000), ("empty", Method::Stored, 0)]
    );

    let Cow::Borrowed(model) = archive.read(&archive.entry(0).unwrap()).unwrap() else { panic!("copied") };
    assert_eq!(model, b"IDP3");
    assert!(bytes.as_ptr_range().contains(&model.as_ptr()), "it lies in the archive");

    let entry = &archive.entry(1).unwrap();
    assert!(entry.compressed_size() < 200);
    assert_eq!(archive.read(entry).unwrap(), text);
    assert_eq!(archive.read_unverified(entry).unwrap(), text);
    assert_eq!(archive.read_name("empty").unwrap().len(), 0);
}

#[test]
fn entries_of_a_mapped_archive_are_borrowed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pak0.pk3");
    std::fs::write(&path, pack(&[("a.md3", Stored, b"IDP3")])).unwrap();
    // SAFETY: the file is private to this test.
    let archive = Archive::open(unsafe { Source::map(&path).unwrap() }).unwrap();
    assert!(matches!(archive.read_name("a.md3").unwrap(), Cow::Borrowed(b"IDP3")));
    assert_eq!(archive.name(), path.display().to_string());
}

#[test]
fn archives_in_files_equal_archives_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pak0.pk3");
    let text = b"meshlens ".repeat(1000);
    let bytes = pack(&[("a.md3", Stored, b"IDP3"), ("b.txt", Deflated, &text), ("empty", Stored, b"")]);
    for bytes in [bytes.clone(), as_zip64(&bytes), [&[7; 100_000], &bytes[..]].concat()] {
        std::fs::write(&path, &bytes).unwrap();
        let archive = FileArchive::open_file(&path, ArchiveLimits::default()).unwrap();
        assert_eq!(archive.name(), path.display().to_string());
        assert!(archive.entries().eq(open(&bytes).entries()));
        for entry in archive.entries() {
            assert_eq!(archive.read(&entry).unwrap(), open(&bytes).read(&entry).unwrap());
        }
        std::fs::write(&path, b"PK").unwrap();
        assert!(matches!(archive.read_name("a.md3"), Err(Error::Changed { .. })));
    }
    let error = FileArchive::open_file(&path, ArchiveLimits::default()).unwrap_err();
    assert!(matches!(error, Error::Archive { .. }), "{error}");
}

#[test]
fn names_compare_without_case_and_the_last_one_wins() {
    let bytes = pack(&[("Models/A.md3", Stored, b"first"), ("models/a.MD3", Stored, b"last")]);
    let archive = open(&bytes);
    assert_eq!(archive.entries().len(), 2);
    for name in ["models/a.md3", "MODELS\\A.MD3", "Models/A.md3"] {
        assert_eq!(&archive.read_name(name).unwrap()[..], b"last", "{name}");
    }
    assert!(archive.find("models/a").is_none());
    let error = archive.read_name("models/b.md3").unwrap_err();
    assert_eq!(error.to_string(), "test.pk3!models/b.md3: no such entry");
    assert!(error.is_not_found());
}

#[test]
fn the_last_entry_of_equal_names_is_listed() {
    let mut bytes = pack(&[("1.md3", Stored, b"one"), ("a.md3", Stored, b"two"), ("3.md3", Stored, b"six")]);
    replace_all(&mut bytes, b"3.md3", b"1.md3");
    let archive = open(&bytes);
    let names: Vec<_> = archive.entries().map(|entry| entry.name()).collect();
    assert_eq!(names, ["a.md3", "1.md3"]);
    assert_eq!(&archive.read_name("1.md3").unwrap()[..], b"six");
}

#[test]
fn refused_names_do_not_affect_other_entries() {
    let cases = [
        ("../../", NameFault::Parent),
        ("a/../x", NameFault::Parent),
        ("/abs/x", NameFault::Absolute),
        ("\\abs.x", NameFault::Absolute),
        ("C:\\a\\x", NameFault::Absolute),
        ("nul\0/x", NameFault::Nul),
    ];
    for (evil, expected) in cases {
        let placeholder = "@".repeat(evil.len());
        let mut bytes = pack(&[(&placeholder, Stored, b"evil"), ("good.md3", Stored, b"IDP3")]);
        replace_all(&mut bytes, placeholder.as_bytes(), evil.as_bytes());
        let archive = open(&bytes);
        let entry = &archive.entry(0).unwrap();
        assert_eq!((entry.name(), entry.name_fault()), (evil, Some(expected)));
        assert_eq!(fault(&archive, entry), EntryFault::Name(expected));
        assert!(archive.find(evil).is_none(), "{evil:?}");
        assert_eq!(&archive.read_name("good.md3").unwrap()[..], b"IDP3");
    }
}

#[test]
fn inflating_stops_after_the_stated_size() {
    let zeros = vec![0; 900_000];
    let mut bytes = pack(&[("a", Deflated, &zeros)]);
    let record = first_record(&bytes);
    bytes[record + 24..record + 28].copy_from_slice(&1000u32.to_le_bytes());
    let archive = open(&bytes);
    assert_eq!(fault(&archive, &archive.entry(0).unwrap()), EntryFault::Size { stated: 1000 });

    bytes[record + 24..record + 28].copy_from_slice(&900_001u32.to_le_bytes());
    let archive = open(&bytes);
    assert_eq!(fault(&archive, &archive.entry(0).unwrap()), EntryFault::Size { stated: 900_001 });
}

#[test]
fn bombs_are_refused_before_inflating() {
    let size = 4 * RATIO_FREE_BYTES;
    let bytes = pack(&[("bomb", Deflated, &vec![0; size as usize])]);
    let archive = open(&bytes);
    let entry = &archive.entry(0).unwrap();
    let compressed = entry.compressed_size();
    assert_eq!(fault(&archive, entry), EntryFault::Ratio { compressed, size, limit: 200 });

    let loose = ArchiveLimits { max_ratio: 1100, ..ArchiveLimits::default() };
    let loose = Archive::parse(&bytes, "test.pk3", loose).unwrap();
    assert_eq!(loose.read(entry).unwrap().len() as u64, size);

    let tight = ArchiveLimits { max_entry_bytes: size - 1, max_ratio: 1100, ..ArchiveLimits::default() };
    let tight = Archive::parse(&bytes, "test.pk3", tight).unwrap();
    assert_eq!(fault(&tight, entry), EntryFault::TooLarge { size, limit: size - 1 });
}

fn overlap(archive: &Archive<&[u8]>, number: usize) -> String {
    match archive.read(&archive.entry(number).unwrap()).unwrap_err() {
        Error::Overlap(overlap) => overlap.to_string(),
        other => panic!("{other}"),
    }
}

#[test]
fn only_overlapping_entries_are_refused() {
    // Local headers of 31 bytes at 0, 41 and 82.
    let ten: &[u8] = b"0123456789";
    let whole = pack(&[("a", Stored, ten), ("b", Stored, ten), ("c", Stored, ten)]);
    assert!(whole[41..].starts_with(b"PK\x03\x04") && whole[82..].starts_with(b"PK\x03\x04"));
    let [a, b, _] = records(&whole)[..] else { panic!("three entries") };

    // Two records with the same local header.
    let mut bytes = whole.clone();
    bytes[b + 42..b + 46].copy_from_slice(&0u32.to_le_bytes());
    let archive = open(&bytes);
    assert_eq!(overlap(&archive, 0), "test.pk3!a: the entry at 0x0 to 0x28 overlaps b at 0x0");
    assert_eq!(overlap(&archive, 1), "test.pk3!b: the entry at 0x0 to 0x28 overlaps a at 0x0");
    assert_eq!(&archive.read_name("c").unwrap()[..], ten);
    assert!(archive.entry(1).unwrap().is_overlapping() && !archive.entry(2).unwrap().is_overlapping());

    // An entry that overlaps the next two entries.
    let mut bytes = whole.clone();
    for field in [20, 24] {
        bytes[a + field..a + field + 4].copy_from_slice(&60u32.to_le_bytes());
    }
    let archive = open(&bytes);
    assert_eq!(overlap(&archive, 0), "test.pk3!a: the entry at 0x0 to 0x5a overlaps b at 0x29");
    assert_eq!(overlap(&archive, 1), "test.pk3!b: the entry at 0x29 to 0x51 overlaps a at 0x0");
    assert_eq!(overlap(&archive, 2), "test.pk3!c: the entry at 0x52 to 0x7a overlaps a at 0x0");

    // Extra fields that the directory does not list.
    let mut bytes = whole.clone();
    bytes[28] = 5;
    let archive = open(&bytes);
    assert_eq!(overlap(&archive, 0), "test.pk3!a: the entry at 0x0 to 0x2e overlaps b at 0x29");
    assert_eq!(&archive.read_name("b").unwrap()[..], ten);
}

#[test]
fn the_total_size_of_inflated_entries_is_limited() {
    // 70 entries of 1 MiB of zeros, which Deflate makes a thousand times smaller.
    let one = pack(&[("00", Deflated, &vec![0; 1 << 20])]);
    let copies = |count: usize| {
        let mut one = zip::ZipArchive::new(Cursor::new(&one)).unwrap();
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for number in 0..count {
            zip.raw_copy_file_rename(one.by_index(0).unwrap(), format!("{number:02}")).unwrap();
        }
        zip.finish().unwrap().into_inner()
    };
    let parse = |bytes: &[u8], limits| Archive::parse(bytes.to_vec(), "test.pk3", limits).map(|_| ());
    let bytes = copies(70);
    let error = parse(&bytes, ArchiveLimits::default()).unwrap_err();
    assert!(matches!(error, Error::TotalRatio { size: 0x460_0000, limit: 200, .. }), "{error}");
    assert!(error.to_string().ends_with(" bytes inflate to 73400320 in all, more than 200 times as many"));
    parse(&copies(64), ArchiveLimits::default()).unwrap();

    let loose = ArchiveLimits { max_ratio: 1100, ..ArchiveLimits::default() };
    parse(&bytes, loose).unwrap();
    let tight = ArchiveLimits { max_total_bytes: (70 << 20) - 1, ..loose };
    let error = parse(&bytes, tight).unwrap_err();
    let text = "test.pk3: the entries inflate to 73400320 bytes in all, more than 73400319";
    assert_eq!(error.to_string(), text);
}

#[test]
fn the_error_of_each_broken_entry_is_specific() {
    let text = b"meshlens ".repeat(100);
    let whole = pack(&[("a", Stored, b"IDP3"), ("b", Deflated, &text)]);
    let record = first_record(&whole);
    let second = record + 47;
    let broken = |at: usize, value: &[u8]| {
        let mut bytes = whole.clone();
        bytes[at..at + value.len()].copy_from_slice(value);
        bytes
    };
    // The local header of `a` has 30 bytes and a name of one byte. Offsets in its record in the directory are defined
    // by APPNOTE 4.3.12.
    let checksum =
        EntryFault::Checksum { expected: crc32fast::hash(b"IDP3"), found: crc32fast::hash(b"IDP2") };
    let past = EntryFault::Truncated { offset: 31, size: 0xFFFF, archive_len: whole.len() as u64 };
    let cases: [(Vec<u8>, usize, EntryFault); 7] = [
        (broken(31, b"IDP2"), 0, checksum),
        (broken(0, b"XX"), 0, EntryFault::LocalHeader { offset: 0 }),
        (broken(record + 8, &[1]), 0, EntryFault::Encrypted),
        (broken(record + 10, &[12]), 0, EntryFault::Method(12)),
        (broken(record + 20, &[0xFF, 0xFF, 0, 0, 0xFF, 0xFF, 0, 0]), 0, past),
        (broken(record + 20, &[5]), 0, EntryFault::Size { stated: 4 }),
        (broken(35 + 31, &[0xFF]), 1, EntryFault::Deflate),
    ];
    assert!(whole[second..].starts_with(b"PK\x01\x02"));
    for (bytes, index, expected) in cases {
        let archive = open(&bytes);
        assert_eq!(fault(&archive, &archive.entry(index).unwrap()), expected);
        archive.read(&archive.entry(1 - index).unwrap()).unwrap();
    }
}

#[test]
fn the_checksum_can_be_left_out() {
    let mut bytes = pack(&[("a", Stored, b"IDP3")]);
    bytes[31 + 3] = b'2';
    let archive = open(&bytes);
    assert!(archive.read_name("a").is_err());
    assert_eq!(&archive.read_unverified(&archive.entry(0).unwrap()).unwrap()[..], b"IDP2");
}

#[test]
fn only_the_start_of_an_entry_is_inflated() {
    let text: Vec<u8> = (0..200_000u32).flat_map(u32::to_le_bytes).collect();
    let mut bytes = pack(&[("stored", Stored, b"IDP3"), ("deflated", Deflated, &text)]);
    for (name, content) in [("stored", &b"IDP3"[..]), ("deflated", &text)] {
        let archive = open(&bytes);
        let entry = archive.find(name).unwrap();
        for len in [0, 1, 3, 100_000, 1 << 40] {
            let wanted = &content[..content.len().min(len as usize)];
            assert!(archive.read_start(&entry, len).unwrap()[..] == *wanted, "{name} {len}");
        }
    }
    // An entry that ends before its stated size.
    let record = (first_record(&bytes) + 1..bytes.len()).find(|&at| bytes[at..].starts_with(b"PK\x01\x02"));
    let record = record.unwrap();
    bytes[record + 24..record + 28].copy_from_slice(&800_001u32.to_le_bytes());
    let archive = open(&bytes);
    let entry = archive.find("deflated").unwrap();
    assert_eq!(archive.read_start(&entry, 800_000).unwrap().len(), 800_000);
    let error = archive.read_start(&entry, 800_001).unwrap_err();
    assert!(matches!(error, Error::Entry { fault: EntryFault::Size { stated: 800_001 }, .. }), "{error}");
}

#[test]
fn an_archive_in_an_archive_is_bytes() {
    let inner = pack(&[("a.md3", Stored, b"IDP3")]);
    let outer = pack(&[("inner.pk3", Deflated, &inner)]);
    let outer = open(&outer);
    let inner = outer.read_name("inner.pk3").unwrap();
    let inner = Archive::parse(inner, "inner.pk3", ArchiveLimits::default()).unwrap();
    assert_eq!(&inner.read_name("a.md3").unwrap()[..], b"IDP3");
}

#[test]
fn an_archive_with_leading_bytes_opens() {
    let bytes = [b"a program that unpacks itself".to_vec(), pack(&[("a.md3", Stored, b"IDP3")])].concat();
    assert_eq!(&open(&bytes).read_name("a.md3").unwrap()[..], b"IDP3");
}
