//! Plans, partial models and streaming.

mod ahead;
mod backends;
#[cfg(feature = "object-store")]
mod cached;
mod cancel;
mod common;
mod decode;
mod faults;
#[cfg(feature = "object-store")]
mod hostile;
mod memory;
#[cfg(all(feature = "assets", feature = "object-store"))]
mod mounted;
mod neighbours;
#[cfg(feature = "object-store")]
mod objects;
mod order;
#[cfg(feature = "assets")]
mod pack;
mod partial;
mod plan;
mod priority;
mod probe;
#[cfg(feature = "object-store")]
mod s3;
#[cfg(feature = "assets")]
mod scene;
#[cfg(feature = "assets")]
mod scene_request;
mod schedule;
mod streamer;
#[cfg(feature = "object-store")]
mod tls;
mod wait;
