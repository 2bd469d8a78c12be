//! The tests of this crate are one program, because linking one program is faster than linking several.

mod arrays;
mod attachments;
mod baked;
mod blends;
mod buffers;
mod clips;
mod export;
mod fields;
mod fix;
mod frame;
mod losses;
mod model;
mod names;
mod normals;
mod not_finite;
mod scene;
mod space;
mod tag;
mod u3d;
mod unmirror;
mod unreal_export;
