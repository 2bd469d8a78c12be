//! A scene in the caller's space: transforms, vertices and triangles.

use alloc::vec::Vec;

use glam::{Affine3A, Mat4, Vec3};
use meshlens_lens::{Bounds, IndexFormat};
use meshlens_wire::{Error, ErrorKind, Result};

use super::{Attachment, Node, NodePose, Pose, Scene, Socket};
use crate::Model;
use crate::model::interleave::{Displayed, Placement};
use crate::model::{Blend, Conversion, Mesh, Part, Space, TagPose, Topology, VertexLayout};

/// A scene in the space of the caller: its axes, its handedness, its winding and its unit.
///
/// Vertices, triangles and matrices of one view fit together. A node stands where its attachments put it, and its model is
/// placed as its script says ([`Model::placement`]).
#[derive(Clone, Copy, Debug)]
pub struct View<'s, 'a> {
    scene: &'s Scene<'a>,
    space: Space,
    scale: f32,
    lod: usize,
}

impl<'s, 'a> View<'s, 'a> {
    pub(super) const fn new(scene: &'s Scene<'a>, space: &Space) -> Self {
        View { scene, space: *space, scale: 1.0, lod: 0 }
    }

    /// The same view with another unit: lengths are multiplied by `scale`.
    #[must_use]
    pub const fn scaled(mut self, scale: f32) -> Self {
        self.scale = scale;
        self
    }

