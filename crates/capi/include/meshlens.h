// meshlens: zero-copy, memory-mapped parsers for game mesh formats. C99, C++11 and later.
//
// This file is generated from the Rust crate meshlens-capi by its script `generate-header`; changes made here are lost.
//
//   ml_asset* file;
//   ml_error error = {0};
//   if (ml_open_path(NULL, "lower.md3", NULL, &file, &error) != ML_OK) {
//     fprintf(stderr, "%s\n", error.text);
//     return 1;
//   }
//   ml_array array = {0};
//   ml_get_array(file, 0, &array, NULL);        // location and encoding: nothing is decoded or copied
//   ml_decode(file, 0, NULL, out, size, NULL);  // decoded into your memory
//   ml_close(file);
//
// Results. Every call that can fail returns an ml_result; ML_OK is 0. If the last argument points to an ml_error, the call
// writes the reason and the location to it. Any call may return ML_ERROR_ARGUMENT, ML_ERROR_HANDLE and ML_ERROR_INTERNAL; the
// comment of each function lists the other errors. A call that fails leaves its outputs unchanged, unless its comment says
// otherwise.
//
// Features. A library that was built without some of its Cargo features lacks functions, which then do not link: GUIDE.md.
//
// Structs. Structs whose first member is `size` can grow in later versions. Initialize them with zeros. A size of 0 means the
// struct as it was in the first version of this interface; set `size` to sizeof the struct to use members that were added
// later. Options that are all zeros are the defaults; NULL means the same. Structs without `size` never change.
//
// Memory. Decoded values are written to memory of the caller. Texts and arrays that calls return pointers to belong to the
// handle, and stay valid and unchanged until it is closed. Texts are UTF-8 and NUL-terminated.
//
// Threads. There is no global and no thread-local state. Any number of threads may make calls at the same time, also with the
// same handle, except for the call that closes it. Callbacks are called on the thread that makes the call, except those of a
// streamer. They must not throw exceptions or leave with longjmp.
//
// Safety. A file may contain any bytes: an invalid file is an error, and never causes a read outside its bytes. Pointers must
// be NULL or valid, which cannot be checked. Builds with debug assertions detect handles that were closed.


#ifndef MESHLENS_H
#define MESHLENS_H

#include <stddef.h>
#include <stdint.h>

/// The index of an item that does not exist: no material, no parent, no animation.
#define ML_NONE SIZE_MAX

/// The version of the interface that this header describes. It changes when programs that were compiled with an older
/// header no longer work. New functions, and new members at the end of structs that begin with their size, do not
/// change it.
#define ML_ABI_VERSION 1

/// The offset of an error or a finding without a location in a file.
#define ML_NO_OFFSET UINT64_MAX



/// A flag of ml_glb_opts: show each frame until the next one, without interpolation.
#define ML_GLB_STEP 1

/// A flag of ml_glb_opts: store positions as the integers of the file, for readers that support KHR_mesh_quantization.
#define ML_GLB_QUANTIZE 2

/// A flag of ml_glb_opts: write only the normals of the frame at rest. The file has less than half the size.
#define ML_GLB_BASE_NORMALS 4

/// A flag of ml_glb_opts: compress without loss, for readers that support KHR_meshopt_compression.
#define ML_GLB_MESHOPT 8

/// A flag of ml_glb_opts: also write the coarser levels of detail of a model (MSFT_lod).
#define ML_GLB_LODS 16

/// A flag of ml_glb_opts: like ML_GLB_MESHOPT, for older readers, which support EXT_meshopt_compression.
#define ML_GLB_MESHOPT_EXT 32

/// A flag of ml_glb_opts: leave out the files that belong to a model, such as skins, shaders, coarser levels of detail and
/// animation.cfg. They travel in the extras of its node, and conversions of the glTF file write them again.
#define ML_GLB_NO_FILES 64

/// A flag of ml_glb_opts: also write the materials of all skins (KHR_materials_variants).
#define ML_GLB_VARIANTS 128

/// A flag of ml_glb_opts: find a skeleton that moves the vertices as the frames have them, in place of morph targets. All models
/// of the call get one skeleton.
#define ML_GLB_SKELETON 256

/// A flag of ml_asset_opts: do not look up coarser levels of detail.
#define ML_ASSET_NO_LODS 1

/// A flag of ml_asset_opts: keep the materials of the file. Without it, materials are resolved as in the game: shaders
/// are applied, and textures are files of the mounts.
#define ML_ASSET_NO_MATERIALS 2

/// A flag of ml_find_models: also check the first bytes of files without the extension of a model format.
#define ML_FIND_CONTENT 1

/// A flag of ml_find_models: also search in archives that are in folders.
#define ML_FIND_ARCHIVES 2

/// A flag of ml_find_models: also list the files of glTF.
#define ML_FIND_GLTF 4

/// A flag of ml_vertex_layout: write past the cache. For mapped staging memory, and for buffers larger than the cache.
/// Bytes that belong to no attribute become 0.
#define ML_LAYOUT_NON_TEMPORAL 1

/// A flag of ml_vertex_layout: write only positions, normals and tangents, which depend on the pose. Other bytes are
/// unchanged, so a buffer that was filled once without the flag is brought to the next pose with it. Not together with
/// ML_LAYOUT_NON_TEMPORAL.
#define ML_LAYOUT_MOVING 2

/// A flag of ml_streamer_opts: requests that have ended are listed for ml_poll_streamer. It must then be called
/// regularly, because the list grows until it is.
#define ML_STREAMER_LIST 1

/// A file format. Formats for which this version of the header has no constant also have a number and an
/// ml_format_name.
typedef enum ml_format {
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
  /// No format: makes the type 32 bits wide.
  ML_FORMAT_FORCE_32_BITS = 2147483647,
} ml_format;

/// The meaning of the elements of an array.
typedef enum ml_semantic {
  /// A meaning that this version of the header does not define.
  ML_SEMANTIC_OTHER = 0,
  /// The positions of vertices.
  ML_SEMANTIC_POSITION = 1,
  /// The normals of vertices.
  ML_SEMANTIC_NORMAL = 2,
  /// Positions and normals, interleaved in one record.
  ML_SEMANTIC_POSITION_NORMAL = 3,
  /// The tangent frames of vertices: tangent, bitangent and normal as one rotation, the quaternion x, y, z, w. It rotates
  /// the X axis to the tangent, Z to the normal, and Y to the bitangent, which is negated if w is negative, or if its
  /// ML_SEMANTIC_BITANGENT_SIGN is.
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
  ML_SEMANTIC_FORCE_32_BITS = 2147483647,
} ml_semantic;

/// How an attribute of a vertex buffer is stored, with the names of WebGPU. Normalized integers are rounded to the
/// nearest, ties to even, and values out of range are clamped. The integer formats (UINT, SINT) describe how a GPU can
/// read a stored array; only joints can be written in them.
typedef enum ml_vertex_format {
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
  ML_VERTEX_FORMAT_FORCE_32_BITS = 2147483647,
} ml_vertex_format;

/// The outcome of a call. ML_OK is 0; every other code is an error.
typedef enum ml_result {
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
  /// No result: makes the type 32 bits wide.
  ML_RESULT_FORCE_32_BITS = 2147483647,
} ml_result;

/// The role of a file in a model.
typedef enum ml_role {
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
  /// No role: makes the type 32 bits wide.
  ML_ROLE_FORCE_32_BITS = 2147483647,
} ml_role;

/// How ml_open_files accesses the bytes of a file of the operating system.
typedef enum ml_access {
  /// Read the file into memory.
  ML_ACCESS_READ = 0,
  /// Map the file. It must not be truncated or written to before ml_close, by this process or any other. A file that
  /// cannot be mapped is read.
  ML_ACCESS_MAP = 1,
  /// No access: makes the type 32 bits wide.
  ML_ACCESS_FORCE_32_BITS = 2147483647,
} ml_access;

/// The owner of the bytes of ml_open_memory and ml_open_files.
typedef enum ml_ownership {
  /// The caller: the bytes must stay in place, unchanged, until ml_close. Nothing is copied.
  ML_OWNERSHIP_BORROW = 0,
  /// The file gets a copy.
  ML_OWNERSHIP_COPY = 1,
  /// No ownership: makes the type 32 bits wide.
  ML_OWNERSHIP_FORCE_32_BITS = 2147483647,
} ml_ownership;

/// The type of a number.
typedef enum ml_component {
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
  ML_COMPONENT_FORCE_32_BITS = 2147483647,
} ml_component;

/// How stored numbers are converted to the numbers of a decoded value.
typedef enum ml_numbers {
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
  ML_NUMBERS_FORCE_32_BITS = 2147483647,
} ml_numbers;

/// A coordinate axis and its direction.
typedef enum ml_axis {
  /// +X.
  ML_AXIS_X = 1,
  /// +Y.
  ML_AXIS_Y = 2,
  /// +Z.
  ML_AXIS_Z = 3,
  /// -X.
  ML_AXIS_NEG_X = -1,
  /// -Y.
  ML_AXIS_NEG_Y = -2,
  /// -Z.
  ML_AXIS_NEG_Z = -3,
  /// No axis: makes the type 32 bits wide.
  ML_AXIS_FORCE_32_BITS = 2147483647,
} ml_axis;

/// The order of the corners of a triangle that faces the viewer, as seen on the screen.
typedef enum ml_winding {
  /// Clockwise.
  ML_WINDING_CLOCKWISE = 1,
  /// Counter-clockwise.
  ML_WINDING_COUNTER_CLOCKWISE = 2,
  /// No winding: makes the type 32 bits wide.
  ML_WINDING_FORCE_32_BITS = 2147483647,
} ml_winding;

/// The handedness of a coordinate system: thumb, index finger and middle finger of this hand point along X, Y and Z.
typedef enum ml_handedness {
  /// Right-handed.
  ML_HANDEDNESS_RIGHT = 1,
  /// Left-handed.
  ML_HANDEDNESS_LEFT = 2,
  /// No handedness: makes the type 32 bits wide.
  ML_HANDEDNESS_FORCE_32_BITS = 2147483647,
} ml_handedness;

/// The source of the alpha of a texture. Colors are 0 to 1 here; a texture without an alpha channel has alpha 1.
typedef enum ml_texture_alpha {
  /// The alpha channel of the image.
  ML_TEXTURE_ALPHA_STORED = 0,
  /// For images with a palette: 0 for the first color of the palette.
  ML_TEXTURE_ALPHA_FIRST_COLOR = 1,
  /// For additive blending: the largest component, by which the color is divided.
  ML_TEXTURE_ALPHA_ADD = 2,
  /// Like ML_TEXTURE_ALPHA_ADD, multiplied by the alpha channel.
  ML_TEXTURE_ALPHA_ADD_ALPHA = 3,
  /// For multiplied blending: 1 minus the largest component. The color is black.
  ML_TEXTURE_ALPHA_MULTIPLY = 4,
  /// Like ML_TEXTURE_ALPHA_MULTIPLY, for twice the color.
  ML_TEXTURE_ALPHA_MULTIPLY_2X = 5,
  /// For multiplied blending with the inverse color: the largest component. The color is black.
  ML_TEXTURE_ALPHA_MULTIPLY_INVERSE = 6,
  /// No alpha: makes the type 32 bits wide.
  ML_TEXTURE_ALPHA_FORCE_32_BITS = 2147483647,
} ml_texture_alpha;

/// How a texture continues outside 0 to 1, along one axis.
typedef enum ml_wrap {
  /// The texture repeats.
  ML_WRAP_REPEAT = 0,
  /// The texture repeats, and every second repetition is mirrored.
  ML_WRAP_MIRROR = 1,
  /// The texture is clamped to its edge texels.
  ML_WRAP_CLAMP = 2,
  /// No wrap: makes the type 32 bits wide.
  ML_WRAP_FORCE_32_BITS = 2147483647,
} ml_wrap;

/// How the alpha of a color is used.
typedef enum ml_alpha {
  /// Alpha is ignored.
  ML_ALPHA_OPAQUE = 0,
  /// Pixels with an alpha below the cutoff are not drawn.
  ML_ALPHA_MASK = 1,
  /// The color is blended with what was drawn before.
  ML_ALPHA_BLEND = 2,
  /// No alpha: makes the type 32 bits wide.
  ML_ALPHA_FORCE_32_BITS = 2147483647,
} ml_alpha;

/// The source of the texture coordinates of a material.
typedef enum ml_texture_coordinates {
  /// The texture coordinates of the surface.
  ML_TEXTURE_COORDINATES_STORED = 0,
  /// The coordinates of an environment map: the normal as the camera sees it. A normal to the right, of length 1, has
  /// U 1, a normal to the left U 0; up has V 0, and down V 1. The texture coordinates of the surface are not used.
  ML_TEXTURE_COORDINATES_ENVIRONMENT = 1,
  /// No coordinates: makes the type 32 bits wide.
  ML_TEXTURE_COORDINATES_FORCE_32_BITS = 2147483647,
} ml_texture_coordinates;

/// The severity of a finding. The numbers are the same as in reports of the Khronos glTF-Validator.
typedef enum ml_severity {
  /// The content is broken: some reader fails, or shows something wrong.
  ML_SEVERITY_ERROR = 0,
  /// The content is legal or tolerated, but a known engine refuses it or shows it differently.
  ML_SEVERITY_WARNING = 1,
  /// Information that does not need a change.
  ML_SEVERITY_INFO = 2,
  /// A detail that makes no difference to readers.
  ML_SEVERITY_HINT = 3,
  /// No severity: makes the type 32 bits wide.
  ML_SEVERITY_FORCE_32_BITS = 2147483647,
} ml_severity;

/// The frames that a glTF file contains.
typedef enum ml_glb_frames {
  /// All frames.
  ML_GLB_FRAMES_ALL = 0,
  /// From first_frame to last_frame, both included.
  ML_GLB_FRAMES_RANGE = 1,
  /// The frames of the clip named clip, and no other clip.
  ML_GLB_FRAMES_CLIP = 2,
  /// Only the frame first_frame, and no animation.
  ML_GLB_FRAMES_ONE = 3,
  /// No frames: makes the type 32 bits wide.
  ML_GLB_FRAMES_FORCE_32_BITS = 2147483647,
} ml_glb_frames;

