//! Zero-copy parsers for game mesh formats: Quake 3 MD3, Unreal vertex meshes, Ultimate 3D and UNIGINE.
//!
//! One [`Document`] and one [`Model`] cover all formats, and the format of a file is detected.
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
//! There are four views of a file:
//!
//! - A [`Document`] is the file as its format stores it: counts, findings, and every array with its encoding
//!   ([`FormatDocument::arrays`]).
//! - A [`Model`] has meshes, materials, tags, joints and clips with the same names for every format. It decodes them on
//!   demand. The module [`model`] has an example.
//! - A [`Scene`](scene::Scene) has models that stand somewhere and move. It fills vertex and index buffers in the layout and
//!   the space of an engine. The module [`scene`] has an example.
//! - [`Parts`] locate everything before the whole file has been read. [`part`] describes the parts that can be loaded
//!   separately.
//!
//! Where to go from here:
//!
//! - The module `dump` (feature `dump`) gives the whole content of a document as `serde` data, and [`model::export`] writes a
//!   model in another format.
//! - Each format is a cargo feature, which re-exports the crate of the format, such as `meshlens::md3`. [`lens`] is the
//!   crate of lenses, and [`wire`] is the crate of errors and findings.
//! - `meshlens-assets` opens models by name from folders and archives, `meshlens-gltf` converts to glTF and back, and
//!   `meshlens-stream` loads parts by priority.
//!
//! The bytes can come from anywhere. `meshlens-source` reads or maps files.
//!
//! Vectors, quaternions and matrices are plain arrays: `[f32; 3]`, `[f32; 4]` with x, y, z, w, and `[[f32; 4]; 4]` with one
//! column after another. Libraries of mathematics convert them without help from this crate, such as
//! `glam::Mat4::from_cols_array_2d`, `glam::Quat::from_array` and `mint::ColumnMatrix4::from`.
#![no_std]
#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

extern crate alloc;

pub mod codes;
#[cfg(feature = "dump")]
pub mod dump;
mod formats;
pub mod model;
pub mod part;
pub mod scene;
mod summary;

pub use formats::crates::*;
pub use formats::{Document, Format, FormatDocument, FormatParts, PartList, Parts, decrypt_if_needed};
pub use meshlens_lens as lens;
pub use meshlens_wire as wire;
pub use meshlens_wire::{Code, Error, Finding, Limits, Report, Result, Severity};
pub use model::Model;
pub use summary::Summary;
