//! Structure-aware mutators of game mesh formats, for fuzzing parsers of these formats.
//!
//! A fuzzer that changes bytes seldom gets past the counts and offsets in the headers of a mesh: one wrong number, and
//! a parser refuses the file. A [`Mutator`] reads the file, changes the model (a surface more, other numbers of frames and
//! vertices, other triangles), and writes it again; or it writes boundary values into arrays, or into the numbers that
//! say where arrays are. More than half of its files parse, whatever it is given.
//!
//! ```
//! use meshlens_mutate::{Kind, Mutator};
//!
//! let mutator = Mutator::new(Kind::Md3);
//! let first = mutator.make(4096, 1);
//! let other = mutator.mutate(&first, 4096, 2);
//! assert!(other.len() <= 4096 && other != first);
//! // The same seed gives the same file.
//! assert_eq!(other, mutator.mutate(&first, 4096, 2));
//! let both = mutator.cross_over(&first, &other, 4096, 3);
//! assert!(both.len() <= 4096);
//! ```
//!
//! - [`Kind`] lists the formats; [`Mutator`] changes files of one of them, or of the one that it detects;
//! - [`Format`] is what a format needs for it. Implement it to mutate files of a format of your own with [`mutate`],
//!   [`cross_over`] and [`make`];
//! - the feature `c` adds the C interface, `include/meshlens_mutate.h`, and the custom mutator of AFL++.
#![cfg_attr(not(feature = "c"), forbid(unsafe_code))]
#![deny(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, clippy::expect_used)
)]

mod damage;
#[cfg(feature = "c")]
#[allow(unsafe_code, reason = "the C interface takes pointers")]
mod door;
mod engine;
mod formats;
mod kind;
mod layout;
mod random;

pub use arbitrary;
pub use engine::{Format, cross_over, make, mutate};
pub use formats::{Md3, U3d, UnigineAnim, UnigineMesh, Unreal, split_pair};
pub use kind::{Kind, Mutator, UnknownKind};
pub use layout::Table;
