//! UNIGINE `.mesh` (ms10 to ms14) and `.anim` (an10, an11): a zero-copy parser, validator and writer.
//!
//! [`Mesh::parse`] and [`Anim::parse`] walk the file once, front to back, and prove every table; after that, getters
//! hand out lenses and cannot fail for structural reasons. Two kinds of records have no fixed size, skin weights and
//! animation frames: they are walked once too, without an allocation per record, and animations of more than
//! [`FRAME_BLOCK`] frames leave one entry per block behind, so that any frame is near one.
//!
//! ```
//! use meshlens_unigine::{Mesh, Version, Welder, write};
//!
//! let mut model = write::Mesh::new(Version::Ms11);
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
//! # Ok::<(), meshlens_wire::Error>(())
//! ```
//!
//! # Space and conventions
//!
//! Right-handed, Y forward, Z up; front faces are wound counter-clockwise. Positions are in the model's own unit,
//! a metre by the engine's convention. Bones hold transforms local to their parents: scale, then rotation, then
//! translation. Rotations are quaternions x, y, z, w. Frames are numbered from 0 and carry no time.
//!
//! A corner of a triangle is a pair: its **coordinate index** names a position and its skin weights, its **triangle
//! index** names a tangent space, texture coordinates and a colour. [`Welder`] makes a vertex list of the pairs.
//!
//! # What is borrowed
//!
//! Everything, but for the geometry of ms14 where it is stored as LZ4 blocks: those unpack into a buffer of the
//! caller's ([`Surface::geometry`]). Blocks that are stored raw are read in place.
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

mod anim;
mod animation;
mod binding;
mod block;
mod document;
mod frames;
mod geometry;
mod indices;
pub mod layout;
mod locate;
mod math;
mod player;
mod reader;
mod skeleton;
mod skin;
mod surface;
mod tangent;
mod tracks;
mod validate;
mod weights;
mod weld;
pub mod write;

pub use anim::{Anim, AnimParts};
pub use animation::{Animation, Record};
pub use binding::{Binding, NameMismatches};
pub use block::Block;
pub use document::Mesh;
pub use frames::{FRAME_BLOCK, Ranges};
pub use geometry::{Geometry, Target, Targets};
pub use indices::Indices;
pub use layout::Version;
pub use locate::{BoundingVolume, Parts};
pub use math::{Interpolation, Matrix, Transform};
pub use meshlens_lens::TangentFrame;
pub use player::Player;
pub use skeleton::{Bone, Skeleton};
pub use skin::skin_matrices_into;
pub use surface::Surface;
pub use tangent::Tangents;
pub use validate::{validate_anim, validate_mesh};
pub use weights::{Influence, Weights};
pub use weld::{Corner, Welded, Welder};

/// The format's name, as errors give it.
pub const FORMAT: &str = "unigine";

/// Whether `bytes` begin with the magic of a mesh or an animation, or of a relative that this crate names in its error
/// and does not read.
pub fn is_unigine(bytes: &[u8]) -> bool {
    Version::of(bytes).is_some()
        || layout::UNSUPPORTED.iter().any(|magic| bytes.starts_with(magic.as_bytes()))
}
