//! The face of meshlens: which format a file is, and one [`Document`] over all of them.
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
//! [`Model`] is one lazily decoded view over all of them: meshes, attributes, materials, tags, clips.
//!
//! Each format's own crate is re-exported under its name, behind a cargo feature of that name.
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

mod arrays;
mod document;
#[cfg(feature = "dump")]
pub mod dump;
mod format;
pub mod model;
mod unlock;

pub use arrays::VisitArrays;
pub use document::{Document, Summary};
pub use format::Format;
pub use meshlens_lens as lens;
#[cfg(feature = "md3")]
pub use meshlens_md3 as md3;
#[cfg(feature = "u3d")]
pub use meshlens_u3d as u3d;
#[cfg(feature = "unigine")]
pub use meshlens_unigine as unigine;
#[cfg(feature = "unreal")]
pub use meshlens_unreal as unreal;
pub use meshlens_wire as wire;
pub use meshlens_wire::{Error, Finding, Limits, Report, Result, Severity};
pub use model::Model;
pub use unlock::unlock;
