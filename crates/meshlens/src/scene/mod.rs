//! Scenes: models with a position that are attached to one another, move, and are drawn in the caller's space.
//!
//! A file is a scene of one [`Node`]. A player of Quake 3 has three nodes: legs, torso and head, each attached to a tag
//! of the previous one. A weapon in its hand is a fourth node. A [`View`] returns the vertices and the triangles of all
//! nodes in one space. It applies the placement of a model by a script, the attachments, the axes and the winding, and
//! transforms normals and tangents correctly.
//!
//! ```
//! use meshlens::Model;
//! use meshlens::lens::VertexFormat;
//! use meshlens::model::{Semantic, Space, VertexLayout};
//! use meshlens::scene::Scene;
//!
//! # let bytes = meshlens::md3::write::sample(&[4.0, 8.0])?;
//! let scene = Scene::from(Model::parse(&bytes)?);
//! let view = scene.view(&Space::GLTF); // Y is up; units stay those of the file
//! let layout = VertexLayout::new(12).with(Semantic::Position, 0, VertexFormat::Float32x3);
//!
//! let pose = scene.pose(&[("all", 0.05)])?; // halfway from the first frame to the second
//! for mesh in view.meshes() {
//!     let mesh = mesh?;
//!     let mut vertices = vec![0; mesh.buffer_len(&layout)];
//!     mesh.fill_vertex_buffer(&pose, &layout, &mut vertices)?;
//!     let mut indices = vec![0; mesh.index_buffer_len(mesh.index_format())];
//!     mesh.write_indices(mesh.index_format(), &mut indices)?;
//!     // The third vertex is 6 units up, which is along Y in glTF.
//!     assert_eq!(vertices[2 * 12 + 4..][..4], 6f32.to_ne_bytes());
//! }
//! # Ok::<(), meshlens::Error>(())
//! ```

mod companion;
mod pose;
mod prepared;
mod view;
mod view_mesh;

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

pub use companion::{Companion, CompanionKind, Variant};
pub use pose::{NodePose, Pose};
pub use view::View;
pub use view_mesh::ViewMesh;

use glam::Mat4;
use meshlens_wire::Place;

use crate::model::{Space, Transform};
use crate::{Model, Result};

/// The direction to the light of a picture, in the space of glTF: from the front, from above and from the left of the
/// model. Its length is not 1. Renderers with this light, such as `meshlens-thumb` and `meshlens-gpu`, draw similar
/// pictures.
pub const LIGHT_DIRECTION: [f64; 3] = [0.4, 0.8, 0.45];

/// The ambient fraction of the light of a picture.
pub const AMBIENT_LIGHT: f32 = 0.35;

/// Models that have positions in one world, and move together.
#[derive(Clone, Debug, Default)]
pub struct Scene<'a> {
    /// The nodes. Other nodes refer to them by index.
    pub nodes: Vec<Node<'a>>,
}

/// A model with a position in a scene.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    /// The name. It may be empty, and several nodes may have the same.
    pub name: String,
    /// The model, at its finest level of detail.
    pub model: Model<'a>,
    /// Coarser levels of detail that are separate models, the finest of them first. Levels inside a file are
    /// [meshes](crate::model::Mesh::lod) of the model.
    pub lods: Vec<Model<'a>>,
    /// The node that this one is attached to; `None` if it is at the origin of the scene.
    pub attachment: Option<Attachment>,
    /// The transform of the node, in the space of its model, relative to the origin or to the attachment. It also applies to the
    /// nodes that are attached to this one. Its scale is positive: [`Model::placement`] can mirror a model.
    pub transform: Transform,
    /// The vertex frame that is shown while no clip plays: 0, except in the legs and the torso of a player that is opened by
    /// name, which then show the first frame of `LEGS_IDLE` and `TORSO_STAND`.
    pub rest_frame: usize,
    /// Files that belong to the model, such as its skins. Formats that do not know them can carry them.
    pub companions: Vec<Companion>,
    /// Other materials of the meshes, such as the other skins of a player.
    pub variants: Vec<Variant>,
}

