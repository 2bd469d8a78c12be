//! The entities of a scene: their assets, and how to spawn them in any world.

use bevy::animation::graph::{AnimationGraph, AnimationGraphHandle};
use bevy::animation::{AnimatedBy, AnimationPlayer};
use bevy::asset::{Asset, Handle};
use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::{DynamicSkinnedMeshBounds, Visibility};
use bevy::ecs::prelude::*;
use bevy::math::Vec3;
use bevy::mesh::morph::{MeshMorphWeights, MorphWeights};
use bevy::mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy::mesh::{Mesh, Mesh3d};
use bevy::pbr::{MeshMaterial3d, StandardMaterial};
use bevy::transform::components::Transform;
use meshlens::model::Blend;
use meshlens::scene::Socket;

use crate::parts::{ClipPart, MeshPart, MeshlensParts, target};
use crate::{
    MeshlensClip, MeshlensLabel, MeshlensModel, MeshlensNode, MeshlensRoot, MeshlensSkeleton,
    MeshlensSubmesh, MeshlensTag, VertexAnimationMode, VertexFrames,
};

/// The assets of the entities of a scene.
pub(crate) struct SceneTemplate {
    pub(crate) model: MeshlensModel,
    pub(crate) handle: Handle<MeshlensModel>,
    pub(crate) materials: Vec<Handle<StandardMaterial>>,
    pub(crate) meshes: Vec<TemplateMesh>,
    pub(crate) clips: Vec<MeshlensClip>,
    pub(crate) graph: Handle<AnimationGraph>,
}

/// The assets of the entity of a submesh.
pub(crate) struct TemplateMesh {
    pub(crate) label: MeshlensLabel,
    pub(crate) mesh: Handle<Mesh>,
    pub(crate) material: Option<usize>,
    name: String,
    component: MeshlensSubmesh,
    bounds: Option<[[f32; 3]; 2]>,
    inverse_bindposes: Option<Handle<SkinnedMeshInverseBindposes>>,
}

impl SceneTemplate {
    /// Adds the assets of parts.
    pub(crate) fn new(parts: MeshlensParts, context: &mut impl Labelled) -> Self {
        let handle = context.add(MeshlensLabel::Model.to_string(), parts.model.clone());
        let textures: Vec<_> = (0..)
            .zip(parts.textures)
            .map(|(index, texture)| context.add(MeshlensLabel::Texture(index).to_string(), texture))
            .collect();
        let materials = parts.materials.into_iter().enumerate().map(|(index, part)| {
            let texture = |index: Option<usize>| index.and_then(|index| textures.get(index).cloned());
            let (base_color_texture, normal_map_texture) = (texture(part.texture), texture(part.normal_map));
            let material = StandardMaterial { base_color_texture, normal_map_texture, ..part.material };
            context.add(MeshlensLabel::Material(index).to_string(), material)
        });
        let materials = materials.collect();
        let mut graph = AnimationGraph::new();
        let clips = parts.clips.into_iter().map(|ClipPart { name, clip, is_cycle }| {
            let clip = context.add(MeshlensLabel::Clip(name.clone()).to_string(), clip);
            let index = graph.add_clip(clip.clone(), 1.0, graph.root);
            MeshlensClip { name, clip, index, is_cycle }
        });
        let clips = clips.collect();
        let graph = context.add(MeshlensLabel::Graph.to_string(), graph);
        let meshes = parts.meshes.into_iter().map(|part| TemplateMesh::new(part, context)).collect();
        SceneTemplate { model: parts.model, handle, materials, meshes, clips, graph }
    }

    /// Spawns the entities at the finest level of detail. Returns the root, which is a child of `parent`.
    pub(crate) fn spawn(&self, world: &mut World, parent: Option<Entity>) -> Entity {
        let clips =
            self.clips.iter().map(|clip| (clip.name.clone(), clip.index.index() as u32, clip.is_cycle));
        let root = MeshlensRoot { model: self.handle.clone(), clips: clips.collect() };
        let root = (Name::new(self.model.path()), Transform::default(), Visibility::default(), root);
        let mut root = match parent {
            Some(parent) => world.spawn((root, ChildOf(parent))),
            None => world.spawn(root),
        };
        if self.is_animated() {
            root.insert((AnimationPlayer::default(), AnimationGraphHandle(self.graph.clone())));
        }
        let root = root.id();
        let scene = self.model.scene();
        let nodes: Vec<_> = (0..scene.nodes.len()).map(|node| self.node(world, root, node)).collect();
        for (node, own) in nodes.iter().enumerate() {
            let to = self.model.attachment(node);
            if let Some(parent) = to.and_then(|to| nodes.get(to.node)?.socket(to.socket)) {
                world.entity_mut(own.entity).insert(ChildOf(parent));
            }
        }
        root
    }

