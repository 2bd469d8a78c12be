//! The formats of vertex attributes.

use meshlens_wire::{ErrorKind, Expected};

use crate::ComponentType;
use crate::component::ValueType;
use crate::window::to_i64;

/// The storage format of one attribute of a vertex buffer, with the names of WebGPU.
///
/// [`decode_interleaved`](crate::decode_interleaved) stores floats in every format except the integer formats (`Uint`
/// and `Sint`), which contain integers. Missing components are stored as 0, and a missing fourth component as 1, as on
/// GPUs. Normalized integers are rounded to the nearest, ties to even. Values out of range are clamped, and NaN becomes
/// 0. The bits are the same at every level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum VertexFormat {
    /// One float.
    Float32,
    /// Two floats.
    Float32x2,
    /// Three floats.
    Float32x3,
    /// Four floats.
    Float32x4,
    /// Two half floats.
    Float16x2,
    /// Four half floats.
    Float16x4,
    /// Two signed normalized 16-bit integers: 32767 is 1.
    Snorm16x2,
    /// Four signed normalized 16-bit integers: 32767 is 1.
    Snorm16x4,
    /// Two signed normalized bytes: 127 is 1.
    Snorm8x2,
    /// Four signed normalized bytes: 127 is 1.
    Snorm8x4,
    /// Two unsigned normalized 16-bit integers: 65535 is 1.
    Unorm16x2,
    /// Four unsigned normalized 16-bit integers: 65535 is 1.
    Unorm16x4,
    /// Two unsigned normalized bytes: 255 is 1.
    Unorm8x2,
    /// Four unsigned normalized bytes: 255 is 1.
    Unorm8x4,
    /// A direction of three components in octahedral encoding; WebGPU reads it as `Snorm16x2`.
    Octahedral16x2,
    /// A direction in octahedral encoding, in the first two of four signed normalized bytes; WebGPU reads it as
    /// `Snorm8x4`.
    Octahedral8x4,
    /// Two unsigned 8-bit integers.
    Uint8x2,
    /// Four unsigned 8-bit integers.
    Uint8x4,
    /// Two unsigned 16-bit integers.
    Uint16x2,
    /// Four unsigned 16-bit integers.
    Uint16x4,
    /// One unsigned 32-bit integer.
    Uint32,
    /// Two unsigned 32-bit integers.
    Uint32x2,
    /// Three unsigned 32-bit integers.
    Uint32x3,
    /// Four unsigned 32-bit integers.
    Uint32x4,
    /// Two signed 8-bit integers.
    Sint8x2,
    /// Four signed 8-bit integers.
    Sint8x4,
    /// Two signed 16-bit integers.
    Sint16x2,
    /// Four signed 16-bit integers.
    Sint16x4,
    /// One signed 32-bit integer.
    Sint32,
    /// Two signed 32-bit integers.
    Sint32x2,
    /// Three signed 32-bit integers.
    Sint32x3,
    /// Four signed 32-bit integers.
    Sint32x4,
}

impl VertexFormat {
    /// The size of one stored component in bytes, and the number of components.
    pub(crate) const fn layout(self) -> (usize, usize) {
        match self {
            VertexFormat::Snorm8x2
            | VertexFormat::Unorm8x2
            | VertexFormat::Uint8x2
            | VertexFormat::Sint8x2 => (1, 2),
            VertexFormat::Snorm8x4
            | VertexFormat::Unorm8x4
            | VertexFormat::Octahedral8x4
            | VertexFormat::Uint8x4
            | VertexFormat::Sint8x4 => (1, 4),
            VertexFormat::Float16x2
            | VertexFormat::Snorm16x2
            | VertexFormat::Unorm16x2
            | VertexFormat::Octahedral16x2
            | VertexFormat::Uint16x2
            | VertexFormat::Sint16x2 => (2, 2),
            VertexFormat::Float16x4
            | VertexFormat::Snorm16x4
            | VertexFormat::Unorm16x4
            | VertexFormat::Uint16x4
            | VertexFormat::Sint16x4 => (2, 4),
            VertexFormat::Float32 | VertexFormat::Uint32 | VertexFormat::Sint32 => (4, 1),
            VertexFormat::Float32x2 | VertexFormat::Uint32x2 | VertexFormat::Sint32x2 => (4, 2),
            VertexFormat::Float32x3 | VertexFormat::Uint32x3 | VertexFormat::Sint32x3 => (4, 3),
            VertexFormat::Float32x4 | VertexFormat::Uint32x4 | VertexFormat::Sint32x4 => (4, 4),
        }
    }

