//! Enumerations of vertex and index buffers.

/// The kind of a vertex attribute.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_attribute {
    /// The position: three components.
    ML_ATTRIBUTE_POSITION = 1,
    /// The normal: three components.
    ML_ATTRIBUTE_NORMAL = 2,
    /// The tangent, along U of the texture, and the sign of the bitangent: four components.
    ML_ATTRIBUTE_TANGENT = 3,
    /// The color: red, green, blue and alpha.
    ML_ATTRIBUTE_COLOR = 4,
    /// The texture coordinates of one set: two components, with the origin at the top left.
    ML_ATTRIBUTE_TEXCOORD = 5,
    /// The weights of up to four joints: four components that add up to 1.
    ML_ATTRIBUTE_WEIGHTS = 6,
    /// The indices of those joints. The format must be ML_VERTEX_FORMAT_UINT8X4 or ML_VERTEX_FORMAT_UINT16X4.
    ML_ATTRIBUTE_JOINTS = 7,
    /// No attribute: makes the type 32 bits wide.
    ML_ATTRIBUTE_FORCE_32_BITS = 0x7fff_ffff,
}

/// How an attribute of a vertex buffer is stored, with the names of WebGPU. Normalized integers are rounded to the
/// nearest, ties to even, and values out of range are clamped. The integer formats (UINT, SINT) describe how a GPU can
/// read a stored array; only joints can be written in them.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_vertex_format {
    /// None: the array has to be decoded.
    ML_VERTEX_FORMAT_NONE = 0,
    /// One float.
    ML_VERTEX_FORMAT_FLOAT32 = 1,
    /// Two floats.
    ML_VERTEX_FORMAT_FLOAT32X2 = 2,
    /// Three floats.
    ML_VERTEX_FORMAT_FLOAT32X3 = 3,
    /// Four floats.
    ML_VERTEX_FORMAT_FLOAT32X4 = 4,
    /// Two half floats.
    ML_VERTEX_FORMAT_FLOAT16X2 = 5,
    /// Four half floats.
    ML_VERTEX_FORMAT_FLOAT16X4 = 6,
    /// Two signed normalized 16-bit integers: 32767 is 1.
    ML_VERTEX_FORMAT_SNORM16X2 = 7,
    /// Four signed normalized 16-bit integers: 32767 is 1.
    ML_VERTEX_FORMAT_SNORM16X4 = 8,
    /// Two signed normalized bytes: 127 is 1.
    ML_VERTEX_FORMAT_SNORM8X2 = 9,
    /// Four signed normalized bytes: 127 is 1.
    ML_VERTEX_FORMAT_SNORM8X4 = 10,
    /// Two unsigned normalized 16-bit integers: 65535 is 1.
    ML_VERTEX_FORMAT_UNORM16X2 = 11,
    /// Four unsigned normalized 16-bit integers: 65535 is 1.
    ML_VERTEX_FORMAT_UNORM16X4 = 12,
    /// Two unsigned normalized bytes: 255 is 1.
    ML_VERTEX_FORMAT_UNORM8X2 = 13,
    /// Four unsigned normalized bytes: 255 is 1.
    ML_VERTEX_FORMAT_UNORM8X4 = 14,
    /// A direction of three components in octahedral encoding; WebGPU reads it as Snorm16x2.
    ML_VERTEX_FORMAT_OCTAHEDRAL16X2 = 15,
    /// A direction in octahedral encoding, in the first two of four signed normalized bytes; WebGPU reads it as
    /// Snorm8x4.
    ML_VERTEX_FORMAT_OCTAHEDRAL8X4 = 16,
    /// Two unsigned 8-bit integers.
    ML_VERTEX_FORMAT_UINT8X2 = 17,
    /// Four unsigned 8-bit integers.
    ML_VERTEX_FORMAT_UINT8X4 = 18,
    /// Two unsigned 16-bit integers.
    ML_VERTEX_FORMAT_UINT16X2 = 19,
    /// Four unsigned 16-bit integers.
    ML_VERTEX_FORMAT_UINT16X4 = 20,
    /// One unsigned 32-bit integer.
    ML_VERTEX_FORMAT_UINT32 = 21,
    /// Two unsigned 32-bit integers.
    ML_VERTEX_FORMAT_UINT32X2 = 22,
    /// Three unsigned 32-bit integers.
    ML_VERTEX_FORMAT_UINT32X3 = 23,
    /// Four unsigned 32-bit integers.
    ML_VERTEX_FORMAT_UINT32X4 = 24,
    /// Two signed 8-bit integers.
    ML_VERTEX_FORMAT_SINT8X2 = 25,
    /// Four signed 8-bit integers.
    ML_VERTEX_FORMAT_SINT8X4 = 26,
    /// Two signed 16-bit integers.
    ML_VERTEX_FORMAT_SINT16X2 = 27,
    /// Four signed 16-bit integers.
    ML_VERTEX_FORMAT_SINT16X4 = 28,
    /// One signed 32-bit integer.
    ML_VERTEX_FORMAT_SINT32 = 29,
    /// Two signed 32-bit integers.
    ML_VERTEX_FORMAT_SINT32X2 = 30,
    /// Three signed 32-bit integers.
    ML_VERTEX_FORMAT_SINT32X3 = 31,
    /// Four signed 32-bit integers.
    ML_VERTEX_FORMAT_SINT32X4 = 32,
    /// No format: makes the type 32 bits wide.
    ML_VERTEX_FORMAT_FORCE_32_BITS = 0x7fff_ffff,
}

/// The type of the indices of an index buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_index_format {
    /// uint16_t. The index 65535 is never used, because GPUs restart strips at it.
    ML_INDEX_UINT16 = 1,
    /// uint32_t.
    ML_INDEX_UINT32 = 2,
    /// No format: makes the type 32 bits wide.
    ML_INDEX_FORCE_32_BITS = 0x7fff_ffff,
}
