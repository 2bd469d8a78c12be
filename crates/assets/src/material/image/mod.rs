//! Decoding of the image formats that games use, and writing of PNG.

mod alpha;
mod bitmap;
mod dds;
mod library;
mod palette;
mod png;
mod tga;

use std::fmt;

use meshlens::model::TextureAlpha;
use meshlens::wire::{Error, ErrorKind, Expected};

/// A decoded image.
///
/// ```
/// use meshlens_assets::material::{Image, ImageLimits, TextureAlpha};
///
/// // A TGA file of one pixel: blue, green, red, alpha.
/// let mut tga = [0; 22];
/// (tga[2], tga[12], tga[14], tga[16]) = (2, 1, 1, 32);
/// tga[18..].copy_from_slice(&[10, 20, 30, 40]);
/// let image = Image::decode(&tga, "tga", TextureAlpha::Stored, &ImageLimits::DEFAULT)?;
/// assert_eq!((image.width, image.height), (1, 1));
/// assert_eq!(image.rgba, [30, 20, 10, 40]);
/// assert!(image.to_png().starts_with(b"\x89PNG"));
/// # Ok::<(), meshlens_assets::material::ImageError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The number of columns, above 0.
    pub width: u32,
    /// The number of rows, above 0.
    pub height: u32,
    /// The red, green, blue and alpha of each pixel, in rows from top to bottom, from left to right. Colors are sRGB.
    pub rgba: Vec<u8>,
}

/// Limits on the size of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageLimits {
    /// The largest width and the largest height.
    pub side: u32,
    /// The largest number of pixels.
    pub pixels: u64,
}

impl ImageLimits {
    /// 16,384 columns and rows, 64 Mi pixels (256 MiB).
    pub const DEFAULT: ImageLimits = ImageLimits { side: 1 << 14, pixels: 1 << 26 };

    /// Checks the size of an image before its memory is allocated.
    fn check(&self, format: &'static str, width: u64, height: u64) -> Result<(u32, u32), ImageError> {
        let fail = |kind| Err(ImageError::from(Error::new(format, 0, kind)));
        for (what, side) in [("width", width), ("height", height)] {
            let limit = u64::from(self.side);
            if side == 0 {
                let found = 0;
                return fail(ErrorKind::Value { what, expected: Expected::AtLeast(1), found });
            }
            if side > limit {
                return fail(ErrorKind::Limit { what, limit, found: side });
            }
        }
        // Both sides have at most 32 bits.
        let pixels = width.saturating_mul(height);
        if pixels > self.pixels {
            return fail(ErrorKind::Limit { what: "pixels", limit: self.pixels, found: pixels });
        }
        let side = |side: u64| u32::try_from(side).unwrap_or(u32::MAX);
        Ok((side(width), side(height)))
    }
}

impl Default for ImageLimits {
    fn default() -> Self {
        ImageLimits::DEFAULT
    }
}

/// The reason why an image could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The content of the file is invalid.
    #[error(transparent)]
    Parse(#[from] Error),
    /// The decoder of the format refused the file.
    #[error("{format}: {message}")]
    Decoder {
        /// The format.
        format: &'static str,
        /// The decoder's reason.
        message: Box<str>,
    },
    /// The file does not start like any known image format.
    #[error("expected a TGA, JPEG, PNG, PCX, BMP or DDS image, found another format")]
    Unknown,
}

impl ImageError {
    fn decoder(format: &'static str, error: impl fmt::Debug) -> Self {
        // The `Display` of the decoders says the same, at greater length.
        let message = format!("{error:?}");
        ImageError::Decoder { format, message: super::text::cut(&message, 200).into() }
    }

    fn unsupported(format: &'static str, offset: u64, what: &'static str) -> Self {
        Error::new(format, offset, ErrorKind::Unsupported { what }).into()
    }
}

/// The format of an image file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImageFormat {
    /// Truevision TGA.
    Tga,
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
    /// DirectDraw Surface.
    Dds,
    /// PCX.
    Pcx,
    /// Windows bitmap.
    Bmp,
}

impl ImageFormat {
    /// Detects the format of a file by its first bytes, or else by the extension of its name, because TGA files have no
    /// signature. `None` if the format is unknown.
    pub fn detect(bytes: &[u8], extension: &str) -> Option<ImageFormat> {
        let is_tga = tga::is_plausible(bytes);
        let named_tga = is_tga && extension.eq_ignore_ascii_case("tga");
        match bytes {
            [0x89, b'P', b'N', b'G', ..] => Some(ImageFormat::Png),
            [0xff, 0xd8, 0xff, ..] => Some(ImageFormat::Jpeg),
            [b'D', b'D', b'S', b' ', ..] => Some(ImageFormat::Dds),
            [b'B', b'M', ..] if !named_tga => Some(ImageFormat::Bmp),
            [10, 0..=5, 0 | 1, 1 | 2 | 4 | 8, ..] if !named_tga => Some(ImageFormat::Pcx),
            _ if is_tga => Some(ImageFormat::Tga),
            _ => None,
        }
    }

    /// The MIME type; `None` if glTF cannot contain files of this format.
    pub const fn gltf_mime_type(self) -> Option<&'static str> {
        match self {
            ImageFormat::Png => Some("image/png"),
            ImageFormat::Jpeg => Some("image/jpeg"),
            _ => None,
        }
    }
}

impl Image {
    /// Decodes an image file. `extension` is the extension of its name. `alpha` selects the source of the alpha.
    ///
    /// # Errors
    ///
    /// The format is unknown, the file is damaged, or the image exceeds the limits.
    pub fn decode(
        bytes: &[u8],
        extension: &str,
        alpha: TextureAlpha,
        limits: &ImageLimits,
    ) -> Result<Image, ImageError> {
        // For images with a palette, the first color can be transparent.
        let has_key = alpha == TextureAlpha::FirstColor;
        let format = ImageFormat::detect(bytes, extension).ok_or(ImageError::Unknown)?;
        let mut image = match format {
            ImageFormat::Tga => tga::decode(bytes, has_key, limits),
            ImageFormat::Dds => dds::decode(bytes, limits),
            ImageFormat::Jpeg => library::jpeg(bytes, limits),
            ImageFormat::Png => png::read(bytes, limits),
            ImageFormat::Pcx => library::pcx(bytes, has_key, limits),
            ImageFormat::Bmp => bitmap::decode(bytes, has_key, limits),
        }?;
        alpha::apply(&mut image.rgba, alpha);
        Ok(image)
    }

    /// Encodes the image as a PNG file. It has no alpha channel if every alpha is 255.
    pub fn to_png(&self) -> Vec<u8> {
        let is_opaque = self.rgba.chunks_exact(4).all(|pixel| pixel.last() == Some(&255));
        png::write(self, !is_opaque)
    }

    /// Sets every alpha to 255.
    pub fn make_opaque(&mut self) {
        self.rgba.iter_mut().skip(3).step_by(4).for_each(|alpha| *alpha = 255);
    }
}
