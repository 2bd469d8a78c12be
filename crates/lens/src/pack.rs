//! Converts values to the formats of vertex attributes.

use crate::attribute::Scratch;
use crate::simd::{convert, halves, planes};
use crate::vertex_format::missing;
use crate::{Level, VertexFormat};

impl Scratch {
    /// Packs `values`, with `components` per element, as `format` into `column`, which has the size of `count`
    /// elements.
    pub(crate) fn pack_values(
        &mut self,
        level: Level,
        format: VertexFormat,
        components: usize,
        count: usize,
        column: &mut [u8],
    ) {
        let Scratch { values, wide, .. } = self;
        let stored = format.components();
        if (format, components) == (VertexFormat::Float16x4, 3) {
            let column: &mut [[u16; 4]] = bytemuck::cast_slice_mut(column);
            let done = halves::wide_halves(level, values, column);
            for (out, value) in column.iter_mut().zip(values.0.as_chunks::<3>().0).take(count).skip(done) {
                let [x, y, z] = value.map(halves::half);
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
                halves::halves(level, floats, bytemuck::cast_slice_mut(column));
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

    /// Like [`pack_planes`](Self::pack_planes), for formats without a kernel.
    fn pack_joined(
        &mut self,
        level: Level,
        format: VertexFormat,
        components: usize,
        count: usize,
        column: &mut [u8],
    ) {
        let Scratch { values, planes: [planes, _], .. } = self;
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

/// Converts `values`, with `components` per element, to the integers of `format`. Values out of range are clamped.
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
