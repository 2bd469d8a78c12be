//! Ultimate 3D files as a whole.

mod allocation;
mod animation;
mod arrays;
mod common;
mod damage;
mod findings;
mod limits;
mod materials;
mod partial;
mod skin;
mod writer;
