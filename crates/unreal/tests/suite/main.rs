//! Tests of Unreal vertex meshes.

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
