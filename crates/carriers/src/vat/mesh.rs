//! The mesh that a shader moves.

use meshlens::Report;
use meshlens::model::{Model, PlainFrame, PlainMesh, Semantic, Space, Submesh};
use meshlens::scene::{Node, Pose, Scene};

use super::Vat;
use crate::Error;
use crate::timeline::{Corners, Replaced, has_normals};

impl Vat<'_, '_> {
    /// The meshes at rest, in glTF's space, as a scene of one node for an export to glTF. Their second set of texture coordinates
    /// is the center of the texel of frame 0. Adds the sets of texture coordinates and of colors that they do not have to
    /// `losses`. O(vertices + triangles).
    ///
    /// # Errors
    ///
    /// An index is out of range.
    pub fn mesh(&self, name: &str, losses: &mut Report) -> Result<Scene<'static>, Error> {
        let mut model = Model::empty(None, Space::GLTF);
        let mut first_materials = Vec::new();
        for node in &self.scene.nodes {
            first_materials.push(model.materials.len());
            model.materials.extend(node.model.materials.iter().cloned());
        }
        let (mut pose, mut replaced) = (Pose::default(), Replaced::default());
        self.timeline.pose_into(self.timeline.rest, &mut pose)?;
        let (width, height) = self.size;
        for (mesh, start) in self.meshes.iter().zip(&self.starts) {
            let material = |own: Option<usize>| Some(own? + first_materials.get(mesh.node()).copied()?);
            let count = mesh.vertex_count();
            let mut frame = PlainFrame {
                positions: self.base.get(*start..start + count).unwrap_or_default().to_vec(),
                ..PlainFrame::default()
            };
            if has_normals(mesh)? {
                replaced.read(Semantic::Normal, mesh, &pose, &mut frame.normals)?;
            }
            let Corners { mut texcoords, colors } = Corners::new(mesh, losses)?;
            texcoords.resize(count, [0.0; 2]);
            let place = |vertex: usize| {
                let (column, row) = (vertex % width, vertex / width * self.frames());
                [(column as f32 + 0.5) / width as f32, (row as f32 + 0.5) / height as f32]
            };
            let places = (*start..start + count).map(place).collect();
            let mut plain = PlainMesh {
                frames: vec![frame],
                texcoords: vec![texcoords, places],
                colors: if colors.is_empty() { Vec::new() } else { vec![colors] },
                ..PlainMesh::default()
            };
            for submesh in mesh.submeshes() {
                let first = plain.triangles.len();
                plain.triangles.extend(mesh.submesh_triangles(submesh));
                let triangles = first..plain.triangles.len();
                plain.submeshes.push(Submesh { material: material(submesh.material), triangles });
            }
            let own = mesh.mesh();
            let mut made = plain.into_mesh(own.name.clone())?;
            made.material = material(own.material);
            model.meshes.push(made);
        }
        Ok(Scene::from(Node::new(name, model)))
    }
}
