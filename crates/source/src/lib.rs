//! Bytes in for meshlens: files that are read or mapped. It is the only crate of the workspace that opens files.
//!
//! ```no_run
//! use meshlens_source::{Access, Source};
//!
//! // Safe: into memory.
//! let bytes = Source::read("models/lower.md3")?;
//!
//! // SAFETY: nobody shortens or writes to the file while it is mapped.
//! let bytes = unsafe { Source::open("models/lower.md3", Access::Sparse)? };
//! # Ok::<(), meshlens_source::Error>(())
//! ```
//!
//! # Which way in
//!
//! | what will be touched | use |
//! |---|---|
//! | the header alone | [`read_head`] |
//! | every byte of one file after another | [`read_into`] or [`Source::open_reusing`] |
//! | some of a large file, or all of one large file | [`Source::open`], [`Source::map`] |
//! | anything, without `unsafe` | [`Source::read`] |
//!
//! # Promises
//!
//! No input makes this crate panic. No file gets memory beyond a fixed bound by merely stating a size:
//! reading grows with what there is. Mapping is the one thing that cannot be made safe, and says
//! so: see [`Source::map`].

mod advise;
mod error;
mod head;
mod source;

pub use advise::Advice;
pub use error::{Error, Result};
pub use head::{HEAD_LEN, Head, read_head};
pub use source::{
    Access, MAP_EVERYTHING_FRESH_FROM, MAP_EVERYTHING_FROM, MAP_SPARSE_FROM, STREAM_NAME, Source,
    UNSIZED_LIMIT, read_into,
};