/// The attachment of a node: it moves with a tag or a joint of another node, but is not scaled by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// The index of the other node. A node that is attached to itself, directly or through other nodes, is at the
    /// origin.
    pub node: usize,
    /// The tag or the joint of that node's model. If it is out of range, the node is at the origin of the other node.
    pub socket: Socket,
}

/// A point of a model that others can be attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Socket {
    /// The index of a tag.
    Tag(usize),
    /// The index of a joint.
    Joint(usize),
}

/// The clips with one name: a player has `BOTH_DEATH1` for the legs and for the torso.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneClip<'s> {
    /// The name of the clip in the first of its models.
    pub name: &'s str,
    /// The index of a node, and the index of the clip in its model.
    pub tracks: Vec<(usize, usize)>,
}

impl<'a> Node<'a> {
    /// Makes a node that shows the first frame of a model at the origin.
    pub fn new(name: impl Into<String>, model: Model<'a>) -> Self {
        Node {
            name: name.into(),
            model,
            lods: Vec::new(),
            attachment: None,
            transform: Transform::IDENTITY,
            rest_frame: 0,
            companions: Vec::new(),
            variants: Vec::new(),
        }
    }

    /// The model with the transform of the node, for formats that store one model without nodes: the transform becomes a part of
    /// the [placement](Model::placement), or of the joints without a parent. O(1), or O(joints x frames) for a model with joints.
    pub fn placed_model(&self) -> Cow<'_, Model<'a>> {
        self.place(&self.model)
    }

    /// The node with the transform in its models, of all levels of detail: see [`placed_model`](Self::placed_model).
    #[must_use]
    pub fn placed(&self) -> Node<'a> {
        let place = |model| self.place(model).into_owned();
        let (model, lods) = (place(&self.model), self.lods.iter().map(place).collect());
        Node { model, lods, transform: Transform::IDENTITY, ..self.clone() }
    }

    fn place<'m>(&self, model: &'m Model<'a>) -> Cow<'m, Model<'a>> {
        if self.transform == Transform::IDENTITY {
            return Cow::Borrowed(model);
        }
        let mut model = model.clone();
        if model.joints.is_empty() {
            let placement = Mat4::from_cols_array_2d(&self.transform.to_matrix()) * model.placement_matrix();
            model.placement = placement.to_cols_array_2d();
        }
        model.move_roots(&self.transform);
        Cow::Owned(model)
    }

    /// Attaches the node to a tag or a joint of another node.
    #[must_use]
    pub const fn attached_to(mut self, node: usize, socket: Socket) -> Self {
        self.attachment = Some(Attachment { node, socket });
        self
    }
}

/// A scene of one node, which has the name of the model.
impl<'a> From<Model<'a>> for Scene<'a> {
    fn from(model: Model<'a>) -> Self {
        Scene::from(Node::new(model.name.clone(), model))
    }
}

/// A scene of one node.
impl<'a> From<Node<'a>> for Scene<'a> {
    fn from(node: Node<'a>) -> Self {
        Scene { nodes: vec![node] }
    }
}

