//! Nodes: parts, their meshes, their tags, and coarser levels beside them.

use glam::{Mat3, Quat, Vec3};
use meshlens::Model;
use meshlens::model::{Conversion, Space, TagPose};
use serde_json::{Map, json};

use crate::builder::Builder;
use crate::json::Node;
use crate::selection::Selection;
use crate::shape::QUANTUM;
use crate::shape::finite;
use crate::{Error, Part};

/// The nodes of one part that animations move.
#[derive(Default)]
pub(crate) struct PartNodes {
    /// Nodes with a mesh, and how many targets it has.
    pub(crate) meshes: Vec<(usize, usize)>,
    /// The tags' nodes, by number of tag.
    pub(crate) tags: Vec<usize>,
    /// Whether a tag is never stretched, by number of tag.
    pub(crate) unit_tags: Vec<bool>,
    /// The joints' nodes, by number of joint.
    pub(crate) joints: Vec<usize>,
}

/// Where a tag is, in glTF's space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) translation: Vec3,
    pub(crate) rotation: Quat,
    pub(crate) scale: Vec3,
}

impl Place {
    /// Of a tag in one frame. What is not finite, in the file or at the scale asked for, is where the model is.
    pub(crate) fn new(pose: Option<TagPose>, conversion: &Conversion) -> Place {
        let pose =
            pose.filter(TagPose::is_finite).unwrap_or(TagPose { origin: Vec3::ZERO, axes: Mat3::IDENTITY });
        let (rotation, lengths) = pose.rotation();
        // Lengths of 1 as floats have them are 1.
        let exact = |length: f32| if (length - 1.0).abs() < 1e-3 { 1.0 } else { length };
        // A scale may lead past what floats hold.
        Place {
            translation: conversion.position(pose.origin.to_array()).map(finite).into(),
            rotation: conversion.rotation(rotation),
            scale: Vec3::from(conversion.factors(lengths.to_array())).map(exact).map(finite),
        }
    }
}