/// How the pixels of a texture are stored, with the names of WebGPU. Colors are sRGB in RGBA8, BC1, BC2, BC3 and BC7.
typedef enum ml_texture_format {
  /// Red, green, blue and alpha, 8 bits each.
  ML_TEXTURE_FORMAT_RGBA8_UNORM = 0,
  /// BC1 (DXT1), blocks of 8 bytes. The blocks of all other formats have 16, unless they say otherwise.
  ML_TEXTURE_FORMAT_BC1_RGBA_UNORM = 1,
  /// BC2 (DXT3).
  ML_TEXTURE_FORMAT_BC2_RGBA_UNORM = 2,
  /// BC3 (DXT5).
  ML_TEXTURE_FORMAT_BC3_RGBA_UNORM = 3,
  /// BC4 (ATI1), blocks of 8 bytes: red.
  ML_TEXTURE_FORMAT_BC4_R_UNORM = 4,
  /// BC4, blocks of 8 bytes: red, -1 to 1.
  ML_TEXTURE_FORMAT_BC4_R_SNORM = 5,
  /// BC5 (ATI2): red and green.
  ML_TEXTURE_FORMAT_BC5_RG_UNORM = 6,
  /// BC5: red and green, -1 to 1.
  ML_TEXTURE_FORMAT_BC5_RG_SNORM = 7,
  /// BC6H, numbers without a sign.
  ML_TEXTURE_FORMAT_BC6H_RGB_UFLOAT = 8,
  /// BC6H.
  ML_TEXTURE_FORMAT_BC6H_RGB_FLOAT = 9,
  /// BC7.
  ML_TEXTURE_FORMAT_BC7_RGBA_UNORM = 10,
  /// No format: makes the type 32 bits wide.
  ML_TEXTURE_FORMAT_FORCE_32_BITS = 2147483647,
} ml_texture_format;

/// A space that coordinates are converted to.
typedef enum ml_space_id {
  /// The space of the file: nothing is converted.
  ML_SPACE_FILE = 0,
  /// glTF: right -X, up +Y, forward +Z, right-handed, counter-clockwise.
  ML_SPACE_GLTF = 1,
  /// Quake 3 MD3: right -Y, up +Z, forward +X, right-handed, clockwise.
  ML_SPACE_MD3 = 2,
  /// Unreal: right +Y, up +Z, forward +X, left-handed, clockwise.
  ML_SPACE_UNREAL = 3,
  /// Ultimate 3D: right -X, up +Y, forward -Z, left-handed, clockwise.
  ML_SPACE_U3D = 4,
  /// UNIGINE: right +X, up +Z, forward +Y, right-handed, counter-clockwise.
  ML_SPACE_UNIGINE = 5,
  /// The space in the member custom_space.
  ML_SPACE_CUSTOM = 6,
  /// Unreal Engine: right +Y, up +Z, forward +X, left-handed, counter-clockwise.
  ML_SPACE_UNREAL_ENGINE = 7,
  /// Unity: right +X, up +Y, forward +Z, left-handed, clockwise.
  ML_SPACE_UNITY = 8,
  /// Godot: right -X, up +Y, forward +Z, right-handed, clockwise.
  ML_SPACE_GODOT = 9,
  /// Blender: right -X, up +Z, forward -Y, right-handed, counter-clockwise.
  ML_SPACE_BLENDER = 10,
  /// No space: makes the type 32 bits wide.
  ML_SPACE_FORCE_32_BITS = 2147483647,
} ml_space_id;

/// The type of the indices of an index buffer.
typedef enum ml_index_format {
  /// uint16_t. The index 65535 is never used, because GPUs restart strips at it.
  ML_INDEX_UINT16 = 1,
  /// uint32_t.
  ML_INDEX_UINT32 = 2,
  /// No format: makes the type 32 bits wide.
  ML_INDEX_FORCE_32_BITS = 2147483647,
} ml_index_format;

/// The kind of a vertex attribute.
typedef enum ml_attribute {
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
  ML_ATTRIBUTE_FORCE_32_BITS = 2147483647,
} ml_attribute;

/// The kind of a part that can be loaded separately.
typedef enum ml_part_kind {
  /// A kind that this version of the header does not define.
  ML_PART_OTHER = 0,
  /// The headers. In UNIGINE, everything before the first table.
  ML_PART_HEADER = 1,
  /// The bounding volume if the file stores one (MD3, UNIGINE), otherwise the positions that it is computed from.
  ML_PART_BOUNDS = 2,
  /// The names of meshes and frames.
  ML_PART_NAMES = 3,
  /// Materials and the paths of textures.
  ML_PART_MATERIALS = 4,
  /// The joints.
  ML_PART_SKELETON = 5,
  /// The tags in every frame (MD3).
  ML_PART_TAGS = 6,
  /// The triangles of a mesh, and their materials.
  ML_PART_INDICES = 7,
  /// All texture coordinates of a mesh.
  ML_PART_TEXCOORDS = 8,
  /// The colors of a mesh.
  ML_PART_COLORS = 9,
  /// The joints that move a mesh, and their weights.
  ML_PART_WEIGHTS = 10,
  /// Positions, normals and tangents of a mesh in one frame or morph target.
  ML_PART_FRAME = 11,
  /// All frames of an animation of joints.
  ML_PART_CLIP = 12,
  /// The data of a vertex buffer and an index buffer of a mesh in one frame.
  ML_PART_MESH = 13,
  /// Every mesh of a level of detail in frame 0.
  ML_PART_LOD = 14,
  /// All bytes of all files.
  ML_PART_WHOLE = 15,
  /// No part: makes the type 32 bits wide.
  ML_PART_FORCE_32_BITS = 2147483647,
} ml_part_kind;

/// The state of a request.
typedef enum ml_request_state {
  /// It waits for its turn, or for the plan of its model.
  ML_REQUEST_QUEUED = 0,
  /// Its bytes are being read.
  ML_REQUEST_LOADING = 1,
  /// Its bytes are in memory and are being decoded.
  ML_REQUEST_DECODING = 2,
  /// It was cancelled; its buffers may still be in use.
  ML_REQUEST_CANCELLING = 3,
  /// It has ended: the part is loaded and the buffers are filled.
  ML_REQUEST_READY = 4,
  /// It has ended with an error, which ml_get_loaded returns.
  ML_REQUEST_FAILED = 5,
  /// It has ended: it was cancelled.
  ML_REQUEST_CANCELLED = 6,
  /// No state: makes the type 32 bits wide.
  ML_REQUEST_FORCE_32_BITS = 2147483647,
} ml_request_state;

/// An open model. It is immutable: any number of threads may use it at the same time, and all pointers that calls return stay
/// valid until ml_close.
///
/// It is opened from a path with everything that belongs to it (ml_open_path), from a name in a search path or a model found
/// there (ml_open_asset, ml_open_found), from one file in memory (ml_open_memory), or from files that the caller lists
/// (ml_open_files). ml_get_node_asset makes one of a node, and ml_get_loaded_asset of a loaded part. It has one node, or the
/// nodes of a player or of a glTF file. ml_open_scene, ml_validate, ml_get_file_info and ml_write_glb are for all nodes; other
/// calls without a node are for the first.
typedef struct ml_asset ml_asset;

/// A search path: an ordered list of mounted folders, archives and file systems of the caller, from which models are
/// opened. A name is looked up in the mount that was added last, then in the one before it, and so on, without the case
/// of ASCII letters. Files outside the mounts are never read.
typedef struct ml_assets ml_assets;

/// A list of models that were found and are not opened yet. It is immutable.
typedef struct ml_models ml_models;

/// The state of each node of a scene at one time: its vertex frames, and the matrices of its joints. A pose can be used
/// with every scene of the same asset or file, independent of its space and its level of detail; with a scene of another
/// one, calls return ML_ERROR_INDEX. It only changes in ml_set_pose, ml_set_frames and ml_set_joints.
typedef struct ml_pose ml_pose;

/// A list of findings. It is immutable, and stays open when the file is closed.
typedef struct ml_report ml_report;

/// A request for a part of a model.
typedef struct ml_request ml_request;

/// The nodes of an asset in the space of the caller. Nodes are attached to one another,
/// and models are placed by their scripts. Vertices, indices and matrices of one scene fit together. It is immutable.
typedef struct ml_scene ml_scene;

/// A model that is loaded part by part. It stores the plan of the model as soon as it is known, but no bytes of its
/// files.
typedef struct ml_stream ml_stream;

/// Loads parts of models in the order in which they are needed.
typedef struct ml_streamer ml_streamer;

/// Allocates `size` bytes, aligned to `align`, which is a power of two. Returns NULL if there is no memory. A
/// call that gets memory that is not aligned returns ML_ERROR_CALLBACK.
typedef void *(*ml_allocate_fn)(void *user,
                                size_t size,
                                size_t align);

/// Releases memory from ml_allocate_fn, with the same `size` and `align`.
typedef void (*ml_release_fn)(void *user,
                              void *memory,
                              size_t size,
                              size_t align);

/// An allocator of the caller. Both functions may be called from any thread that uses a handle made with it, or a handle
/// that was made of such a handle, until the last of these handles is closed: a scene shares the bytes of its asset. Threads of a
/// streamer do not call them. They must not call this library with these handles.
///
/// It is used for handles, the texts that calls return pointers to, and the bytes that ml_open_memory and ml_open_files read, copy or
/// decrypt. All other memory comes from Rust's global allocator, which cannot be replaced for one handle: the files of a search
/// path and of a streamer, parsed headers, in proportion to the number of surfaces, frames and bones, and temporary memory during
/// a call. Memory that grows with the content of a file is reserved from the memory limit before it is allocated, whichever
/// allocator it comes from.
typedef struct ml_allocator {
  /// sizeof(ml_allocator), or 0 for the first version of the struct.
  size_t size;
  /// Passed to both functions.
  void *user;
  /// NULL for the allocator of the library; `release` must then be NULL too.
  ml_allocate_fn allocate;
  /// NULL for the allocator of the library; `allocate` must then be NULL too.
  ml_release_fn release;
} ml_allocator;

/// Receives the progress of a call: `done` of `total` bytes. A result other than 0 stops the call, which then returns
/// ML_ERROR_CANCELLED. It is called on the thread of the call.
typedef int (*ml_progress_fn)(void *user,
                              uint64_t done,
                              uint64_t total);

/// Options for opening a model. All zeros are the defaults.
typedef struct ml_open_opts {
  /// sizeof(ml_open_opts), or 0 for the first version of the struct.
  size_t size;
  /// The format of the file, or ML_FORMAT_DETECT. Unreal meshes cannot be detected; they are recognized by their
  /// roles.
  ml_format format;
  /// How files are read.
  ml_access access;
  /// The owner of bytes in memory.
  ml_ownership ownership;
  /// The password of an encrypted file, or NULL.
  const char *password;
  /// The name of the mesh in the script. If NULL, the mesh with the name of the files is used, or the only mesh.
  const char *script_mesh;
  /// The allocator, or NULL for the library's allocator. It is copied.
  const ml_allocator *allocator;
  /// The largest number of bytes that the file may take while it is open. Bytes of a map and bytes of the caller do
  /// not count. 0 means 1 GiB, SIZE_MAX no limit. See ml_allocator for the memory that counts.
  size_t memory_limit;
  /// Called while a file is read, or NULL.
  ml_progress_fn progress;
  /// Passed to `progress`.
  void *progress_user;
} ml_open_opts;

/// The reason why a call failed, in memory of the caller. Initialize it with zeros. A call that succeeds sets `code` to
/// ML_OK and empties the text.
typedef struct ml_error {
  /// sizeof(ml_error), or 0 for the first version of the struct.
  size_t size;
  /// The kind of error, which the call also returns.
  ml_result code;
  /// The absolute byte offset in the file; ML_NO_OFFSET if the error has no location in a file.
  uint64_t offset;
  /// The format that was read, such as "md3", or the output of the call, such as "vertex buffer". NUL-terminated, and
  /// may be empty.
  char format[24];
  /// The error as a UTF-8 sentence, with the expected and the found value. It begins with the
  /// name of the file if the call opened several. NUL-terminated. A text that is cut ends with "...".
  char text[512];
} ml_error;

/// The format, the version and the counts of the files of an asset.
typedef struct ml_file_info {
  /// sizeof(ml_file_info), or 0 for the first version of the struct.
  size_t size;
  /// The format; ML_FORMAT_DETECT, which is 0, for a file that was imported (glTF).
  ml_format format;
  /// The version of the format, as its documentation writes it. NUL-terminated; longer texts are cut. For formats
  /// without versions, a description of the file's layout.
  char version[60];
  /// The number of frames, of vertices or of bones; the largest of a player's files.
  uint64_t frame_count;
  /// The number of surfaces or meshes.
  uint64_t surface_count;
  /// The number of vertices in one frame, over all surfaces.
  uint64_t vertex_count;
  /// The number of triangles, over all surfaces.
  uint64_t triangle_count;
  /// The number of tags or bones.
  uint64_t tag_count;
  /// The number of bytes of the file, of both files of an Unreal mesh, or of all files of a player.
  uint64_t byte_count;
} ml_file_info;

/// A file of a model. `{"lower.md3"}` is a file of the operating system, `{NULL, data, size}` one in memory.
typedef struct ml_input_file {
  /// The path of the file: any bytes on Unix, UTF-8 elsewhere. For a file in memory, its name, of which `role` needs the
  /// last part, or NULL.
  const char *path;
  /// The bytes of a file in memory, which may have any alignment; NULL for a file that is read.
  const void *data;
  /// The number of bytes in memory.
  size_t size;
  /// The role of the file, or ML_ROLE_BY_NAME, which is 0.
  ml_role role;
} ml_input_file;

