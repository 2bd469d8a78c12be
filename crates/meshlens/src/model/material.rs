//! Materials: how a surface is drawn.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::ImageSource;

/// How the alpha of a color is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Alpha {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// Pixels with an alpha below [`Material::cutoff`] are not drawn.
    Mask,
    /// The color is blended with what was drawn before.
    Blend,
}

/// The source of the alpha of a texture.
///
/// Some blend modes of the formats have no equivalent in alpha blending. With an alpha that is computed from the
/// colors, alpha blending gives the same or nearly the same result. A renderer with these blend modes uses the [stored
/// alpha](Self::without_blend_mode) instead. Colors are 0 to 1 here; a texture without an alpha channel has alpha 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextureAlpha {
    /// The alpha channel of the image.
    #[default]
    Stored,
    /// For images with a palette (PCX, BMP, TGA): 0 for the first color of the palette. Other images keep their alpha
    /// channel.
    FirstColor,
    /// For additive blending: the largest component, by which the color is divided. The alpha channel is ignored.
    Add,
    /// Like [`Add`](Self::Add), multiplied by the alpha channel.
    AddAlpha,
    /// For multiplied blending: 1 minus the largest component. The color is black.
    Multiply,
    /// Like [`Multiply`](Self::Multiply), for twice the color: a component of 0.5 changes nothing. Components above 0.5
    /// count as 0.5.
    Multiply2x,
    /// For multiplied blending with the inverse color: the largest component. The color is black.
    MultiplyInverse,
}

impl TextureAlpha {
    /// The alpha of the same texture for a renderer that adds and multiplies colors itself.
    #[must_use]
    pub const fn without_blend_mode(self) -> TextureAlpha {
        match self {
            TextureAlpha::FirstColor => TextureAlpha::FirstColor,
            _ => TextureAlpha::Stored,
        }
    }
}

/// The source of the texture coordinates of a material.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextureCoordinates {
    /// The texture coordinates of the surface.
    #[default]
    Stored,
    /// The coordinates of an environment map (`tcGen environment` of a Quake 3 shader): the normal as the camera sees
    /// it. A normal to the right, of length 1, has U 1, a normal to the left U 0; up has V 0, and down V 1. The texture
    /// coordinates of the surface are not used.
    Environment,
}

/// How a texture continues outside 0 to 1, along one axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The texture repeats.
    #[default]
    Repeat,
    /// The texture repeats, and every second repetition is mirrored.
    Mirror,
    /// The texture is clamped to its edge texels.
    Clamp,
}

/// A height map, from which a normal map is made.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightMap {
    /// The path of the image, as written in the file. White is the highest point.
    pub texture: String,
    /// The height of white over black, for a texture with sides of length 1.
    pub scale: f32,
    /// The set of texture coordinates.
    pub set: usize,
}

impl HeightMap {
    /// A material whose texture is this height map, for functions that find the texture of a material. They return the normal
    /// map that is made from it.
    pub fn material(&self) -> Material {
        Material {
            texture: Some(self.texture.clone()),
            texture_set: self.set,
            height_scale: Some(self.scale),
            ..Material::new(&*self.texture)
        }
    }
}

/// A normal map that exists as an image: x to the right, y and z out of the image, each from -1 to 1 as 0 to 255. It has the texture
/// coordinates of the texture.
#[derive(Clone, Debug, PartialEq)]
pub struct NormalMap {
    /// The image.
    pub image: ImageSource,
    /// Whether y rises to the bottom of the image, as for ioquake3, and not to its top, as in glTF.
    pub is_y_down: bool,
}

impl NormalMap {
    /// A material whose texture is this normal map, for functions that find the texture of a material. They return it with y to
    /// the bottom of the image, or to its top.
    pub fn material(&self, is_y_down: bool) -> Material {
        let flips_y = self.is_y_down != is_y_down;
        Material { image: Some(self.image.clone()), flips_y, ..Material::new("normal map") }
    }
}

