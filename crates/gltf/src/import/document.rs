//! The records of a glTF document that an import reads. Every index is checked to be in range.

use meshlens::model::Material;

use super::texcoords::Texcoords;
use crate::extras::Frames;
use crate::json::Component;
use crate::meshopt::Layout;

/// The extension of compressed primitives, which is not supported.
pub(super) const DRACO: &str = "KHR_draco_mesh_compression";

/// A document. All indices are indices into its lists.
#[derive(Default)]
pub(super) struct Document {
    pub(super) buffers: Vec<Buffer>,
    pub(super) views: Vec<View>,
    pub(super) accessors: Vec<Accessor>,
    pub(super) materials: Vec<Material>,
    /// The image of the color of each material, by its index.
    pub(super) colors: Vec<Option<usize>>,
    /// For each material, the coordinates of its texture.
    pub(super) texcoords: Vec<Texcoords>,
    pub(super) meshes: Vec<Mesh>,
    pub(super) skins: Vec<Skin>,
    pub(super) nodes: Vec<Node>,
    pub(super) animations: Vec<Animation>,
    /// The root nodes of the default scene, or of the first one; `None` if there are no scenes.
    pub(super) scene: Option<Vec<usize>>,
    /// The number of cameras.
    pub(super) cameras: usize,
    pub(super) images: Vec<Image>,
    pub(super) unread: Unread,
}

impl Document {
    /// The visible nodes with a mesh: the index, the mesh, and the name of the node, or of the mesh if the node has none.
    pub(super) fn shown_meshes<'d>(
        &'d self,
        shown: &'d [bool],
    ) -> impl Iterator<Item = (usize, &'d Mesh, &'d str)> {
        let nodes = self.nodes.iter().enumerate().filter(|(index, _)| shown[*index]);
        nodes.filter_map(|(index, node)| {
            let mesh = self.meshes.get(node.mesh?)?;
            Some((index, mesh, node.name.as_ref().or(mesh.name.as_ref()).map_or("", String::as_str)))
        })
    }
}

/// An image.
pub(super) struct Image {
    /// The path of a file, or else the image's own name.
    pub(super) name: Option<String>,
    pub(super) mime_type: Option<String>,
    pub(super) place: Place,
}

/// Where the bytes of an image are.
pub(super) enum Place {
    /// In the file that the name of the image names, relative to the document.
    File,
    /// In a data URI, without `data:`.
    Data(String),
    /// In a buffer view.
    View(usize),
    /// Only an extension knows.
    None,
}

/// The counts of content that an import does not read.
#[derive(Default)]
pub(super) struct Unread {
    pub(super) scenes: usize,
    pub(super) lights: usize,
    pub(super) variants: usize,
}

/// A buffer. Without a URI it is the binary chunk of a GLB.
pub(super) struct Buffer {
    pub(super) uri: Option<String>,
    pub(super) len: usize,
}

/// A range of a buffer.
pub(super) struct View {
    pub(super) buffer: usize,
    pub(super) offset: usize,
    pub(super) len: usize,
    /// Bytes from one element to the next; `None` if there is no padding between elements.
    pub(super) stride: Option<usize>,
    /// The compressed bytes, which are used instead of the view's own range.
    pub(super) compressed: Option<Compressed>,
}

/// The range of a buffer with compressed bytes, and their layout.
pub(super) struct Compressed {
    pub(super) buffer: usize,
    pub(super) offset: usize,
    pub(super) len: usize,
    pub(super) layout: Layout,
}

/// Elements of a view.
pub(super) struct Accessor {
    /// `None` if all elements except those of `sparse` are zero.
    pub(super) view: Option<usize>,
    pub(super) offset: usize,
    pub(super) count: usize,
    pub(super) component: Component,
    pub(super) normalized: bool,
    pub(super) kind: Kind,
    pub(super) sparse: Option<Sparse>,
}

impl Accessor {
    /// Whether all elements are zero, unless an extension defines otherwise.
    pub(super) const fn is_empty(&self) -> bool {
        self.view.is_none() && self.sparse.is_none()
    }
}

/// Elements that replace others. Indices and values are each a view and a byte offset into it.
pub(super) struct Sparse {
    pub(super) count: usize,
    pub(super) indices: (usize, usize),
    pub(super) index_component: Component,
    pub(super) values: (usize, usize),
}

