//! File systems of the caller.

use std::ffi::{CString, c_char, c_void};
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use meshlens_assets::{AssetPath, Entry, EntryKind, FilePart, FileSystem};

use super::ml_assets;
use crate::call::{call, needed_text, text};
use crate::enums::raw;
use crate::error::ml_error;
use crate::file_bytes::{Bytes as Kept, FileBytes};
use crate::handle;
use crate::memory::{Allocator, Memory};
use crate::result::{Failure, Result, ml_result};
use crate::sized::{self, Growing};

/// Writes the number of bytes of a file to `*size`, and to `*version` a number that changes when the file changes, or
/// 0. Returns ML_ERROR_NOT_FOUND if the file does not exist.
pub type ml_file_size_fn = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        path: *const c_char,
        size: *mut u64,
        version: *mut u64,
    ) -> raw::ml_result,
>;

/// Reads exactly `size` bytes of a file at `offset`. The range is inside the file.
pub type ml_read_file_fn = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        path: *const c_char,
        offset: u64,
        out: *mut c_void,
        size: usize,
    ) -> raw::ml_result,
>;

/// Receives a name in a folder, one component of a path. `is_folder` is not 0 for a folder.
pub type ml_add_entry_fn =
    Option<unsafe extern "C" fn(entries: *mut c_void, name: *const c_char, is_folder: u32)>;

/// Lists a folder: calls `add(entries, name, is_folder)` for each name in it. "" is the root. Returns
/// ML_ERROR_NOT_FOUND if the folder does not exist.
pub type ml_list_entries_fn = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        folder: *const c_char,
        add: ml_add_entry_fn,
        entries: *mut c_void,
    ) -> raw::ml_result,
>;

/// A file system of the caller. Paths are components joined by '/', in the spelling of `list`. The functions return
/// ML_OK or an error. They may be called at the same time from every thread that uses the search path, or a model that
/// was opened from it, and must not call functions for the same search path.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ml_file_system {
    /// sizeof(ml_file_system), or 0 for the first version of the struct.
    pub size: usize,
    /// Passed to every function.
    pub user: *mut c_void,
    /// Returns the size of a file.
    pub file_size: ml_file_size_fn,
    /// Reads a part of a file.
    pub read: ml_read_file_fn,
    /// Lists a folder.
    pub list: ml_list_entries_fn,
    /// Called once when the file system is no longer used, or NULL.
    pub release: Option<unsafe extern "C" fn(user: *mut c_void)>,
}

// SAFETY: `size` comes first, and every bit pattern is valid: functions are checked for NULL, and are the caller's.
unsafe impl Growing for ml_file_system {}

/// The functions of a file system, all of them present.
pub(crate) struct Callbacks {
    user: *mut c_void,
    file_size: unsafe extern "C" fn(*mut c_void, *const c_char, *mut u64, *mut u64) -> raw::ml_result,
    read: unsafe extern "C" fn(*mut c_void, *const c_char, u64, *mut c_void, usize) -> raw::ml_result,
    list: ml_list_entries_fn,
    release: Option<unsafe extern "C" fn(*mut c_void)>,
    /// Whether `release` will be called. It is not called if the call that received the file system fails.
    releases: AtomicBool,
}

// SAFETY: the contract of `ml_file_system` allows every thread to call its functions.
unsafe impl Send for Callbacks {}
// SAFETY: as above.
unsafe impl Sync for Callbacks {}

impl Drop for Callbacks {
    fn drop(&mut self) {
        if let Some(release) = self.release.filter(|_| *self.releases.get_mut()) {
            // SAFETY: the caller guarantees that the function can be called with these arguments, once.
            unsafe { release(self.user) };
        }
    }
}

/// Converts the result of a function of the caller to a Rust error.
fn check(result: raw::ml_result) -> io::Result<()> {
    match result {
        0 => Ok(()),
        result if result == ml_result::ML_ERROR_NOT_FOUND as i32 => Err(io::ErrorKind::NotFound.into()),
        result => Err(io::Error::other(CallbackFailed(result))),
    }
}

/// The result of a function of the caller that failed.
#[derive(Debug)]
pub(super) struct CallbackFailed(raw::ml_result);

impl fmt::Display for CallbackFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the callback returned {}", self.0)
    }
}

impl std::error::Error for CallbackFailed {}

pub(crate) fn c_path(path: &str) -> io::Result<CString> {
    CString::new(path).map_err(|_| io::ErrorKind::NotFound.into())
}

