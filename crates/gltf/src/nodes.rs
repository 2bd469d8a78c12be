//! Nodes of models, meshes, tags and levels of detail.

use std::collections::{BTreeSet, HashSet};

use glam::{Quat, Vec3};
use meshlens::Model;
use meshlens::lens::Bounds;
use meshlens::model::{Conversion, JointScales, Space, TagPose, Transform};
use meshlens::scene::{self, Attachment, Scene, Socket, Variant};

use crate::Error;
use crate::builder::{Builder, added};
use crate::extras::NodeExtras;
use crate::json::{Node, NodeExtension};
use crate::meshes::numbered;
use crate::selection::Selection;
use crate::shape::finite;

/// The properties of a joint that are as at rest in all frames of all animations: translation, rotation and scale.
pub(crate) type Still = [bool; 3];

/// The nodes of one model that animations move.
#[derive(Default)]
pub(crate) struct ModelNodes {
    /// The node of the model, the parent of all others except the nodes of skinned meshes.
    root: usize,
    /// Nodes with a mesh.
    pub(crate) meshes: Vec<MeshNode>,
    /// The nodes of the tags.
    pub(crate) tags: Vec<usize>,
    /// The nodes of the joints.
    pub(crate) joints: Vec<usize>,
    /// The scales of joints that are moved into translations.
    pub(crate) scales: JointScales,
    /// The joints that keep a [visible](NodeTransform::is_scaled) scale, at rest or in a clip.
    pub(crate) scaled_joints: BTreeSet<usize>,
    /// The properties of the joints that no clip moves; empty until it is known.
    pub(crate) still: Vec<Still>,
}

/// A node with a mesh.
pub(crate) struct MeshNode {
    pub(crate) node: usize,
    /// The number of morph targets.
    pub(crate) targets: usize,
    /// The group of the targets, if the mesh is split, and the scale of the node while it is shown.
    pub(crate) group: Option<(usize, Vec3)>,
}

impl ModelNodes {
    /// The node of a tag or a joint; the node of the model if there is none.
    fn socket(&self, socket: Socket) -> usize {
        let found = match socket {
            Socket::Tag(tag) => self.tags.get(tag),
            Socket::Joint(joint) => self.joints.get(joint),
        };
        found.copied().unwrap_or(self.root)
    }
}

/// The transform of a tag or a joint in glTF's space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NodeTransform {
    pub(crate) translation: Vec3,
    pub(crate) rotation: Quat,
    pub(crate) scale: Vec3,
}

/// Scales that differ from 1 by at most this are not reported: half a percent, which rounding in exporters causes.
const INVISIBLE_SCALE: f32 = 0.005;

impl NodeTransform {
    /// Whether the scale is visibly not 1.
    pub(crate) fn is_scaled(&self) -> bool {
        !self.scale.abs_diff_eq(Vec3::ONE, INVISIBLE_SCALE)
    }

    /// The transform of a tag in one frame. A pose that is not finite, in the file or at the requested scale, is the
    /// identity.
    pub(crate) fn new(pose: Option<TagPose>, conversion: &Conversion) -> NodeTransform {
        let pose = pose.filter(TagPose::is_finite);
        let (origin, rotation) =
            pose.map_or(([0.0; 3], Quat::IDENTITY.into()), |pose| (pose.origin, pose.rotation()));
        // A large scale may overflow. A tag does not scale the model that is attached to it.
        NodeTransform {
            translation: conversion.position(origin).map(finite).into(),
            rotation: Quat::from_array(conversion.rotation(rotation)),
            scale: Vec3::ONE,
        }
    }
}

