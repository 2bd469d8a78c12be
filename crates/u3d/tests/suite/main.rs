//! Tests of Ultimate 3D files.

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
mod upgrade;
mod writer;
