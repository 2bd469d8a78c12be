//! The triangles of models in the form in which they are displayed.

use bytemuck::Zeroable;
use meshlens::lens::{IndexFormat, PositionNormal, VertexFormat};
use meshlens::model::{Semantic, Space, VertexLayout};
use meshlens::scene::Scene;
use meshlens::{Model, Result};

/// For each vertex frame of a model, the corners of its triangles in `space`, in the order of the meshes. Normals of meshes
/// without them are zero.
///
/// # Errors
///
/// A triangle has an index that is out of range.
pub fn triangles(model: &Model<'_>, space: &Space) -> Result<Vec<Vec<[PositionNormal; 3]>>> {
    let positions = VertexLayout::new(24).with(Semantic::Position, 0, VertexFormat::Float32x3);
    let scene = Scene::from(model.clone());
    let mut pose = scene.rest_pose();
    let frame = |frame: usize| {
        if let Some(shown) = pose.node_mut(0) {
            shown.frames = frame.into();
        }
        let mut triangles = Vec::new();
        for mesh in scene.view(space).meshes() {
            let mesh = mesh?;
            let layout = match mesh.mesh().attribute(Semantic::Normal, 0, 0)? {
                Some(_) => positions.clone().with(Semantic::Normal, 12, VertexFormat::Float32x3),
                None => positions.clone(),
            };
            let mut vertices = vec![PositionNormal::zeroed(); mesh.vertex_count()];
            mesh.fill_vertex_buffer(&pose, &layout, bytemuck::cast_slice_mut(&mut vertices))?;
            let mut indices = vec![[0u32; 3]; mesh.triangle_count()];
            mesh.write_indices(IndexFormat::Uint32, bytemuck::cast_slice_mut(&mut indices))?;
            triangles.extend(indices.iter().map(|corners| corners.map(|corner| vertices[corner as usize])));
        }
        Ok(triangles)
    };
    (0..model.frame_count()).map(frame).collect()
}