/// The encoding of the elements of an array, and the values that they decode to. It belongs to the file and is never
/// modified.
typedef struct ml_array_format {
  /// The size of the struct in this version of the library.
  size_t size;
  /// The name of the encoding, such as "i16x3 / 64". It is meant for people and may change.
  const char *name;
  /// The type of the stored numbers.
  ml_component component;
  /// The number of stored numbers in an element.
  uint32_t component_count;
  /// How stored numbers are converted to the numbers of the value.
  ml_numbers numbers;
  /// For ML_NUMBERS_SCALED and ML_NUMBERS_RANGED: the factor of the numbers; otherwise 1.
  float scale;
  /// For ML_NUMBERS_RANGED: the value that is added; otherwise 0.
  float min;
  /// For ML_NUMBERS_BIT_FIELDS: the width of each field; otherwise 0.
  uint32_t bits[3];
  /// For ML_NUMBERS_BIT_FIELDS: the factor of each field; otherwise 0.
  float bit_scale[3];
  /// The number of bytes of an element, without the gap to the next one.
  uint32_t element_size;
  /// The type of the numbers that an element decodes to.
  ml_component value_component;
  /// The number of numbers that an element decodes to. A position with a normal has six; a tangent frame has four, the
  /// quaternion of ML_SEMANTIC_TANGENT_FRAME.
  uint32_t value_component_count;
  /// The number of bytes that an element decodes to.
  uint32_t value_size;
  /// Not 0 if elements are integers that can be vertex indices; ml_decode_indices reads them.
  uint32_t is_indices;
  /// The vertex format with which a GPU can read the stored array; ML_VERTEX_FORMAT_NONE if it has to be decoded. It
  /// may have one component more than the element; that component then reads the bytes after the element.
  ml_vertex_format gpu_format;
  /// The factor that a shader applies if a GPU reads the stored array.
  float gpu_scale;
  /// The glTF code of `component` if the array can be copied into an accessor; 0 if it has to be decoded.
  uint32_t gltf_component_type;
  /// Not 0 if that accessor is normalized.
  uint32_t gltf_normalized;
  /// The factor for the numbers of that accessor, applied with a node's scale or a texture transform.
  float gltf_scale;
} ml_array_format;

/// One array of a file.
typedef struct ml_array {
  /// sizeof(ml_array), or 0 for the first version of the struct.
  size_t size;
  /// The stored elements: little-endian, not aligned. Valid until ml_close.
  const void *data;
  /// The number of bytes from the first byte of the first element to the last byte of the last one.
  size_t data_size;
  /// The absolute offset of `data` in its file, in bytes.
  uint64_t file_offset;
  /// The number of elements.
  size_t count;
  /// The number of bytes from one element to the next.
  size_t stride;
  /// How elements are stored. Valid until ml_close.
  const ml_array_format *format;
  /// The meaning of the elements.
  ml_semantic semantic;
  /// Not 0 if another array covers the same bytes. Example: the positions of records that are also listed as
  /// positions and normals.
  uint32_t is_part;
  /// The index of the surface or mesh.
  size_t mesh;
  /// The index among arrays of the same semantic and frame, such as the set of texture coordinates.
  size_t set;
  /// The frame or morph target. An array that is the same in all frames has frame 0.
  size_t frame;
  /// The level of detail, 0 for the finest.
  size_t lod;
  /// The index of the bone that the animation keys in the array belong to; 0 for other arrays.
  size_t bone;
  /// The index of the file that contains the array: 1 for the frames file of an Unreal mesh, otherwise 0.
  size_t file;
} ml_array;

/// The elements to decode, and the destination of their values. All zeros decode every element, without gaps.
typedef struct ml_decode_opts {
  /// sizeof(ml_decode_opts), or 0 for the first version of the struct.
  size_t size;
  /// The first element.
  size_t first;
  /// The number of elements; 0 means all from `first` on.
  size_t count;
  /// The offset of the first value in the output, in bytes.
  size_t offset;
  /// The number of bytes from one value to the next in the output; 0 means the size of a value. Bytes between values
  /// are left unchanged.
  size_t stride;
} ml_decode_opts;

/// The directions to the right, up and forward of a model, as axes of its coordinate system, and the winding of its
/// front faces.
typedef struct ml_space {
  /// The axis to the right of the model, as seen by the model.
  ml_axis right;
  /// The axis that points up.
  ml_axis up;
  /// The axis along which the model looks.
  ml_axis forward;
  /// The winding of front faces.
  ml_winding winding;
} ml_space;

/// A matrix of four columns: `m[4 * column + row]`. It multiplies column vectors from the left.
typedef struct ml_matrix {
  /// The columns, one after another.
  float m[16];
} ml_matrix;

/// A model: its counts, and the space of its coordinates.
typedef struct ml_model {
  /// sizeof(ml_model), or 0 for the first version of the struct.
  size_t size;
  /// The name in the file; often empty or a path. Valid until ml_close, like every text that a call returns.
  const char *name;
  /// The number of meshes.
  size_t mesh_count;
  /// The number of materials.
  size_t material_count;
  /// The number of tags: named attachment points for other models.
  size_t tag_count;
  /// The number of joints of the skeleton.
  size_t joint_count;
  /// The number of animations of joints.
  size_t animation_count;
  /// The number of clips.
  size_t clip_count;
  /// The number of frames of vertices, or of tags if that is larger.
  size_t frame_count;
  /// The number of frames of tags.
  size_t tag_frame_count;
  /// The axes and the winding of all coordinates, which are the same as in the file.
  ml_space space;
  /// The handedness, which follows from the axes.
  ml_handedness handedness;
  /// The size of a unit in meters if the format defines it, otherwise 0.
  float meters;
  /// The usual size of a unit in meters in models of the format: an inch in MD3; 0 if there is no common unit.
  float usual_meters;
  /// The transform to apply to positions and tags: the identity, unless a script places the mesh. It may scale each
  /// axis by another factor, or mirror. Normals are multiplied by its inverse transpose. If it mirrors (its determinant
  /// is negative), two corners of each triangle have to be exchanged.
  ml_matrix placement;
} ml_model;

/// A mesh: vertices that move together, and triangles between them.
///
/// There are two kinds of attributes. Points have positions, joints and weights; corners have normals, tangents, colors
/// and texture coordinates. In some formats vertex i has point i and corner i. Others index points and corners
/// separately, and ml_get_scene_mesh welds them into vertices.
typedef struct ml_mesh {
  /// sizeof(ml_mesh), or 0 for the first version of the struct.
  size_t size;
  /// The name. It may be empty, and several meshes may have the same.
  const char *name;
  /// The level of detail, 0 for the finest.
  size_t lod;
  /// The index of the material of all triangles; ML_NONE if they have several materials or none.
  size_t material;
  /// The number of positions in one frame.
  size_t point_count;
  /// The number of normals, colors and texture coordinates in one frame.
  size_t corner_count;
  /// The number of triangles.
  size_t triangle_count;
  /// The number of frames of vertices, or of morph targets; 1 if vertices do not move.
  size_t frame_count;
  /// The number of sets of texture coordinates.
  size_t texcoord_set_count;
  /// Not 0 if vertex i has point i and corner i.
  uint32_t is_welded;
  /// Not 0 if joints move the mesh.
  uint32_t has_skin;
} ml_mesh;

/// A material: the path of its texture as written in the file, and the few properties that the formats have.
typedef struct ml_material {
  /// sizeof(ml_material), or 0 for the first version of the struct.
  size_t size;
  /// The name; the path of the shader or of the texture if the format has no other name.
  const char *name;
  /// The path of the color texture, as written in the file, or NULL. It may have backslashes, no extension, or be
  /// absolute.
  const char *texture;
  /// The source of the alpha of the texture.
  ml_texture_alpha texture_alpha;
  /// How the texture continues along U.
  ml_wrap wrap_u;
  /// How the texture continues along V.
  ml_wrap wrap_v;
  /// How alpha is used.
  ml_alpha alpha;
  /// The smallest alpha that is drawn with ML_ALPHA_MASK.
  float cutoff;
  /// The color that the texture is multiplied by: red, green, blue and alpha, linear.
  float color[4];
  /// The color of emitted light: red, green and blue, linear.
  float emissive[3];
  /// Not 0 if back faces are drawn.
  uint32_t is_two_sided;
  /// Not 0 if the material is drawn at full brightness, without lighting.
  uint32_t is_unlit;
  /// Not 0 if surfaces with this material are not drawn at all.
  uint32_t is_hidden;
  /// Not 0 if every four vertices of a surface are a square that turns to the camera and shows the whole texture. The
  /// texture coordinates of the surface are then not used.
  uint32_t is_sprites;
  /// The source of the texture coordinates.
  ml_texture_coordinates texture_coordinates;
  /// The index of the set of texture coordinates of the texture.
  uint32_t texture_set;
  /// Not 0 if the texture is drawn without filtering.
  uint32_t is_nearest;
  /// The path of the height map of the surface, or NULL. White is the highest point. ml_read_normal_map makes a normal map
  /// of it.
  const char *height_map;
  /// The height of white over black, for a height map with sides of length 1.
  float height_scale;
  /// The index of the set of texture coordinates of the height map.
  uint32_t height_set;
} ml_material;

/// A named range of frames, and how it plays.
typedef struct ml_clip {
  /// sizeof(ml_clip), or 0 for the first version of the struct.
  size_t size;
  /// The name.
  const char *name;
  /// The first frame: a frame of vertices, or of the joint animation.
  size_t first_frame;
  /// The number of frames; at least one.
  size_t frame_count;
  /// The number of frames at the end that repeat; 0 plays once.
  size_t loop_frame_count;
  /// The index of the joint animation that the clip plays; ML_NONE if it plays frames of vertices.
  size_t animation;
  /// The rate in frames per second, greater than 0.
  float rate;
  /// The time in seconds from the first frame to the last; for a clip that repeats as a whole, the time of one
  /// repetition.
  float duration;
  /// Not 0 if the frames play from the last to the first.
  uint32_t is_reversed;
  /// Not 0 if no file states the rate, so that a rate of 10 is assumed.
  uint32_t is_rate_assumed;
} ml_clip;

/// Two frames and the weight of the second. All zeros mean the first frame.
typedef struct ml_blend {
  /// The first frame.
  size_t a;
  /// The second frame.
  size_t b;
  /// The weight of frame `b`, from 0 to 1.
  float weight;
} ml_blend;

/// An axis-aligned bounding box, in the space and the units of the file or the scene.
typedef struct ml_bounds {
  /// The corner with the smallest coordinates.
  float min[3];
  /// The corner with the largest coordinates.
  float max[3];
} ml_bounds;

/// A transform relative to a parent: scale first, then the rotation, then the translation.
typedef struct ml_transform {
  /// The translation.
  float translation[3];
  /// The rotation x, y, z, w, of length 1.
  float rotation[4];
  /// The scale along the local axes.
  float scale[3];
} ml_transform;

/// A joint of the skeleton.
typedef struct ml_joint {
  /// sizeof(ml_joint), or 0 for the first version of the struct.
  size_t size;
  /// The name, by which animations refer to the joint.
  const char *name;
  /// The index of the parent joint; ML_NONE for a root. It may be larger than the index of this joint.
  size_t parent;
  /// The transform at rest, relative to the parent.
  ml_transform rest;
} ml_joint;

/// An animation of joints. Clips play it.
typedef struct ml_animation {
  /// sizeof(ml_animation), or 0 for the first version of the struct.
  size_t size;
  /// The name.
  const char *name;
  /// The number of frames.
  size_t frame_count;
  /// The number of joints that it moves.
  size_t joint_count;
} ml_animation;

/// A tag in one frame, in the space of the file.
typedef struct ml_tag_pose {
  /// The position.
  float origin[3];
  /// The local X, Y and Z axis, each of length 1: a tag places another model, and never scales it. They are not
  /// always at right angles or right-handed.
  float axes[3][3];
  /// The axes as a rotation x, y, z, w of length 1, made orthogonal.
  float rotation[4];
} ml_tag_pose;

/// The counts of a report.
typedef struct ml_report_info {
  /// sizeof(ml_report_info), or 0 for the first version of the struct.
  size_t size;
  /// The number of kept findings, for ml_get_finding.
  size_t finding_count;
  /// The number of codes, for ml_get_finding_group.
  size_t group_count;
  /// The number of all findings, kept or not.
  uint64_t total;
  /// The number of findings of ML_SEVERITY_ERROR, kept or not.
  uint64_t errors;
  /// The number of findings of ML_SEVERITY_WARNING, kept or not.
  uint64_t warnings;
  /// The number of findings of ML_SEVERITY_INFO, kept or not.
  uint64_t infos;
  /// The number of findings of ML_SEVERITY_HINT, kept or not.
  uint64_t hints;
} ml_report_info;

/// One finding about one place in a file, or about several values with the same fault.
typedef struct ml_finding {
  /// sizeof(ml_finding), or 0 for the first version of the struct.
  size_t size;
  /// A stable name in SCREAMING_SNAKE_CASE, which ml_explain explains. Valid until ml_close_report, like the other
  /// texts.
  const char *code;
  /// A description of the finding, with numbers.
  const char *message;
  /// The place in the document, such as "/surfaces/2/triangles/17"; empty for the whole.
  const char *pointer;
  /// The absolute byte offset in the file; ML_NO_OFFSET if the finding has no location in a file.
  uint64_t offset;
  /// The number of values or places that the finding is about, usually 1.
  uint64_t count;
  /// The severity.
  ml_severity severity;
} ml_finding;

/// All findings of one code.
typedef struct ml_finding_group {
  /// sizeof(ml_finding_group), or 0 for the first version of the struct.
  size_t size;
  /// The code. Valid until ml_close_report.
  const char *code;
  /// The number of values or places that the findings are about.
  uint64_t count;
  /// The number of findings, kept or not.
  uint64_t finding_count;
  /// The severity of each.
  ml_severity severity;
} ml_finding_group;

/// The meaning of a code of a finding or an error, and what to do about it. Each text is NUL-terminated.
typedef struct ml_explanation {
  /// sizeof(ml_explanation), or 0 for the first version of the struct.
  size_t size;
  /// The severity of each finding with the code.
  ml_severity severity;
  /// A description of several findings with the code, to follow a number.
  char plural[124];
  /// The meaning of the code.
  char meaning[384];
  /// The suggested remedy.
  char remedy[256];
} ml_explanation;

/// An asset that is attached to a tag of an earlier node, such as the weapon of a player.
typedef struct ml_glb_node {
  /// The asset.
  const ml_asset *asset;
  /// The name of its first node.
  const char *name;
  /// The index of the node that it is attached to. The nodes of the asset of the call come first, as ml_get_asset_node counts
  /// them, then those of each further asset. It must be a node of an earlier asset.
  size_t parent;
  /// The index of the tag of that node; ML_NONE leaves the asset at the root.
  size_t tag;
  /// The frame that its first node shows while no clip plays; 0 for the one that ml_get_asset_node writes.
  size_t rest_frame;
} ml_glb_node;

