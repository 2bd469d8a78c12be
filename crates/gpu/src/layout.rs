//! The binding of stored arrays: as vertex attributes where WebGPU allows it, otherwise as texels of integers that the
//! shader loads.
//!
//! Bindings do not depend on the file format: [`Table::binding`] uses only strides, offsets and
//! [`ArrayFormat`]s.

use meshlens::lens::encoding::{TangentFrameXyz16, TangentQuaternionXyz16};
use meshlens::lens::{ArrayFormat, ComponentType, Numbers, Semantic, VertexFormat};

use crate::wgsl::Scalar;

/// The limits on the binding of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest stride of a vertex buffer in bytes.
    pub vertex_stride: usize,
    /// The maximum number of attributes in all vertex buffers of a draw.
    pub vertex_attributes: usize,
    /// The maximum number of vertex buffers of a draw.
    pub vertex_buffers: usize,
    /// The largest width and height of a texture.
    pub texture_size: u32,
}

impl Limits {
    /// The limits of WebGL2, which every device supports: `wgpu::Limits::downlevel_webgl2_defaults`.
    pub const WEBGL2: Limits =
        Limits { vertex_stride: 255, vertex_attributes: 16, vertex_buffers: 8, texture_size: 2048 };
}

/// The vertex format in which a shader receives the stored numbers of an array: integers as integers, and normalized
/// integers as floats. `None` if there is no such format, for example for single bytes and for records. Such arrays are
/// bound as [`Texels`].
///
/// The format may have one component more than the array. Positions of 6 bytes are read as `Sint16x4`, whose last
/// component contains the next bytes of the record.
///
/// ```
/// use meshlens::lens::{Described, VertexFormat, encoding::{Packed, Scaled, ZenithAzimuth8}};
/// use meshlens_gpu::layout::stored_format;
///
/// assert_eq!(stored_format(Scaled::<i16, 3, 64>::FORMAT), Some(VertexFormat::Sint16x4));
/// assert_eq!(stored_format(ZenithAzimuth8::FORMAT), Some(VertexFormat::Uint8x2));
/// assert_eq!(stored_format(Packed::<11, 11, 10>::FORMAT), Some(VertexFormat::Uint32));
/// ```
pub const fn stored_format(format: &ArrayFormat) -> Option<VertexFormat> {
    if let Some(direct) = format.webgpu() {
        return Some(direct.format);
    }
    match (format.numbers(), format.component(), format.components()) {
        (Numbers::BitFields { .. }, ComponentType::U32, 1) => Some(VertexFormat::Uint32),
        (Numbers::Angles, ComponentType::U8, 2) => Some(VertexFormat::Uint8x2),
        (Numbers::Angles, ComponentType::I8, 2) => Some(VertexFormat::Sint8x2),
        (Numbers::Angles, ComponentType::I16, 2) => Some(VertexFormat::Sint16x2),
        (Numbers::Quaternion, ComponentType::I16, 4) => Some(VertexFormat::Sint16x4),
        (Numbers::Ranged { .. }, ComponentType::U16, 2) => Some(VertexFormat::Uint16x2),
        (Numbers::Ranged { .. }, ComponentType::U16, 3 | 4) => Some(VertexFormat::Uint16x4),
        _ => None,
    }
}

/// The type in which a shader receives an attribute with this format, and the number of its components.
pub const fn shader_type(format: VertexFormat) -> (Scalar, usize) {
    use VertexFormat::*;
    match format {
        Uint32 => (Scalar::U32, 1),
        Uint8x2 | Uint16x2 | Uint32x2 => (Scalar::U32, 2),
        Uint32x3 => (Scalar::U32, 3),
        Uint8x4 | Uint16x4 | Uint32x4 => (Scalar::U32, 4),
        Sint32 => (Scalar::I32, 1),
        Sint8x2 | Sint16x2 | Sint32x2 => (Scalar::I32, 2),
        Sint32x3 => (Scalar::I32, 3),
        Sint8x4 | Sint16x4 | Sint32x4 => (Scalar::I32, 4),
        Float32 => (Scalar::F32, 1),
        Float32x2 | Float16x2 | Snorm16x2 | Snorm8x2 | Unorm16x2 | Unorm8x2 | Octahedral16x2 => {
            (Scalar::F32, 2)
        }
        Float32x3 => (Scalar::F32, 3),
        _ => (Scalar::F32, 4),
    }
}

