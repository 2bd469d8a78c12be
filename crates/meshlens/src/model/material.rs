//! What a surface wears.

use alloc::string::String;

/// How the colour's alpha is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alpha {
    /// Not at all.
    #[default]
    Opaque,
    /// Below one half, nothing is drawn.
    Mask,
    /// It mixes with what lies behind.
    Blend,
}

/// A material: the texture's path as the file has it, and the few properties the formats know.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The name; the shader's or texture's path where the format has nothing else.
    pub name: String,
    /// The colour texture's path as the file has it: with backslashes, without extension, absolute, whatever it is.
    pub texture: Option<String>,
    /// The colour that the texture is multiplied by, as red, green, blue and alpha, linear.
    pub color: [f32; 4],
    /// The light it gives off itself.
    pub emissive: [f32; 3],
    /// Whether backs are drawn too.
    pub two_sided: bool,
    /// Whether light does not matter.
    pub unlit: bool,
    /// How alpha is used.
    pub alpha: Alpha,
}

impl Material {
    /// A plain white material.
    pub fn new(name: impl Into<String>) -> Self {
        Material {
            name: name.into(),
            texture: None,
            color: [1.0; 4],
            emissive: [0.0; 3],
            two_sided: false,
            unlit: false,
            alpha: Alpha::Opaque,
        }
    }
}
