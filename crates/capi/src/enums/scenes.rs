//! The enumerations of spaces, materials, exports, buffers and streaming.

use meshlens::lens::Semantic;
use meshlens::model::{
    Alpha, Axis, Handedness, IndexFormat, TextureAlpha, TextureCoordinates, Winding, Wrap,
};
use meshlens::wire::Severity;
#[cfg(feature = "textures")]
use meshlens_assets::material::BlockFormat;

enums! {

/// A coordinate axis and its direction.
ml_axis "axis" ML_AXIS = Axis {
    /// +X.
    ML_AXIS_X = 1 => X,
    /// +Y.
    ML_AXIS_Y = 2 => Y,
    /// +Z.
    ML_AXIS_Z = 3 => Z,
    /// -X.
    ML_AXIS_NEG_X = -1 => NegX,
    /// -Y.
    ML_AXIS_NEG_Y = -2 => NegY,
    /// -Z.
    ML_AXIS_NEG_Z = -3 => NegZ,
}

/// The order of the corners of a triangle that faces the viewer, as seen on the screen.
ml_winding "winding" ML_WINDING = Winding {
    /// Clockwise.
    ML_WINDING_CLOCKWISE = 1 => Clockwise,
    /// Counter-clockwise.
    ML_WINDING_COUNTER_CLOCKWISE = 2 => CounterClockwise,
}

/// The handedness of a coordinate system: thumb, index finger and middle finger of this hand point along X, Y and Z.
ml_handedness "handedness" ML_HANDEDNESS = Handedness {
    /// Right-handed.
    ML_HANDEDNESS_RIGHT = 1 => Right,
    /// Left-handed.
    ML_HANDEDNESS_LEFT = 2 => Left,
}

/// The source of the alpha of a texture. Colors are 0 to 1 here; a texture without an alpha channel has alpha 1.
ml_texture_alpha "alpha" ML_TEXTURE_ALPHA = TextureAlpha {
    /// The alpha channel of the image.
    ML_TEXTURE_ALPHA_STORED = 0 => Stored,
    /// For images with a palette: 0 for the first color of the palette.
    ML_TEXTURE_ALPHA_FIRST_COLOR = 1 => FirstColor,
    /// For additive blending: the largest component, by which the color is divided.
    ML_TEXTURE_ALPHA_ADD = 2 => Add,
    /// Like ML_TEXTURE_ALPHA_ADD, multiplied by the alpha channel.
    ML_TEXTURE_ALPHA_ADD_ALPHA = 3 => AddAlpha,
    /// For multiplied blending: 1 minus the largest component. The color is black.
    ML_TEXTURE_ALPHA_MULTIPLY = 4 => Multiply,
    /// Like ML_TEXTURE_ALPHA_MULTIPLY, for twice the color.
    ML_TEXTURE_ALPHA_MULTIPLY_2X = 5 => Multiply2x,
    /// For multiplied blending with the inverse color: the largest component. The color is black.
    ML_TEXTURE_ALPHA_MULTIPLY_INVERSE = 6 => MultiplyInverse,
}

/// How a texture continues outside 0 to 1, along one axis.
ml_wrap "wrap" ML_WRAP = Wrap {
    /// The texture repeats.
    ML_WRAP_REPEAT = 0 => Repeat,
    /// The texture repeats, and every second repetition is mirrored.
    ML_WRAP_MIRROR = 1 => Mirror,
    /// The texture is clamped to its edge texels.
    ML_WRAP_CLAMP = 2 => Clamp,
}

/// How the alpha of a color is used.
ml_alpha "alpha" ML_ALPHA = Alpha {
    /// Alpha is ignored.
    ML_ALPHA_OPAQUE = 0 => Opaque,
    /// Pixels with an alpha below the cutoff are not drawn.
    ML_ALPHA_MASK = 1 => Mask,
    /// The color is blended with what was drawn before.
    ML_ALPHA_BLEND = 2 => Blend,
}

/// The source of the texture coordinates of a material.
ml_texture_coordinates "coordinates" ML_TEXTURE_COORDINATES = TextureCoordinates {
    /// The texture coordinates of the surface.
    ML_TEXTURE_COORDINATES_STORED = 0 => Stored,
    /// The coordinates of an environment map: the normal as the camera sees it. A normal to the right, of length 1, has
    /// U 1, a normal to the left U 0; up has V 0, and down V 1. The texture coordinates of the surface are not used.
    ML_TEXTURE_COORDINATES_ENVIRONMENT = 1 => Environment,
}

/// The severity of a finding. The numbers are the same as in reports of the Khronos glTF-Validator.
ml_severity "severity" ML_SEVERITY = Severity {
    /// The content is broken: some reader fails, or shows something wrong.
    ML_SEVERITY_ERROR = 0 => Error,
    /// The content is legal or tolerated, but a known engine refuses it or shows it differently.
    ML_SEVERITY_WARNING = 1 => Warning,
    /// Information that does not need a change.
    ML_SEVERITY_INFO = 2 => Info,
    /// A detail that makes no difference to readers.
    ML_SEVERITY_HINT = 3 => Hint,
}

/// The frames that a glTF file contains.
ml_glb_frames "frames" ML_GLB_FRAMES {
    /// All frames.
    ML_GLB_FRAMES_ALL = 0,
    /// From first_frame to last_frame, both included.
    ML_GLB_FRAMES_RANGE = 1,
    /// The frames of the clip named clip, and no other clip.
    ML_GLB_FRAMES_CLIP = 2,
    /// Only the frame first_frame, and no animation.
    ML_GLB_FRAMES_ONE = 3,
}

/// How the pixels of a texture are stored, with the names of WebGPU. Colors are sRGB in RGBA8, BC1, BC2, BC3 and BC7.
ml_texture_format "format" ML_TEXTURE_FORMAT = #[cfg(feature = "textures")] BlockFormat {
    /// Red, green, blue and alpha, 8 bits each.
    ML_TEXTURE_FORMAT_RGBA8_UNORM = 0,
    /// BC1 (DXT1), blocks of 8 bytes. The blocks of all other formats have 16, unless they say otherwise.
    ML_TEXTURE_FORMAT_BC1_RGBA_UNORM = 1 => Bc1RgbaUnorm,
    /// BC2 (DXT3).
    ML_TEXTURE_FORMAT_BC2_RGBA_UNORM = 2 => Bc2RgbaUnorm,
    /// BC3 (DXT5).
    ML_TEXTURE_FORMAT_BC3_RGBA_UNORM = 3 => Bc3RgbaUnorm,
    /// BC4 (ATI1), blocks of 8 bytes: red.
    ML_TEXTURE_FORMAT_BC4_R_UNORM = 4 => Bc4RUnorm,
    /// BC4, blocks of 8 bytes: red, -1 to 1.
    ML_TEXTURE_FORMAT_BC4_R_SNORM = 5 => Bc4RSnorm,
    /// BC5 (ATI2): red and green.
    ML_TEXTURE_FORMAT_BC5_RG_UNORM = 6 => Bc5RgUnorm,
    /// BC5: red and green, -1 to 1.
    ML_TEXTURE_FORMAT_BC5_RG_SNORM = 7 => Bc5RgSnorm,
    /// BC6H, numbers without a sign.
    ML_TEXTURE_FORMAT_BC6H_RGB_UFLOAT = 8 => Bc6hRgbUfloat,
    /// BC6H.
    ML_TEXTURE_FORMAT_BC6H_RGB_FLOAT = 9 => Bc6hRgbFloat,
    /// BC7.
    ML_TEXTURE_FORMAT_BC7_RGBA_UNORM = 10 => Bc7RgbaUnorm,
}