/// A texture that was found: either `uri` or `data`.
typedef struct ml_texture {
  /// The size of the struct in this version of the library.
  size_t size;
  /// The relative path of a file next to the output, or NULL. It must stay valid until the next call of the callback,
  /// or until the call that uses it returns.
  const char *uri;
  /// The content of a PNG or JPEG file, to be embedded, or NULL. It must stay valid as long as `uri`.
  const void *data;
  /// The number of bytes of `data`.
  size_t data_size;
} ml_texture;

/// Finds the texture of a material by its path in the file, and fills `texture`. Returns 0 if the texture was found. It
/// is called on the thread of the call, once for each texture.
typedef int (*ml_find_texture_fn)(void *user,
                                  const char *path,
                                  ml_texture *texture);

/// Options for writing a glTF file. All zeros are the defaults: every frame, no quantization, the finest level of
/// detail.
typedef struct ml_glb_opts {
  /// sizeof(ml_glb_opts), or 0 for the first version of the struct.
  size_t size;
  /// The name of the first node, or NULL for the one that ml_get_asset_node writes; "model" if it has none.
  const char *name;
  /// The frame that the first node shows while no clip plays; 0 for the one that ml_get_asset_node writes.
  size_t rest_frame;
  /// The frames to write.
  ml_glb_frames frames;
  /// The sum of flags such as ML_GLB_STEP.
  uint32_t flags;
  /// The first frame, for ML_GLB_FRAMES_RANGE, or the only one, for ML_GLB_FRAMES_ONE.
  size_t first_frame;
  /// The last frame, inclusive, for ML_GLB_FRAMES_RANGE.
  size_t last_frame;
  /// The name of a clip, for ML_GLB_FRAMES_CLIP.
  const char *clip;
  /// The factor of lengths; 0 means 1.
  float scale;
  /// Further assets, each attached to a tag of an earlier node, or NULL.
  const ml_glb_node *nodes;
  /// The number of further assets.
  size_t node_count;
  /// Finds textures, or NULL. With NULL, materials only keep the paths of textures.
  ml_find_texture_fn find_texture;
  /// Passed to `find_texture`.
  void *find_texture_user;
  /// Called while the output is written, or NULL.
  ml_progress_fn progress;
  /// Passed to `progress`.
  void *progress_user;
  /// For ML_GLB_SKELETON, the largest root mean square of the distances between vertices and where the frames have them,
  /// in units of the model. No distance is more than eight times as large. 0 means 1/16 for MD3, and 0.25 % of
  /// the height for other models.
  double skeleton_error;
} ml_glb_opts;

/// Receives the next `size` bytes of an output. A result other than 0 stops the call, which then returns
/// ML_ERROR_CALLBACK. It is called on the thread of the call.
typedef int (*ml_write_fn)(void *user,
                           const void *data,
                           size_t size);

/// Options for making a search path. All zeros are the defaults.
typedef struct ml_assets_opts {
  /// sizeof(ml_assets_opts), or 0 for the first version of the struct.
  size_t size;
  /// The allocator of memory for handles and texts, or NULL for the library's allocator. It is copied. The bytes of
  /// files come from the library's allocator.
  const ml_allocator *allocator;
  /// The largest number of bytes that everything opened from the search path may take together; 0 means 1 GiB,
  /// SIZE_MAX no limit.
  size_t memory_limit;
  /// The largest size in bytes of a companion file, such as a texture; 0 means 1 GiB. The files of the model itself
  /// are only limited by memory_limit.
  uint64_t max_file_size;
} ml_assets_opts;

/// Called with each name in a folder. A result other than 0 stops the call, which then returns ML_ERROR_CALLBACK.
typedef int (*ml_entry_fn)(void *user,
                           const char *name,
                           uint32_t is_folder);

/// Options for a model that is opened by name. All zeros are the defaults.
typedef struct ml_asset_opts {
  /// sizeof(ml_asset_opts), or 0 for the first version of the struct.
  size_t size;
  /// The skin of an MD3 model, which must exist, or NULL: players then use "default", and other models the materials
  /// of their file.
  const char *skin;
  /// The password of an encrypted file, or NULL.
  const char *password;
  /// The sum of flags such as ML_ASSET_NO_LODS.
  uint32_t flags;
} ml_asset_opts;

/// Writes the number of bytes of a file to `*size`, and to `*version` a number that changes when the file changes, or
/// 0. Returns ML_ERROR_NOT_FOUND if the file does not exist.
typedef enum ml_result (*ml_file_size_fn)(void *user,
                                          const char *path,
                                          uint64_t *size,
                                          uint64_t *version);

/// Reads exactly `size` bytes of a file at `offset`. The range is inside the file.
typedef enum ml_result (*ml_read_file_fn)(void *user,
                                          const char *path,
                                          uint64_t offset,
                                          void *out,
                                          size_t size);

/// Receives a name in a folder, one component of a path. `is_folder` is not 0 for a folder.
typedef void (*ml_add_entry_fn)(void *entries,
                                const char *name,
                                uint32_t is_folder);

/// Lists a folder: calls `add(entries, name, is_folder)` for each name in it. "" is the root. Returns
/// ML_ERROR_NOT_FOUND if the folder does not exist.
typedef enum ml_result (*ml_list_entries_fn)(void *user,
                                             const char *folder,
                                             ml_add_entry_fn add,
                                             void *entries);

/// A file system of the caller. Paths are components joined by '/', in the spelling of `list`. The functions return
/// ML_OK or an error. They may be called at the same time from every thread that uses the search path, or a model that
/// was opened from it, and must not call functions for the same search path.
typedef struct ml_file_system {
  /// sizeof(ml_file_system), or 0 for the first version of the struct.
  size_t size;
  /// Passed to every function.
  void *user;
  /// Returns the size of a file.
  ml_file_size_fn file_size;
  /// Reads a part of a file.
  ml_read_file_fn read;
  /// Lists a folder.
  ml_list_entries_fn list;
  /// Called once when the file system is no longer used, or NULL.
  void (*release)(void *user);
} ml_file_system;

/// The counts of a list of models.
typedef struct ml_models_info {
  /// sizeof(ml_models_info), or 0 for the first version of the struct.
  size_t size;
  /// The number of models.
  size_t model_count;
  /// The number of files and folders that could not be searched.
  size_t fault_count;
} ml_models_info;

/// A model that was found.
typedef struct ml_found_model {
  /// sizeof(ml_found_model), or 0 for the first version of the struct.
  size_t size;
  /// Its files in the form that users write. Valid until ml_close_models, like `path`.
  const char *name;
  /// The path of its first file in the mounts.
  const char *path;
  /// The number of its own files: 1, 2 for an Unreal mesh, up to 3 for a player.
  size_t file_count;
  /// Not 0 if the other file of an Unreal mesh is missing.
  uint32_t is_unpaired;
} ml_found_model;

/// The content of an asset.
typedef struct ml_asset_info {
  /// sizeof(ml_asset_info), or 0 for the first version of the struct.
  size_t size;
  /// The files of the model in the form that users write, such as "pak0.pk3!models/x.md3". Valid until
  /// ml_close, like every text of an asset.
  const char *name;
  /// The number of nodes: 1, or the nodes of a player.
  size_t node_count;
  /// The number of files that the asset was made from.
  size_t file_count;
  /// The number of files that were looked up.
  size_t lookup_count;
} ml_asset_info;

/// One model of an asset: the only one, or a node of a player.
typedef struct ml_asset_node {
  /// sizeof(ml_asset_node), or 0 for the first version of the struct.
  size_t size;
  /// The name of its file without the extension.
  const char *name;
  /// The path of its file in the mounts.
  const char *path;
  /// The index of the node that it is attached to, or ML_NONE.
  size_t parent;
  /// The index of the tag of that node's model, or ML_NONE.
  size_t tag;
  /// The frame to show while no clip plays.
  size_t rest_frame;
  /// The number of coarser levels of detail.
  size_t lod_count;
} ml_asset_node;

/// A file that an asset was made from.
typedef struct ml_asset_file {
  /// sizeof(ml_asset_file), or 0 for the first version of the struct.
  size_t size;
  /// The file in the form that users write.
  const char *name;
  /// Its path in its mount.
  const char *path;
  /// The name of the rule by which it was found, such as "Skin".
  const char *rule;
  /// The number of bytes.
  uint64_t byte_count;
} ml_asset_file;

/// A file that was looked up.
typedef struct ml_asset_lookup {
  /// sizeof(ml_asset_lookup), or 0 for the first version of the struct.
  size_t size;
  /// The path that was looked up.
  const char *path;
  /// The name of the rule.
  const char *rule;
  /// The file in the form that users write, or NULL if no mount has it.
  const char *found;
} ml_asset_lookup;

/// The size of an image, and how its pixels are stored.
typedef struct ml_image {
  /// sizeof(ml_image), or 0 for the first version of the struct.
  size_t size;
  /// The number of pixels in a row.
  uint32_t width;
  /// The number of rows.
  uint32_t height;
  /// How the pixels are stored.
  ml_texture_format format;
  /// The number of levels of detail (mip levels), at least 1.
  uint32_t level_count;
} ml_image;

/// A space to convert to, and a scale.
typedef struct ml_convert_opts {
  /// sizeof(ml_convert_opts), or 0 for the first version of the struct.
  size_t size;
  /// The space.
  ml_space_id space;
  /// The factor of positions and other lengths; 0 means 1.
  float scale;
  /// The space if `space` is ML_SPACE_CUSTOM.
  ml_space custom_space;
} ml_convert_opts;

/// The counts of a scene.
typedef struct ml_scene_info {
  /// sizeof(ml_scene_info), or 0 for the first version of the struct.
  size_t size;
  /// The number of nodes, which are the nodes of the asset.
  size_t node_count;
  /// The number of meshes of all nodes at the level of detail of the scene.
  size_t mesh_count;
  /// The number of clips with different names.
  size_t clip_count;
} ml_scene_info;

/// The clips of a scene with one name.
typedef struct ml_scene_clip {
  /// sizeof(ml_scene_clip), or 0 for the first version of the struct.
  size_t size;
  /// The name. Valid until ml_close_scene.
  const char *name;
  /// The number of nodes that have a clip with this name, ignoring case.
  size_t node_count;
} ml_scene_clip;

/// A mesh of a scene, and the numbers that it is drawn with.
typedef struct ml_scene_mesh {
  /// sizeof(ml_scene_mesh), or 0 for the first version of the struct.
  size_t size;
  /// The index of its node.
  size_t node;
  /// The index of the mesh in the model of the node, at the level of detail of the scene.
  size_t mesh;
  /// The number of vertices to draw, after welding if the mesh has to be welded.
  size_t vertex_count;
  /// The number of triangles in all submeshes.
  size_t triangle_count;
  /// The number of indices: three for each triangle.
  size_t index_count;
  /// The number of submeshes. Each has one material, and together they cover all triangles.
  size_t submesh_count;
  /// The number of triangles that were left out because of an index out of range (Unreal). In other formats, such a
  /// triangle is an error.
  size_t dropped_triangle_count;
  /// The smallest index type that can index the vertices.
  ml_index_format index_format;
} ml_scene_mesh;

/// Triangles with the same material, which are drawn with one draw call.
typedef struct ml_submesh {
  /// sizeof(ml_submesh), or 0 for the first version of the struct.
  size_t size;
  /// The index of the material in the model of the node; ML_NONE if the file does not state one.
  size_t material;
  /// The position of the first index of the submesh in the index buffer.
  size_t first_index;
  /// The number of indices of the submesh.
  size_t index_count;
} ml_submesh;

/// One attribute of a vertex.
typedef struct ml_vertex_attribute {
  /// The kind of attribute.
  ml_attribute attribute;
  /// The index of the set of texture coordinates or colors; 0 for other attributes.
  uint32_t set;
  /// The offset in the vertex, in bytes: a multiple of the size of one of its components.
  uint32_t offset;
  /// The format in which it is stored.
  ml_vertex_format format;
} ml_vertex_attribute;

/// The layout of the vertices in a buffer.
typedef struct ml_vertex_layout {
  /// sizeof(ml_vertex_layout), or 0 for the first version of the struct.
  size_t size;
  /// The number of bytes from one vertex to the next. Bytes that belong to no attribute are left unchanged.
  size_t stride;
  /// The attributes, which must not overlap.
  const ml_vertex_attribute *attributes;
  /// The number of attributes.
  size_t attribute_count;
  /// ML_LAYOUT_NON_TEMPORAL, ML_LAYOUT_MOVING, or 0.
  uint32_t flags;
} ml_vertex_layout;

/// A clip and a time.
typedef struct ml_play {
  /// The name of the clip, in any case. It moves every node that has a clip with this name.
  const char *clip;
  /// The time in seconds since the start of the clip.
  float time;
} ml_play;

/// The result of a request.
typedef struct ml_loaded {
  /// sizeof(ml_loaded), or 0 for the first version of the struct.
  size_t size;
  /// The number of vertices that were written.
  size_t vertex_count;
  /// The number of bytes of vertices that were written.
  size_t vertex_size;
  /// The number of indices that were written.
  size_t index_count;
  /// The number of bytes of indices that were written.
  size_t index_size;
  /// The type of the indices; 0 if none were requested.
  ml_index_format index_format;
  /// Not 0 if the part is ML_PART_BOUNDS and the model has vertices.
  uint32_t has_bounds;
  /// The bounding box of the model in frame 0, as its script places it, in the space of the request.
  ml_bounds bounds;
} ml_loaded;

/// Options for a model that is loaded part by part. All zeros are the defaults.
typedef struct ml_stream_opts {
  /// sizeof(ml_stream_opts), or 0 for the first version of the struct.
  size_t size;
  /// The frames (x_a.3d) of an Unreal mesh, whose geometry (x_d.3d) is the path, or NULL. A search path finds them.
  const char *frames_path;
  /// The node, which ml_get_asset_node describes: the part of a player. A path names a single node.
  size_t node;
  /// 0 for the node itself, otherwise the number of a coarser level of detail in another file. A path names no other files.
  size_t lod;
  /// The options with which a search path finds the files and the skin of the model, as ml_open_asset does, or NULL. They are
  /// copied. The password is ignored. Must be NULL for a path.
  const ml_asset_opts *asset;
} ml_stream_opts;

