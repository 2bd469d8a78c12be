//! How urgent a request is.

use std::fmt;

/// How urgent a request is: the higher, the sooner. Requests of one priority go in the order in which they were made.
///
/// ```
/// use meshlens_stream::Priority;
///
/// assert!(Priority(1) > Priority::NORMAL);
/// assert!(Priority::by_distance(3.0) > Priority::by_distance(4.0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(pub i32);

impl Priority {
    /// 0, which is also the default.
    pub const NORMAL: Priority = Priority(0);
    /// Before everything else.
    pub const HIGHEST: Priority = Priority(i32::MAX);
    /// After everything else.
    pub const LOWEST: Priority = Priority(i32::MIN);

    /// The priority of something at a distance, in any unit: the nearer, the higher, and never above
    /// [`NORMAL`](Self::NORMAL). Distances that differ by less than a millionth of their size may have one priority. A
    /// negative distance counts as 0, and NaN as infinitely far.
    pub fn by_distance(distance: f32) -> Self {
        let distance = if distance.is_nan() { f32::INFINITY } else { distance.max(0.0) };
        // The bits of floats without a sign are in the order of the floats.
        let distance = distance.abs();
        Priority((distance.to_bits() as i32).wrapping_neg())
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_the_higher() {
        let distances = [0.0, 1e-9, 0.5, 0.75, 1.0, 4.0, 1e9, f32::INFINITY];
        let priorities = distances.map(Priority::by_distance);
        assert!(priorities.windows(2).all(|pair| pair[0] > pair[1]), "{priorities:?}");
        assert_eq!(Priority::by_distance(-1.0), Priority::NORMAL);
        assert_eq!(Priority::by_distance(-0.0), Priority::NORMAL);
        assert_eq!(Priority::by_distance(f32::NAN), Priority::by_distance(f32::INFINITY));
        assert!(Priority::by_distance(f32::INFINITY) > Priority::LOWEST);
    }
}
