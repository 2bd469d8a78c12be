//! Loads the bounds of models first and then the buffers of the near ones, from a folder, without blocking.
//!
//! ```sh
//! cargo run -p meshlens-stream --example stream_parts -- corpus/md3/animated.md3 corpus/md3/multi_surface.md3
//! ```

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use meshlens::lens::VertexFormat;
use meshlens::model::{Semantic, VertexLayout};
use meshlens_stream::backend::FileBackend;
use meshlens_stream::{Part, Priority, Request, Streamer, StreamerOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        paths = ["animated", "multi_surface"].map(|name| format!("corpus/md3/{name}.md3")).into();
    }
    let streamer = Streamer::new(StreamerOptions::default())?;
    let backend = Arc::new(FileBackend::new(2)?);
    let layout = VertexLayout::new(20).with(Semantic::Position, 0, VertexFormat::Float32x3).with(
        Semantic::Texcoord,
        12,
        VertexFormat::Float32x2,
    );

    let mut requests = Vec::new();
    for (distance, path) in (1u8..).zip(&paths) {
        let streamed = streamer.open(backend.clone(), [path.as_str()]);
        requests.push(streamer.request(&streamed, Part::Bounds, Priority::HIGHEST));
        let buffers = Request::new(Part::Mesh { mesh: 0, frame: 0 })
            .vertices(layout.clone(), Vec::new())
            .indices(Vec::new());
        requests.push(streamer.request(&streamed, buffers, Priority::by_distance(distance.into())));
    }

    // The loop of an engine: 0.2 ms in each frame for what is ready.
    while !requests.is_empty() {
        for done in streamer.poll_completed(Duration::from_micros(200)) {
            println!("request {:?} is {}", done.id, done.state);
        }
        let mut open = Vec::new();
        for request in requests {
            match request.take() {
                None => open.push(request),
                Some(Err(failed)) => println!("{:?}: {failed}", request.part()),
                Some(Ok(mut loaded)) => match loaded.bounds() {
                    Some(bounds) => println!("bounds {:?} to {:?}", bounds.min, bounds.max),
                    None => {
                        let vertices: Option<Vec<u8>> = loaded.take_vertices();
                        println!(
                            "{:?}: {:?} bytes of vertices",
                            loaded.part(),
                            vertices.map(|bytes| bytes.len())
                        );
                    }
                },
            }
        }
        requests = open;
        std::thread::sleep(Duration::from_millis(1));
    }
    println!("{} bytes were read", streamer.statistics().bytes_read);
    Ok(())
}
