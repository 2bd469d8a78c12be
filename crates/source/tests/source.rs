//! Reading and mapping give the same bytes, and what is not a plain file is read or refused.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use meshlens_source::{
    Access, Advice, Error, HEAD_LEN, MAP_EVERYTHING_FRESH_FROM, MAP_EVERYTHING_FROM, MAP_SPARSE_FROM, Source,
    read_head, read_into,
};

/// Byte `i` is `i mod 251`, so no page looks like another.
fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8).collect()
}

fn file(folder: &Path, len: usize) -> PathBuf {
    let path = folder.join(format!("{len}.bin"));
    fs::write(&path, pattern(len)).unwrap();
    path
}

/// The tests' files live in folders of their own, which nobody else writes to.
fn map(path: &Path) -> Result<Source, Error> {
    // SAFETY: see above.
    unsafe { Source::map(path) }
}

fn open(path: &Path, access: Access) -> Result<Source, Error> {
    // SAFETY: see above.
    unsafe { Source::open(path, access) }
}

#[test]
fn every_way_in_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let mut buffer = b"old content".to_vec();
    for len in [0, 1, 4095, 4096, 4097, 3 << 20] {
        let path = file(folder.path(), len);
        let expected = pattern(len);

        assert!(Source::read(&path).unwrap()[..] == expected, "read {len}");
        assert!(Source::read_limited(&path, len as u64).unwrap()[..] == expected, "limited {len}");
        assert!(map(&path).unwrap()[..] == expected, "map {len}");
        assert!(open(&path, Access::Sparse).unwrap()[..] == expected, "sparse {len}");
        assert!(open(&path, Access::Everything).unwrap()[..] == expected, "everything {len}");
        assert!(map(&path).unwrap().into_vec() == expected, "into_vec {len}");
        read_into(&path, &mut buffer).unwrap();
        assert!(buffer == expected, "read_into {len}");

        let mut page = [0xAA; HEAD_LEN];
        let head = read_head(&path, &mut page).unwrap();
        assert!(head.bytes() == &expected[..len.min(4096)], "head {len}");
        assert_eq!(head.is_whole(), len <= 4096, "head {len}");
        assert_eq!(head.file_len(), (len > 0).then_some(len as u64), "head {len}");
    }
}

#[test]
fn map_maps_and_open_chooses() {
    let folder = tempfile::tempdir().unwrap();
    assert!(map(&file(folder.path(), 1)).unwrap().is_mapped());
    assert!(!map(&file(folder.path(), 0)).unwrap().is_mapped(), "there is nothing to map");
    for (access, from) in [(Access::Sparse, MAP_SPARSE_FROM), (Access::Everything, MAP_EVERYTHING_FRESH_FROM)]
    {
        let from = from as usize;
        assert!(!open(&file(folder.path(), from - 1), access).unwrap().is_mapped(), "{access:?}");
        assert!(open(&file(folder.path(), from), access).unwrap().is_mapped(), "{access:?}");
    }
}

#[test]
fn a_buffer_goes_round() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), MAP_EVERYTHING_FROM as usize - 1);
    let buffer = Vec::with_capacity(MAP_EVERYTHING_FROM as usize);
    let memory = buffer.as_ptr();
    // SAFETY: nobody else writes to the file.
    let source = unsafe { Source::open_reusing(&path, Access::Everything, buffer).unwrap() };
    assert!(!source.is_mapped());
    assert!(source[..] == pattern(MAP_EVERYTHING_FROM as usize - 1));
    let buffer = source.into_buffer();
    assert!(buffer.is_empty());
    assert_eq!(buffer.as_ptr(), memory, "the same memory came back");
}

#[test]
fn a_reused_buffer_is_not_reallocated() {
    let folder = tempfile::tempdir().unwrap();
    let (large, small) = (file(folder.path(), 100_000), file(folder.path(), 1000));
    let mut buffer = Vec::new();
    read_into(&large, &mut buffer).unwrap();
    let before = (buffer.as_ptr(), buffer.capacity());
    for path in [&small, &large, &small, &large] {
        read_into(path, &mut buffer).unwrap();
        assert_eq!((buffer.as_ptr(), buffer.capacity()), before);
    }
}

#[test]
fn limits_refuse_longer_files_and_only_those() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), 1000);
    assert_eq!(Source::read_limited(&path, 1000).unwrap().len(), 1000);
    let error = Source::read_limited(&path, 999).unwrap_err();
    assert!(matches!(error, Error::TooLarge { limit: 999, .. }), "{error}");
}

