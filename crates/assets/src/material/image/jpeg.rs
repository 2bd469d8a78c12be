//! JPEG: decoded by a library, and the segments that tell whether a file is cut off (ITU-T T.81: B. Compressed data formats).

use meshlens::wire::{Budget, Error, ErrorKind};
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;

use super::{Image, ImageError, ImageLimits};

const FORMAT: &str = "jpeg";

fn options(limits: &ImageLimits, is_strict: bool) -> DecoderOptions {
    let side = limits.side as usize;
    DecoderOptions::default()
        .set_max_width(side)
        .set_max_height(side)
        .set_strict_mode(is_strict)
        .jpeg_set_out_colorspace(ColorSpace::RGB)
}

/// Decodes a file. If `is_strict`, faults that other decoders do not accept are errors.
pub(super) fn decode(
    bytes: &[u8],
    is_strict: bool,
    limits: &ImageLimits,
    budget: &Budget,
) -> Result<Image, ImageError> {
    // The `Display` of the decoder's errors has the same content as `Debug`, but is longer.
    let failed = |error| ImageError::decoder(FORMAT, format!("{error:?}").trim_end());
    let mut decoder =
        zune_jpeg::JpegDecoder::new_with_options(ZCursor::new(bytes), options(limits, is_strict));
    decoder.decode_headers().map_err(failed)?;
    let info = decoder.info().ok_or(ImageError::Unknown)?;
    let (width, height) = limits.check(FORMAT, info.width.into(), info.height.into())?;
    let len = width as usize * height as usize * 3;
    let mut image = Image::with_room((width, height), budget)?;
    let _rgb = budget.reserve(len, format_args!("{width} x {height} pixels x 3 bytes"))?;
    let coefficients = outline(bytes).coefficients;
    let what = format_args!("the coefficients of {width} x {height} pixels");
    let _coefficients = budget.reserve(usize::try_from(coefficients).unwrap_or(usize::MAX), what)?;
    let mut rgb = vec![0; len];
    if decoder.output_buffer_size() != Some(len) {
        let found = decoder.output_buffer_size().unwrap_or_default() as u64;
        let kind = ErrorKind::Length { what: "bytes of pixels", expected: len as u64, found };
        return Err(Error::new(FORMAT, 0, kind).into());
    }
    decoder.decode_into(&mut rgb).map_err(failed)?;
    image.rgba.extend(rgb.as_chunks::<3>().0.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]));
    Ok(image)
}

/// The parts of a JPEG file, as far as its segments tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Outline {
    /// The number of components; 0 without a frame header.
    pub(super) components: u8,
    /// The size in bytes of the coefficients of all blocks if a decoder must hold them: in progressive files, and if the
    /// first scan does not have all components. Otherwise 0.
    pub(super) coefficients: u64,
    /// Whether the file has pixels and an end marker after them.
    pub(super) is_whole: bool,
}

/// Walks the segments of a file up to the mark of its end. O(length).
pub(super) fn outline(bytes: &[u8]) -> Outline {
    let mut outline = Outline::default();
    let (mut coefficients, mut is_progressive, mut has_pixels) = (0, false, false);
    // The start of the image.
    let mut rest = bytes.get(2..).unwrap_or_default();
    // In pixels, `ff 00` is a byte `ff`; marks from d0 to d7 separate intervals. Between segments, `ff` is padding.
    while let Some(at) = memchr::memchr(0xff, rest) {
        rest = rest.get(at.saturating_add(1)..).unwrap_or_default();
        let Some((mark, after)) = rest.split_first() else { break };
        match mark {
            0xff => continue,
            0 | 0xd0..=0xd8 => {
                rest = after;
                continue;
            }
            // Reserved (B.1.1.3).
            1..=0xbf => break,
            0xd9 => {
                outline.is_whole = has_pixels;
                break;
            }
            _ => {}
        }
        let Some(len) = after.first_chunk().map(|len| usize::from(u16::from_be_bytes(*len))) else { break };
        let Some(segment) = after.get(2..len.max(2)) else { break };
        match mark {
            0xc0..=0xcf if !matches!(mark, 0xc4 | 0xc8 | 0xcc) => {
                is_progressive = matches!(mark, 0xc2 | 0xc6 | 0xca | 0xce);
                (outline.components, coefficients) = frame(segment);
            }
            0xda => {
                let all = segment.first() == Some(&outline.components);
                if !has_pixels && (is_progressive || !all) {
                    outline.coefficients = coefficients;
                }
                has_pixels = true;
            }
            _ => {}
        }
        rest = after.get(len.max(2)..).unwrap_or_default();
    }
    outline
}

/// The number of components in a frame header, and the bytes of the coefficients of all blocks: 2 for each (B.2.2).
fn frame(segment: &[u8]) -> (u8, u64) {
    let [_, h0, h1, w0, w1, components, rest @ ..] = segment else { return (0, 0) };
    let [width, height] = [[*w0, *w1], [*h0, *h1]].map(|side| u64::from(u16::from_be_bytes(side)));
    let factors = rest.chunks_exact(3).filter_map(|component| component.get(1));
    let factors = factors.map(|factors| (u64::from(factors >> 4), u64::from(factors & 15)));
    // A decoder may take a block of each component for each 8 by 8 pixels, times its sampling factors.
    let (across, down) = (width.div_ceil(8).saturating_add(16), height.div_ceil(8).saturating_add(16));
    let blocks = factors.map(|(h, v)| across.saturating_mul(down).saturating_mul(h.saturating_mul(v)));
    (*components, blocks.fold(0, u64::saturating_add).saturating_mul(64 * 2))
}
