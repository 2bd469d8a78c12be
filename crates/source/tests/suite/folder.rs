//! Only files below one folder can be accessed.

use std::fs;
use std::path::Path;

use meshlens_source::{Error, Folder, FolderEntryKind};

fn names(folder: &Folder, name: &str) -> Vec<(String, FolderEntryKind)> {
    folder.list(name).unwrap().into_iter().map(|entry| (entry.name, entry.kind)).collect()
}

#[test]
fn files_are_read_whole_and_in_ranges() {
    let parent = tempfile::tempdir().unwrap();
    fs::create_dir(parent.path().join("models")).unwrap();
    fs::write(parent.path().join("models/a.md3"), b"IDP3 0123456789").unwrap();
    let folder = Folder::open(parent.path()).unwrap();
    assert_eq!(folder.path(), parent.path());
    assert_eq!(format!("{folder:?}"), format!("Folder {{ path: {:?} }}", parent.path()));
    let path = Path::new("models").join("a.md3");
    assert_eq!(Folder::name_of(&path), "models/a.md3");
    assert_eq!(folder.path_of("models/a.md3"), parent.path().join(path));

    assert_eq!(names(&folder, ""), [("models".into(), FolderEntryKind::Folder)]);
    assert_eq!(names(&folder, "models"), [("a.md3".into(), FolderEntryKind::File)]);
    assert_eq!(folder.read("models/a.md3", 15).unwrap(), b"IDP3 0123456789");
    assert!(matches!(folder.read("models/a.md3", 14), Err(Error::TooLarge { limit: 14, .. })));
    let read = |range| folder.read_range("models/a.md3", range).unwrap();
    for (range, bytes) in [(0..4, &b"IDP3"[..]), (13..99, b"89"), (15..99, b""), (99..100, b""), (3..3, b"")]
    {
        let part = read(range);
        assert_eq!((&part.bytes[..], part.file_len), (bytes, 15));
    }

    let version = read(0..0).version;
    assert_eq!(read(0..4).version, version);
    fs::write(parent.path().join("models/a.md3"), b"IDP3").unwrap();
    assert_ne!(read(0..0).version, version);
}

#[test]
fn missing_files_and_folders_are_errors() {
    let parent = tempfile::tempdir().unwrap();
    fs::create_dir(parent.path().join("models")).unwrap();
    fs::write(parent.path().join("file"), b"IDP3").unwrap();
    let folder = Folder::open(parent.path()).unwrap();
    assert!(folder.read("a.md3", 1).unwrap_err().is_not_found());
    assert!(folder.read_range("a.md3", 0..1).unwrap_err().is_not_found());
    assert!(folder.list("a").unwrap_err().is_not_found());
    assert!(matches!(folder.read("models", 1), Err(Error::Folder { .. })));
    assert!(matches!(folder.list("file"), Err(Error::Io { action: "list", .. })));
    assert!(Folder::open(parent.path().join("a")).unwrap_err().is_not_found());
    assert!(matches!(Folder::open(parent.path().join("file")), Err(Error::Io { action: "open", .. })));
    // The empty path is the current folder.
    assert!(Folder::open("").unwrap().read("Cargo.toml", 1 << 20).is_ok());
}