/// Properties of a model that is loaded part by part.
typedef struct ml_stream_info {
  /// sizeof(ml_stream_info), or 0 for the first version of the struct.
  size_t size;
  /// Not 0 once the plan is known: after the first request for any part except ML_PART_BOUNDS, which is ready as soon
  /// as the bounds are read. Until then the other members are 0, except the format and the bounds.
  uint32_t has_plan;
  /// The format.
  ml_format format;
  /// The version of the format, as in ml_file_info.
  char version[60];
  /// Not 0 once the bounds are known: after a request for ML_PART_BOUNDS, and after the first read for formats that
  /// store them at the front of the file.
  uint32_t has_bounds;
  /// The number of meshes, of all levels of detail.
  size_t mesh_count;
  /// The number of levels of detail.
  size_t lod_count;
  /// The number of parts listed by ml_list_stream_parts.
  size_t part_count;
  /// The number of bytes of all files of the model.
  uint64_t byte_count;
  /// The bounding box of the model in frame 0, as its script places it, in the space of the file.
  ml_bounds bounds;
} ml_stream_info;

/// A part of a model that can be loaded separately.
typedef struct ml_stream_part {
  /// The kind of part.
  ml_part_kind kind;
  /// The mesh, the animation of joints (ML_PART_CLIP) or the level of detail (ML_PART_LOD); otherwise 0.
  uint32_t index;
  /// The frame of ML_PART_FRAME and ML_PART_MESH; otherwise 0.
  uint32_t frame;
} ml_stream_part;

/// The size of a part, known before it is loaded.
typedef struct ml_stream_part_info {
  /// sizeof(ml_stream_part_info), or 0 for the first version of the struct.
  size_t size;
  /// The number of bytes of the part in its files.
  uint64_t stored_size;
  /// The number of bytes of its decoded values.
  uint64_t decoded_size;
  /// The number of separate byte ranges.
  size_t range_count;
} ml_stream_part_info;

/// Returns memory of exactly `size` bytes to write to, or NULL to let the request fail. It is called on a thread of the
/// streamer, and must not call functions for the request.
typedef void *(*ml_place_fn)(void *user,
                             size_t size);

/// Memory that a request is decoded into. Set either `data` or `place`.
typedef struct ml_stream_buffer {
  /// Memory of the caller, or NULL. It must stay valid until the request is ready, has failed or was cancelled, or
  /// until ml_close_request returns. It may be larger than needed.
  void *data;
  /// The number of bytes at `data`.
  size_t size;
  /// Called once the number of bytes is known, instead of `data`, or NULL.
  ml_place_fn place;
  /// Passed to `place`.
  void *user;
} ml_stream_buffer;

/// The options of a request.
typedef struct ml_request_opts {
  /// sizeof(ml_request_opts), or 0 for the first version of the struct.
  size_t size;
  /// The part.
  ml_stream_part part;
  /// The priority: higher values are loaded first. 0 is normal.
  int32_t priority;
  /// The layout of the vertex buffer to fill, or NULL for none. It is copied. The part must be ML_PART_MESH, or
  /// ML_PART_FRAME with attributes of the frame in formats that store vertices as they are drawn (MD3, Ultimate 3D).
  const ml_vertex_layout *layout;
  /// The memory for vertices if there is a layout.
  ml_stream_buffer vertices;
  /// The memory for indices of ML_PART_MESH, in the smallest type that holds every index; all zeros for no index
  /// buffer.
  ml_stream_buffer indices;
  /// The space and the scale of vertices, indices and bounds, as for ml_open_scene, or NULL. It is copied.
  const ml_convert_opts *space;
} ml_request_opts;

/// The state of a request.
typedef struct ml_request_info {
  /// sizeof(ml_request_info), or 0 for the first version of the struct.
  size_t size;
  /// The number of the request, as listed by ml_poll_streamer. It is unique within the streamer.
  uint64_t id;
  /// The state.
  ml_request_state state;
  /// The requested part.
  ml_stream_part part;
} ml_request_info;

/// The options of a streamer. All zeros are the defaults.
typedef struct ml_streamer_opts {
  /// sizeof(ml_streamer_opts), or 0 for the first version of the struct.
  size_t size;
  /// The memory limit in bytes; 0 for 64 MiB. It includes loaded parts that are not closed yet, loaded parts that are
  /// kept for reuse, and memory for decoding, but not the buffers of the caller.
  size_t memory_limit;
  /// The number of threads that decode; 0 for half of the processors.
  uint32_t decode_threads;
  /// The number of threads that read; 0 for 2.
  uint32_t read_threads;
  /// ML_STREAMER_LIST, or 0.
  uint32_t flags;
  /// The allocator for handles, or NULL for the library's allocator. It is copied. The bytes of files always come
  /// from the library's allocator.
  const ml_allocator *allocator;
  /// The file system, or NULL for the operating system's. It is copied. `file_size` is called before each
  /// `read`; a file whose version changes fails. `list` is not called and may be NULL. All functions are called on
  /// threads of the streamer, up to `read_threads` at a time.
  const ml_file_system *files;
  /// The search path with the names that ml_open_stream opens, or NULL. `files` is then NULL. The mounts that it has at this
  /// time are used, also after it was freed; its allocator is not.
  const ml_assets *assets;
  /// The longest time in milliseconds that ml_free_streamer waits for the threads, or 0 for no limit.
  uint64_t free_limit_ms;
} ml_streamer_opts;

/// Statistics of a streamer.
typedef struct ml_streamer_info {
  /// sizeof(ml_streamer_info), or 0 for the first version of the struct.
  size_t size;
  /// The number of reads.
  uint64_t read_count;
  /// The number of bytes that were read.
  uint64_t bytes_read;
  /// The number of bytes of memory that are in use.
  size_t memory_used;
  /// The number of bytes of memory that are kept for reuse.
  size_t memory_kept;
  /// The maximum number of bytes that were in use or kept at one time.
  size_t memory_peak;
} ml_streamer_info;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// The ML_ABI_VERSION of the library that the program runs with. If it differs from the one in the header, call no other
/// function.
///
/// Cost: O(1). Threads: any. Errors: none.
uint32_t ml_abi_version(void);

/// The version of the library as text, such as "0.1.0". The text is static.
///
/// Cost: O(1). Threads: any. Errors: none.
const char *ml_version(void);

/// The name of a format in lower case, such as "md3"; "" for an unknown number. The text is static.
///
/// Cost: O(1). Threads: any. Errors: none.
const char *ml_format_name(ml_format format);

/// The name of a semantic in lower case, such as "positions"; "" for an unknown number. The text is static.
///
/// Cost: O(1). Threads: any. Errors: none.
const char *ml_semantic_name(ml_semantic semantic);

/// The size in bytes of an attribute with this format; 0 for an unknown number.
///
/// Cost: O(1). Threads: any. Errors: none.
size_t ml_vertex_format_size(ml_vertex_format format);

/// The name of a result: the name of its code, such as "OUT_OF_BOUNDS", or "UNKNOWN" for an unknown number. The text is
/// static.
///
/// Cost: O(1). Threads: any. Errors: none.
const char *ml_result_name(ml_result result);

/// Opens a model that is one file in memory. With ML_OWNERSHIP_BORROW, which is the default, nothing is copied: `data` must
/// stay in place, unchanged, until ml_close. The data may have any alignment. A GLB file is imported, in O(size).
///
/// On success, `*asset` is a new handle, to be closed with ml_close; otherwise it is NULL. `opts` and `error` may be
/// NULL.
///
/// Cost: O(headers). Headers are read once, and nothing in proportion to vertices, triangles or frames is read.
/// Decryption and ML_OWNERSHIP_COPY are O(size).
/// Threads: any.
/// Errors: ML_ERROR_MAGIC for bytes of no known format, ML_ERROR_VERSION, ML_ERROR_UNSUPPORTED for one file of a format
/// that needs two, ML_ERROR_ENCRYPTED, ML_ERROR_PASSWORD_WRONG, ML_ERROR_PASSWORD_TOO_LONG, ML_ERROR_MEMORY,
/// ML_ERROR_MEMORY_LIMIT, and for invalid headers any code from 100 on.
ml_result ml_open_memory(const void *data,
                              size_t size,
                              const ml_open_opts *opts,
                              ml_asset **asset,
                              ml_error *error);

/// Closes an asset: frees it and everything that calls returned pointers to. NULL is ignored. No other call may use the
/// asset at the same time. Scenes and nodes that were made from it stay open.
///
/// Cost: O(values that were made of the asset while it was open).
/// Threads: any, one at a time.
/// Errors: ML_ERROR_HANDLE if it was already closed, in builds with debug assertions. In other builds, closing twice is
/// undefined behavior.
ml_result ml_close(ml_asset *asset);

/// Writes the format, the version and the counts of the files of an asset, such as those of all parts of a player. Coarser
/// levels of detail in files of their own are not counted: ml_get_node_asset makes an asset of each, and of each node, which has
/// the counts of its file.
///
/// Cost: O(surfaces); O(triangles) for Unreal meshes.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT; ML_ERROR_UNSUPPORTED for a node of an imported asset (ml_get_node_asset), which has no file.
ml_result ml_get_file_info(const ml_asset *asset,
                                ml_file_info *info,
                                ml_error *error);

/// Detects the format of bytes by their first bytes, and the version in their header. This also works for files that
/// cannot be opened because they are encrypted. 64 bytes are enough. `*format` is ML_FORMAT_DETECT if the format is
/// unknown. `version` may be NULL; the text is cut to `version_size` bytes and NUL-terminated.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
ml_result ml_detect(const void *data,
                         size_t size,
                         ml_format *format,
                         char *version,
                         size_t version_size,
                         ml_error *error);

/// Opens a model of one or several files, each in memory or of the operating system: a pair of Unreal files, and
/// companions, such as a script or an animation. Other companions are not looked up: see ml_open_path. Files of the
/// operating system are read, or mapped with ML_ACCESS_MAP. Companions are applied to the model. ml_validate reports problems
/// with them. With ML_ROLE_BY_NAME, the name of a file determines its role:
///
/// | name | role |
/// |---|---|
/// | x_d.3d, DATAnn.3d | ML_ROLE_GEOMETRY |
/// | x_a.3d, ANIVnn.3d | ML_ROLE_FRAMES |
/// | x.uc | ML_ROLE_SCRIPT |
/// | animation.cfg | ML_ROLE_ANIMATION_CONFIG_LEGS or _TORSO, by the name of the model, which comes first |
/// | x.animation.cfg | ML_ROLE_NAMED_CLIPS |
/// | x.skin | ML_ROLE_SKIN |
/// | x.anim | ML_ROLE_ANIMATION if a model comes first, else ML_ROLE_MODEL |
/// | everything else | ML_ROLE_MODEL |
///
/// With ML_OWNERSHIP_BORROW, which is the default, data in memory is not copied: it must stay in place, unchanged, until
/// ml_close. On success, `*asset` is a new handle, to be closed with ml_close; otherwise it is NULL. `opts` and `error` may be
/// NULL.
///
/// Cost: O(size) to read files; O(headers) for maps and for memory; O(companions); animations are decoded. Decryption and
/// ML_OWNERSHIP_COPY are O(size).
/// Threads: any.
/// Errors: those of ml_open_memory; ML_ERROR_NOT_FOUND, ML_ERROR_IO, ML_ERROR_CANCELLED; ML_ERROR_ARGUMENT if there is no
/// model, or two files of one role, except ML_ROLE_ANIMATION; ML_ERROR_UNSUPPORTED for a companion of another format, ML_ERROR_MISSING if the script does
/// not import the mesh, ML_ERROR_SYNTAX.
ml_result ml_open_files(const ml_input_file *files,
                             size_t count,
                             const ml_open_opts *opts,
                             ml_asset **asset,
                             ml_error *error);

/// Writes the number of arrays in a file. They are the arrays of vertices, triangles and animation keys, mesh by mesh
/// and frame by frame, with the same names in every format. Packed arrays (UNIGINE ms14) are not listed.
///
/// Cost: the first call lists the arrays, O(arrays), and keeps the list; after that O(1).
/// Threads: any.
/// Errors: ML_ERROR_UNSUPPORTED for an imported asset (glTF), which has no arrays of a file, ML_ERROR_MEMORY_LIMIT.
ml_result ml_get_array_count(const ml_asset *asset,
                                  size_t *count,
                                  ml_error *error);

/// Writes the location and the format of an array. Decodes nothing.
///
/// Cost: as ml_get_array_count.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such array; those of ml_get_array_count.
ml_result ml_get_array(const ml_asset *asset,
                            size_t index,
                            ml_array *array,
                            ml_error *error);

/// Decodes an array into memory of the caller: value `i` goes to `out + offset + i * stride`, as the numbers that
/// ml_array_format describes, in native byte order. `out` may have any alignment; decoding is fastest if it has the
/// alignment of its numbers. `opts` may be NULL.
///
/// Cost: O(elements), with the fastest instructions of the machine.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such array or element, ML_ERROR_VALUE if the output ends before the last value
/// or a stride is smaller than a value; those of ml_get_array_count. The output is then unchanged.
ml_result ml_decode(const ml_asset *asset,
                         size_t array,
                         const ml_decode_opts *opts,
                         void *out,
                         size_t out_size,
                         ml_error *error);

/// Writes every index of an array of indices as a 32-bit integer, without gaps, and the largest index to `*largest`, or
/// UINT32_MAX if there is none. The indices are written as they are stored and may be out of range: compare the largest
/// with the number of vertices. `count` is the number of elements of `out`, which must be the number of all indices.
/// `largest` may be NULL.
///
/// Cost: O(indices).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such array, ML_ERROR_UNSUPPORTED if its elements are not indices,
/// ML_ERROR_LENGTH if `count` is not the number of all indices; those of ml_get_array_count. The output is then unchanged.
ml_result ml_decode_indices(const ml_asset *asset,
                                 size_t array,
                                 uint32_t *out,
                                 size_t count,
                                 uint32_t *largest,
                                 ml_error *error);

