//! The records of a glTF document, with the names that glTF gives their members (glTF 2.0: 5. Properties Reference). Empty
//! lists, empty objects and values that are glTF's defaults are not written. Records that only an import needs are in
//! [`crate::import`].

use serde::{Deserialize, Deserializer, Serialize};

use crate::extras::{NodeExtras, is_default};
use crate::meshopt;

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
}

#[derive(Clone, Default, Serialize)]
pub(crate) struct Primitive {
    pub(crate) attributes: Attributes,
    pub(crate) indices: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) material: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) targets: Vec<Target>,
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Material {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    pub(crate) pbr_metallic_roughness: Pbr,
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
pub(crate) struct TextureInfo {
    pub(crate) index: usize,
}

/// A texture: its sampler and its image.
#[derive(Serialize)]
pub(crate) struct Texture {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sampler: Option<usize>,
    pub(crate) source: usize,
}

/// The wrap modes of a texture outside 0 to 1.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct TextureSampler {
    pub(crate) wrap_s: WrapMode,
    pub(crate) wrap_t: WrapMode,
}

/// An enumeration whose values are numbers in JSON.
macro_rules! numbers {
    ($(#[$meta:meta])* $name:ident, $expected:literal: $($(#[$of:meta])* $variant:ident = $number:literal),+) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(into = "u64", try_from = "u64")]
        pub(crate) enum $name { $($(#[$of])* $variant = $number),+ }

        impl From<$name> for u64 {
            fn from(value: $name) -> u64 {
                value as u64
            }
        }

        impl TryFrom<u64> for $name {
            type Error = String;

            fn try_from(number: u64) -> Result<Self, String> {
                match number {
                    $($number => Ok($name::$variant),)+
                    _ => Err(format!(concat!("expected ", $expected, ", found {}"), number)),
                }
            }
        }
    };
}

numbers! {
    #[derive(Default)]
    WrapMode, "10497, 33071 or 33648": #[default] Repeat = 10497, Clamp = 33071, Mirror = 33648
}

numbers! {
    Component, "a component type (5120 to 5123, 5125, 5126)":
        I8 = 5120, U8 = 5121, I16 = 5122, U16 = 5123, U32 = 5125, F32 = 5126
}

numbers! {
    #[derive(Default)]
    Mode, "a mode from 0 to 6":
        Points = 0, Lines = 1, LineLoop = 2, LineStrip = 3, #[default] Triangles = 4, TriangleStrip = 5, TriangleFan = 6
}

impl Mode {
    /// Whether the primitive has triangles, and not points or lines.
    pub(crate) const fn is_triangles(self) -> bool {
        matches!(self, Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan)
    }
}

impl Component {
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

#[derive(Serialize, Deserialize)]
pub(crate) struct Animation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) samplers: Vec<Sampler>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Channel {
    pub(crate) sampler: usize,
    pub(crate) target: ChannelTarget,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ChannelTarget {
    /// `None` if an extension defines the animated property.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) node: Option<usize>,
    pub(crate) path: Property,
}

/// A property of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Property {
    Translation,
    Rotation,
    Scale,
    Weights,
    /// A property that an extension defines.
    #[serde(other)]
    Other,
}

impl Animation {
    /// The channels that move a node: the node, its property, and the keys.
    pub(crate) fn tracks(&self) -> impl Iterator<Item = (usize, Property, &Sampler)> {
        self.channels.iter().filter_map(|Channel { sampler, target }| {
            Some((target.node?, target.path, self.samplers.get(*sampler)?))
        })
    }
}

/// The keys of a channel: the accessors of their times and values.
#[derive(Serialize, Deserialize)]
pub(crate) struct Sampler {
    pub(crate) input: usize,
    pub(crate) output: usize,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) interpolation: Interpolation,
}

/// The interpolation between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Interpolation {
    #[default]
    Linear,
    Step,
    CubicSpline,
}

/// The type of an accessor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Kind {
    Scalar,
    Vec2,
    Vec3,
    Vec4,
    Mat2,
    Mat3,
    Mat4,
}

impl Kind {
    /// The number of components.
    pub(crate) const fn components(self) -> usize {
        match self {
            Kind::Scalar => 1,
            Kind::Vec2 => 2,
            Kind::Vec3 => 3,
            Kind::Vec4 | Kind::Mat2 => 4,
            Kind::Mat3 => 9,
            Kind::Mat4 => 16,
        }
    }
}

/// Elements of a view. Without a view, all elements except those of `sparse` are zero.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Accessor {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) buffer_view: Option<usize>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) byte_offset: u64,
    pub(crate) component_type: Component,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) normalized: bool,
    pub(crate) count: usize,
    #[serde(rename = "type")]
    pub(crate) kind: Kind,
    #[serde(default, deserialize_with = "floats", skip_serializing_if = "Vec::is_empty")]
    pub(crate) min: Vec<f32>,
    #[serde(default, deserialize_with = "floats", skip_serializing_if = "Vec::is_empty")]
    pub(crate) max: Vec<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sparse: Option<Sparse>,
}

