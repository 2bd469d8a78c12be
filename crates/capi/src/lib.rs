//! The C interface of meshlens: everything that `include/meshlens.h` declares.
//!
//! C and C++ programs use the header. This crate is a Rust library only so that its functions can be tested and measured
//! from Rust.
//!
//! # Design
//!
//! - Each function runs inside [`catch_unwind`](std::panic::catch_unwind): a panic becomes `ML_ERROR_INTERNAL`.
//! - No enumeration is read from C as a Rust `enum`: arguments and members of structs are integers (the module `raw`),
//!   and are checked.
//! - Structs that begin with `size` are read and written up to the size given by the caller, so that they can grow.
//! - Handles own the bytes that they read from, or borrow them from the caller for as long as they are open. They are
//!   immutable, or contain a lock.
//! - A call costs 30 to 130 ns more than the Rust function, and 0.2 to 0.3 us more if it makes a handle (Intel Xeon, model
//!   207; `cargo bench -p meshlens-benches --bench capi`). The first call that needs the model costs 0.8 us more, because
//!   it copies the names to NUL-terminated texts.
//! - There is no global or thread-local state. Builds with debug assertions keep a list of open handles to detect closed
//!   ones.
//!
//! # Safety
//!
//! Every exported function is `unsafe`, because it is called from C: a pointer must be NULL or point to the given
//! number of elements of its type, and handles must not be used after they were closed. NULL, misaligned pointers,
//! impossible sizes and unknown numbers of enumerations are errors.
#![allow(non_camel_case_types, reason = "the types have the names that they have in C")]
#![allow(clippy::missing_safety_doc, reason = "the same for all functions, and said once above")]
#![cfg_attr(
    not(all(feature = "gltf", feature = "textures", feature = "streaming")),
    allow(dead_code, reason = "a build without every feature does not use every helper")
)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

mod asset;
mod call;
mod companions;
mod content;
mod file_bytes;
mod files;
mod handle;
mod memory;
mod names;
mod sized;

// The declarations of the header, in its order.
mod version;

mod enums;
mod error;
mod failure;
mod result;

mod options;

mod open;

mod input;

mod array_format;
mod array_list;
mod arrays;

mod model;

mod space;

mod animation;

mod bounds;
mod skeleton;
mod tags;

mod report;

mod explain;

#[cfg(feature = "gltf")]
mod export;

#[cfg(feature = "assets")]
mod assets;

mod scene;

#[cfg(feature = "streaming")]
mod streaming;

pub use animation::*;
pub use array_format::*;
pub use array_list::ml_array;
pub use arrays::*;
pub use asset::ml_asset;
#[cfg(feature = "assets")]
pub use assets::*;
pub use bounds::*;
pub use enums::*;
pub use error::{ML_NO_OFFSET, ml_error};
pub use explain::*;
#[cfg(feature = "gltf")]
pub use export::*;
pub use input::*;
pub use memory::*;
pub use model::*;
pub use open::*;
pub use options::*;
pub use report::*;
pub use result::*;
pub use scene::*;
pub use skeleton::*;
pub use space::*;
#[cfg(feature = "streaming")]
pub use streaming::*;
pub use tags::*;
pub use version::*;
