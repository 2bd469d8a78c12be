//! Loading of models part by part, by priority, on threads of a streamer.

mod backend;
mod buffers;
mod failure;
mod loaded;
mod parts;
mod request;
mod streamer;

pub use buffers::*;
pub use loaded::*;
pub use parts::*;
pub use request::*;
pub use streamer::*;
