//! The tests of this crate, as one program: linking one is quicker than linking several.

mod arrays;
mod buffers;
mod model;
mod not_finite;
mod scene;
mod space;
mod tag;
mod unmirror;
mod unreal_export;
