//! PNG: decoded and encoded by a library, row by row.

use std::io::{self, Cursor, Write};

use meshlens::wire::{Budget, Error, ErrorKind, OverBudget, Reservation};
use png::{
    BitDepth, ColorType, Compression, Decoder, DecodingError, Encoder, Limits, Reader, Transformations,
};

use super::{Image, ImageError, ImageLimits};

const FORMAT: &str = "png";

/// The largest factor by which deflate makes data smaller.
const DEFLATE: u64 = 1032;
/// The bytes that the library may allocate for a row and for the tables of a file.
const TABLES: usize = 1 << 24;

fn failed(error: DecodingError) -> ImageError {
    ImageError::decoder(FORMAT, &error.to_string())
}

/// A reader of rows of 8-bit components: gray or colors, with or without alpha.
fn reader<'b>(
    bytes: &'b [u8],
    limits: &ImageLimits,
    ignore_checksums: bool,
) -> Result<Reader<Cursor<&'b [u8]>>, ImageError> {
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: TABLES });
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.ignore_checksums(ignore_checksums);
    decoder.set_transformations(Transformations::normalize_to_color8());
    let info = decoder.read_header_info().map_err(failed)?;
    let (width, height) = limits.check(FORMAT, info.width.into(), info.height.into())?;
    let row = (u64::from(width) * info.bits_per_pixel() as u64).div_ceil(8) + 1;
    let expected = row * u64::from(height);
    // A file that is too short for its pixels is detected before memory is allocated.
    let most = (bytes.len() as u64).saturating_mul(DEFLATE);
    if !info.interlaced && most < expected {
        let kind = ErrorKind::Length { what: "bytes of rows", expected, found: most };
        return Err(Error::new(FORMAT, 0, kind).into());
    }
    decoder.read_info().map_err(failed)
}

/// Decodes a file. Checksums are ignored.
pub(super) fn decode(bytes: &[u8], limits: &ImageLimits, budget: &Budget) -> Result<Image, ImageError> {
    let mut reader = reader(bytes, limits, true)?;
    let (width, height) = reader.info().size();
    let (color, _) = reader.output_color_type();
    let mut image = Image::with_room((width, height), budget)?;
    if reader.info().interlaced {
        let len = reader.output_buffer_size().unwrap_or(usize::MAX);
        let _held = budget.reserve(len, format_args!("{width} x {height} interlaced pixels"))?;
        let mut pixels = vec![0; len];
        reader.next_frame(&mut pixels).map_err(failed)?;
        expand(color, &pixels, &mut image.rgba);
        return Ok(image);
    }
    while let Some(row) = reader.next_row().map_err(failed)? {
        expand(color, row.data(), &mut image.rgba);
    }
    Ok(image)
}

/// Whether a file is complete: every row can be decoded, and all checksums are right. The pixels are not
/// kept.
pub(super) fn is_whole(bytes: &[u8], limits: &ImageLimits) -> bool {
    let Ok(mut reader) = reader(bytes, limits, false) else { return false };
    while let Ok(row) = reader.next_interlaced_row() {
        if row.is_none() {
            return reader.finish().is_ok();
        }
    }
    false
}

/// Appends pixels as red, green, blue and alpha.
fn expand(color: ColorType, pixels: &[u8], rgba: &mut Vec<u8>) {
    match color {
        ColorType::Grayscale | ColorType::Indexed => {
            rgba.extend(pixels.iter().flat_map(|gray| [*gray, *gray, *gray, 255]));
        }
        ColorType::GrayscaleAlpha => {
            rgba.extend(pixels.as_chunks::<2>().0.iter().flat_map(|[gray, a]| [*gray, *gray, *gray, *a]));
        }
        ColorType::Rgb => {
            rgba.extend(pixels.as_chunks::<3>().0.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]));
        }
        ColorType::Rgba => rgba.extend_from_slice(pixels),
    }
}

/// A file in memory that reserves its memory before it grows.
struct Growing<'b> {
    bytes: Vec<u8>,
    held: Reservation,
    budget: &'b Budget,
}

impl Write for Growing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = self.bytes.len().saturating_add(bytes.len());
        if len > self.bytes.capacity() {
            let room = len.max(self.bytes.capacity().saturating_mul(2)).max(1 << 12);
            // While the bytes move, there are two copies.
            let held = self.budget.reserve(room, format_args!("a PNG file of {len} bytes or more"));
            let held = held.map_err(io::Error::other)?;
            self.bytes.reserve_exact(room.saturating_sub(self.bytes.len()));
            self.held = held;
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Encodes an image as a file of 8 bits per component, with or without alpha.
pub(super) fn encode(
    image: &Image,
    has_alpha: bool,
    budget: &Budget,
) -> Result<(Vec<u8>, Reservation), ImageError> {
    let mut file = Growing { bytes: Vec::new(), held: budget.empty(), budget };
    let written = write(image, has_alpha, &mut file);
    written.map_err(|error| match error {
        png::EncodingError::IoError(error) => match error.downcast::<OverBudget>() {
            Ok(over) => ImageError::Memory(over),
            Err(error) => ImageError::decoder(FORMAT, &error.to_string()),
        },
        error => ImageError::decoder(FORMAT, &error.to_string()),
    })?;
    Ok((file.bytes, file.held))
}

fn write(image: &Image, has_alpha: bool, file: &mut Growing<'_>) -> Result<(), png::EncodingError> {
    let mut encoder = Encoder::new(file, image.width, image.height);
    encoder.set_color(if has_alpha { ColorType::Rgba } else { ColorType::Rgb });
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    let mut writer = encoder.write_header()?;
    let mut rows = writer.stream_writer()?;
    let mut opaque = Vec::new();
    for row in image.rgba.chunks_exact((image.width as usize).saturating_mul(4).max(1)) {
        if has_alpha {
            rows.write_all(row)?;
        } else {
            opaque.clear();
            opaque.extend(row.as_chunks::<4>().0.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]));
            rows.write_all(&opaque)?;
        }
    }
    rows.finish()?;
    writer.finish()
}
