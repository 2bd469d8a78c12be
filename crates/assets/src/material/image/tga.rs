//! Truevision TGA of 8 to 32 bits, with or without a palette, run-length encoded or not (TGA 2.0: TGA file header,
//! image data).

use meshlens::wire::{Budget, Data, ErrorKind};

use super::palette::Palette;
use super::{Image, ImageError, ImageLimits};

const FORMAT: &str = "tga";
const HEADER: u64 = 18;

struct Header {
    id_len: u8,
    has_palette: bool,
    /// The kind: 1 palette, 2 colors, 3 grays.
    kind: u8,
    has_runs: bool,
    palette_start: u16,
    palette_len: u16,
    palette_bits: u8,
    width: u16,
    height: u16,
    bits: u8,
    from_right: bool,
    from_top: bool,
}

fn header(bytes: &[u8]) -> Option<Header> {
    let [id_len, has_palette, kind, p0, p1, l0, l1, palette_bits, _, _, _, _, w0, w1, h0, h1, bits, flags] =
        *bytes.first_chunk::<18>()?;
    Some(Header {
        id_len,
        has_palette: has_palette == 1,
        kind: kind & 7,
        has_runs: kind & 8 != 0,
        palette_start: u16::from_le_bytes([p0, p1]),
        palette_len: u16::from_le_bytes([l0, l1]),
        palette_bits,
        width: u16::from_le_bytes([w0, w1]),
        height: u16::from_le_bytes([h0, h1]),
        bits,
        from_right: flags & 0x10 != 0,
        from_top: flags & 0x20 != 0,
    })
}

/// Whether a file can be TGA: all fields of its header have defined values.
pub(super) fn is_plausible(bytes: &[u8]) -> bool {
    let Some(header) = header(bytes) else { return false };
    let kind = bytes.get(2).copied().unwrap_or_default();
    matches!(kind, 1..=3 | 9..=11)
        && matches!(bytes.get(1), Some(0 | 1))
        && matches!(header.bits, 8 | 15 | 16 | 24 | 32)
        && (header.kind != 1 || header.has_palette)
}

/// The encoding of a pixel or a palette color.
#[derive(Clone, Copy)]
enum Pixel {
    Gray,
    GrayAlpha,
    Rgb5,
    Rgb8,
    Rgba8,
}

impl Pixel {
    fn of_bits(bits: u8) -> Option<Pixel> {
        match bits {
            8 => Some(Pixel::Gray),
            15 | 16 => Some(Pixel::Rgb5),
            24 => Some(Pixel::Rgb8),
            32 => Some(Pixel::Rgba8),
            _ => None,
        }
    }

    /// Decodes a color from the bytes of one pixel.
    fn color(self, bytes: &[u8]) -> [u8; 4] {
        match (self, bytes) {
            (Pixel::Gray, [gray]) => [*gray, *gray, *gray, 255],
            (Pixel::GrayAlpha, [gray, alpha]) => [*gray, *gray, *gray, *alpha],
            (Pixel::Rgb5, [low, high]) => {
                let value = u16::from_le_bytes([*low, *high]);
                // Extends 5 bits to 8 by repeating the highest ones. Engines ignore the sixteenth bit.
                let channel = |shift: u32| {
                    let five = (value >> shift & 31) as u8;
                    five << 3 | five >> 2
                };
                [channel(10), channel(5), channel(0), 255]
            }
            (Pixel::Rgb8, [b, g, r]) => [*r, *g, *b, 255],
            (Pixel::Rgba8, [b, g, r, a]) => [*r, *g, *b, *a],
            _ => [0, 0, 0, 255],
        }
    }
}

