//! The priority of requests.

use std::fmt;

/// The priority of a request: higher ones are served first. Requests of the same priority are served in the order in
/// which they were made.
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
    /// The highest priority.
    pub const HIGHEST: Priority = Priority(i32::MAX);
    /// The lowest priority.
    pub const LOWEST: Priority = Priority(i32::MIN);

    /// A priority for an object at a distance, in any unit: nearer objects have a higher priority, and none is above
    /// [`NORMAL`](Self::NORMAL). Distances that differ by less than a millionth of their size may have the same
    /// priority. A negative distance counts as 0, and NaN as infinite.
    pub fn by_distance(distance: f32) -> Self {
        let distance = if distance.is_nan() { f32::INFINITY } else { distance.max(0.0) };
        // The bits of non-negative floats have the same order as the floats.
        let distance = distance.abs();
        Priority((distance.to_bits() as i32).wrapping_neg())
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
