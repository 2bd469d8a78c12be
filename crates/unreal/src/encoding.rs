//! The encodings of vertices and texture coordinates: the encodings of [`meshlens_lens`], with Unreal's names for some
//! of them.
//!
//! Each name is a type and also the only value of that type, which is passed to a [`Lens`](meshlens_lens::Lens).
#![allow(
    non_upper_case_globals,
    reason = "values have the names of their types, as of structs without fields"
)]

pub use meshlens_lens::encoding::*;

use rounding::TOWARD_ZERO;

/// A packed position as the stored integers: -1024 to 1023 in X and Y, -512 to 511 in Z (Unreal: Appendix C).
pub type UnrealPackedInteger = PackedInteger<11, 11, 10>;
/// The encoding as a value.
pub const UnrealPackedInteger: UnrealPackedInteger = PackedInteger;

/// A packed position as the stored integers, converted to floats. Engines scale them, with a scale for Z that is twice
/// the scale for X and Y.
pub type UnrealPacked = Packed<11, 11, 10>;
/// The encoding as a value.
pub const UnrealPacked: UnrealPacked = Packed;

/// A packed position in the units of the tools that write it: X / 8, Y / 8, Z / 4.
///
/// Encoding uses the truncating formula of Appendix C, except that it clamps to -128 and 127.875 (Z: 127.75) where the
/// formula wraps around.
pub type UnrealPackedUnits = Packed<11, 11, 10, 3, 3, 2>;
/// The encoding as a value.
pub const UnrealPackedUnits: UnrealPackedUnits = Packed;

/// A 16-bit position, as Deus Ex stores it, as integers. Two bytes of padding follow.
pub type UnrealWideInteger = I16<3>;
/// The encoding as a value.
pub const UnrealWideInteger: UnrealWideInteger = I16;

/// A 16-bit position as the stored integers, converted to floats. No scale is published. Encoding truncates, as for
/// packed positions. Two bytes of padding follow.
pub type UnrealWide = Scaled<i16, 3, 1, TOWARD_ZERO>;
/// The encoding as a value.
pub const UnrealWide: UnrealWide = Scaled::new();

/// A texture coordinate (Unreal: Texture Triangle Coordinates): U to the right and V down, one byte each. 255 is the
/// whole width or height of the texture.
pub type UnrealTexcoord = Unorm8<2>;
/// The encoding as a value.
pub const UnrealTexcoord: UnrealTexcoord = Unorm8;
