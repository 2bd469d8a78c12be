//! Loads models on another thread. The frame loop sends names, receives finished buffers, and never waits.
//!
//! For many large models, priorities and cancellation, use `meshlens-stream` instead.
//!
//! ```sh
//! cargo run -p meshlens-assets --example background_loader
//! ```

use std::error::Error;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use meshlens::lens::VertexFormat;
use meshlens::model::{Semantic, VertexLayout};
use meshlens_assets::{Asset, Assets};

/// The message of the loader: the model, and the vertices of the first frame of each mesh.
struct Loaded {
    asset: Asset,
    vertices: Vec<Vec<u8>>,
}

type Outcome = (String, Result<Loaded, Box<dyn Error + Send + Sync>>);

fn load(assets: &Assets, name: &str) -> Result<Loaded, Box<dyn Error + Send + Sync>> {
    let asset = assets.open(name)?;
    let layout = VertexLayout::new(12).with(Semantic::Position, 0, VertexFormat::Float32x3);
    let mut vertices = Vec::new();
    for mesh in &asset.model().meshes {
        let topology = mesh.topology()?;
        let mut buffer = vec![0; topology.vertex_count() * layout.stride()];
        mesh.fill_vertex_buffer(&topology, 0, &layout, &mut buffer)?;
        vertices.push(buffer);
    }
    Ok(Loaded { asset, vertices })
}

/// Starts the thread. It ends when the sender of names is dropped.
fn start(assets: Assets) -> (Sender<String>, Receiver<Outcome>) {
    let (names, inbox) = channel::<String>();
    let (outbox, results) = channel();
    thread::spawn(move || {
        for name in inbox {
            let loaded = load(&assets, &name);
            if outbox.send((name, loaded)).is_err() {
                break;
            }
        }
    });
    (names, results)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut assets = Assets::new();
    assets.mount_folder("corpus")?;
    let (names, results) = start(assets);

    let wanted = ["md3/animated.md3", "unigine/box_ms11.mesh", "md3/missing.md3"];
    for name in wanted {
        names.send(name.to_owned())?;
    }
    let mut waiting = wanted.len();
    while waiting > 0 {
        // One frame of the engine: take what is ready, draw, go on.
        for (name, outcome) in results.try_iter() {
            waiting -= 1;
            match outcome {
                Ok(Loaded { asset, vertices }) => {
                    let bytes: usize = vertices.iter().map(Vec::len).sum();
                    println!("{name}: {} meshes, {bytes} bytes", asset.model().meshes.len());
                }
                Err(error) => println!("{error}"),
            }
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}
