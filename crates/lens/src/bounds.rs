//! Bounding boxes.

/// An axis-aligned bounding box, in the unit of its points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// The corner with the smallest coordinates.
    pub min: [f32; 3],
    /// The corner with the largest coordinates.
    pub max: [f32; 3],
}

impl Bounds {
    /// The smallest box that contains all points, or `None` if there are none.
    pub fn around(points: impl IntoIterator<Item = [f32; 3]>) -> Option<Bounds> {
        let boxes = points.into_iter().map(|point| Bounds { min: point, max: point });
        boxes.reduce(|a, b| a.union(&b))
    }

    /// The smallest box that contains both boxes.
    pub fn union(&self, other: &Bounds) -> Bounds {
        let mut union = *self;
        for (min, other) in union.min.iter_mut().zip(other.min) {
            *min = min.min(other);
        }
        for (max, other) in union.max.iter_mut().zip(other.max) {
            *max = max.max(other);
        }
        union
    }

    /// Whether the box, extended by `slack` on every side, contains a point. `false` if a coordinate of the point is
    /// NaN.
    pub fn contains(&self, point: [f32; 3], slack: f32) -> bool {
        let [x, y, z] = point;
        let inside = |value: f32, min: f32, max: f32| value >= min - slack && value <= max + slack;
        inside(x, self.min[0], self.max[0])
            && inside(y, self.min[1], self.max[1])
            && inside(z, self.min[2], self.max[2])
    }

    /// The distance from `origin` to the farthest corner: the radius of a bounding sphere around `origin`.
    pub fn radius_from(&self, origin: [f32; 3]) -> f32 {
        let mut sum = 0.0;
        for ((min, max), origin) in self.min.iter().zip(self.max).zip(origin) {
            let far = (min - origin).abs().max((max - origin).abs());
            sum += far * far;
        }
        libm::sqrtf(sum)
    }

    /// Whether a stored box and sphere reach visibly beyond this box and the origin: by more than a tenth of its largest
    /// side. Many exporters include the origin, and measure the radius from it.
    pub fn is_exceeded_by(&self, stored: &Bounds, center: [f32; 3], radius: f32) -> bool {
        let sides = self.max.into_iter().zip(self.min).map(|(max, min)| max - min);
        let slack = sides.fold(0.0, f32::max) * 0.1;
        let origin = [0.0; 3];
        let usual = self.union(&Bounds { min: origin, max: origin });
        let most = usual.radius_from(center).max(usual.radius_from(origin)) + slack;
        radius > most
            || ![stored.min, stored.max, center].into_iter().all(|point| usual.contains(point, slack))
    }
}
