//! The corpus, the list of fuzz targets and the tools of tests; `mutation` is a program of its own.

mod archive;
mod corpus;
mod meter;
mod mutate;
mod real;
mod shapes;
mod targets;
