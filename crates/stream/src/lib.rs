//! Loads parts of game meshes in the order in which they are needed.
//!
//! ```
//! # use meshlens::md3::write;
//! # let mut file = write::Model::new("flag")?;
//! # file.frames.push(write::Frame::named("idle")?);
//! # let mut surface = write::Surface::new("flag")?;
//! # surface.triangles.push([0, 1, 2]);
//! # surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
//! # surface.add_frame(&[[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]], &[[1.0, 0.0, 0.0]; 3])?;
//! # file.surfaces.push(surface);
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("flag.md3");
//! # let path = path.to_str().ok_or("a path")?;
//! # std::fs::write(path, file.write()?)?;
//! use std::sync::Arc;
//!
//! use meshlens_stream::{Part, Priority, Streamer, StreamerOptions, backend::FileBackend};
//!
//! let streamer = Streamer::new(StreamerOptions::default())?;
//! let flag = streamer.open(Arc::new(FileBackend::new(2)?), [path]);
//! let request = streamer.request(&flag, Part::Mesh { mesh: 0, frame: 0 }, Priority::NORMAL);
//! let loaded = request.wait().ok_or("taken before")??; // a tool waits; an engine polls or awaits
//! let mesh = loaded.model().ok_or("no model")?.document()?.into_mesh(0)?.ok_or("no mesh 0")?;
//! # assert_eq!(mesh.point_count(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - A [`Probe`] finds the location of every part of a model by reading only the bytes between its arrays. It does no
//!   I/O: the caller passes the bytes to it.
//! - A [`Plan`] is the result: each [`Part`] with its byte ranges, its sizes and its dependencies, before any part is
//!   loaded.
//! - A [`PartialModel`] owns a plan and the bytes that are loaded so far. Lenses onto loaded parts work as in a
//!   complete model.
//! - A [`Streamer`] loads parts by priority, within a memory budget, from any [`backend`]: files, mapped files,
//!   archives, servers. It fills vertex and index buffers on its own threads, and its calls do not block.
//!
//! A probe, a plan and a partial model need no threads and no files, and can be used without a streamer.
#![forbid(unsafe_code)]

mod asset;
pub mod backend;
mod decode;
mod destination;
mod error;
mod event;
mod file_name;
mod guess;
mod handle;
mod loaded;
mod options;
mod outcome;
mod partial;
mod pieces;
mod plan;
mod pool;
mod priority;
mod probe;
mod queue;
mod request;
mod scheduler;
mod statistics;
mod streamer;
mod sync;
mod ticket;
mod wait;
mod workers;

pub use asset::{Asset, AssetId};
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
pub use probe::{Probe, ProbeOptions, Step};
pub use queue::Ageing;
pub use request::Request;
pub use statistics::Statistics;
pub use streamer::{Completions, Streamer};
pub use ticket::{Completed, RequestId, State};
pub use wait::WaitingReader;