    /// The same view at another level of detail, 0 for the finest. A node with fewer levels shows its coarsest. Attachments
    /// are those of the finest level.
    #[must_use]
    pub const fn at_lod(mut self, lod: usize) -> Self {
        self.lod = lod;
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

    /// One mesh of a node, ready to be drawn. For formats that index points and corners separately, vertices are welded:
    /// keep the result to draw more than one frame. O(triangles).
    ///
    /// # Errors
    ///
    /// The node or the mesh is out of range; a triangle has an index that is out of range.
    pub fn mesh(&self, node: usize, mesh: usize) -> Result<ViewMesh<'s, 'a>> {
        let model = self.model(node).ok_or_else(|| out_of_range("node", node, self.scene.nodes.len()))?;
        let found = model.meshes.get(mesh).ok_or_else(|| out_of_range("mesh", mesh, model.meshes.len()))?;
        Ok(ViewMesh { view: *self, node, mesh: found, model, topology: found.topology()? })
    }

    /// Every mesh at the level of detail of the view, node by node, in file order.
    ///
    /// # Errors
    ///
    /// Those of [`mesh`](Self::mesh); the meshes after it follow.
    pub fn meshes(&self) -> impl Iterator<Item = Result<ViewMesh<'s, 'a>>> + use<'s, 'a> {
        let view = *self;
        (0..view.scene.nodes.len()).flat_map(move |node| {
            let meshes = view.model(node).map_or(&[][..], |model| &model.meshes);
            let shown = shown_lod(meshes, view.inner_lod(node));
            let indices = meshes.iter().enumerate().filter(move |(_, mesh)| Some(mesh.lod) == shown);
            indices.map(move |(index, _)| view.mesh(node, index))
        })
    }

    /// The levels of detail that are left inside the file of a node, after those that are models of their own.
    fn inner_lod(&self, node: usize) -> usize {
        self.lod - self.lod.min(self.scene.nodes.get(node).map_or(0, |node| node.lods.len()))
    }

    /// The matrix from a node's model, as its script places it, to the space of the view, column-major. It rotates,
    /// mirrors if the handedness changes, and scales by the scale of the view. Use it for what is not a vertex: the node of
    /// a scene graph, a bounding box, a sound. `None` if the node or the pose is out of range.
    pub fn matrix(&self, node: usize, pose: &Pose) -> Option<[[f32; 4]; 4]> {
        Some(Mat4::from(self.transform(node, pose)?).to_cols_array_2d())
    }

    /// The matrix of a tag or a joint in the space of the view, column-major, such as the place of a muzzle flash at
    /// `tag_flash`. `None` if the node, the pose or the socket is out of range.
    pub fn socket(&self, node: usize, socket: Socket, pose: &Pose) -> Option<[[f32; 4]; 4]> {
        let of = self.scene.nodes.get(node)?;
        let socket = socket_transform(&of.model, socket, pose.node(node)?)?;
        Some(Mat4::from(self.transform(node, pose)? * socket).to_cols_array_2d())
    }

    /// The bounding box of every vertex at the level of detail of the view. `None` if there are none. O(vertices).
    ///
    /// # Errors
    ///
    /// The pose belongs to another scene.
    pub fn bounds(&self, pose: &Pose) -> Result<Option<Bounds>> {
        let mut all: Option<Bounds> = None;
        let mut points = Vec::new();
        for (node, shown) in
            self.scene.nodes.iter().zip(&pose.nodes).enumerate().map(|(i, (_, shown))| (i, shown))
        {
            let (Some(model), Some(transform)) = (self.model(node), self.transform(node, pose)) else {
                continue;
            };
            let to_view = Mat4::from(transform) * model.placement;
            let joints: Vec<Mat4> = shown.joints().collect();
            let lod = shown_lod(&model.meshes, self.inner_lod(node));
            for mesh in model.meshes.iter().filter(|mesh| Some(mesh.lod) == lod) {
                mesh.displayed_positions_into(clamped(mesh, shown.frames), &joints, &mut points)?;
                let points = points.iter().map(|point| to_view.transform_point3(Vec3::from(*point)));
                let found = Bounds::around(points.filter(|point| point.is_finite()).map(Vec3::into));
                all = [all, found].into_iter().flatten().reduce(|a, b| a.union(&b));
            }
        }
        Ok(all)
    }

    /// The conversion from the space of a model to the space of the view.
    fn conversion(&self, model: &Model<'_>) -> Conversion {
        model.space.to(&self.space).scaled(self.scale)
    }

    /// The transform from a node's model, as its script places it, to the space of the view.
    fn transform(&self, node: usize, pose: &Pose) -> Option<Affine3A> {
        let mut of = self.scene.nodes.get(node)?;
        let mut to_root = Affine3A::IDENTITY;
        // A chain that is longer than the scene is a circle: its nodes stand at the origin.
        let mut rest = self.scene.nodes.len();
        while let Some((parent, socket)) = self.parent(of, pose) {
            rest = rest.checked_sub(1)?;
            if rest == 0 {
                return Some(self.root(&self.scene.nodes.get(node)?.model));
            }
            to_root = socket * Affine3A::from_mat4(of.model.space.to(&parent.model.space).linear()) * to_root;
            of = parent;
        }
        Some(self.root(&of.model) * to_root)
    }

    /// The transform of a model that stands at the origin.
    fn root(&self, model: &Model<'_>) -> Affine3A {
        Affine3A::from_mat4(self.conversion(model).linear())
    }

    /// The node that another one is attached to, and the transform of the socket.
    fn parent(&self, node: &Node<'_>, pose: &Pose) -> Option<(&'s Node<'a>, Affine3A)> {
        let Attachment { node, socket } = node.attachment?;
        let parent = self.scene.nodes.get(node)?;
        let socket = pose.node(node).and_then(|shown| socket_transform(&parent.model, socket, shown));
        Some((parent, socket.unwrap_or(Affine3A::IDENTITY)))
    }
}

/// One mesh of a node in a [`View`]: its vertices and its triangles in one space.
#[derive(Clone, Debug)]
pub struct ViewMesh<'s, 'a> {
    view: View<'s, 'a>,
    node: usize,
    mesh: &'s Mesh<'a>,
    model: &'s Model<'a>,
    topology: Topology,
}

impl<'s, 'a> ViewMesh<'s, 'a> {
    /// The index of the node.
    pub const fn node(&self) -> usize {
        self.node
    }

    /// The mesh.
    pub const fn mesh(&self) -> &'s Mesh<'a> {
        self.mesh
    }

    /// The model of the mesh, which has its materials.
    pub const fn model(&self) -> &'s Model<'a> {
        self.model
    }

    /// The number of vertices.
    pub const fn vertex_count(&self) -> usize {
        self.topology.vertex_count()
    }

    /// The number of triangles.
    pub fn triangle_count(&self) -> usize {
        self.topology.triangles().len()
    }

    /// The ranges of triangles with one material each.
    pub fn submeshes(&self) -> &[Part] {
        self.topology.parts()
    }

    /// The smallest format that holds every index.
    pub const fn index_format(&self) -> IndexFormat {
        self.topology.index_format()
    }

    /// The number of bytes that [`interleave`](Self::interleave) writes.
    pub const fn buffer_len(&self, layout: &VertexLayout) -> usize {
        self.topology.vertex_count().saturating_mul(layout.stride())
    }

    /// The number of bytes that [`write_indices`](Self::write_indices) writes.
    pub fn index_buffer_len(&self, format: IndexFormat) -> usize {
        self.triangle_count().saturating_mul(3).saturating_mul(format.size())
    }

