//! The visible parts of triangles, which the camera must show: a texture may be transparent almost everywhere.

use meshlens::model::Alpha;

use crate::raster::{Paint, Vertex, effect};
use crate::surface::Surface;

/// The largest number of points on triangles at which textures are sampled, for all surfaces together.
const PLACES: usize = 1 << 15;
/// The largest number of such points along an edge.
const STEPS: usize = 32;
/// The least effect on the color below, out of 255, that counts as visible.
const VISIBLE: u8 = 24;

/// The number of steps along an edge for surfaces whose texture must be sampled. 0 if there are too many triangles.
pub(crate) fn steps(triangles: usize) -> usize {
    // A triangle has half as many points as a square.
    let each = PLACES / triangles.max(1) * 2;
    let steps = (1..=STEPS).take_while(|steps| (steps + 1) * (steps + 2) <= each).count();
    // With only a few points near the corners, details between them would be missed.
    if steps < 4 { 0 } else { steps }
}

/// Whether the texture determines which parts of a surface are visible.
pub(crate) fn is_decided_by_texture(paint: &Paint<'_>) -> bool {
    paint.texture.is_some() && paint.alpha != Alpha::Opaque && !paint.is_environment
}

/// Calls `add` with the visible points of a surface.
pub(crate) fn points(
    surface: &Surface,
    paint: &Paint<'_>,
    vertices: &[Vertex],
    steps: usize,
    mut add: impl FnMut([f32; 3]),
) {
    let looked_at = paint.texture.filter(|_| steps > 0 && is_decided_by_texture(paint));
    for triangle in &surface.triangles {
        let corners = triangle.map(|corner| vertices.get(corner as usize));
        let [Some(a), Some(b), Some(c)] = corners else { continue };
        let Some(texture) = looked_at else {
            [a, b, c].into_iter().for_each(|corner| add(corner.position));
            continue;
        };
        let [width, height] = texture.size().map(f64::from);
        let [ab, ac] =
            [b, c].map(|to| [0, 1].map(|axis| f64::from(to.texcoord[axis]) - f64::from(a.texcoord[axis])));
        let area = (ab[0] * ac[1] - ab[1] * ac[0]).abs() * width * height;
        let level = texture.level(if area.is_finite() { area / (steps * steps) as f64 } else { 0.0 });
        for (from_b, from_c) in (0..=steps).flat_map(|i| (0..=steps - i).map(move |j| (i, j))) {
            let weights = [steps - from_b - from_c, from_b, from_c].map(|part| part as f32 / steps as f32);
            let mix = |value: fn(&Vertex, usize) -> f32, axis| {
                let values = [a, b, c].map(|corner| value(corner, axis));
                weights[0] * values[0] + weights[1] * values[1] + weights[2] * values[2]
            };
            let texcoord = [0, 1].map(|axis| mix(|vertex, axis| vertex.texcoord[axis], axis));
            let [r, g, b, alpha] = texture.sample(level, texcoord, paint.wrap, paint.nearest);
            let alpha = (f32::from(alpha) * paint.color[3] + 0.5) as u8;
            let is_visible = match paint.alpha {
                // The average of few drawn pixels and many transparent ones is below the cutoff.
                Alpha::Mask => alpha >= paint.cutoff.min(VISIBLE),
                _ => effect([r, g, b, alpha], paint.blend) >= VISIBLE,
            };
            if is_visible {
                add([0, 1, 2].map(|axis| mix(|vertex, axis| vertex.position[axis], axis)));
            }
        }
    }
}
