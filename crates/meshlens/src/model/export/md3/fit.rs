//! Measures how well positions fit the integers of a target: how many become equal, and how many are clamped.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::super::bake::Baked;

/// The number of units in a meter, in games whose unit is an inch.
const INCHES: f32 = 1.0 / 0.0254;

/// A grid of signed 16-bit integers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grid {
    /// The number of steps in a unit.
    pub(super) steps: f32,
}

impl Grid {
    /// The cell that a position is rounded to, before it is clamped.
    fn cell(self, position: [f32; 3], factor: f32) -> [i32; 3] {
        position.map(|axis| libm::roundf(axis * factor * self.steps) as i32)
    }
}

/// The effect of rounding positions to the integers of a target, over all frames.
/// A model that is too small for the steps of the target collapses; one that is too large is clamped. Another scale helps
/// against both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PositionFit {
    /// The number of positions that the target keeps distinct at the best scale: the sum over all frames.
    pub distinct: usize,
    /// The number of those positions that became equal to another one.
    pub merged: usize,
    /// The number of positions outside the range of the target, which were moved to its edge.
    pub clamped: usize,
    /// A scale at which no position is clamped and far fewer become equal. `None` if the fit is good, or if no scale
    /// helps.
    pub better_scale: Option<f32>,
}

impl PositionFit {
    /// Whether any position is clamped, or more than 1 % of the distinct positions became equal to another one.
    pub const fn is_poor(&self) -> bool {
        self.clamped > 0 || self.merged > self.distinct / 100
    }

    /// Describes a poor fit, such as `3 of 120 distinct positions are merged`; `None` if the fit is good.
    pub fn warning(&self) -> Option<String> {
        let mut text = Vec::new();
        if self.clamped > 0 {
            text.push(format!("{} positions beyond 512 units are clamped", self.clamped));
        }
        if self.merged > 0 {
            text.push(format!("{} of {} distinct positions are merged", self.merged, self.distinct));
        }
        self.is_poor().then(|| text.join(", "))
    }

    /// Measures positions that were multiplied by `scale`, before they are rounded. `meters` is set if the unit of the
    /// source is a meter. O(positions x log positions).
    pub(super) fn measure(baked: &Baked, grid: Grid, scale: f32, meters: bool) -> PositionFit {
        let positions =
            || baked.meshes.iter().flat_map(|mesh| &mesh.frames).flat_map(|frame| &frame.positions);
        let cells = positions().map(|position| grid.cell(*position, 1.0));
        let range = i32::from(i16::MIN)..=i32::from(i16::MAX);
        let clamped = cells.filter(|cell| !cell.iter().all(|axis| range.contains(axis))).count();
        let coordinates = positions().flatten().filter(|value| value.is_finite());
        let largest = coordinates.fold(0.0f32, |largest, value| largest.max(value.abs()));
        let best = f32::from(i16::MAX) / grid.steps / largest;
        if !(best > 0.0 && best.is_finite()) {
            return PositionFit { clamped, ..PositionFit::default() };
        }
        let distinct = count(baked, grid, best);
        // Rounding at another scale may keep more positions distinct by chance.
        let merged = distinct.saturating_sub(count(baked, grid, 1.0));
        let mut fit = PositionFit { distinct, merged, clamped, better_scale: None };
        if fit.is_poor() {
            fit.better_scale = fit.better(baked, grid, scale, scale * best, meters);
        }
        fit
    }

    /// A scale up to `most` at which the fit is good. If the source is in meters and the scale to inches is good, that
    /// scale is used, otherwise the largest scale of two digits.
    fn better(&self, baked: &Baked, grid: Grid, scale: f32, most: f32, meters: bool) -> Option<f32> {
        let inches = PositionFit {
            merged: self.distinct.saturating_sub(count(baked, grid, INCHES / scale)),
            clamped: 0,
            ..*self
        };
        if meters && INCHES <= most && !inches.is_poor() {
            return Some(libm::roundevenf(INCHES * 100.0) / 100.0);
        }
        let digits = libm::powf(10.0, libm::floorf(libm::log10f(most)) - 1.0);
        let rounded = libm::floorf(most / digits) * digits;
        // The product of floats may print with more than two digits.
        let rounded = alloc::format!("{rounded:.*}", decimals(digits)).parse().unwrap_or(rounded);
        (rounded > 0.0 && rounded.is_finite() && (self.clamped > 0 || rounded > scale)).then_some(rounded)
    }
}

/// The number of decimals of a number whose last digit has the value `digit`.
fn decimals(digit: f32) -> usize {
    let exponent = libm::roundf(libm::log10f(digit)) as i32;
    usize::try_from(-exponent).unwrap_or(0)
}