impl<'m, 'a> Builder<'_, 'm, 'a> {
    /// Adds a node. Returns its index. Its memory includes an entry in a list of children and in the nodes of a model.
    pub(crate) fn node(&mut self, node: Node) -> Result<usize, Error> {
        self.memory.elements::<(Node, [usize; 4])>(1, "nodes")?;
        self.memory.bytes(node.name.len(), "the name of a node")?;
        Ok(added(&mut self.root.nodes, node))
    }

    pub(crate) fn nodes(
        &mut self,
        scene: &'m Scene<'a>,
        selections: &[Selection],
    ) -> Result<Vec<ModelNodes>, Error> {
        let mut all: Vec<ModelNodes> = Vec::new();
        let parents: HashSet<usize> =
            scene.nodes.iter().filter_map(|node| Some(node.attachment?.node)).collect();
        for (index, (of, selection)) in scene.nodes.iter().zip(selections).enumerate() {
            let mut nodes = ModelNodes::default();
            let roots = self.joint_nodes(&of.model, selection, &mut nodes)?;
            let mut levels: Vec<usize> = of.model.meshes.iter().map(|mesh| mesh.lod).collect();
            levels.sort_unstable();
            levels.dedup();
            let (finest, coarser) = levels.split_first().map_or((0, &[][..]), |(first, rest)| (*first, rest));
            let mut children = self.mesh_nodes(&of.model, &of.variants, finest, selection, &mut nodes)?;
            let coarser = if self.options.lods {
                coarser
            } else {
                if !coarser.is_empty() {
                    let message = format!("{} coarser levels of detail", coarser.len());
                    self.loss(&meshlens::codes::LOD_LOST, coarser.len(), message)?;
                }
                &[]
            };
            if !of.lods.is_empty() || !coarser.is_empty() {
                children = vec![self.level_nodes(of, coarser, children, selection, &mut nodes)?];
            }
            for tag in &of.model.tags {
                let pose = of.model.tag_pose(tag.index, selection.rest);
                let place = NodeTransform::new(pose, &self.conversion(&of.model));
                let node = Node {
                    name: tag.name.clone(),
                    translation: Some(place.translation.to_array()),
                    rotation: Some(place.rotation.to_array()),
                    ..Node::default()
                };
                nodes.tags.push(self.node(node)?);
            }
            children.extend(&nodes.tags);
            children.extend(roots);
            let is_linked = of.attachment.is_some() || parents.contains(&index);
            let is_placed = of.transform != Transform::IDENTITY;
            let extras = self.frame_extras(of, selection, is_linked || is_placed)?;
            let mut node = Node { name: of.name.clone(), children, extras, ..Node::default() };
            if is_placed {
                let place = self.joint_place(&of.transform, &self.conversion(&of.model));
                node.translation = Some(place.translation.to_array());
                node.rotation = Some(place.rotation.to_array());
                node.scale = Some(place.scale.to_array());
            }
            nodes.root = self.node(node)?;
            if scene.attachment(index).is_none() {
                self.root.scenes[0].nodes.push(nodes.root);
            }
            all.push(nodes);
        }
        for (index, nodes) in all.iter().enumerate() {
            if let Some(Attachment { node, socket }) = scene.attachment(index) {
                let parent = all[node].socket(socket);
                self.root.nodes[parent].children.push(nodes.root);
            }
        }
        Ok(all)
    }

    pub(crate) fn conversion(&self, model: &Model<'_>) -> Conversion {
        model.space.to(&Space::GLTF).scaled(self.scale())
    }

    /// The meshes of one level of a model.
    fn mesh_nodes(
        &mut self,
        model: &'m Model<'a>,
        variants: &[Variant],
        level: usize,
        selection: &Selection,
        nodes: &mut ModelNodes,
    ) -> Result<Vec<usize>, Error> {
        let mut children = Vec::new();
        for (number, mesh) in model.meshes.iter().enumerate().filter(|(_, mesh)| mesh.lod == level) {
            let made = self.mesh(model, mesh, selection)?;
            let is_split = made.len() > 1;
            for (group, (index, targets)) in made.into_iter().enumerate() {
                self.variants(index, number, mesh, variants)?;
                let name = numbered(&mesh.name, group);
                let mut node = Node { name, mesh: Some(index), ..Node::default() };
                if let Some(quantized) = self.shapes.last().and_then(|shape| shape.quantized) {
                    let (translation, rotation, scale) = quantized.node;
                    node.translation = Some(translation.to_array()).filter(|_| translation != Vec3::ZERO);
                    node.rotation = Some(rotation.to_array());
                    node.scale = Some(scale.to_array());
                }
                let group = is_split.then(|| (group, node.scale.map_or(Vec3::ONE, Vec3::from)));
                if group.is_some_and(|(group, _)| group > 0) {
                    node.scale = Some([0.0; 3]);
                }
                let skin = mesh.skin.as_ref().filter(|_| self.is_skinned(index));
                if let Some(skin) = skin {
                    node.skin = Some(self.skin(model, nodes, skin)?);
                }
                let node = self.node(node)?;
                nodes.meshes.push(MeshNode { node, targets, group });
                if skin.is_some() {
                    // Only its joints place a skinned mesh, so its node is a root.
                    self.root.scenes[0].nodes.push(node);
                } else {
                    children.push(node);
                }
            }
        }
        Ok(children)
    }

    /// A node of the finest level, which refers to the nodes of the coarser levels (MSFT_lod): the levels `coarser` of
    /// the model, and the models of the other levels.
    fn level_nodes(
        &mut self,
        of: &'m scene::Node<'a>,
        coarser: &[usize],
        children: Vec<usize>,
        selection: &Selection,
        nodes: &mut ModelNodes,
    ) -> Result<usize, Error> {
        let mut ids = Vec::new();
        for level in coarser {
            if of.model.meshes.iter().any(|mesh| mesh.lod == *level && mesh.skin.is_some()) {
                // A skinned mesh is at the root, and not below a node that readers could switch.
                let message = format!("level of detail {level}, which joints move");
                self.loss(&meshlens::codes::LOD_LOST, 1, message)?;
                continue;
            }
            let children = self.mesh_nodes(&of.model, &of.variants, *level, selection, nodes)?;
            let name = format!("{} level {}", of.name, ids.len() + 1);
            ids.push(self.node(Node { name, children, ..Node::default() })?);
        }
        for model in &of.lods {
            // A level with fewer frames shows its last frame for the missing ones.
            let last = model.frame_count().saturating_sub(1);
            let still = Selection::still(model, selection.rest.min(last));
            let selection = if model.frame_count() > 1 { selection } else { &still };
            let finest = model.meshes.iter().map(|mesh| mesh.lod).min().unwrap_or_default();
            let children = self.mesh_nodes(model, &[], finest, selection, nodes)?;
            let name = format!("{} level {}", of.name, ids.len() + 1);
            ids.push(self.node(Node { name, children, ..Node::default() })?);
        }
        let mut node = Node { name: format!("{} level 0", of.name), children, ..Node::default() };
        if ids.is_empty() {
            return self.node(node);
        }
        self.use_extension("MSFT_lod", false);
        let levels = ids.len();
        node.extensions = Some(NodeExtension::Lod { ids });
        let distances = of.model.lod_distances.get(..=levels).filter(|_| of.lods.is_empty());
        let coverage = match distances {
            Some(distances) => coverages(&of.model, selection.rest, distances),
            // The screen coverage is halved with each level. The last level has no lower limit.
            None => (1..=levels).map(|level| 0.5f64.powi(level as i32)).chain([0.0]).collect(),
        };
        node.extras = Some(NodeExtras::ScreenCoverage(coverage));
        self.node(node)
    }
}

/// The part of a square screen that the sphere around a model covers at each distance, if the camera sees 45 degrees. The
/// coverage of glTF has no distances, and the angle of the camera is not known.
fn coverages(model: &Model<'_>, frame: usize, distances: &[f32]) -> Vec<f64> {
    let points = model.points_at_rest(frame);
    let bounds = Bounds::around(points.iter().copied());
    let size = bounds
        .map_or([0.0; 3], |bounds| [0, 1, 2].map(|axis| f64::from(bounds.max[axis] - bounds.min[axis])));
    let radius = size.iter().map(|side| side * side).sum::<f64>().sqrt() / 2.0;
    let half = (std::f64::consts::FRAC_PI_8).tan();
    let coverage = |distance: f64| std::f64::consts::FRAC_PI_4 * (radius / (distance * half)).powi(2);
    let finite = |coverage: f64| if coverage.is_finite() { coverage.min(1.0) } else { 1.0 };
    distances.iter().map(|distance| finite(coverage(f64::from(*distance)))).collect()
}