#[test]
fn folders_and_missing_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.md3");
    let mut page = [0; HEAD_LEN];
    for result in [
        Source::read(folder.path()).map(drop),
        map(folder.path()).map(drop),
        read_head(folder.path(), &mut page).map(drop),
    ] {
        let error = result.unwrap_err();
        assert!(matches!(&error, Error::Folder { path } if **path == *folder.path()), "{error}");
    }
    for result in [
        Source::read(&missing).map(drop),
        map(&missing).map(drop),
        open(&missing, Access::Sparse).map(drop),
        read_head(&missing, &mut page).map(drop),
    ] {
        let error = result.unwrap_err();
        assert!(error.is_not_found() && error.to_string().contains("missing.md3"), "{error}");
    }
    assert!(!Source::read(folder.path()).unwrap_err().is_not_found());
}

#[test]
fn a_failed_read_leaves_the_buffer_empty() {
    let mut buffer = vec![1, 2, 3];
    read_into("no/such/file", &mut buffer).unwrap_err();
    assert_eq!(buffer, []);
}

#[test]
fn advice_changes_no_byte_and_knows_its_range() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), 3 << 20);
    let expected = pattern(3 << 20);
    for source in [map(&path).unwrap(), Source::read(&path).unwrap()] {
        let len = source.len();
        for advice in [Advice::WillNeed, Advice::Sequential, Advice::DontNeed] {
            for range in [0..len, 1..2, 4097..4099, len - 1..len, 7..7, len..len] {
                source.advise(range.clone(), advice).unwrap();
                assert!(source[..] == expected, "{advice:?} {range:?}");
            }
            #[allow(clippy::reversed_empty_ranges)] // The caller's mistake is the point.
            for range in [0..len + 1, len + 1..len + 1, 2..1, usize::MAX..usize::MAX] {
                let error = source.advise(range.clone(), advice).unwrap_err();
                assert!(matches!(error, Error::Range { start, .. } if start == range.start), "{error}");
            }
        }
    }
}

#[test]
fn errors_are_small_and_cross_threads() {
    fn crosses<T: Send + Sync + 'static>() {}
    crosses::<Error>();
    crosses::<Source>();
    assert!(size_of::<Error>() <= 64, "{}", size_of::<Error>());
}

#[cfg(target_os = "linux")]
mod linux {
    use std::os::fd::AsRawFd;

    use super::*;

    /// A path to the reading end of a pipe that somebody fills with `bytes`.
    fn with_pipe(bytes: Vec<u8>, test: impl FnOnce(&Path)) {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let filling = std::thread::spawn(move || {
            // A reader that gives up early breaks the pipe.
            let _ = writer.write_all(&bytes);
        });
        test(Path::new(&format!("/proc/self/fd/{}", reader.as_raw_fd())));
        drop(reader);
        filling.join().unwrap();
    }

    #[test]
    fn pipes_are_read_to_their_end() {
        let expected = pattern(200_000);
        with_pipe(expected.clone(), |path| assert!(Source::read(path).unwrap()[..] == expected));
        with_pipe(expected.clone(), |path| {
            let source = map(path).unwrap();
            assert!(!source.is_mapped());
            assert!(source[..] == expected);
        });
        with_pipe(expected.clone(), |path| {
            assert!(open(path, Access::Everything).unwrap()[..] == expected);
        });
    }

    #[test]
    fn a_pipe_has_a_head_without_a_length() {
        with_pipe(pattern(10_000), |path| {
            let mut page = [0; HEAD_LEN];
            let head = read_head(path, &mut page).unwrap();
            assert!(head.bytes() == pattern(4096));
            assert_eq!((head.file_len(), head.is_whole()), (None, false));
        });
        with_pipe(pattern(10), |path| {
            let mut page = [0; HEAD_LEN];
            let head = read_head(path, &mut page).unwrap();
            assert_eq!((head.bytes(), head.is_whole()), (&pattern(10)[..], true));
        });
    }

    #[test]
    fn files_of_proc_are_read_although_they_claim_to_be_empty() {
        assert_eq!(fs::metadata("/proc/self/status").unwrap().len(), 0);
        for source in
            [Source::read("/proc/self/status").unwrap(), map(Path::new("/proc/self/status")).unwrap()]
        {
            assert!(source.starts_with(b"Name:"), "{source:?}");
        }
    }

