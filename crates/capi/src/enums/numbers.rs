//! Conversions between the numbers of enumerations and the types of the library.

use meshlens::Format;
use meshlens::lens::{ComponentType, Semantic, VertexFormat};
use meshlens::model::{
    Alpha, Axis, Handedness, IndexFormat, TextureAlpha, TextureCoordinates, Winding, Wrap,
};
use meshlens::wire::Severity;
#[cfg(feature = "textures")]
use meshlens_assets::material::BlockFormat;

use super::*;

/// Converts a number of an enumeration to a value of the library (`None` for an unknown number), and back.
macro_rules! numbers {
    ($($c:ident $rust:ty, $other:expr => { $($value:path = $variant:ident,)* })*) => {$(
        impl $c {
            #[allow(dead_code, reason = "some are only read, and some only written")]
            pub(crate) fn read(raw: i32) -> Option<$rust> {
                $(if raw == $c::$variant as i32 { return Some($value); })*
                None
            }

            #[allow(dead_code, unreachable_patterns, reason = "some are only read, and some have values without a name")]
            pub(crate) const fn number(value: $rust) -> i32 {
                match value {
                    $($value => $c::$variant as i32,)*
                    _ => $other,
                }
            }
        }
    )*};
}

/// Formats have the numbers of the library, so that formats without a constant in the header can be used, too.
impl ml_format {
    pub(crate) fn read(raw: i32) -> Option<Format> {
        Format::from_number(raw.try_into().ok()?)
    }

    pub(crate) fn number(format: Format) -> i32 {
        format.number().into()
    }
}

