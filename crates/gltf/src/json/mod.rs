//! The records of a glTF document, with the names that glTF gives their members (glTF 2.0: 5. Properties Reference). Empty
//! lists, empty objects and values that are glTF's defaults are not written. Records that only an import needs are in
//! [`crate::import`].

mod animations;
mod arrays;
mod materials;
mod numbers;

use serde::{Deserialize, Serialize};

use crate::extras::{NodeExtras, is_default};
use numbers::numbers;

pub(crate) use animations::{Animation, Channel, ChannelTarget, Interpolation, Property, Sampler};
pub(crate) use arrays::{
    Accessor, Buffer, BufferExtension, BufferView, Component, Compressed, Kind, Sparse, SparseIndices,
    SparseValues, ViewExtensions,
};
pub(crate) use materials::{
    AlphaMode, Image, Mapping, Material, MaterialExtension, MaterialExtras, NEAREST, Pbr, PrimitiveExtension,
    RootExtension, Texture, TextureInfo, TextureSampler, VariantName, WrapMode,
};
pub(crate) use numbers::{Float, floats, in_memory};

/// A document that is written.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Root {
    pub(crate) asset: Asset,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) extensions_used: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) extensions_required: Vec<&'static str>,
    pub(crate) scene: usize,
    pub(crate) scenes: Vec<Scene>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) nodes: Vec<Node>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) meshes: Vec<Mesh>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) skins: Vec<Skin>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) materials: Vec<Material>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) textures: Vec<Texture>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) images: Vec<Image>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) samplers: Vec<TextureSampler>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) animations: Vec<Animation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) accessors: Vec<Accessor>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) buffer_views: Vec<BufferView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) buffers: Vec<Buffer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) extensions: Option<RootExtension>,
}

#[derive(Serialize)]
pub(crate) struct Asset {
    version: &'static str,
    generator: &'static str,
}

impl Default for Asset {
    fn default() -> Self {
        Asset { version: "2.0", generator: concat!("meshlens ", env!("CARGO_PKG_VERSION")) }
    }
}

#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Scene {
    #[serde(default)]
    pub(crate) nodes: Vec<usize>,
}

#[derive(Default, Serialize)]
pub(crate) struct Node {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) children: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) translation: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rotation: Option<[f32; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scale: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mesh: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skin: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) extensions: Option<NodeExtension>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) extras: Option<NodeExtras>,
}

#[derive(Serialize)]
pub(crate) enum NodeExtension {
    /// The nodes of the coarser levels of detail.
    #[serde(rename = "MSFT_lod")]
    Lod { ids: Vec<usize> },
}

#[derive(Default, Serialize)]
pub(crate) struct Mesh {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    pub(crate) primitives: Vec<Primitive>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) weights: Vec<f32>,
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) extras: MeshExtras,
}

#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct MeshExtras {
    /// The names of the morph targets, by convention.
    pub(crate) target_names: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) meshlens: Option<MeshPart>,
}

/// A mesh that is a part of another one, because that has more morph targets than a mesh may have.
#[derive(PartialEq, Serialize, Deserialize)]
pub(crate) struct MeshPart {
    /// The number of the part.
    pub(crate) part: usize,
    /// The number of all parts. Their nodes follow each other.
    pub(crate) parts: usize,
    /// The morph target of the whole mesh that each target is.
    pub(crate) targets: Vec<usize>,
}

#[derive(Clone, Default, Serialize)]
pub(crate) struct Primitive {
    pub(crate) attributes: Attributes,
    pub(crate) indices: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) material: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) targets: Vec<Target>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) extensions: Option<PrimitiveExtension>,
}

/// The accessors of a primitive's attributes, by name.
pub(crate) type Attributes = std::collections::BTreeMap<String, usize>;

/// The accessors of a morph target.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) struct Target {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) position: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) normal: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tangent: Option<usize>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Skin {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) inverse_bind_matrices: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skeleton: Option<usize>,
    pub(crate) joints: Vec<usize>,
}

numbers! {
    #[derive(Default)]
    Mode, "a mode from 0 to 6":
        Points = 0, Lines = 1, LineLoop = 2, LineStrip = 3, #[default] Triangles = 4, TriangleStrip = 5, TriangleFan = 6
}

impl Mode {
    /// Whether the primitive consists of triangles instead of points or lines.
    pub(crate) const fn is_triangles(self) -> bool {
        matches!(self, Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan)
    }
}
