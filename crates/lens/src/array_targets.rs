//! The types with which glTF, GPUs and numpy read arrays as they are stored.

use crate::VertexFormat;
use crate::array_format::{ArrayFormat, Numbers};
use crate::component::ComponentType;

/// The glTF accessor into which an array can be copied without decoding.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GltfAccessor {
    /// `componentType`.
    pub component_type: u32,
    /// The number of components: 1 for `SCALAR`, 2 to 4 for `VEC2` to `VEC4`.
    pub components: usize,
    /// Whether the accessor is `normalized`.
    pub normalized: bool,
    /// The factor for the numbers of the accessor, applied with a node's scale or a texture transform; usually 1.
    pub scale: f32,
}

/// The vertex format with which a GPU can read the stored elements of an array.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GpuFormat {
    /// The vertex format. It may have one more component than the element, which reads the bytes after the element. The
    /// stride must be at least the [size](VertexFormat::size) of the format.
    pub format: VertexFormat,
    /// The number of components that belong to the element.
    pub components: usize,
    /// The factor by which a shader must multiply the numbers; usually 1.
    pub scale: f32,
}

impl ArrayFormat {
    /// The glTF accessor into which the array can be copied, with any stride; `None` if it must be decoded.
    pub const fn gltf(&self) -> Option<GltfAccessor> {
        let Some(component_type) = self.component().gltf() else { return None };
        let (normalized, scale) = match self.numbers() {
            Numbers::Plain => (false, 1.0),
            Numbers::Unorm | Numbers::Snorm => (true, 1.0),
            Numbers::Scaled(scale) => (false, scale),
            _ => return None,
        };
        Some(GltfAccessor { component_type, components: self.components(), normalized, scale })
    }

    /// The vertex format with which a GPU can read the stored array; `None` if the array must be decoded, on the CPU or
    /// in the shader. WebGPU also requires stride and offset to be multiples of 4, or of the size of a smaller format.
    pub const fn webgpu(&self) -> Option<GpuFormat> {
        use ComponentType::*;
        use VertexFormat::*;
        let scale = match self.numbers() {
            Numbers::Plain | Numbers::Unorm | Numbers::Snorm => 1.0,
            Numbers::Scaled(scale) => scale,
            _ => return None,
        };
        let normalized = matches!(self.numbers(), Numbers::Unorm | Numbers::Snorm);
        let format = match (self.component(), self.components(), normalized) {
            (F32, 1, _) => Float32,
            (F32, 2, _) => Float32x2,
            (F32, 3, _) => Float32x3,
            (F32, 4, _) => Float32x4,
            (U8, 2, true) => Unorm8x2,
            (U8, 3 | 4, true) => Unorm8x4,
            (U8, 2, false) => Uint8x2,
            (U8, 3 | 4, false) => Uint8x4,
            (I8, 2, true) => Snorm8x2,
            (I8, 3 | 4, true) => Snorm8x4,
            (I8, 2, false) => Sint8x2,
            (I8, 3 | 4, false) => Sint8x4,
            (U16, 2, true) => Unorm16x2,
            (U16, 3 | 4, true) => Unorm16x4,
            (U16, 2, false) => Uint16x2,
            (U16, 3 | 4, false) => Uint16x4,
            (I16, 2, true) => Snorm16x2,
            (I16, 3 | 4, true) => Snorm16x4,
            (I16, 2, false) => Sint16x2,
            (I16, 3 | 4, false) => Sint16x4,
            (U32, 1, false) => Uint32,
            (U32, 2, false) => Uint32x2,
            (U32, 3, false) => Uint32x3,
            (U32, 4, false) => Uint32x4,
            (I32, 1, false) => Sint32,
            (I32, 2, false) => Sint32x2,
            (I32, 3, false) => Sint32x3,
            (I32, 4, false) => Sint32x4,
            _ => return None,
        };
        Some(GpuFormat { format, components: self.components(), scale })
    }

    /// The numpy type of the stored numbers, and their number in each element. [`numbers`](Self::numbers) is their
    /// conversion. `None` if an element has [fields](Self::fields) of different types.
    pub const fn numpy(&self) -> Option<(&'static str, usize)> {
        match self.numbers() {
            Numbers::Record => None,
            _ => Some((self.component().numpy(), self.components())),
        }
    }
}