/// One array of a [`Table`]: a field of its records.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// The semantic of its elements.
    pub semantic: Semantic,
    /// The index of the set of texture coordinates; 0 for other arrays.
    pub set: usize,
    /// The encoding of its elements.
    pub format: &'static ArrayFormat,
    /// The offset of an element in its record, in bytes.
    pub offset: usize,
}

/// A table of records that contain one or more arrays: the stride of the records, and the arrays with their offsets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The number of bytes from one record to the next.
    pub stride: usize,
    /// The arrays, sorted by offset.
    pub fields: Vec<Field>,
}

/// The binding of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Binding {
    /// As a vertex buffer with the stride of the table: one attribute for each field.
    Attributes(Vec<Attribute>),
    /// As a texture of integers.
    Texels(Texels),
}

/// A field as a vertex attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// The format, with which a shader receives the stored numbers.
    pub format: VertexFormat,
    /// The offset in the record, in bytes.
    pub offset: usize,
}

/// A table as a texture of unsigned integers with one component: `R8Uint`, `R16Uint` or `R32Uint`. Texel `i` is integer
/// `i` of the table; rows are consecutive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Texels {
    /// The size of an integer in bytes: 1, 2 or 4.
    pub word: usize,
    /// The distance from one record to the next, in integers.
    pub stride: usize,
}

impl Table {
    /// The binding of the table with these limits.
    ///
    /// It is bound as attributes if every field has a [`stored_format`], the stride is a multiple of 4 and no larger
    /// than the limit, and every attribute is inside its record, at a multiple of 4, or of its size if that is smaller.
    /// Otherwise it is bound as texels, so that, for example, a table of 2-byte normals needs no padding.
    pub fn binding(&self, limits: &Limits) -> Binding {
        match self.attributes(limits) {
            Some(attributes) => Binding::Attributes(attributes),
            None => Binding::Texels(self.texels()),
        }
    }

    /// The table as vertex attributes; `None` if WebGPU does not allow it.
    pub fn attributes(&self, limits: &Limits) -> Option<Vec<Attribute>> {
        if !self.stride.is_multiple_of(4) || self.stride > limits.vertex_stride || self.fields.is_empty() {
            return None;
        }
        let attribute = |field: &Field| {
            let (format, offset) = (stored_format(field.format)?, field.offset);
            let size = format.size();
            let fits = offset.checked_add(size)? <= self.stride && offset.is_multiple_of(size.min(4));
            fits.then_some(Attribute { format, offset })
        };
        self.fields.iter().map(attribute).collect()
    }

    /// The table as texels, with the largest integers whose size divides the stride.
    pub fn texels(&self) -> Texels {
        let word = match self.stride {
            stride if stride.is_multiple_of(4) => 4,
            stride if stride.is_multiple_of(2) => 2,
            _ => 1,
        };
        Texels { word, stride: self.stride / word }
    }
}

/// A stored number of an element, as a shader assembles it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    /// The offset in the element, in bytes.
    pub(crate) offset: usize,
    pub(crate) component: ComponentType,
}

/// The stored numbers of an element. Records of quaternions are three integers and a sign.
pub(crate) fn numbers(format: &ArrayFormat) -> Vec<Number> {
    if format.is::<TangentQuaternionXyz16>() || format.is::<TangentFrameXyz16>() {
        let sign = Number { offset: 6, component: ComponentType::I8 };
        let integers = [0, 2, 4].map(|offset| Number { offset, component: ComponentType::I16 });
        return integers.into_iter().chain([sign]).collect();
    }
    let component = format.component();
    (0..format.components()).map(|index| Number { offset: index * component.size(), component }).collect()
}
