//! A scene in the caller's space: transforms, vertices and triangles.

use alloc::vec::Vec;

use glam::{DAffine3, DMat4, Mat4, Vec3};
use meshlens_lens::Bounds;
use meshlens_wire::{Error, ErrorKind, Result};

use super::{Attachment, Node, NodePose, Pose, Scene, Socket};
use crate::Model;
use crate::model::{Blend, Conversion, Mesh, Space, TagPose, Transform};

/// A scene in the space of the caller: its axes, its handedness, its winding and its unit.
///
/// Vertices, triangles and matrices of one view fit together. Attachments and [transforms](Node::transform) determine the
/// position of a node, and its script places its model ([`Model::placement`]). Matrices are computed in `f64`, and are the same on every processor.
#[derive(Clone, Copy, Debug)]
pub struct View<'s, 'a> {
    scene: &'s Scene<'a>,
    space: Space,
    scale: f32,
    lod: usize,
    is_local: bool,
}

impl<'s, 'a> View<'s, 'a> {
    pub(super) const fn new(scene: &'s Scene<'a>, space: &Space) -> Self {
        View { scene, space: *space, scale: 1.0, lod: 0, is_local: false }
    }

    /// The same view with another unit: lengths are multiplied by `scale`.
    #[must_use]
    pub const fn scaled(mut self, scale: f32) -> Self {
        self.scale = scale;
        self
    }

    /// The same view at another level of detail, 0 for the finest. A node with fewer levels shows its coarsest one.
    /// Attachments use the finest level.
    #[must_use]
    pub const fn lod(mut self, lod: usize) -> Self {
        self.lod = lod;
        self
    }

    /// The same view, but the vertices of a node are relative to the node, as if it were attached to nothing:
    /// [`node_matrix`](Self::node_matrix) places them. For scene graphs, whose nodes have a matrix each, and for nodes that
    /// are drawn several times. Boxes, sockets and [`matrix`](Self::matrix) are still those of the scene.
    ///
    /// ```
    /// use meshlens::Model;
    /// use meshlens::model::Space;
    /// use meshlens::scene::{Node, Scene, Socket};
    ///
    /// # let bytes = meshlens::md3::write::sample(&[4.0])?;
    /// let mut scene = Scene::from(Model::parse(&bytes)?);
    /// scene.nodes.push(Node::new("attached", Model::parse(&bytes)?).attached_to(0, Socket::Tag(0)));
    /// let (pose, view) = (scene.rest_pose(), scene.view(&Space::GLTF).local());
    /// assert_eq!(view.mesh(0, 0)?.matrix(&pose)?, view.mesh(1, 0)?.matrix(&pose)?);
    /// let node = view.node_matrix(1, &pose).unwrap();
    /// # assert_eq!(node, [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]);
    /// # Ok::<(), meshlens::Error>(())
    /// ```
    #[must_use]
    pub const fn local(mut self) -> Self {
        self.is_local = true;
        self
    }

    /// The scene.
    pub const fn scene(&self) -> &'s Scene<'a> {
        self.scene
    }

    /// The space of the view.
    pub const fn space(&self) -> &Space {
        &self.space
    }

    /// The model of a node at the level of detail of the view; `None` if the node is out of range.
    pub fn model(&self, node: usize) -> Option<&'s Model<'a>> {
        let node = self.scene.nodes.get(node)?;
        Some(match self.lod.min(node.lods.len()).checked_sub(1) {
            Some(coarser) => node.lods.get(coarser)?,
            None => &node.model,
        })
    }

    /// The node and the index in its model of each mesh that [`meshes`](Self::meshes) returns.
    pub fn mesh_indices(&self) -> impl Iterator<Item = (usize, usize)> + use<'s, 'a> {
        let view = *self;
        (0..view.scene.nodes.len()).flat_map(move |node| {
            let meshes = view.model(node).map_or(&[][..], |model| &model.meshes);
            let shown = shown_lod(meshes, view.inner_lod(node));
            let indices = meshes.iter().enumerate().filter(move |(_, mesh)| Some(mesh.lod) == shown);
            indices.map(move |(index, _)| (node, index))
        })
    }

