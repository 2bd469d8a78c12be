//! Poses a skeleton at a time of a clip, and moves vertices by it.
//!
//! ```sh
//! cargo run -p meshlens --example skinning -- corpus/u3d/v2_skinned.u3d
//! ```

use std::error::Error;

use meshlens::model::{Model, Sample, world_into};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "corpus/u3d/v2_skinned.u3d".into());
    let bytes = std::fs::read(&path)?;
    let model = Model::parse(&bytes)?;
    let clip = model.clips.first().ok_or("the model has no clip")?;

    // Buffers that are kept from frame to frame.
    let (mut pose, mut world) = (Vec::new(), Vec::new());
    let (mut positions, mut normals) = (Vec::new(), Vec::new());

    for time in [0.0, clip.duration() / 2.0] {
        // A clip plays joints or vertex frames. Vertex frames need no skeleton: see the example blend_frames.
        if let Sample::Frames(blend) = model.sample(clip, time, &mut pose) {
            println!("{time:.2} s: frames {} and {}, no joints", blend.a, blend.b);
            continue;
        }
        // From transforms relative to the parent to matrices of the model. Parents may come after their children.
        world_into(&model.joints, &pose, &mut world);
        for mesh in &model.meshes {
            let topology = mesh.topology()?;
            mesh.skin_vertices_into(&topology, 0, &world, &mut positions, &mut normals)?;
            println!(
                "{time:.2} s: {}: {} vertices, the first at {:?}",
                mesh.name,
                positions.len(),
                positions.first()
            );
        }
    }
    // To skin on the GPU instead, upload `world[joint] * mesh.skin[joint]` for each joint, and request
    // `Semantic::Joints` and `Semantic::Weights` in the vertex layout.
    Ok(())
}
