//! The loaded scene: handles of its parts, and its entities.

use bevy::animation::graph::{AnimationGraph, AnimationGraphHandle, AnimationNodeIndex};
use bevy::animation::{AnimatedBy, AnimationClip, AnimationPlayer};
use bevy::asset::{Asset, AssetServer, Handle, LoadContext};
use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::{DynamicSkinnedMeshBounds, Visibility};
use bevy::ecs::prelude::*;
use bevy::ecs::reflect::ReflectComponent;
use bevy::math::Vec3;
use bevy::mesh::morph::{MeshMorphWeights, MorphWeights};
use bevy::mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy::mesh::{Mesh, Mesh3d};
use bevy::pbr::{MeshMaterial3d, StandardMaterial};
use bevy::reflect::std_traits::ReflectDefault;
use bevy::reflect::{Reflect, TypePath};
use bevy::transform::components::Transform;
use bevy::world_serialization::WorldAsset;
use meshlens::model::Blend;
use meshlens::scene::Socket;

use crate::parts::{ClipPart, MeshPart, MeshlensParts, target};
use crate::{MeshlensLabel, MeshlensModel, MeshlensSkeleton, VertexAnimationMode, VertexFrames};

/// A loaded file or player. Its parts have [labels](MeshlensLabel).
#[derive(Asset, TypePath, Debug)]
pub struct MeshlensScene {
    /// The entities, for [`WorldAssetRoot`](bevy::world_serialization::WorldAssetRoot).
    pub scene: Handle<WorldAsset>,
    /// The parsed files.
    pub model: Handle<MeshlensModel>,
    /// The submeshes of all nodes and levels.
    pub meshes: Vec<MeshlensMesh>,
    /// The materials of all nodes, one node after the other.
    pub materials: Vec<Handle<StandardMaterial>>,
    /// The joints of each node that has any.
    pub skeletons: Vec<Handle<MeshlensSkeleton>>,
    /// The clips.
    pub clips: Vec<MeshlensClip>,
    /// A graph of all clips, which the root entity has.
    pub graph: Handle<AnimationGraph>,
    /// The tags of all nodes.
    pub tags: Vec<(String, Handle<MeshlensTag>)>,
    /// What could not be loaded, as it was logged.
    pub problems: Vec<String>,
}

/// A submesh of a [`MeshlensScene`].
#[derive(Clone, Debug)]
pub struct MeshlensMesh {
    /// The label, with its node, its level of detail, its mesh and its submesh.
    pub label: MeshlensLabel,
    /// The vertices at rest.
    pub mesh: Handle<Mesh>,
    /// The index of its material; `None` if the file gives none.
    pub material: Option<usize>,
}

/// A clip of a [`MeshlensScene`].
#[derive(Clone, Debug)]
pub struct MeshlensClip {
    /// The name.
    pub name: String,
    /// The curves.
    pub clip: Handle<AnimationClip>,
    /// The node of the graph that plays it.
    pub index: AnimationNodeIndex,
    /// Whether the whole clip repeats.
    pub is_cycle: bool,
}

/// A tag: a named attachment point. As a component, it is on the entity that follows the tag.
#[derive(Asset, Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Clone)]
pub struct MeshlensTag {
    /// The index of the node.
    pub node: usize,
    /// The index of the tag in the node's model.
    pub tag: usize,
}

/// The root entity of a scene: it has the `AnimationPlayer`, and its children are the nodes.
#[derive(Component, Clone, Debug, Default, Reflect)]
#[reflect(Component, Default, Clone)]
pub struct MeshlensRoot {
    /// The parsed files.
    pub model: Handle<MeshlensModel>,
    /// The name of each clip, its node in the graph, and whether all of it repeats.
    pub clips: Vec<(String, u32, bool)>,
}

/// The entity of a node. It stands where the node does.
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
    /// The number of vertex frames, 1 if the mesh does not move.
    pub frame_count: usize,
}

