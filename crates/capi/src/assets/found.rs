//! Finds every model below a folder or in an archive.

use std::ffi::c_char;

use meshlens_assets::{FindOptions, FoundModels, Located, ModelFiles};

use super::opened::Found;
use super::{folder_path, ml_asset_opts, ml_assets, or_empty, read_opts};
use crate::asset::ml_asset;
use crate::call::{at, call, needed_text, system_path};
use crate::error::ml_error;
use crate::handle;
use crate::memory::Limited;
use crate::names::{TextAt, TextBuilder, Texts};
use crate::result::{Failure, Result, ml_result};
use crate::sized::{self, Growing};

/// A list of models that were found and are not opened yet. It is immutable.
pub struct ml_models {
    models: Vec<Located>,
    names: Vec<(TextAt, TextAt)>,
    texts: Texts,
    faults: Vec<Failure>,
    memory: Limited,
}

handle::opaque!(ml_models: memory.allocator);

impl ml_models {
    fn new(found: FoundModels, memory: Limited) -> Result<ml_models> {
        let mut texts = TextBuilder::default();
        let names = found.models.iter().map(|model| {
            let path = texts.add(model.path().as_str());
            (texts.add(&model.files().to_string()), path)
        });
        let names = names.collect();
        let faults = found.faults.into_iter().map(Failure::from).collect();
        Ok(ml_models { models: found.models, names, texts: texts.finish(&memory)?, faults, memory })
    }
}

/// A flag of ml_find_models: also check the first bytes of files without the extension of a model format.
pub const ML_FIND_CONTENT: u32 = 1;
/// A flag of ml_find_models: also search in archives that are in folders.
pub const ML_FIND_ARCHIVES: u32 = 2;
/// A flag of ml_find_models: also list the files of glTF.
pub const ML_FIND_GLTF: u32 = 4;

fn options(flags: u32) -> Result<FindOptions> {
    if flags & !(ML_FIND_CONTENT | ML_FIND_ARCHIVES | ML_FIND_GLTF) != 0 {
        return Err(Failure::argument("there are flags that are not known"));
    }
    Ok(FindOptions {
        imported: flags & ML_FIND_GLTF != 0,
        content: flags & ML_FIND_CONTENT != 0,
        archives: flags & ML_FIND_ARCHIVES != 0,
        players: false,
        skins: false,
    })
}

/// Finds every model below a folder of the mounts, without reading any: each Unreal mesh once, with the script that
/// imports it. `folder` is "" for the root; `flags` is the sum of ML_FIND_CONTENT, ML_FIND_ARCHIVES and ML_FIND_GLTF, or 0. Files and
/// folders that cannot be searched are listed as faults, and the others are still searched.
///
/// On success, `*models` is a new handle, to be closed with ml_close_models; otherwise it is NULL.
///
/// Cost: O(files below the folder).
/// Threads: any.
/// Errors: ML_ERROR_REFUSED, ML_ERROR_MEMORY. At the memory limit, the search ends, and a fault says where.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_find_models(
    assets: *const ml_assets,
    folder: *const c_char,
    flags: u32,
    models: *mut *mut ml_models,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::clear(models)?;
        let handle = handle::get(assets)?;
        let folder = folder_path(needed_text(folder)?)?;
        let found = handle.now().find_models(&folder, &options(flags)?);
        handle::open(models, ml_models::new(found, handle.memory.clone())?)
    })
}

/// Finds every model that a path of the operating system names: a file, the meshes of a script, or all models below a
/// folder or in an archive. Otherwise like ml_find_models: a path that does not exist or cannot be read is listed as a
/// fault. `assets` may be NULL.
///
/// Cost: O(files below the path).
/// Threads: any.
/// Errors: those of ml_find_models.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_find_models_at(
    assets: *const ml_assets,
    path: *const c_char,
    flags: u32,
    models: *mut *mut ml_models,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::clear(models)?;
        let (assets, memory) = or_empty(assets)?;
        let found = assets.user_path(system_path(path)?)?.models(&options(flags)?);
        handle::open(models, ml_models::new(found, memory)?)
    })
}

/// Closes a list of models. NULL is ignored.
///
/// Cost: O(models).
/// Threads: any, one at a time.
/// Errors: those of ml_close.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_close_models(models: *mut ml_models) -> ml_result {
    call!(std::ptr::null_mut(), handle::close(models))
}

/// The counts of a list of models.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_models_info {
    /// sizeof(ml_models_info), or 0 for the first version of the struct.
    pub size: usize,
    /// The number of models.
    pub model_count: usize,
    /// The number of files and folders that could not be searched.
    pub fault_count: usize,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_models_info {}

/// Writes the counts of a list of models.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_models_info(
    models: *const ml_models,
    info: *mut ml_models_info,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let models = handle::get(models)?;
        let written =
            ml_models_info { size: 0, model_count: models.models.len(), fault_count: models.faults.len() };
        sized::write(info, written)
    })
}

/// A model that was found.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_found_model {
    /// sizeof(ml_found_model), or 0 for the first version of the struct.
    pub size: usize,
    /// Its files in the form that users write. Valid until ml_close_models, like `path`.
    pub name: *const c_char,
    /// The path of its first file in the mounts.
    pub path: *const c_char,
    /// The number of its own files: 1, 2 for an Unreal mesh, up to 3 for a player.
    pub file_count: usize,
    /// Not 0 if the other file of an Unreal mesh is missing.
    pub is_unpaired: u32,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_found_model {}

/// Writes the properties of a model that was found. Models are sorted by the names of their files.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_found_model(
    models: *const ml_models,
    index: usize,
    model: *mut ml_found_model,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let models = handle::get(models)?;
        let (found, (name, path)) = (at(&models.models, "model", index)?, at(&models.names, "model", index)?);
        let written = ml_found_model {
            size: 0,
            name: models.texts.get(*name),
            path: models.texts.get(*path),
            file_count: found.files().files().len(),
            is_unpaired: matches!(found.files(), ModelFiles::Unpaired { .. }).into(),
        };
        sized::write(model, written)
    })
}

/// Writes the reason why a file or a folder could not be searched, as the error of a call.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such fault.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_find_fault(
    models: *const ml_models,
    index: usize,
    fault: *mut ml_error,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let models = handle::get(models)?;
        sized::write(fault, ml_error::new(at(&models.faults, "fault", index)?))
    })
}

/// Opens a model that was found, like ml_open_asset.
///
/// Cost: O(size of the files).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such model; those of ml_open_asset.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_open_found(
    models: *const ml_models,
    index: usize,
    opts: *const ml_asset_opts,
    asset: *mut *mut ml_asset,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::clear(asset)?;
        let models = handle::get(models)?;
        let options = read_opts(opts)?;
        let found = at(&models.models, "model", index)?;
        handle::open(asset, Found::open(found.clone(), &options, models.memory.clone())?.into())
    })
}
