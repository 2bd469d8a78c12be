//! Tests of UNIGINE files.

mod allocation;
mod animation;
mod arrays;
mod blocks;
mod damage;
mod findings;
mod limits;
mod partial;
mod tangent;
mod writer;
