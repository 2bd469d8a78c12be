//! Triangles to samples: integer edge functions, a depth buffer, light and textures.

use meshlens::model::{Alpha, Wrap};

use crate::camera::Lens;
use crate::texture::Texture;

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
    /// The least alpha that is drawn, for a mask.
    pub(crate) cutoff: u8,
    pub(crate) two_sided: bool,
    pub(crate) unlit: bool,
    /// Whether vertices have colors.
    pub(crate) has_colors: bool,
    /// The half width of edges in samples, if edges are drawn.
    pub(crate) wire: Option<f32>,
}

/// Light that comes from everywhere.
const AMBIENT: f32 = 0.35;

/// The samples of a picture.
pub(crate) struct Canvas {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Red, green, blue and alpha, multiplied by alpha.
    pub(crate) colors: Vec<[u8; 4]>,
    /// Larger values are nearer.
    depths: Vec<f32>,
    /// The number of samples that may still be visited.
    work: u64,
}

/// The work limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMuchWork;

impl Canvas {
    /// The number of bytes of a canvas.
    pub(crate) const fn bytes(width: u32, height: u32) -> usize {
        (width as usize).saturating_mul(height as usize).saturating_mul(8)
    }

    pub(crate) fn new(width: u32, height: u32) -> Canvas {
        let samples = width as usize * height as usize;
        Canvas {
            width,
            height,
            colors: vec![[0; 4]; samples],
            depths: vec![f32::NEG_INFINITY; samples],
            work: 0,
        }
    }

    /// Removes everything that was drawn. At most `work` samples may be visited after this call.
    pub(crate) fn clear(&mut self, work: u64) {
        self.colors.fill([0; 4]);
        self.depths.fill(f32::NEG_INFINITY);
        self.work = work;
    }

    /// The number of samples that may still be visited.
    pub(crate) const fn work(&self) -> u64 {
        self.work
    }

    /// Draws a triangle whose front is counter-clockwise.
    pub(crate) fn triangle(
        &mut self,
        lens: &Lens,
        corners: [(&Vertex, Place); 3],
        paint: &Paint<'_>,
    ) -> Result<(), TooMuchWork> {
        let [a, b, c] = corners.map(|(_, place)| place.point.map(i64::from));
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
        // Most triangles of a detailed model lie between the centers of samples.
        let [[low, high], [left, right]] = [setup.centers(1, self.height), setup.centers(0, self.width)];
        if low >= high || left >= right {
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

    /// Fills rows of a triangle. Of the interpolated values, the first `N` are used.
    fn fill<const N: usize>(
        &mut self,
        setup: &Setup<'_>,
        [low, high]: [u32; 2],
        paint: &Paint<'_>,
    ) -> Result<(), TooMuchWork> {
        let edges = setup.edges(paint.wire.is_some());
        // Only for triangles that cover a sample, and only if one of these is not hidden.
        let mut depth_plane = None;
        let mut shading: Option<(usize, [Plane; N])> = None;
        for row in low..high {
            let y = i64::from(row) * ONE + ONE / 2;
            let Some([first, last]) = span(&edges, y, self.width) else { continue };
            let count = u64::from(last - first) + 1;
            self.work = self.work.checked_sub(count).ok_or(TooMuchWork)?;
            let start = row as usize * self.width as usize;
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
                if depth <= *stored {
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
                    *color = over(shaded, *color);
                } else {
                    *stored = depth;
                    *color = [shaded[0], shaded[1], shaded[2], 255];
                }
            }
        }
        Ok(())
    }
}

/// The interpolated values: light, texture coordinates and color.
const VALUES: usize = 7;

/// The values of a vertex at a corner.
fn values(vertex: &Vertex, is_front: bool) -> [f64; VALUES] {
    let light = if is_front { vertex.light } else { -vertex.light };
    let [u, v] = vertex.texcoord;
    let [r, g, b, a] = vertex.color;
    let finite = |value: f32| if value.is_finite() { f64::from(value) } else { 0.0 };
    [light, u, v, r, g, b, a].map(finite)
}

/// Where a vertex is in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    /// The place in steps from the top left.
    point: [i32; 2],
    /// The depth of [`Lens::project`].
    pub(crate) depth: f64,
}