numbers! {
    ml_semantic Semantic, 0 => {
        Semantic::Position = ML_SEMANTIC_POSITION,
        Semantic::Normal = ML_SEMANTIC_NORMAL,
        Semantic::PositionNormal = ML_SEMANTIC_POSITION_NORMAL,
        Semantic::TangentFrame = ML_SEMANTIC_TANGENT_FRAME,
        Semantic::BitangentSign = ML_SEMANTIC_BITANGENT_SIGN,
        Semantic::Texcoord = ML_SEMANTIC_TEXCOORD,
        Semantic::Color = ML_SEMANTIC_COLOR,
        Semantic::Joints = ML_SEMANTIC_JOINTS,
        Semantic::Weights = ML_SEMANTIC_WEIGHTS,
        Semantic::Triangles = ML_SEMANTIC_TRIANGLES,
        Semantic::Indices = ML_SEMANTIC_INDICES,
        Semantic::PointIndices = ML_SEMANTIC_POINT_INDICES,
        Semantic::Materials = ML_SEMANTIC_MATERIALS,
        Semantic::TriangleType = ML_SEMANTIC_TRIANGLE_TYPE,
        Semantic::ShadowPosition = ML_SEMANTIC_SHADOW_POSITION,
        Semantic::ShadowNormal = ML_SEMANTIC_SHADOW_NORMAL,
        Semantic::ShadowTriangles = ML_SEMANTIC_SHADOW_TRIANGLES,
        Semantic::TranslationFrames = ML_SEMANTIC_TRANSLATION_FRAMES,
        Semantic::Translations = ML_SEMANTIC_TRANSLATIONS,
        Semantic::RotationFrames = ML_SEMANTIC_ROTATION_FRAMES,
        Semantic::Rotations = ML_SEMANTIC_ROTATIONS,
        Semantic::ScaleFrames = ML_SEMANTIC_SCALE_FRAMES,
        Semantic::Scales = ML_SEMANTIC_SCALES,
        Semantic::Tangent = ML_SEMANTIC_TANGENT,
    }
    ml_attribute Semantic, 0 => {
        Semantic::Position = ML_ATTRIBUTE_POSITION,
        Semantic::Normal = ML_ATTRIBUTE_NORMAL,
        Semantic::Tangent = ML_ATTRIBUTE_TANGENT,
        Semantic::Color = ML_ATTRIBUTE_COLOR,
        Semantic::Texcoord = ML_ATTRIBUTE_TEXCOORD,
        Semantic::Weights = ML_ATTRIBUTE_WEIGHTS,
        Semantic::Joints = ML_ATTRIBUTE_JOINTS,
    }
    ml_component ComponentType, 0 => {
        ComponentType::U8 = ML_COMPONENT_U8,
        ComponentType::I8 = ML_COMPONENT_I8,
        ComponentType::U16 = ML_COMPONENT_U16,
        ComponentType::I16 = ML_COMPONENT_I16,
        ComponentType::U32 = ML_COMPONENT_U32,
        ComponentType::I32 = ML_COMPONENT_I32,
        ComponentType::F32 = ML_COMPONENT_F32,
    }
    ml_vertex_format VertexFormat, 0 => {
        VertexFormat::Float32 = ML_VERTEX_FORMAT_FLOAT32,
        VertexFormat::Float32x2 = ML_VERTEX_FORMAT_FLOAT32X2,
        VertexFormat::Float32x3 = ML_VERTEX_FORMAT_FLOAT32X3,
        VertexFormat::Float32x4 = ML_VERTEX_FORMAT_FLOAT32X4,
        VertexFormat::Float16x2 = ML_VERTEX_FORMAT_FLOAT16X2,
        VertexFormat::Float16x4 = ML_VERTEX_FORMAT_FLOAT16X4,
        VertexFormat::Snorm16x2 = ML_VERTEX_FORMAT_SNORM16X2,
        VertexFormat::Snorm16x4 = ML_VERTEX_FORMAT_SNORM16X4,
        VertexFormat::Snorm8x2 = ML_VERTEX_FORMAT_SNORM8X2,
        VertexFormat::Snorm8x4 = ML_VERTEX_FORMAT_SNORM8X4,
        VertexFormat::Unorm16x2 = ML_VERTEX_FORMAT_UNORM16X2,
        VertexFormat::Unorm16x4 = ML_VERTEX_FORMAT_UNORM16X4,
        VertexFormat::Unorm8x2 = ML_VERTEX_FORMAT_UNORM8X2,
        VertexFormat::Unorm8x4 = ML_VERTEX_FORMAT_UNORM8X4,
        VertexFormat::Octahedral16x2 = ML_VERTEX_FORMAT_OCTAHEDRAL16X2,
        VertexFormat::Octahedral8x4 = ML_VERTEX_FORMAT_OCTAHEDRAL8X4,
        VertexFormat::Uint8x2 = ML_VERTEX_FORMAT_UINT8X2,
        VertexFormat::Uint8x4 = ML_VERTEX_FORMAT_UINT8X4,
        VertexFormat::Uint16x2 = ML_VERTEX_FORMAT_UINT16X2,
        VertexFormat::Uint16x4 = ML_VERTEX_FORMAT_UINT16X4,
        VertexFormat::Uint32 = ML_VERTEX_FORMAT_UINT32,
        VertexFormat::Uint32x2 = ML_VERTEX_FORMAT_UINT32X2,
        VertexFormat::Uint32x3 = ML_VERTEX_FORMAT_UINT32X3,
        VertexFormat::Uint32x4 = ML_VERTEX_FORMAT_UINT32X4,
        VertexFormat::Sint8x2 = ML_VERTEX_FORMAT_SINT8X2,
        VertexFormat::Sint8x4 = ML_VERTEX_FORMAT_SINT8X4,
        VertexFormat::Sint16x2 = ML_VERTEX_FORMAT_SINT16X2,
        VertexFormat::Sint16x4 = ML_VERTEX_FORMAT_SINT16X4,
        VertexFormat::Sint32 = ML_VERTEX_FORMAT_SINT32,
        VertexFormat::Sint32x2 = ML_VERTEX_FORMAT_SINT32X2,
        VertexFormat::Sint32x3 = ML_VERTEX_FORMAT_SINT32X3,
        VertexFormat::Sint32x4 = ML_VERTEX_FORMAT_SINT32X4,
    }
    ml_index_format IndexFormat, 0 => {
        IndexFormat::Uint16 = ML_INDEX_UINT16,
        IndexFormat::Uint32 = ML_INDEX_UINT32,
    }
    ml_axis Axis, 0 => {
        Axis::X = ML_AXIS_X,
        Axis::Y = ML_AXIS_Y,
        Axis::Z = ML_AXIS_Z,
        Axis::NegX = ML_AXIS_NEG_X,
        Axis::NegY = ML_AXIS_NEG_Y,
        Axis::NegZ = ML_AXIS_NEG_Z,
    }
    ml_winding Winding, 0 => {
        Winding::Clockwise = ML_WINDING_CLOCKWISE,
        Winding::CounterClockwise = ML_WINDING_COUNTER_CLOCKWISE,
    }
    ml_handedness Handedness, 0 => {
        Handedness::Right = ML_HANDEDNESS_RIGHT,
        Handedness::Left = ML_HANDEDNESS_LEFT,
    }
    ml_severity Severity, 0 => {
        Severity::Error = ML_SEVERITY_ERROR,
        Severity::Warning = ML_SEVERITY_WARNING,
        Severity::Info = ML_SEVERITY_INFO,
        Severity::Hint = ML_SEVERITY_HINT,
    }
    ml_alpha Alpha, 0 => {
        Alpha::Opaque = ML_ALPHA_OPAQUE,
        Alpha::Mask = ML_ALPHA_MASK,
        Alpha::Blend = ML_ALPHA_BLEND,
    }
    ml_texture_alpha TextureAlpha, 0 => {
        TextureAlpha::Stored = ML_TEXTURE_ALPHA_STORED,
        TextureAlpha::FirstColor = ML_TEXTURE_ALPHA_FIRST_COLOR,
        TextureAlpha::Add = ML_TEXTURE_ALPHA_ADD,
        TextureAlpha::AddAlpha = ML_TEXTURE_ALPHA_ADD_ALPHA,
        TextureAlpha::Multiply = ML_TEXTURE_ALPHA_MULTIPLY,
        TextureAlpha::Multiply2x = ML_TEXTURE_ALPHA_MULTIPLY_2X,
        TextureAlpha::MultiplyInverse = ML_TEXTURE_ALPHA_MULTIPLY_INVERSE,
    }
    ml_texture_coordinates TextureCoordinates, 0 => {
        TextureCoordinates::Stored = ML_TEXTURE_COORDINATES_STORED,
        TextureCoordinates::Environment = ML_TEXTURE_COORDINATES_ENVIRONMENT,
    }
    ml_wrap Wrap, 0 => {
        Wrap::Repeat = ML_WRAP_REPEAT,
        Wrap::Mirror = ML_WRAP_MIRROR,
        Wrap::Clamp = ML_WRAP_CLAMP,
    }
}