/// A material: the path of its texture as written in the file, and the few properties that the formats have.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The name. The path of the shader or of the texture if the format has no other name.
    pub name: String,
    /// The path of the color texture, as written in the file. It may have backslashes, no extension, or be absolute.
    pub texture: Option<String>,
    /// The image of the texture, if the file names or contains it separately from the name of the texture, as in glTF.
    pub image: Option<ImageSource>,
    /// The source of the alpha of the texture.
    pub texture_alpha: TextureAlpha,
    /// The source of the texture coordinates.
    pub texture_coordinates: TextureCoordinates,
    /// The set of texture coordinates of the texture.
    pub texture_set: usize,
    /// The height map of the surface.
    pub height_map: Option<HeightMap>,
    /// The [scale](HeightMap::scale) of the texture, if it is a height map and not a color ([`HeightMap::material`]).
    pub height_scale: Option<f32>,
    /// The normal map of the surface, if it is an image.
    pub normal_map: Option<NormalMap>,
    /// Whether the texture is a normal map whose y has to be inverted ([`NormalMap::material`]).
    pub flips_y: bool,
    /// How the texture continues along U and V.
    pub wrap: [Wrap; 2],
    /// Whether the texture is drawn without filtering: a pixel of the picture has the color of the nearest texel.
    pub nearest: bool,
    /// The color that the texture is multiplied by: red, green, blue and alpha, linear. Ultimate 3D has colors of up to 4.
    pub color: [f32; 4],
    /// The color of emitted light: red, green and blue, linear.
    pub emissive: [f32; 3],
    /// Whether back faces are drawn.
    pub two_sided: bool,
    /// Whether the material is drawn at full brightness, without lighting.
    pub unlit: bool,
    /// How alpha is used.
    pub alpha: Alpha,
    /// The smallest alpha that is drawn with [`Alpha::Mask`].
    pub cutoff: f32,
    /// Whether every four vertices of a surface are a square that turns to the camera and shows the whole texture, like
    /// `deformVertexes autosprite` of a Quake 3 shader. The texture coordinates of the surface are not used.
    pub sprites: bool,
    /// Whether surfaces with this material are not drawn at all, like `surfaceparm nodraw` of a Quake 3 shader.
    pub hidden: bool,
}

impl Material {
    /// The cutoff of a mask if the material does not set one.
    pub const DEFAULT_CUTOFF: f32 = 0.5;

    /// Makes a white, opaque material without a texture.
    pub fn new(name: impl Into<String>) -> Self {
        Material {
            name: name.into(),
            texture: None,
            image: None,
            texture_alpha: TextureAlpha::Stored,
            texture_coordinates: TextureCoordinates::Stored,
            texture_set: 0,
            height_map: None,
            height_scale: None,
            normal_map: None,
            flips_y: false,
            wrap: [Wrap::Repeat; 2],
            nearest: false,
            color: [1.0; 4],
            emissive: [0.0; 3],
            two_sided: false,
            unlit: false,
            alpha: Alpha::Opaque,
            cutoff: Self::DEFAULT_CUTOFF,
            sprites: false,
            hidden: false,
        }
    }

    /// A message that names the properties that differ in `back`, which is what a reader of a converted file gets. `None` if none
    /// does. Names, paths and images are not compared.
    ///
    /// ```
    /// use meshlens::model::Material;
    ///
    /// let leaf = Material { two_sided: true, ..Material::new("leaf") };
    /// assert_eq!(leaf.lost(&Material::new("leaf")).as_deref(), Some("material leaf: its two sides"));
    /// assert_eq!(leaf.lost(&leaf), None);
    /// ```
    pub fn lost(&self, back: &Material) -> Option<String> {
        // Lists every field, so that a new one is not forgotten.
        let Material { name, texture: _, image: _, height_scale: _, flips_y: _, .. } = self;
        let Material {
            texture_alpha, texture_coordinates, texture_set, height_map, normal_map, wrap, ..
        } = self;
        let Material { nearest, color, emissive, two_sided, unlit, alpha, cutoff, sprites, hidden, .. } =
            self;
        let is_masked = *alpha == Alpha::Mask;
        let properties = [
            ("alpha", *alpha != back.alpha),
            ("smallest alpha", is_masked && *cutoff != back.cutoff),
            ("source of alpha", *alpha != Alpha::Opaque && *texture_alpha != back.texture_alpha),
            ("environment map", *texture_coordinates != back.texture_coordinates),
            ("texture coordinate set", *texture_set != back.texture_set),
            ("height map", *height_map != back.height_map),
            ("normal map", normal_map.is_some() != back.normal_map.is_some()),
            ("wrapping", *wrap != back.wrap),
            ("lack of filtering", *nearest != back.nearest),
            ("color", *color != back.color),
            ("emitted light", *emissive != back.emissive),
            ("two sides", *two_sided != back.two_sided),
            ("lack of lighting", *unlit != back.unlit),
            ("sprites", *sprites != back.sprites),
            ("being hidden", *hidden != back.hidden),
        ];
        let lost: Vec<&str> =
            properties.iter().filter(|(_, differs)| *differs).map(|(name, _)| *name).collect();
        (!lost.is_empty()).then(|| format!("material {name}: its {}", lost.join(", ")))
    }
}
