//! Ranges of remote objects, which are kept in a folder: [`RangeCache`].

mod entry;
mod room;

use std::fmt;
use std::fs::{DirBuilder, File};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tempfile::TempPath;

use crate::{Error, Result};
pub use entry::CachedRange;
use entry::{Header, Name};
use room::Room;

/// The folder of the entries in the folder of the caller. Nothing outside of it is removed. Its name changes with the
/// format of the entries.
const ENTRIES: &str = "meshlens-ranges-1";
/// Written into the folder, so that programs that make backups leave it out: <https://bford.info/cachedir/>.
const TAG: &str =
    "Signature: 8a477f597d28d172789f06886806bc55\n# Ranges of remote files, kept by meshlens.\n";

/// Ranges of remote objects that are kept in a folder, up to a number of bytes. Several processes can use one folder at
/// the same time.
///
/// A range is found by the name of its object, such as a URL, and by the state of the object at that time, its tag. Each
/// range is a file with a checksum for each 64 KiB, which appears under its name when it is complete. An incomplete or
/// altered file counts as absent and is removed. The checksums (CRC-32) find accidents: whoever may write into the folder
/// decides what is read.
///
/// The folder never has more bytes than the limit, in blocks of 4 KiB, whatever the number of processes; ranges that were
/// not used for the longest time are removed first. After an error, such as a full disk, nothing more is kept, and
/// [`error`](Self::error) returns it.
///
/// ```
/// use meshlens_source::RangeCache;
///
/// # let folder = tempfile::tempdir()?;
/// let cache = RangeCache::open(folder.path(), 1 << 30)?;
/// let (object, tag) = ("https://example.com/a.md3", "\"5f3\"");
/// if let Some(mut keeping) = cache.keep(object, tag, 100, 4..8) {
///     keeping.write(b"abcd");
///     keeping.finish();
/// }
/// let mut found = cache.find(object, Some(tag), 5..7).ok_or("not kept")?;
/// let mut bytes = [0; 2];
/// assert!(found.read(5, &mut bytes) && bytes == *b"bc");
/// assert!(cache.find(object, Some("\"another\""), 5..7).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct RangeCache(Arc<Shared>);

struct Shared {
    folder: PathBuf,
    room: Room,
    error: OnceLock<String>,
    create: Create,
}

/// Creates the file of an entry. Tests replace it.
type Create = fn(&Path) -> io::Result<Box<dyn WriteEntry>>;

/// A new file of an entry.
trait WriteEntry: Send {
    fn file(&self) -> &File;

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;
}

impl WriteEntry for File {
    fn file(&self) -> &File {
        self
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        use std::io::{Seek, SeekFrom, Write};

        self.seek(SeekFrom::Start(offset))?;
        self.write_all(bytes)
    }
}

fn create(path: &Path) -> io::Result<Box<dyn WriteEntry>> {
    Ok(Box::new(File::options().read(true).write(true).create_new(true).open(path)?))
}

impl RangeCache {
    /// Opens or creates a folder. It can contain other files. On Unix, new folders are private to the user.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the folder cannot be created.
    pub fn open(folder: impl AsRef<Path>, limit: u64) -> Result<RangeCache> {
        RangeCache::open_with(create, folder.as_ref(), limit)
    }

    fn open_with(create: Create, folder: &Path, limit: u64) -> Result<RangeCache> {
        let entries = folder.join(ENTRIES);
        make_folder(&entries).map_err(Error::io(folder, "create"))?;
        let tag = entries.join("CACHEDIR.TAG");
        if !tag.exists() {
            // Only other programs need it.
            let _ = std::fs::write(tag, TAG);
        }
        let room = Room::new(entries.clone(), limit);
        Ok(RangeCache(Arc::new(Shared { folder: entries, room, error: OnceLock::new(), create })))
    }

    /// Finds a range that contains `wanted`, up to the end of the object. Without a tag, the state in which the object
    /// was kept last is found.
    pub fn find(&self, object: &str, tag: Option<&str>, wanted: Range<u64>) -> Option<CachedRange> {
        let folder = self.folder(object);
        let mut found: Vec<(std::time::SystemTime, Name)> = Vec::new();
        for entry in std::fs::read_dir(&folder).ok()?.flatten() {
            let Some(name) = entry.file_name().to_str().and_then(Name::parse) else { continue };
            if name.contains(&wanted) && tag.is_none_or(|tag| name.is_of(tag)) {
                let used = entry.metadata().and_then(|meta| meta.modified());
                found.push((used.unwrap_or(std::time::UNIX_EPOCH), name));
            }
        }
        // The one that was used last first.
        found.sort_unstable();
        found
            .iter()
            .rev()
            .find_map(|(_, name)| CachedRange::open(folder.join(name.to_string()), name, object, tag))
    }

