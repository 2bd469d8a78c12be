//! Plays a clip: each frame of the engine blends two frames of the file into one vertex buffer.
//!
//! ```sh
//! cargo run -p meshlens --example blend_frames -- corpus/md3/animated.md3
//! ```

use std::error::Error;

use meshlens::lens::VertexFormat;
use meshlens::model::{Model, Semantic, VertexLayout};

/// The time between two frames of the engine, in seconds.
const STEP: f32 = 1.0 / 60.0;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "corpus/md3/animated.md3".into());
    let bytes = std::fs::read(&path)?;
    let model = Model::parse(&bytes)?;
    let clip = model.clips.first().ok_or("the model has no clip")?;
    let mesh = model.meshes.first().ok_or("the model has no mesh")?;

    let layout = VertexLayout::new(16).with(Semantic::Position, 0, VertexFormat::Float32x3).with(
        Semantic::Normal,
        12,
        VertexFormat::Snorm8x4,
    );
    // Triangles are the same in every frame, and so is the size of the buffer.
    let topology = mesh.topology()?;
    let mut vertices = vec![0; topology.vertex_count() * layout.stride()];

    for tick in 0..6 {
        let blend = clip.sample(tick as f32 * STEP);
        // One pass: both frames are decoded and blended on the way to the buffer.
        mesh.fill_vertex_buffer(&topology, blend, &layout, &mut vertices)?;
        println!("tick {tick}: frames {} and {}, weight {:.3}", blend.a, blend.b, blend.weight);
    }
    Ok(())
}
