//! The content of an asset: its parts, its files, and the files that were looked up.

use std::ffi::{c_char, c_void};

use meshlens::Report;
use meshlens_assets::material::ImageLimits;

use super::asset::{Content, ml_asset};
use crate::call::call;
use crate::content::ml_file;
use crate::error::{ml_error, write_text};
use crate::export::ml_write_fn;
use crate::handle;
use crate::model::or_none;
use crate::report::ml_report;
use crate::result::{Failure, ml_result};
use crate::sized::{self, Growing};

/// The content of an asset.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_asset_info {
    /// sizeof(ml_asset_info), or 0 for the first version of the struct.
    pub size: usize,
    /// The files of the model in the form that users write, such as "pak0.pk3!models/x.md3". Valid until
    /// ml_close_asset, like every text of an asset.
    pub name: *const c_char,
    /// The number of parts: 1, or the parts of a player.
    pub part_count: usize,
    /// The number of files that the asset was made from.
    pub file_count: usize,
    /// The number of files that were looked up.
    pub lookup_count: usize,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_asset_info {}

/// Writes the content of an asset.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_asset_info(
    asset: *const ml_asset,
    info: *mut ml_asset_info,
    error: *mut ml_error,
) -> ml_result {
    // SAFETY: required by the header.
    unsafe {
        call(error, || {
            let asset = handle::get(asset)?;
            let written = ml_asset_info {
                size: 0,
                name: asset.texts.get(asset.name),
                part_count: asset.parts.len(),
                file_count: asset.files.len(),
                lookup_count: asset.lookups.len(),
            };
            sized::write(info, written)
        })
    }
}

/// One model of an asset: the only one, or a part of a player.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_asset_part {
    /// sizeof(ml_asset_part), or 0 for the first version of the struct.
    pub size: usize,
    /// The name of its file without the extension.
    pub name: *const c_char,
    /// The path of its file in the mounts.
    pub path: *const c_char,
    /// The index of the part that it is attached to, or ML_NONE.
    pub parent: usize,
    /// The index of the tag of that part's model, or ML_NONE.
    pub tag: usize,
    /// The frame to show while no clip plays.
    pub rest_frame: usize,
    /// The number of coarser levels of detail.
    pub level_count: usize,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_asset_part {}

/// Writes the properties of a part of an asset.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such part.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_asset_part(
    asset: *const ml_asset,
    index: usize,
    part: *mut ml_asset_part,
    error: *mut ml_error,
) -> ml_result {
    // SAFETY: required by the header.
    unsafe {
        call(error, || {
            let asset = handle::get(asset)?;
            let names =
                asset.parts.get(index).ok_or_else(|| Failure::index("part", index, asset.parts.len()))?;
            let found = match &asset.content {
                Content::Whole { asset, .. } => asset.parts().get(index),
                Content::Half(..) => None,
            };
            let attach = found.and_then(|part| part.attach);
            let written = ml_asset_part {
                size: 0,
                name: asset.texts.get(names.name),
                path: asset.texts.get(names.path),
                parent: or_none(attach.map(|(parent, _)| parent)),
                tag: or_none(attach.map(|(_, tag)| tag)),
                rest_frame: found.map_or(0, |part| part.rest_frame),
                level_count: found.map_or(0, |part| part.levels.len()),
            };
            sized::write(part, written)
        })
    }
}

/// A file that an asset was made from.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_asset_file {
    /// sizeof(ml_asset_file), or 0 for the first version of the struct.
    pub size: usize,
    /// The file in the form that users write.
    pub name: *const c_char,
    /// Its path in its mount.
    pub path: *const c_char,
    /// The name of the rule by which it was found, such as "Skin".
    pub rule: *const c_char,
    /// The number of bytes.
    pub byte_count: u64,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_asset_file {}

/// Writes a file that an asset was made from, in the order in which the files were read.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_asset_file(
    asset: *const ml_asset,
    index: usize,
    file: *mut ml_asset_file,
    error: *mut ml_error,
) -> ml_result {
    // SAFETY: required by the header.
    unsafe {
        call(error, || {
            let asset = handle::get(asset)?;
            let found =
                asset.files.get(index).ok_or_else(|| Failure::index("file", index, asset.files.len()))?;
            let written = ml_asset_file {
                size: 0,
                name: asset.texts.get(found.name),
                path: asset.texts.get(found.path),
                rule: asset.texts.get(found.rule),
                byte_count: found.len,
            };
            sized::write(file, written)
        })
    }
}

/// A file that was looked up.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_asset_lookup {
    /// sizeof(ml_asset_lookup), or 0 for the first version of the struct.
    pub size: usize,
    /// The path that was looked up.
    pub path: *const c_char,
    /// The name of the rule.
    pub rule: *const c_char,
    /// The file in the form that users write, or NULL if no mount has it.
    pub found: *const c_char,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_asset_lookup {}

