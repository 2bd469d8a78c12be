//! Textures and their smaller levels, sampled with integers.

use meshlens::model::Wrap;

/// An image to draw on surfaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture {
    /// The image, then the same image at half of the size, and so on to one pixel.
    levels: Vec<Level>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Level {
    width: u32,
    height: u32,
    pixels: Vec<[u8; 4]>,
}

impl Texture {
    /// Makes a texture of `width` by `height` pixels, in rows from top to bottom: red, green, blue and alpha, not
    /// multiplied by alpha. `None` if a side is 0, or if the length of `rgba` is wrong. O(pixels).
    pub fn new(width: u32, height: u32, rgba: &[u8]) -> Option<Texture> {
        let len = (width as usize).checked_mul(height as usize)?.checked_mul(4)?;
        if len == 0 || rgba.len() != len {
            return None;
        }
        let mut level = Level { width, height, pixels: rgba.as_chunks().0.to_vec() };
        let mut levels = Vec::new();
        while level.width > 1 || level.height > 1 {
            let next = level.half();
            levels.push(std::mem::replace(&mut level, next));
        }
        levels.push(level);
        Some(Texture { levels })
    }

    /// The number of bytes of memory that a texture of this size takes.
    pub const fn bytes(width: u32, height: u32) -> usize {
        (width as usize).saturating_mul(height as usize).saturating_mul(6)
    }

    /// The width and the height.
    pub fn size(&self) -> [u32; 2] {
        self.levels.first().map_or([1; 2], |level| [level.width, level.height])
    }

    /// The level to sample if one sample covers `area` pixels of the texture.
    pub(crate) fn level(&self, area: f64) -> usize {
        // Each level has a quarter of the pixels of the previous one. A level is used as long as a sample covers at
        // most two of its pixels.
        let mut level = 0;
        let mut left = area / 2.0;
        while left >= 1.0 && level + 1 < self.levels.len() {
            level += 1;
            left /= 4.0;
        }
        level
    }

    /// The color at `u`, `v` of a level, blended from four pixels, or of the nearest pixel of the image.
    pub(crate) fn sample(&self, level: usize, [u, v]: [f32; 2], wrap: [Wrap; 2], nearest: bool) -> [u8; 4] {
        let Some(level) = self.levels.get(if nearest { 0 } else { level }) else { return [255; 4] };
        let (x0, x1, fx) = position(u, level.width, wrap[0]);
        let (y0, y1, fy) = position(v, level.height, wrap[1]);
        let [fx, fy] = [fx, fy].map(|weight| if nearest { (weight & 128) * 2 } else { weight });
        let at = |x: u32, y: u32| {
            level.pixels.get((y * level.width + x) as usize).map_or([255u32; 4], |pixel| pixel.map(u32::from))
        };
        let [a, b, c, d] = [at(x0, y0), at(x1, y0), at(x0, y1), at(x1, y1)];
        let mut out = [0; 4];
        for channel in 0..4 {
            let top = a[channel] * (256 - fx) + b[channel] * fx;
            let bottom = c[channel] * (256 - fx) + d[channel] * fx;
            // At most 255 x 2^16.
            out[channel] = ((top * (256 - fy) + bottom * fy + (1 << 15)) >> 16) as u8;
        }
        out
    }
}

impl Level {
    /// The same image at half of the size.
    fn half(&self) -> Level {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let mut pixels = Vec::with_capacity(width as usize * height as usize);
        let row = |y: u32| {
            let start = y.min(self.height - 1) as usize * self.width as usize;
            self.pixels.get(start..start + self.width as usize).unwrap_or_default()
        };
        for y in 0..height {
            let rows = [row(y * 2), row(y * 2 + 1)];
            for x in 0..width {
                let columns = [x * 2, (x * 2 + 1).min(self.width - 1)];
                let mut sum = [0u32; 4];
                for row in rows {
                    for column in columns {
                        let Some(pixel) = row.get(column as usize) else { continue };
                        for (sum, channel) in sum.iter_mut().zip(pixel) {
                            *sum += u32::from(*channel);
                        }
                    }
                }
                pixels.push(sum.map(|sum| ((sum + 2) / 4) as u8));
            }
        }
        Level { width, height, pixels }
    }
}

/// The two neighboring pixels of a coordinate, and the weight of the second out of 256.
fn position(coordinate: f32, size: u32, wrap: Wrap) -> (u32, u32, u32) {
    // A conversion to an integer saturates, and NaN becomes 0. Coordinates beyond 2^20 repetitions are too imprecise to
    // be useful.
    let coordinate = f64::from(coordinate).clamp(-1e6, 1e6);
    let fixed = (coordinate * f64::from(size) * 256.0) as i64 - 128;
    let (pixel, weight) = (fixed >> 8, (fixed & 255) as u32);
    let size = i64::from(size);
    let wrapped = |pixel: i64| {
        let pixel = match wrap {
            Wrap::Repeat => pixel.rem_euclid(size),
            Wrap::Clamp => pixel.clamp(0, size - 1),
            Wrap::Mirror => {
                let pixel = pixel.rem_euclid(size * 2);
                if pixel < size { pixel } else { size * 2 - 1 - pixel }
            }
        };
        pixel as u32
    };
    (wrapped(pixel), wrapped(pixel + 1), weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: [u8; 4] = [255, 0, 0, 255];
    const BLUE: [u8; 4] = [0, 0, 255, 255];

    #[test]
    fn centers_of_pixels_are_exact_and_others_are_blended() {
        let texture = Texture::new(2, 1, &[RED, BLUE].concat()).unwrap();
        let sample = |u, wrap| texture.sample(0, [u, 0.5], [wrap; 2], false);
        assert_eq!((sample(0.25, Wrap::Repeat), sample(0.75, Wrap::Repeat)), (RED, BLUE));
        assert_eq!(sample(0.5, Wrap::Repeat), [128, 0, 128, 255]);
        assert_eq!(sample(1.25, Wrap::Repeat), RED);
        assert_eq!((sample(1.25, Wrap::Clamp), sample(1.25, Wrap::Mirror)), (BLUE, BLUE));
        assert_eq!(sample(-0.25, Wrap::Repeat), BLUE);
        for u in [f32::NAN, f32::INFINITY, f32::MIN] {
            assert_eq!(sample(u, Wrap::Repeat)[1], 0);
        }
    }

    #[test]
    fn levels_are_averages() {
        let texture = Texture::new(2, 2, &[RED, RED, BLUE, BLUE].concat()).unwrap();
        assert_eq!((texture.level(1.0), texture.level(2.0), texture.level(1e9)), (0, 1, 1));
        assert_eq!(texture.sample(1, [0.3, 0.9], [Wrap::Repeat; 2], false), [128, 0, 128, 255]);
        assert!(Texture::new(2, 2, &[0; 15]).is_none() && Texture::new(0, 2, &[]).is_none());
    }
}
