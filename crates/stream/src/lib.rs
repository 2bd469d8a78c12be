//! Game meshes, part by part, in the order in which they are needed.
//!
//! - A [`Probe`] finds out where the parts of a model lie, from the bytes between its arrays. It reads nothing itself.
//! - A [`Plan`] is what it finds: each [`Part`] with its byte ranges, its sizes and what it needs, before any of it is
//!   loaded.
//! - A [`PartialModel`] owns a plan and the bytes that are there so far. Lenses onto what is there work as if all were
//!   there.
//! - A [`Streamer`] loads parts by priority, within a memory budget, from any [`backend`]: files, maps, archives, servers.
//!   It fills vertex and index buffers on threads of its own. No call on it waits.
//!
//! The first three need no threads and no files, and can be used alone.
#![forbid(unsafe_code)]

mod asset;
pub mod backend;
mod decode;
mod error;
mod handle;
mod loaded;
mod partial;
mod pieces;
mod plan;
mod pool;
mod priority;
mod probe;
mod queue;
mod request;
mod scheduler;
mod streamer;
mod sync;
mod workers;

pub use asset::{Asset, AssetId, FileName};
pub use error::{Error, Result};
pub use handle::{Completed, Handle, RequestId, State};
pub use loaded::{Failed, Loaded, Outcome};
pub use meshlens::part::{FileRange, Part, PartInfo};
pub use partial::PartialModel;
pub use pieces::FilePieces;
pub use plan::Plan;
pub use priority::Priority;
pub use probe::{Probe, ProbeOptions, Step};
pub use queue::Ageing;
pub use request::{Destination, Request, Written};
pub use streamer::{Completions, Statistics, Streamer, StreamerOptions};
