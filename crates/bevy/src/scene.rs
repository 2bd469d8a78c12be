//! The loaded scene, with handles of its parts.

use bevy::animation::graph::AnimationGraph;
use bevy::asset::{Asset, Handle, LoadContext};
use bevy::ecs::prelude::*;
use bevy::mesh::Mesh;
use bevy::pbr::StandardMaterial;
use bevy::reflect::TypePath;
use bevy::world_serialization::WorldAsset;

use crate::components::{MeshlensClip, MeshlensTag};
use crate::parts::MeshlensParts;
use crate::template::{Labelled, SceneTemplate, TemplateMesh};
use crate::{MeshlensLabel, MeshlensModel, MeshlensSkeleton};

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
    /// The skeletons of the nodes that have joints.
    pub skeletons: Vec<Handle<MeshlensSkeleton>>,
    /// The clips.
    pub clips: Vec<MeshlensClip>,
    /// A graph of all clips. The root entity has it if there are clips or joints.
    pub graph: Handle<AnimationGraph>,
    /// The tags of all nodes.
    pub tags: Vec<(String, Handle<MeshlensTag>)>,
    /// The logged problems of loading.
    pub problems: Vec<String>,
}

/// A submesh of a [`MeshlensScene`].
#[derive(Clone, Debug)]
pub struct MeshlensMesh {
    /// The label, with its node, its level of detail, its mesh and its submesh.
    pub label: MeshlensLabel,
    /// The vertices at rest.
    pub mesh: Handle<Mesh>,
    /// The index of its material; `None` if the file specifies none.
    pub material: Option<usize>,
}

impl MeshlensScene {
    /// Makes labelled assets from parts.
    pub(crate) fn new(mut parts: MeshlensParts, context: &mut impl Labelled) -> Self {
        let problems = std::mem::take(&mut parts.problems);
        let template = SceneTemplate::new(parts, context);
        let nodes = template.model.scene().nodes.iter().enumerate();
        let skeletons = nodes.clone().filter_map(|(node, _)| {
            let skeleton = MeshlensSkeleton::new(&template.model, node)?;
            Some(context.add(MeshlensLabel::Skeleton(node).to_string(), skeleton))
        });
        let skeletons = skeletons.collect();
        let mut tags: Vec<(String, Handle<MeshlensTag>)> = Vec::new();
        for (node, of) in nodes {
            for tag in &of.model.tags {
                // If several tags have the same name, the first tag gets the label.
                if !tags.iter().any(|(name, _)| *name == tag.name) {
                    let label = MeshlensLabel::Tag(tag.name.clone()).to_string();
                    let handle = context.add(label, MeshlensTag { node, tag: tag.index });
                    tags.push((tag.name.clone(), handle));
                }
            }
        }
        let mut world = World::new();
        template.spawn(&mut world, None);
        let scene = context.add(MeshlensLabel::Scene.to_string(), WorldAsset::new(world));
        let SceneTemplate { handle: model, materials, meshes, clips, graph, .. } = template;
        let meshes = meshes.into_iter().map(|TemplateMesh { label, mesh, material, .. }| MeshlensMesh {
            label,
            mesh,
            material,
        });
        MeshlensScene {
            scene,
            model,
            meshes: meshes.collect(),
            materials,
            skeletons,
            clips,
            graph,
            tags,
            problems: problems.iter().map(ToString::to_string).collect(),
        }
    }

    /// The clip with this name, ignoring ASCII case; `None` if there is none.
    pub fn clip(&self, name: &str) -> Option<&MeshlensClip> {
        self.clips.iter().find(|clip| clip.name.eq_ignore_ascii_case(name))
    }
}

/// The labels of an asset while it is being loaded.
impl Labelled for LoadContext<'_> {
    fn add<A: Asset>(&mut self, label: String, asset: A) -> Handle<A> {
        self.add_labeled_asset(label, asset)
    }
}
