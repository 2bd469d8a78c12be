//! Ultimate 3D models (`.u3d`), versions 1.0 and 2.0: a zero-copy parser, validator, animator and writer.
//!
//! [`U3d::parse`] checks every table once, from headers and the small fields between arrays. After that, getters return
//! lenses onto the bytes of the file, and cannot fail because of its structure. Both versions are one document.
//!
//! ```
//! use meshlens_u3d::{U3d, Version, write};
//!
//! let mut mesh = write::Mesh::new("flag");
//! mesh.set_vertices(&[[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [8.0, 0.0, 0.0]], &[[0.0, 0.0, -1.0]; 3], Version::V2_0_0)?;
//! mesh.set_triangles(&[[0, 1, 2]], &[0])?;
//! let mut model = write::Model::new(Version::V2_0_0);
//! model.meshes.push(mesh);
//! model.materials.push(write::Material::new("cloth"));
//! let bytes = model.write()?;
//!
//! let u3d = U3d::parse(&bytes)?;
//! for mesh in u3d.meshes() {
//!     let mut positions = vec![[0f32; 3]; mesh.vertex_count()];
//!     mesh.positions().decode_into(&mut positions)?;
//!     assert_eq!(positions[1], [0.0, 8.0, 0.0]);
//!     assert_eq!(mesh.checked_triangles()?.get(0), Some([0, 1, 2]));
//! }
//! # Ok::<(), meshlens_u3d::Error>(())
//! ```
//!
//! This is the format of Christoph Peters' engine for Game Maker. It is not ECMA-363 Universal 3D, whose files have the
//! same extension; the error for such files states this.
//!
//! # Space and conventions
//!
//! Left-handed: X to the right, Y up, Z away from the viewer; front faces are wound clockwise on the screen. To convert
//! to a right-handed space, negate Z and keep the index order. Texture coordinates have their origin at the top left.
//! Frames are numbered from 0 and have no duration; a frame number between two frames blends them.
//!
//! The files store matrices for row vectors, with the translation in the last row. They are returned as
//! `[[f32; 4]; 4]`, column-major, for column vectors: a row of the file is a column of the matrix. Quaternions are `[f32; 4]`:
//! x, y, z, w.
//!
//! # Encryption
//!
//! `U3d::decrypt` (feature `aes`) decrypts an encrypted file to new memory. Nothing else copies a file.
#![no_std]
#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

extern crate alloc;

mod action;
mod arrays;
mod bone;
pub mod codes;
mod document;
pub mod encoding;
#[cfg(feature = "aes")]
mod encryption;
mod fields;
mod header;
mod keys;
pub mod layout;
mod locate;
mod losses;
mod material;
mod mesh;
mod parts;
mod section;
mod shadow;
mod skeleton;
mod skin;
mod tables;
mod text;
mod tolerance;
mod triangles;
mod tween;
mod v1;
mod v2;
mod validate;
pub mod write;

pub use meshlens_lens as lens;
pub use meshlens_wire as wire;
pub use meshlens_wire::{Error, Result};

pub use action::Action;
pub use bone::Bone;
pub use document::U3d;
pub use header::{Encryption, FileHeader, Header, HeaderV1, Version};
pub use keys::{Keys, RotationKeys, VectorKeys};
pub use locate::ParseOptions;
pub use losses::losses;
pub use material::{Material, Texture, TexturePath};
pub use mesh::Mesh;
pub use parts::{BoneParts, MaterialParts, MeshParts, NormalEncoding, Parts};
pub use section::{Section, Sections};
pub use shadow::Shadow;
pub use skeleton::Skeleton;
pub use tween::Tween;
pub use validate::validate;

/// The name of the format in errors.
pub const FORMAT: &str = "u3d";
