//! Formats that are decoded by libraries without much of our own: PCX and WebP.

use std::io::Cursor;

use image_webp::WebPDecoder;
use meshlens::wire::Budget;

use super::palette::Palette;
use super::{Image, ImageError, ImageLimits};

pub(super) fn pcx(
    bytes: &[u8],
    has_key: bool,
    limits: &ImageLimits,
    budget: &Budget,
) -> Result<Image, ImageError> {
    const FORMAT: &str = "pcx";
    let failed = |error: std::io::Error| ImageError::decoder(FORMAT, &error.to_string());
    let mut reader = pcx::Reader::new(Cursor::new(bytes)).map_err(failed)?;
    let (width, height) = reader.dimensions();
    let (width, height) = limits.check(FORMAT, width.into(), height.into())?;
    let (columns, rows) = (width as usize, height as usize);
    // A byte is a run of up to 63 pixels of one plane: a file that is too short is detected before memory is allocated.
    if (bytes.len() as u64).saturating_mul(8 * 63) < u64::from(width) * u64::from(height) {
        return Err(ImageError::decoder(FORMAT, "the file ends before its pixels"));
    }
    let mut image = Image::with_room((width, height), budget)?;
    if reader.is_paletted() {
        let _indices =
            budget.reserve(columns * rows, format_args!("{width} x {height} indices of pixels"))?;
        let mut indices = Vec::new();
        // The decoder stores packed bits at the end of the row, which needs a byte even for one pixel.
        let mut row = vec![0; columns];
        indices.reserve_exact(columns * rows);
        for _ in 0..rows {
            reader.next_row_paletted(&mut row).map_err(failed)?;
            indices.extend_from_slice(&row);
        }
        let mut colors = [0; 256 * 3];
        let count = reader.read_palette(&mut colors).map_err(failed)?;
        let colors = colors.as_chunks::<3>().0.iter().take(count).map(|[r, g, b]| [*r, *g, *b, 255]);
        let palette = Palette::new(colors.collect(), has_key);
        image.rgba.extend(indices.into_iter().flat_map(|index| palette.color(index.into())));
        return Ok(image);
    }
    let mut row = vec![0; columns * 3];
    for _ in 0..rows {
        reader.next_row_rgb(&mut row).map_err(failed)?;
        image.rgba.extend(row.as_chunks::<3>().0.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]));
    }
    Ok(image)
}

/// The bytes that the decoder of WebP allocates for each pixel: the planes of a lossy image (1.5), its alpha and the image
/// that the alpha is read from (5). A lossless image takes less (4).
const WEBP_DECODER: usize = 7;

pub(super) fn webp(bytes: &[u8], limits: &ImageLimits, budget: &Budget) -> Result<Image, ImageError> {
    const FORMAT: &str = "webp";
    let failed = |error: image_webp::DecodingError| ImageError::decoder(FORMAT, &error.to_string());
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(failed)?;
    let (width, height) = decoder.dimensions();
    let (width, height) = limits.check(FORMAT, width.into(), height.into())?;
    let pixels = width as usize * height as usize;
    let mut image = Image::with_room((width, height), budget)?;
    let what = format_args!("{width} x {height} pixels in the decoder of WebP");
    let _decoder = budget.reserve(pixels.saturating_mul(WEBP_DECODER), what)?;
    decoder.set_memory_limit(pixels.saturating_mul(4));
    if decoder.has_alpha() {
        image.rgba.resize(pixels * 4, 0);
        decoder.read_image(&mut image.rgba).map_err(failed)?;
        return Ok(image);
    }
    let what = format_args!("{width} x {height} pixels x 3 bytes");
    let _rgb = budget.reserve(pixels.saturating_mul(3), what)?;
    let mut rgb = vec![0; pixels * 3];
    decoder.read_image(&mut rgb).map_err(failed)?;
    image.rgba.extend(rgb.as_chunks::<3>().0.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]));
    Ok(image)
}
