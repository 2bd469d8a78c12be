//! PNG: writing, and reading for images whose alpha must be computed (PNG: 5. Datastream structure, 9. Filtering).

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use meshlens::wire::{Data, ErrorKind, Expected};

use super::{Image, ImageError, ImageLimits};

const FORMAT: &str = "png";

/// The largest number of a row filter.
const FILTERS: u8 = 4;

/// Encodes the image as a PNG file of 8 bits per component, with or without alpha.
pub(super) fn write(image: &Image, has_alpha: bool) -> Vec<u8> {
    let components = if has_alpha { 4 } else { 3 };
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::new();
    header.extend(image.width.to_be_bytes());
    header.extend(image.height.to_be_bytes());
    // 8 bits, colors with or without alpha, and the only defined methods of compression, filtering and interlacing.
    header.extend([8, if has_alpha { 6 } else { 2 }, 0, 0, 0]);
    chunk(&mut file, *b"IHDR", &header);
    chunk(&mut file, *b"IDAT", &data(image, components));
    chunk(&mut file, *b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: [u8; 4], body: &[u8]) {
    // Compressed data of at most 64 Mi pixels fit in 32 bits.
    file.extend(u32::try_from(body.len()).unwrap_or(u32::MAX).to_be_bytes());
    let start = file.len();
    file.extend(kind);
    file.extend(body);
    let sum = crc32fast::hash(file.get(start..).unwrap_or_default());
    file.extend(sum.to_be_bytes());
}

/// The compressed rows, each with the filter that leaves the smallest differences.
fn data(image: &Image, components: usize) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let width = image.width as usize;
    let mut above = vec![0; width.saturating_mul(components)];
    let mut row = above.clone();
    let mut filtered = vec![0; row.len()];
    let mut best = filtered.clone();
    for pixels in image.rgba.chunks_exact(width.saturating_mul(4).max(1)) {
        for (to, from) in row.chunks_exact_mut(components).zip(pixels.chunks_exact(4)) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        }
        let mut chosen = (u64::MAX, Filter::None);
        for filter in Filter::ALL {
            filter.apply(&row, &above, components, &mut filtered);
            // Negative differences are bytes above 127.
            let sum = filtered.iter().map(|byte| u64::from(byte.cast_signed().unsigned_abs())).sum();
            if sum < chosen.0 {
                chosen = (sum, filter);
                std::mem::swap(&mut best, &mut filtered);
            }
        }
        // Writing to memory does not fail.
        let _ = encoder.write_all(&[chosen.1 as u8]);
        let _ = encoder.write_all(&best);
        std::mem::swap(&mut row, &mut above);
    }
    encoder.finish().unwrap_or_default()
}

/// The row filters: what is subtracted from each byte.
#[derive(Clone, Copy)]
enum Filter {
    None = 0,
    Left = 1,
    Above = 2,
    Paeth = 4,
}

impl Filter {
    /// The average filter is hardly ever the best.
    const ALL: [Filter; 4] = [Filter::None, Filter::Left, Filter::Above, Filter::Paeth];

    fn apply(self, row: &[u8], above: &[u8], components: usize, out: &mut [u8]) {
        let left = std::iter::repeat_n(&0, components).chain(row);
        let corner = std::iter::repeat_n(&0, components).chain(above);
        let bytes = row.iter().zip(above).zip(left.zip(corner));
        for (out, ((byte, above), (left, corner))) in out.iter_mut().zip(bytes) {
            *out = byte.wrapping_sub(match self {
                Filter::None => 0,
                Filter::Left => *left,
                Filter::Above => *above,
                Filter::Paeth => paeth(*left, *above, *corner),
            });
        }
    }
}

/// The one of the three bytes that is nearest to left + above - corner.
fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    let [a, b, c] = [left, above, corner].map(i16::from);
    let distance = |value: i16| (a + b - c - value).abs();
    if distance(a) <= distance(b) && distance(a) <= distance(c) {
        left
    } else if distance(b) <= distance(c) {
        above
    } else {
        corner
    }
}