    #[test]
    fn endless_files_end_at_the_limit() {
        let error = Source::read_limited("/dev/zero", 100_000).unwrap_err();
        assert!(matches!(error, Error::TooLarge { limit: 100_000, .. }), "{error}");
        assert_eq!(Source::read_limited("/dev/null", 0).unwrap().len(), 0);
    }
}

/// Files that are changed while they are mapped.
#[cfg(target_os = "linux")]
mod changes {
    use std::fs::File;

    use super::*;

    const LEN: usize = 1 << 20;

    fn guarded(path: &Path) -> Source {
        // SAFETY: the tests change the file on purpose, between one read of a byte and the next.
        let source = unsafe { Source::open_guarded(path, Access::Everything, Vec::new()) }.unwrap();
        assert!(source.is_mapped());
        source
    }

    /// Each byte, as it is now.
    fn read_all(source: &Source) -> Vec<u8> {
        source.as_bytes().to_vec()
    }

    fn file() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, vec![7; LEN]).unwrap();
        (folder, path)
    }

    fn cut(path: &Path, len: usize) {
        File::options().write(true).open(path).unwrap().set_len(len as u64).unwrap();
    }

    #[test]
    fn a_file_cut_short_reads_as_zeros_and_is_told_of() {
        for (left, kept) in [(LEN / 2, LEN / 2), (5000, 5000), (1, 1), (0, 0)] {
            let (_folder, path) = file();
            let source = guarded(&path);
            assert_eq!(source[0], 7);
            source.intact().unwrap();
            cut(&path, left);
            let bytes = read_all(&source);
            assert_eq!(bytes.len(), LEN);
            assert!(bytes[..kept].iter().all(|byte| *byte == 7));
            assert!(bytes[kept..].iter().all(|byte| *byte == 0));
            let error = source.intact().unwrap_err();
            assert!(matches!(error, Error::Changed { .. }), "{error}");
            assert_eq!(error.to_string(), format!("{}: changed while it was being read", path.display()));
        }
    }

    #[test]
    fn a_file_cut_inside_its_last_page_is_told_of_too() {
        let (_folder, path) = file();
        let source = guarded(&path);
        cut(&path, LEN - 10);
        assert_eq!(read_all(&source)[LEN - 10..], [0; 10]);
        assert!(source.intact().is_err());
    }

    #[test]
    fn many_maps_break_each_for_itself_on_many_threads() {
        let (_folder, path) = file();
        let (_folder, sane) = file();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let (_folder, path) = file();
                        let source = guarded(&path);
                        let other = guarded(&sane);
                        cut(&path, 4096);
                        assert_eq!(read_all(&source).iter().filter(|byte| **byte == 7).count(), 4096);
                        assert!(source.intact().is_err());
                        assert!(read_all(&other).iter().all(|byte| *byte == 7));
                        other.intact().unwrap();
                    }
                });
            }
        });
        guarded(&path).intact().unwrap();
    }

    #[test]
    fn a_file_replaced_by_renaming_stays_what_it_was() {
        let (folder, path) = file();
        let source = guarded(&path);
        let other = folder.path().join("other");
        fs::write(&other, b"other").unwrap();
        fs::rename(&other, &path).unwrap();
        assert!(read_all(&source).iter().all(|byte| *byte == 7));
        source.intact().unwrap();
        fs::remove_file(&path).unwrap();
        source.intact().unwrap();
    }

    #[test]
    fn a_fault_that_is_not_ours_still_kills() {
        // In a process of its own: this test again, told to die by a map without a guard.
        let program = std::env::current_exe().unwrap();
        let name = "changes::a_fault_that_is_not_ours_still_kills";
        if std::env::var_os("MESHLENS_TEST_DIES").is_some() {
            let (_folder, path) = file();
            let _guarded = guarded(&path);
            let (_folder, path) = file();
            let plain = map(&path).unwrap();
            cut(&path, 0);
            assert_eq!(read_all(&plain).len(), LEN);
            return;
        }
        let output = std::process::Command::new(program)
            .args([name, "--exact"])
            .env("MESHLENS_TEST_DIES", "1")
            .output()
            .unwrap();
        let signal = std::os::unix::process::ExitStatusExt::signal(&output.status);
        // An AddressSanitizer build says so and exits instead.
        assert!(signal == Some(7) || String::from_utf8_lossy(&output.stderr).contains("BUS"), "{output:?}");
    }
}
