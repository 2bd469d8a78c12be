//! Plans, partial models and streaming.

mod backends;
mod cancel;
mod common;
mod decode;
mod faults;
mod memory;
mod order;
mod partial;
mod plan;
mod probe;
mod schedule;
mod streamer;