impl MeshlensScene {
    /// Makes labelled assets of parts.
    pub(crate) fn new(parts: MeshlensParts, context: &mut impl Labelled) -> Self {
        let problems = parts.problems.iter().map(ToString::to_string).collect();
        let model = context.add(MeshlensLabel::Model.to_string(), parts.model.clone());
        let textures: Vec<_> = (0..)
            .zip(parts.textures)
            .map(|(index, texture)| context.add(MeshlensLabel::Texture(index).to_string(), texture))
            .collect();
        let materials = parts.materials.into_iter().enumerate().map(|(index, part)| {
            let base_color_texture = part.texture.and_then(|texture| textures.get(texture).cloned());
            let material = StandardMaterial { base_color_texture, ..part.material };
            context.add(MeshlensLabel::Material(index).to_string(), material)
        });
        let materials: Vec<_> = materials.collect();
        let nodes = 0..parts.model.scene().nodes.len();
        let skeletons = nodes.clone().filter_map(|node| {
            let skeleton = MeshlensSkeleton::new(&parts.model, node)?;
            Some(context.add(MeshlensLabel::Skeleton(node).to_string(), skeleton))
        });
        let skeletons = skeletons.collect();
        let mut graph = AnimationGraph::new();
        let clips = parts.clips.into_iter().map(|ClipPart { name, clip, is_cycle }| {
            let clip = context.add(MeshlensLabel::Clip(name.clone()).to_string(), clip);
            let index = graph.add_clip(clip.clone(), 1.0, graph.root);
            MeshlensClip { name, clip, index, is_cycle }
        });
        let clips: Vec<_> = clips.collect();
        let graph = context.add(MeshlensLabel::Graph.to_string(), graph);
        let mut tags: Vec<(String, Handle<MeshlensTag>)> = Vec::new();
        for (node, of) in parts.model.scene().nodes.iter().enumerate() {
            for tag in &of.model.tags {
                // Of several tags with one name, the label is that of the first.
                if !tags.iter().any(|(name, _)| *name == tag.name) {
                    let label = MeshlensLabel::Tag(tag.name.clone()).to_string();
                    let handle = context.add(label, MeshlensTag { node, tag: tag.index });
                    tags.push((tag.name.clone(), handle));
                }
            }
        }
        let mut spawned =
            Spawned { model: &parts.model, handle: &model, materials: &materials, meshes: Vec::new() };
        for part in parts.meshes {
            let MeshPart { node, lod, index: mesh, submesh, .. } = part;
            let label = MeshlensLabel::Mesh { node, lod, mesh, submesh };
            let handle = context.add(label.to_string(), part.mesh.clone());
            let bindposes = part.inverse_bindposes.as_ref().map(|matrices| {
                let label = MeshlensLabel::InverseBindposes { node, lod, mesh }.to_string();
                context.add(label, SkinnedMeshInverseBindposes::from(matrices.clone()))
            });
            spawned.meshes.push((part, label, handle, bindposes));
        }
        let meshes = spawned.meshes.iter().map(|(part, label, mesh, _)| MeshlensMesh {
            label: label.clone(),
            mesh: mesh.clone(),
            material: part.material,
        });
        let meshes = meshes.collect();
        let world = spawned.world(&clips, &graph);
        let scene = context.add(MeshlensLabel::Scene.to_string(), WorldAsset::new(world));
        MeshlensScene { scene, model, meshes, materials, skeletons, clips, graph, tags, problems }
    }

    /// The clip with this name, ignoring ASCII case; `None` if there is none.
    pub fn clip(&self, name: &str) -> Option<&MeshlensClip> {
        self.clips.iter().find(|clip| clip.name.eq_ignore_ascii_case(name))
    }
}

/// Where labelled assets are added.
pub(crate) trait Labelled {
    fn add<A: Asset>(&mut self, label: String, asset: A) -> Handle<A>;
}

/// The labels of an asset that is loaded.
impl Labelled for LoadContext<'_> {
    fn add<A: Asset>(&mut self, label: String, asset: A) -> Handle<A> {
        self.add_labeled_asset(label, asset)
    }
}

/// Assets without a path have no labels.
impl Labelled for &AssetServer {
    fn add<A: Asset>(&mut self, _: String, asset: A) -> Handle<A> {
        AssetServer::add(self, asset)
    }
}

type Spawning = (MeshPart, MeshlensLabel, Handle<Mesh>, Option<Handle<SkinnedMeshInverseBindposes>>);

/// What the entities of a scene are made of.
struct Spawned<'s> {
    model: &'s MeshlensModel,
    handle: &'s Handle<MeshlensModel>,
    materials: &'s [Handle<StandardMaterial>],
    meshes: Vec<Spawning>,
}

