//! The records of a glTF document that only an import needs, or that an export writes in another form (glTF 2.0: 5.
//! Properties Reference). [`super::check`] checks that every index is in range.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::json::{lenient, members};
use super::node::Node;
use crate::json::{
    Accessor, AlphaMode, Animation, Buffer, BufferView, Float, Image, Mapping, MaterialExtras, MeshExtras,
    Mode, Scene, Skin, Target, TextureSampler, VariantName, floats,
};

/// The members that determine whether the other members can be read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Header {
    pub(super) asset: Asset,
    #[serde(default)]
    pub(super) extensions_required: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct Asset {
    pub(super) version: String,
}

/// A document. All indices are indices into its lists.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Document {
    pub(super) buffers: Vec<Buffer>,
    pub(super) buffer_views: Vec<BufferView>,
    pub(super) accessors: Vec<Accessor>,
    pub(super) images: Vec<Image>,
    pub(super) samplers: Vec<TextureSampler>,
    pub(super) textures: Vec<Texture>,
    pub(super) materials: Vec<Material>,
    pub(super) meshes: Vec<Mesh>,
    pub(super) skins: Vec<Skin>,
    pub(super) nodes: Vec<Node>,
    pub(super) animations: Vec<Animation>,
    pub(super) scenes: Vec<Scene>,
    pub(super) scene: Option<usize>,
    pub(super) cameras: Vec<IgnoredAny>,
    pub(super) extensions: Extensions,
    /// The meshes that were joined from parts.
    #[serde(skip)]
    pub(super) joined: Vec<Joined>,
}

impl Document {
    /// The root nodes of the default scene, or of the first one; `None` if there are no scenes.
    pub(super) fn roots(&self) -> Option<&[usize]> {
        Some(&self.scenes.get(self.scene.unwrap_or_default())?.nodes)
    }
}

/// A mesh that is joined.
pub(super) struct Joined {
    /// The nodes of its parts. The first has the mesh now, and the others have none.
    pub(super) nodes: Vec<usize>,
    /// For each part, the morph target of the mesh that each of its targets is.
    pub(super) targets: Vec<Vec<usize>>,
    /// The number of morph targets of the mesh.
    pub(super) count: usize,
}

/// Extensions with lists that models do not keep.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Extensions {
    #[serde(rename = "KHR_lights_punctual")]
    pub(super) lights: Lights,
    #[serde(rename = "KHR_materials_variants")]
    pub(super) variants: Variants,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Lights {
    pub(super) lights: Vec<IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Variants {
    pub(super) variants: Vec<VariantName>,
}

/// A texture: its image, or an image in another format from an extension.
#[derive(Deserialize)]
pub(super) struct Texture {
    pub(super) sampler: Option<usize>,
    pub(super) source: Option<usize>,
    #[serde(default, deserialize_with = "members")]
    pub(super) extensions: Vec<(String, Source)>,
}

impl Texture {
    /// The index of the image.
    pub(super) fn image(&self) -> Option<usize> {
        self.source.or_else(|| self.extensions.iter().find_map(|(_, extension)| extension.source))
    }
}

#[derive(Deserialize)]
pub(super) struct Source {
    pub(super) source: Option<usize>,
}

/// A material. Textures that models do not keep are only checked.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Material {
    pub(super) name: Option<String>,
    pub(super) pbr_metallic_roughness: Pbr,
    pub(super) normal_texture: Option<TextureInfo>,
    pub(super) occlusion_texture: Option<TextureInfo>,
    pub(super) emissive_texture: Option<TextureInfo>,
    pub(super) emissive_factor: Option<[Float; 3]>,
    pub(super) alpha_mode: AlphaMode,
    pub(super) alpha_cutoff: Option<Float>,
    pub(super) double_sided: bool,
    pub(super) extensions: MaterialExtensions,
    #[serde(deserialize_with = "lenient")]
    pub(super) extras: MaterialExtras,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Pbr {
    pub(super) base_color_factor: Option<[Float; 4]>,
    pub(super) base_color_texture: Option<TextureInfo>,
    pub(super) metallic_roughness_texture: Option<TextureInfo>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextureInfo {
    pub(super) index: usize,
    #[serde(default)]
    pub(super) tex_coord: usize,
    /// The factor of the x and the y of the normals of a normal texture.
    pub(super) scale: Option<Float>,
    #[serde(default)]
    pub(super) extensions: TextureInfoExtensions,
}

impl TextureInfo {
    /// Whether it has the texture coordinates and the transform of another one.
    pub(super) fn has_place_of(&self, other: &TextureInfo) -> bool {
        self.tex_coord == other.tex_coord && self.extensions.transform == other.extensions.transform
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct TextureInfoExtensions {
    #[serde(rename = "KHR_texture_transform")]
    pub(super) transform: Option<TextureTransform>,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextureTransform {
    pub(super) tex_coord: Option<usize>,
    pub(super) offset: Option<[Float; 2]>,
    pub(super) rotation: Option<Float>,
    pub(super) scale: Option<[Float; 2]>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct MaterialExtensions {
    #[serde(rename = "KHR_materials_unlit")]
    pub(super) unlit: Option<IgnoredAny>,
}

#[derive(Deserialize)]
pub(super) struct Mesh {
    pub(super) name: Option<String>,
    pub(super) primitives: Vec<Primitive>,
    /// The weights of the morph targets at rest.
    #[serde(default, deserialize_with = "floats")]
    pub(super) weights: Vec<f32>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) extras: MeshExtras,
}

impl Mesh {
    /// The number of morph targets: the maximum over its primitives.
    pub(super) fn targets(&self) -> usize {
        self.primitives.iter().map(|primitive| primitive.targets.len()).max().unwrap_or_default()
    }
}

/// Vertices with one material.
#[derive(Deserialize)]
pub(super) struct Primitive {
    /// The accessor of each attribute.
    #[serde(deserialize_with = "members")]
    pub(super) attributes: Vec<(String, usize)>,
    pub(super) indices: Option<usize>,
    pub(super) material: Option<usize>,
    #[serde(default)]
    pub(super) mode: Mode,
    #[serde(default)]
    pub(super) targets: Vec<Target>,
    #[serde(default)]
    pub(super) extensions: PrimitiveExtensions,
}

impl Primitive {
    /// The accessor of an attribute.
    pub(super) fn get(&self, name: &str) -> Option<usize> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, accessor)| *accessor)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct PrimitiveExtensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub(super) draco: Option<IgnoredAny>,
    #[serde(rename = "KHR_materials_variants")]
    pub(super) variants: Mappings,
}

/// The materials of a primitive in variants.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Mappings {
    pub(super) mappings: Vec<Mapping>,
}

/// The name of an animation, or a name made of its index.
pub(super) fn animation_name(animation: &Animation, index: usize) -> String {
    animation.name.clone().unwrap_or_else(|| format!("animation {index}"))
}