/// Writes the counts and the space of a model.
///
/// Cost: the first call that needs the model makes it, O(headers and names of frames), and unpacks packed geometry
/// (UNIGINE ms14). After that O(meshes).
/// Threads: any.
/// Errors: ML_ERROR_UNSUPPORTED for one file of an Unreal mesh, errors for packed geometry that cannot be unpacked and
/// for bones whose parents form a cycle, ML_ERROR_MEMORY_LIMIT. The arrays of such a file can still be read.
ml_result ml_get_model(const ml_asset *asset,
                            ml_model *model,
                            ml_error *error);

/// Writes the properties of a mesh.
///
/// Cost: O(1); O(morph targets) in UNIGINE. The first call makes the model: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such mesh; those of ml_get_model.
ml_result ml_get_mesh(const ml_asset *asset,
                           size_t index,
                           ml_mesh *mesh,
                           ml_error *error);

/// Writes the name of a frame: of the model if `mesh` is ML_NONE, otherwise of a frame or morph target of that mesh. It
/// is empty if the frame has no name, cut to `name_size` bytes, and NUL-terminated.
///
/// Cost: O(length of the name).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT, ML_ERROR_INDEX if there is no such mesh or frame; those of ml_get_model.
ml_result ml_get_frame_name(const ml_asset *asset,
                                 size_t mesh,
                                 size_t frame,
                                 char *name,
                                 size_t name_size,
                                 ml_error *error);

/// Writes the properties of a material.
///
/// Cost: O(1). The first call makes the model: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such material; those of ml_get_model.
ml_result ml_get_material(const ml_asset *asset,
                               size_t index,
                               ml_material *material,
                               ml_error *error);

/// Writes the properties of a clip.
///
/// Cost: O(1). The first call makes the model: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such clip; those of ml_get_model.
ml_result ml_get_clip(const ml_asset *asset,
                           size_t index,
                           ml_clip *out,
                           ml_error *error);

/// Writes the index of the first clip with this name, ignoring case, to `*index`; ML_NONE if there is none.
///
/// Cost: O(clips). The first call makes the model: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT; those of ml_get_model.
ml_result ml_find_clip(const ml_asset *asset,
                            const char *name,
                            size_t *index,
                            ml_error *error);

/// Writes the two frames that a clip shows `time` seconds after its start, and the weight of the second. Clips that
/// loop continue, others stay at their last frame. For a time before the start, or NaN, the result is the first frame.
/// An infinite time of a clip that loops gives the first frame that repeats. The frames are vertex frames, or frames of
/// the clip's joint animation; ml_get_pose gives the pose itself.
///
/// Cost: O(1). The first call makes the model: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such clip; those of ml_get_model.
ml_result ml_sample_clip(const ml_asset *asset,
                              size_t index,
                              float time,
                              ml_blend *blend,
                              ml_error *error);

/// Writes the bounding box of the points of a mesh in one frame. If `mesh` is ML_NONE, of all meshes that have the
/// frame. The points are decoded, because bounds that are stored in files are often wrong.
///
/// Cost: O(points).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such mesh or frame, ML_ERROR_MISSING if there are no points; those of
/// ml_get_model.
ml_result ml_get_bounds(const ml_asset *asset,
                             size_t mesh,
                             size_t frame,
                             ml_bounds *bounds,
                             ml_error *error);

/// Writes the properties of a joint.
///
/// Cost: O(1). The first call makes the model: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such joint; those of ml_get_model.
ml_result ml_get_joint(const ml_asset *asset,
                            size_t index,
                            ml_joint *joint,
                            ml_error *error);

/// Writes the properties of an animation.
///
/// Cost: O(1). The first call makes the model: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such animation; those of ml_get_model.
ml_result ml_get_animation(const ml_asset *asset,
                                size_t index,
                                ml_animation *animation,
                                ml_error *error);

/// Writes the pose of all joints in a clip `time` seconds after its start, or at rest if `clip` is ML_NONE, as
/// transforms relative to the parents. Joints that the clip does not move are at rest. `count` is the number of
/// elements of `pose`, which must be the number of joints.
///
/// Cost: O(joints), and the same amount of temporary memory. To find a frame, UNIGINE reads up to 64 frames before it,
/// and Ultimate 3D searches the keys of each joint.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such clip, ML_ERROR_LENGTH; those of ml_get_model.
ml_result ml_get_pose(const ml_asset *asset,
                           size_t clip,
                           float time,
                           ml_transform *pose,
                           size_t count,
                           ml_error *error);

/// Writes the matrix of each joint in the space of the model from a pose: the product of the transforms of its
/// ancestors and its own. `count` is the number of elements of `pose` and of `world`, which must be the number of
/// joints.
///
/// Cost: O(joints).
/// Threads: any.
/// Errors: ML_ERROR_LENGTH; those of ml_get_model.
ml_result ml_get_world_matrices(const ml_asset *asset,
                                     const ml_transform *pose,
                                     ml_matrix *world,
                                     size_t count,
                                     ml_error *error);

/// Writes the name of a tag, such as "tag_weapon", to `*name`. It is valid until ml_close.
///
/// Cost: O(1). The first call makes the model: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such tag; those of ml_get_model.
ml_result ml_get_tag_name(const ml_asset *asset,
                               size_t tag,
                               const char **name,
                               ml_error *error);

/// Writes the index of the first tag with this name, ignoring case, to `*tag`; ML_NONE if there is none.
///
/// Cost: O(tags). The first call makes the model: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT; those of ml_get_model.
ml_result ml_find_tag(const ml_asset *asset,
                           const char *name,
                           size_t *tag,
                           ml_error *error);

/// Writes the pose of a tag, interpolated between two frames with `blend`. Origin and axes are interpolated linearly,
/// then each axis is normalized, as engines do.
///
/// Cost: O(1); O(triangles) for Unreal meshes, in which a triangle of a special type defines the tag.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such tag or frame; those of ml_get_model.
ml_result ml_get_tag_pose(const ml_asset *asset,
                               size_t tag,
                               ml_blend blend,
                               ml_tag_pose *pose,
                               ml_error *error);

/// Validates the files of an asset, such as all parts of a player: reports content that is broken, or legal but unusual,
/// also in the script that it was opened with. ml_get_node_asset makes an asset of one node, which has the findings of its
/// file alone. The findings about an imported asset (glTF) are those of its import, which also ml_get_asset_report has.
/// At most `max_findings` findings are kept, the most severe first (100 if it is 0); all are counted.
///
/// On success, `*report` is a new handle, to be closed with ml_close_report; otherwise it is NULL.
///
/// Cost: O(size of the files).
/// Threads: any.
/// Errors: ML_ERROR_INCOMPLETE for a loaded part that is not the whole model; ML_ERROR_MEMORY, ML_ERROR_MEMORY_LIMIT.
ml_result ml_validate(const ml_asset *asset,
                           size_t max_findings,
                           ml_report **report,
                           ml_error *error);

/// Closes a report, and frees its texts. NULL is ignored.
///
/// Cost: O(findings).
/// Threads: any, one at a time.
/// Errors: those of ml_close.
ml_result ml_close_report(ml_report *report);

/// Writes the counts of a report.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
ml_result ml_get_report_info(const ml_report *report,
                                  ml_report_info *info,
                                  ml_error *error);

/// Writes a kept finding. Errors come first, then warnings, infos and hints, each in the order in which they were
/// found.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such finding.
ml_result ml_get_finding(const ml_report *report,
                              size_t index,
                              ml_finding *finding,
                              ml_error *error);

/// Writes the number of findings with a code. Groups are sorted by severity, the most severe first, and then by name.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such group.
ml_result ml_get_finding_group(const ml_report *report,
                                    size_t index,
                                    ml_finding_group *group,
                                    ml_error *error);

/// Explains a code, such as "TAG_AXIS_NOT_UNIT".
///
/// Cost: O(codes).
/// Threads: any.
/// Errors: ML_ERROR_MISSING if the code is unknown.
ml_result ml_explain(const char *code,
                          ml_explanation *explanation,
                          ml_error *error);

/// Writes the scene of an asset as one binary glTF 2.0 file (GLB): all nodes, such as the parts of a player, attached to one another.
/// ml_get_node_asset makes an asset of one of them. `write` is called with the bytes of the file, in order. The files that belong
/// to a model that was opened with them travel in the file, unless ML_GLB_NO_FILES is set. Content of the models
/// that glTF does not keep is listed in a report: if `losses` is not NULL, `*losses` is a new handle on success, to be
/// closed with ml_close_report.
///
/// Cost: O(model) to measure it, and O(output); up to about ten seconds for a skeleton. The output is streamed. Keys, textures
/// and compressed data are held in memory, which is reserved from the memory limit of the asset.
/// Threads: any.
/// Errors: ML_ERROR_CALLBACK, ML_ERROR_CANCELLED, ML_ERROR_MISSING and ML_ERROR_INDEX for a clip or a frame that does
/// not exist, ML_ERROR_LIMIT for more than 4 GiB, ML_ERROR_MEMORY_LIMIT; with ML_GLB_SKELETON, ML_ERROR_UNSUPPORTED for a
/// model that has a skeleton, does not move, or whose vertices no skeleton moves within the distances; those of
/// ml_get_scene_mesh.
ml_result ml_write_glb(const ml_asset *asset,
                            const ml_glb_opts *opts,
                            ml_write_fn write,
                            void *user,
                            ml_report **losses,
                            ml_error *error);

/// Makes a search path without mounts. `opts` and `error` may be NULL. On success, `*assets` is a new handle, to be
/// freed with ml_free_assets; otherwise it is NULL.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_MEMORY.
ml_result ml_new_assets(const ml_assets_opts *opts,
                             ml_assets **assets,
                             ml_error *error);

/// Frees a search path. Assets that were opened from it stay open. NULL is ignored.
///
/// Cost: O(folders that were listed).
/// Threads: any, one at a time.
/// Errors: those of ml_close.
ml_result ml_free_assets(ml_assets *assets);

/// Calls `entry` with the names of the files and folders in a folder of the mounts, each once and sorted, folders
/// first. `folder` is "" for the root. If a mount cannot list the folder, or one that contains it, the names of the other mounts
/// are passed, and then the call returns the error.
///
/// Cost: O(names); the first use of a folder lists it in every mount.
/// Threads: any.
/// Errors: ML_ERROR_NOT_FOUND if no mount has the folder, ML_ERROR_REFUSED, ML_ERROR_CALLBACK, ML_ERROR_MEMORY_LIMIT; those of
/// ml_read_asset_file for a folder that cannot be listed.
ml_result ml_list_folder(const ml_assets *assets,
                              const char *folder,
                              ml_entry_fn entry,
                              void *user,
                              ml_error *error);

/// Calls `write` once with the content of a file of the mounts, such as a texture or a script.
///
/// Cost: O(size of the file).
/// Threads: any.
/// Errors: ML_ERROR_NOT_FOUND, ML_ERROR_AMBIGUOUS, ML_ERROR_REFUSED, ML_ERROR_IO, ML_ERROR_ARCHIVE,
/// ML_ERROR_MEMORY_LIMIT, ML_ERROR_CALLBACK.
ml_result ml_read_asset_file(const ml_assets *assets,
                                  const char *path,
                                  ml_write_fn write,
                                  void *user,
                                  ml_error *error);

/// Opens a model by its name inside the mounts, with its companion files:
///
/// | name | model |
/// |---|---|
/// | models/x.md3, x.u3d, x.mesh, x.anim | the file |
/// | Models/x_d.3d, Models/x_a.3d | both files |
/// | Classes/x.uc | the mesh that the script imports, if it is one |
/// | Classes/x.uc!Gun | the mesh Gun of the script |
/// | models/players/sarge | the player in this folder |
/// | pak0.pk3!models/x.md3 | any of these in an archive inside the mounts |
///
/// Clips, skins, levels of detail, animations and textures are found by the rules of each format; ml_get_asset_lookup
/// lists the files that were looked up. On success, `*asset` is a new handle, to be closed with ml_close;
/// otherwise it is NULL.
///
/// Cost: O(size of the files).
/// Threads: any.
/// Errors: ML_ERROR_NOT_FOUND, ML_ERROR_AMBIGUOUS, ML_ERROR_REFUSED, ML_ERROR_IO, ML_ERROR_ARCHIVE, ML_ERROR_CALLBACK,
/// ML_ERROR_MEMORY_LIMIT; those of ml_open_memory.
ml_result ml_open_asset(const ml_assets *assets,
                             const char *name,
                             const ml_asset_opts *opts,
                             ml_asset **asset,
                             ml_error *error);

/// Opens a model by a path of the operating system: a file, the folder of a player, a mesh of a script (x.uc!Gun), or
/// any of these in an archive (pak0.pk3!models/x.md3). Companion files are looked up in the folder of the game around
/// the path if it is recognized, otherwise in the folder of the path; and then in `assets`, which may be NULL.
///
/// On success, `*asset` is a new handle, to be closed with ml_close; otherwise it is NULL.
///
/// Cost: O(size of the files).
/// Threads: any.
/// Errors: those of ml_open_asset.
ml_result ml_open_path(const ml_assets *assets,
                            const char *path,
                            const ml_asset_opts *opts,
                            ml_asset **asset,
                            ml_error *error);

/// Mounts a file system of the caller. Errors refer to it by `name`, which may be "". The struct is copied.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT if a function is NULL; `release` is then not called.
ml_result ml_mount_files(ml_assets *assets,
                              const char *name,
                              const ml_file_system *files,
                              ml_error *error);

/// Finds every model below a folder of the mounts, without reading any: each Unreal mesh once, with the script that
/// imports it. `folder` is "" for the root; `flags` is the sum of ML_FIND_CONTENT, ML_FIND_ARCHIVES and ML_FIND_GLTF, or 0. Files and
/// folders that cannot be searched are listed as faults, and the others are still searched.
///
/// On success, `*models` is a new handle, to be closed with ml_close_models; otherwise it is NULL.
///
/// Cost: O(files below the folder).
/// Threads: any.
/// Errors: ML_ERROR_REFUSED, ML_ERROR_MEMORY. At the memory limit, the search ends, and a fault says where.
ml_result ml_find_models(const ml_assets *assets,
                              const char *folder,
                              uint32_t flags,
                              ml_models **models,
                              ml_error *error);

