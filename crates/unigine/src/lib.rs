//! UNIGINE `.mesh` (ms10 to ms14) and `.anim` (an10, an11): a zero-copy parser, validator and writer.
//!
//! [`Mesh::parse`](File::parse) and [`Anim::parse`](File::parse) walk the file once, front to back, and check every
//! table. After that, getters return lenses and cannot fail for structural reasons. Skin weights and animation records
//! vary in size, so they are also walked once, without an allocation for each record. Animations of more than
//! [`FRAME_BLOCK`] frames get an index, with which any frame is found in a few steps.
//!
//! ```
//! use meshlens_unigine::{Mesh, Version, Welder, write};
//!
//! let mut model = write::Model::new(Version::Ms11);
//! let mut surface = write::Surface::new("plane")?;
//! surface.targets[0].positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
//! surface.targets[0].add_tangents(Version::Ms11, &[[0.0, 0.0, 0.0, 1.0]; 4]);
//! surface.texcoords0 = vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]];
//! surface.add_triangle([[0, 0], [1, 1], [2, 2]]);
//! surface.add_triangle([[0, 0], [2, 2], [3, 3]]);
//! model.surfaces.push(surface);
//! model.recompute_bounds();
//! let bytes = model.write()?;
//!
//! let mesh = Mesh::parse(&bytes)?;
//! let mut unpacked = Vec::new();
//! for surface in mesh.surfaces() {
//!     let geometry = surface.geometry(&mut unpacked)?;
//!     let welded = Welder::default().weld(&geometry)?;
//!     assert_eq!((welded.vertices.len(), welded.indices.as_slice()), (4, &[0, 1, 2, 0, 2, 3][..]));
//!     let mut positions = vec![[0f32; 3]; welded.vertices.len()];
//!     welded.positions_into(geometry.positions(), &mut positions)?;
//!     assert_eq!(positions[2], [1.0, 1.0, 0.0]);
//! }
//! # Ok::<(), meshlens_unigine::Error>(())
//! ```
//!
//! # Space and conventions
//!
//! Right-handed, Y forward, Z up; front faces are wound counter-clockwise. Positions are in the unit of the model,
//! which is a meter by the engine's convention. Bones have transforms local to their parents: scale, then rotation,
//! then translation. Rotations are quaternions x, y, z, w; matrices are
//! `[[f32; 4]; 4]`, column-major. Frames are numbered from 0 and have no time.
//!
//! A corner of a triangle is a pair of indices. Its **coordinate index** refers to a position and its skin weights. Its
//! **triangle index** refers to a tangent frame, texture coordinates and a color. [`Welder`] converts these pairs to a
//! list of vertices and one index buffer.
//!
//! # Borrowed data
//!
//! Everything is borrowed, except for geometry of ms14 that is packed with LZ4. It is unpacked into a buffer of the
//! caller ([`Surface::geometry`]). Blocks that are not packed are read in place.
#![no_std]
#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

extern crate alloc;

mod anim_index;
mod animation;
mod arrays;
mod binding;
mod block;
mod bounds;
pub mod codes;
mod document;
pub mod encoding;
mod geometry;
mod geometry_parts;
mod indices;
mod keys;
mod kind;
pub mod layout;
mod locate;
mod losses;
mod reader;
mod sampler;
mod skeleton;
mod skin;
mod surface;
mod surface_parts;
mod tangent;
mod tolerance;
mod transform;
mod validate;
mod weights;
mod weld;
pub mod write;

pub use anim_index::AnimationsParts;
pub use animation::{Animation, Record};
pub use binding::{Binding, NameMismatches};
pub use block::{Block, BlockParts};
pub use bounds::BoundingVolume;
pub use document::{Anim, File, Mesh};
pub use geometry::{Geometry, Target, TargetLocation};
pub use geometry_parts::GeometryParts;
pub use indices::index_width;
pub use keys::{FRAME_BLOCK, KeyEncoding, Ranges};
pub use kind::{AnimFile, FileKind, MeshFile};
pub use layout::Version;
pub use locate::{ParseOptions, Parts};
pub use losses::losses;
pub use meshlens_lens as lens;
pub use meshlens_wire as wire;
pub use meshlens_wire::{Error, Result};
pub use reader::NonMinimalInts;
pub use sampler::{Sampler, SamplerMemory};
pub use skeleton::{Bone, Skeleton, SkeletonParts};
pub use skin::skin_matrices_into;
pub use surface::Surface;
pub use surface_parts::{Blocks, GeometryPlace, PackedGeometry, SurfaceParts};
pub use transform::{Interpolation, Transform};
pub use validate::validate;
pub use weights::{Influence, Weights, WeightsIndex};
pub use weld::{Corner, Welded, Welder};

/// The name of the format in errors.
pub const FORMAT: &str = "unigine";

/// Whether `bytes` begin with the magic of a mesh or an animation, or of a related format that this crate recognizes
/// but does not read.
pub fn is_unigine(bytes: &[u8]) -> bool {
    Version::of(bytes).is_some()
        || layout::UNSUPPORTED.iter().any(|magic| bytes.starts_with(magic.as_bytes()))
        || layout::unknown_version(bytes).is_some()
}
