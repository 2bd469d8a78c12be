//! The encodings of vertices and texture coordinates in [`meshlens_lens`], with names for those of Unreal meshes.
//!
//! Each is a type and, under the same name, its only value, to give to a [`Lens`](meshlens_lens::Lens).
#![allow(
    non_upper_case_globals,
    reason = "values have the names of their types, as of structs without fields"
)]

pub use meshlens_lens::encoding::*;

use rounding::TOWARD_ZERO;

/// A packed position as the stored integers: -1024 to 1023 in X and Y, -512 to 511 in Z (Unreal: Appendix C).
pub type UnrealPackedInteger = PackedInteger<11, 11, 10>;
/// The value of the encoding of the same name.
pub const UnrealPackedInteger: UnrealPackedInteger = PackedInteger;

/// A packed position as the stored integers, in floats. Engines scale these, Z by twice the scale of X and Y.
pub type UnrealPacked = Packed<11, 11, 10>;
/// The value of the encoding of the same name.
pub const UnrealPacked: UnrealPacked = Packed;

/// A packed position in the units of the tools that write it: X / 8, Y / 8, Z / 4.
///
/// Encoding is the formula of Appendix C, which cuts off the fraction, but clamps to -128 and 127.875 (Z: 127.75) where
/// the formula wraps around.
pub type UnrealPackedUnits = Packed<11, 11, 10, 3, 3, 2>;
/// The value of the encoding of the same name.
pub const UnrealPackedUnits: UnrealPackedUnits = Packed;

/// A 16-bit position, as Deus Ex stores it, as integers. Two bytes of padding follow.
pub type UnrealWideInteger = I16<3>;
/// The value of the encoding of the same name.
pub const UnrealWideInteger: UnrealWideInteger = I16;

/// A 16-bit position as the stored integers, in floats. No scale is published. Encoding cuts off the fraction, as that
/// of packed positions does. Two bytes of padding follow.
pub type UnrealWide = Scaled<i16, 3, 1, TOWARD_ZERO>;
/// The value of the encoding of the same name.
pub const UnrealWide: UnrealWide = Scaled::new();

/// A texture coordinate (Unreal: Texture Triangle Coordinates): U to the right and V down, one byte each, 255 to the
/// whole texture.
pub type UnrealTexcoord = Unorm8<2>;
/// The value of the encoding of the same name.
pub const UnrealTexcoord: UnrealTexcoord = Unorm8;
