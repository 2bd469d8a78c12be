//! The records of a glTF document that are written, with the names that glTF gives their members (glTF 2.0: 5. Properties
//! Reference). [`crate::text`] writes them as JSON.

use serde_json::{Map, Value};

/// A document.
#[derive(Default)]
pub(crate) struct Root {
    pub(crate) extensions_used: Vec<&'static str>,
    pub(crate) extensions_required: Vec<&'static str>,
    pub(crate) scene: usize,
    pub(crate) scenes: Vec<Scene>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) meshes: Vec<Mesh>,
    pub(crate) skins: Vec<Skin>,
    pub(crate) materials: Vec<Material>,
    pub(crate) textures: Vec<Texture>,
    pub(crate) images: Vec<Image>,
    pub(crate) samplers: Vec<TextureSampler>,
    pub(crate) animations: Vec<Animation>,
    pub(crate) accessors: Vec<Accessor>,
    pub(crate) buffer_views: Vec<BufferView>,
    pub(crate) buffers: Vec<Buffer>,
}

#[derive(Default)]
pub(crate) struct Scene {
    pub(crate) nodes: Vec<usize>,
}

#[derive(Default)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) children: Vec<usize>,
    pub(crate) translation: Option<[f32; 3]>,
    pub(crate) rotation: Option<[f32; 4]>,
    pub(crate) scale: Option<[f32; 3]>,
    pub(crate) mesh: Option<usize>,
    pub(crate) skin: Option<usize>,
    pub(crate) extensions: Map<String, Value>,
    pub(crate) extras: Map<String, Value>,
}

#[derive(Default)]
pub(crate) struct Mesh {
    pub(crate) name: String,
    pub(crate) primitives: Vec<Primitive>,
    pub(crate) weights: Vec<f32>,
    pub(crate) extras: Map<String, Value>,
}

#[derive(Clone, Default)]
pub(crate) struct Primitive {
    pub(crate) attributes: Attributes,
    pub(crate) indices: usize,
    pub(crate) material: Option<usize>,
    pub(crate) targets: Vec<Target>,
}

/// The accessors of a primitive's attributes, by name.
#[derive(Clone, Default)]
pub(crate) struct Attributes(pub(crate) Map<String, Value>);

impl Attributes {
    pub(crate) fn set(&mut self, name: impl Into<String>, accessor: usize) {
        self.0.insert(name.into(), accessor.into());
    }
}

#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) position: usize,
    pub(crate) normal: Option<usize>,
}

#[derive(Default)]
pub(crate) struct Skin {
    pub(crate) inverse_bind_matrices: usize,
    pub(crate) skeleton: Option<usize>,
    pub(crate) joints: Vec<usize>,
}

pub(crate) struct Material {
    pub(crate) name: String,
    pub(crate) pbr_metallic_roughness: Pbr,
    pub(crate) emissive_factor: [f32; 3],
    pub(crate) alpha_mode: Option<&'static str>,
    pub(crate) alpha_cutoff: Option<f32>,
    pub(crate) double_sided: bool,
    pub(crate) extensions: Map<String, Value>,
    pub(crate) extras: Map<String, Value>,
}

pub(crate) struct Pbr {
    pub(crate) base_color_factor: [f32; 4],
    pub(crate) base_color_texture: Option<usize>,
    pub(crate) metallic_factor: f32,
    pub(crate) roughness_factor: f32,
}

/// A texture: its sampler and its image.
pub(crate) struct Texture {
    pub(crate) sampler: Option<usize>,
    pub(crate) source: usize,
}

/// The wrap mode of a texture outside 0 to 1 (glTF 2.0: sampler.wrapS, sampler.wrapT).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextureSampler {
    pub(crate) wrap_s: u16,
    pub(crate) wrap_t: u16,
}

#[derive(Default)]
pub(crate) struct Image {
    pub(crate) uri: Option<String>,
    pub(crate) mime_type: Option<&'static str>,
    pub(crate) buffer_view: Option<usize>,
    pub(crate) name: Option<String>,
}

#[derive(Default)]
pub(crate) struct Animation {
    pub(crate) name: String,
    pub(crate) channels: Vec<Channel>,
    pub(crate) samplers: Vec<Sampler>,
}

pub(crate) struct Channel {
    pub(crate) sampler: usize,
    pub(crate) node: usize,
    pub(crate) path: &'static str,
}

pub(crate) struct Sampler {
    pub(crate) input: usize,
    pub(crate) output: usize,
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

impl Component {
    pub(crate) const fn from_code(code: usize) -> Option<Component> {
        Some(match code {
            5120 => Component::I8,
            5121 => Component::U8,
            5122 => Component::I16,
            5123 => Component::U16,
            5125 => Component::U32,
            5126 => Component::F32,
            _ => return None,
        })
    }

    /// The size of a component in bytes.
    pub(crate) const fn size(self) -> usize {
        match self {
            Component::I8 | Component::U8 => 1,
            Component::I16 | Component::U16 => 2,
            Component::U32 | Component::F32 => 4,
        }
    }

    /// Whether the type is an unsigned integer.
    pub(crate) const fn is_unsigned(self) -> bool {
        matches!(self, Component::U8 | Component::U16 | Component::U32)
    }
}

#[derive(Clone)]
pub(crate) struct Accessor {
    pub(crate) buffer_view: Option<usize>,
    pub(crate) byte_offset: u64,
    pub(crate) component_type: Component,
    pub(crate) normalized: bool,
    pub(crate) count: usize,
    pub(crate) kind: &'static str,
    pub(crate) min: Vec<f32>,
    pub(crate) max: Vec<f32>,
    pub(crate) sparse: Option<Sparse>,
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

#[derive(Clone)]
pub(crate) struct Sparse {
    pub(crate) count: usize,
    /// The view of the indices.
    pub(crate) indices: usize,
    pub(crate) index_component: Component,
    /// The view of the values.
    pub(crate) values: usize,
}

pub(crate) struct BufferView {
    pub(crate) buffer: usize,
    pub(crate) byte_offset: u64,
    pub(crate) byte_length: u64,
    pub(crate) byte_stride: Option<usize>,
    pub(crate) target: Option<u16>,
    pub(crate) extensions: Map<String, Value>,
}

pub(crate) struct Buffer {
    pub(crate) uri: Option<String>,
    pub(crate) byte_length: u64,
    pub(crate) extensions: Map<String, Value>,
}
