//! The integers of Unreal vertices: a scale and an origin for each axis, chosen from the positions of all frames.

use libm::{fabs, round};
use meshlens_unreal::VertexEncoding;

/// How positions along one axis are stored: a position is `(stored - origin) * scale`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    /// The distance between neighboring integers: X, Y or Z of MESHMAP SCALE.
    pub(super) scale: f32,
    /// The stored number of position 0; it may be out of range. X, Y or Z of MESH ORIGIN.
    pub(super) origin: f32,
    /// The smallest and the largest stored number.
    range: [i16; 2],
}

/// The smallest and the largest stored number along each axis.
const fn ranges(format: VertexEncoding) -> [[i16; 2]; 3] {
    match format {
        VertexEncoding::Packed => [[-1024, 1023], [-1024, 1023], [-512, 511]],
        VertexEncoding::Wide => [[i16::MIN, i16::MAX]; 3],
    }
}

/// Steps that stay unused at the ends of a range, so that rounding the origin to a float does not exceed it.
const SPARE: f64 = 2.0;

/// The largest distance from a grid at which a position counts as on the grid, in the finest steps of the range. It is
/// more than rounding to floats causes, and too little to matter.
const ON_GRID: f64 = 1.0 / 32.0;

/// The grids of all three axes. O(positions), three passes.
pub(super) fn choose<'p>(
    positions: impl Iterator<Item = &'p [f32; 3]> + Clone,
    format: VertexEncoding,
) -> [Axis; 3] {
    let [x, y, z] = ranges(format);
    let along = |axis: usize| {
        positions
            .clone()
            .filter_map(move |position| position.get(axis).copied())
            .filter(|value| value.is_finite())
    };
    [Axis::choose(along(0), x), Axis::choose(along(1), y), Axis::choose(along(2), z)]
}

impl Axis {
    /// Chooses the grid for these values: a grid that stores each value exactly if possible, as in games that store
    /// integers, and otherwise a grid that maps the values to the whole range.
    fn choose(values: impl Iterator<Item = f32> + Clone, range: [i16; 2]) -> Axis {
        let mut bounds: Option<[f32; 2]> = None;
        for value in values.clone() {
            let [min, max] = bounds.get_or_insert([value; 2]);
            (*min, *max) = (min.min(value), max.max(value));
        }
        let Some([min, max]) = bounds.filter(|[min, max]| min < max) else {
            // All values are equal: they are stored as 0.
            let origin = bounds.map_or(0.0, |[value, _]| -value);
            return Axis { scale: 1.0, origin, range };
        };
        let (min, max) = (f64::from(min), f64::from(max));
        let [first, last] = range.map(f64::from);
        let (size, center) = (max - min, f64::midpoint(first, last));
        let close = size / (last - first) * ON_GRID;
        let (scale, origin) = match step(values, min, size, last - first) {
            Some(step) => {
                let [low, high] = [min, max].map(|end| round(end / step));
                // If integers fit as numbers of steps, they are stored unchanged. Otherwise, they are moved to the
                // middle of the range.
                if first <= low && high <= last && fabs(low * step - min) <= close {
                    (step, 0.0)
                } else {
                    (step, round(center - size / step / 2.0) - min / step)
                }
            }
            None => {
                let step = size / (last - first - SPARE);
                (step, center - f64::midpoint(min, max) / step)
            }
        };
        if scale < f64::from(f32::MIN_POSITIVE) {
            return Axis { scale: 1.0, origin: -f64::midpoint(min, max) as f32, range };
        }
        Axis { scale: scale as f32, origin: origin as f32, range }
    }

    /// The number nearest to a position.
    pub(super) fn encode(&self, position: f32) -> i16 {
        let [first, last] = self.range.map(f64::from);
        let stored = f64::from(position) / f64::from(self.scale) + f64::from(self.origin);
        round(stored).clamp(first, last) as i16
    }

    /// The position of a stored number.
    pub(super) fn decode(&self, stored: i16) -> f64 {
        (f64::from(stored) - f64::from(self.origin)) * f64::from(self.scale)
    }
}

