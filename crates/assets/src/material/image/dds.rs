//! DirectDraw Surface: the first image, block-compressed (BC1 to BC5, BC7) or as pixels (DDS: DDS_HEADER,
//! DDS_PIXELFORMAT).

use std::ops::Range;

use meshlens::wire::{Budget, Cursor, Data};

use super::{Image, ImageError, ImageLimits};

const FORMAT: &str = "dds";
/// DDS_PIXELFORMAT.dwFlags.
const ALPHA_PIXELS: u32 = 0x1;
const ALPHA: u32 = 0x2;
const FOUR_CC: u32 = 0x4;
const LUMINANCE: u32 = 0x2_0000;

/// How a block of 4 by 4 pixels is stored: a texture format of WebGPU. The colors of textures are sRGB in BC1, BC2, BC3 and
/// BC7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BlockFormat {
    /// BC1 (DXT1): RGB, and an alpha of 0 or 1.
    Bc1RgbaUnorm,
    /// BC2 (DXT3): RGB, and an alpha of 4 bits.
    Bc2RgbaUnorm,
    /// BC3 (DXT5): RGB, and a blended alpha.
    Bc3RgbaUnorm,
    /// BC4 (ATI1): red.
    Bc4RUnorm,
    /// BC4: red, -1 to 1.
    Bc4RSnorm,
    /// BC5 (ATI2): red and green.
    Bc5RgUnorm,
    /// BC5: red and green, -1 to 1.
    Bc5RgSnorm,
    /// BC6H: RGB, numbers of 16 bits without a sign.
    Bc6hRgbUfloat,
    /// BC6H: RGB, numbers of 16 bits.
    Bc6hRgbFloat,
    /// BC7: RGBA.
    Bc7RgbaUnorm,
}

impl BlockFormat {
    fn of_code(code: [u8; 4]) -> Option<BlockFormat> {
        match &code {
            b"DXT1" => Some(BlockFormat::Bc1RgbaUnorm),
            // DXT2 and DXT4 have premultiplied alpha, which hardly any file uses.
            b"DXT2" | b"DXT3" => Some(BlockFormat::Bc2RgbaUnorm),
            b"DXT4" | b"DXT5" => Some(BlockFormat::Bc3RgbaUnorm),
            b"ATI1" | b"BC4U" => Some(BlockFormat::Bc4RUnorm),
            b"BC4S" => Some(BlockFormat::Bc4RSnorm),
            b"ATI2" | b"BC5U" => Some(BlockFormat::Bc5RgUnorm),
            b"BC5S" => Some(BlockFormat::Bc5RgSnorm),
            _ => None,
        }
    }

    /// The size of a block of 4 by 4 pixels in bytes: 8 or 16.
    pub const fn block_size(self) -> usize {
        use BlockFormat::*;
        match self {
            Bc1RgbaUnorm | Bc4RUnorm | Bc4RSnorm => 8,
            Bc2RgbaUnorm | Bc3RgbaUnorm | Bc5RgUnorm | Bc5RgSnorm | Bc6hRgbUfloat | Bc6hRgbFloat
            | Bc7RgbaUnorm => 16,
        }
    }

    /// The size of an image in bytes. Rows and columns are filled up to whole blocks.
    fn image_size(self, width: u32, height: u32) -> u64 {
        u64::from(width.div_ceil(4)) * u64::from(height.div_ceil(4)) * self.block_size() as u64
    }

