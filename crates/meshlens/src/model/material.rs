//! Materials: how a surface is drawn.

use alloc::string::String;

/// How the alpha of a color is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Alpha {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// Nothing is drawn where alpha is below [`Material::cutoff`].
    Mask,
    /// The color is blended with what was drawn before.
    Blend,
}

/// Where the alpha of a texture comes from.
///
/// The formats blend in ways that alpha blending does not have. With an alpha computed from the colors, alpha blending
/// shows the same or nearly the same. Colours are 0 to 1 here; a texture without an alpha channel has alpha 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextureAlpha {
    /// The alpha channel of the image.
    #[default]
    Stored,
    /// 0 where an image with a palette (PCX, BMP, TGA) has the first color of its palette. Other images keep their alpha
    /// channel.
    FirstColor,
    /// For a color that is added: the largest component. The color is divided by it. The alpha channel is ignored.
    Add,
    /// As [`Add`](Self::Add), multiplied by the alpha channel.
    AddAlpha,
    /// For a color that what was drawn before is multiplied by: 1 minus the largest component. The color is black.
    Multiply,
    /// As [`Multiply`](Self::Multiply), for twice the color: a component of 0.5 changes nothing. Components above 0.5 count
    /// as 0.5.
    Multiply2x,
    /// For a color whose inverse what was drawn before is multiplied by: the largest component. The color is black.
    MultiplyInverse,
}

/// How a texture continues outside of 0 to 1, along one axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The texture repeats.
    #[default]
    Repeat,
    /// The texture repeats, and every second repetition is mirrored.
    Mirror,
    /// The texels of the edge continue.
    Clamp,
}

/// A material: the path of its texture as the file has it, and the few properties that the formats know.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The name. The path of the shader or of the texture if the format has no other name.
    pub name: String,
    /// The path of the color texture as the file has it. It may have backslashes, no extension, or be absolute.
    pub texture: Option<String>,
    /// Where the alpha of the texture comes from.
    pub texture_alpha: TextureAlpha,
    /// How the texture continues along U and V.
    pub wrap: [Wrap; 2],
    /// The color that the texture is multiplied by: red, green, blue and alpha, linear.
    pub color: [f32; 4],
    /// The color of emitted light: red, green and blue, linear.
    pub emissive: [f32; 3],
    /// Whether back faces are drawn.
    pub two_sided: bool,
    /// Whether the material is drawn in full brightness, without lighting.
    pub unlit: bool,
    /// How alpha is used.
    pub alpha: Alpha,
    /// The smallest alpha that is drawn with [`Alpha::Mask`].
    pub cutoff: f32,
    /// Whether surfaces of this material are not drawn at all, as with `surfaceparm nodraw` of a Quake 3 shader.
    pub hidden: bool,
}

impl Material {
    /// The cutoff of a mask if nothing sets one.
    pub const DEFAULT_CUTOFF: f32 = 0.5;

    /// A white, opaque material without a texture.
    pub fn new(name: impl Into<String>) -> Self {
        Material {
            name: name.into(),
            texture: None,
            texture_alpha: TextureAlpha::Stored,
            wrap: [Wrap::Repeat; 2],
            color: [1.0; 4],
            emissive: [0.0; 3],
            two_sided: false,
            unlit: false,
            alpha: Alpha::Opaque,
            cutoff: Self::DEFAULT_CUTOFF,
            hidden: false,
        }
    }
}
