//! The memory for the list of an archive with many entries.

use std::io::Cursor;

use allocation_counter::measure;
use meshlens_source::{Archive, ArchiveLimits};
use meshlens_testkit::share::few_or_all;

#[test]
fn an_entry_of_an_archive_takes_60_bytes_and_its_name() {
    // The tables of both are equally full.
    let count = few_or_all(6_250, 100_000);
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for number in 0..count {
        zip.start_file(format!("models/players/name{number:05}/lower_1.md3"), options).unwrap();
    }
    let bytes = zip.finish().unwrap().into_inner();
    let mut archive = None;
    let memory = measure(|| archive = Archive::parse(&bytes, "test.pk3", ArchiveLimits::default()).ok());

    let archive = archive.unwrap();
    assert_eq!(
        archive.entry(count - 1).unwrap().name(),
        format!("models/players/name{:05}/lower_1.md3", count - 1)
    );
    // Each name has 36 bytes.
    let kept = memory.bytes_current as u64 / count as u64;
    assert!(kept <= 36 + 60, "{kept} bytes an entry");
    // During listing, memory is also needed for the extra fields of the directory, and for a table of exact names.
    let most = memory.bytes_max / count as u64;
    assert!(most <= 130, "{most} bytes an entry at most");
}
