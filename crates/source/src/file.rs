//! Opening files for reading. Every open of this crate uses [`OpenFile::open`]: only regular files are opened, and
//! opening never blocks.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;
use std::time::SystemTime;

use crate::{Error, Result};

/// A regular file that is open for reading, and its state at that time.
pub(crate) struct OpenFile {
    pub(crate) file: File,
    /// The length, or `None` if the file does not state one: regular files of `/proc` state zero.
    pub(crate) len: Option<u64>,
    meta: Metadata,
}

impl OpenFile {
    /// Opens a regular file. For anything else returns an error at once, without waiting for a pipe or reading a
    /// device.
    pub(crate) fn open(path: &Path) -> Result<OpenFile> {
        let file = match open_without_waiting(path) {
            Ok(file) => file,
            Err(error) => {
                // Opening a folder or a socket fails with an unspecific error, so its kind is checked first.
                let special = fs::metadata(path).ok().and_then(|meta| not_regular(path, &meta));
                return Err(special.unwrap_or_else(|| Error::io(path, "open")(error)));
            }
        };
        OpenFile::of(file, path)
    }

    /// Takes an open file. Returns an error if it is not a regular file.
    pub(crate) fn of(file: File, path: &Path) -> Result<OpenFile> {
        let meta = file.metadata().map_err(Error::io(path, "inspect"))?;
        if let Some(error) = not_regular(path, &meta) {
            return Err(error);
        }
        Ok(OpenFile { file, len: Some(meta.len()).filter(|&len| len > 0), meta })
    }

    pub(crate) fn state(&self) -> FileState {
        FileState::new(&self.meta)
    }

    /// Whether the file stores less than half of its length; the rest are holes, which read as zeros.
    pub(crate) fn is_sparse(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            self.meta.blocks().saturating_mul(512) < self.meta.len() / 2
        }
        #[cfg(not(unix))]
        false
    }

    /// Returns an error if the length or the modification time differs from that at opening.
    pub(crate) fn check_unchanged(&self, path: &Path) -> Result<()> {
        let now = self.file.metadata().map_err(Error::io(path, "inspect"))?;
        if self.len.is_some() && FileState::new(&now) != self.state() {
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
        // The caller determines what it is.
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
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = meta.file_type();
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    let _ = meta;
    "something else"
}

/// The state of a file, which identifies it and changes with its content.
#[derive(Clone, PartialEq)]
pub(crate) struct FileState {
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

    fn new(meta: &Metadata) -> FileState {
        FileState {
            len: meta.len(),
            modified: meta.modified().ok(),
            #[cfg(unix)]
            identity: {
                use std::os::unix::fs::MetadataExt;
                (meta.dev(), meta.ino())
            },
        }
    }
}