/// The largest step such that the distance of every value from the smallest one is a multiple of it. `None` if the
/// largest distance, `size`, is more than `most` steps.
fn step(values: impl Iterator<Item = f32> + Clone, min: f64, size: f64, most: f64) -> Option<f64> {
    let finest = size / most;
    let close = finest * ON_GRID;
    let mut common = 0.0f64;
    for value in values.clone() {
        // Euclid's algorithm, with remainders on both sides of 0.
        let (mut a, mut b) = (f64::from(value) - min, common);
        while fabs(b) > close {
            (a, b) = (b, a - b * round(a / b));
        }
        common = fabs(a);
        if common > close && common < finest - close {
            return None;
        }
    }
    // Each difference is rounded, so the longest difference results in the most precise step.
    let steps = round(size / common);
    let step = size / steps;
    let on_grid = |value: f32| {
        let from_min = f64::from(value) - min;
        fabs(from_min - round(from_min / step) * step) <= close
    };
    (steps <= most && values.clone().all(on_grid)).then_some(step)
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;

    const PACKED: [i16; 2] = [-512, 511];

    fn axis(values: &[f32]) -> Axis {
        Axis::choose(values.iter().copied(), PACKED)
    }

    /// The largest error of any value, as a fraction of the distance between the outermost two.
    fn error(axis: &Axis, values: &[f32]) -> f64 {
        let size = f64::from(values[1]) - f64::from(values[0]);
        let errors = values.iter().map(|value| (axis.decode(axis.encode(*value)) - f64::from(*value)).abs());
        errors.fold(0.0, f64::max) / size
    }

    #[test]
    fn integers_are_unchanged() {
        for step in [1.0, 0.25, 0.015625, 0.1] {
            let values: Vec<f32> = [0i16, 511, -512, 3, -7].map(|value| f32::from(value) * step).into();
            let axis = axis(&values);
            assert!((axis.scale / step - 1.0).abs() < 1e-6 && axis.origin == 0.0, "{axis:?}");
            assert_eq!(
                values.iter().map(|value| axis.encode(*value)).collect::<Vec<_>>(),
                [0, 511, -512, 3, -7]
            );
        }
        // Multiples of 2 are stored as their halves.
        assert_eq!(axis(&[-1000.0, 1000.0, 4.0, 10.0]).scale, 2.0);
    }

    #[test]
    fn integers_outside_the_range_are_centered() {
        let values = [1000.0, 2023.0, 1001.0, 1500.0];
        let axis = axis(&values);
        assert_eq!((axis.scale, axis.origin), (1.0, -1512.0));
        assert_eq!(values.map(|value| axis.encode(value)), [-512, 511, -511, -12]);
        assert_eq!(error(&axis, &values), 0.0);
    }

    #[test]
    fn other_values_use_the_whole_range() {
        for (from, to) in [(0.0f32, 1.0), (-3e-5, 7e-5), (123.4, 180.0), (-9e6, 5e6), (1e-30, 4e-30)] {
            let mut values = vec![from, to];
            values.extend(
                (0..1000u32).map(|step| from + (to - from) * ((step * step % 10007) as f32 / 10007.0)),
            );
            let axis = axis(&values);
            assert!(error(&axis, &values) <= 1.0 / 2000.0, "{from} to {to}: {}", error(&axis, &values));
            let stored: Vec<i16> = values.iter().map(|value| axis.encode(*value)).collect();
            assert!(
                *stored.iter().min().unwrap() < -509 && *stored.iter().max().unwrap() > 509,
                "{from} to {to}"
            );
        }
    }

    #[test]
    fn a_flat_axis_is_kept_exactly() {
        for value in [0.0, 7.3, -1e9] {
            let axis = axis(&[value, value]);
            assert_eq!((axis.encode(value), axis.decode(0)), (0, f64::from(value)));
        }
        assert_eq!(axis(&[]), Axis { scale: 1.0, origin: 0.0, range: PACKED });
    }
}