impl Accessor {
    pub(crate) const fn new(view: usize, component_type: Component, kind: Kind, count: usize) -> Self {
        Accessor {
            buffer_view: Some(view),
            byte_offset: 0,
            component_type,
            normalized: false,
            count,
            kind,
            min: Vec::new(),
            max: Vec::new(),
            sparse: None,
        }
    }

    pub(crate) const fn at(mut self, offset: u64) -> Self {
        self.byte_offset = offset;
        self
    }

    pub(crate) fn bounds(mut self, [min, max]: [[f32; 3]; 2]) -> Self {
        (self.min, self.max) = (min.to_vec(), max.to_vec());
        self
    }

    pub(crate) const fn normalized(mut self) -> Self {
        self.normalized = true;
        self
    }

    /// Whether all elements are zero, unless an extension defines otherwise.
    pub(crate) const fn is_empty(&self) -> bool {
        self.buffer_view.is_none() && self.sparse.is_none()
    }
}

/// Elements that replace others.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Sparse {
    pub(crate) count: usize,
    pub(crate) indices: SparseIndices,
    pub(crate) values: SparseValues,
}

// The offsets are optional, and VTK asks for them.

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SparseIndices {
    pub(crate) buffer_view: usize,
    #[serde(default)]
    pub(crate) byte_offset: u64,
    pub(crate) component_type: Component,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SparseValues {
    pub(crate) buffer_view: usize,
    #[serde(default)]
    pub(crate) byte_offset: u64,
}

/// A range of a buffer.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BufferView {
    pub(crate) buffer: usize,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) byte_offset: u64,
    pub(crate) byte_length: u64,
    /// Bytes from one element to the next; `None` if there is no padding between elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) byte_stride: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<u16>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) extensions: ViewExtensions,
}

impl BufferView {
    /// The compressed bytes, which are used instead of the view's own range, and the name of their extension.
    pub(crate) fn compressed(&self) -> Option<(&'static str, &Compressed)> {
        let ViewExtensions { ext, khr } = &self.extensions;
        let both = meshopt::NAMES.into_iter().zip([ext, khr]);
        both.rev().find_map(|(name, compressed)| Some((name, compressed.as_ref()?)))
    }
}

#[derive(Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ViewExtensions {
    #[serde(rename = "EXT_meshopt_compression", skip_serializing_if = "Option::is_none")]
    pub(crate) ext: Option<Compressed>,
    #[serde(rename = "KHR_meshopt_compression", skip_serializing_if = "Option::is_none")]
    pub(crate) khr: Option<Compressed>,
}

/// The range of a buffer with compressed bytes, and their layout.
#[derive(PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Compressed {
    pub(crate) buffer: usize,
    pub(crate) byte_length: u64,
    #[serde(default)]
    pub(crate) byte_offset: u64,
    pub(crate) byte_stride: usize,
    pub(crate) count: usize,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) filter: meshopt::Filter,
    pub(crate) mode: meshopt::Mode,
}

impl Compressed {
    pub(crate) const fn layout(&self) -> meshopt::Layout {
        let Compressed { mode, filter, count, byte_stride: stride, .. } = *self;
        meshopt::Layout { mode, filter, count, stride }
    }
}

/// A buffer. Without a URI it is the binary chunk of a GLB.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Buffer {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) uri: Option<String>,
    pub(crate) byte_length: u64,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub(crate) extensions: Option<BufferExtension>,
}

#[derive(Serialize)]
pub(crate) enum BufferExtension {
    /// A placeholder without bytes, for the ranges that views are decompressed to.
    #[serde(rename = "EXT_meshopt_compression")]
    Meshopt { fallback: bool },
}

/// An offset or a length in memory. Those beyond it are past the end of everything.
pub(crate) fn in_memory(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// A number that fits 32 bits. `1e39` is a number in JSON, and infinite as a float.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(try_from = "f64")]
pub(crate) struct Float(pub(crate) f32);

impl TryFrom<f64> for Float {
    type Error = String;

    fn try_from(number: f64) -> Result<Self, String> {
        let value = number as f32;
        let found = || format!("expected a number of 32 bits, found {number:e}");
        value.is_finite().then_some(Float(value)).ok_or_else(found)
    }
}

/// Reads a list of numbers that fit 32 bits.
pub(crate) fn floats<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f32>, D::Error> {
    Ok(Vec::<Float>::deserialize(from)?.into_iter().map(|Float(value)| value).collect())
}
