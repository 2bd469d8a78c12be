//! How encodings round to an integer: the values of their parameter `ROUNDING`.

/// Rounds to the nearest integer, halves away from zero.
pub const NEAREST: u8 = 0;
/// Rounds toward zero: the fraction is truncated, as the tools of many formats do.
pub const TOWARD_ZERO: u8 = 1;

/// Rounds `value`; a cast to an integer type then gives the result.
#[inline]
pub(super) fn round<const ROUNDING: u8>(value: f32) -> f32 {
    const { assert!(ROUNDING <= TOWARD_ZERO, "`ROUNDING` is one of the constants of this module") };
    // The cast itself truncates.
    if ROUNDING == NEAREST { libm::roundf(value) } else { value }
}
