//! Accessors, views and buffers.

use serde::{Deserialize, Serialize};

use super::numbers::{floats, numbers};
use crate::extras::is_default;
use crate::meshopt::{self, Meshopt};

numbers! {
    Component, "a component type (5120 to 5123, 5125, 5126)":
        I8 = 5120, U8 = 5121, I16 = 5122, U16 = 5123, U32 = 5125, F32 = 5126
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

// The offsets are optional in glTF, but VTK requires them.

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
        let both = [(Meshopt::Khr, khr), (Meshopt::Ext, ext)];
        both.into_iter().find_map(|(extension, compressed)| Some((extension.name(), compressed.as_ref()?)))
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
    #[serde(rename = "KHR_meshopt_compression")]
    Khr { fallback: bool },
    /// The same, under the name for older readers.
    #[serde(rename = "EXT_meshopt_compression")]
    Ext { fallback: bool },
}
