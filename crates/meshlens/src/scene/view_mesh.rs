//! One mesh of a scene in the caller's space: its vertices and its triangles.

use alloc::sync::Arc;

use glam::{DAffine3, Mat4};
use meshlens_lens::IndexFormat;
use meshlens_wire::{Error, Result};

use super::view::{View, clamped, narrow, out_of_range, placed};
use super::{NodePose, Pose};
use crate::Model;
use crate::model::interleave::Displayed;
use crate::model::{Blend, Conversion, Mesh, Placement, Submesh, Topology, VertexLayout};

impl<'s, 'a> View<'s, 'a> {
    /// One mesh of a node, ready to be drawn. For formats that index points and corners separately, vertices are
    /// welded, so keep the result to draw more than one frame. O(triangles).
    ///
    /// # Errors
    ///
    /// The node or the mesh is out of range; a triangle has an index that is out of range.
    pub fn mesh(&self, node: usize, mesh: usize) -> Result<ViewMesh<'s, 'a>> {
        let (model, found) = self.find_mesh(node, mesh)?;
        Ok(ViewMesh::new(*self, node, found, model, Arc::new(found.topology()?)))
    }

    /// [`mesh`](Self::mesh) with an existing [topology](ViewMesh::topology), which may be from another view. If the
    /// mesh [is welded](Mesh::is_welded) and only its vertices are needed, the topology may be empty. O(1).
    ///
    /// # Errors
    ///
    /// The node or the mesh is out of range.
    pub fn mesh_with(&self, node: usize, mesh: usize, topology: Arc<Topology>) -> Result<ViewMesh<'s, 'a>> {
        let (model, found) = self.find_mesh(node, mesh)?;
        Ok(ViewMesh::new(*self, node, found, model, topology))
    }

    fn find_mesh(&self, node: usize, mesh: usize) -> Result<(&'s Model<'a>, &'s Mesh<'a>)> {
        let model = self.model(node).ok_or_else(|| out_of_range("node", node, self.scene().nodes.len()))?;
        let found = model.meshes.get(mesh).ok_or_else(|| out_of_range("mesh", mesh, model.meshes.len()))?;
        Ok((model, found))
    }

    /// Every mesh at the level of detail of the view, node by node, in file order.
    ///
    /// # Errors
    ///
    /// The errors of [`mesh`](Self::mesh). The iterator continues with the following meshes.
    pub fn meshes(&self) -> impl Iterator<Item = Result<ViewMesh<'s, 'a>>> + use<'s, 'a> {
        let view = *self;
        self.mesh_indices().map(move |(node, mesh)| view.mesh(node, mesh))
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
    /// The placement in every pose, if the node is not attached.
    fixed: Option<Placement>,
}

impl<'s, 'a> ViewMesh<'s, 'a> {
    fn new(
        view: View<'s, 'a>,
        node: usize,
        mesh: &'s Mesh<'a>,
        model: &'s Model<'a>,
        topology: Arc<Topology>,
    ) -> Self {
        let fixed = view.fixed(node).map(|transform| placement(&view, model, transform));
        ViewMesh { view, node, mesh, model, topology, fixed }
    }

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

    /// The number of bytes that [`fill_vertex_buffer`](Self::fill_vertex_buffer) writes.
    pub fn buffer_len(&self, layout: &VertexLayout) -> usize {
        self.vertex_count().saturating_mul(layout.stride())
    }

    /// The number of bytes that [`write_indices`](Self::write_indices) writes.
    pub fn index_buffer_len(&self, format: IndexFormat) -> usize {
        self.triangle_count().saturating_mul(3).saturating_mul(format.size())
    }

    /// Fills a vertex buffer: frames are blended, joints move their vertices, and positions, normals and tangents are
    /// in the space of the view. If the layout has joints and weights, the vertices keep their bind pose, for a shader
    /// that moves them. `out` has [`buffer_len`](Self::buffer_len) bytes. O(vertices). Allocates nothing after the first frame;
    /// what a mesh keeps is at [`Mesh::attribute`], and each thread keeps 64 bytes for each joint of a pose that is not
    /// [prepared](Pose::prepare). The same bytes at every level of instructions.
    ///
    /// # Errors
    ///
    /// The pose belongs to another scene, the mesh does not have an attribute, or the layout or the output has the wrong
    /// size. `out` is then unchanged.
    pub fn fill_vertex_buffer(&self, pose: &Pose, layout: &VertexLayout, out: &mut [u8]) -> Result<()> {
        let shown = pose.node(self.node).ok_or_else(|| self.foreign_pose())?;
        let placement = match self.fixed {
            Some(fixed) => fixed,
            None => placement(&self.view, self.model, self.shown(pose)?.1),
        };
        let joints = if layout.has_influences() { &[] } else { &*shown.joints };
        let skin = self.mesh.skin.as_ref().and_then(|bind| pose.prepared.skin(self.node, bind));
        let displayed = Displayed { placement, joints, skin };
        let blend = clamped(self.mesh, shown.frames);
        self.mesh.interleave_displayed(&self.topology, blend, layout, displayed, out)
    }

    /// The matrix of each joint, column-major, with which a shader moves vertices that have joints and weights: from
    /// the positions that [`fill_vertex_buffer`](Self::fill_vertex_buffer) writes to the positions in the pose, both in the space of
    /// the view. Empty if no joint moves the mesh. Allocates nothing. O(joints).
    ///
    /// # Errors
    ///
    /// The pose belongs to another scene.
    pub fn skin<'p>(
        &'p self,
        pose: &'p Pose,
    ) -> Result<impl ExactSizeIterator<Item = [[f32; 4]; 4]> + use<'p, 's, 'a>> {
        let (shown, transform) = self.shown(pose)?;
        let skin = self.mesh.skin.as_deref().unwrap_or_default();
        let placement = placed(transform, self.model);
        let inverse = placement.inverse();
        let matrix = Mat4::from_cols_array_2d;
        let joints = shown.joints.iter().zip(skin);
        Ok(joints.map(move |(joint, bind)| {
            (placement * matrix(joint) * matrix(bind) * inverse).to_cols_array_2d()
        }))
    }

    /// The pose of the node, and its transform.
    fn shown<'p>(&self, pose: &'p Pose) -> Result<(&'p NodePose, DAffine3)> {
        let found = pose.node(self.node).zip(self.view.of_vertices(self.node, pose));
        found.ok_or_else(|| self.foreign_pose())
    }

    /// The error for a pose of another scene.
    fn foreign_pose(&self) -> Error {
        out_of_range("node of the pose", self.node, self.view.scene().nodes.len())
    }

    /// The vertex frames that the mesh shows. A frame that the mesh does not have becomes its last one.
    ///
    /// # Errors
    ///
    /// The pose belongs to another scene.
    pub fn frames(&self, pose: &Pose) -> Result<Blend> {
        Ok(clamped(self.mesh, self.shown(pose)?.0.frames))
    }

    /// The matrix of the stored vertices, column-major: the placement by a script, followed by [`View::matrix`].
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
        self.model.placement_in(self.view.space()).winding()
    }
}

/// The placement of vertices by a transform. Without attachment and placement, components are only exchanged, negated and
/// scaled.
fn placement(view: &View<'_, '_>, model: &Model<'_>, transform: DAffine3) -> Placement {
    let conversion = view.conversion(model);
    if narrow(transform) == Mat4::from_cols_array_2d(&conversion.linear()) {
        Placement::new(model.placement_matrix(), conversion)
    } else {
        Placement::new(placed(transform, model), Conversion::IDENTITY)
    }
}
