//! Finished pictures, and PNG files of them.

use std::io::Write;

use png::{BitDepth, ColorType, Compression, Encoder, EncodingError};

use crate::Error;
use crate::raster::Canvas;

/// A picture: red, green, blue and alpha of each pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The number of columns.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
    /// Four bytes for each pixel, in rows from top to bottom. Colors are sRGB and not multiplied by alpha.
    pub rgba: Vec<u8>,
}

/// The background of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Background {
    /// A light gray, a little darker at the bottom.
    Light,
    /// A dark gray, a little darker at the bottom.
    Dark,
    /// No background: the picture is transparent around the model.
    Transparent,
    /// Light, or dark for a model that would hardly be visible on a light background, such as a white flash.
    #[default]
    Auto,
}

impl Background {
    /// The colors of the first and of the last row.
    const fn ends(self) -> Option<[[u8; 3]; 2]> {
        match self {
            Background::Light | Background::Auto => Some([[238, 240, 243], [205, 209, 215]]),
            Background::Dark => Some([[52, 56, 62], [30, 32, 36]]),
            Background::Transparent => None,
        }
    }

    pub(crate) fn row(self, row: u32, height: u32) -> Option<[u8; 3]> {
        let [top, bottom] = self.ends()?;
        let last = height.saturating_sub(1).max(1);
        let mix = |at: usize| {
            ((u32::from(top[at]) * (last - row.min(last)) + u32::from(bottom[at]) * row.min(last) + last / 2)
                / last) as u8
        };
        Some([mix(0), mix(1), mix(2)])
    }
}

impl Picture {
    /// A picture of only the background.
    pub(crate) fn empty(width: u32, height: u32, background: Background) -> Picture {
        let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
        for row in 0..height {
            let color = background.row(row, height).map_or([0; 4], |[r, g, b]| [r, g, b, 255]);
            for _ in 0..width {
                rgba.extend(color);
            }
        }
        Picture { width, height, rgba }
    }

    /// The averages of squares of `factor` by `factor` samples, over the background.
    pub(crate) fn resolve(canvas: &Canvas, factor: u32, background: Background) -> Picture {
        let (width, height) = (canvas.width / factor, canvas.height / factor);
        let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
        let mut sums = vec![[0u32; 4]; width as usize];
        let count = factor * factor;
        let rows = canvas.colors.chunks_exact((canvas.width * factor).max(1) as usize);
        for (row, samples) in rows.enumerate() {
            sums.fill([0; 4]);
            for line in samples.chunks_exact(canvas.width.max(1) as usize) {
                for (sum, pixel) in sums.iter_mut().zip(line.chunks_exact(factor as usize)) {
                    for sample in pixel {
                        for (sum, channel) in sum.iter_mut().zip(sample) {
                            *sum += u32::from(*channel);
                        }
                    }
                }
            }
            let below = background.row(row as u32, height);
            for sum in &sums {
                let [r, g, b, a] = sum.map(|sum| (sum + count / 2) / count);
                rgba.extend(match below {
                    Some(below) => {
                        let mix = |color: u32, below: u8| {
                            (color + (u32::from(below) * (255 - a) + 127) / 255).min(255) as u8
                        };
                        [mix(r, below[0]), mix(g, below[1]), mix(b, below[2]), 255]
                    }
                    None if a == 0 => [0; 4],
                    None => {
                        let divided = |color: u32| ((color * 255 + a / 2) / a).min(255) as u8;
                        [divided(r), divided(g), divided(b), a as u8]
                    }
                });
            }
        }
        Picture { width, height, rgba }
    }

