//! Reading structure: everything a format crate needs between raw bytes and proven ranges.
//!
//! - [`Cursor`] reads headers front to back and knows its absolute offset;
//! - [`Compact`] is a signed integer of one to five bytes;
//! - [`Chunks`] walks identified, sized chunks by their headers alone;
//! - [`Data`] reads records and proves tables at any offset, and [`Span`] is what a proof leaves behind;
//! - [`Tokens`] and [`Fields`] split the text files that accompany models;
//! - [`Name`] is a text field that ends at its first NUL;
//! - [`Error`] says what stopped a parse, where, what was expected and what was found;
//! - [`Report`] collects [`Finding`]s: content that parses, but is odd or broken;
//! - [`Limits`] bounds what a hostile file may cost.
//!
//! Nothing here reads outside the slice it was given, panics, or allocates in proportion to a number a file claims.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic
    )
)]

extern crate alloc;

mod chunk;
mod compact;
mod cursor;
mod data;
mod error;
mod fields;
mod finding;
mod limits;
mod name;
mod text;

pub use chunk::{Chunk, ChunkHeader, ChunkSource, Chunks, MAX_CHUNK_HEADER, ReadHeader, named_header};
pub use compact::Compact;
pub use cursor::Cursor;
pub use data::{Data, Span};
pub use error::{Error, ErrorKind, Expected, Magic, Place, Result};
pub use fields::{Field, Fields};
pub use finding::{Finding, Report, Severity};
pub use limits::Limits;
pub use name::Name;
pub use text::{Token, Tokens, quote_token};
