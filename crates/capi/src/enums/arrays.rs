//! Enumerations of arrays and their encodings.

/// What the elements of an array are.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_semantic {
    /// Something that this version of the header has no name for.
    ML_SEMANTIC_OTHER = 0,
    /// Where a vertex is.
    ML_SEMANTIC_POSITION = 1,
    /// Which way the surface faces at a vertex.
    ML_SEMANTIC_NORMAL = 2,
    /// A position and a normal, interleaved in one record.
    ML_SEMANTIC_POSITION_NORMAL = 3,
    /// The tangent frame of a vertex: tangent, bitangent and normal as one rotation.
    ML_SEMANTIC_TANGENT_FRAME = 4,
    /// The sign of the bitangent, stored apart from the tangent frame.
    ML_SEMANTIC_BITANGENT_SIGN = 5,
    /// A place on a texture.
    ML_SEMANTIC_TEXCOORD = 6,
    /// The color of a vertex.
    ML_SEMANTIC_COLOR = 7,
    /// The joints that move a vertex.
    ML_SEMANTIC_JOINTS = 8,
    /// How much each joint moves a vertex.
    ML_SEMANTIC_WEIGHTS = 9,
    /// The three vertices of each triangle.
    ML_SEMANTIC_TRIANGLES = 10,
    /// Vertices, three in a row for each triangle.
    ML_SEMANTIC_INDICES = 11,
    /// Positions, three in a row for each triangle, if the format indexes positions apart from texture coordinates.
    ML_SEMANTIC_POINT_INDICES = 12,
    /// The material of each triangle.
    ML_SEMANTIC_MATERIALS = 13,
    /// How each triangle is drawn.
    ML_SEMANTIC_TRIANGLE_TYPE = 14,
    /// Where a vertex of the geometry for shadow volumes is.
    ML_SEMANTIC_SHADOW_POSITION = 15,
    /// Which way the geometry for shadow volumes faces at a vertex.
    ML_SEMANTIC_SHADOW_NORMAL = 16,
    /// The three vertices of each triangle of the geometry for shadow volumes.
    ML_SEMANTIC_SHADOW_TRIANGLES = 17,
    /// The frame of each translation key of a bone.
    ML_SEMANTIC_TRANSLATION_FRAMES = 18,
    /// The translation at each translation key of a bone.
    ML_SEMANTIC_TRANSLATIONS = 19,
    /// The frame of each rotation key of a bone.
    ML_SEMANTIC_ROTATION_FRAMES = 20,
    /// The rotation at each rotation key of a bone.
    ML_SEMANTIC_ROTATIONS = 21,
    /// The frame of each scale key of a bone.
    ML_SEMANTIC_SCALE_FRAMES = 22,
    /// The scale at each scale key of a bone.
    ML_SEMANTIC_SCALES = 23,
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

/// How stored numbers become the numbers of a decoded value.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_numbers {
    /// In a way that this version of the header has no name for.
    ML_NUMBERS_OTHER = 0,
    /// They are the value.
    ML_NUMBERS_PLAIN = 1,
    /// Unsigned integers are divided by the largest of their type: 0 to 1.
    ML_NUMBERS_UNORM = 2,
    /// Signed integers are divided by the largest of their type: -1 to 1.
    ML_NUMBERS_SNORM = 3,
    /// Integers are multiplied by scale.
    ML_NUMBERS_SCALED = 4,
    /// As ML_NUMBERS_UNORM, then multiplied by scale, then min is added.
    ML_NUMBERS_RANGED = 5,
    /// Signed bit fields of one integer, from its lowest bit on: bits says how wide each is, bit_scale what it is
    /// multiplied by.
    ML_NUMBERS_BIT_FIELDS = 6,
    /// Two integers are the angles of a direction.
    ML_NUMBERS_ANGLES = 7,
    /// A quaternion from which other numbers are computed.
    ML_NUMBERS_QUATERNION = 8,
    /// Several fields of different kinds.
    ML_NUMBERS_RECORD = 9,
    /// No way: makes the type 32 bits wide.
    ML_NUMBERS_FORCE_32_BITS = 0x7fff_ffff,
}
