//! How the elements of an array are stored, as data.

use std::ffi::c_char;

use meshlens::lens::{ArrayFormat, Numbers};

use crate::enums::{ml_component, ml_vertex_format, raw};

/// The encoding of the elements of an array, and the values that they decode to. It belongs to the file and is never
/// modified.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_array_format {
    /// The size of the struct in this version of the library.
    pub size: usize,
    /// The name of the encoding, such as "i16x3 / 64". It is meant for people and may change.
    pub name: *const c_char,
    /// The type of the stored numbers.
    pub component: raw::ml_component,
    /// The number of stored numbers in an element.
    pub component_count: u32,
    /// How stored numbers are converted to the numbers of the value.
    pub numbers: raw::ml_numbers,
    /// For ML_NUMBERS_SCALED and ML_NUMBERS_RANGED: the factor of the numbers; otherwise 1.
    pub scale: f32,
    /// For ML_NUMBERS_RANGED: the value that is added; otherwise 0.
    pub min: f32,
    /// For ML_NUMBERS_BIT_FIELDS: the width of each field; otherwise 0.
    pub bits: [u32; 3],
    /// For ML_NUMBERS_BIT_FIELDS: the factor of each field; otherwise 0.
    pub bit_scale: [f32; 3],
    /// The number of bytes of an element, without the gap to the next one.
    pub element_size: u32,
    /// The type of the numbers that an element decodes to.
    pub value_component: raw::ml_component,
    /// The number of numbers that an element decodes to. A position with a normal has six; a tangent frame has four, the
    /// quaternion of ML_SEMANTIC_TANGENT_FRAME.
    pub value_component_count: u32,
    /// The number of bytes that an element decodes to.
    pub value_size: u32,
    /// Not 0 if elements are integers that can be vertex indices; ml_decode_indices reads them.
    pub is_indices: u32,
    /// The vertex format with which a GPU can read the stored array; ML_VERTEX_FORMAT_NONE if it has to be decoded. It
    /// may have one component more than the element; that component then reads the bytes after the element.
    pub gpu_format: raw::ml_vertex_format,
    /// The factor that a shader applies if a GPU reads the stored array.
    pub gpu_scale: f32,
    /// The glTF code of `component` if the array can be copied into an accessor; 0 if it has to be decoded.
    pub gltf_component_type: u32,
    /// Not 0 if that accessor is normalized.
    pub gltf_normalized: u32,
    /// The factor for the numbers of that accessor, applied with a node's scale or a texture transform.
    pub gltf_scale: f32,
}

pub(crate) fn describe(format: &ArrayFormat, name: *const c_char) -> ml_array_format {
    use crate::enums::ml_numbers::*;
    let (mut scale, mut min, mut bits, mut bit_scale) = (1.0, 0.0, [0; 3], [0.0; 3]);
    let numbers = match format.numbers() {
        Numbers::Plain => ML_NUMBERS_PLAIN,
        Numbers::Unorm => ML_NUMBERS_UNORM,
        Numbers::Snorm => ML_NUMBERS_SNORM,
        Numbers::Scaled(factor) => {
            scale = factor;
            ML_NUMBERS_SCALED
        }
        Numbers::Ranged { min: least, size } => {
            (min, scale) = (least, size);
            ML_NUMBERS_RANGED
        }
        Numbers::BitFields { bits: widths, scale: factors } => {
            (bits, bit_scale) = (widths, factors);
            ML_NUMBERS_BIT_FIELDS
        }
        Numbers::Angles => ML_NUMBERS_ANGLES,
        Numbers::Quaternion => ML_NUMBERS_QUATERNION,
        Numbers::Record => ML_NUMBERS_RECORD,
        _ => ML_NUMBERS_OTHER,
    };
    let (gpu, gltf) = (format.webgpu(), format.gltf());
    // Elements and values have few bytes.
    let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    ml_array_format {
        size: size_of::<ml_array_format>(),
        name,
        component: ml_component::number(format.component()),
        component_count: small(format.components()),
        numbers: numbers as i32,
        scale,
        min,
        bits,
        bit_scale,
        element_size: small(format.size()),
        value_component: ml_component::number(format.value().component),
        value_component_count: small(format.value().components),
        value_size: small(format.value().size()),
        is_indices: format.is_indices().into(),
        gpu_format: gpu.map_or(0, |gpu| ml_vertex_format::number(gpu.format)),
        gpu_scale: gpu.map_or(1.0, |gpu| gpu.scale),
        gltf_component_type: gltf.map_or(0, |gltf| gltf.component_type),
        gltf_normalized: gltf.is_some_and(|gltf| gltf.normalized).into(),
        gltf_scale: gltf.map_or(1.0, |gltf| gltf.scale),
    }
}
