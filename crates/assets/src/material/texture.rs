//! The texture of a material as a file that glTF can contain.

use std::borrow::Cow;

use bytes::Bytes;
use meshlens::model::{Alpha, ImageSource, Material, TextureAlpha};
use meshlens::wire::{Budget, Reservation};

use super::find::IMAGE_EXTENSIONS;
use super::image::{
    BlockFormat, BlockRanges, Image, ImageError, ImageFormat, ImageLimits, Kept, blocks, kept,
};
use crate::held::hold;
use crate::{AssetPath, Assets, Error, FoundFile};

/// A texture as a PNG or JPEG file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextureFile {
    /// `image/png` or `image/jpeg`.
    pub mime_type: &'static str,
    /// The content of the file. Its memory is reserved from the [budget](Assets::set_budget) until the last clone is dropped.
    pub bytes: Bytes,
    /// Whether the bytes are the unchanged content of the file in the mounts.
    pub is_unchanged: bool,
    /// Whether the image is a PNG or JPEG file that is cut off or damaged: these are the pixels that could be decoded.
    pub is_damaged: bool,
}

impl TextureFile {
    /// The extension of a file of this type: `png` or `jpg`.
    pub fn extension(&self) -> &'static str {
        if self.mime_type == "image/jpeg" { "jpg" } else { "png" }
    }
}

/// A texture in blocks of 4 by 4 pixels, as its DDS file stores it and a GPU reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockTexture {
    /// How a block is stored.
    pub format: BlockFormat,
    /// The number of columns of the largest level, above 0.
    pub width: u32,
    /// The number of rows of the largest level, above 0.
    pub height: u32,
    /// The blocks of each level of detail (mip level), from the largest on, row by row from the top. Level `n` has
    /// `max(1, width >> n)` columns and `max(1, height >> n)` rows, filled up to whole blocks. There is at least one; levels
    /// that the file does not have whole are left out. Their memory is reserved from the [budget](Assets::set_budget) until
    /// the last clone of any is dropped.
    pub levels: Vec<Bytes>,
}

/// The image file of a material, which is read.
struct Read {
    /// `None` if the image is embedded.
    file: Option<FoundFile>,
    bytes: Bytes,
    memory: Reservation,
    budget: Budget,
}

impl Read {
    fn extension(&self) -> &str {
        self.file.as_ref().map_or("", |file| file.path().extension())
    }

    fn failed(&self, error: ImageError) -> Error {
        match (error, &self.file) {
            (ImageError::Memory(over), Some(file)) => Error::memory(file, over),
            (ImageError::Memory(over), None) => Error::memory("embedded image", over),
            (error, Some(file)) => Error::Image { file: Box::new(file.clone()), error: Box::new(error) },
            (error, None) => Error::Embedded(Box::new(error)),
        }
    }

    fn decode(&self, alpha: TextureAlpha, limits: &ImageLimits) -> Result<Image, Error> {
        let image = Image::decode_within(&self.bytes, self.extension(), alpha, limits, &self.budget);
        image.map_err(|error| self.failed(error))
    }
}

impl Assets {
    /// The file of a material's texture, or `None` if the material has no texture, its image is embedded in the file of its
    /// model, or no mount has the file. The materials of an [`Asset`](crate::Asset) name their textures by path.
    pub fn find_texture(&self, material: &Material) -> Option<FoundFile> {
        let path = match &material.image {
            Some(ImageSource::File(path)) => return self.find_file(&AssetPath::new(path).ok()?),
            Some(ImageSource::Embedded(_)) => return None,
            None => AssetPath::new(material.texture.as_deref()?).ok()?,
        };
        let is_image = IMAGE_EXTENSIONS.iter().any(|extension| path.has_extension(extension));
        self.find_file(&path).filter(|_| is_image)
    }

