//! Models by name: search paths of folders, archives and the caller's file systems.

mod asset;
mod error;
mod file_system;
mod found;
mod mounts;
mod nodes;
mod opened;
#[cfg(feature = "textures")]
mod textures;

use std::ffi::{c_char, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(feature = "gltf")]
use meshlens::import::Importer;
#[cfg(feature = "gltf")]
use meshlens_assets::OpenOptions;
use meshlens_assets::{AssetPath, Assets, FoundFile};

use crate::call::{call, needed_text, text};
use crate::error::ml_error;
#[cfg(feature = "gltf")]
use crate::file_bytes::FileBytes;
use crate::handle;
use crate::memory::{Allocator, Limited, ml_allocator};
use crate::options::ml_write_fn;
use crate::result::{Failure, Result, ml_result};
use crate::sized::{self, Growing};

pub use asset::*;
pub use file_system::*;
pub use found::*;
pub use mounts::*;
pub use nodes::*;
pub(crate) use opened::Found;
#[cfg(feature = "textures")]
pub use textures::*;

/// A search path: an ordered list of mounted folders, archives and file systems of the caller, from which models are
/// opened. A name is looked up in the mount that was added last, then in the one before it, and so on, without the case
/// of ASCII letters. Files outside the mounts are never read.
pub struct ml_assets {
    assets: Mutex<Assets>,
    memory: Limited,
}

handle::opaque!(ml_assets: memory.allocator);

impl ml_assets {
    fn lock(&self) -> MutexGuard<'_, Assets> {
        // A mount is added in one step, so a panic leaves no partial change.
        self.assets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The current search path. Clones share what is known about folders.
    pub(crate) fn now(&self) -> Assets {
        self.lock().clone()
    }
}

/// Options for making a search path. All zeros are the defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_assets_opts {
    /// sizeof(ml_assets_opts), or 0 for the first version of the struct.
    pub size: usize,
    /// The allocator of memory for handles and texts, or NULL for the library's allocator. It is copied. The bytes of
    /// files come from the library's allocator.
    pub allocator: *const ml_allocator,
    /// The largest number of bytes that everything opened from the search path may take together; 0 means 1 GiB,
    /// SIZE_MAX no limit.
    pub memory_limit: usize,
    /// The largest size in bytes of a companion file, such as a texture; 0 means 1 GiB. The files of the model itself
    /// are only limited by memory_limit.
    pub max_file_size: u64,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_assets_opts {}

/// Makes a search path without mounts. `opts` and `error` may be NULL. On success, `*assets` is a new handle, to be
/// freed with ml_free_assets; otherwise it is NULL.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_new_assets(
    opts: *const ml_assets_opts,
    assets: *mut *mut ml_assets,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::clear(assets)?;
        let opts = sized::read(opts)?;
        let memory = Limited::new(opts.allocator, opts.memory_limit)?;
        let mut made = empty(&memory);
        if opts.max_file_size > 0 {
            made.set_limit(opts.max_file_size);
        }
        handle::open(assets, ml_assets { assets: Mutex::new(made), memory })
    })
}

/// Frees a search path. Assets that were opened from it stay open. NULL is ignored.
///
/// Cost: O(folders that were listed).
/// Threads: any, one at a time.
/// Errors: those of ml_close.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_free_assets(assets: *mut ml_assets) -> ml_result {
    call!(std::ptr::null_mut(), handle::close(assets))
}

/// Called with each name in a folder. A result other than 0 stops the call, which then returns ML_ERROR_CALLBACK.
pub type ml_entry_fn =
    Option<unsafe extern "C" fn(user: *mut c_void, name: *const c_char, is_folder: u32) -> std::ffi::c_int>;

/// Calls `entry` with the names of the files and folders in a folder of the mounts, each once and sorted, folders
/// first. `folder` is "" for the root. If a mount cannot list the folder, or one that contains it, the names of the other mounts
/// are passed, and then the call returns the error.
///
/// Cost: O(names); the first use of a folder lists it in every mount.
/// Threads: any.
/// Errors: ML_ERROR_NOT_FOUND if no mount has the folder, ML_ERROR_REFUSED, ML_ERROR_CALLBACK, ML_ERROR_MEMORY_LIMIT; those of
/// ml_read_asset_file for a folder that cannot be listed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_list_folder(
    assets: *const ml_assets,
    folder: *const c_char,
    entry: ml_entry_fn,
    user: *mut c_void,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let assets = handle::get(assets)?.now();
        let entry = entry.ok_or(Failure::argument("the callback that takes the names is NULL"))?;
        let folder = folder_path(needed_text(folder)?)?;
        let fault = assets.fault_at(&folder);
        if fault.is_none() && !assets.has_folder(&folder) {
            let text = format_args!("{folder}: no such folder");
            return Err(Failure::owned(ml_result::ML_ERROR_NOT_FOUND, text));
        }
        let folders = assets.folders(&folder).into_iter().map(|name| (name, 1));
        let files = assets.files(&folder).into_iter().map(|name| (name, 0));
        for (name, is_folder) in folders.chain(files) {
            let Ok(name) = std::ffi::CString::new(name) else { continue };
            if entry(user, name.as_ptr(), is_folder) != 0 {
                return Err(Failure::callback("the callback that takes the names stopped"));
            }
        }
        Ok(fault.map_or(Ok(()), Err)?)
    })
}

