//! Windows bitmaps of 1 to 32 bits, run-length encoded or not (BMP: BITMAPFILEHEADER, BITMAPINFOHEADER).

use meshlens::wire::{Budget, Cursor, Data, ErrorKind, Expected};

use super::palette::Palette;
use super::{Image, ImageError, ImageLimits};

const FORMAT: &str = "bmp";
const FILE_HEADER: u64 = 14;
/// biCompression.
const RGB: u32 = 0;
const RLE8: u32 = 1;
const RLE4: u32 = 2;
const BITFIELDS: u32 = 3;
const ALPHA_BITFIELDS: u32 = 6;

/// The header after the file header.
struct Header {
    len: u32,
    /// Rows begin at the bottom if the height is positive.
    width: i64,
    height: i64,
    bits: u16,
    compression: u32,
    /// The number of colors of the palette; 0 for as many as the bits of a pixel allow.
    colors: u32,
}

fn header(cursor: &mut Cursor<'_>) -> Result<Header, ImageError> {
    let len = cursor.u32("size of the header")?;
    if len == 12 {
        let (width, height) = (cursor.u16("width")?.into(), cursor.u16("height")?.into());
        let _planes = cursor.u16("planes")?;
        let bits = cursor.u16("bits of a pixel")?;
        return Ok(Header { len, width, height, bits, compression: RGB, colors: 0 });
    }
    if len < 40 {
        let expected = Expected::Text("12, or at least 40");
        let kind = ErrorKind::Value { what: "size of the header", expected, found: len.into() };
        return Err(meshlens::wire::Error::new(FORMAT, FILE_HEADER, kind).into());
    }
    let (width, height) = (cursor.i32("width")?.into(), cursor.i32("height")?.into());
    let _planes = cursor.u16("planes")?;
    let bits = cursor.u16("bits of a pixel")?;
    let compression = cursor.u32("compression")?;
    let _sizes = cursor.take(12, "size and resolution")?;
    let colors = cursor.u32("number of colors")?;
    let _important = cursor.u32("number of important colors")?;
    Ok(Header { len, width, height, bits, compression, colors })
}

impl Header {
    /// The mask of each channel, and the bytes of masks that follow a header of 40 bytes.
    fn masks(&self, cursor: &mut Cursor<'_>) -> Result<([u32; 4], u64), ImageError> {
        if !matches!(self.compression, BITFIELDS | ALPHA_BITFIELDS) {
            // The fourth byte is unused.
            let masks =
                if self.bits == 16 { [0x7c00, 0x03e0, 0x001f, 0] } else { [0x00ff_0000, 0xff00, 0xff, 0] };
            return Ok((masks, 0));
        }
        let channels = if self.compression == ALPHA_BITFIELDS || self.len >= 56 { 4 } else { 3 };
        let mut masks = [0; 4];
        for mask in masks.iter_mut().take(channels) {
            *mask = cursor.u32("mask of a channel")?;
        }
        Ok((masks, if self.len == 40 { 4 * channels as u64 } else { 0 }))
    }

    /// The palette at `at`, which ends at the pixels at the latest; `None` for pixels of colors.
    fn palette(
        &self,
        data: Data<'_>,
        at: u64,
        pixels_at: u64,
        has_key: bool,
    ) -> Result<Option<Palette>, ImageError> {
        match self.bits {
            1 | 2 | 4 | 8 => {
                let size = if self.len == 12 { 3 } else { 4 };
                let most = 1u32 << self.bits;
                // A file with fewer colors than its pixels may use ends its palette at the pixels.
                let room = pixels_at.saturating_sub(at) / size;
                let count = if self.colors == 0 { most } else { self.colors.min(most) };
                let colors = data.take(at, u64::from(count).min(room) * size, "palette")?;
                let color = |bytes: &[u8]| match bytes {
                    [b, g, r, ..] => [*r, *g, *b, 255],
                    _ => [0, 0, 0, 255],
                };
                let colors = colors.chunks_exact(size as usize).map(color).collect();
                Ok(Some(Palette::new(colors, has_key)))
            }
            16 | 24 | 32 => Ok(None),
            found => {
                let expected = Expected::Text("1, 2, 4, 8, 16, 24 or 32");
                let kind = ErrorKind::Value { what: "bits of a pixel", expected, found: found.into() };
                Err(data.error(FILE_HEADER + 14, kind).into())
            }
        }
    }
}

