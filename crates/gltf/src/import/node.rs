//! Nodes of a document, with what extensions and extras add to them (glTF 2.0: 5.25. Node).

use glam::Mat4;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::json::{lenient, values};
use crate::extras::{Frames, Joint};
use crate::json::Float;

/// A node.
#[derive(Deserialize)]
#[serde(from = "NodeRecord<'de>")]
pub(super) struct Node {
    pub(super) name: Option<String>,
    pub(super) children: Vec<usize>,
    pub(super) translation: [f32; 3],
    pub(super) rotation: [f32; 4],
    pub(super) scale: [f32; 3],
    pub(super) mesh: Option<usize>,
    pub(super) skin: Option<usize>,
    pub(super) camera: Option<usize>,
    /// The weights of the morph targets; `None` to use the weights of the mesh.
    pub(super) weights: Option<Vec<f32>>,
    /// The frames of a model, from the extras of its node.
    pub(super) frames: Option<Frames>,
    /// The uniform scale of a joint at rest, from the extras; 1 if the extras do not state it.
    pub(super) joint_scale: f32,
    /// The instances of the mesh, which become children.
    pub(super) instances: Option<Instances>,
    /// The nodes of the coarser levels of detail (MSFT_lod).
    pub(super) levels: Vec<usize>,
    /// If this node is an instance: the node with the instances, and the number of the instance.
    pub(super) instance: Option<(usize, usize)>,
}

impl Default for Node {
    fn default() -> Self {
        NodeRecord::default().into()
    }
}

/// A stored node.
#[derive(Default, Deserialize)]
#[serde(default)]
struct NodeRecord<'a> {
    name: Option<String>,
    children: Vec<usize>,
    matrix: Option<[Float; 16]>,
    translation: Option<[Float; 3]>,
    rotation: Option<[Float; 4]>,
    scale: Option<[Float; 3]>,
    mesh: Option<usize>,
    skin: Option<usize>,
    camera: Option<usize>,
    weights: Option<Vec<Float>>,
    extensions: NodeExtensions,
    #[serde(borrow, deserialize_with = "lenient")]
    extras: NodeExtras<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NodeExtensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    instancing: Option<Instancing>,
    #[serde(rename = "MSFT_lod")]
    levels: Levels,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Levels {
    ids: Vec<usize>,
}

#[derive(Deserialize)]
struct Instancing {
    attributes: Instances,
}

/// The accessors of the instances' transforms.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) struct Instances {
    pub(super) translation: Option<usize>,
    pub(super) rotation: Option<usize>,
    pub(super) scale: Option<usize>,
}

/// Extras that an export wrote: [`Frames`] or a [`Joint`].
#[derive(Default, Deserialize)]
struct NodeExtras<'a> {
    #[serde(borrow)]
    meshlens: Option<&'a RawValue>,
}

impl From<NodeRecord<'_>> for Node {
    fn from(record: NodeRecord<'_>) -> Node {
        let (translation, rotation, scale) = match record.matrix {
            Some(matrix) => {
                let matrix = Mat4::from_cols_array(&values(matrix));
                let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
                (translation.to_array(), rotation.to_array(), scale.to_array())
            }
            None => (
                record.translation.map_or([0.0; 3], values),
                record.rotation.map_or([0.0, 0.0, 0.0, 1.0], values),
                record.scale.map_or([1.0; 3], values),
            ),
        };
        let own = record.extras.meshlens.map_or("", RawValue::get).as_bytes();
        let joint_scale = serde_json::from_slice(own).map_or(1.0, |Joint { scale }| scale);
        let is_valid = joint_scale.is_finite() && joint_scale > f32::MIN_POSITIVE;
        Node {
            name: record.name,
            children: record.children,
            translation,
            rotation,
            scale,
            mesh: record.mesh,
            skin: record.skin,
            camera: record.camera,
            weights: record.weights.map(|weights| weights.into_iter().map(|Float(value)| value).collect()),
            frames: serde_json::from_slice(own).ok(),
            joint_scale: if is_valid { joint_scale } else { 1.0 },
            levels: record.extensions.levels.ids,
            instances: record.extensions.instancing.map(|instancing| instancing.attributes),
            instance: None,
        }
    }
}
