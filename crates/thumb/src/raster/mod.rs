//! Triangles to samples: integer edge functions, a depth buffer, light and textures.

mod blend;
mod setup;

use std::ops::Range;

use meshlens::model::{Alpha, TextureAlpha, Wrap};
use meshlens::scene::AMBIENT_LIGHT;

use crate::camera::Lens;
use crate::texture::Texture;
pub(crate) use blend::effect;
pub(crate) use setup::ScreenVertex;
use setup::{Edge, Plane, Row, Setup, VALUES, centers, cross, span};

/// The number of steps of a sample's coordinates, as a power of two.
const BITS: u32 = 8;
const ONE: i64 = 1 << BITS;

/// A vertex to draw, in the space of glTF.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Vertex {
    pub(crate) position: [f32; 3],
    /// The cosine of the angle between the normal and the light.
    pub(crate) light: f32,
    pub(crate) texcoord: [f32; 2],
    /// The coordinates in an environment map: the normal as the camera sees it.
    pub(crate) reflected: [f32; 2],
    pub(crate) color: [f32; 4],
}

/// How triangles are drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint<'t> {
    pub(crate) texture: Option<&'t Texture>,
    pub(crate) wrap: [Wrap; 2],
    /// The factor of the texture, and the emitted color: red, green, blue and alpha, as stored in pictures.
    pub(crate) color: [f32; 4],
    pub(crate) emissive: [f32; 3],
    pub(crate) alpha: Alpha,
    /// How colors are blended.
    pub(crate) blend: TextureAlpha,
    /// Whether the texture is not filtered.
    pub(crate) nearest: bool,
    /// Whether the texture is an environment map.
    pub(crate) is_environment: bool,
    /// Light that is added to dark colors, as stored in pictures.
    pub(crate) fill: f32,
    /// The smallest alpha that is drawn, for a mask.
    pub(crate) cutoff: u8,
    pub(crate) two_sided: bool,
    pub(crate) unlit: bool,
    /// Whether vertices have colors.
    pub(crate) has_colors: bool,
    /// The half width of edges in samples, if edges are drawn.
    pub(crate) wire: Option<f32>,
}

/// The samples of a picture.
pub(crate) struct Canvas {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Red, green, blue and alpha, multiplied by alpha.
    pub(crate) colors: Vec<[u8; 4]>,
    /// Larger values are nearer.
    depths: Vec<f32>,
    /// Whether nothing has been drawn.
    is_empty: bool,
}

/// Consecutive rows of a canvas. Bands are drawn independently of each other.
pub(crate) struct Band<'c> {
    /// The width and the height of the canvas.
    size: [u32; 2],
    rows: Range<u32>,
    colors: &'c mut [[u8; 4]],
    depths: &'c mut [f32],
    /// The number of samples that may still be visited.
    work: u64,
}

/// The work limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMuchWork;

impl Canvas {
    /// The number of bytes of a canvas.
    pub(crate) const fn bytes(width: u32, height: u32) -> usize {
        (width as usize).saturating_mul(height as usize).saturating_mul(size_of::<([u8; 4], f32)>())
    }

    pub(crate) fn new(width: u32, height: u32) -> Canvas {
        let samples = width as usize * height as usize;
        Canvas {
            width,
            height,
            colors: vec![[0; 4]; samples],
            depths: vec![f32::NEG_INFINITY; samples],
            is_empty: true,
        }
    }

    /// Removes everything that was drawn.
    pub(crate) fn clear(&mut self) {
        // A new canvas is already clear, so its memory is not written a second time.
        if !self.is_empty {
            self.colors.fill([0; 4]);
            self.depths.fill(f32::NEG_INFINITY);
            self.is_empty = true;
        }
    }

    /// All rows as at most `count` bands, from top to bottom. At most `work` samples may be visited in each.
    pub(crate) fn bands(&mut self, count: usize, work: u64) -> impl Iterator<Item = Band<'_>> {
        self.is_empty = false;
        let rows = (self.height as usize).div_ceil(count.max(1)).max(1);
        let (size, samples) = ([self.width, self.height], rows * self.width.max(1) as usize);
        let bands = self.colors.chunks_mut(samples).zip(self.depths.chunks_mut(samples));
        (0..size[1]).step_by(rows).zip(bands).map(move |(first, (colors, depths))| {
            let end = first.saturating_add(rows as u32).min(size[1]);
            Band { size, rows: first..end, colors, depths, work }
        })
    }
}

