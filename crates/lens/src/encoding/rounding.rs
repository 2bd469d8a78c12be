//! How encoding turns a number into an integer: the values of the parameter `ROUNDING` of encodings.

/// To the nearest integer, halves away from zero.
pub const NEAREST: u8 = 0;
/// Toward zero: the fraction is cut off, as the tools of many formats do.
pub const TOWARD_ZERO: u8 = 1;

/// `value`, rounded such that a cast to an integer type gives the result.
#[inline]
pub(super) fn round<const ROUNDING: u8>(value: f32) -> f32 {
    const { assert!(ROUNDING <= TOWARD_ZERO, "`ROUNDING` is one of the constants of this module") };
    // The cast itself truncates.
    if ROUNDING == NEAREST { libm::roundf(value) } else { value }
}
