//! The enumerations of results, files, arrays and their encodings.

use meshlens::lens::{ComponentType, Semantic, VertexFormat};

enums! {

/// A file format. Formats for which this version of the header has no constant also have a number and an
/// ml_format_name.
ml_format "format" ML_FORMAT {
    /// In options: detect the format by the first bytes.
    ML_FORMAT_DETECT = 0,
    /// Quake 3 MD3.
    ML_FORMAT_MD3 = 1,
    /// Ultimate 3D.
    ML_FORMAT_U3D = 2,
    /// Unreal vertex meshes.
    ML_FORMAT_UNREAL = 3,
    /// UNIGINE meshes and animations.
    ML_FORMAT_UNIGINE = 4,
}

/// The meaning of the elements of an array.
ml_semantic "semantic" ML_SEMANTIC = Semantic {
    /// A meaning that this version of the header does not define.
    ML_SEMANTIC_OTHER = 0,
    /// The positions of vertices.
    ML_SEMANTIC_POSITION = 1 => Position,
    /// The normals of vertices.
    ML_SEMANTIC_NORMAL = 2 => Normal,
    /// Positions and normals, interleaved in one record.
    ML_SEMANTIC_POSITION_NORMAL = 3 => PositionNormal,
    /// The tangent frames of vertices: tangent, bitangent and normal as one rotation, the quaternion x, y, z, w. It rotates
    /// the X axis to the tangent, Z to the normal, and Y to the bitangent, which is negated if w is negative, or if its
    /// ML_SEMANTIC_BITANGENT_SIGN is.
    ML_SEMANTIC_TANGENT_FRAME = 4 => TangentFrame,
    /// The signs of bitangents, stored apart from the tangent frames.
    ML_SEMANTIC_BITANGENT_SIGN = 5 => BitangentSign,
    /// Texture coordinates.
    ML_SEMANTIC_TEXCOORD = 6 => Texcoord,
    /// The colors of vertices.
    ML_SEMANTIC_COLOR = 7 => Color,
    /// The indices of the joints that move each vertex.
    ML_SEMANTIC_JOINTS = 8 => Joints,
    /// The weight of each joint of a vertex.
    ML_SEMANTIC_WEIGHTS = 9 => Weights,
    /// Triangles: three vertex indices each.
    ML_SEMANTIC_TRIANGLES = 10 => Triangles,
    /// Vertex indices, three for each triangle.
    ML_SEMANTIC_INDICES = 11 => Indices,
    /// Position indices, three for each triangle, in formats that index positions and texture coordinates separately.
    ML_SEMANTIC_POINT_INDICES = 12 => PointIndices,
    /// The material index of each triangle.
    ML_SEMANTIC_MATERIALS = 13 => Materials,
    /// The rendering type of each triangle.
    ML_SEMANTIC_TRIANGLE_TYPE = 14 => TriangleType,
    /// The vertex positions of the shadow volume geometry.
    ML_SEMANTIC_SHADOW_POSITION = 15 => ShadowPosition,
    /// The vertex normals of the shadow volume geometry.
    ML_SEMANTIC_SHADOW_NORMAL = 16 => ShadowNormal,
    /// The triangles of the shadow volume geometry: three vertex indices each.
    ML_SEMANTIC_SHADOW_TRIANGLES = 17 => ShadowTriangles,
    /// The frame numbers of a bone's translation keys.
    ML_SEMANTIC_TRANSLATION_FRAMES = 18 => TranslationFrames,
    /// The translations of a bone's translation keys.
    ML_SEMANTIC_TRANSLATIONS = 19 => Translations,
    /// The frame numbers of a bone's rotation keys.
    ML_SEMANTIC_ROTATION_FRAMES = 20 => RotationFrames,
    /// The rotations of a bone's rotation keys.
    ML_SEMANTIC_ROTATIONS = 21 => Rotations,
    /// The frame numbers of a bone's scale keys.
    ML_SEMANTIC_SCALE_FRAMES = 22 => ScaleFrames,
    /// The scales of a bone's scale keys.
    ML_SEMANTIC_SCALES = 23 => Scales,
    /// The tangents of vertices, along the S axis of the texture, and the signs of bitangents: four components.
    ML_SEMANTIC_TANGENT = 24 => Tangent,
}

/// How an attribute of a vertex buffer is stored, with the names of WebGPU. Normalized integers are rounded to the
/// nearest, ties to even, and values out of range are clamped. The integer formats (UINT, SINT) describe how a GPU can
/// read a stored array; only joints can be written in them.
ml_vertex_format "format" ML_VERTEX_FORMAT = VertexFormat {
    /// None: the array has to be decoded.
    ML_VERTEX_FORMAT_NONE = 0,
    /// One float.
    ML_VERTEX_FORMAT_FLOAT32 = 1 => Float32,
    /// Two floats.
    ML_VERTEX_FORMAT_FLOAT32X2 = 2 => Float32x2,
    /// Three floats.
    ML_VERTEX_FORMAT_FLOAT32X3 = 3 => Float32x3,
    /// Four floats.
    ML_VERTEX_FORMAT_FLOAT32X4 = 4 => Float32x4,
    /// Two half floats.
    ML_VERTEX_FORMAT_FLOAT16X2 = 5 => Float16x2,
    /// Four half floats.
    ML_VERTEX_FORMAT_FLOAT16X4 = 6 => Float16x4,
    /// Two signed normalized 16-bit integers: 32767 is 1.
    ML_VERTEX_FORMAT_SNORM16X2 = 7 => Snorm16x2,
    /// Four signed normalized 16-bit integers: 32767 is 1.
    ML_VERTEX_FORMAT_SNORM16X4 = 8 => Snorm16x4,
    /// Two signed normalized bytes: 127 is 1.
    ML_VERTEX_FORMAT_SNORM8X2 = 9 => Snorm8x2,
    /// Four signed normalized bytes: 127 is 1.
    ML_VERTEX_FORMAT_SNORM8X4 = 10 => Snorm8x4,
    /// Two unsigned normalized 16-bit integers: 65535 is 1.
    ML_VERTEX_FORMAT_UNORM16X2 = 11 => Unorm16x2,
    /// Four unsigned normalized 16-bit integers: 65535 is 1.
    ML_VERTEX_FORMAT_UNORM16X4 = 12 => Unorm16x4,
    /// Two unsigned normalized bytes: 255 is 1.
    ML_VERTEX_FORMAT_UNORM8X2 = 13 => Unorm8x2,
    /// Four unsigned normalized bytes: 255 is 1.
    ML_VERTEX_FORMAT_UNORM8X4 = 14 => Unorm8x4,
    /// A direction of three components in octahedral encoding; WebGPU reads it as Snorm16x2.
    ML_VERTEX_FORMAT_OCTAHEDRAL16X2 = 15 => Octahedral16x2,
    /// A direction in octahedral encoding, in the first two of four signed normalized bytes; WebGPU reads it as
    /// Snorm8x4.
    ML_VERTEX_FORMAT_OCTAHEDRAL8X4 = 16 => Octahedral8x4,
    /// Two unsigned 8-bit integers.
    ML_VERTEX_FORMAT_UINT8X2 = 17 => Uint8x2,
    /// Four unsigned 8-bit integers.
    ML_VERTEX_FORMAT_UINT8X4 = 18 => Uint8x4,
    /// Two unsigned 16-bit integers.
    ML_VERTEX_FORMAT_UINT16X2 = 19 => Uint16x2,
    /// Four unsigned 16-bit integers.
    ML_VERTEX_FORMAT_UINT16X4 = 20 => Uint16x4,
    /// One unsigned 32-bit integer.
    ML_VERTEX_FORMAT_UINT32 = 21 => Uint32,
    /// Two unsigned 32-bit integers.
    ML_VERTEX_FORMAT_UINT32X2 = 22 => Uint32x2,
    /// Three unsigned 32-bit integers.
    ML_VERTEX_FORMAT_UINT32X3 = 23 => Uint32x3,
    /// Four unsigned 32-bit integers.
    ML_VERTEX_FORMAT_UINT32X4 = 24 => Uint32x4,
    /// Two signed 8-bit integers.
    ML_VERTEX_FORMAT_SINT8X2 = 25 => Sint8x2,
    /// Four signed 8-bit integers.
    ML_VERTEX_FORMAT_SINT8X4 = 26 => Sint8x4,
    /// Two signed 16-bit integers.
    ML_VERTEX_FORMAT_SINT16X2 = 27 => Sint16x2,
    /// Four signed 16-bit integers.
    ML_VERTEX_FORMAT_SINT16X4 = 28 => Sint16x4,
    /// One signed 32-bit integer.
    ML_VERTEX_FORMAT_SINT32 = 29 => Sint32,
    /// Two signed 32-bit integers.
    ML_VERTEX_FORMAT_SINT32X2 = 30 => Sint32x2,
    /// Three signed 32-bit integers.
    ML_VERTEX_FORMAT_SINT32X3 = 31 => Sint32x3,
    /// Four signed 32-bit integers.
    ML_VERTEX_FORMAT_SINT32X4 = 32 => Sint32x4,
}

/// The outcome of a call. ML_OK is 0; every other code is an error.
ml_result "result" ML_RESULT {
    /// The call succeeded.
    ML_OK = 0,
    /// An argument is invalid: NULL where a pointer is required, a pointer that is not aligned, an unknown number, a
    /// struct with an invalid size.
    ML_ERROR_ARGUMENT = 1,
    /// A handle was already closed, or has another type. Only builds with debug assertions detect this.
    ML_ERROR_HANDLE = 2,
    /// A bug of this library. Please report it.
    ML_ERROR_INTERNAL = 3,
    /// A progress callback stopped the call.
    ML_ERROR_CANCELLED = 4,
    /// A callback of the caller reported an error, or violated its contract.
    ML_ERROR_CALLBACK = 5,
    /// The system, or the caller's allocator, does not have enough memory.
    ML_ERROR_MEMORY = 6,
    /// The memory limit of the options would be exceeded.
    ML_ERROR_MEMORY_LIMIT = 7,
    /// The operating system could not open, read or write a file.
    ML_ERROR_IO = 8,
    /// The file does not exist.
    ML_ERROR_NOT_FOUND = 9,
    /// A name leads out of its folder, or is not a valid name.
    ML_ERROR_REFUSED = 10,
    /// Several files differ from a name only in case.
    ML_ERROR_AMBIGUOUS = 11,
    /// An archive, or an entry of it, cannot be read.
    ML_ERROR_ARCHIVE = 12,
    /// The request has not ended yet, or the requested data are not known yet.
    ML_ERROR_NOT_READY = 13,
    /// A table or record would end after the last byte of the file.
    ML_ERROR_OUT_OF_BOUNDS = 100,
    /// A table or record would end after the last byte of the chunk that holds it.
    ML_ERROR_OUT_OF_CHUNK = 101,
    /// Only a part of the file was given, and the requested data is outside it.
    ML_ERROR_INCOMPLETE = 102,
    /// The bytes that identify the format were not found.
    ML_ERROR_MAGIC = 103,
    /// The file has an unknown version of the format.
    ML_ERROR_VERSION = 104,
    /// A number is outside the range that the format or the call allows.
    ML_ERROR_VALUE = 105,
    /// An index or a frame is not below its count.
    ML_ERROR_INDEX = 106,
    /// An output or a list has the wrong length.
    ML_ERROR_LENGTH = 107,
    /// The model does not have the requested item.
    ML_ERROR_MISSING = 108,
    /// Two numbers that depend on each other do not fit.
    ML_ERROR_MISMATCH = 109,
    /// A number is NaN or infinite. No function of this version returns it: ml_validate reports such numbers as findings.
    ML_ERROR_NOT_FINITE = 110,
    /// A string has no NUL before the end of the bytes.
    ML_ERROR_UNTERMINATED = 111,
    /// The file exceeds a limit of the reader.
    ML_ERROR_LIMIT = 112,
    /// A text does not follow its grammar.
    ML_ERROR_SYNTAX = 113,
    /// The file uses something that is not supported, or an array cannot be read this way.
    ML_ERROR_UNSUPPORTED = 114,
    /// The file is encrypted, and no password was given.
    ML_ERROR_ENCRYPTED = 115,
    /// The password is wrong, or the encrypted content is damaged.
    ML_ERROR_PASSWORD_WRONG = 116,
    /// The password is longer than the key.
    ML_ERROR_PASSWORD_TOO_LONG = 117,
    /// The file is encrypted in a way that is not documented.
    ML_ERROR_ENCRYPTION_UNKNOWN = 118,
    /// The file is a pointer of Git LFS.
    ML_ERROR_GIT_LFS_POINTER = 119,
}

/// The role of a file in a model.
ml_role "role" ML_ROLE {
    /// The role that its name implies: see ml_open_files.
    ML_ROLE_BY_NAME = 0,
    /// The model itself: an .md3, .u3d, .mesh or .anim file.
    ML_ROLE_MODEL = 1,
    /// The triangles of an Unreal mesh: x_d.3d, DATAnn.3d.
    ML_ROLE_GEOMETRY = 2,
    /// The vertices of an Unreal mesh: x_a.3d, ANIVnn.3d.
    ML_ROLE_FRAMES = 3,
    /// The script of an Unreal mesh: .uc.
    ML_ROLE_SCRIPT = 4,
    /// The animation.cfg of a player, for its legs (lower.md3).
    ML_ROLE_ANIMATION_CONFIG_LEGS = 5,
    /// The animation.cfg of a player, for its torso (upper.md3).
    ML_ROLE_ANIMATION_CONFIG_TORSO = 6,
    /// The clips of an MD3 model that is not part of a player: x.animation.cfg.
    ML_ROLE_NAMED_CLIPS = 7,
    /// The skin of an MD3 model: x.skin.
    ML_ROLE_SKIN = 8,
    /// Animations for a UNIGINE mesh: .anim.
    ML_ROLE_ANIMATION = 9,
}

/// How ml_open_files accesses the bytes of a file of the operating system.
ml_access "access" ML_ACCESS {
    /// Read the file into memory.
    ML_ACCESS_READ = 0,
    /// Map the file. It must not be truncated or written to before ml_close, by this process or any other. A file that
    /// cannot be mapped is read.
    ML_ACCESS_MAP = 1,
}

/// The owner of the bytes of ml_open_memory and ml_open_files.
ml_ownership "ownership" ML_OWNERSHIP {
    /// The caller: the bytes must stay in place, unchanged, until ml_close. Nothing is copied.
    ML_OWNERSHIP_BORROW = 0,
    /// The file gets a copy.
    ML_OWNERSHIP_COPY = 1,
}

/// The type of a number.
ml_component "component" ML_COMPONENT = ComponentType {
    /// uint8_t.
    ML_COMPONENT_U8 = 1 => U8,
    /// int8_t.
    ML_COMPONENT_I8 = 2 => I8,
    /// uint16_t.
    ML_COMPONENT_U16 = 3 => U16,
    /// int16_t.
    ML_COMPONENT_I16 = 4 => I16,
    /// uint32_t.
    ML_COMPONENT_U32 = 5 => U32,
    /// int32_t.
    ML_COMPONENT_I32 = 6 => I32,
    /// float.
    ML_COMPONENT_F32 = 7 => F32,
}

/// How stored numbers are converted to the numbers of a decoded value.
ml_numbers "way" ML_NUMBERS {
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
}

}
