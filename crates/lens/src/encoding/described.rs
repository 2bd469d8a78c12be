//! The encodings as data.

use super::*;
use crate::array_format::{ArrayFormat, Described, Numbers, RecordField};
use crate::component::ComponentType;

macro_rules! described {
    ($($encoding:ty: $name:literal, $component:ident, $count:literal, $numbers:expr;)*) => {$(
        impl Described for $encoding {
            const FORMAT: &'static ArrayFormat =
                &ArrayFormat::new::<Self>($name, ComponentType::$component, $count, $numbers);
        }
    )*};
}

/// Describes encodings that differ only in how they round.
macro_rules! described_rounded {
    ($($encoding:ident<$count:literal>: $name:literal, $component:ident, $numbers:expr;)*) => {$(
        impl<const ROUNDING: u8> Described for $encoding<$count, ROUNDING> {
            const FORMAT: &'static ArrayFormat =
                &ArrayFormat::new::<Self>($name, ComponentType::$component, $count, $numbers);
        }
    )*};
}

macro_rules! described_scaled {
    ($($integer:ty: $name:literal, $component:ident, $count:literal;)*) => {$(
        impl<const DIVISOR: u32, const ROUNDING: u8> Described for Scaled<$integer, $count, DIVISOR, ROUNDING> {
            const FORMAT: &'static ArrayFormat = &ArrayFormat::new::<Self>(
                const {
                    let name = Name::new().text($name);
                    &if DIVISOR == 1 { name.text(" to f32") } else { name.text(" / ").number(DIVISOR) }
                }
                .as_str(),
                ComponentType::$component,
                $count,
                Numbers::Scaled(Self::SCALE),
            );
        }
    )*};
}

macro_rules! described_indices {
    ($($encoding:ty: $name:literal, $component:ident;)*) => {$(
        impl Described for $encoding {
            const FORMAT: &'static ArrayFormat =
                &ArrayFormat::of_indices::<Self>($name, ComponentType::$component);
        }
    )*};
}

described_indices! {
    U8<1>: "u8", U8;
    U8<2>: "u8x2", U8;
    U8<3>: "u8x3", U8;
    U8<4>: "u8x4", U8;
    U16<1>: "u16", U16;
    U16<2>: "u16x2", U16;
    U16<3>: "u16x3", U16;
    U16<4>: "u16x4", U16;
    U32<1>: "u32", U32;
    U32<2>: "u32x2", U32;
    U32<3>: "u32x3", U32;
    U32<4>: "u32x4", U32;
    I32<1>: "i32", I32;
    I32<2>: "i32x2", I32;
    I32<3>: "i32x3", I32;
    I32<4>: "i32x4", I32;
    IndexU8<1>: "u8 to u32", U8;
    IndexU8<2>: "u8x2 to u32", U8;
    IndexU8<3>: "u8x3 to u32", U8;
    IndexU8<4>: "u8x4 to u32", U8;
    IndexU16<1>: "u16 to u32", U16;
    IndexU16<2>: "u16x2 to u32", U16;
    IndexU16<3>: "u16x3 to u32", U16;
    IndexU16<4>: "u16x4 to u32", U16;
}

described! {
    I8<1>: "i8", I8, 1, Numbers::Plain;
    I8<2>: "i8x2", I8, 2, Numbers::Plain;
    I8<3>: "i8x3", I8, 3, Numbers::Plain;
    I8<4>: "i8x4", I8, 4, Numbers::Plain;
    I16<1>: "i16", I16, 1, Numbers::Plain;
    I16<2>: "i16x2", I16, 2, Numbers::Plain;
    I16<3>: "i16x3", I16, 3, Numbers::Plain;
    I16<4>: "i16x4", I16, 4, Numbers::Plain;
    F32<1>: "f32", F32, 1, Numbers::Plain;
    F32<2>: "f32x2", F32, 2, Numbers::Plain;
    F32<3>: "f32x3", F32, 3, Numbers::Plain;
    F32<4>: "f32x4", F32, 4, Numbers::Plain;
    ZenithAzimuth8: "u8x2 angles", U8, 2, Numbers::Angles;
    TruncatedZenithAzimuth8: "u8x2 angles, inverse", U8, 2, Numbers::Angles;
    LatitudeLongitude8: "i8x2 angles", I8, 2, Numbers::Angles;
    LatitudeLongitude8Full: "i8x2 angles, full latitude", I8, 2, Numbers::Angles;
    LatitudeLongitude16: "i16x2 angles", I16, 2, Numbers::Angles;
    TangentQuaternion16: "snorm16x4 tangent", I16, 4, Numbers::Snorm;
    TangentFrame16: "snorm16x4 to tangent frame", I16, 4, Numbers::Quaternion;
}