impl<'a> Scene<'a> {
    /// The first node with this name, ignoring ASCII case; `None` if there is none. O(nodes).
    pub fn find_node(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.name.eq_ignore_ascii_case(name))
    }

    /// The first tag with this name, ignoring ASCII case, of any node, such as `tag_weapon`; `None` if there is none. O(tags).
    pub fn find_tag(&self, name: &str) -> Option<Attachment> {
        let mut nodes = self.nodes.iter().enumerate();
        nodes.find_map(|(node, of)| Some(Attachment { node, socket: Socket::Tag(of.model.find_tag(name)?) }))
    }

    /// Adds the nodes of another scene, such as a weapon. Nodes at the origin of the other scene are attached to a tag
    /// or a joint of this scene, or stay at the origin for `None`. Returns the index of the first added node. O(nodes).
    ///
    /// ```
    /// # fn f<'a>(mut player: meshlens::scene::Scene<'a>, weapon: meshlens::Model<'a>) {
    /// if let Some(hand) = player.find_tag("tag_weapon") {
    ///     player.attach(weapon, hand);
    /// }
    /// # }
    /// ```
    pub fn attach(&mut self, other: impl Into<Scene<'a>>, to: impl Into<Option<Attachment>>) -> usize {
        let (first, to) = (self.nodes.len(), to.into());
        self.nodes.extend(other.into().nodes.into_iter().map(|mut node| {
            let own = node.attachment.map(|at| Attachment { node: first.saturating_add(at.node), ..at });
            node.attachment = own.or(to);
            node
        }));
        first
    }

    /// The attachment of a node; `None` if the node is at the origin of the scene, which includes nodes whose
    /// attachments form a cycle or whose other node is out of range. O(nodes).
    pub fn attachment(&self, node: usize) -> Option<Attachment> {
        let of = |node: usize| self.nodes.get(node)?.attachment.filter(|to| to.node < self.nodes.len());
        let own = of(node)?;
        // A chain that is longer than the scene is a cycle.
        let mut chain = core::iter::successors(Some(own), |attachment| of(attachment.node));
        chain.nth(self.nodes.len()).is_none().then_some(own)
    }

    /// The clips of all nodes. Clips of several nodes with the same name, ignoring ASCII case, are listed as one clip.
    /// If a node has several clips with the same name, the first one is listed. O(n log n) for the clips of all nodes.
    pub fn clips(&self) -> Vec<SceneClip<'_>> {
        let mut clips: Vec<SceneClip<'_>> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for (node, of) in self.nodes.iter().enumerate() {
            for (index, clip) in of.model.clips.iter().enumerate() {
                let place = *places.entry(clip.name.to_ascii_lowercase()).or_insert(clips.len());
                match clips.get_mut(place) {
                    Some(found) if found.tracks.last().is_some_and(|(last, _)| *last == node) => {}
                    Some(found) => found.tracks.push((node, index)),
                    None => clips.push(SceneClip { name: &clip.name, tracks: vec![(node, index)] }),
                }
            }
        }
        clips
    }

    /// The pose while no clip plays: rest frames, and joints at rest. O(joints).
    pub fn rest_pose(&self) -> Pose {
        Pose::at_rest(self)
    }

    /// The pose while clips play: each name with the seconds since its start. A clip moves every node that has a clip
    /// with this name, ignoring ASCII case; if several move one node, the last does. Other nodes are at rest.
    ///
    /// ```no_run
    /// # fn f(player: &meshlens::scene::Scene<'_>, time: f32) -> meshlens::Result<()> {
    /// // The legs run, and the torso attacks, which began a second later.
    /// let pose = player.pose(&[("LEGS_RUN", time), ("TORSO_ATTACK", time - 1.0)])?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// No node has a clip with one of these names.
    pub fn pose(&self, clips: &[(&str, f32)]) -> Result<Pose> {
        let mut pose = Pose::default();
        self.pose_into(clips.iter().copied(), &mut pose)?;
        Ok(pose)
    }

    /// Replaces a pose by that of [`pose`](Self::pose). Allocates nothing if the pose showed these clips before.
    ///
    /// ```no_run
    /// # fn f(player: &meshlens::scene::Scene<'_>, mut time: f32) -> meshlens::Result<()> {
    /// let mut pose = player.rest_pose();
    /// loop {
    ///     time += 1.0 / 60.0;
    ///     player.pose_into([("LEGS_RUN", time), ("TORSO_ATTACK", time - 1.0)], &mut pose)?;
    ///     // Fill the buffers, and draw.
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// No node has a clip with one of these names. The pose is then unchanged.
    pub fn pose_into<'n>(
        &self,
        clips: impl IntoIterator<Item = (&'n str, f32), IntoIter: Clone>,
        pose: &mut Pose,
    ) -> Result<()> {
        let clips = clips.into_iter();
        for (index, (name, _)) in clips.clone().enumerate() {
            if !self.nodes.iter().any(|node| node.model.find_clip(name).is_some()) {
                return Err(pose::no_clip().at(Place::new("clip", index as u64)));
            }
        }
        pose.rest(self);
        clips.into_iter().try_for_each(|(name, time)| pose.play(self, name, time))?;
        pose.prepare(self);
        Ok(())
    }

    /// The scene in another space. O(1).
    pub fn view(&self, space: &Space) -> View<'_, 'a> {
        View::new(self, space)
    }
}

const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<Scene<'_>>();
    crosses_threads::<View<'_, '_>>();
};
