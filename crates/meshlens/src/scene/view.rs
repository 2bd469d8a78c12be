//! A scene in the caller's space: transforms, vertices and triangles.

use alloc::sync::Arc;
use alloc::vec::Vec;

use glam::{DAffine3, DMat4, Mat4, Vec3};
use meshlens_lens::{Bounds, IndexFormat};
use meshlens_wire::{Error, ErrorKind, Result};

use super::{Attachment, Node, NodePose, Pose, Scene, Socket};
use crate::Model;
use crate::model::interleave::Displayed;
use crate::model::{Blend, Conversion, Mesh, Placement, Space, Submesh, TagPose, Topology, VertexLayout};

/// A scene in the space of the caller: its axes, its handedness, its winding and its unit.
///
/// Vertices, triangles and matrices of one view fit together. A node stands where its attachments put it, and its model is
/// placed as its script says ([`Model::placement`]). Matrices are computed in `f64`, and are the same on every processor.
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
        let (model, found) = self.find_mesh(node, mesh)?;
        Ok(ViewMesh { view: *self, node, mesh: found, model, topology: Arc::new(found.topology()?) })
    }

    /// [`mesh`](Self::mesh) with a [topology](ViewMesh::topology) that was made before, also in another view. If the mesh
    /// [is welded](Mesh::is_welded) and only its vertices are needed, the topology may be empty. O(1).
    ///
    /// # Errors
    ///
    /// The node or the mesh is out of range.
    pub fn mesh_with(&self, node: usize, mesh: usize, topology: Arc<Topology>) -> Result<ViewMesh<'s, 'a>> {
        let (model, found) = self.find_mesh(node, mesh)?;
        Ok(ViewMesh { view: *self, node, mesh: found, model, topology })
    }

    fn find_mesh(&self, node: usize, mesh: usize) -> Result<(&'s Model<'a>, &'s Mesh<'a>)> {
        let model = self.model(node).ok_or_else(|| out_of_range("node", node, self.scene.nodes.len()))?;
        let found = model.meshes.get(mesh).ok_or_else(|| out_of_range("mesh", mesh, model.meshes.len()))?;
        Ok((model, found))
    }

    /// Every mesh at the level of detail of the view, node by node, in file order.
    ///
    /// # Errors
    ///
    /// Those of [`mesh`](Self::mesh); the meshes after it follow.
    pub fn meshes(&self) -> impl Iterator<Item = Result<ViewMesh<'s, 'a>>> + use<'s, 'a> {
        let view = *self;
        self.mesh_indices().map(move |(node, mesh)| view.mesh(node, mesh))
    }

    /// The node and the index in its model of each mesh that [`meshes`](Self::meshes) gives.
    pub fn mesh_indices(&self) -> impl Iterator<Item = (usize, usize)> + use<'s, 'a> {
        let view = *self;
        (0..view.scene.nodes.len()).flat_map(move |node| {
            let meshes = view.model(node).map_or(&[][..], |model| &model.meshes);
            let shown = shown_lod(meshes, view.inner_lod(node));
            let indices = meshes.iter().enumerate().filter(move |(_, mesh)| Some(mesh.lod) == shown);
            indices.map(move |(index, _)| (node, index))
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
        Some(narrow(self.transform(node, pose)?).to_cols_array_2d())
    }

    /// The matrix of a tag or a joint in the space of the view, column-major, such as the place of a muzzle flash at
    /// `tag_flash`. `None` if the node, the pose or the socket is out of range.
    pub fn socket(&self, node: usize, socket: Socket, pose: &Pose) -> Option<[[f32; 4]; 4]> {
        let of = self.scene.nodes.get(node)?;
        let socket = socket_transform(&of.model, socket, pose.node(node)?)?;
        Some(narrow(self.transform(node, pose)? * socket).to_cols_array_2d())
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
    fn conversion(&self, model: &Model<'_>) -> Conversion {
        model.space.to(&self.space).scaled(self.scale)
    }

    /// The transform from a node's model, as its script places it, to the space of the view.
    fn transform(&self, node: usize, pose: &Pose) -> Option<DAffine3> {
        let mut of = self.scene.nodes.get(node)?;
        let mut to_root = DAffine3::IDENTITY;
        // A chain that is longer than the scene is a circle: its nodes stand at the origin.
        let mut rest = self.scene.nodes.len();
        while let Some((parent, socket)) = self.parent(of, pose) {
            rest = rest.checked_sub(1)?;
            if rest == 0 {
                return Some(self.root(&self.scene.nodes.get(node)?.model));
            }
            to_root = socket * linear(&of.model.space.to(&parent.model.space)) * to_root;
            of = parent;
        }
        Some(self.root(&of.model) * to_root)
    }

    /// The transform of a model that stands at the origin.
    fn root(&self, model: &Model<'_>) -> DAffine3 {
        linear(&self.conversion(model))
    }

    /// The node that another one is attached to, and the transform of the socket.
    fn parent(&self, node: &Node<'_>, pose: &Pose) -> Option<(&'s Node<'a>, DAffine3)> {
        let Attachment { node, socket } = node.attachment?;
        let parent = self.scene.nodes.get(node)?;
        let socket = pose.node(node).and_then(|shown| socket_transform(&parent.model, socket, shown));
        Some((parent, socket.unwrap_or(DAffine3::IDENTITY)))
    }
}

/// One mesh of a node in a [`View`]: its vertices and its triangles in one space.
#[derive(Clone, Debug)]
pub struct ViewMesh<'s, 'a> {
    view: View<'s, 'a>,
    node: usize,
    mesh: &'s Mesh<'a>,
    model: &'s Model<'a>,
    topology: Arc<Topology>,
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

    /// The triangles, and the point and the corner of each vertex, as in the file.
    pub const fn topology(&self) -> &Arc<Topology> {
        &self.topology
    }

    /// The number of vertices.
    pub fn vertex_count(&self) -> usize {
        if self.mesh.is_welded() { self.mesh.point_count() } else { self.topology.vertex_count() }
    }

    /// The number of triangles.
    pub fn triangle_count(&self) -> usize {
        self.topology.triangles().len()
    }

    /// The ranges of triangles with one material each.
    pub fn submeshes(&self) -> &[Submesh] {
        self.topology.submeshes()
    }

    /// The smallest format that holds every index.
    pub fn index_format(&self) -> IndexFormat {
        self.topology.index_format()
    }

    /// The number of bytes that [`interleave`](Self::interleave) writes.
    pub fn buffer_len(&self, layout: &VertexLayout) -> usize {
        self.vertex_count().saturating_mul(layout.stride())
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
        let (shown, transform) = self.shown(pose)?;
        let joints = if layout.has_influences() { &[] } else { &*shown.joints };
        let displayed = Displayed { placement: self.placement(transform), joints };
        self.mesh.interleave_displayed(
            &self.topology,
            clamped(self.mesh, shown.frames),
            layout,
            displayed,
            out,
        )
    }

    /// The matrix of each joint, column-major, with which a shader moves vertices that have joints and weights: from where
    /// [`interleave`](Self::interleave) writes them to where they are in the pose, both in the space of the view. Empty if
    /// no joint moves the mesh. O(joints).
    ///
    /// # Errors
    ///
    /// The pose belongs to another scene.
    pub fn skin(&self, pose: &Pose) -> Result<Vec<[[f32; 4]; 4]>> {
        let (shown, transform) = self.shown(pose)?;
        let Some(skin) = &self.mesh.skin else { return Ok(Vec::new()) };
        let placement = placed(transform, self.model);
        let inverse = placement.inverse();
        let matrix = Mat4::from_cols_array_2d;
        let joints = shown.joints.iter().zip(skin.iter());
        let moved = joints.map(|(joint, bind)| placement * matrix(joint) * matrix(bind) * inverse);
        Ok(moved.map(|matrix| matrix.to_cols_array_2d()).collect())
    }

    /// What the node shows, and its transform.
    fn shown<'p>(&self, pose: &'p Pose) -> Result<(&'p NodePose, DAffine3)> {
        let found = pose.node(self.node).zip(self.view.transform(self.node, pose));
        found.ok_or_else(|| out_of_range("node of the pose", self.node, self.view.scene.nodes.len()))
    }

    /// The vertex frames that the mesh shows. If the mesh does not have one, it is its last one.
    ///
    /// # Errors
    ///
    /// The pose belongs to another scene.
    pub fn frames(&self, pose: &Pose) -> Result<Blend> {
        Ok(clamped(self.mesh, self.shown(pose)?.0.frames))
    }

    /// The matrix of the vertices as they are stored, column-major: of the placement by a script, and then of
    /// [`View::matrix`].
    ///
    /// # Errors
    ///
    /// The pose belongs to another scene.
    pub fn matrix(&self, pose: &Pose) -> Result<[[f32; 4]; 4]> {
        Ok(placed(self.shown(pose)?.1, self.model).to_cols_array_2d())
    }

    /// The triangles of a submesh, with the winding of the view. O(1).
    pub fn submesh_triangles(&self, submesh: &Submesh) -> impl ExactSizeIterator<Item = [u32; 3]> {
        let winding = self.winding();
        self.topology.submesh_triangles(submesh).iter().map(move |corners| winding.corners(*corners))
    }

    /// Writes the indices of all triangles, three for each, with the winding of the view. `out` has
    /// [`index_buffer_len`](Self::index_buffer_len) bytes. O(triangles).
    ///
    /// # Errors
    ///
    /// The format cannot hold every index, or `out` has the wrong size. `out` is then unchanged.
    pub fn write_indices(&self, format: IndexFormat, out: &mut [u8]) -> Result<()> {
        self.topology.write_indices(format, Some(&self.winding()), out)
    }

    fn winding(&self) -> Conversion {
        self.model.placement_in(&self.view.space).winding()
    }

    /// The transform of the vertices. Without attachment and placement, components are only exchanged, negated and scaled.
    fn placement(&self, transform: DAffine3) -> Placement {
        let own = self.model.placement_in(&self.view.space).scaled(self.view.scale);
        if narrow(transform) == Mat4::from_cols_array_2d(&self.view.conversion(self.model).linear()) {
            return own;
        }
        Placement::new(placed(transform, self.model), own.winding())
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
fn socket_transform(model: &Model<'_>, socket: Socket, shown: &NodePose) -> Option<DAffine3> {
    match socket {
        Socket::Tag(tag) => {
            let last = model.tag_frame_count().checked_sub(1)?;
            let frames = Blend { a: shown.frames.a.min(last), b: shown.frames.b.min(last), ..shown.frames };
            let pose = model.blend_tag_pose(tag, frames).filter(TagPose::is_finite)?;
            Some(DAffine3::from_mat4(Mat4::from_cols_array_2d(&pose.to_matrix()).as_dmat4()))
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

fn linear(conversion: &Conversion) -> DAffine3 {
    DAffine3::from_mat4(Mat4::from_cols_array_2d(&conversion.linear()).as_dmat4())
}

/// The transform of the vertices of a model, which its script places.
fn placed(transform: DAffine3, model: &Model<'_>) -> Mat4 {
    (DMat4::from(transform) * model.placement_matrix().as_dmat4()).as_mat4()
}

fn narrow(transform: DAffine3) -> Mat4 {
    DMat4::from(transform).as_mat4()
}

fn out_of_range(what: &'static str, index: usize, count: usize) -> Error {
    let index = i64::try_from(index).unwrap_or(i64::MAX);
    Error::of_call("scene", ErrorKind::Index { what, index, count: count as u64 })
}
