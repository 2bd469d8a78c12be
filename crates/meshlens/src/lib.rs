//! Zero-copy parsers for game mesh formats: Quake 3 MD3, Unreal vertex meshes, Ultimate 3D and UNIGINE.
//!
//! One [`Document`] and one [`Model`] cover all formats, and the format of a file is detected. From a file to the buffers
//! that an engine draws:
//!
//! ```
//! use meshlens::Model;
//! use meshlens::lens::VertexFormat;
//! use meshlens::model::{Semantic, Space, VertexLayout};
//! use meshlens::scene::Scene;
//!
//! # let bytes = meshlens::md3::write::sample(&[8.0])?;
//! let scene = Scene::from(Model::parse(&bytes)?); // reads headers only
//! let pose = scene.rest_pose(); // or clips and times
//! let layout = VertexLayout::new(20)
//!     .with(Semantic::Position, 0, VertexFormat::Float32x3)
//!     .with(Semantic::Texcoord, 12, VertexFormat::Float32x2);
//! for mesh in scene.view(&Space::GLTF).meshes() {
//!     let mesh = mesh?;
//!     let mut vertices = vec![0; mesh.buffer_len(&layout)];
//!     mesh.fill_vertex_buffer(&pose, &layout, &mut vertices)?; // one pass, straight from the file's bytes
//!     let mut indices = vec![0; mesh.index_buffer_len(mesh.index_format())];
//!     mesh.write_indices(mesh.index_format(), &mut indices)?;
//!     for submesh in mesh.submeshes() {
//!         let material = submesh.material.map(|index| &mesh.model().materials[index]);
//!         println!("draw triangles {:?} with {:?}", submesh.triangles, material.map(|material| &material.name));
//!     }
//!     # assert_eq!((vertices.len(), indices.len()), (60, 6));
//! }
//! # Ok::<(), meshlens::Error>(())
//! ```
//!
//! There are four views of a file:
//!
//! - A [`Document`] is the file as its format stores it: counts, findings, and every array with its encoding
//!   ([`FormatDocument::arrays`]).
//! - A [`Model`] has meshes, materials, tags, joints and clips with the same names for every format. It decodes them on
//!   demand. The module [`model`] has an example.
//! - A [`Scene`](scene::Scene) contains models with a position and an animation. It fills vertex and index buffers in
//!   the layout and the space of an engine. The module [`scene`] has an example.
//! - [`Parts`] locate everything before the whole file has been read. [`part`] describes the parts that can be loaded
//!   separately.
//!
//! Where to go from here:
//!
//! - The module `dump` (feature `dump`) returns the whole content of a document as `serde` data, and [`model::export`]
//!   writes a model in another format.
//! - Each format is a cargo feature, which re-exports the crate of the format, such as `meshlens::md3`. [`lens`] is the
//!   crate of lenses, and [`wire`] is the crate of errors and findings.
//! - `meshlens-assets` opens models by name from folders and archives, with their textures. `meshlens-stream` loads parts by
//!   priority, `meshlens-gpu` uploads arrays as they are stored and draws them, and `meshlens-gltf` converts to glTF and back.
//!
//! The bytes can come from anywhere. `meshlens-source` reads or maps files.
//!
//! Vectors, quaternions and matrices are plain arrays: `[f32; 3]`, `[f32; 4]` with x, y, z, w, and `[[f32; 4]; 4]` with
//! one column after another. Math libraries can convert them directly, for example with
//! `glam::Mat4::from_cols_array_2d`, `glam::Quat::from_array` and `mint::ColumnMatrix4::from`.
#![no_std]
#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod codes;
#[cfg(feature = "dump")]
pub mod dump;
#[cfg(all(feature = "md3", feature = "unreal", feature = "u3d", feature = "unigine"))]
pub mod fix;
mod formats;
pub mod import;
pub mod model;
pub mod part;
pub mod scene;
mod summary;

pub use formats::crates::*;
pub use formats::{
    CompleteDocument, Document, Format, FormatDocument, FormatParts, IntoModel, PartList, Parts,
    decrypt_if_needed,
};
pub use meshlens_lens as lens;
pub use meshlens_wire as wire;
pub use meshlens_wire::{
    Code, Complete, Error, Finding, Limits, Partial, Presence, Report, Result, Severity,
};
pub use model::Model;
pub use summary::Summary;
