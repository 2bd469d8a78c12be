//! The number of bytes in the folder, which all processes share.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use super::entry::Name;

/// Files take whole blocks of a disk.
const DISK_BLOCK: u64 = 4096;
/// The number of attempts to lock the folder for a range whose bytes have arrived, and the time between two of them. Other
/// processes lock it for microseconds, unless one was stopped at this very moment.
const ATTEMPTS: usize = 200;
const PAUSE: Duration = Duration::from_millis(1);
/// The end of the names of files that are being written.
pub(super) const TEMPORARY: &str = ".tmp";

/// The accounts of a folder. The file `room` has the number of bytes, or more; whoever changes it holds its lock.
pub(super) struct Room {
    folder: PathBuf,
    limit: u64,
    /// Threads of one process wait for each other here.
    threads: Mutex<()>,
}

/// The accounts, while no other thread and no other process can change them.
struct Locked<'r> {
    /// The lock of the file ends with it, before the lock of the threads.
    account: File,
    _threads: MutexGuard<'r, ()>,
}

impl Room {
    pub(super) const fn new(folder: PathBuf, limit: u64) -> Room {
        Room { folder, limit, threads: Mutex::new(()) }
    }

    /// Makes room for a file, and calls `make` while no other process does the same. `None` if there is no room, or
    /// another process has the lock: the bytes are on their way, and do not wait for it.
    pub(super) fn reserve<T>(&self, len: u64, make: impl FnOnce() -> io::Result<T>) -> io::Result<Option<T>> {
        let len = on_disk(len);
        if len > self.limit {
            return Ok(None);
        }
        super::make_folder(&self.folder)?;
        let Some(mut locked) = self.locked()? else { return Ok(None) };
        let account = &mut locked.account;
        let mut text = Vec::new();
        account.read_to_end(&mut text)?;
        let known = <[u8; 16]>::try_from(text).ok().and_then(|text| {
            let (number, check) = (u64::from_le_bytes(*text.first_chunk()?), text.last_chunk::<8>()?);
            (!number == u64::from_le_bytes(*check)).then_some(number)
        });
        let total = match known.and_then(|known| known.checked_add(len)) {
            Some(total) if total <= self.limit => total,
            // More than is needed is removed, because finding the oldest files takes long.
            _ => self.shrink((self.limit - len).min(self.limit - self.limit / 8)).saturating_add(len),
        };
        account.rewind()?;
        account.write_all(&[total.to_le_bytes(), (!total).to_le_bytes()].concat())?;
        // Files that are being written cannot be removed.
        if total > self.limit { Ok(None) } else { make().map(Some) }
    }

    /// Calls `place`, which gives a file that is being written its name, while no process counts the files. `None` if another
    /// process does not release the lock.
    pub(super) fn place<T>(&self, place: impl FnOnce() -> T) -> Option<T> {
        for _ in 0..ATTEMPTS {
            if let Some(_locked) = self.locked().ok()? {
                return Some(place());
            }
            std::thread::sleep(PAUSE);
        }
        None
    }

    /// Locks the accounts. `None` if another process has the lock.
    fn locked(&self) -> io::Result<Option<Locked<'_>>> {
        let threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let account = options.open(self.folder.join("room"))?;
        match account.try_lock() {
            Ok(()) => Ok(Some(Locked { account, _threads: threads })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Removes the files that were not used for the longest time, until `most` bytes are left. Returns their number.
    fn shrink(&self, most: u64) -> u64 {
        let mut all = Vec::new();
        for folder in folders(&self.folder).flat_map(|group| folders(&group)) {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let (name, path) = (entry.file_name(), entry.path());
                let name = name.to_str().unwrap_or_default();
                if name.ends_with(TEMPORARY) && is_left(&path) {
                    let _ = std::fs::remove_file(&path);
                } else if (name.ends_with(TEMPORARY) || Name::parse(name).is_some())
                    && let Ok(meta) = entry.metadata()
                {
                    let used = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                    all.push((used, path, on_disk(meta.len())));
                }
            }
        }
        all.sort_unstable();
        let mut total = all.iter().fold(0u64, |total, (_, _, len)| total.saturating_add(*len));
        for (_, path, len) in all {
            if total <= most {
                break;
            }
            // Files that are being written belong to the process that writes them.
            let is_temporary = path.extension().is_some_and(|extension| extension == "tmp");
            if !is_temporary && is_gone(&path) {
                total = total.saturating_sub(len);
                if let Some(folder) = path.parent() {
                    // Only if it is empty.
                    let _ = std::fs::remove_dir(folder);
                }
            }
        }
        total
    }
}

fn on_disk(len: u64) -> u64 {
    len.checked_next_multiple_of(DISK_BLOCK).unwrap_or(u64::MAX)
}

/// Removes a file, if another process has not done so.
fn is_gone(path: &Path) -> bool {
    match std::fs::remove_file(path) {
        Ok(()) => true,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// Whether the process that wrote a temporary file has ended.
fn is_left(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| file.try_lock().is_ok())
}

/// The folders in a folder.
fn folders(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path())
}
