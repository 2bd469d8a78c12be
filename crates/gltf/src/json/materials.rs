//! Materials, textures and images.

use serde::{Deserialize, Serialize};

use super::numbers::numbers;
use crate::extras::is_default;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Material {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    pub(crate) pbr_metallic_roughness: Pbr,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) normal_texture: Option<TextureInfo>,
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) emissive_factor: [f32; 3],
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) alpha_mode: AlphaMode,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) alpha_cutoff: Option<f32>,
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) double_sided: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) extensions: Option<MaterialExtension>,
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) extras: MaterialExtras,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum AlphaMode {
    #[default]
    Opaque,
    Mask,
    Blend,
}

#[derive(Serialize)]
pub(crate) enum MaterialExtension {
    #[serde(rename = "KHR_materials_unlit")]
    Unlit {},
}

/// The extension of the document.
#[derive(Serialize)]
pub(crate) enum RootExtension {
    #[serde(rename = "KHR_materials_variants")]
    Variants { variants: Vec<VariantName> },
}

#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct VariantName {
    #[serde(default)]
    pub(crate) name: String,
}

/// The extension of a primitive.
#[derive(Clone, Serialize)]
pub(crate) enum PrimitiveExtension {
    #[serde(rename = "KHR_materials_variants")]
    Variants { mappings: Vec<Mapping> },
}

/// A material of a primitive in some variants.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Mapping {
    pub(crate) material: usize,
    #[serde(default)]
    pub(crate) variants: Vec<usize>,
}

#[derive(Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct MaterialExtras {
    /// The path of the texture, whether it is found or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) texture: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pbr {
    #[serde(skip_serializing_if = "is_white")]
    pub(crate) base_color_factor: [f32; 4],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) base_color_texture: Option<TextureInfo>,
    pub(crate) metallic_factor: f32,
    #[serde(skip_serializing_if = "is_one")]
    pub(crate) roughness_factor: f32,
}

fn is_white(color: &[f32; 4]) -> bool {
    *color == [1.0; 4]
}

fn is_one(value: &f32) -> bool {
    *value == 1.0
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextureInfo {
    pub(crate) index: usize,
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) tex_coord: usize,
}

/// A texture: its sampler and its image.
#[derive(Serialize)]
pub(crate) struct Texture {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sampler: Option<usize>,
    pub(crate) source: usize,
}

/// The filter that takes the nearest texel.
pub(crate) const NEAREST: u64 = 9728;

/// The wrap modes of a texture outside 0 to 1, and its filters.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct TextureSampler {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mag_filter: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) min_filter: Option<u64>,
    pub(crate) wrap_s: WrapMode,
    pub(crate) wrap_t: WrapMode,
}

numbers! {
    #[derive(Default)]
    WrapMode, "10497, 33071 or 33648": #[default] Repeat = 10497, Clamp = 33071, Mirror = 33648
}

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Image {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mime_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) buffer_view: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
}
