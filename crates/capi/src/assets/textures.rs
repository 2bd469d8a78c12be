//! The textures of materials: as files, as pixels, and as the blocks that are stored.

use std::ffi::{c_char, c_void};

use meshlens::model::{HeightMap, Material};
use meshlens_assets::Assets;
use meshlens_assets::material::ImageLimits;

use crate::asset::{ml_asset, model_of};
use crate::call::call;
use crate::content::File;
use crate::enums::{ml_texture_format, raw};
use crate::error::{ml_error, write_text};
use crate::options::ml_write_fn;
use crate::result::{Failure, Result, ml_result};
use crate::sized::{self, Growing};

/// Calls `write` once with the texture of a material as a PNG or JPEG file: unchanged if the file in the mounts has one
/// of these formats, otherwise converted to PNG. Images whose alpha must be computed are also converted. `mime_type`
/// must have room for 16 bytes and receives "image/png" or "image/jpeg"; it may be NULL. The asset must have been opened by its
/// name or path, or be a node of such an asset.
///
/// Cost: O(size of the image). It is decoded if it has to be converted.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such material, ML_ERROR_MISSING if it has no texture that was found, ML_ERROR_VALUE
/// for an image that cannot be decoded, ML_ERROR_CALLBACK; those of ml_read_asset_file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_read_texture(
    asset: *const ml_asset,
    material: usize,
    write: ml_write_fn,
    user: *mut c_void,
    mime_type: *mut c_char,
    error: *mut ml_error,
) -> ml_result {
    call!(error, { read_file(asset, material, |found| Some(found.clone()), write, user, mime_type) })
}

/// Like ml_read_texture, for the normal map of a material: the image that the model has, such as one of glTF or x_n.png beside the
/// texture x.tga of an MD3, or one that is made from its height map, a PNG file. X is to the right in the image, Y is up,
/// and 0.5 is 0.
///
/// Cost: O(size of the image). It is decoded and converted.
/// Threads: any.
/// Errors: ML_ERROR_MISSING if the material has no normal map and no height map that was found; those of ml_read_texture.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_read_normal_map(
    asset: *const ml_asset,
    material: usize,
    write: ml_write_fn,
    user: *mut c_void,
    mime_type: *mut c_char,
    error: *mut ml_error,
) -> ml_result {
    let of = |found: &Material| {
        let own = found.normal_map.as_ref().map(|map| map.material(false));
        own.or_else(|| found.height_map.as_ref().map(HeightMap::material))
    };
    call!(error, { read_file(asset, material, of, write, user, mime_type) })
}

/// Passes on the texture of the material that `of` makes of a material of a file.
///
/// # Safety
///
/// The arguments are those of [`ml_read_texture`].
unsafe fn read_file(
    asset: *const ml_asset,
    material: usize,
    of: impl FnOnce(&Material) -> Option<Material>,
    write: ml_write_fn,
    user: *mut c_void,
    mime_type: *mut c_char,
) -> Result<()> {
    // SAFETY: the handle is one of the caller, which is checked.
    let file = unsafe { model_of(asset) }?;
    let write = write.ok_or(Failure::argument("the callback that takes the texture is NULL"))?;
    let texture = texture_of(file, material, |assets, material| match of(material) {
        Some(material) => assets.texture_file(&material, &ImageLimits::default()),
        None => Ok(None),
    })?;
    if !mime_type.is_null() {
        // SAFETY: the caller has room for 16 bytes.
        write_text(unsafe { crate::call::output(mime_type, 16) }?, texture.mime_type);
    }
    // SAFETY: the bytes live during the call, and `user` is what the caller expects.
    match unsafe { write(user, texture.bytes.as_ptr().cast(), texture.bytes.len()) } {
        0 => Ok(()),
        _ => Err(STOPPED),
    }
}

const STOPPED: Failure =
    Failure::new(ml_result::ML_ERROR_CALLBACK, "the callback that takes the texture stopped");

