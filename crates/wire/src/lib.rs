//! Reading and writing the structure of binary files: the layer of a format crate between raw bytes and checked tables.
//!
//! - [`Cursor`] reads headers from front to back, and tracks its absolute offset;
//! - [`Compact`] is a signed integer of one to five bytes;
//! - [`Chunks`] iterates over chunks by their headers;
//! - [`Record`] is a struct of fields of fixed sizes;
//! - [`Data`] reads records at any offset, and checks tables, which become a [`Span`]; [`Pieces`] are incomplete files;
//! - [`Presence`] determines whether a document has all bytes of its file, and the return types of its getters;
//! - [`Tokens`] and [`Fields`] split the text files that accompany models;
//! - [`parents_first`] orders the nodes of a hierarchy;
//! - [`Writer`] writes files, with [`Checks`] of its arguments and [`Offsets`] of tables;
//! - [`Name`] is a text field that ends at its first NUL;
//! - [`Error`] is the error of all parsers: format, absolute offset, expected value and found value;
//! - [`Report`] collects [`Finding`]s: suspicious or broken content of files that can be parsed, and losses of
//!   conversions;
//! - [`Code`] explains a kind of finding;
//! - [`Limits`] limit the cost of parsing a hostile file, and a [`Budget`] limits the memory that several calls use
//!   together.
//!
//! This crate does not read outside of the given bytes, does not panic, and does not allocate memory in proportion to a
//! number in a file.
#![no_std]
#![forbid(unsafe_code)]
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

extern crate alloc;

/// For [`record!`].
#[doc(hidden)]
pub use alloc::vec::Vec as __Vec;

// Counts of 32 bits are cast to `usize` without checks, here and in the format crates.
const _: () = assert!(usize::BITS >= 32);

#[cfg(all(feature = "std", debug_assertions))]
extern crate std;

mod budget;
mod checks;
mod chunk;
mod code;
pub mod codes;
mod compact;
mod cursor;
mod data;
mod error;
mod error_kind;
mod fields;
mod finding;
mod hierarchy;
mod limits;
mod name;
mod pieces;
mod presence;
mod record;
mod report;
#[cfg(feature = "serde")]
mod serialize;
mod severity;
mod span;
#[doc(hidden)]
pub mod steps;
mod text;
mod used;
mod writer;

pub use budget::{Budget, OverBudget, Reservation};
pub use checks::{Checks, Offsets};
pub use chunk::{Chunk, Chunks};
pub use code::{Code, OutOfRange};
pub use compact::Compact;
pub use cursor::Cursor;
pub use data::Data;
pub use error::{Error, Place, Result};
pub use error_kind::{ErrorKind, Expected, Magic, is_git_lfs_pointer};
pub use fields::{Field, Fields};
pub use finding::{Finding, Group};
pub use hierarchy::{parents_first, parents_first_in_cycles};
pub use limits::Limits;
pub use name::Name;
pub use pieces::{Piece, PieceList, Pieces};
pub use presence::{Complete, Partial, Presence};
pub use record::Record;
pub use report::Report;
pub use severity::Severity;
pub use span::{SmallSpan, Span, extent};
pub use text::{Token, Tokens, quote_token};
pub use used::{Used, report_unused};
pub use writer::Writer;
