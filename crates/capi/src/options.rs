//! Options for opening models: read from C and checked; and reading files with them.

use std::ffi::{c_char, c_int, c_void};
use std::path::Path;

use meshlens::Format;
use meshlens_source::{RandomAccessFile, ReadAt, Source};

use crate::call::text;
use crate::enums::{ml_access, ml_format, ml_ownership, raw};
use crate::file_bytes::{Borrowed, Bytes, FileBytes};
use crate::memory::{Limited, Memory, ml_allocator};
use crate::result::{Failure, Result, ml_result};
use crate::sized::{self, Growing};

/// Receives the progress of a call: `done` of `total` bytes. A result other than 0 stops the call, which then returns
/// ML_ERROR_CANCELLED. It is called on the thread of the call.
pub type ml_progress_fn = Option<unsafe extern "C" fn(user: *mut c_void, done: u64, total: u64) -> c_int>;

/// Receives the next `size` bytes of an output. A result other than 0 stops the call, which then returns
/// ML_ERROR_CALLBACK. It is called on the thread of the call.
pub type ml_write_fn =
    Option<unsafe extern "C" fn(user: *mut c_void, data: *const c_void, size: usize) -> c_int>;

/// Options for opening a model. All zeros are the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ml_open_opts {
    /// sizeof(ml_open_opts), or 0 for the first version of the struct.
    pub size: usize,
    /// The format of the file, or ML_FORMAT_DETECT. Unreal meshes cannot be detected; they are recognized by their
    /// roles.
    pub format: raw::ml_format,
    /// How files are read.
    pub access: raw::ml_access,
    /// The owner of bytes in memory.
    pub ownership: raw::ml_ownership,
    /// The password of an encrypted file, or NULL.
    pub password: *const c_char,
    /// The name of the mesh in the script. If NULL, the mesh with the name of the files is used, or the only mesh.
    pub script_mesh: *const c_char,
    /// The allocator, or NULL for the library's allocator. It is copied.
    pub allocator: *const ml_allocator,
    /// The largest number of bytes that the file may take while it is open. Bytes of a map and bytes of the caller do
    /// not count. 0 means 1 GiB, SIZE_MAX no limit. See ml_allocator for the memory that counts.
    pub memory_limit: usize,
    /// Called while a file is read, or NULL.
    pub progress: ml_progress_fn,
    /// Passed to `progress`.
    pub progress_user: *mut c_void,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_open_opts {}

/// A callback that receives the progress of a call.
#[derive(Clone, Copy)]
pub(crate) struct Progress {
    call: ml_progress_fn,
    user: *mut c_void,
}

// SAFETY: the pointer is only used during calls, on the thread of the call.
unsafe impl Send for Progress {}

impl Progress {
    pub(crate) const fn new(call: ml_progress_fn, user: *mut c_void) -> Progress {
        Progress { call, user }
    }

    pub(crate) const fn is_none(&self) -> bool {
        self.call.is_none()
    }

    /// Reports progress. Returns an error if the callback stops the call.
    pub(crate) fn report(&self, done: u64, total: u64) -> Result<()> {
        // SAFETY: the caller guarantees that the function can be called with these arguments.
        let stop = self.call.is_some_and(|call| unsafe { call(self.user, done, total) } != 0);
        if stop {
            return Err(Failure::new(ml_result::ML_ERROR_CANCELLED, "the progress callback asked to stop"));
        }
        Ok(())
    }
}

/// Options that are read and checked. Clones share the memory limit.
#[derive(Clone)]
pub(crate) struct Options {
    pub(crate) format: Option<Format>,
    pub(crate) maps: bool,
    pub(crate) copies: bool,
    pub(crate) password: Option<String>,
    pub(crate) script_mesh: Option<String>,
    pub(crate) memory: Limited,
    pub(crate) progress: Progress,
}