    /// Begins to keep a range of an object whose length is `len`. `None` if it cannot be kept: it is empty, larger than
    /// the limit, another process changes the folder at this moment, or an error occurred earlier.
    pub fn keep(&self, object: &str, tag: &str, len: u64, range: Range<u64>) -> Option<KeptRange> {
        let header = Header::new(object, tag, len, range)?;
        if self.error().is_some() {
            return None;
        }
        let folder = self.folder(object);
        let all = header.file_len();
        let made = self.0.room.reserve(all, || {
            make_folder(&folder)?;
            let made = tempfile::Builder::new().suffix(room::TEMPORARY).make_in(&folder, self.0.create)?;
            let (file, leftover) = made.into_parts();
            // Marks the file as one that is in use. A system without locks removes it too early, which is an error
            // when it gets its name.
            let _ = file.file().try_lock();
            // A sparse file: what is reserved counts, also for other processes.
            file.file().set_len(all)?;
            Ok((file, leftover))
        });
        match made {
            Ok(made) => {
                let (file, leftover) = made?;
                let cache = self.clone();
                Some(KeptRange { cache, header, file, leftover, folder, part: Vec::new(), is_whole: true })
            }
            // Somebody removes the folder at this moment.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                self.fail(&error);
                None
            }
        }
    }

    /// The error after which no more ranges are kept: one line of text. Ranges that were kept before are still found.
    pub fn error(&self) -> Option<&str> {
        self.0.error.get().map(String::as_str)
    }

    fn fail(&self, error: &io::Error) {
        let _ = self.0.error.set(format!("{}: cannot write: {error}", self.0.folder.display()));
    }

    /// The folder of the ranges of an object. Two objects can have the same one; then each removes the ranges of the other.
    fn folder(&self, object: &str) -> PathBuf {
        let name = format!("{:08x}", crc32fast::hash(object.as_bytes()));
        let (group, rest) = name.split_at(2);
        self.0.folder.join(group).join(rest)
    }
}

impl fmt::Debug for RangeCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RangeCache").field("folder", &self.0.folder).finish_non_exhaustive()
    }
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// A range that is being kept. If it is dropped before it is finished, nothing remains.
pub struct KeptRange {
    cache: RangeCache,
    header: Header,
    file: Box<dyn WriteEntry>,
    leftover: TempPath,
    folder: PathBuf,
    /// The bytes of the current block.
    part: Vec<u8>,
    /// Whether nothing went wrong so far.
    is_whole: bool,
}

impl KeptRange {
    /// Adds the next bytes. Errors end the keeping of this range and of all later ones.
    pub fn write(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && self.is_whole {
            let room = entry::BLOCK - self.part.len();
            let (now, rest) = bytes.split_at(room.min(bytes.len()));
            self.part.extend_from_slice(now);
            bytes = rest;
            if self.part.len() == entry::BLOCK {
                self.write_block();
            }
        }
    }

    fn write_block(&mut self) {
        match self.header.add(&self.part) {
            Some(offset) => {
                let written = self.file.write_at(offset, &self.part);
                self.check(written);
            }
            // More bytes than the range.
            None => self.is_whole = false,
        }
        self.part.clear();
    }

    fn check(&mut self, outcome: io::Result<()>) {
        if let Err(error) = outcome {
            self.is_whole = false;
            self.cache.fail(&error);
        }
    }

    /// Puts the range in place, if all of its bytes were written.
    pub fn finish(mut self) {
        if !self.part.is_empty() && self.is_whole {
            self.write_block();
        }
        let Some(header) = self.header.finish().filter(|_| self.is_whole) else { return };
        let written = self.file.write_at(0, &header);
        self.check(written);
        if self.is_whole {
            let name = self.header.name();
            self.cache.0.room.place(|| {
                // Where locks are mandatory, nobody could read it.
                let _ = self.file.file().unlock();
                // Somebody may have removed the file or the folder.
                if self.leftover.persist(self.folder.join(name.to_string())).is_ok() {
                    remove_others(&self.folder, &name);
                }
            });
        }
    }
}

/// Removes the ranges that this one contains, and those of another state of the object.
fn remove_others(folder: &Path, new: &Name) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(name) = entry.file_name().to_str().and_then(Name::parse) else { continue };
        if name != *new && new.replaces(&name) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

impl fmt::Debug for KeptRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptRange").field("name", &self.header.name().to_string()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