    /// Fills a vertex buffer: frames are blended, joints move their vertices, and positions, normals and tangents are in the
    /// space of the view. If the layout has joints and weights, the vertices stay as they are bound, for a shader that moves
    /// them. `out` has [`buffer_len`](Self::buffer_len) bytes. O(vertices).
    ///
    /// # Errors
    ///
    /// The pose belongs to another scene, the mesh does not have an attribute, or the layout or the output has the wrong
    /// size. `out` is then unchanged.
    pub fn interleave(&self, pose: &Pose, layout: &VertexLayout, out: &mut [u8]) -> Result<()> {
        let nodes = self.view.scene.nodes.len();
        let no_pose = || out_of_range("node of the pose", self.node, nodes);
        let shown = pose.node(self.node).ok_or_else(no_pose)?;
        let transform = self.view.transform(self.node, pose).ok_or_else(no_pose)?;
        let joints: Vec<Mat4> = if self.mesh.skin.is_some() && !layout.has_influences() {
            shown.joints().collect()
        } else {
            Vec::new()
        };
        let displayed = Displayed { placement: self.placement(transform), joints: &joints };
        self.mesh.interleave_displayed(
            &self.topology,
            clamped(self.mesh, shown.frames),
            layout,
            displayed,
            out,
        )
    }

    /// Writes the indices of all triangles, three for each, with the winding of the view. `out` has
    /// [`index_buffer_len`](Self::index_buffer_len) bytes. O(triangles).
    ///
    /// # Errors
    ///
    /// The format cannot hold every index, or `out` has the wrong size. `out` is then unchanged.
    pub fn write_indices(&self, format: IndexFormat, out: &mut [u8]) -> Result<()> {
        // A script may mirror its mesh, which turns the triangles.
        let is_mirrored = self.model.placement.determinant() < 0.0;
        let mut conversion = self.view.conversion(self.model);
        conversion.swaps_winding ^= is_mirrored;
        self.topology.write_indices(format, Some(&conversion), out)
    }

    /// The transform of the vertices. Without attachment and placement, components are only exchanged, negated and scaled.
    fn placement(&self, transform: Affine3A) -> Placement {
        let conversion = self.view.conversion(self.model);
        let is_plain = self.model.placement == Mat4::IDENTITY && Mat4::from(transform) == conversion.linear();
        if is_plain {
            Placement::Axes(conversion)
        } else {
            Placement::matrix(Mat4::from(transform) * self.model.placement)
        }
    }
}

/// The level of detail that is shown of these meshes: the one after the finest, as far as there are so many.
fn shown_lod(meshes: &[Mesh<'_>], after_finest: usize) -> Option<usize> {
    let finest = meshes.iter().map(|mesh| mesh.lod).min()?;
    let coarsest = meshes.iter().map(|mesh| mesh.lod).max()?;
    let wanted = finest.saturating_add(after_finest).min(coarsest);
    // Levels may be missing between them.
    meshes.iter().map(|mesh| mesh.lod).filter(|lod| *lod <= wanted).max()
}

/// The frames that a mesh shows: those that it does not have become its last one.
fn clamped(mesh: &Mesh<'_>, frames: Blend) -> Blend {
    Blend { a: mesh.clamp_frame(frames.a), b: mesh.clamp_frame(frames.b), ..frames }
}

/// The rigid transform of a tag or a joint in the space of its model, as a script places it; `None` if it is out of range
/// or not finite.
fn socket_transform(model: &Model<'_>, socket: Socket, shown: &NodePose) -> Option<Affine3A> {
    match socket {
        Socket::Tag(tag) => {
            let last = model.tag_frame_count().checked_sub(1)?;
            let frames = Blend { a: shown.frames.a.min(last), b: shown.frames.b.min(last), ..shown.frames };
            let pose = model.blend_tag_pose(tag, frames).filter(TagPose::is_finite)?;
            Some(Affine3A::from_mat4(pose.to_matrix()))
        }
        Socket::Joint(joint) => {
            let matrix = model.placement * Mat4::from_cols_array_2d(shown.joints.get(joint)?);
            let (_, rotation, origin) = matrix.to_scale_rotation_translation();
            let is_finite = rotation.is_finite() && origin.is_finite();
            is_finite.then(|| Affine3A::from_rotation_translation(rotation.normalize(), origin))
        }
    }
}

fn out_of_range(what: &'static str, index: usize, count: usize) -> Error {
    let index = i64::try_from(index).unwrap_or(i64::MAX);
    Error::of_call("scene", ErrorKind::Index { what, index, count: count as u64 })
}