/// Finds every model that a path of the operating system names: a file, the meshes of a script, or all models below a
/// folder or in an archive. Otherwise like ml_find_models: a path that does not exist or cannot be read is listed as a
/// fault. `assets` may be NULL.
///
/// Cost: O(files below the path).
/// Threads: any.
/// Errors: those of ml_find_models.
ml_result ml_find_models_at(const ml_assets *assets,
                                 const char *path,
                                 uint32_t flags,
                                 ml_models **models,
                                 ml_error *error);

/// Closes a list of models. NULL is ignored.
///
/// Cost: O(models).
/// Threads: any, one at a time.
/// Errors: those of ml_close.
ml_result ml_close_models(ml_models *models);

/// Writes the counts of a list of models.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
ml_result ml_get_models_info(const ml_models *models,
                                  ml_models_info *info,
                                  ml_error *error);

/// Writes the properties of a model that was found. Models are sorted by the names of their files.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such model.
ml_result ml_get_found_model(const ml_models *models,
                                  size_t index,
                                  ml_found_model *model,
                                  ml_error *error);

/// Writes the reason why a file or a folder could not be searched, as the error of a call.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such fault.
ml_result ml_get_find_fault(const ml_models *models,
                                 size_t index,
                                 ml_error *fault,
                                 ml_error *error);

/// Opens a model that was found, like ml_open_asset.
///
/// Cost: O(size of the files).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such model; those of ml_open_asset.
ml_result ml_open_found(const ml_models *models,
                             size_t index,
                             const ml_asset_opts *opts,
                             ml_asset **asset,
                             ml_error *error);

/// Mounts a folder of the operating system. Files outside it are never read, even through symbolic links.
///
/// Cost: O(1); folders are listed on first use.
/// Threads: any.
/// Errors: ML_ERROR_NOT_FOUND, ML_ERROR_IO.
ml_result ml_mount_folder(ml_assets *assets,
                               const char *path,
                               ml_error *error);

/// Mounts a PK3 or zip archive.
///
/// Cost: O(entries): its directory is read.
/// Threads: any.
/// Errors: ML_ERROR_NOT_FOUND, ML_ERROR_IO, ML_ERROR_ARCHIVE.
ml_result ml_mount_archive(ml_assets *assets,
                                const char *path,
                                ml_error *error);

/// Mounts a PK3 or zip archive that is a file of the mounts, such as one in a file system of the caller. `name` is its path
/// inside the mounts. The new mount is named after the file: the name of its mount, a slash, and its path in that mount.
///
/// Cost: O(entries): its directory is read.
/// Threads: any.
/// Errors: ML_ERROR_NOT_FOUND if no mount has the file, ML_ERROR_ARCHIVE; those of ml_read_asset_file.
ml_result ml_mount_inner_archive(ml_assets *assets,
                                      const char *name,
                                      ml_error *error);

/// Removes a mount: the one that was added last with this name. The name of a folder or an archive of the operating system
/// is the path with which it was mounted. Assets that were opened from it stay open; `release` of a file system is called
/// after the last of them was closed.
///
/// Cost: O(mounts + folders that were listed).
/// Threads: any.
/// Errors: ML_ERROR_NOT_FOUND if no mount has the name.
ml_result ml_unmount(ml_assets *assets,
                          const char *name,
                          ml_error *error);

/// Clears the cached folder listings, so that added and removed files are noticed, and opens mounted archives again that
/// have changed. One that cannot be opened stays as it was, and reading from it is an error. An archive in a file system of
/// the caller has changed if its size or its version is another. An archive that was mounted from inside another archive is not
/// opened again: unmount it, and mount it again.
///
/// Cost: O(folders that were listed + archives), and the directories of archives that have changed.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
ml_result ml_refresh_assets(ml_assets *assets,
                                 ml_error *error);

/// Writes the content of an asset.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
ml_result ml_get_asset_info(const ml_asset *asset,
                                 ml_asset_info *info,
                                 ml_error *error);

/// Writes the properties of a node of an asset.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such node.
ml_result ml_get_asset_node(const ml_asset *asset,
                                 size_t index,
                                 ml_asset_node *node,
                                 ml_error *error);

/// Writes a file that an asset was made from, in the order in which the files were read.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such file.
ml_result ml_get_asset_file(const ml_asset *asset,
                                 size_t index,
                                 ml_asset_file *file,
                                 ml_error *error);

/// Writes a file that was looked up, in order, found or not.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such lookup.
ml_result ml_get_asset_lookup(const ml_asset *asset,
                                   size_t index,
                                   ml_asset_lookup *lookup,
                                   ml_error *error);

/// Writes a report on the files of an asset and how they fit together: clips without frames, bones that do not match,
/// textures that were not found. ml_validate reports on the content of the files. On success, `*report` is a new handle,
/// to be closed with ml_close_report; otherwise it is NULL.
///
/// Cost: O(findings). For an asset of ml_get_loaded_asset, that of ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_MEMORY, ML_ERROR_MEMORY_LIMIT; those of ml_get_model.
ml_result ml_get_asset_report(const ml_asset *asset,
                                   ml_report **report,
                                   ml_error *error);

/// Makes an asset of one node of an asset. `lod` is 0 for the node itself, otherwise the number of a coarser level of
/// detail; 1 is the finest of those. It shares the bytes of the asset, and stays open when the asset is closed.
/// Its model has the clips, materials and animations that were found. Its arrays are the arrays of the node's own file; a node
/// of an imported asset (glTF) has none.
///
/// On success, `*of_node` is a new handle, to be closed with ml_close; otherwise it is NULL.
///
/// Cost: O(headers and names).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such node or lod, ML_ERROR_MEMORY, ML_ERROR_MEMORY_LIMIT.
ml_result ml_get_node_asset(const ml_asset *asset,
                                 size_t node,
                                 size_t lod,
                                 ml_asset **of_node,
                                 ml_error *error);

/// Calls `write` once with the texture of a material as a PNG or JPEG file: unchanged if the file in the mounts has one
/// of these formats, otherwise converted to PNG. Images whose alpha must be computed are also converted. `mime_type`
/// must have room for 16 bytes and receives "image/png" or "image/jpeg"; it may be NULL. The asset must have been opened by its
/// name or path, or be a node of such an asset.
///
/// Cost: O(size of the image). It is decoded if it has to be converted.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such material, ML_ERROR_MISSING if it has no texture that was found, ML_ERROR_VALUE
/// for an image that cannot be decoded, ML_ERROR_CALLBACK; those of ml_read_asset_file.
ml_result ml_read_texture(const ml_asset *asset,
                               size_t material,
                               ml_write_fn write,
                               void *user,
                               char *mime_type,
                               ml_error *error);

/// Like ml_read_texture, for the normal map of a material: the image that the model has, such as one of glTF or x_n.png beside the
/// texture x.tga of an MD3, or one that is made from its height map, a PNG file. X is to the right in the image, Y is up,
/// and 0.5 is 0.
///
/// Cost: O(size of the image). It is decoded and converted.
/// Threads: any.
/// Errors: ML_ERROR_MISSING if the material has no normal map and no height map that was found; those of ml_read_texture.
ml_result ml_read_normal_map(const ml_asset *asset,
                                  size_t material,
                                  ml_write_fn write,
                                  void *user,
                                  char *mime_type,
                                  ml_error *error);

/// Calls `write` once with the pixels of the texture of a material: red, green, blue and alpha, 8 bits each, sRGB with
/// straight alpha, row by row from the top. The alpha channel is not changed: renderers blend as texture_alpha of
/// ml_material says. `image` receives the size before `write` is called. The asset is one that ml_read_texture takes.
///
/// Cost: O(size of the image). It is decoded.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such material, ML_ERROR_MISSING if it has no texture that was found, ML_ERROR_VALUE
/// for an image that cannot be decoded, ML_ERROR_CALLBACK; those of ml_read_asset_file.
ml_result ml_read_texture_pixels(const ml_asset *asset,
                                      size_t material,
                                      ml_image *image,
                                      ml_write_fn write,
                                      void *user,
                                      ml_error *error);

/// Calls `write` once for each level of detail of the texture of a material, from the largest on, with the blocks that its
/// DDS file stores, unchanged: what a GPU reads. `image` receives the size of the largest level, the format and the number of
/// levels before the first call. Level `n` has max(1, width >> n) columns and max(1, height >> n) rows, both filled up to a
/// multiple of 4, and blocks of 4 by 4 pixels, row by row from the top. Levels that the file does not have whole are left out.
/// The alpha channel is not changed. The asset is one that ml_read_texture takes.
///
/// Cost: O(size of the image). Nothing is decoded.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such material, ML_ERROR_MISSING if it has no texture that is stored in blocks:
/// ml_read_texture_pixels reads all others. ML_ERROR_VALUE for an invalid DDS file, ML_ERROR_CALLBACK; those of
/// ml_read_asset_file.
ml_result ml_read_texture_blocks(const ml_asset *asset,
                                      size_t material,
                                      ml_image *image,
                                      ml_write_fn write,
                                      void *user,
                                      ml_error *error);

/// Makes a scene of the nodes of an asset. `space` is the space and the scale of its vertices and matrices; NULL and
/// ML_SPACE_FILE mean the space of the first node's model. `lod` is the level of detail, 0 for the finest; a node with fewer
/// levels shows its coarsest. The scene shares the bytes of the asset, and stays open when the asset is closed; bytes that the
/// asset borrows from the caller must stay valid until both are closed. On success, `*scene` is a new handle, to be closed with
/// ml_close_scene; otherwise it is NULL.
///
/// Cost: O(meshes + joints + clips, squared), and that of ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT for an invalid space or a scale that is not finite, ML_ERROR_UNSUPPORTED for one file of an
/// Unreal mesh, ML_ERROR_MEMORY, ML_ERROR_MEMORY_LIMIT; those of ml_get_model.
ml_result ml_open_scene(const ml_asset *asset,
                             const ml_convert_opts *space,
                             size_t lod,
                             ml_scene **scene,
                             ml_error *error);

/// Closes a scene. NULL is ignored.
///
/// Cost: O(meshes).
/// Threads: any, one at a time.
/// Errors: those of ml_close.
ml_result ml_close_scene(ml_scene *scene);

/// Writes the counts of a scene.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
ml_result ml_get_scene_info(const ml_scene *scene,
                                 ml_scene_info *info,
                                 ml_error *error);

/// Writes the name of a clip of a scene, and the number of nodes that it moves.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such clip.
ml_result ml_get_scene_clip(const ml_scene *scene,
                                 size_t index,
                                 ml_scene_clip *clip,
                                 ml_error *error);

/// Writes the properties of a mesh of a scene. Meshes are listed node by node, in file order.
///
/// Cost: the first call for a mesh checks its indices, O(triangles), and welds vertices if the format indexes points
/// and corners separately, O(n log n). Both are kept until ml_close_scene. After that O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such mesh, or for the first index that is not below the number of vertices, with
/// its offset; ML_ERROR_MEMORY_LIMIT.
ml_result ml_get_scene_mesh(const ml_scene *scene,
                                 size_t index,
                                 ml_scene_mesh *mesh,
                                 ml_error *error);

/// Writes the properties of a submesh of a mesh.
///
/// Cost: that of ml_get_scene_mesh.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such mesh or submesh; those of ml_get_scene_mesh.
ml_result ml_get_submesh(const ml_scene *scene,
                              size_t mesh,
                              size_t index,
                              ml_submesh *submesh,
                              ml_error *error);

/// Writes the index buffer of a mesh: three indices for each triangle, submesh by submesh, in native byte order, with the
/// winding of the scene's space. `out_size` is in bytes, and must be the size of all indices: index_count of
/// ml_get_scene_mesh times 2 or 4.
///
/// Cost: O(triangles), and that of ml_get_scene_mesh.
/// Threads: any.
/// Errors: ML_ERROR_LENGTH, ML_ERROR_LIMIT if there are more vertices than 16-bit indices can index; those of
/// ml_get_scene_mesh. The output is then unchanged.
ml_result ml_indices(const ml_scene *scene,
                          size_t mesh,
                          ml_index_format format,
                          void *out,
                          size_t out_size,
                          ml_error *error);

/// Fills a vertex buffer with a mesh in a pose: frames are blended, joints move their vertices, and positions, normals and
/// tangents are in the space of the scene. If the layout has joints and weights, the vertices stay as they are bound, for a
/// shader that moves them with ml_get_skin_matrices. `pose` may be NULL, which means at rest. `out_size` is in bytes, and
/// must be vertex_count of ml_get_scene_mesh times the stride of the layout.
///
/// Arrays of the file are gathered, decoded, blended, converted and stored in one pass over `out`, and nothing is allocated
/// after the first call. Values that are computed, such as the normals of a frame of an Unreal mesh, are
/// kept until the asset or file and its scenes are closed.
///
/// Cost: O(vertices), and that of ml_get_scene_mesh for meshes that are not welded.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such mesh, or the pose is of another scene, ML_ERROR_MISSING for an attribute that
/// the mesh does not have, ML_ERROR_VALUE and ML_ERROR_UNSUPPORTED for a layout that does not fit, ML_ERROR_LENGTH; those
/// of ml_get_scene_mesh. The output is then unchanged.
ml_result ml_fill_vertex_buffer(const ml_scene *scene,
                                     size_t mesh,
                                     const ml_pose *pose,
                                     const ml_vertex_layout *layout,
                                     void *out,
                                     size_t out_size,
                                     ml_error *error);

/// Writes the matrices with which a vertex shader moves the vertices of a mesh, one for each joint of its model. They
/// turn the vertices that ml_fill_vertex_buffer writes with joints and weights into vertices in the pose. `pose` may be
/// NULL, which means at rest. `count` must be the number of joints.
///
/// Cost: O(joints), and that of ml_get_scene_mesh for meshes that are not welded.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such mesh, or the pose is of another scene, ML_ERROR_MISSING if no joint moves it,
/// ML_ERROR_LENGTH; those of ml_get_scene_mesh.
ml_result ml_get_skin_matrices(const ml_scene *scene,
                                    size_t mesh,
                                    const ml_pose *pose,
                                    ml_matrix *skin,
                                    size_t count,
                                    ml_error *error);

