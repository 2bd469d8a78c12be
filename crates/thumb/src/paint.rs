//! How the triangles of a material are drawn.

use meshlens::model::{Alpha, Material, TextureAlpha, TextureCoordinates};

use crate::raster::Paint;

/// Colors of surfaces without a texture. Neighboring materials have different colors.
const COLORS: [[f32; 3]; 6] = [
    [0.82, 0.80, 0.77],
    [0.60, 0.70, 0.80],
    [0.82, 0.68, 0.56],
    [0.66, 0.76, 0.62],
    [0.76, 0.64, 0.74],
    [0.80, 0.76, 0.58],
];

/// The color of surfaces without a texture, for the material with this index: red, green and blue as stored in pictures
/// (sRGB). It is multiplied by the color of the material.
pub fn surface_color(material: usize) -> [f32; 3] {
    COLORS[material % COLORS.len()]
}

pub(crate) fn paint(
    material: &Material,
    index: Option<usize>,
    is_textured: bool,
    has_colors: bool,
) -> Paint<'static> {
    let [r, g, b, a] = material.color;
    let mut color = [stored(r), stored(g), stored(b), a.clamp(0.0, 1.0)];
    if !is_textured {
        let own = surface_color(index.unwrap_or(0));
        color = [color[0] * own[0], color[1] * own[1], color[2] * own[2], color[3]];
    }
    Paint {
        texture: None,
        wrap: material.wrap,
        color,
        emissive: material.emissive.map(stored),
        // Without its texture, the shape of a mask is unknown, so the surface is opaque.
        alpha: if is_textured || material.alpha == Alpha::Blend && a < 1.0 {
            material.alpha
        } else {
            Alpha::Opaque
        },
        blend: if is_textured { material.texture_alpha } else { TextureAlpha::Stored },
        nearest: material.nearest,
        is_environment: material.texture_coordinates == TextureCoordinates::Environment,
        fill: 0.0,
        cutoff: (material.cutoff.clamp(0.0, 1.0) * 255.0 + 0.5) as u8,
        two_sided: material.two_sided,
        unlit: material.unlit,
        has_colors,
        wire: None,
    }
}

/// A linear component as it is stored in pictures (sRGB).
fn stored(linear: f32) -> f32 {
    let linear = if linear.is_nan() { 0.0 } else { linear.clamp(0.0, 1.0) };
    if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * libm::powf(linear, 1.0 / 2.4) - 0.055 }
}
