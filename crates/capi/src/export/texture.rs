//! Textures that a callback finds.

use std::ffi::CString;

use meshlens::model::{ImageBytes, Material};
use meshlens::wire::Budget;
use meshlens_gltf::Texture;

use super::{ml_glb_opts, ml_texture};
use crate::call::{bytes, text};
use crate::file_bytes::{Bytes, FileBytes};
use crate::result::{Failure, Result};

/// Asks the caller for the texture of a material.
///
/// # Safety
///
/// The pointers of the options are valid.
pub(super) unsafe fn find_texture(
    opts: &ml_glb_opts,
    material: &Material,
    budget: &Budget,
) -> Result<Option<Texture>> {
    let (Some(find), Some(path)) = (opts.find_texture, material.texture.as_deref()) else { return Ok(None) };
    let Ok(path) = CString::new(path) else { return Ok(None) };
    let mut texture = ml_texture {
        size: size_of::<ml_texture>(),
        uri: std::ptr::null(),
        data: std::ptr::null(),
        data_size: 0,
    };
    // SAFETY: the caller guarantees that the function can be called with these arguments.
    if unsafe { find(opts.find_texture_user, path.as_ptr(), &raw mut texture) } != 0 {
        return Ok(None);
    }
    // SAFETY: the values from the callback are valid until it is called again.
    let (uri, data) = unsafe { (text(texture.uri)?, bytes(texture.data.cast(), texture.data_size)?) };
    if let Some(uri) = uri {
        return Ok(Some(Texture::File(uri.into())));
    }
    let mime_type = match data {
        data if data.starts_with(b"\x89PNG\r\n\x1a\n") => "image/png",
        data if data.starts_with(b"\xff\xd8\xff") => "image/jpeg",
        _ => {
            let text = "the callback for textures gave neither a path nor the content of a PNG or JPEG file";
            return Err(Failure::callback(text));
        }
    };
    let held = budget.reserve(data.len(), format_args!("the {} bytes of a texture", data.len()))?;
    let bytes = ImageBytes::new(FileBytes { bytes: Bytes::Shared(data.to_vec().into()), _held: Some(held) });
    Ok(Some(Texture::Embedded { mime_type, bytes }))
}
