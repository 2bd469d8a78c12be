//! Color palettes.

/// Up to 256 colors: red, green, blue and alpha. An index past the last color is black.
pub(super) struct Palette(Vec<[u8; 4]>);

impl Palette {
    /// Makes a palette. With `has_key`, the first color is transparent. Its color is kept, because black would show
    /// at the edges of holes.
    pub(super) fn new(mut colors: Vec<[u8; 4]>, has_key: bool) -> Palette {
        if let Some([.., alpha]) = colors.first_mut()
            && has_key
        {
            *alpha = 0;
        }
        Palette(colors)
    }

    pub(super) fn color(&self, index: usize) -> [u8; 4] {
        self.0.get(index).copied().unwrap_or([0, 0, 0, 255])
    }
}