    /// Whether the scene can move. Clips of other files may move joints, too.
    fn is_animated(&self) -> bool {
        let nodes = &self.model.scene().nodes;
        !self.clips.is_empty() || nodes.iter().any(|node| !node.model.joints.is_empty())
    }

    fn node(&self, world: &mut World, root: Entity, node: usize) -> NodeEntities {
        let scene = self.model.scene();
        let of = &scene.nodes[node];
        let frames = VertexFrames { shown: Blend::from(of.rest_frame).into() };
        let component = MeshlensNode { model: self.handle.clone(), node };
        let name = if of.name.is_empty() { format!("Node{node}") } else { of.name.clone() };
        let name = Name::new(name);
        let shown = (self.model.transform(node), Visibility::default());
        let mut entity = world.spawn((name, shown, component, frames, ChildOf(root)));
        if self.is_animated() {
            entity.insert((target(node, None), AnimatedBy(root)));
        }
        let entity = entity.id();
        let mut own = NodeEntities { entity, tags: Vec::new(), joints: Vec::new() };
        let pose = (!of.model.tags.is_empty()).then(|| scene.rest_pose());
        for tag in &of.model.tags {
            let at = pose.as_ref().and_then(|pose| self.model.socket(node, Socket::Tag(tag.index), pose));
            let component = MeshlensTag { node, tag: tag.index };
            let bundle = (
                Name::new(tag.name.clone()),
                at.unwrap_or_default(),
                Visibility::default(),
                component,
                ChildOf(entity),
            );
            own.tags.push(world.spawn(bundle).id());
        }
        if let Some(skeleton) = MeshlensSkeleton::new(&self.model, node) {
            for (joint, (name, at)) in skeleton.names.iter().zip(&skeleton.rest).enumerate() {
                let mut joint_entity = world.spawn((Name::new(name.clone()), *at, Visibility::default()));
                if self.is_animated() {
                    joint_entity.insert((target(node, Some(joint)), AnimatedBy(root)));
                }
                own.joints.push(joint_entity.id());
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
        let mut weights = None;
        for part in self.meshes.iter().filter(|part| part.is_shown_by(node)) {
            let name = if part.name.is_empty() { part.label.to_string() } else { part.name.clone() };
            let material =
                part.material.and_then(|index| self.materials.get(index)).cloned().unwrap_or_default();
            let bundle = (Name::new(name), Transform::default(), Visibility::default(), part.component);
            let shown = (Mesh3d(part.mesh.clone()), MeshMaterial3d(material), ChildOf(own.entity));
            let mut entity = world.spawn((bundle, shown));
            if let Some([min, max]) = part.bounds {
                entity.insert(Aabb::from_min_max(Vec3::from(min), Vec3::from(max)));
            }
            if let Some(inverse_bindposes) = part.inverse_bindposes.clone() {
                entity.insert((
                    SkinnedMesh { inverse_bindposes, joints: own.joints.clone() },
                    DynamicSkinnedMeshBounds,
                ));
            }
            let is_morphed = self.model.settings().vertex_animation == VertexAnimationMode::Morph;
            let frame_count = part.component.frame_count;
            if is_morphed && frame_count > 1 {
                entity.insert(MeshMorphWeights::Reference(own.entity));
                let count = weights.map_or(0, |(count, _)| count).max(frame_count);
                weights = Some((count, &part.mesh));
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

impl TemplateMesh {
    fn new(part: MeshPart, context: &mut impl Labelled) -> Self {
        let MeshPart { node, lod, index: mesh, submesh, frame_count, bounds, material, name, .. } = part;
        let bindposes = part.inverse_bindposes.map(|matrices| {
            let label = MeshlensLabel::InverseBindposes { node, lod, mesh }.to_string();
            context.add(label, SkinnedMeshInverseBindposes::from(matrices))
        });
        let label = MeshlensLabel::Mesh { node, lod, mesh, submesh };
        TemplateMesh {
            mesh: context.add(label.to_string(), part.mesh),
            label,
            material,
            name,
            component: MeshlensSubmesh { mesh, submesh, frame_count },
            bounds,
            inverse_bindposes: bindposes,
        }
    }

    /// Whether the entities of a node show this mesh. They do not show coarser levels.
    fn is_shown_by(&self, of: usize) -> bool {
        matches!(self.label, MeshlensLabel::Mesh { node, lod: 0, .. } if node == of)
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

/// A target for labelled assets.
pub(crate) trait Labelled {
    fn add<A: Asset>(&mut self, label: String, asset: A) -> Handle<A>;
}
