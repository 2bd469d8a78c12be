//! UNIGINE files as a whole.

mod allocation;
mod animation;
mod arrays;
mod damage;
mod limits;
mod partial;
mod tangent;