/// Writes a file that was looked up, in order, found or not.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such lookup.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_asset_lookup(
    asset: *const ml_asset,
    index: usize,
    lookup: *mut ml_asset_lookup,
    error: *mut ml_error,
) -> ml_result {
    // SAFETY: required by the header.
    unsafe {
        call(error, || {
            let asset = handle::get(asset)?;
            let lookups = &asset.lookups;
            let found = lookups.get(index).ok_or_else(|| Failure::index("lookup", index, lookups.len()))?;
            let written = ml_asset_lookup {
                size: 0,
                path: asset.texts.get(found.path),
                rule: asset.texts.get(found.rule),
                found: asset.texts.get_if(found.found),
            };
            sized::write(lookup, written)
        })
    }
}

/// Writes a report on the files of an asset and how they fit together: clips without frames, bones that do not match,
/// textures that were not found. ml_validate reports on the content of a model. On success, `*report` is a new handle,
/// to be closed with ml_close_report; otherwise it is NULL.
///
/// Cost: O(findings).
/// Threads: any.
/// Errors: ML_ERROR_MEMORY, ML_ERROR_MEMORY_LIMIT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_asset_report(
    asset: *const ml_asset,
    report: *mut *mut ml_report,
    error: *mut ml_error,
) -> ml_result {
    // SAFETY: required by the header.
    unsafe {
        call(error, || {
            handle::clear(report)?;
            let asset = handle::get(asset)?;
            let nothing = Report::default();
            let found = match &asset.content {
                Content::Whole { asset, .. } => asset.findings(),
                Content::Half(..) => &nothing,
            };
            handle::open(report, ml_report::new(found, &asset.memory)?)
        })
    }
}

/// Makes a file of a part of an asset. `level` is 0 for the part itself, else the number of a coarser level of detail;
/// 1 is the finest of those. The file shares the bytes of the asset, and stays open when the asset is closed. Its model
/// has the clips, materials and animations that were found. Its arrays are the arrays of the part's own file.
///
/// On success, `*file` is a new handle, to be closed with ml_close; otherwise it is NULL.
///
/// Cost: O(headers and names).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such part or level, ML_ERROR_MEMORY, ML_ERROR_MEMORY_LIMIT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_open_part(
    asset: *const ml_asset,
    part: usize,
    level: usize,
    file: *mut *mut ml_file,
    error: *mut ml_error,
) -> ml_result {
    // SAFETY: required by the header.
    unsafe {
        call(error, || {
            handle::clear(file)?;
            handle::open(file, handle::get(asset)?.model(part, level)?)
        })
    }
}

/// Calls `write` once with the texture of a material as a PNG or JPEG file: unchanged if the file in the mounts has one
/// of these formats, otherwise converted to PNG. Images whose alpha must be computed are also converted. `mime_type`
/// must have room for 16 bytes and receives "image/png" or "image/jpeg"; it may be NULL. The file must have been opened
/// with ml_open_part.
///
/// Cost: O(size of the image). It is decoded if it has to be converted.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such material, ML_ERROR_MISSING if it has no texture that was found, ML_ERROR_VALUE
/// for an image that cannot be decoded, ML_ERROR_CALLBACK; those of ml_read_asset_file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_read_texture(
    file: *const ml_file,
    material: usize,
    write: ml_write_fn,
    user: *mut c_void,
    mime_type: *mut c_char,
    error: *mut ml_error,
) -> ml_result {
    // SAFETY: required by the header.
    unsafe {
        call(error, || {
            let file = handle::get(file)?;
            let write = write.ok_or(Failure::argument("the callback that takes the texture is NULL"))?;
            let missing =
                Failure::new(ml_result::ML_ERROR_MISSING, "the material has no texture that was found");
            let texture = file.with_model(|content| {
                let materials = &content.model.materials;
                let found = materials
                    .get(material)
                    .ok_or_else(|| Failure::index("material", material, materials.len()))?;
                let Some(asset) = file.asset() else { return Ok(None) };
                Ok(asset.assets().texture_file(found, &ImageLimits::default())?)
            })?;
            let texture = texture.ok_or(missing)?;
            if !mime_type.is_null() {
                write_text(crate::call::output(mime_type, 16)?, texture.mime_type);
            }
            if write(user, texture.bytes.as_ptr().cast(), texture.bytes.len()) != 0 {
                let text = "the callback that takes the texture stopped";
                return Err(Failure::new(ml_result::ML_ERROR_CALLBACK, text));
            }
            Ok(())
        })
    }
}
