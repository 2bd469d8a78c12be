//! The tests of this crate that need no GPU library, including tests of the texts that naga checks and generates.

mod decoders;
#[path = "../common/files.rs"]
mod files;
mod layouts;
#[cfg(feature = "naga")]
mod texts;
