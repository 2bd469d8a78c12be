//! Unreal vertex meshes as a whole.

mod allocation;
mod arrays;
mod damage;
mod findings;
mod limits;
mod normals;
mod partial;
mod scripts;
mod transform;
mod triangle;
