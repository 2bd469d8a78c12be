//! Enumerations of arrays and their encodings.

/// The meaning of the elements of an array.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_semantic {
    /// A meaning that this version of the header does not define.
    ML_SEMANTIC_OTHER = 0,
    /// The positions of vertices.
    ML_SEMANTIC_POSITION = 1,
    /// The normals of vertices.
    ML_SEMANTIC_NORMAL = 2,
    /// Positions and normals, interleaved in one record.
    ML_SEMANTIC_POSITION_NORMAL = 3,
    /// The tangent frames of vertices: tangent, bitangent and normal as one rotation.
    ML_SEMANTIC_TANGENT_FRAME = 4,
    /// The signs of bitangents, stored apart from the tangent frames.
    ML_SEMANTIC_BITANGENT_SIGN = 5,
    /// Texture coordinates.
    ML_SEMANTIC_TEXCOORD = 6,
    /// The colors of vertices.
    ML_SEMANTIC_COLOR = 7,
    /// The indices of the joints that move each vertex.
    ML_SEMANTIC_JOINTS = 8,
    /// The weight of each joint of a vertex.
    ML_SEMANTIC_WEIGHTS = 9,
    /// Triangles: three vertex indices each.
    ML_SEMANTIC_TRIANGLES = 10,
    /// Vertex indices, three for each triangle.
    ML_SEMANTIC_INDICES = 11,
    /// Position indices, three for each triangle, in formats that index positions and texture coordinates separately.
    ML_SEMANTIC_POINT_INDICES = 12,
    /// The material index of each triangle.
    ML_SEMANTIC_MATERIALS = 13,
    /// The rendering type of each triangle.
    ML_SEMANTIC_TRIANGLE_TYPE = 14,
    /// The vertex positions of the shadow volume geometry.
    ML_SEMANTIC_SHADOW_POSITION = 15,
    /// The vertex normals of the shadow volume geometry.
    ML_SEMANTIC_SHADOW_NORMAL = 16,
    /// The triangles of the shadow volume geometry: three vertex indices each.
    ML_SEMANTIC_SHADOW_TRIANGLES = 17,
    /// The frame numbers of a bone's translation keys.
    ML_SEMANTIC_TRANSLATION_FRAMES = 18,
    /// The translations of a bone's translation keys.
    ML_SEMANTIC_TRANSLATIONS = 19,
    /// The frame numbers of a bone's rotation keys.
    ML_SEMANTIC_ROTATION_FRAMES = 20,
    /// The rotations of a bone's rotation keys.
    ML_SEMANTIC_ROTATIONS = 21,
    /// The frame numbers of a bone's scale keys.
    ML_SEMANTIC_SCALE_FRAMES = 22,
    /// The scales of a bone's scale keys.
    ML_SEMANTIC_SCALES = 23,
    /// The tangents of vertices, along the S axis of the texture, and the signs of bitangents: four components.
    ML_SEMANTIC_TANGENT = 24,
    /// No semantic: makes the type 32 bits wide.
    ML_SEMANTIC_FORCE_32_BITS = 0x7fff_ffff,
}

/// The type of a number.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_component {
    /// uint8_t.
    ML_COMPONENT_U8 = 1,
    /// int8_t.
    ML_COMPONENT_I8 = 2,
    /// uint16_t.
    ML_COMPONENT_U16 = 3,
    /// int16_t.
    ML_COMPONENT_I16 = 4,
    /// uint32_t.
    ML_COMPONENT_U32 = 5,
    /// int32_t.
    ML_COMPONENT_I32 = 6,
    /// float.
    ML_COMPONENT_F32 = 7,
    /// No component: makes the type 32 bits wide.
    ML_COMPONENT_FORCE_32_BITS = 0x7fff_ffff,
}

/// How stored numbers are converted to the numbers of a decoded value.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_numbers {
    /// A conversion that this version of the header does not define.
    ML_NUMBERS_OTHER = 0,
    /// Stored numbers are the value.
    ML_NUMBERS_PLAIN = 1,
    /// Unsigned integers are divided by the largest of their type: 0 to 1.
    ML_NUMBERS_UNORM = 2,
    /// Signed integers are divided by the largest of their type: -1 to 1.
    ML_NUMBERS_SNORM = 3,
    /// Integers are multiplied by scale.
    ML_NUMBERS_SCALED = 4,
    /// Like ML_NUMBERS_UNORM, then multiplied by scale, then min is added.
    ML_NUMBERS_RANGED = 5,
    /// Signed bit fields of one integer, starting at its lowest bit: bits has the width of each field, and bit_scale
    /// its factor.
    ML_NUMBERS_BIT_FIELDS = 6,
    /// Two integers are the angles of a direction.
    ML_NUMBERS_ANGLES = 7,
    /// The numbers are a quaternion, from which the value is computed.
    ML_NUMBERS_QUATERNION = 8,
    /// The element has several fields of different kinds.
    ML_NUMBERS_RECORD = 9,
    /// No way: makes the type 32 bits wide.
    ML_NUMBERS_FORCE_32_BITS = 0x7fff_ffff,
}
