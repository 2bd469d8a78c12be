//! Values that are not finite. Formats that store integers cannot represent them, and validators refuse them: every
//! export replaces them here, after its conversion, which may overflow.

use meshlens_wire::Report;

use super::super::{Material, TagPose, Transform};
use crate::codes;

/// The values of a model that may not be finite.
#[derive(Clone, Copy, Debug)]
pub(super) enum Values {
    Positions,
    Texcoords,
    Colors,
    Normals,
    Tags,
    Joints,
    Materials,
}

/// The name of each kind of [`Values`], and what replaces them.
const KINDS: [(&str, &str); 7] = [
    ("positions", "their coordinates became 0"),
    ("texture coordinates", "they became 0"),
    ("colors", "they became 0"),
    ("normals", "they became +Z"),
    ("poses of tags", "they became 0 and the axes of the model"),
    ("transforms of joints", "they became those of the parent"),
    ("colors of materials", "they became white or black"),
];

/// The number of values of each kind that were replaced because they are not finite.
#[derive(Debug, Default)]
pub(super) struct Replaced([u64; KINDS.len()]);

impl Replaced {
    fn count(&mut self, kind: Values, count: usize) {
        // Each kind has a number.
        if let Some(slot) = self.0.get_mut(kind as usize) {
            *slot += count as u64;
        }
    }

    /// Replaces numbers of vectors by 0.
    pub(super) fn vectors<const N: usize>(&mut self, kind: Values, vectors: &mut [[f32; N]]) {
        let count = vectors.iter_mut().filter_map(zero).count();
        self.count(kind, count);
    }

    /// Replaces normals by +Z.
    pub(super) fn normals(&mut self, normals: &mut [[f32; 3]]) {
        for normal in normals.iter_mut().filter_map(zero) {
            *normal = [0.0, 0.0, 1.0];
            self.count(Values::Normals, 1);
        }
    }

    /// Replaces the origin of a tag by 0 and its axes by the axes of the space.
    pub(super) fn tag(&mut self, pose: TagPose) -> TagPose {
        if pose.is_finite() {
            return pose;
        }
        self.count(Values::Tags, 1);
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        TagPose {
            origin: if is_finite(&pose.origin) { pose.origin } else { [0.0; 3] },
            axes: if is_finite(pose.axes.as_flattened()) { pose.axes } else { axes },
        }
    }

    /// Replaces a translation, rotation or scale by its identity value.
    pub(super) fn transform(&mut self, transform: Transform) -> Transform {
        let Transform { translation, rotation, scale } = transform;
        if is_finite(&translation) && is_finite(&rotation) && is_finite(&scale) {
            return transform;
        }
        self.count(Values::Joints, 1);
        Transform::new(translation, rotation, scale)
    }

    /// Replaces a matrix by the identity.
    pub(super) fn matrix(&mut self, matrix: [[f32; 4]; 4]) -> [[f32; 4]; 4] {
        if is_finite(matrix.as_flattened()) {
            return matrix;
        }
        self.count(Values::Joints, 1);
        Transform::IDENTITY.to_matrix()
    }

    /// The color and the emitted light of a material. Numbers become those of a material without them.
    pub(super) fn material(&mut self, material: &Material) -> ([f32; 4], [f32; 3]) {
        let (mut color, mut emissive) = (material.color, material.emissive);
        let odd = color.iter_mut().filter(|value| !value.is_finite()).map(|value| *value = 1.0).count();
        self.count(Values::Materials, odd.min(1));
        self.vectors(Values::Materials, core::slice::from_mut(&mut emissive));
        (color, emissive)
    }

    /// Lists each kind.
    pub(super) fn report(&self, losses: &mut Report) {
        for (count, (kind, became)) in self.0.into_iter().zip(KINDS) {
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