/// The result of `read` for a material of a file.
fn texture_of<T>(
    file: &File,
    material: usize,
    read: impl FnOnce(&Assets, &Material) -> Result<Option<T>, meshlens_assets::Error>,
) -> Result<T> {
    let found = file.with_model(|content| {
        let materials = &content.model().materials;
        let found =
            materials.get(material).ok_or_else(|| Failure::index("material", material, materials.len()))?;
        let Some(assets) = file.assets() else { return Ok(None) };
        Ok(read(assets, found)?)
    })?;
    found.ok_or(Failure::new(ml_result::ML_ERROR_MISSING, "the material has no such texture that was found"))
}

/// The size of an image, and how its pixels are stored.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_image {
    /// sizeof(ml_image), or 0 for the first version of the struct.
    pub size: usize,
    /// The number of pixels in a row.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
    /// How the pixels are stored.
    pub format: raw::ml_texture_format,
    /// The number of levels of detail (mip levels), at least 1.
    pub level_count: u32,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_image {}

/// Calls `write` once with the pixels of the texture of a material: red, green, blue and alpha, 8 bits each, sRGB with
/// straight alpha, row by row from the top. The alpha channel is not changed: renderers blend as texture_alpha of
/// ml_material says. `image` receives the size before `write` is called. The asset is one that ml_read_texture takes.
///
/// Cost: O(size of the image). It is decoded.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such material, ML_ERROR_MISSING if it has no texture that was found, ML_ERROR_VALUE
/// for an image that cannot be decoded, ML_ERROR_CALLBACK; those of ml_read_asset_file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_read_texture_pixels(
    asset: *const ml_asset,
    material: usize,
    image: *mut ml_image,
    write: ml_write_fn,
    user: *mut c_void,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let file = model_of(asset)?;
        let write = write.ok_or(Failure::argument("the callback that takes the texture is NULL"))?;
        let found = texture_of(file, material, |assets, material| {
            assets.texture_pixels(material, &ImageLimits::default())
        })?;
        let format = ml_texture_format::ML_TEXTURE_FORMAT_RGBA8_UNORM as i32;
        let (width, height) = (found.width, found.height);
        sized::write(image, ml_image { size: 0, width, height, format, level_count: 1 })?;
        match write(user, found.rgba.as_ptr().cast(), found.rgba.len()) {
            0 => Ok(()),
            _ => Err(STOPPED),
        }
    })
}

/// Calls `write` once for each level of detail of the texture of a material, from the largest on, with the blocks that its
/// DDS file stores, unchanged: what a GPU reads. `image` receives the size of the largest level, the format and the number of
/// levels before the first call. Level `n` has max(1, width >> n) columns and max(1, height >> n) rows, both filled up to a
/// multiple of 4, and blocks of 4 by 4 pixels, row by row from the top. Levels that the file does not have whole are left out.
/// The alpha channel is not changed. The asset is one that ml_read_texture takes.
///
/// Cost: O(size of the image). Nothing is decoded.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such material, ML_ERROR_MISSING if it has no texture that is stored in blocks:
/// ml_read_texture_pixels reads all others. ML_ERROR_VALUE for an invalid DDS file, ML_ERROR_CALLBACK; those of
/// ml_read_asset_file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_read_texture_blocks(
    asset: *const ml_asset,
    material: usize,
    image: *mut ml_image,
    write: ml_write_fn,
    user: *mut c_void,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let file = model_of(asset)?;
        let write = write.ok_or(Failure::argument("the callback that takes the texture is NULL"))?;
        let found = texture_of(file, material, |assets, material| {
            assets.texture_blocks(material, &ImageLimits::default())
        })?;
        let level_count = u32::try_from(found.levels.len()).unwrap_or(u32::MAX);
        let (width, height) = (found.width, found.height);
        let format = ml_texture_format::number(found.format);
        sized::write(image, ml_image { size: 0, width, height, format, level_count })?;
        for level in &found.levels {
            if write(user, level.as_ptr().cast(), level.len()) != 0 {
                return Err(STOPPED);
            }
        }
        Ok(())
    })
}
