//! The names of formats and semantics, and their parsing.

use core::fmt;
use core::str::FromStr;

use meshlens_wire::{Error, ErrorKind};

use crate::{ComponentType, IndexFormat, Semantic, VertexFormat};

macro_rules! names {
    ($(#[$doc:meta])* $type:ident, $what:literal: $($variant:ident = $name:literal,)*) => {
        impl $type {
            /// Every value, in the order of the declaration.
            pub const ALL: &'static [$type] = &[$($type::$variant,)*];

            $(#[$doc])*
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)*
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $type {
            type Err = Error;

            /// Parses a [`name`](Self::name).
            fn from_str(text: &str) -> Result<Self, Error> {
                let found = Self::ALL.iter().copied().find(|value| value.name() == text);
                found.ok_or_else(|| Error::of_call("meshlens", ErrorKind::Syntax { expected: $what }))
            }
        }
    };
}

names! {
    /// The name in reports: lower case, with underscores between words.
    ///
    /// ```
    /// use meshlens_lens::Semantic;
    ///
    /// assert_eq!(Semantic::TangentFrame.to_string(), "tangent_frames");
    /// assert_eq!("texcoords".parse(), Ok(Semantic::Texcoord));
    /// assert!("uv".parse::<Semantic>().is_err());
    /// ```
    Semantic, "the name of a semantic, such as positions":
    Position = "positions",
    Normal = "normals",
    PositionNormal = "positions_normals",
    TangentFrame = "tangent_frames",
    Tangent = "tangents",
    BitangentSign = "bitangent_signs",
    Texcoord = "texcoords",
    Color = "colors",
    Joints = "joints",
    Weights = "weights",
    Triangles = "triangles",
    Indices = "indices",
    PointIndices = "point_indices",
    Materials = "materials",
    TriangleType = "triangle_types",
    ShadowPosition = "shadow_positions",
    ShadowNormal = "shadow_normals",
    ShadowTriangles = "shadow_triangles",
    TranslationFrames = "translation_frames",
    Translations = "translations",
    RotationFrames = "rotation_frames",
    Rotations = "rotations",
    ScaleFrames = "scale_frames",
    Scales = "scales",
}

names! {
    /// The name in lower case, as in WebGPU: `float32x3`.
    ///
    /// ```
    /// use meshlens_lens::VertexFormat;
    ///
    /// assert_eq!(VertexFormat::Snorm16x4.to_string(), "snorm16x4");
    /// assert_eq!("float32x3".parse(), Ok(VertexFormat::Float32x3));
    /// ```
    VertexFormat, "the name of a vertex format, such as float32x3":
    Float32 = "float32",
    Float32x2 = "float32x2",
    Float32x3 = "float32x3",
    Float32x4 = "float32x4",
    Float16x2 = "float16x2",
    Float16x4 = "float16x4",
    Snorm16x2 = "snorm16x2",
    Snorm16x4 = "snorm16x4",
    Snorm8x2 = "snorm8x2",
    Snorm8x4 = "snorm8x4",
    Unorm16x2 = "unorm16x2",
    Unorm16x4 = "unorm16x4",
    Unorm8x2 = "unorm8x2",
    Unorm8x4 = "unorm8x4",
    Octahedral16x2 = "octahedral16x2",
    Octahedral8x4 = "octahedral8x4",
    Uint8x2 = "uint8x2",
    Uint8x4 = "uint8x4",
    Uint16x2 = "uint16x2",
    Uint16x4 = "uint16x4",
    Uint32 = "uint32",
    Uint32x2 = "uint32x2",
    Uint32x3 = "uint32x3",
    Uint32x4 = "uint32x4",
    Sint8x2 = "sint8x2",
    Sint8x4 = "sint8x4",
    Sint16x2 = "sint16x2",
    Sint16x4 = "sint16x4",
    Sint32 = "sint32",
    Sint32x2 = "sint32x2",
    Sint32x3 = "sint32x3",
    Sint32x4 = "sint32x4",
}

names! {
    /// The name in lower case: `f32`.
    ComponentType, "u8, i8, u16, i16, u32, i32 or f32":
    U8 = "u8",
    I8 = "i8",
    U16 = "u16",
    I16 = "i16",
    U32 = "u32",
    I32 = "i32",
    F32 = "f32",
}

names! {
    /// The name in lower case, as in WebGPU.
    IndexFormat, "uint16 or uint32":
    Uint16 = "uint16",
    Uint32 = "uint32",
}
