//! DirectDraw Surface: the first image, block-compressed (BC1 to BC5, BC7) or as pixels (DDS: DDS_HEADER,
//! DDS_PIXELFORMAT).

use meshlens::wire::{Budget, Cursor, Data};

use super::{Image, ImageError, ImageLimits};

const FORMAT: &str = "dds";
/// DDS_PIXELFORMAT.dwFlags.
const ALPHA_PIXELS: u32 = 0x1;
const ALPHA: u32 = 0x2;
const FOUR_CC: u32 = 0x4;
const LUMINANCE: u32 = 0x2_0000;

/// How a block of 4 by 4 pixels is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blocks {
    Bc1,
    Bc2,
    Bc3,
    Bc4,
    Bc5,
    Bc7,
}

impl Blocks {
    fn of_code(code: [u8; 4]) -> Option<Blocks> {
        match &code {
            b"DXT1" => Some(Blocks::Bc1),
            // DXT2 and DXT4 have premultiplied alpha, which hardly any file uses.
            b"DXT2" | b"DXT3" => Some(Blocks::Bc2),
            b"DXT4" | b"DXT5" => Some(Blocks::Bc3),
            b"ATI1" | b"BC4U" => Some(Blocks::Bc4),
            b"ATI2" | b"BC5U" => Some(Blocks::Bc5),
            _ => None,
        }
    }

    const fn size(self) -> usize {
        match self {
            Blocks::Bc1 | Blocks::Bc4 => 8,
            Blocks::Bc2 | Blocks::Bc3 | Blocks::Bc5 | Blocks::Bc7 => 16,
        }
    }

    /// Decodes the 16 pixels of a block, which has the right size.
    fn decode(self, block: &[u8]) -> [[u8; 4]; 16] {
        let mut pixels = [[0; 4]; 16];
        let bytes = pixels.as_flattened_mut();
        match self {
            Blocks::Bc1 => bcdec_rs::bc1(block, bytes, 16),
            Blocks::Bc2 => bcdec_rs::bc2(block, bytes, 16),
            Blocks::Bc3 => bcdec_rs::bc3(block, bytes, 16),
            Blocks::Bc7 => bcdec_rs::bc7(block, bytes, 16),
            Blocks::Bc4 => {
                let mut gray = [0; 16];
                bcdec_rs::bc4(block, &mut gray, 4, false);
                pixels = gray.map(|gray| [gray, gray, gray, 255]);
            }
            Blocks::Bc5 => {
                let mut two = [[0; 2]; 16];
                bcdec_rs::bc5(block, two.as_flattened_mut(), 8, false);
                pixels = two.map(|[r, g]| [r, g, 0, 255]);
            }
        }
        pixels
    }
}

/// How the pixels are stored.
enum Pixels {
    Blocks(Blocks),
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
        71 | 72 => Pixels::Blocks(Blocks::Bc1),
        74 | 75 => Pixels::Blocks(Blocks::Bc2),
        77 | 78 => Pixels::Blocks(Blocks::Bc3),
        80 => Pixels::Blocks(Blocks::Bc4),
        83 => Pixels::Blocks(Blocks::Bc5),
        98 | 99 => Pixels::Blocks(Blocks::Bc7),
        _ => return None,
    })
}

pub(super) fn decode(bytes: &[u8], limits: &ImageLimits, budget: &Budget) -> Result<Image, ImageError> {
    let data = Data::new(FORMAT, bytes);
    data.magic(0, b"DDS ", "\"DDS \"")?;
    let mut cursor = Cursor::at(data, 12)?;
    let (height, width) = (cursor.u32("height")?, cursor.u32("width")?);
    let (width, height) = limits.check(FORMAT, width.into(), height.into())?;
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
        Pixels::Blocks(Blocks::of_code(code).ok_or_else(unsupported)?)
    } else if matches!(bits, 8 | 16 | 24 | 32) {
        let [r, g, b, a] = masks;
        let a = if flags & (ALPHA_PIXELS | ALPHA) != 0 { a } else { 0 };
        let masks = if flags & LUMINANCE != 0 { [r, r, r, a] } else { [r, g, b, a] };
        Pixels::Masks((bits / 8) as usize, masks)
    } else {
        return Err(unsupported());
    };
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
        Pixels::Blocks(blocks) => {
            let (across, down) = (columns.div_ceil(4), rows.div_ceil(4));
            let stored = data.take(at, (across * down * blocks.size()) as u64, "blocks of pixels")?;
            image = Image::with_room((width, height), budget)?;
            image.rgba.resize(columns * rows * 4, 0);
            let (out, _) = image.rgba.as_chunks_mut::<4>();
            for (number, block) in stored.chunks_exact(blocks.size()).enumerate() {
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
