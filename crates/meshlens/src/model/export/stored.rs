//! Measures how far values changed when they were stored.
#![allow(dead_code, reason = "a build may have few formats, and no format uses all of these")]

use glam::Vec3;
use meshlens_wire::{Code, Report};

use crate::model::unit_direction;

/// Differences up to this fraction of a value come from the conversion of coordinates, not from rounding.
pub(super) const NOISE: f32 = 1e-6;
/// Changes of normals up to this many degrees are not counted.
const NOISE_DEGREES: f32 = 0.05;

/// Counts values that changed, and finds the largest change.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Changes {
    /// The number of values that were compared.
    pub(super) total: u64,
    /// The number of values that changed.
    pub(super) changed: u64,
    /// The largest change.
    pub(super) largest: f32,
}

impl Changes {
    fn add(&mut self, change: f32, noise: f32) {
        self.total += 1;
        if change > noise {
            self.changed += 1;
            self.largest = self.largest.max(change);
        }
    }

    /// Compares points by the component that changed most.
    pub(super) fn point<const N: usize>(&mut self, wanted: [f32; N], stored: [f32; N]) {
        let reach = wanted.iter().fold(1.0f32, |reach, value| reach.max(value.abs()));
        let change = wanted.iter().zip(stored).fold(0.0f32, |change, (a, b)| change.max((a - b).abs()));
        self.add(change, reach * NOISE);
    }

    /// Compares directions by the angle between them, in degrees. Directions of length 0 are skipped.
    pub(super) fn direction(&mut self, wanted: [f32; 3], stored: [f32; 3]) {
        let unit = |direction| unit_direction(direction).map(Vec3::from);
        if let (Some(wanted), Some(stored)) = (unit(wanted), unit(stored)) {
            // The length of the chord is exact for small angles, unlike an arc cosine.
            let angle = 2.0 * libm::asinf((wanted.distance(stored) / 2.0).min(1.0));
            self.add(angle.to_degrees(), NOISE_DEGREES);
        }
    }

    /// Reports the changes, if there are any: "12 of 96 positions moved by up to 0.0078 units".
    pub(super) fn report(&self, losses: &mut Report, code: &'static Code, changed: &str, unit: &str) {
        let Changes { total, changed: count, largest } = *self;
        let message = format_args!("{count} of {total} {changed} by up to {largest:.4} {unit}");
        losses.lose(code, count, format_args!(""), message);
    }
}
