//! The mounts of a search path.

use std::ffi::c_char;

use super::{found, ml_assets};
use crate::call::{call, needed_text, system_path};
use crate::error::ml_error;
use crate::handle;
use crate::result::{Failure, ml_result};

/// Mounts a folder of the operating system. Files outside it are never read, even through symbolic links.
///
/// Cost: O(1); folders are listed on first use.
/// Threads: any.
/// Errors: ML_ERROR_NOT_FOUND, ML_ERROR_IO.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_mount_folder(
    assets: *mut ml_assets,
    path: *const c_char,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let assets = handle::get(assets.cast_const())?;
        Ok(assets.lock().mount_folder(system_path(path)?)?)
    })
}

/// Mounts a PK3 or zip archive.
///
/// Cost: O(entries): its directory is read.
/// Threads: any.
/// Errors: ML_ERROR_NOT_FOUND, ML_ERROR_IO, ML_ERROR_ARCHIVE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_mount_archive(
    assets: *mut ml_assets,
    path: *const c_char,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let assets = handle::get(assets.cast_const())?;
        Ok(assets.lock().mount_archive(system_path(path)?)?)
    })
}

/// Mounts a PK3 or zip archive that is a file of the mounts, such as one in a file system of the caller. `name` is its path
/// inside the mounts. The new mount is named after the file: the name of its mount, a slash, and its path in that mount.
///
/// Cost: O(entries): its directory is read.
/// Threads: any.
/// Errors: ML_ERROR_NOT_FOUND if no mount has the file, ML_ERROR_ARCHIVE; those of ml_read_asset_file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_mount_inner_archive(
    assets: *mut ml_assets,
    name: *const c_char,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let handle = handle::get(assets.cast_const())?;
        let file = found(&handle.now(), needed_text(name)?)?;
        Ok(handle.lock().mount_inner_archive(&file)?)
    })
}

/// Removes a mount: the one that was added last with this name. The name of a folder or an archive of the operating system
/// is the path with which it was mounted. Assets that were opened from it stay open; `release` of a file system is called
/// after the last of them was closed.
///
/// Cost: O(mounts + folders that were listed).
/// Threads: any.
/// Errors: ML_ERROR_NOT_FOUND if no mount has the name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_unmount(
    assets: *mut ml_assets,
    name: *const c_char,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let handle = handle::get(assets.cast_const())?;
        // A name that is no path is compared in the same way.
        let name = system_path(name)?;
        // The mount is dropped with this clone: `release` may call functions for the same search path.
        let _before = handle.now();
        if handle.lock().unmount(name) {
            return Ok(());
        }
        let text = format_args!("{}: no mount has this name", name.display());
        Err(Failure::owned(ml_result::ML_ERROR_NOT_FOUND, text))
    })
}

/// Clears the cached folder listings, so that added and removed files are noticed, and opens mounted archives again that
/// have changed. One that cannot be opened stays as it was, and reading from it is an error. An archive in a file system of
/// the caller has changed if its size or its version is another. An archive that was mounted from inside another archive is not
/// opened again: unmount it, and mount it again.
///
/// Cost: O(folders that were listed + archives), and the directories of archives that have changed.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_refresh_assets(assets: *mut ml_assets, error: *mut ml_error) -> ml_result {
    call!(error, {
        handle::get(assets.cast_const())?.lock().refresh();
        Ok(())
    })
}
