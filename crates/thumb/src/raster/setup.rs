//! The setup of a triangle: the position of its corners in the picture, its edges, and the planes of interpolated
//! values.

use super::{ONE, Paint, Vertex};
use crate::camera::Lens;
use crate::texture::Texture;

/// The interpolated values: light, texture coordinates and color.
pub(super) const VALUES: usize = 7;

/// The values of a vertex at a corner.
fn values(vertex: &Vertex, is_front: bool, paint: &Paint<'_>) -> [f64; VALUES] {
    let light = if is_front { vertex.light } else { -vertex.light };
    let [u, v] = match (paint.is_environment, is_front) {
        (false, _) => vertex.texcoord,
        (true, true) => vertex.reflected,
        (true, false) => vertex.reflected.map(|axis| 1.0 - axis),
    };
    let [r, g, b, a] = vertex.color;
    let finite = |value: f32| if value.is_finite() { f64::from(value) } else { 0.0 };
    [light, u, v, r, g, b, a].map(finite)
}

/// The position of a vertex in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ScreenVertex {
    /// The position in steps from the top left.
    pub(super) point: [i32; 2],
    /// The depth of [`Lens::project`].
    pub(crate) depth: f64,
}

impl ScreenVertex {
    /// The position of a point; `None` if it is not finite.
    pub(crate) fn new(lens: &Lens, point: [f32; 3]) -> Option<ScreenVertex> {
        let [x, y, depth] = lens.project(point)?;
        Some(ScreenVertex { point: [x, y].map(fixed), depth })
    }
}

/// A coordinate in the picture, in steps. A row of a picture has less than 2^14 samples.
fn fixed(axis: f64) -> i32 {
    // Rounded to the nearest step. Adding one half is exact for such small numbers.
    let steps = axis.clamp(-32768.0, 32768.0) * ONE as f64;
    libm::floor(steps + 0.5) as i32
}

pub(super) fn cross(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> i64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// The range of samples along an axis whose centers may be inside a triangle with corners at these coordinates.
pub(super) fn centers([a, b, c]: [i64; 3], size: u32) -> [u32; 2] {
    // The first center that is not before a coordinate.
    let center = |place: i64| ((place - ONE / 2 - 1).div_euclid(ONE) + 1).clamp(0, i64::from(size)) as u32;
    [center(a.min(b).min(c)), center(a.max(b).max(c) + 1)]
}

/// A triangle whose corners are clockwise in the picture.
pub(super) struct Setup<'v> {
    pub(super) points: [[i64; 2]; 3],
    pub(super) area: i64,
    pub(super) corners: [(&'v Vertex, ScreenVertex); 3],
    pub(super) is_front: bool,
    pub(super) is_perspective: bool,
}

/// The function of an edge: `x * dx + y * dy + start` is not negative inside.
pub(super) struct Edge {
    pub(super) dx: i64,
    pub(super) dy: i64,
    pub(super) start: i64,
    /// The length of the edge; 0 if edges are not drawn.
    pub(super) length: f32,
}

/// A value that changes linearly over the picture.
#[derive(Clone, Copy)]
pub(super) struct Plane {
    x: f64,
    y: f64,
    start: f64,
}

/// A value that changes linearly over a row.
#[derive(Clone, Copy)]
pub(super) struct Row {
    start: f32,
    step: f32,
}

impl Plane {
    pub(super) fn row(&self, column: u32, row: u32) -> Row {
        let (x, y) = (f64::from(column) + 0.5, f64::from(row) + 0.5);
        Row { start: (self.start + self.x * x + self.y * y) as f32, step: self.x as f32 }
    }
}

impl Row {
    #[inline]
    pub(super) fn at(self, step: f32) -> f32 {
        self.start + self.step * step
    }
}

impl Setup<'_> {
    pub(super) fn edges(&self, have_lengths: bool) -> [Edge; 3] {
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

    pub(super) fn depths(&self) -> [f64; 3] {
        self.corners.map(|(_, place)| place.depth)
    }

    /// The level of the texture, and the planes of the values; in a perspective, these are multiplied by the depth.
    pub(super) fn shading<const N: usize>(&self, paint: &Paint<'_>) -> (usize, [Plane; N]) {
        let values = self.corners.map(|(vertex, place)| {
            let values = values(vertex, self.is_front, paint);
            if self.is_perspective { values.map(|value| value * place.depth) } else { values }
        });
        let level = paint.texture.map_or(0, |texture| self.level(texture, &values));
        let plane = |value: usize| self.plane(values.map(|values| values.get(value).copied().unwrap_or(0.0)));
        (level, std::array::from_fn(plane))
    }

    /// The plane through the values at the corners.
    pub(super) fn plane(&self, values: [f64; 3]) -> Plane {
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
pub(super) fn span(edges: &[Edge; 3], y: i64, width: u32) -> Option<[u32; 2]> {
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