impl Place {
    /// The place of a point; `None` if it is not finite.
    pub(crate) fn new(lens: &Lens, point: [f32; 3]) -> Option<Place> {
        let [x, y, depth] = lens.project(point)?;
        Some(Place { point: [x, y].map(fixed), depth })
    }
}

/// A place in the picture in steps. A picture has less than 2^14 samples in a row.
fn fixed(axis: f64) -> i32 {
    // Rounded to the nearest step. The addition of a half is exact for such small numbers.
    let steps = axis.clamp(-32768.0, 32768.0) * ONE as f64;
    libm::floor(steps + 0.5) as i32
}

fn cross(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> i64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// A triangle whose corners are clockwise in the picture.
struct Setup<'v> {
    points: [[i64; 2]; 3],
    area: i64,
    corners: [(&'v Vertex, Place); 3],
    is_front: bool,
    is_perspective: bool,
}

/// The function of an edge: `x * dx + y * dy + start` is not negative inside.
struct Edge {
    dx: i64,
    dy: i64,
    start: i64,
    /// The length of the edge; 0 if edges are not drawn.
    length: f32,
}

/// A value that changes linearly over the picture.
#[derive(Clone, Copy)]
struct Plane {
    x: f64,
    y: f64,
    start: f64,
}

/// A value that changes linearly over a row.
#[derive(Clone, Copy)]
struct Row {
    start: f32,
    step: f32,
}

impl Plane {
    fn row(&self, column: u32, row: u32) -> Row {
        let (x, y) = (f64::from(column) + 0.5, f64::from(row) + 0.5);
        Row { start: (self.start + self.x * x + self.y * y) as f32, step: self.x as f32 }
    }
}

impl Row {
    #[inline]
    fn at(self, step: f32) -> f32 {
        self.start + self.step * step
    }
}

impl Setup<'_> {
    /// The samples along an axis whose centers may be inside.
    fn centers(&self, axis: usize, size: u32) -> [u32; 2] {
        let [a, b, c] = self.points.map(|point| point[axis]);
        // The first center that is not before a place.
        let center =
            |place: i64| ((place - ONE / 2 - 1).div_euclid(ONE) + 1).clamp(0, i64::from(size)) as u32;
        [center(a.min(b).min(c)), center(a.max(b).max(c) + 1)]
    }

    fn edges(&self, have_lengths: bool) -> [Edge; 3] {
        [[0, 1], [1, 2], [2, 0]].map(|[from, to]| {
            let ([x0, y0], [x1, y1]) = (self.points[from], self.points[to]);
            let (dx, dy) = (y0 - y1, x1 - x0);
            // A center on an edge belongs to the triangle below it or to the right of it.
            let is_top_left = y0 > y1 || y0 == y1 && x1 > x0;
            let start = -(dx * x0 + dy * y0) - i64::from(!is_top_left);
            let length = if have_lengths { libm::sqrt((dx * dx + dy * dy) as f64) as f32 } else { 0.0 };
            Edge { dx, dy, start, length }
        })
    }

    fn depths(&self) -> [f64; 3] {
        self.corners.map(|(_, place)| place.depth)
    }

    /// The level of the texture, and the planes of the values; in a perspective, these are multiplied by the depth.
    fn shading<const N: usize>(&self, paint: &Paint<'_>) -> (usize, [Plane; N]) {
        let values = self.corners.map(|(vertex, place)| {
            let values = values(vertex, self.is_front);
            if self.is_perspective { values.map(|value| value * place.depth) } else { values }
        });
        let level = paint.texture.map_or(0, |texture| self.level(texture, &values));
        let plane = |value: usize| self.plane(values.map(|values| values.get(value).copied().unwrap_or(0.0)));
        (level, std::array::from_fn(plane))
    }

    /// The plane through the values at the corners.
    fn plane(&self, values: [f64; 3]) -> Plane {
        let [a, b, c] = self.points.map(|point| point.map(|axis| axis as f64 / ONE as f64));
        let area = self.area as f64 / (ONE * ONE) as f64;
        let (ab, ac) = (values[1] - values[0], values[2] - values[0]);
        let x = (ab * (c[1] - a[1]) - ac * (b[1] - a[1])) / area;
        let y = (ac * (b[0] - a[0]) - ab * (c[0] - a[0])) / area;
        Plane { x, y, start: values[0] - x * a[0] - y * a[1] }
    }

    /// The level of a texture for the size of the triangle.
    fn level(&self, texture: &Texture, values: &[[f64; VALUES]; 3]) -> usize {
        let depths = self.depths();
        let corner = |corner: usize| {
            let depth = if self.is_perspective { depths[corner] } else { 1.0 };
            [1, 2].map(|value| values[corner][value] / depth)
        };
        let [a, b, c] = [corner(0), corner(1), corner(2)];
        let area = ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs();
        let [width, height] = texture.size().map(f64::from);
        texture.level(area * width * height / (self.area as f64 / (ONE * ONE) as f64))
    }
}

/// The first and the last sample of a row that are inside all edges.
fn span(edges: &[Edge; 3], y: i64, width: u32) -> Option<[u32; 2]> {
    let (mut first, mut last) = (0, i64::from(width) - 1);
    for edge in edges {
        // At the center of sample x: value + x * step >= 0.
        let value = edge.start + edge.dy * y + edge.dx * (ONE / 2);
        let step = edge.dx * ONE;
        match step {
            0 if value < 0 => return None,
            0 => {}
            1.. => first = first.max(-value.div_euclid(step)),
            _ => last = last.min(value.div_euclid(-step)),
        }
    }
    (first <= last).then_some([first as u32, last as u32])
}

/// The color of a sample, or `None` if a mask leaves it out.
#[inline]
fn shade<const N: usize>(values: [f32; N], level: usize, paint: &Paint<'_>) -> Option<[u8; 4]> {
    let mut all = [0.0; VALUES];
    all.iter_mut().zip(values).for_each(|(all, value)| *all = value);
    let [light, u, v, color @ ..] = all;
    let texel = match paint.texture {
        Some(texture) => texture.sample(level, [u, v], paint.wrap),
        None => [255; 4],
    };
    let light = if paint.unlit { 1.0 } else { AMBIENT + (1.0 - AMBIENT) * light.clamp(0.0, 1.0) };
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
        byte(f32::from(texel[at]) * factor * light + paint.emissive[at] * 255.0)
    };
    Some([channel(0), channel(1), channel(2), alpha])
}

/// The nearest byte; NaN becomes 0.
fn byte(value: f32) -> u8 {
    // A conversion to an integer saturates.
    (value + 0.5) as u8
}

/// The color of an edge of the triangle near it, and a dark color elsewhere.
fn wire(shaded: [u8; 4], edges: &[Edge; 3], x: i64, y: i64, width: f32) -> [u8; 4] {
    let near = edges.iter().any(|edge| {
        let distance = (edge.start + edge.dx * x + edge.dy * y) as f32 / ONE as f32;
        distance <= width * edge.length
    });
    if near { [28, 46, 74, shaded[3]] } else { shaded }
}

/// A color over a color that is multiplied by its alpha.
fn over(color: [u8; 4], below: [u8; 4]) -> [u8; 4] {
    let alpha = u32::from(color[3]);
    let mix = |above: u8, below: u8| {
        ((u32::from(above) * alpha + u32::from(below) * (255 - alpha) + 127) / 255) as u8
    };
    [mix(color[0], below[0]), mix(color[1], below[1]), mix(color[2], below[2]), mix(255, below[3])]
}

#[cfg(test)]
mod tests;
