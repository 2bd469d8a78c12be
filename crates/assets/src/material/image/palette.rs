//! Colours of a palette.

/// Up to 256 colours, red, green, blue and alpha. An index past their number is black.
pub(super) struct Palette(Vec<[u8; 4]>);

impl Palette {
    /// A palette whose first colour is transparent if it is a key: the black of a hole would show at its edges otherwise, so
    /// that the colour is kept.
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