impl Header {
    /// The palette at `at`, and its length in bytes. The palette of an image of colors is skipped.
    fn palette(&self, data: Data<'_>, at: u64, has_key: bool) -> Result<(Option<Palette>, u64), ImageError> {
        if !self.has_palette {
            return Ok((None, 0));
        }
        let size = u64::from(self.palette_bits.div_ceil(8));
        let len = size * u64::from(self.palette_len);
        let colors = data.take(at, len, "palette")?;
        if self.kind != 1 {
            return Ok((None, len));
        }
        let pixel = Pixel::of_bits(self.palette_bits)
            .ok_or_else(|| ImageError::unsupported(FORMAT, 7, "this size of palette colors"))?;
        let unset = std::iter::repeat_n([0, 0, 0, 255], self.palette_start.into());
        let colors = colors.chunks_exact((size as usize).max(1)).map(|bytes| pixel.color(bytes));
        Ok((Some(Palette::new(unset.chain(colors).collect(), has_key)), len))
    }

    /// The encoding of the pixels. `has_palette` is whether it was read.
    fn pixel(&self, has_palette: bool) -> Result<Pixel, ImageError> {
        let pixel = match (self.kind, self.bits) {
            (1, 8 | 15 | 16) if has_palette => Some(Pixel::Gray),
            (2, bits) => Pixel::of_bits(bits),
            (3, 8) => Some(Pixel::Gray),
            (3, 16) => Some(Pixel::GrayAlpha),
            _ => None,
        };
        pixel.ok_or_else(|| {
            let expected = meshlens::wire::Expected::Text("8, 15, 16, 24 or 32, as the kind of image allows");
            let kind = ErrorKind::Value { what: "bits of a pixel", expected, found: self.bits.into() };
            meshlens::wire::Error::new(FORMAT, 16, kind).into()
        })
    }
}

pub(super) fn decode(
    bytes: &[u8],
    has_key: bool,
    limits: &ImageLimits,
    budget: &Budget,
) -> Result<Image, ImageError> {
    let data = Data::new(FORMAT, bytes);
    data.take(0, HEADER, "header")?;
    let header = header(bytes).ok_or(ImageError::Unknown)?;
    let size_in_pixels = limits.check(FORMAT, header.width.into(), header.height.into())?;
    let (width, height) = size_in_pixels;
    let at = HEADER + u64::from(header.id_len);
    let (palette, len) = header.palette(data, at, has_key)?;
    let mut at = at + len;
    let size = usize::from(header.bits.div_ceil(8));
    let pixel = header.pixel(palette.is_some())?;
    let color = |bytes: &[u8]| match &palette {
        Some(palette) => {
            let index = bytes.iter().rev().fold(0, |index, byte| index << 8 | usize::from(*byte));
            palette.color(index)
        }
        None => pixel.color(bytes),
    };

    // At most 2^32, because both sides have 16 bits.
    let count = u64::from(width) * u64::from(height);
    let mut image;
    if header.has_runs {
        // A run has at most 128 pixels: a file that is too short is detected before memory is allocated.
        data.take(at, count.div_ceil(128) * (1 + size as u64), "runs of pixels")?;
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        image = Image::with_room(size_in_pixels, budget)?;
        let rgba = &mut image.rgba;
        while rgba.len() < count.saturating_mul(4) {
            let [head] = *data.take(at, 1, "head of a run")? else { break };
            at += 1;
            let left = count - rgba.len() / 4;
            let len = (usize::from(head & 0x7f) + 1).min(left);
            if head & 0x80 != 0 {
                let value = color(data.take(at, size as u64, "pixel of a run")?);
                at += size as u64;
                rgba.extend(std::iter::repeat_n(value, len).flatten());
            } else {
                let pixels = data.take(at, (len * size) as u64, "pixels")?;
                at += (len * size) as u64;
                rgba.extend(pixels.chunks_exact(size).flat_map(color));
            }
        }
    } else {
        let pixels = data.take(at, count * size as u64, "pixels")?;
        image = Image::with_room(size_in_pixels, budget)?;
        image.rgba.extend(pixels.chunks_exact(size).flat_map(color));
    }
    image.turn(header.from_right, header.from_top);
    Ok(image)
}
