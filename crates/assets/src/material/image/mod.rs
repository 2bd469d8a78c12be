//! Decoding of the image formats that games and glTF use, and writing of PNG.

mod alpha;
mod average;
mod bitmap;
mod dds;
mod jpeg;
mod kept;
mod library;
mod normals;
mod palette;
mod png;
mod ppm;
mod tga;

use meshlens::model::TextureAlpha;
use meshlens::wire::{Budget, Data, Error, ErrorKind, Expected, OverBudget, Reservation};

pub use dds::BlockFormat;
pub(crate) use dds::{BlockRanges, blocks};
pub(crate) use kept::{Kept, kept};

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
#[derive(Debug)]
pub struct Image {
    /// The number of columns, above 0.
    pub width: u32,
    /// The number of rows, above 0.
    pub height: u32,
    /// The red, green, blue and alpha of each pixel, in rows from top to bottom, from left to right. Colors are sRGB.
    pub rgba: Vec<u8>,
    /// The memory of the pixels, which is released with them.
    _held: Option<Reservation>,
}

impl PartialEq for Image {
    fn eq(&self, other: &Image) -> bool {
        (self.width, self.height, &self.rgba) == (other.width, other.height, &other.rgba)
    }
}

impl Eq for Image {}

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
    #[error("expected a TGA, JPEG, PNG, PCX, BMP, DDS, WebP or PPM image, found another format")]
    Unknown,
    /// The image needs more memory than the budget has left.
    #[error(transparent)]
    Memory(#[from] OverBudget),
}

impl ImageError {
    fn decoder(format: &'static str, message: &str) -> Self {
        ImageError::Decoder { format, message: super::text::cut(message, 200).into() }
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
    /// WebP.
    WebP,
    /// Portable pixmap or graymap.
    Ppm,
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
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(ImageFormat::WebP),
            [b'P', b'2' | b'3' | b'5' | b'6', byte, ..] if byte.is_ascii_whitespace() && !named_tga => {
                Some(ImageFormat::Ppm)
            }
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
    /// Makes an image. `None` if a side is 0, or if `rgba` does not have 4 bytes for each pixel.
    pub fn new(width: u32, height: u32, rgba: Vec<u8>) -> Option<Image> {
        let len = u64::from(width).checked_mul(height.into())?.checked_mul(4)?;
        (len > 0 && rgba.len() as u64 == len).then_some(Image { width, height, rgba, _held: None })
    }

    /// An image that has no pixels yet, and room for all of them. The memory is reserved before it is allocated.
    fn with_room((width, height): (u32, u32), budget: &Budget) -> Result<Image, ImageError> {
        let pixels = u64::from(width).saturating_mul(height.into());
        let bytes = usize::try_from(pixels.saturating_mul(4)).unwrap_or(usize::MAX);
        let held = budget.reserve(bytes, format_args!("{width} x {height} pixels x 4 bytes"))?;
        let mut rgba = Vec::new();
        // A system may promise less memory than the budget.
        rgba.try_reserve_exact(bytes).map_err(|_| OverBudget {
            what: format!("{width} x {height} pixels x 4 bytes"),
            bytes,
            limit: budget.limit(),
            reserved: budget.reserved(),
        })?;
        Ok(Image { width, height, rgba, _held: Some(held) })
    }

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
        Image::decode_within(bytes, extension, alpha, limits, &Budget::new(usize::MAX))
    }

    /// Like [`decode`](Self::decode), with memory from a budget: for the decoder until this call returns, and for the pixels
    /// until the image is dropped.
    ///
    /// # Errors
    ///
    /// Same as [`decode`](Self::decode); [`ImageError::Memory`] if the budget has too little memory left.
    pub fn decode_within(
        bytes: &[u8],
        extension: &str,
        alpha: TextureAlpha,
        limits: &ImageLimits,
        budget: &Budget,
    ) -> Result<Image, ImageError> {
        // For images with a palette, the first color can be transparent.
        let has_key = alpha == TextureAlpha::FirstColor;
        Data::new("image", bytes).refuse_git_lfs_pointer()?;
        if bytes.starts_with(b"\xabKTX 20") {
            return Err(ImageError::unsupported("ktx2", 0, "this format of images"));
        }
        let format = ImageFormat::detect(bytes, extension).ok_or(ImageError::Unknown)?;
        let mut image = match format {
            ImageFormat::Tga => tga::decode(bytes, has_key, limits, budget),
            ImageFormat::Dds => dds::decode(bytes, limits, budget),
            ImageFormat::Jpeg => jpeg::decode(bytes, false, limits, budget),
            ImageFormat::Png => png::decode(bytes, limits, budget),
            ImageFormat::Pcx => library::pcx(bytes, has_key, limits, budget),
            ImageFormat::Bmp => bitmap::decode(bytes, has_key, limits, budget),
            ImageFormat::Ppm => ppm::decode(bytes, limits, budget),
            ImageFormat::WebP => library::webp(bytes, limits, budget),
        }?;
        alpha::apply(&mut image.rgba, alpha);
        Ok(image)
    }

    /// Encodes the image as a PNG file. It has no alpha channel if every alpha is 255.
    pub fn to_png(&self) -> Vec<u8> {
        self.to_png_within(&Budget::new(usize::MAX)).map(|(png, _)| png).unwrap_or_default()
    }

    /// Like [`to_png`](Self::to_png), with memory from a budget, which is reserved as the file grows.
    pub(crate) fn to_png_within(&self, budget: &Budget) -> Result<(Vec<u8>, Reservation), ImageError> {
        let is_opaque = self.rgba.chunks_exact(4).all(|pixel| pixel.last() == Some(&255));
        png::encode(self, !is_opaque, budget)
    }

    /// Moves the first pixel to the top left.
    fn turn(&mut self, from_right: bool, from_top: bool) {
        let (pixels, _) = self.rgba.as_chunks_mut::<4>();
        if !from_top {
            // The pixels of each row are then reversed, too.
            pixels.reverse();
        }
        if from_right == from_top {
            pixels.chunks_exact_mut(self.width as usize).for_each(|row| row.reverse());
        }
    }

    /// Sets every alpha to 255.
    pub fn make_opaque(&mut self) {
        self.rgba.iter_mut().skip(3).step_by(4).for_each(|alpha| *alpha = 255);
    }
}
