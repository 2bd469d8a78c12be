//! The corpus and the list of fuzz targets; `mutation` is a program of its own.

mod archive;
mod corpus;
mod targets;