/// A space that coordinates are converted to.
ml_space_id "space" ML_SPACE {
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
}

/// The type of the indices of an index buffer.
ml_index_format "format" ML_INDEX = IndexFormat {
    /// uint16_t. The index 65535 is never used, because GPUs restart strips at it.
    ML_INDEX_UINT16 = 1 => Uint16,
    /// uint32_t.
    ML_INDEX_UINT32 = 2 => Uint32,
}

/// The kind of a vertex attribute.
ml_attribute "attribute" ML_ATTRIBUTE = Semantic {
    /// The position: three components.
    ML_ATTRIBUTE_POSITION = 1 => Position,
    /// The normal: three components.
    ML_ATTRIBUTE_NORMAL = 2 => Normal,
    /// The tangent, along U of the texture, and the sign of the bitangent: four components.
    ML_ATTRIBUTE_TANGENT = 3 => Tangent,
    /// The color: red, green, blue and alpha.
    ML_ATTRIBUTE_COLOR = 4 => Color,
    /// The texture coordinates of one set: two components, with the origin at the top left.
    ML_ATTRIBUTE_TEXCOORD = 5 => Texcoord,
    /// The weights of up to four joints: four components that add up to 1.
    ML_ATTRIBUTE_WEIGHTS = 6 => Weights,
    /// The indices of those joints. The format must be ML_VERTEX_FORMAT_UINT8X4 or ML_VERTEX_FORMAT_UINT16X4.
    ML_ATTRIBUTE_JOINTS = 7 => Joints,
}

/// The kind of a part that can be loaded separately.
ml_part_kind "part" ML_PART {
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
}

/// The state of a request.
ml_request_state "state" ML_REQUEST {
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
}

}