impl Options {
    /// # Safety
    ///
    /// `from` is NULL or points to options, whose pointers are NULL or valid.
    pub(crate) unsafe fn read(from: *const ml_open_opts) -> Result<Options> {
        // SAFETY: guaranteed by the caller, also for the strings and the allocator.
        unsafe {
            let opts = sized::read(from)?;
            let format = match opts.format {
                0 => None,
                format => Some(ml_format::read(format).ok_or(Failure::argument("there is no such format"))?),
            };
            let access =
                ml_access::of(opts.access).ok_or(Failure::argument("there is no such way of access"))?;
            let ownership =
                ml_ownership::of(opts.ownership).ok_or(Failure::argument("there is no such ownership"))?;
            Ok(Options {
                format,
                maps: access == ml_access::ML_ACCESS_MAP,
                copies: ownership == ml_ownership::ML_OWNERSHIP_COPY,
                password: text(opts.password)?.map(Into::into),
                script_mesh: text(opts.script_mesh)?.map(Into::into),
                memory: Limited::new(opts.allocator, opts.memory_limit)?,
                progress: Progress::new(opts.progress, opts.progress_user),
            })
        }
    }

    /// The bytes of the caller, or a copy of them.
    ///
    /// # Safety
    ///
    /// If they are not copied, the bytes stay unchanged until the file is closed.
    pub(crate) unsafe fn take(&self, bytes: &[u8]) -> Result<FileBytes> {
        if self.copies {
            return self.copy(bytes, "a copy of the file");
        }
        // SAFETY: guaranteed by the caller.
        Ok(FileBytes { bytes: Bytes::Borrowed(unsafe { Borrowed::new(bytes) }), _held: None })
    }

    /// A copy of bytes. `what` names it if it exceeds the memory limit.
    pub(crate) fn copy(&self, bytes: &[u8], what: &'static str) -> Result<FileBytes> {
        let held = self.memory.reserve(bytes.len(), what)?;
        Ok(FileBytes {
            bytes: Bytes::Memory(Memory::copy_of(&self.memory.allocator, bytes)?),
            _held: Some(held),
        })
    }

    /// Reads or maps a file.
    pub(crate) fn load(&self, path: &Path) -> Result<FileBytes> {
        let limit = self.memory.budget.limit() as u64;
        if self.maps || (self.memory.allocator.is_global() && self.progress.is_none()) {
            let source = if self.maps {
                // SAFETY: the caller requested a map, and the header states the requirements.
                unsafe { Source::map_limited(path, limit)? }
            } else {
                Source::read_limited(path, limit)?
            };
            let held = match source.is_mapped() {
                true => None,
                false => Some(self.memory.reserve(source.len(), "the bytes of the file")?),
            };
            return Ok(FileBytes { bytes: Bytes::Source(source), _held: held });
        }
        let file = RandomAccessFile::open(path)?;
        let total = file.size();
        let len = usize::try_from(total).map_err(|_| Failure::memory())?;
        if len == 0 {
            // The file does not state its length, such as a file of /proc.
            return self.copy(Source::read_limited(path, limit)?.as_bytes(), "a copy of the file");
        }
        let held = Some(self.memory.reserve(len, "the bytes of the file")?);
        let mut memory = Memory::zeroed(&self.memory.allocator, len)?;
        let mut done: u64 = 0;
        for room in memory.as_mut_slice().chunks_mut(CHUNK) {
            self.progress.report(done, total)?;
            let read = file.read_at(done, room.len() as u64)?;
            // The callback reads the number of requested bytes, or returns an error.
            for (to, from) in room.iter_mut().zip(read.iter()) {
                *to = *from;
            }
            done = done.saturating_add(read.len() as u64);
        }
        self.progress.report(total, total)?;
        Ok(FileBytes { bytes: Bytes::Memory(memory), _held: held })
    }
}

/// The largest number of bytes between two reports of progress.
const CHUNK: usize = 4 << 20;