/// The type of an accessor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
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
    pub(super) const fn components(self) -> usize {
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

/// A mesh.
pub(super) struct Mesh {
    pub(super) name: Option<String>,
    pub(super) primitives: Vec<Primitive>,
    /// The weights of the morph targets at rest.
    pub(super) weights: Vec<f32>,
    /// The names of the morph targets. By convention they are in the mesh's extras.
    pub(super) target_names: Vec<String>,
}

impl Mesh {
    /// The number of morph targets: the maximum over its primitives.
    pub(super) fn targets(&self) -> usize {
        self.primitives.iter().map(|primitive| primitive.targets.len()).max().unwrap_or_default()
    }
}

/// Vertices with one material.
pub(super) struct Primitive {
    /// The accessor of each attribute, sorted by name.
    pub(super) attributes: Vec<(String, usize)>,
    pub(super) indices: Option<usize>,
    pub(super) material: Option<usize>,
    pub(super) mode: Mode,
    pub(super) targets: Vec<Target>,
}

impl Primitive {
    /// The accessor of an attribute.
    pub(super) fn get(&self, name: &str) -> Option<usize> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, accessor)| *accessor)
    }
}

/// The accessors of a morph target.
pub(super) struct Target {
    pub(super) positions: Option<usize>,
    pub(super) normals: Option<usize>,
}

/// The topology of a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Triangles,
    Strip,
    Fan,
    /// Points or lines.
    Other,
}

/// A node.
pub(super) struct Node {
    pub(super) name: Option<String>,
    pub(super) children: Vec<usize>,
    pub(super) translation: [f32; 3],
    pub(super) rotation: [f32; 4],
    pub(super) scale: [f32; 3],
    pub(super) mesh: Option<usize>,
    pub(super) skin: Option<usize>,
    /// The weights of the morph targets; `None` if the node has those of the mesh.
    pub(super) weights: Option<Vec<f32>>,
    /// The frames of the part whose node this is, from the extras.
    pub(super) frames: Option<Frames>,
    /// The uniform scale of a joint at rest, from the extras; 1 if they have none.
    pub(super) joint_scale: f32,
    /// The instances of the mesh, which become children.
    pub(super) instances: Option<Instances>,
    /// The node with the instances, if this is one of them, and its number.
    pub(super) instance: Option<(usize, usize)>,
}

impl Default for Node {
    fn default() -> Self {
        Node {
            name: None,
            children: Vec::new(),
            translation: [0.0; 3],
            rotation: [0.0, 0.0, 0.0, 1.0],
            scale: [1.0; 3],
            mesh: None,
            skin: None,
            weights: None,
            frames: None,
            joint_scale: 1.0,
            instances: None,
            instance: None,
        }
    }
}

/// The accessors of the instances' transforms.
#[derive(Clone, Copy, Default)]
pub(super) struct Instances {
    pub(super) translation: Option<usize>,
    pub(super) rotation: Option<usize>,
    pub(super) scale: Option<usize>,
}

/// The joints of a skin.
pub(super) struct Skin {
    /// The nodes.
    pub(super) joints: Vec<usize>,
    /// The accessor of the inverse bind matrices.
    pub(super) inverse: Option<usize>,
}

/// An animation.
pub(super) struct Animation {
    pub(super) name: Option<String>,
    pub(super) channels: Vec<Channel>,
    /// The number of channels without a node: an extension defines their target.
    pub(super) others: usize,
}

impl Animation {
    /// The name, or one with the index.
    pub(super) fn name(&self, index: usize) -> String {
        self.name.clone().unwrap_or_else(|| format!("animation {index}"))
    }
}

/// A channel and its sampler: the keys of one property of a node.
pub(super) struct Channel {
    pub(super) node: usize,
    pub(super) property: Property,
    pub(super) interpolation: Interpolation,
    /// The accessor of the times.
    pub(super) input: usize,
    /// The accessor of the values.
    pub(super) output: usize,
}

/// A property of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Property {
    Translation,
    Rotation,
    Scale,
    Weights,
}

/// The interpolation between two keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interpolation {
    Linear,
    Step,
    CubicSpline,
}