impl Spawned<'_> {
    /// A world with the entities at the finest level of detail.
    fn world(&self, clips: &[MeshlensClip], graph: &Handle<AnimationGraph>) -> World {
        let mut world = World::new();
        let name = self.model.path();
        let clips = clips.iter().map(|clip| (clip.name.clone(), clip.index.index() as u32, clip.is_cycle));
        let root = MeshlensRoot { model: self.handle.clone(), clips: clips.collect() };
        let player = (AnimationPlayer::default(), AnimationGraphHandle(graph.clone()));
        let root =
            world.spawn((Name::new(name), Transform::default(), Visibility::default(), root, player)).id();
        let scene = self.model.scene();
        let nodes: Vec<_> = (0..scene.nodes.len()).map(|node| self.node(&mut world, root, node)).collect();
        for (node, own) in nodes.iter().enumerate() {
            let to = self.model.attachment(node);
            let parent = to.and_then(|to| nodes.get(to.node)?.socket(to.socket)).unwrap_or(root);
            world.entity_mut(own.entity).insert(ChildOf(parent));
        }
        world
    }

    fn node(&self, world: &mut World, root: Entity, node: usize) -> NodeEntities {
        let scene = self.model.scene();
        let of = &scene.nodes[node];
        let frames = VertexFrames { shown: Blend::from(of.rest_frame).into() };
        let component = MeshlensNode { model: self.handle.clone(), node };
        let animated = (target(node, None), AnimatedBy(root));
        let name = if of.name.is_empty() { format!("Node{node}") } else { of.name.clone() };
        let entity = world
            .spawn((
                Name::new(name),
                Transform::default(),
                Visibility::default(),
                component,
                frames,
                animated,
            ))
            .id();
        let mut own = NodeEntities { entity, tags: Vec::new(), joints: Vec::new() };
        let pose = self.model.node_scene(node).map(|scene| scene.rest_pose()).unwrap_or_default();
        for tag in &of.model.tags {
            let at = self.model.socket(node, Socket::Tag(tag.index), &pose).unwrap_or_default();
            let component = MeshlensTag { node, tag: tag.index };
            let bundle = (Name::new(tag.name.clone()), at, Visibility::default(), component, ChildOf(entity));
            own.tags.push(world.spawn(bundle).id());
        }
        if let Some(skeleton) = MeshlensSkeleton::new(self.model, node) {
            for (joint, (name, at)) in skeleton.names.iter().zip(&skeleton.rest).enumerate() {
                let animated = (target(node, Some(joint)), AnimatedBy(root));
                own.joints
                    .push(world.spawn((Name::new(name.clone()), *at, Visibility::default(), animated)).id());
            }
            for (joint, parent) in skeleton.parents.iter().enumerate() {
                let parent = parent.and_then(|parent| own.joints.get(parent).copied()).unwrap_or(entity);
                world.entity_mut(own.joints[joint]).insert(ChildOf(parent));
            }
        }
        self.meshes(world, node, &own);
        own
    }

    fn meshes(&self, world: &mut World, node: usize, own: &NodeEntities) {
        let is_shown = |part: &MeshPart| part.node == node && part.lod == 0;
        let mut weights = None;
        for (part, label, mesh, bindposes) in self.meshes.iter().filter(|(part, ..)| is_shown(part)) {
            let name = if part.name.is_empty() { label.to_string() } else { part.name.clone() };
            let component =
                MeshlensSubmesh { mesh: part.index, submesh: part.submesh, frame_count: part.frame_count };
            let material =
                part.material.and_then(|index| self.materials.get(index)).cloned().unwrap_or_default();
            let bundle = (Name::new(name), Transform::default(), Visibility::default(), component);
            let mut entity =
                world.spawn((bundle, Mesh3d(mesh.clone()), MeshMaterial3d(material), ChildOf(own.entity)));
            if let Some([min, max]) = part.bounds {
                entity.insert(Aabb::from_min_max(Vec3::from(min), Vec3::from(max)));
            }
            if let Some(inverse_bindposes) = bindposes.clone() {
                entity.insert((
                    SkinnedMesh { inverse_bindposes, joints: own.joints.clone() },
                    DynamicSkinnedMeshBounds,
                ));
            }
            let is_morphed = self.model.settings().vertex_animation == VertexAnimationMode::Morph;
            if is_morphed && part.frame_count > 1 {
                entity.insert(MeshMorphWeights::Reference(own.entity));
                let count = weights.map_or(0, |(count, _)| count).max(part.frame_count);
                weights = Some((count, mesh));
            }
        }
        if let Some((count, mesh)) = weights {
            // The number of frames was checked when the mesh was made.
            if let Ok(weights) = MorphWeights::new(vec![0.0; count], Some(mesh.clone())) {
                world.entity_mut(own.entity).insert(weights);
            }
        }
    }
}

/// The entities of a node.
struct NodeEntities {
    entity: Entity,
    tags: Vec<Entity>,
    joints: Vec<Entity>,
}

impl NodeEntities {
    fn socket(&self, socket: Socket) -> Option<Entity> {
        match socket {
            Socket::Tag(tag) => self.tags.get(tag).copied(),
            Socket::Joint(joint) => self.joints.get(joint).copied(),
        }
    }
}
