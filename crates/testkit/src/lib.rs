//! What tests, fuzz targets and benches share, and the writer of `corpus/`. Not published.
//!
//! - [`corpus`] makes every file of `corpus/`, from models in [`shapes`];
//! - [`check`] calls everything public on some bytes and asserts what must always hold;
//! - [`files`] is a file system in memory that records what is read;
//! - [`meter`] holds each call to the memory and the work that its input allows;
//! - [`mutate`] damages a file in every small way;
//! - [`sparse`] writes files of any size that take no place;
//! - [`targets`] lists the checkers by name, with their seeds, for fuzzing and for the same on stable;
//! - [`real`] finds real files and compares them with what independent readers found in them.

pub mod check;
pub mod corpus;
pub mod files;
pub mod meter;
pub mod mutate;
pub mod real;
pub mod shapes;
pub mod sparse;
pub mod targets;

/// The examples of the README, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
