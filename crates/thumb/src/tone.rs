//! Light for dark models, and a background that contrasts with the model.

use crate::Background;
use crate::raster::Canvas;

/// The light and the background that make the model of a picture visible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tone {
    /// The light that is added to surfaces that are not blended, as stored in pictures (sRGB), at points that face the
    /// light: 0 to 1, and 0 for models that are not dark. The light of other points is reduced by the same factor as
    /// their brightness.
    pub fill: f32,
    /// The background. [`Background::Auto`] if nothing is drawn.
    pub background: Background,
}

/// A model whose bright parts are darker than this gets light.
const DARK: u8 = 72;
/// The light of a black model.
const FILL: f32 = 0.32;
/// A sample contrasts with the background if one of its channels differs by at least this.
const DISTINCT: u8 = 28;

/// The light that a drawn model needs: none, unless nine tenths of its opaque samples are dark.
pub(crate) fn fill(canvas: &Canvas) -> f32 {
    let mut counts = [0u64; 256];
    for [r, g, b, alpha] in &canvas.colors {
        if *alpha >= 128
            && let Some(count) = counts.get_mut(usize::from(*r.max(g).max(b)))
        {
            *count += 1;
        }
    }
    let all: u64 = counts.iter().sum();
    let mut below = 0;
    let bright = counts.iter().position(|count| {
        below += count;
        below * 10 >= all * 9
    });
    let bright = bright.unwrap_or(0) as f32;
    let is_dark = all > 0 && bright < f32::from(DARK);
    if is_dark { FILL * (1.0 - bright / f32::from(DARK)) } else { 0.0 }
}

/// The background for a drawn model: light, unless most of the model looks like the light background and contrasts with
/// the dark one. `None` if nothing is drawn.
pub(crate) fn background(canvas: &Canvas) -> Option<Background> {
    let (light, all) = distinct(canvas, Background::Light);
    if all == 0 {
        return None;
    }
    let is_clear = light * 2 >= all;
    let is_dark_better = || distinct(canvas, Background::Dark).0 > light * 3 / 2;
    Some(if !is_clear && is_dark_better() { Background::Dark } else { Background::Light })
}

/// The number of samples that contrast with a background, and the number of all drawn samples.
fn distinct(canvas: &Canvas, background: Background) -> (u64, u64) {
    let (mut distinct, mut all) = (0, 0);
    for (row, samples) in canvas.colors.chunks_exact(canvas.width.max(1) as usize).enumerate() {
        let below = background.row(row as u32, canvas.height).unwrap_or_default();
        for [r, g, b, alpha] in samples.iter().filter(|[.., alpha]| *alpha > 0) {
            let shown = |color: u8, below: u8| {
                let through = (u32::from(below) * u32::from(255 - alpha) + 127) / 255;
                (u32::from(color) + through).min(255) as u8
            };
            let [r, g, b] = [(*r, below[0]), (*g, below[1]), (*b, below[2])]
                .map(|(color, below)| shown(color, below).abs_diff(below));
            all += 1;
            distinct += u64::from(r.max(g).max(b) >= DISTINCT);
        }
    }
    (distinct, all)
}