/// The chunks of a file that determine its pixels.
struct Chunks<'a> {
    width: u32,
    height: u32,
    depth: u8,
    kind: u8,
    palette: &'a [u8],
    transparency: &'a [u8],
    data: Vec<&'a [u8]>,
}

/// Reads a PNG file without interlacing. Checksums are ignored.
pub(super) fn read(bytes: &[u8], limits: &ImageLimits) -> Result<Image, ImageError> {
    let chunks = chunks(bytes, limits)?;
    let Chunks { width, height, depth, kind, .. } = chunks;
    let channels: u64 = match kind {
        0 | 3 => 1,
        2 => 3,
        4 => 2,
        _ => 4,
    };
    let bits = channels * u64::from(depth);
    // Each side has at most 32 bits, and a pixel at most 64.
    let row_len = (u64::from(width) * bits).div_ceil(8);
    let mut rows = Vec::new();
    let expected = (row_len + 1) * u64::from(height);
    let mut decoder = ZlibDecoder::new(Pieces(chunks.data.clone())).take(expected);
    let failed =
        |error: std::io::Error| ImageError::Decoder { format: FORMAT, message: error.to_string().into() };
    decoder.read_to_end(&mut rows).map_err(failed)?;
    if rows.len() as u64 != expected {
        let kind = ErrorKind::Length { what: "bytes of rows", expected, found: rows.len() as u64 };
        return Err(Data::new(FORMAT, bytes).error(0, kind).into());
    }
    let row_len = usize::try_from(row_len).unwrap_or(usize::MAX);
    let distance = usize::try_from(bits / 8).unwrap_or_default().max(1);
    let mut above = vec![0; row_len];
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
    for row in rows.chunks_exact_mut(row_len + 1) {
        let Some((filter, row)) = row.split_first_mut() else { continue };
        if *filter > FILTERS {
            let expected = Expected::AtMost(FILTERS.into());
            let kind = ErrorKind::Value { what: "filter of a row", expected, found: (*filter).into() };
            return Err(Data::new(FORMAT, bytes).error(0, kind).into());
        }
        unfilter(*filter, row, &above, distance);
        chunks.pixels(row, &mut rgba);
        above.copy_from_slice(row);
    }
    Ok(Image { width, height, rgba })
}

fn chunks<'a>(bytes: &'a [u8], limits: &ImageLimits) -> Result<Chunks<'a>, ImageError> {
    let data = Data::new(FORMAT, bytes);
    data.magic(0, b"\x89PNG\r\n\x1a\n", "the signature of PNG")?;
    let header = data.take(16, 13, "header")?;
    let [w0, w1, w2, w3, h0, h1, h2, h3, depth, kind, _, _, interlacing] =
        *header.first_chunk::<13>().ok_or(ImageError::Unknown)?;
    let [width, height] = [[w0, w1, w2, w3], [h0, h1, h2, h3]].map(u32::from_be_bytes);
    let (width, height) = limits.check(FORMAT, width.into(), height.into())?;
    let is_known = match kind {
        0 => matches!(depth, 1 | 2 | 4 | 8 | 16),
        3 => matches!(depth, 1 | 2 | 4 | 8),
        2 | 4 | 6 => matches!(depth, 8 | 16),
        _ => false,
    };
    if !is_known {
        return Err(ImageError::unsupported(FORMAT, 24, "this kind and depth of color"));
    }
    if interlacing != 0 {
        return Err(ImageError::unsupported(FORMAT, 28, "interlacing"));
    }
    let mut found = Chunks { width, height, depth, kind, palette: &[], transparency: &[], data: Vec::new() };
    let mut at = 33;
    loop {
        let head = data.take(at, 8, "head of a chunk")?;
        let [l0, l1, l2, l3, name @ ..] = *head.first_chunk::<8>().ok_or(ImageError::Unknown)?;
        let len = u64::from(u32::from_be_bytes([l0, l1, l2, l3]));
        let body = data.take(at + 8, len, "chunk")?;
        match &name {
            b"PLTE" => found.palette = body,
            b"tRNS" => found.transparency = body,
            b"IDAT" => found.data.push(body),
            b"IEND" => return Ok(found),
            _ => {}
        }
        // A length of 32 bits, in a file.
        at += 12 + len;
    }
}

