//! Cameras: the direction of view, and the distance from which a whole model is seen.

use crate::affine::{Vector, add, cross, dot, normalize, scale, subtract};

/// The direction from which a model is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// In perspective, from the front, from above and from the left of the model.
    #[default]
    Iso,
    /// Parallel, from the front.
    Front,
    /// Parallel, from the left side of the model, which faces left in the picture.
    Side,
    /// Parallel, from above. The front of the model is at the bottom of the picture.
    Top,
}

/// The factor by which the picture is larger than the model.
const MARGIN: f64 = 1.08;

/// A camera in the space of glTF: right-handed, Y is up, and a model looks along Z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The position. For a parallel projection, a point in front of the model.
    pub eye: [f64; 3],
    /// The point in the center of the picture.
    pub target: [f64; 3],
    /// The direction to the right of the picture, of length 1.
    pub right: [f64; 3],
    /// The direction to the top of the picture, of length 1.
    pub up: [f64; 3],
    /// Half of the height of the picture, at the distance of the target.
    pub half_height: f64,
    /// Whether the projection is a perspective. Otherwise it is parallel.
    pub is_perspective: bool,
    /// The distances of the nearest and the farthest point from the plane of the eye.
    pub depth: [f64; 2],
}

/// Half of the height of the view of a perspective camera, divided by its distance: the tangent of 15 degrees.
const SLOPE: f64 = 0.267_949_192_431_122_7;

/// The extent of points as a camera sees them. It has a fixed size, independent of the number of points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    view: View,
    aspect: f64,
    axes: [Vector; 3],
    least: Vector,
    most: Vector,
    /// For the horizontal and the vertical angle of a perspective: the height of the tip of a cone around all points,
    /// above the origin, if its axis is the axis of depth. One for each side of the cone.
    cones: [[f64; 2]; 2],
}

impl Extent {
    pub(crate) fn new(view: View, aspect: f64) -> Extent {
        let (least, most) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        Extent { view, aspect, axes: view.axes(), least, most, cones: [[f64::NEG_INFINITY; 2]; 2] }
    }

    fn slopes(&self) -> [f64; 2] {
        [SLOPE * self.aspect / MARGIN, SLOPE / MARGIN]
    }

    /// Adds a point, unless it is not finite.
    pub(crate) fn add(&mut self, point: [f32; 3]) {
        if point.iter().any(|axis| !axis.is_finite()) {
            return;
        }
        let point = point.map(f64::from);
        let seen = self.axes.map(|axis| dot(point, axis));
        for (axis, place) in seen.into_iter().enumerate() {
            self.least[axis] = self.least[axis].min(place);
            self.most[axis] = self.most[axis].max(place);
        }
        let slopes = self.slopes();
        for ((cone, slope), place) in self.cones.iter_mut().zip(slopes).zip(seen) {
            let [low, high] = cone;
            *low = low.max(seen[2] - place / slope);
            *high = high.max(seen[2] + place / slope);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.least[0] > self.most[0]
    }

    /// The camera that sees all points.
    pub(crate) fn camera(&self) -> Camera {
        let Extent { view, aspect, axes: [right, up, back], mut least, mut most, mut cones } = *self;
        if self.is_empty() {
            (least, most) = ([-1.0; 3], [1.0; 3]);
            cones = self.slopes().map(|slope| [1.0 + 1.0 / slope; 2]);
        }
        let mut center = [0, 1, 2].map(|axis| (least[axis] + most[axis]) / 2.0);
        let half = [0, 1, 2].map(|axis| (most[axis] - least[axis]) / 2.0);
        let radius = libm::sqrt(dot(half, half));
        // A single point is seen as if it were a small model around it.
        let radius = if radius > 0.0 { radius } else { 1e-3 };
        let is_perspective = view == View::Iso;
        let depth = center[2];
        let (half_height, distance) = if is_perspective {
            // Both sides of the cone touch the points if its axis is here.
            let mut distance = radius * 0.05;
            for ((slope, [low, high]), center) in self.slopes().into_iter().zip(cones).zip(&mut center) {
                *center = slope * (high - low) / 2.0;
                distance = distance.max((low + high) / 2.0 - depth);
            }
            // The camera keeps a minimum distance of a fraction of the size.
            let distance = distance.max(half[2] + radius * 0.25);
            (distance * SLOPE, distance)
        } else {
            let height = half[1].max(half[0] / aspect) * MARGIN;
            (if height > 0.0 { height } else { radius }, half[2] + radius)
        };
        let target = add(add(scale(right, center[0]), scale(up, center[1])), scale(back, center[2]));
        let depth = [distance - half[2], distance + half[2]];
        Camera {
            eye: add(target, scale(back, distance)),
            target,
            right,
            up,
            half_height,
            is_perspective,
            depth,
        }
    }
}

impl View {
    /// The directions to the right, to the top and to the eye.
    pub(crate) fn axes(self) -> [Vector; 3] {
        let (up, back) = match self {
            View::Iso => ([0.0, 1.0, 0.0], [0.65, 0.5, 1.0]),
            View::Front => ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]),
            View::Side => ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]),
            View::Top => ([0.0, 0.0, -1.0], [0.0, 1.0, 0.0]),
        };
        // No axis has length 0.
        let back = normalize(back).unwrap_or(back);
        let right = normalize(cross(up, back)).unwrap_or([1.0, 0.0, 0.0]);
        [right, cross(back, right), back]
    }
}

impl Camera {
    /// Returns the camera from which all points are visible, for a picture whose width is `aspect` times its height.
    /// Points that are not finite are ignored. O(points).
    pub fn fit(points: impl Iterator<Item = [f32; 3]>, view: View, aspect: f64) -> Camera {
        let mut extent = Extent::new(view, aspect);
        points.for_each(|point| extent.add(point));
        extent.camera()
    }

