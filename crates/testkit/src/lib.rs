//! What tests, fuzz targets and benches share, and the writer of `corpus/`. Not published.
//!
//! - [`corpus`] makes every file of `corpus/`, from models in [`shapes`];
//! - [`check`] calls everything public on some bytes and asserts what must always hold;
//! - [`mutate`] damages a file in every small way;
//! - [`real`] finds real files and compares them with what independent readers found in them.

pub mod check;
pub mod corpus;
pub mod mutate;
pub mod real;
pub mod shapes;

/// The examples of the README, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
