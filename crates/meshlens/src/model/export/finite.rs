//! Values that are not finite. Formats that store integers cannot represent them, and validators refuse them.

use meshlens_wire::Report;

use super::super::TagPose;
use crate::codes;

/// The number of values of each kind that were replaced because they are not finite.
#[derive(Debug, Default)]
pub(super) struct Replaced {
    positions: u64,
    normals: u64,
    texcoords: u64,
    tags: u64,
}

impl Replaced {
    /// Replaces the coordinates of positions by 0.
    pub(super) fn positions(&mut self, positions: &mut [[f32; 3]]) {
        self.positions += positions.iter_mut().filter_map(zero).count() as u64;
    }

    /// Replaces normals by +Z.
    pub(super) fn normals(&mut self, normals: &mut [[f32; 3]]) {
        for normal in normals.iter_mut().filter_map(zero) {
            *normal = [0.0, 0.0, 1.0];
            self.normals += 1;
        }
    }

    /// Replaces texture coordinates by 0.
    pub(super) fn texcoords(&mut self, texcoords: &mut [[f32; 2]]) {
        self.texcoords += texcoords.iter_mut().filter_map(zero).count() as u64;
    }

    /// Replaces the origin of a tag by 0 and its axes by the axes of the space.
    pub(super) fn tag(&mut self, pose: TagPose) -> TagPose {
        if pose.is_finite() {
            return pose;
        }
        self.tags += 1;
        TagPose {
            origin: if is_finite(&pose.origin) { pose.origin } else { [0.0; 3] },
            axes: if is_finite(pose.axes.as_flattened()) {
                pose.axes
            } else {
                [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
            },
        }
    }

    /// Lists each kind.
    pub(super) fn report(&self, losses: &mut Report) {
        let Replaced { positions, normals, texcoords, tags } = *self;
        let kinds = [
            (positions, "positions", "their coordinates became 0"),
            (normals, "normals", "they became +Z"),
            (texcoords, "texture coordinates", "they became 0"),
            (tags, "poses of tags", "they became 0 and the axes of the model"),
        ];
        for (count, kind, became) in kinds {
            let message = format_args!("{count} {kind} that are not finite; {became}");
            losses.lose(&codes::VALUE_NOT_FINITE, count, format_args!("{kind}"), message);
        }
    }
}

fn is_finite(values: &[f32]) -> bool {
    values.iter().all(|value| value.is_finite())
}

/// Replaces numbers that are not finite by 0. Returns the vector if any number was replaced.
fn zero<const N: usize>(vector: &mut [f32; N]) -> Option<&mut [f32; N]> {
    let mut is_odd = false;
    for value in vector.iter_mut().filter(|value| !value.is_finite()) {
        (*value, is_odd) = (0.0, true);
    }
    is_odd.then_some(vector)
}
