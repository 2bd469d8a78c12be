//! Loads parts of game meshes in the order in which they are needed.
//!
//! ```
//! # let bytes = meshlens::md3::write::sample(&[8.0])?;
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("flag.md3");
//! # let path = path.to_str().ok_or("a path")?;
//! # std::fs::write(path, bytes)?;
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use meshlens::lens::VertexFormat;
//! use meshlens::model::{Semantic, Space, VertexLayout};
//! use meshlens_stream::{Part, Priority, Request, Streamer, StreamerOptions, backend::FileBackend};
//!
//! let streamer = Streamer::new(StreamerOptions::default())?;
//! let flag = streamer.open(Arc::new(FileBackend::new(2)?), [path]);
//!
//! // The flag came into view: a vertex and an index buffer, in the space of the engine.
//! let layout = VertexLayout::new(12).with(Semantic::Position, 0, VertexFormat::Float32x3);
//! let mesh = Request::new(Part::Mesh { mesh: 0, frame: 0 })
//!     .vertices(layout, Vec::new()) // or memory of a staging buffer
//!     .indices(Vec::new())
//!     .space(Space::GLTF);
//! let mut request = Some(streamer.request(&flag, mesh, Priority::by_distance(80.0)));
//!
//! // The frame loop. No call waits.
//! # let mut vertices = Vec::new();
//! while let Some(handle) = &mut request {
//!     handle.set_priority(Priority::by_distance(60.0)); // The camera has moved. Dropping a handle cancels it.
//!     for done in streamer.poll_completed(Duration::from_micros(200)) {
//!         println!("{:?}: {}", done.id, done.state);
//!     }
//!     match handle.take() {
//!         Some(Ok(mut loaded)) => {
//!             # vertices = loaded.take_vertices::<Vec<u8>>().ok_or("no vertices")?;
//!             println!("{} points to upload and draw", loaded.mesh()?.point_count());
//!             request = None;
//!         }
//!         Some(Err(failed)) => return Err(failed.into()), // It has the reason, and gives the buffers back.
//!         None => {} // Not yet: draw without it.
//!     }
//! }
//! # assert_eq!(vertices.len(), 36);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A request is [queued](State::Queued) until its model has a plan and its turn comes, [loading](State::Loading) while its
//! bytes are read, and [decoding](State::Decoding) while its buffers are filled. It ends [ready](State::Ready),
//! [failed](State::Failed) or [cancelled](State::Cancelled), and its handle then has the outcome. Tools
//! [wait](Handle::wait) for a handle, and async code awaits it.
//!
//! [`Streamer::open_scene`] opens models and players by the names that they have in a game, and streams them with their
//! clips, skins, materials and levels of detail.
//!
//! - A [`Probe`] finds the location of every part of a model by reading only the bytes between its arrays. It does no
//!   I/O: the caller passes the bytes to it.
//! - A [`Plan`] is the result: each [`Part`] with its byte ranges, its sizes and its dependencies, before any part is
//!   loaded.
//! - A [`PartialModel`] owns a plan and the bytes that are loaded so far. Lenses onto loaded parts work as in a
//!   complete model.
//! - A [`Streamer`] loads parts by priority, within a memory budget, from any [`backend`]: files, mapped files,
//!   archives, search paths, servers. It fills vertex and index buffers on its own threads, and its calls do not block.
//!
//! A probe, a plan and a partial model need no threads and no files, and can be used without a streamer.
#![forbid(unsafe_code)]

/// Implements `Debug` for a type with some of its fields.
macro_rules! debug_fields {
    ($self:ident, $type:ident $(<$parameter:tt>)? { $($field:ident: $value:expr),+ $(,)? }) => {
        impl $(<$parameter>)? std::fmt::Debug for $type $(<$parameter>)? {
            fn fmt(&$self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($type))
                    $(.field(stringify!($field), &$value))+
                    .finish_non_exhaustive()
            }
        }
    };
}

pub mod backend;
mod decode;
mod destination;
mod error;
mod event;
mod file_name;
mod guess;
mod handle;
mod helping;
mod loaded;
mod numbers;
mod options;
mod outcome;
mod partial;
mod piece_map;
mod pieces;
mod plan;
mod pool;
mod priority;
mod probe;
mod probe_options;
mod queue;
mod request;
#[cfg(feature = "assets")]
mod scene;
mod scheduler;
mod slab;
mod statistics;
mod streamed;
mod streamer;
mod sync;
mod table;
mod ticket;
mod turns;
mod wait;
mod workers;

/// A list that mostly has one element, which then needs no memory of its own.
type Few<T> = smallvec::SmallVec<[T; 1]>;

pub use bytes::Bytes;
pub use destination::{Destination, Written};
pub use error::{Error, Result};
pub use file_name::FileName;
pub use handle::Handle;
pub use loaded::Loaded;
pub use meshlens::part::{FileRange, Part, PartInfo};
pub use options::StreamerOptions;
pub use outcome::{Failed, Outcome};
pub use partial::PartialModel;
pub use pieces::FilePieces;
pub use plan::Plan;
pub use priority::Priority;
pub use probe::{Probe, Step};
pub use probe_options::ProbeOptions;
pub use queue::Ageing;
pub use request::Request;
#[cfg(feature = "assets")]
pub use scene::{LoadedScene, SceneRequest, StreamedNode, StreamedScene};
pub use statistics::Statistics;
pub use streamed::{ModelId, StreamedModel};
pub use streamer::{Completions, Streamer};
pub use table::{Known, PlanTable, PlanTableBuilder, TableFile};
pub use ticket::{Completed, RequestId, State};
pub use wait::WaitingReader;
