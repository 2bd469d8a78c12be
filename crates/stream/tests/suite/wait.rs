//! Blocking readers.

use std::sync::{Arc, Mutex};

use meshlens_stream::backend::{BlockingBackend, FileBackend};
use meshlens_stream::{Error, Part, ProbeOptions, WaitingReader};

use crate::common::{Memory, models, slices};

/// Counts, versions and bounds from the headers alone equal those of the whole file.
#[test]
fn headers_have_the_counts_and_bounds_of_the_whole_file() {
    let options = ProbeOptions { read: 256, patience: 12, ..ProbeOptions::default() };
    let mut checked = 0;
    for (name, files) in models() {
        let slices = slices(&files);
        let whole = match *slices {
            [file] => meshlens::Document::parse(file),
            [first, second] => meshlens::Document::parse_pair(first, second),
            _ => unreachable!(),
        };
        let names = ["d", "a"];
        let listed: Vec<(&str, &[u8])> = names.iter().copied().zip(slices.iter().copied()).collect();
        let backend = Memory::new(&listed);
        let reader = WaitingReader::open(&*backend, names.into_iter().take(files.len()), options);
        let (Ok(whole), Ok(mut reader)) = (&whole, reader) else {
            assert!(whole.is_err(), "{name}");
            continue;
        };
        let document = reader.model().document().unwrap();
        assert_eq!(document.version(), whole.version(), "{name}");
        match document.summary() {
            Ok(summary) => assert_eq!(summary, whole.summary(), "{name}"),
            // The flags of triangles mark the attachment. Triangles are only loaded if they are stored next to the
            // headers.
            Err(error) => {
                assert_eq!((whole.format(), error.code()), (meshlens::Format::Unreal, "INCOMPLETE"), "{name}")
            }
        }
        let size: usize = files.iter().map(Vec::len).sum();
        assert!(reader.bytes_read() <= size as u64, "{name}");
        if reader.load(Part::Bounds).is_ok() {
            assert_eq!(reader.model().bounds().unwrap(), whole.bounds(), "{name}");
        }
        reader.load(Part::Whole).unwrap();
        assert_eq!(reader.model().bytes(), size as u64, "{name}");
        checked += 1;
    }
    assert!(checked > 50, "{checked}");
}

#[test]
fn missing_parts_and_files_are_errors() {
    let bytes = crate::common::file("md3/animated.md3");
    let backend = Memory::new(&[("a", &bytes), ("b", b"RIFF")]);
    let mut reader = WaitingReader::open(&*backend, ["a"], ProbeOptions::default()).unwrap();
    assert!(matches!(reader.load(Part::Skeleton), Err(Error::NoPart { .. })));
    assert!(matches!(
        WaitingReader::open(&*backend, ["b"], ProbeOptions::default()),
        Err(Error::Format { .. })
    ));
    assert!(WaitingReader::open(&*backend, ["c"], ProbeOptions::default()).unwrap_err().is_not_found());
}

#[test]
fn a_file_that_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.md3");
    let bytes = crate::common::file("md3/animated.md3");
    std::fs::write(&path, &bytes).unwrap();
    let backend = FileBackend::new(1).unwrap();
    let options = ProbeOptions { read: 64, patience: 12, ..ProbeOptions::default() };
    let mut reader = WaitingReader::open(&backend, [path.to_str().unwrap()], options).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 8]).unwrap();
    assert!(matches!(reader.load(Part::Whole), Err(Error::Changed { .. })));
}

#[test]
fn a_file_without_a_version_that_changes_its_length() {
    let bytes = Arc::new(Mutex::new(crate::common::file("md3/animated.md3")));
    let shared = bytes.clone();
    let backend = BlockingBackend::new(1, move |read| {
        let bytes = shared.lock().unwrap();
        let [start, end] = [read.range().start, read.range().end].map(|at| bytes.len().min(at as usize));
        let portion = bytes[start..end].to_vec();
        read.finish_with(portion.into(), bytes.len() as u64, None);
    });
    let backend = backend.unwrap();
    let options = ProbeOptions { read: 64, patience: 12, ..ProbeOptions::default() };
    let mut reader = WaitingReader::open(&backend, ["a"], options).unwrap();
    bytes.lock().unwrap().push(0);
    assert!(matches!(reader.load(Part::Whole), Err(Error::Changed { .. })));
    bytes.lock().unwrap().pop();
    reader.load(Part::Whole).unwrap();
    assert_eq!(reader.model().bytes(), bytes.lock().unwrap().len() as u64);
}
