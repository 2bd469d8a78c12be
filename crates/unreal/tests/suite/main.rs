//! Unreal vertex meshes as a whole.

mod allocation;
mod arrays;
mod damage;
mod limits;
mod partial;
mod transform;
mod triangle;
