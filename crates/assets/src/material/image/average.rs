//! The average color of an image.

use super::Image;
use crate::material::surface::to_linear;

impl Image {
    /// The average of the pixels, linear: red, green, blue and alpha. Colors count as much as their alpha, unless the
    /// image is drawn opaque. O(pixels).
    pub fn average(&self, is_opaque: bool) -> [f32; 4] {
        let linear: Vec<f64> = (0..=255u8).map(|byte| to_linear(f32::from(byte) / 255.0).into()).collect();
        let value = |byte: u8| linear.get(usize::from(byte)).copied().unwrap_or(0.0);
        let (pixels, _) = self.rgba.as_chunks::<4>();
        let (mut sum, mut weights) = ([0.0f64; 3], 0.0f64);
        for [r, g, b, a] in pixels {
            let weight = if is_opaque { 1.0 } else { f64::from(*a) / 255.0 };
            weights += weight;
            for (sum, byte) in sum.iter_mut().zip([*r, *g, *b]) {
                *sum += value(byte) * weight;
            }
        }
        let [r, g, b] = sum.map(|sum| if weights > 0.0 { (sum / weights) as f32 } else { 0.0 });
        [r, g, b, (weights / pixels.len().max(1) as f64) as f32]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_weighted_by_alpha() {
        let image =
            Image { width: 2, height: 1, rgba: [[255, 0, 0, 255], [0, 255, 0, 0]].concat(), _held: None };
        assert_eq!(image.average(false), [1.0, 0.0, 0.0, 0.5]);
        assert_eq!(image.average(true), [0.5, 0.5, 0.0, 1.0]);
    }
}
