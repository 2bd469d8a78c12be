//! The ways in which encodings round to an integer: the values of their parameter `ROUNDING`.

/// Rounds to the nearest integer, halves away from zero.
pub const NEAREST: u8 = 0;
/// Rounds toward zero: the fraction is truncated, like by the tools of many formats.
pub const TOWARD_ZERO: u8 = 1;

/// Rounds `value`. The result must still be cast to an integer type.
#[inline]
pub(super) fn round<const ROUNDING: u8>(value: f32) -> f32 {
    const { assert!(ROUNDING <= TOWARD_ZERO, "`ROUNDING` is one of the constants of this module") };
    // The cast itself truncates.
    if ROUNDING == NEAREST { libm::roundf(value) } else { value }
}
