//! Unreal vertex meshes (`_d.3d` and `_a.3d`) and their `.uc` scripts: a zero-copy parser, validator and writer.
//!
//! A mesh is two files: a *geometry* file of triangles and a *frames* file of vertices. [`Unreal::parse`] tells from
//! the headers of both how wide vertices are and how far apart frames, and says by which rule; after that, getters hand
//! out lenses and cannot fail for structural reasons. Each file also parses by itself ([`Geometry`], [`Frames`]).
//!
//! ```
//! use meshlens_unreal::{LayoutRule, Triangle, Unreal, VertexFormat, write::Model};
//!
//! let mut model = Model::new(VertexFormat::Packed, 3);
//! model.triangles.push(Triangle { vertices: [0, 1, 2], texture: 1, ..Triangle::default() });
//! model.add_frame(&[[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]])?;
//! let files = model.write()?;
//!
//! let mesh = Unreal::parse(&files.geometry, &files.frames)?;
//! assert_eq!((mesh.rule(), mesh.frame_count()), (LayoutRule::Packed, 1));
//! let mut positions = vec![[0f32; 3]; mesh.vertex_count()];
//! mesh.positions(0)?.decode_into(&mut positions).expect("one value per vertex");
//! assert_eq!(positions[1], [0.0, 64.0, 0.0], "as stored: 1/8");
//! mesh.unit_positions(0)?.decode_into(&mut positions).expect("one value per vertex");
//! assert_eq!(positions[2], [0.0, 0.0, 8.0]);
//! assert_eq!(mesh.checked_triangles()?.get(0), Some([0, 1, 2]));
//! # Ok::<(), meshlens_wire::Error>(())
//! ```
//!
//! # Space and conventions
//!
//! Left-handed, X forward, Y right, Z up; front faces are wound clockwise. To a right-handed space: (x, -y, z), and two
//! corners of each triangle exchanged. Positions are small integers; tools write X x 8, Y x 8 and Z x 4, and engines
//! multiply by a script's scale, whose Z is twice its X for that reason ([`script::Transform`]). Texture coordinates
//! belong to corners of triangles, not to vertices, and have V down. Frames are numbered from 0 and carry no time;
//! scripts name ranges of them and give rates. Vertices have no normals: [`Unreal::smooth_normals_into`] computes them.
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

mod document;
mod frames;
mod geometry;
pub mod layout;
mod locate;
mod normals;
pub mod pairing;
mod positions;
mod rule;
pub mod script;
mod triangle;
mod validate;
pub mod write;

pub use document::{Attachment, Unreal};
pub use frames::Frames;
pub use geometry::Geometry;
pub use locate::{FramesParts, GeometryParts, Mode, Parts, Prefix};
pub use normals::NormalScratch;
pub use pairing::{Half, Role};
pub use positions::{IntegerPositions, Positions, UnitPositions, VertexIter, VertexLens};
pub use rule::{LayoutRule, VertexFormat};
pub use script::Script;
pub use triangle::{Triangle, TriangleKind, TriangleType};
pub use validate::{validate, validate_half, validate_mesh, validate_script, validate_sequences};

/// The format's name, as errors and reports give it.
pub const FORMAT: &str = "unreal";
/// What errors of the geometry file, `_d.3d`, call it.
pub const GEOMETRY: &str = "unreal geometry";
/// What errors of the frames file, `_a.3d`, call it.
pub const FRAMES: &str = "unreal frames";