pub(super) fn decode(
    bytes: &[u8],
    has_key: bool,
    limits: &ImageLimits,
    budget: &Budget,
) -> Result<Image, ImageError> {
    let data = Data::new(FORMAT, bytes);
    data.magic(0, b"BM", "\"BM\"")?;
    let pixels_at = u64::from(Cursor::at(data, 10)?.u32("offset of the pixels")?);
    let mut cursor = Cursor::at(data, FILE_HEADER)?;
    let header = header(&mut cursor)?;
    let (columns, rows) = limits.check(FORMAT, header.width.unsigned_abs(), header.height.unsigned_abs())?;
    let (masks, after_header) = header.masks(&mut cursor)?;
    let colors_at = FILE_HEADER + u64::from(header.len) + after_header;
    let palette = header.palette(data, colors_at, pixels_at, has_key)?;
    let bits = u64::from(header.bits);
    let mut image;
    match (header.compression, &palette) {
        (RLE8 | RLE4, Some(palette)) if bits == if header.compression == RLE8 { 8 } else { 4 } => {
            let count = u64::from(columns) * u64::from(rows);
            // A run of 255 pixels takes two bytes: a file that is too short is detected before memory is allocated.
            data.take(pixels_at, count.div_ceil(128), "runs of pixels")?;
            image = Image::with_room((columns, rows), budget)?;
            let pixels = usize::try_from(count).unwrap_or(usize::MAX);
            let _indices = budget.reserve(pixels, format_args!("{columns} x {rows} indices of pixels"))?;
            let indices =
                unpack(data, pixels_at, columns as usize, rows as usize, header.compression == RLE4)?;
            image.rgba.extend(indices.into_iter().flat_map(|index| palette.color(index.into())));
        }
        (RGB | BITFIELDS | ALPHA_BITFIELDS, _) => {
            let stride = (u64::from(columns) * bits).div_ceil(32) * 4;
            // The padding of the last row may be missing.
            let row = (u64::from(columns) * bits).div_ceil(8);
            let pixels = data.take(pixels_at, stride * (u64::from(rows) - 1) + row, "pixels")?;
            image = Image::with_room((columns, rows), budget)?;
            let rgba = &mut image.rgba;
            for row in pixels.chunks(usize::try_from(stride).unwrap_or(usize::MAX)) {
                match &palette {
                    Some(palette) => {
                        let index = |column| index_of(row, column, header.bits.into());
                        rgba.extend((0..columns as usize).flat_map(|column| palette.color(index(column))));
                    }
                    None => {
                        let pixels = row.chunks_exact(usize::from(header.bits / 8)).take(columns as usize);
                        rgba.extend(pixels.flat_map(|bytes| masked(bytes, &masks)));
                    }
                }
            }
        }
        _ => return Err(ImageError::unsupported(FORMAT, 30, "this compression")),
    }
    image.turn(false, header.height <= 0);
    Ok(image)
}

/// The index of a pixel of 1, 2, 4 or 8 bits, the highest bits of a byte first.
pub(super) fn index_of(row: &[u8], column: usize, bits: u32) -> usize {
    let first = column * bits as usize;
    let byte = u32::from(row.get(first / 8).copied().unwrap_or_default());
    let shift = 8 - bits - (first % 8) as u32;
    (byte >> shift & ((1 << bits) - 1)) as usize
}

/// The channels of a pixel, each scaled to 8 bits. A channel without a mask is 255.
pub(super) fn masked(bytes: &[u8], masks: &[u32; 4]) -> [u8; 4] {
    let value = bytes.iter().rev().fold(0u32, |value, byte| value << 8 | u32::from(*byte));
    masks.map(|mask| {
        let Some(most) = mask.checked_shr(mask.trailing_zeros()).filter(|most| *most > 0) else { return 255 };
        let channel = u64::from((value & mask) >> mask.trailing_zeros());
        u8::try_from(channel * 255 / u64::from(most)).unwrap_or(255)
    })
}

/// The indices of run-length encoded pixels that start at `at`, the bottom row first. Pixels without a run have index 0.
fn unpack(
    data: Data<'_>,
    mut at: u64,
    width: usize,
    height: usize,
    has_nibbles: bool,
) -> Result<Vec<u8>, ImageError> {
    let mut indices = vec![0; width * height];
    let (mut column, mut row) = (0usize, 0usize);
    let mut put = |column: usize, row: usize, index: u8| {
        if column < width
            && let Some(slot) = indices.get_mut(row * width + column)
        {
            *slot = index;
        }
    };
    let in_byte = if has_nibbles { 2 } else { 1 };
    // The first of two pixels in a byte has the high bits.
    let nibble = |byte: u8, number: usize| match (has_nibbles, number % 2) {
        (false, _) => byte,
        (true, 0) => byte >> 4,
        (true, _) => byte & 15,
    };
    // The mark of the end may be missing.
    while row < height && data.file_len() >= at + 2 {
        let [count, value] = *data.take(at, 2, "run of pixels")? else { break };
        at += 2;
        match (count, value) {
            (0, 0) => (column, row) = (0, row + 1),
            (0, 1) => break,
            (0, 2) => {
                let [right, up] = *data.take(at, 2, "offset of a run")? else { break };
                at += 2;
                column += usize::from(right);
                row += usize::from(up);
            }
            (0, count) => {
                let count = usize::from(count);
                let len = count.div_ceil(in_byte);
                let pixels = data.take(at, len as u64, "pixels of a run")?;
                // Padded to whole words.
                at += len.next_multiple_of(2) as u64;
                let bytes = pixels.iter().flat_map(|byte| std::iter::repeat_n(*byte, in_byte));
                for (number, byte) in bytes.take(count).enumerate() {
                    put(column + number, row, nibble(byte, number));
                }
                column += count;
            }
            (count, value) => {
                for number in 0..usize::from(count) {
                    put(column + number, row, nibble(value, number));
                }
                column += usize::from(count);
            }
        }
    }
    Ok(indices)
}
