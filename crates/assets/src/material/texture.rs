//! The texture of a material as a file that glTF can contain.

use bytes::Bytes;
use meshlens::model::{Alpha, Material, TextureAlpha};

use super::find::{IMAGE_EXTENSIONS, find};
use super::image::{Image, ImageError, ImageFormat, ImageLimits};
use crate::{AssetPath, Assets, Error, FoundFile};

/// A texture as a PNG or JPEG file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextureFile {
    /// `image/png` or `image/jpeg`.
    pub mime_type: &'static str,
    /// The content of the file.
    pub bytes: Bytes,
    /// Whether the bytes are the unchanged content of the file in the mounts.
    pub is_unchanged: bool,
}

impl TextureFile {
    /// The extension of a file of this type: `png` or `jpg`.
    pub fn extension(&self) -> &'static str {
        if self.mime_type == "image/jpeg" { "jpg" } else { "png" }
    }
}

impl Assets {
    /// The file of a material's texture, or `None` if the material has no texture or no mount has the file. The
    /// materials of an [`Asset`](crate::Asset) name their textures by path.
    pub fn find_texture(&self, material: &Material) -> Option<FoundFile> {
        let path = AssetPath::new(material.texture.as_deref()?).ok()?;
        let is_image = IMAGE_EXTENSIONS.iter().any(|extension| path.has_extension(extension));
        find(self, &path).filter(|_| is_image)
    }

    /// The texture of a material as a PNG or JPEG file; `None` if it is not found. A file in one of these formats is
    /// returned unchanged; other formats are converted to PNG, and so are images whose alpha must be computed
    /// ([`TextureAlpha`]).
    ///
    /// # Errors
    ///
    /// A file cannot be read; [`Error::Image`] if it cannot be decoded.
    pub fn texture_file(
        &self,
        material: &Material,
        limits: &ImageLimits,
    ) -> Result<Option<TextureFile>, Error> {
        let Some(file) = self.find_texture(material) else { return Ok(None) };
        let bytes = self.read(&file)?;
        let format = ImageFormat::detect(&bytes, file.path().extension());
        let is_stored = match material.texture_alpha {
            TextureAlpha::Stored => true,
            // These formats have no palette, or keep its alpha.
            TextureAlpha::FirstColor => format == Some(ImageFormat::Jpeg) || format == Some(ImageFormat::Png),
            _ => false,
        };
        if is_stored && let Some(mime_type) = format.and_then(ImageFormat::gltf_mime_type) {
            return Ok(Some(TextureFile { mime_type, bytes, is_unchanged: true }));
        }
        let mut image = decode(&file, &bytes, material.texture_alpha, limits)?;
        if material.alpha == Alpha::Opaque {
            image.make_opaque();
        }
        let png = TextureFile { mime_type: "image/png", bytes: image.to_png().into(), is_unchanged: false };
        Ok(Some(png))
    }

    /// The decoded texture of a material.
    ///
    /// # Errors
    ///
    /// Same as [`texture_file`](Self::texture_file).
    pub fn texture_image(&self, material: &Material, limits: &ImageLimits) -> Result<Option<Image>, Error> {
        let Some(file) = self.find_texture(material) else { return Ok(None) };
        let bytes = self.read(&file)?;
        decode(&file, &bytes, material.texture_alpha, limits).map(Some)
    }
}

fn decode(file: &FoundFile, bytes: &[u8], alpha: TextureAlpha, limits: &ImageLimits) -> Result<Image, Error> {
    let failed = |error: ImageError| Error::Image { file: Box::new(file.clone()), error: Box::new(error) };
    Image::decode(bytes, file.path().extension(), alpha, limits).map_err(failed)
}
