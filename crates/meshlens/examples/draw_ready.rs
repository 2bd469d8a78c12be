//! Opens a model of any format and fills the buffers that a renderer draws.
//!
//! ```sh
//! cargo run -p meshlens --example draw_ready -- corpus/md3/animated.md3
//! ```

use std::error::Error;

use meshlens::lens::VertexFormat;
use meshlens::model::{Model, Semantic, Space, VertexLayout};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "corpus/md3/animated.md3".into());
    let bytes = std::fs::read(&path)?;
    let model = Model::parse(&bytes)?;

    // The engine's vertex: 20 bytes, Y up.
    let to_engine = model.space.to(&Space::GLTF);
    let layout = VertexLayout::new(20)
        .with(Semantic::Position, 0, VertexFormat::Float32x3)
        .with(Semantic::Texcoord(0), 12, VertexFormat::Float32x2)
        .converted(to_engine);

    for mesh in &model.meshes {
        // Points and corners that are indexed separately (Unreal, UNIGINE) are welded here.
        let topology = mesh.topology()?;
        let mut vertices = vec![0; topology.vertex_count() * layout.stride()];
        mesh.interleave(&topology, 0, &layout, &mut vertices)?;

        let format = topology.index_format();
        let mut indices = vec![0; topology.triangles().len() * 3 * format.size()];
        topology.write_indices(format, Some(&to_engine), &mut indices)?;

        println!("{}: {} bytes of vertices, {} bytes of indices", mesh.name, vertices.len(), indices.len());
        for part in topology.parts() {
            let material = part.material.and_then(|index| model.materials.get(index));
            let name = material.map_or("no material", |material| &material.name);
            println!("  draw triangles {:?} with {name}", part.triangles);
        }
    }
    Ok(())
}