/// The path of a folder inside the mounts; "" and "." are the root.
fn folder_path(name: &str) -> Result<AssetPath> {
    match name {
        "" | "." => Ok(AssetPath::root()),
        name => Ok(AssetPath::new(name).map_err(meshlens_assets::Error::from)?),
    }
}

/// Calls `write` once with the content of a file of the mounts, such as a texture or a script.
///
/// Cost: O(size of the file).
/// Threads: any.
/// Errors: ML_ERROR_NOT_FOUND, ML_ERROR_AMBIGUOUS, ML_ERROR_REFUSED, ML_ERROR_IO, ML_ERROR_ARCHIVE,
/// ML_ERROR_MEMORY_LIMIT, ML_ERROR_CALLBACK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_read_asset_file(
    assets: *const ml_assets,
    path: *const c_char,
    write: ml_write_fn,
    user: *mut c_void,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let handle = handle::get(assets)?;
        let write = write.ok_or(Failure::argument("the callback that takes the content is NULL"))?;
        let assets = handle.now();
        let file = found(&assets, needed_text(path)?)?;
        let bytes = assets.read_limited(&file, handle.memory.budget.limit() as u64)?;
        let _held = handle.memory.reserve(bytes.len(), "a file")?;
        if write(user, bytes.as_ptr().cast(), bytes.len()) != 0 {
            return Err(Failure::callback("the callback that takes the content stopped"));
        }
        Ok(())
    })
}

/// The file of the mounts with this path. A file that no mount has may be in a folder that cannot be listed.
fn found(assets: &Assets, path: &str) -> Result<FoundFile> {
    let path = AssetPath::new(path).map_err(meshlens_assets::Error::from)?;
    if let Some(found) = assets.find(&path)? {
        return Ok(found);
    }
    let text = format_args!("{path}: no such file in the mounts");
    Err(assets
        .fault_at(&path)
        .map_or_else(|| Failure::owned(ml_result::ML_ERROR_NOT_FOUND, text), Failure::from))
}

/// The search path of a call without one: an empty one.
///
/// # Safety
///
/// `assets` is NULL or an open handle.
unsafe fn or_empty(assets: *const ml_assets) -> Result<(Assets, Limited)> {
    if assets.is_null() {
        let memory = Limited::with(Allocator::Global);
        return Ok((empty(&memory), memory));
    }
    // SAFETY: guaranteed by the caller.
    let handle = unsafe { handle::get(assets)? };
    Ok((handle.now(), handle.memory.clone()))
}

/// A search path without mounts for every format that the library reads.
fn empty(memory: &Limited) -> Assets {
    let mut assets = Assets::new();
    assets.set_budget(memory.budget.clone());
    #[cfg(feature = "gltf")]
    assets.add_importer(meshlens_gltf::Gltf);
    assets
}

/// Whether the bytes are a file that is imported.
#[cfg(feature = "gltf")]
pub(crate) fn is_imported(bytes: &[u8]) -> bool {
    meshlens_gltf::Gltf.detects("", bytes)
}

/// Imports a file in memory, which has no files beside it.
#[cfg(feature = "gltf")]
pub(crate) fn import(file: FileBytes, memory: Limited) -> Result<Found> {
    let located = empty(&memory).locate_bytes("memory", bytes::Bytes::from_owner(file))?;
    Found::open(located, &OpenOptions::default(), memory)
}

/// Options for a model that is opened by name. All zeros are the defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_asset_opts {
    /// sizeof(ml_asset_opts), or 0 for the first version of the struct.
    pub size: usize,
    /// The skin of an MD3 model, which must exist, or NULL: players then use "default", and other models the materials
    /// of their file.
    pub skin: *const c_char,
    /// The password of an encrypted file, or NULL.
    pub password: *const c_char,
    /// The sum of flags such as ML_ASSET_NO_LODS.
    pub flags: u32,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_asset_opts {}

/// A flag of ml_asset_opts: do not look up coarser levels of detail.
pub const ML_ASSET_NO_LODS: u32 = 1;
/// A flag of ml_asset_opts: keep the materials of the file. Without it, materials are resolved as in the game: shaders
/// are applied, and textures are files of the mounts.
pub const ML_ASSET_NO_MATERIALS: u32 = 2;

/// # Safety
///
/// `opts` is NULL or points to options, whose texts are NULL or valid.
pub(crate) unsafe fn read_opts(opts: *const ml_asset_opts) -> Result<meshlens_assets::OpenOptions> {
    // SAFETY: guaranteed by the caller.
    let (opts, skin, password) = unsafe {
        let opts = sized::read(opts)?;
        (opts, text(opts.skin)?, text(opts.password)?)
    };
    if opts.flags & !(ML_ASSET_NO_LODS | ML_ASSET_NO_MATERIALS) != 0 {
        return Err(Failure::argument("the options have flags that are not known"));
    }
    Ok(meshlens_assets::OpenOptions {
        skin: skin.map(Into::into),
        lods: opts.flags & ML_ASSET_NO_LODS == 0,
        materials: opts.flags & ML_ASSET_NO_MATERIALS == 0,
        password: password.map(Into::into),
        ..meshlens_assets::OpenOptions::default()
    })
}