/// The number of cells that are in use when positions are multiplied by `factor`: the sum over all frames.
fn count(baked: &Baked, grid: Grid, factor: f32) -> usize {
    let frames = baked.meshes.iter().map(|mesh| mesh.frames.len()).max().unwrap_or(0);
    let mut cells = Vec::new();
    let mut sum = 0usize;
    for frame in 0..frames {
        cells.clear();
        let shown = baked.meshes.iter().filter_map(|mesh| mesh.frames.get(frame));
        cells.extend(shown.flat_map(|frame| &frame.positions).map(|position| grid.cell(*position, factor)));
        cells.sort_unstable();
        cells.dedup();
        sum += cells.len();
    }
    sum
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::super::super::bake::{BakedFrame, BakedMesh};
    use super::*;

    const GRID: Grid = Grid { steps: 64.0 };

    /// A mesh of one frame.
    fn baked(positions: Vec<[f32; 3]>) -> Baked {
        let frames = vec![BakedFrame { positions, ..BakedFrame::default() }];
        Baked { meshes: vec![BakedMesh { frames, ..BakedMesh::default() }], ..Baked::default() }
    }

    /// A square of 50 by 50 points, a millimeter apart.
    fn small() -> Baked {
        baked((0..2500).map(|i| [(i % 50) as f32 * 0.001, (i / 50) as f32 * 0.001, 0.0]).collect())
    }

    #[test]
    fn a_small_model_in_meters_needs_a_larger_scale() {
        // 49 mm are 3.1 steps: columns 0 to 3, rows 0 to 3.
        let fit = PositionFit::measure(&small(), GRID, 1.0, true);
        assert_eq!((fit.distinct, fit.merged, fit.clamped), (2500, 2500 - 16, 0));
        assert!(fit.is_poor());
        // At this scale, a millimeter is 2.5 steps.
        assert_eq!(fit.better_scale, Some(39.37));
        // If a unit is not a meter, the result is the largest scale that fits: 511.98 / 0.049 is 10,448.
        assert_eq!(PositionFit::measure(&small(), GRID, 1.0, false).better_scale, Some(10000.0));
        // The result includes the scale that was already applied.
        assert_eq!(PositionFit::measure(&small(), GRID, 0.5, false).better_scale, Some(5200.0));
    }

    #[test]
    fn a_model_outside_the_range_needs_a_smaller_scale() {
        let large = baked(vec![[0.0; 3], [1000.0, 0.0, 0.0], [0.0, -600.0, 1000.0], [-512.0, 511.98, 0.0]]);
        let fit = PositionFit::measure(&large, GRID, 1.0, false);
        assert_eq!((fit.distinct, fit.merged, fit.clamped), (4, 0, 2), "-512 itself is in range");
        assert!(fit.is_poor());
        assert_eq!(fit.better_scale, Some(0.51));
        assert_eq!(PositionFit::measure(&large, GRID, 20.0, false).better_scale, Some(10.0));
    }

    #[test]
    fn one_position_in_a_hundred_may_coincide_with_another() {
        // Points two steps apart.
        let row = |moved: usize| {
            let step = |i: usize| if i < moved { 2 * i + 1 } else { 2 * i };
            // The first `moved` points have a neighbor a third of a step away.
            let mut all: Vec<_> = (0..200 - moved).map(|i| [step(i) as f32 / 64.0, 0.0, 0.0]).collect();
            all.extend((0..moved).map(|i| [(step(i) as f32 + 1.0 / 3.0) / 64.0, 0.0, 0.0]));
            PositionFit::measure(&baked(all), GRID, 1.0, false)
        };
        assert_eq!((row(0).distinct, row(0).merged, row(0).is_poor()), (200, 0, false));
        assert_eq!((row(2).distinct, row(2).merged, row(2).is_poor()), (200, 2, false));
        assert_eq!((row(3).distinct, row(3).merged, row(3).is_poor()), (200, 3, true));
        assert_eq!(row(2).better_scale, None);
    }

    #[test]
    fn empty_models_and_extreme_positions_have_a_fit() {
        assert_eq!(PositionFit::measure(&Baked::default(), GRID, 1.0, true), PositionFit::default());
        assert_eq!(PositionFit::measure(&baked(vec![[0.0; 3]; 3]), GRID, 1.0, true), PositionFit::default());
        for odd in [f32::NAN, f32::INFINITY, f32::MAX, f32::MIN_POSITIVE, 1e-45] {
            let fit = PositionFit::measure(&baked(vec![[odd, 1.0, 0.0], [0.0; 3]]), GRID, 1e30, true);
            assert!(fit.better_scale.is_none_or(|scale| scale > 0.0 && scale.is_finite()), "{odd}: {fit:?}");
        }
    }
}
