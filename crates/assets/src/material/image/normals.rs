//! Normal maps from height maps, and those of the other handedness.

use meshlens::wire::Budget;

use super::{Image, ImageError};

impl Image {
    /// Inverts the y of a normal map.
    pub(crate) fn flip_y(&mut self) {
        let (pixels, _) = self.rgba.as_chunks_mut::<4>();
        pixels.iter_mut().for_each(|[_, y, ..]| *y = 255 - *y);
    }

    /// The normal map of a height map: x to the right, y up and z out of the image, each from -1 to 1 as 0 to 255 (glTF 2.0:
    /// 3.9.3. Additional Textures). `scale` is the height of white over black if the sides of the image have length 1. The
    /// image repeats. O(pixels).
    ///
    /// # Errors
    ///
    /// The budget has too little memory left.
    pub(crate) fn height_to_normals(&self, scale: f32, budget: &Budget) -> Result<Image, ImageError> {
        let mut made = Image::with_room((self.width, self.height), budget)?;
        let (columns, rows) = (self.width as usize, self.height as usize);
        let (pixels, _) = self.rgba.as_chunks::<4>();
        let scale = if scale.is_finite() { scale } else { 0.0 };
        // The average, so that a colored image has a height, too.
        let height = |column: usize, row: usize| {
            let pixel = pixels.get(row % rows * columns + column % columns);
            pixel.map_or(0.0, |[r, g, b, _]| f32::from(u16::from(*r) + u16::from(*g) + u16::from(*b)) / 765.0)
        };
        for row in 0..rows {
            for column in 0..columns {
                // The difference of two pixels that are two steps apart.
                let right = height(column + 1, row) - height(column + columns - 1, row);
                let up = height(column, row + rows - 1) - height(column, row + 1);
                let slope = |rise: f32, count: usize| -rise * scale * count as f32 / 2.0;
                let [x, y] = [slope(right, columns), slope(up, rows)];
                let length = (x * x + y * y + 1.0).sqrt();
                let byte = |part: f32| (part / length * 127.5 + 127.5).round() as u8;
                made.rgba.extend([byte(x), byte(y), byte(1.0), 255]);
            }
        }
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_leans_against_its_slope() {
        // Black, gray and white columns: 1 unit of height over 3 pixels of the image.
        let row: Vec<u8> = [0u8, 127, 254].into_iter().flat_map(|gray| [gray, gray, gray, 255]).collect();
        let image = Image::new(3, 2, row.repeat(2)).unwrap();
        let made = image.height_to_normals(2.0, &Budget::new(usize::MAX)).unwrap();
        // In the middle, the height rises by 254 / 255 x 2 over 2 of 3 pixels: the normal is (-2.99, 0, 1) / 3.15.
        assert_eq!(made.rgba[4..8], [7, 128, 168, 255]);
        let flat = image.height_to_normals(0.0, &Budget::new(usize::MAX)).unwrap();
        assert_eq!(flat.rgba[..4], [128, 128, 255, 255]);
        let turned: Vec<u8> = [0u8, 127, 254].into_iter().flat_map(|gray| [gray, gray, gray, 255]).collect();
        let turned =
            Image::new(1, 3, turned).unwrap().height_to_normals(2.0, &Budget::new(usize::MAX)).unwrap();
        // The height rises to the bottom, so the normal leans up.
        assert_eq!(turned.rgba[4..8], [128, 248, 168, 255]);
    }
}