    /// The red, green, blue and alpha of a pixel; `None` outside the picture.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        let index = (y as usize).checked_mul(self.width as usize)?.checked_add(x as usize)?;
        (x < self.width).then(|| self.rgba.as_chunks().0.get(index).copied()).flatten()
    }

    /// Copies a picture into this one, with its top left corner at `x`, `y`. Parts that do not fit are cut off.
    pub(crate) fn put(&mut self, x: u32, y: u32, other: &Picture) {
        let width = other.width.min(self.width.saturating_sub(x)) as usize * 4;
        let rows = other.rgba.chunks_exact((other.width as usize * 4).max(1));
        for (row, line) in rows.enumerate() {
            let start = ((y as usize + row) * self.width as usize + x as usize) * 4;
            if let (Some(to), Some(from)) = (self.rgba.get_mut(start..start + width), line.get(..width)) {
                to.copy_from_slice(from);
            }
        }
    }

    fn is_opaque(&self) -> bool {
        self.rgba.as_chunks::<4>().0.iter().all(|pixel| pixel[3] == 255)
    }

    /// The bytes of a PNG file with or without alpha.
    fn bytes(&self, has_alpha: bool) -> Vec<u8> {
        if has_alpha {
            return self.rgba.clone();
        }
        self.rgba.as_chunks::<4>().0.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect()
    }

    /// Writes a PNG file. It has no alpha channel if every alpha is 255.
    ///
    /// # Errors
    ///
    /// The errors of `out`.
    pub fn write_png(&self, out: impl Write) -> Result<(), Error> {
        let has_alpha = !self.is_opaque();
        let mut writer = encoder(out, self, has_alpha).write_header().map_err(failed)?;
        writer.write_image_data(&self.bytes(has_alpha)).map_err(failed)?;
        writer.finish().map_err(failed)
    }

    /// Returns the picture as the bytes of a PNG file.
    ///
    /// # Errors
    ///
    /// The picture has no pixels.
    pub fn to_png(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        self.write_png(&mut bytes)?;
        Ok(bytes)
    }
}

/// Writes an animated PNG (APNG): `count` pictures of the same size, each shown for the same time, repeated forever.
/// Readers without support for animations show the first picture.
///
/// # Errors
///
/// The first error of a picture, or an error of `out`.
pub(crate) fn write_apng(
    out: impl Write,
    count: u32,
    rate: f32,
    mut picture: impl FnMut(u32) -> Result<Picture, Error>,
) -> Result<(), Error> {
    let first = picture(0)?;
    let has_alpha = !first.is_opaque();
    let mut encoder = encoder(out, &first, has_alpha);
    // 0 plays mean that the animation repeats forever.
    encoder.set_animated(count.max(1), 0).map_err(failed)?;
    let (numerator, denominator) = delay(rate);
    encoder.set_frame_delay(numerator, denominator).map_err(failed)?;
    encoder.set_dispose_op(png::DisposeOp::None).map_err(failed)?;
    encoder.set_blend_op(png::BlendOp::Source).map_err(failed)?;
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&first.bytes(has_alpha)).map_err(failed)?;
    for number in 1..count {
        writer.write_image_data(&picture(number)?.bytes(has_alpha)).map_err(failed)?;
    }
    writer.finish().map_err(failed)
}

/// The time of one picture in seconds, as a fraction of whole numbers of 16 bits.
fn delay(rate: f32) -> (u16, u16) {
    let seconds = 1.0 / rate.max(1e-4);
    // Milliseconds are exact enough, and browsers round to them. Longer times have fewer decimals.
    let parts = [1000, 100, 10, 1];
    let parts =
        parts.into_iter().find(|parts| seconds * f32::from(*parts) < f32::from(u16::MAX)).unwrap_or(1);
    ((seconds * f32::from(parts) + 0.5) as u16, parts)
}

fn encoder<W: Write>(out: W, picture: &Picture, has_alpha: bool) -> Encoder<'static, W> {
    let mut encoder = Encoder::new(out, picture.width, picture.height);
    encoder.set_color(if has_alpha { ColorType::Rgba } else { ColorType::Rgb });
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    encoder
}

fn failed(error: EncodingError) -> Error {
    match error {
        EncodingError::IoError(error) => Error::Write(error),
        other => Error::Write(std::io::Error::other(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_picture_is_rounded_to_the_smallest_part_that_fits() {
        assert_eq!(delay(25.0), (40, 1000));
        assert_eq!(delay(0.6), (1667, 1000));
        assert_eq!(delay(0.015), (6667, 100));
        assert_eq!(delay(0.0015), (6667, 10));
        // No picture is shown for longer than 10,000 seconds.
        assert_eq!([0.0, -1.0, f32::NAN].map(delay), [(10_000, 1); 3]);
    }
}
