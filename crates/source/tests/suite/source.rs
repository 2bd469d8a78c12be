//! Reading and mapping return the same bytes, and files that are not regular are refused.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use meshlens_source::{
    Access, Advice, ArchiveLimits, Error, FileArchive, OpenedFile, RandomAccessFile, ReadAt, Source,
    read_into,
};

/// Byte `i` is `i mod 251`, so that all pages differ.
fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8).collect()
}

fn file(folder: &Path, len: usize) -> PathBuf {
    let path = folder.join(format!("{len}.bin"));
    fs::write(&path, pattern(len)).unwrap();
    path
}

/// Maps a file of a test. These files are in separate folders, to which nothing else writes.
fn map(path: &Path) -> Result<Source, Error> {
    // SAFETY: the files are private to the tests.
    unsafe { Source::map(path) }
}

fn open(path: &Path, access: Access) -> Result<Source, Error> {
    // SAFETY: the files are private to the tests.
    unsafe { Source::open(path, access) }
}

#[test]
fn every_function_returns_the_same_bytes() {
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
    }
}

#[test]
fn map_maps_and_open_chooses() {
    let folder = tempfile::tempdir().unwrap();
    assert!(map(&file(folder.path(), 1)).unwrap().is_mapped());
    assert!(!map(&file(folder.path(), 0)).unwrap().is_mapped(), "there is nothing to map");
    for (access, from) in [(Access::Sparse, 128 << 10), (Access::Everything, 256 << 10)] {
        assert!(!open(&file(folder.path(), from - 1), access).unwrap().is_mapped(), "{access:?}");
        assert!(open(&file(folder.path(), from), access).unwrap().is_mapped(), "{access:?}");
    }
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
fn limits_refuse_only_longer_files() {
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
    for result in [Source::read(folder.path()).map(drop), map(folder.path()).map(drop)] {
        let error = result.unwrap_err();
        assert!(matches!(&error, Error::Folder { path } if **path == *folder.path()), "{error}");
    }
    for result in
        [Source::read(&missing).map(drop), map(&missing).map(drop), open(&missing, Access::Sparse).map(drop)]
    {
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
fn advice_checks_its_range_and_changes_no_bytes() {
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
            #[allow(clippy::reversed_empty_ranges)] // The invalid range is intended.
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

#[test]
fn bytes_from_memory_and_from_readers() {
    let source = Source::from(b"IDP3".to_vec());
    assert_eq!((source.as_ref(), source.path(), source.is_mapped()), (&b"IDP3"[..], None, false));
    assert_eq!(format!("{source:?}"), "Source { path: None, len: 4, mapped: false }");
    assert_eq!(source.into_vec(), b"IDP3");
    assert_eq!(&Source::from_reader(&b"IDP3"[..], 4).unwrap()[..], b"IDP3");
    let error = Source::from_reader(&b"IDP3"[..], 3).unwrap_err();
    assert_eq!(error.to_string(), "<stream>: larger than the limit of 3 bytes");
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), 5);
    assert_eq!(map(&path).unwrap().path(), Some(&*path));
}

/// A reader that fails after some bytes.
struct Failing;

impl std::io::Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::ConnectionReset.into())
    }
}

#[test]
fn errors_have_the_kind_of_their_cause() {
    use std::io::ErrorKind;

    let path = || Path::new("a.md3").into();
    let cases = [
        (Source::from_reader(Failing, 9).unwrap_err(), ErrorKind::ConnectionReset),
        (Source::read("no/such/file").unwrap_err(), ErrorKind::NotFound),
        (Error::NoEntry { archive: "a".into(), entry: "b".into() }, ErrorKind::NotFound),
        (Error::Exists { path: path() }, ErrorKind::AlreadyExists),
        (Error::Folder { path: path() }, ErrorKind::IsADirectory),
        (Error::Outside { path: path() }, ErrorKind::PermissionDenied),
        (Error::TooLarge { path: path(), limit: 9 }, ErrorKind::FileTooLarge),
        (Error::Range { start: 2, end: 1, len: 9 }, ErrorKind::InvalidInput),
        (Error::NotRegular { path: path(), kind: "a pipe" }, ErrorKind::InvalidInput),
        (Error::Changed { path: path() }, ErrorKind::InvalidData),
    ];
    for (error, kind) in cases {
        let text = error.to_string();
        let error = std::io::Error::from(error);
        assert_eq!((error.kind(), error.to_string()), (kind, text));
    }
}

