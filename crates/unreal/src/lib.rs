//! Unreal vertex meshes (`_d.3d` and `_a.3d`) and their `.uc` scripts: a zero-copy parser, validator and writer.
//!
//! A mesh is two files: a *geometry* file of triangles and a *frames* file of vertices. [`Unreal::parse`] derives the
//! encoding of vertices and the stride of frames from both headers, and reports the rule that it used ([`LayoutRule`]).
//! After that, getters return lenses onto the bytes of the files, and cannot fail for structural reasons. Each file can
//! also be parsed separately ([`Geometry`], [`Frames`], [`UnpairedFile`]).
//!
//! ```
//! use meshlens_unreal::{LayoutRule, Triangle, Unreal, VertexEncoding, write::Model};
//!
//! let mut model = Model::new(VertexEncoding::Packed, 3);
//! model.triangles.push(Triangle { vertices: [0, 1, 2], texture: 1, ..Triangle::default() });
//! model.add_frame(&[[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]])?;
//! let files = model.write()?;
//!
//! let mesh = Unreal::parse(&files.geometry, &files.frames)?;
//! assert_eq!((mesh.rule(), mesh.frame_count()), (LayoutRule::Packed, 1));
//! let mut positions = vec![[0f32; 3]; mesh.vertex_count()];
//! mesh.positions(0)?.decode_into(&mut positions)?;
//! assert_eq!(positions[1], [0.0, 64.0, 0.0], "as stored: 1/8");
//! mesh.unit_positions(0)?.decode_into(&mut positions)?;
//! assert_eq!(positions[2], [0.0, 0.0, 8.0]);
//! assert_eq!(mesh.checked_triangles()?.get(0), Some([0, 1, 2]));
//! # Ok::<(), meshlens_unreal::Error>(())
//! ```
//!
//! # Space and conventions
//!
//! Left-handed, X forward, Y right, Z up; front faces are wound clockwise. To convert to a right-handed space, use (x,
//! -y, z) and exchange two corners of each triangle. Positions are small integers. Tools multiply X and Y by 8 and Z by
//! 4, and engines multiply by the scale in a script. For that reason, the scale for Z is twice the scale for X
//! ([`script::Transform`]). Texture coordinates belong to corners of triangles, not to vertices, and have V down.
//! Frames are numbered from 0 and have no time; scripts name ranges of them and give rates. Vertices have no normals:
//! [`Unreal::smooth_normals_into`] computes them.
//!
//! # Decoding
//!
//! A [`Lens`](lens::Lens) decodes with an encoding that is known at compile time, a [`ValueLens`](lens::ValueLens) or an
//! [`AnyLens`](lens::AnyLens) with one that is known at run time. [`Unreal::arrays`] lists every array of a mesh.
//! [`decode_interleaved`](lens::decode_interleaved) writes several of them into one vertex buffer.
#![no_std]
#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

extern crate alloc;

mod arrays;
mod attachment;
pub mod codes;
mod document;
pub mod encoding;
mod frames;
mod geometry;
mod incomplete;
pub mod layout;
mod locate;
mod losses;
mod normals;
mod options;
pub mod pairing;
mod rule;
pub mod script;
mod triangle;
mod validate;
pub mod write;

pub use attachment::Attachment;
pub use document::Unreal;
pub use frames::Frames;
pub use geometry::Geometry;
pub use incomplete::IncompleteFrame;
pub use locate::{FramesParts, GeometryParts, Parts, Prefix};
pub use losses::losses;
pub use normals::NormalScratch;
pub use options::{ParseOptions, Strictness};
pub use pairing::{FileKind, UnpairedFile};
pub use rule::{LayoutRule, VertexEncoding};
pub use script::Script;
pub use triangle::{Triangle, TriangleKind, TriangleType};
pub use validate::{validate, validate_script, validate_sequences, validate_unpaired};

pub use meshlens_lens as lens;
pub use meshlens_wire as wire;
pub use meshlens_wire::{Error, Result};

/// The name of the format in errors and reports.
pub const FORMAT: &str = "unreal";
/// The name of the geometry file, `_d.3d`, in errors.
pub const GEOMETRY: &str = "unreal geometry";
/// The name of the frames file, `_a.3d`, in errors.
pub const FRAMES: &str = "unreal frames";
