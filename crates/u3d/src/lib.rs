//! Ultimate 3D models (`.u3d`), versions 1.0 and 2.0: a zero-copy parser, validator, animator and writer.
//!
//! [`U3d::parse`] proves every table once, from headers and the small fields between arrays; after that, getters hand
//! out lenses and cannot fail for structural reasons. Both versions are one document.
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
//!     mesh.positions().decode_into(&mut positions).expect("one value per vertex");
//!     assert_eq!(positions[1], [0.0, 8.0, 0.0]);
//!     assert_eq!(mesh.checked_triangles()?.get(0), Some([0, 1, 2]));
//! }
//! # Ok::<(), meshlens_wire::Error>(())
//! ```
//!
//! This is the format of Christoph Peters' engine for Game Maker, not ECMA-363 Universal 3D, whose files have the
//! same extension; those are named in the error.
//!
//! # Space and conventions
//!
//! Left-handed: X to the right, Y up, Z into the depth; front faces are wound clockwise on the screen. To go to a
//! right-handed space, negate Z and keep the index order. Texture coordinates have their origin at the top left.
//! Matrices are four rows of four; a vector is a row and stands on their left, so the last row is the translation.
//! Frames are numbered from 0 and carry no time; any real number lies between two of them.
//!
//! # Encryption
//!
//! An encrypted file (feature `aes`) is decrypted as a whole by `U3d::decrypt`, into memory of its own: the one place
//! where a file is copied.
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

mod bone;
mod document;
#[cfg(feature = "aes")]
mod encryption;
mod header;
pub mod layout;
mod material;
mod matrix;
mod mesh;
mod normals;
mod opaque;
mod parts;
mod section;
mod shadow;
mod skeleton;
mod skin;
mod tween;
mod v1;
mod v2;
mod validate;
pub mod write;

pub use bone::{Bone, Frames, Keys, RotationKeys, VectorKeys};
pub use document::{Action, U3d};
pub use header::{FileHeader, Header, HeaderV1, Version};
pub use material::{Material, Texture, TexturePath};
pub use matrix::Matrix;
pub use mesh::Mesh;
pub use meshlens_lens::Bounds;
pub use normals::Normals;
pub use parts::{BoneParts, MaterialParts, MeshParts, Parts};
pub use section::{Section, Sections};
pub use shadow::Shadow;
pub use skeleton::Skeleton;
pub use tween::Tween;
pub use validate::validate;

/// The format's name, as errors give it.
pub const FORMAT: &str = "u3d";
