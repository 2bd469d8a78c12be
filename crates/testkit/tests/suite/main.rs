//! The corpus, the list of fuzz targets, the tools of tests and the imports of all crates. `mutation` is a separate
//! program.

mod archive;
#[cfg(feature = "capi")]
mod capi;
mod circles;
mod corpus;
mod doors;
mod md3_files;
mod meter;
mod mutate;
mod names;
mod real;
mod scene;
mod shapes;
mod signatures;
mod statements;
mod targets;
mod u3d_files;
mod unigine_files;
mod unreal_files;