#[test]
fn names_that_leave_the_folder_are_refused() {
    let parent = tempfile::tempdir().unwrap();
    fs::create_dir(parent.path().join("inside")).unwrap();
    fs::write(parent.path().join("secret"), b"IDP3").unwrap();
    let folder = Folder::open(parent.path().join("inside")).unwrap();
    let absolute = parent.path().join("secret").display().to_string();
    for name in ["../secret", &absolute, "../../secret", ".."] {
        assert!(matches!(folder.read(name, 9), Err(Error::Outside { .. })), "{name}");
        assert!(matches!(folder.read_range(name, 0..9), Err(Error::Outside { .. })), "{name}");
        assert!(matches!(folder.list(name), Err(Error::Outside { .. })), "{name}");
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    #[test]
    fn only_links_inside_are_followed() {
        let parent = tempfile::tempdir().unwrap();
        let root = parent.path().join("root");
        fs::create_dir_all(root.join("models/a")).unwrap();
        fs::write(root.join("models/a/a.md3"), b"IDP3").unwrap();
        fs::write(parent.path().join("secret"), b"secret").unwrap();
        let link = |target: &Path, name: &str| symlink(target, root.join(name)).unwrap();
        link(Path::new("models/a/a.md3"), "relative.md3");
        link(&root.join("models/a/a.md3"), "absolute.md3");
        link(&root.join("models/a"), "absolute");
        link(&root, "models/root");
        link(Path::new(".."), "models/above");
        link(&parent.path().join("secret"), "secret");
        link(parent.path(), "parent");
        link(Path::new("nothing"), "broken");

        let folder = Folder::open(&root).unwrap();
        assert_eq!(folder.read("relative.md3", 4).unwrap(), b"IDP3");
        assert_eq!(folder.read("absolute.md3", 4).unwrap(), b"IDP3");
        assert_eq!(names(&folder, "absolute"), [("a.md3".into(), FolderEntryKind::File)]);
        assert_eq!(names(&folder, "models/root"), names(&folder, ""));
        for name in ["secret", "parent/secret"] {
            assert!(matches!(folder.read(name, 9), Err(Error::Outside { .. })), "{name}");
        }
        assert!(matches!(folder.list("parent"), Err(Error::Outside { .. })));
        assert!(folder.read("broken", 9).unwrap_err().is_not_found());
        let found = names(&folder, "");
        let found: Vec<_> = found.iter().map(|(name, kind)| (&name[..], *kind)).collect();
        let expected = [
            ("absolute", FolderEntryKind::Folder),
            ("absolute.md3", FolderEntryKind::File),
            ("broken", FolderEntryKind::File),
            ("models", FolderEntryKind::Folder),
            ("parent", FolderEntryKind::File),
            ("relative.md3", FolderEntryKind::File),
            ("secret", FolderEntryKind::File),
        ];
        assert_eq!(found, expected);
        let loops = [
            ("a".into(), FolderEntryKind::Folder),
            ("above".into(), FolderEntryKind::Loop),
            ("root".into(), FolderEntryKind::Loop),
        ];
        assert_eq!(names(&folder, "models"), loops);
    }

    #[test]
    fn only_regular_files_are_opened() {
        let parent = tempfile::tempdir().unwrap();
        let pipe = parent.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let _listener = UnixListener::bind(parent.path().join("socket")).unwrap();
        let folder = Folder::open(parent.path()).unwrap();
        let devices = Folder::open("/dev").unwrap();
        for (folder, name, kind) in
            [(&folder, "pipe", "a pipe"), (&folder, "socket", "a socket"), (&devices, "null", "a device")]
        {
            let error = folder.read(name, 9).unwrap_err();
            assert!(matches!(error, Error::NotRegular { kind: found, .. } if found == kind), "{error}");
        }
    }

    #[test]
    fn another_folder_at_the_same_path_is_an_error() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("folder");
        fs::create_dir(&path).unwrap();
        let folder = Folder::open(&path).unwrap();
        fs::rename(&path, parent.path().join("moved")).unwrap();
        assert!(folder.list("").unwrap_err().is_not_found());
        fs::create_dir(&path).unwrap();
        assert!(matches!(folder.list(""), Err(Error::Changed { .. })));
        assert!(matches!(folder.read("a.md3", 9), Err(Error::Changed { .. })));
    }

    #[test]
    fn names_that_are_not_utf_8_are_listed_and_read() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let parent = tempfile::tempdir().unwrap();
        let name = Path::new(OsStr::from_bytes(b"m\xff.md3"));
        // Some file systems do not accept this name.
        if fs::write(parent.path().join(name), b"IDP3").is_ok() {
            let folder = Folder::open(parent.path()).unwrap();
            assert_eq!(names(&folder, ""), [("m\u{efff}.md3".into(), FolderEntryKind::File)]);
            assert_eq!(folder.read(Folder::name_of(name), 4).unwrap(), b"IDP3");
        }
    }
}
