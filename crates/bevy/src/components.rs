//! The components of the entities of a scene, and its clips.

use bevy::animation::AnimationClip;
use bevy::animation::graph::AnimationNodeIndex;
use bevy::asset::{Asset, Handle};
use bevy::ecs::prelude::*;
use bevy::ecs::reflect::ReflectComponent;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;

use crate::MeshlensModel;

/// A clip of a [`MeshlensScene`](crate::MeshlensScene).
#[derive(Clone, Debug)]
pub struct MeshlensClip {
    /// The name.
    pub name: String,
    /// The curves of the clip.
    pub clip: Handle<AnimationClip>,
    /// The node of the animation graph that plays the clip.
    pub index: AnimationNodeIndex,
    /// Whether the whole clip repeats.
    pub is_cycle: bool,
}

/// A tag: a named attachment point. As a component, it belongs to the entity that follows the tag.
#[derive(Asset, Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Clone)]
pub struct MeshlensTag {
    /// The index of the node.
    pub node: usize,
    /// The index of the tag in the node's model.
    pub tag: usize,
}

/// The root entity of a scene. It has an `AnimationPlayer` if there are clips or joints, and its children are the nodes.
#[derive(Component, Clone, Debug, Default, Reflect)]
#[reflect(Component, Default, Clone)]
pub struct MeshlensRoot {
    /// The parsed files.
    pub model: Handle<MeshlensModel>,
    /// The name of each clip, its node in the graph, and whether the whole clip repeats.
    pub clips: Vec<(String, u32, bool)>,
}

/// The entity of a node, at the position of the node.
#[derive(Component, Clone, Debug, Default, Reflect)]
#[reflect(Component, Default, Clone)]
pub struct MeshlensNode {
    /// The parsed files.
    pub model: Handle<MeshlensModel>,
    /// The index of the node.
    pub node: usize,
}

/// The entity of a submesh, a child of the entity of its node.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Clone)]
pub struct MeshlensSubmesh {
    /// The index of the mesh in its model.
    pub mesh: usize,
    /// The index of the submesh in the mesh.
    pub submesh: usize,
    /// The number of vertex frames; 1 if the mesh does not move.
    pub frame_count: usize,
}