    /// The matrix from the space of glTF to clip space, column-major, with depth 0 to 1. A renderer that uses it draws the
    /// same view.
    pub fn view_projection(&self, aspect: f64) -> [[f32; 4]; 4] {
        let back = cross(self.right, self.up);
        let distance = dot(subtract(self.eye, self.target), back);
        let row = |axis: Vector| [axis[0], axis[1], axis[2], -dot(axis, self.eye)];
        let [right, up, back] = [row(self.right), row(self.up), row(back)];
        let [near, far] = [self.depth[0] * 0.9, self.depth[1] * 1.1];
        let lens = if self.is_perspective { distance } else { 1.0 } / self.half_height;
        let depth = if self.is_perspective { far } else { 1.0 } / (near - far);
        let z = [0, 1, 2, 3].map(|at| back[at] * depth + if at == 3 { depth * near } else { 0.0 });
        let w = if self.is_perspective { back.map(|a| -a) } else { [0.0, 0.0, 0.0, 1.0] };
        let rows: [[f64; 4]; 4] = [right.map(|a| a * lens / aspect), up.map(|a| a * lens), z, w];
        [0, 1, 2, 3].map(|column| rows.map(|row| row[column] as f32))
    }

    /// The projection to a picture of `width` by `height` samples.
    pub(crate) fn lens(&self, width: u32, height: u32) -> Lens {
        let back = cross(self.right, self.up);
        let distance = dot(subtract(self.eye, self.target), back);
        Lens {
            camera: *self,
            back,
            distance,
            size: f64::from(height) / 2.0 / self.half_height,
            center: [f64::from(width) / 2.0, f64::from(height) / 2.0],
        }
    }
}

/// A camera and the size of its picture.
pub(crate) struct Lens {
    camera: Camera,
    back: Vector,
    distance: f64,
    size: f64,
    center: [f64; 2],
}

impl Lens {
    /// The place of a point in the picture, in samples from the top left, and its depth, which is larger for nearer
    /// points. In a perspective, the depth is the factor by which lengths at this distance are scaled; it is 1 at the
    /// target. `None` if the point is not finite, or not in front of the camera of a perspective.
    pub(crate) fn project(&self, point: [f32; 3]) -> Option<[f64; 3]> {
        let from_target = subtract(point.map(f64::from), self.camera.target);
        let [x, y, z] = [self.camera.right, self.camera.up, self.back].map(|axis| dot(from_target, axis));
        let (near, depth) = if self.camera.is_perspective {
            let near = self.distance / (self.distance - z);
            (near, near)
        } else {
            (1.0, z / self.distance)
        };
        let scale = self.size * near;
        let place = [self.center[0] + x * scale, self.center[1] - y * scale, depth];
        (near > 0.0 && place.iter().all(|axis| axis.is_finite())).then_some(place)
    }

    pub(crate) const fn is_perspective(&self) -> bool {
        self.camera.is_perspective
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_inside_the_picture_with_a_margin() {
        let points =
            [[-3.0, 0.0, 1.0], [5.0, 40.0, -2.0], [0.0, 1.0, 9.0], [f32::NAN, 0.0, 0.0], [f32::MAX; 3]];
        for view in [View::Iso, View::Front, View::Side, View::Top] {
            for points in [&points[..4], &points[..], &points[..1], &points[..0]] {
                let camera = Camera::fit(points.iter().copied(), view, 1.5);
                let lens = camera.lens(150, 100);
                for point in points.iter().filter(|point| point[0].is_finite()) {
                    let [x, y, _] = lens.project(*point).unwrap();
                    assert!(
                        (4.0..146.0).contains(&x) && (3.0..97.0).contains(&y),
                        "{view:?} {point:?}: {x} {y}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_front_view_has_the_left_hand_on_the_right() {
        // In the space of glTF, a model faces Z, up is Y, and its left is X.
        let points = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        let lens = Camera::fit(points.into_iter(), View::Front, 1.0).lens(100, 100);
        let [left, top] = [points[1], points[2]].map(|point| lens.project(point).unwrap());
        assert!(left[0] > 90.0 && top[1] < 5.0);
        // Seen from its left side, the model faces left. Seen from above, it faces down.
        let front = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        let side = Camera::fit(front.into_iter(), View::Side, 1.0).lens(100, 100);
        assert!(side.project(front[1]).unwrap()[0] < 5.0);
        let top = Camera::fit(front.into_iter(), View::Top, 1.0).lens(100, 100);
        assert!(top.project(front[1]).unwrap()[1] > 95.0);
    }

    #[test]
    fn the_matrix_and_the_projection_agree() {
        let points = [[-3.0, 0.0, 1.0], [5.0, 40.0, -2.0], [0.0, 1.0, 9.0]];
        for view in [View::Iso, View::Front, View::Side, View::Top] {
            let camera = Camera::fit(points.into_iter(), view, 1.5);
            let (lens, matrix) = (camera.lens(150, 100), camera.view_projection(1.5));
            for point in points {
                let row =
                    |row: usize| (0..3).map(|at| matrix[at][row] * point[at]).sum::<f32>() + matrix[3][row];
                let (w, [x, y, _]) = (row(3), lens.project(point).unwrap());
                assert!((f64::from(row(0) / w) - (x / 75.0 - 1.0)).abs() < 1e-3);
                assert!((f64::from(row(1) / w) - (1.0 - y / 50.0)).abs() < 1e-3);
                assert!((0.0..=1.0).contains(&(row(2) / w)), "{view:?}: {}", row(2) / w);
            }
        }
    }
}
