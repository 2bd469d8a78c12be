//! Files that are read piece by piece.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use meshlens_source::{Error, FileWindow};

const LEN: u64 = FileWindow::LEN as u64;

/// A file of `len` bytes that repeat with a period of 251, which divides no size here.
fn file(len: u64) -> (tempfile::TempDir, PathBuf, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let bytes: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
    fs::write(&path, &bytes).unwrap();
    (folder, path, bytes)
}

#[test]
fn a_file_of_one_window_is_whole() {
    for len in [0, 1, LEN - 1, LEN] {
        let (_folder, path, bytes) = file(len);
        let mut window = FileWindow::open(&path, vec![9; 7]).unwrap();
        assert_eq!((window.size(), window.path()), (len, &*path));
        assert_eq!(window.whole(), Some(&bytes[..]));
        assert_eq!(window.bytes(0..len).unwrap(), &bytes);
        let buffer = window.close().unwrap();
        assert!(buffer.len() as u64 >= len);
    }
    let (_folder, path, _) = file(LEN + 1);
    assert_eq!(FileWindow::open(&path, Vec::new()).unwrap().whole(), None);
}

#[test]
fn every_range_has_the_bytes_of_the_file() {
    let (_folder, path, bytes) = file(3 * LEN + 77);
    let mut window = FileWindow::open(&path, Vec::new()).unwrap();
    let ends = [0, 1, LEN - 1, LEN, LEN + 1, 2 * LEN, 3 * LEN, 3 * LEN + 76, 3 * LEN + 77];
    for start in ends {
        for end in ends.into_iter().filter(|&end| end >= start) {
            assert_eq!(
                window.bytes(start..end).unwrap(),
                &bytes[start as usize..end as usize],
                "{start}..{end}"
            );
        }
    }
    // A range of the whole file is in the window afterwards.
    assert_eq!(window.bytes(0..bytes.len() as u64).unwrap(), &bytes);
    assert_eq!(window.whole(), Some(&bytes[..]));
}

#[test]
#[expect(clippy::reversed_empty_ranges, reason = "it is an error")]
fn a_range_that_is_not_in_the_file_is_an_error() {
    let (_folder, path, _) = file(LEN + 5);
    let mut window = FileWindow::open(&path, Vec::new()).unwrap();
    for range in [0..LEN + 6, LEN + 6..LEN + 6, u64::MAX..u64::MAX, 5..4, 0..u64::MAX] {
        let Err(Error::Io { error, .. }) = window.bytes(range.clone()) else { panic!("{range:?} is read") };
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "{range:?}");
        window.for_each_piece(range, 1, |_, _| Ok::<(), Error>(())).unwrap_err();
    }
    assert_eq!(window.bytes(LEN + 5..LEN + 5).unwrap(), b"");
}

#[test]
fn pieces_are_consecutive_multiples_of_the_stride() {
    let (_folder, path, bytes) = file(3 * LEN + 77);
    let end = bytes.len() as u64;
    for stride in
        [1, 7, 12, 4096, FileWindow::LEN - 1, FileWindow::LEN, FileWindow::LEN + 1, 2 * FileWindow::LEN]
    {
        for range in [0..end, 5..end, LEN - 3..end - 1, 2 * LEN..2 * LEN + 1, 9..9] {
            let mut window = FileWindow::open(&path, Vec::new()).unwrap();
            let mut at = range.start;
            let pieces = window.for_each_piece(range.clone(), stride, |offset, piece| {
                assert_eq!(offset, at);
                assert_eq!(piece, &bytes[at as usize..][..piece.len()]);
                assert!(
                    piece.len() % stride == 0 || at + piece.len() as u64 == range.end,
                    "{stride} {range:?}"
                );
                assert!(!piece.is_empty());
                at += piece.len() as u64;
                Ok::<(), Error>(())
            });
            pieces.unwrap();
            assert_eq!(at, range.end, "{stride} {range:?}");
        }
    }
}

#[test]
fn an_error_ends_the_pieces() {
    let (_folder, path, _) = file(3 * LEN);
    let mut window = FileWindow::open(&path, Vec::new()).unwrap();
    let mut calls = 0;
    let stopped = window.for_each_piece(0..3 * LEN, 4, |_, _| {
        calls += 1;
        if calls == 2 { Err(Error::Changed { path: path.as_path().into() }) } else { Ok(()) }
    });
    assert!(matches!(stopped, Err(Error::Changed { .. })));
    assert_eq!(calls, 2);
}

#[test]
fn a_file_that_changes_is_an_error() {
    let (_folder, path, _) = file(2 * LEN);
    let mut window = FileWindow::open(&path, Vec::new()).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_len(LEN + 1).unwrap();
    assert!(matches!(window.bytes(LEN..2 * LEN), Err(Error::Changed { .. })));
    assert!(matches!(window.close(), Err(Error::Changed { .. })));
}

#[test]
fn other_files_are_refused_or_read_whole() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(FileWindow::open(folder.path(), Vec::new()), Err(Error::Folder { .. })));
    FileWindow::open(folder.path().join("none"), Vec::new()).unwrap_err();
    if cfg!(target_os = "linux") {
        // It states no length.
        let window = FileWindow::open("/proc/version", Vec::new()).unwrap();
        assert!(window.whole().unwrap().starts_with(b"Linux"));
        assert!(window.size() > 5);
    }
}
