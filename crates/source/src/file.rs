//! Opening files for reading. Every open of this crate uses [`OpenFile::open`]: only regular files are opened, and
//! opening never blocks.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
use std::time::Duration;
use std::time::SystemTime;

use crate::{Error, Result};

/// Opens a regular file for reading, to read it as a stream.
///
/// # Errors
///
/// [`Error::Io`]; [`Error::Folder`] for a folder; [`Error::NotRegular`] for a pipe, a socket or a device, at once.
pub fn open_regular(path: impl AsRef<Path>) -> Result<File> {
    Ok(OpenFile::open(path.as_ref())?.file)
}

/// A regular file that is open for reading, and its state at that time.
pub(crate) struct OpenFile {
    pub(crate) file: File,
    /// The length, or `None` if the file does not state one: regular files of `/proc` state zero.
    pub(crate) len: Option<u64>,
    status: Status,
}

impl OpenFile {
    /// Opens a regular file. For anything else, returns an error at once, without waiting for a pipe or reading a
    /// device.
    pub(crate) fn open(path: &Path) -> Result<OpenFile> {
        let file = open_without_waiting(path).map_err(|error| {
            // Opening a folder or a socket fails with an unspecific error, so its kind is checked first.
            let special = fs::metadata(path).ok().and_then(|meta| not_regular(path, &meta));
            special.unwrap_or_else(|| Error::io(path, "open")(error))
        })?;
        OpenFile::of(file, path)
    }

    /// Takes an open file. Returns an error if it is not a regular file.
    pub(crate) fn of(file: File, path: &Path) -> Result<OpenFile> {
        let status = Status::of(&file).map_err(Error::io(path, "inspect"))?;
        if !status.is_regular {
            let meta = file.metadata().map_err(Error::io(path, "inspect"))?;
            return Err(not_regular(path, &meta).unwrap_or(Error::Changed { path: path.into() }));
        }
        Ok(OpenFile { file, len: Some(status.state.len).filter(|&len| len > 0), status })
    }

    pub(crate) fn state(&self) -> FileState {
        self.status.state.clone()
    }

    /// Whether the file stores less than half of its length; the rest are holes, which read as zeros.
    pub(crate) fn is_sparse(&self) -> bool {
        self.status.stored < self.status.state.len / 2
    }

    /// Returns an error if the length or the modification time differs from that at opening.
    pub(crate) fn check_unchanged(&self, path: &Path) -> Result<()> {
        let now = Status::of(&self.file).map_err(Error::io(path, "inspect"))?;
        if self.len.is_some() && now.state != self.status.state {
            return Err(Error::Changed { path: path.into() });
        }
        Ok(())
    }
}

/// The flags for opening a file. Without NONBLOCK, opening a pipe waits for a writer. It has no effect on regular
/// files.
#[cfg(unix)]
pub(crate) fn open_flags() -> i32 {
    use rustix::fs::OFlags;

    (OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32
}

#[cfg(unix)]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    File::options().read(true).custom_flags(open_flags()).open(path)
}

#[cfg(not(unix))]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        // The caller determines the kind of the file.
        return Err(io::ErrorKind::InvalidInput.into());
    }
    File::open(path)
}

/// The error for a file that is not a regular file.
pub(crate) fn not_regular(path: &Path, meta: &Metadata) -> Option<Error> {
    if meta.is_dir() {
        return Some(Error::Folder { path: path.into() });
    }
    (!meta.is_file()).then(|| Error::NotRegular { path: path.into(), kind: kind(meta) })
}

fn kind(meta: &Metadata) -> &'static str {
    #[cfg(unix)]
    return kind_of(std::os::unix::fs::MetadataExt::mode(meta));
    #[cfg(not(unix))]
    return kind_of(meta);
}

/// The kind of a file with this mode.
#[cfg(unix)]
pub(crate) fn kind_of(mode: u32) -> &'static str {
    use rustix::fs::{FileType, RawMode};

    match FileType::from_raw_mode(mode as RawMode) {
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        _ => "something else",
    }
}

#[cfg(not(unix))]
pub(crate) fn kind_of<T>(_: T) -> &'static str {
    "something else"
}

/// The state of a file, which identifies it and changes with its content: its length, its modification time, and where the system
/// stores it.
#[derive(Clone, Debug, PartialEq)]
pub struct FileState {
    pub(crate) len: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    identity: (u64, u64),
}

impl FileState {
    /// A number that differs between states.
    #[cfg(all(feature = "folder", not(all(target_family = "wasm", target_os = "unknown"))))]
    pub(crate) fn version(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};

        let mut hasher = DefaultHasher::new();
        (self.len, self.modified).hash(&mut hasher);
        #[cfg(unix)]
        self.identity.hash(&mut hasher);
        hasher.finish()
    }
}

/// The properties of an open file according to the operating system.
struct Status {
    is_regular: bool,
    /// The number of stored bytes, without holes; the length if this number is unknown.
    stored: u64,
    state: FileState,
}

impl Status {
    /// Uses `fstat`, which takes half the time of the `statx` of `std`, because small files are opened in microseconds.
    /// The types of its fields differ between architectures, and in Miri.
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    fn of(file: &File) -> io::Result<Status> {
        use rustix::fs::{FileType, fstat};

        let stat = fstat(file)?;
        let len = u64::try_from(stat.st_size).unwrap_or(0);
        let seconds = Duration::from_secs(stat.st_mtime.unsigned_abs());
        let second = match stat.st_mtime >= 0 {
            true => SystemTime::UNIX_EPOCH.checked_add(seconds),
            false => SystemTime::UNIX_EPOCH.checked_sub(seconds),
        };
        let modified = second.and_then(|second| second.checked_add(Duration::from_nanos(stat.st_mtime_nsec)));
        Ok(Status {
            is_regular: FileType::from_raw_mode(stat.st_mode).is_file(),
            stored: u64::try_from(stat.st_blocks).unwrap_or(0).saturating_mul(512),
            state: FileState { len, modified, identity: (stat.st_dev, stat.st_ino) },
        })
    }

    #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
    fn of(file: &File) -> io::Result<Status> {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;

        let meta = file.metadata()?;
        Ok(Status {
            is_regular: meta.is_file(),
            #[cfg(unix)]
            stored: meta.blocks().saturating_mul(512),
            #[cfg(not(unix))]
            stored: meta.len(),
            state: FileState {
                len: meta.len(),
                modified: meta.modified().ok(),
                #[cfg(unix)]
                identity: (meta.dev(), meta.ino()),
            },
        })
    }
}
