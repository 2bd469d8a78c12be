//! Complete MD3 files.

mod allocation;
mod animation;
mod arrays;
mod clips;
mod damage;
mod findings;
mod limits;
mod losses;
mod partial;
mod skin;
mod split;
mod tags;