impl<'m, 'a> Builder<'_, 'm, 'a> {
    fn node(&mut self, node: Node) -> usize {
        self.root.nodes.push(node);
        self.root.nodes.len() - 1
    }

    pub(crate) fn nodes(
        &mut self,
        parts: &[Part<'m, 'a>],
        selections: &[Selection],
    ) -> Result<Vec<PartNodes>, Error> {
        let mut all: Vec<PartNodes> = Vec::new();
        for (part, selection) in parts.iter().zip(selections) {
            let mut nodes = PartNodes::default();
            let roots = self.joint_nodes(part.model, selection, &mut nodes);
            let mut levels: Vec<usize> = part.model.meshes.iter().map(|mesh| mesh.lod).collect();
            levels.sort_unstable();
            levels.dedup();
            let (finest, coarser) = levels.split_first().map_or((0, &[][..]), |(first, rest)| (*first, rest));
            let mut children = self.mesh_nodes(part.model, finest, selection, &mut nodes)?;
            let coarser = if self.options.levels {
                coarser
            } else {
                if !coarser.is_empty() {
                    self.loss(format!("{} coarser levels of detail", coarser.len()));
                }
                &[]
            };
            if !part.lods.is_empty() || !coarser.is_empty() {
                children = vec![self.level_nodes(part, coarser, children, selection, &mut nodes)?];
            }
            for tag in &part.model.tags {
                let pose = part.model.tag_pose(tag.index, selection.rest);
                let place = Place::new(pose, &self.tag_conversion(part.model));
                let node = Node {
                    name: tag.name.clone(),
                    translation: Some(place.translation.to_array()),
                    rotation: Some(place.rotation.to_array()),
                    scale: (place.scale != Vec3::ONE).then(|| place.scale.to_array()),
                    ..Node::default()
                };
                nodes.tags.push(self.node(node));
                let conversion = self.tag_conversion(part.model);
                nodes.unit_tags.push((0..part.model.tag_frame_count()).all(|frame| {
                    Place::new(part.model.tag_pose(tag.index, frame), &conversion).scale == Vec3::ONE
                }));
            }
            children.extend(&nodes.tags);
            children.extend(roots);
            let root = self.node(Node { name: part.name.clone(), children, ..Node::default() });
            let parent = part.attach.and_then(|(parent, tag)| all.get(parent)?.tags.get(tag).copied());
            match parent {
                Some(parent) => self.root.nodes[parent].children.push(root),
                None => self.root.scenes[0].nodes.push(root),
            }
            all.push(nodes);
        }
        Ok(all)
    }

    pub(crate) fn tag_conversion(&self, model: &Model<'_>) -> Conversion {
        model.space.to(&Space::GLTF).scaled(self.scale())
    }

    /// The meshes of one level of a model.
    fn mesh_nodes(
        &mut self,
        model: &'m Model<'a>,
        level: usize,
        selection: &Selection,
        nodes: &mut PartNodes,
    ) -> Result<Vec<usize>, Error> {
        let mut children = Vec::new();
        for mesh in model.meshes.iter().filter(|mesh| mesh.lod == level) {
            let Some((index, targets)) = self.mesh(model, mesh, selection)? else { continue };
            let mut node = Node { name: mesh.name.clone(), mesh: Some(index), ..Node::default() };
            if self.shapes.last().is_some_and(|shape| shape.quantized) {
                let turn = Quat::from_mat4(&model.space.to(&Space::GLTF).linear());
                node.rotation = Some(turn.to_array());
                node.scale = Some([self.scale() / QUANTUM; 3]);
            }
            if let Some(skin) = mesh.skin.as_ref().filter(|_| self.is_skinned(index)) {
                // Where a skinned mesh is, its joints decide alone: it belongs at the root.
                node.skin = Some(self.skin(model, &nodes.joints, skin));
                let node = self.node(node);
                nodes.meshes.push((node, targets));
                self.root.scenes[0].nodes.push(node);
                continue;
            }
            let node = self.node(node);
            nodes.meshes.push((node, targets));
            children.push(node);
        }
        Ok(children)
    }

    /// A node for the finest level, which names those of the coarser ones (MSFT_lod): `coarser` of the model itself, and
    /// the models beside it.
    fn level_nodes(
        &mut self,
        part: &Part<'m, 'a>,
        coarser: &[usize],
        children: Vec<usize>,
        selection: &Selection,
        nodes: &mut PartNodes,
    ) -> Result<usize, Error> {
        let mut ids = Vec::new();
        for level in coarser {
            if part.model.meshes.iter().any(|mesh| mesh.lod == *level && mesh.skin.is_some()) {
                // A skinned mesh hangs on no node that could be shown in place of another.
                self.loss(format!("level of detail {level}, which joints move"));
                continue;
            }
            let children = self.mesh_nodes(part.model, *level, selection, nodes)?;
            let name = format!("{} level {}", part.name, ids.len() + 1);
            ids.push(self.node(Node { name, children, ..Node::default() }));
        }
        for model in &part.lods {
            // A level with fewer frames shows its last one for those that it does not have.
            let last = model.frame_count().saturating_sub(1);
            let selection = Selection::new(part.model, self.options.frames, part.rest)
                .unwrap_or_else(|| Selection::still(part.model, part.rest));
            let still = Selection::still(model, selection.rest.min(last));
            let selection = if model.frame_count() > 1 { &selection } else { &still };
            let finest = model.meshes.iter().map(|mesh| mesh.lod).min().unwrap_or_default();
            let children = self.mesh_nodes(model, finest, selection, nodes)?;
            let name = format!("{} level {}", part.name, ids.len() + 1);
            ids.push(self.node(Node { name, children, ..Node::default() }));
        }
        let mut node = Node { name: format!("{} level 0", part.name), children, ..Node::default() };
        if ids.is_empty() {
            return Ok(self.node(node));
        }
        self.use_extension("MSFT_lod", false);
        node.extensions.insert("MSFT_lod".into(), json!({ "ids": ids }));
        // Halving the share of the screen with each level; the last one stays to the smallest.
        let coverage: Vec<f64> =
            (1..=ids.len()).map(|level| 0.5f64.powi(level as i32)).chain([0.0]).collect();
        node.extras = Map::from_iter([("MSFT_screencoverage".into(), json!(coverage))]);
        Ok(self.node(node))
    }
}