#[cfg(feature = "textures")]
numbers! {
    ml_texture_format BlockFormat, 0 => {
        BlockFormat::Bc1RgbaUnorm = ML_TEXTURE_FORMAT_BC1_RGBA_UNORM,
        BlockFormat::Bc2RgbaUnorm = ML_TEXTURE_FORMAT_BC2_RGBA_UNORM,
        BlockFormat::Bc3RgbaUnorm = ML_TEXTURE_FORMAT_BC3_RGBA_UNORM,
        BlockFormat::Bc4RUnorm = ML_TEXTURE_FORMAT_BC4_R_UNORM,
        BlockFormat::Bc4RSnorm = ML_TEXTURE_FORMAT_BC4_R_SNORM,
        BlockFormat::Bc5RgUnorm = ML_TEXTURE_FORMAT_BC5_RG_UNORM,
        BlockFormat::Bc5RgSnorm = ML_TEXTURE_FORMAT_BC5_RG_SNORM,
        BlockFormat::Bc6hRgbUfloat = ML_TEXTURE_FORMAT_BC6H_RGB_UFLOAT,
        BlockFormat::Bc6hRgbFloat = ML_TEXTURE_FORMAT_BC6H_RGB_FLOAT,
        BlockFormat::Bc7RgbaUnorm = ML_TEXTURE_FORMAT_BC7_RGBA_UNORM,
    }
}