/// Writes 1 to `*has` if ml_fill_vertex_buffer can write this attribute of a mesh, otherwise 0. `set` is the set of
/// texture coordinates or colors, else 0.
///
/// Cost: O(1) for positions and texture coordinates, else up to O(corners), and the same amount of temporary memory.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT, ML_ERROR_INDEX if there is no such mesh; those of ml_get_model.
ml_result ml_has_attribute(const ml_asset *asset,
                                size_t mesh,
                                ml_attribute attribute,
                                uint32_t set,
                                uint32_t *has,
                                ml_error *error);

/// Writes the first node that has a tag with this name, ignoring case, to `*node`, and the index of the tag to `*tag`. Both
/// are ML_NONE if there is no such tag.
///
/// Cost: O(tags).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
ml_result ml_find_scene_tag(const ml_scene *scene,
                                 const char *name,
                                 size_t *node,
                                 size_t *tag,
                                 ml_error *error);

/// Writes the matrix from the model of a node, as its script places it, to the space of the scene. It includes the
/// attachment, the axes and the scale. Use it for everything except vertices, such as a node of a scene graph or a
/// sound. Vertices and tags are already in the space of the scene.
///
/// Cost: O(nodes).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such node, or the pose is of another scene.
ml_result ml_get_node_matrix(const ml_scene *scene,
                                  size_t node,
                                  const ml_pose *pose,
                                  ml_matrix *matrix,
                                  ml_error *error);

/// Writes the matrix of a tag of a node in the space of the scene, such as the place of a muzzle flash.
///
/// Cost: O(nodes).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such node or tag, or the pose is of another scene.
ml_result ml_get_tag_matrix(const ml_scene *scene,
                                 size_t node,
                                 size_t tag,
                                 const ml_pose *pose,
                                 ml_matrix *matrix,
                                 ml_error *error);

/// Writes the matrix of a joint of a node in the space of the scene, without its scale.
///
/// Cost: O(nodes).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such node or joint, or the pose is of another scene.
ml_result ml_get_joint_matrix(const ml_scene *scene,
                                   size_t node,
                                   size_t joint,
                                   const ml_pose *pose,
                                   ml_matrix *matrix,
                                   ml_error *error);

/// Writes the bounding box of all vertices of a scene in a pose, in the space of the scene. `pose` may be NULL, which means
/// at rest.
///
/// Cost: O(vertices).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if the pose is of another scene, ML_ERROR_MISSING if there are no vertices.
ml_result ml_get_scene_bounds(const ml_scene *scene,
                                   const ml_pose *pose,
                                   ml_bounds *bounds,
                                   ml_error *error);

/// Makes a pose of a scene at rest: nodes show their first vertex frame, but legs and torso of a player the first frame of
/// LEGS_IDLE and TORSO_STAND, if there is an animation.cfg. ml_set_frames shows others. On success, `*pose` is a new handle, to
/// be closed with ml_close_pose; otherwise it is NULL.
///
/// Cost: O(joints).
/// Threads: any.
/// Errors: ML_ERROR_MEMORY.
ml_result ml_new_pose(const ml_scene *scene,
                           ml_pose **pose,
                           ml_error *error);

/// Closes a pose. NULL is ignored.
///
/// Cost: O(nodes).
/// Threads: any, one at a time.
/// Errors: those of ml_close.
ml_result ml_close_pose(ml_pose *pose);

/// Sets a pose to what a scene shows while `count` clips play. A clip moves every node that has one with its name; if
/// several move one node, the last does. Other nodes are at rest. For example, the legs of a player play LEGS_RUN while the
/// torso plays TORSO_ATTACK.
///
/// Cost: O(joints + clips). To find a frame, UNIGINE reads up to 64 frames before it, and Ultimate 3D searches the keys of
/// each joint. Allocates nothing if the pose showed these clips before.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if the pose is of another scene, ML_ERROR_MISSING if no node has a clip with a name. The pose is
/// then unchanged.
ml_result ml_set_pose(const ml_scene *scene,
                           ml_pose *pose,
                           const ml_play *clips,
                           size_t count,
                           ml_error *error);

/// Shows two vertex frames on a node, and a weight of the second. Meshes with fewer frames show their last one.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such node.
ml_result ml_set_frames(ml_pose *pose,
                             size_t node,
                             ml_blend frames,
                             ml_error *error);

/// Sets the matrices of the joints of a node, as ml_get_world_matrices writes them: in the space of its model. `count` must
/// be the number of joints.
///
/// Cost: O(joints).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such node, ML_ERROR_LENGTH.
ml_result ml_set_joints(ml_pose *pose,
                             size_t node,
                             const ml_matrix *joints,
                             size_t count,
                             ml_error *error);

/// Writes the result of a request.
///
/// Cost: O(1). It never waits.
/// Threads: any.
/// Errors: ML_ERROR_NOT_READY if the request has not ended; else the error of the request: ML_ERROR_CANCELLED,
/// ML_ERROR_NOT_FOUND, ML_ERROR_IO, ML_ERROR_CALLBACK if a callback failed, ML_ERROR_ARCHIVE, ML_ERROR_MISSING if the model does
/// not have the part, ML_ERROR_INCOMPLETE if the part does not contain an attribute of the layout, ML_ERROR_MEMORY_LIMIT,
/// ML_ERROR_LENGTH if a buffer is too small, and the errors of ml_fill_vertex_buffer and ml_open_memory.
ml_result ml_get_loaded(const ml_request *request,
                             ml_loaded *loaded,
                             ml_error *error);

/// Makes an asset of the loaded part. It has only the arrays that were loaded; other calls need ML_PART_WHOLE. The asset
/// shares the bytes, which count against the memory limit of the streamer until it is closed.
///
/// If the streamer has a search path, the asset has the model of the node as ml_open_asset gives it: with its placement, clips,
/// skin, materials and textures. The first call that needs the model reads these companion files, so make it on a thread that may
/// wait; it also returns the errors of ml_open_asset, and ML_ERROR_INCOMPLETE if not the whole model is loaded. ml_write_glb does
/// not write the files that belong to the model.
///
/// On success, `*asset` is a new handle, to be closed with ml_close before or after the request; otherwise it is NULL.
///
/// Cost: O(surfaces).
/// Threads: any.
/// Errors: those of ml_get_loaded; ML_ERROR_MISSING if the request was for bounds that were known without reading the model.
ml_result ml_get_loaded_asset(const ml_request *request,
                                   ml_asset **asset,
                                   ml_error *error);

/// Opens a node of a model to be loaded part by part. If the streamer has a search path, `name` is what ml_open_asset opens:
/// folders are listed, and lengths of files and scripts of Unreal meshes are read now, but no model. Otherwise `name` is the
/// path of a file in the file system of the streamer, or without one, of the operating system in UTF-8; nothing is read before
/// the first request. Vertices are placed as scripts say; attachments are those of ml_get_asset_node. A file of another format
/// (glTF) is imported as a whole by ml_open_asset, and has no parts to load.
///
/// On success, `*stream` is a new handle, to be closed with ml_close_stream; otherwise it is NULL. `opts` and `error` may be
/// NULL.
///
/// Cost: O(1) for a path, O(files in the folders) for a name.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such node or lod; ML_ERROR_ARGUMENT, also for frames of a streamer with a search
/// path, and for options of an asset without one; ML_ERROR_UNSUPPORTED for a file that is imported (glTF); ML_ERROR_MEMORY; for a
/// name those of ml_open_asset.
ml_result ml_open_stream(const ml_streamer *streamer,
                              const char *name,
                              const ml_stream_opts *opts,
                              ml_stream **stream,
                              ml_error *error);

/// Closes a stream. Its requests continue. NULL is ignored.
///
/// Cost: O(parts).
/// Threads: any, one at a time.
/// Errors: those of ml_close.
ml_result ml_close_stream(ml_stream *stream);

/// Writes the known properties of a model. It never waits.
///
/// Cost: O(parts).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
ml_result ml_get_stream_info(const ml_stream *stream,
                                  ml_stream_info *info,
                                  ml_error *error);

/// Lists the parts of a model that do not consist of other parts, in the usual order of loading. ML_PART_MESH,
/// ML_PART_LOD and ML_PART_WHOLE can be requested too. `*count` is set to the number of all parts; the first `capacity`
/// of them are written to `parts`, which may be NULL if `capacity` is 0.
///
/// Cost: O(parts).
/// Threads: any.
/// Errors: ML_ERROR_NOT_READY if the plan is not known yet.
ml_result ml_list_stream_parts(const ml_stream *stream,
                                    ml_stream_part *parts,
                                    size_t capacity,
                                    size_t *count,
                                    ml_error *error);

/// Writes the size of a part.
///
/// Cost: O(1), or O(meshes) for parts that consist of others.
/// Threads: any.
/// Errors: ML_ERROR_NOT_READY if the plan is not known yet, ML_ERROR_MISSING if the model does not have the part.
ml_result ml_get_stream_part(const ml_stream *stream,
                                  ml_stream_part part,
                                  ml_stream_part_info *info,
                                  ml_error *error);

/// Requests a part of a model. Requests for the same part share the bytes that are read. The buffers of a skinned mesh have the
/// pose in which it is bound to its joints. A scene of the whole model has the joints, and moves it: ml_get_loaded_asset of
/// ML_PART_WHOLE, ml_open_scene.
///
/// On success, `*request` is a new handle, to be closed with ml_close_request; otherwise it is NULL.
///
/// Cost: O(attributes of the layout). It never waits.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT, also for an invalid layout and for buffers of a part that is not a mesh;
/// ML_ERROR_CANCELLED if the streamer was freed, ML_ERROR_MEMORY. Errors of the file are returned by ml_get_loaded.
ml_result ml_request_part(const ml_stream *stream,
                               const ml_request_opts *opts,
                               ml_request **request,
                               ml_error *error);

/// Requests the same part of many models of a streamer at once, such as the bounds of all models of a level: `streams` and
/// `requests` have `count` elements. The options have no buffers. The streamer is notified a few times, and knows all requests before
/// it reads.
///
/// On success, each of `requests` is a new handle, to be closed with ml_close_request; otherwise all are NULL, and nothing is requested.
///
/// Cost: O(count). It never waits.
/// Threads: any.
/// Errors: those of ml_request_part; ML_ERROR_ARGUMENT for buffers, and for streams of different streamers.
ml_result ml_request_parts(const ml_stream *const *streams,
                                size_t count,
                                const ml_request_opts *opts,
                                ml_request **requests,
                                ml_error *error);

/// Changes the priority of a request. It has no effect after the request has ended.
///
/// Cost: O(1). It never waits.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
ml_result ml_set_priority(const ml_request *request,
                               int32_t priority,
                               ml_error *error);

/// Changes the priorities of many requests at once, such as those of all objects after the camera has moved: `priorities` and
/// `requests` have `count` elements. The streamer is notified a few times. If one of the requests is NULL, nothing is changed.
///
/// Cost: O(count). It never waits.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
ml_result ml_set_priorities(const ml_request *const *requests,
                                 const int32_t *priorities,
                                 size_t count,
                                 ml_error *error);

/// Cancels a request. It has no effect after the request has ended. Its buffers may be in use until the state is
/// ML_REQUEST_CANCELLED. Bytes that no other request needs are not read, or are dropped.
///
/// Cost: O(1). It never waits.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
ml_result ml_cancel_request(const ml_request *request,
                                 ml_error *error);

/// Writes the state of a request.
///
/// Cost: O(1). It never waits.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
ml_result ml_poll_request(const ml_request *request,
                               ml_request_info *info,
                               ml_error *error);

/// Closes a request, and cancels it unless it has ended. When it returns, its buffers are no longer used.
/// NULL is ignored. It must not be called from a callback of the request.
///
/// Cost: O(1); it waits for the thread that is filling the buffers, if any. It never waits after ml_poll_request returned that
/// the request has ended; to close one early without waiting, cancel it, and close it once it has ended.
/// Threads: any, one at a time.
/// Errors: those of ml_close.
ml_result ml_close_request(ml_request *request);

/// Starts a streamer. Calls never wait for files or for decoding, except ml_free_streamer, ml_close_request, and ml_open_stream with a
/// search path, which lists folders and reads scripts. `opts` may be NULL.
///
/// On success, `*streamer` is a new handle, to be freed with ml_free_streamer; otherwise it is NULL, and `release` of the
/// file system is not called.
///
/// Cost: O(threads).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT, also if `file_size` or `read` of the file system is NULL, or for more than 256 threads;
/// ML_ERROR_MEMORY if a thread cannot be started.
ml_result ml_new_streamer(const ml_streamer_opts *opts,
                               ml_streamer **streamer,
                               ml_error *error);

/// Frees a streamer. Requests that have not ended fail with ML_ERROR_CANCELLED; streams and requests still have to be
/// closed, before or after. NULL is ignored.
///
/// When it returns, all threads of the streamer have ended, no callback is running or will be called, and `release` of the
/// file system has been called. If a callback or a read takes longer than `free_limit_ms` of the options, the function returns
/// without waiting for its thread. That thread ends after the callback or the read, and the last one calls `release`. Do not call
/// this function from a callback.
///
/// Cost: waits for the work of its threads: callbacks, reads, and the decoding of at most one mesh per thread.
/// Threads: any, one at a time.
/// Errors: those of ml_close.
ml_result ml_free_streamer(ml_streamer *streamer);

/// Writes the statistics of a streamer.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
ml_result ml_get_streamer_info(const ml_streamer *streamer,
                                    ml_streamer_info *info,
                                    ml_error *error);

/// Takes the next requests that have ended from the list of a streamer: writes at most `capacity` numbers of requests
/// to `ids`, in the order in which they ended, and their number to `*count`. ml_poll_request returns the state of each.
/// The streamer must have been created with ML_STREAMER_LIST.
///
/// Cost: O(capacity). It never waits.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
ml_result ml_poll_streamer(const ml_streamer *streamer,
                                uint64_t *ids,
                                size_t capacity,
                                size_t *count,
                                ml_error *error);

/// The priority of an object at a distance from the viewer, in any unit. It decreases with the distance and is never
/// above 0. A negative distance counts as 0, and NaN as infinite.
///
/// Cost: O(1). Threads: any. Errors: none.
int32_t ml_priority_by_distance(float distance);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MESHLENS_H */