impl Band<'_> {
    /// The number of samples that may still be visited.
    pub(crate) const fn work(&self) -> u64 {
        self.work
    }

    /// Draws a triangle whose front is counter-clockwise.
    pub(crate) fn triangle(
        &mut self,
        lens: &Lens,
        corners: [(&Vertex, ScreenVertex); 3],
        paint: &Paint<'_>,
    ) -> Result<(), TooMuchWork> {
        let [a, b, c] = corners.map(|(_, place)| place.point.map(i64::from));
        let [low, high] = centers([a[1], b[1], c[1]], self.size[1]);
        let [low, high] = [low.max(self.rows.start), high.min(self.rows.end)];
        if low >= high {
            return Ok(());
        }
        let area = cross(a, b, c);
        // Rows are numbered downwards, so a counter-clockwise triangle has a negative area.
        let is_front = area < 0;
        if area == 0 || !is_front && !paint.two_sided {
            return Ok(());
        }
        let [a, b, c] = corners;
        let (corners, area) = if is_front { ([a, c, b], -area) } else { ([a, b, c], area) };
        let setup = Setup {
            points: corners.map(|(_, place)| place.point.map(i64::from)),
            area,
            corners,
            is_front,
            is_perspective: lens.is_perspective(),
        };
        // Most triangles of a detailed model cover no center of a sample.
        let [left, right] = centers(setup.points.map(|[x, _]| x), self.size[0]);
        if left >= right {
            return Ok(());
        }
        let rows = [low, high];
        if paint.has_colors {
            self.fill::<7>(&setup, rows, paint)
        } else if paint.texture.is_some() {
            self.fill::<3>(&setup, rows, paint)
        } else {
            self.fill::<1>(&setup, rows, paint)
        }
    }

    /// Fills rows of a triangle with the first `N` interpolated values.
    fn fill<const N: usize>(
        &mut self,
        setup: &Setup<'_>,
        [low, high]: [u32; 2],
        paint: &Paint<'_>,
    ) -> Result<(), TooMuchWork> {
        let [width, _] = self.size;
        let edges = setup.edges(paint.wire.is_some());
        // The depth is only computed if a triangle covers a sample, and the colors only if a sample is not hidden.
        let mut depth_plane = None;
        let mut shading: Option<(usize, [Plane; N])> = None;
        for row in low..high {
            let y = i64::from(row) * ONE + ONE / 2;
            let Some([first, last]) = span(&edges, y, width) else { continue };
            let count = u64::from(last - first) + 1;
            self.work = self.work.checked_sub(count).ok_or(TooMuchWork)?;
            let start = (row - self.rows.start) as usize * width as usize;
            let range = start + first as usize..start + last as usize + 1;
            let (Some(colors), Some(depths)) =
                (self.colors.get_mut(range.clone()), self.depths.get_mut(range))
            else {
                continue;
            };
            let plane: &Plane = depth_plane.get_or_insert_with(|| setup.plane(setup.depths()));
            let row_depth = plane.row(first, row);
            let mut rows: Option<(usize, [Row; N])> = None;
            for (step, (color, stored)) in colors.iter_mut().zip(depths).enumerate() {
                let column = step as f32;
                let depth = row_depth.at(column);
                // If surfaces have the same depth, the last one is visible, as in engines.
                if depth < *stored {
                    continue;
                }
                let (level, rows) = rows.get_or_insert_with(|| {
                    let (level, planes) = shading.get_or_insert_with(|| setup.shading(paint));
                    (*level, planes.map(|plane| plane.row(first, row)))
                });
                let mut values = rows.map(|row| row.at(column));
                if setup.is_perspective {
                    values = values.map(|value| value / depth);
                }
                let Some(shaded) = shade(values, *level, paint) else { continue };
                let shaded = match paint.wire {
                    Some(width) => {
                        let x = (i64::from(first) + step as i64) * ONE + ONE / 2;
                        wire(shaded, &edges, x, y, width)
                    }
                    None => shaded,
                };
                if paint.alpha == Alpha::Blend {
                    *color = blend::blend(shaded, *color, paint.blend);
                } else {
                    *stored = depth;
                    *color = [shaded[0], shaded[1], shaded[2], 255];
                }
            }
        }
        Ok(())
    }
}

/// The color of a sample, or `None` if a mask leaves it out.
#[inline]
fn shade<const N: usize>(values: [f32; N], level: usize, paint: &Paint<'_>) -> Option<[u8; 4]> {
    let mut all = [0.0; VALUES];
    all.iter_mut().zip(values).for_each(|(all, value)| *all = value);
    let [light, u, v, color @ ..] = all;
    let texel = match paint.texture {
        Some(texture) => texture.sample(level, [u, v], paint.wrap, paint.nearest),
        None => [255; 4],
    };
    let lit = AMBIENT_LIGHT + (1.0 - AMBIENT_LIGHT) * light.clamp(0.0, 1.0);
    let light = if paint.unlit { 1.0 } else { lit };
    let added = paint.fill * lit;
    let alpha = if paint.alpha == Alpha::Opaque {
        255
    } else {
        let factor = paint.color[3] * if paint.has_colors { color[3] } else { 1.0 };
        byte(f32::from(texel[3]) * factor)
    };
    if paint.alpha == Alpha::Mask && alpha < paint.cutoff {
        return None;
    }
    let channel = |at: usize| {
        let factor = if paint.has_colors { paint.color[at] * color[at] } else { paint.color[at] };
        byte(f32::from(texel[at]) * factor * light + (paint.emissive[at] + added) * 255.0)
    };
    Some([channel(0), channel(1), channel(2), alpha])
}

/// The nearest byte; NaN becomes 0.
fn byte(value: f32) -> u8 {
    // A conversion to an integer saturates.
    (value + 0.5) as u8
}

/// The color of the edge if a sample is near an edge of the triangle, and a dark color elsewhere.
fn wire(shaded: [u8; 4], edges: &[Edge; 3], x: i64, y: i64, width: f32) -> [u8; 4] {
    let near = edges.iter().any(|edge| {
        let distance = (edge.start + edge.dx * x + edge.dy * y) as f32 / ONE as f32;
        distance <= width * edge.length
    });
    if near { [28, 46, 74, shaded[3]] } else { shaded }
}

#[cfg(test)]
mod tests;
