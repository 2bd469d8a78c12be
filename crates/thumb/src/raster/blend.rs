//! Blend modes: the effect of a color on the color below it.
//!
//! The colors below are multiplied by their alpha. On a transparent background, added or multiplied colors would have
//! no effect. There, they get as much alpha as they would change black or white.

use meshlens::model::TextureAlpha;

/// How much a color changes the color below it, out of 255.
pub(crate) fn effect([r, g, b, a]: [u8; 4], mode: TextureAlpha) -> u8 {
    let mean = ((u32::from(r) + u32::from(g) + u32::from(b) + 1) / 3) as u8;
    let largest = r.max(g).max(b);
    match mode {
        TextureAlpha::Stored | TextureAlpha::FirstColor => a,
        TextureAlpha::Add => largest,
        TextureAlpha::AddAlpha => product(largest, a),
        TextureAlpha::Multiply => 255 - mean,
        TextureAlpha::Multiply2x => 255 - mean.saturating_mul(2),
        TextureAlpha::MultiplyInverse => mean,
    }
}

/// A color and the color below it, blended.
pub(super) fn blend(color: [u8; 4], below: [u8; 4], mode: TextureAlpha) -> [u8; 4] {
    let effect = effect(color, mode);
    let channel = |above: u8, below: u8| match mode {
        TextureAlpha::Stored | TextureAlpha::FirstColor => mix(above, below, color[3]),
        TextureAlpha::Add => below.saturating_add(above),
        TextureAlpha::AddAlpha => below.saturating_add(product(above, color[3])),
        TextureAlpha::Multiply => product(above, below),
        TextureAlpha::Multiply2x => product(above, below).saturating_mul(2),
        TextureAlpha::MultiplyInverse => product(255 - above, below),
    };
    let [r, g, b] = [0, 1, 2].map(|at| channel(color[at], below[at]));
    [r, g, b, mix(255, below[3], effect)]
}

fn product(a: u8, b: u8) -> u8 {
    ((u32::from(a) * u32::from(b) + 127) / 255) as u8
}

fn mix(above: u8, below: u8, alpha: u8) -> u8 {
    let alpha = u32::from(alpha);
    ((u32::from(above) * alpha + u32::from(below) * (255 - alpha) + 127) / 255) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_added_and_multiplied() {
        let (gray, red) = ([100, 100, 100, 255], [200, 0, 51, 51]);
        assert_eq!(blend(red, gray, TextureAlpha::Stored), [120, 80, 90, 255]);
        assert_eq!(blend(red, gray, TextureAlpha::Add), [255, 100, 151, 255]);
        assert_eq!(blend(red, gray, TextureAlpha::AddAlpha), [140, 100, 110, 255]);
        assert_eq!(blend(red, gray, TextureAlpha::Multiply), [78, 0, 20, 255]);
        assert_eq!(blend(red, gray, TextureAlpha::Multiply2x), [156, 0, 40, 255]);
        assert_eq!(blend(red, gray, TextureAlpha::MultiplyInverse), [22, 100, 80, 255]);
    }

    #[test]
    fn blended_colors_cover_a_transparent_background() {
        let color = [200, 100, 0, 51];
        let alpha = |mode| blend(color, [0; 4], mode)[3];
        assert_eq!((alpha(TextureAlpha::Stored), alpha(TextureAlpha::Add)), (51, 200));
        assert_eq!((alpha(TextureAlpha::AddAlpha), alpha(TextureAlpha::Multiply)), (40, 155));
        // Black adds nothing, and white multiplies by 1.
        assert_eq!(blend([0, 0, 0, 255], [0; 4], TextureAlpha::Add), [0; 4]);
        assert_eq!(blend([255; 4], [0; 4], TextureAlpha::Multiply), [0; 4]);
    }
}
