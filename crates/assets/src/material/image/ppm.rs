//! Portable pixmaps and graymaps: text or binary, up to 65,535 (Netpbm: ppm, pgm).

use meshlens::wire::{Budget, Data, ErrorKind, Expected};

use super::{Image, ImageError, ImageLimits};

const FORMAT: &str = "ppm";

/// The numbers of a file, separated by white space and comments.
struct Numbers<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Numbers<'_> {
    fn next(&mut self, what: &'static str) -> Result<u32, ImageError> {
        let byte = |at: usize| self.bytes.get(at).copied();
        let mut is_comment = false;
        while let Some(next) = byte(self.at)
            && (is_comment || next == b'#' || next.is_ascii_whitespace())
        {
            is_comment = next == b'#' || is_comment && next != b'\n';
            self.at += 1;
        }
        let (start, mut value) = (self.at, 0u32);
        while let Some(digit) = byte(self.at).filter(u8::is_ascii_digit) {
            value = value.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
            self.at += 1;
        }
        if self.at > start {
            return Ok(value);
        }
        let found = byte(start).map_or(-1, i64::from);
        let kind = ErrorKind::Value { what, expected: Expected::Text("a number"), found };
        Err(Data::new(FORMAT, self.bytes).error(start as u64, kind).into())
    }
}

pub(super) fn decode(bytes: &[u8], limits: &ImageLimits, budget: &Budget) -> Result<Image, ImageError> {
    let data = Data::new(FORMAT, bytes);
    let kind = bytes.get(1).copied().unwrap_or_default();
    let mut numbers = Numbers { bytes, at: 2 };
    let (width, height) = (numbers.next("width")?, numbers.next("height")?);
    let (width, height) = limits.check(FORMAT, width.into(), height.into())?;
    let at = numbers.at as u64;
    let most = numbers.next("largest value")?;
    if !(1..=0xffff).contains(&most) {
        let expected = Expected::Text("1 to 65535");
        return Err(data
            .error(at, ErrorKind::Value { what: "largest value", expected, found: most.into() })
            .into());
    }
    let channels = if matches!(kind, b'3' | b'6') { 3 } else { 1 };
    let count = u64::from(width) * u64::from(height) * channels;
    let (is_text, wide) = (matches!(kind, b'2' | b'3'), most > 0xff);
    // One byte of white space comes before binary values. A value in text has a digit and, but for the last, a space.
    let (start, size) = (numbers.at as u64 + 1, if wide { 2 } else { 1 });
    let len = if is_text { 2 * count - 1 } else { size * count };
    let values = data.take(start, len, "pixels")?;
    let mut image = Image::with_room((width, height), budget)?;
    let scaled = |value: u32| (value.min(most) * 255 + most / 2).checked_div(most).unwrap_or(0) as u8;
    let mut values = values.chunks_exact(size as usize);
    for _ in 0..count / channels {
        let mut value = || match is_text {
            true => numbers.next("pixel").map(scaled),
            false => Ok(scaled(
                values.next().unwrap_or_default().iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte)),
            )),
        };
        let first = value()?;
        let [green, blue] = if channels == 3 { [value()?, value()?] } else { [first; 2] };
        image.rgba.extend([first, green, blue, 255]);
    }
    Ok(image)
}
