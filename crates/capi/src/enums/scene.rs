//! Enumerations of spaces, materials and exports.

/// A coordinate axis and its direction.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_axis {
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
    ML_AXIS_FORCE_32_BITS = 0x7fff_ffff,
}

/// The order of the corners of a triangle that faces the viewer, as seen on the screen.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_winding {
    /// Clockwise.
    ML_WINDING_CLOCKWISE = 1,
    /// Counter-clockwise.
    ML_WINDING_COUNTER_CLOCKWISE = 2,
    /// No winding: makes the type 32 bits wide.
    ML_WINDING_FORCE_32_BITS = 0x7fff_ffff,
}

/// The handedness of a coordinate system: thumb, index finger and middle finger of this hand point along X, Y and Z.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_handedness {
    /// Right-handed.
    ML_HANDEDNESS_RIGHT = 1,
    /// Left-handed.
    ML_HANDEDNESS_LEFT = 2,
    /// No handedness: makes the type 32 bits wide.
    ML_HANDEDNESS_FORCE_32_BITS = 0x7fff_ffff,
}

/// A space that coordinates are converted to.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_space_id {
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
    ML_SPACE_FORCE_32_BITS = 0x7fff_ffff,
}

/// How the alpha of a color is used.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_alpha {
    /// Alpha is ignored.
    ML_ALPHA_OPAQUE = 0,
    /// Pixels with an alpha below the cutoff are not drawn.
    ML_ALPHA_MASK = 1,
    /// The color is blended with what was drawn before.
    ML_ALPHA_BLEND = 2,
    /// No alpha: makes the type 32 bits wide.
    ML_ALPHA_FORCE_32_BITS = 0x7fff_ffff,
}

/// The source of the alpha of a texture. Colors are 0 to 1 here; a texture without an alpha channel has alpha 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_texture_alpha {
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
    ML_TEXTURE_ALPHA_FORCE_32_BITS = 0x7fff_ffff,
}

/// How the pixels of a texture are stored, with the names of WebGPU. Colors are sRGB in RGBA8, BC1, BC2, BC3 and BC7.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_texture_format {
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
    ML_TEXTURE_FORMAT_FORCE_32_BITS = 0x7fff_ffff,
}

/// The source of the texture coordinates of a material.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_texture_coordinates {
    /// The texture coordinates of the surface.
    ML_TEXTURE_COORDINATES_STORED = 0,
    /// The coordinates of an environment map: the normal as the camera sees it. A normal to the right, of length 1, has
    /// U 1, a normal to the left U 0; up has V 0, and down V 1. The texture coordinates of the surface are not used.
    ML_TEXTURE_COORDINATES_ENVIRONMENT = 1,
    /// No coordinates: makes the type 32 bits wide.
    ML_TEXTURE_COORDINATES_FORCE_32_BITS = 0x7fff_ffff,
}

/// How a texture continues outside 0 to 1, along one axis.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_wrap {
    /// The texture repeats.
    ML_WRAP_REPEAT = 0,
    /// The texture repeats, and every second repetition is mirrored.
    ML_WRAP_MIRROR = 1,
    /// The texture is clamped to its edge texels.
    ML_WRAP_CLAMP = 2,
    /// No wrap: makes the type 32 bits wide.
    ML_WRAP_FORCE_32_BITS = 0x7fff_ffff,
}

/// The frames that a glTF file contains.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_glb_frames {
    /// All frames.
    ML_GLB_FRAMES_ALL = 0,
    /// From first_frame to last_frame, both included.
    ML_GLB_FRAMES_RANGE = 1,
    /// The frames of the clip named clip, and no other clip.
    ML_GLB_FRAMES_CLIP = 2,
    /// Only the frame first_frame, and no animation.
    ML_GLB_FRAMES_ONE = 3,
    /// No frames: makes the type 32 bits wide.
    ML_GLB_FRAMES_FORCE_32_BITS = 0x7fff_ffff,
}
