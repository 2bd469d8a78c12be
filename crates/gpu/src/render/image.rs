//! Images in memory: pictures, and the images of textures.

/// An image in memory: red, green, blue and alpha of each pixel, from the top left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// Four bytes for each pixel.
    pub pixels: Vec<u8>,
}

impl Image {
    /// The pixel at `x`, `y`, or `None` outside the image.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        let index = (y as usize).checked_mul(self.width as usize)?.checked_add(x as usize)?;
        (x < self.width).then(|| self.pixels.as_chunks().0.get(index).copied()).flatten()
    }
}
