//! Tags, joints and vertices of a view in the world.

use glam::{Mat4, Vec3};
use meshlens::lens::VertexFormat;
use meshlens::model::{Semantic, VertexLayout};
use meshlens::scene::{Pose, Socket, View, ViewMesh};

/// The matrices of all tags and joints in the world.
pub(crate) fn sockets(view: &View<'_, '_>, pose: &Pose) -> impl Iterator<Item = Mat4> {
    view.scene().nodes.iter().enumerate().flat_map(move |(node, of)| {
        let tags = of.model.tags.iter().map(|tag| Socket::Tag(tag.index));
        let joints = (0..of.model.joints.len()).map(Socket::Joint);
        tags.chain(joints).filter_map(move |socket| socket_matrix(view, node, socket, pose))
    })
}

/// The matrix of a tag or a joint in the world; `None` if it does not exist or is not finite.
pub(crate) fn socket_matrix(view: &View<'_, '_>, node: usize, socket: Socket, pose: &Pose) -> Option<Mat4> {
    let matrix = Mat4::from_cols_array_2d(&view.socket(node, socket, pose)?);
    matrix.is_finite().then_some(matrix)
}

/// The positions of the vertices of a mesh in the world, and their normals if it has some.
pub(crate) fn vertices(
    mesh: &ViewMesh<'_, '_>,
    pose: &Pose,
    normals: bool,
) -> meshlens::Result<Vec<[Vec3; 2]>> {
    let mut layout = VertexLayout::new(24).with(Semantic::Position, 0, VertexFormat::Float32x3);
    if normals {
        layout = layout.with(Semantic::Normal, 12, VertexFormat::Float32x3);
    }
    let mut out = vec![0; mesh.buffer_len(&layout)];
    mesh.fill_vertex_buffer(pose, &layout, &mut out)?;
    let floats: Vec<f32> = out.as_chunks().0.iter().map(|bytes| f32::from_ne_bytes(*bytes)).collect();
    let vertex = |[x, y, z, nx, ny, nz]: &[f32; 6]| [Vec3::new(*x, *y, *z), Vec3::new(*nx, *ny, *nz)];
    Ok(floats.as_chunks().0.iter().map(vertex).collect())
}