    /// The remaining levels of detail inside the file of a node, after the levels that are separate models.
    fn inner_lod(&self, node: usize) -> usize {
        self.lod - self.lod.min(self.scene.nodes.get(node).map_or(0, |node| node.lods.len()))
    }

    /// The matrix from a node's model, as its script places it, to the space of the view, column-major. It rotates,
    /// mirrors if the handedness changes, and scales by the scale of the view. Use it for everything except vertices,
    /// such as the node of a scene graph, a bounding box or a sound. `None` if the node or the pose is out of range.
    pub fn matrix(&self, node: usize, pose: &Pose) -> Option<[[f32; 4]; 4]> {
        Some(narrow(self.transform(node, pose)?).to_cols_array_2d())
    }

    /// The matrix from the vertices of a node in a [local](Self::local) view to the space of the view, column-major: a
    /// rotation, a translation, and the scale of the [transforms](Node::transform) of nodes. `None` if the node or the pose is out of range.
    pub fn node_matrix(&self, node: usize, pose: &Pose) -> Option<[[f32; 4]; 4]> {
        let own = self.root(&self.scene.nodes.get(node)?.model);
        Some(narrow(self.transform(node, pose)? * own.inverse()).to_cols_array_2d())
    }

    /// The matrix of a tag or a joint in the space of the view, column-major, such as the place of a muzzle flash at
    /// `tag_flash`. `None` if the node, the pose or the socket is out of range.
    pub fn socket(&self, node: usize, socket: Socket, pose: &Pose) -> Option<[[f32; 4]; 4]> {
        let of = self.scene.nodes.get(node)?;
        let socket = socket_transform(&of.model, socket, pose.node(node)?)?;
        Some(narrow(self.transform(node, pose)? * socket).to_cols_array_2d())
    }

    /// The bounding box of every vertex at the level of detail of the view. `None` if there are no vertices.
    /// O(vertices).
    ///
    /// # Errors
    ///
    /// The pose belongs to another scene.
    pub fn bounds(&self, pose: &Pose) -> Result<Option<Bounds>> {
        let mut all: Option<Bounds> = None;
        let mut points = Vec::new();
        for (node, shown) in pose.nodes.iter().enumerate() {
            let (Some(model), Some(transform)) = (self.model(node), self.transform(node, pose)) else {
                continue;
            };
            let to_view = placed(transform, model);
            let lod = shown_lod(&model.meshes, self.inner_lod(node));
            for mesh in model.meshes.iter().filter(|mesh| Some(mesh.lod) == lod) {
                mesh.displayed_positions_into(clamped(mesh, shown.frames), &shown.joints, &mut points)?;
                let points = points.iter().map(|point| to_view.transform_point3(Vec3::from(*point)));
                let found = Bounds::around(points.filter(|point| point.is_finite()).map(Vec3::into));
                all = [all, found].into_iter().flatten().reduce(|a, b| a.union(&b));
            }
        }
        Ok(all)
    }

    /// The conversion from the space of a model to the space of the view.
    pub(super) fn conversion(&self, model: &Model<'_>) -> Conversion {
        model.space.to(&self.space).scaled(self.scale)
    }

    /// The transform of the vertices of a node.
    pub(super) fn of_vertices(&self, node: usize, pose: &Pose) -> Option<DAffine3> {
        self.fixed(node).or_else(|| self.transform(node, pose))
    }

    /// The transform of the vertices of a node that is the same in every pose: one without an attachment, and any node of a view
    /// whose vertices are relative to it.
    pub(super) fn fixed(&self, node: usize) -> Option<DAffine3> {
        let node = self.scene.nodes.get(node)?;
        let root = self.root(&node.model);
        if self.is_local { Some(root) } else { node.attachment.is_none().then(|| root * own(node)) }
    }

    /// The transform from a node's model, as its script places it, to the space of the view.
    pub(super) fn transform(&self, node: usize, pose: &Pose) -> Option<DAffine3> {
        let (mut index, mut of) = (node, self.scene.nodes.get(node)?);
        let mut to_root = own(of);
        // A chain that is longer than the scene is a cycle, whose nodes are at the origin.
        let mut rest = self.scene.nodes.len();
        while let Some((attachment, parent, socket)) = self.parent(index, of, pose) {
            rest = rest.checked_sub(1)?;
            if rest == 0 {
                let node = self.scene.nodes.get(node)?;
                return Some(self.root(&node.model) * own(node));
            }
            to_root = if of.model.space == parent.model.space {
                own(parent) * socket * to_root
            } else {
                own(parent) * socket * linear(&of.model.space.to(&parent.model.space)) * to_root
            };
            (index, of) = (attachment.node, parent);
        }
        Some(self.root(&of.model) * to_root)
    }

