//! The formats of vertex attributes, and the conversion of floats to them.

use meshlens_wire::{ErrorKind, Expected};

use crate::attribute::Room;
use crate::lens::to_i64;
use crate::simd::convert;
use crate::simd::planes;
use crate::{AttributeSource, ComponentType, Level};

/// How one attribute of a vertex buffer is stored, with the names of WebGPU.
///
/// [`decode_interleaved`](crate::decode_interleaved) stores floats in every format except the integer ones (`Uint` and
/// `Sint`), which hold integers. Components that the source does not have become 0, and a missing fourth component
/// becomes 1, as on GPUs. Normalized integers are rounded to the nearest, ties to even. Values out of range are
/// clamped, and NaN becomes 0. Every level gives the same bits.
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
    const fn layout(self) -> (usize, usize) {
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

    /// The size of the attribute in bytes.
    pub const fn size(self) -> usize {
        let (size, components) = self.layout();
        size.saturating_mul(components)
    }

    /// The alignment of the attribute's offset and of the stride: the size of one component. (WebGPU requires 4 bytes
    /// if the attribute has at least 4.)
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
        matches!(
            self,
            VertexFormat::Uint8x2
                | VertexFormat::Uint8x4
                | VertexFormat::Uint16x2
                | VertexFormat::Uint16x4
                | VertexFormat::Uint32
                | VertexFormat::Uint32x2
                | VertexFormat::Uint32x3
                | VertexFormat::Uint32x4
                | VertexFormat::Sint8x2
                | VertexFormat::Sint8x4
                | VertexFormat::Sint16x2
                | VertexFormat::Sint16x4
                | VertexFormat::Sint32
                | VertexFormat::Sint32x2
                | VertexFormat::Sint32x3
                | VertexFormat::Sint32x4
        )
    }

    /// The number of floats of a `Float32` format, `None` for the others.
    pub(crate) const fn float_components(self) -> Option<usize> {
        match self {
            VertexFormat::Float32
            | VertexFormat::Float32x2
            | VertexFormat::Float32x3
            | VertexFormat::Float32x4 => Some(self.layout().1),
            _ => None,
        }
    }

    /// Whether values with so many components are packed faster from planes.
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
    const fn is_signed(self) -> bool {
        matches!(
            self,
            VertexFormat::Sint8x2
                | VertexFormat::Sint8x4
                | VertexFormat::Sint16x2
                | VertexFormat::Sint16x4
                | VertexFormat::Sint32
                | VertexFormat::Sint32x2
                | VertexFormat::Sint32x3
                | VertexFormat::Sint32x4
        )
    }

    /// Checks that a source can be stored in this format: it has no more components than the format, a direction has
    /// exactly three, and integers need an integer format of the same signedness.
    pub(crate) fn check(self, source: &dyn AttributeSource) -> Result<(), ErrorKind> {
        let components = match (source.integers(), self.is_integer()) {
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
            (None, false) => source.components(),
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

impl Room {
    /// Packs `values`, with `components` to the element, as `format` into `column`, which has room for `count`
    /// elements.
    pub(crate) fn pack_values(
        &mut self,
        level: Level,
        format: VertexFormat,
        components: usize,
        count: usize,
        column: &mut [u8],
    ) {
        let Room { values, wide, .. } = self;
        let stored = format.components();
        if (format, components) == (VertexFormat::Float16x4, 3) {
            let column: &mut [[u16; 4]] = bytemuck::cast_slice_mut(column);
            let done = convert::wide_halves(level, values, column);
            for (out, value) in column.iter_mut().zip(values.0.as_chunks::<3>().0).take(count).skip(done) {
                let [x, y, z] = value.map(convert::half);
                *out = [x, y, z, 0x3c00];
            }
            return;
        }
        let floats = if components == stored {
            values
        } else {
            convert::widen(level, values, components, stored, count, wide);
            wide
        };
        let floats = floats.0.get(..count.saturating_mul(stored)).unwrap_or_default();
        match format {
            VertexFormat::Float16x2 | VertexFormat::Float16x4 => {
                convert::halves(level, floats, bytemuck::cast_slice_mut(column));
            }
            VertexFormat::Snorm16x2 | VertexFormat::Snorm16x4 => {
                convert::snorm16(level, floats, bytemuck::cast_slice_mut(column));
            }
            VertexFormat::Unorm16x2 | VertexFormat::Unorm16x4 => {
                convert::unorm16(level, floats, bytemuck::cast_slice_mut(column));
            }
            VertexFormat::Snorm8x2 | VertexFormat::Snorm8x4 => {
                convert::snorm8(level, floats, bytemuck::cast_slice_mut(column));
            }
            VertexFormat::Unorm8x2 | VertexFormat::Unorm8x4 => convert::unorm8(level, floats, column),
            _ => {
                if let Some(column) = column.get_mut(..size_of_val(floats)) {
                    column.copy_from_slice(bytemuck::cast_slice(floats));
                }
            }
        }
    }

    /// Like [`pack_values`](Self::pack_values), for values in planes.
    pub(crate) fn pack_planes(
        &mut self,
        level: Level,
        format: VertexFormat,
        components: usize,
        count: usize,
        column: &mut [u8],
    ) {
        use VertexFormat::*;
        use bytemuck::cast_slice_mut as cast;
        let [planes, _] = &mut self.planes;
        match (format, components) {
            (Octahedral16x2, _) => planes::octahedrals::<16>(level, planes, cast(column)),
            (Octahedral8x4, _) => planes::octahedrals::<8>(level, planes, cast(column)),
            (Snorm8x4, 3 | 4) => planes::normalized8::<true>(level, components, planes, cast(column)),
            (Unorm8x4, 3 | 4) => planes::normalized8::<false>(level, components, planes, cast(column)),
            (Snorm16x4, 3 | 4) => planes::normalized16::<true>(level, components, planes, cast(column)),
            (Unorm16x4, 3 | 4) => planes::normalized16::<false>(level, components, planes, cast(column)),
            _ => self.pack_joined(level, format, components, count, column),
        }
    }

    /// Like [`pack_planes`](Self::pack_planes), for formats that have no kernel of their own.
    fn pack_joined(
        &mut self,
        level: Level,
        format: VertexFormat,
        components: usize,
        count: usize,
        column: &mut [u8],
    ) {
        let Room { values, planes: [planes, _], .. } = self;
        let stored = format.components();
        for (component, plane) in planes.0.iter_mut().enumerate().take(stored).skip(components) {
            plane.fill(missing(component));
        }
        if format.float_components().is_some() {
            return planes::join(level, stored, planes, bytemuck::cast_slice_mut(column));
        }
        if let Some(values) = values.0.get_mut(..count.saturating_mul(stored)) {
            planes::join(level, stored, planes, values);
        }
        self.pack_values(level, format, stored, count, column);
    }
}

/// The value of a component that the source does not have.
pub(crate) const fn missing(component: usize) -> f32 {
    if component == 3 { 1.0 } else { 0.0 }
}

/// Converts `values`, with `components` to the element, to the integers of `format`. Values out of range are clamped.
pub(crate) fn pack_integers(format: VertexFormat, components: usize, values: &[u32], column: &mut [u8]) {
    let (size, stored) = format.layout();
    let slots = column.chunks_exact_mut(size.saturating_mul(stored));
    for (slot, value) in slots.zip(values.chunks_exact(components)) {
        for (component, slot) in slot.chunks_exact_mut(size).enumerate() {
            let integer = value.get(component).copied().unwrap_or(u32::from(component == 3));
            let signed = integer.cast_signed();
            match (format.is_signed(), slot) {
                (false, [slot]) => *slot = integer.min(u8::MAX.into()) as u8,
                (true, [slot]) => *slot = signed.clamp(i8::MIN.into(), i8::MAX.into()) as u8,
                (false, slot @ [_, _]) => {
                    slot.copy_from_slice(&(integer.min(u16::MAX.into()) as u16).to_ne_bytes())
                }
                (true, slot @ [_, _]) => {
                    slot.copy_from_slice(
                        &(signed.clamp(i16::MIN.into(), i16::MAX.into()) as i16).to_ne_bytes(),
                    );
                }
                (_, slot) => slot.copy_from_slice(&integer.to_ne_bytes()),
            }
        }
    }
}