    /// The type code of one stored component in numpy, such as `f4`, and the number of stored components.
    pub const fn numpy(self) -> (&'static str, usize) {
        use VertexFormat::*;
        let component = match self {
            Float32 | Float32x2 | Float32x3 | Float32x4 => "f4",
            Float16x2 | Float16x4 => "f2",
            Snorm16x2 | Snorm16x4 | Octahedral16x2 | Sint16x2 | Sint16x4 => "i2",
            Snorm8x2 | Snorm8x4 | Octahedral8x4 | Sint8x2 | Sint8x4 => "i1",
            Unorm16x2 | Unorm16x4 | Uint16x2 | Uint16x4 => "u2",
            Unorm8x2 | Unorm8x4 | Uint8x2 | Uint8x4 => "u1",
            Sint32 | Sint32x2 | Sint32x3 | Sint32x4 => "i4",
            Uint32 | Uint32x2 | Uint32x3 | Uint32x4 => "u4",
        };
        (component, self.layout().1)
    }

    /// The size of the attribute in bytes.
    pub const fn size(self) -> usize {
        let (size, components) = self.layout();
        size.saturating_mul(components)
    }

    /// The alignment of the attribute's offset and of the stride: the size of one component. WebGPU requires an
    /// alignment of 4 bytes for attributes of 4 bytes or more.
    pub const fn align(self) -> usize {
        self.layout().0
    }

    /// The number of stored components.
    pub const fn components(self) -> usize {
        match self {
            VertexFormat::Octahedral16x2 | VertexFormat::Octahedral8x4 => 3,
            _ => self.layout().1,
        }
    }

    /// Whether the format stores integers, which a shader does not read as floats.
    const fn is_integer(self) -> bool {
        use VertexFormat::*;
        let is_unsigned =
            matches!(self, Uint8x2 | Uint8x4 | Uint16x2 | Uint16x4 | Uint32 | Uint32x2 | Uint32x3 | Uint32x4);
        is_unsigned || self.is_signed()
    }

    /// The number of floats of a `Float32` format; `None` for other formats.
    pub(crate) const fn float_components(self) -> Option<usize> {
        match self {
            VertexFormat::Float32
            | VertexFormat::Float32x2
            | VertexFormat::Float32x3
            | VertexFormat::Float32x4 => Some(self.layout().1),
            _ => None,
        }
    }

    /// Whether values with this number of components are packed faster from planes.
    pub(crate) const fn wants_planes(self, components: usize) -> bool {
        match self {
            VertexFormat::Octahedral16x2 | VertexFormat::Octahedral8x4 => true,
            VertexFormat::Snorm8x4
            | VertexFormat::Unorm8x4
            | VertexFormat::Snorm16x4
            | VertexFormat::Unorm16x4 => components >= 3,
            _ => false,
        }
    }

    /// Whether an integer format is signed.
    pub(crate) const fn is_signed(self) -> bool {
        use VertexFormat::*;
        matches!(self, Sint8x2 | Sint8x4 | Sint16x2 | Sint16x4 | Sint32 | Sint32x2 | Sint32x3 | Sint32x4)
    }

    /// Checks that elements of `floats` floats, or of integers, can be stored in this format: they have no more components
    /// than the format, a direction has exactly three, and integers need an integer format of the same signedness.
    pub(crate) fn check(self, floats: usize, integers: Option<ValueType>) -> Result<(), ErrorKind> {
        let components = match (integers, self.is_integer()) {
            (Some(integers), true) => {
                let is_signed = match integers.component {
                    ComponentType::I8 | ComponentType::I16 | ComponentType::I32 => true,
                    ComponentType::U8 | ComponentType::U16 | ComponentType::U32 => false,
                    ComponentType::F32 => return Err(ErrorKind::Unsupported { what: "floats as integers" }),
                };
                if is_signed != self.is_signed() {
                    return Err(ErrorKind::Unsupported {
                        what: "a format of another sign than the integers",
                    });
                }
                integers.components
            }
            (None, true) => {
                return Err(ErrorKind::Unsupported { what: "an integer format for an array of floats" });
            }
            (Some(_), false) => {
                return Err(ErrorKind::Unsupported { what: "a float format for an array of integers" });
            }
            (None, false) => floats,
        };
        let exact = matches!(self, VertexFormat::Octahedral16x2 | VertexFormat::Octahedral8x4);
        if components == 0 || components > self.components() || exact && components != 3 {
            let most = to_i64(self.components());
            let expected = match (exact, components) {
                (true, _) => Expected::Exactly(3),
                (false, 0) => Expected::AtLeast(1),
                (false, _) => Expected::AtMost(most),
            };
            let what = if self.is_integer() {
                "integer components of the array"
            } else {
                "float components of the array"
            };
            return Err(ErrorKind::Value { what, expected, found: to_i64(components) });
        }
        Ok(())
    }
}

/// The value of a component that the source does not have.
pub(crate) const fn missing(component: usize) -> f32 {
    if component == 3 { 1.0 } else { 0.0 }
}
