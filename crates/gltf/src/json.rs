//! The members of a glTF document that are written here, under their own names (glTF 2.0: 5. Properties Reference).

use serde::Serialize;
use serde_json::{Map, Value};

fn empty<T>(list: &[T]) -> bool {
    list.is_empty()
}

/// A document.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Root {
    pub(crate) asset: Asset,
    #[serde(skip_serializing_if = "empty")]
    pub(crate) extensions_used: Vec<&'static str>,
    #[serde(skip_serializing_if = "empty")]
    pub(crate) extensions_required: Vec<&'static str>,
    pub(crate) scene: usize,
    pub(crate) scenes: Vec<Scene>,
    #[serde(skip_serializing_if = "empty")]
    pub(crate) nodes: Vec<Node>,
    #[serde(skip_serializing_if = "empty")]
    pub(crate) meshes: Vec<Mesh>,
    #[serde(skip_serializing_if = "empty")]
    pub(crate) skins: Vec<Skin>,
    #[serde(skip_serializing_if = "empty")]
    pub(crate) materials: Vec<Material>,
    #[serde(skip_serializing_if = "empty")]
    pub(crate) textures: Vec<Texture>,
    #[serde(skip_serializing_if = "empty")]
    pub(crate) images: Vec<Image>,
    #[serde(skip_serializing_if = "empty")]
    pub(crate) animations: Vec<Animation>,
    #[serde(skip_serializing_if = "empty")]
    pub(crate) accessors: Vec<Accessor>,
    #[serde(skip_serializing_if = "empty")]
    pub(crate) buffer_views: Vec<BufferView>,
    #[serde(skip_serializing_if = "empty")]
    pub(crate) buffers: Vec<Buffer>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Asset {
    pub(crate) version: &'static str,
    pub(crate) generator: &'static str,
}

impl Default for Asset {
    fn default() -> Self {
        Asset { version: "2.0", generator: concat!("meshlens ", env!("CARGO_PKG_VERSION")) }
    }
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Scene {
    pub(crate) nodes: Vec<usize>,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Node {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    #[serde(skip_serializing_if = "empty")]
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
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) extensions: Map<String, Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) extras: Map<String, Value>,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Mesh {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    pub(crate) primitives: Vec<Primitive>,
    #[serde(skip_serializing_if = "empty")]
    pub(crate) weights: Vec<f32>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) extras: Map<String, Value>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Primitive {
    pub(crate) attributes: Attributes,
    pub(crate) indices: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) material: Option<usize>,
    #[serde(skip_serializing_if = "empty")]
    pub(crate) targets: Vec<Target>,
}

/// The attributes of a primitive, each by its accessor.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(transparent)]
pub(crate) struct Attributes(pub(crate) Map<String, Value>);

impl Attributes {
    pub(crate) fn set(&mut self, name: impl Into<String>, accessor: usize) {
        self.0.insert(name.into(), accessor.into());
    }
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) struct Target {
    pub(crate) position: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) normal: Option<usize>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Skin {
    pub(crate) inverse_bind_matrices: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skeleton: Option<usize>,
    pub(crate) joints: Vec<usize>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Material {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    pub(crate) pbr_metallic_roughness: Pbr,
    #[serde(skip_serializing_if = "is_black")]
    pub(crate) emissive_factor: [f32; 3],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) alpha_mode: Option<&'static str>,
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) double_sided: bool,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) extensions: Map<String, Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) extras: Map<String, Value>,
}

fn is_black(color: &[f32; 3]) -> bool {
    *color == [0.0; 3]
}

fn is_white(color: &[f32; 4]) -> bool {
    *color == [1.0; 4]
}

fn is_false(flag: &bool) -> bool {
    !flag
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pbr {
    #[serde(skip_serializing_if = "is_white")]
    pub(crate) base_color_factor: [f32; 4],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) base_color_texture: Option<TextureInfo>,
    pub(crate) metallic_factor: f32,
}

#[derive(Debug, Serialize)]
pub(crate) struct TextureInfo {
    pub(crate) index: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Texture {
    pub(crate) source: usize,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Image {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) buffer_view: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Animation {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    pub(crate) channels: Vec<Channel>,
    pub(crate) samplers: Vec<Sampler>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Channel {
    pub(crate) sampler: usize,
    pub(crate) target: ChannelTarget,
}

#[derive(Debug, Serialize)]
pub(crate) struct ChannelTarget {
    pub(crate) node: usize,
    pub(crate) path: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct Sampler {
    pub(crate) input: usize,
    pub(crate) output: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) interpolation: Option<&'static str>,
}

/// glTF 2.0: accessor.componentType.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Component {
    I8 = 5120,
    U8 = 5121,
    I16 = 5122,
    U16 = 5123,
    U32 = 5125,
    F32 = 5126,
}

impl Serialize for Component {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u16(*self as u16)
    }
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Accessor {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) buffer_view: Option<usize>,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) byte_offset: u64,
    pub(crate) component_type: Component,
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) normalized: bool,
    pub(crate) count: usize,
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    #[serde(skip_serializing_if = "empty")]
    pub(crate) min: Vec<f32>,
    #[serde(skip_serializing_if = "empty")]
    pub(crate) max: Vec<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sparse: Option<Sparse>,
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl Accessor {
    pub(crate) fn new(view: usize, component: Component, kind: &'static str, count: usize) -> Self {
        Accessor {
            buffer_view: Some(view),
            byte_offset: 0,
            component_type: component,
            normalized: false,
            count,
            kind,
            min: Vec::new(),
            max: Vec::new(),
            sparse: None,
        }
    }

    pub(crate) fn at(mut self, offset: u64) -> Self {
        self.byte_offset = offset;
        self
    }

    pub(crate) fn bounds(mut self, [min, max]: [[f32; 3]; 2]) -> Self {
        (self.min, self.max) = (min.to_vec(), max.to_vec());
        self
    }

    pub(crate) fn normalized(mut self) -> Self {
        self.normalized = true;
        self
    }
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Sparse {
    pub(crate) count: usize,
    pub(crate) indices: SparseIndices,
    pub(crate) values: SparseValues,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SparseIndices {
    pub(crate) buffer_view: usize,
    pub(crate) component_type: Component,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SparseValues {
    pub(crate) buffer_view: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BufferView {
    pub(crate) buffer: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) byte_offset: u64,
    pub(crate) byte_length: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) byte_stride: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<u16>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Buffer {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) uri: Option<String>,
    pub(crate) byte_length: u64,
}