impl Callbacks {
    /// All functions except `list` are required.
    pub(crate) fn new(files: ml_file_system) -> Result<Callbacks> {
        let (Some(file_size), Some(read)) = (files.file_size, files.read) else {
            return Err(Failure::argument("a function of the file system is NULL"));
        };
        let (user, list, release) = (files.user, files.list, files.release);
        Ok(Callbacks { user, file_size, read, list, release, releases: AtomicBool::new(false) })
    }

    /// From now on, the library releases the file system.
    pub(crate) fn take_over(&self) {
        self.releases.store(true, Ordering::Release);
    }

    pub(crate) fn size_of(&self, path: &CString) -> io::Result<(u64, u64)> {
        let (mut size, mut version) = (0, 0);
        // SAFETY: the caller guarantees that the function can be called with these arguments.
        check(unsafe { (self.file_size)(self.user, path.as_ptr(), &raw mut size, &raw mut version) })?;
        Ok((size, version))
    }

    /// Reads the bytes at an offset, as many as `out` has.
    pub(crate) fn read_into(&self, path: &CString, offset: u64, out: &mut [u8]) -> io::Result<()> {
        // SAFETY: the caller guarantees that the function can be called with these arguments; there are as many bytes.
        check(unsafe { (self.read)(self.user, path.as_ptr(), offset, out.as_mut_ptr().cast(), out.len()) })
    }

    fn read_at(&self, path: &CString, range: Range<u64>) -> io::Result<Bytes> {
        let len = range.end.saturating_sub(range.start);
        let len = usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
        if len == 0 {
            return Ok(Bytes::new());
        }
        // Streamers and assets read after the search path was freed, and its allocator with it.
        let memory = Memory::zeroed(&Allocator::Global, len);
        let mut memory = memory.map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.read_into(path, range.start, memory.as_mut_slice())?;
        Ok(Bytes::from_owner(FileBytes { bytes: Kept::Memory(memory), _held: None }))
    }
}

impl FileSystem for Callbacks {
    fn read(&self, path: &AssetPath, limit: u64) -> io::Result<Bytes> {
        let path = c_path(path.as_str())?;
        let (size, _) = self.size_of(&path)?;
        if size > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.read_at(&path, 0..size)
    }

    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        let path = c_path(path.as_str())?;
        let (file_len, version) = self.size_of(&path)?;
        let end = range.end.min(file_len);
        let bytes = self.read_at(&path, range.start.min(end)..end)?;
        Ok(FilePart { bytes, file_len, version })
    }

    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        self.list_each(folder, &mut |name, kind| {
            entries.push(Entry { name: name.into(), kind });
            Ok(())
        })?;
        Ok(entries)
    }

    fn list_each(&self, folder: &AssetPath, each: Each<'_>) -> io::Result<()> {
        let folder = c_path(folder.as_str())?;
        let Some(list) = self.list else { return Err(io::ErrorKind::Unsupported.into()) };
        let mut entries = Entries { each, error: None };
        let to = (&raw mut entries).cast();
        // SAFETY: as above; `add_entry` is only called with this list.
        let listed = check(unsafe { list(self.user, folder.as_ptr(), Some(add_entry), to) });
        entries.error.map_or(listed, Err)
    }
}

type Each<'e> = &'e mut dyn FnMut(&str, EntryKind) -> io::Result<()>;

/// Takes the names in a folder, up to the first error.
struct Entries<'e> {
    each: Each<'e>,
    error: Option<io::Error>,
}

/// # Safety
///
/// `entries` points to the `Entries` that were passed with this function.
unsafe extern "C" fn add_entry(entries: *mut c_void, name: *const c_char, is_folder: u32) {
    // SAFETY: guaranteed by the caller.
    let (entries, name) = unsafe { (&mut *entries.cast::<Entries<'_>>(), text(name)) };
    // Names that are not UTF-8 cannot be requested.
    if let Ok(Some(name)) = name {
        let kind = if is_folder == 0 { EntryKind::File } else { EntryKind::Folder };
        if entries.error.is_none() {
            entries.error = (entries.each)(name, kind).err();
        }
    }
}

/// Mounts a file system of the caller. Errors refer to it by `name`, which may be "". The struct is copied.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT if a function is NULL; `release` is then not called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_mount_files(
    assets: *mut ml_assets,
    name: *const c_char,
    files: *const ml_file_system,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let assets = handle::get(assets.cast_const())?;
        let name = needed_text(name)?;
        let files = sized::read(files)?;
        let callbacks = Callbacks::new(files)?;
        if files.list.is_none() {
            return Err(Failure::argument("a function of the file system is NULL"));
        }
        callbacks.take_over();
        assets.lock().mount(name, callbacks);
        Ok(())
    })
}
