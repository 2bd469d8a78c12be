//! The tests of this crate that need no GPU library, and those of the texts that naga checks and makes.

mod decoders;
#[path = "../common/files.rs"]
mod files;
mod layouts;
#[cfg(feature = "naga")]
mod texts;
