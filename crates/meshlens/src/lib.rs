//! Game mesh formats behind one interface: detection of the format, one [`Document`] and one [`Model`] for all of them.
//!
//! ```
//! use meshlens::{Document, Format};
//!
//! # let bytes = meshlens::md3::write::Model::new("empty")?.write()?;
//! let document = Document::parse(&bytes)?;
//! assert_eq!(document.format(), Format::Md3);
//! let summary = document.summary();
//! println!("{} {}: {} frames, {} vertices", document.format(), document.version(), summary.frames, summary.vertices);
//! # Ok::<(), meshlens::Error>(())
//! ```
//!
//! A [`Document`] shows a file as its format stores it: counts, findings, and every array with its encoding. A [`Model`] shows
//! meshes, materials, tags, joints and clips under the same names for every format, and decodes them when they are asked for.
//! [`Parts`] say where everything lies before the whole file has been read.
//!
//! The crate of each format is re-exported under the name of its cargo feature.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

extern crate alloc;

pub mod codes;
#[cfg(feature = "dump")]
pub mod dump;
mod formats;
pub mod model;
pub mod part;
mod summary;

pub use formats::crates::*;
pub use formats::{Document, Format, FormatDocument, FormatParts, PartList, Parts, decrypt_if_needed};
pub use meshlens_lens as lens;
pub use meshlens_wire as wire;
pub use meshlens_wire::{Code, Error, Finding, Limits, Report, Result, Severity};
pub use model::Model;
pub use summary::Summary;
