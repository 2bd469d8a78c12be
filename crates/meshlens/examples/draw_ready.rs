//! Opens a model of any format and fills the buffers that a renderer draws.
//!
//! ```sh
//! cargo run -p meshlens --example draw_ready -- corpus/md3/animated.md3
//! ```

use std::error::Error;

use meshlens::Model;
use meshlens::lens::VertexFormat;
use meshlens::model::{Semantic, Space, VertexLayout};
use meshlens::scene::Scene;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "corpus/md3/animated.md3".into());
    let bytes = std::fs::read(&path)?;
    let scene = Scene::from(Model::parse(&bytes)?);

    // The engine's vertex: 20 bytes, Y up.
    let layout = VertexLayout::new(20).with(Semantic::Position, 0, VertexFormat::Float32x3).with(
        Semantic::Texcoord,
        12,
        VertexFormat::Float32x2,
    );
    let pose = scene.rest_pose();

    for mesh in scene.view(&Space::GLTF).meshes() {
        // Points and corners that are indexed separately (Unreal, UNIGINE) are welded here.
        let mesh = mesh?;
        let mut vertices = vec![0; mesh.buffer_len(&layout)];
        mesh.fill_vertex_buffer(&pose, &layout, &mut vertices)?;

        let format = mesh.index_format();
        let mut indices = vec![0; mesh.index_buffer_len(format)];
        mesh.write_indices(format, &mut indices)?;

        let name = &mesh.mesh().name;
        println!("{name}: {} bytes of vertices, {} bytes of indices", vertices.len(), indices.len());
        for part in mesh.submeshes() {
            let material = part.material.and_then(|index| mesh.model().materials.get(index));
            let name = material.map_or("no material", |material| &material.name);
            println!("  draw triangles {:?} with {name}", part.triangles);
        }
    }
    Ok(())
}