    /// Decodes the 16 pixels of a block, which has the right size. Black for the formats that have no 8 bits.
    fn decode(self, block: &[u8]) -> [[u8; 4]; 16] {
        let mut pixels = [[0; 4]; 16];
        let bytes = pixels.as_flattened_mut();
        match self {
            BlockFormat::Bc1RgbaUnorm => bcdec_rs::bc1(block, bytes, 16),
            BlockFormat::Bc2RgbaUnorm => bcdec_rs::bc2(block, bytes, 16),
            BlockFormat::Bc3RgbaUnorm => bcdec_rs::bc3(block, bytes, 16),
            BlockFormat::Bc7RgbaUnorm => bcdec_rs::bc7(block, bytes, 16),
            BlockFormat::Bc4RUnorm => {
                let mut gray = [0; 16];
                bcdec_rs::bc4(block, &mut gray, 4, false);
                pixels = gray.map(|gray| [gray, gray, gray, 255]);
            }
            BlockFormat::Bc5RgUnorm => {
                let mut two = [[0; 2]; 16];
                bcdec_rs::bc5(block, two.as_flattened_mut(), 8, false);
                pixels = two.map(|[r, g]| [r, g, 0, 255]);
            }
            _ => {}
        }
        pixels
    }

    /// Whether pixels of 8 bits can be decoded.
    const fn is_decoded(self) -> bool {
        use BlockFormat::*;
        !matches!(self, Bc4RSnorm | Bc5RgSnorm | Bc6hRgbUfloat | Bc6hRgbFloat)
    }
}

/// How the pixels are stored.
enum Pixels {
    Blocks(BlockFormat),
    /// The size of a pixel in bytes, and the masks of its channels.
    Masks(usize, [u32; 4]),
}

/// The pixels of a supported DXGI_FORMAT.
fn dxgi(format: u32) -> Option<Pixels> {
    const RGBA: [u32; 4] = [0xff, 0xff00, 0x00ff_0000, 0xff00_0000];
    const BGRA: [u32; 4] = [0x00ff_0000, 0xff00, 0xff, 0xff00_0000];
    Some(match format {
        28 | 29 => Pixels::Masks(4, RGBA),
        87 | 91 => Pixels::Masks(4, BGRA),
        88 | 93 => Pixels::Masks(4, [0x00ff_0000, 0xff00, 0xff, 0]),
        71 | 72 => Pixels::Blocks(BlockFormat::Bc1RgbaUnorm),
        74 | 75 => Pixels::Blocks(BlockFormat::Bc2RgbaUnorm),
        77 | 78 => Pixels::Blocks(BlockFormat::Bc3RgbaUnorm),
        80 => Pixels::Blocks(BlockFormat::Bc4RUnorm),
        81 => Pixels::Blocks(BlockFormat::Bc4RSnorm),
        83 => Pixels::Blocks(BlockFormat::Bc5RgUnorm),
        84 => Pixels::Blocks(BlockFormat::Bc5RgSnorm),
        95 => Pixels::Blocks(BlockFormat::Bc6hRgbUfloat),
        96 => Pixels::Blocks(BlockFormat::Bc6hRgbFloat),
        98 | 99 => Pixels::Blocks(BlockFormat::Bc7RgbaUnorm),
        _ => return None,
    })
}

/// The first image as the headers describe it.
struct Header {
    width: u32,
    height: u32,
    /// The number of levels of detail, at least 1.
    levels: u32,
    pixels: Pixels,
    /// The offset of the first level.
    at: u64,
}

