//! Reading and writing the structure of files.

mod budget;
mod checks;
mod chunk;
mod code;
mod compact;
mod cursor;
mod data;
mod error;
mod fields;
mod finding;
mod hierarchy;
mod name;
mod pieces;
mod record;
mod report;
#[cfg(feature = "serde")]
mod serialize;
mod span;
#[cfg(all(feature = "std", debug_assertions))]
mod steps;
mod text;
mod writer;
