//! Directions of length 1.

use glam::Vec3;

/// A direction with length 1. `None` if it has no length, is not finite, or if the square of its length is too small or too large for a
/// normal `f32` (lengths below 2^-63), so that its length is not known.
///
/// ```
/// use meshlens::model::unit_direction;
///
/// assert_eq!(unit_direction([0.0, 3.0, 4.0]), Some([0.0, 0.6, 0.8]));
/// assert_eq!(unit_direction([0.0, 1e-22, 0.0]), None);
/// ```
pub fn unit_direction(direction: [f32; 3]) -> Option<[f32; 3]> {
    let direction = Vec3::from(direction);
    let has_length = direction.length_squared().is_normal();
    direction.try_normalize().filter(|_| has_length).map(Vec3::into)
}