    /// The transform of a model at the origin.
    fn root(&self, model: &Model<'_>) -> DAffine3 {
        linear(&self.conversion(model))
    }

    /// The node to which a node is attached, and the transform of the socket.
    fn parent(
        &self,
        index: usize,
        node: &Node<'_>,
        pose: &Pose,
    ) -> Option<(Attachment, &'s Node<'a>, DAffine3)> {
        let attachment = node.attachment?;
        let parent = self.scene.nodes.get(attachment.node)?;
        let socket = pose.prepared.socket(index, attachment, || {
            socket_transform(&parent.model, attachment.socket, pose.node(attachment.node)?)
        });
        Some((attachment, parent, socket.unwrap_or(DAffine3::IDENTITY)))
    }
}

/// The level of detail of these meshes that is shown: `after_finest` levels after the finest one, or the coarsest one.
fn shown_lod(meshes: &[Mesh<'_>], after_finest: usize) -> Option<usize> {
    let finest = meshes.iter().map(|mesh| mesh.lod).min()?;
    let coarsest = meshes.iter().map(|mesh| mesh.lod).max()?;
    let wanted = finest.saturating_add(after_finest).min(coarsest);
    // Levels in between may be missing.
    meshes.iter().map(|mesh| mesh.lod).filter(|lod| *lod <= wanted).max()
}

/// The frames that a mesh shows. Frames that it does not have become its last one.
pub(super) fn clamped(mesh: &Mesh<'_>, frames: Blend) -> Blend {
    Blend { a: mesh.clamp_frame(frames.a), b: mesh.clamp_frame(frames.b), ..frames }
}

/// The rigid transform of a tag or a joint in the space of its model, as a script places it; `None` if it is out of range
/// or not finite.
fn socket_transform(model: &Model<'_>, socket: Socket, shown: &NodePose) -> Option<DAffine3> {
    match socket {
        Socket::Tag(tag) => {
            let last = model.tag_frame_count().checked_sub(1)?;
            let frames = Blend { a: shown.frames.a.min(last), b: shown.frames.b.min(last), ..shown.frames };
            let pose = model.blend_tag_pose(tag, frames).filter(TagPose::is_finite)?;
            Some(DAffine3::from_mat4(pose.rigid().as_dmat4()))
        }
        Socket::Joint(joint) => {
            let joint = Mat4::from_cols_array_2d(shown.joints.get(joint)?);
            let matrix = model.placement_matrix().as_dmat4() * joint.as_dmat4();
            let (_, rotation, origin) = matrix.to_scale_rotation_translation();
            let is_finite = rotation.is_finite() && origin.is_finite();
            is_finite.then(|| DAffine3::from_rotation_translation(rotation.normalize(), origin))
        }
    }
}

/// The transform of a node.
fn own(node: &Node<'_>) -> DAffine3 {
    if node.transform == Transform::IDENTITY {
        return DAffine3::IDENTITY;
    }
    DAffine3::from_mat4(Mat4::from_cols_array_2d(&node.transform.to_matrix()).as_dmat4())
}

fn linear(conversion: &Conversion) -> DAffine3 {
    DAffine3::from_mat4(Mat4::from_cols_array_2d(&conversion.linear()).as_dmat4())
}

/// The transform of the vertices of a model, including the placement by its script.
pub(super) fn placed(transform: DAffine3, model: &Model<'_>) -> Mat4 {
    (DMat4::from(transform) * model.placement_matrix().as_dmat4()).as_mat4()
}

pub(super) fn narrow(transform: DAffine3) -> Mat4 {
    DMat4::from(transform).as_mat4()
}

pub(super) fn out_of_range(what: &'static str, index: usize, count: usize) -> Error {
    let index = i64::try_from(index).unwrap_or(i64::MAX);
    Error::of_call("scene", ErrorKind::Index { what, index, count: count as u64 })
}
