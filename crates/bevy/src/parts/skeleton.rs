//! Skeletons: the joints of a node.

use bevy::asset::Asset;
use bevy::reflect::TypePath;
use bevy::transform::components::Transform;
use meshlens::model::joint_parents;

use super::clip::local;
use crate::MeshlensModel;

/// The joints of a node at rest.
#[derive(Asset, TypePath, Clone, Debug, PartialEq)]
pub struct MeshlensSkeleton {
    /// The names.
    pub names: Vec<String>,
    /// The index of the parent of each joint; `None` for a root.
    pub parents: Vec<Option<usize>>,
    /// The transform of each joint relative to its parent, or to the entity of the node.
    pub rest: Vec<Transform>,
}

impl MeshlensSkeleton {
    /// The skeleton of a node; `None` if it has no joints.
    pub fn new(model: &MeshlensModel, node: usize) -> Option<Self> {
        let of = &model.scene().nodes.get(node)?.model;
        let settings = model.settings();
        let conversion = of.space.to(&settings.axes.space()).scaled(settings.scale);
        (!of.joints.is_empty()).then(|| MeshlensSkeleton {
            names: of.joints.iter().map(|joint| joint.name.clone()).collect(),
            parents: joint_parents(&of.joints),
            rest: of.joints.iter().map(|joint| local(&joint.rest, &conversion)).collect(),
        })
    }
}