#[test]
fn parts_of_files_are_read_into_any_buffer() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), 100);
    let mut out = [0; 8];
    let mut opened = OpenedFile::open(&path).unwrap();
    opened.read_exact_at(96, &mut out[..4]).unwrap();
    assert_eq!((opened.size(), out), (100, [96, 97, 98, 99, 0, 0, 0, 0]));
    assert!(matches!(opened.read_exact_at(97, &mut out[..4]), Err(Error::Io { action: "read", .. })));
    opened.read_exact_at_unchecked(0, &mut out).unwrap();
    assert_eq!(out, [0, 1, 2, 3, 4, 5, 6, 7]);
    assert!(matches!(opened.read_exact_at_unchecked(97, &mut out), Err(Error::Io { action: "read", .. })));
    let file = opened.close();
    assert_eq!((file.path(), file.size()), (&*path, 100));
    assert_eq!(format!("{file:?}"), format!("RandomAccessFile {{ path: {path:?}, size: 100 }}"));
    file.read_exact_at(1, &mut out).unwrap();
    assert_eq!(out, [1, 2, 3, 4, 5, 6, 7, 8]);
    file.read_exact_at(u64::MAX, &mut []).unwrap();
    for offset in [93, 100, u64::MAX] {
        let error = file.read_exact_at(offset, &mut out).unwrap_err();
        assert!(matches!(error, Error::Io { action: "read", .. }), "{error}");
    }
    assert_eq!(b"IDP3".read_at(1, 2).unwrap(), &b"DP"[..]);
    assert_eq!((b"IDP3".size(), b"IDP3".read_at(u64::MAX, 2).unwrap().len()), (4, 0));
}

#[test]
fn the_state_of_an_open_file_is_older_than_what_is_read_from_it() {
    use std::time::{Duration, SystemTime};

    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), 100);
    let mut opened = OpenedFile::open(&path).unwrap();
    let mut changed = File::options().write(true).open(&path).unwrap();
    std::io::Write::write_all(&mut changed, b"new").unwrap();
    changed.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1)).unwrap();
    let mut out = [0; 4];
    opened.read_exact_at_unchecked(0, &mut out).unwrap();
    assert_eq!(&out, b"new\x03");
    assert_ne!(opened.state(), OpenedFile::open(&path).unwrap().state(), "the next read finds the change");
    assert!(matches!(opened.read_exact_at(0, &mut out), Err(Error::Changed { .. })));
}

#[cfg(unix)]
#[test]
fn modification_times_before_1970_are_valid() {
    use std::time::{Duration, SystemTime};

    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), 100);
    let set = |seconds| {
        let time = SystemTime::UNIX_EPOCH - Duration::from_secs(seconds);
        File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    };
    set(10);
    let file = RandomAccessFile::open(&path).unwrap();
    assert_eq!(file.read_at(98, 9).unwrap(), &[98, 99][..]);
    set(11);
    assert!(matches!(file.read_at(98, 9), Err(Error::Changed { .. })));
}

#[cfg(target_os = "linux")]
mod linux {
    use std::os::fd::AsRawFd;
    use std::process::Command;

    use super::*;

    /// The error of each function for a path that is not a regular file.
    fn refusals(path: &Path) -> Vec<String> {
        let errors = [
            Source::read(path).map(|_| ()),
            Source::read_limited(path, 10).map(|_| ()),
            map(path).map(|_| ()),
            open(path, Access::Everything).map(|_| ()),
            read_into(path, &mut Vec::new()),
            RandomAccessFile::open(path).map(|_| ()),
            FileArchive::open_file(path, ArchiveLimits::default()).map(|_| ()),
        ];
        let texts = errors.map(|result| result.expect_err("it is not a regular file").to_string());
        texts.into_iter().map(|text| text.replace(&path.display().to_string(), "PATH")).collect()
    }