impl Header {
    fn read(data: Data<'_>, limits: &ImageLimits) -> Result<Header, ImageError> {
        data.magic(0, b"DDS ", "\"DDS \"")?;
        let mut cursor = Cursor::at(data, 12)?;
        let (height, width) = (cursor.u32("height")?, cursor.u32("width")?);
        let (width, height) = limits.check(FORMAT, width.into(), height.into())?;
        // At most one level for each bit of the larger side.
        let most = u32::BITS - width.max(height).leading_zeros();
        let levels = Cursor::at(data, 28)?.u32("number of levels")?.clamp(1, most);
        let mut cursor = Cursor::at(data, 80)?;
        let flags = cursor.u32("flags of the pixels")?;
        let code = cursor.u32("code of the pixels")?.to_le_bytes();
        let bits = cursor.u32("bits of a pixel")?;
        let mut masks = [0; 4];
        for mask in &mut masks {
            *mask = cursor.u32("mask of a channel")?;
        }
        let unsupported = || ImageError::unsupported(FORMAT, 84, "this format of pixels");
        let mut at = 128;
        let pixels = if flags & FOUR_CC != 0 && &code == b"DX10" {
            let format = Cursor::at(data, at)?.u32("DXGI format")?;
            at += 20;
            dxgi(format).ok_or_else(|| ImageError::unsupported(FORMAT, 128, "this DXGI format"))?
        } else if flags & FOUR_CC != 0 {
            Pixels::Blocks(BlockFormat::of_code(code).ok_or_else(unsupported)?)
        } else if matches!(bits, 8 | 16 | 24 | 32) {
            let [r, g, b, a] = masks;
            let a = if flags & (ALPHA_PIXELS | ALPHA) != 0 { a } else { 0 };
            let masks = if flags & LUMINANCE != 0 { [r, r, r, a] } else { [r, g, b, a] };
            Pixels::Masks((bits / 8) as usize, masks)
        } else {
            return Err(unsupported());
        };
        Ok(Header { width, height, levels, pixels, at })
    }
}

/// The blocks of a file that is stored in blocks.
pub(crate) struct BlockRanges {
    pub(crate) format: BlockFormat,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// The bytes of each level that the file has whole. At least one.
    pub(crate) levels: Vec<Range<usize>>,
}

/// The location of the blocks of a file; `None` if it is stored as pixels.
pub(crate) fn blocks(bytes: &[u8], limits: &ImageLimits) -> Result<Option<BlockRanges>, ImageError> {
    let data = Data::new(FORMAT, bytes);
    let Header { width, height, levels, pixels, at } = Header::read(data, limits)?;
    let Pixels::Blocks(format) = pixels else { return Ok(None) };
    data.take(at, format.image_size(width, height), "blocks of pixels")?;
    let mut ranges = Vec::new();
    let mut start = at;
    for level in 0..levels {
        let end = start + format.image_size((width >> level).max(1), (height >> level).max(1));
        if end > bytes.len() as u64 {
            break;
        }
        // Both are at most the length of the file.
        ranges.push(start as usize..end as usize);
        start = end;
    }
    Ok(Some(BlockRanges { format, width, height, levels: ranges }))
}

pub(super) fn decode(bytes: &[u8], limits: &ImageLimits, budget: &Budget) -> Result<Image, ImageError> {
    let data = Data::new(FORMAT, bytes);
    let Header { width, height, pixels, at, .. } = Header::read(data, limits)?;
    let (columns, rows) = (width as usize, height as usize);
    let mut image;
    match pixels {
        Pixels::Masks(size, masks) => {
            let stored = data.take(at, u64::from(width) * u64::from(height) * size as u64, "pixels")?;
            image = Image::with_room((width, height), budget)?;
            image
                .rgba
                .extend(stored.chunks_exact(size).flat_map(|bytes| super::bitmap::masked(bytes, &masks)));
        }
        Pixels::Blocks(format) if !format.is_decoded() => {
            return Err(ImageError::unsupported(FORMAT, at, "pixels of this block format"));
        }
        Pixels::Blocks(blocks) => {
            let across = columns.div_ceil(4);
            let stored = data.take(at, blocks.image_size(width, height), "blocks of pixels")?;
            image = Image::with_room((width, height), budget)?;
            image.rgba.resize(columns * rows * 4, 0);
            let (out, _) = image.rgba.as_chunks_mut::<4>();
            for (number, block) in stored.chunks_exact(blocks.block_size()).enumerate() {
                let (left, top) = (number % across * 4, number / across * 4);
                for (place, pixel) in blocks.decode(block).into_iter().enumerate() {
                    let (column, row) = (left + place % 4, top + place / 4);
                    if column < columns
                        && let Some(slot) = out.get_mut(row * columns + column)
                    {
                        *slot = pixel;
                    }
                }
            }
        }
    }
    Ok(image)
}