/// The bodies of several chunks, concatenated.
struct Pieces<'a>(Vec<&'a [u8]>);

impl Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let Some(piece) = self.0.iter_mut().find(|piece| !piece.is_empty()) else { return Ok(0) };
        piece.read(out)
    }
}

/// Inverts the filter of a row.
fn unfilter(filter: u8, row: &mut [u8], above: &[u8], distance: usize) {
    for at in 0..row.len() {
        let left = at.checked_sub(distance);
        let of = |row: &[u8], at: Option<usize>| at.and_then(|at| row.get(at)).copied().unwrap_or_default();
        let (a, b, c) = (of(row, left), of(above, Some(at)), of(above, left));
        let added = match filter {
            1 => a,
            2 => b,
            // At most 255.
            3 => (u16::from(a).midpoint(u16::from(b))) as u8,
            4 => paeth(a, b, c),
            _ => 0,
        };
        if let Some(byte) = row.get_mut(at) {
            *byte = byte.wrapping_add(added);
        }
    }
}

impl Chunks<'_> {
    /// Converts the pixels of a row. Of 16-bit components, the high byte is used.
    fn pixels(&self, row: &[u8], rgba: &mut Vec<u8>) {
        let step = usize::from(self.depth / 8);
        let sample = |at: usize| row.get(at * step).copied().unwrap_or_default();
        // The transparent color has 16 bits at any depth.
        let key = |channel: usize| match self.transparency.get(channel * 2..channel * 2 + 2) {
            Some([high, low]) => Some(if self.depth == 16 { *high } else { *low }),
            _ => None,
        };
        for column in 0..self.width as usize {
            rgba.extend(match self.kind {
                0 | 3 if self.depth < 8 => self.small(row, column),
                3 => self.color(sample(column)),
                0 => {
                    let gray = sample(column);
                    [gray, gray, gray, if key(0) == Some(gray) { 0 } else { 255 }]
                }
                2 => {
                    let [r, g, b] = [0, 1, 2].map(|channel| sample(column * 3 + channel));
                    let is_key = [r, g, b].map(Some) == [0, 1, 2].map(key);
                    [r, g, b, if is_key { 0 } else { 255 }]
                }
                4 => {
                    let gray = sample(column * 2);
                    [gray, gray, gray, sample(column * 2 + 1)]
                }
                _ => [0, 1, 2, 3].map(|channel| sample(column * 4 + channel)),
            });
        }
    }

    /// A gray value or an index of less than 8 bits, the highest bits of a byte first.
    fn small(&self, row: &[u8], column: usize) -> [u8; 4] {
        let index = super::bitmap::index_of(row, column, self.depth.into());
        // An index has less than 8 bits.
        let index = u8::try_from(index).unwrap_or(u8::MAX);
        if self.kind == 3 {
            return self.color(index);
        }
        // The largest value is white: 255 is a multiple of each.
        let gray = index.saturating_mul(255 / ((1u8 << self.depth) - 1));
        let is_key = self.transparency.get(1) == Some(&index);
        [gray, gray, gray, if is_key { 0 } else { 255 }]
    }

    fn color(&self, index: u8) -> [u8; 4] {
        let at = usize::from(index) * 3;
        let alpha = self.transparency.get(usize::from(index)).copied().unwrap_or(255);
        match self.palette.get(at..at + 3) {
            Some([r, g, b]) => [*r, *g, *b, alpha],
            _ => [0, 0, 0, 255],
        }
    }
}
