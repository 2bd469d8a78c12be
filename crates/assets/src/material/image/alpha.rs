//! Alpha that is computed from the color.

use meshlens::model::TextureAlpha;

/// Changes pixels so that alpha blending looks like additive or multiplied blending.
pub(super) fn apply(rgba: &mut [u8], from: TextureAlpha) {
    let change: fn([u8; 4]) -> [u8; 4] = match from {
        TextureAlpha::Stored | TextureAlpha::FirstColor => return,
        TextureAlpha::Add => |[r, g, b, _]| add(r, g, b, 255),
        TextureAlpha::AddAlpha => |[r, g, b, a]| add(r, g, b, a),
        TextureAlpha::Multiply => |[r, g, b, _]| [0, 0, 0, 255 - largest(r, g, b)],
        TextureAlpha::Multiply2x => |[r, g, b, _]| [0, 0, 0, 255 - largest(r, g, b).saturating_mul(2)],
        TextureAlpha::MultiplyInverse => |[r, g, b, _]| [0, 0, 0, largest(r, g, b)],
    };
    let (pixels, _) = rgba.as_chunks_mut::<4>();
    for pixel in pixels {
        *pixel = change(*pixel);
    }
}

fn largest(r: u8, g: u8, b: u8) -> u8 {
    r.max(g).max(b)
}

/// Takes the largest component as alpha, and divides the color by it.
fn add(r: u8, g: u8, b: u8, a: u8) -> [u8; 4] {
    let most = u16::from(largest(r, g, b));
    if most == 0 {
        return [0; 4];
    }
    // The quotient is at most 255, because no component is greater than `most`.
    let divided = |value: u8| u8::try_from(u16::from(value) * 255 / most).unwrap_or(255);
    let alpha = u8::try_from(most * u16::from(a) / 255).unwrap_or(255);
    [divided(r), divided(g), divided(b), alpha]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(pixel: [u8; 4], from: TextureAlpha) -> [u8; 4] {
        let mut rgba = pixel;
        apply(&mut rgba, from);
        rgba
    }

    #[test]
    fn blending_with_the_computed_alpha_is_adding_or_multiplying() {
        // Adding 0.4 of red and 0.2 of green to black results in the same color as blending full red and half green
        // with an alpha of 0.4.
        assert_eq!(one([102, 51, 0, 7], TextureAlpha::Add), [255, 127, 0, 102]);
        assert_eq!(one([0, 0, 0, 255], TextureAlpha::Add), [0; 4]);
        assert_eq!(one([255, 255, 255, 51], TextureAlpha::AddAlpha), [255, 255, 255, 51]);
        // White multiplies by 1 and keeps what was drawn before. Black multiplies by 0 and removes it.
        assert_eq!(one([255, 255, 255, 0], TextureAlpha::Multiply), [0, 0, 0, 0]);
        assert_eq!(one([51, 51, 51, 0], TextureAlpha::Multiply), [0, 0, 0, 204]);
        assert_eq!(one([128, 128, 128, 0], TextureAlpha::Multiply2x), [0, 0, 0, 0]);
        assert_eq!(one([0, 64, 0, 0], TextureAlpha::Multiply2x), [0, 0, 0, 127]);
        assert_eq!(one([0, 64, 0, 0], TextureAlpha::MultiplyInverse), [0, 0, 0, 64]);
        assert_eq!(one([1, 2, 3, 4], TextureAlpha::Stored), [1, 2, 3, 4]);
    }
}
