//! Opens models by name.

use std::ffi::c_char;

use super::opened::Found;
use super::{ml_asset_opts, ml_assets, or_empty, read_opts};
use crate::asset::ml_asset;
use crate::call::{call, needed_text, system_path};
use crate::error::ml_error;
use crate::handle;
use crate::result::ml_result;

/// Opens a model by its name inside the mounts, with its companion files:
///
/// | name | model |
/// |---|---|
/// | models/x.md3, x.u3d, x.mesh, x.anim | the file |
/// | Models/x_d.3d, Models/x_a.3d | both files |
/// | Classes/x.uc | the mesh that the script imports, if it is one |
/// | Classes/x.uc!Gun | the mesh Gun of the script |
/// | models/players/sarge | the player in this folder |
/// | pak0.pk3!models/x.md3 | any of these in an archive inside the mounts |
///
/// Clips, skins, levels of detail, animations and textures are found by the rules of each format; ml_get_asset_lookup
/// lists the files that were looked up. On success, `*asset` is a new handle, to be closed with ml_close;
/// otherwise it is NULL.
///
/// Cost: O(size of the files).
/// Threads: any.
/// Errors: ML_ERROR_NOT_FOUND, ML_ERROR_AMBIGUOUS, ML_ERROR_REFUSED, ML_ERROR_IO, ML_ERROR_ARCHIVE, ML_ERROR_CALLBACK,
/// ML_ERROR_MEMORY_LIMIT; those of ml_open_memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_open_asset(
    assets: *const ml_assets,
    name: *const c_char,
    opts: *const ml_asset_opts,
    asset: *mut *mut ml_asset,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::clear(asset)?;
        let handle = handle::get(assets)?;
        let options = read_opts(opts)?;
        let located = handle.now().locate(needed_text(name)?)?;
        handle::open(asset, Found::open(located, &options, handle.memory.clone())?.into())
    })
}

/// Opens a model by a path of the operating system: a file, the folder of a player, a mesh of a script (x.uc!Gun), or
/// any of these in an archive (pak0.pk3!models/x.md3). Companion files are looked up in the folder of the game around
/// the path if it is recognized, otherwise in the folder of the path; and then in `assets`, which may be NULL.
///
/// On success, `*asset` is a new handle, to be closed with ml_close; otherwise it is NULL.
///
/// Cost: O(size of the files).
/// Threads: any.
/// Errors: those of ml_open_asset.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_open_path(
    assets: *const ml_assets,
    path: *const c_char,
    opts: *const ml_asset_opts,
    asset: *mut *mut ml_asset,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::clear(asset)?;
        let (assets, memory) = or_empty(assets)?;
        let options = read_opts(opts)?;
        let located = assets.user_path(system_path(path)?)?.locate()?;
        handle::open(asset, Found::open(located, &options, memory)?.into())
    })
}