described_rounded! {
    Unorm8<2>: "unorm8x2", U8, Numbers::Unorm;
    Unorm8<3>: "unorm8x3", U8, Numbers::Unorm;
    Unorm8<4>: "unorm8x4", U8, Numbers::Unorm;
    Unorm16<1>: "unorm16", U16, Numbers::Unorm;
    Unorm16<2>: "unorm16x2", U16, Numbers::Unorm;
    Unorm16<3>: "unorm16x3", U16, Numbers::Unorm;
    Unorm16<4>: "unorm16x4", U16, Numbers::Unorm;
    Snorm16<2>: "snorm16x2", I16, Numbers::Snorm;
    Snorm16<3>: "snorm16x3", I16, Numbers::Snorm;
    Snorm16<4>: "snorm16x4", I16, Numbers::Snorm;
    BiasedUnorm16<2>: "unorm16x2 * 2 - 1", U16, Numbers::Ranged { min: -1.0, size: 2.0 };
    BiasedUnorm16<3>: "unorm16x3 * 2 - 1", U16, Numbers::Ranged { min: -1.0, size: 2.0 };
    BiasedUnorm16<4>: "unorm16x4 * 2 - 1", U16, Numbers::Ranged { min: -1.0, size: 2.0 };
}

described_scaled! {
    u8: "u8x2", U8, 2;
    u8: "u8x3", U8, 3;
    u8: "u8x4", U8, 4;
    u16: "u16x2", U16, 2;
    u16: "u16x3", U16, 3;
    u16: "u16x4", U16, 4;
    i16: "i16x2", I16, 2;
    i16: "i16x3", I16, 3;
    i16: "i16x4", I16, 4;
}

/// The x, y and z of a quaternion, and the sign of the bitangent.
const QUATERNION_FIELDS: &[RecordField] =
    &[RecordField::new("xyz", ComponentType::I16, 3, 0), RecordField::new("sign", ComponentType::I8, 1, 6)];

impl Described for TangentQuaternionXyz16 {
    const FORMAT: &'static ArrayFormat =
        &ArrayFormat::of_records::<Self>("i16x3, i8 quaternion", QUATERNION_FIELDS);
}

impl Described for TangentFrameXyz16 {
    const FORMAT: &'static ArrayFormat =
        &ArrayFormat::of_records::<Self>("i16x3, i8 to tangent frame", QUATERNION_FIELDS);
}

impl<const DIVISOR: u32> Described for PositionZenithAzimuth8<DIVISOR> {
    const FORMAT: &'static ArrayFormat = &ArrayFormat::of_records::<Self>(
        const { &Name::new().text("i16x3 / ").number(DIVISOR).text(", u8x2 angles") }.as_str(),
        &[
            RecordField::new("position", ComponentType::I16, 3, 0),
            RecordField::new("normal", ComponentType::U8, 2, 6),
        ],
    );
}

impl<const X: u32, const Y: u32, const Z: u32> Described for PackedInteger<X, Y, Z> {
    const FORMAT: &'static ArrayFormat = &ArrayFormat::new::<Self>(
        const { &Name::of_fields([X, Y, Z]).text(" to i16") }.as_str(),
        ComponentType::U32,
        1,
        Numbers::BitFields { bits: [X, Y, Z], scale: [1.0; 3] },
    );
}

impl<const X: u32, const Y: u32, const Z: u32, const XF: u32, const YF: u32, const ZF: u32> Described
    for Packed<X, Y, Z, XF, YF, ZF>
{
    const FORMAT: &'static ArrayFormat = &ArrayFormat::new::<Self>(
        const {
            let name = Name::of_fields([X, Y, Z]);
            &if XF == 0 && YF == 0 && ZF == 0 {
                name
            } else {
                let name = name.text(" / ").number(1 << XF);
                name.text(", ").number(1 << YF).text(", ").number(1 << ZF)
            }
        }
        .as_str(),
        ComponentType::U32,
        1,
        Numbers::BitFields { bits: [X, Y, Z], scale: Self::SCALE },
    );
}

/// The name of an encoding, composed from its parameters at compile time.
struct Name {
    bytes: [u8; 48],
    len: usize,
}

#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic,
    reason = "runs at compile time only"
)]
impl Name {
    const fn new() -> Self {
        Name { bytes: [0; 48], len: 0 }
    }

    const fn of_fields([x, y, z]: [u32; 3]) -> Self {
        Name::new().number(x).text("-").number(y).text("-").number(z).text(" bits")
    }

    const fn text(mut self, text: &str) -> Self {
        let mut at = 0;
        while at < text.len() {
            self.bytes[self.len] = text.as_bytes()[at];
            (self.len, at) = (self.len + 1, at + 1);
        }
        self
    }

    const fn number(self, number: u32) -> Self {
        let mut name = if number >= 10 { self.number(number / 10) } else { self };
        name.bytes[name.len] = b'0' + (number % 10) as u8;
        name.len += 1;
        name
    }

    const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(name) => name,
            Err(_) => panic!("names are made of texts and digits"),
        }
    }
}
