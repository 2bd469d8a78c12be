//! The images of materials. Images inside the document are copied once, and images in other files are referred to by
//! name.

use base64::Engine;
use meshlens::Report;
use meshlens::model::{ImageBytes, ImageSource, Material, NormalMap};

use super::buffers::Buffers;
use super::decode_uri;
use super::document::Document;
use crate::json::Image;
use crate::{Error, codes};

/// Formats that are not read, by their MIME types, extensions, and bytes at an offset.
const UNREAD: [(&str, &str, usize, &[u8]); 2] =
    [("image/ktx2", "ktx2", 0, b"\xabKTX 20"), ("image/avif", "avif", 4, b"ftypavif")];

/// Gives each material the images of its color and of its normals.
pub(super) fn attach(
    document: &Document,
    buffers: &Buffers<'_>,
    materials: &mut [Material],
    losses: &mut Report,
) -> Result<(), Error> {
    // Several materials may have one image. The outer `Option` is set after an image was read.
    let mut images: Vec<Option<Option<ImageSource>>> = vec![None; document.images.len()];
    for (material, record) in materials.iter_mut().zip(&document.materials) {
        let mut find = |index: Option<usize>| -> Result<Option<ImageSource>, Error> {
            let found =
                index.and_then(|index| Some((index, document.images.get(index)?, images.get_mut(index)?)));
            let Some((index, image, known)) = found else { return Ok(None) };
            if known.is_none() {
                *known = Some(source(index, image, buffers, losses)?);
            }
            Ok(known.clone().flatten())
        };
        material.image = find(document.color_image(record))?;
        let normals = find(document.normal_image(record))?;
        material.normal_map = normals.map(|image| NormalMap { image, is_y_down: false });
    }
    let unused = images.iter().filter(|image| image.is_none()).count() as u64;
    let message = format_args!("{unused} images that are not the color or the normals of a material");
    losses.lose(&codes::IMAGE_LOST, unused, format_args!(""), message);
    Ok(())
}

/// The URI of a file; `None` if the image is stored inside the document.
fn file(image: &Image) -> Option<&str> {
    image.uri.as_deref().filter(|uri| !uri.starts_with("data:"))
}

/// The path of a file relative to the document, or the image's own name.
pub(super) fn name(image: &Image) -> Option<String> {
    file(image).map(decode_uri).or_else(|| image.name.clone())
}

/// The image; `None` if it cannot be read, which is listed as a loss.
fn source(
    index: usize,
    image: &Image,
    buffers: &Buffers<'_>,
    losses: &mut Report,
) -> Result<Option<ImageSource>, Error> {
    let pointer = format_args!("/images/{index}");
    let name = name(image).unwrap_or_default();
    let mut unread = |format: &str| {
        let message = format_args!("image {index} {name}: images of the format {format} are not read");
        losses.lose(&codes::IMAGE_FORMAT_LOST, 1, pointer, message);
        Ok(None)
    };
    let is_named = |(mime_type, extension, ..): &&(&str, &str, usize, &[u8])| {
        let of_file = name.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case(extension));
        image.mime_type.as_deref() == Some(mime_type) || file(image).is_some() && of_file
    };
    if let Some((_, format, ..)) = UNREAD.iter().find(is_named) {
        return unread(format);
    }
    let bytes = match (image.uri.as_deref(), image.buffer_view) {
        (Some(uri), _) => match uri.strip_prefix("data:") {
            Some(data) => decode(data, buffers),
            None => return Ok(Some(ImageSource::File(name))),
        },
        (None, Some(view)) => buffers.view(view).and_then(|bytes| {
            buffers.spend(1, bytes.len())?;
            Ok(bytes.to_vec())
        }),
        (None, None) => Err(super::broken("no URI and no buffer view")),
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error @ Error::Memory(_)) => return Err(error),
        Err(error) => {
            losses.lose(&codes::IMAGE_UNREADABLE, 1, pointer, format_args!("image {index} {name}: {error}"));
            return Ok(None);
        }
    };
    let is_unread = |(_, _, at, magic): &&(&str, &str, usize, &[u8])| {
        bytes.get(*at..).is_some_and(|bytes| bytes.starts_with(magic))
    };
    if let Some((_, format, ..)) = UNREAD.iter().find(is_unread) {
        return unread(format);
    }
    Ok(Some(ImageSource::Embedded(ImageBytes::new(bytes))))
}

/// The bytes of a data URI.
fn decode(uri: &str, buffers: &Buffers<'_>) -> Result<Vec<u8>, Error> {
    let (_, text) =
        uri.split_once(";base64,").ok_or_else(|| super::broken("expected base64 in a data URI"))?;
    buffers.spend(text.len().div_ceil(4), 3)?;
    base64::engine::general_purpose::STANDARD.decode(text).map_err(super::broken)
}
