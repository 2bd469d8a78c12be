//! Code that tests, fuzz targets and benches share, and the writer of `corpus/`. Not published.
//!
//! - [`corpus`] makes every file of `corpus/`, from models in [`shapes`];
//! - [`check`] calls every public function on some bytes and asserts the invariants;
//! - [`displayed`] returns the triangles of models in the form in which they are displayed;
//! - [`doors`] has the models that every interface must display in the same way;
//! - [`files`] is a file system in memory that records what is read;
//! - [`hostile`] has servers with one fault each, which [`server`] runs;
//! - [`kept`] has the inputs that long fuzzing runs found;
//! - [`headers`] puts boundary values into the numbers of headers;
//! - [`meter`] checks that a call uses no more memory and work than its input allows;
//! - [`mutate`] damages a file in every small way;
//! - [`statements`] about `wire` hold for every input;
//! - [`sparse`] writes large files that take no disk space;
//! - [`targets`] lists the checkers by name, with their seeds, for fuzzing and for tests on stable Rust;
//! - [`real`] finds real files and compares them with the results of independent readers.

pub mod check;
pub mod corpus;
pub mod displayed;
pub mod doors;
pub mod files;
pub mod hostile;
pub mod kept;
pub mod real;
pub mod server;
pub mod shapes;
pub mod targets;

pub use meshlens_fixtures::{headers, meter, mutate, share, sparse, statements};

/// The examples of the READMEs, compiled as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../lens/README.md")]
#[doc = include_str!("../../md3/README.md")]
#[doc = include_str!("../../meshlens/README.md")]
#[doc = include_str!("../../assets/README.md")]
#[doc = include_str!("../../stream/README.md")]
#[doc = include_str!("../../unreal/README.md")]
#[doc = include_str!("../../u3d/README.md")]
#[doc = include_str!("../../unigine/README.md")]
pub struct Readme;