    /// The texture of a material as a PNG or JPEG file; `None` if it is not found. A height map
    /// ([`HeightMap::material`](meshlens::model::HeightMap::material)) becomes a normal map of glTF, and a
    /// [`NormalMap`](meshlens::model::NormalMap::material) has its y in the direction that was asked for. A whole file in one of these formats
    /// is returned unchanged. A PNG file with a color profile, or with pixels that are not square, is returned without
    /// the corresponding chunks, because glTF does not use them. Other files are converted to PNG: other formats,
    /// damaged files, and images whose alpha must be computed ([`TextureAlpha`]).
    ///
    /// # Errors
    ///
    /// A file cannot be read; [`Error::Image`] or [`Error::Embedded`] if an image cannot be decoded; [`Error::Memory`] if the
    /// [budget](Self::set_budget) has too little memory left.
    pub fn texture_file(
        &self,
        material: &Material,
        limits: &ImageLimits,
    ) -> Result<Option<TextureFile>, Error> {
        let Some(mut read) = self.read_image(material)? else { return Ok(None) };
        let format = ImageFormat::detect(&read.bytes, read.extension());
        let is_stored = match material.texture_alpha {
            _ if material.height_scale.is_some() || material.flips_y => false,
            TextureAlpha::Stored => true,
            // These formats have no palette, or keep its alpha.
            TextureAlpha::FirstColor => format == Some(ImageFormat::Jpeg) || format == Some(ImageFormat::Png),
            _ => false,
        };
        let mut is_damaged = false;
        if is_stored {
            let shared = read.bytes.clone();
            match kept(&shared, format, limits, &read.budget).map_err(|error| read.failed(error))? {
                Kept::As(mime_type, Cow::Borrowed(_)) => {
                    let bytes = hold(read.bytes, read.memory);
                    return Ok(Some(TextureFile { mime_type, bytes, is_unchanged: true, is_damaged }));
                }
                Kept::As(mime_type, Cow::Owned(bytes)) => {
                    // At most the bytes of the file, which are released here.
                    let bytes = hold(bytes, read.memory);
                    return Ok(Some(TextureFile { mime_type, bytes, is_unchanged: false, is_damaged }));
                }
                Kept::Damaged => is_damaged = true,
                Kept::Convert => {}
            }
        }
        let mut image = read.decode(material.texture_alpha, limits)?;
        // The pixels are all that is needed.
        (read.bytes, read.memory) = (Bytes::new(), read.budget.empty());
        if let Some(scale) = material.height_scale {
            image = image.height_to_normals(scale, &read.budget).map_err(|error| read.failed(error))?;
        }
        if material.flips_y {
            image.flip_y();
        }
        if material.alpha == Alpha::Opaque {
            image.make_opaque();
        }
        let (bytes, memory) = image.to_png_within(&read.budget).map_err(|error| read.failed(error))?;
        let bytes = hold(bytes, memory);
        Ok(Some(TextureFile { mime_type: "image/png", bytes, is_unchanged: false, is_damaged }))
    }

    /// The decoded texture of a material. The memory of its pixels is reserved until it is dropped.
    ///
    /// # Errors
    ///
    /// Same as [`texture_file`](Self::texture_file).
    pub fn texture_image(&self, material: &Material, limits: &ImageLimits) -> Result<Option<Image>, Error> {
        let Some(read) = self.read_image(material)? else { return Ok(None) };
        let mut image = read.decode(material.texture_alpha, limits)?;
        if material.flips_y {
            image.flip_y();
        }
        let Some(scale) = material.height_scale else { return Ok(Some(image)) };
        image.height_to_normals(scale, &read.budget).map(Some).map_err(|error| read.failed(error))
    }

    /// Reads the image file of a material.
    fn read_image(&self, material: &Material) -> Result<Option<Read>, Error> {
        let budget = self.budget().cloned().unwrap_or_else(|| Budget::new(usize::MAX));
        let mut memory = budget.empty();
        if let Some(ImageSource::Embedded(image)) = &material.image {
            // The model holds these bytes and their memory.
            let bytes = Bytes::from_owner(image.clone());
            return Ok(Some(Read { file: None, bytes, memory, budget }));
        }
        let Some(file) = self.find_texture(material) else { return Ok(None) };
        let reservation = self.budget().is_some().then_some(&mut memory);
        let bytes = self.read_within(&file, reservation, self.limit())?;
        Ok(Some(Read { file: Some(file), bytes, memory, budget }))
    }

    /// The decoded texture of a material with the alpha channel of its file, for renderers that add and multiply colors
    /// according to [`Material::texture_alpha`]. [`texture_image`](Self::texture_image) is for renderers that only
    /// blend.
    ///
    /// # Errors
    ///
    /// Same as [`texture_file`](Self::texture_file).
    pub fn texture_pixels(&self, material: &Material, limits: &ImageLimits) -> Result<Option<Image>, Error> {
        let Some(read) = self.read_image(material)? else { return Ok(None) };
        read.decode(material.texture_alpha.without_blend_mode(), limits).map(Some)
    }

    /// The compressed blocks of the texture of a material, as its DDS file stores them. `None` if the texture is not found
    /// or is not stored in blocks. Nothing is decoded, and the alpha channel is not changed.
    ///
    /// # Errors
    ///
    /// A file cannot be read; [`Error::Image`] or [`Error::Embedded`] if a DDS file is invalid; [`Error::Memory`] if the
    /// [budget](Self::set_budget) has too little memory left.
    pub fn texture_blocks(
        &self,
        material: &Material,
        limits: &ImageLimits,
    ) -> Result<Option<BlockTexture>, Error> {
        let Some(read) = self.read_image(material)? else { return Ok(None) };
        if ImageFormat::detect(&read.bytes, read.extension()) != Some(ImageFormat::Dds) {
            return Ok(None);
        }
        let found = blocks(&read.bytes, limits).map_err(|error| read.failed(error))?;
        let Some(BlockRanges { format, width, height, levels }) = found else { return Ok(None) };
        let bytes = hold(read.bytes, read.memory);
        let levels = levels.into_iter().map(|range| bytes.slice(range)).collect();
        Ok(Some(BlockTexture { format, width, height, levels }))
    }
}
