//! Files that glTF can contain unchanged: PNG and JPEG files that every reader shows in the same way.

use std::borrow::Cow;

use meshlens::wire::Budget;

use super::{ImageError, ImageFormat, ImageLimits, jpeg, png};

/// Whether a file can be kept in glTF.
pub(crate) enum Kept<'b> {
    /// A file that can be kept, and its MIME type. PNG files may be without their chunks about colors and animation.
    As(&'static str, Cow<'b, [u8]>),
    /// A file in a format of glTF that is cut off or damaged.
    Damaged,
    /// A file in a format, or a variant of a format, that has to be converted.
    Convert,
}

/// Decodes a file that may be kept. O(pixels).
///
/// # Errors
///
/// [`ImageError::Memory`] if the budget has too little memory left.
pub(crate) fn kept<'b>(
    bytes: &'b [u8],
    format: Option<ImageFormat>,
    limits: &ImageLimits,
    budget: &Budget,
) -> Result<Kept<'b>, ImageError> {
    let mime_type = format.and_then(ImageFormat::gltf_mime_type);
    Ok(match (format, mime_type) {
        (Some(ImageFormat::Jpeg), Some(mime_type)) => {
            let outline = jpeg::outline(bytes);
            match outline.components {
                _ if !outline.is_whole => Kept::Damaged,
                1 | 3 => match jpeg::decode(bytes, true, limits, budget) {
                    Ok(_) => Kept::As(mime_type, Cow::Borrowed(bytes)),
                    Err(error @ ImageError::Memory(_)) => return Err(error),
                    Err(_) => Kept::Damaged,
                },
                // Browsers show images in CMYK, but validators refuse them.
                _ => Kept::Convert,
            }
        }
        (Some(ImageFormat::Png), Some(mime_type)) => {
            if png::is_whole(bytes, limits) {
                Kept::As(mime_type, plain(bytes))
            } else {
                Kept::Damaged
            }
        }
        _ => Kept::Convert,
    })
}

/// The chunks that make the pixels. Readers of glTF ignore information about colors in a file, which are always sRGB
/// (glTF 2.0: 3.8.3. Images).
const USED: [&[u8; 4]; 5] = [b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"];
/// The primary colors of sRGB and its white in units of 0.00001 (PNG: 11.3.3.1).
const SRGB: [u32; 8] = [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000];

/// A whole PNG file, without chunks that cause warnings in validators. Borrowed if there are no such chunks.
fn plain(bytes: &[u8]) -> Cow<'_, [u8]> {
    let chunks = || Chunks(bytes.get(8..).unwrap_or_default());
    let is_srgb = chunks().any(|chunk| &chunk.name == b"sRGB" && chunk.body.len() == 1);
    if chunks().all(|chunk| chunk.is_usual(is_srgb)) {
        return Cow::Borrowed(bytes);
    }
    let mut made = bytes.get(..8).unwrap_or_default().to_vec();
    for chunk in chunks().filter(|chunk| USED.contains(&&chunk.name)) {
        made.extend_from_slice(chunk.bytes);
    }
    Cow::Owned(made)
}

/// A chunk of a PNG file: all of its bytes, and its body.
struct Chunk<'b> {
    name: [u8; 4],
    bytes: &'b [u8],
    body: &'b [u8],
}

impl Chunk<'_> {
    /// Whether the chunk only states that colors are sRGB or linear, and that pixels are square.
    fn is_usual(&self, is_srgb: bool) -> bool {
        let (words, rest) = self.body.as_chunks::<4>();
        let mut words = words.iter().map(|word| u32::from_be_bytes(*word));
        let len = self.body.len();
        match &self.name {
            b"iCCP" => false,
            b"sRGB" => len == 1,
            b"gAMA" => len == 4 && (is_srgb || words.all(|gamma| matches!(gamma, 45_455 | 100_000))),
            b"cHRM" => len == 32 && (is_srgb || words.eq(SRGB)),
            b"pHYs" => rest.len() == 1 && len == 9 && words.next() == words.next(),
            _ => true,
        }
    }
}

/// The chunks of a file, up to the end or the first that is cut off.
struct Chunks<'b>(&'b [u8]);

impl<'b> Iterator for Chunks<'b> {
    type Item = Chunk<'b>;

    fn next(&mut self) -> Option<Self::Item> {
        let [l0, l1, l2, l3, name @ ..] = *self.0.first_chunk::<8>()?;
        let len = usize::try_from(u32::from_be_bytes([l0, l1, l2, l3])).ok()?.checked_add(12)?;
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(Chunk { name, bytes, body: bytes.get(8..len.saturating_sub(4))? })
    }
}
