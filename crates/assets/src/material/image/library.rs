//! Formats that are decoded by libraries: JPEG and PCX.

use std::io::Cursor;

use meshlens::wire::{Error, ErrorKind};
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;

use super::palette::Palette;
use super::{Image, ImageError, ImageLimits};

fn options(limits: &ImageLimits) -> DecoderOptions {
    let side = limits.side as usize;
    DecoderOptions::default()
        .set_max_width(side)
        .set_max_height(side)
        .set_strict_mode(false)
        .jpeg_set_out_colorspace(ColorSpace::RGB)
}

pub(super) fn jpeg(bytes: &[u8], limits: &ImageLimits) -> Result<Image, ImageError> {
    const FORMAT: &str = "jpeg";
    let mut decoder = zune_jpeg::JpegDecoder::new_with_options(ZCursor::new(bytes), options(limits));
    decoder.decode_headers().map_err(|error| ImageError::decoder(FORMAT, error))?;
    let info = decoder.info().ok_or(ImageError::Unknown)?;
    let (width, height) = limits.check(FORMAT, info.width.into(), info.height.into())?;
    let pixels = decoder.decode().map_err(|error| ImageError::decoder(FORMAT, error))?;
    let rgba: Vec<u8> = pixels.as_chunks::<3>().0.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect();
    let expected = u64::from(width) * u64::from(height) * 4;
    if rgba.len() as u64 != expected {
        let kind = ErrorKind::Length { what: "bytes of pixels", expected, found: rgba.len() as u64 };
        return Err(Error::new(FORMAT, 0, kind).into());
    }
    Ok(Image { width, height, rgba })
}

pub(super) fn pcx(bytes: &[u8], has_key: bool, limits: &ImageLimits) -> Result<Image, ImageError> {
    const FORMAT: &str = "pcx";
    let failed =
        |error: std::io::Error| ImageError::Decoder { format: FORMAT, message: error.to_string().into() };
    let mut reader = pcx::Reader::new(Cursor::new(bytes)).map_err(failed)?;
    let (width, height) = reader.dimensions();
    let (width, height) = limits.check(FORMAT, width.into(), height.into())?;
    let (columns, rows) = (width as usize, height as usize);
    // Rows are added one by one: a file that is too short is detected before memory is allocated for all of them.
    if reader.is_paletted() {
        let mut indices = Vec::new();
        // The decoder stores packed bits at the end of the row, which needs a byte even for one pixel.
        let mut row = vec![0; columns];
        for _ in 0..rows {
            reader.next_row_paletted(&mut row).map_err(failed)?;
            indices.extend_from_slice(&row);
        }
        let mut colors = [0; 256 * 3];
        let count = reader.read_palette(&mut colors).map_err(failed)?;
        let colors = colors.as_chunks::<3>().0.iter().take(count).map(|[r, g, b]| [*r, *g, *b, 255]);
        let palette = Palette::new(colors.collect(), has_key);
        let rgba = indices.into_iter().flat_map(|index| palette.color(index.into())).collect();
        return Ok(Image { width, height, rgba });
    }
    let mut rgba = Vec::new();
    let mut row = vec![0; columns * 3];
    for _ in 0..rows {
        reader.next_row_rgb(&mut row).map_err(failed)?;
        rgba.extend(row.as_chunks::<3>().0.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]));
    }
    Ok(Image { width, height, rgba })
}
