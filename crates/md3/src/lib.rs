//! Quake 3 MD3: a zero-copy parser, validator and writer.
//!
//! [`Md3::parse`] reads only headers and checks the bounds of every table once. After that, getters return lenses onto
//! the bytes of the file, and cannot fail for structural reasons.
//!
//! ```
//! use meshlens_md3::{Md3, write};
//!
//! let mut model = write::Model::new("models/flag.md3")?;
//! model.frames.push(write::Frame::named("idle")?);
//! let mut surface = write::Surface::new("flag")?;
//! surface.add_shader("textures/flag.tga")?;
//! surface.triangles.push([0, 1, 2]);
//! surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
//! surface.add_frame(&[[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]], &[[1.0, 0.0, 0.0]; 3])?;
//! model.surfaces.push(surface);
//! model.recompute_bounds();
//! let bytes = model.write()?;
//!
//! let md3 = Md3::parse(&bytes)?;
//! for surface in md3.surfaces() {
//!     let mut positions = vec![[0f32; 3]; surface.vertex_count()];
//!     surface.positions(0)?.decode_into(&mut positions)?;
//!     assert_eq!(positions[1], [0.0, 8.0, 0.0]);
//!     assert_eq!(surface.checked_triangles()?.get(0), Some([0, 1, 2]));
//! }
//! # Ok::<(), meshlens_md3::Error>(())
//! ```
//!
//! # Space and conventions
//!
//! Right-handed, X forward, Y left, Z up; front faces are wound clockwise. Positions are in model units (about an inch
//! in Quake 3) after the division by 64. Texture coordinates have their origin at the top left. Frames are numbered
//! from 0 and have no time; `animation.cfg` ([`AnimationConfig`]) defines names and rates for ranges of them.
//!
//! # Decoding
//!
//! A [`Lens`](lens::Lens) decodes with an encoding that is known at compile time, an [`AnyLens`](lens::AnyLens) with one
//! that is known at run time. [`Md3::arrays`] lists every array of a model.
//! [`decode_interleaved`](lens::decode_interleaved) writes several arrays to one vertex buffer.
#![no_std]
#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

extern crate alloc;

pub mod animation;
mod arrays;
pub mod clips;
pub mod codes;
mod document;
pub mod encoding;
mod fields;
mod frames;
pub mod layout;
mod locate;
pub mod lod;
mod losses;
pub mod skin;
mod skin_lines;
mod surface;
mod tags;
mod tolerance;
mod validate;
pub mod write;

pub use animation::AnimationConfig;
pub use document::Md3;
pub use frames::Frame;
pub use locate::{FrontParts, ParseOptions, Parts, SurfaceParts};
pub use losses::losses;
pub use skin::{Skin, SkinPaths};
pub use surface::{Shader, Surface};
pub use tags::Tag;
pub use validate::validate;

pub use meshlens_lens as lens;
pub use meshlens_wire as wire;
pub use meshlens_wire::{Error, Result};

/// The name of the format in errors.
pub const FORMAT: &str = "md3";