    /// Opening a pipe without a writer would block, and a device may have no end.
    #[test]
    fn opening_never_waits_for_pipes_or_devices() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe.md3");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(refusals(&pipe), ["PATH: is a pipe, not a regular file"; 7]);

        let (reader, _writer) = std::io::pipe().unwrap();
        let open_pipe = format!("/proc/self/fd/{}", reader.as_raw_fd());
        assert_eq!(refusals(Path::new(&open_pipe)), ["PATH: is a pipe, not a regular file"; 7]);

        let socket = folder.path().join("socket.md3");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert_eq!(refusals(&socket), ["PATH: is a socket, not a regular file"; 7]);

        for device in ["/dev/zero", "/dev/null", "/dev/tty"] {
            if Path::new(device).exists() {
                assert_eq!(refusals(Path::new(device)), ["PATH: is a device, not a regular file"; 7]);
            }
        }
        assert_eq!(refusals(folder.path()), ["PATH: is a folder"; 7]);

        let link = folder.path().join("link.md3");
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        assert_eq!(refusals(&link), ["PATH: is a pipe, not a regular file"; 7]);
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
    fn files_that_state_no_length_end_at_the_limit() {
        let error = Source::read_limited("/proc/self/status", 5).unwrap_err();
        assert!(matches!(error, Error::TooLarge { limit: 5, .. }), "{error}");
    }

    /// The peak memory use of this process in KiB.
    fn peak() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        peak.trim().trim_end_matches(" kB").parse().unwrap()
    }

    #[test]
    fn holes_take_no_memory() {
        use std::os::unix::fs::FileExt;

        // Runs in a separate process, because the peak includes all threads.
        if std::env::var_os("MESHLENS_TEST_HOLES").is_none() {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "source::linux::holes_take_no_memory", "--nocapture"]);
            let output = command.env("MESHLENS_TEST_HOLES", "1").output().unwrap();
            assert!(output.status.success(), "{output:?}");
            assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{output:?}");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse");
        let file = File::create(&path).unwrap();
        file.write_all_at(b"IDP3", 0).unwrap();
        file.write_all_at(b"middle", 1 << 30).unwrap();
        file.set_len(4 << 30).unwrap();
        let before = peak();
        let source = Source::read(&path).unwrap();
        assert_eq!(source.len() as u64, 4 << 30);
        assert_eq!((&source[..5], &source[1 << 30..(1 << 30) + 7]), (&b"IDP3\0"[..], &b"middle\0"[..]));
        assert_eq!(source[source.len() - 1], 0);
        // At most one huge page is used for each location that was read.
        assert!(peak() - before < 16 << 10, "{} KiB more", peak() - before);
    }
}

/// Files that change between two reads.
#[cfg(target_os = "linux")]
mod changes {
    use super::*;

    #[test]
    fn a_file_read_in_ranges_is_unchanged_or_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, [7; 100]).unwrap();
        let file = RandomAccessFile::open(&path).unwrap();
        assert_eq!((file.size(), &file.read_at(98, 10).unwrap()[..]), (100, &[7, 7][..]));
        assert_eq!(file.read_at(u64::MAX, 10).unwrap().len(), 0);

        File::options().write(true).open(&path).unwrap().set_len(50).unwrap();
        assert!(matches!(file.read_at(0, 10), Err(Error::Changed { .. })));

        let file = RandomAccessFile::open(&path).unwrap();
        let other = folder.path().join("other");
        fs::write(&other, [8; 50]).unwrap();
        fs::rename(&other, &path).unwrap();
        assert!(matches!(file.read_at(0, 10), Err(Error::Changed { .. })));
        fs::remove_file(&path).unwrap();
        assert!(file.read_at(0, 10).unwrap_err().is_not_found());
    }
}
